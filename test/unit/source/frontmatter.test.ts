import fc from 'fast-check';
import matter from 'gray-matter';
import { describe, expect, it } from 'vitest';
import { bodyText } from '../../../integration/core/content/model.ts';
import { splitMarkdown } from '../../../integration/core/source/frontmatter.ts';
import { createLocator } from '../../../integration/core/source/read-data.ts';
import { runs } from '../../oracle/runs.ts';
import { article, ask } from '../../security/attacked-site.ts';
import { createHandler } from '../../support/handler.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { createServices } from '../../support/services.ts';
import { collect } from '../content/collect.ts';
import { createFileEditor } from '../content/encode/file-editor.ts';
import '../../support/toml-format.ts';

const PIECES = [
  '---',
  '---\n',
  '\n---',
  '\n---\n',
  '\r\n',
  '\r',
  '\n',
  ' ',
  '\ufeff',
  'title: A',
  '# note',
  'body',
  '-',
  'yaml',
  'ä',
];

describe('splitMarkdown', () => {
  it('finds the frontmatter that gray-matter finds, in any text', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...PIECES), { maxLength: 10 }).map((pieces) => pieces.join('')),
        (text) => {
          for (const each of [text, `---\n${text}`, `---\r\n${text}`]) {
            const { data, bodyStart } = splitMarkdown(each);
            if (data === null) continue;
            // gray-matter does not read frontmatter below blank lines.
            const below = each.replace(/^(\ufeff?)\s*\n(?=---)/, '$1');
            const read = matter(below, { engines: { yaml: () => ({}) }, language: 'yaml' });
            expect(each.slice(data.start - 1, data.end - 1).trimStart()).toBe(read.matter.trimStart());
            expect(each.slice(bodyStart).trimStart()).toBe(read.content.trimStart());
          }
        },
      ),
      runs(2000),
    );
  });
});

describe('frontmatter', () => {
  it.each(['---json', '---JSON', '--- Json '])('in JSON may start with %j', async (opening) => {
    const { values } = await collect({ 'article/a.md': `${opening}\n{ "n": 1 }\n---\nText\n` });
    expect(values('article/a.md').n).toBe(1);
  });

  it('with Windows line endings may have any number of blank lines', async () => {
    const { values } = await collect({
      'article/a.md': `---\r\nn: 1\r\n${'\r\n'.repeat(100_000)}---\r\nText\r\n`,
    });
    expect(values('article/a.md').n).toBe(1);
  });
});

const TOML = '+++\ntitle = "Secret"\ndraft = true\n+++\nText\n';

describe('frontmatter in TOML and JSON', () => {
  it.each([
    TOML,
    TOML.replaceAll('\n', '\r\n'),
    `\ufeff${TOML}`,
    `\n\n${TOML}`,
    TOML.replaceAll('+++', '+++  '),
    TOML.replaceAll('+++', '---').replace('---', '---toml'),
    '{\n  "title": "Secret",\n  "draft": true\n}\nText\n',
    '\ufeff{"title":"Secret","draft":true}\r\n\r\nText\n',
    '{"title":"Secret","draft":true,"more":{"a":"}{\\"{"}}\nText\n',
  ])('is read, and a draft is not published: %j', async (text) => {
    const { entity, problems } = await collect({ 'article/a.md': text });
    expect(problems).toEqual([]);
    const { published, values, body } = entity('article/a.md');
    expect({ published, title: values.title }).toEqual({ published: false, title: 'Secret' });
    expect(body && bodyText(body)).toBe('Text');
  });

  it.each([
    ['frontmatter/unclosed', '+++', 1, 1],
    ['frontmatter/unclosed', '+++\ndraft = true\n---\nText\n', 1, 1],
    ['frontmatter/unclosed', '{\n  "draft": true,\n  "a": "}\n\nText\n', 1, 1],
    ['frontmatter/closing', '{ "draft": true } Text\n', 1, 18],
    ['frontmatter/fence', TOML.replaceAll('\n', '\r'), 1, 1],
    ['frontmatter/fence', TOML.replace('+++', '+++ toml'), 1, 1],
    ['frontmatter/fence', TOML.replace('+++', '+++toml'), 1, 1],
    ['frontmatter/fence', `<!-- note -->\n${TOML}`, 2, 1],
    ['frontmatter/fence', '\n{"draft":true}\n', 2, 1],
    ['json/syntax', '{ "draft": true, }\nText\n', 1, 18],
    ['toml/syntax', '+++\na = 1\ndraft = yes\n+++\n', 3, 9],
    ['toml/syntax', '+++\r\na = 1\r\ndate = 2024-02-30\r\n+++\r\n', 3, 17],
    ['toml/syntax', '\n\n+++\na =\n+++\n', 4, 4],
    ['toml/syntax', '+++\na = "\ud83d\ude00" b\n+++\n', 2, 10],
    ['toml/syntax', '+++\na = 1\rb = 2\n+++\n', 2, 6],
    ['toml/syntax', '+++\na = 9223372036854775808\n+++\n', 2, 5],
    ['data/duplicate-key', '+++\na = 1\n[b]\na = 1\na = 2\n+++\n', 5, 1],
    ['data/duplicate-key', '+++\na = { b = 1 }\n[a.c]\n+++\n', 3, 2],
    ['data/too-deep', `+++\na = ${'['.repeat(40)}${']'.repeat(40)}\n+++\n`, 2, 37],
    ['data/too-large', `+++\na = ${'['.repeat(30_000)}${']'.repeat(30_000)}\n+++\n`, 1, 1],
    ['data/too-deep', `+++\n[a${'.a'.repeat(40)}]\n+++\n`, 2, 1],
    ['data/too-deep', `+++\n${'a.'.repeat(40)}a = 1\n+++\n`, 2, 1],
  ])('is an error (%s), and the file is not published: %j', async (code, text, line, column) => {
    const { ids, diagnostics } = await collect({ 'article/a.md': text });
    expect(ids).toEqual([]);
    expect(diagnostics).toContainEqual(expect.objectContaining({ severity: 'error', code, line, column }));
  });

  it.each([';;;\n"draft": true\n;;;\nText\n', ';;;json\n"draft": true\n;;;\nText\n'])(
    'is reported between lines of semicolons, and the file is not published: %j',
    async (text) => {
      const { ids, diagnostics } = await collect({ 'article/a.md': text });
      expect(ids).toEqual([]);
      expect(diagnostics).toContainEqual(
        expect.objectContaining({ severity: 'warning', code: 'frontmatter/language', line: 1, column: 1 }),
      );
    },
  );

  it('keeps prototype keys, exact numbers and dates as data', async () => {
    const { entity } = await collect({
      'article/a.md': `+++
a = { __proto__ = 1, constructor = { prototype = 2 } }
big = 9223372036854775807
price = 9.50
huge = 1e999
day = 2024-01-31
local = 2024-01-31 10:00:00
offset = 1979-05-27T07:32:00.5-07:00
time = 07:32:00

[[urls]]
name = "a"

[[urls]]
name = "b"
[urls.more]
x = inf
+++
`,
    });
    const { values } = entity('article/a.md');
    expect(JSON.parse(JSON.stringify(values))).toMatchObject({
      a: JSON.parse('{ "__proto__": 1, "constructor": { "prototype": 2 } }'),
      big: '9223372036854775807',
      price: 9.5,
      huge: '1e999',
      day: '2024-01-31',
      local: '2024-01-31T10:00:00+00:00',
      offset: '1979-05-27T07:32:00.5-07:00',
      time: '07:32:00',
      urls: [{ name: 'a' }, { name: 'b', more: { x: 'inf' } }],
    });
    expect(({} as Record<string, unknown>).prototype).toBeUndefined();
  });

  it('has positions for mistakes in fields', () => {
    const text = '\n"a" = 1\nb = { c = [1, { d = 2 }] }\n[e.f]\ng.h = 3\n[[i]]\n[[i]]\nj = 4\n';
    const locate = createLocator(text, 'toml');
    const at = (...path: (string | number)[]) => [locate(path, 'key'), locate(path)];
    expect(at('a')).toEqual([
      { line: 2, column: 1 },
      { line: 2, column: 7 },
    ]);
    expect(at('b', 'c', 1, 'd')).toEqual([
      { line: 3, column: 17 },
      { line: 3, column: 21 },
    ]);
    expect(at('e')).toEqual([
      { line: 4, column: 2 },
      { line: 4, column: 2 },
    ]);
    expect(at('e', 'f')).toEqual([
      { line: 4, column: 4 },
      { line: 4, column: 4 },
    ]);
    expect(at('e', 'f', 'g', 'h')).toEqual([
      { line: 5, column: 3 },
      { line: 5, column: 7 },
    ]);
    expect(at('i')[0]).toEqual({ line: 6, column: 3 });
    expect(at('i', 1, 'j')).toEqual([
      { line: 8, column: 1 },
      { line: 8, column: 5 },
    ]);
    expect(at('i', 2)).toEqual([undefined, undefined]);
    expect(at('a', 'x')).toEqual([undefined, undefined]);
  });

  it.each([
    '+++ is three plus signs',
    '++++\n',
    'Text\n\n+++\ndraft = true\n+++\n',
    '{curly}',
    '{"a"}',
    ';;; a comment',
    `---\ntitle: A\n---\n${TOML}`,
  ])('is not detected in %j', async (text) => {
    const { problems, ids } = await collect({ 'article/a.md': text });
    expect({ problems, ids }).toEqual({ problems: [], ids: ['node--article/a'] });
  });

  it.each([TOML, '{ "draft": true }\n', ';;;\n', '\n---\ndraft: true\n---\n', '----\na: b\n----\n'])(
    'is put below YAML when a client sends it as a body: %j',
    async (body) => {
      const { edit, read } = await createFileEditor({ 'article/a.md': 'Text\n' });
      const text = edit('article/a.md', { body: { value: body } });
      expect(text).toBe(`---\n---\n\n${body}\n`);
      expect((await read('article/a.md', text)).problems).toEqual([]);
    },
  );

  it('is never overwritten by a change', async () => {
    const driver = createMemoryDriver({ 'article/a.md': 'Text\n' });
    const handle = createHandler(await createServices(driver, undefined, { writable: {} }));
    const stored = await driver.stat('article/a.md');
    expect(stored).toBeDefined();
    const misplaced = TOML.replace('+++', '+++toml');
    await driver.write('article/a.md', new TextEncoder().encode(misplaced));
    const { status } = await ask(handle, 'PATCH', '/jsonapi/node/article/a', {
      body: article({ title: 'New' }, { id: 'a' }),
      headers: { 'content-type': 'application/vnd.api+json' },
    });
    expect(status).toBe(409);
    expect(new TextDecoder().decode(await driver.read('article/a.md'))).toBe(misplaced);
  });
});

const DRAFT = '---\ntitle: Secret\ndraft: true\n---\nText\n';

describe('frontmatter in the wrong place or form', () => {
  it.each([
    [` ${DRAFT}`, 1, 2],
    [`\u200b${DRAFT}`, 1, 2],
    [`\ufeff\ufeff${DRAFT}`, 1, 3],
    [`\u2060\n${DRAFT}`, 2, 1],
    [`\u0000${DRAFT}`, 1, 2],
    [`<!-- a -->${DRAFT}`, 1, 11],
    [`<!-- a\nb -->\n\n<!-- c -->\n${DRAFT}`, 5, 1],
    [`%YAML 1.2\n${DRAFT}`, 2, 1],
    ['\n--- {draft: true}\n---\n', 2, 1],
    ['\n--- # note\ndraft: true\n...\n', 2, 1],
    ['\n---\ndraft: true\n', 2, 1],
  ])('is an error if something stands before it: %j', async (text, line, column) => {
    const { ids, diagnostics } = await collect({ 'article/a.md': text });
    expect(ids).toEqual([]);
    expect(diagnostics).toContainEqual(
      expect.objectContaining({ severity: 'error', code: 'frontmatter/not-first', line, column }),
    );
  });

  it.each([
    `\n${DRAFT}`,
    `\r\n\r\n${DRAFT.replaceAll('\n', '\r\n')}`,
    "\n---\n'draft' : true\n---\n",
    '\n---\ndraft : true\n---\n',
    '\n---\n{draft: true}\n---\n',
    '\n---\n{"draft":true}\n---\n',
    '\n---yaml\ndraft: true\n---\n',
    '\n---json\n{ "draft": true }\n---\n',
  ])('hides a draft below blank lines: %j', async (text) => {
    const { problems, entity } = await collect({ 'article/a.md': text });
    expect(problems).toEqual([]);
    expect(entity('article/a.md').published).toBe(false);
  });

  it.each(['---js\n{ draft: true }\n---\n', '--- coffee\ndraft: true\n---\n'])(
    'is an error in an unknown language: %j',
    async (text) => {
      const { ids, diagnostics } = await collect({ 'article/a.md': text });
      expect(ids).toEqual([]);
      expect(diagnostics).toContainEqual(expect.objectContaining({ code: 'frontmatter/language', line: 1 }));
    },
  );

  it.each(['----\ndraft: true\n----\nText\n', '-----\r\na: b\r\n\r\n"draft": true\r\n---\r\n'])(
    'is an error between longer fences: %j',
    async (text) => {
      const { ids, diagnostics } = await collect({ 'article/a.md': text });
      expect(ids).toEqual([]);
      expect(diagnostics).toContainEqual(
        expect.objectContaining({ severity: 'error', code: 'frontmatter/fence', line: 1, column: 1 }),
      );
    },
  );

  it.each([
    '\n---\n\nProse, which says: nothing.\n\n---\n\nNote: more.\n',
    '----\n\nProse at https://example.com\n\n----\n',
    '\n---\n\nProse.\n\nNote: more.\n',
    '-----BEGIN MESSAGE-----\nVersion: 1\n',
    '<!-- a -->\n\nText\n',
    '<!-- never closed\n---\ndraft: true\n---\n',
    '% of them\n\nText\n',
    'Text\n\n---\ndraft: true\n---\n',
    '***\nNote: more.\n***\n',
  ])('is not detected in a body with thematic breaks: %j', async (text) => {
    const { problems, ids } = await collect({ 'article/a.md': text });
    expect({ problems, ids }).toEqual({ problems: [], ids: ['node--article/a'] });
  });
});

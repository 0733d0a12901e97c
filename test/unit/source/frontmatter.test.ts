import fc from 'fast-check';
import matter from 'gray-matter';
import { describe, expect, it } from 'vitest';
import { createHandler } from '../../../integration/server/handler.ts';
import { splitMarkdown } from '../../../integration/source/frontmatter.ts';
import { createMemoryDriver } from '../../memory-driver.ts';
import { runs } from '../../oracle/runs.ts';
import { article, ask } from '../../security/attacked-site.ts';
import { createServices } from '../../services.ts';
import { collect } from '../content/collect.ts';
import { createFileEditor } from '../content/encode/file-editor.ts';

const PIECES = [
  '---',
  '---\n',
  '\n---',
  '\n---\n',
  '\r\n',
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
            const { fences, bodyStart } = splitMarkdown(each);
            if (fences === null) continue;
            const read = matter(each, { engines: { yaml: () => ({}) }, language: 'yaml' });
            expect(each.slice(each.search(/\r?\n/), fences.close - 1).trimStart()).toBe(
              read.matter.trimStart(),
            );
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

describe('front matter that is not YAML', () => {
  it.each([
    ['TOML', TOML, 1],
    ['TOML', TOML.replaceAll('\n', '\r\n'), 1],
    ['TOML', TOML.replaceAll('\n', '\r'), 1],
    ['TOML', `\ufeff\n${TOML}`, 2],
    ['TOML', '+++', 1],
    ['JSON', '{\n  "title": "Secret",\n  "draft": true\n}\n\nText\n', 1],
    ['JSON', '{"draft":true}', 1],
    ['JSON', ';;;\n"draft": true\n;;;\nText\n', 1],
    ['JSON', ';;;json\n"draft": true\n;;;\nText\n', 1],
    ['TOML', TOML.replace('+++', '+++ toml'), 1],
    ['TOML', TOML.replace('+++', '+++toml'), 1],
    ['TOML', `<!-- note -->\n${TOML}`, 2],
  ])('in %s is an error, and the file is not published: %j', async (language, text, line) => {
    const { ids, diagnostics } = await collect({ 'article/a.md': text });
    expect(ids).toEqual([]);
    expect(diagnostics).toContainEqual({
      severity: 'error',
      code: 'frontmatter/language',
      key: 'article/a.md',
      line,
      column: 1,
      message: `The file starts with frontmatter in ${language}, which is not supported.`,
      hint: 'Convert it to YAML between two lines of `---`.',
    });
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
    await driver.write('article/a.md', new TextEncoder().encode(TOML));
    const { status } = await ask(handle, 'PATCH', '/jsonapi/node/article/a', {
      body: article({ title: 'New' }, { id: 'a' }),
      headers: { 'content-type': 'application/vnd.api+json' },
    });
    expect(status).toBe(409);
    expect(new TextDecoder().decode(await driver.read('article/a.md'))).toBe(TOML);
  });
});

const DRAFT = '---\ntitle: Secret\ndraft: true\n---\nText\n';

describe('frontmatter in the wrong place or form', () => {
  it.each([
    [`\n${DRAFT}`, 2, 1],
    [`\r\n\r\n${DRAFT.replaceAll('\n', '\r\n')}`, 3, 1],
    [` ${DRAFT}`, 1, 2],
    [`\u200b${DRAFT}`, 1, 2],
    [`\ufeff\ufeff${DRAFT}`, 1, 3],
    [`\u2060\n${DRAFT}`, 2, 1],
    [`\u0000${DRAFT}`, 1, 2],
    [`<!-- a -->${DRAFT}`, 1, 11],
    [`<!-- a\nb -->\n\n<!-- c -->\n${DRAFT}`, 5, 1],
    [`%YAML 1.2\n${DRAFT}`, 2, 1],
    ['\n---\n\nA word.\n"draft": true\n---\n', 2, 1],
    ["\n---\n'draft' : true\n---\n", 2, 1],
    ['\n---\ndraft : true\n---\n', 2, 1],
    ['\n---\n{draft: true}\n---\n', 2, 1],
    ['\n---\n{"draft":true}\n---\n', 2, 1],
    ['\n--- {draft: true}\n---\n', 2, 1],
    ['\n--- # note\ndraft: true\n...\n', 2, 1],
    ['\n---yaml\ndraft: true\n---\n', 2, 1],
    ['\n---json\n{ "draft": true }\n---\n', 2, 1],
    ['\n---\ndraft: true\n', 2, 1],
  ])('is an error if something stands before it: %j', async (text, line, column) => {
    const { ids, diagnostics } = await collect({ 'article/a.md': text });
    expect(ids).toEqual([]);
    expect(diagnostics).toContainEqual(
      expect.objectContaining({ severity: 'error', code: 'frontmatter/not-first', line, column }),
    );
  });

  it.each(['---toml\ndraft = true\n---\n', '--- toml\ndraft = true\n---\n'])(
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

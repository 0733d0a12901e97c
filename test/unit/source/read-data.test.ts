import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bodyText } from '../../../integration/core/content/model.ts';
import { findJsonFault } from '../../../integration/core/source/json.ts';
import { createLocator, readData } from '../../../integration/core/source/read-data.ts';
import { readBytes } from '../../../integration/core/storage/stored-bytes.ts';
import { collect } from '../content/collect.ts';

describe('frontmatter and body', () => {
  it.each([
    ['---\ntitle: T\n---\nBody\n', 'T', 'Body'],
    ['---\r\ntitle: T\r\n---\r\nBody\r\n', 'T', 'Body'],
    ['---\ntitle: T\n---\n\nBody\n\n', 'T', 'Body\n'],
    ['---\r\ntitle: T\r\n---\r\n\r\n\r\nBody', 'T', '\r\nBody'],
    ['---\ntitle: T\n---  \nBody', 'T', 'Body'],
    ['---\ntitle: T\n---\n\n', 'T', ''],
    ['---\ntitle: T\n---\n\ufeffBody', 'T', '\ufeffBody'],
    ['\ufeff---\ntitle: T\n---\nBödy', 'T', 'Bödy'],
    ['---yaml\ntitle: T\n---\nBody', 'T', 'Body'],
    ['--- yml\ntitle: T\n---\nBody', 'T', 'Body'],
    ['---json\n{"title": "T"}\n---\nBody', 'T', 'Body'],
    ['---\ntitle: "ü"\n---\nBody', 'ü', 'Body'],
    ['---\ntitle: T\n---', 'T', ''],
    ['---\n---\nBody', 'file', 'Body'],
    ['---\n# nothing but a comment\n---\nBody', 'file', 'Body'],
    ['Body\n\n---\ntitle: no\n---\n', 'Body', 'Body\n\n---\ntitle: no\n---'],
    ['\ufeffBody', 'file', 'Body'],
    ['----\nBody', 'file', '----\nBody'],
    ['', 'file', ''],
  ])('of %j', async (content, title, body) => {
    const { entity, problems } = await collect({
      'article/file.md': content.replace('Body\n\n---', '# Body\n\n---'),
    });
    const expected = body.replace('Body\n\n---', '# Body\n\n---');
    expect(problems).toEqual([]);
    expect(entity('article/file.md').values.title).toBe(title);
    const stored = entity('article/file.md').body;
    expect(stored && bodyText(stored)).toBe(expected);
  });

  it('are separate for entities with equal text', async () => {
    const content = '---\ntitle: Same\ntags: [a]\n---\nSame';
    const { entity } = await collect({ 'article/a.md': content, 'article/b.md': content });
    expect(entity('article/a.md').values).not.toBe(entity('article/b.md').values);
    expect(entity('article/a.md').revision).toBe(entity('article/b.md').revision);
  });

  it('is a view of the file, not a copy', async () => {
    const bytes = new TextEncoder().encode('---\ntitle: T\n---\nBody');
    const { entity } = await collect({ 'article/a.md': bytes });
    const { body } = entity('article/a.md');
    expect(body && readBytes(body.file).buffer).toBe(bytes.buffer);
  });

  it('is null for entities without a body', async () => {
    const { entity } = await collect({
      'article/a.json': '{"title": "A"}',
      'article/b.yaml': 'title: B',
      'article/c.mdx': 'C',
    });
    expect(entity('article/a.json').body).toBeNull();
    expect(entity('article/b.yaml').body).toBeNull();
    expect(entity('article/c.mdx').body?.format).toBe('mdx');
  });
});

describe('values of YAML 1.2', () => {
  it.each([
    ['yes', 'yes'],
    ['no', 'no'],
    ['on', 'on'],
    ['true', true],
    ['~', null],
    ['', null],
    ['2024-01-07', '2024-01-07'],
    ['2024-01-07T12:00:00Z', '2024-01-07T12:00:00Z'],
    ['0x1F', 31],
    ['0o17', 15],
    ['017', 17],
    ['1e3', 1000],
    ['1_000', '1_000'],
    ['12:30:45', '12:30:45'],
    ['.inf', '.inf'],
    ['.nan', '.nan'],
    ['12345678901234567890', '12345678901234567890'],
    ['"quoted"', 'quoted'],
    ['[1, a]', [1, 'a']],
    ['|\n  two\n  lines', 'two\nlines\n'],
    ['!!binary aGk=', 'aGk='],
    ['!!timestamp 2024-01-07', '2024-01-07'],
    ['!!str 1', '1'],
    ['%', '%'],
    ['\n  - %\n  - foreach', ['%', 'foreach']],
  ])('%j is %j', (written, value) => {
    const { data, problems } = readData(`key: ${written}\n`, 'yaml');
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(data.key).toEqual(value);
  });

  it('keep the source text of numbers at any depth', () => {
    const { numerals } = readData('a: 007\nb: [1, 1.50]\nc: {d: 0x1F}\ne: 5\n', 'yaml');
    expect([...numerals]).toEqual([
      ['a', '007'],
      ['b\u00001', '1.50'],
      ['c\u0000d', '0x1F'],
    ]);
  });

  it('resolve aliases, but `<<` is an ordinary key', () => {
    const { data } = readData('a: &x {n: 1}\nb: *x\nc: {<<: *x, m: 2}\n', 'yaml');
    expect(data.b).toEqual({ n: 1 });
    expect(Object.keys(data.c ?? {})).toEqual(['<<', 'm']);
  });

  it('warn about `<<`, which merges in other versions', () => {
    const { problems } = readData('a: &x {n: 1}\nc:\n  <<: *x\n  m: 2\n', 'yaml');
    expect(problems).toMatchObject([{ severity: 'warning', code: 'yaml/merge', line: 3, column: 3 }]);
  });

  it('warn about unknown tags', () => {
    expect(readData('a: !money 5\n', 'yaml').problems).toMatchObject([
      { severity: 'warning', code: 'yaml/tag' },
    ]);
  });
});

describe('numbers of JSON', () => {
  it.each([
    ['9007199254740991', 9007199254740991],
    ['9007199254740993', '9007199254740993'],
    ['-12345678901234567890', '-12345678901234567890'],
    ['1e400', '1e400'],
    ['1e3', 1000],
    ['0.1234567890123456789', 0.12345678901234568],
    ['[9007199254740993, "1e400", {"b": 1e999}]', ['9007199254740993', '1e400', { b: '1e999' }]],
  ])('%s is %j: never rounded to another integer, never infinite', (written, value) => {
    const { data, problems } = readData(`{"a": ${written}}`, 'json');
    expect(problems).toEqual([]);
    expect(data.a).toEqual(value);
  });
});

describe('problems of data', () => {
  it.each([
    ['a.md', '---\ntitle: [a\n---\n', 'yaml/syntax', 3, 1],
    ['a.md', '---\ntitle: a: b\n---\n', 'yaml/syntax', 2, 8],
    ['a.md', '---\na: 1\n\tb: 2\n---\n', 'yaml/syntax', 3, 1],
    ['a.md', '---\r\na: 1\r\nb: "x\r\n---\r\n', 'yaml/syntax', 3, 4],
    ['a.md', '---\n- a\n---\n', 'data/not-a-map', 1, 1],
    ['a.md', '---\njust text\n---\n', 'data/not-a-map', 1, 1],
    ['a.md', '---\na: *nowhere\n---\n', 'yaml/alias', 2, 4],
    ['a.md', '---\na: &a [*a]\n---\n', 'yaml/alias', 2, 8],
    ['a.md', '---\ntitle: a\n', 'frontmatter/unclosed', 1, 1],
    ['a.md', '---\ntitle: a\n----\nBody', 'frontmatter/closing', 3, 1],
    ['a.md', '---\ntitle: a\n---draft\nBody', 'frontmatter/closing', 3, 1],
    ['a.md', '\n\n--- # draft\ndraft: true\n---\nBody', 'frontmatter/not-first', 3, 1],
    ['a.md', ' ---\n\n# Comment\ndraft: true\n---\nBody', 'frontmatter/not-first', 1, 2],
    ['a.md', '\ufeff\ufeff---\ndraft: true\n---\n', 'frontmatter/not-first', 1, 3],
    ['a.md', '---\rdraft: true\r---\rBody\r', 'frontmatter/line-ends', 1, 1],
    ['a.md', '---\n? [a, b]\n: 1\n---\n', 'yaml/syntax', 2, 3],
    ['a.yaml', 'a: 1\n---\nb: 1\n', 'yaml/syntax', 2, 1],
    ['a.md', '---json\n{"a": 1,\n "b": }\n---\n', 'json/syntax', 3, 7],
    ['a.json', '{"a": 1,\n "b": }\n', 'json/syntax', 2, 7],
    ['a.json', '{"a": 1', 'json/syntax', 1, 8],
    ['a.json', '', 'json/syntax', 1, 1],
    ['a.json', '{"a": 1,\n "a": 2}', 'data/duplicate-key', 2, 2],
    ['a.yaml', 'a: 1\nb: [\n', 'yaml/syntax', 3, 1],
    ['a.yaml', 'a: 1\n---\nb: 2\n', 'yaml/syntax', 2, 1],
    ['a.md', '---\ntitle: @a\n---\n', 'yaml/syntax', 2, 8],
  ])('%s %j is %s at %d:%d', async (name, content, code, line, column) => {
    const { diagnostics, ids } = await collect({ [`article/${name}`]: content });
    expect(ids).toEqual([]);
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toMatchObject([
      { code, key: `article/${name}`, line, column },
    ]);
  });

  it.each([
    ['title: a\nx: 1\ntitle: b', 'title', 'b', 4, 1],
    ['a:\n  b: 1\n  b: 2', 'a', { b: 2 }, 4, 3],
  ])('%j has the last value of the key, with a warning', async (yaml, field, value, line, column) => {
    const { values, diagnostics } = await collect({ 'article/a.md': `---\n${yaml}\n---\n` });
    expect(values('article/a.md')[field]).toEqual(value);
    expect(diagnostics.filter(({ code }) => code === 'data/duplicate-key')).toMatchObject([
      { severity: 'warning', line, column },
    ]);
  });

  it.each([
    ['title: [a', 'Indent lists and maps evenly, and close each `[` and `{`.'],
    ['title: @a', 'Quote a string that starts with this character.'],
    ['title: a: b', 'Quote a string that contains `: `.'],
    ['a: 1\n\tb: 2', 'Indent with spaces.'],
  ])('%j is reported with the hint: %s', async (yaml, hint) => {
    const { diagnostics } = await collect({ 'article/a.md': `---\n${yaml}\n---\n` });
    expect(diagnostics).toContainEqual(expect.objectContaining({ code: 'yaml/syntax', hint }));
  });

  it('are reported for all files at once', async () => {
    const { diagnostics, ids } = await collect({
      'article/a.md': '---\na: [\n---\n',
      'article/b.md': '---\nb: {\n---\n',
      'article/c.md': 'fine',
      'person/d.json': '{',
    });
    expect(ids).toEqual(['node--article/c']);
    expect(diagnostics.filter(({ severity }) => severity === 'error').map(({ key }) => key)).toEqual([
      'article/a.md',
      'article/b.md',
      'person/d.json',
    ]);
  });
});

describe('the position of an error in JSON', () => {
  it.each([
    ['{"a": 1,}', 8],
    ['[1,]', 3],
    ['[1 2]', 3],
    ['{"a" 1}', 5],
    ['{a: 1}', 1],
    ["{'a': 1}", 1],
    ['[}', 1],
    ['{"a": [1}', 8],
    ['{} {}', 3],
    ['["x\ny"]', 1],
    ['[01]', 2],
    ['[tru]', 1],
    ['[1', 2],
    ['  ', 2],
    ['', 0],
  ])('%j is at offset %d', (text, offset) => {
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
    expect(findJsonFault(text)).toEqual({ kind: 'error', offset });
  });
});

describe('a scan of JSON', () => {
  it('finds a fault if and only if JSON.parse does', () => {
    const pieces = [
      '{',
      '}',
      '[',
      ']',
      ':',
      ',',
      '"a"',
      '"\\u00e9"',
      '"',
      '1',
      '-0.5e+3',
      '01',
      'true',
      'nul',
      ' ',
      '\n',
    ];
    const texts = fc.oneof(
      fc.json(),
      fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const fault = findJsonFault(text);
        let valid = true;
        try {
          JSON.parse(text);
        } catch {
          valid = false;
        }
        expect(fault?.kind === 'error').toBe(!valid && fault?.kind !== 'duplicate');
        expect(valid || fault !== undefined).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });

  it.each([
    ['{"a": 1, "a": 2}', 'a', 9],
    ['{"a": 1, "\\u0061": 2}', 'a', 9],
    ['[{"a": {"b": 1, "c": {}, "b": 2}}]', 'b', 25],
  ])('finds the duplicate key in %s', (text, key, offset) => {
    expect(findJsonFault(text)).toEqual({ kind: 'duplicate', key, offset });
  });

  it('compares only keys of the same object', () => {
    expect(findJsonFault('{"a": {"a": "a"}, "b": [{"a": 1}, {"a": 2}]}')).toBeUndefined();
  });
});

describe('positions in data', () => {
  const text = '\ntitle: T\ntags:\n  - a\n  - {x: 1, y: [2, 3]}\nempty:\n';

  it.each([
    [['title'], 'key', 2, 1],
    [['title'], 'value', 2, 8],
    [['tags', 0], 'value', 4, 5],
    [['tags', 1, 'y'], 'key', 5, 12],
    [['tags', 1, 'y', 1], 'value', 5, 19],
    [['empty'], 'value', 6, 7],
  ] as const)('%j, its %s, is at %d:%d', (path, part, line, column) => {
    expect(createLocator(text, 'yaml')(path, part)).toEqual({ line, column });
  });

  it.each([[['none']], [['title', 'x']], [['tags', 'x', 'y']]])('%j has no position', (path) => {
    expect(createLocator(text, 'yaml')(path)).toBeUndefined();
  });
});

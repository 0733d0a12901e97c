import { afterEach, describe, expect, it } from 'vitest';
import {
  MAX_FILE_BYTES,
  MAX_ID_BYTES,
  MAX_ID_SEGMENT_BYTES,
} from '../../../integration/core/content/content-file.ts';
import type { SchemaDefinition } from '../../../integration/core/content/schema/schema.ts';
import { MAX_DATA_DEPTH } from '../../../integration/core/source/data.ts';
import type { Diagnostic } from '../../../integration/core/source/diagnostic.ts';
import { MAX_PROBLEMS } from '../../../integration/core/source/diagnostic.ts';
import { MAX_DATA_LENGTH, readData } from '../../../integration/core/source/read-data.ts';
import { MAX_ALIASED_VALUES, MAX_ALIASES } from '../../../integration/core/source/yaml.ts';
import type { StorageDriver } from '../../../integration/core/storage/driver.ts';
import { defineSchema, reference, z } from '../../../integration/schema.ts';
import { cpuTime } from '../../support/cpu-time.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { MAX_TOML_LENGTH } from '../../support/toml-format.ts';
import { collect, createTestCollector } from './collect.ts';

declare global {
  var evaluated: unknown;
}

afterEach(() => {
  globalThis.evaluated = undefined;
});

const codesOf = (problems: readonly { readonly code: string }[]): readonly string[] =>
  problems.map(({ code }) => code);

describe('code in frontmatter', () => {
  it.each([
    ['js'],
    ['javascript'],
    ['JS'],
    [' js'],
    ['coffee'],
    ['cson'],
    ['ts'],
    ['constructor'],
    ['__proto__'],
    ['toString'],
  ])('in `---%s` is reported, and nothing is evaluated', async (language) => {
    const { ids, diagnostics } = await collect({
      'article/a.md': `---${language}\n{ title: (globalThis.evaluated = true) }\n---\n`,
      'article/b.md': 'fine',
    });
    expect(globalThis.evaluated).toBeUndefined();
    expect(ids).toEqual(['node--article/b']);
    expect(diagnostics).toContainEqual(
      expect.objectContaining({
        code: 'frontmatter/language',
        severity: 'warning',
        key: 'article/a.md',
        line: 1,
      }),
    );
  });

  it.each([
    ['!!js/function "function () { globalThis.evaluated = true }"'],
    ['!!js/undefined ""'],
    ['!!js/regexp /a/'],
  ])('in the YAML tag %s is a string', async (value) => {
    const { entity } = await collect({ 'article/a.md': `---\nf: ${value}\n---\n` });
    expect(typeof entity('article/a.md').values.f).toBe('string');
    expect(globalThis.evaluated).toBeUndefined();
  });
});

describe('keys with a meaning in JavaScript', () => {
  it.each([
    ['a.md', '---\n__proto__: { polluted: yes }\nconstructor: { prototype: { polluted: yes } }\n---\n'],
    [
      'a.md',
      '---json\n{"__proto__": {"polluted": "yes"}, "constructor": {"prototype": {"polluted": "yes"}}}\n---\n',
    ],
    ['a.json', '{"__proto__": {"polluted": "yes"}, "constructor": {"prototype": {"polluted": "yes"}}}'],
    ['a.yaml', '"__proto__": { polluted: "yes" }\nconstructor: { prototype: { polluted: "yes" } }\n'],
  ])('are only data in %s %j', async (name, content) => {
    const { values, field } = await collect({ [`article/${name}`]: content });
    const entity = values(`article/${name}`);
    expect(Object.getPrototypeOf(entity)).toBeNull();
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(JSON.stringify(entity.field___proto__)).toBe('{"polluted":"yes"}');
    expect(JSON.stringify(entity.constructor)).toBe('{"prototype":{"polluted":"yes"}}');
    expect(field('node--article', 'constructor').kind).toBe('object');
  });

  it('are only data inside values and mixed lists', async () => {
    const { values } = await collect({ 'article/a.md': '---\nf: [{ __proto__: { x: 1 } }, 5]\n---\n' });
    const [first] = values('article/a.md').f as readonly object[];
    expect(Object.getPrototypeOf(first)).toBeNull();
    expect(Object.keys(first ?? {})).toEqual(['__proto__']);
  });

  it('pollute nothing under a schema either', async () => {
    const schema = defineSchema({
      article: { o: z.object({ a: z.int() }), r: z.record(z.string(), z.any()) },
    });
    const { diagnostics } = await collect(
      {
        'article/a.md':
          '---\no: { a: 1, __proto__: { polluted: yes } }\nr: { __proto__: { polluted: yes } }\n---\n',
      },
      { schema },
    );
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(codesOf(diagnostics)).toContain('field/unknown');
  });

  it.each([['constructor'], ['toString'], ['hasOwnProperty']])(
    'are ordinary names of bundles and files: %s',
    async (name) => {
      const { ids, problems } = await collect({ [`${name}/${name}.md`]: '---\nstatus: Final\n---' });
      expect(ids).toEqual([`node--${name}/${name}`]);
      expect(problems).toEqual([]);
    },
  );
});

describe('exponential and deep YAML', () => {
  it('with nested aliases is an error without delay', async () => {
    const levels = Array.from({ length: 12 }, (_, level) =>
      level === 0
        ? 'a0: &a0 [x, x, x, x, x, x, x, x, x, x]'
        : `a${level}: &a${level} [${Array(10).fill(`*a${level - 1}`)}]`,
    );
    const taken = await cpuTime(async () => {
      const bomb = { 'article/bomb.md': `---\n${levels.join('\n')}\n---\n` };
      const { ids, diagnostics } = await collect(bomb);
      expect(ids).toEqual([]);
      expect(codesOf(diagnostics)).toContain('yaml/too-many-aliases');
    });
    expect(taken).toBeLessThan(1000);
  });

  it('is limited in its number of aliases', () => {
    const aliases = (count: number): string => `a: &a x\nb: [${Array(count).fill('*a').join(', ')}]\n`;
    expect(codesOf(readData(aliases(MAX_ALIASES), 'yaml').problems)).toEqual([]);
    expect(codesOf(readData(aliases(MAX_ALIASES + 1), 'yaml').problems)).toEqual(['yaml/too-many-aliases']);
  });

  it('is limited in its number of aliased values', () => {
    const list = (count: number): string => `a: &a [${Array(count).fill('x').join(', ')}]\nb: *a\n`;
    // The array itself counts too.
    expect(codesOf(readData(list(MAX_ALIASED_VALUES - 1), 'yaml').problems)).toEqual([]);
    expect(codesOf(readData(list(MAX_ALIASED_VALUES), 'yaml').problems)).toEqual(['yaml/too-many-aliases']);
  });

  it.each(['yaml', 'json'] as const)('is limited in depth: %s', (language) => {
    const nested = (depth: number): string => `{"a": ${'['.repeat(depth)}1${']'.repeat(depth)}}`;
    expect(codesOf(readData(nested(MAX_DATA_DEPTH - 1), language).problems)).toEqual([]);
    expect(codesOf(readData(nested(MAX_DATA_DEPTH), language).problems)).toEqual(['data/too-deep']);
  });

  it.each(['yaml', 'json'] as const)('of extreme depth is an error, not a crash: %s', (language) => {
    const { problems } = readData(`{"a": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`, language);
    expect(codesOf(problems)).toEqual(['data/too-deep']);
  });

  it('is read in linear time for many keys', async () => {
    const keys = Array.from({ length: 40_000 }, (_, index) => `k${index}: 1`).join('\n');
    const read = () => expect(Object.keys(readData(keys, 'yaml').data)).toHaveLength(40_000);
    expect(await cpuTime(read)).toBeLessThan(5000);
  });

  it('is limited in length', () => {
    const text = (length: number): string => `a: "${'x'.repeat(length - 6)}"\n`;
    expect(codesOf(readData(text(MAX_DATA_LENGTH), 'yaml').problems)).toEqual([]);
    expect(codesOf(readData(text(MAX_DATA_LENGTH + 1), 'yaml').problems)).toEqual(['data/too-large']);
    const toml = (length: number) => `a = "${'x'.repeat(length - 6)}"`;
    expect(codesOf(readData(toml(MAX_TOML_LENGTH), 'toml').problems)).toEqual([]);
    expect(codesOf(readData(toml(MAX_TOML_LENGTH + 1), 'toml').problems)).toEqual(['data/too-large']);
  });
});

describe('many problems', () => {
  it.each<[string, string, SchemaDefinition | undefined]>([
    ['keys written twice', 'k: 1\n'.repeat(20_000), undefined],
    ['tags', `f: [${Array(20_000).fill('!x 1').join(', ')}]`, undefined],
    ['items', `f: [${Array(20_000).fill('x').join(', ')}]`, { article: { f: z.array(z.int()) } }],
    [
      'references',
      `f: [${Array(20_000).fill('x').join(', ')}]`,
      { article: { f: z.array(reference('a')) }, a: {} },
    ],
  ])('are listed up to a limit: %s', async (_name, data, schema) => {
    let diagnostics: readonly Diagnostic[] = [];
    const taken = await cpuTime(async () => {
      const options = schema === undefined ? {} : { schema };
      ({ diagnostics } = await collect({ 'article/a.yaml': data }, options));
    });
    const reported = diagnostics.filter(({ key }) => key === 'article/a.yaml');
    expect(reported).toHaveLength(MAX_PROBLEMS + 1);
    expect(reported.filter(({ code }) => code === 'file/more-problems')).toHaveLength(1);
    expect(taken).toBeLessThan(5000);
  });
});

describe('files that are not text', () => {
  it('have a size limit', async () => {
    const { ids, diagnostics } = await collect({
      'article/fits.md': new Uint8Array(MAX_FILE_BYTES).fill(0x61),
      'article/beyond.md': new Uint8Array(MAX_FILE_BYTES + 1).fill(0x61),
    });
    expect(ids).toEqual(['node--article/fits']);
    expect(diagnostics).toContainEqual(
      expect.objectContaining({ code: 'file/too-large', severity: 'error', key: 'article/beyond.md' }),
    );
  });

  it('of 10 MB are not even read', async () => {
    const memory = createMemoryDriver({ 'article/a.md': 'a' });
    const read: string[] = [];
    const driver: StorageDriver = {
      ...memory,
      list: async () => ({
        files: [{ key: 'article/a.md', size: 10 * 1024 * 1024, mtimeMs: 0 }],
        skipped: [],
      }),
      read: (key) => {
        read.push(key);
        return memory.read(key);
      },
    };
    const collector = createTestCollector({ ...memory, ...driver });
    expect((await collector.load()).entities).toEqual([]);
    expect(read).toEqual([]);
    expect(collector.diagnostics().map(({ message }) => message)).toContain(
      'The file has 10.0 MB; the limit is 5 MB.',
    );
  });

  it.each([
    ['a broken sequence', [0x61, 0x0a, 0x62, 0xc3, 0x28], 2, 2],
    ['an overlong slash', [0xc0, 0xaf], 1, 1],
    ['half a surrogate pair', [0xed, 0xa0, 0x80], 1, 1],
    ['UTF-16', [0xff, 0xfe, 0x61, 0x00], 1, 1],
  ])('report the position of bytes that are not UTF-8: %s', async (_name, bytes, line, column) => {
    const { ids, diagnostics } = await collect({ 'article/a.md': new Uint8Array(bytes) });
    expect(ids).toEqual([]);
    expect(diagnostics).toContainEqual(expect.objectContaining({ code: 'file/encoding', line, column }));
  });

  it('are an error with the reason if the storage cannot read them', async () => {
    const memory = createMemoryDriver({ 'article/a.md': 'a', 'article/b.md': 'b' });
    const collector = createTestCollector({
      ...memory,
      read: async (key) => {
        if (key === 'article/a.md') {
          throw Object.assign(new Error('EACCES: permission denied, open /secret/path'), { code: 'EACCES' });
        }
        return memory.read(key);
      },
    });
    expect((await collector.load()).entities.map(({ id }) => id)).toEqual(['b']);
    expect(collector.diagnostics()).toContainEqual(
      expect.objectContaining({ key: 'article/a.md', message: 'The file cannot be read (EACCES).' }),
    );
  });
});

describe('ids that a file name or a URL cannot contain', () => {
  it.each([
    ['..', 'has an empty, `.` or `..` segment'],
    ['a/../b', 'has an empty, `.` or `..` segment'],
    ['a//b', 'has an empty, `.` or `..` segment'],
    ['"a/ "', 'has an empty, `.` or `..` segment'],
    ['" "', 'is empty'],
    ['a//b', 'has an empty, `.` or `..` segment'],
    ['"a\\0b"', 'has characters that a URL cannot contain'],
    ['"a\\nb"', 'has characters that a URL cannot contain'],
    ['ü'.repeat(MAX_ID_SEGMENT_BYTES / 2 + 1), `has more than ${MAX_ID_SEGMENT_BYTES} bytes without a slash`],
    [`${'a/'.repeat(MAX_ID_BYTES / 2)}b`, `has more than ${MAX_ID_BYTES} bytes`],
  ])('are an error at their position: %j', async (id, fault) => {
    const { ids, diagnostics } = await collect({ 'article/a.md': `---\nid: ${id}\n---\n` });
    expect(ids).toEqual([]);
    const [reported] = diagnostics.filter(({ code }) => code === 'id/invalid');
    expect(reported).toMatchObject({ line: 2, column: 5, message: expect.stringContaining(fault) });
    expect(reported?.message.length).toBeLessThan(200);
  });

  it.each([
    ['ü'.repeat(MAX_ID_SEGMENT_BYTES / 2)],
    [`${'a/'.repeat(MAX_ID_BYTES / 2 - 1)}bc`],
    ['con'],
    ['trailing...'],
    ['a b/%2e%2e/?#'],
    ['__proto__'],
  ])('do not include %j', async (id) => {
    const { ids, problems } = await collect({ 'article/a.md': `---\nid: ${JSON.stringify(id)}\n---\n` });
    expect(problems).toEqual([]);
    expect(ids).toEqual([`node--article/${id}`]);
  });
});

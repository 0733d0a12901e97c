import { describe, expect, it } from 'vitest';
import { parseFile } from '../../../integration/core/content/parse-file.ts';
import type { FileHistory, StorageDriver } from '../../../integration/core/storage/driver.ts';
import { digestBytes } from '../../../integration/core/util/revision.ts';
import { defineSchema, z } from '../../../integration/schema.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { collect, createTestCollector, printDiagnostics } from './collect.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const ANY = defineSchema({ article: { n: z.union([z.number(), z.string()]) } });

describe('a changed file', () => {
  it('is read alone, and only its entity changes', async () => {
    const memory = createMemoryDriver({ 'article/a.md': '---\nn: 1\n---', 'article/b.md': '---\nn: 2\n---' });
    const read: string[] = [];
    const collector = createTestCollector({
      ...memory,
      read: (key) => {
        read.push(key);
        return memory.read(key);
      },
    });
    await collector.load();
    read.length = 0;
    await memory.write('article/a.md', bytes('---\nn: 3\n---'));
    const change = await collector.apply(['article/a.md', 'article/a.md']);
    expect(read).toEqual(['article/a.md']);
    expect(change).toMatchObject({ removedTypes: [], removed: [], types: [] });
    expect(change.put.map(({ id, values }) => [id, values.n])).toEqual([['a', 3]]);
  });

  it.each([
    ['as it was staged, is not parsed again', '---\nn: 3\n---', 'of the writer'],
    ['otherwise by another program, is parsed', '---\nn: 4\n---', 4],
  ])('that is written %s', async (_, saved, expected) => {
    const { driver, collector } = await collect({ 'article/a.md': '---\nn: 1\n---' }, { schema: ANY });
    const staged = bytes('---\nn: 3\n---');
    const { parsed, ...rest } = parseFile(staged, 'markdown', digestBytes(staged));
    const marked = { ...rest, parsed: parsed && { ...parsed, data: { n: 'of the writer' } } };
    const change = await collector.change(
      ['article/a.md'],
      () => driver.write('article/a.md', bytes(saved)),
      new Map([['article/a.md', { bytes: staged, parsed: marked }]]),
    );
    expect(change.put.map(({ values, revision }) => [values.n, revision])).toEqual([
      [expected, digestBytes(bytes(saved))],
    ]);
  });

  it('with a new kind of value replaces its type, without reading the other files', async () => {
    const memory = createMemoryDriver({
      'article/a.md': '---\nn: 1\n---',
      'article/b.md': '---\nn: 2.50\n---',
      'page/p.md': '',
    });
    const collector = createTestCollector(memory);
    await collector.load();
    await memory.write('article/a.md', bytes('---\nn: none\n---'));
    const { types, put } = await collector.apply(['article/a.md']);
    expect(put).toEqual([]);
    expect(
      types.map(({ type, entities }) => [type.name, entities.map(({ values }) => values.n).sort()]),
    ).toEqual([['node--article', ['2.50', 'none']]]);
  });

  it('with the same content changes nothing', async () => {
    const { collector } = await collect({ 'article/a.md': 'x' });
    expect(await collector.apply(['article/a.md', 'article/never.md', '../outside.md'])).toEqual({
      removedTypes: [],
      removed: [],
      types: [],
      put: [],
    });
  });

  it('with errors keeps its last good entity, reports them, and recovers when repaired', async () => {
    const { driver, collector } = await collect({ 'article/a.md': '---\ntitle: Good\n---' });
    await driver.write('article/a.md', bytes('---\ntitle: [\n---'));
    expect(await collector.apply(['article/a.md'])).toMatchObject({ put: [], removed: [], types: [] });
    expect(printDiagnostics(collector.diagnostics())).toContainEqual(
      expect.stringContaining('content/article/a.md:3:1 '),
    );
    await driver.write('article/a.md', bytes('---\ntitle: Better\n---'));
    expect((await collector.apply(['article/a.md'])).put.map(({ values }) => values.title)).toEqual([
      'Better',
    ]);
    expect(collector.diagnostics().filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  it.each(['now', 'later'] as const)(
    'that breaks leaves the dates of its last good entity: %s',
    async (dates) => {
      let history = new Map([['article/a.md', { created: 1_600_000_000, changed: 1_650_000_000 }]]);
      const memory = createMemoryDriver({ 'article/a.md': '---\ntitle: Good\n---' });
      const collector = createTestCollector({ ...memory, history: async () => history });
      await collector.load();
      // The commit dates of a file that differs from HEAD are unknown.
      history = new Map();
      await memory.write('article/a.md', bytes('---\ntitle: [\n---'));
      expect((await collector.apply(['article/a.md'], [], dates)).put).toEqual([]);
      expect((await collector.apply([], [], 'now')).put).toEqual([]);
      await memory.write('article/a.md', bytes('---\ntitle: Better\n---'));
      const { put } = await collector.apply(['article/a.md'], [], dates);
      expect(put.map(({ values }) => values.changed)).not.toEqual(['2022-04-15T05:20:00+00:00']);
    },
  );

  it('that is renamed is removed and put', async () => {
    const { driver, collector } = await collect({ 'article/a.md': 'x', 'article/b.md': 'y' });
    await driver.remove('article/a.md');
    await driver.write('article/c.md', bytes('x'));
    const { removed, put } = await collector.apply(['article/a.md', 'article/c.md']);
    expect(removed).toEqual([{ type: 'node--article', id: 'a' }]);
    expect(put.map(({ id }) => id)).toEqual(['c']);
  });

  it('that is renamed but keeps its id is put only', async () => {
    const { driver, collector } = await collect({ 'article/a.md': '---\nid: x\n---', 'article/b.md': '' });
    await driver.remove('article/a.md');
    await driver.write('article/c.md', bytes('---\nid: x\n---'));
    const { removed, put } = await collector.apply(['article/a.md', 'article/c.md']);
    expect(removed).toEqual([]);
    expect(put.map(({ id, key }) => [id, key])).toEqual([['x', 'article/c.md']]);
  });

  it('that is the last of its bundle takes the type with it', async () => {
    const { driver, collector } = await collect({ 'article/a.md': '', 'page/a.md': '' });
    await driver.remove('article/a.md');
    expect(await collector.apply(['article/a.md'])).toEqual({
      removedTypes: ['node--article'],
      removed: [],
      types: [],
      put: [],
    });
  });
});

describe('an added or removed file', () => {
  it('adds and removes inferred references of other bundles', async () => {
    const { driver, collector, field } = await collect({
      'article/a.md': '---\nauthor: person/jane\n---',
      'person/jane.md': '',
    });
    expect(field('node--article', 'author').kind).toBe('reference');
    await driver.remove('person/jane.md');
    const gone = await collector.apply(['person/jane.md']);
    expect(
      gone.types.map(({ type, entities }) => [type.fields.get('author')?.kind, entities[0]?.values.author]),
    ).toEqual([['string', 'person/jane']]);
    await driver.write('person/jane.md', bytes(''));
    const back = await collector.apply(['person/jane.md']);
    expect(back.types.map(({ type }) => [type.name, type.fields.get('author')?.kind])).toEqual([
      ['node--article', 'reference'],
      ['node--person', undefined],
    ]);
  });

  it('hands its id to the next file that claims it', async () => {
    const { driver, collector } = await collect({
      'article/a.md': '---\nid: x\n---',
      'article/b.md': '---\nid: x\n---',
    });
    await driver.remove('article/a.md');
    const { put, removed } = await collector.apply(['article/a.md']);
    expect(put.map(({ id, key }) => [id, key])).toEqual([['x', 'article/b.md']]);
    expect(removed).toEqual([]);
    expect(collector.diagnostics().filter(({ severity }) => severity === 'error')).toEqual([]);
  });
});

describe('commit dates', () => {
  function withHistory(history: () => ReadonlyMap<string, FileHistory>): StorageDriver {
    return {
      ...createMemoryDriver({ 'article/a.md': '', 'article/b.md': '' }),
      history: async () => history(),
    };
  }

  it('update only the entities that they change', async () => {
    let history = new Map([
      ['article/a.md', { created: 1_700_000_000, changed: 1_700_000_000 }],
      ['article/b.md', { created: 1_700_000_000, changed: 1_700_000_000 }],
    ]);
    const collector = createTestCollector(withHistory(() => history));
    await collector.load();
    history = new Map([...history, ['article/a.md', { created: 1_700_000_000, changed: 1_710_000_000 }]]);
    const { put } = await collector.apply(['article/b.md']);
    expect(put.map(({ id, values }) => [id, values.changed])).toEqual([['a', '2024-03-09T16:00:00+00:00']]);
  });

  it('stay if a file is reported that has not changed', async () => {
    const dates = { created: 1_700_000_000, changed: 1_710_000_000 };
    const collector = createTestCollector(withHistory(() => new Map([['article/a.md', dates]])));
    await collector.load();
    expect(await collector.apply(['article/a.md'], [], 'later')).toMatchObject({ types: [], put: [] });
  });

  it('come with warnings of the storage', async () => {
    const collector = createTestCollector({
      ...withHistory(() => new Map()),
      warnings: () => ['The repository is shallow.'],
    });
    await collector.load();
    expect(printDiagnostics(collector.diagnostics())).toContain(
      'content/ warning: The repository is shallow.',
    );
  });
});

describe('calls', () => {
  it('wait for each other', async () => {
    const { driver, collector } = await collect({ 'article/a.md': '---\nn: 1\n---' });
    await driver.write('article/b.md', bytes('---\nn: x\n---'));
    await driver.write('article/c.md', bytes('---\nn: 1.5\n---'));
    const [first, , third] = await Promise.all([
      collector.apply(['article/b.md'], [], 'later'),
      collector.load(),
      collector.apply(['article/c.md'], [], 'later'),
    ]);
    expect(first.types[0]?.entities).toHaveLength(2);
    expect(third).toMatchObject({ types: [], put: [] });
  });

  it('do not wait for git; its dates are ignored for files read meanwhile', async () => {
    const committed = { created: 1_700_000_000, changed: 1_710_000_000 };
    const memory = createMemoryDriver({
      'article/a.md': '---\nn: 1\n---',
      'article/b.md': '---\nn: 1\n---',
    });
    let reads = 0;
    let answer = (_history: ReadonlyMap<string, FileHistory>): void => undefined;
    const collector = createTestCollector({
      ...memory,
      async history() {
        reads += 1;
        if (reads === 1) return new Map();
        return new Promise((resolve) => {
          answer = resolve;
        });
      },
    });
    await collector.load();
    const dated = collector.apply([], [], 'now');
    await memory.write('article/a.md', bytes('---\nn: 2\n---'));
    const { put } = await collector.apply(['article/a.md'], [], 'later');
    expect(put.map(({ id, values }) => [id, values.n])).toEqual([['a', 2]]);
    answer(
      new Map([
        ['article/a.md', committed],
        ['article/b.md', committed],
      ]),
    );
    const changedThen = (await dated).put
      .filter(({ values }) => String(values.changed).startsWith('2024-03-09'))
      .map(({ id }) => id);
    expect(changedThen).toEqual(['b']);
  });

  it('let the process handle other events while many files are read', async () => {
    const names = Array.from({ length: 2000 }, (_, at) => `article/${at}.md`);
    const driver = createMemoryDriver(Object.fromEntries(names.map((name) => [name, '---\nn: 1\n---\n'])));
    const reads: number[] = [];
    let read = 0;
    const collector = createTestCollector(
      {
        ...driver,
        read(key) {
          read += 1;
          // Files take time.
          for (const end = performance.now() + 0.05; performance.now() < end; );
          return driver.read(key);
        },
      },
      {
        nextTurn(callback) {
          reads.push(read);
          setImmediate(callback);
        },
      },
    );
    expect((await collector.load()).entities).toHaveLength(names.length);
    const during = reads.filter((count) => count > 0 && count < names.length);
    expect(during.length).toBeGreaterThan(2);
  });

  it('continue after one that failed', async () => {
    const memory = createMemoryDriver({ 'article/a.md': '' });
    let fails = true;
    const collector = createTestCollector({
      ...memory,
      list: () => (fails ? Promise.reject(new Error('offline')) : memory.list()),
    });
    await expect(collector.load()).rejects.toThrow('offline');
    fails = false;
    expect((await collector.load()).entities).toHaveLength(1);
  });

  it('report skipped links and folders', async () => {
    const memory = createMemoryDriver({ 'article/a.md': '' });
    const collector = createTestCollector({
      ...memory,
      list: async () => ({
        ...(await memory.list()),
        skipped: [{ key: 'article/x.md', reason: 'It is a link to nothing.' }],
      }),
    });
    await collector.load();
    expect(printDiagnostics(collector.diagnostics())).toContain(
      'content/article/x.md:1:1 warning: It is a link to nothing.',
    );
  });
});

describe('files that the storage skips', () => {
  const about = (collector: { diagnostics(): readonly { code: string; key: string }[] }): readonly string[] =>
    collector
      .diagnostics()
      .filter(({ code }) => code === 'file/skipped')
      .map(({ key }) => key);

  it('are reported while they are skipped: a missing folder, a pipe in place of a file', async () => {
    const memory = createMemoryDriver({ 'article/a.md': 'a', 'article/b.md': 'b' });
    const skipped = new Map<string, string>();
    const collector = createTestCollector({
      ...memory,
      list: async () => ({
        files: (await memory.list()).files,
        skipped: [...skipped].map(([key, reason]) => ({ key, reason })),
      }),
    });
    await collector.load();
    expect(about(collector)).toEqual([]);

    skipped.set('article/pipe.md', 'It is neither a file nor a folder.');
    await collector.apply(['article/pipe.md']);
    expect(about(collector)).toEqual(['article/pipe.md']);
    skipped.clear();
    await memory.write('article/pipe.md', bytes('a file now'));
    await collector.apply(['article/pipe.md']);
    expect(about(collector)).toEqual([]);

    for (const key of ['article/a.md', 'article/b.md', 'article/pipe.md']) await memory.remove(key);
    skipped.set('', 'There is no folder.');
    await collector.apply(['article/a.md', 'article/b.md', 'article/pipe.md']);
    expect(about(collector)).toEqual(['']);
    skipped.clear();
    await memory.write('article/a.md', bytes('a'));
    await collector.apply(['article/a.md']);
    expect(about(collector)).toEqual([]);
  });

  it('are not listed again when a file changes, or is removed beside others', async () => {
    const memory = createMemoryDriver({ 'article/a.md': 'a', 'article/b.md': 'b' });
    let listings = 0;
    const collector = createTestCollector({
      ...memory,
      list: () => {
        listings += 1;
        return memory.list();
      },
    });
    await collector.load();
    await memory.write('article/a.md', bytes('c'));
    await collector.apply(['article/a.md', 'article/image.png', '_draft.md']);
    await memory.remove('article/a.md');
    await collector.apply(['article/a.md']);
    expect(listings).toBe(1);
  });
});

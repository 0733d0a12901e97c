import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createHtmlCache } from '../../../integration/astro/html-cache.ts';
import { createCollector } from '../../../integration/core/content/collect.ts';
import { type Body, bodyLength, bodyText, type Entity } from '../../../integration/core/content/model.ts';
import { type ParsedFile, parseFile } from '../../../integration/core/content/parse-file.ts';
import { createFileCache, DOUBTFUL_MS } from '../../../integration/core/storage/cache/file-cache.ts';
import { createFsDriver } from '../../../integration/core/storage/drivers/fs.ts';
import { createHistoryCache } from '../../../integration/features/git/history-cache.ts';
import { defineSchema, reference, z } from '../../../integration/schema.ts';
import { temporaryFolder, writeFiles } from '../../support/temporary-folder.ts';

vi.mock('../../../integration/core/content/parse-file.ts', async (original) => {
  const module = await original<typeof import('../../../integration/core/content/parse-file.ts')>();
  return { ...module, parseFile: vi.fn(module.parseFile) };
});

const OPTIONS = { published: {}, danglingReferences: 'error', defaultLangcode: 'en' } as const;
const LONG_AGO = new Date('2026-01-01T00:00:00Z');
const FILES = {
  'article/a.md': '---\ntitle: First\nrating: 007\nrelated: article/b\n---\nBody of a\n',
  'article/b.md': '---\ntitle: "Second"\nnested:\n  list: [1, { deep: true }]\n  __proto__: kept\n---\n',
  'article/no-title.md': '# A heading\n\nText\n',
  'tag/x.yaml': 'title: "X: y"\nweight: 3\n',
};

let root = '';
let content = '';
let cachePath = '';
let warnings: string[] = [];

beforeEach(() => {
  root = temporaryFolder();
  content = path.join(root, 'content');
  cachePath = path.join(root, 'kept', 'content.cache');
  warnings = [];
  for (const [key, text] of Object.entries(FILES)) write(key, text);
});

function write(key: string, text: string, changed = LONG_AGO): void {
  const file = path.join(content, key);
  writeFiles(content, { [key]: text });
  utimesSync(file, changed, changed);
}

interface Start {
  readonly version?: string;
  readonly schema?: Parameters<typeof createCollector>[0]['schema'];
  readonly cached?: boolean;
  readonly now?: () => number;
}

/** Loads the content as a new process does. */
async function start({ version = '1.0.0', schema, cached = true, now }: Start = {}) {
  let read = 0;
  const driver = createFsDriver(content);
  const cache = createFileCache<ParsedFile>({
    path: cachePath,
    folder: content,
    version,
    log: { warn: (message) => warnings.push(message) },
    ...(now && { now }),
  });
  vi.mocked(parseFile).mockClear();
  const collector = createCollector({
    driver: {
      ...driver,
      history: async () => new Map(),
      read: (key) => {
        read += 1;
        return driver.read(key);
      },
    },
    schema,
    options: OPTIONS,
    ...(cached && { cache }),
  });
  const state = await collector.load();
  await collector.save();
  return {
    parsed: vi.mocked(parseFile).mock.calls.length,
    read,
    state: {
      types: state.types,
      entities: state.entities.map((entity) => ({
        ...entity,
        body: entity.body && { ...entity.body, file: bodyText(entity.body) },
      })),
      diagnostics: collector.diagnostics(),
    },
  };
}

describe('the time at which a file without a commit was created', () => {
  const createdOf = (entities: readonly Entity[]) =>
    entities.find(({ key }) => key === 'article/a.md')?.values.created;
  const replaceFile = (text: string) => {
    write('new.md', text, new Date());
    renameSync(path.join(content, 'new.md'), path.join(content, 'article/a.md'));
  };

  it('stays when an editor replaces the file, also at the next start', async () => {
    const collector = createCollector({ driver: createFsDriver(content), options: OPTIONS });
    expect(createdOf((await collector.load()).entities)).toBe('2026-01-01T00:00:00+00:00');
    await start();
    replaceFile('---\ntitle: Replaced\n---\n');
    const { put, types } = await collector.apply(['article/a.md']);
    const changed = [...put, ...types.flatMap(({ entities }) => entities)];
    expect(createdOf(changed)).toBe('2026-01-01T00:00:00+00:00');
    expect(createdOf((await start()).state.entities as never)).toBe('2026-01-01T00:00:00+00:00');
    replaceFile('---\ntitle: Again\n---\n');
    expect(createdOf((await start()).state.entities as never)).toBe('2026-01-01T00:00:00+00:00');
  });

  it('is the birth of a file that is edited in place', async () => {
    const later = new Date(Date.now() + 3_600_000);
    utimesSync(path.join(content, 'article/a.md'), later, later);
    const { state } = await start({ cached: false });
    const age = Date.now() - Date.parse(String(createdOf(state.entities as never)));
    expect(age).toBeGreaterThan(-1000);
  });
});

describe('a second start', () => {
  it('reads and parses no unchanged file, and returns the same entities', async () => {
    const first = await start();
    const second = await start();
    expect([first.parsed, first.read]).toEqual([4, 4]);
    expect([second.parsed, second.read]).toEqual([0, 0]);
    expect(second.state).toEqual(first.state);
    expect(second.state).toEqual((await start({ cached: false })).state);
    expect(warnings).toEqual([]);
  });

  it('finds no cache unless the first start saved it', async () => {
    const cache = createFileCache<ParsedFile>({
      path: cachePath,
      folder: content,
      version: '1.0.0',
      log: { warn: (message) => warnings.push(message) },
    });
    const collector = createCollector({ driver: createFsDriver(content), options: OPTIONS, cache });
    await collector.load();
    expect(existsSync(cachePath)).toBe(false);
    await Promise.all([collector.save(), collector.save()]);
    expect((await start()).parsed).toBe(0);
  });

  it('parses files with a new size or time and new content, and forgets removed files', async () => {
    await start();
    write('article/a.md', '---\ntitle: Changed\n---\n');
    rmSync(path.join(content, 'tag/x.yaml'));
    const second = await start();
    expect([second.parsed, second.read]).toEqual([1, 1]);
    expect(second.state).toEqual((await start({ cached: false })).state);
    expect((await start()).parsed).toBe(0);
    expect(readFileSync(cachePath, 'utf8')).not.toContain('tag/x.yaml');
  });

  it('reads but does not parse files with a new time only, as after a fresh clone', async () => {
    await start();
    for (const [key, text] of Object.entries(FILES)) write(key, text, new Date('2026-02-02T00:00:00Z'));
    const second = await start();
    expect([second.parsed, second.read]).toEqual([0, 4]);
    expect((await start()).read).toBe(0);
  });

  it('reads a file again that changed shortly before it was read', async () => {
    const readAt = Date.now();
    write('article/a.md', '---\ntitle: One\n---\n', new Date(readAt - DOUBTFUL_MS + 500));
    await start({ now: () => readAt });
    write('article/a.md', '---\ntitle: Two\n---\n', new Date(readAt - DOUBTFUL_MS + 500));
    const second = await start({ now: () => readAt + 60_000 });
    expect([second.parsed, second.read]).toEqual([1, 1]);
    expect(second.state.entities.find(({ id }) => id === 'a')?.values.title).toBe('Two');
    expect((await start({ now: () => readAt + 120_000 })).read).toBe(0);
  });

  it('reports the problems of unchanged files again', async () => {
    write('article/broken.md', '---\ntitle: "open\n---\n');
    write('article/warned.md', '---\ntitle: !custom x\n---\n');
    const first = await start();
    const second = await start();
    expect(first.state.diagnostics.map(({ key }) => key)).toEqual(
      expect.arrayContaining(['article/broken.md', 'article/warned.md']),
    );
    expect(second.state.diagnostics).toEqual(first.state.diagnostics);
    expect(second.parsed).toBe(2);
  });

  it('validates files against a changed schema without parsing them', async () => {
    await start();
    const schema = defineSchema({
      article: { rating: z.string() },
      tag: { weight: z.int() },
    });
    const second = await start({ schema });
    expect(second.parsed).toBe(0);
    expect(second.state).toEqual((await start({ schema, cached: false })).state);
    expect(second.state.diagnostics.some(({ code }) => code === 'field/invalid')).toBe(true);
  });

  it('reports field problems and reference problems of a file in the same run', async () => {
    const schema = defineSchema({
      article: { rating: z.string(), related: reference('article') },
    });
    write('article/a.md', '---\ntitle: First\nrating: [1]\nrelated: article/nowhere\n---\n');
    const first = await start({ schema });
    const second = await start({ schema });
    const codes = second.state.diagnostics
      .filter(({ key }) => key === 'article/a.md')
      .map(({ code }) => code);
    expect(codes).toEqual(expect.arrayContaining(['field/invalid', 'reference/dangling']));
    expect(second.state.diagnostics).toEqual(first.state.diagnostics);
    expect([second.parsed, second.read]).toEqual([0, 0]);
  });

  it('includes files that were read under a schema that has changed since', async () => {
    const deps = { driver: createFsDriver(content), options: OPTIONS };
    const cache = createFileCache<ParsedFile>({
      path: cachePath,
      folder: content,
      version: '1.0.0',
      log: { warn: (message) => warnings.push(message) },
    });
    const collector = createCollector({ ...deps, cache });
    await collector.load();
    await collector.save();
    write('article/a.md', '---\ntitle: Changed\n---\n');
    await collector.useSchema(defineSchema({ tag: { weight: z.int() } }));
    await collector.save();
    const next = await start();
    expect([next.parsed, next.read]).toEqual([0, 0]);
    expect(next.state.entities.find(({ id }) => id === 'a')?.values.title).toBe('Changed');
  });

  it('compares the bytes of every file if the content folder has moved', async () => {
    await start();
    const moved = path.join(root, 'moved');
    renameSync(content, moved);
    content = moved;
    const second = await start();
    expect([second.parsed, second.read]).toEqual([0, 4]);
    expect((await start()).read).toBe(0);
  });
});

describe('bodies', () => {
  /** Loads the content and writes the cache, as a new process does. */
  async function opened() {
    const log = { warn: (message: string) => warnings.push(message) };
    const cache = createFileCache<ParsedFile>({ path: cachePath, folder: content, version: '1.0.0', log });
    const collector = createCollector({ driver: createFsDriver(content), options: OPTIONS, cache });
    const { entities } = await collector.load();
    const inMemory = findBody(entities, 'a').file.source;
    await collector.save();
    return { collector, entities, inMemory };
  }

  function findBody(entities: readonly Entity[], id: string): Body {
    const body = entities.find((entity) => entity.id === id)?.body;
    if (!body) throw new Error(`The entity ${id} has no body.`);
    return body;
  }

  const ends: readonly (readonly [string, () => void])[] = [
    ['its file is changed', () => write('article/a.md', 'Another text')],
    ['its file is removed', () => rmSync(path.join(content, 'article/a.md'))],
    ['the cache is removed', () => rmSync(path.dirname(cachePath), { recursive: true })],
    ['the cache is replaced by another file', () => replace('x'.repeat(4000))],
  ];

  function replace(text: string): void {
    writeFileSync(`${cachePath}.new`, text);
    renameSync(`${cachePath}.new`, cachePath);
  }

  describe.each(['first', 'second'])('after the %s start', (which) => {
    it.each(ends)('keep the text of their entity although %s', async (_what, spoil) => {
      if (which === 'second') await start();
      const { entities } = await opened();
      const body = findBody(entities, 'a');
      spoil();
      expect([bodyText(body), bodyLength(body)]).toEqual(['Body of a', 9]);
      expect(bodyText(findBody(entities, 'no-title'))).toBe('# A heading\n\nText');
    });
  });

  it('are released from memory when the cache is written', async () => {
    const { entities, inMemory } = await opened();
    const places = entities.flatMap(({ body }) => (body === null ? [] : [body.file.source]));
    expect(new Set(places).size).toBe(1);
    expect(places[0]).not.toBe(inMemory);
  });

  it('are updated after a change', async () => {
    const { collector } = await opened();
    write('article/a.md', '---\ntitle: First\nrating: 007\nrelated: article/b\n---\nNew body');
    const { put } = await collector.apply(['article/a.md']);
    expect(bodyText(findBody(put, 'a'))).toBe('New body');
  });

  it('stay in memory if the cache cannot be written', async () => {
    writeFileSync(path.join(root, 'kept'), 'a file in place of the folder');
    const { entities, inMemory } = await opened();
    expect(findBody(entities, 'a').file.source).toBe(inMemory);
    expect(bodyText(findBody(entities, 'a'))).toBe('Body of a');
  });

  it('are not needed to locate a problem', async () => {
    write('article/c.md', '---\ntitle: Third\nid: a\n---\n');
    await opened();
    const { collector } = await opened();
    expect(collector.diagnostics()).toContainEqual(
      expect.objectContaining({ code: 'id/duplicate', key: 'article/c.md', line: 3, column: 5 }),
    );
  });
});

describe('an unusable cache', () => {
  it.each<[string, () => void, RegExp]>([
    ['is another kind of file', () => writeFileSync(cachePath, 'x'.repeat(500)), /not a cache file/],
    ['is empty', () => writeFileSync(cachePath, ''), /incomplete/],
    ['is truncated', () => truncateSync(cachePath, 400), /incomplete/],
    ['has grown', () => appendFileSync(cachePath, 'more'), /incomplete/],
    [
      'contains a wrong byte',
      () => {
        const bytes = readFileSync(cachePath);
        bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
        writeFileSync(cachePath, bytes);
      },
      /checksum/,
    ],
    [
      'is a folder',
      () => {
        rmSync(cachePath);
        mkdirSync(cachePath);
      },
      /cannot be read|EISDIR/,
    ],
  ])('is ignored with one warning if it %s', async (_what, spoil, reason) => {
    const first = await start();
    spoil();
    const second = await start();
    expect(second.parsed).toBe(4);
    expect(second.state).toEqual(first.state);
    expect(warnings.filter((line) => line.includes('is ignored'))).toEqual([expect.stringMatching(reason)]);
  });

  it('from another version is replaced without a warning', async () => {
    await start({ version: '1.0.0' });
    expect((await start({ version: '1.0.1' })).parsed).toBe(4);
    expect(warnings).toEqual([]);
    expect((await start({ version: '1.0.1' })).parsed).toBe(0);
  });

  it('does not stop the start if it cannot be written', async () => {
    writeFileSync(path.join(root, 'kept'), 'a file in place of the folder');
    expect((await start()).state.entities).toHaveLength(4);
    expect(warnings).toEqual([expect.stringContaining('cannot be written')]);
  });
});

describe('several processes', () => {
  it('leave one complete cache and no other file', async () => {
    await Promise.all([start(), start(), start()]);
    expect(readdirSync(path.dirname(cachePath))).toEqual(['content.cache']);
    expect((await start()).read).toBe(0);
    expect(warnings).toEqual([]);
  });
});

describe('rendered HTML', () => {
  function html(settings = 'settings', maxBytes?: number) {
    return createHtmlCache({
      path: cachePath,
      settings,
      log: { warn: (message) => warnings.push(message) },
      ...(maxBytes !== undefined && { maxBytes }),
    });
  }

  it('is reused by the next start with the same settings only', async () => {
    const first = html();
    first.set('a 1', '<p>Ähre</p>');
    first.set('b 1', '');
    await first.save();
    const second = html();
    expect([await second.get('a 1'), await second.get('b 1'), await second.get('a 2')]).toEqual([
      '<p>Ähre</p>',
      '',
      undefined,
    ]);
    expect(await html('others').get('a 1')).toBeUndefined();
    expect(warnings).toEqual([]);
  });

  it('is dropped if it was used least recently and the cache is full', async () => {
    const first = html('settings', 20);
    first.set('old', 'x'.repeat(8));
    first.set('used', 'y'.repeat(8));
    await first.save();
    const second = html('settings', 20);
    expect(await second.get('used')).toBe('y'.repeat(8));
    second.set('new', 'z'.repeat(8));
    await second.save();
    const third = html('settings', 20);
    expect([await third.get('old'), await third.get('used'), await third.get('new')]).toEqual([
      undefined,
      'y'.repeat(8),
      'z'.repeat(8),
    ]);
  });
});

describe('commit dates', () => {
  const log = {
    head: 'a1b2',
    prefix: 'content/',
    dates: new Map([
      ['article/ä b.md', { created: 1_700_000_000, changed: 1_710_000_000 }],
      ['article/c.md', { created: 1, changed: 2 }],
    ]),
  };

  function dates(version = '1.0.0') {
    return createHistoryCache({
      path: cachePath,
      version,
      log: { warn: (message) => warnings.push(message) },
    });
  }

  it('are restored as stored, even without an entry', async () => {
    expect(await dates().read()).toBeUndefined();
    await dates().write(log);
    expect(await dates().read()).toEqual(log);
    await dates().write({ ...log, dates: new Map() });
    expect(await dates().read()).toEqual({ ...log, dates: new Map() });
    expect(warnings).toEqual([]);
  });

  it('are ignored with a warning if they are damaged, and without one if they are from another version', async () => {
    await dates().write(log);
    expect(await dates('2.0.0').read()).toBeUndefined();
    truncateSync(cachePath, readFileSync(cachePath).length - 1);
    expect(await dates().read()).toBeUndefined();
    expect(warnings).toEqual([expect.stringContaining('it is incomplete')]);
  });

  it('cause only a warning if they cannot be written', async () => {
    writeFileSync(path.join(root, 'kept'), 'a file in place of the folder');
    await dates().write(log);
    expect(warnings).toEqual([expect.stringContaining('cannot be written')]);
  });
});

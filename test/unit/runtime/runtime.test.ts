import { afterEach, describe, expect, it, vi } from 'vitest';
import { createRuntime } from '../../../integration/core/runtime/open-site.ts';
import type { Runtime } from '../../../integration/core/runtime/runtime.ts';
import type { ContentSource, Site } from '../../../integration/core/runtime/site.ts';
import { reportContent } from '../../../integration/core/runtime/terminal.ts';
import type { StorageDriver } from '../../../integration/core/storage/driver.ts';
import { createFsDriver } from '../../../integration/core/storage/drivers/fs.ts';
import { FEATURES } from '../../../integration/features.ts';
import { image, z } from '../../../integration/schema.ts';
import { eventually } from '../../support/eventually.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { parseOptions } from '../../support/options.ts';
import { png } from '../../support/pictures.ts';
import { TEST_SETTINGS } from '../../support/services.ts';

const FILES = {
  'article/one.md': '---\ntitle: One\nrating: 1\n---\nA *text*.\n',
  'article/two.md': '---\ntitle: Two\nrating: 2\n---\n',
  'article/secret.md': '---\ntitle: Secret\nrating: 3\ndraft: true\n---\n',
};

describe('the runtime', () => {
  const open: Runtime[] = [];
  afterEach(async () => {
    for (const runtime of open.splice(0)) await runtime.close();
  });

  async function start(driver: StorageDriver, more: Partial<ContentSource & Site> = {}) {
    const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
    const { publicFiles, schema, ...site } = more;
    const runtime = await createRuntime(
      { driver, publicFiles, schema },
      {
        features: FEATURES,
        options: parseOptions({ danglingReferences: 'missing' }),
        settings: TEST_SETTINGS,
        renderBody: async () => '<p>rendered</p>',
        log,
        ...site,
      },
    );
    open.push(runtime);
    return { runtime, log };
  }

  const titles = async ({ handle }: Runtime): Promise<readonly string[]> => {
    const response = await handle(new Request('http://localhost/jsonapi/node/article?sort=id'));
    const document: unknown = await response?.json();
    return (document as { data: { attributes: { title: string } }[] }).data.map(
      ({ attributes }) => attributes.title,
    );
  };

  it.each([
    ['has the searched bundles indexed', {}, 'searched'],
    ['with option search.preload has all bundles indexed, from the start', { preload: true }, 'all'],
  ])('after a change of many files %s', async (_what, search, types) => {
    const driver = createMemoryDriver(FILES);
    const { runtime } = await start(driver, {
      options: parseOptions({ search }),
      onChange: () => undefined,
    });
    if (runtime.fullText === null) throw new Error('There is no full text.');
    const warm = vi.spyOn(runtime.fullText, 'warm');
    if (types === 'all') await eventually(() => expect(warm).toHaveBeenCalled());
    warm.mockClear();
    await driver.write('article/new.md', new TextEncoder().encode('New words'));
    await eventually(() => expect(warm.mock.calls).toEqual([[types]]));
  });

  it('returns only published entities to requests and to build-time queries', async () => {
    const { runtime } = await start(createMemoryDriver(FILES));
    expect(await titles(runtime)).toEqual(['One', 'Two']);
    const all = await runtime.content.entities('article').sort('id').all();
    expect(all.map(({ title }) => title)).toEqual(['One', 'Two']);
    expect(await runtime.content.entities('article', { as: 'everyone' }).count()).toBe(3);
    expect(await runtime.handle(new Request('http://localhost/elsewhere'))).toBeUndefined();
  });

  it('follows changes with one log line each, and reports a problem once', async () => {
    const driver = createMemoryDriver(FILES);
    const onChange = vi.fn();
    const { runtime, log } = await start(driver, { onChange });
    await driver.write('article/two.md', bytes('---\ntitle: Second\nrating: 2\n---\n'));
    await eventually(() => expect(onChange).toHaveBeenCalledTimes(1));
    expect(await titles(runtime)).toEqual(['One', 'Second']);
    expect(log.info).toHaveBeenLastCalledWith(
      expect.stringMatching(/^content\/article\/two\.md: 1 entity updated in/),
    );

    await driver.write('article/two.md', bytes('---\ntitle: [broken\n---\n'));
    await eventually(() => expect(onChange).toHaveBeenCalledTimes(2));
    expect(await titles(runtime)).toEqual(['One', 'Second']);
    expect(log.info).toHaveBeenLastCalledWith(
      expect.stringMatching(/^content\/article\/two\.md: nothing changes until its errors are fixed in/),
    );
    expect(log.error).toHaveBeenCalledTimes(1);
    expect(log.error).toHaveBeenCalledWith(expect.stringMatching(/^content\/article\/two\.md:\d+:\d+ /));

    await driver.remove('article/one.md');
    await eventually(() => expect(onChange).toHaveBeenCalledTimes(3));
    expect(await titles(runtime)).toEqual(['Second']);
    expect(log.error).toHaveBeenCalledTimes(1);
  });

  it('logs to a logger whose methods need `this`, as those of Astro do', async () => {
    class Logger {
      readonly lines: string[] = [];
      info(): void {}
      warn(line: string): void {
        this.lines.push(line);
      }
      error(): void {}
    }
    const log = new Logger();
    const { runtime } = await start(createMemoryDriver(FILES), {
      log,
      renderBody: () => Promise.reject(new Error('no luck')),
      bodyErrors: 'text',
    });
    const response = await runtime.handle(new Request('http://localhost/jsonapi/node/article/one'));
    expect(response?.status).toBe(200);
    expect(log.lines).toEqual([
      expect.stringMatching(/^The body of article\/one\.md is shown as plain text/),
    ]);
  });

  it('detects changes in public/ from before it is watched', async () => {
    const driver = createMemoryDriver({ 'article/one.md': '---\ncover: /quay.png\n---\n' });
    const publicFiles = createMemoryDriver({ 'quay.png': png(3, 2) });
    const idle = Promise.withResolvers<void>();
    const schema = { article: { cover: image() } };
    const onChange = vi.fn();
    const { runtime } = await start(driver, { publicFiles, schema, onChange, idle: () => idle.promise });
    await publicFiles.write('quay.png', png(30, 20));
    idle.resolve();
    await eventually(() =>
      expect(runtime.services.store.get('node--article', 'one')?.values.cover).toMatchObject({ width: 30 }),
    );
  });

  it('updates commit dates, and logs nothing if they change nothing', async () => {
    const memory = createMemoryDriver(FILES);
    let history = new Map([['article/one.md', { created: 86_400, changed: 86_400 }]]);
    const announce = vi.fn<(keys: readonly string[]) => void>();
    const watch = vi.fn(async (onChange: (keys: readonly string[]) => void) => {
      announce.mockImplementation(onChange);
      return async () => undefined;
    });
    const driver: StorageDriver = { ...memory, history: async () => history, watch };
    const onChange = vi.fn();
    const { runtime, log } = await start(driver, { onChange });
    await eventually(() => expect(watch).toHaveBeenCalled());
    announce([]);
    history = new Map([['article/one.md', { created: 86_400, changed: 172_800 }]]);
    announce([]);
    await eventually(() => expect(onChange).toHaveBeenCalled());
    const one = await runtime.content.entities('article').where('id', '=', 'one').first();
    expect(one?.changed).toBe('1970-01-03T00:00:00+00:00');
    expect(log.info.mock.calls).toEqual([
      [expect.stringMatching(/^Commits of content\/: 1 entity updated in /)],
    ]);
  });

  it('does not miss commits from before it watches', async () => {
    let history = new Map([['article/one.md', { created: 86_400, changed: 86_400 }]]);
    const driver: StorageDriver = { ...createMemoryDriver(FILES), history: async () => history };
    const onChange = vi.fn();
    const { runtime } = await start(driver, { onChange });
    history = new Map([['article/one.md', { created: 86_400, changed: 172_800 }]]);
    await eventually(() => expect(onChange).toHaveBeenCalled());
    const one = await runtime.content.entities('article').where('id', '=', 'one').first();
    expect(one?.changed).toBe('1970-01-03T00:00:00+00:00');
  });

  it('does not miss changes during its start', async () => {
    const driver = createMemoryDriver(FILES);
    const slow: StorageDriver = {
      ...driver,
      async watch(onChange) {
        await driver.write('article/two.md', bytes('---\ntitle: Late\nrating: 2\n---\n'));
        await driver.remove('article/one.md');
        return driver.watch?.(onChange) ?? (async () => undefined);
      },
    };
    const onChange = vi.fn();
    const { runtime } = await start(slow, { onChange });
    await eventually(() => expect(onChange).toHaveBeenCalled());
    expect(await titles(runtime)).toEqual(['Late']);
  });

  it('logs why it cannot follow changes, and still answers', async () => {
    const blind: StorageDriver = {
      ...createMemoryDriver(FILES),
      watch: () => Promise.reject(new Error('too many files')),
    };
    const { runtime, log } = await start(blind, { onChange: vi.fn() });
    await eventually(() =>
      expect(log.error).toHaveBeenCalledWith('Changes in content/ cannot be watched: too many files'),
    );
    expect(await titles(runtime)).toEqual(['One', 'Two']);
  });

  it('ignores git dates if the option is off', async () => {
    const history = { 'article/one.md': { created: 86_400, changed: 86_400 } };
    const year = async (gitDates: boolean) => {
      const { runtime } = await start(createMemoryDriver(FILES, history), {
        options: parseOptions({ gitDates }),
      });
      return (await runtime.content.entities('article').where('id', '=', 'one').first())?.created;
    };
    expect(await year(true)).toBe('1970-01-02T00:00:00+00:00');
    expect(await year(false)).toBe('2024-01-01T00:00:00+00:00');
  });

  it('reports inferred types, warnings and errors at their log levels', async () => {
    const files = { ...FILES, 'article/bad.md': '---\ntitle: [\n---\n' };
    const { runtime, log } = await start(createMemoryDriver(files));
    await reportContent(runtime, parseOptions({}), log);
    expect(log.info).toHaveBeenCalledWith(expect.stringContaining('rating integer'));
    expect(log.error).toHaveBeenCalledWith(expect.stringContaining('content/article/bad.md:'));
  });

  it('reports a storage warning once', async () => {
    const driver = { ...createMemoryDriver(FILES), warnings: () => ['The repository is shallow.'] };
    const { runtime, log } = await start(driver);
    await reportContent(runtime, parseOptions({}), log);
    expect(
      log.warn.mock.calls
        .flat()
        .join('\n')
        .match(/shallow/g),
    ).toHaveLength(1);
  });

  it('says that a folder is without content', async () => {
    const { runtime, log } = await start(createMemoryDriver({}));
    await reportContent(runtime, parseOptions({}), log);
    expect(log.warn.mock.calls).toEqual([['The content folder content has no files that are content.']]);
  });

  it('says once that the content folder does not exist', async () => {
    const { runtime, log } = await start(createFsDriver('/nowhere/content'));
    await reportContent(runtime, parseOptions({}), log);
    expect(log.warn.mock.calls).toEqual([[expect.stringMatching(/There is no folder content\//)]]);
  });

  it('warns about options for missing bundles', async () => {
    const options = parseOptions({
      bundles: { artcle: { plural: 'pieces' }, 'node--article': { publishedStatuses: ['done'] } },
    });
    const { runtime, log } = await start(createMemoryDriver(FILES), { options });
    await reportContent(runtime, options, log);
    expect(log.warn.mock.calls).toEqual([
      ['Option bundles.artcle: the content has no such bundle. Did you mean bundles.article?'],
    ]);
  });

  it('warns about search indexes that do not fit the content', async () => {
    const options = parseOptions({
      indexes: { magazine: { bundles: ['article'], search: ['titel'], facets: { ratin: {} } } },
    });
    const { runtime, log } = await start(createMemoryDriver(FILES), { options });
    await reportContent(runtime, options, log);
    expect(log.warn.mock.calls.flat()).toEqual([
      expect.stringMatching(
        /^Option indexes\.magazine\.search: .* Did you mean "title"\? Valid: title, body/,
      ),
      expect.stringMatching(
        /^Option indexes\.magazine\.facets\.ratin: .* Did you mean "rating"\? Valid: id, title/,
      ),
    ]);
  });

  it('warns about alias tokens that no entity of the bundle has', async () => {
    const options = parseOptions({ bundles: { article: { alias: '/[created:Y]/[nope]/[title:Y]/[id]' } } });
    const { runtime, log } = await start(createMemoryDriver(FILES), { options });
    await reportContent(runtime, options, log);
    expect(log.warn.mock.calls.flat().map((line) => String(line).replace(/ Fields:.*/, ''))).toEqual([
      'Option bundles.article.alias: [nope] is not a single field of node--article, so no alias is made.',
      'Option bundles.article.alias: [title:Y] is not a single field of node--article, so no alias is made.',
    ]);
  });

  it.each([
    [[], 'It needs an object of bundles by name'],
    ['text', 'It needs an object of bundles by name'],
    [{ article: 3 }, '`article` needs an object of zod types by field name'],
    [{ article: [] }, '`article` needs an object of zod types by field name'],
    [{ article: { title: 'text' } }, '`article.title` is not a zod type'],
    [
      { article: { fields: { title: z.string() } } },
      '`article.fields` is not a zod type. A bundle is the record',
    ],
    [
      { article: { schema: z.object({}) } },
      '`article` is a content collection, not a bundle. Write the object',
    ],
    [{ article: { loader: {}, schema: () => z.object({}) } }, '`article` is a content collection'],
    [{ article: z.string() }, '`article` needs z.object({ … }), not z.string()'],
    [{ article: z.object({}).transform(() => 1) }, '`article` needs z.object({ … }), not z.pipe()'],
    [{ article: { title: { _def: {}, parse() {} } } }, '`article.title` is a type of zod 3. Import z from'],
  ])('rejects %j as a schema and names the position', async (schema, problem) => {
    await expect(start(createMemoryDriver(FILES), { schema })).rejects.toThrow(
      `The default export of content/schema is not a schema. ${problem}`,
    );
  });
});

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

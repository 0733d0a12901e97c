import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { createFetch } from '../../integration/client.ts';
import { serveFeatures } from '../../integration/core/api/features.ts';
import { publishedServices } from '../../integration/core/api/published.ts';
import { createEntities } from '../../integration/core/builder/create-builder.ts';
import { createLazyRunner } from '../../integration/core/builder/lazy-runner.ts';
import { createTimeSlices } from '../../integration/core/engine/time-slices.ts';
import { createResponseLimiter } from '../../integration/core/read/response-limiter.ts';
import { CORE_HANDLERS } from '../../integration/core/server/handlers.ts';
import { digestText } from '../../integration/core/util/revision.ts';
import { READING_FEATURES } from '../../integration/features/reading.ts';
import { createSnapshotFiles } from '../../integration/features/static/files.ts';
import { type Manifest, writeManifest } from '../../integration/features/static/format.ts';
import { createSnapshotHandler } from '../../integration/features/static/handler.ts';
import { openSnapshot } from '../../integration/features/static/open.ts';
import { createSnapshotServices } from '../../integration/features/static/services.ts';
import { defineSchema, reference, z } from '../../integration/schema.ts';
import { loadRecordedContent, readCases } from '../conformance/load.ts';
import { createFileSite, FILE_PATHS, NAMED_OWNERS } from '../support/file-site.ts';
import { createHandler } from '../support/handler.ts';
import { createMemoryDriver } from '../support/memory-driver.ts';
import { ORIGIN } from '../support/request.ts';
import { createServices } from '../support/services.ts';
import { compareAnswers } from './compare.ts';
import { bundledSite, createTestSnapshot } from './snapshot.ts';

const ARTICLES = defineSchema({ article: { title: z.string(), tags: z.array(z.string()).optional() } });

test.each([
  ['a snapshot', async () => ({})],
  ['the bundle for browsers', bundledSite],
])('%s answers every recorded request with the bytes of a server', async (_, options) => {
  const paths = [...new Set(readCases().map(({ path }) => path))];
  const { answered, differences } = await compareAnswers(
    await loadRecordedContent(),
    paths.map((target) => ({ target })),
    await options(),
  );
  expect(answered).toBeGreaterThan(600);
  expect(differences).toEqual([]);
});

test.each([
  ['a snapshot', async () => ({})],
  ['the bundle for browsers', bundledSite],
])('%s answers requests about files with the bytes of a server', async (_, options) => {
  const requests = FILE_PATHS.map((target) => ({ target }));
  for (const roles of [{}, NAMED_OWNERS]) {
    const services = await createFileSite(roles);
    const { answered, differences } = await compareAnswers(services, requests, await options());
    expect([answered, differences]).toEqual([FILE_PATHS.length, []]);
  }
});

test('the bundle for browsers explains wrong queries of a builder', async () => {
  const { files } = await createTestSnapshot(await createServices(createMemoryDriver(SITE), ARTICLES));
  const { openSite } = await bundledSite();
  const site = openSite(async (name) => files.get(name));
  const runner = createLazyRunner(
    (run) => site.query(run),
    () => '',
  );
  const entities = createEntities(runner, []);
  expect(await entities('article').where('title', '=', 'Two').count()).toBe(1);
  await expect(entities('article').where('titel', '=', 'Two').all()).rejects.toThrow(
    `entities('article').where('titel', '=', 'Two'): node--article has no field "titel". Did you mean "title"?`,
  );
  await expect(entities('articel').all()).rejects.toThrow(
    `entities('articel'): unknown bundle "articel". Did you mean "article"?`,
  );
});

/** A text that is too long for the manifest. */
function longText(words: number): string {
  return Array.from({ length: words }, (_, at) => digestText(String(at))).join(' ');
}

const SITE = {
  'article/a.md': '---\ntitle: One\n---\n',
  'article/b.md': `---\ntitle: Two\n---\n${longText(1000)}`,
  'article/draft.md': '---\ntitle: Secret plans\nstatus: false\ntags: [hush]\n---\nWhispers\n',
};

test('an unpublished entity changes no byte of a snapshot', async () => {
  const { 'article/draft.md': draft, ...published } = SITE;
  const [one, other] = await Promise.all(
    [
      {
        ...SITE,
        'article/draft.md': draft.replace('Secret plans', 'Another title').replace('hush', 'quiet'),
      },
      SITE,
    ].map(async (files) => createTestSnapshot(await createServices(createMemoryDriver(files), ARTICLES))),
  );
  const without = await createTestSnapshot(await createServices(createMemoryDriver(published), ARTICLES));
  for (const { files } of [one!, other!]) expect([...files]).toEqual([...without.files]);
});

test('without a network, a snapshot answers from the files that it has, and with a 503 otherwise', async () => {
  const { files } = await createTestSnapshot(await createServices(createMemoryDriver(SITE), ARTICLES));
  let isOnline = true;
  let time = 0;
  const handle = createSnapshotHandler(
    openSnapshot(
      async (name) => {
        if (!isOnline) throw new TypeError('fetch failed');
        return files.get(name);
      },
      () => time,
    ),
    READING_FEATURES,
  );
  const status = async (path: string) => (await handle(new Request(ORIGIN + path)))?.status;
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  isOnline = false;
  expect(await status('/jsonapi/node/article')).toBe(503);
  isOnline = true;
  expect(await status('/jsonapi/node/article')).toBe(200);
  isOnline = false;
  time = 60_000;
  expect(await status('/jsonapi/node/article?sort=title')).toBe(200);
});

test('a snapshot that is replaced answers from the new files after a minute, or when an old file is missing', async () => {
  const before = await createTestSnapshot(await createServices(createMemoryDriver(SITE), ARTICLES));
  const after = await createTestSnapshot(
    await createServices(
      createMemoryDriver({ ...SITE, 'article/a.md': '---\ntitle: New\n---\nShort.\n' }),
      ARTICLES,
    ),
  );
  let files = before.files;
  let time = 0;
  const handle = createSnapshotHandler(
    openSnapshot(
      async (name) => files.get(name),
      () => time,
    ),
    READING_FEATURES,
  );
  const first = async () => {
    const response = await handle(new Request(`${ORIGIN}/api/content/articles/a`));
    return ((await response!.json()) as { data: { title: string } }).data.title;
  };
  expect(await first()).toBe('One');
  files = after.files;
  expect(await first()).toBe('One');
  time = 60_000;
  expect(await first()).toBe('New');
  const other = createSnapshotHandler(
    openSnapshot(async (name) => (name === 'manifest.json' ? before : after).files.get(name)),
    READING_FEATURES,
  );
  expect((await other(new Request(`${ORIGIN}/jsonapi/node/article`)))?.status).toBe(503);
});

test('a page in place of the manifest and a damaged manifest are a 503', async () => {
  const { files } = await createTestSnapshot(await createServices(createMemoryDriver(SITE), ARTICLES));
  const manifest = new TextDecoder().decode(files.get('manifest.json'));
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  for (const text of ['<!doctype html><title>Home</title>', manifest.slice(0, -9), '', '{}']) {
    const snapshot = openSnapshot(async (name) =>
      name === 'manifest.json' ? new TextEncoder().encode(text) : files.get(name),
    );
    const response = await createSnapshotHandler(
      snapshot,
      READING_FEATURES,
    )(new Request(`${ORIGIN}/jsonapi/node/article`));
    expect(response?.status).toBe(503);
    expect(await snapshot.exists().catch(() => true)).toBe(!text.startsWith('<'));
  }
});

test('a snapshot explains a search that is its first query', async () => {
  const { files } = await createTestSnapshot(await createServices(createMemoryDriver(SITE), ARTICLES));
  const plan = await openSnapshot(async (name) => files.get(name)).use(async ({ engine, store }) => {
    const filter = { kind: 'group', conjunction: 'AND', members: [{ kind: 'search', text: 'one' }] } as const;
    const query = { filter, sort: [], page: { offset: 0, limit: 1 } };
    const access = { visibility: () => null, fieldVisible: () => true };
    return (await engine.explain(store.types.get('node--article')!, query, access)).plan;
  });
  expect(plan).toContain('search "one"');
});

test('a snapshot tests the presence of JSON values like a server', async () => {
  const services = await createServices(
    createMemoryDriver({
      'article/a.md': '---\ntitle: One\ncover: tides.svg text\nparts: [[1], [2]]\n---\n',
      'article/b.md': '---\ntitle: Two\ncover: { src: waves, alt: Waves }\n---\n',
      'article/c.md': '---\ntitle: Three\n---\n',
    }),
  );
  const targets = ['cover', 'cover.alt', 'parts'].flatMap((path) =>
    ['IS NULL', 'IS NOT NULL'].map((operator) => ({
      target: `/jsonapi/node/article?filter[a][condition][path]=${path}&filter[a][condition][operator]=${operator}`,
    })),
  );
  const { answered, differences } = await compareAnswers(services, targets);
  expect(answered).toBe(targets.length);
  expect(differences).toEqual([]);
});

test('a snapshot has no ids of resources that are not in the API', async () => {
  const services = await createServices(
    createMemoryDriver({
      'article/a.md': '---\ntitle: One\nsource: inner\nsources: [inner, other]\n---\n',
      'note/inner.md': '---\ntitle: Note\n---\n',
      'note/other.md': '---\ntitle: Note\n---\n',
    }),
    defineSchema({
      article: { title: z.string(), source: reference('note'), sources: z.array(reference('note')) },
      note: { title: z.string() },
    }),
    { settings: { hiddenTypes: ['note'] } },
  );
  const { files } = await createTestSnapshot(publishedServices(services));
  const text = [...files.values()].map((bytes) => new TextDecoder().decode(bytes)).join('\n');
  expect(text).toContain('source');
  expect(text).not.toMatch(/inner|other/);
  const targets = [
    '',
    '/a',
    '/a/relationships/sources',
    '?sort=title&include=source',
    '?filter[source.id]=inner',
    '?filter[source.title]=Note',
    '?facetBy=sources',
  ];
  const { answered, differences } = await compareAnswers(
    services,
    targets.map((rest) => ({ target: `/jsonapi/node/article${rest}` })),
  );
  expect(answered).toBe(targets.length);
  expect(differences).toEqual([]);
});

test('a manifest and the texts of errors name no bundle that is not in the API, and no field that is hidden', async () => {
  const services = await createServices(
    createMemoryDriver({
      'article/a.md': '---\ntitle: One\nnotes: plain\npayroll: high\n---\n',
      'note/inner.md': '---\ntitle: Note\n---\n',
    }),
    undefined,
    {
      settings: {
        hiddenTypes: ['note'],
        plurals: { note: 'canaries', article: 'texts' },
        indexes: {
          texts: {
            bundles: ['article', 'note'],
            search: ['title', 'payroll'],
            facets: { payroll: {}, notes: {} },
          },
          canary: { bundles: ['note'], facets: {} },
        },
      },
      roles: {
        anonymous: {
          permissions: [
            { actions: ['view'], bundles: ['article'], fields: { view: { except: ['payroll'] } } },
          ],
        },
      },
    },
  );
  const { files } = await createTestSnapshot(publishedServices(services));
  const text = new TextDecoder().decode(files.get('manifest.json'));
  expect(text).toContain('"plurals":{"article":"texts"}');
  expect(text).toContain('"bundles":["article"]');
  expect(text).not.toMatch(/canar|payroll|"note"|node--note/);
  const response = await createHandler(services)(new Request(`${ORIGIN}/jsonapi/index/nope`));
  expect(await response!.text()).not.toContain('canary');
  const targets = ['/jsonapi/index/texts', '/jsonapi/index/canary', '/jsonapi/index/nope', '/api/content'];
  const { answered, differences } = await compareAnswers(
    services,
    [...targets, '/jsonapi/index/texts?filter[fulltext]=high'].map((target) => ({ target })),
  );
  expect(answered).toBe(5);
  expect(differences).toEqual([]);
});

test('a snapshot lists the bundles of which anonymous visitors may see entities, as a server does', async () => {
  const services = await createServices(
    createMemoryDriver({
      'article/a.md': '---\ntitle: One\n---\n',
      'internal/b.md': '---\ntitle: Two\n---\n',
    }),
    undefined,
    { roles: { anonymous: { permissions: [{ actions: ['view'], bundles: ['article'] }] } } },
  );
  const targets = [
    '/api/content',
    '/api/content/internals',
    '/api/content/nope',
    '/jsonapi',
    '/jsonapi/node/internal',
  ];
  const { answered, differences } = await compareAnswers(
    services,
    targets.map((target) => ({ target })),
  );
  expect(answered).toBe(targets.length);
  expect(differences).toEqual([]);
});

test('a manifest with a changed bit, and JSON that is not a manifest, is a 503', async () => {
  const { files } = await createTestSnapshot(await createServices(createMemoryDriver(SITE), ARTICLES));
  const intact = files.get('manifest.json')!;
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const statusOf = async (manifest: Uint8Array) => {
    const read = async (name: string) => (name === 'manifest.json' ? manifest : files.get(name));
    const handle = createSnapshotHandler(openSnapshot(read), READING_FEATURES);
    return (await handle(new Request(`${ORIGIN}/jsonapi/node/article?sort=title`)))?.status;
  };
  expect(await statusOf(intact)).toBe(200);
  for (const text of ['null', '1', '{}', '[]', '"a"', '', '{"format":5}', '{"format":6}'])
    expect([text, await statusOf(new TextEncoder().encode(text))]).toEqual([text, 503]);
  await fc.assert(
    fc.asyncProperty(fc.nat(intact.length * 8 - 1), async (bit) => {
      const damaged = intact.slice();
      damaged[bit >> 3]! ^= 1 << (bit & 7);
      expect(await statusOf(damaged)).toBe(503);
    }),
    { numRuns: 300 },
  );
});

test('files of a snapshot have safe names, whatever authors call a property', async () => {
  const properties = ['../../../../outside', 'a?b#c', 'x'.repeat(300)];
  const lines = properties.map((name, index) => `  ${JSON.stringify(name)}: word ${index}\n`);
  const services = await createServices(
    createMemoryDriver({
      'article/a.md': `---\ntitle: One\nmeta:\n${lines.join('')}---\n${longText(2000)}`,
    }),
  );
  const { files } = await createTestSnapshot(services);
  const manifest: Manifest = JSON.parse(new TextDecoder().decode(files.get('manifest.json')));
  const names = [...files.keys(), ...Object.keys(manifest.packed)];
  expect(names.some((name) => name.includes('outside'))).toBe(true);
  for (const name of names) expect(name).toMatch(/^(?:[\w-]+\/)?[\w.-]{1,130}$/);
});

test('a field without values may have the name of a property of every object', async () => {
  const services = await createServices(
    createMemoryDriver({ 'race/a.md': '---\ntitle: One\n---\n' }),
    defineSchema({ race: { title: z.string(), constructor: z.string().optional() } }),
  );
  const { answered, differences } = await compareAnswers(services, [
    { target: '/jsonapi/node/race?filter[constructor]=x' },
    { target: '/jsonapi/node/race?sort=constructor' },
  ]);
  expect(answered).toBe(2);
  expect(differences).toEqual([]);
});

test('a handler that has read more than its memory may hold starts again, with the same answers', async () => {
  const { files } = await createTestSnapshot(await createServices(createMemoryDriver(SITE), ARTICLES));
  const reads: string[] = [];
  const read = async (name: string) => {
    reads.push(name);
    return files.get(name);
  };
  const [bounded, unbounded] = [1, 1e9].map((size) =>
    createSnapshotHandler(
      openSnapshot(read, () => 0, size),
      READING_FEATURES,
    ),
  );
  for (const query of ['?sort=title', '?filter[title]=Two', '?sort=-title']) {
    const request = () => new Request(`${ORIGIN}/jsonapi/node/article${query}`);
    expect(await (await bounded!(request()))!.text()).toBe(await (await unbounded!(request()))!.text());
  }
  expect(reads.filter((name) => name === 'manifest.json')).toHaveLength(4);
});

test('the queries of a snapshot on a server run in the time slices of its requests', async () => {
  const { files } = await createTestSnapshot(await createServices(createMemoryDriver(SITE), ARTICLES));
  const manifest: Manifest = JSON.parse(new TextDecoder().decode(files.get('manifest.json')));
  const slices = createTimeSlices(setImmediate);
  const begin = vi.spyOn(slices, 'begin');
  const loaded = createSnapshotFiles(async (name) => files.get(name), manifest.packed);
  const responseLimiter = createResponseLimiter(slices);
  const serve = createHandler({
    ...createSnapshotServices(manifest, loaded, slices),
    features: serveFeatures(READING_FEATURES, CORE_HANDLERS),
    responseLimiter,
  });
  const response = await serve(new Request(`${ORIGIN}/jsonapi/node/article?filter[title]=Two`));
  expect(await response?.json()).toMatchObject({ data: [{ id: 'b' }] });
  expect(begin).toHaveBeenCalled();
});

test('createFetch rejects like fetch as soon as a request is aborted', async () => {
  const read = Promise.withResolvers<Response>();
  const send = createFetch({ base: `${ORIGIN}/jsonapi`, fetch: () => read.promise });
  const target = `${ORIGIN}/jsonapi/node/article`;
  await expect(send(target, { signal: AbortSignal.abort() })).rejects.toThrow(/abort/);
  const controller = new AbortController();
  const answer = send(new Request(target, { signal: controller.signal }));
  controller.abort(new Error('The form changed.'));
  await expect(answer).rejects.toThrow('The form changed.');
  read.resolve(new Response(null, { status: 404 }));
});

test('createFetch notices a deployment on hosts that answer requests for missing files with a 403', async () => {
  const deploy = async (title: string) => {
    const content = { 'article/a.md': `---\ntitle: ${title}\n---\n` };
    const services = await createServices(createMemoryDriver(content), ARTICLES);
    const { files } = await createTestSnapshot(publishedServices(services));
    // Without packed files, each is read from the host.
    const manifest: Manifest = JSON.parse(new TextDecoder().decode(files.get('manifest.json')));
    for (const [name, content] of Object.entries(manifest.packed)) {
      files.set(name, new TextEncoder().encode(JSON.stringify(content)));
    }
    const { digest: _, ...rest } = manifest as Manifest & { readonly digest: string };
    return files.set('manifest.json', writeManifest({ ...rest, packed: {} }));
  };
  let files = await deploy('Before');
  const host: typeof fetch = async (input) => {
    const name = String(input).replace(`${ORIGIN}/jsonapi/snapshot/`, '');
    const bytes = files.get(name);
    return bytes === undefined ? new Response('denied', { status: 403 }) : new Response(bytes.slice());
  };
  const send = createFetch({ base: `${ORIGIN}/jsonapi`, fetch: host });
  expect((await send(`${ORIGIN}/jsonapi`)).status).toBe(200);
  files = await deploy('After');
  const response = await send(`${ORIGIN}/jsonapi/node/article?filter[title]=After`);
  expect(await response.json()).toMatchObject({ data: [{ attributes: { title: 'After' } }] });
});

test('createFetch answers with a 503 below the prefix of a language if the manifest is damaged, and leaves pages alone', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const page = (status: number) =>
    new Response('<h1>Page</h1>', { status, headers: { 'content-type': 'text/html' } });
  const host: typeof fetch = async (input) => {
    const url = input instanceof Request ? input.url : String(input);
    if (url.endsWith('/manifest.json')) return new Response('null');
    return page(url.endsWith('/blog/jsonapi') ? 200 : 404);
  };
  const send = createFetch({ base: `${ORIGIN}/jsonapi`, fetch: host });
  const statusOf = async (path: string) => (await send(ORIGIN + path)).status;
  expect(await statusOf('/jsonapi/node/article')).toBe(503);
  expect(await statusOf('/de/jsonapi/node/article')).toBe(503);
  expect(await statusOf('/blog/jsonapi')).toBe(200);
  expect(await statusOf('/nope')).toBe(404);
});

test('responses of createFetch, and their clones, have the requested address without its fragment', async () => {
  const { files } = await createTestSnapshot(await createServices(createMemoryDriver(SITE), ARTICLES));
  const host: typeof fetch = async (input) => {
    const bytes = files.get(String(input).replace(`${ORIGIN}/jsonapi/snapshot/`, ''));
    return bytes === undefined ? new Response('', { status: 404 }) : new Response(bytes.slice());
  };
  const send = createFetch({ base: `${ORIGIN}/jsonapi`, fetch: host });
  const response = await send(`${ORIGIN}/jsonapi/node/article?sort=title#top`);
  const url = `${ORIGIN}/jsonapi/node/article?sort=title`;
  expect([response.url, response.clone().url, response.clone().clone().url]).toEqual([url, url, url]);
  expect(await response.clone().json()).toEqual(await response.json());
});

test('createFetch answers requests for ids that end in .json, if the host has no such file', async () => {
  const content = {
    'article/data.json.md': '---\ntitle: Data\n---\n',
    'article/a.md': '---\ntitle: A\n---\n',
  };
  const services = await createServices(createMemoryDriver(content), ARTICLES);
  const { files } = await createTestSnapshot(publishedServices(services));
  const serve = createHandler(services);
  for (const missing of [
    new Response('No such file', { status: 404 }),
    new Response('<html>', { headers: HTML }),
  ]) {
    const host: typeof fetch = async (input) => {
      const { pathname } = new URL(String(input));
      if (pathname === '/jsonapi/node/article/a.json') return Response.json('prebuilt');
      const bytes = files.get(pathname.replace('/jsonapi/snapshot/', ''));
      return bytes === undefined ? missing.clone() : new Response(bytes.slice());
    };
    const send = createFetch({ base: `${ORIGIN}/jsonapi`, fetch: host });
    for (const path of ['/jsonapi/node/article/data.json', '/jsonapi/node/article/none.json']) {
      const served = await serve(new Request(ORIGIN + path));
      expect(await (await send(ORIGIN + path)).text()).toBe(await served?.text());
    }
    expect(await (await send(`${ORIGIN}/jsonapi/node/article/a.json`)).json()).toBe('prebuilt');
    expect(await (await send(`${ORIGIN}/blog/jsonapi/data.json`)).text()).toBe(await missing.clone().text());
  }
});

const HTML = { 'content-type': 'text/html; charset=utf-8' };

test.each(['/', '/jsonapi?a=1', '/jsonapi#a'])(
  'createFetch names a base that is not the address of the API: %s',
  (base) => {
    const send = createFetch({ base: ORIGIN + base, fetch: async () => new Response() });
    return expect(send(`${ORIGIN}/jsonapi/node/article`)).rejects.toThrow(
      'Option base is the address of the API, such as "/jsonapi"',
    );
  },
);

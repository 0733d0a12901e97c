import { beforeEach, describe, expect, it } from 'vitest';
import { type Actor, ADMINISTRATOR } from '../../../integration/core/access/actor.ts';
import type { Entity } from '../../../integration/core/content/model.ts';
import {
  createEntityStore,
  type MutableEntityStore,
} from '../../../integration/core/engine/store/entity-store.ts';
import type { Handler } from '../../../integration/core/server/handler.ts';
import { createHandler } from '../../support/handler.ts';
import { fetchFrom } from '../../support/request.ts';
import { createReadServices, type TestSite } from '../../support/services.ts';
import { bundle, ENTITIES, entity, field, TYPES } from '../api/jsonapi/magazine.ts';

const EDITOR: Actor = { name: 'vera', roles: ['authenticated'] };
const NOTE = bundle('node--note', [field('publish_on', 'datetime'), field('unpublish_on', 'datetime')]);

let store: MutableEntityStore;
let handle: Handler;
let now: number;

function open(site: TestSite = {}, more: readonly Entity[] = []): void {
  const opened = createEntityStore({ locale: 'en' });
  opened.load([...TYPES, NOTE], [...ENTITIES, ...more]);
  store = opened;
  handle = createHandler(createReadServices(opened, { now: () => now, ...site }));
}

beforeEach(() => {
  now = Date.parse('2024-05-01T00:00:00Z');
  open();
});

async function ask(path: string, init: RequestInit = {}, actor?: Actor): Promise<Response> {
  return fetchFrom(handle, path, { ...init, ...(actor && { actor }) });
}

async function tagOf(path: string, actor?: Actor): Promise<string> {
  const { headers } = await ask(path, {}, actor);
  return headers.get('etag') ?? 'none';
}

const READ = [
  '/jsonapi',
  '/jsonapi/node/article',
  '/jsonapi/node/article?include=field_author,field_tags',
  '/jsonapi/node/article/second',
  '/jsonapi/node/article/second/field_tags',
  '/jsonapi/node/article/second/relationships/field_tags',
  '/jsonapi/node/article/resource/schema',
  '/jsonapi/openapi.json',
  '/api/content/articles',
  '/api/content/articles/second',
];

describe('ETag', () => {
  it.each(READ)(
    '%s returns 304 to a client with the current version until the content changes',
    async (path) => {
      const first = await ask(path);
      const etag = first.headers.get('etag') ?? '';
      expect(etag).toMatch(/^"[\da-f]{16}"$/);
      for (const named of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const again = await ask(path, { headers: { 'if-none-match': named } });
        expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
        expect(again.headers.get('cache-control')).toBe(first.headers.get('cache-control'));
        expect(again.headers.get('vary')).toBe(first.headers.get('vary'));
        expect(again.headers.get('content-type')).toBeNull();
      }
      const other = await ask(path, { headers: { 'if-none-match': '"0000000000000000"' } });
      expect([other.status, await other.text()]).toEqual([200, await first.text()]);
    },
  );

  it.each(READ)('%s has the same headers for HEAD', async (path) => {
    const head = await ask(path, { method: 'HEAD' });
    expect(Object.fromEntries(head.headers)).toEqual(Object.fromEntries((await ask(path)).headers));
    expect(await head.text()).toBe('');
    const etag = head.headers.get('etag') ?? '';
    expect((await ask(path, { method: 'HEAD', headers: { 'if-none-match': etag } })).status).toBe(304);
  });

  it('changes with the response and with nothing else', async () => {
    const paths = READ.filter((path) => path.includes('article'));
    const before = new Map<string, string>();
    for (const path of paths) before.set(path, await tagOf(path));
    store.put(entity('node--person', 'ada', { title: 'Ada, unrelated', field_boss: null }));
    for (const path of paths) expect(await tagOf(path), path).toBe(before.get(path));
    store.put(
      entity('node--article', 'second', { title: 'Second, mended', field_author: null, field_tags: [] }),
    );
    for (const path of paths.filter((each) => !/schema|openapi/.test(each))) {
      expect(await tagOf(path), path).not.toBe(before.get(path));
    }
  });

  it('is the same after a reverted change', async () => {
    const path = '/jsonapi/node/person?filter[title]=Bob&include=field_boss';
    const before = await tagOf(path);
    store.put(entity('node--person', 'ada', { title: 'Adam', field_boss: null }));
    expect(await tagOf(path)).not.toBe(before);
    store.put(entity('node--person', 'ada', { title: 'Ada', field_boss: null }));
    expect(await tagOf(path)).toBe(before);
  });

  it('is correct for a cached response through all kinds of changes', async () => {
    const path = '/jsonapi/node/person?filter[title][operator]=STARTS_WITH&filter[title][value]=Ad';
    for (const title of ['Ada', 'Adam', 'Eva', 'Adele']) {
      store.put(entity('node--person', 'ada', { title, field_boss: null }));
      const texts = new Set<string>();
      for (let time = 0; time < 4; time += 1) texts.add(await (await ask(path)).text());
      expect(texts.size).toBe(1);
      expect([...texts][0]).toContain(title.startsWith('Ad') ? `"title":"${title}"` : '"data":[]');
    }
  });

  it('is never that of a response that a change has outdated', async () => {
    const path = '/jsonapi/node/article/2024/first';
    const entered = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    let first = true;
    open({
      renderBody: async ({ body }) => {
        if (first) {
          first = false;
          entered.resolve();
          await held.promise;
        }
        return body === null ? '' : '<p>body</p>';
      },
    });
    const overtaken = ask(path);
    await entered.promise;
    const before = ENTITIES.find(({ id }) => id === '2024/first');
    if (before === undefined) throw new Error('The first article is missing.');
    store.put({ ...before, values: { ...before.values, title: 'Anew' } });
    await ask(path);
    held.resolve();
    await overtaken;
    for (let time = 0; time < 3; time += 1)
      expect(await (await ask(path)).text()).toContain('"title":"Anew"');
  });

  it('reveals nothing about hidden content', async () => {
    const tags = async (actor?: Actor): Promise<readonly string[]> =>
      Promise.all(READ.map((path) => tagOf(path, actor)));
    const [anonymous, all] = [await tags(), await tags(ADMINISTRATOR)];
    const [, , eve] = ENTITIES;
    if (eve === undefined) throw new Error('Eve is missing.');
    store.put({ ...eve, values: { ...eve.values, title: 'Eve, secretly' } });
    const first = ENTITIES.find(({ id }) => id === 'second');
    if (first === undefined) throw new Error('The second article is missing.');
    store.put({ ...first, values: { ...first.values, uid: 'somebody' } });
    expect(await tags()).toEqual(anonymous);
    expect(await tags(ADMINISTRATOR)).not.toEqual(all);
  });

  it('is missing from errors and from responses that are not reads', async () => {
    for (const [path, method] of [
      ['/jsonapi/node/none', 'GET'],
      ['/jsonapi/node/article', 'OPTIONS'],
      ['/jsonapi/node/article', 'PATCH'],
    ] as const) {
      expect((await ask(path, { method })).headers.get('etag'), method).toBeNull();
    }
    const failed = await ask('/jsonapi/node/none', { headers: { 'if-none-match': '*' } });
    expect([failed.status, failed.headers.get('cache-control')]).toEqual([404, 'no-store']);
  });
});

describe('meta.revision', () => {
  const revision = async (path: string, actor?: Actor): Promise<string> => {
    const { data } = await (await ask(path, {}, actor)).json();
    return [data].flat()[0].meta.revision;
  };

  it('is the ETag of the plain GET of the resource, in every response', async () => {
    const etag = await tagOf('/jsonapi/node/article/second');
    for (const path of [
      '/jsonapi/node/article/second',
      '/jsonapi/node/article/second?fields[node--article]=title',
      '/jsonapi/node/article/second?include=field_tags',
      '/jsonapi/node/article?filter[title]=second&fields[node--article]=',
    ]) {
      expect(`"${await revision(path)}"`, path).toBe(etag);
    }
    expect(`"${await revision('/jsonapi/node/article/second', ADMINISTRATOR)}"`).toBe(
      await tagOf('/jsonapi/node/article/second', ADMINISTRATOR),
    );
  });

  it('differs from the ETag of any other form of the resource', async () => {
    const forms = ['', '?fields[node--article]=title', '?include=field_tags', '?unknownName=1'];
    const tags = await Promise.all(forms.map((form) => tagOf(`/jsonapi/node/article/second${form}`)));
    expect(new Set(tags).size).toBe(forms.length);
  });

  it('depends on the visible content', async () => {
    const path = '/jsonapi/node/article/second';
    expect(await revision(path)).not.toBe(await revision(path, EDITOR));
    expect(await revision(path, EDITOR)).toBe(await revision(path, ADMINISTRATOR));
  });

  it('changes, like the resource, when the target of a reference appears or disappears', async () => {
    const path = '/jsonapi/node/article/third?fields[node--article]=field_author';
    const before = await revision(path);
    store.put(entity('node--person', 'nobody', { title: 'Nobody' }));
    expect(await revision(path)).not.toBe(before);
    const { data } = await (await ask(path)).json();
    expect(data.relationships.field_author.data.id).toBe('nobody');
    store.remove('node--person', 'nobody');
    expect(await revision(path)).toBe(before);
  });
});

it('a change of other content renders no body again', async () => {
  let rendered = 0;
  const renderBody = async () => {
    rendered += 1;
    return '';
  };
  open({ renderBody });
  for (const title of ['Ada', 'Adam', 'Ann']) {
    store.put(entity('node--person', 'ada', { title, field_boss: null }));
    expect((await ask('/jsonapi/node/article/2024%2Ffirst')).status).toBe(200);
  }
  expect(rendered).toBe(1);
});

describe('Cache-Control', () => {
  const of = async (path: string, actor?: Actor): Promise<string | null> =>
    (await ask(path, {}, actor)).headers.get('cache-control');

  it('allows caching of anonymous responses by option, with Vary', async () => {
    expect(await of('/jsonapi/node/article')).toBe('no-cache');
    open({ settings: { maxAge: 300 } });
    expect(await of('/jsonapi/node/article')).toBe('public, max-age=300');
    expect((await ask('/jsonapi/node/article')).headers.get('vary')).toBe('Accept');
  });

  it('is private for signed-in users', async () => {
    open({ settings: { maxAge: 300 } });
    expect(await of('/jsonapi/node/article', EDITOR)).toBe('private, no-cache');
  });

  it('ends at the next scheduled change, which also changes the response', async () => {
    const soon = entity('node--note', 'soon', { publish_on: '2024-05-01T00:01:40Z', unpublish_on: null });
    open({ settings: { maxAge: 300 } }, [soon]);
    const path = '/jsonapi/node/note';
    expect(await of(path)).toBe('public, max-age=100');
    now += 99_500;
    expect(await of(path)).toBe('no-cache');
    expect((await (await ask(path)).json()).data).toEqual([]);
    now += 500;
    expect(await of(path)).toBe('public, max-age=300');
    expect((await (await ask(path)).json()).data).toMatchObject([{ id: 'soon' }]);
  });

  it('does not reveal the schedule of hidden content', async () => {
    const draft = {
      ...entity('node--note', 'draft', { publish_on: '2024-05-01T00:01:40Z', unpublish_on: null }),
      published: false,
    };
    const never = entity('node--note', 'never', {
      publish_on: '2024-05-01T00:02:00Z',
      unpublish_on: '2024-05-01T00:01:00Z',
    });
    open({ settings: { maxAge: 300 } }, [draft, never]);
    expect(await of('/jsonapi/node/note')).toBe('public, max-age=300');
  });
});

describe('Server-Timing', () => {
  it('is sent in development only', async () => {
    expect((await ask('/jsonapi/node/article')).headers.get('server-timing')).toBeNull();
    open({ settings: { serverTiming: true } });
    expect((await ask('/jsonapi/node/article')).headers.get('server-timing')).toMatch(
      /^query;dur=[\d.]+, total;dur=[\d.]+$/,
    );
    await ask('/jsonapi/node/article');
    expect((await ask('/jsonapi/node/article')).headers.get('server-timing')).toBe(
      'cache;desc="answered before"',
    );
  });

  it('has the time of queries over several types', async () => {
    open({
      settings: { serverTiming: true, indexes: { all: { bundles: ['article', 'person'], facets: {} } } },
    });
    expect((await ask('/jsonapi/index/all')).headers.get('server-timing')).not.toMatch(/query;dur=0\.000,/);
  });
});

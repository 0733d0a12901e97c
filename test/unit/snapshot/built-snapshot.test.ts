import { expect, test, vi } from 'vitest';
import { ADMINISTRATOR } from '../../../integration/core/access/actor.ts';
import { routesOf } from '../../../integration/core/api/features.ts';
import { createRouteMatcher } from '../../../integration/core/api/match-route.ts';
import { createContentApi } from '../../../integration/core/builder/index.ts';
import type { FlatEntity } from '../../../integration/core/read/flatten.ts';
import type { Runtime } from '../../../integration/core/runtime/runtime.ts';
import { NO_FILES } from '../../../integration/core/storage/no-files.ts';
import { openBuiltSnapshot } from '../../../integration/features/static/built-snapshot.ts';
import { FEATURES } from '../../../integration/features.ts';
import { createTestSnapshot } from '../../snapshot/snapshot.ts';
import { createHandler } from '../../support/handler.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { ORIGIN } from '../../support/request.ts';
import { createServices, TEST_SETTINGS } from '../../support/services.ts';

const SITE = {
  'article/a.md': '---\ntitle: One\n---\n# First\n',
  'article/draft.md': '---\ntitle: Draft\nstatus: false\n---\n',
};

async function openSite(until = Number.POSITIVE_INFINITY) {
  const services = await createServices(createMemoryDriver(SITE), undefined, { settings: { maxAge: 3600 } });
  const { files } = await createTestSnapshot(services);
  const texts = [...files].map(([name, bytes]) => {
    const load = async () => ({ default: new TextDecoder().decode(bytes) });
    return [name, load] as const;
  });
  const useRouteCache = vi.fn();
  const openSources = vi.fn(async () => {
    const content = createContentApi(services);
    return { services, content, handle: createHandler(services), useRouteCache } as unknown as Runtime;
  });
  const carried = { files: new Map(texts), until };
  const runtime = await openBuiltSnapshot(
    carried,
    NO_FILES,
    { features: FEATURES, settings: TEST_SETTINGS },
    openSources,
  );
  return { ...runtime, openSources, usedCaches: useRouteCache };
}

const match = createRouteMatcher(routesOf(FEATURES), {
  base: '',
  explorer: false,
  signIn: false,
  admin: false,
  health: '/healthz',
});

function requestOf(path: string) {
  const request = new Request(ORIGIN + path);
  return [request, { target: match(request.url)! }] as const;
}

const titlesOf = (list: readonly FlatEntity[]) => list.map(({ title }) => title);

test('a built server answers anonymous visitors without reading the sources of its content', async () => {
  const { handle, content, openSources } = await openSite();
  const paths = [
    '/jsonapi',
    '/jsonapi/node/article',
    '/api/content/articles',
    '/jsonapi/node/nope',
    '/healthz',
  ];
  const statuses = [];
  for (const path of paths) statuses.push((await handle(...requestOf(path)))?.status);
  expect(statuses).toEqual([200, 200, 200, 404, 200]);
  const articles = content.entities('article');
  expect(titlesOf(await articles.all())).toEqual(['One']);
  expect(await articles.count()).toBe(1);
  expect((await articles.explain()).count).toBe(1);
  expect(articles.toUrl()).toBe('/jsonapi/node/article');
  expect((await articles.get('a'))?.body).toMatchObject({ value: '# First' });
  expect((await content.jsonapi('/node/article')).meta?.count).toBe(1);
  await expect(content.entities('article').sort('titel').all()).rejects.toThrow('titel');
  expect(openSources).not.toHaveBeenCalled();
});

test('a built server reads the sources for other actors, and for queries that the snapshot cannot answer', async () => {
  const { handle, content, openSources } = await openSite();
  const drafts = content.entities('article', { as: 'everyone' }).sort('title');
  expect(titlesOf(await drafts.all())).toEqual(['Draft', 'One']);
  expect((await content.jsonapi('/node/article', { as: ADMINISTRATOR })).meta?.count).toBe(2);
  const [request, context] = requestOf('/jsonapi/node/article');
  const response = await handle(request, { ...context, actor: ADMINISTRATOR });
  expect(await response?.json()).toMatchObject({ meta: { count: 2 } });
  openSources.mockClear();
  expect((await handle(...requestOf('/jsonapi/openapi.json')))?.status).toBe(200);
  expect(openSources).toHaveBeenCalledOnce();
  await expect(content.entities('article', { as: 'nobody' as never }).all()).rejects.toThrow('nobody');
});

test('a built server reads the sources as soon as a publication date has passed since its build', async () => {
  const { handle, content, openSources } = await openSite(Date.now());
  expect((await handle(...requestOf('/jsonapi/node/article')))?.status).toBe(200);
  expect(titlesOf(await content.entities('article').all())).toEqual(['One']);
  expect(openSources).toHaveBeenCalledTimes(2);
});

test('a built server reads the sources if publication dates must remove pages from a route cache', async () => {
  const cache = { invalidate: async () => undefined };
  const fixed = await openSite();
  fixed.useRouteCache(cache);
  expect(fixed.openSources).not.toHaveBeenCalled();
  const scheduled = await openSite(Date.now() + 100_000);
  scheduled.useRouteCache(cache);
  await vi.waitFor(() => expect(scheduled.usedCaches).toHaveBeenCalledWith(cache));
});

test('responses of a built server may be cached until the next publication date', async () => {
  const { handle } = await openSite(Date.now() + 100_000);
  const [request, context] = requestOf('/jsonapi/node/article');
  expect((await handle(request, context))?.headers.get('cache-control')).toMatch(/^public, max-age=9\d$/);
});

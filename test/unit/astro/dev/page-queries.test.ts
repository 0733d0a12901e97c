import { describe, expect, it } from 'vitest';
import {
  createPageQueries,
  MAX_PAGES,
  observedHandler,
  pageRequest,
} from '../../../../integration/astro/page-queries.ts';
import { ANONYMOUS } from '../../../../integration/core/access/actor.ts';

function trackedPages() {
  const queries = createPageQueries();
  const run = (code: string) =>
    queries.observe({ code, path: `/node/${code}`, actor: ANONYMOUS }, async () => {
      if (code === 'broken') throw new Error('There is no bundle');
      return [{ type: 'node--article', id: code }];
    });
  const render = (url: string, codes: readonly string[], from?: string) =>
    queries.track({ url, from }, async () => {
      for (const code of codes) await run(code).catch(() => undefined);
    });
  const codesOf = (url: string) => queries.of(url)?.map(({ code }) => code);
  return { queries, render, codesOf };
}

describe('the queries of a page', () => {
  it('are those of its latest request, each once', async () => {
    const { render, codesOf } = trackedPages();
    await render('/a', ['x', 'x', 'y']);
    expect(codesOf('/a')).toEqual(['x', 'y']);
    await render('/a', ['y']);
    expect(codesOf('/a')).toEqual(['y']);
    expect(codesOf('/never-rendered')).toBeUndefined();
  });

  it('include those that its scripts and islands run', async () => {
    const { render, codesOf } = trackedPages();
    await render('/page', ['x']);
    await render('/island', ['y'], '/page');
    expect(codesOf('/page')).toEqual(['x', 'y']);
    expect(codesOf('/island')).toEqual(['y']);
  });

  it('have a count, the first entities, and whether they failed', async () => {
    const { queries, render } = trackedPages();
    await render('/a', ['x', 'broken']);
    expect(queries.of('/a')).toMatchObject([
      { count: 1, failed: false, entities: [{ type: 'node--article', id: 'x' }] },
      { count: 0, failed: true, entities: [] },
    ]);
  });

  it('are stored for a limited number of pages', async () => {
    const { queries, render, codesOf } = trackedPages();
    for (let page = 0; page <= MAX_PAGES; page++) await render(`/${page}`, []);
    expect(codesOf('/0')).toBeUndefined();
    expect(codesOf('/1')).toEqual([]);
    queries.clear();
    expect(codesOf('/1')).toBeUndefined();
  });
});

describe('a request to the dev server', () => {
  const host = 'localhost:1';
  it.each([
    ['for a page', { url: '/a?b=c', headers: {} }, { url: '/a?b=c', from: undefined }],
    [
      'for a page below a base',
      { url: '/a', originalUrl: '/docs/a', headers: {} },
      { url: '/docs/a', from: undefined },
    ],
    [
      'from a page',
      { url: '/jsonapi', headers: { host, referer: 'http://localhost:1/a?b' } },
      { url: '/jsonapi', from: '/a?b' },
    ],
    [
      'from another site',
      { url: '/jsonapi', headers: { host, referer: 'http://localhost:2/a' } },
      { url: '/jsonapi', from: undefined },
    ],
    [
      'to prefetch a page',
      { url: '/b', headers: { host, referer: 'http://localhost:1/a', 'sec-purpose': 'prefetch' } },
      { url: '/b', from: undefined },
    ],
    ['for a module', { url: '/@vite/client', headers: {} }, undefined],
    ['for an image', { url: '/a.png', headers: { 'sec-fetch-dest': 'image' } }, undefined],
  ])('%s', (_, request, page) => {
    expect(pageRequest({ method: 'GET', ...request })).toEqual(page);
  });

  it('to the API is observed if a page sends it, but not if the explorer does', async () => {
    const results: unknown[] = [];
    const handle = observedHandler(
      async (request) =>
        request.headers.has('if-none-match')
          ? new Response(null, { status: 304 })
          : Response.json({ data: { title: 'First' } }),
      async (_, run) => {
        const result = await run();
        results.push(result);
        return result;
      },
    );
    const get = (headers: Record<string, string>) =>
      handle(new Request('http://localhost/jsonapi/node/article/first', { headers }));
    const referer = 'http://localhost/a';
    expect((await get({ referer }))?.status).toBe(200);
    expect((await get({ referer, 'if-none-match': '"x"' }))?.status).toBe(304);
    await get({});
    await get({ referer: 'http://localhost/jsonapi-explorer' });
    expect(results).toEqual([{ data: { title: 'First' } }, { data: { title: 'First' } }]);
  });

  it('with a compressed response is passed on, although its document cannot be read', async () => {
    const zipped = Uint8Array.of(0x1f, 0x8b, 8);
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    const handle = observedHandler(
      async () => new Response(zipped, { headers }),
      async (_, run) => run(),
    );
    const request = new Request('http://localhost/a.json', {
      headers: { referer: 'http://localhost/admin' },
    });
    expect(await (await handle(request))?.bytes()).toEqual(zipped);
  });
});

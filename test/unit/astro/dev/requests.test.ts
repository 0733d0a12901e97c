import { describe, expect, it } from 'vitest';
import { observedHandler } from '../../../../integration/astro/dev/browser-requests.ts';
import { pageRequest } from '../../../../integration/astro/dev/page-request.ts';
import { routeModules } from '../../../../integration/astro/dev/route-modules.ts';
import { schemaFault } from '../../../../integration/astro/dev/schema-fault.ts';

describe('requests of a dev server', () => {
  it.each([
    ['a page', { url: '/a?b=c', headers: {} }, { url: '/a?b=c', from: undefined }],
    [
      'a page below a base',
      { url: '/a', originalUrl: '/docs/a', headers: {} },
      { url: '/docs/a', from: undefined },
    ],
    [
      'what a page fetches',
      { url: '/jsonapi', headers: { host: 'localhost:1', referer: 'http://localhost:1/a?b' } },
      { url: '/jsonapi', from: '/a?b' },
    ],
    [
      'what another site fetches',
      { url: '/jsonapi', headers: { host: 'localhost:1', referer: 'http://localhost:2/a' } },
      { url: '/jsonapi', from: undefined },
    ],
    [
      'what a page fetches in advance',
      {
        url: '/b',
        headers: { host: 'localhost:1', referer: 'http://localhost:1/a', 'sec-purpose': 'prefetch' },
      },
      { url: '/b', from: undefined },
    ],
    ['a module', { url: '/@vite/client', headers: {} }, undefined],
    ['an image', { url: '/a.png', headers: { 'sec-fetch-dest': 'image' } }, undefined],
  ])('know %s', (_, request, page) => {
    expect(pageRequest({ method: 'GET', ...request })).toEqual(page);
  });

  it('keep the answer that a page has already, and know it when it changes', async () => {
    const bodies: unknown[] = [];
    let ask: (() => Promise<unknown>) | undefined;
    let title = 'First';
    const handle = observedHandler(
      async (request) =>
        request.headers.has('if-none-match')
          ? new Response(null, { status: 304 })
          : Response.json({ data: { title } }),
      async (_, asked) => {
        ask = asked;
        const answer = await asked();
        bodies.push(answer);
        return answer;
      },
    );
    const url = 'http://localhost/jsonapi/node/article/first';
    const headers = { referer: 'http://localhost/a', 'if-none-match': '"x"' };
    expect((await handle(new Request(url, { headers })))?.status).toBe(304);
    title = 'Other';
    bodies.push(await ask?.());
    expect(bodies).toEqual([{ data: { title: 'First' } }, { data: { title: 'Other' } }]);
    await handle(new Request(url));
    await handle(new Request(url, { headers: { referer: 'http://localhost/jsonapi-explorer' } }));
    expect(bodies).toHaveLength(2);
  });
});

describe('modules of a page', () => {
  const leaf = { file: '/site/src/titles.js', importedModules: new Set<never>() };
  const page = { file: '/site/src/pages/[id].astro', importedModules: new Set([leaf]) };
  const graph = { getModulesByFile: (file: string) => (file === page.file ? new Set([page]) : undefined) };
  const routes = [{ patternRegex: /^\/articles\/([^/]+?)\/?$/, entrypoint: 'src/pages/[id].astro' }];
  const uses = (url: string) => routeModules(url, { root: '/site', base: '/docs', routes, graphs: [graph] });

  it('are those that its route imports', () => {
    expect(uses('/docs/articles/a%20b?x')(leaf.file)).toBe(true);
    expect(uses('/docs/articles/a')('/site/src/other.js')).toBe(false);
  });

  it('are all where the route is not known', () => {
    expect(uses('/docs/elsewhere')('/site/src/other.js')).toBe(true);
  });
});

describe('an error of a schema', () => {
  it('lies where its message or stack says, of the files of the schema', () => {
    const cause = new Error('no luck');
    cause.stack = 'Error: no luck\n    at eval (/site/rating.ts:4:10)\n    at other (/site/vite.js:1:1)';
    const error = new Error('content/schema.ts cannot be loaded: no luck', { cause });
    error.stack = 'Error\n    at load (/site/vite.js:9:9)';
    const files = ['/site/content/schema.ts', '/site/rating.ts'];
    expect(schemaFault(error, files)).toMatchObject({
      message: 'content/schema.ts cannot be loaded: no luck',
      place: { file: '/site/rating.ts', line: 4, column: 10 },
    });
  });

  it('is told without the drawing of parsers', () => {
    const error = new Error(
      'Transform failed\n\u001b[31mUnexpected token\n   ╭─[ content/schema.ts:2:21 ]\n 2 │ a: ;\n───╯',
    );
    expect(schemaFault(error, ['/site/content/schema.ts'])).toMatchObject({
      message: 'Transform failed Unexpected token',
      place: { file: '/site/content/schema.ts', line: 2, column: 21 },
    });
  });
});

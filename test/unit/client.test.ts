import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createFetch, entities, install } from '../../integration/client.ts';
import { FORMAT, writeManifest } from '../../integration/features/static/format.ts';

beforeEach(() => vi.stubGlobal('location', { href: 'https://site.example/page/' }));
afterEach(() => vi.unstubAllGlobals());

test('requests of other addresses keep their bodies and options', async () => {
  const sent: [string, string, string][] = [];
  const send = createFetch({
    async fetch(input, init) {
      const request = new Request(input, init);
      sent.push([request.method, request.url, await request.text()]);
      return new Response(null, { status: 404 });
    },
  });
  const url = 'https://api.example/things';
  await send(new Request(url, { method: 'POST', body: 'one' }));
  await send(url, { method: 'PUT', body: 'two' });
  expect(sent).toEqual([
    ['POST', url, 'one'],
    ['PUT', url, 'two'],
  ]);
});

test('requests of this site that are not of the API do not depend on a snapshot', async () => {
  const sent: string[] = [];
  const send = createFetch({
    async fetch(input, init) {
      const request = new Request(input, init);
      sent.push(`${new URL(request.url).pathname} ${await request.text()}`);
      return new Response(null, { status: 404 });
    },
  });
  await send(new Request('https://site.example/contact', { method: 'POST', body: 'one' }));
  expect(sent).toEqual(['/contact one']);
});

test('a request of the API that a snapshot does not answer keeps its body', async () => {
  const settings = { base: '', pageSize: { default: 50, max: 50, unlimited: false } };
  const manifest = {
    form: '',
    locale: 'en',
    settings,
    documents: [],
    types: [],
    tables: {},
    packed: {},
    search: null,
  };
  const bodies: string[] = [];
  const send = createFetch({
    async fetch(input, init) {
      const request = new Request(input, init);
      if (request.url.endsWith('/manifest.json'))
        return new Response(writeManifest({ format: FORMAT, ...manifest }));
      bodies.push(await request.text());
      return new Response();
    },
  });
  const operations = 'https://site.example/jsonapi/operations';
  await send(new Request(operations, { method: 'POST', body: 'one' }));
  expect(bodies).toEqual(['one']);
});

test('a GET with a body is a TypeError, as it is for fetch', async () => {
  const send = createFetch({ fetch: async () => new Response() });
  const url = 'https://site.example/jsonapi/node/article';
  await expect(send(url, { body: 'one' })).rejects.toThrow(TypeError);
  await expect(send(new Request(url), { method: 'HEAD', body: 'one' })).rejects.toThrow(TypeError);
});

test('functions of install() are removed in any order', async () => {
  const sent: string[] = [];
  const original: typeof fetch = async (input) => {
    sent.push(String(input));
    return new Response(null, { status: 404 });
  };
  vi.stubGlobal('fetch', original);
  const removals = [install({ base: '/jsonapi' }), install({ base: '/docs/jsonapi' }), install()];
  const outermost = globalThis.fetch;
  const [first, second, third] = removals as [() => void, () => void, () => void];
  second();
  expect(globalThis.fetch).toBe(outermost);
  first();
  third();
  expect(globalThis.fetch).toBe(original);
  vi.stubGlobal('fetch', 'of another library');
  third();
  expect(globalThis.fetch).toBe('of another library');
  sent.length = 0;
  await outermost('https://site.example/docs/jsonapi');
  expect(sent).toEqual(['https://site.example/docs/jsonapi']);
});

test('the address of a typed query replaces the defaults of its bundle', () => {
  vi.stubGlobal('__ASTRO_JSONAPI_DEFAULTS__', { 'node--article': { filter: {}, include: [] } });
  expect(entities('article').toUrl()).toBe('/jsonapi/node/article?filter=&include=');
  expect(entities('article').where('title', '=', 'x').toUrl()).toBe(
    '/jsonapi/node/article?include=&filter[title]=x',
  );
  expect(entities('tag').toUrl()).toBe('/jsonapi/node/tag');
});

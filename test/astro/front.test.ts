import { mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { build, copySite, type Served, type Site, serve } from './site.ts';

const APP = 'https://app.example';
const OPTIONS = JSON.stringify({
  cors: { origins: [APP] },
  healthPath: '/healthz',
  logging: { requests: true },
  editing: true,
  limits: { conditions: 1 },
});
const PREFLIGHT = {
  method: 'OPTIONS',
  headers: { origin: APP, 'access-control-request-method': 'GET' },
};

/** Headers that `fetch` does not send. */
async function send(
  origin: string,
  path: string,
  method: string,
  headers: Record<string, string>,
  body = '',
) {
  return new Promise<{ status: number; type: string | undefined; body: string }>((resolve, reject) => {
    const sent = request(origin + path, { method, headers }, async (response) => {
      resolve({
        status: response.statusCode ?? 0,
        type: response.headers['content-type'],
        body: await text(response),
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

describe('a built server with options cors, healthPath, limits and logging', () => {
  let site: Site;
  let server: Served;

  beforeAll(async () => {
    site = copySite('plain', 'front');
    await build(site, { SERVER: '1', JSONAPI_OPTIONS: OPTIONS });
    server = await serve(site);
  });
  afterAll(async () => {
    await server?.stop();
    site?.remove();
  });

  it('answers preflights and listed origins', async () => {
    const preflight = await fetch(`${server.origin}/jsonapi/node/article`, PREFLIGHT);
    expect([preflight.status, await preflight.text()]).toEqual([204, '']);
    expect(preflight.headers.get('access-control-allow-origin')).toBe(APP);
    const first = await fetch(`${server.origin}/jsonapi`, { headers: { origin: APP } });
    const again = await fetch(`${server.origin}/jsonapi`, {
      headers: { origin: APP, 'if-none-match': first.headers.get('etag') ?? '' },
    });
    expect(again.status).toBe(304);
    for (const { headers } of [first, again]) {
      expect(headers.get('access-control-allow-origin')).toBe(APP);
      expect(headers.get('vary')).toBe('Accept, Authorization, Cookie, Origin');
    }
  });

  it('reports good health', async () => {
    const response = await fetch(`${server.origin}/healthz`);
    expect([response.status, await response.json()]).toMatchObject([200, { status: 'ok' }]);
  });

  it('applies the limits of the options', async () => {
    const response = await fetch(`${server.origin}/jsonapi/node/article?filter[title]=a&filter[id]=b`);
    expect(response.status).toBe(400);
    expect((await response.json()).errors[0].detail).toContain('1 conditions at most (limits.conditions)');
  });

  it('logs a line for each of its own requests', async () => {
    await fetch(`${server.origin}/jsonapi/node/tag?token=abc`);
    await fetch(`${server.origin}/elsewhere`);
    await eventually(async () => expect(server.output()).toContain('"path":"/jsonapi/node/tag?token=***"'));
    expect(server.output()).not.toContain('elsewhere');
  });

  const JSONAPI = 'application/vnd.api+json';
  it.each([
    ['GET', '/jsonapi/node/article', { 'content-type': 'text/plain' }, 200],
    ['GET', '/jsonapi/node/article', { 'content-type': `${JSONAPI}; charset=utf-8` }, 200],
    ['GET', '/jsonapi/node/article', { accept: '*/*' }, 200],
    ['GET', '/jsonapi/node/article', { accept: 'text/html' }, 200],
    ['GET', '/jsonapi/node/article', { accept: `${JSONAPI}; charset=utf-8` }, 406],
    ['GET', '/jsonapi/node/article', { accept: `${JSONAPI}; ext="x", ${JSONAPI}` }, 200],
    ['GET', '/jsonapi/node/article', { accept: `${JSONAPI}; profile="https://x.example"` }, 200],
    ['GET', '/jsonapi/nothing', {}, 404],
    ['GET', '/jsonapi/node/article?filter[x', {}, 400],
    ['GET', `/jsonapi?A=${'x'.repeat(8200)}`, {}, 414],
    ['POST', '/jsonapi/node/article', { 'content-type': JSONAPI }, 401],
    ['POST', '/jsonapi/node/article', { 'content-type': 'text/plain' }, 415],
    ['POST', '/jsonapi/node/article', { 'content-type': 'multipart/form-data; boundary=x' }, 415],
    ['POST', '/jsonapi/node/article', { 'content-type': '/' }, 415],
    ['PATCH', '/jsonapi/node/article/first', {}, 415],
    ['DELETE', '/jsonapi/node/article/first', { 'content-type': JSONAPI }, 401],
    ['DELETE', '/jsonapi/node/article/first', {}, 401],
    ['PROPFIND', '/jsonapi/node/article', {}, 405],
    ['QUERY', '/jsonapi', {}, 405],
  ])('answers %s %s with %j as a JSON:API document', async (method, path, headers, status) => {
    const sent = method === 'GET' ? '' : '{"data":null}';
    const length = { 'content-length': String(sent.length) };
    const answer = await send(server.origin, path, method, { ...length, ...headers }, sent);
    expect(answer).toMatchObject({ status, type: JSONAPI });
    expect(JSON.parse(answer.body)).toHaveProperty(status === 200 ? 'data' : 'errors');
  });
});

describe('a site with a page at the path of the health route', () => {
  let site: Site;
  let server: Served;

  beforeAll(async () => {
    site = copySite('plain', 'front-page');
    mkdirSync(site.file('src/pages'), { recursive: true });
    writeFileSync(
      site.file('src/pages/healthz.js'),
      "export const prerender = false;\nexport const GET = () => new Response('mine');",
    );
  });
  afterAll(async () => {
    await server?.stop();
    site?.remove();
  });

  it('keeps it, with a warning', async () => {
    const output = await build(site, { SERVER: '1', JSONAPI_OPTIONS: '{"healthPath":"/healthz"}' });
    expect(output).toContain('there is no health route');
    server = await serve(site);
    expect(await (await fetch(`${server.origin}/healthz`)).text()).toBe('mine');
  });
});

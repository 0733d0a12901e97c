import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { build, copySite, type Served, type Site, serve } from './site.ts';

const OWN_MARK = 'x-own-fetch';

const WITHOUT_US = `
import { astro, FetchState } from 'astro/fetch';
export default {
  async fetch(request) {
    const response = await astro(new FetchState(request));
    response.headers.set('${OWN_MARK}', 'yes');
    return response;
  },
};`;

const WITH_US = `
import { jsonapiFetch } from 'astro-jsonapi/fetch';
import { astro, FetchState } from 'astro/fetch';
export default {
  async fetch(request) {
    const response = await jsonapiFetch(request, (other) => astro(new FetchState(other)));
    response.headers.set('${OWN_MARK}', 'yes');
    return response;
  },
};`;

describe.concurrent.each([
  { name: 'without jsonapiFetch', source: WITHOUT_US, refusedDelete: 403 },
  { name: 'that calls jsonapiFetch first', source: WITH_US, refusedDelete: 401 },
])('a site with a fetch file $name', ({ source, refusedDelete }) => {
  let site: Site;
  let server: Served;

  beforeAll(async () => {
    site = copySite('plain', `doors-${refusedDelete}`);
    writeFileSync(site.file('src/fetch.mjs'), source);
    await build(site, { SERVER: '1', JSONAPI_OPTIONS: '{"editing":true}' });
    server = await serve(site);
  });
  afterAll(async () => {
    await server?.stop();
    site?.remove();
  });

  it.each([
    ['/jsonapi', 200],
    ['/jsonapi/node/article?sort=-rating', 200],
    ['/jsonapi/node/article/deep/third', 200],
    ['/jsonapi/node/article/v1.2', 200],
    ['/api/content/articles/first', 200],
    ['/v1/api/content/person', 200],
    ['/jsonapi/node/nothing', 404],
    ['/jsonapi/node/article?filter[nothing]=1', 400],
  ])('answers %s with %i', async (path, status) => {
    const response = await fetch(server.origin + path);
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toContain('json');
    expect(response.headers.get(OWN_MARK)).toBe('yes');
    expect(await response.json()).toHaveProperty(status === 200 ? 'data' : 'errors');
  });

  it('causes no warning about a fetch file', () => {
    expect(server.output()).not.toContain('custom src/fetch.ts');
  });

  it('serves the routes of decoupled front ends', async () => {
    const router = await fetch(`${server.origin}/router/translate-path?path=/node/article/deep/third`);
    expect([router.status, router.headers.get(OWN_MARK)]).toEqual([200, 'yes']);
    expect(await router.json()).toMatchObject({ entity: { id: 'deep/third' } });
    const many = await fetch(`${server.origin}/subrequests?_format=json`, {
      method: 'POST',
      headers: { 'content-type': 'application/vnd.api+json' },
      body: JSON.stringify([{ requestId: 'a', action: 'view', uri: '/jsonapi/node/article/first' }]),
    });
    expect(many.status).toBe(207);
    expect(JSON.parse((await many.json()).a.body)).toMatchObject({ data: { id: 'first' } });
  });

  it(`answers a DELETE without a content type with ${refusedDelete}`, async () => {
    const response = await fetch(`${server.origin}/jsonapi/node/article/first`, { method: 'DELETE' });
    expect(response.status).toBe(refusedDelete);
  });
});

describe.concurrent.each([
  {
    name: 'without a src folder',
    prepare: (site: Site) => rmSync(site.file('src'), { recursive: true, force: true }),
  },
  {
    name: 'whose src folder is a link',
    prepare(site: Site) {
      rmSync(site.file('src'), { recursive: true, force: true });
      mkdirSync(site.file('elsewhere/deep/src'), { recursive: true });
      symlinkSync(site.file('elsewhere/deep/src'), site.file('src'));
    },
  },
])('a site $name', ({ name, prepare }) => {
  let site: Site;
  let server: Served;

  beforeAll(async () => {
    site = copySite('plain', `doors-${name.split(' ', 1)[0]}`);
    prepare(site);
    await build(site, { SERVER: '1', JSONAPI_OPTIONS: '{"editing":true}' });
    server = await serve(site);
  });
  afterAll(async () => {
    await server?.stop();
    site?.remove();
  });

  it("puts the API before Astro's origin check", async () => {
    const response = await fetch(`${server.origin}/jsonapi/node/article/first`, { method: 'DELETE' });
    expect(response.status).toBe(401);
  });
});

describe('a site in middleware mode', () => {
  let site: Site;
  let server: Served;

  beforeAll(async () => {
    site = copySite('plain', 'middleware');
    await build(site, { SERVER: '1', NODE_MODE: 'middleware', JSONAPI_OPTIONS: '{"editing":true}' });
    const host = `
import http from 'node:http';
import { handler } from './dist/server/entry.mjs';
http
  .createServer((request, response) =>
    handler(request, response, () => {
      response.statusCode = 404;
      response.end('the host');
    }),
  )
  .listen(Number(process.env.PORT), '127.0.0.1');`;
    writeFileSync(site.file('host.mjs'), host);
    server = await serve(site, {}, '.', 'host.mjs');
  });
  afterAll(async () => {
    await server?.stop();
    site?.remove();
  });

  it('answers its own routes and leaves the rest to the host', async () => {
    const ours = await fetch(`${server.origin}/jsonapi/node/article?sort=-rating`);
    expect(ours.status).toBe(200);
    expect(await ours.json()).toMatchObject({ data: [{ id: 'second' }, {}, {}, {}] });
    expect(await (await fetch(`${server.origin}/jsonapi/node/article/nothing`)).json()).toMatchObject({
      errors: [{ status: '404' }],
    });
    expect(await (await fetch(`${server.origin}/elsewhere`)).text()).toBe('the host');
  });
});

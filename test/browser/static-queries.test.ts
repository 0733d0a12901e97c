import { appendFileSync, cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { digestText } from '../../integration/core/util/revision.ts';
import { FORMAT } from '../../integration/features/static/format.ts';
import {
  build,
  copySite,
  REPOSITORY,
  type Served,
  type Site,
  STRICT_POLICY,
  serveFiles,
} from '../astro/site.ts';
import { describeInBrowser, useBrowser } from './chromium.ts';

const BASE = '/docs';
const OPTIONS = JSON.stringify({
  bundles: { article: { alias: '/blog/[id]' }, tag: { defaults: { filter: { status: true } } } },
  static: { worker: true },
});
const PAGE = `<html><body><script>
  import { createFetch, entities, install } from 'astro-jsonapi/client';
  window.send = createFetch();
  window.install = () => install();
  window.entities = entities;
</script></body></html>`;
/** A component that a build renders before the browser does. */
const RENDERED = `---
import { createFetch, entities } from 'astro-jsonapi/client';
createFetch();
const { message } = await entities('article').all().catch((error) => error);
---
<html><body>{message}</body></html>`;
/** Clients as an application uses them. They know nothing of the snapshot. */
const CLIENTS = `<html><body><script>
  import { JsonApiClient } from '@drupal-api-client/json-api-client';
  import { install } from 'astro-jsonapi/client';
  import { DrupalJsonApiParams } from 'drupal-jsonapi-params';
  import { Jsona } from 'jsona';
  import Kitsu from 'kitsu';
  import { attr, belongsTo, SpraypaintBase } from 'spraypaint';
  const byWorker = location.search === '?worker';
  if (!byWorker) install();
  const site = location.origin + '${BASE}';
  const read = async (address) => new Jsona().deserialize(await (await fetch(address)).json());
  const query = new DrupalJsonApiParams()
    .addFilter('field_author.title', 'Ada').addSort('created').addInclude(['field_author']).getQueryString();
  const small = new DrupalJsonApiParams().addSort('title').addPageLimit(2).getQueryString();
  const kitsu = new Kitsu({
    baseURL: site + '/jsonapi/node', pluralize: false, camelCaseTypes: false, resourceCase: 'none',
    axiosOptions: byWorker ? {} : { adapter: 'fetch' },
  });
  const prefixes = {
    apiPrefix: '${BASE.slice(1)}/jsonapi', decoupledRouterApiPrefix: '${BASE.slice(1)}/router/translate-path',
  };
  const drupal = new JsonApiClient(location.origin, { ...prefixes, serializer: new Jsona() });
  const plain = new JsonApiClient(location.origin, prefixes);
  const Base = SpraypaintBase.extend({ static: { baseUrl: site, apiNamespace: '/jsonapi', jwtStorage: false } });
  const Person = Base.extend({
    static: { jsonapiType: 'node--person', endpoint: '/node/person' }, attrs: { title: attr({ type: String }) },
  });
  const Article = Base.extend({
    static: { jsonapiType: 'node--article', endpoint: '/node/article' },
    attrs: { title: attr({ type: String }), fieldAuthor: belongsTo({ type: Person }) },
  });
  const params = { filter: { 'field_author.title': 'Ada' }, sort: 'created', include: 'field_author' };
  /** All titles, along the links to next pages. */
  async function follow(load) {
    const titles = [];
    for (let page = await load('/article?' + small); ; page = await load(page.links.next.href)) {
      titles.push(...page.data.map(({ title, attributes }) => title ?? attributes.title));
      if (page.links.next === undefined) return titles;
    }
  }
  window.clients = {
    jsona: {
      list: async () => (await read(site + '/jsonapi/node/article?' + query))
        .map(({ title, field_author }) => [title, field_author.title]),
      one: async () => (await read(site + '/jsonapi/node/article/first')).title,
      related: async () => (await read(site + '/jsonapi/node/article/first/field_author')).title,
      relationship: async () => (await read(site + '/jsonapi/node/article/first/relationships/field_tags')).map(({ id }) => id),
      pages: () => follow(async (address) => (await fetch(address.replace(/^[/]/, site + '/jsonapi/node/'))).json()),
    },
    kitsu: {
      list: async () => (await kitsu.get('article', { params })).data
        .map(({ title, field_author }) => [title, field_author.data.title]),
      one: async () => (await kitsu.get('article/first')).data.title,
      related: async () => (await kitsu.get('article/first/field_author')).data.title,
      relationship: async () => (await kitsu.get('article/first/relationships/field_tags')).data.map(({ id }) => id),
      pages: () => follow((url) => kitsu.request({ url })),
      error: async () => {
        const error = await kitsu.get('article', { params: { filter: { titel: 1 } } }).catch((thrown) => thrown);
        return [error.response.status, error.errors[0].source.parameter];
      },
    },
    'json-api-client': {
      list: async () => (await drupal.getCollection('node--article', { queryString: query }))
        .map(({ title, field_author }) => [title, field_author.title]),
      one: async () => (await drupal.getResource('node--article', 'first')).title,
      byPath: async () => (await drupal.getResourceByPath('/blog/first')).title,
      error: async () => {
        const { response, json } = await plain.getCollection('node--article', { queryString: 'filter[titel]=1', rawResponse: true });
        return [response.status, json.errors[0].source.parameter];
      },
    },
    spraypaint: {
      list: async () => (await Article.where({ 'field_author.title': 'Ada' }).order('created').includes('fieldAuthor').all()).data
        .map(({ title, fieldAuthor }) => [title, fieldAuthor.title]),
      one: async () => (await Article.find('first')).data.title,
      related: async () => (await Article.includes('fieldAuthor').find('first')).data.fieldAuthor.title,
      pages: async () => {
        const titles = [];
        for (let number = 1; ; number++) {
          const { data, meta } = await Article.order('title').page(number).per(2).all();
          titles.push(...data.map(({ title }) => title));
          if (titles.length >= meta.count) return titles;
        }
      },
      error: async () => {
        const { response } = await Article.where({ titel: 1 }).all().catch((thrown) => thrown);
        return [response.status, (await response.json()).errors[0].source.parameter];
      },
    },
  };
</script></body></html>`;

describeInBrowser('queries on a static host', async () => {
  const browser = await useBrowser();
  let site: Site;
  let files: Served;

  beforeAll(async () => {
    site = copySite('plain', 'static-queries');
    const config = readFileSync(site.file('astro.config.mjs'), 'utf8');
    const external = 'vite: { build: { assetsInlineLimit: 0 } },';
    writeFileSync(site.file('astro.config.mjs'), config.replace('devToolbar', `${external}\n  devToolbar`));
    writeFileSync(site.file('src/pages/queries.astro'), PAGE);
    writeFileSync(site.file('src/pages/clients.astro'), CLIENTS);
    // Pages whose addresses look like the API.
    mkdirSync(site.file('src/pages/blog/jsonapi'), { recursive: true });
    writeFileSync(site.file('src/pages/blog/jsonapi/index.astro'), '<html><body>About the API</body></html>');
    writeFileSync(site.file('src/pages/rendered.astro'), RENDERED);
    // Small files of a snapshot are in its manifest.
    const words = Array.from({ length: 1000 }, (_, at) => digestText(String(at)));
    writeFileSync(
      site.file('content/article/long.md'),
      `---\ntitle: Long\nrating: 1\n---\n${words.join(' ')}\n`,
    );
    await buildSite();
    files = await serveFiles(site.file('dist'), BASE, STRICT_POLICY);
  });
  afterAll(async () => {
    await files?.stop();
    site?.remove();
  });

  /** Replaces the manifest of the site, or removes it. Returns a function that restores it. */
  function replaceManifest(text?: string): () => void {
    const file = site.file('dist/jsonapi/snapshot/manifest.json');
    const before = readFileSync(file);
    if (text === undefined) rmSync(file);
    else writeFileSync(file, text);
    return () => writeFileSync(file, before);
  }

  const buildSite = () => build(site, { BASE: `${BASE}/`, JSONAPI_OPTIONS: OPTIONS });

  async function openPage(): Promise<Page> {
    const page = await browser.newPage();
    await page.goto(`${files.origin}${BASE}/queries/`);
    await page.waitForFunction('window.send');
    return page;
  }

  test('answers queries, both APIs, errors and conditional requests without a server, under a strict security policy', async () => {
    const page = await openPage();
    const list = await ask(
      page,
      '/jsonapi/node/article?filter[field_author.title]=Ada&sort=-created&fields[node--article]=title',
    );
    expect(list).toMatchObject({ status: 200, type: 'application/vnd.api+json' });
    expect(list.body.data.length).toBeGreaterThan(0);
    expect(list.body.links.self.href).toContain(`${files.origin}${BASE}/jsonapi/node/article?`);
    const included = await ask(page, '/jsonapi/node/article?include=field_author&page[limit]=1');
    expect(included.body.included[0].type).toBe('node--person');
    const search = await ask(page, '/jsonapi/node/article?filter[fulltext]=words');
    expect(search.status).toBe(200);
    expect((await ask(page, '/api/content/articles?sort=title')).body.data.length).toBeGreaterThan(1);
    expect(await ask(page, '/jsonapi/node/article?filter[titel]=x')).toMatchObject({
      status: 400,
      body: { errors: [{ source: { parameter: 'filter[titel]' } }] },
    });
    expect((await ask(page, '/jsonapi/node/article/none')).status).toBe(404);
    expect((await ask(page, '/jsonapi/node/article/hidden')).status).toBe(404);
    expect((await ask(page, '/jsonapi/node/article', { method: 'POST', body: '{}' })).status).toBe(405);
    const { etag } = await ask(page, '/jsonapi/node/article/first');
    expect(
      (await ask(page, '/jsonapi/node/article/first', { headers: { 'if-none-match': etag } })).status,
    ).toBe(304);
  });

  test('entities() of a script returns the same values as in a page', async () => {
    const page = await openPage();
    const found = await page.evaluate(async () => {
      const entities = Reflect.get(window, 'entities');
      const articles = await entities('article')
        .where('field_author.title', '=', 'Ada')
        .sort('-created')
        .include('field_author')
        .all();
      const first = await entities('article').get('first');
      const error = await entities('article')
        .where('titel', '=', 'x')
        .all()
        .catch(({ message }: Error) => message);
      return {
        titles: articles.map((article: { title: string }) => article.title),
        author: articles[0].field_author.title,
        rating: first.rating,
        headings: first.body.headings,
        hidden: (await entities('article').get('hidden')) ?? null,
        url: entities('article').sort('title').toUrl(),
        replaced: entities('tag').sort('title').toUrl(),
        error,
      };
    });
    expect(found).toEqual({
      titles: expect.arrayContaining(['First light']),
      author: 'Ada',
      rating: 3,
      headings: [{ depth: 1, slug: 'first-light', text: 'First light' }],
      hidden: null,
      url: `${BASE}/jsonapi/node/article?sort=title`,
      replaced: `${BASE}/jsonapi/node/tag?filter=&sort=title`,
      error: expect.stringContaining("'titel'"),
    });
  });

  /** The results of all clients of the page, by task and client. */
  const askClients = (page: Page) =>
    page.evaluate(async () => {
      const clients: Record<string, Record<string, () => Promise<unknown>>> = Reflect.get(window, 'clients');
      const results: Record<string, Record<string, unknown>> = {};
      for (const [client, tasks] of Object.entries(clients)) {
        for (const [task, run] of Object.entries(tasks)) {
          results[task] = {
            ...results[task],
            [client]: await run().catch((error: Error) => String(error.stack)),
          };
        }
      }
      return results;
    });

  test.each(['install()', 'the service worker'])(
    'clients of JSON:API work unchanged behind %s: lists, pages, entities, relationships, paths and errors',
    async (name) => {
      const page = await browser.newPage();
      await page.goto(`${files.origin}${BASE}/clients/${name === 'install()' ? '' : '?worker'}`);
      await page.waitForFunction('window.clients');
      if (name !== 'install()') await register(page);
      const results = await askClients(page);
      const all = (value: unknown, without: readonly string[] = []) =>
        Object.fromEntries(
          ['jsona', 'kitsu', 'json-api-client', 'spraypaint']
            .filter((client) => !without.includes(client))
            .map((client) => [client, value]),
        );
      const titles = ['A name with a dot', 'First light', 'Long', 'Second wind', 'Third, deep below'];
      expect(results).toEqual({
        list: all([
          ['First light', 'Ada'],
          ['Third, deep below', 'Ada'],
        ]),
        one: all('First light'),
        // The others have no requests of their own for these.
        related: all('Ada', ['json-api-client']),
        relationship: all(['sea', 'sky'], ['json-api-client', 'spraypaint']),
        byPath: { 'json-api-client': 'First light' },
        pages: all(titles, ['json-api-client']),
        error: all([400, 'filter[titel]'], ['jsona']),
      });
    },
  );

  test('the service worker answers requests of any element, and without a network those it has files for', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${files.origin}${BASE}/titles/`);
    await register(page);
    const query = `${BASE}/jsonapi/node/article?filter[rating]=3&sort=-title`;
    const before = await xhr(page, query);
    expect(before).toMatchObject({ status: 200, ids: ['first'] });
    expect(await xhr(page, `${BASE}/titles/`)).toMatchObject({ status: 200 });
    // A document that the browser opens, as in a frame.
    const other = await context.newPage();
    expect((await other.goto(files.origin + query))?.status()).toBe(200);
    await context.setOffline(true);
    expect(await xhr(page, query)).toEqual(before);
    expect(await xhr(page, `${BASE}/jsonapi/node/article?filter[rating]=3`)).toMatchObject({ status: 200 });
    await context.setOffline(false);
    await context.close();
  });

  test("a site's own worker that imports ours, as in the documentation, shows pages without a network, with their queries", async () => {
    const pages = readFileSync(path.join(REPOSITORY, 'docs/queries-on-a-static-host.md'), 'utf8');
    const [, worker] = /^```js\n(\/\/ public\/service-worker\.js\n[\s\S]*?)^```$/m.exec(pages) ?? [];
    writeFileSync(site.file('dist/service-worker.js'), worker!);
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${files.origin}${BASE}/titles/`);
    await register(page, 'service-worker.js');
    await page.reload();
    const query = `${BASE}/jsonapi/node/article?filter[rating]=3&sort=-title`;
    const [before, text] = [await xhr(page, query), await page.locator('body').innerText()];
    expect(before).toMatchObject({ status: 200, ids: ['first'] });
    await context.setOffline(true);
    await page.reload();
    expect(await page.locator('body').innerText()).toBe(text);
    expect(await xhr(page, query)).toEqual(before);
    await expect(page.goto(`${files.origin}${BASE}/queries/`)).rejects.toThrow('ERR_');
    await context.close();
  });

  test.each(['refuses storage', 'has hardly any space'])(
    'a browser that %s still gets answers from the service worker',
    async (name) => {
      const context = await browser.newContext();
      // A private window of Firefox refuses storage. Chromium has no such window.
      if (name === 'refuses storage') {
        await context.route('**/jsonapi-worker.js', async (route) => {
          const response = await route.fetch();
          const refuse = 'caches.open = async () => { throw new DOMException("refused", "SecurityError"); };';
          await route.fulfill({ response, body: `${refuse}\n${await response.text()}` });
        });
      }
      const page = await context.newPage();
      if (name === 'has hardly any space') {
        const devTools = await context.newCDPSession(page);
        const quota = { origin: files.origin, quotaSize: 1000 };
        await devTools.send('Storage.overrideQuotaForOrigin', quota);
      }
      await page.goto(`${files.origin}${BASE}/titles/`);
      await register(page);
      for (const query of ['filter[rating]=3', 'filter[rating]=3&sort=title']) {
        const found = await xhr(page, `${BASE}/jsonapi/node/article?${query}`);
        expect(found).toMatchObject({ ids: ['first'] });
      }
      expect(await page.evaluate(keptFiles).catch(() => [])).toEqual([]);
      await context.close();
    },
  );

  test('a new worker replaces the old one under an open page, at the latest when the format changes', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    const [query, worker] = [`${BASE}/jsonapi/node/article?filter[rating]=3`, 'dist/jsonapi-worker.js'];
    await page.goto(`${files.origin}${BASE}/titles/`);
    await register(page);
    expect(await xhr(page, query)).toMatchObject({ ids: ['first'] });
    await page.evaluate(() => {
      const changed = new Promise((resolve) => {
        navigator.serviceWorker.addEventListener('controllerchange', resolve, { once: true });
      });
      Object.assign(window, { changed });
    });
    appendFileSync(site.file(worker), '\n// The next version.');
    const restore = replaceManifest('{"format":1000}');
    // Another page, so that the worker reads the manifest again.
    const other = await context.newPage();
    await other.goto(`${files.origin}${BASE}/titles/?other`);
    expect(await xhr(other, query)).toMatchObject({ status: 503 });
    restore();
    await page.evaluate('window.changed');
    expect(await xhr(page, query)).toMatchObject({ ids: ['first'] });
    await context.close();
  });

  test('a page that is older than the format of the files asks for a reload', async () => {
    const page = await openPage();
    const restore = replaceManifest('{"format":1000}');
    const { status, body } = await ask(page, '/jsonapi/node/article');
    expect([status, body.errors[0].detail]).toEqual([
      503,
      `The snapshot has the format 1000, but this page reads the format ${FORMAT}. Reload the page.`,
    ]);
    restore();
    expect((await ask(page, '/jsonapi/node/article')).status).toBe(200);
  });

  test('a host that returns a page for missing files causes no wrong responses, but errors with a fix', async () => {
    const page = await browser.newPage();
    let missing = /^$/;
    await page.route('**', (route) =>
      missing.test(route.request().url())
        ? route.fulfill({ contentType: 'text/html', body: '<!doctype html><html><body>Home</body></html>' })
        : route.continue(),
    );
    const open = async () => {
      await page.goto(`${files.origin}${BASE}/queries/`);
      await page.waitForFunction('window.send');
    };
    const detail = async (path: string) => {
      const { status, body } = await ask(page, path);
      return [status, body.errors?.[0].detail.replace(/\S+(body)\S+/, '$1')];
    };
    await open();
    missing = /snapshot\/.*\/body\./;
    const bodies = '/jsonapi/node/article?sort=title';
    expect(await detail(bodies)).toEqual([
      503,
      'The file body of the snapshot is damaged. Build and deploy the site again.',
    ]);
    // Scripts that are loaded when they are needed: a deployment has removed them.
    missing = /_astro/;
    const reload = 'A part of the query engine cannot be loaded. Reload the page.';
    expect(await detail('/jsonapi/node/article?filter[fulltext]=words')).toEqual([503, reload]);
    expect(await detail('/jsonapi/node/article?facetBy=rating')).toEqual([503, reload]);
    expect(await detail('/jsonapi/node/article/first')).toEqual([503, reload]);
    const rest = await ask(page, '/api/content/articles');
    expect([rest.status, JSON.stringify(rest.body)]).toEqual([503, expect.stringContaining(reload)]);
    missing = /_astro.*complete/;
    await open();
    expect(await detail('/jsonapi/node/article?filter[titel]=x')).toEqual([503, reload]);
    missing = /manifest/;
    await open();
    expect(await detail(bodies)).toEqual([
      503,
      'The file manifest.json of the snapshot is missing. Build and deploy the site again.',
    ]);
    missing = /^$/;
    expect((await ask(page, bodies)).status).toBe(200);
  });

  test('the service worker keeps its manifest if the host returns something else', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${files.origin}${BASE}/titles/`);
    await register(page);
    const query = `${BASE}/jsonapi/node/article?filter[rating]=3`;
    expect(await xhr(page, query)).toMatchObject({ status: 200 });
    const manifest = `${BASE}/jsonapi/snapshot/manifest.json`;
    const load = (method: string) =>
      page.evaluate(async ([address, init]) => (await fetch(address, init)).status, [
        manifest,
        { method },
      ] as const);
    expect(await load('HEAD')).toBe(200);
    for (const text of ['', 'Sign in to this network first', '{"error":"sign in"}']) {
      const restore = replaceManifest(text);
      expect(await load('GET')).toBe(200);
      restore();
    }
    await context.setOffline(true);
    const [kept, ...others] = await page.evaluate(keptFiles);
    expect(kept).toContain('{"digest":');
    expect(others).not.toEqual([]);
    await context.close();
  });

  test('pages whose addresses look like the API load without a snapshot too', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${files.origin}${BASE}/queries/`);
    for (const text of [undefined, '<html></html>', '{"damaged']) {
      const restore = replaceManifest(text);
      await page.reload();
      await page.waitForFunction('window.send');
      const sent = await page.evaluate(
        async (base) => (await Reflect.get(window, 'send')(`${base}/blog/jsonapi/`)).status,
        BASE,
      );
      await register(page);
      const opened = await page.goto(`${files.origin}${BASE}/blog/jsonapi/`);
      expect([text, sent, opened?.status()]).toEqual([text, 200, 200]);
      expect(await page.textContent('body')).toBe('About the API');
      restore();
      await page.evaluate(async () => {
        for (const each of await navigator.serviceWorker.getRegistrations()) await each.unregister();
      });
      await page.goto(`${files.origin}${BASE}/queries/`);
    }
    await context.close();
  });

  test('a component rendered at build time may create a fetch, and its queries name the module to use', () => {
    expect(readFileSync(site.file('dist/rendered/index.html'), 'utf8')).toContain(
      'While pages are built, use astro-jsonapi:content.',
    );
  });

  test('a deployment between two queries is noticed in each tab, with the old files gone and with the old files kept', async () => {
    for (const keeps of [true, false]) {
      const page = await openPage();
      const titles = async (fields: string) => {
        const filter = 'filter[title][operator]=STARTS_WITH&filter[title][value]=Long';
        const { body } = await ask(page, `/jsonapi/node/article?${filter}&fields[node--article]=${fields}`);
        return body.data.map(({ attributes }: { attributes: { title: string } }) => attributes.title);
      };
      expect(await titles('title')).toEqual(['Long']);
      const context = await browser.newContext();
      const [tab, next] = [await context.newPage(), await context.newPage()];
      await tab.goto(`${files.origin}${BASE}/titles/`);
      await register(tab);
      const longer = `${BASE}/jsonapi/node/article?filter[title]=Longer`;
      expect(await xhr(tab, longer)).toMatchObject({ ids: [] });
      const source = site.file('content/article/long.md');
      const before = readFileSync(source, 'utf8');
      const old = site.file('dist-before');
      cpSync(site.file('dist'), old, { recursive: true });
      writeFileSync(source, before.replace('title: Long', 'title: Longer').replace(/\n(\w+) \w+ /, '\n$1 '));
      await buildSite();
      if (keeps) cpSync(old, site.file('dist'), { recursive: true, force: false });
      // The body is in a file that the page has not loaded yet: an answer is from one deployment.
      expect(await titles('title,body')).toEqual([keeps ? 'Long' : 'Longer']);
      // The worker of both tabs has the old content in memory. A new page gets the new one.
      await next.goto(`${files.origin}${BASE}/titles/`);
      expect(await xhr(next, longer)).toMatchObject({ ids: ['long'] });
      expect(await xhr(tab, longer)).toMatchObject({ ids: ['long'] });
      await context.close();
      writeFileSync(source, before);
      rmSync(old, { recursive: true });
      await buildSite();
    }
  });

  test('a first list loads nothing but the engine, and a second visit only the manifest again', async () => {
    const context = await browser.newContext();
    const requests: string[] = [];
    const scripts: string[] = [];
    for (const visit of [1, 2]) {
      const page = await context.newPage();
      page.on('request', (request) => {
        const name = request.url().split('/').at(-1) ?? '';
        if (request.url().includes('/snapshot/')) requests.push(`${visit} ${name}`);
        if (request.resourceType() === 'script') scripts.push(name);
      });
      page.on('response', async (response) => {
        if (visit === 2 && response.url().endsWith('manifest.json')) requests.push(`${response.status()}`);
      });
      await page.goto(`${files.origin}${BASE}/queries/`);
      await page.waitForFunction('window.send');
      await ask(page, '/jsonapi/node/article?filter[title][operator]=%3E&filter[title][value]=light');
      await page.close();
    }
    expect(new Set(scripts.map((name) => name.split('.')[0]))).toEqual(
      new Set(['queries', 'client', 'site']),
    );
    expect(requests.filter((name) => name === '1 manifest.json')).toHaveLength(1);
    expect(requests.filter((name) => name === '2 manifest.json')).toHaveLength(1);
    await context.close();
  });

  test("works through the page's own fetch, and leaves other requests alone", async () => {
    const page = await openPage();
    const statuses = await page.evaluate(async (base) => {
      const remove = Reflect.get(window, 'install')();
      const before = await fetch(`${base}/jsonapi/node/article?sort=title`);
      const file = await fetch(`${base}/jsonapi/node/article.json`);
      remove();
      const after = await fetch(`${base}/jsonapi/node/article?sort=title`);
      return [before.status, file.status, after.status];
    }, BASE);
    expect(statuses).toEqual([200, 200, 404]);
  });

  test('a damaged or missing file is an error, not a wrong answer', async () => {
    const page = await openPage();
    for (const file of globSync('jsonapi/snapshot/*/body.*', { cwd: site.file('dist') })) {
      appendFileSync(site.file('dist', file), ' ');
    }
    const answer = await ask(page, '/jsonapi/node/article?sort=title');
    expect(answer).toMatchObject({ status: 503, body: { errors: [{ status: '503' }] } });
    await buildSite();
    expect((await ask(page, '/jsonapi/node/article?sort=title')).status).toBe(200);
  });
});

/** How the files that the service worker keeps begin. Runs in the page. */
async function keptFiles(): Promise<readonly string[]> {
  const cache = await caches.open((await caches.keys())[0] ?? '');
  const copies = await cache.matchAll();
  return Promise.all(copies.map(async (copy) => (await copy.text()).slice(0, 11)));
}

/** The line that sites write, and the moment from which the worker controls the page. */
async function register(page: Page, worker = 'jsonapi-worker.js'): Promise<void> {
  await page.evaluate(async (address) => {
    const controlled = new Promise((resolve) => {
      navigator.serviceWorker.addEventListener('controllerchange', resolve, { once: true });
    });
    await navigator.serviceWorker.register(address);
    await controlled;
  }, `${BASE}/${worker}`);
}

/** Sends a request with XMLHttpRequest. */
async function xhr(page: Page, url: string) {
  return page.evaluate(
    (address) =>
      new Promise<{ status: number; ids?: readonly string[] }>((resolve) => {
        const request = new XMLHttpRequest();
        request.open('GET', address);
        request.onloadend = () => {
          const isJson = request.responseText.startsWith('{');
          const ids = isJson && JSON.parse(request.responseText).data?.map(({ id }: { id: string }) => id);
          resolve({ status: request.status, ...(ids && { ids }) });
        };
        request.send();
      }),
    url,
  );
}

/** Sends a request with the function of the page. */
async function ask(page: Page, path: string, init: RequestInit = {}) {
  return page.evaluate(
    async ([address, options]) => {
      const response: Response = await Reflect.get(window, 'send')(address, options);
      const text = await response.text();
      const { status, headers } = response;
      return {
        status,
        type: headers.get('content-type'),
        etag: headers.get('etag') ?? '',
        body: text === '' ? null : JSON.parse(text),
      };
    },
    [BASE + path, init] as const,
  );
}

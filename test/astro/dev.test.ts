import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { build, copySite, type Served, type Site, serveDev } from './site.ts';

const SCHEMA = (rating: string) => `import { defineSchema, z } from 'astro-jsonapi/schema';
export default defineSchema({ article: { rating: ${rating}, note: z.string().nullish() } });
`;

describe('astro dev without an adapter', () => {
  let site: Site;
  let server: Served;

  beforeAll(async () => {
    site = copySite('live', 'dev-files');
    server = await serveDev(site);
  });
  afterAll(async () => {
    await server?.stop();
    site?.remove();
  });

  const get = (path: string) => fetch(server.origin + path);
  const titles = async () => ids(await (await get('/jsonapi/node/article?sort=id')).json());
  const article = (id: string, title: string, more = 'rating: 3') =>
    writeFileSync(site.file('content/article', `${id}.md`), `---\ntitle: ${title}\n${more}\n---\n`);
  const changes = () => server.output().split('entities updated in').length;

  it('serves exactly the documents that the build writes', async () => {
    await build(site);
    for (const path of [
      '/jsonapi/index.json',
      '/jsonapi/node/article.json',
      '/jsonapi/node/article/first.json',
      '/jsonapi/q/titles.json',
      '/jsonapi/openapi.json',
      '/api/content/articles.json',
      '/api/content/articles/second.json',
    ]) {
      const response = await get(path);
      expect(response.headers.get('content-type')).toBe('application/json');
      expect(await response.text()).toBe(readFileSync(site.file('dist', path), 'utf8'));
    }
    for (const path of ['/jsonapi/node/article/hidden.json', '/jsonapi/nothing.json', '/jsonapi/q/no.json']) {
      const response = await get(path);
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ errors: [{ status: '404' }] });
    }
    rmSync(site.file('dist'), { recursive: true });
  });

  it('lets the person at the keyboard change content in the admin', async () => {
    const page = await get('/admin');
    const cookie = (page.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';
    expect([page.status, cookie]).toEqual([200, expect.stringMatching(/^astro-jsonapi-local-/)]);
    const change = (headers: Readonly<Record<string, string>>) =>
      fetch(`${server.origin}/jsonapi/node/article/second`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/vnd.api+json', cookie, ...headers },
        body: JSON.stringify({ data: { type: 'node--article', id: 'second', attributes: { rating: 5 } } }),
      });
    const file = readFileSync(site.file('content/article/second.md'), 'utf8');
    const refused = [
      await change({ cookie: '' }),
      await change({ origin: 'http://localhost:3000' }),
      await change({ 'x-forwarded-for': '203.0.113.7' }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([401, 401, 401]);
    expect(readFileSync(site.file('content/article/second.md'), 'utf8')).toBe(file);
    const changed = await change({ origin: server.origin });
    expect(changed.status).toBe(200);
    expect(readFileSync(site.file('content/article/second.md'), 'utf8')).not.toBe(file);
    writeFileSync(site.file('content/article/second.md'), file);
    await eventually(async () => {
      const { data } = await (await get('/jsonapi/node/article/second.json')).json();
      expect(data.attributes.rating).toBe(4);
    });
    expect(server.output()).not.toContain('editing has no effect');
  });

  it('serves the accounts file under no spelling of its path', async () => {
    mkdirSync(site.file('.astro-jsonapi'));
    for (const name of ['accounts.json', 'accounts.json.4711-0123456789ab.tmp']) {
      const file = site.file('.astro-jsonapi', name);
      writeFileSync(file, '{"secret":"sekret"}');
      for (const path of [
        `/.astro-jsonapi/${name}`,
        `/.astro-jsonapi/${name}?raw`,
        `/.astro-jsonapi/${name}?import&raw`,
        `/.astro-jsonapi/${name}?url&inline`,
        `/.astro-jsonapi/${name.replace('.', '%2e')}`,
        `/src/../.astro-jsonapi/${name}`,
        `/@fs${file}`,
        `/@fs${file}?import&raw`,
      ]) {
        const response = await get(path);
        expect(response.status, path).toBeGreaterThanOrEqual(400);
        expect(await response.text(), path).not.toContain('sekret');
      }
    }
    // Files that Vite itself denies stay denied.
    writeFileSync(site.file('site.pem'), 'sekret');
    for (const path of ['/site.pem', '/site.pem?raw', `/@fs${site.file('site.pem')}`]) {
      expect((await get(path)).status, path).toBe(403);
    }
    rmSync(site.file('site.pem'));
  });

  it('answers queries, and warns once that the build omits them', async () => {
    expect((await get('/jsonapi/node/article?filter[rating]=4')).status).toBe(200);
    expect((await get('/jsonapi/node/article?filter[rating]=3')).status).toBe(200);
    expect(server.output().split('option prebuild')).toHaveLength(2);
    expect(server.output()).toContain('/node/article?filter[rating]=4 works in astro dev only');
  });

  it('shows a file everywhere when it is added, renamed and removed', async () => {
    article('fresh', 'Fresh');
    const page = async () => (await get('/')).text();
    const rest = async () => (await get('/api/content/articles?sort=id')).json();
    await eventually(async () => expect(await page()).toContain('<li>Fresh</li>'));
    expect(await titles()).toEqual(['first', 'fresh', 'second']);
    expect(ids(await rest())).toEqual(['first', 'fresh', 'second']);
    expect(await (await get('/jsonapi/node/article/fresh.json')).json()).toMatchObject({
      data: { attributes: { title: 'Fresh' } },
    });
    renameSync(site.file('content/article/fresh.md'), site.file('content/article/stale.md'));
    await eventually(async () => expect(await titles()).toEqual(['first', 'second', 'stale']));
    expect((await get('/jsonapi/node/article/fresh.json')).status).toBe(404);
    rmSync(site.file('content/article/stale.md'));
    await eventually(async () => expect(await titles()).toEqual(['first', 'second']));
    expect(await page()).not.toContain('Fresh');
  });

  it('follows a save by rename, and a file that is written in two steps', async () => {
    writeFileSync(site.file('content/article/.second.tmp'), '---\ntitle: Renamed\nrating: 4\n---\n');
    renameSync(site.file('content/article/.second.tmp'), site.file('content/article/second.md'));
    const title = async () =>
      (await (await get('/jsonapi/node/article/second.json')).json()).data.attributes.title;
    await eventually(async () => expect(await title()).toBe('Renamed'));
    writeFileSync(site.file('content/article/second.md'), '---\ntitle: [Half');
    await eventually(async () => expect(server.output()).toMatch(/article\/second\.md:\d+:\d+ /));
    expect(await title()).toBe('Renamed');
    writeFileSync(site.file('content/article/second.md'), '---\ntitle: Whole\nrating: 4\n---\n');
    await eventually(async () => expect(await title()).toBe('Whole'));
  });

  it('follows hundreds of files in a few steps', async () => {
    const before = changes();
    for (let number = 0; number < 300; number++) article(`burst/${number}`.replace('/', '-'), 'Burst');
    const count = async () => (await (await get('/jsonapi/node/article')).json()).meta.count;
    await eventually(async () => expect(await count()).toBe(302));
    expect(changes() - before).toBeLessThan(10);
    for (let number = 0; number < 300; number++) rmSync(site.file(`content/article/burst-${number}.md`));
    await eventually(async () => expect(await count()).toBe(2));
  });

  it('follows folders: a new, a renamed and a removed bundle', async () => {
    const status = async (bundle: string) => (await get(`/jsonapi/node/${bundle}`)).status;
    mkdirSync(site.file('content/place'));
    writeFileSync(site.file('content/place/bay.md'), '---\ntitle: Bay\n---\n');
    await eventually(async () => expect(await status('place')).toBe(200));
    renameSync(site.file('content/place'), site.file('content/spot'));
    await eventually(async () => expect([await status('place'), await status('spot')]).toEqual([404, 200]));
    rmSync(site.file('content/spot'), { recursive: true });
    await eventually(async () => expect(await status('spot')).toBe(404));
  });

  it('follows the schema without a restart, and keeps the last valid one', async () => {
    const schema = site.file('content/schema.ts');
    const original = readFileSync(schema, 'utf8');
    const rating = async () =>
      (await (await get('/jsonapi/node/article/second.json')).json()).data.attributes.rating;
    writeFileSync(schema, SCHEMA('z.string()'));
    await eventually(async () => expect(server.output()).toMatch(/article\/first\.md:3:9 .*rating/));
    writeFileSync(schema, SCHEMA('z.number().transform((value) => value * 2)'));
    await eventually(async () => expect(await rating()).toBe(8));
    writeFileSync(schema, 'export default { article: ;\n');
    await eventually(async () => expect(server.output()).toMatch(/content\/schema\.ts:1:\d+ /));
    // The last valid schema applies, also to files that change in the meantime.
    expect(await rating()).toBe(8);
    article('second', 'Second', 'rating: 5');
    await eventually(async () => expect(await rating()).toBe(10));
    article('second', 'Second', 'rating: 4');
    writeFileSync(schema, original);
    await eventually(async () => expect(await rating()).toBe(4));
    // An imported module.
    writeFileSync(
      site.file('rating.ts'),
      "import { z } from 'astro-jsonapi/schema';\nexport const rating = z.int().max(3);\n",
    );
    await eventually(async () => expect(server.output()).toMatch(/article\/second\.md:3:9 /));
    writeFileSync(
      site.file('rating.ts'),
      "import { z } from 'astro-jsonapi/schema';\nexport const rating = z.int();\n",
    );
    const attributes = async () =>
      (await (await get('/jsonapi/node/article/second.json')).json()).data.attributes;
    await eventually(async () => expect(await attributes()).toHaveProperty('note'));
    rmSync(schema);
    await eventually(async () => expect(await attributes()).not.toHaveProperty('note'));
    writeFileSync(schema, original);
    await eventually(async () => expect(await attributes()).toHaveProperty('note'));
    expect(server.output().match(/watching for file changes/g)).toHaveLength(1);
  });
});

describe("astro dev with trailingSlash 'always' and an invalid schema from the start", () => {
  it('serves a page that was added first without a warning, and reports the schema in every response until it is fixed', async () => {
    const site = copySite('live', 'dev-broken');
    const original = readFileSync(site.file('content/schema.ts'), 'utf8');
    writeFileSync(site.file('content/schema.ts'), `${original}\nthrow new Error('no luck');\n`);
    writeFileSync(
      site.file('src/pages/[...rest].astro'),
      "---\nexport const getStaticPaths = () => [{ params: { rest: 'other' } }];\n---\n<p>Other</p>",
    );
    const server = await serveDev(site, { TRAILING_SLASH: 'always' }, '[status 400]');
    const get = (path: string) => fetch(server.origin + path);
    try {
      // Vite reports no file that appears while it still reads the folders: then the next one counts.
      let number = 0;
      await eventually(async () => {
        const name = `added-${++number}`;
        writeFileSync(site.file(`src/pages/${name}.astro`), '<p>Added</p>');
        await eventually(async () => expect(await (await get(`/${name}/`)).text()).toContain('Added'), {
          patienceMs: 5000,
        });
      });
      expect(await (await get('/other/')).text()).toContain('Other');
      expect(server.output()).not.toContain('src/fetch.ts');
      // Until Astro knows the new page, the other one gets requests for it.
      const unmatched = server.output().match(/.*no matching static path.*/g) ?? [];
      expect(unmatched.filter((line) => !line.includes('/added'))).toEqual([]);
      const api = () => get('/jsonapi/node/article');
      const broken = await api();
      expect(broken.status).toBe(500);
      const { errors } = await broken.json();
      expect(errors[0].detail).toMatch(/cannot be loaded.*schema\.ts:\d+:\d+ .*no luck/);
      expect((await get('/first/')).status).toBe(500);
      writeFileSync(site.file('content/schema.ts'), original);
      await eventually(async () => expect((await api()).status).toBe(200));
      expect(await (await get('/first/')).text()).toContain('First light');
      for (const path of ['/jsonapi/node/article', '/api/content/articles', '/jsonapi-explorer', '/admin']) {
        expect([(await get(path)).status, (await get(`${path}/`)).status], path).toEqual([200, 200]);
      }
      expect((await fetch(`${server.origin}/jsonapi/node/article`, { method: 'POST' })).status).toBe(415);
      expect((await get('/first')).status).toBe(404);
    } finally {
      await server.stop();
      site.remove();
    }
  });
});

function ids(document: { readonly data: readonly { readonly id: string }[] }): readonly string[] {
  return document.data.map(({ id }) => id);
}

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { build, copySite, type Served, type Site, serve, serveFiles } from './site.ts';

describe("a site with Astro's i18n", () => {
  let site: Site;
  let server: Served;
  let files: Served;

  beforeAll(async () => {
    site = copySite('languages', 'languages');
    await build(site, {}, 'static');
    await build(site, { SERVER: '1' }, 'dist');
    server = await serve(site);
    files = await serveFiles(site.file('static'));
  });
  afterAll(async () => {
    await Promise.all([server?.stop(), files?.stop()]);
    site?.remove();
  });

  // biome-ignore lint/suspicious/noExplicitAny: a document of any shape.
  const get = async (url: string): Promise<any> => {
    const response = await fetch(url);
    expect(response.status, url).toBe(200);
    return { language: response.headers.get('content-language'), ...(await response.json()) };
  };

  it.each([
    ['', 'about', 'About'],
    ['/de', 'about', 'Über uns'],
    ['/de', 'news', 'News'],
    ['/french', 'news', 'Actualités'],
    ['/french', 'about', 'Über uns'],
  ])('serves %s/jsonapi/node/article/%s on a server and as a file', async (prefix, id, title) => {
    const path = `${prefix}/jsonapi/node/article/${id}`;
    const served = await get(server.origin + path);
    const written = await get(`${files.origin}${path}.json`);
    expect([served.data.attributes.title, written.data.attributes.title]).toEqual([title, title]);
    expect(served.language).toBe(served.data.attributes.langcode);
    expect(served.data.links.self.href).toBe(server.origin + path);
    expect(written.data.links.self.href).toBe(`${path}.json`);
  });

  it('finds paths in each language', async () => {
    const { entity, jsonapi } = await get(`${server.origin}/router/translate-path?path=/de/ueber`);
    expect([entity.langcode, entity.path]).toEqual(['de', '/de/ueber']);
    expect((await get(jsonapi.individual)).data.attributes.title).toBe('Über uns');
  });

  it('has pages in each language', () => {
    const heading = (page: string) =>
      /<h1>(.*?)<\/h1>/.exec(readFileSync(site.file('static', page, 'index.html'), 'utf8'))?.[1];
    expect(['en/about', 'de/about', 'fr/about', 'fr/news'].map(heading)).toEqual([
      'About',
      'Über uns',
      'Über uns',
      'Actualités',
    ]);
  });

  it('leaves other paths of a language to the site', async () => {
    expect((await fetch(`${server.origin}/de/about`)).headers.get('content-type')).toContain('text/html');
    expect((await fetch(`${server.origin}/es/jsonapi/node/article`)).status).toBe(404);
  });
});

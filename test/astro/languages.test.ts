import { existsSync, readFileSync } from 'node:fs';
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
    const { langcode } = served.data.attributes;
    // The file of a fallback is that of its own language.
    const own = { en: '', de: '/de', fr: '/french' }[langcode as string];
    const file = `${own}/jsonapi/node/article/${id}.json`;
    const list = await get(`${files.origin}${prefix}/jsonapi/node/article.json`);
    const listed = list.data.find((each: { id: string }) => each.id === id);
    expect(listed.links.self.href).toBe(file);
    const written = await get(files.origin + file);
    expect([served.data.attributes.title, written.data.attributes.title]).toEqual([title, title]);
    expect(served.language).toBe(langcode);
    expect(served.data.links.self.href).toBe(server.origin + path);
    expect(written.data.links.self.href).toBe(file);
    if (own !== prefix) expect((await fetch(`${files.origin}${path}.json`)).status).toBe(404);
  });

  it('finds paths in each language', async () => {
    const { entity, jsonapi } = await get(`${server.origin}/router/translate-path?path=/de/ueber`);
    expect([entity.langcode, entity.path]).toEqual(['de', '/de/ueber']);
    expect((await get(jsonapi.individual)).data.attributes.title).toBe('Über uns');
  });

  const page = (name: string) => readFileSync(site.file('static', name, 'index.html'), 'utf8');
  const attributes = (html: string, name: string) =>
    [...html.matchAll(new RegExp(` ${name}="(.*?)"`, 'g'))].map(([, value]) => value);

  it.each([
    ['articles/about', 'en', 'About', { en: '/articles/about/', de: '/de/articles/about/' }],
    ['de/articles/about', 'de', 'Über uns', { en: '/articles/about/', de: '/de/articles/about/' }],
    ['french/articles/news', 'fr', 'Actualités', { en: '/articles/news/', fr: '/french/articles/news/' }],
  ])('has the page %s, which links to its translations', (name, lang, title, translations) => {
    expect(page(name)).toContain(`<h1>${title}</h1>`);
    expect(attributes(page(name), 'lang')).toEqual([lang]);
    expect(attributes(page(name), 'hreflang')).toEqual(Object.keys(translations));
    expect(attributes(page(name), 'href')).toEqual(Object.values(translations));
  });

  it('has no page for a missing translation', () => {
    expect(existsSync(site.file('static/de/articles/news'))).toBe(false);
  });

  it.each([
    ['', ['en', 'en', 'en', 'en']],
    ['de/', ['de', 'de', 'de', 'en']],
    ['french/', ['fr', 'de', 'fr', 'fr']],
  ])('paginates %sjournal, with fallbacks', (prefix, languages) => {
    const [first, second] = [page(`${prefix}journal`), page(`${prefix}journal/2`)];
    expect([first, second].flatMap((html) => attributes(html, 'lang'))).toEqual(languages);
    expect(attributes(first, 'href')).toEqual([`/${prefix}journal/2`]);
    expect(attributes(second, 'href')).toEqual([`/${prefix}journal`]);
  });

  it('has content collections in a language', () => {
    const html = readFileSync(site.file('static/collections/index.html'), 'utf8');
    const text = (id: string) => new RegExp(`<p id="${id}">(.*?)</p>`).exec(html)?.[1];
    expect([text('article'), text('articleDe'), text('author')]).toEqual([
      'about: About, news: News',
      'about: Über uns',
      'Ada',
    ]);
    expect(html).toContain('<p>Der Text.</p>');
  });

  it('leaves other paths of a language to the site', async () => {
    expect((await fetch(`${server.origin}/de/articles/about`)).headers.get('content-type')).toContain(
      'text/html',
    );
    expect((await fetch(`${server.origin}/es/jsonapi/node/article`)).status).toBe(404);
  });
});

import { beforeAll, describe, expect, it } from 'vitest';
import type { Actor } from '../../../integration/core/access/actor.ts';
import { siteLanguages } from '../../../integration/core/content/languages.ts';
import { splitLanguage } from '../../../integration/core/read/language-paths.ts';
import type { Handler } from '../../../integration/core/server/handler.ts';
import { defineSchema, reference, untranslated, z } from '../../../integration/schema.ts';
import { createHandler } from '../../support/handler.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { fetchFrom, ORIGIN } from '../../support/request.ts';
import { createServices, staticFiles } from '../../support/services.ts';

const languages = siteLanguages({
  defaultLocale: 'en',
  locales: ['en', 'de', 'fr', 'it'],
  fallback: { it: 'fr' },
});

const FILES = {
  'article/about.md': '---\ntitle: About\npath: /about\nrating: 3\nauthor: ada\n---\nThe runners ran.\n',
  'article/about.de.md': '---\ntitle: Über uns\npath: /ueber\n---\nDie Läufer liefen.\n',
  'article/about.fr.md': '---\ntitle: À propos\npath: /a-propos\n---\nNous courons.\n',
  'article/news.md': '---\ntitle: News\nrating: 5\nauthor: ada\n---\n',
  'article/news.fr.md': '---\ntitle: Actualités\nstatus: false\n---\n',
  'article/secret.md': '---\ntitle: Secret\nstatus: false\n---\n',
  'article/secret.de.md': '---\ntitle: Geheim\n---\n',
  'person/ada.md': '---\ntitle: Ada\n---\n',
  'person/ada.de.md': '---\ntitle: Ada (deutsch)\n---\n',
  'menu_link_content--main/about.md': '---\ntitle: About\nurl: article/about\n---\n',
  'menu_link_content--main/about.fr.md': '---\ntitle: À propos\nurl: article/about\n---\n',
};
const schema = defineSchema({
  article: { rating: untranslated(z.int()).nullish(), author: untranslated(reference('person').nullish()) },
  person: {},
  'menu_link_content--main': { url: reference('article') },
});
const EDITOR: Actor = { name: 'ed', roles: ['administrator'] };

let handle: Handler;
let services: Awaited<ReturnType<typeof createServices>>;
beforeAll(async () => {
  services = await createServices(createMemoryDriver(FILES), schema, {
    settings: { languages, staticQueries: { german: '/node/article?langCode=de' } },
    writable: {},
  });
  handle = createHandler(services);
});

// biome-ignore lint/suspicious/noExplicitAny: a document of any shape.
async function get(path: string, actor?: Actor): Promise<any> {
  const response = await fetchFrom(handle, path, actor ? { actor } : {});
  return {
    status: response.status,
    language: response.headers.get('content-language'),
    ...(await response.json()),
  };
}

async function titles(path: string, actor?: Actor): Promise<readonly string[]> {
  const { data } = await get(path, actor);
  return data.map(
    (each: { attributes?: { title: string }; title?: string }) => each.attributes?.title ?? each.title,
  );
}

describe('a resource', () => {
  it.each([
    ['/jsonapi/node/article/about', 'en', 'About'],
    ['/jsonapi/node/article/about?langCode=de', 'de', 'Über uns'],
    ['/jsonapi/node/article/about?langCode=DE', 'de', 'Über uns'],
    ['/de/jsonapi/node/article/about', 'de', 'Über uns'],
    ['/DE/jsonapi/node/article/about', 'de', 'Über uns'],
    ['/de/jsonapi/node/article/about?langCode=fr', 'fr', 'À propos'],
    ['/jsonapi/node/article/about?langCode=it&includeFallback=1', 'fr', 'À propos'],
    ['/jsonapi/node/article/about?langCode=it&includeFallback=true', 'fr', 'À propos'],
    ['/it/jsonapi/node/article/about', 'fr', 'À propos'],
    ['/de/jsonapi/node/article/news', 'en', 'News'],
    ['/fr/jsonapi/node/article/news', 'en', 'News'],
    ['/de/jsonapi/node/article/secret', 'de', 'Geheim'],
  ])('%s is in %s', async (path, language, title) => {
    const document = await get(path);
    expect([
      document.status,
      document.language,
      document.data.attributes.langcode,
      document.data.attributes.title,
    ]).toEqual([200, language, language, title]);
  });

  it.each([
    '/jsonapi/node/article/about?langCode=it',
    '/jsonapi/node/article/about?langCode=it&includeFallback=false',
    '/jsonapi/node/article/nothing?langCode=de',
    '/jsonapi/node/article/news?langCode=de',
    '/jsonapi/node/article/secret',
    '/fr/jsonapi/node/article/secret',
    '/xx/jsonapi/node/article/about',
  ])('%s does not exist', async (path) => {
    const response = await handle(new Request(ORIGIN + path));
    expect(response?.status ?? 404).toBe(404);
  });

  it('does not reveal an unpublished translation', async () => {
    const hidden = await get('/jsonapi/node/article/news?langCode=fr');
    const missing = await get('/jsonapi/node/article/news?langCode=de');
    expect(hidden).toEqual(missing);
    expect((await get('/jsonapi/node/article/news?langCode=fr', EDITOR)).data.attributes.title).toBe(
      'Actualités',
    );
  });

  it('reads untranslated fields of its source, and targets in its language', async () => {
    const { data, included } = await get('/de/jsonapi/node/article/about?include=author');
    expect(data.attributes.rating).toBe(3);
    expect(included[0].attributes.title).toBe('Ada (deutsch)');
    const strict = await get('/jsonapi/node/article/about?langCode=fr&include=author');
    expect(strict.included[0].attributes.title).toBe('Ada');
    expect(strict.included[0].links.self.href).toBe(`${ORIGIN}/jsonapi/node/person/ada?langCode=en`);
  });

  it('lists the translations that the actor may see', async () => {
    const { data } = await get('/jsonapi/node/article/about');
    expect(data.meta.translations).toEqual({
      en: { href: `${ORIGIN}/jsonapi/node/article/about?langCode=en`, status: true },
      de: { href: `${ORIGIN}/jsonapi/node/article/about?langCode=de`, status: true },
      fr: { href: `${ORIGIN}/jsonapi/node/article/about?langCode=fr`, status: true },
    });
    const prefixed = await get('/fr/jsonapi/node/article/about');
    expect(prefixed.data.meta.translations.de.href).toBe(`${ORIGIN}/de/jsonapi/node/article/about`);
    expect(prefixed.data.meta.translations.en.href).toBe(`${ORIGIN}/jsonapi/node/article/about`);
    expect((await get('/jsonapi/node/article/news')).data.meta.translations).toBeUndefined();
    expect((await get('/jsonapi/node/article/news', EDITOR)).data.meta.translations.fr.status).toBe(false);
    expect((await get('/jsonapi/node/article/news')).data.meta.translations).toBeUndefined();
  });

  it('lists an unpublished translation only for the accounts that may see it, whoever reads first', async () => {
    const translationsFor = async (name: string, roles: readonly string[]) => {
      const { data } = await get('/jsonapi/node/article/news', { name, roles });
      return Object.keys(data.meta.translations ?? {});
    };
    expect(await translationsFor('ed', ['editor'])).toEqual(['en', 'fr']);
    expect(await translationsFor('rita', [])).toEqual([]);
    expect(await translationsFor('ed', ['editor'])).toEqual(['en', 'fr']);
  });

  it('does not reveal that an unpublished source has changed', async () => {
    const at = (changed: string, others: string) => `---\nchanged: 2026-0${changed}-01\n${others}---\n`;
    const site = async (sourceChanged: string) => {
      const files = {
        'article/a.md': at(sourceChanged, 'status: false\n'),
        'article/a.de.md': at('2', ''),
        'article/a.fr.md': at('2', ''),
      };
      const opened = await createServices(createMemoryDriver(files), schema, { settings: { languages } });
      return createHandler(opened);
    };
    const [before, after] = [await site('1'), await site('3')];
    for (const path of [
      '/de/jsonapi/node/article/a',
      '/de/jsonapi/node/article',
      '/de/api/content/articles/a',
    ]) {
      const read = async (from: Handler) => {
        const response = await fetchFrom(from, path);
        return [response.status, [...response.headers], await response.text()];
      };
      expect(await read(after), path).toEqual(await read(before));
    }
    const { data } = await (await fetchFrom(after, '/jsonapi/node/article/a', { actor: EDITOR })).json();
    expect(data.meta.translations.de.outdated).toBe(true);
  });

  it.each([
    ['/fr/jsonapi/node/article/about', `${ORIGIN}/fr/jsonapi/node/article/about`],
    ['/jsonapi/node/article/about?langCode=fr', `${ORIGIN}/jsonapi/node/article/about?langCode=fr`],
  ])('of %s has links that keep the language', async (path, self) => {
    const { data, links } = await get(path);
    expect([links.self.href, data.links.self.href]).toEqual([self, self]);
    const { related } = data.relationships.author.links;
    expect((await get(related.href.slice(ORIGIN.length))).data.attributes.title).toBe('Ada');
  });
});

describe('a collection', () => {
  it.each<[string, readonly string[]]>([
    ['/jsonapi/node/article', ['About', 'News']],
    ['/jsonapi/node/article?langCode=de', ['Über uns', 'Geheim']],
    ['/jsonapi/node/article?langCode=de&includeFallback=1', ['Über uns', 'News', 'Geheim']],
    ['/de/jsonapi/node/article', ['Über uns', 'News', 'Geheim']],
    ['/jsonapi/node/article?langCode=fr', ['À propos']],
    ['/it/jsonapi/node/article', ['À propos', 'News']],
    ['/de/jsonapi/node/article?sort=-title', ['Über uns', 'News', 'Geheim']],
    ['/de/jsonapi/node/article?filter[author.title]=Ada (deutsch)', ['Über uns', 'News']],
    ['/de/jsonapi/node/article?filter[title][operator]=CONTAINS&filter[title][value]=about', []],
    ['/jsonapi/node/article?filter[langcode]=en', ['About', 'News']],
    ['/de/jsonapi/node/article?filter[langcode]=de', ['Über uns', 'Geheim']],
    ['/jsonapi/node/article?filter[fulltext]=runner', ['About']],
    ['/de/jsonapi/node/article?filter[fulltext]=läufer', ['Über uns']],
    ['/jsonapi/node/article?filter[fulltext]=läufer', []],
    ['/fr/api/content/articles', ['À propos', 'News']],
    ['/api/content/articles?langCode=de', ['Über uns', 'Geheim']],
  ])('%s', async (path, expected) => {
    expect(await titles(path)).toEqual(expected);
  });

  it.each([
    ['/jsonapi/node/article', ['About', 'News']],
    ['/jsonapi/node/article?langCode=de', ['Geheim', 'Über uns']],
    ['/fr/jsonapi/node/article', ['À propos', 'News']],
  ])('%s has facets of the same entities', async (path, expected) => {
    const { meta } = await get(`${path}${path.includes('?') ? '&' : '?'}facetBy[title][limit]=9`);
    const values = JSON.stringify(meta.facets);
    expect(expected.filter((title) => values.includes(title))).toEqual(expected);
    expect(values.match(/"count":1/g)).toHaveLength(expected.length);
  });

  it('is the same with an unpublished translation and without a translation', async () => {
    const without = await createServices(
      createMemoryDriver(
        Object.fromEntries(Object.entries(FILES).filter(([key]) => key !== 'article/news.fr.md')),
      ),
      schema,
      { settings: { languages } },
    );
    for (const path of [
      '/fr/jsonapi/node/article',
      '/jsonapi/node/article',
      '/jsonapi/node/article?langCode=fr',
      '/fr/jsonapi/node/article/news',
    ]) {
      const read = async (from: Handler) => {
        const response = await fetchFrom(from, path);
        return [response.status, [...response.headers], await response.text()];
      };
      expect(await read(createHandler(without)), path).toEqual(await read(handle));
    }
  });
});

describe('errors', () => {
  it.each([
    ['langCode=xx', 'langCode', 'en, de, fr, it'],
    ['langCode=', 'langCode', 'en, de, fr, it'],
    [`langCode=${'x'.repeat(99)}`, 'langCode', `'${'x'.repeat(40)}' is not a language`],
    ['includeFallback=1', 'includeFallback', 'langCode'],
    ['langCode[]=de', 'langCode', 'without brackets'],
    ['langCode=de&includeFallback[x]=1', 'includeFallback', 'without brackets'],
    ['langcode=de', 'langcode', 'langCode, includeFallback'],
    ['langCode=de&includeFallback=maybe', 'includeFallback', '1 or 0'],
  ])('?%s names %s', async (query, parameter, choices) => {
    for (const path of ['/jsonapi/node/article', '/jsonapi/node/article/about', '/api/content/articles']) {
      const { status, errors, error } = await get(`${path}?${query}`);
      const first = errors?.[0] ?? error;
      expect([status, first.source.parameter], path).toEqual([400, parameter]);
      expect(first.detail).toContain(choices);
    }
  });
});

it('a write without a language changes the source', async () => {
  const own = await createServices(createMemoryDriver(FILES), schema, {
    settings: { languages },
    writable: {},
  });
  const response = await fetchFrom(createHandler(own), '/jsonapi/node/article/about', {
    method: 'PATCH',
    body: { data: { type: 'node--article', id: 'about', attributes: { rating: 4 } } },
    actor: EDITOR,
  });
  expect(response.status).toBe(200);
  const ratings = own.store.translations('node--article', 'about').map(({ values }) => values.rating);
  expect(ratings).toEqual([4, 4, 4]);
});

it('deleting the target of an untranslated reference clears it in the source file only', async () => {
  const driver = createMemoryDriver({
    'article/a.md': '---\ntitle: A\nauthor: bob\n---\n',
    'article/a.de.md': '---\ntitle: A (deutsch)\n---\n',
    'person/bob.md': '---\ntitle: Bob\n---\n',
  });
  const options = { requireIfMatch: false, onDelete: 'set-null' } as const;
  const own = await createServices(driver, schema, { settings: { languages }, writable: { options } });
  const before = await driver.read('article/a.de.md');
  const response = await fetchFrom(createHandler(own), '/jsonapi/node/person/bob', {
    method: 'DELETE',
    actor: EDITOR,
  });
  expect(response.status).toBe(204);
  const authors = own.store.translations('node--article', 'a').map(({ values }) => values.author);
  expect(authors).toEqual([null, null]);
  expect(await driver.read('article/a.de.md')).toEqual(before);
});

describe('/router/translate-path', () => {
  it.each([
    ['/about', 'en', '/about', '/jsonapi/node/article/about'],
    ['/fr/a-propos', 'fr', '/fr/a-propos', '/fr/jsonapi/node/article/about'],
    ['/de/node/article/about', 'de', '/de/ueber', '/de/jsonapi/node/article/about'],
    ['/it/a-propos', 'fr', '/it/a-propos', '/it/jsonapi/node/article/about'],
  ])('finds %s', async (path, langcode, resolved, individual) => {
    const answer = await get(`/router/translate-path?path=${path}`);
    expect([answer.entity.langcode, answer.resolved, answer.jsonapi.individual]).toEqual([
      langcode,
      ORIGIN + resolved,
      ORIGIN + individual,
    ]);
  });

  it('prefers an entity in the language of the path', async () => {
    const files = {
      'article/a.md': '---\npath: /same\n---\n',
      'article/b.md': '---\npath: /other\n---\n',
      'article/b.de.md': '---\npath: /same\n---\n',
    };
    const site = createHandler(
      await createServices(createMemoryDriver(files), schema, { settings: { languages } }),
    );
    for (const [path, id] of [
      ['/same', 'a'],
      ['/de/same', 'b'],
      ['/fr/same', 'a'],
    ]) {
      const response = await fetchFrom(site, `/router/translate-path?path=${path}`);
      expect((await response.json()).entity.id, path).toBe(id);
    }
  });

  it.each(['/a-propos', '/fr/about', '/ueber'])('does not find %s', async (path) => {
    expect((await get(`/router/translate-path?path=${path}`)).status).toBe(404);
  });
});

it.each([
  ['', '/PT-br/sobre'],
  ['/site', '/site/pt-br/sobre'],
])('with base "%s", the path %s names its language', (base, path) => {
  const portuguese = siteLanguages({ defaultLocale: 'en', locales: ['en', 'pt-BR'] });
  expect(splitLanguage({ base, languages: portuguese }, path)).toEqual({ langcode: 'pt-BR', path: '/sobre' });
});

describe('a menu', () => {
  it.each([
    ['/jsonapi/menu_items/main', 'About', '/about'],
    ['/fr/jsonapi/menu_items/main', 'À propos', '/fr/a-propos'],
    ['/jsonapi/menu_items/main?langCode=fr', 'À propos', '/fr/a-propos'],
    ['/de/jsonapi/menu_items/main', 'About', '/de/ueber'],
    ['/de/jsonapi/menu_items/main?langCode=fr', 'À propos', '/fr/a-propos'],
  ])('%s is translated, with the pages it links to', async (path, title, url) => {
    const [item] = (await get(path)).data;
    expect([item.attributes.title, item.attributes.url]).toEqual([title, url]);
  });
});

it('OpenAPI describes langCode at every address that returns content', async () => {
  const { paths } = await get('/jsonapi/openapi.json');
  const without = Object.entries<{ get?: { parameters?: readonly { name: string }[] } }>(paths).flatMap(
    ([path, { get: operation }]) => {
      const names = operation?.parameters?.map(({ name }) => name) ?? [];
      return operation === undefined || names.includes('langCode') ? [] : [path];
    },
  );
  const others = /^\/(?:healthz|router\/translate-path)$|\/(?:resource\/schema|_jobs\/\{id\})$/;
  expect(without.filter((path) => !others.test(path))).toEqual([]);
});

describe('a listed query with langCode', () => {
  it.each([
    ['/jsonapi/views/german/default', 'de', ['Über uns', 'Geheim']],
    ['/fr/jsonapi/views/german/default', 'de', ['Über uns', 'Geheim']],
    ['/jsonapi/views/german/default?langCode=fr', 'fr', ['À propos']],
  ])('is a view: %s is in %s', async (path, language, expected) => {
    expect(await titles(path)).toEqual(expected);
    const document = await get(path);
    expect(document.language).toBe(language);
    const { href } = document.data[0].links.self;
    expect((await get(href.slice(ORIGIN.length))).data.attributes.title).toBe(expected[0]);
  });

  it.each(['jsonapi/q/german.json', 'fr/jsonapi/q/german.json'])('is the file %s', async (path) => {
    const { data } = JSON.parse((await staticFiles(services)).get(path) ?? '');
    expect(data.map(({ links }: { links: { self: { href: string } } }) => links.self.href)).toEqual([
      '/de/jsonapi/node/article/about.json',
      '/de/jsonapi/node/article/secret.json',
    ]);
  });
});

describe('static files', () => {
  it('are below the path of each language', async () => {
    const files = await staticFiles(services);
    const { data } = JSON.parse(files.get('de/jsonapi/node/article/about.json') ?? '');
    expect(data.attributes.title).toBe('Über uns');
    expect(data.links.self.href).toBe('/de/jsonapi/node/article/about.json');
    expect(data.meta.translations.fr.href).toBe('/fr/jsonapi/node/article/about.json');
    expect(data.meta.translations.en.href).toBe('/jsonapi/node/article/about.json');
    expect(files.has('jsonapi/node/article/secret.json')).toBe(false);
    expect(files.has('de/jsonapi/node/article/secret.json')).toBe(true);
    expect(
      [...files.keys()].filter((path) => path.startsWith('en/') || path.endsWith('openapi.json')),
    ).toEqual(['jsonapi/openapi.json']);
  });
});

it('a site without languages ignores langCode, as before', async () => {
  const plain = createHandler(
    await createServices(createMemoryDriver({ 'article/a.md': '---\ntitle: A\n---\n' })),
  );
  const response = await fetchFrom(plain, '/jsonapi/node/article/a?langCode=de');
  const { meta } = await response.json();
  expect([response.status, response.headers.get('content-language'), meta.ignored]).toEqual([
    200,
    null,
    ['langCode'],
  ]);
});

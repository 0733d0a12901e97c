import { expect, it } from 'vitest';
import { createContentApi } from '../../../integration/core/builder/index.ts';
import { siteLanguages } from '../../../integration/core/content/languages.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { createServices } from '../../support/services.ts';

const FILES = {
  'article/about.md': '---\ntitle: About\nauthor: person/ada\n---\n',
  'article/about.de.md': '---\ntitle: Über uns\nauthor: person/ada\n---\n',
  'article/news.md': '---\ntitle: News\n---\n',
  'person/ada.md': '---\ntitle: Ada\n---\n',
  'person/ada.de.md': '---\ntitle: Ada (deutsch)\n---\n',
};
const languages = siteLanguages({ defaultLocale: 'en', locales: ['en', 'de'] });
const content = createContentApi(
  await createServices(createMemoryDriver(FILES), undefined, { settings: { languages } }),
);
const { entities } = content;

it.each([
  [{}, ['About', 'News']],
  [{ lang: 'en' }, ['About', 'News']],
  [{ lang: 'de' }, ['Über uns']],
  [{ lang: 'de', fallback: true }, ['Über uns', 'News']],
])('entities with %j are in that language', async (options, titles) => {
  expect((await entities('article', options).all()).map(({ title }) => title)).toEqual(titles);
  expect(await entities('article', options).count()).toBe(titles.length);
});

it('gets one entity, with its references, in a language', async () => {
  const german = entities('article', { lang: 'de' });
  expect(await german.include('author').get('about')).toMatchObject({
    langcode: 'de',
    title: 'Über uns',
    author: { title: 'Ada (deutsch)' },
  });
  expect(await german.get('news')).toBeUndefined();
  expect(await entities('article', { lang: 'de', fallback: true }).get('news')).toMatchObject({
    langcode: 'en',
  });
});

it('has a URL with the language, which returns the same', async () => {
  const url = entities('article', { lang: 'de', fallback: true }).sort('title').toUrl();
  expect(url).toBe('/jsonapi/node/article?sort=title&langCode=de&includeFallback=1');
  const { data } = await content.jsonapi(url);
  expect(data).toMatchObject([{ attributes: { title: 'News' } }, { attributes: { title: 'Über uns' } }]);
  const prefixed = await content.jsonapi('/de/jsonapi/node/article/about');
  expect(prefixed).toMatchObject({ data: { attributes: { title: 'Über uns' } } });
});

it.each([
  [
    { lang: 'xx' },
    `entities('article', { lang: 'xx' }): "xx" is not a language of the site. Languages: en, de.`,
  ],
  [{ fallback: true }, "entities('article', { fallback: true }): fallback needs a language."],
])('%j is an error that names the choices', async (options, message) => {
  await expect(entities('article', options).all()).rejects.toThrow(message);
});

it('a language is an error on a site without languages', async () => {
  const plain = createContentApi(await createServices(createMemoryDriver(FILES)));
  await expect(plain.entities('article', { lang: 'de' }).all()).rejects.toThrow('Set i18n in astro.config.');
});

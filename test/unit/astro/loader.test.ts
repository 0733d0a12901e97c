import type { LoaderContext } from 'astro/loaders';
import { expect, it, vi } from 'vitest';
import { registerProject } from '../../../integration/astro/runtime-registry.ts';
import { siteLanguages } from '../../../integration/core/content/languages.ts';
import { jsonapiLoader } from '../../../integration/loader.ts';
import { defineSchema, reference, untranslated, z } from '../../../integration/schema.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { createServices } from '../../support/services.ts';

interface Entry {
  readonly id: string;
  readonly filePath: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly body?: string;
  readonly rendered?: { readonly html: string };
}

/** A site, and a function that fills a collection as Astro does. */
async function openSite(name: string, ...content: Parameters<typeof createServices>) {
  const services = await createServices(...content);
  const root = new URL(`file:///${name}/`);
  registerProject(root, {
    open: async () => ({ services }),
    locate: (key) => ({ absolute: `/${key}`, relative: key, url: new URL(key, root) }),
    mdx: false,
    filled: new Map(),
  });
  const renderMarkdown = vi.fn(async () => ({ html: '<p>Text.</p>' }));
  const warn = vi.fn();
  return {
    renderMarkdown,
    warn,
    /** `lang` can be any string, as in JavaScript. */
    async load(bundle: string, options: object = {}): Promise<ReadonlyMap<string, Entry>> {
      const entries = new Map<string, Entry>();
      const context = {
        collection: 'article',
        config: { root },
        store: {
          keys: () => [],
          get: () => undefined,
          set: (entry: Entry) => entries.set(entry.id, entry),
        },
        parseData: async ({ data }: { readonly data: unknown }) => data,
        renderMarkdown,
        logger: { warn },
      };
      await jsonapiLoader(bundle, options).load(context as unknown as LoaderContext);
      return entries;
    },
  };
}

it('a body that is too heavy to render is text in its collection, and a warning names the file', async () => {
  const body = '"<b>" '.repeat(20_000);
  const { load, renderMarkdown, warn } = await openSite(
    'heavy-body',
    createMemoryDriver({
      'article/heavy.md': `---\ntitle: Heavy\n---\n${body}`,
      'article/light.md': '---\ntitle: Light\n---\nText.',
    }),
  );
  const entries = await load('article');
  expect(entries.get('heavy')?.rendered?.html.slice(0, 20)).toBe('<pre>&quot;&lt;b&gt;');
  expect(entries.get('light')?.rendered?.html).toBe('<p>Text.</p>');
  expect(renderMarkdown).toHaveBeenCalledTimes(1);
  expect(warn.mock.calls).toEqual([
    [expect.stringContaining('The body of article/heavy.md is shown as plain text')],
  ]);
});

const TRANSLATED = createMemoryDriver({
  'article/about.md': '---\ntitle: About\nrating: 3\nauthor: ada\n---\nHere.',
  'article/about.de.md': '---\ntitle: Über uns\nauthor: ada\n---\nHier.',
  'article/news.md': '---\ntitle: News\n---\n',
  'article/news.fr.md': '---\ntitle: Actualités\n---\n',
  'article/plan.md': '---\ntitle: Plan\n---\n',
  'article/plan.de.md': '---\ntitle: Entwurf\nstatus: false\n---\n',
  'person/ada.md': '---\ntitle: Ada\n---\n',
});
const openTranslated = (locales: readonly string[] = ['en', 'de', 'fr']) =>
  openSite(
    'translated',
    TRANSLATED,
    defineSchema({
      article: { rating: untranslated(z.int()).nullish(), author: reference('person').nullish() },
      person: {},
    }),
    {
      settings: {
        languages:
          locales.length === 1
            ? undefined
            : siteLanguages({ defaultLocale: 'en', locales, fallback: { de: 'fr' } }),
      },
    },
  );

it.each<[string, object, readonly string[]]>([
  ['the default language', {}, ['about: About', 'news: News', 'plan: Plan']],
  ['a language', { lang: 'de' }, ['about: Über uns']],
  ['another name of it', { lang: 'DE' }, ['about: Über uns']],
  [
    'a language or its fallbacks',
    { lang: 'de', fallback: true },
    ['about: Über uns', 'news: Actualités', 'plan: Plan'],
  ],
  [
    'a language, unpublished entries too',
    { lang: 'de', as: 'everyone' },
    ['about: Über uns', 'plan: Entwurf'],
  ],
])('a collection contains entries in %s', async (_, options, titles) => {
  const { load } = await openTranslated();
  const entries = await load('article', options);
  expect([...entries.values()].map(({ id, data }) => `${id}: ${data.title}`)).toEqual(titles);
});

it('an entry in a language has the file and the text of its translation, and references to all entities', async () => {
  const { load } = await openTranslated();
  expect((await load('article', { lang: 'de' })).get('about')).toMatchObject({
    filePath: 'article/about.de.md',
    body: 'Hier.',
    data: { langcode: 'de', rating: 3, author: { collection: 'person', id: 'ada' } },
  });
});

it.each<[readonly string[], object, string]>([
  [['en', 'de'], { lang: 'xx' }, `"xx" is not a language of the site. Languages: en, de.`],
  [['en', 'de'], { fallback: true }, "fallback needs a language. Write { lang: '…', fallback: true }."],
  [['en'], { lang: 'de' }, 'the site has one language. Set i18n in astro.config.'],
])('on a site with %j, the options %j are an error', async (locales, options, message) => {
  const { load } = await openTranslated(locales);
  await expect(load('article', options)).rejects.toThrow(`jsonapiLoader('article'): ${message}`);
});

import { describe, expect, it } from 'vitest';
import { encodeFile } from '../../../integration/core/content/encode/encode-file.ts';
import { siteLanguages } from '../../../integration/core/content/languages.ts';
import { createEntityStore, storeTarget } from '../../../integration/core/engine/store/entity-store.ts';
import { defineSchema, untranslated, z } from '../../../integration/schema.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { type CollectSettings, collect, createTestCollector, type Files } from './collect.ts';

const languages = siteLanguages({
  defaultLocale: 'en',
  locales: ['en', 'de', { path: 'french', codes: ['fr', 'fr-CA'] }],
});

const ABOUT = '---\ntitle: About us\n---\nText.\n';
const UEBER = '---\ntitle: Über uns\n---\nText.\n';

function collectAll(files: Files, settings: CollectSettings = {}) {
  return collect(files, { languages, ...settings });
}

/** `id language title` of each entity. */
async function rows(files: Files, settings: CollectSettings = {}): Promise<readonly string[]> {
  const { entities } = await createTestCollector(createMemoryDriver(files), {
    languages,
    ...settings,
  }).load();
  return entities
    .map(({ id, translation, values }) => `${id} ${translation ?? '-'} ${values.langcode} ${values.title}`)
    .sort();
}

describe('the file of a translation', () => {
  it.each([
    ['has the language before its extension', 'article/about.de.md', UEBER],
    ['is in a folder of the language in the bundle', 'article/de/about.md', UEBER],
    ['is in a folder of the language', 'de/article/about.md', UEBER],
    [
      'names its source',
      'article/ueber-uns.md',
      `---\ntranslationOf: about\nlangcode: de\n${UEBER.slice(4)}`,
    ],
    ['has the id of its source', 'article/ueber.de.md', `---\nid: about\n${UEBER.slice(4)}`],
  ])('%s', async (_, key, text) => {
    expect(await rows({ 'article/about.md': ABOUT, [key]: text })).toEqual([
      'about - en About us',
      'about de de Über uns',
    ]);
  });

  it.each([
    ['article/about.md', 'article/about.de.md'],
    ['article/about.en.md', 'article/de/about.md'],
    ['article/about/index.md', 'article/de/about/index.md'],
    ['en/article/about.md', 'de/article/about.md'],
  ])('%s and %s have the title `about` without one of their own', async (source, translation) => {
    expect(await rows({ [source]: 'Text.\n', [translation]: 'Text.\n' })).toEqual([
      'about - en about',
      'about de de about',
    ]);
  });

  it('gets no id that its path implies below the folder of a language', async () => {
    const { collector } = await collectAll({ 'en/article/about.md': ABOUT });
    const key = 'en/article/news.md';
    const context = { ...collector.encoding(key)!, key, entity: null };
    const text = (id: string) =>
      new TextDecoder().decode(encodeFile(null, { title: 'News' }, { ...context, id }).bytes);
    expect(text('news')).toBe('---\ntitle: News\n---\n');
    expect(text('other')).toBe('---\ntitle: News\nid: other\n---\n');
  });

  it('can have any name of a configured language', async () => {
    const files = { 'article/about.md': ABOUT, 'french/article/about.md': '---\ntitle: À propos\n---\n' };
    expect(await rows(files)).toEqual(['about - en About us', 'about fr fr À propos']);
    const others = { 'article/about.md': ABOUT, 'article/about.FR-ca.md': '---\ntitle: À propos\n---\n' };
    expect(await rows(others)).toEqual(['about - en About us', 'about fr fr À propos']);
  });

  it('belongs to the entity of its source, whatever its id', async () => {
    const source = '---\nid: 0b8b3a0e\ntitle: About us\n---\n';
    expect(await rows({ 'article/about.md': source, 'article/about.de.md': UEBER })).toEqual([
      '0b8b3a0e - en About us',
      '0b8b3a0e de de Über uns',
    ]);
  });

  it('is a source in the default language', async () => {
    expect(await rows({ 'en/article/about.md': ABOUT, 'de/article/about.md': UEBER })).toEqual([
      'about - en About us',
      'about de de Über uns',
    ]);
  });

  it('is an ordinary file on a site without languages', async () => {
    const files = { 'article/about.md': ABOUT, 'article/about.de.md': UEBER, 'article/de/x.md': UEBER };
    expect(await rows(files, { languages: undefined })).toEqual([
      'about - en About us',
      'about.de - en Über uns',
      'de/x - en Über uns',
    ]);
  });
});

describe('problems of translations', () => {
  it.each([
    [
      'that name a source that does not exist',
      { 'article/x.md': '---\ntitle: X\ntranslationOf: about\nlangcode: de\n---\n' },
      'content/article/x.md:3:16 warning: `translationOf` names `about`, which does not exist. The file is a page in `de` only.',
    ],
    [
      'without a language',
      { 'article/a.md': ABOUT, 'article/x.md': '---\ntranslationOf: a\n---\n' },
      'content/article/x.md:2:16 The translation has no language.',
    ],
    [
      'in the same language as another file',
      { 'article/a.md': ABOUT, 'article/a.de.md': UEBER, 'de/article/a.md': UEBER },
      'content/de/article/a.md:1:1 `de/article/a.md` and `article/a.de.md` are the same entity in the same language, `de`; only `article/a.de.md` is served.',
    ],
    [
      'in the language of the source',
      { 'article/a.md': `---\nlangcode: de\n${ABOUT.slice(4)}`, 'article/a.de.md': UEBER },
      'content/article/a.de.md:1:1 `article/a.de.md` and `article/a.md` are the same entity in the same language, `de`; only `article/a.md` is served.',
    ],
    [
      'in a language that the site does not have',
      { 'article/a.md': '---\nlangcode: it\n---\n' },
      'content/article/a.md:2:11 `it` is not a language of the site.',
    ],
    [
      'with another language than their path',
      { 'article/a.md': ABOUT, 'article/a.de.md': '---\nlangcode: fr\n---\n' },
      'content/article/a.de.md:2:11 `langcode` is `fr`, but the path of the file says `de`.',
    ],
  ])('%s', async (_, files, problem) => {
    const { problems } = await collectAll(files as Files);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(problem);
  });

  it('do not repeat those of an unreadable source', async () => {
    const { problems } = await collectAll({
      'article/a.md': '---\ntitle: [\n---\n',
      'article/a.de.md': UEBER,
    });
    expect(problems.filter((problem) => problem.includes('a.de.md'))).toEqual([]);
  });
});

describe('a page that does not exist in the default language', () => {
  it('is an entity in the language that it has, and one line of information counts such pages', async () => {
    const files = {
      'article/about.md': ABOUT,
      'article/nur-hier.de.md': UEBER,
      'de/article/neu.md': UEBER,
      'fr/article/nouveau.md': UEBER,
    };
    expect(await rows(files)).toEqual([
      'about - en About us',
      'neu - de Über uns',
      'nouveau - fr Über uns',
      'nur-hier - de Über uns',
    ]);
    const { diagnostics, problems } = await collectAll(files);
    expect(problems).toEqual([]);
    expect(diagnostics.find(({ code }) => code === 'language/no-source')).toMatchObject({
      severity: 'info',
      message:
        '3 pages do not exist in `en`, the default language: article/nur-hier.de.md, de/article/neu.md, fr/article/nouveau.md.',
    });
  });

  it('has the first of its languages as its source, and its other languages as translations', async () => {
    expect(
      await rows({
        'fr/article/a.md': '---\ntitle: A fr\n---\n',
        'de/article/a.md': '---\ntitle: A de\n---\n',
        'article/b.fr.md': '---\nid: b\ntitle: B fr\n---\n',
        'article/c.md': '---\ntranslationOf: b\nlangcode: de\ntitle: B de\n---\n',
      }),
    ).toEqual(['a - de A de', 'a fr fr A fr', 'b - fr B fr', 'b de de B de']);
  });

  it('is found by references and links', async () => {
    const { problems, values } = await collectAll({
      'article/about.md': '---\ntags: tag/nur\n---\n',
      'tag/other.md': '---\ntitle: Other\n---\n',
      'de/tag/nur.md': UEBER,
    });
    expect(problems).toEqual([]);
    expect(values('article/about.md').tags).toEqual({ type: 'node--tag', id: 'nur' });
  });

  it('does not take the id or the path of another page', async () => {
    expect(
      await rows({
        'article/about.md': ABOUT,
        'article/about.de.md': '---\nid: other\ntitle: Anders\n---\n',
        'article/about.fr.md': '---\ntitle: À propos\n---\n',
        'article/x.md': '---\nid: news\ntitle: News\n---\n',
        'article/a/news.md': '---\ntitle: Nested\n---\n',
        'de/article/news.md': '---\ntitle: Neues\n---\n',
      }),
    ).toEqual([
      'a/news - en Nested',
      'about - en About us',
      'about fr fr À propos',
      'news - en News',
      'news de de Neues',
      'other - de Anders',
    ]);
  });

  it('can set the fields that translations take from the source, and must if they are required', async () => {
    const schema = defineSchema({ event: { seats: untranslated(z.int()) } });
    const { problems, values } = await collectAll(
      { 'event/a.de.md': '---\nseats: 3\n---\n', 'event/b.de.md': UEBER },
      { schema },
    );
    expect(values('event/a.de.md').seats).toBe(3);
    expect(problems).toEqual([
      expect.stringContaining(
        'content/event/b.de.md:1:1 The field `seats` is missing, and `b` has no source with it.',
      ),
    ]);
  });
});

describe('an untranslated field', () => {
  const schema = defineSchema({
    event: { name: z.string(), seats: untranslated(z.int()), starts: untranslated(z.iso.date()).nullish() },
  });
  const source = '---\nname: Walk\nseats: 12\nstarts: 2026-01-02\n---\n';

  it('has the value of the source in every translation', async () => {
    const { values, problems } = await collectAll(
      { 'event/walk.md': source, 'event/walk.de.md': '---\nname: Wanderung\n---\n' },
      { schema },
    );
    expect(problems).toEqual([]);
    expect(values('event/walk.de.md')).toMatchObject({ name: 'Wanderung', seats: 12, starts: '2026-01-02' });
  });

  it('cannot be set in a translation', async () => {
    const { problems } = await collectAll(
      { 'event/walk.md': source, 'event/walk.de.md': '---\nname: Wanderung\nseats: 13\n---\n' },
      { schema },
    );
    expect(problems).toEqual([
      expect.stringContaining(
        'content/event/walk.de.md:3:1 The field `seats` is not translated: its value is in the source file.',
      ),
    ]);
  });
});

describe('changes of translations', () => {
  const schema = defineSchema({ article: { rating: untranslated(z.int()).nullish() } });

  /** The store after each change equals a store that is loaded from the files. */
  it.each<[string, Files, Readonly<Record<string, string | null>>[]]>([
    [
      'of the source',
      { 'article/a.md': '---\nrating: 1\n---\n', 'article/a.de.md': UEBER },
      [{ 'article/a.md': '---\nrating: 2\n---\n' }],
    ],
    [
      'of the id of the source',
      { 'article/a.md': ABOUT, 'article/a.de.md': UEBER },
      [{ 'article/a.md': '---\nid: b\n---\n' }],
    ],
    [
      'that remove and add the source',
      { 'article/a.md': ABOUT, 'article/a.de.md': UEBER },
      [{ 'article/a.md': null }, { 'article/a.md': ABOUT }],
    ],
    [
      'that remove one of two files for a language',
      { 'article/a.md': ABOUT, 'article/a.de.md': UEBER, 'de/article/a.md': UEBER },
      [{ 'article/a.de.md': null }],
    ],
    [
      'that turn a source into a translation',
      { 'article/a.md': ABOUT, 'article/b.md': UEBER },
      [{ 'article/b.md': '---\ntranslationOf: a\nlangcode: de\n---\n' }],
    ],
    [
      'that remove a named translation',
      {
        'article/a.md': ABOUT,
        'article/b.md': '---\ntranslationOf: a\nlangcode: de\n---\n',
        'article/c.md': '---\ntranslationOf: a\nlangcode: de\n---\n',
      },
      [{ 'article/b.md': null }],
    ],
    [
      'that turn a translation without a source into a source',
      { 'article/a.md': '---\ntranslationOf: b\nlangcode: fr\n---\n' },
      [{ 'article/a.md': ABOUT }],
    ],
    [
      'that add a source with the path of another one',
      {
        'article/a.md': '---\nid: b\n---\n',
        'article/a.fr.md': UEBER,
        'fr/article/b.md': '---\nid: b\n---\n',
      },
      [{ 'article/a.en.md': ABOUT }, { 'article/a.en.md': null }],
    ],
    [
      'of a source with errors',
      {
        'article/x.md': '---\nid: a\ncreated: never\n---\n',
        'article/a.md': '---\ntranslationOf: a\nlangcode: de\n---\n',
      },
      [{ 'article/x.md': '---\nid: b\ncreated: never\n---\n' }, { 'article/x.md': null }],
    ],
    [
      'of the language',
      { 'article/a.md': ABOUT, 'article/b.md': '---\ntranslationOf: a\nlangcode: de\n---\n' },
      [{ 'article/b.md': '---\ntranslationOf: a\nlangcode: fr\n---\n' }],
    ],
  ])('%s', async (_, files, changes) => {
    const driver = createMemoryDriver(files);
    const store = createEntityStore({ locale: 'en' });
    const collector = createTestCollector(driver, { languages, schema, target: storeTarget(store) });
    await collector.load();
    for (const change of changes) {
      for (const [key, text] of Object.entries(change)) {
        if (text === null) await driver.remove(key);
        else await driver.write(key, new TextEncoder().encode(text));
      }
      await collector.apply(Object.keys(change));
      const fresh = createEntityStore({ locale: 'en' });
      const loaded = createTestCollector(driver, { languages, schema, target: storeTarget(fresh) });
      await loaded.load();
      const contents = (from: typeof store) =>
        from
          .entities('node--article')
          .map(({ id, translation, key, values: { rating } }) => [id, translation, key, rating]);
      expect(contents(store)).toEqual(contents(fresh));
      expect(collector.diagnostics()).toEqual(loaded.diagnostics());
    }
  });
});

describe('an outdated translation', () => {
  const files = { 'article/a.md': ABOUT, 'article/a.de.md': UEBER };
  it.each([
    ['has an older commit than its source', 100, 200, true],
    ['is not committed with its source', 200, 200, undefined],
    ['is not committed after its source', 300, 200, undefined],
  ])('%s', async (_, own, source, outdated) => {
    const history = {
      'article/a.md': { created: 1, changed: source },
      'article/a.de.md': { created: 1, changed: own },
    };
    const { entity } = await collectAll(files, { history });
    expect(entity('article/a.de.md').outdated).toBe(outdated);
    expect(entity('article/a.md').outdated).toBeUndefined();
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { siteLanguages } from '../../integration/core/content/languages.ts';
import { createEntityStore } from '../../integration/core/engine/store/entity-store.ts';
import { createFuzzer } from '../conformance/fuzz-requests.ts';
import { vocabularyOf } from '../conformance/fuzz-vocabulary.ts';
import { loadRecordedContent, readCases } from '../conformance/load.ts';
import { contents } from '../oracle/arbitraries.ts';
import { NOW } from '../oracle/roles.ts';
import { runs } from '../oracle/runs.ts';
import { TYPES } from '../oracle/schema.ts';
import { BOOSTS, REPLACED_WORDS, similarWords } from '../oracle/similar-words.ts';
import { createDemoServices } from '../support/demo.ts';
import { createFileSite, FILE_PATHS } from '../support/file-site.ts';
import { createMemoryDriver } from '../support/memory-driver.ts';
import { parseOptions } from '../support/options.ts';
import { HAS_POSTGRES, usePostgres } from '../support/postgres.ts';
import { createReadServices, createServices, type TestSite } from '../support/services.ts';
import { compareWithMemory } from './services.ts';

const { en: SYNONYMS } = REPLACED_WORDS.synonyms;
const { en: STOPPED } = REPLACED_WORDS.stopWords;
const ENGLISH = { language: 'en', languages: {} } as const;

describe.skipIf(!HAS_POSTGRES)('a server with its content in PostgreSQL', () => {
  const postgres = usePostgres();

  test('answers every recorded request with the bytes of a server with its content in memory', async () => {
    const paths = [...new Set(readCases().map(({ path }) => path))];
    const { answered, differences } = await compareWithMemory(
      postgres().url,
      'recorded',
      await loadRecordedContent(),
      paths.map((target) => ({ target })),
      ENGLISH,
    );
    expect(answered).toBeGreaterThan(600);
    expect(differences.slice(0, 3)).toEqual([]);
  });

  test('answers requests about files with the same bytes', async () => {
    const { answered, differences } = await compareWithMemory(
      postgres().url,
      'files',
      await createFileSite(),
      FILE_PATHS.map((target) => ({ target })),
      ENGLISH,
    );
    expect([answered, differences.slice(0, 3)]).toEqual([FILE_PATHS.length, []]);
  });

  test('answers requests about renamed and left out fields with the same bytes', async () => {
    const site = { bundleOptions: { post: { fields: { text: 'teaser', notes: false as const } } } };
    const driver = createMemoryDriver({
      'post/a.md': '---\ntitle: A\ntext: first\nnotes: secret one\n---\n',
      'post/b.md': '---\ntitle: B\ntext: second\nnotes: secret two\n---\n',
    });
    const queries = ['filter[fulltext]=secret', 'filter[fulltext]=second', 'sort=-teaser', 'facetBy=teaser'];
    const fields = ['teaser', 'text', 'notes'];
    const targets = [
      ...queries,
      ...fields.flatMap((field) => [
        `filter[${field}]=first`,
        `sort=${field}`,
        `fields[node--post]=${field}`,
      ]),
    ].map((query) => ({ target: `/jsonapi/node/post?${query}` }));
    const services = await createServices(driver, undefined, site);
    const { answered, differences } = await compareWithMemory(
      postgres().url,
      'fields',
      services,
      targets,
      ENGLISH,
      site,
    );
    expect([answered, differences]).toEqual([targets.length, []]);
  });

  test.each([
    ['', ENGLISH, 7],
    [
      ', with synonyms and stop words',
      { ...ENGLISH, synonyms: { '': SYNONYMS }, stopWords: { '': STOPPED } },
      8,
    ],
    [', with a boost of a date', { ...ENGLISH, boost: { 'node--post': BOOSTS.article } }, 9],
    [', with a boost of a number', { ...ENGLISH, boost: { 'node--post': BOOSTS.post } }, 10],
  ])('answers tolerant searches with the same highlights and suggestions%s', async (_, languages, seed) => {
    const words = similarWords(seed);
    const files = Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => [
        `post/p${at}.md`,
        `---\ntitle: ${words.text(3)}\nstatus: ${at % 7 > 0}\n${at % 4 > 0 ? `day: 2024-0${1 + (at % 9)}-1${at % 7}\nlikes: ${(at * 7) % 40}\n` : ''}---\n## ${words.text(2)}\n\n${words.text(40)}`,
      ]),
    );
    const targets = Array.from({ length: 90 }, (_, at) => {
      const searched = encodeURIComponent(words.search());
      const search = `filter[fulltext][operator]=SEARCH&filter[fulltext][value]=${searched}&filter[fulltext][highlight]=true`;
      return [
        `/jsonapi/node/post?${search}`,
        `/api/content/posts?${search}`,
        `/jsonapi/_suggest?searchWords=${searched}`,
      ][at % 3]!;
    }).map((target) => ({ target }));
    const searches: Readonly<Record<number, TestSite['search']>> = {
      8: { synonyms: { en: SYNONYMS }, stopWords: { en: STOPPED } },
      9: { boost: { post: BOOSTS.article } },
      10: { boost: { post: BOOSTS.post } },
    };
    const site = { search: searches[seed] };
    const services = await createServices(createMemoryDriver(files), undefined, site);
    const compared = await compareWithMemory(
      postgres().url,
      `highlights${seed}`,
      services,
      targets,
      languages,
      site,
    );
    expect([compared.answered, compared.differences]).toEqual([targets.length, []]);
  });

  test('answers requests with the defaults of a bundle with the same bytes', async () => {
    const defaults = { include: ['writer'], filter: { 'writer.title': 'Jane' }, pageSize: 1 };
    const { bundles: bundleOptions } = parseOptions({ bundles: { post: { defaults } } });
    const site = { bundleOptions };
    const driver = createMemoryDriver({
      'post/a.md': '---\ntitle: A\nwriter: person/jane\n---\n',
      'post/b.md': '---\ntitle: B\nwriter: person/joe\n---\n',
      'post/c.md': '---\ntitle: C\nwriter: person/jane\n---\n',
      'person/jane.md': '---\ntitle: Jane\n---\n',
      'person/joe.md': '---\ntitle: Joe\n---\n',
    });
    const ends = ['', '?filter=', '?include=', '?page[offset]=1', '?page[limit]=0', '/a', '/b/writer'];
    const targets = ends.map((end) => ({ target: `/jsonapi/node/post${end}` }));
    const services = await createServices(driver, undefined, site);
    const { answered, differences } = await compareWithMemory(
      postgres().url,
      'defaults',
      services,
      targets,
      ENGLISH,
      site,
    );
    expect([answered, differences]).toEqual([targets.length, []]);
  });

  test('answers random requests over the demo with the same bytes', async () => {
    const services = await createDemoServices();
    const next = createFuzzer(vocabularyOf(services), 7);
    const { answered, differences } = await compareWithMemory(
      postgres().url,
      'demo',
      services,
      Array.from({ length: runs(800).numRuns }, next),
      { language: 'en', languages: { de: 'de' } },
      { settings: services.settings },
    );
    expect(answered).toBeGreaterThan(700);
    expect(differences.slice(0, 3)).toEqual([]);
  });

  test('answers random requests over any content, in several languages and with scheduled entities', async () => {
    const languages = siteLanguages({ defaultLocale: 'en', locales: ['en', 'de', 'fr'] });
    let schemas = 0;
    await fc.assert(
      fc.asyncProperty(contents(12, ['de', 'fr']), fc.nat(), async ({ locale, entities }, seed) => {
        const store = createEntityStore({ locale });
        store.load(TYPES, entities);
        const site = { now: () => NOW, settings: { languages } };
        const services = createReadServices(store, site);
        const fuzz = createFuzzer(vocabularyOf(services), seed);
        const { differences } = await compareWithMemory(
          postgres().url,
          `random${++schemas}`,
          services,
          Array.from({ length: 60 }, fuzz),
          { language: 'en', languages: { de: 'de', fr: 'fr' } },
          site,
        );
        expect(differences.slice(0, 3)).toEqual([]);
      }),
      runs(5),
    );
  });
});

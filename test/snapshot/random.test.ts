import fc from 'fast-check';
import { expect, test } from 'vitest';
import { facetParameters, formatParameters } from '../../integration/core/builder/format-query.ts';
import { siteLanguages } from '../../integration/core/content/languages.ts';
import { createEntityStore } from '../../integration/core/engine/store/entity-store.ts';
import { createFuzzer } from '../conformance/fuzz-requests.ts';
import { vocabularyOf } from '../conformance/fuzz-vocabulary.ts';
import { contents, queries, type TypedQuery } from '../oracle/arbitraries.ts';
import { NOW } from '../oracle/roles.ts';
import { runs } from '../oracle/runs.ts';
import { TYPES } from '../oracle/schema.ts';
import { createReadServices } from '../support/services.ts';
import { compareAnswers } from './compare.ts';

/** Sizes that divide a few entities into several files. */
const SMALL = { block: 400, bodies: 200, words: 4, vocabulary: 3, ids: 2, recent: 1 };
const LANGUAGES = siteLanguages({ defaultLocale: 'en', locales: ['en', 'de', 'fr'] });

test('a snapshot of any content answers any queries with the bytes of a server', async () => {
  let total = 0;
  await fc.assert(
    fc.asyncProperty(
      sites(),
      questions(),
      async ({ content, languages, except, leftOut, defaults, hiddenTypes, isDivided }, asked) => {
        const store = createEntityStore({ locale: content.locale });
        store.load(TYPES, content.entities);
        const services = createReadServices(store, {
          now: () => NOW,
          settings: { languages, hiddenTypes },
          bundleOptions: Object.fromEntries(
            TYPES.map(({ bundle }) => [bundle, { fields: leftOut, defaults }]),
          ),
          roles: {
            anonymous: {
              permissions: [
                { actions: ['view'], bundles: '*', where: 'published', fields: { view: { except } } },
              ],
            },
          },
        });
        const fuzz = createFuzzer(vocabularyOf(services), asked.seed);
        const { answered, differences } = await compareAnswers(
          services,
          [
            ...asked.queries.map(([query, rest]) => requestOf(query, rest)),
            ...Array.from({ length: 30 }, fuzz),
          ],
          {
            search: { language: 'en', languages: languages === undefined ? {} : { de: 'de', fr: 'fr' } },
            ...(isDivided && { sizes: SMALL }),
          },
        );
        total += answered;
        expect(differences).toEqual([]);
      },
    ),
    runs(6),
  );
  expect(total).toBeGreaterThan(200);
});

/** Content with or without translations, of which a part is not in the API. */
function sites() {
  const fields = [...new Set(TYPES.flatMap((type) => [...type.fields.keys()]))];
  return fc.record({
    content: fc.oneof(contents(), contents(8, ['de', 'fr']), contents(0)),
    languages: fc.constantFrom(undefined, LANGUAGES),
    isDivided: fc.boolean(),
    except: fc.subarray(fields, { maxLength: 3 }),
    leftOut: fc
      .subarray(fields, { maxLength: 2 })
      .map((names) => Object.fromEntries(names.map((name) => [name, false as const]))),
    // Some of them are not of the bundle, or have hidden fields.
    defaults: fc.record({
      include: fc.subarray(['field_author.field_boss', 'field_tags', 'field_parent']),
      filter: fc.constantFrom(
        undefined,
        { title: { operator: ['>'], value: ['c'] } },
        { 'field_author.title': { operator: ['IS NOT NULL'] } },
      ),
      pageSize: fc.constantFrom(undefined, 2),
    }),
    hiddenTypes: fc.subarray(
      TYPES.map(({ bundle }) => bundle),
      { maxLength: 1 },
    ),
  });
}

function questions() {
  return fc.record({
    queries: fc.array(fc.tuple(queries(), fc.constantFrom(...RESTS)), { minLength: 20, maxLength: 30 }),
    seed: fc.nat(),
  });
}

const RESTS = [
  '',
  '&include=field_author.field_boss,field_tags,field_mentions,field_parent',
  '&fields[node--article]=title,field_tags&fields[node--tag]=title',
  '&langCode=de',
  '&langCode=fr&includeFallback=false&include=field_about',
];

function requestOf({ type, query }: TypedQuery, rest: string): { readonly target: string } {
  const { filter, sort, page, facets = [] } = query;
  const limit = Number.isFinite(page.limit) ? page.limit : 0;
  const parameters = [
    ...formatParameters({ filter: [filter], sort, include: [], page: { ...page, limit } }, {}),
    ...facetParameters(Object.fromEntries(facets.map(({ path, ...options }) => [path, options]))),
  ].map(({ text }) => text);
  return { target: `/jsonapi/${type.replace('--', '/')}?${parameters.join('&')}${rest}` };
}

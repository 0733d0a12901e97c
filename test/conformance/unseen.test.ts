import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ANONYMOUS } from '../../integration/core/access/actor.ts';
import type { Services } from '../../integration/core/api/request.ts';
import type { Entity } from '../../integration/core/content/model.ts';
import { createEntityStore } from '../../integration/core/engine/store/entity-store.ts';
import type { ApiSettings } from '../../integration/core/read/settings.ts';
import { staticDocuments } from '../../integration/features/static/documents/documents.ts';
import { runs } from '../oracle/runs.ts';
import { createHandler } from '../support/handler.ts';
import { fetchFrom } from '../support/request.ts';
import { createReadServices } from '../support/services.ts';
import {
  facetRequest,
  HIDDEN,
  inLanguage,
  languages,
  NOW,
  ONLOOKERS,
  type Onlooker,
  type Pair,
  query,
  request,
  TYPES,
  translatedWorlds,
  VIEW,
  worlds,
} from '../support/unseen-worlds.ts';

/**
 * Two contents that differ only in what the actor may not see: the values of unseen entities (referenced or not),
 * the number of unreferenced ones, and hidden fields.
 */
describe.each(ONLOOKERS)('content hidden from %s', (_, onlooker) => {
  it('changes no byte of any response', () =>
    fc.assert(
      fc.asyncProperty(
        worlds(onlooker),
        fc.array(request(), { minLength: 12, maxLength: 24 }),
        (pair, paths) => expectSame(pair, paths, onlooker),
      ),
      runs(20),
    ));
});

/** Two contents that differ only in translations that the actor may not see. */
describe.each(ONLOOKERS)('translations hidden from %s', (_, onlooker) => {
  it('change no byte of any response in any language', () =>
    fc.assert(
      fc.asyncProperty(
        translatedWorlds(onlooker),
        fc.array(inLanguage(request()), { minLength: 12, maxLength: 24 }),
        (pair, paths) => expectSame(pair, paths, onlooker),
      ),
      runs(10),
    ));
});

/** Facets of collections, search indexes and views, over contents that differ in unseen entities and translations. */
describe.each(ONLOOKERS)('facets counted for %s', (_, onlooker) => {
  it('depend only on visible content, byte for byte', () =>
    fc.assert(
      fc.asyncProperty(
        translatedWorlds(onlooker),
        fc.array(inLanguage(facetRequest()), { minLength: 12, maxLength: 24 }),
        (pair, paths) => expectSame(pair, paths, onlooker),
      ),
      runs(10),
    ));
});

describe('content hidden from anonymous users', () => {
  const roles = { anonymous: { permissions: [{ ...VIEW, fields: { view: { except: HIDDEN } } }] } };
  const hiding: Onlooker = { actor: ANONYMOUS, roles, ownUnpublished: false, hidden: HIDDEN };
  const plain: Onlooker = { actor: ANONYMOUS, roles: {}, ownUnpublished: false, hidden: ['uid'] };

  it.each([
    ['with default roles', plain],
    ['with roles that hide fields', hiding],
  ])('changes no byte of any prebuilt document, %s', (__, onlooker) =>
    fc.assert(
      fc.asyncProperty(worlds(onlooker), fc.array(query(), { maxLength: 4 }), async (pair, queries) => {
        const asked = Object.fromEntries(queries.map((each, i) => [`q${i}`, `/node/story${each}`]));
        expect(await documentsOf(servicesOf(pair[1], onlooker, asked))).toEqual(
          await documentsOf(servicesOf(pair[0], onlooker, asked)),
        );
      }),
      runs(10),
    ),
  );
});

/** Both worlds give the same responses. */
async function expectSame(
  [first, second]: Pair,
  paths: readonly string[],
  onlooker: Onlooker,
): Promise<void> {
  const [one, other] = [servicesOf(first, onlooker), servicesOf(second, onlooker)];
  for (const path of paths)
    expect(await ask(other, path, onlooker), path).toEqual(await ask(one, path, onlooker));
}

async function ask(services: Services, path: string, { actor }: Onlooker): Promise<unknown> {
  const response = await fetchFrom(createHandler(services), path, { actor });
  const text = await response.text();
  const timeless = text.replace(/"(resolveMs|executeMs|totalMs)":[\d.e-]+/g, '"$1":0');
  expect(response.status).toBeLessThan(500);
  // The ETag of a response with durations varies with them.
  const etag = timeless === text ? response.headers.get('etag') : undefined;
  return { status: response.status, text: timeless, etag };
}

/** Invalid listed queries are compared by their error. */
async function documentsOf(services: Services): Promise<readonly unknown[]> {
  const documents: unknown[] = [];
  try {
    for await (const { path, write } of staticDocuments(services)) {
      documents.push({ path, body: await write() });
    }
  } catch (error) {
    documents.push(String(error));
  }
  return documents;
}

function servicesOf(
  entities: readonly Entity[],
  { roles }: Onlooker,
  staticQueries: Readonly<Record<string, string>> = {},
): Services {
  const store = createEntityStore({ locale: 'en' });
  store.load(TYPES, entities);
  const settings = {
    languages,
    explorer: true,
    pageSize: { default: 5, max: 5, unlimited: true },
    staticQueries: { ...staticQueries, ...VIEWS },
    indexes: INDEXES,
  };
  return createReadServices(store, { settings, roles, search: SEARCH, now: () => NOW });
}

/** Words that only hidden content can have are replaced and left out too. */
const SEARCH = {
  synonyms: { en: [['synonym', 'gamma', 'alpha', 'z']], fr: [['synonym', 'beta']] },
  stopWords: { en: ['the', 'beta'], de: ['alpha', 'z'] },
  boost: { story: { field: 'day', halfLifeDays: 100, weight: 3 }, person: { field: 'rating', weight: 5 } },
};

const INDEXES: ApiSettings['indexes'] = {
  all: {
    bundles: ['story', 'person'],
    facets: {
      subjects: {},
      words: { operator: 'or', sort: 'value' },
      title: { min: 2 },
      rating: { limit: 2 },
    },
  },
  stories: {
    bundles: ['story'],
    search: ['title', 'words'],
    facets: { author: { operator: 'or' }, 'author.boss': {}, 'subjects.title': {}, 'kit.item': {} },
  },
};
const VIEWS = {
  recent: '/node/story?sort=-day&page[limit]=3&facetBy[subjects]=&facetBy[words][operator]=or',
  'people--rated': '/node/person?filter[rating][operator]=>&filter[rating][value]=0&facetBy[boss.title]=',
} as const;

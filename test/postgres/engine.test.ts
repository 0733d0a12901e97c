import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bodyText, type Entity, type ResourceType } from '../../integration/core/content/model.ts';
import type { FilterNode, Group } from '../../integration/core/engine/ast.ts';
import { createQueryEngine } from '../../integration/core/engine/create-engine.ts';
import type { EngineQuery, QueryAccess, QueryEngine } from '../../integration/core/engine/engine.ts';
import { createEntityStore, type IndexedStore } from '../../integration/core/engine/store/entity-store.ts';
import { createFullText } from '../../integration/core/engine/text/full-text.ts';
import { loadSiteTerms } from '../../integration/core/engine/text/languages.ts';
import { BadParameterError } from '../../integration/core/util/errors.ts';
import { openDatabase } from '../../integration/features/postgres/database.ts';
import { createPostgresEngine } from '../../integration/features/postgres/engine.ts';
import type { PageLimits } from '../../integration/features/postgres/page.ts';
import { syncContent } from '../../integration/features/postgres/sync.ts';
import { ACCESSES, accesses, languageAccesses } from '../oracle/access.ts';
import { contents, queries, type TypedQuery } from '../oracle/arbitraries.ts';
import { crowd } from '../oracle/crowd.ts';
import { expectDamagedCursors, expectWalk, walks } from '../oracle/cursors.ts';
import { runs } from '../oracle/runs.ts';
import { TAG_TYPE, TYPES } from '../oracle/schema.ts';
import { similarWords } from '../oracle/similar-words.ts';
import { IDS } from '../oracle/vocabulary.ts';
import { HAS_POSTGRES, usePostgres } from '../support/postgres.ts';

const SCHEMA = 'content';
/** Few rows are enough to choose between ways to find a page. */
const SHORT_PAGES: PageLimits = { minRows: 0, bookmarkStep: 2, minRead: 3, maxSorted: 3 };

describe.runIf(HAS_POSTGRES)('PostgreSQL returns the same results as the index in memory', () => {
  const server = usePostgres();

  it('for any content and any queries', { timeout: 600_000 }, async () => {
    const manyQueries = fc.array(queries(), { minLength: 60, maxLength: 80 });
    await withEngines(async (load) => {
      await fc.assert(
        fc.asyncProperty(contents(), manyQueries, accesses(), async (content, some, name) => {
          const engines = await load(content, SHORT_PAGES);
          for (const { type, query } of some) {
            await expectSame(engines, typeNamed(type), query, ACCESSES[name]);
          }
          for (const { name: type } of TYPES) {
            for (const id of IDS) {
              const [expected, found] = await Promise.all(
                engines.map((engine) => engine.find(type, id, ACCESSES[name])),
              );
              expect(found && comparable(found)).toEqual(expected && comparable(expected));
            }
          }
        }),
        runs(4),
      );
    });
  });

  it('for content with translations, in any language', { timeout: 600_000 }, async () => {
    const manyQueries = fc.array(queries(), { minLength: 60, maxLength: 80 });
    await withEngines(async (load) => {
      await fc.assert(
        fc.asyncProperty(
          contents(12, ['de', 'fr']),
          manyQueries,
          languageAccesses(),
          async (content, some, { name, ...language }) => {
            const engines = await load(content, SHORT_PAGES);
            const access = { ...ACCESSES[name], ...language };
            for (const { type, query } of some) await expectSame(engines, typeNamed(type), query, access);
            for (const { name: type } of TYPES) {
              for (const id of IDS) {
                const [expected, found] = await Promise.all(
                  engines.map((engine) => engine.translations(type, id, access)),
                );
                expect(found!.map(comparable)).toEqual(expected!.map(comparable));
              }
            }
          },
        ),
        runs(3),
      );
    });
  });

  it('for entities of several types in one list', { timeout: 600_000 }, async () => {
    const manyQueries = fc.array(queries(), { minLength: 60, maxLength: 80 });
    await withEngines(async (load) => {
      await fc.assert(
        fc.asyncProperty(contents(), manyQueries, accesses(), async (content, some, name) => {
          const engines = await load(content);
          for (const { query } of some) await expectSame(engines, TYPES, query, ACCESSES[name]);
        }),
        runs(3),
      );
    });
  });

  it('for content of hundreds of entities', { timeout: 600_000 }, async () => {
    const manyQueries = fc.array(queries(), { minLength: 60, maxLength: 80 });
    await withEngines(async (load) => {
      await fc.assert(
        fc.asyncProperty(contents(), manyQueries, accesses(), async (content, some, name) => {
          const engines = await load(crowd({ ...content, types: TYPES }, 150), SHORT_PAGES);
          for (const { type, query } of some) {
            await expectSame(engines, typeNamed(type), query, ACCESSES[name]);
          }
        }),
        runs(1),
      );
    });
  });

  it('for pages between cursors, also damaged ones', { timeout: 600_000 }, async () => {
    const some = fc.array(walks(), { minLength: 15, maxLength: 20 });
    const damage = fc.array(fc.nat(), { minLength: 2, maxLength: 4 });
    await withEngines(async (load) => {
      await fc.assert(
        fc.asyncProperty(
          contents(12, ['de', 'fr']),
          some,
          languageAccesses(),
          damage,
          async (content, asked, { name, ...language }, numbers) => {
            const dataset = { ...content, types: TYPES };
            const [, engine] = await load(content, SHORT_PAGES);
            const access = { ...ACCESSES[name], ...language };
            for (const [i, walk] of asked.entries()) {
              await expectWalk(engine!, undefined, dataset, walk, access);
              if (i < 4) await expectDamagedCursors(engine!, dataset, walk, access, numbers);
            }
          },
        ),
        runs(2),
      );
    });
  });

  it('for searches, by relevance or sorted, in one type or in several', { timeout: 600_000 }, async () => {
    const manySearches = fc.array(searches(), { minLength: 60, maxLength: 80 });
    await withEngines(async (load) => {
      await fc.assert(
        fc.asyncProperty(
          contents(10, ['de', 'fr']),
          manySearches,
          languageAccesses(),
          async (content, some, { name, ...language }) => {
            const engines = await load(crowd({ ...content, types: TYPES }, 60));
            const access = { ...ACCESSES[name], ...language };
            for (const { type, query, everywhere } of some) {
              await expectSame(engines, everywhere ? TYPES : typeNamed(type), query, access);
            }
          },
        ),
        runs(2),
      );
    });
  });

  it('for searches of parts of words and of words with typos', { timeout: 600_000 }, async () => {
    await withEngines(async (load) => {
      await fc.assert(
        fc.asyncProperty(
          contents(10, ['de', 'fr']),
          fc.nat(),
          languageAccesses(),
          fc.boolean(),
          async (content, seed, { name, ...language }, isChanged) => {
            const words = similarWords(seed);
            const reword = (entity: Entity): Entity => ({
              ...entity,
              values: { ...entity.values, title: words.text(6) },
            });
            const entities = crowd({ ...content, types: TYPES }, 60).entities.map(reword);
            if (isChanged) await load({ ...content, entities: entities.slice(20).map(reword) });
            const engines = await load({ ...content, entities });
            const access = { ...ACCESSES[name], ...language };
            for (let i = 0; i < 40; i++) {
              const search: FilterNode = { kind: 'search', text: words.search(), isTolerant: i % 5 > 0 };
              const filter: Group = { kind: 'group', conjunction: 'AND', members: [search] };
              const query = { filter, sort: [], page: { offset: 0, limit: 50 } };
              await expectSame(engines, i % 3 === 0 ? TYPES : typeNamed('node--article'), query, access);
            }
          },
        ),
        runs(4),
      );
    });
  });

  it('for words that thousands of entities have', { timeout: 120_000 }, async () => {
    const words = ['tide', 'tides', 'tidal', 'moon', 'moonlight', 'sea'];
    const tag = (i: number): Entity => {
      const title = `${words[i % 6]} ${words[(i * 7 + 1) % 5]} ${words[(i * 3) % 4]}`.repeat(1 + (i % 5));
      const status = i % 9 > 0;
      return {
        ...{ type: TAG_TYPE.name, id: `t${(i * 77) % 4000}`, key: '', revision: title },
        ...{ values: { title, status, field_weight: i % 6 }, published: status, body: null },
      };
    };
    const tags = Array.from({ length: 4000 }, (_, i) => tag(i));
    const texts = [
      'tide',
      'moon',
      '-sea tide',
      'moon ti',
      '"tides moon"',
      '-"moon tide" tide',
      'mon',
      'sea tide moon',
    ];
    const light: FilterNode = { kind: 'condition', path: 'field_weight', operator: '<', value: 3 };
    const facets = [{ path: 'field_weight', operator: 'or', limit: 10, min: 1, sort: 'count' }] as const;
    await withEngines(async (load) => {
      await load({ locale: 'en', entities: tags });
      // The postings of former rows stay.
      const changed = tags
        .filter((_, i) => i % 4 > 0)
        .map((each, i) => (i % 3 === 0 ? { ...each, ...tag(i + 1), id: each.id } : each));
      const engines = await load({ locale: 'en', entities: changed });
      for (const text of texts) {
        for (const isTolerant of [false, true]) {
          for (const others of [[], [light]]) {
            const search: FilterNode = { kind: 'search', text, isTolerant };
            const filter: Group = { kind: 'group', conjunction: 'AND', members: [search, ...others] };
            for (const sort of [[], [{ path: 'field_weight', direction: 'ASC' as const }]]) {
              const query = { filter, sort, page: { offset: 20, limit: 30 }, facets };
              await expectSame(engines, TAG_TYPE, query, ACCESSES.published);
            }
          }
        }
      }
    });
  });

  it('for parts of words that are added while it runs', async () => {
    const tag = (id: string, title: string): Entity => ({
      ...{ type: TAG_TYPE.name, id, key: '', revision: title, values: { title, status: true } },
      ...{ published: true, body: null },
    });
    const members: FilterNode[] = [{ kind: 'search', text: 'lantern', isTolerant: true }];
    const filter: Group = { kind: 'group', conjunction: 'AND', members };
    const query = { filter, sort: [], page: { offset: 0, limit: 50 } };
    await withEngines(async (load) => {
      const [, engine] = await load({ locale: 'en', entities: [tag('a', 'Lanterns')] });
      const idsFor = async (other: QueryEngine) =>
        (await other.run(TAG_TYPE, query, ACCESSES.all)).entities.map(({ id }) => id);
      expect(await idsFor(engine)).toEqual(['a']);
      await load({
        locale: 'en',
        entities: [tag('a', 'Lanterns'), tag('b', 'Lantenr'), tag('c', 'Lighthouse')],
      });
      expect(await idsFor(engine)).toEqual(['a', 'b']);
      await load({ locale: 'en', entities: [tag('b', 'Lantenr')] });
      expect(await idsFor(engine)).toEqual(['b']);
    });
  });

  describe('of a long list', () => {
    const entities = Array.from({ length: 300 }, (_, i) => {
      const title = `tag ${String(i).padStart(3, '0')}`;
      const status = i % 7 > 0;
      const values = { title, status, field_weight: i % 6 === 0 ? null : (i * 7) % 5 };
      const id = `t${(i * 77) % 300}`;
      return { type: TAG_TYPE.name, id, key: '', revision: 'r', values, published: status, body: null };
    });
    const all: Group = { kind: 'group', conjunction: 'AND', members: [] };
    // Its matches are the last third of the list by title.
    const late: Group = {
      kind: 'group',
      conjunction: 'AND',
      members: [{ kind: 'condition', path: 'title', operator: 'CONTAINS', value: 'g 2' }],
    };
    /** By title, it begins in the middle of the list. */
    const range: Group = {
      kind: 'group',
      conjunction: 'AND',
      members: [{ kind: 'condition', path: 'title', operator: '>=', value: 'tag 130' }],
    };
    const sorts = [
      '',
      'title',
      'field_weight',
      '-field_weight',
      '-id',
      'field_weight,-title',
      '-field_weight,title',
    ];
    const sortBy = (keys: string) =>
      keys.split(',').flatMap((key) => {
        const path = key.replace('-', '');
        return path === '' ? [] : [{ path, direction: path === key ? ('ASC' as const) : ('DESC' as const) }];
      });

    it('for every page, whatever pages were read before', { timeout: 120_000 }, async () => {
      await withEngines(async (load) => {
        const engines = await load(
          { locale: 'en', entities },
          { minRows: 0, bookmarkStep: 10, minRead: 1, maxSorted: 50 },
        );
        for (const filter of [all, late]) {
          for (const keys of sorts) {
            const sort = sortBy(keys);
            for (const offset of [64, 23, 0, 68, 19, 84, 80, 250, 200, 213, 87, 400, 30, 214]) {
              const page = { offset, limit: 4 };
              await expectSame(engines, TAG_TYPE, { filter, sort, page }, ACCESSES.published);
            }
          }
        }
      });
    });

    it('for a page that is read first, with frequent and with rare matches', {
      timeout: 120_000,
    }, async () => {
      const limits = { minRows: 0, bookmarkStep: 10, minRead: 100, maxSorted: 50 };
      await withEngines(async (load) => {
        for (const filter of [all, late, range]) {
          for (const keys of sorts) {
            for (const offset of [0, 31, 96, 97]) {
              const engines = await load({ locale: 'en', entities }, limits);
              const query = { filter, sort: sortBy(keys), page: { offset, limit: 4 } };
              await expectSame(engines, TAG_TYPE, query, ACCESSES.published);
            }
          }
        }
      });
    });
  });

  it('for a query that is repeated after the content or the permissions of the actor have changed', async () => {
    const entitiesWith = (title: string) =>
      ['a', 'b', 'c'].map((id) => {
        const values = { title, status: id !== 'b' };
        return {
          type: TAG_TYPE.name,
          id,
          key: '',
          revision: title,
          values,
          published: id !== 'b',
          body: null,
        };
      });
    const filter: FilterNode = { kind: 'condition', path: 'title', operator: '=', value: 'One' };
    const query: EngineQuery = {
      filter: { kind: 'group', conjunction: 'AND', members: [filter] },
      sort: [],
      page: { offset: 0, limit: 10 },
    };
    let sees = filter;
    const access: QueryAccess = { visibility: () => sees, fieldVisible: () => true };
    await withEngines(async (load) => {
      const engines = await load({ locale: 'en', entities: entitiesWith('One') }, SHORT_PAGES);
      for (let i = 0; i < 3; i++) await expectSame(engines, TAG_TYPE, query, access);
      sees = { kind: 'condition', path: 'status', operator: '=', value: true };
      for (let i = 0; i < 3; i++) await expectSame(engines, TAG_TYPE, query, access);
      const [, engine] = engines;
      await load({ locale: 'en', entities: entitiesWith('Two') }, SHORT_PAGES);
      expect(await engine.run(TAG_TYPE, query, access)).toEqual({ entities: [], count: 0 });
    });
  });

  it('for facets whose equal values differ in control characters', async () => {
    const spellings = ['a\u0002', 'a\u0001\u0001', 'a\u0001', 'a\0b', 'a\0\0', 'a\0', 'A', 'a\u200b'];
    const tag = (title: string, i: number): Entity => ({
      ...{ type: TAG_TYPE.name, id: `t${i}`, key: `tags/t${i}.md`, revision: '' },
      ...{ values: { title }, published: true, body: null },
    });
    const query: EngineQuery = {
      ...{
        filter: { kind: 'group', conjunction: 'AND', members: [] },
        sort: [],
        page: { offset: 0, limit: 10 },
      },
      facets: [
        { ...{ path: 'title', operator: 'or', limit: 10, min: 1, sort: 'count' }, parameter: 'facetBy' },
      ],
    };
    await withEngines(async (load) => {
      for (const first of spellings) {
        for (const second of spellings) {
          const engines = await load({ locale: 'en', entities: [first, second].map(tag) });
          await expectSame(engines, TAG_TYPE, query, ACCESSES.all);
        }
      }
    });
  });

  /** Loads content into both engines. */
  type Load = (
    content: {
      readonly locale: string;
      readonly entities: readonly Entity[];
    },
    pageLimits?: PageLimits,
  ) => Promise<readonly [QueryEngine, QueryEngine]>;

  async function withEngines(run: (load: Load) => Promise<void>): Promise<void> {
    const db = openDatabase({ url: server().url, schema: SCHEMA });
    try {
      const terms = await loadSiteTerms({ language: 'en', languages: { de: 'de' } });
      await run(async ({ locale, entities }, pageLimits) => {
        const store = createEntityStore({ locale });
        store.load(TYPES, entities);
        await syncContent(db, store, { schema: SCHEMA, revision: 'r', terms, termsKey: 'en de' });
        return [
          await memoryEngine(store),
          createPostgresEngine({ db, terms, ...(pageLimits && { pageLimits }) }),
        ];
      });
    } finally {
      await db.destroy();
    }
  }
});

async function memoryEngine(store: IndexedStore): Promise<QueryEngine> {
  const fullText = createFullText({ store, language: 'en', languages: { de: 'de' } });
  for (const { name } of TYPES) await fullText.prepare(name);
  return createQueryEngine(store, undefined, fullText);
}

async function expectSame(
  engines: readonly [QueryEngine, QueryEngine],
  type: ResourceType | readonly ResourceType[],
  query: EngineQuery,
  access: QueryAccess,
): Promise<void> {
  const [expected, found] = await Promise.all(engines.map((engine) => answerOf(engine, type, query, access)));
  expect(found, JSON.stringify({ type: 'name' in type ? type.name : 'all', query })).toEqual(expected);
}

async function answerOf(
  engine: QueryEngine,
  type: ResourceType | readonly ResourceType[],
  query: EngineQuery,
  access: QueryAccess,
): Promise<unknown> {
  try {
    const { entities, ...rest } = await engine.run(type, query, access);
    return { ...rest, entities: entities.map(comparable) };
  } catch (error) {
    if (error instanceof BadParameterError) return error.detail;
    throw error;
  }
}

/** Bodies are compared by their texts. */
function comparable(entity: Entity): unknown {
  const { body } = entity;
  return { ...entity, body: body && { format: body.format, summary: body.summary, text: bodyText(body) } };
}

/** Queries with one or two searches, beside other conditions or instead of one. */
function searches(): fc.Arbitrary<TypedQuery & { readonly everywhere: boolean }> {
  const words = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 });
  const search = words.map((some): FilterNode => ({ kind: 'search', text: some.join(' ') }));
  return fc
    .record({
      asked: queries(),
      found: fc.array(search, { minLength: 1, maxLength: 2 }),
      conjunction: fc.constantFrom('AND', 'OR'),
      alone: fc.boolean(),
      sorted: fc.boolean(),
      everywhere: fc.boolean(),
    })
    .map(({ asked: { type, query }, found, conjunction, alone, sorted, everywhere }) => {
      const group: FilterNode = { kind: 'group', conjunction, members: found };
      const members = alone ? [group] : [query.filter, group];
      return {
        type,
        everywhere,
        query: {
          ...query,
          sort: sorted ? query.sort : [],
          filter: { kind: 'group', conjunction: alone ? 'AND' : conjunction, members },
        },
      };
    });
}

const WORDS = ['a', 'ab', 'b', 'z', 'á', 'strasse', 'co', 'σ', '10', '한', 'nowhere', '-b', '-z', '-nowhere'];

function typeNamed(name: string): ResourceType {
  return TYPES.find((type) => type.name === name)!;
}

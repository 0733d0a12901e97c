import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Entity } from '../../../integration/core/content/model.ts';
import { EMPTY_FILTER } from '../../../integration/core/engine/ast.ts';
import { createQueryEngine } from '../../../integration/core/engine/create-engine.ts';
import type {
  EngineQuery,
  QueryAccess,
  QueryEngine,
  QueryResult,
} from '../../../integration/core/engine/engine.ts';
import { createEntityStore } from '../../../integration/core/engine/store/entity-store.ts';
import { BadParameterError } from '../../../integration/core/util/errors.ts';
import { ACCESSES, accesses, languageAccesses } from '../../oracle/access.ts';
import { contents, queries, type TypedQuery } from '../../oracle/arbitraries.ts';
import { crowd } from '../../oracle/crowd.ts';
import { evaluate } from '../../oracle/evaluate.ts';
import { type Dataset, typeNamed } from '../../oracle/items.ts';
import { runs } from '../../oracle/runs.ts';
import { TYPES } from '../../oracle/schema.ts';
import { IDS } from '../../oracle/vocabulary.ts';

describe('the engine returns the same results as the brute-force oracle', () => {
  it('for any small content and any queries', { timeout: 600_000 }, async () => {
    const manyQueries = fc.array(queries(), { minLength: 8, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(contents(), manyQueries, accesses(), async (content, some, access) => {
        const dataset = { ...content, types: TYPES };
        const engine = engineOf(dataset);
        await expectSameVisibility(engine, dataset, ACCESSES[access]);
        for (const one of some) await expectSameAnswer(engine, dataset, one, ACCESSES[access]);
      }),
      runs(40),
    );
  });

  it('for content with translations, in any language', { timeout: 600_000 }, async () => {
    const manyQueries = fc.array(queries(), { minLength: 8, maxLength: 12 });
    const content = contents(12, ['de', 'fr']);
    await fc.assert(
      fc.asyncProperty(
        content,
        manyQueries,
        languageAccesses(),
        async (some, asked, { name, ...language }) => {
          const dataset = { ...some, types: TYPES };
          const engine = engineOf(dataset);
          const access = { ...ACCESSES[name], ...language };
          await expectSameVisibility(engine, dataset, { ...access, strict: false });
          for (const one of asked) await expectSameAnswer(engine, dataset, one, access);
        },
      ),
      runs(25),
    );
  });

  it('for entities of several types in one list', { timeout: 600_000 }, async () => {
    const manyQueries = fc.array(queries(), { minLength: 8, maxLength: 12 });
    let answered = 0;
    await fc.assert(
      fc.asyncProperty(contents(), manyQueries, accesses(), async (content, some, name) => {
        const dataset = { ...content, types: TYPES };
        const engine = engineOf(dataset);
        const access = ACCESSES[name];
        for (const { query } of some) {
          const result = await acrossTypes(engine, query, access);
          if (result === 'several kinds') continue;
          answered++;
          const expected = evaluate(
            dataset,
            TYPES.map((type) => type.name),
            query,
            access,
          );
          expect({ ...result, entities: result.entities.map(rowName) }, JSON.stringify(query)).toEqual({
            ...expected,
            entities: expected.entities.map(rowName),
          });
        }
      }),
      runs(20),
    );
    expect(answered).toBeGreaterThan(50);
  });

  it('for content of hundreds of entities, with bitmap intersections', {
    timeout: 600_000,
  }, async () => {
    const manyQueries = fc.array(queries(), { minLength: 10, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(contents(), manyQueries, accesses(), async (content, some, access) => {
        const dataset = crowd({ ...content, types: TYPES }, 150);
        const engine = engineOf(dataset);
        for (const one of some) await expectSameAnswer(engine, dataset, one, ACCESSES[access]);
      }),
      runs(8),
    );
  });
});

function engineOf(dataset: Dataset): QueryEngine {
  const store = createEntityStore({ locale: dataset.locale });
  store.load(dataset.types, dataset.entities);
  return createQueryEngine(store);
}

async function expectSameAnswer(
  engine: QueryEngine,
  dataset: Dataset,
  { type, query }: TypedQuery,
  access: QueryAccess,
): Promise<void> {
  const expected = evaluate(dataset, type, query, access);
  const result = await engine.run(typeNamed(dataset, type), query, access);
  const description = JSON.stringify({ type, query });
  expect({ ...result, entities: result.entities.map(rowName) }, description).toEqual({
    ...expected,
    entities: expected.entities.map(rowName),
  });
  const explained = await engine.explain(typeNamed(dataset, type), query, access);
  expect(explained.result, 'explained').toEqual(result);
}

/** Values of several kinds have no common order. */
async function acrossTypes(
  engine: QueryEngine,
  query: EngineQuery,
  access: QueryAccess,
): Promise<QueryResult | 'several kinds'> {
  try {
    return await engine.run(TYPES, query, access);
  } catch (error) {
    if (error instanceof BadParameterError && error.detail.includes('of several kinds'))
      return 'several kinds';
    throw error;
  }
}

async function expectSameVisibility(
  engine: QueryEngine,
  dataset: Dataset,
  access: QueryAccess,
): Promise<void> {
  for (const { name } of dataset.types) {
    const everything = {
      filter: EMPTY_FILTER,
      sort: [],
      page: { offset: 0, limit: Number.POSITIVE_INFINITY },
    };
    const visible = new Map(
      evaluate(dataset, name, everything, access).entities.map((each) => [each.id, each]),
    );
    for (const id of IDS) expect(engine.find(name, id, access)).toBe(visible.get(id));
  }
}

function rowName({ id, translation }: Entity): string {
  return translation === undefined ? id : `${id} (${translation})`;
}

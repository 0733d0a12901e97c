import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EMPTY_FILTER } from '../../../integration/engine/ast.ts';
import { createQueryEngine } from '../../../integration/engine/create-engine.ts';
import type { QueryAccess, QueryEngine } from '../../../integration/engine/engine.ts';
import { createEntityStore } from '../../../integration/engine/store/entity-store.ts';
import { SEES_ALL, SEES_PUBLISHED } from '../../oracle/access.ts';
import { contents, queries, type TypedQuery } from '../../oracle/arbitraries.ts';
import { crowd } from '../../oracle/crowd.ts';
import { evaluate } from '../../oracle/evaluate.ts';
import { type Dataset, typeNamed } from '../../oracle/items.ts';
import { runs } from '../../oracle/runs.ts';
import { TYPES } from '../../oracle/schema.ts';
import { IDS } from '../../oracle/vocabulary.ts';

const ACCESSES = { all: SEES_ALL, published: SEES_PUBLISHED };

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
      runs(100),
    );
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
      runs(15),
    );
  });
});

function accesses(): fc.Arbitrary<keyof typeof ACCESSES> {
  return fc.constantFrom('all', 'published');
}

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
  const { ids, count } = await engine.run(typeNamed(dataset, type), query, access);
  expect({ ids: [...ids], count }, JSON.stringify({ type, query })).toEqual(expected);
  const explained = await engine.explain(typeNamed(dataset, type), query, access);
  expect([...explained.result.ids], 'explained').toEqual(expected.ids);
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
    const visible = evaluate(dataset, name, everything, access).ids;
    const visibility = IDS.map((id) => ({ id, visible: engine.visible(name, id, access) }));
    expect(visibility).toEqual(IDS.map((id) => ({ id, visible: visible.includes(id) })));
  }
}

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Entity, ResourceType } from '../../../../integration/core/content/model.ts';
import { createQueryEngine } from '../../../../integration/core/engine/create-engine.ts';
import type { QueryAccess, QueryEngine, QueryResult } from '../../../../integration/core/engine/engine.ts';
import {
  createEntityStore,
  type EntityStore,
  type MutableEntityStore,
} from '../../../../integration/core/engine/store/entity-store.ts';
import { DomainError } from '../../../../integration/core/util/errors.ts';
import { SEES_ALL, SEES_PUBLISHED } from '../../../oracle/access.ts';
import { entityOf, queries, contents as someContent, type TypedQuery } from '../../../oracle/arbitraries.ts';
import { compareCodeUnits } from '../../../oracle/order.ts';
import { runs } from '../../../oracle/runs.ts';
import { CHANGED_TAG_TYPE, TYPES } from '../../../oracle/schema.ts';
import { IDS } from '../../../oracle/vocabulary.ts';

type Change =
  | { readonly kind: 'put'; readonly entity: Entity }
  | {
      readonly kind: 'remove';
      readonly type: string;
      readonly id: string;
      readonly translation: string | undefined;
    }
  /** The same content under another id, like a renamed file. */
  | { readonly kind: 'rename'; readonly type: string; readonly from: string; readonly to: string }
  | { readonly kind: 'replaceType'; readonly type: ResourceType; readonly entities: readonly Entity[] }
  | { readonly kind: 'removeType'; readonly type: string };

const ACCESSES: readonly QueryAccess[] = [
  SEES_ALL,
  SEES_PUBLISHED,
  { ...SEES_PUBLISHED, languages: ['fr', 'de'] },
];

describe('a store after incremental changes', () => {
  it('returns the same results as a new store', { timeout: 600_000 }, async () => {
    const manyQueries = fc.array(queries(), { minLength: 3, maxLength: 6 });
    const changes = fc.array(change(), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(someContent(8, ['de', 'fr']), changes, manyQueries, async (content, steps, some) => {
        const store = createEntityStore({ locale: content.locale });
        store.load(TYPES, content.entities);
        const engine = createQueryEngine(store);
        // Run before each change too, so that there are columns to patch.
        await answers(engine, store, some);
        for (const step of steps) {
          const { version } = store;
          if (apply(store, step)) expect(store.version).toBeGreaterThan(version);
          const scratch = loadedAnew(store);
          expect(await answers(engine, store, some)).toEqual(
            await answers(createQueryEngine(scratch), scratch, some),
          );
          expect(contents(store)).toEqual(contents(scratch));
        }
      }),
      runs(50),
    );
  });
});

/** The changes must have the same effect on a plain map and on the store. */
describe('the entities of a store after incremental changes', () => {
  it('equal those of a map after the same changes', () => {
    fc.assert(
      fc.property(fc.array(change(), { maxLength: 30 }), (steps) => {
        const store = createEntityStore({ locale: 'en' });
        store.load(TYPES, []);
        const model = new Map<string, Entity>();
        for (const step of steps) if (apply(store, step)) applyToModel(model, step, store);
        const expected = [...model.values()].sort(
          (a, b) =>
            compareCodeUnits(a.type, b.type) ||
            compareCodeUnits(a.id, b.id) ||
            compareCodeUnits(a.translation ?? '', b.translation ?? ''),
        );
        expect(contents(store).entities).toEqual(expected);
        for (const entity of model.values()) {
          expect(store.get(entity.type, entity.id, entity.translation)).toBe(entity);
        }
      }),
      runs(100),
    );
  });
});

function change(): fc.Arbitrary<Change> {
  const type = fc.constantFrom(...TYPES);
  const name = type.map((one) => one.name);
  const id = fc.constantFrom(...IDS);
  const entities = fc.constantFrom(...TYPES, CHANGED_TAG_TYPE).chain((one) =>
    fc
      .subarray([...IDS], { maxLength: 6 })
      .chain((ids) => fc.tuple(...ids.map((each) => entityOf(one, fc.constant(each)))))
      .map((list) => ({ kind: 'replaceType' as const, type: one, entities: list })),
  );
  const translation = fc.constantFrom(undefined, 'de', 'fr');
  const put = fc
    .tuple(
      type.chain((one) => entityOf(one)),
      translation,
    )
    .map(([entity, language]) => ({
      kind: 'put' as const,
      entity: language === undefined ? entity : { ...entity, translation: language },
    }));
  return fc.oneof(
    { weight: 5, arbitrary: put },
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant('remove' as const), type: name, id, translation }),
    },
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant('rename' as const), type: name, from: id, to: id }),
    },
    { weight: 1, arbitrary: entities },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('removeType' as const), type: name }) },
  );
}

/** True if the change has an effect. */
function apply(store: MutableEntityStore, step: Change): boolean {
  switch (step.kind) {
    case 'put':
      if (!fits(store, step.entity)) return false;
      store.put(step.entity);
      return true;
    case 'remove':
      return store.remove(step.type, step.id, step.translation);
    case 'rename': {
      const entity = store.get(step.type, step.from);
      if (!entity) return false;
      store.remove(step.type, step.from);
      store.put({ ...entity, id: step.to });
      return true;
    }
    case 'replaceType':
      store.replaceType(step.type, step.entities);
      return true;
    case 'removeType': {
      const known = store.types.has(step.type);
      store.removeType(step.type);
      return known;
    }
    default:
      return step satisfies never;
  }
}

/** True if the entity was decoded with the current type; others cannot be put. */
function fits(store: EntityStore, { type, values }: Entity): boolean {
  const fields = store.types.get(type)?.fields;
  return fields !== undefined && Object.keys(values).every((name) => fields.has(name));
}

function applyToModel(model: Map<string, Entity>, step: Change, store: EntityStore): void {
  const key = (type: string, id: string, translation = '') => `${type} ${id} ${translation}`;
  const dropType = (type: string) => {
    for (const [name, entity] of model) if (entity.type === type) model.delete(name);
  };
  switch (step.kind) {
    case 'put':
      model.set(key(step.entity.type, step.entity.id, step.entity.translation), step.entity);
      return;
    case 'remove':
      model.delete(key(step.type, step.id, step.translation));
      return;
    case 'rename': {
      model.delete(key(step.type, step.from));
      const renamed = store.get(step.type, step.to);
      if (renamed) model.set(key(step.type, step.to), renamed);
      return;
    }
    case 'replaceType':
      dropType(step.type.name);
      for (const entity of step.entities) model.set(key(entity.type, entity.id), entity);
      return;
    case 'removeType':
      dropType(step.type);
      return;
    default:
      step satisfies never;
  }
}

function loadedAnew(store: EntityStore): ReturnType<typeof createEntityStore> {
  const scratch = createEntityStore({ locale: store.locale });
  scratch.load(
    [...store.types.values()],
    [...store.types.keys()].flatMap((name) => store.entities(name)),
  );
  return scratch;
}

function contents(store: EntityStore): { types: readonly string[]; entities: readonly Entity[] } {
  const types = [...store.types.keys()];
  return { types, entities: types.flatMap((name) => store.entities(name)) };
}

/** The result of each query, or the error's detail, because paths of removed fields are errors. */
async function answers(
  engine: QueryEngine,
  store: EntityStore,
  some: readonly TypedQuery[],
): Promise<readonly (QueryResult | string)[]> {
  const results: (QueryResult | string)[] = [];
  for (const { type, query } of some) {
    for (const access of ACCESSES) {
      const known = store.types.get(type);
      if (!known) continue;
      try {
        results.push(await engine.run(known, query, access));
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
        results.push(error.detail);
      }
    }
  }
  return results;
}

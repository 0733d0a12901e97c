import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Access } from '../../../integration/core/access/access.ts';
import { createPolicy } from '../../../integration/core/access/policy.ts';
import type { Entity, ResourceType } from '../../../integration/core/content/model.ts';
import { createQueryEngine } from '../../../integration/core/engine/create-engine.ts';
import type {
  EngineQuery,
  QueryAccess,
  QueryEngine,
  QueryResult,
} from '../../../integration/core/engine/engine.ts';
import { createEntityStore } from '../../../integration/core/engine/store/entity-store.ts';
import { SEES_ALL } from '../../oracle/access.ts';
import { contents, queries } from '../../oracle/arbitraries.ts';
import { evaluateSeen } from '../../oracle/evaluate.ts';
import { type Dataset, typeNamed } from '../../oracle/items.ts';
import { allowed, NOW, type RoleCase, roleCases, withoutFields } from '../../oracle/roles.ts';
import { runs } from '../../oracle/runs.ts';
import { TYPES } from '../../oracle/schema.ts';

describe('with any roles', () => {
  it('an actor can do exactly what their permissions allow', {
    timeout: 600_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(contents(), roleCases(), async (content, roleCase) => {
        const dataset = { ...content, types: TYPES };
        const { access, engine } = open(dataset, roleCase);
        for (const entity of dataset.entities) {
          const result = {
            listed: (await engine.find(entity.type, entity.id, access)) !== undefined,
            view: access.allows('view', entity),
            matched: (await engine.find(entity.type, entity.id, updatable(access))) !== undefined,
            update: access.allows('update', entity),
            create: access.allows('create', entity),
          };
          const view = allowed(dataset, roleCase, 'view', entity);
          const update = allowed(dataset, roleCase, 'update', entity);
          expect(result).toEqual({ listed: view, view, matched: update, update, create: false });
        }
      }),
      runs(40),
    );
  });

  it('a field is visible only if it is allowed on every visible entity', { timeout: 600_000 }, () => {
    fc.assert(
      fc.property(contents(), roleCases(), (content, roleCase) => {
        const dataset = { ...content, types: TYPES };
        const { access } = open(dataset, roleCase);
        for (const entity of dataset.entities) {
          const type = typeNamed(dataset, entity.type);
          for (const field of type.fields.keys()) {
            const writable = access.fieldWritable(type, field, 'update', entity);
            const may =
              access.fieldVisible(type, field) && allowed(dataset, roleCase, 'update', entity, field);
            expect(writable).toBe(may);
            if (access.fieldWritable(type, field) && access.allows('update', entity))
              expect(writable).toBe(true);
            if (access.fieldVisible(type, field) && access.allows('view', entity))
              expect(allowed(dataset, roleCase, 'view', entity, field)).toBe(true);
          }
        }
      }),
      runs(16),
    );
  });

  it('queries return the same as if hidden content did not exist', { timeout: 600_000 }, async () => {
    // Each content answers an empty query and refuses an unknown field, so no seed compares only one kind.
    const manyQueries = fc
      .array(queries(), { minLength: 8, maxLength: 12 })
      .map((some) => [
        ...TYPES.flatMap(({ name }) => [ANSWERED, REFUSED].map((query) => ({ type: name, query }))),
        ...some,
      ]);
    let answered = 0;
    let refused = 0;
    const translated = contents(8, ['de', 'fr']);
    const languages = fc.record({ languages: fc.constantFrom([], ['fr', 'de']), strict: fc.boolean() });
    const any = [fc.oneof(contents(), translated), roleCases(), languages, manyQueries] as const;
    await fc.assert(
      fc.asyncProperty(...any, async (content, roleCase, language, some) => {
        const dataset = { ...content, types: TYPES };
        const opened = open(dataset, roleCase);
        const { engine } = opened;
        const access = { ...opened.access, ...language };
        const seen = new Set(
          dataset.entities.filter((each) => allowed(dataset, roleCase, 'view', each)).map(nameOf),
        );
        const rest = withoutFields(dataset, access.fieldVisible);
        const bare = openBare(rest, seen);
        for (const { type, query } of some) {
          const outcome = await ask(engine, dataset, type, query, access);
          const expected = await ask(bare, rest, type, query, { ...SEES_ALL, ...language });
          expect(outcome, JSON.stringify(query)).toEqual(expected);
          if ('error' in outcome) refused++;
          else {
            answered++;
            const result = evaluateSeen(rest, type, query, (entity) => seen.has(nameOf(entity)), language);
            expect(outcome).toEqual(rowsOf(result));
          }
        }
      }),
      runs(30),
    );
    const least = runs(30).numRuns * TYPES.length;
    expect(answered).toBeGreaterThanOrEqual(least);
    expect(refused).toBeGreaterThanOrEqual(least);
  });
});

const ANSWERED: EngineQuery = {
  filter: { kind: 'group', conjunction: 'AND', members: [] },
  sort: [],
  page: { offset: 0, limit: 50 },
};
const REFUSED: EngineQuery = { ...ANSWERED, sort: [{ path: 'no_such_field', direction: 'ASC' }] };

function open(
  dataset: Dataset,
  { roles, actor }: RoleCase,
): { readonly access: Access; readonly engine: QueryEngine } {
  const store = createEntityStore({ locale: dataset.locale });
  store.load(dataset.types, dataset.entities);
  return { access: createPolicy(store, { now: () => NOW, roles })(actor), engine: createQueryEngine(store) };
}

/** An engine over the visible content without hidden fields. */
function openBare(dataset: Dataset, seen: ReadonlySet<string>): QueryEngine {
  const store = createEntityStore({ locale: dataset.locale });
  store.load(
    dataset.types,
    dataset.entities.filter((entity) => seen.has(nameOf(entity))),
  );
  return createQueryEngine(store);
}

/** Sees the entities that may be updated. */
function updatable({ filterFor }: Access): QueryAccess {
  const nothing = { kind: 'group', conjunction: 'OR', members: [] } as const;
  const visibility = (type: ResourceType) => {
    const filter = filterFor('update', type);
    return filter === false ? nothing : filter;
  };
  return { visibility, fieldVisible: () => true };
}

async function ask(
  engine: QueryEngine,
  dataset: Dataset,
  type: string,
  query: EngineQuery,
  access: QueryAccess,
) {
  try {
    return rowsOf(await engine.run(typeNamed(dataset, type), query, access));
  } catch (error) {
    return { error: String(error) };
  }
}

function rowsOf({ entities, ...counts }: QueryResult) {
  return { rows: entities.map(nameOf), ...counts };
}

function nameOf({ type, id, translation = '' }: Entity): string {
  return `${type} ${id} ${translation}`;
}

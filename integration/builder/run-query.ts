import type { FlatEntity } from '../api/rest/flatten.ts';
import { createFlattener } from '../api/rest/flatten.ts';
import type { ResourceType } from '../content/model.ts';
import type { EngineQuery, QueryAccess, QueryResult } from '../engine/engine.ts';
import { checkLimits } from '../engine/limits.ts';
import type { Reader } from '../read/reader.ts';
import { actorOf } from './access-option.ts';
import { cacheKey, withoutRendering } from './cache-key.ts';
import { checkNames } from './check-names.ts';
import { explainFailure } from './explain-failure.ts';
import { findType } from './find-type.ts';
import { createKeptResults } from './kept-results.ts';
import { makeCondition, makeGroup } from './make-condition.ts';
import type { QuerySpec } from './query-spec.ts';

/** Runs what a builder was told. */
export interface QueryRunner {
  all(spec: QuerySpec): Promise<FlatEntity[]>;
  get(spec: QuerySpec, id: string): Promise<FlatEntity | undefined>;
  /** All that match, whatever the page. */
  count(spec: QuerySpec): Promise<number>;
  /** Another one where `all` or `count` answers otherwise. Renders no markdown. */
  cacheKey(spec: QuerySpec): Promise<string>;
}

export function createQueryRunner(services: Reader): QueryRunner {
  const { store, settings } = services;
  const results = createKeptResults(services);

  function check(spec: QuerySpec): void {
    try {
      checkLimits(spec, settings.limits);
    } catch (error) {
      throw explainFailure(error, spec);
    }
  }

  async function run(spec: QuerySpec): Promise<Found> {
    const type = findType(store.types, spec.bundle);
    const access = services.access(actorOf(spec));
    checkNames(spec, type, services, access);
    const filter: EngineQuery['filter'] = { kind: 'group', conjunction: 'AND', members: spec.filter };
    try {
      const result = await results.run(type, { filter, sort: spec.sort, page: spec.page }, access);
      return { type, access, result };
    } catch (error) {
      throw explainFailure(error, spec);
    }
  }

  async function all(spec: QuerySpec): Promise<FlatEntity[]> {
    return flatten(services, spec, await run(spec));
  }

  async function flatten(from: Reader, spec: QuerySpec, found: Found): Promise<FlatEntity[]> {
    const { type, access, result } = found;
    const flattener = createFlattener(from, access);
    const entities = result.ids.flatMap((id) => store.get(type.name, id) ?? []);
    return Promise.all(entities.map((entity) => flattener.flatten(entity, spec)));
  }

  return {
    async all(spec) {
      check(spec);
      // Awaited, so that the stack of an error leads back to whoever asked.
      return await all(spec);
    },
    async get(spec, id) {
      check(spec);
      // A group of its own, so that it joins no condition on the same item.
      const filter = [...spec.filter, makeGroup('AND', [makeCondition('id', '=', id)])];
      const found = await all({ ...spec, filter, page: ALL });
      return found.find((entity) => entity.id === id);
    },
    async count(spec) {
      check(spec);
      return (await run({ ...spec, page: NONE })).result.count;
    },
    async cacheKey(spec) {
      check(spec);
      const found = await run(spec);
      return cacheKey(found.result.count, await flatten(withoutRendering(services), spec, found));
    },
  };
}

const ALL = { offset: 0, limit: Number.POSITIVE_INFINITY } as const;
const NONE = { offset: 0, limit: 0 } as const;

interface Found {
  readonly type: ResourceType;
  readonly access: QueryAccess;
  readonly result: QueryResult;
}

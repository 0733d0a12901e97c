import { type CompiledQuery, sql } from 'kysely';
import type { Entity, ResourceType } from '../../core/content/model.ts';
import type { FilterNode } from '../../core/engine/ast.ts';
import type {
  EngineQuery,
  Explanation,
  QueryAccess,
  QueryEngine,
  QueryResult,
} from '../../core/engine/engine.ts';
import { DEFAULT_LIMITS, type Limits } from '../../core/engine/limits.ts';
import { createResolveContext } from '../../core/engine/resolve/bind-path.ts';
import { resolveFacets } from '../../core/engine/resolve/resolve-facets.ts';
import { rankedNodes, resolveFilter } from '../../core/engine/resolve/resolve-filter.ts';
import { checkKinds } from '../../core/engine/resolve/resolve-key.ts';
import { resolveSearch } from '../../core/engine/resolve/resolve-search.ts';
import { resolveSort } from '../../core/engine/resolve/resolve-sort.ts';
import type { SiteTerms } from '../../core/engine/text/words.ts';
import { collectErrors } from '../../core/util/collect-errors.ts';
import { LruMap } from '../../core/util/lru-map.ts';
import { createBatch } from './batch.ts';
import { type CompileContext, column, compilePolicy, compileVisible, from, type Row } from './compile.ts';
import { and, type Database, keyOf, rowsOf, type Sql } from './database.ts';
import { createEntityCache } from './entity-cache.ts';
import { openList, PAGE_LIMITS, type PageLimits } from './page.ts';
import { rankRows } from './searched-rows.ts';
import { readState, type State } from './state.ts';
import {
  aggregate,
  compileCount,
  compileFirst,
  compileParts,
  compileStatement,
  decodeEntities,
  decodeResult,
  defined,
  type ResolvedPart,
  type ResultRow,
  STAMP,
  type Stamped,
} from './statement.ts';
import { toStored } from './text.ts';
import type { Vocabularies } from './vocabularies.ts';

export interface PostgresEngineDeps {
  readonly db: Database;
  readonly limits?: Limits;
  /** Null if full-text search is off. */
  readonly terms: SiteTerms | null;
  readonly pageLimits?: PageLimits;
}

/** The engine over tables in PostgreSQL. Each result is of one version of the content. */
export interface PostgresEngine extends QueryEngine {
  /** What the tables contain, as far as queries have noticed. */
  state(): Promise<State>;
}

export function createPostgresEngine({
  db,
  limits = DEFAULT_LIMITS,
  terms,
  pageLimits = PAGE_LIMITS,
}: PostgresEngineDeps): PostgresEngine {
  let current: Promise<State> | undefined;
  let unique = createEntityCache();
  let vocabularies: Vocabularies = new Map();
  let lastVersion = 0;
  const numbers = new WeakMap<QueryAccess, number>();
  let lastNumber = 0;
  const repeated = new WeakMap<State, LruMap<string, RepeatedQuery>>();

  /** Actors with the same permissions have the same object. */
  function numberOf(access: QueryAccess): number {
    const number = numbers.get(access) ?? ++lastNumber;
    numbers.set(access, number);
    return number;
  }

  function state(): Promise<State> {
    if (current === undefined) {
      const reading = readState(db, (version) => {
        // Numbers of rows and terms repeat after the tables are made again or restored.
        if (version <= lastVersion) {
          unique = createEntityCache();
          vocabularies = new Map();
        }
        lastVersion = version;
        return vocabularies;
      });
      current = reading;
      reading.catch(() => {
        if (current === reading) current = undefined;
      });
    }
    return current;
  }

  /**
   * Runs a statement that was compiled for one state. If the content has changed in between, it is compiled again; at last
   * in a transaction, which sees one version.
   */
  async function consistent<T extends Stamped>(run: (state: State, on: Database) => Promise<T>): Promise<T> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const known = await state();
      try {
        const result = await run(known, db);
        if (result.stamp === known.stamp) return result;
      } catch (error) {
        if (!isOutdated(error)) throw error;
      }
      current = undefined;
    }
    return db
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(async (transaction) => run(await readState(transaction), transaction));
  }

  async function runQuery(
    types: readonly ResourceType[],
    query: EngineQuery,
    access: QueryAccess,
  ): Promise<QueryResult & Timed> {
    const result = await consistent(async (known, on) => {
      const started = performance.now();
      const key = JSON.stringify([numberOf(access), types.map(({ name }) => name), query]);
      const statements = repeated.get(known) ?? new LruMap(MAX_REPEATED);
      repeated.set(known, statements);
      const former = statements.get(key);
      if (former !== undefined && isSameVisibility(former.visibility, access)) {
        const { rows } = await on.executeQuery(former.statement);
        return { ...decodeResult(rows[0]!, former.resolved, query, access, unique), resolveMs: 0 };
      }
      const visibility = new Map<ResourceType, FilterNode | null>();
      const recorded = recordVisibility(access, visibility);
      const resolved = resolveParts(types, query, recorded, known, limits, terms);
      const resolveMs = performance.now() - started;
      const isRanked =
        resolved.some(({ filter }) => rankedNodes(filter).length > 0) && query.sort.length === 0;
      const { offset, limit, cursors } = query.page;
      const ranked =
        isRanked && terms !== null
          ? await rankRows(
              resolved.map(({ type, filter }) => ({ filter, layout: known.layouts.get(type.name)! })),
              cursors === undefined && limit > 0 ? offset + limit : 0,
              (at, node, context) => {
                const { row, conditions } = compileParts(resolved, context)[at]!;
                return { row: column(row, 'row'), source: sql`from ${from(row)} where ${conditions(node)}` };
              },
              ...([recorded, known, on, terms] as const),
            )
          : undefined;
      const compile = <T>(run: (context: CompileContext) => T) => known.compile(on, recorded, terms, run);
      const counting =
        ranked === undefined
          ? await compile((context) => compileCount(resolved, context))
          : sql`${ranked.count}::bigint`;
      // The pages of a list have the same count.
      const countKey = keyOf(counting, on);
      const [part] = resolved;
      const list =
        resolved.length === 1 && !isRanked && query.page.limit > 0 && query.page.cursors === undefined
          ? openList(part!, query.page, countKey, known, pageLimits)
          : undefined;
      if (list !== undefined && known.counts.get(countKey) === undefined) {
        const isPage = list.isNear && !query.facets?.length;
        const statement = isPage
          ? await compile((context) =>
              compileFirst(resolved, query.page, counting, list.order, pageLimits, context),
            )
          : sql<ResultRow>`select ${STAMP} as stamp, ${counting} as count`;
        const [row] = await rowsOf(on, statement);
        if (row!.stamp === known.stamp) known.counts.set(countKey, row!.count);
        if (isPage && (row!.entities !== null || row!.count <= pageLimits.maxSorted))
          return { ...decodeResult(row!, resolved, query, access, unique), resolveMs };
      }
      for (;;) {
        const count = ranked?.count ?? known.counts.get(countKey);
        const path = count === undefined ? undefined : list?.choose(count);
        const exact = count === undefined ? counting : sql`${count}::bigint`;
        const built = await compile((context) =>
          compileStatement(resolved, query, access, ranked, exact, path, context),
        );
        const statement = built.compile(on);
        const { rows } = await on.executeQuery(statement);
        const row = rows[0]!;
        if (row.stamp === known.stamp) {
          known.counts.set(countKey, row.count);
          if (path !== undefined && !list!.accept(path, row.entities?.length ?? 0, row.bookmark)) continue;
          if (count !== undefined && row.bookmark === null) {
            statements.set(key, { resolved, statement, visibility });
          }
        }
        return { ...decodeResult(row, resolved, query, access, unique), resolveMs };
      }
    });
    const { stamp: _, ...rest } = result;
    return rest;
  }

  /** The rows of entities by id, the source first. */
  async function entitiesOf(
    type: string,
    ids: readonly string[],
    access: QueryAccess,
    condition: (row: Row, context: CompileContext) => Sql | undefined,
  ): Promise<ReadonlyMap<string, readonly Entity[]>> {
    const { entities } = await consistent(async (known, on) => {
      const layout = known.layouts.get(type);
      if (layout === undefined) return { stamp: known.stamp, entities: [] };
      const statement = await known.compile(on, access, terms, (context) => {
        const row = { layout, alias: context.alias() };
        const isOne = sql`${column(row, 'id')} = any(${ids.map(toStored)}::text[])`;
        const all = [isOne, condition(row, context)];
        const page = sql`select 0 as part, ${column(row, 'row')} as row from ${from(row)} where ${and(defined(all))}
          order by ${column(row, 'translation')} nulls first`;
        return sql<ResultRow>`select ${STAMP} as stamp, ${aggregate(page, [layout])} as entities`;
      });
      const [row] = await rowsOf(on, statement);
      return { stamp: row!.stamp, entities: decodeEntities(row!.entities, [layout.type], unique) };
    });
    return Map.groupBy(entities, ({ id }) => id);
  }

  const findAll = createBatch((type, ids, access) => entitiesOf(type, ids, access, compileVisible));
  const findTranslations = createBatch((type, ids, access) => entitiesOf(type, ids, access, compilePolicy));

  return {
    state,
    async run(type, query, access) {
      const { resolveMs: _, ...result } = await runQuery('name' in type ? [type] : type, query, access);
      return result;
    },
    async explain(type, query, access): Promise<Explanation> {
      const started = performance.now();
      const { resolveMs, ...result } = await runQuery([type], query, access);
      const { filter, sort, page, facets = [] } = query;
      const executeMs = performance.now() - started - resolveMs;
      return {
        ast: { filter, sort, page, facets },
        plan: describe(type, query, result),
        resolveMs,
        executeMs,
        result,
      };
    },
    async find(type, id, access) {
      const [entity] = await findAll(type, id, access);
      return entity;
    },
    translations: findTranslations,
  };
}

interface Timed {
  readonly resolveMs: number;
}

/** The statement of a query that has run. It returns the same page until the content or what the actor may see changes. */
interface RepeatedQuery {
  readonly resolved: readonly ResolvedPart[];
  readonly statement: CompiledQuery<ResultRow>;
  /** What the actor may see of the types that the statement reads. */
  readonly visibility: ReadonlyMap<ResourceType, FilterNode | null>;
}

function recordVisibility(
  access: QueryAccess,
  visibility: Map<ResourceType, FilterNode | null>,
): QueryAccess {
  return {
    ...access,
    fieldVisible: (type, field) => access.fieldVisible(type, field),
    visibility(type) {
      const filter = access.visibility(type);
      visibility.set(type, filter);
      return filter;
    },
  };
}

function isSameVisibility(visibility: RepeatedQuery['visibility'], access: QueryAccess): boolean {
  return [...visibility].every(([type, filter]) => access.visibility(type) === filter);
}

const MAX_ATTEMPTS = 3;
const MAX_REPEATED = 1000;

/** True for errors of statements that do not fit the tables, such as after a change of the schema. */
function isOutdated(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(?:42|0A)/.test(String(error.code));
}

/** Throws BadParameterError. */
function resolveParts(
  requested: readonly ResourceType[],
  query: EngineQuery,
  access: QueryAccess,
  { types }: State,
  limits: Limits,
  terms: SiteTerms | null,
): readonly ResolvedPart[] {
  const peers = requested.length === 1 ? undefined : requested.map(({ name }) => name);
  const parts = requested.map(({ name }) => {
    const type = types.get(name);
    if (type === undefined) throw new Error(`The database has no resource type "${name}".`);
    const search = terms === null ? undefined : () => ({ ...terms, resolveSearch });
    const context = createResolveContext(types, access, limits, search, peers);
    const [filter, sort, facets] = collectErrors(
      () => resolveFilter(type, query.filter, context),
      () => resolveSort(type, query.sort, context),
      () => resolveFacets(type, query.facets ?? [], query.filter, context),
    );
    return { type, filter, sort, facets };
  });
  query.sort.forEach(({ path, parameter = 'sort' }, i) => {
    checkKinds(
      parts.map(({ sort }) => sort[i]!.key),
      { path, parameter },
    );
  });
  query.facets?.forEach(({ path, parameter = 'facetBy' }, i) => {
    checkKinds(
      parts.map(({ facets }) => facets[i]!.key),
      { path, parameter },
    );
  });
  return parts;
}

function describe(
  type: ResourceType,
  { sort, page }: EngineQuery,
  { count, facets = [] }: QueryResult,
): string {
  const keys = sort.map(({ path, direction }) => `${path} ${direction}`).join(', ') || 'id ASC';
  return [
    `${type.name}: ${count} rows, by PostgreSQL`,
    `  order by ${keys}; page ${page.offset} to ${page.offset + page.limit}`,
    ...facets.map(
      ({ terms, total, missing }) =>
        `  facet: ${terms.length} of ${total} terms (${missing} without a value)`,
    ),
  ].join('\n');
}

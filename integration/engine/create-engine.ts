import type { ResourceType } from '../content/model.ts';
import type { FilterNode, Page } from './ast.ts';
import type { EngineQuery, Explanation, QueryAccess, QueryEngine, QueryResult } from './engine.ts';
import { explainPlan, explainSeen } from './explain.ts';
import { DEFAULT_LIMITS, type Limits } from './limits.ts';
import { pageOf } from './page.ts';
import { planQuery } from './plan.ts';
import type { PlanContext, PlanProgress } from './plan-items.ts';
import type { PlanNode } from './plan-node.ts';
import { policyRows } from './policy-rows.ts';
import { rankedPage, searchesOf } from './relevance.ts';
import { resolveFilter } from './resolve.ts';
import type { SearchNode } from './resolve-search.ts';
import { resolveSort } from './resolve-sort.ts';
import { type OrderedKeys, orderedKeys, type SortCache } from './sort-keys.ts';
import type { IndexedStore } from './store/entity-store.ts';
import type { FullText } from './store/full-text/full-text.ts';
import { hasRow, type RowSet, rowCount } from './store/row-set.ts';
import type { Table } from './store/table.ts';
import { createResolveContext, type ResolveContext } from './targets.ts';
import { createTextScans, type TextScans } from './text-scan.ts';
import { onceInSlices, withoutSlices } from './time-slices.ts';

/** The engine over the in-memory index. All its answers are synchronous. */
export interface InMemoryQueryEngine extends QueryEngine {
  run(type: ResourceType, query: EngineQuery, access: QueryAccess): QueryResult;
  explain(type: ResourceType, query: EngineQuery, access: QueryAccess): Explanation;
  visible(type: string, id: string, access: QueryAccess): boolean;
  /** As `run` and `explain`, for `LongWork.finish`: an attempt goes on where the one before ended. */
  running(type: ResourceType, query: EngineQuery, access: QueryAccess): () => QueryResult;
  explaining(type: ResourceType, query: EngineQuery, access: QueryAccess): () => Explanation;
}

/**
 * Searches need `fullText`, whose index of the type must have been prepared: `createSearchEngine` sees to that.
 * Without it a search is a 400.
 */
export function createQueryEngine(
  store: IndexedStore,
  limits: Limits = DEFAULT_LIMITS,
  fullText?: FullText,
): InMemoryQueryEngine {
  const visibleRows = createVisibility(store);
  const sortCache: SortCache = new WeakMap();

  const tableOf = (type: string) => store.table(type);
  // Joins are explained too, so that what is hidden in any type counts.
  const seesEverything = (access: QueryAccess) =>
    [...store.types.values()].every((type) => access.visibility(type) === null);

  // A query asked again, as pages and static queries do, is bound to the types once.
  const bound = new WeakMap<EngineQuery, Bound>();
  const prepare = (type: ResourceType, query: EngineQuery, access: QueryAccess): Prepared => {
    const known = bound.get(query);
    if (known?.type === type && known.access === access && known.types === store.types) return known.prepared;
    const prepared = bind(type, query, access);
    bound.set(query, { type, access, types: store.types, prepared });
    return prepared;
  };

  const bind = (type: ResourceType, query: EngineQuery, access: QueryAccess): Prepared => {
    const table = store.table(type.name);
    if (table === undefined) throw new Error(`The store has no resource type "${type.name}".`);
    const context = createResolveContext(store.types, access, limits, fullText !== undefined);
    return {
      table,
      ...bindFilter(type, query, context),
      sort: resolveSort(type, query.sort, context),
    };
  };

  const plan = (
    { table, filter, sort, searches }: Prepared,
    access: QueryAccess,
    texts = createTextScans(filter, table, tableOf),
    progress?: PlanProgress,
  ): Planned => {
    const context: PlanContext = {
      table: tableOf,
      visible: (each) => visibleRows(each, access),
      texts,
      progress,
      search: ({ words, fields }, searched) =>
        required(fullText)
          .index(searched)
          .match(
            words,
            fields.map(({ name }) => name),
            searched,
          ),
    };
    const ranked = searches.length > 0 && sort.length === 0;
    const keys = () => sort.map((key) => orderedKeys(key, table, context, sortCache));
    let ranking: (() => number[]) | undefined;
    return {
      table,
      filter: planQuery(filter, table, context),
      ranked,
      keys,
      page(rows, page) {
        if (!ranked) return pageOf(rows, keys(), page);
        ranking ??= onceInSlices(
          rankedPage(rows, searches, context.visible(table), table, required(fullText), page),
        );
        return ranking();
      },
    };
  };

  const answerOf = (planned: Planned, query: EngineQuery): QueryResult => {
    const rows = planned.filter.rows();
    return { ids: idsOf(planned, rows, query), count: rowCount(rows) };
  };

  /** Attempts to use a plan. Planning and the plan's rows are stored between attempts, until the content changes. */
  const attempts = <T>(
    type: ResourceType,
    query: EngineQuery,
    access: QueryAccess,
    use: (planned: Planned, prepared: Prepared) => T,
  ): (() => T) => {
    let state: Attempted | undefined;
    let changes = 0;
    return () => {
      const prepared = prepare(type, query, access);
      const isSame = state?.prepared === prepared && state.version === store.version;
      if (state === undefined || !isSame) {
        if (state !== undefined) changes++;
        const { table, filter } = prepared;
        state = {
          prepared,
          version: store.version,
          texts: createTextScans(filter, table, tableOf, state?.texts),
          progress: { nodes: new Map(), codes: new Map() },
          planned: undefined,
        };
      }
      const { texts, progress } = state;
      const current = state;
      const attempt = (): T => {
        current.planned ??= plan(prepared, access, texts, progress);
        return use(current.planned, prepared);
      };
      return changes > MAX_CHANGES ? withoutSlices(attempt) : attempt();
    };
  };

  const explaining = (type: ResourceType, query: EngineQuery, access: QueryAccess): (() => Explanation) => {
    const started = performance.now();
    prepare(type, query, access);
    const resolved = performance.now();
    return attempts(type, query, access, (planned, { sort }) => {
      const { table, filter, keys, ranked } = planned;
      const result = answerOf(planned, query);
      const executed = performance.now();
      return {
        ast: { filter: query.filter, sort: query.sort, page: query.page },
        plan: seesEverything(access)
          ? explainPlan(table, filter, filter.rows(), sort, keys(), query.page, ranked)
          : explainSeen(table, filter, sort, query.page, ranked),
        resolveMs: resolved - started,
        executeMs: executed - resolved,
        result,
      };
    });
  };

  return {
    run: (type, query, access) => answerOf(plan(prepare(type, query, access), access), query),
    running: (type, query, access) => attempts(type, query, access, (planned) => answerOf(planned, query)),
    explain: (type, query, access) => explaining(type, query, access)(),
    explaining,

    visible(type, id, access) {
      const table = store.table(type);
      if (table === undefined) return false;
      const row = table.rowOf(id);
      // The policy is asked for a missing id too: the same work as for an entity that the actor may not see.
      const isVisible = hasRow(visibleRows(table, access), Math.max(row, 0));
      return row !== -1 && isVisible;
    },
  };
}

/** Changes of the content during one query, after which it is answered at once. */
const MAX_CHANGES = 20;

/** What the attempts at one query have in common. */
interface Attempted {
  readonly prepared: Prepared;
  /** Of the store. */
  readonly version: number;
  readonly texts: TextScans;
  readonly progress: PlanProgress;
  planned: Planned | undefined;
}

interface Prepared {
  readonly table: Table;
  readonly filter: ReturnType<typeof resolveFilter>;
  readonly sort: ReturnType<typeof resolveSort>;
  readonly searches: readonly SearchNode[];
}

/** A prepared query with all it depends on. */
interface Bound {
  readonly type: ResourceType;
  readonly access: QueryAccess;
  readonly types: ReadonlyMap<string, ResourceType>;
  readonly prepared: Prepared;
}

interface Planned {
  readonly table: Table;
  readonly filter: PlanNode;
  /** Whether the order is that of relevance. */
  readonly ranked: boolean;
  keys(): OrderedKeys[];
  page(rows: RowSet, page: Page): number[];
}

function bindFilter(
  type: ResourceType,
  { filter }: EngineQuery,
  context: ResolveContext,
): Pick<Prepared, 'filter' | 'searches'> {
  const resolved = resolveFilter(type, filter, context);
  return { filter: resolved, searches: searchesOf(resolved) };
}

function idsOf(planned: Planned, rows: RowSet, { page }: EngineQuery): string[] {
  if (page.limit <= 0 || page.offset >= rowCount(rows)) return [];
  return planned.page(rows, page).map((row) => planned.table.entity(row).id);
}

function required(fullText: FullText | undefined): FullText {
  if (fullText !== undefined) return fullText;
  throw new Error('A search was planned where nothing can be searched.');
}

/** The rows each policy lets through, kept until the store changes or the policy answers another filter. */
function createVisibility(store: IndexedStore): (table: Table, access: QueryAccess) => RowSet {
  let kept = new WeakMap<FilterNode, WeakMap<Table, RowSet>>();
  let version = store.version;
  return (table, access) => {
    const filter = access.visibility(table.type);
    if (filter === null) return { kind: 'all', size: table.size };
    if (version !== store.version) {
      kept = new WeakMap();
      version = store.version;
    }
    let byTable = kept.get(filter);
    if (byTable === undefined) {
      byTable = new WeakMap();
      kept.set(filter, byTable);
    }
    const known = byTable.get(table);
    if (known !== undefined) return known;
    const rows = policyRows(store, table, filter);
    byTable.set(table, rows);
    return rows;
  };
}

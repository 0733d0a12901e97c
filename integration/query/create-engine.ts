import type { ResourceType } from '../entities/model.ts';
import type { IndexedStore } from '../store/entity-store.ts';
import { hasRow, type RowSet, rowCount } from '../store/row-set.ts';
import type { Table } from '../store/table.ts';
import type { FilterNode } from './ast.ts';
import type { EngineQuery, Explanation, QueryAccess, QueryEngine, QueryResult } from './engine.ts';
import { explainPlan, explainSeen } from './explain.ts';
import { DEFAULT_LIMITS, type Limits } from './limits.ts';
import { pageOf } from './page.ts';
import { type PlanContext, planFilter, planQuery } from './plan.ts';
import type { PlanNode } from './plan-node.ts';
import { resolveFilter } from './resolve.ts';
import { resolveSort } from './resolve-sort.ts';
import { type OrderedKeys, orderedKeys, type SortCache } from './sort-keys.ts';
import { createResolveContext } from './targets.ts';
import { createTextScans } from './text-scan.ts';

/** The engine over the in-memory index. All its answers are synchronous. */
export interface InMemoryQueryEngine extends QueryEngine {
  run(type: ResourceType, query: EngineQuery, access: QueryAccess): QueryResult;
  explain(type: ResourceType, query: EngineQuery, access: QueryAccess): Explanation;
  visible(type: string, id: string, access: QueryAccess): boolean;
}

export function createQueryEngine(store: IndexedStore, limits: Limits = DEFAULT_LIMITS): InMemoryQueryEngine {
  const visibleRows = createVisibility(store);
  const sortCache: SortCache = new WeakMap();

  const tableOf = (type: string) => store.table(type);

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
    const context = createResolveContext(store.types, access, limits);
    return {
      table,
      filter: resolveFilter(type, query.filter, context),
      sort: resolveSort(type, query.sort, context),
    };
  };

  const plan = ({ table, filter, sort }: Prepared, access: QueryAccess): Planned => {
    const context: PlanContext = {
      table: tableOf,
      visible: (each) => visibleRows(each, access),
      texts: createTextScans(filter, table, tableOf),
    };
    return {
      table,
      filter: planQuery(filter, table, context),
      keys: () => sort.map((key) => orderedKeys(key, table, context, sortCache)),
    };
  };

  return {
    run(type, query, access) {
      const { table, filter, keys } = plan(prepare(type, query, access), access);
      const rows = filter.rows();
      return { ids: idsOf(table, rows, keys, query), count: rowCount(rows) };
    },

    explain(type, query, access) {
      const started = performance.now();
      const prepared = prepare(type, query, access);
      const resolved = performance.now();
      const { table, filter, keys } = plan(prepared, access);
      const rows = filter.rows();
      const result = { ids: idsOf(table, rows, keys, query), count: rowCount(rows) };
      const executed = performance.now();
      return {
        ast: { filter: query.filter, sort: query.sort, page: query.page },
        plan:
          access.visibility(type) === null
            ? explainPlan(table, filter, rows, prepared.sort, keys(), query.page)
            : explainSeen(table, filter, prepared.sort, query.page),
        resolveMs: resolved - started,
        executeMs: executed - resolved,
        result,
      };
    },

    visible(type, id, access) {
      const table = store.table(type);
      const row = table?.rowOf(id) ?? -1;
      return table !== undefined && row !== -1 && hasRow(visibleRows(table, access), row);
    },
  };
}

interface Prepared {
  readonly table: Table;
  readonly filter: ReturnType<typeof resolveFilter>;
  readonly sort: ReturnType<typeof resolveSort>;
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
  keys(): OrderedKeys[];
}

function idsOf(table: Table, rows: RowSet, keys: () => OrderedKeys[], { page }: EngineQuery): string[] {
  if (page.limit <= 0 || page.offset >= rowCount(rows)) return [];
  return pageOf(rows, keys(), page).map((row) => table.entity(row).id);
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
    // A policy is our own filter: it may use every field and look at every entity.
    const node = resolveFilter(table.type, filter, createResolveContext(store.types, null, DEFAULT_LIMITS));
    const tableOf = (type: string) => store.table(type);
    const everything: PlanContext = {
      table: tableOf,
      visible: (target) => ({ kind: 'all', size: target.size }),
      texts: createTextScans(node, table, tableOf),
    };
    const rows = planFilter(node, table, everything).rows();
    byTable.set(table, rows);
    return rows;
  };
}

import type { Entity, ResourceType } from '../content/model.ts';
import { collectErrors } from '../util/collect-errors.ts';
import type { FilterNode, Page } from './ast.ts';
import type {
  EngineQuery,
  Explanation,
  FacetResult,
  QueryAccess,
  QueryEngine,
  QueryResult,
} from './engine.ts';
import type { EngineParts } from './engine-parts.ts';
import type { Limits } from './limits.ts';
import type { TextScans } from './plan/body-scans.ts';
import type { CountedFacet, Tally } from './plan/count-facet.ts';
import type { FacetCache } from './plan/facet-keys.ts';
import { rowsInLanguage, rowsInLanguages } from './plan/language-rows.ts';
import type { QueryPart } from './plan/merge-parts.ts';
import { pageOf } from './plan/page.ts';
import { createProgress, type PlanContext, type PlanProgress, planQuery } from './plan/plan.ts';
import { once, type PlanNode } from './plan/plan-node.ts';
import { matchesPolicy, policyRows } from './plan/policy-rows.ts';
import { type SortCache, type SortedKeys, sortedKeys } from './plan/sort-keys.ts';
import { createTextScans } from './plan/text-scan.ts';
import { createResolveContext } from './resolve/bind-path.ts';
import type { ResolvedFacet } from './resolve/resolve-facets.ts';
import { type ResolvedNode, rankedNodes, resolveFilter } from './resolve/resolve-filter.ts';
import type { KeyStep } from './resolve/resolve-key.ts';
import { type ResolvedSort, resolveSort } from './resolve/resolve-sort.ts';
import type { IndexedStore, NeededColumn } from './store/entity-store.ts';
import { EXACT_ORDERING } from './store/ordering.ts';
import { createSortOrder, type SortOrder } from './store/postings.ts';
import { allRows, hasRow, type RowSet } from './store/row-set.ts';
import type { Table } from './store/table.ts';
import type { SearchIndexes } from './text/full-text.ts';
import { isSliced, onceInSlices, withoutSlices } from './time-slices.ts';

/** The engine over the in-memory index. All results are synchronous. */
export interface SynchronousEngine extends QueryEngine {
  run(type: ResourceType | readonly ResourceType[], query: EngineQuery, access: QueryAccess): QueryResult;
  explain(type: ResourceType, query: EngineQuery, access: QueryAccess): Explanation;
  find(type: string, id: string, access: QueryAccess): Entity | undefined;
  translations(type: string, id: string, access: QueryAccess): readonly Entity[];
  /** For `LongWork.finish`: each attempt continues at the end of the previous one. */
  runAttempt(types: readonly ResourceType[], query: EngineQuery, access: QueryAccess): () => QueryResult;
  explainAttempt(type: ResourceType, query: EngineQuery, access: QueryAccess): () => Explanation;
}

/** Without `fullText`, a search is a 400; with it, `fullText.prepare` must have been called for the type. */
export function assembleEngine(
  parts: EngineParts,
  store: IndexedStore,
  limits: Limits,
  fullText?: SearchIndexes,
): SynchronousEngine {
  const { rows: visibleRows, sees, serves } = createVisibility(store);
  const sortCache: SortCache = new WeakMap();
  const facetCache: FacetCache = new WeakMap();
  const resolvedQueries = new WeakMap<EngineQuery, CachedQuery>();
  const tableOf = (type: string) => store.table(type);
  const idOrders = new WeakMap<Int32Array, SortOrder>();
  const keysOf = (sort: readonly ResolvedSort[], table: Table, context: PlanContext) => {
    const keys = sort.map((key) => sortedKeys(key, table, context, sortCache));
    // Rows with equal keys are in the order of ids.
    if (keys.some(({ order }) => isTotal(order))) return keys;
    if (sort.some(({ key }) => key.kind === 'value' && key.slot.name === table.rowOrder)) return keys;
    const { idRanks } = table;
    if (idRanks === null) return keys;
    const order = idOrders.get(idRanks) ?? createSortOrder(idRanks);
    idOrders.set(idRanks, order);
    return [...keys, { order, direction: 'ASC' as const, values: () => [], ordering: EXACT_ORDERING }];
  };
  // Plans show joins too, so a hidden entity of any type counts.
  const seesEverything = (access: QueryAccess) =>
    [...store.types.values()].every((type) => access.visibility(type) === null);

  /** Cached, because pages and prebuilt queries run the same query again. */
  function resolve(type: ResourceType, query: PartQuery, access: QueryAccess): ResolvedQuery {
    const { types } = store;
    const cached = resolvedQueries.get(query);
    if (cached?.type === type && cached.access === access && cached.types === types) return cached.resolved;
    const table = store.table(type.name);
    if (table === undefined) throw new Error(`The store has no resource type "${type.name}".`);
    const search = fullText && (() => ({ ...fullText, ...parts.search() }));
    const context = createResolveContext(types, access, limits, search, query.peers);
    const { facets: counted = [] } = query;
    const [filter, sort, facets] = collectErrors(
      () => resolveFilter(type, query.filter, context),
      () => resolveSort(type, query.sort, context),
      () => (counted.length > 0 ? parts.facets().resolveFacets(type, counted, query.filter, context) : []),
    );
    const conditions = allConditions(filter, facets);
    const resolved = { table, filter, sort, facets, conditions, ranked: rankedNodes(filter) };
    resolvedQueries.set(query, { type, access, types, resolved });
    return resolved;
  }

  function plan(
    { table, filter, sort, facets, conditions, ranked: nodes }: ResolvedQuery,
    access: QueryAccess,
    texts = createTextScans(conditions, table, tableOf),
    progress?: PlanProgress,
  ): QueryPlan {
    const context: PlanContext = {
      table: tableOf,
      visible: (each) => visibleRows(each, access),
      texts,
      progress,
      search: (node, searched) => parts.search().matchSearch(fullText, node, searched, visible),
    };
    const ranked = nodes.length > 0 && sort.length === 0;
    const visible = visibleRows(table, access, access.strict);
    const keys = () => keysOf(sort, table, context);
    const counter = facets.length > 0 ? parts.facets() : undefined;
    let ranking: (() => { readonly rows: number[]; readonly scores: readonly number[] }) | undefined;
    return {
      table,
      filter: planQuery(filter, table, context, visible),
      ranked,
      keys,
      facets:
        counter?.planFacets(facets, table, context, visible, facetCache, counter.countFacet) ?? NO_COUNTS,
      tallies:
        counter?.planFacets(facets, table, context, visible, facetCache, counter.tallyFacet) ?? NO_COUNTS,
      page(rows, page) {
        if (!ranked) return pageOf(rows, keys(), page);
        ranking ??= onceInSlices(
          parts.search().rankRows(rows, nodes, context, visible, table, fullText, page),
        );
        return ranking().rows;
      },
      scores: () => ranking?.().scores,
    };
  }

  /** Repeated attempts to execute a query. Finished parts of the plan are reused until the content changes. */
  function attempts<T>(
    type: ResourceType,
    query: PartQuery,
    access: QueryAccess,
    execute: (queryPlan: QueryPlan, sort: readonly ResolvedSort[]) => T,
  ): () => T {
    let last: Attempt | undefined;
    let changes = 0;
    return () => {
      const resolved = resolve(type, query, access);
      store.require?.(columnsOf(type.name, resolved, query.page.cursors !== undefined));
      if (last?.resolved !== resolved || last.version !== store.version) {
        if (last !== undefined) changes++;
        last = {
          resolved,
          version: store.version,
          texts: createTextScans(resolved.conditions, resolved.table, tableOf, last?.texts),
          progress: isSliced() ? createProgress() : undefined,
          plan: undefined,
        };
      }
      const current = last;
      const attempt = (): T => {
        current.plan ??= plan(resolved, access, current.texts, current.progress);
        return execute(current.plan, resolved.sort);
      };
      return changes > MAX_CHANGES ? withoutSlices(attempt) : attempt();
    };
  }

  function explainAttempt(type: ResourceType, query: EngineQuery, access: QueryAccess): () => Explanation {
    const started = performance.now();
    resolve(type, query, access);
    const resolved = performance.now();
    const { explanationOf } = parts.explain();
    return attempts(type, query, access, (queryPlan, sort) =>
      explanationOf(queryPlan, sort, query, seesEverything(access), resolved - started, () =>
        execute(queryPlan, query, sort, access),
      ),
    );
  }

  function runAttempt(
    types: readonly ResourceType[],
    query: EngineQuery,
    access: QueryAccess,
  ): () => QueryResult {
    const [only] = types;
    if (only === undefined) return () => ({ entities: [], count: 0 });
    if (types.length === 1) {
      return attempts(only, query, access, (queryPlan, sort) => execute(queryPlan, query, sort, access));
    }
    const peers = types.map(({ name }) => name);
    const { offset, limit } = query.page;
    const page = { offset: 0, limit: limit <= 0 ? 0 : offset + limit };
    // Each type resolves a query of its own, which is cached by its identity.
    const { mergeParts } = parts.merge();
    const results = types.map((type) =>
      attempts(type, { ...query, page, peers }, access, (queryPlan, sort): QueryPart => {
        const matching = queryPlan.filter.rows();
        const rows = page.limit === 0 ? [] : queryPlan.page(matching, page);
        // The merge compares ids by itself.
        const keys = queryPlan.keys().slice(0, sort.length);
        const tallies = queryPlan.tallies(matching);
        const scores = queryPlan.scores();
        return { table: queryPlan.table, rows, count: matching.count, sort, keys, scores, tallies };
      }),
    );
    return () =>
      mergeParts(
        results.map((result) => result()),
        query,
        parts.facets,
      );
  }

  function execute(
    queryPlan: QueryPlan,
    query: EngineQuery,
    sort: readonly ResolvedSort[],
    access: QueryAccess,
  ): QueryResult {
    const rows = queryPlan.filter.rows();
    const { count } = rows;
    const { page } = query;
    const isEmpty = page.limit <= 0 || page.offset >= count;
    const found =
      page.cursors !== undefined
        ? parts.cursors().cursorPage(rows, queryPlan, query, sort, access)
        : { entities: isEmpty ? [] : queryPlan.table.entitiesAt(queryPlan.page(rows, page)) };
    const facets = queryPlan.facets(rows).map(({ counts }) => counts);
    return { ...found, count, ...(facets.length > 0 && { facets }) };
  }

  return {
    run: (type, query, access) => runAttempt(listOf(type), query, access)(),
    runAttempt,
    explain: (type, query, access) => explainAttempt(type, query, access)(),
    explainAttempt,

    find(type, id, access) {
      const table = store.table(type);
      if (table === undefined || table.size === 0) return undefined;
      const first = table.rowOf(id);
      let visible: Entity | undefined;
      // A missing id takes the same time as an entity that the actor may not see.
      const end = table.endOf(Math.max(first, 0));
      for (let row = Math.max(first, 0); row < end; row++) {
        if (serves(table, access, row)) visible = table.entity(row);
      }
      return first === -1 ? undefined : visible;
    },

    translations(type, id, access) {
      const table = store.table(type);
      const first = table?.rowOf(id) ?? -1;
      if (table === undefined || first === -1) return [];
      const visible: Entity[] = [];
      const end = table.endOf(first);
      for (let row = first; row < end; row++) if (sees(table, access, row)) visible.push(table.entity(row));
      return visible;
    },
  };
}

/** A tenth of the time that `flat` takes, which matters to narrow queries. */
export function listOf(types: ResourceType | readonly ResourceType[]): readonly ResourceType[] {
  return 'name' in types ? [types] : types;
}

/** True if no two rows have the same key. */
function isTotal({ keys, postings }: SortOrder): boolean {
  return postings.starts.length - 2 === keys.length && postings.starts[1] === 0;
}

/** The columns that a query reads. */
function* columnsOf(
  type: string,
  { conditions, sort, facets }: ResolvedQuery,
  hasCursors: boolean,
): Iterable<NeededColumn> {
  yield* columnsOfFilter(type, conditions);
  for (const { key } of sort) yield* columnsOfKey(type, key, hasCursors);
  for (const { key } of facets) yield* columnsOfKey(type, key, true);
}

function* columnsOfFilter(type: string, node: ResolvedNode): Iterable<NeededColumn> {
  if (node.kind === 'group') for (const member of node.members) yield* columnsOfFilter(type, member);
  else if (node.kind === 'items') {
    for (const { slot, tests } of node.slots) {
      yield { type, slot, values: tests.some(({ operand }) => operand.kind !== 'null-test') };
    }
  } else if (node.kind === 'join') {
    yield { type, slot: node.slot, values: false };
    for (const target of node.targets) {
      for (const member of target.members) yield* columnsOfFilter(target.type.name, member);
    }
  }
}

function* columnsOfKey(type: string, key: KeyStep, values: boolean): Iterable<NeededColumn> {
  if (key.kind === 'none') return;
  yield { type, slot: key.slot, values: values && key.kind === 'value' };
  if (key.kind === 'join')
    for (const target of key.targets) yield* columnsOfKey(target.type.name, target.key, values);
}

/** A node with the conditions of all filters of a query. */
function allConditions(filter: ResolvedNode, facets: readonly ResolvedFacet[]): ResolvedNode {
  const others = facets.flatMap((facet) => facet.filter ?? []);
  return others.length === 0 ? filter : { kind: 'group', conjunction: 'AND', members: [filter, ...others] };
}

const NO_COUNTS = () => [];

/** After this many changes of the content during one query, the query finishes without further slices. */
const MAX_CHANGES = 20;

/** A query on one type of a list. */
interface PartQuery extends EngineQuery {
  /** All types of the list if there are several. */
  readonly peers?: readonly string[];
}

interface ResolvedQuery {
  readonly table: Table;
  readonly filter: ResolvedNode;
  readonly sort: readonly ResolvedSort[];
  readonly facets: readonly ResolvedFacet[];
  /** A node with the conditions of the filter and of the facets. */
  readonly conditions: ResolvedNode;
  /** Searches and conditions that add to the relevance. */
  readonly ranked: readonly ResolvedNode[];
}

/** A resolved query and its inputs. */
interface CachedQuery {
  readonly type: ResourceType;
  readonly access: QueryAccess;
  readonly types: ReadonlyMap<string, ResourceType>;
  readonly resolved: ResolvedQuery;
}

interface QueryPlan {
  readonly table: Table;
  readonly filter: PlanNode;
  /** True if the order is by relevance. */
  readonly ranked: boolean;
  keys(): SortedKeys[];
  /** The counts of the query's facets over its rows. */
  facets(rows: RowSet): readonly CountedFacet<FacetResult>[];
  /** The same, to merge with those of other types. */
  tallies(rows: RowSet): readonly CountedFacet<Tally>[];
  page(rows: RowSet, page: Page): number[];
  /** By row, after `page`, if the order is by relevance. */
  scores(): readonly number[] | undefined;
}

/** The state that attempts at one query share. */
interface Attempt {
  readonly resolved: ResolvedQuery;
  /** The version of the store. */
  readonly version: number;
  readonly texts: TextScans;
  /** Undefined if the attempt is not interrupted. */
  readonly progress: PlanProgress | undefined;
  plan: QueryPlan | undefined;
}

/** The visible rows of tables. Cached until the store changes or the policy returns another filter. */
function createVisibility(store: IndexedStore): Visibility {
  let cache = new WeakMap<FilterNode | Table, Map<string, () => RowSet>>();
  let version = store.version;

  /** The set with this name, which depends on a filter or on the whole table. What `prepare` returns keeps its progress. */
  function cached(key: FilterNode | Table, name: string, prepare: () => () => RowSet): RowSet {
    if (version !== store.version) {
      cache = new WeakMap();
      version = store.version;
    }
    const sets = cache.get(key) ?? new Map<string, () => RowSet>();
    cache.set(key, sets);
    const rows = sets.get(name) ?? prepare();
    sets.set(name, rows);
    return rows();
  }

  function matchingRows(table: Table, filter: FilterNode | null): RowSet {
    if (filter === null) return cached(table, 'all', () => once(() => allRows(table)));
    return cached(filter, table.type.name, () => policyRows(store, table, filter));
  }

  function rows(table: Table, access: QueryAccess, strict = false): RowSet {
    const filter = access.visibility(table.type);
    const inAllLanguages = matchingRows(table, filter);
    if (!strict && table.translated.length === 0) return inAllLanguages;
    const { languages = [] } = access;
    const key = filter ?? table;
    const name = `${table.type.name} ${languages.join(' ')}`;
    const selected = cached(key, name, () => once(() => rowsInLanguages(table, inAllLanguages, languages)));
    const [first] = languages;
    if (!strict || first === undefined) return selected;
    return cached(key, `${name} only`, () => once(() => rowsInLanguage(table, selected, first)));
  }

  function sees(table: Table, access: QueryAccess, row: number): boolean {
    const filter = access.visibility(table.type);
    if (filter === null) return true;
    return matchesPolicy(filter, table.entity(row)) ?? hasRow(matchingRows(table, filter), row);
  }

  return {
    rows,
    sees,
    serves: (table, access, row) =>
      table.translated.length === 0 ? sees(table, access, row) : hasRow(rows(table, access), row),
  };
}

interface Visibility {
  /** At most one row of each entity; in `strict` mode only those in the first language. */
  rows(table: Table, access: QueryAccess, strict?: boolean): RowSet;
  /** True if the actor may see the row. Most policies need no index for that, which a write would make invalid. */
  sees(table: Table, access: QueryAccess, row: number): boolean;
  /** True for the visible row in the language for the actor. */
  serves(table: Table, access: QueryAccess, row: number): boolean;
}

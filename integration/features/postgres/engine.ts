import { type CompiledQuery, type RawBuilder, sql } from 'kysely';
import type { Entity, ResourceType } from '../../core/content/model.ts';
import type { FilterNode } from '../../core/engine/ast.ts';
import type {
  EngineQuery,
  Explanation,
  FacetResult,
  QueryAccess,
  QueryEngine,
  QueryResult,
} from '../../core/engine/engine.ts';
import { DEFAULT_LIMITS, type Limits } from '../../core/engine/limits.ts';
import { createResolveContext } from '../../core/engine/resolve/bind-path.ts';
import { type ResolvedFacet, resolveFacets } from '../../core/engine/resolve/resolve-facets.ts';
import { type ResolvedNode, rankedNodes, resolveFilter } from '../../core/engine/resolve/resolve-filter.ts';
import { checkKinds } from '../../core/engine/resolve/resolve-key.ts';
import { resolveSearch } from '../../core/engine/resolve/resolve-search.ts';
import { type ResolvedSort, resolveSort } from '../../core/engine/resolve/resolve-sort.ts';
import type { SiteTerms } from '../../core/engine/text/words.ts';
import { collectErrors } from '../../core/util/collect-errors.ts';
import { LruMap } from '../../core/util/lru-map.ts';
import { createBatch } from './batch.ts';
import {
  type CompileContext,
  column,
  compileFilter,
  compilePolicy,
  compileSortKey,
  compileVisible,
  from,
  keyType,
  type Row,
} from './compile.ts';
import { compileCursorPage, cursorsOf, writeCursors } from './cursor-page.ts';
import { and, type Database, keyOf, PREPARED, rowsOf, type Sql } from './database.ts';
import { createEntityCache } from './entity-cache.ts';
import { compileFacet, decodeFacet, type FacetRecord } from './facets.ts';
import type { TypeLayout } from './layout.ts';
import {
  type AccessPath,
  compileBookmark,
  compileMatches,
  compilePath,
  type Order,
  openList,
  PAGE_LIMITS,
  type PageLimits,
} from './page.ts';
import { decodeEntity } from './record.ts';
import { type RankedRows, rankRows } from './searched-rows.ts';
import { type Bookmark, readState, type State } from './state.ts';
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
        const { maxSorted } = pageLimits;
        const isPage = list.isSortedFirst && !query.facets?.length;
        const statement = isPage
          ? await compile((context) =>
              compileFirst(resolved, query.page, counting, list.order, maxSorted, context),
            )
          : sql<ResultRow>`select ${STAMP} as stamp, ${counting} as count`;
        const [row] = await rowsOf(on, statement);
        if (row!.stamp === known.stamp) known.counts.set(countKey, row!.count);
        if (isPage && row!.count <= maxSorted)
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

interface Stamped {
  /** Of the state that a statement has read. */
  readonly stamp: string;
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
const STAMP = sql`(select stamp from ${sql.table('meta')})`;

/** True for errors of statements that do not fit the tables, such as after a change of the schema. */
function isOutdated(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(?:42|0A)/.test(String(error.code));
}

/** A query on one of its types. */
export interface ResolvedPart {
  readonly type: ResourceType;
  readonly filter: ResolvedNode;
  readonly sort: readonly ResolvedSort[];
  readonly facets: readonly ResolvedFacet[];
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

interface ResultRow extends Stamped {
  readonly count: number;
  readonly entities: EntityRecords;
  /** The number of matches between cursors. */
  readonly in_range: number | null;
  readonly bookmark: Bookmark['keys'] | null;
  readonly facets: readonly FacetRecord[] | null;
}

/** For each entity its part, the number of its row, the stored parts of it and of its body, and the keys for its cursor. */
type EntityRecords = readonly EntityRow[] | null;
type EntityRow = readonly [
  part: number,
  row: number,
  entity: string,
  body: string | null,
  keys?: readonly (string | null)[],
];

function compileParts(parts: readonly ResolvedPart[], context: CompileContext) {
  const strict = context.access?.strict === true;
  return parts.map((part, at) => {
    const row: Row = { layout: context.layout(part.type.name)!, alias: context.alias() };
    const visible = compileVisible(row, context, strict);
    const conditions = (filter: ResolvedNode) => and(defined([visible, compileFilter(filter, row, context)]));
    return { ...part, at, row, conditions, matching: conditions(part.filter) };
  });
}

/** The exact number of matches. */
function compileCount(parts: readonly ResolvedPart[], context: CompileContext): Sql {
  const counts = compileParts(parts, context).map(
    ({ row, matching }) => sql`(select count(*) from ${from(row)} where ${matching})`,
  );
  return counts.length === 0 ? sql`0::bigint` : sql`(${sql.join(counts, sql` + `)})::bigint`;
}

/** A statement with one row: the count of a list, and the page if its matches are few enough to sort them. */
function compileFirst(
  parts: readonly ResolvedPart[],
  page: EngineQuery['page'],
  count: Sql,
  order: Order,
  maxSorted: number,
  context: CompileContext,
): RawBuilder<ResultRow> {
  const [part] = compileParts(parts, context);
  const { row, matching } = part!;
  const found = sql`(select count(*) from matches)`;
  return sql`with ${compileMatches(order, maxSorted, matching, page, row)} select ${STAMP} as stamp,
    case when ${found} <= ${maxSorted} then ${found} else ${count} end as count,
    ${aggregate(sql`select 0 as part, row from found`, [row.layout])} as entities, null::bigint as in_range, null::json as bookmark, null::json as facets`;
}

/** A statement with one row: the page, its count and the facets. */
function compileStatement(
  parts: readonly ResolvedPart[],
  query: EngineQuery,
  access: QueryAccess,
  ranked: RankedRows | undefined,
  count: Sql,
  path: AccessPath | undefined,
  context: CompileContext,
): RawBuilder<ResultRow> {
  const compiled = compileParts(parts, context);
  const facets = (query.facets ?? []).map((_, i) =>
    compileFacet(
      compiled.map(({ facets: resolved, row, conditions, matching }) => {
        const facet = resolved[i]!;
        return { facet, row, counted: facet.filter === null ? matching : conditions(facet.filter) };
      }),
      context,
    ),
  );
  const { offset, limit } = query.page;
  const layouts = compiled.map(({ row }) => row.layout);
  const [only] = compiled;
  const found =
    path === undefined
      ? sql``
      : sql`${PREPARED} with found as materialized (${compilePath(path, only!.filter, only!.row, context)})`;
  const cursors = only === undefined || compiled.length > 1 ? undefined : cursorsOf(only, query, access);
  const between = cursors && compileCursorPage(only!, query.page, cursors, context);
  const page = () =>
    between?.page ??
    (path === undefined
      ? ranked === undefined
        ? compilePage(compiled, query, context)
        : compileRanked(ranked, compiled, query.page)
      : sql`select 0 as part, row from found offset ${offset - path.start}`);
  return sql`${found} select ${STAMP} as stamp, ${count} as count,
    ${limit <= 0 || compiled.length === 0 ? sql`null::json` : aggregate(page(), layouts, between !== undefined)} as entities,
    ${between?.inRange ?? sql`null::bigint`} as in_range,
    ${path === undefined ? sql`null::json` : compileBookmark(path)} as bookmark,
    ${facets.length === 0 ? sql`null::json` : sql`json_build_array(${sql.join(facets)})`} as facets`;

  function compilePage(all: typeof compiled, { sort }: EngineQuery, within: CompileContext): Sql {
    const names = sort.map((_, i) => `k${i}`);
    const directions = sort.map(({ direction }) => direction);
    const keysOf = (part: (typeof all)[number]) =>
      part.sort.map(
        ({ key, direction }, i) =>
          compileSortKey(key, direction, part.row, within) ??
          sql`null::${sql.raw(keyType(all.map((each) => each.sort[i]!.key)))}`,
      );
    const orderBy = (keys: readonly Sql[], id: Sql) =>
      sql.join([
        ...keys.map(
          (key, i) => sql`${key} ${sql.raw(directions[i] === 'ASC' ? 'asc nulls first' : 'desc nulls last')}`,
        ),
        id,
      ]);
    const take = (count: number) => (Number.isFinite(count) ? sql`limit ${sql.lit(count)}` : sql``);
    const skip = offset === 0 ? sql`` : sql`offset ${sql.lit(offset)}`;
    const [only] = all;
    if (all.length === 1) {
      const { row, matching } = only!;
      return sql`select 0 as part, ${column(row, 'row')} as row from ${from(row)} where ${matching}
        order by ${orderBy(keysOf(only!), column(row, 'id'))} ${take(limit)} ${skip}`;
    }
    const branches = all.map((part) => {
      const { row, matching, at } = part;
      const keys = keysOf(part);
      const selected = keys.map((key, i) => sql`${key} as ${sql.id(names[i]!)}`);
      const id = column(row, 'id');
      return sql`(select ${sql.lit(at)} as part, ${column(row, 'row')} as row, ${id} as id, ${sql.lit(part.type.name)} collate "C" as type
        ${selected.length === 0 ? sql`` : sql`, ${sql.join(selected)}`} from ${from(row)} where ${matching}
        order by ${orderBy(keys, id)} ${take(offset + limit)})`;
    });
    const ordered = orderBy(
      names.map((name) => sql.id(name)),
      sql`id, type`,
    );
    return sql`select part, row from (${sql.join(branches, sql` union all `)}) u order by ${ordered} ${take(limit)} ${skip}`;
  }
}

/** A page of ranked rows. */
function compileRanked(
  ranked: RankedRows,
  parts: ReturnType<typeof compileParts>,
  { offset, limit }: EngineQuery['page'],
): Sql {
  const branches = parts.map(({ row, type, at }) => {
    const { rows, scores } = ranked.parts[at]!;
    return sql`select ${sql.lit(at)} as part, ${column(row, 'row')} as row, score, ${column(row, 'id')} as id, ${sql.lit(type.name)} collate "C" as type
      from unnest(${rows}::bigint[], ${scores}::double precision[]) s (row, score) join ${from(row)} on ${column(row, 'row')} = s.row`;
  });
  return sql`select part, row from (${sql.join(branches, sql` union all `)}) u order by score desc, id, type
    ${Number.isFinite(limit) ? sql`limit ${sql.lit(limit)}` : sql``} offset ${sql.lit(offset)}`;
}

/** The rows of a subquery, which has columns `part` and `row`, and with cursors `keys`, in their order. */
function aggregate(page: Sql, layouts: readonly TypeLayout[], hasKeys = false): Sql {
  const records = layouts.map((layout) => recordIn(layout, hasKeys));
  const cases = records.map((record, part) => sql`when ${sql.lit(part)} then ${record}`);
  const record = records.length === 1 ? records[0]! : sql`case part ${sql.join(cases, sql` `)} end`;
  return sql`(select json_agg(${record}) from (${page}) p)`;
}

function recordIn({ recordTable, body }: TypeLayout, hasKeys: boolean): Sql {
  const text = body === undefined ? sql`null::text` : sql.id('r', body.key);
  return sql`(select json_build_array(part, p.row, r.entity, ${text}${hasKeys ? sql`, p.keys` : sql``}) from ${sql.table(recordTable)} r where r.row = p.row)`;
}

function decodeResult(
  { stamp, count, entities, in_range, facets }: ResultRow,
  parts: readonly ResolvedPart[],
  query: EngineQuery,
  access: QueryAccess,
  unique: ReturnType<typeof createEntityCache>,
): QueryResult & Stamped {
  const [part] = parts;
  const cursors = part && in_range !== null ? cursorsOf(part, query, access) : undefined;
  const records = cursors?.isLast === true ? (entities ?? []).toReversed() : (entities ?? []);
  const page = decodeEntities(
    records,
    parts.map(({ type }) => type),
    unique,
  );
  const keys = records.map((record) => record[4] ?? []);
  const found = {
    ...{ stamp, entities: page, count },
    ...(cursors && { cursors: writeCursors(cursors, part!.sort, keys, in_range ?? 0) }),
  };
  if (facets === null) return found;
  return {
    ...found,
    facets: (query.facets ?? []).map(
      (_, i): FacetResult =>
        decodeFacet(
          facets[i]!,
          parts.map((part) => part.facets[i]!),
        ),
    ),
  };
}

function decodeEntities(
  records: EntityRecords,
  types: readonly ResourceType[],
  unique: ReturnType<typeof createEntityCache>,
): readonly Entity[] {
  return (records ?? []).map(([part, row, entity, body]) =>
    unique(row, decodeEntity(types[part]!, entity, body)),
  );
}

function defined(conditions: readonly (Sql | undefined)[]): readonly Sql[] {
  return conditions.filter((each) => each !== undefined);
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

import { type RawBuilder, sql } from 'kysely';
import type { Entity, ResourceType } from '../../core/content/model.ts';
import type { EngineQuery, FacetResult, QueryAccess, QueryResult } from '../../core/engine/engine.ts';
import type { ResolvedFacet } from '../../core/engine/resolve/resolve-facets.ts';
import type { ResolvedNode } from '../../core/engine/resolve/resolve-filter.ts';
import type { ResolvedSort } from '../../core/engine/resolve/resolve-sort.ts';
import {
  type CompileContext,
  column,
  compileFilter,
  compileSortKey,
  compileVisible,
  from,
  keyType,
  type Row,
} from './compile.ts';
import { compileCursorPage, cursorsOf, writeCursors } from './cursor-page.ts';
import { and, PREPARED, type Sql } from './database.ts';
import type { createEntityCache } from './entity-cache.ts';
import { compileFacet, decodeFacet, type FacetRecord } from './facets.ts';
import type { TypeLayout } from './layout.ts';
import {
  type AccessPath,
  compileBookmark,
  compileFirstPage,
  compilePath,
  type Order,
  type PageLimits,
} from './page.ts';
import { decodeEntity } from './record.ts';
import type { RankedRows } from './searched-rows.ts';
import type { Bookmark } from './state.ts';

export const STAMP = sql`(select stamp from ${sql.table('meta')})`;

/** A query on one of its types. */
export interface ResolvedPart {
  readonly type: ResourceType;
  readonly filter: ResolvedNode;
  readonly sort: readonly ResolvedSort[];
  readonly facets: readonly ResolvedFacet[];
}

export interface Stamped {
  /** Of the state that a statement has read. */
  readonly stamp: string;
}

export interface ResultRow extends Stamped {
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

export function compileParts(parts: readonly ResolvedPart[], context: CompileContext) {
  const strict = context.access?.strict === true;
  return parts.map((part, at) => {
    const row: Row = { layout: context.layout(part.type.name)!, alias: context.alias() };
    const visible = compileVisible(row, context, strict);
    const conditions = (filter: ResolvedNode) => and(defined([visible, compileFilter(filter, row, context)]));
    return { ...part, at, row, conditions, matching: conditions(part.filter) };
  });
}

/** The exact number of matches. */
export function compileCount(parts: readonly ResolvedPart[], context: CompileContext): Sql {
  const counts = compileParts(parts, context).map(
    ({ row, matching }) => sql`(select count(*) from ${from(row)} where ${matching})`,
  );
  return counts.length === 0 ? sql`0::bigint` : sql`(${sql.join(counts, sql` + `)})::bigint`;
}

/** A statement with one row: the count of a list, and the page if its rows are near or its matches few enough to sort them. */
export function compileFirst(
  parts: readonly ResolvedPart[],
  page: EngineQuery['page'],
  count: Sql,
  order: Order,
  limits: PageLimits,
  context: CompileContext,
): RawBuilder<ResultRow> {
  const [part] = compileParts(parts, context);
  const { row, filter, matching } = part!;
  return sql`with ${compileFirstPage(order, limits, filter, matching, page, row, context)} select ${STAMP} as stamp,
    coalesce((select count from size), ${count}) as count,
    ${aggregate(sql`select 0 as part, row from found`, [row.layout])} as entities, null::bigint as in_range, null::json as bookmark, null::json as facets`;
}

/** A statement with one row: the page, its count and the facets. */
export function compileStatement(
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
export function aggregate(page: Sql, layouts: readonly TypeLayout[], hasKeys = false): Sql {
  const records = layouts.map((layout) => recordIn(layout, hasKeys));
  const cases = records.map((record, part) => sql`when ${sql.lit(part)} then ${record}`);
  const record = records.length === 1 ? records[0]! : sql`case part ${sql.join(cases, sql` `)} end`;
  return sql`(select json_agg(${record}) from (${page}) p)`;
}

function recordIn({ recordTable, body }: TypeLayout, hasKeys: boolean): Sql {
  const text = body === undefined ? sql`null::text` : sql.id('r', body.key);
  return sql`(select json_build_array(part, p.row, r.entity, ${text}${hasKeys ? sql`, p.keys` : sql``}) from ${sql.table(recordTable)} r where r.row = p.row)`;
}

export function decodeResult(
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

export function decodeEntities(
  records: EntityRecords,
  types: readonly ResourceType[],
  unique: ReturnType<typeof createEntityCache>,
): readonly Entity[] {
  return (records ?? []).map(([part, row, entity, body]) =>
    unique(row, decodeEntity(types[part]!, entity, body)),
  );
}

export function defined(conditions: readonly (Sql | undefined)[]): readonly Sql[] {
  return conditions.filter((each) => each !== undefined);
}

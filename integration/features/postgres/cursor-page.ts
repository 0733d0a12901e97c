import { sql } from 'kysely';
import type { ResourceType } from '../../core/content/model.ts';
import type { EngineQuery, PageCursors, QueryAccess } from '../../core/engine/engine.ts';
import { type Cursors, createCursors, type Place } from '../../core/engine/resolve/cursor.ts';
import type { ResolvedNode } from '../../core/engine/resolve/resolve-filter.ts';
import { rankedNodes } from '../../core/engine/resolve/resolve-filter.ts';
import type { ResolvedSort } from '../../core/engine/resolve/resolve-sort.ts';
import {
  type CompileContext,
  column,
  compileSortKey,
  from,
  keyStorage,
  keyType,
  type Row,
} from './compile.ts';
import { and, type Sql } from './database.ts';
import { keyOfRaw, rawOfKey } from './layout.ts';
import { compileBehind } from './page.ts';
import { fromStored, toStored } from './text.ts';

/** The list of one type. */
interface List {
  readonly type: ResourceType;
  readonly filter: ResolvedNode;
  readonly sort: readonly ResolvedSort[];
}

/** The cursors of a query; undefined if its page is not between cursors. Throws BadParameterError. */
export function cursorsOf(
  { type, filter, sort }: List,
  query: EngineQuery,
  access: QueryAccess,
): Cursors | undefined {
  if (query.page.cursors === undefined) return undefined;
  const isRanked = sort.length === 0 && rankedNodes(filter).length > 0;
  return createCursors(type, query, sort, isRanked, access);
}

/**
 * The page between cursors, with columns `part`, `row` and `keys` (the sort keys and the id as text), and the number of rows in
 * the range. A page before a cursor is in the opposite order.
 */
export function compileCursorPage(
  { sort, row, matching }: { readonly sort: List['sort']; readonly row: Row; readonly matching: Sql },
  { limit }: EngineQuery['page'],
  { after, before, isLast }: Cursors,
  context: CompileContext,
): { readonly page: Sql; readonly inRange: Sql } {
  const keys = sort.map(({ key, direction }) => ({
    // Lists of one type have no other keys.
    own: compileSortKey(key, direction, row, context) ?? sql`null::bigint`,
    type: keyType([key]),
    storage: keyStorage([key]),
    isAscending: direction === 'ASC',
  }));
  const id = column(row, 'id');
  const behind = (place: Place, operator: '>' | '>=') =>
    compileBehind(
      keys.map(({ storage, type, ...key }, i) => {
        const raw = place.keys[i] ?? null;
        const isValue = raw !== null && storage !== undefined && storage !== 'reference';
        return { ...key, bound: isValue ? sql`${keyOfRaw(storage, raw)}::${sql.raw(type)}` : null };
      }),
      sql`${id} ${sql.raw(operator)} ${toStored(place.id)}`,
    );
  const range = and([
    matching,
    ...(after === undefined ? [] : [behind(after, '>')]),
    ...(before === undefined ? [] : [sql`(${behind(before, '>=')}) is not true`]),
  ]);
  const order = keys.map(
    ({ own, isAscending }) =>
      sql`${own} ${sql.raw(isAscending !== isLast ? 'asc nulls first' : 'desc nulls last')}`,
  );
  const texts = [...keys.map(({ own }) => sql`(${own})::text`), id];
  return {
    page: sql`select 0 as part, ${column(row, 'row')} as row, json_build_array(${sql.join(texts)}) as keys from ${from(row)}
      where ${range} order by ${sql.join([...order, sql`${id} ${sql.raw(isLast ? 'desc' : 'asc')}`])} limit ${sql.lit(limit)}`,
    inRange: sql`(select count(*) from ${from(row)} where ${range})`,
  };
}

/** The cursors of the entities of a page, from their keys. */
export function writeCursors(
  cursors: Cursors,
  sort: List['sort'],
  rows: readonly (readonly (string | null)[])[],
  inRange: number,
): PageCursors {
  const items = rows.map((texts) =>
    cursors.write({
      id: fromStored(texts.at(-1)!),
      keys: sort.map(({ key }, i) => {
        const text = texts[i]!;
        const storage = keyStorage([key]);
        return text === null || storage === undefined ? null : rawOfKey(storage, text);
      }),
    }),
  );
  return { items, inRange };
}

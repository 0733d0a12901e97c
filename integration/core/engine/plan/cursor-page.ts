import type { EngineQuery, QueryAccess, QueryResult } from '../engine.ts';
import { createCursors, type Place } from '../resolve/cursor.ts';
import type { ResolvedSort } from '../resolve/resolve-sort.ts';
import { binarySearch } from '../store/ordering.ts';
import { createSortOrder, NULL_CODE } from '../store/postings.ts';
import { filterRows, type RowSet } from '../store/row-set.ts';
import type { Table } from '../store/table.ts';
import { pageOf } from './page.ts';
import type { SortedKeys } from './sort-keys.ts';

/** The plan of a list: the keys of its sort, which may be followed by one for ids. */
interface ListPlan {
  readonly table: Table;
  readonly ranked: boolean;
  keys(): readonly SortedKeys[];
}

/** The page of these rows after a cursor, before one or between two. Throws BadParameterError. */
export function cursorPage(
  set: RowSet,
  { table, ranked, keys }: ListPlan,
  query: EngineQuery,
  sort: readonly ResolvedSort[],
  access: QueryAccess,
): Pick<QueryResult, 'entities' | 'cursors'> {
  const { after, before, isLast, write } = createCursors(table.type, query, sort, ranked, access);
  const order = keys();
  const sorted = order.slice(0, sort.length).map((key) => ({ ...key, raws: key.values() }));
  const fromAfter = after && comparison(after, sorted, table);
  const fromBefore = before && comparison(before, sorted, table);
  const range = filterRows(
    set,
    (row) =>
      (fromAfter === undefined || fromAfter(row) > 0) && (fromBefore === undefined || fromBefore(row) < 0),
  );
  const { limit } = query.page;
  const offset = isLast ? Math.max(0, range.count - limit) : 0;
  const rows = range.count === 0 ? [] : pageOf(range, order, { offset, limit });
  const entities = table.entitiesAt(rows);
  const items = rows.map((row, i) =>
    write({
      id: entities[i]!.id,
      keys: sorted.map(({ order: { keys: codes }, raws }) =>
        codes[row] === NULL_CODE ? null : raws[codes[row]!]!,
      ),
    }),
  );
  return { entities, cursors: { items, inRange: range.count } };
}

type Values = SortedKeys & { readonly raws: ReturnType<SortedKeys['values']> };

/** Compares a row with a place: below 0 before it, above 0 after it. */
function comparison({ keys, id }: Place, sorted: readonly Values[], table: Table): (row: number) => number {
  // The codes of the values that are equal to the key, which may be none.
  const bounds = sorted.map(({ raws, ordering }, i) => {
    const key = keys[i]!;
    if (key === null) return [NULL_CODE, NULL_CODE + 1] as const;
    const sought = ordering.order(key);
    const compare = (at: number) => ordering.compare(ordering.order(raws[at]!), sought);
    return [
      binarySearch(raws.length, (at) => compare(at) < 0),
      binarySearch(raws.length, (at) => compare(at) <= 0),
    ] as const;
  });
  const { idRanks } = table;
  const [first, end] = ranksOf(id, table);
  const within = (code: number, from: number, to: number) => (code < from ? -1 : code >= to ? 1 : 0);
  return (row) => {
    for (let i = 0; i < sorted.length; i++) {
      const { order, direction } = sorted[i]!;
      const [from, to] = bounds[i]!;
      const difference = within(order.keys[row]!, from, to);
      if (difference !== 0) return direction === 'ASC' ? difference : -difference;
    }
    return within(idRanks === null ? row : idRanks[row]!, first, end);
  };
}

/** The ranks of the rows of an id in the order of ids: from, and to, which is not included. */
function ranksOf(id: string, table: Table): readonly [from: number, to: number] {
  const { idRanks } = table;
  const row = table.rowOf(id);
  if (row !== -1) {
    const rank = idRanks === null ? row : idRanks[row]!;
    return [rank, rank + table.endOf(row) - row];
  }
  const rows = idRanks && createSortOrder(idRanks).sorted('ASC');
  const rank = binarySearch(table.size, (at) => table.entity(rows === null ? at : rows[at]!).id < id);
  return [rank, rank];
}

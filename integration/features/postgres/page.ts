import { sql } from 'kysely';
import type { ResourceType } from '../../core/content/model.ts';
import type { EngineQuery } from '../../core/engine/engine.ts';
import type { ResolvedNode, Test } from '../../core/engine/resolve/resolve-filter.ts';
import type { ResolvedSort } from '../../core/engine/resolve/resolve-sort.ts';
import type { Slot } from '../../core/engine/store/slot.ts';
import { type CompileContext, column, compileFilter, compileVisible, from, type Row } from './compile.ts';
import { and, or, type Sql } from './database.ts';
import { COLUMN_TYPES, type Storage, type TypeLayout } from './layout.ts';
import type { Bookmark, ListFacts, State } from './state.ts';

/**
 * How PostgreSQL finds the rows of a page. It can only estimate how many rows match. We know it, and so choose: read rows in
 * the order of the list and test each, or find all matches and sort them.
 */
export interface AccessPath {
  readonly order: Order;
  /** The number of matches. */
  readonly count: number;
  /** The positions of the found rows: from a multiple of the distance of bookmarks to the end of the page. */
  readonly start: number;
  readonly end: number;
  /** The most rows to read in the order of the list; null to find all matches. */
  readonly rows: number | null;
  /** The row to read from, if it is not the first or the last one. */
  readonly bookmark: Bookmark | undefined;
  /** True if rows are read from the end of the list. */
  readonly backward: boolean;
}

export interface PageLimits {
  /** PostgreSQL plans alone for tables with fewer rows. */
  readonly minRows: number;
  /** The distance of bookmarks. */
  readonly bookmarkStep: number;
  /** Rows that are always read before another way is tried. */
  readonly minRead: number;
  /** Matches that are counted, found and sorted by one statement. If there are more, their number says how to find the page. */
  readonly maxSorted: number;
}

export const PAGE_LIMITS: PageLimits = {
  minRows: 5000,
  bookmarkStep: 1000,
  minRead: 1000,
  maxSorted: 16_000,
};

/** Rows are read in the order of the list if they are at most this many times as many as the matches. */
const MAX_READ_SHARE = 0.75;
/** Matches are found by a condition on a list if it has at most this many items for each match. */
const ITEMS_PER_MATCH = 16;
/** Matches are frequent if at least one of this many rows matches. */
const FREQUENT = 12;
/** The share of the first rows that shows whether matches are frequent, and how many rows to read for each one if they are. */
const SAMPLE_SHARE = 16;
/** After this many times as many rows as expected, another way is tried. */
const RETRY_FACTOR = 4;
/** Places of one list. */
const MAX_BOOKMARKS = 1000;
/** Columns without an index in their order. */
const NOT_INDEXED: ReadonlySet<Storage> = new Set(['flag']);

/** A list of one type. Undefined if PostgreSQL plans alone. */
export function openList(
  {
    type,
    filter,
    sort,
  }: { readonly type: ResourceType; readonly filter: ResolvedNode; readonly sort: readonly ResolvedSort[] },
  { offset, limit }: EngineQuery['page'],
  /** Of the count of its matches. */
  key: string,
  state: Pick<State, 'layouts' | 'lists' | 'rowsOf'>,
  { minRows, bookmarkStep, minRead }: PageLimits,
) {
  const layout = state.layouts.get(type.name)!;
  const total = state.rowsOf(layout);
  const order = total < minRows ? null : orderOf(sort, layout);
  if (order === null) return undefined;
  const listKey = JSON.stringify([key, sort.map(({ path, direction }) => [path, direction])]);
  const facts: ListFacts = state.lists.get(listKey) ?? { bookmarks: [], isUneven: false };
  state.lists.set(listKey, facts);
  const members = membersOf(filter);
  const isRange = members.length > 0 && rangesOf(filter, order).length === members.length;

  return {
    order,
    /** True if one statement can count the matches and find the page. */
    isNear: offset <= minRead,
    choose(count: number): AccessPath {
      const start = Math.min(offset - (offset % bookmarkStep), count);
      const end = Math.max(Math.min(offset + limit, count), start);
      const bookmark = facts.bookmarks.findLast(({ at }) => at <= start);
      const forward = end - (bookmark?.at ?? 0);
      const backward = count - start < forward;
      // A range of the first sort key is read from its beginning.
      const rowsPerMatch = isRange ? 2 : Math.max(1, total / Math.max(1, count));
      const expected = (backward ? count - start : forward) * rowsPerMatch;
      const rows =
        !facts.isUneven && expected <= count * MAX_READ_SHARE
          ? roundUp(expected * RETRY_FACTOR + minRead)
          : null;
      return {
        order,
        count,
        start,
        end,
        rows,
        bookmark: backward || rows === null ? undefined : bookmark,
        backward,
      };
    },
    /**
     * Records the number of rows of the page, and the keys of the first one. Returns false if the path read too few rows, so that
     * another one must be tried.
     */
    accept(
      { start, end, bookmark, rows }: AccessPath,
      found: number,
      keys: Bookmark['keys'] | null,
    ): boolean {
      if (rows !== null && found < end - Math.max(start, Math.min(offset, end))) {
        if (bookmark === undefined) facts.isUneven = true;
        else facts.bookmarks = [];
        return false;
      }
      if (keys !== null && start > 0 && bookmark?.at !== start) {
        facts.bookmarks = [...facts.bookmarks.slice(1 - MAX_BOOKMARKS), { at: start, keys }].sort(
          (a, b) => a.at - b.at,
        );
      }
      return true;
    },
  };
}

/** To a power of two, so that few statements are different. */
function roundUp(rows: number): number {
  return 2 ** Math.ceil(Math.log2(rows));
}

/** The order of a list by columns of its table, of which an index has the first one. Null for another order. */
function orderOf(sort: readonly ResolvedSort[], layout: TypeLayout): Order | null {
  const order: OrderKey[] = [];
  for (const { key, direction } of sort) {
    if (key.kind !== 'value' || key.slot.list) return null;
    const { key: name, storage } = layout.columns.get(key.slot.name)!;
    // It is in another table.
    if (storage === 'bodies') return null;
    order.push({ slot: key.slot, name, storage, isAscending: direction === 'ASC' });
  }
  const [first] = order;
  return first !== undefined && NOT_INDEXED.has(first.storage) ? null : order;
}

export type Order = readonly OrderKey[];

interface OrderKey {
  readonly slot: Slot;
  /** The column. */
  readonly name: string;
  readonly storage: Storage;
  readonly isAscending: boolean;
}

/** Columns: `row`, the keys `k0`, `k1` … and `id`, in the order of the list. */
export function compilePath(
  { order, count, start, end, rows, bookmark, backward }: AccessPath,
  filter: ResolvedNode,
  row: Row,
  context: CompileContext,
): Sql {
  const ranges = rangesOf(filter, order);
  const others = membersOf(filter).filter((member) => !ranges.includes(member));
  const first = others.find(hasOneList);
  const visible = compileVisible(row, context, context.access?.strict);
  const tested = [
    ...(visible === undefined ? [] : [visible]),
    ...others.map((member) =>
      compileFilter(member, row, {
        ...context,
        ...(rows === null ? member === first && { mostItems: count * ITEMS_PER_MATCH } : { perRow: true }),
      }),
    ),
  ];
  const read = [
    ...ranges.map((member) => compileFilter(member, row, context)),
    ...(bookmark === undefined ? [] : compileFrom(bookmark, order, row)),
  ];
  const names = order.map(({ name }) => name);
  const sorted = orderBy(order, names, row, backward);
  const alias = sql.id(row.alias);
  // PostgreSQL keeps to the order of subqueries with a limit or an offset.
  const candidates =
    rows === null
      ? sql`select * from ${from(row)} where ${and([...tested, ...read])} offset 0`
      : sql`select * from ${from(row)} where ${and(read)} order by ${sorted} limit ${sql.lit(rows)}`;
  const keys = names.map((name, i) => sql`${column(row, name)} as ${sql.id(keyName(i))}`);
  const skipped = backward ? count - end : start - (bookmark?.at ?? 0);
  const found = sql`select ${sql.join([column(row, 'row'), ...keys, column(row, 'id')])} from (${candidates}) ${alias}
    where ${and(rows === null ? [] : tested)} order by ${sorted} limit ${end - start} offset ${skipped}`;
  if (!backward) return found;
  const forward = orderBy(
    order,
    names.map((_, i) => keyName(i)),
    row,
    false,
  );
  return sql`select * from (${found}) ${alias} order by ${forward}`;
}

/**
 * Expressions that find a page before the number of matches is known. If matches are frequent among the first rows of the list,
 * `head` has all until the end of the page. Otherwise, `matches` has all of the list, and `size` their number, unless they are too
 * many. `found` is the page; it is empty if neither is complete.
 */
export function compileFirstPage(
  order: Order,
  { maxSorted, minRead }: PageLimits,
  filter: ResolvedNode,
  matching: Sql,
  { offset, limit }: EngineQuery['page'],
  row: Row,
  context: CompileContext,
): Sql {
  const end = offset + limit;
  const read = (rows: number, until: number) => {
    const path = { order, count: 0, start: 0, end: until, rows, bookmark: undefined, backward: false };
    return compilePath(path, filter, row, context);
  };
  const sampled = Math.ceil(minRead / SAMPLE_SHARE);
  const isFrequent = sql`(select count(*) from (${read(sampled, sampled)}) s) >= ${Math.ceil(sampled / FREQUENT)}`;
  const isRead = end <= minRead;
  const isComplete = isRead ? sql`(select count(*) from head) = ${end}` : sql.lit(false);
  const names = order.map(({ name }) => name);
  const columns = names.map((name, i) => sql`${column(row, name)} as ${sql.id(keyName(i))}`);
  const sorted = orderBy(
    order,
    names.map((_, i) => keyName(i)),
    row,
    false,
  );
  const part = sql`order by ${sorted} ${Number.isFinite(limit) ? sql`limit ${limit}` : sql``} offset ${offset}`;
  const alias = sql.id(row.alias);
  return sql.join([
    ...(isRead
      ? [
          sql`head as materialized (select * from (${read(roundUp(end * SAMPLE_SHARE), end)}) h where ${isFrequent})`,
        ]
      : []),
    sql`matches as materialized (select ${sql.join([column(row, 'row'), ...columns, column(row, 'id')])} from ${from(row)}
      where ${matching} and not ${isComplete} limit ${maxSorted + 1})`,
    sql`size as materialized (select count(*) as count from matches having not ${isComplete} and count(*) <= ${maxSorted})`,
    sql`found as (${isRead ? sql`(select row from head ${alias} where ${isComplete} ${part}) union all` : sql``}
      (select row from matches ${alias} where exists (select from size) ${part}))`,
  ]);
}

/** The first row of `found`, if it is not known yet. */
export function compileBookmark({ order, start, bookmark }: AccessPath): Sql {
  if (start === 0 || bookmark?.at === start) return sql`null::json`;
  const keys = order.map((_, i) => sql`${sql.id(keyName(i))}::text`);
  return sql`(select json_build_array(${sql.join([...keys, sql`id`])}) from found limit 1)`;
}

function keyName(at: number): string {
  return `k${at}`;
}

/** True for a condition on one list that an entity without items does not match. */
function hasOneList(node: ResolvedNode): boolean {
  if (node.kind === 'join') return node.slot.list && node.targets.length === 1 && !node.matchesNull;
  if (node.kind !== 'items' || node.slots[0]?.slot.list !== true) return false;
  return node.slots.some(({ tests }) => tests.some(({ operand }) => operand.kind !== 'null-test'));
}

/** The conditions of an AND group that are ranges of the first sort key. */
function rangesOf(filter: ResolvedNode, [first]: Order): readonly ResolvedNode[] {
  const isRange = ({ operand }: Test) =>
    operand.kind === 'compare' || (operand.kind === 'between' && !operand.negated);
  return membersOf(filter).filter(
    (node) =>
      node.kind === 'items' &&
      node.scans.length === 0 &&
      node.slots.every(({ slot, tests }) => slot.name === first?.slot.name && tests.every(isRange)),
  );
}

function membersOf(filter: ResolvedNode): readonly ResolvedNode[] {
  return filter.kind === 'group' && filter.conjunction === 'AND' ? filter.members : [filter];
}

function orderBy(order: Order, names: readonly string[], row: Row, backward: boolean): Sql {
  const keys = order.map(({ isAscending, storage }, i) => {
    const isForward = isAscending !== backward;
    const direction = isForward ? 'asc' : 'desc';
    // Ids are never null, and their index is in the usual order.
    const nulls = storage === 'id' ? '' : isForward ? ' nulls first' : ' nulls last';
    return sql`${column(row, names[i]!)} ${sql.raw(direction + nulls)}`;
  });
  return sql.join([...keys, sql`${column(row, 'id')} ${sql.raw(backward ? 'desc' : 'asc')}`]);
}

/** Rows behind a place: those that differ in a key, and equal ones that pass the condition `ofEqual`. Bounds are null for null. */
export function compileBehind(
  keys: readonly { readonly own: Sql; readonly bound: Sql | null; readonly isAscending: boolean }[],
  ofEqual: Sql,
): Sql {
  return keys.reduceRight((rest, { own, bound, isAscending }) => {
    if (bound === null) {
      const same = and([sql`${own} is null`, rest]);
      return isAscending ? or([sql`${own} is not null`, same]) : same;
    }
    const same = and([sql`${own} = ${bound}`, rest]);
    return isAscending
      ? or([sql`${own} > ${bound}`, same])
      : or([sql`${own} < ${bound}`, sql`${own} is null`, same]);
  }, ofEqual);
}

/** Rows from a bookmark on. Null keys sort last here, and one range of an index cannot have both. */
function compileFrom({ keys }: Bookmark, order: Order, row: Row): readonly Sql[] {
  const bounds = order.map(({ storage }, i) => {
    const key = keys[i] ?? null;
    return key === null ? null : sql`${key}::${sql.raw(COLUMN_TYPES[storage])}`;
  });
  const from = compileBehind(
    order.map(({ name, isAscending }, i) => ({ own: column(row, name), bound: bounds[i]!, isAscending })),
    sql`${column(row, 'id')} >= ${keys.at(-1)}`,
  );
  const [first] = order;
  if (first === undefined) return [from];
  const own = column(row, first.name);
  const bound = bounds[0]!;
  if (bound === null) return first.isAscending ? [from] : [sql`${own} is null`, from];
  return [sql`${own} ${sql.raw(first.isAscending ? '>=' : '<=')} ${bound}`, from];
}

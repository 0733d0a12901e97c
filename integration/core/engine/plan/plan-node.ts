import type { Bitmap } from '../store/bitmap.ts';
import {
  allRows,
  filterRows,
  hasRow,
  intersect,
  type RowSet,
  rowsOfBitmap,
  unite,
} from '../store/row-set.ts';
import type { Table } from '../store/table.ts';
import { checkSlice } from '../time-slices.ts';

/** A step of a plan. */
export interface PlanNode {
  /** An upper bound of the number of rows, available without computing them. */
  readonly estimate: number;
  rows(): RowSet;
  /** A test for single rows; null if there is only `rows`. */
  tester(): RowTest | null;
  label(): string;
  children(): readonly PlanNode[];
  /** At the root of a table's plan: the rows of the table that the actor may see. */
  readonly visible?: RowSet | undefined;
  /** True if this step comes from the access policy, not from the query. */
  readonly isPolicy?: boolean;
}

type RowTest = (row: number) => boolean;

/** `visible` is given at the root of a table's plan. */
export function planAnd(members: PlanNode[], table: Table, visible?: RowSet): PlanNode {
  if (members.length < 2) {
    const node = members[0] ?? planPolicy('all rows', allRows(table));
    return visible === undefined ? node : { ...node, visible };
  }
  sortByEstimate(members);
  return {
    estimate: members[0]!.estimate,
    rows: once(() => intersectInOrder(members)),
    tester: () => combineTesters(members, (tests) => (row) => tests.every((test) => test(row))),
    label: () => 'AND, smallest first',
    children: () => members,
    visible,
  };
}

/** Insertion sort: there are few members, and a library sort takes longer than a narrow query. */
function sortByEstimate(members: PlanNode[]): void {
  for (let i = 1; i < members.length; i++) {
    const member = members[i]!;
    let at = i;
    for (; at > 0 && members[at - 1]!.estimate > member.estimate; at--) members[at] = members[at - 1]!;
    members[at] = member;
  }
}

export function planOr(members: readonly PlanNode[], table: Table): PlanNode {
  if (members.length === 1) return members[0]!;
  const total = members.reduce((sum, { estimate }) => sum + estimate, 0);
  const rows = () => members.map((member) => member.rows());
  return {
    estimate: Math.min(table.size, total),
    rows: once(() => unite(rows(), table.size)),
    tester: () => combineTesters(members, (tests) => (row) => tests.some((test) => test(row))),
    label: () => 'OR',
    children: () => members,
  };
}

/** A plan with precomputed rows. */
export function planSet(label: string, set: RowSet, isPolicy = false): PlanNode {
  return {
    estimate: set.count,
    rows: () => set,
    tester: () => (row) => hasRow(set, row),
    label: () => label,
    children: () => [],
    isPolicy,
  };
}

/** Like `planSet`, for rows that no condition of the query selects. */
export function planPolicy(label: string, set: RowSet): PlanNode {
  return planSet(label, set, true);
}

/** A plan that can only test row by row. */
export function planTest(label: () => string, size: number, test: RowTest): PlanNode {
  const rows = once(() => filterRows(allRows({ size }), test));
  return { estimate: size, rows, tester: () => test, label, children: () => [] };
}

/** Computes the rows at the first call. */
export function once(compute: () => RowSet): () => RowSet {
  let rows: RowSet | undefined;
  return () => {
    if (rows === undefined) {
      rows = compute();
      checkSlice();
    }
    return rows;
  };
}

/** Tests few rows one by one; intersects many with the rows of the next member. */
function intersectInOrder(ordered: readonly PlanNode[]): RowSet {
  let rows = ordered[0]!.rows();
  // Bitmaps are intersected in a copy of the first, and counted once.
  let copy: Bitmap | null = null;
  for (let i = 1; i < ordered.length; i++) {
    if (rows.kind === 'list') {
      if (rows.rows.length === 0) return rows;
      const test = ordered[i]!.tester();
      rows = test === null ? intersect(rows, ordered[i]!.rows()) : filterRows(rows, test);
      continue;
    }
    const next = ordered[i]!.rows();
    if (rows.kind === 'all') rows = next;
    else if (next.kind === 'list') {
      rows = intersect(next, copy === null ? rows : { ...rows, bitmap: copy });
      copy = null;
    } else if (next.kind === 'bitmap') {
      copy ??= rows.bitmap.clone();
      copy.and(next.bitmap);
    }
  }
  return copy === null ? rows : rowsOfBitmap(copy);
}

function combineTesters(
  members: readonly PlanNode[],
  combine: (tests: readonly RowTest[]) => RowTest,
): RowTest | null {
  const tests = members.map((member) => member.tester()).filter((test) => test !== null);
  return tests.length < members.length ? null : combine(tests);
}

import type { Bitmap } from './store/bitmap.ts';
import {
  filterRows,
  hasRow,
  intersect,
  type RowSet,
  rowCount,
  rowsOfBitmap,
  unite,
} from './store/row-set.ts';
import type { Table } from './store/table.ts';
import { checkSlice } from './time-slices.ts';

/** A step that can say how many rows it will give, give them, and test a single row. */
export interface PlanNode {
  /** Rows at most, as far as is known without doing the work. */
  readonly estimate: number;
  rows(): RowSet;
  /** Tells of one row whether it is among them; null where only `rows` can. */
  tester(): ((row: number) => boolean) | null;
  label(): string;
  children(): readonly PlanNode[];
  /** Where the plan of a table begins: the rows of that table that the actor may see. */
  readonly seen?: RowSet;
  /** Whether it is no condition of the query: it lets through all that the actor may see. */
  readonly free?: true;
}

export function planAnd(members: PlanNode[], table: Table): PlanNode {
  if (members.length === 0) return planFree('all rows', { kind: 'all', size: table.size });
  if (members.length === 1) return members[0]!;
  sortByEstimate(members);
  return {
    estimate: members[0]!.estimate,
    rows: once(() => intersectInOrder(members)),
    tester: () => combineTesters(members, (tests) => (row) => tests.every((test) => test(row))),
    label: () => 'AND, smallest first',
    children: () => members,
  };
}

/** By insertion: members are few, and a library sort costs more than a narrow query does. */
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

/** A plan of rows that are known already. */
export function planSet(label: string, set: RowSet): PlanNode {
  return {
    estimate: rowCount(set),
    rows: () => set,
    tester: () => (row) => hasRow(set, row),
    label: () => label,
    children: () => [],
  };
}

/** As `planSet`, for rows that no condition of the query chooses. */
export function planFree(label: string, set: RowSet): PlanNode {
  return { ...planSet(label, set), free: true };
}

/** A plan that can only test row by row. */
export function planTest(label: () => string, size: number, test: (row: number) => boolean): PlanNode {
  const rows = once(() => filterRows({ kind: 'all', size }, test));
  return { estimate: size, rows, tester: () => test, label, children: () => [] };
}

/** Rows that are found when they are first needed. */
export function once(find: () => RowSet): () => RowSet {
  let found: RowSet | undefined;
  return () => {
    if (found === undefined) {
      found = find();
      checkSlice();
    }
    return found;
  };
}

/** Few rows are tested one by one; many are intersected with the rows of the next member. */
function intersectInOrder(ordered: readonly PlanNode[]): RowSet {
  let rows = ordered[0]!.rows();
  // Bitmaps are intersected in a copy of the first, and counted once.
  let own: Bitmap | null = null;
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
      rows = intersect(next, own === null ? rows : { ...rows, bitmap: own });
      own = null;
    } else if (next.kind === 'bitmap') {
      own ??= rows.bitmap.clone();
      own.and(next.bitmap);
    }
  }
  return own === null ? rows : rowsOfBitmap(own);
}

type RowTest = (row: number) => boolean;

function combineTesters(
  members: readonly PlanNode[],
  combine: (tests: readonly RowTest[]) => RowTest,
): RowTest | null {
  const tests = members.map((member) => member.tester()).filter((test) => test !== null);
  return tests.length < members.length ? null : combine(tests);
}

import { bodyText } from '../entities/model.ts';
import { Bitmap } from '../store/bitmap.ts';
import { type Column, NULL_CODE } from '../store/column.ts';
import {
  EMPTY_ROWS,
  filterRows,
  hasRow,
  intersect,
  LIST_SHARE,
  type RowSet,
  rowCount,
  rowsOfBitmap,
  rowsOfUnsorted,
  unite,
} from '../store/row-set.ts';
import type { Table } from '../store/table.ts';
import { type CodeSet, codesOf, codeTester, intersectCodes, runs } from './code-set.ts';
import type { ItemsNode, JoinNode, ResolvedNode, Test } from './resolve.ts';
import { createTextTest } from './text-test.ts';

/** A step that can say how many rows it will give, give them, and test a single row. */
export interface PlanNode {
  /** Rows at most, as far as is known without doing the work. */
  readonly estimate: number;
  rows(): RowSet;
  /** Tells of one row whether it is among them; null where only `rows` can. */
  tester(): ((row: number) => boolean) | null;
  label(): string;
  children(): readonly PlanNode[];
}

export interface PlanContext {
  table(type: string): Table | undefined;
  /** The rows of a table that the actor may see. */
  visible(table: Table): RowSet;
}

/** Plans a resolved filter over one table, ANDed with the rows the actor may see. */
export function planQuery(filter: ResolvedNode, table: Table, context: PlanContext): PlanNode {
  const visible = context.visible(table);
  if (visible.kind === 'all') return planFilter(filter, table, context);
  const asked = filter.kind === 'group' && filter.conjunction === 'AND' ? filter.members : [filter];
  const members = asked.map((member) => planFilter(member, table, context));
  members.push(planSet('visible', visible));
  return planAnd(members, table);
}

/** Plans a resolved filter. Join targets are answered on the way: their codes are the estimate. */
export function planFilter(node: ResolvedNode, table: Table, context: PlanContext): PlanNode {
  switch (node.kind) {
    case 'group': {
      const members = node.members.map((member) => planFilter(member, table, context));
      return node.conjunction === 'AND' ? planAnd(members, table) : planOr(members, table);
    }
    case 'items':
      return planItems(node, table);
    case 'join':
      return planJoin(node, table, context);
    case 'constant':
      return planSet(
        node.value ? 'always' : 'never',
        node.value ? { kind: 'all', size: table.size } : EMPTY_ROWS,
      );
    default:
      return node satisfies never;
  }
}

function planAnd(members: PlanNode[], table: Table): PlanNode {
  if (members.length === 0) return planSet('all rows', { kind: 'all', size: table.size });
  if (members.length === 1) return members[0]!;
  sortByEstimate(members);
  return {
    estimate: members[0]!.estimate,
    rows: () => intersectInOrder(members),
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

function planOr(members: readonly PlanNode[], table: Table): PlanNode {
  if (members.length === 1) return members[0]!;
  const total = members.reduce((sum, { estimate }) => sum + estimate, 0);
  const rows = () => members.map((member) => member.rows());
  return {
    estimate: Math.min(table.size, total),
    rows: () => unite(rows(), table.size),
    tester: () => combineTesters(members, (tests) => (row) => tests.some((test) => test(row))),
    label: () => 'OR',
    children: () => members,
  };
}

/** A plan of rows that are known already. */
function planSet(label: string, set: RowSet): PlanNode {
  return {
    estimate: rowCount(set),
    rows: () => set,
    tester: () => (row) => hasRow(set, row),
    label: () => label,
    children: () => [],
  };
}

/** A plan that can only test row by row. */
function planTest(label: () => string, size: number, test: (row: number) => boolean): PlanNode {
  const rows = () => filterRows({ kind: 'all', size }, test);
  return { estimate: size, rows, tester: () => test, label, children: () => [] };
}

/** Few rows are tested one by one; many are intersected with the rows of the next member. */
function intersectInOrder(ordered: readonly PlanNode[]): RowSet {
  let rows = ordered[0]!.rows();
  for (let i = 1; i < ordered.length; i++) {
    if (rowCount(rows) === 0) return EMPTY_ROWS;
    const test = rows.kind === 'list' ? ordered[i]!.tester() : null;
    rows = test === null ? intersect(rows, ordered[i]!.rows()) : filterRows(rows, test);
  }
  return rows;
}

type RowTest = (row: number) => boolean;

function combineTesters(
  members: readonly PlanNode[],
  combine: (tests: readonly RowTest[]) => RowTest,
): RowTest | null {
  const tests = members.map((member) => member.tester()).filter((test) => test !== null);
  return tests.length < members.length ? null : combine(tests);
}

function planItems({ slots, scans, delta }: ItemsNode, table: Table): PlanNode {
  const label = () => [...slots.flatMap(({ tests }) => tests), ...scans].map(describe).join(' and ');
  const columns = slots.map(({ slot, tests }) => {
    const column = table.column(slot);
    return { column, set: codesOfTests(tests, column, table) };
  });
  if (columns.length > 1) return planAligned(label, columns, delta, table);
  const plans = columns.map(({ column, set }) => planCodes(label, column, set, delta));
  for (const test of scans) plans.push(planScan(test, table));
  return planAnd(plans, table);
}

function codesOfTests(tests: readonly Test[], column: Column, table: Table): CodeSet {
  const ordering = table.ordering(column.slot);
  let set = codesOf(tests[0]!.operand, column, ordering);
  for (let i = 1; i < tests.length; i++)
    set = intersectCodes(set, codesOf(tests[i]!.operand, column, ordering));
  return set;
}

/** Rows with an item in the set; a row without items holds one null. */
function planCodes(label: () => string, column: Column, set: CodeSet, delta: number | null): PlanNode {
  if (delta !== null) {
    return planTest(() => `${label()} (item ${delta})`, column.size, itemTester(column, set, delta));
  }
  const { starts } = column.postings;
  const { ranges } = set;
  let estimate = set.nulls ? starts[1]! : 0;
  for (let i = 0; i < ranges.length; i += 2)
    estimate += starts[ranges[i + 1]! + 1]! - starts[ranges[i]! + 1]!;
  return {
    estimate: Math.min(estimate, column.size),
    rows: () => rowsOfCodes(column, set, estimate),
    tester: () => itemTester(column, set, null),
    label,
    children: () => [],
  };
}

function rowsOfCodes(column: Column, { ranges, nulls }: CodeSet, total: number): RowSet {
  const { starts, rows } = column.postings;
  const { size } = column;
  const keyRanges = nulls ? [NULL_CODE, 0, ...ranges] : ranges;
  const single = keyRanges.length === 2 && keyRanges[1]! - keyRanges[0]! === 1;
  if (total === 0) return EMPTY_ROWS;
  if (total === size && column.offsets === null) return { kind: 'all', size };
  if (single) {
    const key = keyRanges[0]!;
    if (total * LIST_SHARE <= size)
      return { kind: 'list', rows: rows.subarray(starts[key + 1]!, starts[key + 2]!) };
    return { kind: 'bitmap', bitmap: column.denseRows(key), count: total };
  }
  if (total * LIST_SHARE <= size) {
    const found = new Int32Array(total);
    let next = 0;
    for (let i = 0; i < keyRanges.length; i += 2) {
      const part = rows.subarray(starts[keyRanges[i]! + 1]!, starts[keyRanges[i + 1]! + 1]!);
      found.set(part, next);
      next += part.length;
    }
    return rowsOfUnsorted(found, size);
  }
  const bitmap = new Bitmap(size);
  for (let i = 0; i < keyRanges.length; i += 2) {
    const end = starts[keyRanges[i + 1]! + 1]!;
    for (let j = starts[keyRanges[i]! + 1]!; j < end; j++) bitmap.add(rows[j]!);
  }
  // Rows of a single slot have one code each, so that none is counted twice.
  return column.offsets === null ? { kind: 'bitmap', bitmap, count: total } : rowsOfBitmap(bitmap);
}

/** Whether a row has an item in the set. */
function itemTester(column: Column, set: CodeSet, delta: number | null): (row: number) => boolean {
  const { codes, offsets } = column;
  const passes = codeTester(set);
  if (offsets === null) return (row) => passes(codes[row]!);
  if (delta !== null) {
    return (row) =>
      passes(offsets[row]! + delta < offsets[row + 1]! ? codes[offsets[row]! + delta]! : NULL_CODE);
  }
  return (row) => {
    const to = offsets[row + 1]!;
    if (offsets[row] === to) return set.nulls;
    for (let i = offsets[row]!; i < to; i++) if (passes(codes[i]!)) return true;
    return false;
  };
}

/** Several properties of one list of objects: their items stand side by side and must pass together. */
function planAligned(
  label: () => string,
  columns: readonly { readonly column: Column; readonly set: CodeSet }[],
  delta: number | null,
  table: Table,
): PlanNode {
  const parts = columns.map(({ column, set }) => ({
    codes: column.codes,
    passes: codeTester(set),
    nulls: set.nulls,
  }));
  const offsets = columns[0]!.column.offsets!;
  const emptyPasses = parts.every(({ nulls }) => nulls);
  return planTest(label, table.size, (row) => {
    const from = offsets[row]! + (delta ?? 0);
    const to = delta === null ? offsets[row + 1]! : Math.min(from + 1, offsets[row + 1]!);
    if (from >= to) return emptyPasses;
    for (let i = from; i < to; i++) if (parts.every(({ codes, passes }) => passes(codes[i]!))) return true;
    return false;
  });
}

/** Long texts are read and tested one by one: nothing of them is kept in memory. */
function planScan(test: Test, table: Table): PlanNode {
  const passes = createTextTest(test.operand, table.ordering(test.slot));
  return planTest(
    () => `scan ${describe(test)}`,
    table.size,
    (row) => {
      const { body } = table.entity(row);
      return passes(body === null ? null : bodyText(body));
    },
  );
}

/** Targets are answered first; then the rows that point to one of them, through the codes of the reference. */
function planJoin(node: JoinNode, table: Table, context: PlanContext): PlanNode {
  const column = table.column(node.slot);
  const children: PlanNode[] = [];
  const codes: number[] = [];
  const visibleCodes = node.matchesNull ? new Bitmap(column.dictionary.size) : null;
  for (const { type, members } of node.targets) {
    const target = context.table(type.name);
    if (target === undefined) continue;
    const { rowOfCode, codeOfRow } = table.join(column, target);
    const plan = planQuery({ kind: 'group', conjunction: 'AND', members }, target, context);
    children.push(plan);
    pushCodes(codes, plan.rows(), rowOfCode, codeOfRow);
    if (visibleCodes !== null) {
      const visible = context.visible(target);
      for (let code = 0; code < rowOfCode.length; code++) {
        if (rowOfCode[code] !== -1 && hasRow(visible, rowOfCode[code]!)) visibleCodes.add(code);
      }
    }
  }
  codes.sort((a, b) => a - b);
  const label = () => `join ${node.slot.name}`;
  const set = { ranges: runs(codes), nulls: false };
  if (visibleCodes === null)
    return { ...planCodes(label, column, set, node.delta), children: () => children };
  const matches = itemTester(column, set, node.delta);
  const seen = itemTester(column, { ranges: runs(visibleCodes.rows()), nulls: false }, node.delta);
  const orUnseen = planTest(
    () => `${label()}, or without a visible target`,
    table.size,
    (row) => !seen(row) || matches(row),
  );
  return { ...orUnseen, children: () => children };
}

function pushCodes(codes: number[], rows: RowSet, rowOfCode: Int32Array, codeOfRow: Int32Array): void {
  if (rows.kind === 'list' && rows.rows.length < rowOfCode.length) {
    for (let i = 0; i < rows.rows.length; i++) {
      const code = codeOfRow[rows.rows[i]!]!;
      if (code !== -1) codes.push(code);
    }
    return;
  }
  for (let code = 0; code < rowOfCode.length; code++) {
    const row = rowOfCode[code]!;
    if (row !== -1 && hasRow(rows, row)) codes.push(code);
  }
}

function describe({ condition }: Test): string {
  const { path, operator, value } = condition;
  return value === null ? `${path} ${operator}` : `${path} ${operator} ${JSON.stringify(value)}`;
}

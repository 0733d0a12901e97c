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
  readonly label: string;
  /** Rows at most, as far as is known without doing the work. */
  readonly estimate: number;
  readonly children: readonly PlanNode[];
  rows(): RowSet;
  /** Whether one row is among them; null where only `rows` can tell. */
  readonly test: ((row: number) => boolean) | null;
}

export interface PlanContext {
  table(type: string): Table | undefined;
  /** The rows of a table that the actor may see. */
  visible(table: Table): RowSet;
}

/** Plans a resolved filter over one table. Join targets are answered on the way: their codes are the estimate. */
export function planFilter(node: ResolvedNode, table: Table, context: PlanContext): PlanNode {
  switch (node.kind) {
    case 'group':
      return planGroup(node.conjunction, node.members, table, context);
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

/** A plan of members that must all hold. */
export function planAnd(members: readonly PlanNode[], table: Table): PlanNode {
  const [first] = members;
  if (first === undefined) return planSet('all rows', { kind: 'all', size: table.size });
  if (members.length === 1) return first;
  const ordered = [...members].sort((a, b) => a.estimate - b.estimate);
  const tests = ordered.map(({ test }) => test).filter((test) => test !== null);
  return {
    label: 'AND, smallest first',
    estimate: ordered[0]!.estimate,
    children: ordered,
    rows: () => intersectInOrder(ordered),
    test: tests.length < ordered.length ? null : (row) => tests.every((test) => test(row)),
  };
}

/** A plan of rows that are known already. */
export function planSet(label: string, set: RowSet): PlanNode {
  return { label, estimate: rowCount(set), children: [], rows: () => set, test: (row) => hasRow(set, row) };
}

function planGroup(
  conjunction: 'AND' | 'OR',
  nodes: readonly ResolvedNode[],
  table: Table,
  context: PlanContext,
): PlanNode {
  const members = nodes.map((member) => planFilter(member, table, context));
  if (conjunction === 'AND') return planAnd(members, table);
  if (members.length === 1) return members[0]!;
  const tests = members.map(({ test }) => test).filter((test) => test !== null);
  return {
    label: 'OR',
    estimate: Math.min(
      table.size,
      members.reduce((sum, { estimate }) => sum + estimate, 0),
    ),
    children: members,
    rows: () =>
      unite(
        members.map((member) => member.rows()),
        table.size,
      ),
    test: tests.length < members.length ? null : (row) => tests.some((test) => test(row)),
  };
}

/** Testing a row is dearer than intersecting one, so few rows are tested and many are intersected. */
function intersectInOrder(ordered: readonly PlanNode[]): RowSet {
  let rows = ordered[0]!.rows();
  for (const next of ordered.slice(1)) {
    const count = rowCount(rows);
    if (count === 0) return EMPTY_ROWS;
    rows =
      next.test !== null && rows.kind === 'list' ? filterRows(rows, next.test) : intersect(rows, next.rows());
  }
  return rows;
}

function planItems({ tests, delta }: ItemsNode, table: Table): PlanNode {
  const label = tests.map(describe).join(' and ');
  const bytes = tests.filter(({ slot }) => slot.bytes);
  const bySlot = Map.groupBy(
    tests.filter(({ slot }) => !slot.bytes),
    ({ slot }) => slot.name,
  );
  const columns = [...bySlot.values()].map((group) => {
    const column = table.column(group[0]!.slot);
    return { column, set: codesOfTests(group, column, table) };
  });
  if (columns.length > 1) return planAligned(label, columns, delta, table);
  const plans = columns.map(({ column, set }) => planCodes(label, column, set, delta));
  return planAnd([...plans, ...bytes.map((test) => planScan(test, table))], table);
}

function codesOfTests(tests: readonly Test[], column: Column, table: Table): CodeSet {
  const ordering = table.ordering(column.slot);
  let set = codesOf(tests[0]!.operand, column, ordering);
  for (let i = 1; i < tests.length; i++)
    set = intersectCodes(set, codesOf(tests[i]!.operand, column, ordering));
  return set;
}

/** Rows with an item in the set; a row without items holds one null. */
function planCodes(label: string, column: Column, set: CodeSet, delta: number | null): PlanNode {
  const test = itemTester(column, set, delta);
  if (delta !== null) return planTest(`${label} (item ${delta})`, column.size, test);
  const { starts } = column.postings;
  let estimate = set.nulls ? starts[1]! : 0;
  for (let i = 0; i < set.ranges.length; i += 2)
    estimate += starts[set.ranges[i + 1]! + 1]! - starts[set.ranges[i]! + 1]!;
  return {
    label,
    estimate: Math.min(estimate, column.size),
    children: [],
    rows: () => rowsOfCodes(column, set, estimate),
    test,
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
  label: string,
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
  return planTest(`scan ${describe(test)}`, table.size, (row) => {
    const { body } = table.entity(row);
    return passes(body === null ? null : bodyText(body));
  });
}

function planTest(label: string, size: number, test: (row: number) => boolean): PlanNode {
  return { label, estimate: size, children: [], rows: () => filterRows({ kind: 'all', size }, test), test };
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
    const visible = context.visible(target);
    const plans = members.map((member) => planFilter(member, target, context));
    const plan = planAnd(
      [...plans, ...(visible.kind === 'all' ? [] : [planSet('visible', visible)])],
      target,
    );
    children.push(plan);
    pushCodes(codes, plan.rows(), rowOfCode, codeOfRow);
    if (visibleCodes !== null) {
      for (let code = 0; code < rowOfCode.length; code++) {
        if (rowOfCode[code] !== -1 && hasRow(visible, rowOfCode[code]!)) visibleCodes.add(code);
      }
    }
  }
  codes.sort((a, b) => a - b);
  const label = `join ${node.slot.name}`;
  const matching = planCodes(label, column, { ranges: runs(codes), nulls: false }, node.delta);
  if (visibleCodes === null) return { ...matching, children };
  const seen = itemTester(column, { ranges: runs(visibleCodes.rows()), nulls: false }, node.delta);
  const test = (row: number) => !seen(row) || matching.test!(row);
  return { ...planTest(`${label}, or without a visible target`, table.size, test), children };
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

import type {
  ItemsNode,
  JoinNode,
  JoinTarget,
  ResolvedNode,
  SearchNode,
  Test,
} from '../resolve/resolve-filter.ts';
import { Bitmap } from '../store/bitmap.ts';
import type { Column } from '../store/column.ts';
import { NULL_CODE } from '../store/postings.ts';
import {
  allRows,
  EMPTY_ROWS,
  hasRow,
  LIST_SHARE,
  type RowSet,
  rowList,
  rowsOfBitmap,
  rowsOfUnsorted,
} from '../store/row-set.ts';
import type { Join, Table } from '../store/table.ts';
import { checkSlice } from '../time-slices.ts';
import type { TextScans } from './body-scans.ts';
import { type CodeSet, codesOf, codeTester, intersectCodes, runs } from './code-set.ts';
import { once, type PlanNode, planAnd, planOr, planPolicy, planSet, planTest } from './plan-node.ts';

export interface PlanContext {
  table(type: string): Table | undefined;
  /** The rows of a table that the actor may see. */
  visible(table: Table): RowSet;
  readonly texts: TextScans;
  /** The rows of a table that match a search. */
  search(node: SearchNode, table: Table): RowSet;
  /** Given if planning may be interrupted at the end of a slice and continued in the next. */
  readonly progress?: PlanProgress | undefined;
}

/** The parts of a plan that are finished. Valid until the content changes. */
export interface PlanProgress {
  readonly nodes: Map<ResolvedNode, PlanNode>;
  readonly codes: Map<Test, CodeSet>;
  readonly targets: Map<JoinTarget, PlanNode>;
}

export function createProgress(): PlanProgress {
  return { nodes: new Map(), codes: new Map(), targets: new Map() };
}

/** Plans a resolved filter over one table, ANDed with the rows the actor may see. */
export function planQuery(
  filter: ResolvedNode,
  table: Table,
  context: PlanContext,
  visible: RowSet = context.visible(table),
): PlanNode {
  const conditions = filter.kind === 'group' && filter.conjunction === 'AND' ? filter.members : [filter];
  return planVisible(conditions, table, context, visible);
}

/** Plans conditions that must all hold, and the rows that the actor may see. */
function planVisible(
  conditions: readonly ResolvedNode[],
  table: Table,
  context: PlanContext,
  visible: RowSet,
): PlanNode {
  const members = conditions.map((member) => planFilter(member, table, context));
  if (visible.kind !== 'all') members.push(planPolicy('visible', visible));
  return planAnd(members, table, visible);
}

/** Plans a resolved filter. The targets of joins are computed first, because their codes are the estimate. */
export function planFilter(node: ResolvedNode, table: Table, context: PlanContext): PlanNode {
  const { progress } = context;
  const finished = progress?.nodes.get(node);
  if (finished !== undefined) return finished;
  const plan = planNode(node, table, context);
  if (progress !== undefined) {
    progress.nodes.set(node, plan);
    checkSlice();
  }
  return plan;
}

function planNode(node: ResolvedNode, table: Table, context: PlanContext): PlanNode {
  switch (node.kind) {
    case 'group': {
      const members = node.members.map((member) => planFilter(member, table, context));
      return node.conjunction === 'AND' ? planAnd(members, table) : planOr(members, table);
    }
    case 'items':
      return planItems(node, table, context);
    case 'join':
      return planJoin(node, table, context);
    case 'search':
      return planSet(`search ${JSON.stringify(node.text)}`, context.search(node, table));
    case 'constant':
      return node.value ? planSet('always', allRows(table)) : planSet('never', EMPTY_ROWS);
    default:
      return node satisfies never;
  }
}

/** Tests on the items of one field: as codes of its column if possible, else row by row. */
function planItems(
  { slots, scans, delta }: ItemsNode,
  table: Table,
  { texts, progress }: PlanContext,
): PlanNode {
  const label = () => [...slots.flatMap(({ tests }) => tests), ...scans].map(describe).join(' and ');
  const columns = slots.map(({ slot, tests }) => {
    const column = table.column(slot);
    return { column, set: codesOfTests(tests, column, table, progress) };
  });
  const isList = columns[0]?.column.offsets != null;
  if (columns.length > 1 && isList) return planAligned(label, columns, delta, table);
  const plans = columns.map(({ column, set }) => planCodes(label, column, set, delta));
  for (const test of scans) {
    plans.push(planTest(() => `scan ${describe(test)}`, table.size, texts.tester(test, table)));
  }
  return planAnd(plans, table);
}

function describe({ condition }: Test): string {
  const { path, operator, value } = condition;
  return value === null ? `${path} ${operator}` : `${path} ${operator} ${JSON.stringify(value)}`;
}

function codesOfTests(
  tests: readonly Test[],
  column: Column,
  table: Table,
  progress: PlanProgress | undefined,
): CodeSet {
  const ordering = table.ordering(column.slot);
  const codesOfTest = (test: Test): CodeSet => {
    const finished = progress?.codes.get(test);
    if (finished !== undefined) return finished;
    const codes = codesOf(test.operand, column.dictionary, ordering);
    if (progress !== undefined) {
      progress.codes.set(test, codes);
      checkSlice();
    }
    return codes;
  };
  let set = codesOfTest(tests[0]!);
  for (let i = 1; i < tests.length; i++) set = intersectCodes(set, codesOfTest(tests[i]!));
  return set;
}

/** Rows with an item in the set; a row without items has one null. */
function planCodes(label: () => string, column: Column, set: CodeSet, delta: number | null): PlanNode {
  if (delta !== null) {
    return planTest(() => `${label()} (item ${delta})`, column.size, itemTester(column, set, delta));
  }
  const { starts } = column.postings;
  const { ranges } = set;
  let estimate = set.nulls ? starts[1]! : 0;
  for (let i = 0; i < ranges.length; i += 2) {
    estimate += starts[ranges[i + 1]! + 1]! - starts[ranges[i]! + 1]!;
  }
  return {
    estimate: Math.min(estimate, column.size),
    rows: once(() => rowsOfCodes(column, set, estimate)),
    tester: () => itemTester(column, set, null),
    label,
    children: () => [],
  };
}

function rowsOfCodes(column: Column, { ranges, nulls }: CodeSet, total: number): RowSet {
  const { size, offsets } = column;
  const { starts, rows } = column.postings;
  const keyRanges = nulls ? [NULL_CODE, 0, ...ranges] : ranges;
  if (total === 0) return EMPTY_ROWS;
  if (total === size && offsets === null) return allRows(column);
  if (keyRanges.length === 2 && keyRanges[1]! - keyRanges[0]! === 1) {
    const key = keyRanges[0]!;
    if (total * LIST_SHARE <= size) {
      return rowList(rows.subarray(starts[key + 1]!, starts[key + 2]!));
    }
    return rowsOfBitmap(column.denseRows(key), total);
  }
  if (total * LIST_SHARE <= size) {
    const union = new Int32Array(total);
    let next = 0;
    for (let i = 0; i < keyRanges.length; i += 2) {
      const part = rows.subarray(starts[keyRanges[i]! + 1]!, starts[keyRanges[i + 1]! + 1]!);
      union.set(part, next);
      next += part.length;
    }
    return rowsOfUnsorted(union, size);
  }
  const bitmap = new Bitmap(size);
  for (let i = 0; i < keyRanges.length; i += 2) {
    const end = starts[keyRanges[i + 1]! + 1]!;
    for (let j = starts[keyRanges[i]! + 1]!; j < end; j++) bitmap.add(rows[j]!);
  }
  // Rows of a single slot have one code each, so none was counted twice.
  return offsets === null ? rowsOfBitmap(bitmap, total) : rowsOfBitmap(bitmap);
}

/** Tests if a row has an item in the set. */
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

/** Tests on several properties of a list of objects: their items are aligned and must pass together. */
function planAligned(
  label: () => string,
  columns: readonly { readonly column: Column; readonly set: CodeSet }[],
  delta: number | null,
  table: Table,
): PlanNode {
  const parts = columns.map(({ column, set }) => ({ codes: column.codes, passes: codeTester(set) }));
  const emptyPasses = columns.every(({ set }) => set.nulls);
  const offsets = columns[0]!.column.offsets!;
  return planTest(label, table.size, (row) => {
    const from = offsets[row]! + (delta ?? 0);
    const to = delta === null ? offsets[row + 1]! : Math.min(from + 1, offsets[row + 1]!);
    if (from >= to) return emptyPasses;
    for (let i = from; i < to; i++) if (parts.every(({ codes, passes }) => passes(codes[i]!))) return true;
    return false;
  });
}

/** Computes the matching targets first, then the rows that refer to one of them, through the codes of the reference. */
function planJoin(node: JoinNode, table: Table, context: PlanContext): PlanNode {
  const column = table.column(node.slot);
  const children: PlanNode[] = [];
  const codes: number[] = [];
  const visibleCodes: number[] = [];
  for (const each of node.targets) {
    const target = context.table(each.type.name);
    if (target === undefined) continue;
    const join = table.join(column, target);
    const plan =
      context.progress?.targets.get(each) ??
      planVisible(each.members, target, context, context.visible(target));
    context.progress?.targets.set(each, plan);
    children.push(plan);
    pushCodes(codes, plan.rows(), join);
    if (node.matchesNull) pushCodes(visibleCodes, context.visible(target), join);
  }
  const label = () => `join ${node.slot.name}`;
  const matching = codeSet(codes);
  if (!node.matchesNull) {
    return { ...planCodes(label, column, matching, node.delta), children: () => children };
  }
  const matches = itemTester(column, matching, node.delta);
  const hasVisibleTarget = itemTester(column, codeSet(visibleCodes), node.delta);
  const plan = planTest(
    () => `${label()}, or without a visible target`,
    table.size,
    (row) => !hasVisibleTarget(row) || matches(row),
  );
  return { ...plan, children: () => children };
}

function codeSet(codes: number[]): CodeSet {
  return { ranges: runs(codes.sort((a, b) => a - b)), nulls: false };
}

/** Adds the codes of a reference column that point to the rows, of which each entity has at most one. */
function pushCodes(codes: number[], rows: RowSet, join: Join): void {
  const { rowOfCode, codeOfRow } = join;
  if (rows.kind === 'list' && rows.rows.length < rowOfCode.length) {
    for (let i = 0; i < rows.rows.length; i++) {
      const code = codeOfRow[rows.rows[i]!]!;
      if (code !== -1) codes.push(code);
    }
    return;
  }
  for (let code = 0; code < rowOfCode.length; code++) {
    if (targetRow(join, code, rows) !== -1) codes.push(code);
  }
}

/** The row of the set that a code of a reference column points to, or -1. */
export function targetRow({ rowOfCode, endOfCode }: Join, code: number, rows: RowSet): number {
  const end = endOfCode[code]!;
  for (let row = rowOfCode[code]!; row < end; row++) if (hasRow(rows, row)) return row;
  return -1;
}

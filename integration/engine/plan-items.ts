import { type CodeSet, codesOf, codeTester, intersectCodes } from './code-set.ts';
import { once, type PlanNode, planAnd, planTest } from './plan-node.ts';
import type { ItemsNode, ResolvedNode } from './resolve.ts';
import type { SearchNode } from './resolve-search.ts';
import { Bitmap } from './store/bitmap.ts';
import type { Column } from './store/column.ts';
import { NULL_CODE } from './store/postings.ts';
import { EMPTY_ROWS, LIST_SHARE, type RowSet, rowsOfBitmap, rowsOfUnsorted } from './store/row-set.ts';
import type { Table } from './store/table.ts';
import type { Test } from './targets.ts';
import type { TextScans } from './text-scan.ts';
import { checkSlice } from './time-slices.ts';

/** What has been planned. It holds while the content does. */
export interface PlanProgress {
  readonly nodes: Map<ResolvedNode, PlanNode>;
  readonly codes: Map<Test, CodeSet>;
}

export interface PlanContext {
  table(type: string): Table | undefined;
  /** The rows of a table that the actor may see. */
  visible(table: Table): RowSet;
  readonly texts: TextScans;
  /** Rows of a table that hold the words of a search. */
  search(node: SearchNode, table: Table): RowSet;
  /** Given where planning goes on that was interrupted at the end of a slice. */
  readonly progress?: PlanProgress | undefined;
}

/** Plans the tests on the items of one field: as codes of its column, row by row where that says too little. */
export function planItems(
  { slots, scans, delta }: ItemsNode,
  table: Table,
  { texts, progress }: PlanContext,
): PlanNode {
  const label = () => [...slots.flatMap(({ tests }) => tests), ...scans].map(describe).join(' and ');
  const columns = slots.map(({ slot, tests }) => {
    const column = table.column(slot);
    return { column, set: codesOfTests(tests, column, table, progress) };
  });
  if (columns.length > 1) return planAligned(label, columns, delta, table);
  const plans = columns.map(({ column, set }) => planCodes(label, column, set, delta));
  for (const test of scans)
    plans.push(planTest(() => `scan ${describe(test)}`, table.size, texts.tester(test, table)));
  return planAnd(plans, table);
}

function codesOfTests(
  tests: readonly Test[],
  column: Column,
  table: Table,
  progress: PlanProgress | undefined,
): CodeSet {
  const ordering = table.ordering(column.slot);
  const codesOfTest = (test: Test): CodeSet => {
    const known = progress?.codes.get(test);
    if (known !== undefined) return known;
    const codes = codesOf(test.operand, column, ordering);
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

/** Rows with an item in the set; a row without items holds one null. */
export function planCodes(label: () => string, column: Column, set: CodeSet, delta: number | null): PlanNode {
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
    rows: once(() => rowsOfCodes(column, set, estimate)),
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
export function itemTester(column: Column, set: CodeSet, delta: number | null): (row: number) => boolean {
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

function describe({ condition }: Test): string {
  const { path, operator, value } = condition;
  return value === null ? `${path} ${operator}` : `${path} ${operator} ${JSON.stringify(value)}`;
}

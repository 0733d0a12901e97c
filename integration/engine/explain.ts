import type { Page } from './ast.ts';
import { pageStrategy } from './page.ts';
import type { PlanNode } from './plan-node.ts';
import type { ResolvedSort } from './resolve-sort.ts';
import type { OrderedKeys } from './sort-keys.ts';
import { compareRaw } from './store/ordering.ts';
import { EMPTY_ROWS, intersect, type RowSet, rowCount } from './store/row-set.ts';
import type { Table } from './store/table.ts';

/**
 * A plan as indented text: a line a step with its estimated and exact number of rows, then how the page is found.
 * Only for who may see every row: all of that depends on rows that others may not see.
 */
export function explainPlan(
  table: Table,
  filter: PlanNode,
  rows: RowSet,
  sort: readonly ResolvedSort[],
  keys: readonly OrderedKeys[],
  page: Page,
  ranked: boolean,
): string {
  return [
    `${table.type.name}: ${rowCount(rows)} of ${table.size} rows (${describeSet(rows)})`,
    ...describeNode(filter, 1),
    `  ${describeOrder(sort, page, ranked)} by ${ranked ? 'a selection of the matching rows' : pageStrategy(rows, keys, page)}`,
  ].join('\n');
}

/**
 * A plan for who may see a part of the rows, told as if there were no others: each step with the number of rows
 * among those seen, steps side by side from the smallest number on. `ranked` is what is ordered by relevance.
 */
export function explainSeen(
  table: Table,
  filter: PlanNode,
  sort: readonly ResolvedSort[],
  page: Page,
  ranked: boolean,
): string {
  const seen = filter.seen ?? EMPTY_ROWS;
  const steps = describeSeen(filter, 1, seen);
  return [
    `${table.type.name}: ${steps.count} of ${rowCount(seen)} rows`,
    ...steps.lines,
    `  ${describeOrder(sort, page, ranked)}`,
  ].join('\n');
}

function describeSeen(node: PlanNode, depth: number, around: RowSet): SeenSteps {
  const seen = node.seen ?? around;
  const all = node.children();
  const asked = all.filter(({ free }) => free !== true);
  const [only] = asked;
  // What is joined to nothing but the policy stands alone, as it would were everything visible.
  if (only !== undefined && asked.length === 1 && all.length > 1) return describeSeen(only, depth, seen);
  const count = rowCount(intersect(node.rows(), seen));
  const label = node.free === true ? 'all rows' : node.label();
  const below = asked
    .map((child) => describeSeen(child, depth + 1, seen))
    .sort((a, b) => a.count - b.count || compareRaw(a.lines.join('\n'), b.lines.join('\n')));
  return {
    count,
    lines: [`${'  '.repeat(depth)}${label} (found ${count})`, ...below.flatMap(({ lines }) => lines)],
  };
}

function describeOrder(sort: readonly ResolvedSort[], { offset, limit }: Page, ranked: boolean): string {
  const keys = sort.map(({ path, direction }) => `${path} ${direction}`).join(', ') || 'id ASC';
  const order = ranked ? 'relevance' : keys;
  return `order by ${order}; page ${offset} to ${offset + limit}`;
}

function describeNode(node: PlanNode, depth: number): string[] {
  const count = rowCount(node.rows());
  return [
    `${'  '.repeat(depth)}${node.label()} (at most ${node.estimate}, found ${count})`,
    ...node.children().flatMap((child) => describeNode(child, depth + 1)),
  ];
}

function describeSet(rows: RowSet): string {
  return rows.kind === 'all' ? 'all' : `a ${rows.kind}`;
}

interface SeenSteps {
  readonly count: number;
  readonly lines: readonly string[];
}

import { type RowSet, rowCount } from '../store/row-set.ts';
import type { Table } from '../store/table.ts';
import type { Page } from './ast.ts';
import { pageStrategy } from './page.ts';
import type { PlanNode } from './plan-node.ts';
import type { ResolvedSort } from './resolve-sort.ts';
import type { OrderedKeys } from './sort-keys.ts';

/** A plan as indented text: a line a step with its estimated and exact number of rows, then how the page is found. */
export function explainPlan(
  table: Table,
  filter: PlanNode,
  rows: RowSet,
  sort: readonly ResolvedSort[],
  keys: readonly OrderedKeys[],
  page: Page,
): string {
  const order = sort.map(({ path, direction }) => `${path} ${direction}`).join(', ') || 'id ASC';
  const range = `${page.offset} to ${page.offset + page.limit}`;
  return [
    `${table.type.name}: ${rowCount(rows)} of ${table.size} rows (${describeSet(rows)})`,
    ...describeNode(filter, 1),
    `  order by ${order}; page ${range} by ${pageStrategy(rows, keys, page)}`,
  ].join('\n');
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

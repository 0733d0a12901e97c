import { runs } from './code-set.ts';
import type { PlanContext } from './plan-items.ts';
import { itemTester, planCodes, planItems } from './plan-items.ts';
import { type PlanNode, planAnd, planFree, planOr, planSet, planTest } from './plan-node.ts';
import type { JoinNode, ResolvedNode } from './resolve.ts';
import { Bitmap } from './store/bitmap.ts';
import { EMPTY_ROWS, hasRow, type RowSet } from './store/row-set.ts';
import type { Table } from './store/table.ts';
import { checkSlice } from './time-slices.ts';

/** Plans a resolved filter over one table, ANDed with the rows the actor may see. */
export function planQuery(filter: ResolvedNode, table: Table, context: PlanContext): PlanNode {
  const seen = context.visible(table);
  if (seen.kind === 'all') return { ...planFilter(filter, table, context), seen };
  const asked = filter.kind === 'group' && filter.conjunction === 'AND' ? filter.members : [filter];
  const members = asked.map((member) => planFilter(member, table, context));
  members.push(planFree('visible', seen));
  return { ...planAnd(members, table), seen };
}

/** Plans a resolved filter. Join targets are answered on the way: their codes are the estimate. */
export function planFilter(node: ResolvedNode, table: Table, context: PlanContext): PlanNode {
  const { progress } = context;
  const known = progress?.nodes.get(node);
  if (known !== undefined) return known;
  const planned = planNode(node, table, context);
  if (progress !== undefined) {
    progress.nodes.set(node, planned);
    checkSlice();
  }
  return planned;
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
      return planSet(
        node.value ? 'always' : 'never',
        node.value ? { kind: 'all', size: table.size } : EMPTY_ROWS,
      );
    default:
      return node satisfies never;
  }
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

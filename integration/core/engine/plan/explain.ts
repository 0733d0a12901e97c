import type { Page } from '../ast.ts';
import type { EngineQuery, Explanation, FacetResult, QueryResult } from '../engine.ts';
import type { ResolvedSort } from '../resolve/resolve-sort.ts';
import { compareRaw } from '../store/ordering.ts';
import { EMPTY_ROWS, intersect, type RowSet } from '../store/row-set.ts';
import type { Table } from '../store/table.ts';
import type { CountedFacet } from './count-facet.ts';
import { countsCodes } from './facet-keys.ts';
import { type PageStrategy, pageStrategy } from './page.ts';
import type { PlanNode } from './plan-node.ts';
import type { SortedKeys } from './sort-keys.ts';

/** A plan and its result. Times are milliseconds. */
export function explanationOf(
  plan: ExplainedPlan & { keys(): readonly SortedKeys[] },
  order: readonly ResolvedSort[],
  { filter, sort, page, facets = [] }: EngineQuery,
  seesEverything: boolean,
  resolveMs: number,
  execute: () => QueryResult,
): Explanation {
  const started = performance.now();
  const result = execute();
  const executeMs = performance.now() - started;
  return {
    ast: { filter, sort, page, facets },
    plan: seesEverything ? explainPlan(plan, order, plan.keys(), page) : explainVisible(plan, order, page),
    ...{ resolveMs, executeMs, result },
  };
}

/**
 * A plan as indented text: one line per step with its estimated and exact number of rows, then how the page is
 * selected and how facets are counted. Only for actors that see every row, because all numbers depend on rows hidden
 * from others.
 */
function explainPlan(
  { table, filter, ranked, facets }: ExplainedPlan,
  sort: readonly ResolvedSort[],
  keys: readonly SortedKeys[],
  page: Page,
): string {
  const rows = filter.rows();
  const strategy = ranked ? 'top-k' : pageStrategy(rows, keys, page);
  return [
    `${table.type.name}: ${rows.count} of ${table.size} rows (${rows.kind === 'all' ? 'all' : `a ${rows.kind}`})`,
    ...describeNode(filter, 1),
    `  ${describeOrder(sort, page, ranked)} by ${STRATEGY_LABELS[strategy]}`,
    ...describeFacets(facets(rows), rows, (node) => describeNode(node, 2)),
  ].join('\n');
}

const STRATEGY_LABELS: Readonly<Record<PageStrategy, string>> = {
  'by-id': 'id order',
  'index-scan': 'scanning the sort index',
  'top-k': 'selecting from the matching rows',
};

function describeNode(node: PlanNode, depth: number): string[] {
  return [
    `${'  '.repeat(depth)}${node.label()} (at most ${node.estimate}, found ${node.rows().count})`,
    ...node.children().flatMap((child) => describeNode(child, depth + 1)),
  ];
}

/**
 * A plan for actors that see a part of the rows, as if the others did not exist: each step with its number of
 * visible rows, sibling steps in ascending order.
 */
function explainVisible(
  { table, filter, ranked, facets }: ExplainedPlan,
  sort: readonly ResolvedSort[],
  page: Page,
): string {
  const visible = filter.visible ?? EMPTY_ROWS;
  const rows = filter.rows();
  const { count, lines } = describeVisible(filter, 1, visible);
  return [
    `${table.type.name}: ${count} of ${visible.count} rows`,
    ...lines,
    `  ${describeOrder(sort, page, ranked)}`,
    ...describeFacets(facets(rows), rows, (node) => describeVisible(node, 2, visible).lines),
  ].join('\n');
}

interface ExplainedPlan {
  readonly table: Table;
  readonly filter: PlanNode;
  /** True if the order is by relevance. */
  readonly ranked: boolean;
  /** The facets, counted over the rows of the query. */
  facets(rows: RowSet): readonly CountedFacet<FacetResult>[];
}

function describeVisible(node: PlanNode, depth: number, parentVisible: RowSet): VisibleSteps {
  const visible = node.visible ?? parentVisible;
  const children = node.children();
  const conditions = children.filter(({ isPolicy }) => isPolicy !== true);
  const [first] = conditions;
  // A single condition beside the policy stands alone, as if everything were visible.
  if (first !== undefined && conditions.length === 1 && children.length > 1) {
    return describeVisible(first, depth, visible);
  }
  const { count } = intersect(node.rows(), visible);
  const label = node.isPolicy === true ? 'all rows' : node.label();
  const below = conditions
    .map((child) => describeVisible(child, depth + 1, visible))
    .sort((a, b) => a.count - b.count || compareRaw(a.lines.join('\n'), b.lines.join('\n')));
  return {
    count,
    lines: [`${'  '.repeat(depth)}${label} (found ${count})`, ...below.flatMap(({ lines }) => lines)],
  };
}

interface VisibleSteps {
  readonly count: number;
  readonly lines: readonly string[];
}

function describeOrder(sort: readonly ResolvedSort[], { offset, limit }: Page, ranked: boolean): string {
  const keys = sort.map(({ path, direction }) => `${path} ${direction}`).join(', ') || 'id ASC';
  return `order by ${ranked ? 'relevance' : keys}; page ${offset} to ${offset + limit}`;
}

/** A line for each facet; below it, the steps that find its rows if they are not those of the query. */
function describeFacets(
  facets: readonly CountedFacet<FacetResult>[],
  matching: RowSet,
  describe: (node: PlanNode) => readonly string[],
): readonly string[] {
  return facets.flatMap(({ facet: { facet, key }, filter, counts: { terms, total, missing } }) => {
    const { count } = filter?.rows() ?? matching;
    const path = filter === null ? facet.path : `${facet.path} without its own conditions`;
    const counts = `${terms.length} of ${total} terms in ${count} rows (${missing} without a value)`;
    return [
      `  facet ${path}: ${counts} by ${countsCodes(key) ? 'column codes' : 'cached keys'}`,
      ...(filter === null ? [] : describe(filter)),
    ];
  });
}

import type { Page } from './ast.ts';
import { boostRows } from './field-boost.ts';
import { type PlanContext, planFilter } from './plan/plan.ts';
import { rankedPage } from './plan/ranked-page.ts';
import type { ResolvedNode, SearchNode } from './resolve/resolve-filter.ts';
import type { RowSet } from './store/row-set.ts';
import type { Table } from './store/table.ts';
import type { SearchIndexes } from './text/full-text.ts';
import { addRarity } from './text/score.ts';

/** The parts of the engine that only full-text queries load. */
export { resolveSearch } from './resolve/resolve-search.ts';

/** The rows that a search finds. */
export function matchSearch(
  fullText: SearchIndexes | undefined,
  { words, fields }: SearchNode,
  table: Table,
  visible: RowSet,
): RowSet {
  const names = fields.map(({ name }) => name);
  return required(fullText).index(table).match(words, names, table, visible);
}

/** In short steps: a page by relevance. See `rankedPage`. */
export function rankRows(
  rows: RowSet,
  nodes: readonly ResolvedNode[],
  context: PlanContext,
  visible: RowSet,
  table: Table,
  fullText: SearchIndexes | undefined,
  page: Page,
): ReturnType<typeof rankedPage> {
  // Rows and values are computed before the first step: a slice that ends within a step would end all steps.
  const adding = nodes.map((node) => {
    if (node.kind === 'search') {
      const index = required(fullText).index(table);
      return (scores: Float64Array) => index.addScores(scores, node.words, node.fields, visible, table);
    }
    const found = planFilter(node, table, context).rows();
    return (scores: Float64Array) => addRarity(scores, found, visible);
  });
  const boost = nodes.map((node) => node.kind === 'search' && node.boost).find(Boolean);
  if (boost) adding.push(boostRows(boost, table, context, visible));
  return rankedPage(rows, adding, table, page);
}

function required(fullText: SearchIndexes | undefined): SearchIndexes {
  if (fullText !== undefined) return fullText;
  throw new Error('A search was planned without a full-text index.');
}

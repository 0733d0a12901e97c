import type { Page } from './ast.ts';
import type { ResolvedNode } from './resolve.ts';
import type { SearchNode } from './resolve-search.ts';
import type { FullText } from './store/full-text/full-text.ts';
import { listRows, type RowSet } from './store/row-set.ts';
import type { Table } from './store/table.ts';

/** The searches of a resolved filter, in order. */
export function searchesOf(node: ResolvedNode): readonly SearchNode[] {
  if (node.kind === 'search') return [node];
  return node.kind === 'group' ? node.members.flatMap(searchesOf) : [];
}

/**
 * In short steps: the rows of one page from the most relevant on, ties by id. If a query searches several times, the
 * scores are added. Only the rows that the actor may see have a part in it.
 */
export function* rankedPage(
  rows: RowSet,
  searches: readonly SearchNode[],
  visible: RowSet,
  table: Table,
  fullText: FullText,
  { offset, limit }: Page,
): Generator<void, number[], undefined> {
  const index = fullText.index(table);
  const scores = new Float64Array(table.size);
  for (const { words, fields } of searches) {
    const more = yield* index.scores(words, fields, visible, table);
    for (let row = 0; row < scores.length; row++) scores[row]! += more[row]!;
    yield;
  }
  const found = listRows(rows);
  const end = Math.min(found.length, offset + limit);
  if (end <= offset) return [];
  // Numbers alone are sorted much faster than rows: only rows up to the last score of the page are.
  const sorted = new Float64Array(found.length);
  for (let i = 0; i < found.length; i++) sorted[i] = scores[found[i]!]!;
  yield;
  const last = sorted.sort()[found.length - end]!;
  yield;
  const better = found.filter((row) => scores[row]! > last).sort((a, b) => scores[b]! - scores[a]! || a - b);
  const equal = found.filter((row) => scores[row] === last);
  return [...better, ...equal].slice(offset, end);
}

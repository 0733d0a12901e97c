import type { Page } from '../ast.ts';
import type { SearchNode } from '../resolve/resolve-filter.ts';
import { listRows, type RowSet } from '../store/row-set.ts';
import type { Table } from '../store/table.ts';
import type { SearchIndexes } from '../text/full-text.ts';

/**
 * In short steps: the rows of one page by relevance, ties by id, and the scores of all rows. The scores of several
 * searches are added. Only the rows that the actor may see affect the scores.
 */
export function* rankedPage(
  rows: RowSet,
  searches: readonly SearchNode[],
  visible: RowSet,
  table: Table,
  fullText: SearchIndexes,
  { offset, limit }: Page,
): Generator<void, RankedPage, undefined> {
  const index = fullText.index(table);
  const scores = new Float64Array(table.size);
  for (const { words, fields } of searches) {
    const added = yield* index.scores(words, fields, visible, table);
    for (let row = 0; row < scores.length; row++) scores[row]! += added[row]!;
    yield;
  }
  const matching = listRows(rows);
  const end = Math.min(matching.length, offset + limit);
  if (end <= offset) return { rows: [], scores };
  // Plain numbers sort much faster than rows, so only the rows up to the last score of the page are sorted as rows.
  const sorted = new Float64Array(matching.length);
  for (let i = 0; i < matching.length; i++) sorted[i] = scores[matching[i]!]!;
  yield;
  const last = sorted.sort()[matching.length - end]!;
  yield;
  // Only equal scores need the ranks, which a snapshot has to load.
  const byId = (a: number, b: number) => {
    const { idRanks } = table;
    return idRanks === null ? a - b : idRanks[a]! - idRanks[b]!;
  };
  const better = matching
    .filter((row) => scores[row]! > last)
    .sort((a, b) => scores[b]! - scores[a]! || byId(a, b));
  const equal = matching.filter((row) => scores[row] === last).sort(byId);
  return { rows: [...better, ...equal].slice(offset, end), scores };
}

export interface RankedPage {
  readonly rows: number[];
  readonly scores: Float64Array;
}

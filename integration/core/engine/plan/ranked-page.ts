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
  const last = nthScore(scores, matching, end);
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

/** The score of the row at a place of the order, from 1. Few are found without sorting all. */
function nthScore(scores: Float64Array, rows: ArrayLike<number>, place: number): number {
  if (place * 50 > rows.length) {
    return Float64Array.from(rows, (row) => scores[row]!).sort()[rows.length - place]!;
  }
  const best = new Float64Array(place).fill(Number.NEGATIVE_INFINITY);
  for (let i = 0; i < rows.length; i++) {
    const score = scores[rows[i]!]!;
    if (score <= best[0]!) continue;
    let at = 0;
    for (; at + 1 < place && best[at + 1]! < score; at++) best[at] = best[at + 1]!;
    best[at] = score;
  }
  return best[0]!;
}

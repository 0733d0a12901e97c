import type { Page } from '../ast.ts';
import { listRows, type RowSet } from '../store/row-set.ts';
import type { Table } from '../store/table.ts';
import { returnNumbers, takeNumbers } from '../text/score.ts';
import { smallest } from './page.ts';

/**
 * In short steps: the rows of one page by relevance, ties by id, and their scores. The scores of several
 * searches are added.
 */
export function* rankedPage(
  rows: RowSet,
  searches: readonly ((scores: Float64Array) => Generator<void, void, undefined>)[],
  table: Pick<Table, 'size' | 'idRanks'>,
  { offset, limit }: Page,
): Generator<void, { rows: number[]; scores: number[] }, undefined> {
  const matching = listRows(rows);
  const end = Math.min(matching.length, offset + limit);
  if (end <= offset) return { rows: [], scores: [] };
  const scores = takeNumbers(table.size);
  for (const addScores of searches) yield* addScores(scores);
  // Plain numbers sort much faster than rows, so only the rows up to the last score of the page are sorted as rows.
  const negated = takeNumbers(table.size);
  for (const row of matching) negated[row] = -scores[row]!;
  const last = -smallest(negated, end).at(-1)!;
  returnNumbers(negated);
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
  const page = [...better, ...equal].slice(offset, end);
  const scoresOfPage = page.map((row) => scores[row]!);
  returnNumbers(scores);
  return { rows: page, scores: scoresOfPage };
}

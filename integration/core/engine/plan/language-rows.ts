import { Bitmap } from '../store/bitmap.ts';
import { hasRow, listRows, type RowSet, rowsOfBitmap, rowsOfUnsorted } from '../store/row-set.ts';
import type { Table } from '../store/table.ts';

/**
 * Selects one of an entity's rows in the set: the first of the languages that is there, else the source. The set itself
 * if no entity of the table has translations.
 */
export function rowsInLanguages(table: Table, rows: RowSet, languages: readonly string[]): RowSet {
  const { translated } = table;
  if (translated.length === 0) return rows;
  const selected = bitmapOf(rows, table.size);
  for (let i = 0; i < translated.length; i++) {
    const first = translated[i]!;
    const end = table.endOf(first);
    const best = bestRow(table, rows, first, end, languages);
    for (let row = first; row < end; row++) if (row !== best) selected.delete(row);
  }
  return rowsOfBitmap(selected);
}

/** The row in the set to serve of the rows from `first` to `end`; -1 for none. */
function bestRow(
  table: Table,
  rows: RowSet,
  first: number,
  end: number,
  languages: readonly string[],
): number {
  let best = -1;
  let bestRank = Number.POSITIVE_INFINITY;
  for (let row = first; row < end; row++) {
    if (!hasRow(rows, row)) continue;
    const at = languages.indexOf(table.languageAt(row));
    const rank = at !== -1 ? at : table.isTranslation(row) ? bestRank : languages.length;
    if (rank < bestRank) {
      best = row;
      bestRank = rank;
    }
  }
  return best;
}

/** The rows in a language. */
export function rowsInLanguage(table: Table, rows: RowSet, language: string): RowSet {
  const inLanguage = listRows(rows).filter((row) => table.languageAt(row) === language);
  return rowsOfUnsorted(inLanguage, table.size);
}

function bitmapOf(rows: RowSet, size: number): Bitmap {
  if (rows.kind === 'bitmap') return rows.bitmap.clone();
  return rows.kind === 'all' ? Bitmap.full(size) : Bitmap.of(size, listRows(rows));
}

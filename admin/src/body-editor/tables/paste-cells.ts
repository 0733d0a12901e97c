import { applyChanges, cellText, insertColumn, type Place, readTable, setCell } from './table-text.ts';

/** Rows of cells in Markdown. */
export type Cells = readonly (readonly string[])[];

/**
 * The text of a table with these cells from a place on, to the right and down. The table gets the rows and columns that it needs; the
 * header stays the first row.
 */
export function fillCells(table: string, { row, column }: Place, cells: Cells): string {
  let text = table;
  const width = Math.max(...cells.map(({ length }) => length));
  for (
    let read = readTable(text);
    'rows' in read && read.sides.length < column + width;
    read = readTable(text)
  ) {
    text = applyChanges(text, insertColumn(read, read.sides.length));
  }
  const grid = readTable(text);
  if (!('rows' in grid)) return table;
  const inside = cells.slice(0, grid.rows.length - row);
  const changes = inside.flatMap((line, down) =>
    line.flatMap((cell, across) => setCell(grid, { row: row + down, column: column + across }, cell)),
  );
  const columns = grid.sides.map((_, at) => at - column);
  const lines = cells.slice(inside.length).map((line) => {
    const written = columns.map((at) => cellText(line[at] ?? ''));
    return `\n|${written.map((cell) => (cell === '' ? '  ' : ` ${cell} `)).join('|')}|${text.includes('\r\n') ? '\r' : ''}`;
  });
  const last = grid.rows.length > 1 ? grid.rows.at(-1)! : grid.divider;
  return applyChanges(text, [...changes, { from: last.to, to: last.to, insert: lines.join('') }]);
}

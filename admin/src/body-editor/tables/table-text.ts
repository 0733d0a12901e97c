/**
 * A table of GFM as text: the places of its cells, and the smallest changes of the text for each change of the table. All offsets
 * count from the start of the text. Rows count from 0, which is the header.
 */
export interface Table {
  readonly text: string;
  readonly rows: readonly Row[];
  /** The line of dashes below the header. */
  readonly divider: Row;
  /** The alignment of each column. */
  readonly sides: readonly Side[];
}

export interface Row {
  /** The line without its line break. */
  readonly from: number;
  readonly to: number;
  readonly cells: readonly Cell[];
  /** True if the first cell has a pipe before it. */
  readonly opens: boolean;
  /** True if the last cell has a pipe after it. */
  readonly closes: boolean;
}

export interface Cell {
  /** The range between the pipes. */
  readonly from: number;
  readonly to: number;
  /** The same without spaces at its ends. In an empty cell, the place for text. */
  readonly start: number;
  readonly end: number;
}

export type Side = 'none' | 'left' | 'center' | 'right';

export interface Place {
  readonly row: number;
  readonly column: number;
}

export interface Change {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

/** A row whose number of cells differs from the header: its line, from 1. */
export interface BrokenRow {
  readonly brokenLine: number;
}

export function readTable(text: string): Table | BrokenRow {
  let from = 0;
  const lines = text.split('\n').map((line) => {
    const row = readRow(text, from, from + line.length);
    from += line.length + 1;
    return row;
  });
  const [header, divider, ...body] = lines;
  if (header === undefined || divider === undefined) return { brokenLine: 1 };
  const broken = lines.findIndex(({ cells }) => cells.length !== header.cells.length);
  if (broken !== -1) return { brokenLine: broken + 1 };
  const sides = divider.cells.map(({ start, end }) => sideOf(text.slice(start, end)));
  return { text, rows: [header, ...body], divider, sides };
}

export function cellAt({ rows }: Table, { row, column }: Place): Cell | undefined {
  return rows[row]?.cells[column];
}

/** The cell around a range. */
export function placeOf({ rows }: Table, from: number, to: number): Place | undefined {
  const row = rows.findIndex((each) => each.from <= from && to <= each.to);
  const column = rows[row]?.cells.findIndex((cell) => cell.from <= from && to <= cell.to) ?? -1;
  return column === -1 ? undefined : { row, column };
}

/** The offsets in the text of a cell that need a backslash before them, so that the text stays one cell. */
export function pipesToEscape(text: string): readonly number[] {
  const pipes: number[] = [];
  let isEscaped = false;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '|' && !isEscaped) pipes.push(at);
    isEscaped = !isEscaped && text[at] === '\\';
  }
  return pipes;
}

/** Markdown as it is written into a cell. */
export function cellText(markdown: string): string {
  const line = markdown.trim().replace(/\s*\n\s*/g, BREAK);
  return pipesToEscape(line).reduceRight((text, at) => `${text.slice(0, at)}\\${text.slice(at)}`, line);
}

/** A line break in a cell. MDX needs the slash. */
export const BREAK = '<br />';

/** The spaces that a cell needs behind a new text. */
export function spaceAfter({ from, to, start, end }: Cell, text: string): string {
  const isAtPipe = end === to;
  const isNew = start === end && to > from;
  return isAtPipe && ((isNew && text !== '') || /(?<!\\)(?:\\\\)*\\$/.test(text)) ? ' ' : '';
}

/** Pipes around a row that would not be a row without them, if a cell gets a text. */
export function missingPipes(row: Row, column: number, text: string): readonly Change[] {
  const changes: Change[] = [];
  const [first, last] = [row.cells[0]!, row.cells.at(-1)!];
  if (!row.opens && column === 0 && !/^\p{L}/u.test(text)) {
    changes.push({ from: first.from, to: first.from, insert: '| ' });
  }
  if (!row.closes && column === row.cells.length - 1 && text.trim() === '') {
    changes.push({ from: last.to, to: last.to, insert: ' |' });
  }
  return changes;
}

export function setCell(table: Table, place: Place, markdown: string): readonly Change[] {
  const row = table.rows[place.row];
  const cell = cellAt(table, place);
  if (row === undefined || cell === undefined) return [];
  const text = cellText(markdown);
  const change = { from: cell.start, to: cell.end, insert: text + spaceAfter(cell, text) };
  return inOrder([...missingPipes(row, place.column, text), change]);
}

/** Inserts an empty row before `at`, which is not the header. It is as wide as the others. */
export function insertRow({ text, rows, divider }: Table, at: number): readonly Change[] {
  const above = at === 1 ? divider : rows[at - 1];
  if (at < 1 || above === undefined) return [];
  const cells = divider.cells.map(({ from, to }, column) => {
    const isEven = rows.every(({ cells }) => cells[column]!.to - cells[column]!.from === to - from);
    return ' '.repeat(isEven && divider.opens ? Math.max(to - from, 2) : 2);
  });
  const indent = /^ */.exec(text.slice(above.from, above.to))![0];
  const end = text.slice(above.from, above.to).endsWith('\r') ? '\r' : '';
  return [{ from: above.to, to: above.to, insert: `\n${indent}|${cells.join('|')}|${end}` }];
}

/** Removes a row that is not the header. */
export function removeRow({ rows, divider }: Table, at: number): readonly Change[] {
  const row = rows[at];
  const above = at === 1 ? divider : rows[at - 1];
  return at < 1 || row === undefined || above === undefined
    ? []
    : [{ from: above.to, to: row.to, insert: '' }];
}

/** Lets a row and the next one change places. The first row can become the header. */
export function swapRows({ text, rows }: Table, at: number): readonly Change[] {
  const [row, next] = [rows[at], rows[at + 1]];
  if (row === undefined || next === undefined) return [];
  return [
    { from: row.from, to: row.to, insert: text.slice(next.from, next.to) },
    { from: next.from, to: next.to, insert: text.slice(row.from, row.to) },
  ];
}

/** Inserts an empty column before `at`. */
export function insertColumn(table: Table, at: number): readonly Change[] {
  const { divider, sides } = table;
  if (at < 0 || at > sides.length) return [];
  return inEachRow(table, (row) => {
    const near = row.cells[Math.min(at, row.cells.length - 1)]!;
    const isCompact = near.start === near.from && near.end > near.start && row.opens;
    const content = row === divider ? (isCompact ? '---' : ' --- ') : '  ';
    if (at < row.cells.length) return [{ from: near.from, to: near.from, insert: `${content}|` }];
    const end = near.to + Number(row.closes);
    return [{ from: end, to: end, insert: `${content}|` }];
  });
}

/** Removes a column of several. */
export function removeColumn(table: Table, at: number): readonly Change[] {
  if (table.sides.length < 2 || table.sides[at] === undefined) return [];
  return inEachRow(table, ({ cells, closes }) => {
    const { from, to } = cells[at]!;
    const isLast = at === cells.length - 1 && !closes;
    return [{ from: isLast ? from - 1 : from, to: isLast ? to : to + 1, insert: '' }];
  });
}

/** Lets a column and the next one change places. */
export function swapColumns(table: Table, at: number): readonly Change[] {
  if (at < 0 || at + 1 >= table.sides.length) return [];
  const { text } = table;
  return inEachRow(table, ({ cells, closes }) => {
    const [cell, next] = [cells[at]!, cells[at + 1]!];
    const space = next === cells.at(-1) && !closes ? ' ' : '';
    return [
      { from: cell.from, to: cell.to, insert: text.slice(next.from, next.to) + space },
      { from: next.from, to: next.to, insert: text.slice(cell.from, cell.to) },
    ];
  });
}

export function setSide({ text, divider }: Table, column: number, side: Side): readonly Change[] {
  const cell = divider.cells[column];
  if (cell === undefined) return [];
  const width = Math.max(cell.end - cell.start, 3);
  const [start, end] = [side === 'left' || side === 'center', side === 'right' || side === 'center'];
  const dashes = '-'.repeat(width - Number(start) - Number(end));
  const insert = `${start ? ':' : ''}${dashes}${end ? ':' : ''}`;
  return insert === text.slice(cell.start, cell.end) ? [] : [{ from: cell.start, to: cell.end, insert }];
}

/** The text of a new table. */
export function newTable(header: readonly string[], bodyRows: number): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const empty = `|${'  |'.repeat(header.length)}`;
  return [
    line(header.map(cellText)),
    line(header.map(() => '---')),
    ...Array<string>(bodyRows).fill(empty),
  ].join('\n');
}

export function applyChanges(text: string, changes: readonly Change[]): string {
  return changes.reduceRight(
    (before, { from, to, insert }) => before.slice(0, from) + insert + before.slice(to),
    text,
  );
}

/** Changes each line. Lines without pipes at their ends get them. */
function inEachRow({ rows, divider }: Table, changesOf: (row: Row) => readonly Change[]): readonly Change[] {
  const [header, ...body] = rows;
  return [header!, divider, ...body].flatMap((row) => {
    const [first, last] = [row.cells[0]!, row.cells.at(-1)!];
    const opening = row.opens ? [] : [{ from: first.from, to: first.from, insert: '| ' }];
    const closing = row.closes ? [] : [{ from: last.to, to: last.to, insert: ' |' }];
    const changes = changesOf(row);
    const isInside = ({ from }: Change): boolean => from < last.to;
    return [
      ...opening,
      ...changes.filter(isInside),
      ...closing,
      ...changes.filter((change) => !isInside(change)),
    ];
  });
}

function readRow(text: string, from: number, to: number): Row {
  const line = trimmed(text, from, to);
  const pipes = pipesToEscape(text.slice(line.from, line.to)).map((at) => line.from + at);
  const opens = pipes[0] === line.from;
  const closes = pipes.length > Number(opens) && pipes.at(-1) === line.to - 1;
  const inner = pipes.slice(Number(opens), closes ? -1 : undefined);
  const starts = [line.from + Number(opens), ...inner.map((at) => at + 1)];
  const lineEnd = text[to - 1] === '\r' ? to - 1 : to;
  const ends = [...inner, closes ? line.to - 1 : Math.max(lineEnd, line.to)];
  return { from, to, opens, closes, cells: starts.map((start, at) => readCell(text, start, ends[at]!)) };
}

function readCell(text: string, from: number, to: number): Cell {
  const content = trimmed(text, from, to);
  const isEmpty = content.from === content.to;
  const start = isEmpty ? Math.min(from + 1, to) : content.from;
  return { from, to, start, end: isEmpty ? start : content.to };
}

/** The range without spaces at its ends. */
function trimmed(text: string, from: number, to: number): { readonly from: number; readonly to: number } {
  const isSpace = (at: number): boolean => ' \t\r'.includes(text.charAt(at));
  let [start, end] = [from, to];
  while (start < end && isSpace(start)) start++;
  while (end > start && isSpace(end - 1)) end--;
  return { from: start, to: end };
}

function sideOf(dashes: string): Side {
  const [start, end] = [dashes.startsWith(':'), dashes.endsWith(':')];
  return start && end ? 'center' : start ? 'left' : end ? 'right' : 'none';
}

function inOrder(changes: readonly Change[]): readonly Change[] {
  return changes.toSorted((a, b) => a.from - b.from || a.to - b.to);
}

import stringWidth from 'fast-string-width';
import type { Position } from '../../source/diagnostic.ts';
import { printable } from '../../util/printable.ts';

/** Lines shown before and after the one at fault. */
const LINES_AROUND = 1;
/** Cells of a terminal that a line may take; of a longer one the part around the place is shown. */
const MAX_CELLS = 100;
/** Of these, cells kept before the place. */
const CELLS_BEFORE = 60;
const TAB_STOP = 4;

/** A line of a frame: `mark` points at the place in the line above it. */
export interface FrameLine {
  readonly kind: 'around' | 'fault' | 'mark';
  /** `3`, right-aligned; blank beside a mark. */
  readonly gutter: string;
  readonly text: string;
}

/**
 * The lines of a text around a place, and a mark below it. Tabs are shown as spaces and wide characters counted as
 * terminals draw them. Undefined where the text has no such line. Columns count UTF-16 units.
 */
export function codeFrame(text: string, { line, column }: Position): readonly FrameLine[] | undefined {
  const first = Math.max(1, line - LINES_AROUND);
  const lines = linesFrom(text, first, line + LINES_AROUND);
  // A file that ends with a line break has no line after it, unless that is where the fault lies.
  if (lines.length > line - first + 1 && lines.at(-1) === '') lines.pop();
  const fault = lines[line - first];
  if (fault === undefined) return undefined;
  const width = String(first + lines.length - 1).length;
  const before = drawn(fault.slice(0, column - 1));
  const whole = before + drawn(fault.slice(column - 1), cells(before));
  const cut = Math.max(0, cells(before) - CELLS_BEFORE);
  const start = cells(whole) > MAX_CELLS ? cut : 0;
  return lines.flatMap((content, index) => {
    const number = first + index;
    const gutter = String(number).padStart(width);
    const shown = number === line ? whole : drawn(content);
    const row: FrameLine = { kind: number === line ? 'fault' : 'around', gutter, text: part(shown, start) };
    if (number !== line) return [row];
    const indent = cells(part(before, start, Number.POSITIVE_INFINITY));
    return [row, { kind: 'mark', gutter: ' '.repeat(width), text: `${' '.repeat(indent)}^` }];
  });
}

/** Lines by number, from 1; both ends included. Looks no further than the last. */
function linesFrom(text: string, first: number, last: number): string[] {
  const lines: string[] = [];
  let start = text.startsWith('\ufeff') ? 1 : 0;
  for (let number = 1; number <= last && start <= text.length; number++) {
    const end = text.indexOf('\n', start);
    const line = text.slice(start, end === -1 ? text.length : end);
    if (number >= first) lines.push(line.endsWith('\r') ? line.slice(0, -1) : line);
    if (end === -1) break;
    start = end + 1;
  }
  return lines;
}

/** As it can be shown: tabs as spaces up to the next stop, controls escaped. `from` are the cells before it. */
function drawn(text: string, from = 0): string {
  let out = '';
  for (const [index, piece] of text.split('\t').entries()) {
    if (index > 0) out += ' '.repeat(TAB_STOP - ((from + cells(out)) % TAB_STOP));
    out += printable(piece);
  }
  return out;
}

/** What lies from a cell on, with an ellipsis where something is left out. */
function part(text: string, start: number, most = MAX_CELLS): string {
  if (start === 0 && cells(text) <= most) return text;
  let out = start === 0 ? '' : '…';
  let at = 0;
  for (const { segment } of graphemes.segment(text)) {
    const width = cells(segment);
    if (at >= start) {
      if (cells(out) + width > most) return `${out}…`;
      out += segment;
    }
    at += width;
  }
  return out;
}

const graphemes = new Intl.Segmenter();

function cells(text: string): number {
  return stringWidth(text);
}

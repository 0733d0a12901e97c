import stringWidth from 'fast-string-width';
import {
  compareDiagnostics,
  countDiagnostics,
  type Diagnostic,
  formatDiagnostic,
  type Paint,
  type Position,
} from '../../source/diagnostic.ts';
import { printable } from '../../util/text.ts';

/** Problems that are printed with the lines around them; the others get one line each. */
export const MAX_FRAMES = 50;

export interface ReportOptions {
  /** The content folder as its author calls it, the start of every path. */
  readonly root: string;
  readonly paint: Paint;
  /** Reads the file of a key, for frames only; undefined if it cannot be read. */
  readText(key: string): Promise<string | undefined>;
}

/**
 * Diagnostics grouped by file, each as `content/article/a.md:4:13 message (hint)` with the lines around it; then their
 * number. Empty for an empty list.
 */
export async function reportDiagnostics(
  list: readonly Diagnostic[],
  { root, paint, readText }: ReportOptions,
): Promise<string> {
  if (list.length === 0) return '';
  const groups = Map.groupBy(list.toSorted(compareDiagnostics), ({ key }) => key);
  const blocks: string[] = [];
  let frames = 0;
  for (const [key, group] of groups) {
    const lines: string[] = [];
    let text: Promise<string | undefined> | undefined;
    for (const diagnostic of group) {
      lines.push(formatDiagnostic(diagnostic, root, paint));
      if (!hasFrame(diagnostic) || frames === MAX_FRAMES) continue;
      text ??= readText(key).catch(() => undefined);
      const source = await text;
      const frame = source === undefined ? undefined : codeFrame(source, diagnostic);
      if (frame === undefined) continue;
      frames += 1;
      lines.push(...frame.map((line) => paintLine(line, diagnostic.severity, paint)));
    }
    blocks.push(lines.join('\n'));
  }
  const files = [...groups.keys()].filter((key) => key !== '' && !key.endsWith('/')).length;
  const inFiles = files > 1 ? ` in ${files} files` : '';
  return `${blocks.reduce(joinBlocks)}\n\n${paint('strong', countDiagnostics(list))}${inFiles}.`;
}

/** Puts a blank line between blocks, unless both are without a frame. */
function joinBlocks(before: string, block: string): string {
  const isClose = !block.includes('\n') && !before.slice(before.lastIndexOf('\n') + 1).startsWith(' ');
  return `${before}${isClose ? '\n' : '\n\n'}${block}`;
}

/** The start of a file stands for the whole file, so a frame would add nothing. */
function hasFrame({ key, line, column }: Diagnostic): boolean {
  return key !== '' && !key.endsWith('/') && (line > 1 || column > 1);
}

function paintLine(
  { kind, gutter, text }: FrameLine,
  severity: Diagnostic['severity'],
  paint: Paint,
): string {
  const style = { around: 'quiet', fault: undefined, mark: severity } as const;
  const edge = paint('quiet', `  ${gutter} │`);
  const painted = style[kind] === undefined ? text : paint(style[kind], text);
  return text === '' ? edge : `${edge} ${painted}`;
}

/** A line of a frame; `mark` points at the position in the line above it. */
export interface FrameLine {
  readonly kind: 'around' | 'fault' | 'mark';
  /** The line number, right-aligned; blank beside a mark. */
  readonly gutter: string;
  readonly text: string;
}

/** Lines before and after the faulty one. */
const LINES_AROUND = 1;
/** Terminal cells of a line; longer lines are cut around the position. */
const MAX_CELLS = 100;
/** Cells before the position in a cut line. */
const CELLS_BEFORE = 60;
const TAB_STOP = 4;

/**
 * The lines around a position, with a mark below it. Tabs become spaces, and wide characters count as terminals draw
 * them. Undefined if the text has no such line.
 */
export function codeFrame(text: string, { line, column }: Position): readonly FrameLine[] | undefined {
  const first = Math.max(1, line - LINES_AROUND);
  const lines = linesBetween(text, first, line + LINES_AROUND);
  // The line break at the end of a file starts no line, unless the fault is there.
  if (lines.length > line - first + 1 && lines.at(-1) === '') lines.pop();
  const fault = lines[line - first];
  if (fault === undefined) return undefined;
  const width = String(first + lines.length - 1).length;
  const before = printableLine(fault.slice(0, column - 1));
  const whole = before + printableLine(fault.slice(column - 1), stringWidth(before));
  const start = stringWidth(whole) > MAX_CELLS ? Math.max(0, stringWidth(before) - CELLS_BEFORE) : 0;
  return lines.flatMap((content, index): readonly FrameLine[] => {
    const isFault = first + index === line;
    const gutter = String(first + index).padStart(width);
    const row = truncate(isFault ? whole : printableLine(content), start);
    if (!isFault) return [{ kind: 'around', gutter, text: row }];
    const indent = ' '.repeat(stringWidth(truncate(before, start, Number.POSITIVE_INFINITY)));
    return [
      { kind: 'fault', gutter, text: row },
      { kind: 'mark', gutter: ' '.repeat(width), text: `${indent}^` },
    ];
  });
}

/** Lines from `first` to `last`, which count from 1. */
function linesBetween(text: string, first: number, last: number): string[] {
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

/** Replaces tabs with spaces and escapes control characters. `from`: cells before the text. */
function printableLine(text: string, from = 0): string {
  let out = '';
  for (const [index, piece] of text.split('\t').entries()) {
    if (index > 0) out += ' '.repeat(TAB_STOP - ((from + stringWidth(out)) % TAB_STOP));
    out += printable(piece);
  }
  return out;
}

/** The text from a cell on, with ellipses at its cut ends. */
function truncate(text: string, start: number, maxCells = MAX_CELLS): string {
  if (start === 0 && stringWidth(text) <= maxCells) return text;
  let out = start === 0 ? '' : '…';
  let at = 0;
  for (const { segment } of graphemes.segment(text)) {
    const width = stringWidth(segment);
    if (at >= start) {
      if (stringWidth(out) + width > maxCells) return `${out}…`;
      out += segment;
    }
    at += width;
  }
  return out;
}

const graphemes = new Intl.Segmenter();

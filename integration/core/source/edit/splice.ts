import type { DataLanguage } from '../data.ts';
import type { Layout } from './layout.ts';

/** A text to edit. Ends in a line break, unless it is empty. */
export interface EditedText {
  readonly text: string;
  readonly language: DataLanguage;
  readonly layout: Layout;
}

/** Replaces a part of a text, or inserts if the part is empty. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Thrown for source text that cannot be edited in place. */
export class NotEditableError extends Error {
  override readonly name = 'NotEditableError';
}

/** Applies splices; those at the same offset in the given order. Throws `NotEditableError` if they overlap. */
export function applySplices(text: string, splices: readonly Splice[]): string {
  const isInsertion = ({ start, end }: Splice) => start === end;
  const sorted = splices.toSorted(
    (a, b) => a.start - b.start || Number(isInsertion(b)) - Number(isInsertion(a)),
  );
  let result = '';
  let at = 0;
  for (const { start, end, text: replacement } of sorted) {
    if (start < at) throw new NotEditableError('Two edits overlap.');
    result += text.slice(at, start) + replacement;
    at = end;
  }
  return result + text.slice(at);
}

export function lineStart(text: string, offset: number): number {
  // A negative position means 0, not a search from the end.
  return offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
}

/** The end of an offset's line, before its line break. */
export function lineEnd(text: string, offset: number): number {
  const newline = text.indexOf('\n', offset);
  const end = newline === -1 ? text.length : newline;
  return end > offset && text[end - 1] === '\r' ? end - 1 : end;
}

/** The start of the next line, or the end of the text. */
export function nextLine(text: string, offset: number): number {
  const newline = text.indexOf('\n', offset);
  return newline === -1 ? text.length : newline + 1;
}

export function columnOf(text: string, offset: number): number {
  return offset - lineStart(text, offset);
}

/** True if only spaces precede an offset in its line. */
export function startsLine(text: string, offset: number): boolean {
  return text.slice(lineStart(text, offset), offset).trim() === '';
}

export function indentAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, offset), offset))?.[0] ?? '';
}

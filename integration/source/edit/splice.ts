/** A part of a text to be replaced; empty where something is put in. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Thrown where a text is written in a way that cannot be edited in place. */
export class NotEditableError extends Error {
  override readonly name = 'NotEditableError';
}

/** Applies splices, those of one place in the order given. Throws `NotEditableError` where they overlap. */
export function applySplices(text: string, splices: readonly Splice[]): string {
  const sorted = splices.toSorted((a, b) => a.start - b.start || Number(isEmpty(b)) - Number(isEmpty(a)));
  let result = '';
  let at = 0;
  for (const { start, end, text: inserted } of sorted) {
    if (start < at) throw new NotEditableError('Two edits touch the same text.');
    result += text.slice(at, start) + inserted;
    at = end;
  }
  return result + text.slice(at);
}

function isEmpty({ start, end }: Splice): boolean {
  return start === end;
}

/** Where the line of an offset starts. */
export function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}

/** Where the line of an offset ends, before its line break. */
export function lineEnd(text: string, offset: number): number {
  const found = text.indexOf('\n', offset);
  const end = found === -1 ? text.length : found;
  return end > offset && text[end - 1] === '\r' ? end - 1 : end;
}

/** Where the line after that of an offset starts; the text's length where there is none. */
export function nextLine(text: string, offset: number): number {
  const found = text.indexOf('\n', offset);
  return found === -1 ? text.length : found + 1;
}

export function columnOf(text: string, offset: number): number {
  return offset - lineStart(text, offset);
}

export function startsLine(text: string, offset: number): boolean {
  return text.slice(lineStart(text, offset), offset).trim() === '';
}

export function indentAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, offset), offset))?.[0] ?? '';
}

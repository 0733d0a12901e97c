import { diffArrays } from 'diff/lib/diff/array.js';

export interface TextChange {
  /** Offsets in the text before, in UTF-16 code units. */
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

/** Beyond this number of different lines, everything between the first and the last difference is replaced. */
const MAX_LINES = 500;

/** What turns one text into another: for each stretch of changed lines, the part that differs. */
export function textChanges(before: string, after: string): readonly TextChange[] {
  const parts = diffArrays(linesOf(before), linesOf(after), { maxEditLength: MAX_LINES });
  if (parts === undefined) return changeOf(before, 0, before.length, after);
  const changes: TextChange[] = [];
  let [from, to, insert] = [0, 0, ''];
  for (const { added, removed, value } of parts) {
    const lines = value.join('');
    if (added) insert += lines;
    else if (removed) to += lines.length;
    else {
      changes.push(...changeOf(before, from, to, insert));
      to += lines.length;
      [from, insert] = [to, ''];
    }
  }
  return [...changes, ...changeOf(before, from, to, insert)];
}

/** The change without equal text at its start and end; empty if nothing differs. */
function changeOf(text: string, from: number, to: number, insert: string): readonly TextChange[] {
  let [start, end, length] = [from, to, insert.length];
  while (start < end && start - from < length && text[start] === insert[start - from]) start++;
  const offset = start - from;
  while (end > start && length > offset && text[end - 1] === insert[length - 1]) {
    end--;
    length--;
  }
  return start === end && offset === length
    ? []
    : [{ from: start, to: end, insert: insert.slice(offset, length) }];
}

/** Lines with their breaks. */
function linesOf(text: string): string[] {
  return text.split(/(?<=\n)/);
}

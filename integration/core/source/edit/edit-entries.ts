import type { CST } from 'yaml';
import type { Step } from './align.ts';
import type { Raw } from './raw.ts';
import { type Collection, type Entry, entryEnd, gapAfterDash, styleOf } from './source-tree.ts';
import {
  columnOf,
  type EditedText,
  indentAt,
  lineEnd,
  lineStart,
  NotEditableError,
  nextLine,
  type Splice,
  startsLine,
} from './splice.ts';
import { type NewEntry, writeEntry, writeInline, writeNode } from './write-yaml.ts';

/** True for steps that keep an old entry. */
export function keeps(step: Step): step is Extract<Step, { kind: 'keep' | 'edit' }> {
  return step.kind === 'keep' || step.kind === 'edit';
}

/**
 * Removes and adds entries of a block map or list. A removed item takes its line and the comments directly above with it,
 * an added item that moves from an old index takes them along. Comments above a removed key stay. Comments above the first
 * entry count from the offset `floor`.
 */
export function editBlock(
  source: EditedText,
  { entries }: Collection,
  steps: readonly Step[],
  becomes: readonly NewEntry[],
  movedFrom: (entry: NewEntry) => number | undefined,
  floor: number,
): readonly Splice[] {
  const { text, layout } = source;
  const [first] = entries;
  if (first === undefined) throw new NotEditableError('The collection has no entries.');
  const column = columnOf(text, first.start);
  const firstLines = linesOf(0);
  const splices: Splice[] = [];
  let last = -1;
  for (const [at, step] of steps.entries()) {
    if (step.kind === 'insert') {
      splices.push(insertion(last, addedText(becomes[step.after]!)));
    } else {
      last = step.before;
      if (step.kind === 'remove') splices.push(removedLines(last) ?? removeAfterDash(last, steps[at + 1]));
    }
  }
  return splices;

  /** The lines of an entry and of its comments; undefined if it shares its first line with a dash. */
  function linesOf(index: number): Splice | undefined {
    const entry = entries[index];
    if (entry === undefined || !startsLine(text, entry.start)) return undefined;
    const previous = entries[index - 1];
    const start = commentStart(text, entry, previous === undefined ? floor : entryEnd(text, previous));
    return { start, end: entryEnd(text, entry), text: '' };
  }

  function removedLines(index: number): Splice | undefined {
    const lines = linesOf(index);
    const { key, start } = entries[index]!;
    return lines && key !== undefined ? { ...lines, start: lineStart(text, start) } : lines;
  }

  function addedText(entry: NewEntry): string {
    const moved = linesOf(movedFrom(entry) ?? -1);
    if (moved !== undefined) return text.slice(moved.start, moved.end);
    const lines = writeEntry(entry, column, source, gapAfterDash(text, first));
    return lines.map((line) => line + layout.newline).join('');
  }

  function insertion(after: number, added: string): Splice {
    const previous = entries[after];
    const start = previous === undefined ? (firstLines?.start ?? first!.start) : entryEnd(text, previous);
    const isAfterDash = previous === undefined && firstLines === undefined;
    return { start, end: start, text: isAfterDash ? added.slice(column) + ' '.repeat(column) : added };
  }

  /** Moves the next entry up to the dash of a removed first one. */
  function removeAfterDash(index: number, next: Step | undefined): Splice {
    const heir = next !== undefined && keeps(next) ? entries[next.before] : undefined;
    if (heir === undefined) throw new NotEditableError('No entry can follow the dash.');
    return { start: entries[index]!.start, end: heir.start, text: '' };
  }
}

/** The start of the comments directly above an entry. A comment at the top of a file is about the whole file. */
export function commentStart(text: string, { start: offset }: Pick<Entry, 'start'>, floor: number): number {
  const own = lineStart(text, offset);
  const comment = `${text.slice(own, offset)}#`;
  let start = own;
  while (start > floor) {
    const line = lineStart(text, start - 1);
    if (line < floor || !text.startsWith(comment, line)) break;
    start = line;
  }
  return start === 0 ? own : start;
}

/** The part of an entry that has to be known to edit a map in `{}` or a list in `[]`. */
export type FlowEntry = Pick<Entry, 'start' | 'end' | 'comma'>;
export type FlowCollection = Pick<Collection, 'end' | 'trailingComma'> & {
  readonly entries: readonly FlowEntry[];
};

/**
 * Removes and adds entries of a map in `{}` or a list in `[]`. At least one old entry must stay. `write` gets the
 * indentation of the line, null if all entries are on one line.
 */
export function editFlow(
  { text, layout }: EditedText,
  { entries, end, trailingComma }: FlowCollection,
  steps: readonly Step[],
  becomes: readonly NewEntry[],
  write: (entry: NewEntry, indent: string | null) => string,
): readonly Splice[] {
  const splices: Splice[] = [];
  const keptSteps = steps.filter(keeps);
  const last = entries[keptSteps.at(-1)?.before ?? -1];
  const lastEntry = entries.at(-1);
  if (last === undefined || lastEntry === undefined) throw new NotEditableError('No entry stays.');
  const hasLines =
    entries.every(({ start }) => startsLine(text, start)) && lineEnd(text, lastEntry.end) < end;
  const indent = hasLines ? indentAt(text, lastEntry.start) : '';
  const glue = hasLines ? `,${layout.newline}${indent}` : glueBefore(text, entries[1]);
  const appended: string[] = [];
  let passed = 0;
  for (const step of steps) {
    if (keeps(step)) passed += 1;
    const next = entries[keptSteps[passed]?.before ?? -1];
    if (step.kind === 'insert') {
      const added = write(becomes[step.after]!, hasLines ? indent : null);
      if (next === undefined) appended.push(added);
      else splices.push({ start: next.start, end: next.start, text: added + glue });
    } else if (step.kind === 'remove' && next !== undefined) {
      const following = entries[step.before + 1] ?? next;
      splices.push({ start: entries[step.before]!.start, end: following.start, text: '' });
    }
  }
  const isCut = last !== lastEntry;
  if (!hasLines) {
    const added = appended.map((each) => glue + each).join('');
    return [...splices, { start: last.end, end: isCut ? lastEntry.end : last.end, text: added }];
  }
  const comma = entries[entries.indexOf(last) + 1]?.comma ?? trailingComma;
  if (appended.length > 0 && comma === undefined) splices.push({ start: last.end, end: last.end, text: ',' });
  if (appended.length === 0 && isCut && comma !== undefined && trailingComma === undefined) {
    splices.push({ start: comma, end: comma + 1, text: '' });
  }
  const start = lineEnd(text, last.end);
  const added = appended.map((each) => `${layout.newline}${indent}${each}`).join(',');
  return [
    ...splices,
    {
      start,
      end: isCut ? lineEnd(text, trailingComma ?? lastEntry.end) : start,
      text: added !== '' && trailingComma !== undefined ? `${added},` : added,
    },
  ];
}

/** The comma and spaces before the second entry. */
function glueBefore(text: string, second: FlowEntry | undefined): string {
  const glue = second?.comma === undefined ? '' : text.slice(second.comma, second.start);
  return /^,[ \t]*$/.test(glue) ? glue : ', ';
}

/** Replaces the value of an entry, in its present style if that can hold the new value. Comments beside it stay. */
export function replaceValue(source: EditedText, entry: Entry, raw: Raw, flow: boolean): readonly Splice[] {
  const { value, marks, signEnd } = entry;
  const start = marks[0]?.start ?? value?.offset ?? signEnd;
  if (start === undefined) throw new NotEditableError('A key has no colon.');
  if (!flow) return replaceInBlock(source, entry, start, raw);
  const { text, layout } = source;
  const indent = layout.jsonIndent === null ? null : indentAt(text, entry.start);
  const written = writeInline(raw, indent, source, styleOf(value));
  const isNew = value === undefined && marks.length === 0;
  return [{ start, end: entry.end, text: isNew ? ` ${written}` : written }];
}

/** Two edits: after the key or dash, and in the lines below. */
function replaceInBlock(source: EditedText, entry: Entry, start: number, raw: Raw): readonly Splice[] {
  const { text, layout } = source;
  const { value, marks, signEnd } = entry;
  if (signEnd === undefined) throw new NotEditableError('A key has no colon.');
  const column = columnOf(text, entry.start);
  const inner = entry.key === undefined ? column + 1 + gapAfterDash(text, entry).length : undefined;
  const flow = value?.type === 'flow-collection' ? true : value?.type === 'block-seq' ? false : undefined;
  const before = styleOf(value);
  const entryStop = entryEnd(text, entry);
  const hasComments = entryStop > nextLine(text, entry.end);
  const isScalar = before !== undefined || value === undefined;
  const { inline, lines } =
    hasComments && isScalar
      ? { inline: writeInline(raw, null, source, before), lines: [] }
      : writeNode(raw, { column, inner, before, flow }, source);
  const isBeside = value === undefined || !text.slice(signEnd, value.offset).includes('\n');
  // An empty inline part leaves no spaces after the key.
  const from = inline === '' || !isBeside ? signEnd : start;
  const lastMark = marks.at(-1);
  const to = isBeside
    ? value?.type === 'block-scalar'
      ? headerEnd(value)
      : entry.end
    : lastMark === undefined
      ? signEnd
      : lastMark.start + lastMark.source.length;
  if (!isBeside && text.slice(from, to).includes('\n')) {
    throw new NotEditableError('An anchor or a tag is on a line of its own.');
  }
  const bottom = lineEnd(text, to);
  // Indented comments below a collection are about its entries, so they go with it.
  const end = hasComments && !isScalar ? lineEnd(text, lineStart(text, entryStop - 1)) : entry.end;
  return [
    { start: from, end: to, text: inline !== '' && from === signEnd ? ` ${inline}` : inline },
    {
      start: bottom,
      end: Math.max(bottom, end),
      text: lines.map((line) => layout.newline + line).join(''),
    },
  ];
}

function headerEnd({ offset, props }: CST.BlockScalar): number {
  const header = props.find(({ type }) => type === 'block-scalar-header');
  return offset + (header !== undefined && 'source' in header ? header.source.length : 1);
}

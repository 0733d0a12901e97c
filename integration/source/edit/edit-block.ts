import type { Step } from './align.ts';
import type { EditedText, EntryWriter } from './edited-text.ts';
import { type Collection, type Entry, behindEntry } from './source-tree.ts';
import { type Splice, columnOf, lineStart, NotEditableError, startsLine } from './splice.ts';

/**
 * Removes and adds entries of a map or a list that has a line for each. A removed one takes its line with it and the
 * comments directly above; one that only moves takes them along. `floor` is where the first line starts in which
 * comments of the first entry may stand.
 */
export function editBlock(
  { text, layout }: EditedText,
  { entries }: Collection,
  steps: readonly Step[],
  write: EntryWriter,
  floor: number,
): readonly Splice[] {
  const splices: Splice[] = [];
  const first = entries[0];
  if (first === undefined) throw new NotEditableError('Nothing stands there.');
  const column = columnOf(text, first.start);
  const floorOf = (index: number) => {
    const previous = entries[index - 1];
    return previous === undefined ? floor : behindEntry(text, previous);
  };
  const linesOf = (index: number) => {
    const entry = entries[index];
    return entry === undefined ? undefined : ownLines(text, entry, floorOf(index));
  };
  let last = -1;
  for (const [at, step] of steps.entries()) {
    if (step.kind === 'insert') {
      const moved = linesOf(write.again(step.after) ?? -1);
      const added =
        moved === undefined
          ? write
              .lines(step.after, column)
              .map((line) => line + layout.newline)
              .join('')
          : text.slice(moved.start, moved.end);
      splices.push(insertion(last, added));
      continue;
    }
    last = step.before;
    if (step.kind === 'remove') splices.push(linesOf(last) ?? behindDash(last, steps[at + 1]));
  }
  return splices;

  function insertion(after: number, added: string): Splice {
    const previous = entries[after];
    const start = previous === undefined ? (linesOf(0)?.start ?? first!.start) : behindEntry(text, previous);
    const behind = previous === undefined && linesOf(0) === undefined;
    return { start, end: start, text: behind ? added.slice(column) + ' '.repeat(column) : added };
  }

  /** The first pair of a map in a list, which shares its line with a dash: the next takes its place. */
  function behindDash(index: number, next: Step | undefined): Splice {
    const heir = next?.kind === 'keep' || next?.kind === 'edit' ? entries[next.before] : undefined;
    if (heir === undefined)
      throw new NotEditableError('What stands behind a dash is removed with what follows.');
    return { start: entries[index]!.start, end: heir.start, text: '' };
  }
}

/** The lines that an entry has to itself, to be removed; undefined where it shares its first. */
function ownLines(text: string, entry: Entry, floor: number): Splice | undefined {
  return startsLine(text, entry.start)
    ? { start: withComments(text, entry, floor), end: behindEntry(text, entry), text: '' }
    : undefined;
}

/** Where the comments start that stand directly above an entry. Those at the head of a file are about all of it. */
function withComments(text: string, { start: offset }: Entry, floor: number): number {
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

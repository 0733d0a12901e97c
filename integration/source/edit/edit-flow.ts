import type { Step } from './align.ts';
import type { EditedText, EntryWriter } from './edited-text.ts';
import type { Collection, Entry } from './source-tree.ts';
import { type Splice, indentAt, lineEnd, NotEditableError, startsLine } from './splice.ts';

/** Removes and adds entries of a map or a list in `{}` or `[]`, of which at least one stays. */
export function editFlow(
  { text, layout }: EditedText,
  { entries, end, trailingComma }: Collection,
  steps: readonly Step[],
  write: EntryWriter,
): readonly Splice[] {
  const splices: Splice[] = [];
  const kept = steps.filter(stays);
  const last = entries[kept.at(-1)?.before ?? -1];
  const lastEntry = entries.at(-1);
  if (last === undefined || lastEntry === undefined) throw new NotEditableError('Nothing of a list stays.');
  // One entry a line, and the closing bracket below.
  const lined = entries.every(({ start }) => startsLine(text, start)) && lineEnd(text, lastEntry.end) < end;
  const indent = lined ? indentAt(text, lastEntry.start) : '';
  const glue = lined ? `,${layout.newline}${indent}` : glueOf(text, entries[1]);
  const tail: string[] = [];
  let coming = 0;
  for (const step of steps) {
    if (stays(step)) coming += 1;
    // The next that stays.
    const next = entries[kept[coming]?.before ?? -1];
    if (step.kind === 'insert') {
      const added = write.flow(step.after, lined ? indent : null);
      if (next === undefined) tail.push(added);
      else splices.push({ start: next.start, end: next.start, text: added + glue });
    } else if (step.kind === 'remove' && next !== undefined) {
      const following = entries[step.before + 1];
      splices.push({ start: entries[step.before]!.start, end: following?.start ?? next.start, text: '' });
    }
  }
  const cut = last !== lastEntry;
  if (!lined) {
    const added = tail.map((each) => glue + each).join('');
    return [...splices, { start: last.end, end: cut ? lastEntry.end : last.end, text: added }];
  }
  const lineEnds = lineEnd(text, last.end);
  const comma = entries[entries.indexOf(last) + 1]?.comma ?? trailingComma;
  const added = tail.map((each) => `${layout.newline}${indent}${each}`).join(',');
  if (tail.length > 0 && comma === undefined) splices.push({ start: last.end, end: last.end, text: ',' });
  if (tail.length === 0 && cut && comma !== undefined && trailingComma === undefined) {
    splices.push({ start: comma, end: comma + 1, text: '' });
  }
  return [
    ...splices,
    {
      start: lineEnds,
      end: cut ? lineEnd(text, trailingComma ?? lastEntry.end) : lineEnds,
      text: added !== '' && trailingComma !== undefined ? `${added},` : added,
    },
  ];
}

/** What stands between two entries of one line. */
function glueOf(text: string, second: Entry | undefined): string {
  const written = second?.comma === undefined ? '' : text.slice(second.comma, second.start);
  return /^,[ \t]*$/.test(written) ? written : ', ';
}

function stays(step: Step): step is Extract<Step, { kind: 'keep' | 'edit' }> {
  return step.kind === 'keep' || step.kind === 'edit';
}

import type { CST } from 'yaml';
import type { EditedText } from './edited-text.ts';
import type { Raw } from './raw.ts';
import { type Entry, behindEntry, gapBehindDash, styleOf } from './source-tree.ts';
import { type Splice, columnOf, indentAt, lineEnd, lineStart, NotEditableError, nextLine } from './splice.ts';
import { writeFlow, writeJson, writeNode } from './write-node.ts';

/** Writes the value of an entry anew, in the style of the old where that can hold it. Comments beside it stay. */
export function replaceValue(source: EditedText, entry: Entry, raw: Raw, flow: boolean): readonly Splice[] {
  const { value, marks, behindSign } = entry;
  const start = marks[0]?.start ?? value?.offset ?? behindSign;
  if (start === undefined) throw new NotEditableError('A key stands without a colon.');
  if (!flow) return replaceInBlock(source, entry, start, raw);
  const { text, language, layout } = source;
  const indent = layout.jsonIndent === null ? null : indentAt(text, entry.start);
  const written =
    language === 'json' ? writeJson(raw, indent, layout) : writeFlow(raw, layout, styleOf(value));
  const isNew = value === undefined && marks.length === 0;
  return [{ start, end: entry.end, text: isNew ? ` ${written}` : written }];
}

/** Two edits: of what stands behind the key or dash, and of the lines below. */
function replaceInBlock(
  { text, layout }: EditedText,
  entry: Entry,
  start: number,
  raw: Raw,
): readonly Splice[] {
  const { value, marks, behindSign } = entry;
  if (behindSign === undefined) throw new NotEditableError('A key stands without a colon.');
  const column = columnOf(text, entry.start);
  const inner = entry.key === undefined ? column + 1 + gapBehindDash(text, entry).length : undefined;
  const inFlow = value?.type === 'flow-collection' ? true : value?.type === 'block-seq' ? false : undefined;
  const before = styleOf(value);
  const behind = behindEntry(text, entry);
  const commented = behind > nextLine(text, entry.end);
  const isText = before !== undefined || value === undefined;
  const { inline, lines } =
    commented && isText
      ? { inline: writeFlow(raw, layout, before), lines: [] }
      : writeNode(raw, { column, inner, before, flow: inFlow }, layout);
  const below = lines.map((line) => layout.newline + line).join('');
  const beside = value === undefined || !text.slice(behindSign, value.offset).includes('\n');
  // Without anything beside the key, no blanks stay behind it either.
  const from = inline === '' || !beside ? behindSign : start;
  const added = inline !== '' && from === behindSign ? ` ${inline}` : inline;
  const lastMark = marks.at(-1);
  const to = beside
    ? value?.type === 'block-scalar'
      ? headerEnd(value)
      : entry.end
    : lastMark === undefined
      ? behindSign
      : lastMark.start + lastMark.source.length;
  if (text.slice(from, to).includes('\n') && !beside)
    throw new NotEditableError('A mark has a line of its own.');
  const bottom = lineEnd(text, to);
  // Comments that are indented like a value are about what goes.
  const end = commented && !isText ? lineEnd(text, lineStart(text, behind - 1)) : entry.end;
  return [
    { start: from, end: to, text: added },
    { start: bottom, end: Math.max(bottom, end), text: below },
  ];
}

function headerEnd({ offset, props }: CST.BlockScalar): number {
  const header = props.find(({ type }) => type === 'block-scalar-header');
  return offset + (header !== undefined && 'source' in header ? header.source.length : 1);
}

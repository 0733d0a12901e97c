import type { AST } from 'toml-eslint-parser';
import { emptyMap, pathKey } from '../../core/source/data.ts';
import type { DataPath } from '../../core/source/diagnostic.ts';
import { align, type Step } from '../../core/source/edit/align.ts';
import {
  commentStart,
  editFlow,
  type FlowCollection,
  type FlowEntry,
  keeps,
} from '../../core/source/edit/edit-entries.ts';
import { type EditOptions, likeness, mapSteps } from '../../core/source/edit/edit-tree.ts';
import { isRawList, isRawMap, type Raw, type RawMap, sameRaw } from '../../core/source/edit/raw.ts';
import {
  applySplices,
  type EditedText,
  indentAt,
  lineStart,
  NotEditableError,
  nextLine,
  type Splice,
} from '../../core/source/edit/splice.ts';
import { entriesOf, type NewEntry } from '../../core/source/edit/write-yaml.ts';
import { pairOf, sectionsOf, type TomlPair, type TomlSection } from './toml.ts';
import { writeTomlEntry, writeTomlKey, writeTomlValue } from './write-toml.ts';

/**
 * Turns the data `before` of a TOML text into `after`. Everything else stays: order, comments, quotes, spaces. A new key
 * goes before the first table, or to the end of its table; a new map becomes a table at the end. Throws
 * `NotEditableError` for data that TOML cannot hold, and for source text that cannot be edited in place.
 */
export function editToml(
  source: EditedText,
  before: RawMap,
  after: RawMap,
  { rankOf, deep }: EditOptions,
): string {
  const { text, layout } = source;
  const { newline } = layout;
  const sections = sectionsOf(text);
  const pairs = new Map(sections.flatMap((each) => each.pairs.map((pair) => [pathKey(pair.path), pair])));
  const headers = new Map(sections.flatMap((each) => (each.header ? [[pathKey(each.path), each]] : [])));
  return applySplices(text, editTable([], before, after));

  function editTable(path: DataPath, was: RawMap, becomes: RawMap): readonly Splice[] {
    const kept = Object.keys(was).filter((name) => Object.hasOwn(becomes, name));
    const changed = kept.filter((name) => !sameRaw(was[name], becomes[name]));
    const edited = changed.map((name) => editAt([...path, name], was[name] ?? null, becomes[name] ?? null));
    // A value that turns into a table, or the other way round, is written in another place.
    const moved = changed.filter((_, index) => edited[index] === undefined);
    const removed = new Set([...Object.keys(was).filter((name) => !Object.hasOwn(becomes, name)), ...moved]);
    const present = emptyMap<Raw>();
    for (const name of Object.keys(was)) if (!removed.has(name)) present[name] = was[name] ?? null;
    return [
      ...edited.flatMap((splices) => splices ?? []),
      ...removeIn(path, removed),
      ...(path.length === 0 ? insertInRoot(present, becomes) : insertInTable(path, present, becomes)),
    ];
  }

  /** Undefined if the new value cannot be written in the place of the old one. */
  function editAt(path: DataPath, was: Raw, becomes: Raw): readonly Splice[] | undefined {
    const pair = pairs.get(pathKey(path));
    if (pair !== undefined) return editValue(pair.value, path, was, becomes, false);
    if (isRawMap(was) && isRawMap(becomes)) {
      // Without a header, a table is there only as long as one of its keys is.
      const stays =
        headers.has(pathKey(path)) || Object.keys(was).some((name) => Object.hasOwn(becomes, name));
      return stays ? editTable(path, was, becomes) : undefined;
    }
    const hasTables = headers.has(pathKey([...path, 0]));
    if (hasTables && isRawList(was) && isRawList(becomes) && becomes.length > 0) {
      const tables = becomes.filter(isRawMap);
      if (tables.length === becomes.length) return editArrayOfTables(path, was, tables);
    }
    return undefined;
  }

  function editValue(
    node: AST.TOMLContentNode,
    path: DataPath,
    was: Raw,
    becomes: Raw,
    flow: boolean,
  ): readonly Splice[] {
    const [start, end] = node.range;
    if (deep && node.type === 'TOMLArray' && isRawList(was) && isRawList(becomes)) {
      const steps = align(was, becomes, likeness);
      if (steps.some(keeps)) return editEntries(arrayEntries(node), node, path, was, becomes, steps);
    }
    if (deep && node.type === 'TOMLInlineTable' && isRawMap(was) && isRawMap(becomes)) {
      const entries = tableEntries(node, path);
      const steps = mapSteps(entries, was, becomes, undefined);
      if (steps.some(keeps)) {
        const values = entries.map(({ key }) => was[key] ?? null);
        return editEntries(entries, node, path, values, becomes, steps);
      }
    }
    return [{ start, end, text: writeTomlValue(becomes, layout, { before: text.slice(start, end), flow }) }];
  }

  function editEntries(
    entries: readonly ValueEntry[],
    { range }: AST.TOMLArray | AST.TOMLInlineTable,
    path: DataPath,
    was: readonly Raw[],
    becomes: RawMap | readonly Raw[],
    steps: readonly Step[],
  ): readonly Splice[] {
    const added = entriesOf(becomes);
    const edited = steps.flatMap((step) => {
      const { key, value } = (step.kind === 'edit' && entries[step.before]) || {};
      if (step.kind !== 'edit' || value === undefined) return [];
      const entryPath = [...path, key ?? step.before];
      return editValue(value, entryPath, was[step.before] ?? null, added[step.after]?.raw ?? null, true);
    });
    if (steps.every(keeps)) return edited;
    const [first] = entries;
    // A new item is written like the first one.
    const example =
      first !== undefined && first.key === undefined ? text.slice(first.start, first.end) : undefined;
    const collection: FlowCollection = {
      entries,
      end: range[1],
      trailingComma: commaAfter(entries.at(-1)?.end, range[1]),
    };
    const write = (entry: NewEntry) => writeTomlEntry(entry, layout, example);
    return [...edited, ...editFlow(source, collection, steps, added, write)];
  }

  function arrayEntries({ elements }: AST.TOMLArray): readonly ValueEntry[] {
    return elements.map((value, index) => {
      const [start, end] = value.range;
      return { start, end, comma: commaAfter(elements[index - 1]?.range[1], start), key: undefined, value };
    });
  }

  function tableEntries(
    { body }: AST.TOMLInlineTable,
    path: DataPath,
  ): readonly (ValueEntry & { key: string })[] {
    return body.map((node, index) => {
      const { path: own, start, end, value } = pairOf(node, path);
      if (own.length !== path.length + 1) throw new NotEditableError('An inline table has dotted keys.');
      return {
        start,
        end,
        comma: commaAfter(body[index - 1]?.range[1], start),
        key: String(own.at(-1)),
        value,
      };
    });
  }

  /** The comma between two offsets. */
  function commaAfter(offset: number | undefined, end: number): number | undefined {
    if (offset === undefined) return undefined;
    COMMA.lastIndex = offset;
    const comma = COMMA.test(text) ? COMMA.lastIndex - 1 : undefined;
    return comma !== undefined && comma < end ? comma : undefined;
  }

  /** Items of `[[path]]`. */
  function editArrayOfTables(
    path: DataPath,
    was: readonly Raw[],
    becomes: readonly RawMap[],
  ): readonly Splice[] {
    const runs = runsOf(path);
    let last = runs[0]?.start ?? text.length;
    return align(was, becomes, likeness).flatMap((step): readonly Splice[] => {
      if (step.kind === 'insert') {
        const header = `[[${headerName(path)}]]`;
        return [{ start: last, end: last, text: tableText(header, becomes[step.after] ?? {}) }];
      }
      const { start, end } = runs[step.before] ?? { start: last, end: last };
      last = end;
      if (step.kind === 'remove') return [{ start, end, text: '' }];
      const item = was[step.before];
      const table = becomes[step.after];
      const isEdit = step.kind === 'edit' && isRawMap(item) && table !== undefined;
      return isEdit ? editTable([...path, step.before], item, table) : [];
    });
  }

  /** The start and end of each item of an array of tables. All sections of the array must follow each other. */
  function runsOf(path: DataPath): readonly { readonly start: number; readonly end: number }[] {
    const first = sections.findIndex((section) => isBelow(section.path, path));
    const last = sections.findLastIndex((section) => isBelow(section.path, path));
    const runs: { readonly start: number; end: number }[] = [];
    for (let index = first; index <= last; index += 1) {
      const own = sections[index]?.path ?? [];
      const run = runs[Number(own[path.length])];
      if (!isBelow(own, path)) throw new NotEditableError('The tables of an array are apart.');
      if (run === undefined) runs.push({ start: sectionStart(index), end: sectionEnd(index) });
      else run.end = sectionEnd(index);
    }
    return runs;
  }

  /** Removes keys of a table with everything below them. Comments above them stay. */
  function removeIn(path: DataPath, names: ReadonlySet<string>): readonly Splice[] {
    if (names.size === 0) return [];
    const isRemoved = (own: DataPath) => isBelow(own, path) && names.has(String(own[path.length]));
    return sections.flatMap((section, index): readonly Splice[] => {
      if (section.header !== undefined && isRemoved(section.path)) {
        const own = lineStart(text, section.header.range[0]);
        const hasComments = commentStart(text, { start: section.header.range[0] }, 0) < own;
        return [{ start: hasComments ? own : sectionStart(index), end: sectionEnd(index), text: '' }];
      }
      return section.pairs.flatMap((pair) =>
        isRemoved(pair.path)
          ? [{ start: lineStart(text, pair.start), end: nextLine(text, pair.end), text: '' }]
          : [],
      );
    });
  }

  /** New keys at their ranks in the lines before the first table; new maps as tables at the end. */
  function insertInRoot(present: RawMap, becomes: RawMap): readonly Splice[] {
    const [root] = sections;
    const entries = root?.pairs.map(({ path }) => ({ key: String(path[0]) })) ?? [];
    const added = entriesOf(becomes);
    const lines: Splice[] = [];
    const tables: Splice[] = [];
    let previous: TomlPair | undefined;
    for (const step of mapSteps(entries, present, becomes, rankOf)) {
      if (step.kind !== 'insert') {
        previous = root?.pairs[step.before];
        continue;
      }
      const entry = added[step.after];
      if (entry === undefined) continue;
      if (isRawMap(entry.raw) && Object.keys(entry.raw).length > 0) {
        const table = tableText(`[${writeTomlKey(entry.name ?? '')}]`, entry.raw);
        tables.push({ start: text.length, end: text.length, text: table });
      } else {
        const start = previous === undefined ? rootStart() : nextLine(text, previous.end);
        lines.push({ start, end: start, text: pairText(entry, '', previous ?? root?.pairs[0]) });
      }
    }
    const isOnTop = lines.length > 0 && root?.pairs.length === 0;
    const gap = isOnTop && text !== '' && !/^\r?\n/.test(text) ? newline : '';
    const isApart = lines.length === 0 && (text === '' || /\n\r?\n$/.test(text));
    const spaced = tables.map((table, index) => (isApart && index === 0 ? unspaced(table) : table));
    return [...lines, { start: 0, end: 0, text: gap }, ...spaced];
  }

  /** The offset of the first line of the root table. */
  function rootStart(): number {
    const [root] = sections;
    const first = root?.pairs[0];
    return root === undefined || first === undefined ? 0 : pairStart(root, 0);
  }

  function insertInTable(path: DataPath, present: RawMap, becomes: RawMap): readonly Splice[] {
    const added = entriesOf(becomes).filter(({ name = '' }) => !Object.hasOwn(present, name));
    if (added.length === 0) return [];
    const section = headers.get(pathKey(path));
    const previous = section === undefined ? lastDotted(path) : section.pairs.at(-1);
    if (section === undefined && previous === undefined) return insertTable(path, added);
    const end = previous?.end ?? section?.header?.range[1] ?? 0;
    const start = nextLine(text, end);
    const prefix = section === undefined && previous !== undefined ? dottedPrefix(previous, path) : '';
    const written = added.map((entry) => pairText(entry, prefix, previous)).join('');
    return [{ start, end: start, text: written }];
  }

  /** The last pair whose dotted key leads to a table. */
  function lastDotted(path: DataPath): TomlPair | undefined {
    return sections
      .filter((each) => each.path.length < path.length)
      .flatMap((each) => each.pairs)
      .findLast((pair) => isBelow(pair.path, path));
  }

  /** The header of a table that so far has other tables only. */
  function insertTable(path: DataPath, added: readonly NewEntry[]): readonly Splice[] {
    const first = sections.findIndex(
      (section) => section.path.length > path.length && isBelow(section.path, path),
    );
    if (first === -1) throw new NotEditableError('The table has no place in the text.');
    const start = sectionStart(first);
    const written = added.map((entry) => pairText(entry, '', undefined)).join('');
    const gap = start === 0 ? '' : newline;
    const end = /^\r?\n/.test(text.slice(start)) ? '' : newline;
    return [{ start, end: start, text: `${gap}[${headerName(path)}]${newline}${written}${end}` }];
  }

  function tableText(header: string, table: RawMap): string {
    const written = entriesOf(table).map((entry) => pairText(entry, '', undefined));
    return `${newline}${header}${newline}${written.join('')}`;
  }

  function unspaced(table: Splice): Splice {
    return { ...table, text: table.text.slice(newline.length) };
  }

  /** A line like its neighbor. */
  function pairText({ name = '', raw }: NewEntry, prefix: string, neighbor: TomlPair | undefined): string {
    const indent = neighbor === undefined ? '' : indentAt(text, neighbor.start);
    const sign = neighbor === undefined ? '' : text.slice(neighbor.key.range[1], neighbor.value.range[0]);
    const equals = sign === '=' ? sign : ' = ';
    return `${indent}${prefix}${writeTomlKey(name)}${equals}${writeTomlValue(raw, layout, { flow: false })}${newline}`;
  }

  /** The part of a dotted key that leads to a table: `a.b.` */
  function dottedPrefix({ path: own, key, start }: TomlPair, path: DataPath): string {
    const last = key.keys[key.keys.length - 1 - (own.length - path.length)];
    if (last === undefined) throw new NotEditableError('The table is not in the key.');
    return `${text.slice(start, last.range[1])}.`;
  }

  function headerName(path: DataPath): string {
    return path.flatMap((step) => (typeof step === 'string' ? [writeTomlKey(step)] : [])).join('.');
  }

  /** The start of the blank lines and comments above a header. */
  function sectionStart(index: number): number {
    const { header } = sections[index] ?? {};
    if (header === undefined) return 0;
    const previous = sections[index - 1];
    const end = previous?.pairs.at(-1)?.end ?? previous?.header?.range[1];
    const floor = end === undefined ? 0 : nextLine(text, end);
    let start = commentStart(text, { start: header.range[0] }, floor);
    while (start > floor && text.slice(lineStart(text, start - 1), start).trim() === '') {
      start = lineStart(text, start - 1);
    }
    return start;
  }

  function sectionEnd(index: number): number {
    return index + 1 < sections.length ? sectionStart(index + 1) : text.length;
  }

  /** The start of a pair's line, or of the comments directly above. */
  function pairStart({ header, pairs: siblings }: TomlSection, index: number): number {
    const end = siblings[index - 1]?.end ?? header?.range[1];
    const floor = end === undefined ? 0 : nextLine(text, end);
    return commentStart(text, { start: siblings[index]?.start ?? floor }, floor);
  }
}

/** An item of an array, or a pair of an inline table. */
interface ValueEntry extends FlowEntry {
  readonly key: string | undefined;
  readonly value: AST.TOMLContentNode;
}

/** True if a path is `parent` or leads further. */
function isBelow(path: DataPath, parent: DataPath): boolean {
  return path.length >= parent.length && parent.every((step, index) => step === path[index]);
}

const COMMA = /(?:\s|#[^\n]*\n)*,/y;

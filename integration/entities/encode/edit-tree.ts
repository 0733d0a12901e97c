import type { CST } from 'yaml';
import type { DataLanguage } from '../source-data.ts';
import { align, SAME, type Step } from './align.ts';
import type { Layout } from './layout.ts';
import { isRawList, isRawMap, type Raw, type RawMap, sameRaw } from './raw.ts';
import { type Collection, collectionOf, type Entry, styleOf } from './source-tree.ts';
import { lineEnd, lineStart, NotEditableError, nextLine, type Splice } from './splice.ts';
import {
  writeFlow,
  writeFlowPair,
  writeItem,
  writeJson,
  writeJsonPair,
  writeNode,
  writePair,
} from './write-node.ts';

/** A text to edit. It ends in a line break, unless it is empty. */
export interface EditedText {
  readonly text: string;
  readonly language: DataLanguage;
  readonly layout: Layout;
}

/** Says where a key belongs among the keys of the uppermost map; undefined where nothing is known of it. */
export type RankOf = (key: string) => number | undefined;

export interface EditOptions {
  readonly rankOf: RankOf;
  /** Whether lists and maps are edited item by item; else they are written anew where they differ. */
  readonly deep: boolean;
}

/**
 * The edits that make the data `before` of a text `after`. Everything else stays as it is: order, comments, quotes,
 * blanks. Throws `NotEditableError` where it is written in a way that is not edited.
 */
export function planEdits(
  source: EditedText,
  root: CST.Token | undefined,
  before: RawMap,
  after: RawMap,
  options: EditOptions,
): readonly Splice[] {
  const editor = createEditor(source, options);
  const collection = collectionOf(root);
  if (collection !== undefined) {
    editor.editMap(collection, before, after, { rankOf: options.rankOf, floor: 0 });
  } else if (root === undefined) {
    editor.append(after);
  } else {
    throw new NotEditableError('The data is not a map.');
  }
  return editor.splices;
}

/** The edit that replaces the value of one entry, whatever it is. */
export function planReplacement(
  source: EditedText,
  entry: Entry,
  flow: boolean,
  raw: Raw,
): readonly Splice[] {
  const editor = createEditor(source, { rankOf: () => undefined, deep: false });
  editor.replaceValue(entry, raw, flow);
  return editor.splices;
}

function createEditor({ text, language, layout }: EditedText, { deep }: EditOptions) {
  const splices: Splice[] = [];
  const { newline } = layout;

  function replace(start: number, end: number, by: string): void {
    if (start !== end || by !== '') splices.push({ start, end, text: by });
  }

  function insert(at: number, added: string): void {
    replace(at, at, added);
  }

  function joined(lines: readonly string[]): string {
    return lines.map((line) => `${line}${newline}`).join('');
  }

  /** Into a text without any data. */
  function append(after: RawMap): void {
    const lines =
      language === 'json'
        ? writeJson(after, '', layout).split(newline)
        : Object.entries(after).flatMap(([name, raw]) => writePair(name, raw, 0, layout));
    insert(text.length, joined(lines));
  }

  function editMap(map: Collection, before: RawMap, after: RawMap, place: MapPlace): void {
    const { entries } = map;
    const names = Object.keys(after);
    if (map.kind !== 'map' || entries.some(({ key }) => key === undefined || !Object.hasOwn(before, key))) {
      throw new NotEditableError('The data is written in an unusual way.');
    }
    const added = names.filter((name) => !Object.hasOwn(before, name));
    if (map.flow && entries.every(({ key }) => !Object.hasOwn(after, key ?? ''))) {
      const indent = layout.jsonIndent === null ? null : indentAt(map.start);
      replace(
        map.start,
        map.end,
        language === 'json' ? writeJson(after, indent, layout) : writeFlow(after, layout),
      );
      return;
    }
    const steps = mapSteps(entries, before, after, added, names, place.rankOf);
    const write: EntryWriter = {
      edit: (entry, index) => {
        const name = names[index] ?? '';
        editValue(entry, before[name] ?? null, after[name] ?? null, map.flow);
      },
      lines: (index, column) =>
        writePair(names[index] ?? '', after[names[index] ?? ''] ?? null, column, layout),
      flow: (index, indent) =>
        language === 'json'
          ? writeJsonPair(names[index] ?? '', after[names[index] ?? ''] ?? null, indent, layout)
          : writeFlowPair(names[index] ?? '', after[names[index] ?? ''] ?? null, layout),
      again: () => undefined,
    };
    editEntries(map, steps, write, place.floor);
  }

  function editList(list: Collection, before: readonly Raw[], after: readonly Raw[], floor: number): void {
    const { entries } = list;
    if (list.kind !== 'list' || entries.length !== before.length) {
      throw new NotEditableError('A list is written in an unusual way.');
    }
    const steps = align(before, after, likeness);
    const gap = gapBehindDash(entries[0]);
    const write: EntryWriter = {
      edit: (entry, index, was) => editValue(entry, before[was] ?? null, after[index] ?? null, list.flow),
      lines: (index, column) => writeItem(after[index] ?? null, column, layout, gap),
      flow: (index, indent) =>
        language === 'json'
          ? writeJson(after[index] ?? null, indent, layout)
          : writeFlow(after[index] ?? null, layout),
      again: (index) =>
        steps.flatMap((step) =>
          step.kind === 'remove' && sameRaw(before[step.before], after[index] ?? null) ? [step.before] : [],
        )[0],
    };
    editEntries(list, steps, write, floor);
  }

  function editValue(entry: Entry, before: Raw, after: Raw, flow: boolean): void {
    if (sameRaw(before, after)) return;
    const collection = deep ? collectionOf(entry.value) : undefined;
    const floor = nextLine(text, entry.start);
    if (collection?.kind === 'map' && isRawMap(after) && isRawMap(before)) {
      if (Object.keys(after).some((name) => Object.hasOwn(before, name))) {
        editMap(collection, before, after, { rankOf: undefined, floor });
        return;
      }
    }
    if (collection?.kind === 'list' && isRawList(after) && isRawList(before) && after.length > 0) {
      editList(collection, before, after, floor);
      return;
    }
    replaceValue(entry, after, flow);
  }

  /** Writes a value anew in the place of the old, whose comments beside it stay. */
  function replaceValue(entry: Entry, raw: Raw, flow: boolean): void {
    const { value, marks, behindSign } = entry;
    const start = marks[0]?.start ?? value?.offset ?? behindSign;
    if (start === undefined || (value === undefined && behindSign === undefined)) {
      throw new NotEditableError('A key stands without a colon.');
    }
    const before = styleOf(value);
    if (flow) {
      const indent = layout.jsonIndent === null ? null : indentAt(entry.start);
      const written = language === 'json' ? writeJson(raw, indent, layout) : writeFlow(raw, layout, before);
      replace(start, entry.end, start === behindSign ? ` ${written}` : written);
      return;
    }
    if (behindSign === undefined) throw new NotEditableError('A key stands without a colon.');
    const column = columnOf(entry.start);
    const inner = entry.key === undefined ? column + 1 + gapBehindDash(entry).length : undefined;
    const inFlow = value?.type === 'flow-collection' ? true : value?.type === 'block-seq' ? false : undefined;
    const { inline, lines } = writeNode(raw, { column, inner, before, flow: inFlow }, layout);
    const below = lines.map((line) => newline + line).join('');
    const sameLine = value === undefined || !text.slice(behindSign, value.offset).includes('\n');
    const inlineStart = inline === '' ? behindSign : Math.max(sameLine ? start : behindSign, behindSign);
    const lead = inline !== '' && inlineStart === behindSign ? ' ' : '';
    if (value?.type === 'block-scalar') {
      const header = value.offset + headerLength(value);
      replace(inlineStart, header, lead + inline);
      replace(lineEnd(text, header), entry.end, below);
    } else if (sameLine) {
      replace(inlineStart, entry.end, lead + inline);
      insert(lineEnd(text, entry.end), below);
    } else {
      const lastMark = marks.at(-1);
      const head = lastMark === undefined ? behindSign : lastMark.start + lastMark.source.length;
      if (text.slice(behindSign, head).includes('\n'))
        throw new NotEditableError('A mark has a line of its own.');
      replace(behindSign, head, lead + inline);
      replace(lineEnd(text, head), entry.end, below);
    }
  }

  function editEntries(
    collection: Collection,
    steps: readonly Step[],
    write: EntryWriter,
    floor: number,
  ): void {
    for (const step of steps) {
      const entry = 'before' in step ? collection.entries[step.before] : undefined;
      if (step.kind === 'edit' && entry !== undefined) write.edit(entry, step.after, step.before);
    }
    if (steps.every(({ kind }) => kind === 'keep' || kind === 'edit')) return;
    if (collection.flow) {
      editFlow(collection, steps, write);
    } else {
      editBlock(collection, steps, write, floor);
    }
  }

  function editBlock(
    { entries }: Collection,
    steps: readonly Step[],
    write: EntryWriter,
    floor: number,
  ): void {
    const column = columnOf(entries[0]?.start ?? 0);
    const floorOf = (index: number) => {
      const previous = entries[index - 1];
      return previous === undefined ? floor : nextLine(text, previous.end);
    };
    let last = -1;
    for (const [at, step] of steps.entries()) {
      if (step.kind !== 'insert') {
        last = step.before;
        if (step.kind === 'remove') removeBlock(entries, last, floorOf(last), steps, at);
        continue;
      }
      const again = write.again(step.after);
      const own = again === undefined ? undefined : ownLines(entries[again]!, floorOf(again));
      const added =
        own === undefined ? joined(write.lines(step.after, column)) : text.slice(own.start, own.end);
      const previous = entries[last];
      const first = entries[0]!;
      if (previous !== undefined) {
        insert(nextLine(text, previous.end), added);
      } else if (startsLine(first.start)) {
        insert(withComments(first, floorOf(0)), added);
      } else {
        insert(first.start, `${added.slice(column)}${' '.repeat(column)}`);
      }
    }
  }

  function removeBlock(
    entries: readonly Entry[],
    index: number,
    floor: number,
    steps: readonly Step[],
    at: number,
  ): void {
    const entry = entries[index]!;
    const own = ownLines(entry, floor);
    if (own !== undefined) {
      replace(own.start, own.end, '');
      return;
    }
    // The first pair of a map in a list, behind its dash: the next takes its place.
    const next = steps[at + 1];
    if (next?.kind !== 'keep' && next?.kind !== 'edit') {
      throw new NotEditableError('What stands behind a dash is removed with what follows.');
    }
    replace(entry.start, entries[next.before]!.start, '');
  }

  /** The lines that an entry has to itself, with the comments above it; undefined where it shares its first. */
  function ownLines(
    entry: Entry,
    floor: number,
  ): { readonly start: number; readonly end: number } | undefined {
    return startsLine(entry.start)
      ? { start: withComments(entry, floor), end: nextLine(text, entry.end) }
      : undefined;
  }

  /** Where the comments start that stand directly above an entry. At the head of a file they are about all of it. */
  function withComments(entry: Entry, floor: number): number {
    const own = lineStart(text, entry.start);
    const indent = text.slice(own, entry.start);
    let start = own;
    while (start > floor) {
      const line = lineStart(text, start - 1);
      if (line < floor || !text.startsWith(`${indent}#`, line)) break;
      start = line;
    }
    return start === 0 ? own : start;
  }

  function editFlow(collection: Collection, steps: readonly Step[], write: EntryWriter): void {
    const { entries, trailingComma } = collection;
    const kept = steps.flatMap((step) => (step.kind === 'keep' || step.kind === 'edit' ? [step.before] : []));
    const lastKept = kept.at(-1);
    const lastEntry = entries.at(-1);
    if (lastKept === undefined || lastEntry === undefined) {
      throw new NotEditableError('Nothing of a list stays.');
    }
    const owned =
      entries.every(({ start }) => startsLine(start)) && lineEnd(text, lastEntry.end) < collection.end;
    const indent = owned ? indentAt(entries[0]!.start) : '';
    const jsonIndent = owned ? indent : null;
    const glue = owned ? `,${newline}${indent}` : glueOf(entries);
    const tail: string[] = [];
    for (const [at, step] of steps.entries()) {
      if (step.kind !== 'insert') continue;
      const added = write.flow(step.after, jsonIndent);
      const next = steps.slice(at).find(({ kind }) => kind === 'keep' || kind === 'edit');
      if (next === undefined || next.kind === 'insert') tail.push(added);
      else insert(entries[next.before]!.start, added + glue);
    }
    for (const [from, to] of runsOfRemoved(steps)) {
      const next = entries[to + 1];
      if (next !== undefined) replace(entries[from]!.start, next.start, '');
    }
    const last = entries[lastKept]!;
    const cut = lastKept < entries.length - 1;
    if (!owned) {
      insert(last.end, tail.map((added) => glue + added).join(''));
      if (cut) replace(last.end, lastEntry.end, '');
      return;
    }
    const comma = entries[lastKept + 1]?.comma ?? trailingComma;
    const ends = trailingComma === undefined ? '' : ',';
    if (tail.length > 0 && comma === undefined) insert(last.end, ',');
    if (tail.length === 0 && cut && comma !== undefined && ends === '') replace(comma, comma + 1, '');
    const added = tail.map((each) => `${newline}${indent}${each}`).join(',');
    if (cut || added !== '') {
      const end = cut ? lineEnd(text, trailingComma ?? lastEntry.end) : lineEnd(text, last.end);
      replace(lineEnd(text, last.end), end, added === '' ? '' : added + ends);
    }
  }

  function glueOf(entries: readonly Entry[]): string {
    const second = entries[1];
    const written = second?.comma === undefined ? ', ' : text.slice(second.comma, second.start);
    return /^,[ \t]*$/.test(written) ? written : ', ';
  }

  function gapBehindDash(entry: Entry | undefined): string {
    if (entry?.behindSign === undefined || entry.value === undefined) return ' ';
    const gap = text.slice(entry.behindSign, entry.value.offset);
    return /^ +$/.test(gap) ? gap : ' ';
  }

  function columnOf(offset: number): number {
    return offset - lineStart(text, offset);
  }

  function startsLine(offset: number): boolean {
    return text.slice(lineStart(text, offset), offset).trim() === '';
  }

  function indentAt(offset: number): string {
    return /^[ \t]*/.exec(text.slice(lineStart(text, offset), offset))?.[0] ?? '';
  }

  return { splices, append, editMap, replaceValue };
}

/** Pairs are found by their names; where a new one goes, the ranks of the others say. */
function mapSteps(
  entries: readonly Entry[],
  before: RawMap,
  after: RawMap,
  added: readonly string[],
  names: readonly string[],
  rankOf: RankOf | undefined,
): readonly Step[] {
  const steps: Step[] = entries.map(({ key = '' }, index) => {
    if (!Object.hasOwn(after, key)) return { kind: 'remove', before: index };
    const same = sameRaw(before[key], after[key] ?? null);
    return { kind: same ? 'keep' : 'edit', before: index, after: names.indexOf(key) };
  });
  const ranked = added.map((name) => ({ name, rank: rankOf?.(name) }));
  ranked.sort((a, b) => (a.rank ?? Number.POSITIVE_INFINITY) - (b.rank ?? Number.POSITIVE_INFINITY) || 0);
  for (const { name, rank } of ranked) {
    const step: Step = { kind: 'insert', after: names.indexOf(name) };
    const ranks = steps.map((each) =>
      rankOf?.(each.kind === 'insert' ? (names[each.after] ?? '') : (entries[each.before]?.key ?? '')),
    );
    steps.splice(positionOf(rank, ranks), 0, step);
  }
  return steps;
}

/** Behind the one that comes right before it in rank, else before the one that comes right after, else at the end. */
function positionOf(rank: number | undefined, ranks: readonly (number | undefined)[]): number {
  if (rank === undefined) return ranks.length;
  const known = ranks.flatMap((each, index) => (each === undefined ? [] : [{ rank: each, index }]));
  const before = known
    .filter((each) => each.rank <= rank)
    .sort((a, b) => b.rank - a.rank || b.index - a.index)[0];
  if (before !== undefined) return before.index + 1;
  const after = known.sort((a, b) => a.rank - b.rank || a.index - b.index)[0];
  return after?.index ?? ranks.length;
}

/** Maps may become one another where they share a value; everything else is the same or is not. */
function likeness(before: Raw, after: Raw): number {
  if (sameRaw(before, after)) return SAME;
  if (!isRawMap(after) || !isRawMap(before)) return 0;
  const names = Object.keys(after).filter((name) => Object.hasOwn(before, name));
  const equal = names.filter((name) => sameRaw(before[name], after[name] ?? null)).length;
  return names.length === 0 ? 0 : 1 + Math.min(equal, SAME - 2);
}

function runsOfRemoved(steps: readonly Step[]): readonly (readonly [number, number])[] {
  const runs: [number, number][] = [];
  for (const step of steps) {
    if (step.kind !== 'remove') continue;
    const run = runs.at(-1);
    if (run !== undefined && run[1] === step.before - 1) run[1] = step.before;
    else runs.push([step.before, step.before]);
  }
  return runs;
}

function headerLength({ props }: CST.BlockScalar): number {
  const header = props.find(({ type }) => type === 'block-scalar-header');
  return header !== undefined && 'source' in header ? header.source.length : 1;
}

interface MapPlace {
  readonly rankOf: RankOf | undefined;
  /** Where the first line starts that comments of the first pair may stand in. */
  readonly floor: number;
}

/** What maps and lists do differently. Indexes are those of what they become. */
interface EntryWriter {
  readonly edit: (entry: Entry, index: number, before: number) => void;
  readonly lines: (index: number, column: number) => readonly string[];
  readonly flow: (index: number, indent: string | null) => string;
  /** The removed entry whose lines come back in another place. */
  readonly again: (index: number) => number | undefined;
}

import type { CST } from 'yaml';
import { emptyMap } from '../data.ts';
import { align, SAME, type Step } from './align.ts';
import { editBlock, editFlow, keeps, replaceValue } from './edit-entries.ts';
import { isRawList, isRawMap, type Raw, type RawMap, sameRaw } from './raw.ts';
import { type Collection, collectionOf, type Entry, itemStyle } from './source-tree.ts';
import { type EditedText, indentAt, NotEditableError, nextLine, type Splice } from './splice.ts';
import { entriesOf, type NewEntry, writeData, writeInline, writeInlineEntry } from './write-yaml.ts';

/** The rank of a key among the keys of a map; undefined for unknown keys. */
export type RankOf = (key: string) => number | undefined;

export interface EditOptions {
  /** For keys of the root map. */
  readonly rankOf: RankOf;
  /** Edit nested lists and maps entry by entry instead of replacing them. */
  readonly deep: boolean;
}

/**
 * The edits that turn the data `before` of a text into `after`. Everything else stays: order, comments, quotes, spaces.
 * Throws `NotEditableError` for source text that cannot be edited in place.
 */
export function planEdits(
  source: EditedText,
  root: CST.Token | undefined,
  before: RawMap,
  after: RawMap,
  { rankOf, deep }: EditOptions,
): readonly Splice[] {
  const { text, layout } = source;
  const collection = collectionOf(root);
  if (root === undefined) {
    return [{ start: text.length, end: text.length, text: writeData(inOrder(after, rankOf), source) }];
  }
  if (collection === undefined || !matchesData(collection, before)) {
    throw new NotEditableError('The data is written in an unusual way.');
  }
  return editMap(collection, before, after, rankOf, 0);

  function editMap(
    map: Collection,
    was: RawMap,
    becomes: RawMap,
    ranks: RankOf | undefined,
    floor: number,
  ): readonly Splice[] {
    const { start, end, entries } = map;
    if (map.flow && entries.every(({ key = '' }) => !Object.hasOwn(becomes, key))) {
      const indent = layout.jsonIndent === null ? null : indentAt(text, start);
      return [{ start, end, text: writeInline(inOrder(becomes, ranks), indent, source) }];
    }
    const values = entries.map(({ key = '' }) => was[key] ?? null);
    return editEntries(map, values, entriesOf(becomes), mapSteps(entries, was, becomes, ranks), floor);
  }

  function editEntries(
    collection: Collection,
    was: readonly Raw[],
    becomes: readonly NewEntry[],
    steps: readonly Step[],
    floor: number,
  ): readonly Splice[] {
    const { entries, flow } = collection;
    const edited = steps.flatMap((step) =>
      step.kind === 'edit'
        ? editValue(entries[step.before]!, was[step.before] ?? null, becomes[step.after]?.raw ?? null, flow)
        : [],
    );
    if (steps.every(keeps)) return edited;
    const style = itemStyle(collection);
    const added = becomes.map((entry) => ({ ...entry, ...style }));
    if (flow) {
      const write = (entry: NewEntry, indent: string | null) => writeInlineEntry(entry, indent, source);
      return [...edited, ...editFlow(source, collection, steps, added, write)];
    }
    const removed = steps.flatMap((step) => (step.kind === 'remove' ? [step.before] : []));
    const movedFrom = ({ name, raw }: NewEntry) =>
      removed.length > MAX_MOVED
        ? undefined
        : removed.find((at) => entries[at]?.key === name && sameRaw(was[at], raw));
    return [...edited, ...editBlock(source, collection, steps, added, movedFrom, floor)];
  }

  function editValue(entry: Entry, was: Raw, becomes: Raw, flow: boolean): readonly Splice[] {
    const inner = deep ? collectionOf(entry.value) : undefined;
    const floor = nextLine(text, entry.start);
    if (inner !== undefined && matchesData(inner, was)) {
      if (isRawMap(becomes) && isRawMap(was)) {
        const isShared = Object.keys(becomes).some((name) => Object.hasOwn(was, name));
        if (isShared) return editMap(inner, was, becomes, undefined, floor);
      }
      if (isRawList(becomes) && isRawList(was) && becomes.length > 0) {
        const steps = align(was, becomes, likeness);
        if (!inner.flow || steps.some(keeps))
          return editEntries(inner, was, entriesOf(becomes), steps, floor);
      }
    }
    return replaceValue(source, entry, becomes, flow);
  }
}

/** New pairs of a map in the order of their ranks. */
function inOrder(map: RawMap, rankOf: RankOf | undefined): RawMap {
  const pairs = Object.entries(map);
  const sorted = emptyMap<Raw>();
  for (const step of mapSteps([], {}, map, rankOf)) {
    const [name, raw] = (step.kind === 'remove' ? undefined : pairs[step.after]) ?? ['', null];
    sorted[name] = raw;
  }
  return sorted;
}

/** Removed items that are compared with an inserted one, to move it. */
const MAX_MOVED = 100;

/** True if the entries of a collection are those of the data. */
function matchesData({ kind, entries }: Collection, data: Raw): boolean {
  return kind === 'list'
    ? isRawList(data) && entries.length === data.length
    : isRawMap(data) && entries.every(({ key }) => key !== undefined && Object.hasOwn(data, key));
}

/** Maps with a common key can be edited into each other; other items are equal or different. */
export function likeness(before: Raw, after: Raw): number {
  if (sameRaw(before, after)) return SAME;
  if (!isRawMap(after) || !isRawMap(before)) return 0;
  const names = Object.keys(after).filter((name) => Object.hasOwn(before, name));
  const equal = names.filter((name) => sameRaw(before[name], after[name])).length;
  return names.length === 0 ? 0 : 1 + Math.min(equal, SAME - 2);
}

/** Matches pairs by name; ranks decide the positions of new ones. */
export function mapSteps(
  entries: readonly Pick<Entry, 'key'>[],
  before: RawMap,
  after: RawMap,
  rankOf: RankOf | undefined,
): readonly Step[] {
  const names = Object.keys(after);
  const indexes = new Map(names.map((name, index) => [name, index]));
  const indexOf = (name: string) => indexes.get(name) ?? 0;
  // If a key appears twice, the last value counts.
  const counted = new Map(entries.map(({ key = '' }, index) => [key, index]));
  const steps: Step[] = entries.map(({ key = '' }, index) => {
    if (!Object.hasOwn(after, key)) return { kind: 'remove', before: index };
    const isSame = counted.get(key) !== index || sameRaw(before[key], after[key] ?? null);
    return { kind: isSame ? 'keep' : 'edit', before: index, after: indexOf(key) };
  });
  const added = names.filter((name) => !Object.hasOwn(before, name));
  if (rankOf === undefined) {
    return [...steps, ...added.map((name): Step => ({ kind: 'insert', after: indexOf(name) }))];
  }
  const ranked = added.map((name) => ({ name, rank: rankOf(name) }));
  ranked.sort((a, b) => (a.rank ?? Number.POSITIVE_INFINITY) - (b.rank ?? Number.POSITIVE_INFINITY) || 0);
  for (const { name, rank } of ranked) {
    const ranks = steps.map((step) =>
      rankOf(step.kind === 'insert' ? (names[step.after] ?? '') : (entries[step.before]?.key ?? '')),
    );
    steps.splice(positionFor(rank, ranks), 0, { kind: 'insert', after: indexOf(name) });
  }
  return steps;
}

/** After the closest lower rank, else before the lowest rank, else at the end. */
function positionFor(rank: number | undefined, ranks: readonly (number | undefined)[]): number {
  if (rank === undefined) return ranks.length;
  const ranked = ranks.flatMap((each, index) => (each === undefined ? [] : [{ rank: each, index }]));
  ranked.sort((a, b) => a.rank - b.rank || a.index - b.index);
  const lower = ranked.findLast((each) => each.rank <= rank);
  return lower === undefined ? (ranked[0]?.index ?? ranks.length) : lower.index + 1;
}

import type { CST } from 'yaml';
import { emptyMap } from '../data.ts';
import { align, SAME, type Step } from './align.ts';
import { type EntryWriter, editBlock, editFlow, keeps, replaceValue } from './edit-entries.ts';
import { isRawList, isRawMap, type Raw, type RawMap, sameRaw } from './raw.ts';
import { type Collection, collectionOf, type Entry, gapAfterDash } from './source-tree.ts';
import { type EditedText, indentAt, NotEditableError, nextLine, type Splice } from './splice.ts';
import { writeFlow, writeFlowPair, writeItem, writeJson, writeJsonPair, writePair } from './write-yaml.ts';

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
  const { text, language, layout } = source;
  const isJson = language === 'json';
  const collection = collectionOf(root);
  if (root === undefined) {
    const data = inOrder(after);
    const lines = isJson
      ? [writeJson(data, '', layout)]
      : Object.entries(data).flatMap(([name, raw]) => writePair(name, raw, 0, layout));
    return [
      { start: text.length, end: text.length, text: lines.map((line) => line + layout.newline).join('') },
    ];
  }
  if (collection === undefined || !matchesData(collection, before)) {
    throw new NotEditableError('The data is written in an unusual way.');
  }
  return editMap(collection, before, after, rankOf, 0);

  function inOrder(map: RawMap): RawMap {
    const names = Object.keys(map);
    const sorted = emptyMap<Raw>();
    for (const step of mapSteps([], {}, map, rankOf)) {
      const name = step.kind === 'remove' ? '' : (names[step.after] ?? '');
      sorted[name] = map[name] ?? null;
    }
    return sorted;
  }

  function editMap(
    map: Collection,
    was: RawMap,
    becomes: RawMap,
    ranks: RankOf | undefined,
    floor: number,
  ): readonly Splice[] {
    const { entries, flow } = map;
    if (flow && entries.every(({ key = '' }) => !Object.hasOwn(becomes, key))) {
      const indent = layout.jsonIndent === null ? null : indentAt(text, map.start);
      const sorted = ranks === undefined ? becomes : inOrder(becomes);
      const written = isJson ? writeJson(sorted, indent, layout) : writeFlow(sorted, layout);
      return [{ start: map.start, end: map.end, text: written }];
    }
    const pairs = Object.entries(becomes);
    const pairAt = (index: number): readonly [string, Raw] => pairs[index] ?? ['', null];
    const values = entries.flatMap((entry) => {
      const raw = becomes[entry.key ?? ''];
      return raw === undefined ? [] : editValue(entry, was[entry.key ?? ''] ?? null, raw, flow);
    });
    const writer: EntryWriter = {
      lines: (index, column) => writePair(...pairAt(index), column, layout),
      flow: (index, indent) =>
        isJson ? writeJsonPair(...pairAt(index), indent, layout) : writeFlowPair(...pairAt(index), layout),
      movedFrom: () => undefined,
    };
    return [...values, ...editEntries(map, mapSteps(entries, was, becomes, ranks), floor, writer)];
  }

  function editList(
    list: Collection,
    was: readonly Raw[],
    becomes: readonly Raw[],
    steps: readonly Step[],
    floor: number,
  ): readonly Splice[] {
    const { entries, flow } = list;
    const gap = gapAfterDash(text, entries[0]);
    const removed = steps.flatMap((step) => (step.kind === 'remove' ? [step.before] : []));
    const itemAt = (index: number): Raw => becomes[index] ?? null;
    const values = steps.flatMap((step) => {
      const entry = step.kind === 'edit' ? entries[step.before] : undefined;
      return step.kind === 'edit' && entry !== undefined
        ? editValue(entry, was[step.before] ?? null, itemAt(step.after), flow)
        : [];
    });
    const writer: EntryWriter = {
      lines: (index, column) => writeItem(itemAt(index), column, layout, gap),
      flow: (index, indent) =>
        isJson ? writeJson(itemAt(index), indent, layout) : writeFlow(itemAt(index), layout),
      movedFrom: (index) =>
        removed.length > MAX_MOVED ? undefined : removed.find((at) => sameRaw(was[at], itemAt(index))),
    };
    return [...values, ...editEntries(list, steps, floor, writer)];
  }

  function editValue(entry: Entry, was: Raw, becomes: Raw, flow: boolean): readonly Splice[] {
    if (sameRaw(was, becomes)) return [];
    const inner = deep ? collectionOf(entry.value) : undefined;
    const floor = nextLine(text, entry.start);
    if (inner !== undefined && matchesData(inner, was)) {
      if (isRawMap(becomes) && isRawMap(was)) {
        const isShared = Object.keys(becomes).some((name) => Object.hasOwn(was, name));
        if (isShared) return editMap(inner, was, becomes, undefined, floor);
      }
      if (isRawList(becomes) && isRawList(was) && becomes.length > 0) {
        const steps = align(was, becomes, likeness);
        if (!inner.flow || steps.some(keeps)) return editList(inner, was, becomes, steps, floor);
      }
    }
    return replaceValue(source, entry, becomes, flow);
  }

  function editEntries(
    collection: Collection,
    steps: readonly Step[],
    floor: number,
    writer: EntryWriter,
  ): readonly Splice[] {
    if (steps.every(keeps)) return [];
    return collection.flow
      ? editFlow(source, collection, steps, writer)
      : editBlock(source, collection, steps, writer, floor);
  }
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
function likeness(before: Raw, after: Raw): number {
  if (sameRaw(before, after)) return SAME;
  if (!isRawMap(after) || !isRawMap(before)) return 0;
  const names = Object.keys(after).filter((name) => Object.hasOwn(before, name));
  const equal = names.filter((name) => sameRaw(before[name], after[name])).length;
  return names.length === 0 ? 0 : 1 + Math.min(equal, SAME - 2);
}

/** Matches pairs by name; ranks decide the positions of new ones. */
function mapSteps(
  entries: readonly Entry[],
  before: RawMap,
  after: RawMap,
  rankOf: RankOf | undefined,
): readonly Step[] {
  const names = Object.keys(after);
  const indexes = new Map(names.map((name, index) => [name, index]));
  const indexOf = (name: string) => indexes.get(name) ?? 0;
  const steps: Step[] = entries.map(({ key = '' }, index) => {
    if (!Object.hasOwn(after, key)) return { kind: 'remove', before: index };
    const isSame = sameRaw(before[key], after[key] ?? null);
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
  const known = ranks.flatMap((each, index) => (each === undefined ? [] : [{ rank: each, index }]));
  known.sort((a, b) => a.rank - b.rank || a.index - b.index);
  const lower = known.findLast((each) => each.rank <= rank);
  return lower === undefined ? (known[0]?.index ?? ranks.length) : lower.index + 1;
}

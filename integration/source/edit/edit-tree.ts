import type { CST } from 'yaml';
import { emptyMap } from '../parsed-data.ts';
import { type Step, align, SAME } from './align.ts';
import { editBlock } from './edit-block.ts';
import { editFlow } from './edit-flow.ts';
import type { EditedText, EntryWriter } from './edited-text.ts';
import { type RankOf, mapSteps } from './map-steps.ts';
import { type Raw, type RawMap, isRawList, isRawMap, sameRaw } from './raw.ts';
import { replaceValue } from './replace-value.ts';
import { type Collection, type Entry, collectionOf, gapBehindDash } from './source-tree.ts';
import { type Splice, indentAt, NotEditableError, nextLine } from './splice.ts';
import { writeFlow, writeFlowPair, writeItem, writeJson, writeJsonPair, writePair } from './write-node.ts';

export interface EditOptions {
  /** Of the keys of the uppermost map. */
  readonly rankOf: RankOf;
  /** Whether lists and maps are edited entry by entry; else they are written anew where they differ. */
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
  { rankOf, deep }: EditOptions,
): readonly Splice[] {
  const { text, language, layout } = source;
  const collection = collectionOf(root);
  if (root === undefined) {
    const added = language === 'json' ? [writeJson(inOrder(after), '', layout)] : linesOf(inOrder(after));
    return [
      { start: text.length, end: text.length, text: added.map((line) => line + layout.newline).join('') },
    ];
  }
  if (collection === undefined || !isWrittenIn(collection, before)) {
    throw new NotEditableError('The data is written in an unusual way.');
  }
  return editMap(collection, before, after, rankOf, 0);

  function inOrder(map: RawMap): RawMap {
    const names = Object.keys(map);
    const steps = mapSteps([], {}, map, rankOf);
    const sorted = emptyMap<Raw>();
    for (const step of steps) {
      const name = step.kind === 'remove' ? '' : (names[step.after] ?? '');
      sorted[name] = map[name] ?? null;
    }
    return sorted;
  }

  function linesOf(map: RawMap): readonly string[] {
    return Object.entries(map).flatMap(([name, raw]) => writePair(name, raw, 0, layout));
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
      const written = language === 'json' ? writeJson(sorted, indent, layout) : writeFlow(sorted, layout);
      return [{ start: map.start, end: map.end, text: written }];
    }
    const steps = mapSteps(entries, was, becomes, ranks);
    const pairs = Object.entries(becomes);
    const pairAt = (index: number): readonly [string, Raw] => pairs[index] ?? ['', null];
    const edited = entries.flatMap((entry) => {
      const raw = becomes[entry.key ?? ''];
      return raw === undefined ? [] : editValue(entry, was[entry.key ?? ''] ?? null, raw, flow);
    });
    return [
      ...edited,
      ...editEntries(map, steps, floor, {
        lines: (index, column) => writePair(...pairAt(index), column, layout),
        flow: (index, indent) =>
          language === 'json'
            ? writeJsonPair(...pairAt(index), indent, layout)
            : writeFlowPair(...pairAt(index), layout),
        again: () => undefined,
      }),
    ];
  }

  function editList(
    list: Collection,
    was: readonly Raw[],
    becomes: readonly Raw[],
    steps: readonly Step[],
    floor: number,
  ): readonly Splice[] {
    const { entries, flow } = list;
    const gap = gapBehindDash(text, entries[0]);
    const removed = steps.flatMap((step) => (step.kind === 'remove' ? [step.before] : []));
    const itemAt = (index: number): Raw => becomes[index] ?? null;
    const edited = steps.flatMap((step) => {
      const entry = step.kind === 'edit' ? entries[step.before] : undefined;
      return step.kind === 'edit' && entry !== undefined
        ? editValue(entry, was[step.before] ?? null, itemAt(step.after), flow)
        : [];
    });
    return [
      ...edited,
      ...editEntries(list, steps, floor, {
        lines: (index, column) => writeItem(itemAt(index), column, layout, gap),
        flow: (index, indent) =>
          language === 'json' ? writeJson(itemAt(index), indent, layout) : writeFlow(itemAt(index), layout),
        again: (index) =>
          removed.length > MAX_MOVED ? undefined : removed.find((at) => sameRaw(was[at], itemAt(index))),
      }),
    ];
  }

  function editValue(entry: Entry, was: Raw, becomes: Raw, flow: boolean): readonly Splice[] {
    if (sameRaw(was, becomes)) return [];
    const found = deep ? collectionOf(entry.value) : undefined;
    const inside = found !== undefined && isWrittenIn(found, was) ? found : undefined;
    const floor = nextLine(text, entry.start);
    if (inside?.kind === 'map' && isRawMap(becomes) && isRawMap(was)) {
      const shared = Object.keys(becomes).some((name) => Object.hasOwn(was, name));
      if (shared) return editMap(inside, was, becomes, undefined, floor);
    }
    if (inside?.kind === 'list' && isRawList(becomes) && isRawList(was) && becomes.length > 0) {
      const steps = align(was, becomes, likeness);
      const some = steps.some(({ kind }) => kind === 'keep' || kind === 'edit');
      if (some || !inside.flow) return editList(inside, was, becomes, steps, floor);
    }
    return replaceValue(source, entry, becomes, flow);
  }

  function editEntries(
    collection: Collection,
    steps: readonly Step[],
    floor: number,
    write: EntryWriter,
  ): readonly Splice[] {
    if (steps.every(({ kind }) => kind === 'keep' || kind === 'edit')) return [];
    return collection.flow
      ? editFlow(source, collection, steps, write)
      : editBlock(source, collection, steps, write, floor);
  }
}

/** Removed items that are looked at when one comes in another place. */
const MAX_MOVED = 100;

/** Whether the entries of a collection are those of the data that was read. */
function isWrittenIn({ kind, entries }: Collection, data: Raw): boolean {
  return kind === 'list'
    ? isRawList(data) && entries.length === data.length
    : isRawMap(data) && entries.every(({ key }) => key !== undefined && Object.hasOwn(data, key));
}

/** Maps may become one another where they share a key; everything else is the same or is not. */
function likeness(before: Raw, after: Raw): number {
  if (sameRaw(before, after)) return SAME;
  if (!isRawMap(after) || !isRawMap(before)) return 0;
  const names = Object.keys(after).filter((name) => Object.hasOwn(before, name));
  const equal = names.filter((name) => sameRaw(before[name], after[name])).length;
  return names.length === 0 ? 0 : 1 + Math.min(equal, SAME - 2);
}

import { diffArrays } from 'diff/lib/diff/array.js';
import { isRecord } from '../../../integration/core/util/json.ts';
import type { Field } from '../api/schema.ts';
import { isSame } from './document.ts';

/** A stretch in which both sides agree, or that both changed in different ways. */
export type Block<Item> = { readonly merged: readonly Item[] } | Dispute<Item>;

/** The same stretch in the version that both sides began with, and in each side's version. */
export interface Dispute<Item> {
  readonly base: readonly Item[];
  readonly theirs: readonly Item[];
  readonly mine: readonly Item[];
}

/** A value, or the text of a value, that both sides changed. */
export interface Conflict {
  /** Name of the field. */
  readonly field: string;
  /** Path of the disputed part in the value of the field, such as `['value']` in a body. */
  readonly path: readonly string[];
  /** True if the blocks are lines of a text, else the only dispute has the whole values. */
  readonly isText: boolean;
  readonly blocks: readonly Block<unknown>[];
  /** True if the other side is a tab of the same account. */
  readonly isFromTab?: boolean;
}

export type Side = 'theirs' | 'mine' | 'both';

/** Merges two changed versions of a sequence. Changes of neighboring items are a dispute, as in git. */
export function mergeSequences<Item>(
  base: readonly Item[],
  theirs: readonly Item[],
  mine: readonly Item[],
): readonly Block<Item>[] {
  const inTheirs = matchesOf(base, theirs);
  const inMine = matchesOf(base, mine);
  const blocks: Block<Item>[] = [];
  let [at, atTheirs, atMine] = [0, 0, 0];
  for (let index = 0; index <= base.length; index++) {
    const theirIndex = index === base.length ? theirs.length : inTheirs.get(index);
    const myIndex = index === base.length ? mine.length : inMine.get(index);
    if (theirIndex === undefined || myIndex === undefined) continue;
    add(blocks, {
      base: base.slice(at, index),
      theirs: theirs.slice(atTheirs, theirIndex),
      mine: mine.slice(atMine, myIndex),
    });
    if (index < base.length) add(blocks, { merged: base.slice(index, index + 1) });
    [at, atTheirs, atMine] = [index + 1, theirIndex + 1, myIndex + 1];
  }
  return blocks;
}

/**
 * Merges two changed values of a field, as inputs hold them. Objects merge by property, lists by item and texts by line.
 * Where both sides changed the same, the result has my value until a person decides.
 */
export function mergeField(
  field: Pick<Field, 'name' | 'kind' | 'list'>,
  base: unknown,
  theirs: unknown,
  mine: unknown,
): { readonly value: unknown; readonly conflicts: readonly Conflict[] } {
  const conflicts: Conflict[] = [];
  const isDivisible = !field.list && DIVISIBLE.includes(field.kind);
  const value = mergeValues(base, theirs, mine, [], isDivisible, (path, isText, blocks) =>
    conflicts.push({ field: field.name, path, isText, blocks }),
  );
  return { value, conflicts };
}

/** The value of a field with a decision for each dispute of a conflict, in their order. */
export function decide(value: unknown, conflict: Conflict, sides: readonly Side[]): unknown {
  let dispute = 0;
  const items = conflict.blocks.flatMap((block) => {
    if ('merged' in block) return block.merged;
    const side = sides[dispute++] ?? 'mine';
    return side === 'both' ? [...block.theirs, ...block.mine] : block[side];
  });
  return withPart(value, conflict.path, conflict.isText ? items.join('\n') : items[0]);
}

export function disputesOf({ blocks }: Conflict): readonly Dispute<unknown>[] {
  return blocks.filter((block) => 'base' in block);
}

/** Kinds whose properties can change independently. */
const DIVISIBLE: readonly string[] = ['object', 'formatted_text', 'image', 'file'];

type Report = (path: readonly string[], isText: boolean, blocks: readonly Block<unknown>[]) => void;

function mergeValues(
  base: unknown,
  theirs: unknown,
  mine: unknown,
  path: readonly string[],
  isDivisible: boolean,
  report: Report,
): unknown {
  if (isSame(mine, base) || isSame(mine, theirs)) return theirs;
  if (isSame(theirs, base)) return mine;
  if (isDivisible && isRecord(base) && isRecord(theirs) && isRecord(mine)) {
    const names = new Set([base, theirs, mine].flatMap(Object.keys));
    return Object.fromEntries(
      [...names].flatMap((name) => {
        const value = mergeValues(base[name], theirs[name], mine[name], [...path, name], true, report);
        return value === undefined ? [] : [[name, value]];
      }),
    );
  }
  if (isText(base) && isText(theirs) && isText(mine)) {
    const [before, other, own] = [base, theirs, mine].map((text) => text.split('\n'));
    const blocks = mergeSequences(before ?? [], other ?? [], own ?? []);
    if (blocks.every((block) => 'merged' in block)) return blocks.flatMap(({ merged }) => merged).join('\n');
    report(path, true, blocks);
    return mine;
  }
  if (Array.isArray(base) && Array.isArray(theirs) && Array.isArray(mine)) {
    const blocks = mergeSequences<unknown>(base, theirs, mine);
    if (blocks.every((block) => 'merged' in block)) return blocks.flatMap(({ merged }) => merged);
    const items = mergeItems(base, theirs, mine);
    if (items !== undefined) return items;
  }
  report(path, false, [{ base: [base], theirs: [theirs], mine: [mine] }]);
  return mine;
}

/** Objects in lists of one length, of which each side changed other properties; undefined if something is disputed. */
function mergeItems(
  base: readonly unknown[],
  theirs: readonly unknown[],
  mine: readonly unknown[],
): readonly unknown[] | undefined {
  if (base.length !== theirs.length || base.length !== mine.length) return undefined;
  if (![...base, ...theirs, ...mine].every(isDivisibleItem)) return undefined;
  let isDisputed = false;
  const items = base.map((item, index) =>
    mergeValues(item, theirs[index], mine[index], [], true, () => {
      isDisputed = true;
    }),
  );
  return isDisputed ? undefined : items;
}

/** The type and the id of a reference belong together. */
function isDivisibleItem(item: unknown): boolean {
  return isRecord(item) && !('type' in item && 'id' in item);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** Index in the other sequence of each item that is in both. */
export function matchesOf<Item>(base: readonly Item[], other: readonly Item[]): ReadonlyMap<number, number> {
  const matches = new Map<number, number>();
  let [at, atOther] = [0, 0];
  for (const { added, removed, count } of diffArrays([...base], [...other], { comparator: isSame })) {
    if (!added && !removed)
      for (let index = 0; index < count; index++) matches.set(at + index, atOther + index);
    if (!added) at += count;
    if (!removed) atOther += count;
  }
  return matches;
}

/** Adds a stretch, merged if only one side changed it or both did the same. */
function add<Item>(blocks: Block<Item>[], block: Block<Item>): void {
  if ('merged' in block) {
    const last = blocks.at(-1);
    if (last !== undefined && 'merged' in last)
      blocks[blocks.length - 1] = { merged: [...last.merged, ...block.merged] };
    else blocks.push(block);
    return;
  }
  const { base, theirs, mine } = block;
  if (isSame(mine, base) || isSame(mine, theirs)) {
    if (theirs.length > 0) add(blocks, { merged: theirs });
  } else if (isSame(theirs, base)) {
    if (mine.length > 0) add(blocks, { merged: mine });
  } else {
    blocks.push(block);
  }
}

function withPart(value: unknown, [name, ...rest]: readonly string[], part: unknown): unknown {
  if (name === undefined) return part;
  const record = isRecord(value) ? value : {};
  return { ...record, [name]: withPart(record[name], rest, part) };
}

import { type KeyStep, keyName, type ValueGroups, type ValueKey } from '../resolve/resolve-key.ts';
import type { Column } from '../store/column.ts';
import { Dictionary } from '../store/dictionary.ts';
import { EXACT_ORDERING, type Ordering, type Raw } from '../store/ordering.ts';
import { NULL_CODE } from '../store/postings.ts';
import type { Table } from '../store/table.ts';
import { allSteps, withoutSlices } from '../time-slices.ts';
import { type DerivedCache, derive } from './derived-cache.ts';
import { type PlanContext, targetRow } from './plan.ts';

/** The keys of a table's rows at a path. */
export interface FacetKeys {
  /** One key per row; per item if `offsets` is not null. The items of a row are of different classes. */
  readonly codes: Int32Array;
  readonly offsets: Int32Array | null;
  readonly values: KeyValues;
}

/** The values of keys, in order. Adjacent values that are equal but spelled differently are a class. */
export interface KeyValues extends Pick<Dictionary, 'size' | 'classes' | 'raw'> {
  readonly ordering: Ordering;
}

export type FacetCache = DerivedCache<FacetKeys>;

/** The keys of all rows along a path. Targets that the actor may not see have no key. */
export function facetKeys(
  step: KeyStep,
  table: Table,
  context: Pick<PlanContext, 'table' | 'visible'>,
  cache: FacetCache,
): FacetKeys {
  if (step.kind === 'none') {
    return { codes: new Int32Array(table.size).fill(NULL_CODE), offsets: null, values: listValues([]) };
  }
  const column = table.column(step.slot);
  const { dictionary } = column;
  const values = valuesOf(dictionary, table.ordering(step.slot));
  if (step.kind === 'join') return joinedKeys(step, column, table, context, cache);
  if (step.targets !== undefined) return targetKeys(step, column, table, context, cache);
  if (countsCodes(step)) return { codes: column.codes, offsets: null, values };
  const { groups, delta } = step;
  return derive(cache, column, keyName(step), [column.codes], () =>
    groups === undefined
      ? mapItems(column, delta, { starts: null, keys: null }, values)
      : mapItems(column, delta, ...groupCodes(dictionary, values.ordering, groups)),
  );
}

/** True if the keys are the codes of a column. Other keys are derived and cached. */
export function countsCodes(step: KeyStep): boolean {
  if (step.kind !== 'value') return false;
  const { slot, delta, groups, targets } = step;
  return !slot.list && delta === null && groups === undefined && targets === undefined;
}

/** The codes of a reference column, without those of targets that are missing or that the actor may not see. */
function targetKeys(
  step: ValueKey,
  column: Column,
  table: Table,
  context: Pick<PlanContext, 'table' | 'visible'>,
  cache: FacetCache,
): FacetKeys {
  const targets = (step.targets ?? []).flatMap((type) => {
    const target = context.table(type.name);
    return target === undefined
      ? []
      : [{ join: table.join(column, target), visible: context.visible(target) }];
  });
  const inputs = [column.codes, ...targets.flatMap(({ join, visible }) => [join, visible])];
  return derive(cache, column, keyName(step), inputs, () => {
    const keys = new Int32Array(column.dictionary.size).fill(NULL_CODE);
    for (const { join, visible } of targets) {
      for (let code = 0; code < keys.length; code++) {
        if (targetRow(join, code, visible) !== -1) keys[code] = code;
      }
    }
    return mapItems(column, step.delta, { starts: null, keys }, valuesOf(column.dictionary, EXACT_ORDERING));
  });
}

/** The keys that a reference column takes from its visible targets. */
function joinedKeys(
  step: Extract<KeyStep, { readonly kind: 'join' }>,
  column: Column,
  table: Table,
  context: Pick<PlanContext, 'table' | 'visible'>,
  cache: FacetCache,
): FacetKeys {
  const targets = step.targets.flatMap(({ type, key }) => {
    const target = context.table(type.name);
    if (target === undefined || key.kind === 'none') return [];
    const keys = facetKeys(key, target, context, cache);
    return [{ keys, join: table.join(column, target), visible: context.visible(target) }];
  });
  const inputs = [
    column.codes,
    ...targets.flatMap(({ keys, join, visible }) => [keys.codes, keys.offsets, join, visible]),
  ];
  return derive(cache, column, keyName(step), inputs, () => {
    const { values, translate } = commonValues(targets.map(({ keys }) => keys.values));
    const starts = new Int32Array(column.dictionary.size + 1);
    const keys: number[] = [];
    for (let code = 0; code < column.dictionary.size; code++) {
      targets.forEach(({ keys: { codes, offsets }, join, visible }, target) => {
        const row = targetRow(join, code, visible);
        if (row === -1) return;
        const end = offsets === null ? row + 1 : offsets[row + 1]!;
        for (let i = offsets === null ? row : offsets[row]!; i < end; i++) {
          if (codes[i] !== NULL_CODE) keys.push(translate(target, codes[i]!));
        }
      });
      starts[code + 1] = keys.length;
    }
    return mapItems(column, step.delta, { starts, keys: Int32Array.from(keys) }, values);
  });
}

/** The keys of the codes of a column: of each code itself (null), one per code, or `keys[starts[code] … starts[code + 1])`. */
interface KeysOfCodes {
  readonly starts: Int32Array | null;
  readonly keys: Int32Array | null;
}

/** Replaces the codes of each row by their keys. A row keeps one key of each class. */
function mapItems(
  column: Column,
  delta: number | null,
  { starts, keys }: KeysOfCodes,
  values: KeyValues,
): FacetKeys {
  const { codes, offsets: itemOffsets, size } = column;
  const { classes } = values;
  const lastRow = new Int32Array(values.size).fill(-1);
  const mapped: number[] = [];
  const offsets = new Int32Array(size + 1);
  let isSingle = true;
  const add = (row: number, key: number) => {
    const group = classes === null ? key : classes[key]!;
    if (lastRow[group] === row) return;
    lastRow[group] = row;
    mapped.push(key);
  };
  for (let row = 0; row < size; row++) {
    const first = itemOffsets === null ? row : itemOffsets[row]!;
    const last = itemOffsets === null ? row + 1 : itemOffsets[row + 1]!;
    const from = delta === null ? first : first + delta;
    const to = delta === null ? last : Math.min(from + 1, last);
    for (let i = from; i < to; i++) {
      const code = codes[i]!;
      if (code === NULL_CODE) continue;
      if (starts !== null && keys !== null) {
        for (let k = starts[code]!; k < starts[code + 1]!; k++) add(row, keys[k]!);
      } else {
        const key = keys === null ? code : keys[code]!;
        if (key !== NULL_CODE) add(row, key);
      }
    }
    if (mapped.length - offsets[row]! > 1) isSingle = false;
    offsets[row + 1] = mapped.length;
  }
  const all = Int32Array.from(mapped);
  return isSingle
    ? { codes: oneKeyPerRow(all, offsets), offsets: null, values }
    : { codes: all, offsets, values };
}

function oneKeyPerRow(keys: Int32Array, offsets: Int32Array): Int32Array {
  const single = new Int32Array(offsets.length - 1);
  for (let row = 0; row < single.length; row++) {
    single[row] = offsets[row] === offsets[row + 1] ? NULL_CODE : keys[offsets[row]!]!;
  }
  return single;
}

/** The group of each code, and the groups. */
function groupCodes(
  dictionary: Dictionary,
  ordering: Ordering,
  groups: ValueGroups,
): [KeysOfCodes, KeyValues] {
  const { size } = dictionary;
  const keys = new Int32Array(size);
  if (groups.kind === 'ranges') {
    const starts = groups.bounds.map((bound) => dictionary.lowerBound(ordering.order(bound)));
    starts.forEach((start, i) => {
      keys.fill(i + 1, start);
    });
    return [{ starts: null, keys }, listValues(Array.from({ length: starts.length + 1 }, (_, i) => i))];
  }
  const texts: string[] = [];
  for (let code = 0; code < size; code++) {
    const text = dateText(dictionary.raw(code), ordering).slice(0, INTERVAL_LENGTHS[groups.interval]);
    if (text !== texts.at(-1)) texts.push(text);
    keys[code] = texts.length - 1;
  }
  return [{ starts: null, keys }, listValues(texts)];
}

/** `YYYY-MM-DD`, in UTC. */
function dateText(raw: Raw, { order }: Ordering): string {
  const instant = order(raw);
  return typeof instant === 'number' ? new Date(instant).toISOString() : instant;
}

const INTERVAL_LENGTHS = { year: 4, month: 7, day: 10 } as const;

function listValues(raws: readonly Raw[]): KeyValues {
  return { size: raws.length, classes: null, raw: (key) => raws[key]!, ordering: EXACT_ORDERING };
}

function valuesOf(dictionary: Dictionary, ordering: Ordering): KeyValues {
  return {
    size: dictionary.size,
    get classes() {
      return dictionary.classes;
    },
    raw: (key) => dictionary.raw(key),
    ordering,
  };
}

/** One order for the values of several target types. */
function commonValues(all: readonly KeyValues[]): {
  readonly values: KeyValues;
  translate(target: number, key: number): number;
} {
  const [first = listValues([])] = all;
  if (all.length <= 1) return { values: first, translate: (_, key) => key };
  const raws = all.map(({ size, raw }) => Array.from({ length: size }, (_, key) => raw(key)));
  const distinct = [...new Set(raws.flat())];
  const { dictionary, codes } = allSteps(Dictionary.of(first.ordering, distinct));
  withoutSlices(() => dictionary.classes);
  const keyOfRaw = new Map(distinct.map((raw, i) => [raw, codes[i]!]));
  const translated = raws.map((list) => list.map((raw) => keyOfRaw.get(raw)!));
  return {
    values: valuesOf(dictionary, first.ordering),
    translate: (target, key) => translated[target]![key]!,
  };
}

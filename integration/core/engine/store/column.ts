import type { Entity } from '../../content/model.ts';
import { STEP } from '../../util/steps.ts';
import { checkSlice } from '../time-slices.ts';
import { Bitmap } from './bitmap.ts';
import { Dictionary } from './dictionary.ts';
import type { Ordering, Raw } from './ordering.ts';
import { createSortOrder, groupRows, NULL_CODE, type Postings, type SortOrder } from './postings.ts';
import type { Slot } from './slot.ts';

/**
 * One slot of every row as codes into a dictionary of its distinct values. A single slot has one code per row; a list
 * slot has `offsets` (row count + 1) into the codes of its items. Codes are in the order of values, so ranges of values
 * are ranges of codes. Postings, bitmaps and sort orders are built when first needed.
 */
export class Column {
  readonly slot: Slot;
  readonly dictionary: Dictionary;
  #codes: Int32Array;
  #offsets: Int32Array | null;
  #generation = 0;
  /** Values replaced or removed since the column was built: the dictionary may still have them. */
  #stale = 0;
  #postings: Postings | undefined;
  #dense = new Map<number, Bitmap>();
  #sortOrders = new Map<'ASC' | 'DESC', SortOrder>();

  /** A column from its parts. */
  constructor(slot: Slot, dictionary: Dictionary, codes: Int32Array, offsets: Int32Array | null) {
    this.slot = slot;
    this.dictionary = dictionary;
    this.#codes = codes;
    this.#offsets = offsets;
  }

  /** Builds a column in short steps. */
  static *build(
    slot: Slot,
    ordering: Ordering,
    entities: readonly Entity[],
  ): Generator<void, Column, undefined> {
    const seen = new Map<Raw, number>();
    const codeOf = (raw: Raw | null): number => {
      if (raw === null) return NULL_CODE;
      const code = seen.get(raw) ?? seen.size;
      if (code === seen.size) seen.set(raw, code);
      return code;
    };
    const { codes, offsets } = yield* readCodes(slot, entities, codeOf);
    const { dictionary, codes: sorted } = yield* Dictionary.of(ordering, [...seen.keys()]);
    for (let i = 0; i < codes.length; i++) {
      const code = codes[i]!;
      if (code !== NULL_CODE) codes[i] = sorted[code]!;
    }
    return new Column(slot, dictionary, codes, offsets);
  }

  /** One code per row; per item if `offsets` is not null. */
  get codes(): Int32Array {
    return this.#codes;
  }

  get offsets(): Int32Array | null {
    return this.#offsets;
  }

  /** Grows with every change of the dictionary. */
  get generation(): number {
    return this.#generation;
  }

  get size(): number {
    return this.#offsets === null ? this.#codes.length : this.#offsets.length - 1;
  }

  /** True if much of the dictionary may be unused, so that the column should be rebuilt. */
  get isFragmented(): boolean {
    return this.#stale > 1000 && this.#stale > this.dictionary.size / 2;
  }

  /** Rows by code, without duplicates. Rows with a null or no item are under -1. */
  get postings(): Postings {
    if (this.#postings === undefined) {
      this.#postings = groupRows(this.#codes, this.#offsets, this.dictionary.size);
      checkSlice();
    }
    return this.#postings;
  }

  /** The rows with one code as a bitmap; cached. */
  denseRows(code: number): Bitmap {
    let bitmap = this.#dense.get(code);
    if (bitmap === undefined) {
      const { starts, rows } = this.postings;
      bitmap = Bitmap.of(this.size, rows.subarray(starts[code + 1]!, starts[code + 2]!));
      this.#dense.set(code, bitmap);
    }
    return bitmap;
  }

  /** Sort keys and the rows in their order; a list by its smallest (ASC) or largest (DESC) item. */
  sortOrder(direction: 'ASC' | 'DESC'): SortOrder {
    const side = this.#offsets === null ? 'ASC' : direction;
    let order = this.#sortOrders.get(side);
    if (order === undefined) {
      order = createSortOrder(this.#sortKeys(side));
      this.#sortOrders.set(side, order);
      checkSlice();
    }
    return order;
  }

  /** Removes the row or not, then inserts a row for the entity if there is one. */
  splice(row: number, removed: 0 | 1, entity: Entity | undefined): void {
    const added = entity === undefined ? 0 : 1;
    const from = this.#offsets === null ? row : this.#offsets[row]!;
    const to = this.#offsets === null ? row + removed : this.#offsets[row + removed]!;
    const codes = entity === undefined ? [] : this.#internAll(rawsOf(this.slot, entity));
    const before = this.#codes.subarray(from, to);
    if (removed === added && codes.length === before.length && codes.every((code, i) => code === before[i]))
      return;
    this.#stale += before.length;
    this.#codes = splice(this.#codes, from, to, codes);
    if (this.#offsets !== null)
      this.#offsets = spliceOffsets(this.#offsets, row, removed, added, codes.length);
    this.#clearDerived();
  }

  #clearDerived(): void {
    this.#postings = undefined;
    this.#dense.clear();
    this.#sortOrders.clear();
  }

  #internAll(raws: readonly (Raw | null)[]): number[] {
    const codes: number[] = [];
    for (const raw of raws) {
      if (raw === null) {
        codes.push(NULL_CODE);
        continue;
      }
      const { code, added } = this.dictionary.intern(raw);
      if (added) {
        shiftCodes(this.#codes, code);
        shiftCodes(codes, code);
        this.#generation++;
        this.#clearDerived();
      }
      codes.push(code);
    }
    return codes;
  }

  #sortKeys(side: 'ASC' | 'DESC'): Int32Array {
    const { classes } = this.dictionary;
    return this.#offsets === null && classes === null ? this.#codes : this.bestKeys(classes, null, side);
  }

  /**
   * The smallest (ASC) or largest (DESC) key of each row's items, or of its item `delta`, ignoring nulls. `keyOfCode` is
   * null if codes are keys.
   */
  bestKeys(keyOfCode: Int32Array | null, delta: number | null, direction: 'ASC' | 'DESC'): Int32Array {
    const codes = this.#codes;
    const offsets = this.#offsets;
    const keys = new Int32Array(this.size).fill(NULL_CODE);
    for (let row = 0; row < keys.length; row++) {
      const start = offsets === null ? row : offsets[row]!;
      const end = offsets === null ? row + 1 : offsets[row + 1]!;
      const from = start + (delta ?? 0);
      const to = delta === null ? end : Math.min(from + 1, end);
      let best = NULL_CODE;
      for (let i = from; i < to; i++) {
        const code = codes[i]!;
        const key = code === NULL_CODE || keyOfCode === null ? code : keyOfCode[code]!;
        if (key === NULL_CODE) continue;
        if (best === NULL_CODE || (direction === 'ASC' ? key < best : key > best)) best = key;
      }
      keys[row] = best;
    }
    return keys;
  }
}

function* readCodes(
  slot: Slot,
  entities: readonly Entity[],
  codeOf: (raw: Raw | null) => number,
): Generator<void, { codes: Int32Array; offsets: Int32Array | null }, undefined> {
  const codes: number[] = [];
  const offsets = slot.list ? new Int32Array(entities.length + 1) : null;
  for (let row = 0; row < entities.length; row++) {
    for (const raw of rawsOf(slot, entities[row]!)) codes.push(codeOf(raw));
    if (offsets !== null) offsets[row + 1] = codes.length;
    if (row % STEP === 0) yield;
  }
  return { codes: Int32Array.from(codes), offsets };
}

function rawsOf(slot: Slot, entity: Entity): readonly (Raw | null)[] {
  const value = slot.read(entity);
  return isList(value) ? value : [value];
}

function isList(value: ReturnType<Slot['read']>): value is readonly (Raw | null)[] {
  return Array.isArray(value);
}

/** A copy of the array with other items at `[from, to)`. */
function splice(array: Int32Array, from: number, to: number, items: readonly number[]): Int32Array {
  const result = new Int32Array(array.length - (to - from) + items.length);
  result.set(array.subarray(0, from));
  result.set(items, from);
  result.set(array.subarray(to), from + items.length);
  return result;
}

/** Offsets after the items of a row were replaced. */
function spliceOffsets(
  offsets: Int32Array,
  row: number,
  removed: 0 | 1,
  added: 0 | 1,
  items: number,
): Int32Array {
  const start = offsets[row]!;
  const growth = items - (offsets[row + removed]! - start);
  const result = splice(offsets, row + 1, row + 1 + removed, added === 1 ? [start + items] : []);
  for (let i = row + 1 + added; i < result.length; i++) result[i]! += growth;
  return result;
}

function shiftCodes(codes: Int32Array | number[], from: number): void {
  for (let i = 0; i < codes.length; i++) if (codes[i]! >= from) codes[i]!++;
}

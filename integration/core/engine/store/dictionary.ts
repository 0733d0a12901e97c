import { mapInSteps, STEP, sortInSteps } from '../../util/steps.ts';
import { onceInSlices } from '../time-slices.ts';
import { binarySearch, compareRaw, foldText, type Ordering, type Raw } from './ordering.ts';
import { createTextSearch, type TextOperator, type TextSearch } from './text-search.ts';

/** A hash of the values pays off after this many look-ups. */
const HASH_AFTER = 4;

/**
 * The distinct values of a column in order. A value's position is its code, so every comparison is a range of codes.
 * Adjacent values that are equal but spelled differently are a class.
 */
export class Dictionary {
  readonly #ordering: Ordering;
  #size: number;
  readonly #values: () => Values;
  #classes: (() => Int32Array | null) | undefined;
  #hash: Map<Raw, number> | undefined;
  #lookups = 0;
  #search: (() => TextSearch) | undefined;

  private constructor(ordering: Ordering, size: number, values: () => Values) {
    this.#ordering = ordering;
    this.#size = size;
    this.#values = values;
  }

  /** Builds a dictionary of distinct values in short steps. `codes` are the codes of the given values. */
  static *of(
    ordering: Ordering,
    distinct: readonly Raw[],
  ): Generator<void, { dictionary: Dictionary; codes: Int32Array }, undefined> {
    const orders = yield* mapInSteps(distinct, (raw) => ordering.order(raw));
    let positions = distinct.map((_, i) => i);
    // Collators are slow, and sorting an almost sorted list is fast: so sort by lower-cased code units first.
    if (typeof distinct[0] === 'string' && ordering.compare !== compareRaw) {
      const folded = yield* mapInSteps(distinct, (raw) => String(raw).toLowerCase());
      positions = yield* sortInSteps(positions, (a, b) => compareRaw(folded[a]!, folded[b]!));
    }
    positions = yield* sortInSteps(
      positions,
      (a, b) => ordering.compare(orders[a]!, orders[b]!) || compareRaw(distinct[a]!, distinct[b]!),
    );
    const codes = new Int32Array(distinct.length);
    positions.forEach((position, code) => {
      codes[position] = code;
    });
    const values: Values = {
      raws: positions.map((position) => distinct[position]!),
      orders: positions.map((position) => orders[position]!),
    };
    return { dictionary: new Dictionary(ordering, distinct.length, () => values), codes };
  }

  /** A dictionary of values in order, which are read when they are needed. `classes` is given if some are equal. */
  static stored(
    ordering: Ordering,
    size: number,
    classes: Int32Array | null,
    read: () => readonly Raw[],
  ): Dictionary {
    let values: Values | undefined;
    const dictionary = new Dictionary(ordering, size, () => {
      if (values === undefined) {
        const raws = [...read()];
        values = { raws, orders: raws.map((raw) => ordering.order(raw)) };
      }
      return values;
    });
    dictionary.#classes = () => classes;
    return dictionary;
  }

  get size(): number {
    return this.#size;
  }

  raw(code: number): Raw {
    return this.#values().raws[code]!;
  }

  /** The class of each code, or null if every code is its own class. Classes ascend with codes. */
  get classes(): Int32Array | null {
    this.#classes ??= onceInSlices(this.#findClasses());
    return this.#classes();
  }

  /** One value of each class. */
  classValues(): Raw[] {
    const { classes } = this;
    const values: Raw[] = [];
    for (let code = 0; code < this.size; code++) {
      values[classes === null ? code : classes[code]!] ??= this.raw(code);
    }
    return values;
  }

  /** The first code not below a value, which need not be in the dictionary. */
  lowerBound(order: Raw): number {
    return this.#bound(order, false);
  }

  /** The first code above a value. */
  upperBound(order: Raw): number {
    return this.#bound(order, true);
  }

  /** The codes `[from, to)` of values equal to a value. */
  equalRange(raw: Raw): readonly [number, number] {
    const code = this.#hashedCode(raw);
    const order = this.#ordering.order(raw);
    if (code !== undefined) {
      const { classes } = this;
      if (classes === null) return [code, code + 1];
    }
    const from = this.lowerBound(order);
    const { orders } = this.#values();
    let to = from;
    while (to < this.size && this.#ordering.compare(orders[to]!, order) === 0) to++;
    return [from, to];
  }

  /** The codes, ascending, of texts that satisfy the operator. `folded` is the operand after `foldText`. */
  search(operator: TextOperator, folded: string): number[] {
    const fold = (raw: Raw) => foldText(this.#ordering.text(raw));
    this.#search ??= onceInSlices(createTextSearch(mapInSteps(this.#values().raws, fold)));
    return this.#search().find(operator, folded);
  }

  /** The code of a value. If the value is `added`, the codes from it on have moved up by one. */
  intern(raw: Raw): { code: number; added: boolean } {
    const order = this.#ordering.order(raw);
    const { raws, orders } = this.#values();
    let code = this.lowerBound(order);
    while (code < this.size && this.#ordering.compare(orders[code]!, order) === 0) {
      const sign = compareRaw(raws[code]!, raw);
      if (sign === 0) return { code, added: false };
      if (sign > 0) break;
      code++;
    }
    raws.splice(code, 0, raw);
    orders.splice(code, 0, order);
    this.#size++;
    this.#classes = undefined;
    this.#hash = undefined;
    this.#lookups = 0;
    this.#search = undefined;
    return { code, added: true };
  }

  #hashedCode(raw: Raw): number | undefined {
    if (this.#hash === undefined) {
      if (++this.#lookups < HASH_AFTER) return undefined;
      this.#hash = new Map(this.#values().raws.map((value, code) => [value, code]));
    }
    return this.#hash.get(raw);
  }

  #bound(order: Raw, pastEqual: boolean): number {
    const { orders } = this.#values();
    return binarySearch(this.size, (code) => {
      const sign = this.#ordering.compare(orders[code]!, order);
      return sign < 0 || (pastEqual && sign === 0);
    });
  }

  *#findClasses(): Generator<void, Int32Array | null, undefined> {
    const { orders } = this.#values();
    const classes = new Int32Array(this.size);
    let current = -1;
    for (let code = 0; code < classes.length; code++) {
      const same = code > 0 && this.#ordering.compare(orders[code - 1]!, orders[code]!) === 0;
      if (!same) current++;
      classes[code] = current;
      if (code % STEP === 0) yield;
    }
    return current + 1 === classes.length ? null : classes;
  }
}

/** The values by code, and what their ordering compares. */
interface Values {
  readonly raws: Raw[];
  readonly orders: Raw[];
}

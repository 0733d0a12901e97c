import type { FieldDefinition, ResourceType } from '../content/model.ts';
import type { PlanContext } from './plan/plan.ts';
import { type SortCache, sortedKeys } from './plan/sort-keys.ts';
import type { ResolvedSort } from './resolve/resolve-sort.ts';
import { NULL_CODE, type SortOrder } from './store/postings.ts';
import { hasRow, type RowSet } from './store/row-set.ts';
import { createSlot } from './store/slot.ts';
import type { Table } from './store/table.ts';
import type { FieldBoost } from './text/words.ts';

/** What multiplies the scores of the rows of a table, in short steps. See `boostScores`. */
export function boostRows(
  boost: FieldBoost,
  table: Table,
  context: PlanContext,
  visible: RowSet,
): (scores: Float64Array) => Generator<void, void, undefined> {
  const key = boostKey(table.type, boost);
  const values = key === undefined ? [] : valuesOf(boost, key, table, context);
  return (scores) => boostScores(scores, values, boost, visible);
}

/** The largest value of the field in a row. Undefined if the field does not have values that the boost needs. */
export function boostKey(type: ResourceType, boost: FieldBoost): ResolvedSort | undefined {
  const field = type.fields.get(boost.field);
  if (field === undefined || !isBoosting(boost, field)) return undefined;
  const key = { kind: 'value', slot: createSlot(type, [field.name], [field]), delta: null } as const;
  return { direction: 'DESC', path: field.name, key };
}

/** True if a field has the values that a boost needs: dates with a half-life, else numbers. */
export function isBoosting({ halfLifeDays }: FieldBoost, { kind }: Pick<FieldDefinition, 'kind'>): boolean {
  return halfLifeDays === undefined ? NUMBERS.has(kind) : DATES.has(kind);
}

const DATES: ReadonlySet<string> = new Set(['date', 'datetime']);
const NUMBERS: ReadonlySet<string> = new Set(['integer', 'number', 'decimal']);

/** The value of each row: a number, or milliseconds; NaN for none. */
function valuesOf(
  { halfLifeDays }: FieldBoost,
  key: ResolvedSort,
  table: Table,
  context: PlanContext,
): Float64Array {
  const { order, values } = sortedKeys(key, table, context, sortCache);
  const known = numbers.get(order);
  if (known !== undefined) return known;
  const byKey = values().map((raw) => (halfLifeDays === undefined ? Number(raw) : Date.parse(String(raw))));
  const found = Float64Array.from(order.keys, (at) => (at === NULL_CODE ? Number.NaN : byKey[at]!));
  numbers.set(order, found);
  return found;
}

const sortCache: SortCache = new WeakMap();
const numbers = new WeakMap<SortOrder, Float64Array>();

/**
 * In short steps: multiplies scores by values of rows. The age of a date is the time to the newest one of a visible row, so results
 * depend neither on a clock nor on hidden content.
 */
export function* boostScores(
  scores: Float64Array,
  values: ArrayLike<number>,
  { halfLifeDays, weight }: FieldBoost,
  visible: RowSet,
): Generator<void, void, undefined> {
  let newest = Number.NEGATIVE_INFINITY;
  if (halfLifeDays !== undefined) {
    for (let row = 0; row < values.length; row++)
      if (values[row]! > newest && hasRow(visible, row)) newest = values[row]!;
    yield;
  }
  for (let row = 0; row < values.length; row++) {
    const value = values[row]!;
    if (scores[row] === 0 || Number.isNaN(value)) continue;
    const share =
      halfLifeDays === undefined
        ? Math.log10(1 + Math.max(0, value))
        : 0.5 ** ((newest - value) / (halfLifeDays * DAY_MS));
    scores[row]! *= 1 + weight * share;
  }
  yield;
}

const DAY_MS = 86_400_000;

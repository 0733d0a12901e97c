import { emptyMap } from '../../source/data.ts';
import { type DateTimeForm, writeDateTime } from '../../source/date-time.ts';
import {
  isRawList,
  isRawMap,
  type Raw,
  type RawMap,
  scalarText,
  unquoted,
  unquotedText,
} from '../../source/edit/raw.ts';
import { type DateReading, writeLikeDate } from '../../source/written-date.ts';
import type { JsonValue } from '../../util/json.ts';
import { isRecord } from '../../util/json.ts';
import type { FieldDefinition, FieldValue } from '../model.ts';
import { isOddItem } from '../schema/infer.ts';
import { encodeFileLink, encodeReference, type ReferenceContext } from './encode-link.ts';
import { itemsOf, sameItem, sameJson } from './same-value.ts';

export interface ValueContext extends ReferenceContext {
  /** Key of the file in which the value is written. */
  readonly from: string;
  /** IANA name of the zone of dates without an offset. Default: UTC. */
  readonly timeZone: string | undefined;
}

/** Choices that the schema may decide. */
export interface ValueForm {
  readonly dateTime: DateTimeForm;
  /** Write properties that are null even if the file does not have them. */
  readonly nulls: boolean;
}

/** The present value of a field: as written and as decoded. */
export interface PresentValue {
  readonly raw: Raw | undefined;
  readonly value: FieldValue | undefined;
}

/** The value as it is written. Parts that are in the file already stay as they are written there. */
export function encodeValue(
  field: FieldDefinition,
  value: FieldValue,
  present: PresentValue,
  context: ValueContext,
  form: ValueForm,
): Raw {
  if (field.kind === 'json') return mergeJson(present.raw, value);
  if (!field.list) return encodeItem(field, value, present, context, form);
  const before = presentItems(field, present);
  const items = pairUp(
    itemsOf(value),
    before,
    (item, each) => isWritten(field, item, each),
    (item, same, index): Raw => {
      const example = before[index] ?? before[0] ?? NOTHING;
      return same === undefined ? encodeItem(field, item, example, context, form) : (same.raw ?? null);
    },
  );
  const [only] = items;
  const isBare = present.raw !== undefined && present.raw !== null && !isRawList(present.raw);
  return isBare && items.length === 1 && only !== undefined ? only : withUnread(field, items, present.raw);
}

/** With the items of the file that have no value, at their places. */
function withUnread(field: FieldDefinition, items: readonly Raw[], before: Raw | undefined): readonly Raw[] {
  const all = [...items];
  if (isRawList(before)) {
    for (const [index, item] of before.entries()) if (isUnread(field, item)) all.splice(index, 0, item);
  }
  return all;
}

function isUnread({ kind }: FieldDefinition, item: Raw): boolean {
  return item === null || (kind !== 'object' && isRawMap(item) && isOddItem(item));
}

const NOTHING: PresentValue = { raw: undefined, value: undefined };

function encodeItem(
  field: FieldDefinition,
  value: FieldValue,
  present: PresentValue,
  context: ValueContext,
  form: ValueForm,
): Raw {
  if (isWritten(field, value, present)) return present.raw ?? null;
  const before = present.raw;
  switch (field.kind) {
    case 'reference':
      return isRecord(value)
        ? encodeReference({ type: String(value.type), id: String(value.id) }, field, before, context)
        : null;
    case 'image':
    case 'file':
      return encodeFileLink(value, before, context.from, field.name);
    case 'object':
      return isRecord(value) ? encodeObject(field, value, present, context, form) : null;
    case 'datetime':
      return typeof value === 'string'
        ? encodeDateTime(value, before, form.dateTime, readingOf(field, context))
        : null;
    case 'date':
      return typeof value === 'string' ? encodeDay(value, before, readingOf(field, context)) : null;
    case 'decimal':
      // Stays a number if it was one.
      return typeof before === 'number' || unquotedText(before) !== undefined
        ? unquoted(String(value))
        : String(value);
    case 'string':
      return scalarLike(value, before, context) ?? mergeJson(undefined, value);
    case 'integer':
    case 'number':
    case 'boolean':
    case 'json':
    case 'formatted_text':
      return mergeJson(undefined, value);
    default:
      return field.kind satisfies never;
  }
}

/**
 * A boolean or a number in a field of strings that has others: without quotes, as before. With a schema only in the place of
 * its own kind.
 */
function scalarLike(value: FieldValue, before: Raw | undefined, { byForm }: ValueContext): Raw | undefined {
  const was = typeof plainOf(before ?? null);
  const isBoolean = value === 'true' || value === 'false';
  const is = isBoolean ? 'boolean' : typeof value === 'string' && NUMERAL.test(value) ? 'number' : undefined;
  const isScalar = was === 'boolean' || was === 'number';
  if (is === undefined || !(byForm ? isScalar : is === was)) return undefined;
  return isBoolean ? value === 'true' : unquoted(String(value));
}

const NUMERAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/** How the dates of a field are read and written. */
export function readingOf(
  { dayFirst, dayFirstOnce }: FieldDefinition,
  { timeZone }: Pick<ValueContext, 'timeZone'>,
): DateReading {
  return { timeZone, dayFirst, dayFirstOnce };
}

/** A day in the form of `before`. */
export function encodeDay(value: string, before: Raw | undefined, reading: DateReading): Raw {
  const text = scalarText(before);
  return unquoted((text === undefined ? undefined : writeLikeDate(value, text, reading)) ?? value);
}

export function encodeDateTime(
  value: string,
  before: Raw | undefined,
  form: DateTimeForm,
  reading: DateReading,
): Raw {
  const text = scalarText(before);
  const alike = form === 'as before' && text !== undefined ? writeLikeDate(value, text, reading) : undefined;
  return unquoted(alike ?? writeDateTime(value, text, form, reading.timeZone));
}

function encodeObject(
  field: FieldDefinition,
  value: Readonly<Record<string, JsonValue>>,
  present: PresentValue,
  context: ValueContext,
  form: ValueForm,
): RawMap {
  const before = isRawMap(present.raw) ? present.raw : emptyMap<Raw>();
  const decoded = isRecord(present.value ?? null) ? (present.value as typeof value) : undefined;
  const map = emptyMap<Raw>();
  for (const name of new Set([...Object.keys(before), ...Object.keys(value)])) {
    if (!Object.hasOwn(value, name)) continue;
    const item = value[name] ?? null;
    const part = field.properties[name];
    const raw = Object.hasOwn(before, name) ? before[name] : undefined;
    // Text that is read as null, such as `""` in a field of dates, stays as long as the value is null.
    const stays = item === null && raw !== undefined && decoded?.[name] === null;
    if (item === null && raw !== null && !stays && !form.nulls) continue;
    map[name] = stays
      ? raw
      : part === undefined || item === null
        ? mergeJson(raw, item)
        : encodeValue(part, item, { raw, value: decoded?.[name] }, context, form);
  }
  return map;
}

/** Pairs of items that are compared; items of longer lists are compared at the same index only. */
const MAX_COMPARED = 250_000;

/** Makes an item of each value, with the equal item of `before` if there is one. Each of these is used once. */
function pairUp<Item, Before, Made>(
  items: readonly Item[],
  before: readonly Before[],
  isEqual: (item: Item, each: Before) => boolean,
  make: (item: Item, equal: Before | undefined, index: number) => Made,
): readonly Made[] {
  const used = new Set<number>();
  const take = (item: Item, at: number): Before | undefined => {
    const each = before[at];
    if (each === undefined || used.has(at) || !isEqual(item, each)) return undefined;
    used.add(at);
    return each;
  };
  const sameIndex = items.map((item, index) => take(item, index));
  const isShort = items.length * before.length <= MAX_COMPARED;
  return items.map((item, index) => {
    let equal = sameIndex[index];
    for (let at = 0; isShort && equal === undefined && at < before.length; at += 1) equal = take(item, at);
    return make(item, equal, index);
  });
}

/** Items that have a value, with their decoded values if both lists have the same length. */
function presentItems(field: FieldDefinition, { raw, value }: PresentValue): readonly PresentValue[] {
  const written = (isRawList(raw) ? raw : raw === undefined ? [] : [raw]).filter(
    (item) => !isUnread(field, item),
  );
  const decoded = itemsOf(value ?? null);
  const isPaired = decoded.length === written.length;
  return written.map((item, index) => ({ raw: item, value: isPaired ? decoded[index] : undefined }));
}

/** True if the present value means the new one already. */
function isWritten(
  field: FieldDefinition,
  value: FieldValue,
  { raw, value: present }: PresentValue,
): boolean {
  return (raw ?? null) !== null && (present ?? null) !== null && sameItem(field, present ?? null, value);
}

/** The JSON value, with equal parts of `before` as they are written. */
function mergeJson(before: Raw | undefined, value: JsonValue): Raw {
  if (before !== undefined && sameJson(plainOf(before), value)) return before;
  if (Array.isArray(value)) {
    return pairUp(
      value as readonly JsonValue[],
      isRawList(before) ? before : [],
      (item, each) => sameJson(plainOf(each), item),
      (item, equal) => equal ?? mergeJson(undefined, item),
    );
  }
  if (!isRecord(value)) return value as Raw;
  const former = isRawMap(before) ? before : emptyMap<Raw>();
  const map = emptyMap<Raw>();
  for (const name of new Set([...Object.keys(former), ...Object.keys(value)])) {
    if (Object.hasOwn(value, name)) map[name] = mergeJson(former[name], value[name] ?? null);
  }
  return map;
}

/** The raw value as JSON; a number is that number in any spelling. */
export function plainOf(raw: Raw): JsonValue {
  const text = unquotedText(raw);
  if (text !== undefined) return Number.isNaN(Number(text)) ? text : Number(text);
  if (isRawList(raw)) return raw.map(plainOf);
  if (!isRawMap(raw)) return raw as JsonValue;
  const map = emptyMap();
  for (const [name, item] of Object.entries(raw)) map[name] = plainOf(item);
  return map;
}

import { canonicalDateTime } from '../../source/date-time.ts';
import { type DateTimeForm, spellDateTime } from '../../source/edit/date-time-spelling.ts';
import { type Raw, type RawMap, isRawList, isRawMap, scalarText, unquoted, unquotedText } from '../../source/edit/raw.ts';
import { emptyMap } from '../../source/parsed-data.ts';
import type { JsonValue } from '../../util/json.ts';
import type { FieldDefinition, FieldValue } from '../model.ts';
import { spellFile, writtenFile } from './file-spelling.ts';
import { type ReferenceContext, referenceOf, spellReference } from './reference-spelling.ts';
import { isMap, listOf, sameItem, sameJson } from './same-value.ts';

export interface ValueContext extends ReferenceContext {
  /** Key of the file that the value is written in. */
  readonly from: string;
}

/** What of a value the schema may want otherwise. */
export interface ValueForm {
  readonly dateTime: DateTimeForm;
  /** Whether properties that are null are written although the file does not name them. */
  readonly nulls: boolean;
}

/** What a field holds now: as it is written, and as it was decoded. */
export interface PresentValue {
  readonly raw: Raw | undefined;
  readonly value: FieldValue | undefined;
}

/** A value as it is written. What of it the file says already stays as it is written there. */
export function encodeValue(
  field: FieldDefinition,
  value: FieldValue,
  present: PresentValue,
  context: ValueContext,
  form: ValueForm,
): Raw {
  if (field.kind === 'json') return mergeJson(present.raw, value as JsonValue);
  if (!field.list) return encodeItem(field, value, present, context, form);
  const former = presentItems(present);
  const items = pairUp(
    listOf(value),
    former,
    (item, each) => isSaidBy(field, item, each, context),
    (item, same, index): Raw => {
      const like = same ?? former[index] ?? former[0];
      return same !== undefined
        ? (same.raw ?? null)
        : encodeItem(field, item, { raw: like?.raw, value: undefined }, context, form);
    },
  );
  const [only] = items;
  const bare = present.raw !== undefined && present.raw !== null && !isRawList(present.raw);
  return bare && items.length === 1 && only !== undefined ? only : items;
}

function encodeItem(
  field: FieldDefinition,
  value: FieldValue,
  present: PresentValue,
  context: ValueContext,
  form: ValueForm,
): Raw {
  if (isSaidBy(field, value, present, context)) return present.raw ?? null;
  const before = present.raw;
  switch (field.kind) {
    case 'reference':
      return isMap(value)
        ? spellReference({ type: String(value.type), id: String(value.id) }, field, before, context)
        : null;
    case 'image':
    case 'file':
      return spellFile(value as JsonValue, before, context.from, field.name);
    case 'object':
      return isMap(value) ? encodeObject(field, value, present, context, form) : null;
    case 'datetime':
      return typeof value === 'string'
        ? unquoted(spellDateTime(value, scalarText(before), form.dateTime))
        : null;
    case 'date':
      return typeof value === 'string' ? unquoted(value) : null;
    case 'decimal':
      // Written as a number where it was one.
      return typeof before === 'number' || unquotedText(before) !== undefined
        ? unquoted(String(value))
        : String(value);
    case 'string':
    case 'integer':
    case 'number':
    case 'boolean':
    case 'json':
    case 'formatted_text':
      return mergeJson(undefined, value as JsonValue);
    default:
      return field.kind satisfies never;
  }
}

function encodeObject(
  field: FieldDefinition,
  value: Readonly<Record<string, JsonValue>>,
  present: PresentValue,
  context: ValueContext,
  form: ValueForm,
): RawMap {
  const before = isRawMap(present.raw) ? present.raw : emptyMap<Raw>();
  const decoded = isMap(present.value ?? null) ? (present.value as typeof value) : undefined;
  const map = emptyMap<Raw>();
  for (const name of new Set([...Object.keys(before), ...Object.keys(value)])) {
    if (!Object.hasOwn(value, name)) continue;
    const item = value[name] ?? null;
    const part = field.properties[name];
    const raw = Object.hasOwn(before, name) ? before[name] : undefined;
    if (item === null && raw !== null && !form.nulls) continue;
    map[name] =
      part === undefined || item === null
        ? mergeJson(raw, item)
        : encodeValue(part, item, { raw, value: decoded?.[name] }, context, form);
  }
  return map;
}

/** Pairs that are looked at in two lists; in longer ones items are compared with those beside them only. */
const MAX_COMPARED = 250_000;

/** Makes something of each item, with the one of the `former` that says the same: each of these is used once. */
function pairUp<Item, Former, Made>(
  items: readonly Item[],
  former: readonly Former[],
  says: (item: Item, each: Former) => boolean,
  make: (item: Item, same: Former | undefined, index: number) => Made,
): readonly Made[] {
  const used = new Set<number>();
  const take = (item: Item, at: number): Former | undefined => {
    const each = former[at];
    if (each === undefined || used.has(at) || !says(item, each)) return undefined;
    used.add(at);
    return each;
  };
  const beside = items.map((item, index) => take(item, index));
  const few = items.length * former.length <= MAX_COMPARED;
  return items.map((item, index) => {
    let same = beside[index];
    for (let at = 0; few && same === undefined && at < former.length; at += 1) same = take(item, at);
    return make(item, same, index);
  });
}

/** Items of a list that are not null; each with its decoded value where they are the same in number. */
function presentItems({ raw, value }: PresentValue): readonly PresentValue[] {
  const written = (isRawList(raw) ? raw : raw === undefined ? [] : [raw]).filter((item) => item !== null);
  const decoded = listOf(value ?? null);
  const paired = decoded.length === written.length;
  return written.map((item, index) => ({ raw: item, value: paired ? decoded[index] : undefined }));
}

function isSaidBy(
  field: FieldDefinition,
  value: FieldValue,
  present: PresentValue,
  context: ValueContext,
): boolean {
  if (present.raw === undefined || present.raw === null) return false;
  const said = present.value ?? meaningOf(field, present.raw, context);
  return said !== null && sameItem(field, said, value);
}

/** What is written, as it will be decoded, as far as that can be told from it alone. */
function meaningOf(field: FieldDefinition, raw: Raw, context: ValueContext): FieldValue {
  switch (field.kind) {
    case 'reference':
      return referenceOf(raw, field, context);
    case 'image':
    case 'file':
      return writtenFile(raw, context.from);
    case 'object': {
      if (!isRawMap(raw)) return null;
      const object = emptyMap();
      for (const [name, item] of Object.entries(raw)) {
        const part = field.properties[name];
        object[name] = (
          part === undefined || item === null ? plainOf(item) : meaningOfField(part, item, context)
        ) as JsonValue;
      }
      return object;
    }
    case 'datetime':
      return canonicalDateTime(scalarText(raw) ?? '') ?? null;
    case 'string':
    case 'date':
    case 'decimal':
      return scalarText(raw) ?? null;
    case 'integer':
    case 'number':
    case 'boolean':
    case 'json':
    case 'formatted_text':
      return plainOf(raw);
    default:
      return field.kind satisfies never;
  }
}

function meaningOfField(field: FieldDefinition, raw: Raw, context: ValueContext): FieldValue {
  if (!field.list || field.kind === 'json') return meaningOf(field, raw, context);
  return presentItems({ raw, value: undefined }).map((item) => meaningOf(field, item.raw ?? null, context));
}

/** The JSON value, with the parts of `before` that say the same as they are written. */
function mergeJson(before: Raw | undefined, value: JsonValue): Raw {
  if (before !== undefined && sameJson(plainOf(before), value)) return before;
  if (Array.isArray(value)) {
    return pairUp(
      value as readonly JsonValue[],
      isRawList(before) ? before : [],
      (item, each) => sameJson(plainOf(each), item),
      (item, same) => same ?? mergeJson(undefined, item),
    );
  }
  if (!isMap(value)) return value as Raw;
  const former = isRawMap(before) ? before : emptyMap<Raw>();
  const map = emptyMap<Raw>();
  for (const name of new Set([...Object.keys(former), ...Object.keys(value)])) {
    if (Object.hasOwn(value, name)) map[name] = mergeJson(former[name], value[name] ?? null);
  }
  return map;
}

/** As JSON: a number that was written otherwise is still that number. */
export function plainOf(raw: Raw): JsonValue {
  const text = unquotedText(raw);
  if (text !== undefined) return Number.isNaN(Number(text)) ? text : Number(text);
  if (isRawList(raw)) return raw.map(plainOf);
  if (!isRawMap(raw)) return raw as JsonValue;
  const map = emptyMap();
  for (const [name, item] of Object.entries(raw)) map[name] = plainOf(item);
  return map;
}

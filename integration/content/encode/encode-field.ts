import { safeParse } from 'zod';
import { emptyMap } from '../../source/data.ts';
import { DATE_TIME_FORMS, dateTimeOfSeconds, sameInstant, writeDateTime } from '../../source/date-time.ts';
import {
  isRawList,
  isRawMap,
  type Raw,
  type RawMap,
  scalarText,
  unquoted,
  unquotedText,
} from '../../source/edit/raw.ts';
import type { JsonValue } from '../../util/json.ts';
import { hidingValue, PUBLICATION_FLAGS } from '../decode/publication.ts';
import type { FieldDefinition, FieldValue } from '../model.ts';
import { publicName } from '../resource-type.ts';
import type { DeclaredBundle, DeclaredField } from '../schema/schema-fields.ts';
import type { EncodeBundle } from './bundle-habits.ts';
import { encodeValue, type PresentValue, plainOf, type ValueForm } from './encode-value.ts';

/** The value to write for a field; undefined to remove its key or not to add it. `from` is the key of the file. */
export function encodeField(
  field: FieldDefinition,
  value: FieldValue,
  present: PresentValue,
  from: string,
  bundle: EncodeBundle,
): Raw | undefined {
  if (value === null || (field.list && Array.isArray(value) && value.length === 0)) {
    return field.list && !isEmptyByDefault(field, bundle) ? [] : undefined;
  }
  const context = { from, known: bundle.known, byForm: bundle.declared === undefined };
  const candidates = FORMS.map((form) => () => encodeValue(field, value, present, context, form));
  return firstAccepted(field, candidates, bundle);
}

/** Writes `status` with the keys that the file or its neighbors use. */
export function statusEdits(
  published: boolean,
  data: RawMap,
  { type, declared, habits }: EncodeBundle,
): ReadonlyMap<string, Raw | undefined> {
  const edits = new Map<string, Raw | undefined>();
  const { status = null } = data;
  const isNumber = typeof status === 'number';
  if (published) {
    for (const flag of PUBLICATION_FLAGS) {
      const value = data[flag] ?? defaultOf(declared, flag);
      if (value === hidingValue(flag)) edits.set(flag, !value);
    }
    if (status !== null && status !== true && status !== 1) edits.set('status', isNumber ? 1 : true);
    return edits;
  }
  const usesFlags = status === null && !habits.keys.has('status') && !declared?.fields.has('status');
  const flag =
    PUBLICATION_FLAGS.find((each) => typeof data[each] === 'boolean') ??
    PUBLICATION_FLAGS.find((each) => usesFlags && habits.keys.has(each) && !type.fields.has(each));
  if (flag === undefined) edits.set('status', isNumber ? 0 : false);
  else edits.set(flag, hidingValue(flag));
  return edits;
}

/** Writes `created` or `changed` as precisely as the file or its neighbors do, in Unix seconds if they do. */
export function encodeTime(
  field: FieldDefinition,
  value: string,
  present: Raw | undefined,
  bundle: EncodeBundle,
): Raw {
  const example: Raw | undefined = present ?? bundle.habits.keys.get(field.key);
  const seconds = Math.floor(Date.parse(value) / 1000);
  const inSeconds = dateTimeOfSeconds(seconds);
  if (typeof example === 'number' && inSeconds !== undefined && sameInstant(inSeconds, value)) return seconds;
  const text = scalarText(example);
  const candidates = DATE_TIME_FORMS.map((form) => () => unquoted(writeDateTime(value, text, form)));
  return firstAccepted(field, candidates, bundle);
}

/** Writes the time of the edit, no more precisely than the file or its neighbors do. */
export function encodeEditTime(
  field: FieldDefinition,
  now: string,
  present: Raw | undefined,
  bundle: EncodeBundle,
): Raw {
  const example: Raw | undefined = present ?? bundle.habits.keys.get(field.key);
  const day = () => unquoted(now.slice(0, 10));
  if (DAY.test(scalarText(example) ?? '')) return firstAccepted(field, [day], bundle);
  const time = () => encodeTime(field, now, present, bundle);
  const mayBeDay = bundle.declared?.fields.has(field.name) === true && example === undefined;
  return firstAccepted(field, mayBeDay ? [time, day] : [time], bundle);
}

const DAY = /^\d{4}-\d\d-\d\d$/;

/** Writes an alias as the file or its neighbors do: as a string or as a property of `path`. */
export function encodeAlias(
  field: FieldDefinition,
  alias: string,
  present: Raw | undefined,
  bundle: EncodeBundle,
): Raw {
  const example: Raw | undefined = present ?? bundle.habits.keys.get(field.key);
  const map = (): Raw => (isRawMap(present) ? { ...present, alias } : { alias });
  const text = (): Raw => alias;
  return firstAccepted(field, isRawMap(example) ? [map, text] : [text, map], bundle);
}

/** The key of a field: the one in the file, else the one in its neighbors. */
export function keyOf(field: FieldDefinition, data: RawMap, { declared, habits }: EncodeBundle): string {
  if (declared === undefined || field.base) return field.key;
  const isKey = (key: string) => (declared.fields.has(key) ? key : publicName(key)) === field.name;
  return Object.keys(data).find(isKey) ?? [...habits.keys.keys()].find(isKey) ?? field.key;
}

/** The first candidate that the schema accepts, else the first one. */
function firstAccepted(
  field: FieldDefinition,
  candidates: readonly (() => Raw)[],
  { declared }: EncodeBundle,
): Raw {
  const type = declared?.fields.get(field.name)?.type;
  const [first = () => null] = candidates;
  if (type === undefined) return first();
  for (const candidate of candidates) {
    const raw = candidate();
    if (tryParse(type, inputOf(field, raw)).success) return raw;
  }
  return first();
}

/** The value that the schema gives a missing field. */
function defaultOf(declared: DeclaredBundle | undefined, name: string): unknown {
  const type = declared?.fields.get(name)?.type;
  return type && tryParse(type, undefined).data;
}

/** True if the list stays empty when its key is missing. */
function isEmptyByDefault(field: FieldDefinition, { declared }: EncodeBundle): boolean {
  const type = declared?.fields.get(field.name)?.type;
  if (type === undefined) return true;
  const { success, data } = tryParse(type, undefined);
  return success && ((data ?? null) === null || (Array.isArray(data) && data.length === 0));
}

function tryParse(
  type: DeclaredField['type'],
  value: JsonValue | undefined,
): { success: boolean; data?: unknown } {
  try {
    return safeParse(type, value);
  } catch {
    // A custom check that expects another type of value.
    return { success: false };
  }
}

/** The input that the schema gets when the file is read: numbers, or their text as written. */
function inputOf(field: FieldDefinition, raw: Raw): JsonValue {
  if (isRawList(raw)) return raw.map((item) => inputOf(field, item));
  if (field.kind === 'object' && isRawMap(raw)) {
    const map = emptyMap();
    for (const [name, item] of Object.entries(raw)) {
      const part = field.properties[name];
      map[name] = part === undefined ? plainOf(item) : inputOf(part, item);
    }
    return map;
  }
  const isText = unquotedText(raw) !== undefined && field.kind !== 'number' && field.kind !== 'integer';
  return isText ? (scalarText(raw) ?? null) : plainOf(raw);
}

const FORMS: readonly ValueForm[] = DATE_TIME_FORMS.flatMap((dateTime) => [
  { dateTime, nulls: false },
  { dateTime, nulls: true },
]);

import { emptyMap } from '../../source/data.ts';
import { DATE_TIME_FORMS, isMilliseconds, sameInstant, unixTime } from '../../source/date-time.ts';
import {
  isRawList,
  isRawMap,
  type Raw,
  type RawMap,
  scalarText,
  unquotedText,
} from '../../source/edit/raw.ts';
import { inTimeZone } from '../../source/time-zone.ts';
import { readDate, readInstant } from '../../source/written-date.ts';
import { hidingValue, PUBLICATION_FLAGS } from '../decode/publication.ts';
import type { FieldDefinition, FieldValue } from '../model.ts';
import { publicName } from '../resource-type.ts';
import type { DeclaredBundle, DeclaredField } from '../schema/schema-fields.ts';
import { isUsualBase, storingFields } from '../usual-names.ts';
import type { EncodeBundle, PublicationKey } from './bundle-habits.ts';
import {
  encodeDateTime,
  encodeDay,
  encodeValue,
  type PresentValue,
  plainOf,
  readingOf,
  type ValueForm,
} from './encode-value.ts';

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
  const { known, timeZone, declared, habits } = bundle;
  const context = { from, known, timeZone, byForm: declared === undefined };
  const isDate = !field.list && (field.kind === 'date' || field.kind === 'datetime');
  const before =
    isDate || (field.kind === 'string' && !field.list)
      ? { ...present, raw: present.raw ?? habits.keys.get(field.key) }
      : present;
  const candidates = FORMS.map((form) => () => encodeValue(field, value, before, context, form));
  return firstAccepted(field, candidates, bundle);
}

/** Writes `status` with the keys that the file or its neighbors use. */
export function statusEdits(
  published: boolean,
  data: RawMap,
  { declared, habits, shown }: EncodeBundle,
): ReadonlyMap<string, Raw | undefined> {
  const edits = new Map<string, Raw | undefined>();
  /** True if the file did not have the key before, or published neighbors do not, and an entity without it is published. */
  const isSuperfluous = (key: PublicationKey) => {
    const hiding = key === 'status' ? false : hidingValue(key);
    const isUsual = shown === undefined ? !habits.omitted.has(key) : shown.has(key);
    return !isUsual && defaultOf(declared, key) !== hiding && isOptional(declared, key);
  };
  const { status = null } = data;
  const isNumber = typeof status === 'number';
  if (published) {
    for (const flag of PUBLICATION_FLAGS) {
      const value = data[flag] ?? defaultOf(declared, flag);
      if (value === hidingValue(flag)) edits.set(flag, isSuperfluous(flag) ? undefined : !value);
    }
    if (status !== null && status !== true && status !== 1) {
      edits.set('status', isSuperfluous('status') ? undefined : isNumber ? 1 : true);
    }
    return edits;
  }
  const usesFlags = status === null && !habits.keys.has('status') && !declared?.fields.has('status');
  const flag =
    PUBLICATION_FLAGS.find((each) => typeof data[each] === 'boolean') ??
    (usesFlags ? habits.flag : undefined);
  if (flag === undefined) edits.set('status', isNumber ? 0 : false);
  else edits.set(flag, hidingValue(flag));
  return edits;
}

/** Writes `created` or `changed` as precisely as the file or its neighbors do, in Unix seconds or milliseconds if they do. */
export function encodeTime(
  field: FieldDefinition,
  value: string,
  present: Raw | undefined,
  bundle: EncodeBundle,
): Raw {
  const example: Raw | undefined = present ?? bundle.habits.keys.get(field.key);
  const unix = typeof example === 'number' ? asUnixTime(Date.parse(value), example) : undefined;
  const written = unix === undefined ? undefined : unixTime(unix);
  if (unix !== undefined && written !== undefined && sameInstant(written, value)) return unix;
  const reading = readingOf(field, bundle);
  const candidates = DATE_TIME_FORMS.map((form) => () => encodeDateTime(value, example, form, reading));
  return firstAccepted(field, candidates, bundle);
}

function asUnixTime(milliseconds: number, example: number): number {
  return isMilliseconds(example) ? milliseconds : Math.floor(milliseconds / 1000);
}

/** Writes the time of the edit, no more precisely than the file or its neighbors do. */
export function encodeEditTime(
  field: FieldDefinition,
  now: string,
  present: Raw | undefined,
  bundle: EncodeBundle,
): Raw {
  const example: Raw | undefined = present ?? bundle.habits.keys.get(field.key);
  const reading = readingOf(field, bundle);
  const today = inTimeZone(Date.parse(now), reading.timeZone ?? 'UTC')?.slice(0, DAY_LENGTH);
  const day = () => encodeDay(today ?? now.slice(0, DAY_LENGTH), example, reading);
  if (readDate(scalarText(example) ?? '', reading)?.length === DAY_LENGTH) {
    return firstAccepted(field, [day], bundle);
  }
  const time = () => encodeTime(field, now, present, bundle);
  const mayBeDay = bundle.declared?.fields.has(field.name) === true && example === undefined;
  return firstAccepted(field, mayBeDay ? [time, day] : [time], bundle);
}

const DAY_LENGTH = '2024-01-31'.length;

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

/** The field whose key stores a base field: itself, or one of the usual names that the file or its neighbors have. */
export function storedField(
  field: FieldDefinition,
  data: RawMap,
  { type, habits }: EncodeBundle,
  taken: (name: string) => boolean,
): FieldDefinition {
  if (!isUsualBase(field.name) || (data[field.key] ?? null) !== null) return field;
  const others = storingFields(field.name, type).filter(({ name }) => !taken(name));
  const own = others.find(({ key }) => (data[key] ?? null) !== null);
  if (own !== undefined || habits.keys.has(field.key)) return own ?? field;
  return others.find(({ key }) => habits.keys.has(key)) ?? field;
}

/** The key of a field: the one in the file, else the one in its neighbors. */
export function keyOf(field: FieldDefinition, data: RawMap, { declared, habits }: EncodeBundle): string {
  if (declared === undefined || field.base) return field.key;
  const isKey = (key: string) =>
    (declared.fields.has(key) ? key : publicName(key, declared.options)) === field.name;
  return Object.keys(data).find(isKey) ?? [...habits.keys.keys()].find(isKey) ?? field.key;
}

/** The first candidate that the schema accepts, else the first one. */
function firstAccepted(
  field: FieldDefinition,
  candidates: readonly (() => Raw)[],
  { declared, timeZone }: EncodeBundle,
): Raw {
  const type = declared?.fields.get(field.name)?.type;
  const [first = () => null] = candidates;
  if (type === undefined) return first();
  for (const candidate of candidates) {
    const raw = candidate();
    if (tryParse(type, inputOf(field, raw, timeZone)).success) return raw;
  }
  return first();
}

function isOptional(declared: DeclaredBundle | undefined, name: string): boolean {
  const type = declared?.fields.get(name)?.type;
  return type === undefined || tryParse(type, undefined).success;
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

function tryParse(type: DeclaredField['type'], value: unknown): { success: boolean; data?: unknown } {
  try {
    return type.safeParse(value);
  } catch {
    // A custom check that expects another type of value.
    return { success: false };
  }
}

/** The input that the schema gets when the file is read: numbers, or their text as written, and a `Date` for `z.date()`. */
function inputOf(field: FieldDefinition, raw: Raw, timeZone: string | undefined): unknown {
  if (isRawList(raw)) return raw.map((item) => inputOf(field, item, timeZone));
  if (field.kind === 'object' && isRawMap(raw)) {
    const map = emptyMap<unknown>();
    for (const [name, item] of Object.entries(raw)) {
      const part = field.properties[name];
      map[name] = part === undefined ? plainOf(item) : inputOf(part, item, timeZone);
    }
    return map;
  }
  const text = scalarText(raw);
  if (field.instant === true && text !== undefined && typeof raw !== 'number') {
    return readInstant(text, { timeZone });
  }
  const isText = unquotedText(raw) !== undefined && field.kind !== 'number' && field.kind !== 'integer';
  return isText ? (text ?? null) : plainOf(raw);
}

const FORMS: readonly ValueForm[] = DATE_TIME_FORMS.flatMap((dateTime) => [
  { dateTime, nulls: false },
  { dateTime, nulls: true },
]);

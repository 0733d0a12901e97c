import { safeParse } from 'zod';
import { DATE_TIME_FORMS } from '../../source/edit/date-time-spelling.ts';
import { type Raw, type RawMap, isRawList, isRawMap, scalarText, unquotedText } from '../../source/edit/raw.ts';
import { emptyMap } from '../../source/parsed-data.ts';
import type { JsonValue } from '../../util/json.ts';
import { publicName } from '../field-name.ts';
import type { FieldDefinition, FieldValue, ResourceType } from '../model.ts';
import type { KnownEntities } from '../references.ts';
import type { DeclaredBundle } from '../schema/schema-fields.ts';
import { type PresentValue, type ValueForm, encodeValue, plainOf } from './encode-value.ts';
import type { Habits } from './habits.ts';

/** What the files of one bundle have in common. */
export interface EncodeBundle {
  readonly type: ResourceType;
  /** Undefined for a bundle without a schema. */
  readonly declared: DeclaredBundle | undefined;
  readonly known: KnownEntities;
  readonly habits: Habits;
}

/** What is written for a field; undefined where its key goes, or never comes. */
export function encodeField(
  field: FieldDefinition,
  value: FieldValue,
  present: PresentValue,
  from: string,
  bundle: EncodeBundle,
): Raw | undefined {
  if (value === null || (field.list && Array.isArray(value) && value.length === 0)) {
    return isEmptyWithout(field, bundle) ? undefined : field.list ? [] : undefined;
  }
  const context = { from, known: bundle.known, byForm: bundle.declared === undefined };
  return firstAccepted(
    field,
    FORMS.map((form) => () => encodeValue(field, value, present, context, form)),
    bundle,
  );
}

/** The first of several ways to write a value that the schema takes; the first of all where it takes none. */
export function firstAccepted(
  field: FieldDefinition,
  ways: readonly (() => Raw)[],
  { declared }: EncodeBundle,
): Raw {
  const type = declared?.fields.get(field.name)?.type;
  const [first = () => null] = ways;
  if (type === undefined) return first();
  const accepted = ways.map((way) => way()).find((raw) => isAccepted(type, toCheck(field, raw)));
  return accepted ?? first();
}

/** The key by which a file names a field: the one it has, else the one that its neighbours have. */
export function keyOf(field: FieldDefinition, data: RawMap, { declared, habits }: EncodeBundle): string {
  if (declared === undefined || field.base) return field.key;
  const names = (key: string) => (declared.fields.has(key) ? key : publicName(key)) === field.name;
  return Object.keys(data).find(names) ?? [...habits.keys.keys()].find(names) ?? field.key;
}

/** The value that the schema gives a field that a file does not name. */
export function defaultOf(declared: DeclaredBundle | undefined, name: string): unknown {
  const type = declared?.fields.get(name)?.type;
  return type && tried(type, undefined).data;
}

/** Whether a list is empty, for the schema too, where the file does not name it. */
function isEmptyWithout(field: FieldDefinition, { declared }: EncodeBundle): boolean {
  const type = declared?.fields.get(field.name)?.type;
  if (type === undefined) return true;
  const { success, data } = tried(type, undefined);
  return success && ((data ?? null) === null || (Array.isArray(data) && data.length === 0));
}

function isAccepted(type: DeclaredType, value: JsonValue): boolean {
  return tried(type, value).success;
}

function tried(type: DeclaredType, value: JsonValue | undefined): { success: boolean; data?: unknown } {
  try {
    return safeParse(type, value);
  } catch {
    // A check of the author's own that expects another value.
    return { success: false };
  }
}

/** As the schema is asked about it when the file is read: numbers as such, or as their author wrote them. */
function toCheck(field: FieldDefinition, raw: Raw): JsonValue {
  if (isRawList(raw)) return raw.map((item) => toCheck(field, item));
  if (field.kind === 'object' && isRawMap(raw)) {
    const map = emptyMap();
    for (const [name, item] of Object.entries(raw)) {
      const part = field.properties[name];
      map[name] = part === undefined ? plainOf(item) : toCheck(part, item);
    }
    return map;
  }
  const asText = unquotedText(raw) !== undefined && field.kind !== 'number' && field.kind !== 'integer';
  return asText ? (scalarText(raw) ?? null) : plainOf(raw);
}

const FORMS: readonly ValueForm[] = DATE_TIME_FORMS.flatMap((dateTime) => [
  { dateTime, nulls: false },
  { dateTime, nulls: true },
]);

type DeclaredType = NonNullable<ReturnType<DeclaredBundle['fields']['get']>>['type'];

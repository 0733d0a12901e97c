import { dateTimeOfSeconds } from '../../source/date-time.ts';
import { DATE_TIME_FORMS, sameInstant, spellDateTime } from '../../source/edit/date-time-spelling.ts';
import type { DataEdits } from '../../source/edit/edit-data.ts';
import { type Raw, type RawMap, isRawMap, scalarText, unquoted } from '../../source/edit/raw.ts';
import type { JsonValue } from '../../util/json.ts';
import type { FieldDefinition, FieldValue } from '../model.ts';
import { hidingValue, PUBLICATION_FLAGS } from '../publication.ts';
import { type EncodeBundle, defaultOf, firstAccepted } from './encode-field.ts';

/** Published or not, by the key that the file says it with. */
export function statusEdits(
  published: boolean,
  data: RawMap,
  { type, declared, habits }: EncodeBundle,
): DataEdits {
  const edits = new Map<string, Raw | undefined>();
  const { status = null } = data;
  const asNumber = typeof status === 'number';
  if (published) {
    for (const flag of PUBLICATION_FLAGS) {
      const value = data[flag] ?? defaultOf(declared, flag);
      if (value === hidingValue(flag)) edits.set(flag, !value);
    }
    if (status !== null && status !== true && status !== 1) edits.set('status', asNumber ? 1 : true);
    return edits;
  }
  const asNeighbours = status === null && !habits.keys.has('status') && !declared?.fields.has('status');
  const flag =
    PUBLICATION_FLAGS.find((each) => typeof data[each] === 'boolean') ??
    PUBLICATION_FLAGS.find((each) => asNeighbours && habits.keys.has(each) && !type.fields.has(each));
  if (flag === undefined) edits.set('status', asNumber ? 0 : false);
  else edits.set(flag, hidingValue(flag));
  return edits;
}

/** `created` or `changed`: with the precision that the file has, or its neighbours; in Unix seconds where they are. */
export function timeRaw(
  field: FieldDefinition,
  value: string,
  present: Raw | undefined,
  bundle: EncodeBundle,
): Raw {
  const like: Raw | undefined = present ?? bundle.habits.keys.get(field.key);
  const seconds = Math.floor(Date.parse(value) / 1000);
  const inSeconds = dateTimeOfSeconds(seconds);
  if (typeof like === 'number' && inSeconds !== undefined && sameInstant(inSeconds, value)) return seconds;
  const text = scalarText(like);
  return firstAccepted(
    field,
    DATE_TIME_FORMS.map((form) => () => unquoted(spellDateTime(value, text, form))),
    bundle,
  );
}

/** The time of a write, no more precise than the file or its neighbours are. */
export function stampRaw(
  field: FieldDefinition,
  now: string,
  present: Raw | undefined,
  bundle: EncodeBundle,
): Raw {
  const like: Raw | undefined = present ?? bundle.habits.keys.get(field.key);
  const day = now.slice(0, 10);
  const isDay = DAY.test(scalarText(like) ?? '');
  const known = bundle.declared?.fields.has(field.name) === true && like === undefined;
  return firstAccepted(
    field,
    [
      () => (isDay ? unquoted(day) : timeRaw(field, now, present, bundle)),
      ...(known ? [() => unquoted(day)] : []),
    ],
    bundle,
  );
}

/** An alias in the form that the file has, or its neighbours: a text, or a property of `path`. */
export function aliasRaw(
  field: FieldDefinition,
  alias: string,
  present: Raw | undefined,
  bundle: EncodeBundle,
): Raw {
  const like: Raw | undefined = present ?? bundle.habits.keys.get(field.key);
  const asMap = (): Raw => (isRawMap(present) ? { ...present, alias } : { alias });
  const asText = (): Raw => alias;
  return firstAccepted(field, isRawMap(like) ? [asMap, asText] : [asText, asMap], bundle);
}

/** The alias of a value of `path`. */
export function aliasIn(value: FieldValue): string | null {
  const map = typeof value === 'object' && value !== null && 'alias' in value ? value : undefined;
  return typeof map?.alias === 'string' ? map.alias : null;
}

/** Text and summary of a value of `body`, each undefined where it stays; no value at all empties both. */
export function bodyChange(value: FieldValue): BodyChange {
  if (value === null) return { value: '', summary: null };
  const map = value as Readonly<Record<string, JsonValue>>;
  const { value: text, summary } = map;
  return {
    value: text === undefined ? undefined : typeof text === 'string' ? text : '',
    summary: summary === undefined ? undefined : typeof summary === 'string' ? summary : null,
  };
}

export interface BodyChange {
  readonly value: string | undefined;
  readonly summary: string | null | undefined;
}

const DAY = /^\d{4}-\d\d-\d\d$/;

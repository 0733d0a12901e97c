import { type KnownEntities, resolveReference } from '../content/decode/references.ts';
import type { FieldDefinition, FieldValue, Reference } from '../content/model.ts';

import { parseInstant } from '../engine/resolve/coerce.ts';
import { isRecord, type JsonValue } from '../util/json.ts';

/** What a field that was sent becomes, and what is wrong with it. */
export interface Coerced {
  readonly value: FieldValue;
  readonly faults: readonly Fault[];
}

/** `path` leads into the value as it was sent. */
export interface Fault {
  readonly path: readonly (string | number)[];
  readonly detail: string;
  /** A reference to what is not there, or not for the eyes of the actor. */
  readonly missing?: true;
}

/**
 * A value as clients send it, in the form a field keeps it: one value for a list, a list of one for a single value,
 * `{value: x}` for x, numbers and switches as texts, an empty text for no number. Whether a schema allows it is not
 * asked here. Source: Drupal, which takes all of these.
 */
export function coerceField(sent: JsonValue, field: FieldDefinition, known: KnownEntities): Coerced {
  const faults: Fault[] = [];
  if (field.kind === 'json') return { value: sent, faults };
  if (!field.list) {
    const [single = null, ...others] = Array.isArray(sent) ? (sent as readonly JsonValue[]) : [sent];
    if (others.length > 0) {
      faults.push({ path: [], detail: `\`${field.name}\` holds one value, not ${others.length + 1}.` });
      return { value: null, faults };
    }
    return { value: coerceItem(single, field, Array.isArray(sent) ? [0] : [], known, faults), faults };
  }
  const items: readonly JsonValue[] = Array.isArray(sent) ? sent : sent === null ? [] : [sent];
  const values = items.map((item, index) =>
    coerceItem(item, field, Array.isArray(sent) ? [index] : [], known, faults),
  );
  return { value: values.filter((value) => value !== null), faults };
}

function coerceItem(
  sent: JsonValue,
  field: FieldDefinition,
  path: readonly (string | number)[],
  known: KnownEntities,
  faults: Fault[],
): FieldValue {
  if (sent === null) return null;
  if (field.kind === 'reference') return coerceReference(sent, field, path, known, faults);
  if (field.kind === 'object') {
    if (!isRecord(sent)) return refuse(faults, path, `\`${field.name}\` is an object.`);
    const object: Record<string, FieldValue> = Object.create(null);
    for (const [name, item] of Object.entries(sent)) {
      const part = field.properties[name];
      const coerced = part === undefined ? { value: item, faults: [] } : coerceField(item, part, known);
      faults.push(...coerced.faults.map((fault) => ({ ...fault, path: [...path, name, ...fault.path] })));
      object[name] = coerced.value;
    }
    return object as JsonValue;
  }
  if (field.kind === 'image' || field.kind === 'file') return coerceFile(sent, field, path, faults);
  const bare = isRecord(sent) && Object.keys(sent).join() === 'value' ? (sent.value ?? null) : sent;
  if (bare === null || field.kind === 'json') return bare;
  if (typeof bare === 'object') {
    return refuse(faults, path, `\`${field.name}\` is a ${NOUNS[field.kind]}, not ${describe(bare)}.`);
  }
  if (field.name === 'status' && field.kind === 'string' && typeof bare !== 'string') {
    return refuse(faults, path, 'The `status` of this bundle is a word, such as `draft`. Send one.');
  }
  const value = SCALARS[field.kind](bare);
  return value === undefined
    ? refuse(faults, path, `${shortened(JSON.stringify(bare))} is no ${NOUNS[field.kind]}.`)
    : value;
}

/** Undefined for what is none; null for an empty text where only a text could be empty. */
const SCALARS: Readonly<Record<ScalarKind, (sent: string | number | boolean) => FieldValue | undefined>> = {
  string: (sent) => (sent === '' ? null : typeof sent === 'boolean' ? String(Number(sent)) : String(sent)),
  integer: (sent) => numberOf(sent, Number.isSafeInteger),
  number: (sent) => numberOf(sent, Number.isFinite),
  decimal: (sent) => {
    const text = String(sent).trim();
    return text === '' ? null : DECIMAL.test(text) ? text : undefined;
  },
  boolean: (sent) => (sent === '' ? null : BOOLEANS.get(String(sent).trim().toLowerCase())),
  date: (sent) => (sent === '' ? null : isDay(sent) ? sent : undefined),
  datetime: (sent) =>
    sent === ''
      ? null
      : typeof sent === 'string' && INSTANT.test(sent) && parseInstant(sent) !== undefined
        ? sent
        : undefined,
  formatted_text: (sent) => String(sent),
};

type ScalarKind = Exclude<FieldDefinition['kind'], 'reference' | 'object' | 'image' | 'file' | 'json'>;

const NOUNS: Readonly<Record<ScalarKind, string>> = {
  string: 'text',
  integer: 'whole number',
  number: 'number',
  decimal: 'decimal number such as "9.26"',
  boolean: 'true or false',
  date: 'day such as 2024-01-31',
  datetime: 'date-time with its offset such as 2024-01-31T18:00:00+01:00',
  formatted_text: 'text',
};

const DECIMAL = /^-?\d+(\.\d+)?$/;
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;
/** `Number.MAX_VALUE` written out has 309 digits. */
const MAX_NUMBER_LENGTH = 400;
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['1', true],
  ['true', true],
  ['0', false],
  ['false', false],
]);

function numberOf(
  sent: string | number | boolean,
  fits: (value: number) => boolean,
): number | null | undefined {
  if (typeof sent === 'boolean') return undefined;
  const text = String(sent).trim();
  if (text === '') return null;
  const value = text.length <= MAX_NUMBER_LENGTH && NUMBER.test(text) ? Number(text) : Number.NaN;
  return fits(value) ? value : undefined;
}

function isDay(sent: string | number | boolean): sent is string {
  return typeof sent === 'string' && /^\d{4}-\d\d-\d\d$/.test(sent) && parseInstant(sent) !== undefined;
}

function coerceReference(
  sent: JsonValue,
  field: FieldDefinition,
  path: readonly (string | number)[],
  known: KnownEntities,
  faults: Fault[],
): Reference | null {
  const written = isRecord(sent) ? { type: sent.type ?? '', id: sent.id ?? '' } : sent;
  const { reference, problem } = resolveReference(written, field.targets, known);
  if (problem === null) return reference;
  const missing = problem.code === 'reference/dangling' && { missing: true as const };
  faults.push({ path, detail: `${problem.message} ${missing ? '' : problem.hint}`.trim(), ...missing });
  return null;
}

/** A path, `{src, alt}` as authors write it, or what reading answers. */
function coerceFile(
  sent: JsonValue,
  field: FieldDefinition,
  path: readonly (string | number)[],
  faults: Fault[],
): FieldValue {
  if (typeof sent === 'string') return sent === '' ? null : { uri: { value: sent }, alt: null };
  if (!isRecord(sent)) return refuse(faults, path, `\`${field.name}\` is a path or { src, alt }.`);
  const { uri, src, alt = null } = sent;
  const place = typeof src === 'string' ? src : isRecord(uri) ? uri.value : uri;
  if (typeof place !== 'string' || place === '') {
    return refuse(faults, path, `\`${field.name}\` needs { src } with the path of a file.`);
  }
  if (alt !== null && typeof alt !== 'string') return refuse(faults, [...path, 'alt'], '`alt` is a text.');
  return { uri: { value: place }, alt };
}

function refuse(faults: Fault[], path: Fault['path'], detail: string): null {
  faults.push({ path, detail });
  return null;
}

function describe(value: object): string {
  if (Array.isArray(value)) return 'a list';
  return `an object with ${shortened(Object.keys(value).join(', ')) || 'nothing'}`;
}

/** The start of a text, for a message: enough to recognize it. */
export function shortened(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

const MAX_SHOWN = 100;

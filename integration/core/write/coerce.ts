import { FILE_PROPERTIES } from '../content/base-fields.ts';
import { type KnownEntities, resolveReference } from '../content/decode/references.ts';
import type { FieldDefinition, FieldValue, Reference } from '../content/model.ts';
import { isOwner, USER_TYPE_NAME } from '../content/owner.ts';
import { isUuid } from '../content/resource-type.ts';
import { parseInstant } from '../engine/resolve/coerce.ts';
import { isRecord, type JsonValue } from '../util/json.ts';
import { shortened } from '../util/text.ts';
import type { ValuePath } from './writer.ts';

/** The value of a field, and the errors in the input. */
export interface Coerced {
  readonly value: FieldValue;
  readonly faults: readonly Fault[];
}

/** `path` leads into the value as it was sent. */
export interface Fault {
  readonly path: ValuePath;
  readonly detail: string;
  /** A reference to an entity that does not exist or that the actor may not see. */
  readonly missing?: true;
}

/**
 * Converts a sent value to the form that a field stores. Accepts what Drupal accepts: one value for a list, an array of one
 * for a single value, `{value: x}` for x, strings for numbers and booleans, and an empty string for no value. Empty strings
 * inside the `stored` value of a list or an object stay. Does not check the schema.
 */
export function coerceField(
  sent: JsonValue,
  field: FieldDefinition,
  targets: KnownEntities,
  stored: FieldValue = null,
): Coerced {
  const { value, faults } = coerceValue(sent, field, targets);
  return { value: withoutNewBlanks(value, field, [stored]), faults };
}

/** Empty strings become null, or are removed from lists, unless one of the stored values has one at the same place. */
function withoutNewBlanks(
  value: FieldValue,
  field: FieldDefinition,
  stored: readonly FieldValue[],
  isInside = false,
): FieldValue {
  if (field.kind !== 'string' && field.kind !== 'object') return value;
  if (value === '') return isInside && stored.includes('') ? '' : null;
  if (Array.isArray(value)) {
    const items = (value as readonly FieldValue[]).map((item) =>
      withoutNewBlanks(item, field, stored.flat() as readonly FieldValue[], true),
    );
    return items.filter((item) => item !== null);
  }
  if (!isRecord(value)) return value;
  const object: Record<string, FieldValue> = Object.create(null);
  for (const [name, item] of Object.entries(value as Readonly<Record<string, JsonValue>>)) {
    const part = field.properties[name];
    const parts = stored.map((each) =>
      isRecord(each) ? ((each as Record<string, JsonValue>)[name] ?? null) : null,
    );
    object[name] = part === undefined ? item : withoutNewBlanks(item, part, parts, true);
  }
  return object;
}

function coerceValue(sent: JsonValue, field: FieldDefinition, targets: KnownEntities): Coerced {
  const faults: Fault[] = [];
  if (field.kind === 'json') return { value: sent, faults };
  if (!field.list) {
    const [single = null, ...others] = Array.isArray(sent) ? (sent as readonly JsonValue[]) : [sent];
    if (others.length > 0) {
      faults.push({ path: [], detail: `\`${field.name}\` must have one value, not ${others.length + 1}.` });
      return { value: null, faults };
    }
    return { value: coerceItem(single, field, Array.isArray(sent) ? [0] : [], targets, faults), faults };
  }
  const items: readonly JsonValue[] = Array.isArray(sent) ? sent : sent === null ? [] : [sent];
  const values = items.map((item, index) =>
    coerceItem(item, field, Array.isArray(sent) ? [index] : [], targets, faults),
  );
  return { value: values.filter((value) => value !== null), faults };
}

function coerceItem(
  sent: JsonValue,
  field: FieldDefinition,
  path: ValuePath,
  targets: KnownEntities,
  faults: Fault[],
): FieldValue {
  const { name, kind } = field;
  if (sent === null || kind === 'json') return sent;
  if (kind === 'reference') return coerceReference(sent, field, path, targets, faults);
  if (kind === 'image' || kind === 'file') return coerceFile(sent, field, path, faults);
  if (kind === 'object') {
    if (!isRecord(sent)) {
      const parts = Object.keys(field.properties).join(', ');
      return refuse(faults, path, `\`${name}\` must be an object${parts && ` with ${parts}`}.`);
    }
    const object: Record<string, FieldValue> = Object.create(null);
    for (const [key, item] of Object.entries(sent)) {
      const property = field.properties[key];
      if (field.base && property === undefined && !IGNORED_PATH_PROPERTIES.has(key))
        return refuse(faults, [...path, key], `\`${name}\` has no \`${key}\`. Send { alias }.`);
      const coerced =
        property === undefined ? { value: item, faults: [] } : coerceValue(item, property, targets);
      faults.push(...coerced.faults.map((fault) => ({ ...fault, path: [...path, key, ...fault.path] })));
      object[key] = coerced.value;
    }
    return object;
  }
  const bare = isRecord(sent) && Object.keys(sent).join() === 'value' ? (sent.value ?? null) : sent;
  if (bare === null) return null;
  const { expected, read } = SCALARS[kind];
  if (typeof bare === 'object')
    return refuse(faults, path, `\`${name}\` must be ${expected}, not ${describe(bare)}.`);
  if (name === 'status' && kind === 'string' && typeof bare !== 'string') {
    return refuse(faults, path, '`status` must be a string in this bundle, for example `draft`.');
  }
  // A field of the content keeps booleans among other values; in a title, Drupal makes them a number.
  const value = read(field.base && typeof bare === 'boolean' && kind === 'string' ? Number(bare) : bare);
  if (value === undefined)
    return refuse(faults, path, `\`${name}\` must be ${expected}, not ${quoted(bare)}.`);
  if (isOwner(field) && isUuid(String(value)) && !targets.has(USER_TYPE_NAME, String(value))) {
    faults.push({ path, detail: `There is no \`${USER_TYPE_NAME}/${value}\`.`, missing: true });
    return null;
  }
  return value;
}

/** Drupal's clients send them with the alias. */
const IGNORED_PATH_PROPERTIES: ReadonlySet<string> = new Set(['pid', 'langcode']);

type ScalarKind = Exclude<FieldDefinition['kind'], 'reference' | 'object' | 'image' | 'file' | 'json'>;

interface Scalar {
  readonly expected: string;
  /** Undefined for an invalid value. */
  read(sent: string | number | boolean): FieldValue | undefined;
}

const SCALARS: Readonly<Record<ScalarKind, Scalar>> = {
  string: {
    expected: 'a string',
    read: String,
  },
  integer: { expected: 'an integer', read: (sent) => readNumber(sent, Number.isSafeInteger) },
  number: { expected: 'a number', read: (sent) => readNumber(sent, Number.isFinite) },
  decimal: {
    expected: 'a decimal number, for example "9.26"',
    read(sent) {
      const text = String(sent).trim();
      return text === '' ? null : DECIMAL.test(text) ? text : undefined;
    },
  },
  boolean: {
    expected: 'true or false',
    read: (sent) => (sent === '' ? null : BOOLEANS.get(String(sent).trim().toLowerCase())),
  },
  date: { expected: 'a date, for example 2024-01-31', read: (sent) => readTime(sent, DAY) },
  datetime: {
    expected: 'an RFC 3339 date-time with an offset, for example 2024-01-31T18:00:00+01:00',
    read: (sent) => readTime(sent, INSTANT),
  },
  formatted_text: { expected: 'a string', read: String },
};

const DECIMAL = /^-?\d+(\.\d+)?$/;
const OF_FILE = /^(?:src|crop|focus|rotation|position)$/;
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
const DAY = /^\d{4}-\d\d-\d\d$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;
/** `Number.MAX_VALUE` written out has 309 digits. */
const MAX_NUMBER_LENGTH = 400;
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['1', true],
  ['true', true],
  ['0', false],
  ['false', false],
]);

function readNumber(
  sent: string | number | boolean,
  isValid: (value: number) => boolean,
): number | null | undefined {
  if (typeof sent === 'boolean') return undefined;
  const text = String(sent).trim();
  if (text === '') return null;
  const value = text.length <= MAX_NUMBER_LENGTH && NUMBER.test(text) ? Number(text) : Number.NaN;
  return isValid(value) ? value : undefined;
}

function readTime(sent: string | number | boolean, pattern: RegExp): string | null | undefined {
  if (sent === '') return null;
  return typeof sent === 'string' && pattern.test(sent) && parseInstant(sent) !== undefined
    ? sent
    : undefined;
}

function coerceReference(
  sent: JsonValue,
  field: FieldDefinition,
  path: ValuePath,
  targets: KnownEntities,
  faults: Fault[],
): Reference | null {
  const written = isRecord(sent) ? { type: sent.type ?? '', id: sent.id ?? '' } : sent;
  const { reference, problem } = resolveReference(written, field.targets, targets);
  if (problem === null) return reference;
  const missing = problem.code === 'reference/dangling' && { missing: true as const };
  faults.push({ path, detail: `${problem.message} ${missing ? '' : problem.hint}`.trim(), ...missing });
  return null;
}

/** A path, `{src, alt}` as authors write it, or the form that reading returns. */
function coerceFile(sent: JsonValue, field: FieldDefinition, path: ValuePath, faults: Fault[]): FieldValue {
  const { name } = field;
  if (sent === '') return null;
  if (typeof sent === 'string') return coerceFile({ src: sent }, field, path, faults);
  if (!isRecord(sent)) return refuse(faults, path, `\`${name}\` must be a path or { src, alt }.`);
  const unknown = Object.keys(sent).find((key) => !OF_FILE.test(key) && !Object.hasOwn(FILE_PROPERTIES, key));
  const detail = `\`${name}\` has no \`${unknown}\`. Send a path or { src, alt }.`;
  if (unknown !== undefined) return refuse(faults, [...path, unknown], detail);
  const { uri, src, alt = null } = sent;
  const value = typeof src === 'string' ? src : isRecord(uri) ? uri.value : uri;
  if (typeof value !== 'string' || value === '') {
    return refuse(faults, path, `\`${name}\` must have \`src\`, the path of a file.`);
  }
  if (alt !== null && typeof alt !== 'string')
    return refuse(faults, [...path, 'alt'], '`alt` must be a string.');
  return { uri: { value }, alt };
}

/**
 * Converts a body: a string, or `{value, summary, format}` with the parts to change. The formats of Drupal whose texts are
 * HTML are accepted as Markdown, which may contain HTML. `current` is the body as reading returns it: its computed parts
 * may be sent back.
 */
export function coerceBody(sent: JsonValue, current: JsonValue, field: FieldDefinition): Coerced {
  if (sent === null) return { value: { value: '', summary: null }, faults: [] };
  if (Array.isArray(sent) && sent.length === 1) return coerceBody(sent[0] ?? null, current, field);
  if (!isRecord(sent)) {
    const text = coerceField(sent, { ...field, kind: 'string' }, NO_TARGETS);
    return text.faults.length > 0 ? text : { value: { value: text.value as string }, faults: [] };
  }
  const faults: Fault[] = [];
  const parts: Record<string, JsonValue> = {};
  for (const [name, part] of Object.entries(sent)) {
    const detail = Object.hasOwn(BODY_PARTS, name)
      ? BODY_PARTS[name as keyof typeof BODY_PARTS](part, isRecord(current) ? current : {})
      : `A body has no \`${name}\`. Parts: ${Object.keys(BODY_PARTS).join(', ')}.`;
    if (detail !== undefined) faults.push({ path: [name], detail });
    else if (name !== 'processed') parts[name] = part;
  }
  return { value: parts, faults };
}

const NO_TARGETS = { has: () => false };
/** The text formats of Drupal that hold HTML. */
const HTML_FORMATS: readonly JsonValue[] = ['full_html', 'basic_html', 'restricted_html'];
const FORMATS: readonly JsonValue[] = ['markdown', 'mdx', ...HTML_FORMATS, null];

type BodyPart = (part: JsonValue, current: Readonly<Record<string, JsonValue>>) => string | undefined;

/** Returns the error in a part of a body, if there is one. */
const BODY_PARTS: Readonly<Record<'value' | 'summary' | 'format' | 'processed', BodyPart>> = {
  value: (part) =>
    typeof part === 'string' || part === null ? undefined : 'The value of a body must be a string.',
  summary: (part) => (typeof part === 'string' || part === null ? undefined : 'A summary must be a string.'),
  format(part, current) {
    if (!FORMATS.includes(part)) return `The format of a body must be markdown or mdx, not ${quoted(part)}.`;
    const isChanged =
      typeof current.format === 'string' && part !== null && (part === 'mdx') !== (current.format === 'mdx');
    return isChanged ? 'The format of a body cannot change, because its file has that format.' : undefined;
  },
  processed: (part, current) =>
    isSameText(part, current.processed)
      ? undefined
      : '`processed` is rendered from `value` and cannot be set: leave it out.',
};

/** Ignores markup, because code is highlighted differently after the renderer has loaded a grammar. */
function isSameText(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (typeof a !== 'string' || typeof b !== 'string') return a === b;
  const [textA, textB] = [a, b].map((html) => html.replace(/<[^<>]*>/g, ''));
  return textA === textB;
}

function refuse(faults: Fault[], path: ValuePath, detail: string): null {
  faults.push({ path, detail });
  return null;
}

function describe(value: object): string {
  if (Array.isArray(value)) return 'an array';
  return `an object with ${shortened(Object.keys(value).join(', '), MAX_QUOTED) || 'no members'}`;
}

function quoted(value: JsonValue): string {
  return shortened(JSON.stringify(value), MAX_QUOTED);
}

const MAX_QUOTED = 100;

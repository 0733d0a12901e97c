import { type WrittenKind, writtenKind } from '../../source/written-date.ts';
import { isRecord, type JsonValue } from '../../util/json.ts';
import { mixedShape, property } from '../base-fields.ts';
import { type KnownTypes, parsePrefixedReference } from '../decode/references.ts';
import type { FieldDefinition } from '../model.ts';
import { isAddressKey } from '../usual-names.ts';

/** Objects with more different keys are dictionaries and have no properties. */
export const MAX_INFERRED_PROPERTIES = 200;

/** Counts of the values that many files have for one key. A file can be removed from the counts again. */
export interface ValueProfile {
  /** Files (or objects) that have the key, also with null. */
  seen: number;
  lists: number;
  /** Lists directly in lists. */
  nested: number;
  objects: number;
  /** Items of lists among them that have no value: `- ?` and `- name:` are rarely meant as objects. */
  odd: number;
  readonly scalars: Record<ScalarKind, number>;
  /** Strings of the form `bundle/id`, with their number. */
  readonly prefixed: Map<string, number>;
  readonly properties: Map<string, ValueProfile>;
}

/** `empty` is an empty string: no value in a field of dates. */
type ScalarKind = 'string' | 'empty' | 'integer' | 'number' | 'boolean' | WrittenKind;

export function createProfile(): ValueProfile {
  return {
    seen: 0,
    lists: 0,
    nested: 0,
    objects: 0,
    odd: 0,
    scalars: Object.fromEntries(SCALAR_KINDS.map((kind) => [kind, 0])) as Record<ScalarKind, number>,
    prefixed: new Map(),
    properties: new Map(),
  };
}

/** Adds (`delta` 1) or removes (−1) a value. */
export function tally(profile: ValueProfile, value: JsonValue, delta: 1 | -1): void {
  profile.seen += delta;
  if (Array.isArray(value)) {
    profile.lists += delta;
    for (const item of value as readonly JsonValue[]) {
      if (isOddItem(item)) profile.odd += delta;
      tallyItem(profile, item, delta);
    }
  } else {
    tallyItem(profile, value, delta);
  }
}

/** The field that fits all counted values. */
export function inferField(
  profile: ValueProfile,
  name: string,
  key: string,
  known: KnownTypes,
): FieldDefinition {
  const shape = inferShape(profile, isAddressKey(key) ? NO_ENTITIES : known);
  return { ...property(name), key, ...shape };
}

function scalarKind(value: string | number | boolean): ScalarKind {
  switch (typeof value) {
    case 'boolean':
      return 'boolean';
    case 'number':
      return Number.isSafeInteger(value) ? 'integer' : 'number';
    default:
      return value.trim() === '' ? 'empty' : (writtenKind(value) ?? 'string');
  }
}

function tallyItem(profile: ValueProfile, value: JsonValue, delta: 1 | -1): void {
  if (value === null) return;
  if (Array.isArray(value)) {
    profile.nested += delta;
  } else if (typeof value === 'object') {
    profile.objects += delta;
    for (const [name, item] of Object.entries(value)) {
      tallyProperty(profile.properties, name, item, delta);
    }
  } else {
    const scalar = value as string | number | boolean;
    const kind = scalarKind(scalar);
    profile.scalars[kind] += delta;
    if (typeof scalar === 'string' && parsePrefixedReference(scalar) !== undefined) {
      count(profile.prefixed, scalar, delta);
    }
  }
}

/** True for a map without any value. */
export function isOddItem(value: unknown): boolean {
  return isRecord(value) && Object.values(value).every((each) => each === null);
}

/** Removes the profile of a key that no value has any more. */
export function tallyProperty(
  profiles: Map<string, ValueProfile>,
  name: string,
  value: JsonValue,
  delta: 1 | -1,
): void {
  const profile = profiles.get(name) ?? createProfile();
  profiles.set(name, profile);
  tally(profile, value, delta);
  if (profile.seen === 0) profiles.delete(name);
}

function inferShape(profile: ValueProfile, known: KnownTypes): InferredShape {
  const list = profile.lists > 0;
  const hasScalars = SCALAR_KINDS.some((kind) => profile.scalars[kind] > 0);
  const isDictionary = profile.properties.size > MAX_INFERRED_PROPERTIES;
  const objects = hasScalars ? profile.objects - profile.odd : profile.objects;
  if (profile.nested > 0 || isDictionary || (objects > 0 && hasScalars && list)) {
    return { ...PLAIN, kind: 'json', list: false };
  }
  if (objects > 0) {
    const properties = inferProperties(profile.properties, known);
    return hasScalars
      ? mixedShape(inferKind(profile.scalars).kind, properties)
      : { ...PLAIN, kind: 'object', list, properties };
  }
  const targets = inferTargets(profile, known);
  return targets === undefined
    ? { ...PLAIN, ...inferKind(profile.scalars), list }
    : { ...PLAIN, kind: 'reference', list, targets };
}

/**
 * Numbers, booleans or strings only if all values are. Dates if at least three of four values are: the others are mistakes.
 * Days are date-times if some values are date-times.
 */
function inferKind(
  scalars: ValueProfile['scalars'],
): Pick<FieldDefinition, 'kind' | 'dayFirst' | 'dayFirstOnce'> {
  const { date, datetime, empty } = scalars;
  const dayFirst = numberOrder(scalars);
  const numeric = scalars['day-first'] + scalars['month-first'] + scalars['either-first'];
  const dates = date + datetime + (dayFirst === undefined ? 0 : numeric);
  const total = SCALAR_KINDS.reduce((sum, kind) => sum + scalars[kind], 0) - empty;
  if (dates > 0 && dates * 4 >= total * 3) {
    return {
      kind: datetime > 0 ? 'datetime' : 'date',
      ...(dayFirst !== undefined && numeric > 0 && { dayFirst }),
      ...(scalars['day-first'] + scalars['month-first'] === 1 && { dayFirstOnce: true }),
    };
  }
  const [first, second, third] = SCALAR_KINDS.filter((kind) => scalars[kind] > 0);
  if (first === 'integer' && second === 'number' && third === undefined) return { kind: 'number' };
  const kind = second === undefined ? PLAIN_KINDS.find((each) => each === first) : undefined;
  return { kind: kind ?? 'string' };
}

/** True if some values of a field can only be read with the day first, and none only with the month first. */
function numberOrder(scalars: ValueProfile['scalars']): boolean | undefined {
  const [byDay, byMonth] = [scalars['day-first'] > 0, scalars['month-first'] > 0];
  return byDay === byMonth ? undefined : byDay;
}

function inferProperties(
  profiles: ReadonlyMap<string, ValueProfile>,
  known: KnownTypes,
): Readonly<Record<string, FieldDefinition>> {
  const properties = Object.create(null) as Record<string, FieldDefinition>;
  // Configuration has many paths, such as `src/assets`. In objects, only existing entities make a reference.
  const existing: KnownTypes = { has: known.has, hasType: () => false };
  for (const name of [...profiles.keys()].sort()) {
    properties[name] = inferField(profiles.get(name) ?? createProfile(), name, name, existing);
  }
  return properties;
}

/**
 * The resource types that the values refer to; undefined if they are strings. `bundle/id` is a reference if the bundle
 * exists, even if the entity does not: one mistake must not turn a whole field into strings. Other values count as mistakes
 * if most values are references, or at least half if all values have the form `bundle/id`.
 */
function inferTargets(profile: ValueProfile, known: KnownTypes): readonly string[] | undefined {
  const { scalars, prefixed } = profile;
  const targets = new Set<string>();
  let [existing, missing, unknown] = [0, 0, 0];
  for (const [text, times] of prefixed) {
    const reference = parsePrefixedReference(text);
    const exists = reference !== undefined && known.has(reference.type, reference.id);
    if (exists || (reference !== undefined && known.hasType(reference.type) && isSlug(reference.id))) {
      targets.add(reference.type);
      if (exists) existing += times;
      else missing += times;
    } else {
      unknown += times;
    }
  }
  const bare = SCALAR_KINDS.reduce((sum, kind) => sum + scalars[kind], 0) - existing - missing - unknown;
  const others = bare + unknown;
  const references = existing + missing;
  const isOutweighed = bare > 0 ? references <= others : references < others;
  return references === 0 || (others > 0 && (existing === 0 || isOutweighed))
    ? undefined
    : [...targets].sort();
}

/** True for strings like the ids of files: neither prose nor an address nor the name of an image or another file. */
function isSlug(id: string): boolean {
  return /^[\p{L}\p{N}_][\p{L}\p{N}_./-]*$/u.test(id) && !/\/$|\.[a-z][a-z\d]{1,4}$/i.test(id);
}

function count(counts: Map<string, number>, key: string, delta: number): void {
  const next = (counts.get(key) ?? 0) + delta;
  if (next === 0) {
    counts.delete(key);
  } else {
    counts.set(key, next);
  }
}

const NO_ENTITIES: KnownTypes = { has: () => false, hasType: () => false };
const PLAIN_KINDS = ['integer', 'number', 'boolean'] as const;
const SCALAR_KINDS = [
  ...(['string', 'empty', 'date', 'datetime'] as const),
  ...(['day-first', 'month-first', 'either-first'] as const),
  ...PLAIN_KINDS,
] as const satisfies readonly ScalarKind[];
const PLAIN = {
  targets: [],
  properties: Object.freeze(Object.create(null)) as Readonly<Record<string, FieldDefinition>>,
};

type InferredShape = Pick<
  FieldDefinition,
  'kind' | 'list' | 'targets' | 'properties' | 'dayFirst' | 'dayFirstOnce' | 'scalar'
>;

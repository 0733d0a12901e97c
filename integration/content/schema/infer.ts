import { isDateTime, parseDay } from '../../source/date-time.ts';
import type { JsonValue } from '../../util/json.ts';
import { property } from '../base-fields.ts';
import type { FieldDefinition, FieldKind } from '../model.ts';
import { type KnownTypes, readPrefixedReference } from '../references.ts';

/** Objects with more different keys than this are dictionaries, not objects with properties. */
export const MAX_INFERRED_PROPERTIES = 200;

/**
 * What has been seen at one place of many files, as counts, so that a file can be taken out again and the types of
 * a bundle follow from the counts alone.
 */
export interface ValueProfile {
  /** Files (or objects) that have the key, empty ones included. */
  seen: number;
  lists: number;
  /** Lists directly in lists. */
  nested: number;
  objects: number;
  readonly scalars: Record<ScalarKind, number>;
  /** Texts of the form `bundle/id`, with how often each occurs. */
  readonly prefixed: Map<string, number>;
  readonly properties: Map<string, ValueProfile>;
}

export type ScalarKind = 'string' | 'date' | 'datetime' | 'integer' | 'number' | 'boolean';

export function createProfile(): ValueProfile {
  return {
    seen: 0,
    lists: 0,
    nested: 0,
    objects: 0,
    scalars: { string: 0, date: 0, datetime: 0, integer: 0, number: 0, boolean: 0 },
    prefixed: new Map(),
    properties: new Map(),
  };
}

/** Counts a value in (`delta` 1) or out (−1). */
export function tally(profile: ValueProfile, value: JsonValue, delta: 1 | -1): void {
  profile.seen += delta;
  if (Array.isArray(value)) {
    profile.lists += delta;
    for (const item of value as readonly JsonValue[]) {
      tallyItem(profile, item, delta);
    }
  } else {
    tallyItem(profile, value, delta);
  }
}

/** The field that all values counted in fit into. */
export function inferField(
  profile: ValueProfile,
  name: string,
  key: string,
  known: KnownTypes,
): FieldDefinition {
  const shape = inferShape(profile, known);
  return { ...property(name), key, ...shape };
}

/** Kind of a scalar on its own. */
export function scalarKind(value: string | number | boolean): ScalarKind {
  switch (typeof value) {
    case 'boolean':
      return 'boolean';
    case 'number':
      return Number.isSafeInteger(value) ? 'integer' : 'number';
    default:
      // Cheap look first: most texts are no dates.
      if (value.charCodeAt(4) !== HYPHEN || value.length > LONGEST_DATE_TIME) {
        return 'string';
      }
      return parseDay(value) !== undefined ? 'date' : isDateTime(value) ? 'datetime' : 'string';
  }
}

const HYPHEN = 0x2d;
const LONGEST_DATE_TIME = 40;

function tallyItem(profile: ValueProfile, value: JsonValue, delta: 1 | -1): void {
  if (value === null) {
    return;
  }
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
    if (kind === 'string' && readPrefixedReference(String(scalar)) !== undefined) {
      count(profile.prefixed, String(scalar), delta);
    }
  }
}

/** A place nobody has any more is forgotten, as if it had never been seen. */
export function tallyProperty(
  profiles: Map<string, ValueProfile>,
  name: string,
  value: JsonValue,
  delta: 1 | -1,
): void {
  const profile = profiles.get(name) ?? createProfile();
  profiles.set(name, profile);
  tally(profile, value, delta);
  if (profile.seen === 0) {
    profiles.delete(name);
  }
}

function inferShape(profile: ValueProfile, known: KnownTypes): InferredShape {
  const list = profile.lists > 0;
  const kinds = SCALAR_KINDS.filter((kind) => profile.scalars[kind] > 0);
  if (profile.nested > 0 || (profile.objects > 0 && kinds.length > 0)) {
    return { ...PLAIN, kind: 'json', list: false };
  }
  if (profile.objects > 0) {
    return profile.properties.size > MAX_INFERRED_PROPERTIES
      ? { ...PLAIN, kind: 'json', list: false }
      : { ...PLAIN, kind: 'object', list, properties: inferProperties(profile.properties, known) };
  }
  const targets = inferTargets(profile, known);
  return targets === undefined
    ? { ...PLAIN, kind: inferKind(kinds), list }
    : { ...PLAIN, kind: 'reference', list, targets };
}

function inferKind(kinds: readonly ScalarKind[]): FieldKind {
  const [first, second] = kinds;
  if (kinds.length === 2 && first === 'integer' && second === 'number') {
    return 'number';
  }
  return kinds.length === 1 && first !== undefined ? first : 'string';
}

function inferProperties(
  profiles: ReadonlyMap<string, ValueProfile>,
  known: KnownTypes,
): Readonly<Record<string, FieldDefinition>> {
  const properties = Object.create(null) as Record<string, FieldDefinition>;
  for (const name of [...profiles.keys()].sort()) {
    properties[name] = inferField(profiles.get(name) ?? createProfile(), name, name, known);
  }
  return properties;
}

/**
 * Resource types referred to; undefined where the values are texts. `bundle/id` of a bundle that is there is a reference,
 * whether its entity exists or not: a mistake in one file must not make texts of all. Other values are mistakes among
 * references where most values are references; where all have the form, mistyped bundles for one, half is enough.
 */
function inferTargets(profile: ValueProfile, known: KnownTypes): readonly string[] | undefined {
  const { scalars, prefixed } = profile;
  const targets = new Set<string>();
  let [found, missing, strange] = [0, 0, 0];
  for (const [text, times] of prefixed) {
    const reference = readPrefixedReference(text);
    const exists = reference !== undefined && known.has(reference.type, reference.id);
    if (exists || (reference !== undefined && known.hasType(reference.type) && isSlug(reference.id))) {
      targets.add(reference.type);
      if (exists) found += times;
      else missing += times;
    } else {
      strange += times;
    }
  }
  const bare = SCALAR_KINDS.reduce((sum, kind) => sum + scalars[kind], 0) - found - missing - strange;
  const others = bare + strange;
  const references = found + missing;
  const outweighed = bare > 0 ? references <= others : references < others;
  return references === 0 || (others > 0 && (found === 0 || outweighed)) ? undefined : [...targets].sort();
}

/** Whether it is as the ids of files are, and no prose, nor the name of an image or another file. */
function isSlug(id: string): boolean {
  return /^[\p{L}\p{N}_][\p{L}\p{N}_./-]*$/u.test(id) && !/\.[a-z][a-z\d]{1,4}$/i.test(id);
}

function count(counts: Map<string, number>, key: string, delta: number): void {
  const next = (counts.get(key) ?? 0) + delta;
  if (next === 0) {
    counts.delete(key);
  } else {
    counts.set(key, next);
  }
}

const SCALAR_KINDS = ['string', 'date', 'datetime', 'integer', 'number', 'boolean'] as const;
const PLAIN = {
  targets: [],
  properties: Object.freeze(Object.create(null)) as Readonly<Record<string, FieldDefinition>>,
};

type InferredShape = Pick<FieldDefinition, 'kind' | 'list' | 'targets' | 'properties'>;

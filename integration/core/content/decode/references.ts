import type { JsonValue } from '../../util/json.ts';
import type { Reference } from '../model.ts';
import { entityId } from '../owner.ts';
import { resourceTypeName, shortTypeName } from '../resource-type.ts';
import { writtenReferenceSchema } from '../schema/schema.ts';

export interface KnownEntities {
  has(type: string, id: string): boolean;
}

export interface KnownTypes extends KnownEntities {
  /** True if the resource type has a schema or a file, readable or not. */
  hasType(type: string): boolean;
  /** The type of the entities in a file of one of these folders, such as `blog/authors.yml`, if the file has the name of the field. */
  readonly listIn?: ((folders: Iterable<string>, field: string) => string | undefined) | undefined;
}

export interface ResolvedReference {
  /** Null if the field cannot hold the written value. */
  readonly reference: Reference | null;
  readonly problem: ReferenceProblem | null;
  /** Entities whose creation or removal changes this result. */
  readonly lookups: readonly Reference[];
}

export interface ReferenceProblem {
  readonly code: 'reference/dangling' | 'reference/wrong-target' | 'reference/malformed';
  readonly message: string;
  readonly hint: string;
}

/**
 * Resolves a written reference: `jane`, `person/jane` or `{type, id}`. Ids may contain slashes: `person/jane` is a person
 * if that person exists, else an entity with exactly that id. `targets` are full resource type names.
 */
export function resolveReference(
  written: JsonValue,
  targets: readonly string[],
  known: KnownEntities,
): ResolvedReference {
  if (typeof written === 'string' && written !== '') {
    // Ids have no slash at their start.
    return resolveText(written.replace(/^\/+(?=.)/, ''), targets, known);
  }
  const reference = parseReference(written);
  if (reference === undefined) {
    const message = `${JSON.stringify(written)} is not a reference.`;
    return reject('reference/malformed', message, targets, []);
  }
  return targets.includes(reference.type)
    ? resolve(reference, known, [reference])
    : reject('reference/wrong-target', wrongTarget(shortTypeName(reference.type)), targets, []);
}

/** Parses `person/jane` or `{ type: person, id: jane }`; undefined for other values. */
export function parseReference(written: JsonValue): Reference | undefined {
  if (typeof written === 'string') return parsePrefixedReference(written);
  const explicit = writtenReferenceSchema.safeParse(written).data;
  return explicit && referenceTo(resourceTypeName(explicit.type) ?? explicit.type, String(explicit.id));
}

/** Parses `person/jane`; undefined if the string does not have that form. */
export function parsePrefixedReference(text: string): Reference | undefined {
  const at = text.indexOf('/');
  const type = at > 0 && at < text.length - 1 ? resourceTypeName(text.slice(0, at)) : undefined;
  return type === undefined ? undefined : referenceTo(type, text.slice(at + 1));
}

function referenceTo(type: string, id: string): Reference {
  return { type, id: entityId(type, id) };
}

function resolveText(text: string, targets: readonly string[], known: KnownEntities): ResolvedReference {
  const prefixed = parsePrefixedReference(text);
  const bare = targets.map((type) => referenceTo(type, text));
  const isTarget = prefixed !== undefined && targets.includes(prefixed.type);
  const candidates = isTarget ? [prefixed, ...bare] : bare;
  const existing = candidates.find(({ type, id }) => known.has(type, id));
  if (existing !== undefined || prefixed === undefined || isTarget) {
    return resolve(existing ?? candidates[0], known, candidates);
  }
  const lookups = [...candidates, prefixed];
  return known.has(prefixed.type, prefixed.id)
    ? reject('reference/wrong-target', wrongTarget(shortTypeName(prefixed.type)), targets, lookups)
    : resolve(bare[0], known, lookups);
}

function resolve(
  reference: Reference | undefined,
  known: KnownEntities,
  lookups: readonly Reference[],
): ResolvedReference {
  if (reference === undefined || known.has(reference.type, reference.id)) {
    return { reference: reference ?? null, problem: null, lookups };
  }
  const message = `There is no \`${shortTypeName(reference.type)}/${reference.id}\`.`;
  const hint = 'Correct the reference, or add the file.';
  return { reference, problem: { code: 'reference/dangling', message, hint }, lookups };
}

function reject(
  code: ReferenceProblem['code'],
  message: string,
  targets: readonly string[],
  lookups: readonly Reference[],
): ResolvedReference {
  const hint = `Valid targets: ${targets.map(shortTypeName).join(', ')}.`;
  return { reference: null, problem: { code, message, hint }, lookups };
}

function wrongTarget(type: string): string {
  return `The field cannot refer to \`${type}\`.`;
}

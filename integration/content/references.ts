import type { JsonValue } from '../util/json.ts';
import type { Reference } from './model.ts';
import { resourceTypeName, shortTypeName } from './resource-type.ts';
import { writtenReferenceSchema } from './schema/schema.ts';

/** Which entities there are. */
export interface KnownEntities {
  has(type: string, id: string): boolean;
}

/** And which resource types: those with a file, readable or not, or a schema. */
export interface KnownTypes extends KnownEntities {
  hasType(type: string): boolean;
}

export interface ResolvedReference {
  /** Null where the field cannot hold what is written. */
  readonly reference: Reference | null;
  readonly problem: ReferenceProblem | null;
  /** The entities whose coming or going changes this answer. */
  readonly lookups: readonly Reference[];
}

export interface ReferenceProblem {
  readonly code: 'reference/dangling' | 'reference/wrong-target' | 'reference/malformed';
  readonly message: string;
  readonly hint: string;
}

/**
 * Reads one written reference: `jane`, `person/jane` or `{type, id}`. An id may itself contain slashes; `person/jane`
 * is a person where there is one, else an entity with that very id. `targets` are full resource type names.
 */
export function resolveReference(
  written: JsonValue,
  targets: readonly string[],
  known: KnownEntities,
): ResolvedReference {
  if (typeof written === 'string' && written !== '') {
    return resolveText(written, targets, known);
  }
  const explicit = writtenReferenceSchema.safeParse(written).data;
  if (explicit === undefined) {
    const message = `${JSON.stringify(written)} is not a reference.`;
    return refuse('reference/malformed', message, targets, []);
  }
  const type = resourceTypeName(explicit.type) ?? explicit.type;
  const id = String(explicit.id);
  return targets.includes(type)
    ? settle({ type, id }, known, [{ type, id }])
    : refuse('reference/wrong-target', `The field does not refer to \`${explicit.type}\`.`, targets, []);
}

/** `person/jane` as type and id, by its form alone; undefined where it cannot be one. */
export function readPrefixedReference(text: string): Reference | undefined {
  const at = text.indexOf('/');
  const type = at > 0 && at < text.length - 1 ? resourceTypeName(text.slice(0, at)) : undefined;
  return type === undefined ? undefined : { type, id: text.slice(at + 1) };
}

function resolveText(text: string, targets: readonly string[], known: KnownEntities): ResolvedReference {
  const prefixed = readPrefixedReference(text);
  const bare = targets.map((type) => ({ type, id: text }));
  const fits = prefixed !== undefined && targets.includes(prefixed.type);
  const candidates = fits ? [prefixed, ...bare] : bare;
  const found = candidates.find(({ type, id }) => known.has(type, id));
  if (found !== undefined) {
    return settle(found, known, candidates);
  }
  if (prefixed !== undefined && !fits) {
    const lookups = [...candidates, prefixed];
    if (known.has(prefixed.type, prefixed.id)) {
      const message = `The field does not refer to \`${shortTypeName(prefixed.type)}\`.`;
      return refuse('reference/wrong-target', message, targets, lookups);
    }
    return settle(bare[0], known, lookups);
  }
  return settle(candidates[0], known, candidates);
}

function settle(
  reference: Reference | undefined,
  known: KnownEntities,
  lookups: readonly Reference[],
): ResolvedReference {
  if (reference === undefined || known.has(reference.type, reference.id)) {
    return { reference: reference ?? null, problem: null, lookups };
  }
  const name = `${shortTypeName(reference.type)}/${reference.id}`;
  const problem: ReferenceProblem = {
    code: 'reference/dangling',
    message: `${MISSING}${name}${END}`,
    hint: 'Correct the reference, or add the file.',
  };
  return { reference, problem, lookups };
}

/** Which entity a problem says is not there; undefined for any other problem. */
export function missingEntity({
  code,
  message,
}: {
  readonly code: string;
  readonly message: string;
}): Reference | undefined {
  return code === 'reference/dangling'
    ? readPrefixedReference(message.slice(MISSING.length, -END.length))
    : undefined;
}

const MISSING = 'There is no `';
const END = '`.';

function refuse(
  code: ReferenceProblem['code'],
  message: string,
  targets: readonly string[],
  lookups: readonly Reference[],
): ResolvedReference {
  const hint = `It refers to: ${targets.map(shortTypeName).join(', ')}.`;
  return { reference: null, problem: { code, message, hint }, lookups };
}

import { parsePrefixedReference } from '../content/decode/references.ts';
import type { FieldDefinition } from '../content/model.ts';
import { resourceTypeName, shortTypeName } from '../content/resource-type.ts';
import type { JsonValue } from '../util/json.ts';

/** Ids of all entities by resource type name. */
export type KnownIds = ReadonlyMap<string, ReadonlySet<string>>;

/** One file's value of a field, and the file's own id. */
export interface FoundValue {
  readonly id: string;
  readonly value: JsonValue;
}

/**
 * Resource types that a field refers to where each of its values names an entity: as `bundle/id`, as `{ type, id }`, or
 * by a bare id, which inference alone takes for a text. Undefined where it is no such field.
 */
export function inferReferences(
  field: FieldDefinition,
  values: readonly FoundValue[],
  known: KnownIds,
): readonly string[] | undefined {
  const targets = new Set<string>();
  const bare = new Set<string>();
  let own = true;
  for (const { id, value } of values) {
    for (const item of Array.isArray(value) ? (value as readonly JsonValue[]) : [value]) {
      if (item === null) continue;
      const type = typedTarget(item, known);
      if (type !== undefined) targets.add(type);
      else if (typeof item === 'string') bare.add(item);
      else return undefined;
      own &&= item === id;
    }
  }
  // A field that repeats the id of its own entity, such as a slug, refers to nothing.
  if (own || !addBareTargets(field, targets, bare, known)) return undefined;
  return [...targets].sort();
}

/** The type of an item that says it. */
function typedTarget(item: JsonValue, known: KnownIds): string | undefined {
  if (typeof item === 'string') {
    const reference = parsePrefixedReference(item);
    return reference !== undefined && known.get(reference.type)?.has(reference.id)
      ? reference.type
      : undefined;
  }
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return undefined;
  const { type, id, ...others } = item as Readonly<Record<string, JsonValue>>;
  const name = typeof type === 'string' ? resourceTypeName(type) : undefined;
  const fits = name !== undefined && known.get(name)?.has(String(id)) && Object.keys(others).length === 0;
  return fits ? name : undefined;
}

/** Adds the one type whose ids the bare texts are. Whether there is one, or none is needed. */
function addBareTargets(
  { name }: FieldDefinition,
  targets: Set<string>,
  bare: ReadonlySet<string>,
  known: KnownIds,
): boolean {
  const texts = [...bare];
  if (texts.every((text) => [...targets].some((type) => known.get(type)?.has(text)))) return targets.size > 0;
  const holders = [...known].filter(([, ids]) => texts.every((text) => ids.has(text))).map(([type]) => type);
  const named = holders.filter((type) => name.includes(shortTypeName(type)));
  const [holder, other] = named.length > 0 ? named : holders;
  // A single text may be an id by chance.
  if (holder === undefined || other !== undefined || (texts.length < 2 && named.length === 0)) return false;
  targets.add(holder);
  return true;
}

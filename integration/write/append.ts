import type { FieldChanges } from '../content/encode/encode-file.ts';
import type { Entity, FieldDefinition, FieldValue, Reference } from '../content/model.ts';
import type { JsonValue } from '../util/json.ts';
import type { EntityInput } from './writer.ts';

/** What is said of a list when something is added to it: what it is `shown` to hold, and then what was sent. */
export function appendedInput(input: EntityInput, field: string, shown: JsonValue): EntityInput {
  const present: readonly JsonValue[] = Array.isArray(shown) ? shown : [];
  const sent = input.values.get(field) ?? [];
  return {
    ...input,
    values: new Map([[field, [...present, ...(Array.isArray(sent) ? sent : [sent])]]]),
    pointer: ([name = field, at, ...steps]) => {
      if (typeof at !== 'number') return input.pointer([name]);
      return at < present.length
        ? input.pointer([name])
        : input.pointer([name, at - present.length, ...steps]);
    },
  };
}

/** Of references that were added, those that were not there. What was there stays, once or more often. */
export function withoutRepeated(
  changes: FieldChanges,
  { values }: Entity,
  { name, kind }: FieldDefinition,
): FieldChanges {
  const list = changes[name];
  if (kind !== 'reference' || !Array.isArray(list)) return changes;
  const present = ([values[name] ?? []].flat() as readonly FieldValue[]).length;
  const keys = list.map((each: Reference) => `${each.type} ${each.id}`);
  const first = new Map(keys.map((key, at) => [key, at] as const).reverse());
  return { ...changes, [name]: list.filter((_, at) => at < present || first.get(keys[at] ?? '') === at) };
}

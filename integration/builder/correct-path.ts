import { closestName } from '../entities/closest-name.ts';
import type { FieldDefinition, ResourceType } from '../entities/model.ts';

type Types = ReadonlyMap<string, ResourceType>;

/** The path with its first unknown name replaced by one much like it; undefined where there is none. */
export function correctPath(types: Types, type: ResourceType, path: string): string | undefined {
  const segments = path.split('.');
  let known: ReadonlyMap<string, readonly FieldDefinition[]> = fieldsOf([type]);
  for (const [index, segment] of segments.entries()) {
    if (/^\d+$/.test(segment)) continue;
    const fields = known.get(segment);
    if (fields === undefined) {
      const name = closestName(segment, known.keys());
      return name === undefined ? undefined : segments.with(index, name).join('.');
    }
    known = behind(types, fields);
  }
  return undefined;
}

/** What a path may go on with after one of these fields. */
function behind(types: Types, fields: readonly FieldDefinition[]): ReturnType<typeof fieldsOf> {
  const targets = fields.flatMap((field) => field.targets.flatMap((name) => types.get(name) ?? []));
  if (targets.length > 0) return fieldsOf(targets);
  return Map.groupBy(
    fields.flatMap((field) => Object.values(field.properties)),
    (field) => field.name,
  );
}

// A polymorphic reference leads to the fields of every target.
function fieldsOf(types: readonly ResourceType[]): ReadonlyMap<string, readonly FieldDefinition[]> {
  return Map.groupBy(
    types.flatMap((type) => [...type.fields.values()]),
    (field) => field.name,
  );
}

import { z } from 'zod';

/** Fields of options by name. A group is an object of the options, or `false`, its default, or `true` for its own defaults. */
export interface OptionShape {
  readonly [name: string]: z.ZodType | OptionShape;
}

/** Merges the options of owners deeply. Throws an Error if two of them own the same option. */
export function mergeShapes(
  owners: readonly { readonly name: string; readonly options?: OptionShape }[],
): OptionShape {
  return owners.reduce<OptionShape>((all, { name, options = {} }) => merge(all, options, name, ''), {});
}

function merge(all: OptionShape, added: OptionShape, owner: string, prefix: string): OptionShape {
  const merged = { ...all };
  for (const [name, field] of Object.entries(added)) {
    const other = all[name];
    const option = prefix + name;
    if (other === undefined) merged[name] = field;
    else if (isGroup(other) && isGroup(field)) merged[name] = merge(other, field, owner, `${option}.`);
    else
      throw new Error(`Option ${option} cannot belong to the feature "${owner}": it has an owner already.`);
  }
  return merged;
}

/** The schema of merged options. */
export function schemaOf(shape: OptionShape): z.ZodObject {
  const fields = Object.entries(shape).map(([name, field]): [string, z.ZodType] => [
    name,
    isGroup(field) ? groupSchema(schemaOf(field)) : field,
  ]);
  return z.strictObject(Object.fromEntries(fields));
}

function groupSchema(group: z.ZodObject) {
  return z
    .union([z.literal(false), z.literal(true).transform(() => group.parse({})), group])
    .describe(`true, false or { ${Object.keys(group.shape).sort().join(', ')} }`)
    .default(false);
}

function isGroup(field: z.ZodType | OptionShape): field is OptionShape {
  return !(field instanceof z.ZodType);
}

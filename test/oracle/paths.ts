import type { FieldDefinition, FieldKind, ResourceType } from '../../integration/core/content/model.ts';

/** A path that a condition may name. */
export interface LeafPath {
  readonly path: string;
  /** Number of references followed. */
  readonly hops: number;
  /** `id`, or the kind at the end; a kind without order allows IS NULL and IS NOT NULL only. */
  readonly kind: FieldKind | 'id';
  /** Name of the last field or property. */
  readonly field: string;
}

const NULL_ONLY: ReadonlySet<FieldKind | 'id'> = new Set([
  'reference',
  'object',
  'formatted_text',
  'image',
  'file',
  'json',
]);

/** True if the end of the path only supports IS NULL and IS NOT NULL. */
export function nullOnly(leaf: LeafPath): boolean {
  return NULL_ONLY.has(leaf.kind);
}

/** Every path from a type through at most `depth` references, lists also by delta 0 and 1. */
export function pathsFrom(
  types: readonly ResourceType[],
  type: ResourceType,
  depth: number,
): readonly LeafPath[] {
  return below(types, type, '', depth, 0);
}

function below(
  types: readonly ResourceType[],
  type: ResourceType,
  prefix: string,
  depth: number,
  hops: number,
): readonly LeafPath[] {
  const id: LeafPath = { path: `${prefix}id`, hops, kind: 'id', field: 'id' };
  const others = [...type.fields.values()].flatMap((field) => {
    const starts = field.list ? [field.name, `${field.name}.0`, `${field.name}.1`] : [field.name];
    return starts.flatMap((start) => ofField(types, field, `${prefix}${start}`, depth, hops));
  });
  return [id, ...others];
}

function ofField(
  types: readonly ResourceType[],
  field: FieldDefinition,
  path: string,
  depth: number,
  hops: number,
): readonly LeafPath[] {
  const own: LeafPath = { path, hops, kind: field.scalar ?? field.kind, field: field.name };
  if (field.kind === 'reference') {
    if (depth === 0) return [own];
    const further = field.targets.flatMap((target) => {
      const type = types.find((candidate) => candidate.name === target);
      return type ? below(types, type, `${path}.`, depth - 1, hops + 1) : [];
    });
    const unique = new Map(further.map((leaf) => [leaf.path, leaf]));
    return [own, ...unique.values()];
  }
  const inside = propertyPaths(field, path, hops);
  // A whole body has no value: only its properties can be queried. Source: Drupal.
  return field.kind === 'formatted_text' ? inside : [own, ...inside];
}

/** Properties of properties too; a list among them has no deltas. */
function propertyPaths(field: FieldDefinition, path: string, hops: number): readonly LeafPath[] {
  // `processed` is rendered when a body is first returned, so it cannot be queried.
  const properties = Object.values(field.properties).filter(({ name }) => name !== 'processed');
  return properties.flatMap((property) => {
    const own: LeafPath = {
      path: `${path}.${property.name}`,
      hops,
      kind: property.scalar ?? property.kind,
      field: property.name,
    };
    return [own, ...propertyPaths(property, own.path, hops)];
  });
}

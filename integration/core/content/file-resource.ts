import type { JsonValue } from '../util/json.ts';
import { FILE_PROPERTIES, property, withoutPrototype } from './base-fields.ts';
import type { Entity, FieldDefinition, FieldValue, ResourceType } from './model.ts';
import { isOwner, USER_TYPE, USER_TYPE_NAME } from './owner.ts';

export const FILE_TYPE_NAME = 'file--file';

/** Files as resources, under the names of Drupal. They follow from the content, so they are not stored. */
export const FILE_TYPE: ResourceType = {
  name: FILE_TYPE_NAME,
  entityType: 'file',
  bundle: 'file',
  fields: new Map(
    [
      FILE_PROPERTIES.filename!,
      FILE_PROPERTIES.uri!,
      FILE_PROPERTIES.filemime!,
      FILE_PROPERTIES.filesize!,
      { ...property('status', 'boolean'), required: true },
      property('created', 'datetime'),
      property('changed', 'datetime'),
    ].map((field) => [field.name, field]),
  ),
  origin: 'schema',
};

/** The value of an image or a file that is a resource. It has what the resource needs. */
export type FileValue = Readonly<Record<string, JsonValue>> & {
  readonly id: string;
  readonly uri: { readonly value: string; readonly url: string };
};

/** What a value has for its resource alone. Plain JSON does not show it. */
const RESOURCE_PROPERTIES: FieldDefinition['properties'] = {
  id: property('id'),
  created: property('created', 'datetime'),
  changed: property('changed', 'datetime'),
};

/** The properties of a field that paths of queries can name. */
export function propertiesOf(field: FieldDefinition): FieldDefinition['properties'] {
  return isFileRelationship(field)
    ? withoutPrototype({ ...field.properties, ...RESOURCE_PROPERTIES })
    : field.properties;
}

/** True for a field of images or files. */
export function isFileField({ kind }: FieldDefinition): boolean {
  return kind === 'image' || kind === 'file';
}

/** True for a field of files that are resources. */
export function isFileRelationship({ areResources }: FieldDefinition): boolean {
  return areResources === true;
}

/** True for a field that documents of JSON:API have among the relationships. */
export function isRelationship(field: FieldDefinition): boolean {
  return field.kind === 'reference' || isFileRelationship(field) || isOwner(field);
}

/** The resource types that a relationship can lead to. */
export function targetsOf(field: FieldDefinition): readonly string[] {
  if (isOwner(field)) return [USER_TYPE_NAME];
  return isFileRelationship(field) ? [FILE_TYPE_NAME] : field.targets;
}

/** The types of resources that are not stored. The content can have its own users. */
export const UNSTORED_TYPES: ReadonlyMap<string, ResourceType> = new Map(
  [FILE_TYPE, USER_TYPE].map((type) => [type.name, type]),
);

/** The existing files in the value of a field. */
export function filesInField(value: FieldValue | undefined): readonly FileValue[] {
  return [value ?? null]
    .flat()
    .filter((item) => item !== null && !isMissingFile(item as FieldValue)) as never;
}

/** The id of what does not exist, in identifiers. Source: Drupal. */
export const MISSING_ID = 'missing';

/** The value of a field that names a file that does not exist. Pages and plain JSON have null. */
export function missingFile(alt: string | null): JsonValue {
  return { id: MISSING_ID, uri: { value: MISSING_ID, url: MISSING_ID }, alt };
}

export function isMissingFile(value: FieldValue | undefined): boolean {
  return typeof value === 'object' && value !== null && 'id' in value && value.id === MISSING_ID;
}

const entities = new WeakMap<FileValue, Entity>();
const valuesOf = new WeakMap<Entity, FileValue>();

/** The resource of a file: the same object for the same value. `status` is false for a file that nothing uses. */
export function fileEntity(value: FileValue, status = true): Entity {
  const known = entities.get(value);
  if (known !== undefined) return known;
  const { id, filename, uri, filemime, filesize, created = null, changed = null } = value;
  const values = { filename, uri, filemime, filesize, status, created, changed } as Entity['values'];
  const entity = { type: FILE_TYPE_NAME, id, key: '', revision: '', values, published: status, body: null };
  entities.set(value, entity);
  valuesOf.set(entity, value);
  return entity;
}

/** The value that a resource of `fileEntity` was made from. */
export function fileValueOf(entity: Entity): FileValue | undefined {
  return valuesOf.get(entity);
}

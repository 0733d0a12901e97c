import {
  FILE_TYPE_NAME,
  type FileValue,
  isFileRelationship,
  isMissingFile,
  isRelationship,
  MISSING_ID,
} from '../content/file-resource.ts';
import {
  type Body,
  bodyText,
  type Entity,
  type FieldDefinition,
  type FieldValue,
  languageOf,
  type Reference,
  type ResourceType,
} from '../content/model.ts';
import { isOwner, isPublicOwner, ownerReference } from '../content/owner.ts';
import type { EntityStore } from '../engine/store/entity-store.ts';
import type { JsonValue } from '../util/json.ts';
import type {
  IdentifierMeta,
  Linkage,
  Relationship,
  ResourceIdentifier,
  ResourceMeta,
  ResourceObject,
} from './document-types.ts';
import type { DocumentContext, Reader } from './reader.ts';

/** The context of the requested entity, which may be a past version. */
export function ownContext(context: DocumentContext): DocumentContext {
  return context.past === undefined ? context : { ...context, ...context.past.own };
}

/**
 * Serializes the fields of an entity as a resource object, empty ones included. References are relationships, all other
 * fields are attributes.
 */
export async function serialize(
  context: DocumentContext,
  entity: Entity,
  type: ResourceType,
  fields: readonly FieldDefinition[],
  meta: ResourceMeta,
): Promise<ResourceObject> {
  const attributes: Record<string, JsonValue> = {};
  const relationships: Record<string, Relationship> = {};
  for (const field of fields) {
    if (isRelationship(field)) {
      define(relationships, field.name, relationship(context, entity, type, field));
    } else {
      const value = attribute(context.services, entity, field);
      define(attributes, field.name, value instanceof Promise ? await value : value);
    }
  }
  const references = fields.filter(isRelationship).length;
  const { links, services } = context;
  const isStyled = type.name === FILE_TYPE_NAME && services.settings.imageStyles !== undefined;
  const fileLinks = isStyled ? await services.features?.fileLinks?.() : undefined;
  return {
    type: type.name,
    id: entity.id,
    links: {
      self: { href: links.individual(type, entity.id, languageOf(entity)) },
      ...links.version?.links(type, entity.id),
      ...fileLinks?.(services.settings, links, entity),
    },
    meta,
    ...(references < fields.length ? { attributes } : {}),
    ...(references > 0 ? { relationships } : {}),
  };
}

/** The stored values of fields as JSON, without links and rendered HTML. It differs if and only if one of the fields does. */
export function fieldsText(services: Reader, entity: Entity, fields: readonly FieldDefinition[]): string {
  return `[${fields.map((field) => fieldText(services, entity, field)).join(',')}]`;
}

/** The part of `fieldsText` for one field. */
export function fieldText(services: Reader, entity: Entity, field: FieldDefinition): string {
  const value = entity.values[field.name] ?? null;
  if (field.kind === 'reference' || isOwner(field))
    return JSON.stringify([field.name, linkage(services, value, field)]);
  if (field.name !== 'body') return JSON.stringify([field.name, value]);
  const { body, images } = entity;
  return JSON.stringify([field.name, body && [bodyText(body), body.format, body.summary, ...(images ?? [])]]);
}

/** Serializes a reference: its identifiers, and links if these documents exist. */
export function relationship(
  context: DocumentContext,
  entity: Entity,
  type: ResourceType,
  field: FieldDefinition,
): Relationship {
  const data = linkage(context.services, entity.values[field.name] ?? null, field);
  const links = context.links.relationship(type, entity.id, field.name, languageOf(entity));
  if (links === undefined) return { data };
  return { data, links: { related: { href: links.related }, self: { href: links.self } } };
}

/** Serializes any other field. A promise only for the body, which is rendered. */
export function attribute(
  services: Reader,
  entity: Entity,
  field: FieldDefinition,
): JsonValue | Promise<JsonValue> {
  const value = entity.values[field.name] ?? (field.list ? [] : null);
  if (isFileRelationship(field)) return plainFiles(value);
  if (field.name !== 'body') return value;
  return entity.body === null ? null : bodyValue(services, entity, entity.body);
}

async function bodyValue(services: Reader, entity: Entity, body: Body): Promise<JsonValue> {
  const processed = await services.renderBody(entity);
  return { value: bodyText(body), format: body.format, processed, summary: body.summary };
}

/** A field as documents contain it: an attribute, or the identifiers of a relationship. */
export async function serializeField(
  reader: Reader,
  entity: Entity,
  field: FieldDefinition,
): Promise<JsonValue> {
  if (field.kind !== 'reference') return attribute(reader, entity, field);
  // Identifiers are plain JSON.
  return linkage(reader, entity.values[field.name] ?? null, field) as JsonValue;
}

/** The references in a field that lead to stored resources, and the owner. */
export function referencesIn(value: FieldValue | undefined, field: FieldDefinition): readonly Reference[] {
  if (isFileRelationship(field)) return [];
  if (!isOwner(field)) return referencesOf(value);
  const owner = ownerReference(value);
  return owner === undefined ? [] : [owner];
}

/** True if the target exists. An owner whose account is secret is known only as a published user. */
export function isKnown(
  store: Pick<EntityStore, 'get'>,
  { type, id }: Reference,
  field: FieldDefinition,
): boolean {
  const target = store.get(type, id);
  return target !== undefined && (target.published || !isPublicOwner(field));
}

/** The references in a field, whether it is a list or not. */
export function referencesOf(value: FieldValue | undefined): readonly Reference[] {
  if (value === undefined) return [];
  if (isList(value)) return value.flatMap((item: FieldValue) => (isReference(item) ? [item] : []));
  return isReference(value) ? [value] : [];
}

function isList(value: FieldValue): value is readonly FieldValue[] {
  return Array.isArray(value);
}

function isReference(value: FieldValue): value is Reference {
  return typeof value === 'object' && value !== null && 'type' in value && 'id' in value;
}

function linkage(services: Reader, value: FieldValue, field: FieldDefinition): Linkage {
  const identifiers = isFileRelationship(field)
    ? [value ?? []].flat().map((file) => fileIdentifier(file as FileValue, field))
    : referencesIn(value, field).flatMap((reference) => identifier(services, reference, field, value));
  return isList(value) ? withArity(identifiers) : (identifiers[0] ?? null);
}

/** Source: Drupal, for the metadata of images and files. */
function fileIdentifier(file: FileValue, { kind }: FieldDefinition): ResourceIdentifier {
  if (isMissingFile(file)) return missing(FILE_TYPE_NAME);
  const { id, alt = null, width = null, height = null } = file;
  const about: IdentifierMeta =
    kind === 'image' ? { alt, title: null, width, height } : { display: true, description: alt };
  return { type: FILE_TYPE_NAME, id, meta: { ...about, drupal_internal__target_id: id } };
}

function identifier(
  { store, settings }: Reader,
  reference: Reference,
  field: FieldDefinition,
  value: FieldValue,
): readonly ResourceIdentifier[] {
  const { type, id } = reference;
  const meta: IdentifierMeta = {
    // Actors that can see the names of accounts can also set one.
    ...(isOwner(field) && typeof value === 'string' && !isPublicOwner(field) && { name: value }),
    ...(settings.drupal !== false && { drupal_internal__target_id: id }),
  };
  const isThere = isKnown(store, reference, field);
  if (isPublicOwner(field) && !isThere) return [];
  if (!isThere && !isOwner(field)) return [missing(type)];
  return [{ type, id, ...(Object.keys(meta).length > 0 && { meta }) }];
}

function missing(type: string): ResourceIdentifier {
  return { type, id: MISSING_ID, meta: MISSING };
}

/** Numbers identifiers that occur more than once, as Drupal does. */
function withArity(identifiers: readonly ResourceIdentifier[]): ResourceIdentifier[] {
  const total = new Map<string, number>();
  const keyOf = ({ type, id }: ResourceIdentifier): string => `${type}:${id}`;
  for (const item of identifiers) total.set(keyOf(item), (total.get(keyOf(item)) ?? 0) + 1);
  const seen = new Map<string, number>();
  return identifiers.map((item) => {
    const key = keyOf(item);
    if (total.get(key) === 1) return item;
    const arity = seen.get(key) ?? 0;
    seen.set(key, arity + 1);
    return { ...item, meta: { ...item.meta, arity } };
  });
}

/** Files without what only their resources have. */
function plainFiles(value: FieldValue): JsonValue {
  if (isList(value)) return value.map(plainFiles).filter((file) => file !== null);
  if (value === null || isMissingFile(value)) return null;
  const { id: _, created: __, changed: ___, ...file } = value as FileValue;
  return file;
}

/** Sets a member, even if its name is `__proto__`. */
export function define<T>(target: Record<string, T>, name: string, value: T): void {
  if (name !== '__proto__') target[name] = value;
  else Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}

const MISSING: IdentifierMeta = {
  links: {
    help: {
      href: 'https://www.drupal.org/docs/8/modules/json-api/core-concepts#missing',
      meta: { about: 'What an identifier with the id "missing" means.' },
    },
  },
};

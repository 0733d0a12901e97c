import type { Access } from '../access/access.ts';
import type { Entity, FieldDefinition, FieldValue, ResourceType } from '../content/model.ts';
import { idSpellings } from '../content/resource-type.ts';
import type { QueryAccess } from '../engine/engine.ts';
import type { EntityStore } from '../engine/store/entity-store.ts';
import { GoneError, NotFoundError } from '../util/errors.ts';
import { references } from './include.ts';
import type { Reader } from './reader.ts';

/** The resource type of `/node/article`. Letter case counts only where two types differ in nothing else. */
export function findType(store: EntityStore, entityType: string, bundle: string): ResourceType {
  const name = `${entityType}--${bundle}`;
  const exact = store.types.get(name);
  if (exact !== undefined) return exact;
  const lower = name.toLowerCase();
  for (const type of store.types.values()) if (type.name.toLowerCase() === lower) return type;
  const paths = [...store.types.values()].map((type) => `${type.entityType}/${type.bundle}`);
  throw new NotFoundError(
    `There is no resource type '${name}'. ${paths.length === 0 ? 'There is no content.' : `Collections: ${paths.join(', ')}.`}`,
  );
}

/**
 * The entity whose id path segments spell; UUIDs match in any letter case.
 * What is absent and what the actor may not see give the same 404.
 */
export async function findEntity(
  services: Reader,
  access: Access,
  type: ResourceType,
  segments: readonly string[],
): Promise<Entity> {
  const entity = await seenEntity(services, access, type, segments);
  if (entity !== undefined) return entity;
  await checkGone(services, access, type, segments);
  throw noResource(type, segments);
}

/** Throws a 410 where an entity of this id was removed that the actor could have seen. */
async function checkGone(
  reader: Reader,
  access: Access,
  type: ResourceType,
  segments: readonly string[],
): Promise<void> {
  for (const id of idSpellings(segments.join('/'))) {
    if (await isGone(reader, access, type, id))
      throw new GoneError(`'${id}' was removed and will not return.`);
  }
}

/** True if an entity that the actor could have seen was removed, and did not return. */
export async function isGone(
  { store, gone }: Reader,
  access: Access,
  type: ResourceType,
  id: string,
): Promise<boolean> {
  // The ledger is read for every id: the same work for a missing entity and for one that the actor may not see.
  const entry = await gone.find(type.name, id);
  if (entry === undefined || store.get(type.name, id) !== undefined) return false;
  const values: Record<string, FieldValue> = Object.create(null);
  for (const field of type.fields.values()) values[field.name] = field.list ? [] : null;
  Object.assign(values, { status: entry.published, uid: entry.uid });
  const { published } = entry;
  const before: Entity = { type: type.name, id, key: '', revision: '', values, published, body: null };
  return access.couldHaveSeen(before);
}

/** What path segments below a collection mean. `Kind` are the addresses below an entity. */
export type AddressedAs<Kind extends string> =
  | { readonly kind: 'individual'; readonly entity: Entity }
  | { readonly kind: Kind; readonly entity: Entity; readonly field: FieldDefinition };

/** One of the kinds of addresses below an entity: `<id>/<before>/<field>`. */
export interface BelowEntity<Kind extends string> {
  readonly kind: Kind;
  readonly before: readonly string[];
  /** Throws NotFoundError for a field that has no such address, or is hidden from the actor. */
  field(access: Access, type: ResourceType, name: string): FieldDefinition;
}

export type Addressed = AddressedAs<'related' | 'relationship'>;

/** `<id>`, `<id>/<field>` or `<id>/relationships/<field>`; the field is a reference. */
export function findAddressed(
  services: Reader,
  access: Access,
  type: ResourceType,
  segments: readonly string[],
): Promise<Addressed> {
  return findBelow(services, access, type, segments, BELOW_RESOURCE);
}

/**
 * `<id>`, or one of the addresses below it, of which those with the longer id come first. Ids have slashes too: the
 * longest id that the actor may see counts, so that an unseen one changes nothing. Throws NotFoundError.
 */
export async function findBelow<Kind extends string>(
  services: Reader,
  access: Access,
  type: ResourceType,
  segments: readonly string[],
  kinds: readonly BelowEntity<Kind>[],
): Promise<AddressedAs<Kind>> {
  const individual = await seenEntity(services, access, type, segments);
  if (individual !== undefined) return { kind: 'individual', entity: individual };
  await checkGone(services, access, type, segments);
  const name = segments.at(-1) ?? '';
  for (const { kind, before, field } of kinds) {
    const at = segments.length - 1 - before.length;
    if (at < 1 || before.some((segment, index) => segments[at + index] !== segment)) continue;
    const entity = await seenEntity(services, access, type, segments.slice(0, at));
    if (entity !== undefined) return { kind, entity, field: field(access, type, name) };
  }
  throw noResource(type, segments);
}

/** The field of images or files that an address ends with, where the actor sees it: files are uploaded to it. */
export function fileField(
  access: Pick<QueryAccess, 'fieldVisible'>,
  type: ResourceType,
  segments: readonly string[],
): FieldDefinition | undefined {
  const field = type.fields.get(segments.at(-1) ?? '');
  const isFile = field?.kind === 'image' || field?.kind === 'file';
  return isFile && access.fieldVisible(type, field.name) ? field : undefined;
}

function noResource(type: ResourceType, segments: readonly string[]): NotFoundError {
  return new NotFoundError(
    `There is no resource '${segments.join('/')}' of type ${type.name}, or you may not see it.`,
  );
}

function findReference(access: Access, type: ResourceType, name: string): FieldDefinition {
  const fields = references(access, type);
  const field = fields.find((each) => each.name === name);
  if (field !== undefined) return field;
  const names = fields.map((each) => each.name).join(', ');
  throw new NotFoundError(
    `${type.name} has no reference '${name}'. ${names === '' ? 'It has no references.' : `References: ${names}.`}`,
  );
}

async function seenEntity(
  services: Reader,
  access: Access,
  type: ResourceType,
  segments: readonly string[],
): Promise<Entity | undefined> {
  const id = segments.join('/');
  const entity = spelled(services.store, type, id);
  // The same work for a missing id as for one that the actor may not see.
  const isVisible = await services.engine.visible(type.name, entity?.id ?? id, access);
  return isVisible ? entity : undefined;
}

function spelled(store: EntityStore, type: ResourceType, id: string): Entity | undefined {
  for (const spelling of idSpellings(id)) {
    const entity = store.get(type.name, spelling);
    if (entity !== undefined) return entity;
  }
  return undefined;
}

const BELOW_RESOURCE: readonly BelowEntity<'related' | 'relationship'>[] = [
  { kind: 'related', before: [], field: findReference },
  { kind: 'relationship', before: ['relationships'], field: findReference },
];

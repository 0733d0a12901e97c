import type { Access } from '../access/access.ts';
import type { KnownEntities } from '../content/decode/references.ts';
import { type Entity, type FieldDefinition, languageOf, type ResourceType } from '../content/model.ts';
import { idSpellings } from '../content/resource-type.ts';
import type { QueryAccess } from '../engine/engine.ts';
import type { EntityStore } from '../engine/store/entity-store.ts';
import { closestName, didYouMean } from '../util/closest-name.ts';
import { GoneError, NotFoundError } from '../util/errors.ts';
import { references } from './include.ts';
import type { Reader } from './reader.ts';

/** The resource type of `/node/article`. Case-insensitive, unless two types differ only in case. Throws NotFoundError. */
export function findType(store: EntityStore, entityType: string, bundle: string): ResourceType {
  const name = `${entityType}--${bundle}`;
  const exact = store.types.get(name);
  if (exact !== undefined) return exact;
  const lower = name.toLowerCase();
  for (const type of store.types.values()) if (type.name.toLowerCase() === lower) return type;
  const paths = [...store.types.values()].map((type) => `${type.entityType}/${type.bundle}`);
  throw new NotFoundError(
    `The resource type '${name}' does not exist.${didYouMean(closestName(`${entityType}/${bundle}`, paths))} ${paths.length === 0 ? 'The site has no content.' : `Collections: ${paths.join(', ')}.`}`,
  );
}

/** True if collections have this name as their first path segment. */
export function hasEntityType({ types }: EntityStore, name: string): boolean {
  return [...types.values()].some(({ entityType }) => entityType === name);
}

/**
 * Finds the entity with the id in path segments; UUIDs are case-insensitive. Throws the same NotFoundError for a missing and
 * for a hidden entity, and GoneError for a removed one that the actor could have seen.
 */
export async function findEntity(
  services: Reader,
  access: Access,
  type: ResourceType,
  segments: readonly string[],
): Promise<Entity> {
  return (await findBelow(services, access, type, segments, [])).entity;
}

/** True if an entity was removed that the actor could have seen. */
export async function isGone(
  { store, gone }: Reader,
  access: Access,
  type: ResourceType,
  id: string,
): Promise<boolean> {
  // Reads the ledger for each id, so that the time does not distinguish hidden from missing entities.
  const entry = await gone.find(type.name, id);
  if (entry === undefined || store.get(type.name, id) !== undefined) return false;
  const { published, uid } = entry;
  const values: Entity['values'] = Object.assign(Object.create(null), { status: published, uid });
  return access.couldHaveSeen({ type: type.name, id, key: '', revision: '', values, published, body: null });
}

/** The target of a URL below a collection. `Kind` are the kinds of URLs below an entity. */
export type AddressedAs<Kind extends string> =
  | { readonly kind: 'individual'; readonly entity: Entity }
  | { readonly kind: Kind; readonly entity: Entity; readonly field: FieldDefinition };

/** A kind of URLs below an entity: `<id>/<before>/<field>`. */
export interface BelowEntity<Kind extends string> {
  readonly kind: Kind;
  readonly before: readonly string[];
  /** What the fields are called in messages, in singular. */
  readonly noun: string;
  /** The fields that have such an address and that the actor may see. */
  fields(access: Access, type: ResourceType): readonly FieldDefinition[];
}

export type Addressed = AddressedAs<'related' | 'relationship'>;

/** Finds `<id>`, `<id>/<field>` or `<id>/relationships/<field>`; the field is a reference. */
export function findAddressed(
  services: Reader,
  access: Access,
  type: ResourceType,
  segments: readonly string[],
): Promise<Addressed> {
  return findBelow(services, access, type, segments, BELOW_RESOURCE);
}

/**
 * Finds an entity by `<id>`, or one of the addresses below it. Ids can contain slashes: a field of an entity wins over an
 * entity with the same address, whose link is encoded (see `entityPath`). Only visible entities and fields count. Throws
 * NotFoundError.
 */
export async function findBelow<Kind extends string>(
  services: Reader,
  access: Access,
  type: ResourceType,
  segments: readonly string[],
  kinds: readonly BelowEntity<Kind>[],
): Promise<AddressedAs<Kind>> {
  const name = segments.at(-1) ?? '';
  let detail = `There is no resource '${segments.join('/')}' of type ${type.name}, or you may not see it.`;
  for (const { kind, before, noun, fields } of kinds) {
    const at = segments.length - 1 - before.length;
    if (at < 1 || before.some((segment, index) => segments[at + index] !== segment)) continue;
    const entity = await visibleEntity(services, access, type, segments.slice(0, at));
    if (entity === undefined) continue;
    const candidates = fields(access, type);
    const field = candidates.find((each) => each.name === name);
    if (field !== undefined) return { kind, entity, field };
    const names = candidates.map((each) => each.name).join(', ');
    const choices = names === '' ? `It has no ${noun}s.` : `Its ${noun}s: ${names}.`;
    detail = `${type.name} has no ${noun} '${name}'. ${choices}`;
  }
  const individual = await visibleEntity(services, access, type, segments);
  if (individual !== undefined) return { kind: 'individual', entity: individual };
  for (const id of idSpellings(segments.join('/'))) {
    const change = type.entityType === 'file' ? 'moved' : 'deleted';
    if (await isGone(services, access, type, id)) throw new GoneError(`'${id}' was ${change}.`);
  }
  throw new NotFoundError(detail);
}

/** The visible field of images or files at the end of a URL, to which files are uploaded. */
export function fileField(
  access: Pick<QueryAccess, 'fieldVisible'>,
  type: ResourceType,
  segments: readonly string[],
): FieldDefinition | undefined {
  const isRelationship = segments.length > 2 && segments.at(-2) === 'relationships';
  const field = isRelationship ? undefined : type.fields.get(segments.at(-1) ?? '');
  const isFile = field?.kind === 'image' || field?.kind === 'file';
  return isFile && access.fieldVisible(type, field.name) ? field : undefined;
}

/** The entities that an actor may see, for an engine that finds them synchronously. */
export function visibleEntities({ engine }: Pick<Reader, 'engine'>, access: QueryAccess): KnownEntities {
  return {
    has(type, id) {
      const entity = engine.find(type, id, access);
      return entity !== undefined && !(entity instanceof Promise);
    },
  };
}

async function visibleEntity(
  services: Reader,
  access: Access,
  type: ResourceType,
  segments: readonly string[],
): Promise<Entity | undefined> {
  let entity: Entity | undefined;
  for (const id of idSpellings(segments.join('/'))) {
    entity ??= await services.engine.find(type.name, id, access);
  }
  const { strict, languages: [language] = [] } = access;
  return strict && entity !== undefined && languageOf(entity) !== language ? undefined : entity;
}

const BELOW_RESOURCE: readonly BelowEntity<'related' | 'relationship'>[] = [
  { kind: 'relationship', before: ['relationships'], noun: 'reference', fields: references },
  { kind: 'related', before: [], noun: 'reference', fields: references },
];

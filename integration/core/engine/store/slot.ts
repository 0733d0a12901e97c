import { isFileRelationship, isMissingFile } from '../../content/file-resource.ts';
import {
  bodyText,
  type Entity,
  type FieldDefinition,
  type FieldValue,
  type Reference,
  type ResourceType,
} from '../../content/model.ts';
import { ownerReference } from '../../content/owner.ts';
import type { ColumnKind, Raw } from './ordering.ts';

/** The source of a column: how to read its values from an entity, and how they compare. */
export interface Slot {
  /** The path without deltas: `field_place.name`. */
  readonly name: string;
  readonly kind: ColumnKind;
  /** True if an entity has any number of items; false if exactly one. */
  readonly list: boolean;
  /** The path of the list. The items of slots with the same anchor are aligned. */
  readonly anchor: string;
  /** True for bodies: they are read when a filter needs them and have no column. */
  readonly bytes: boolean;
  /** The value of a single slot, or the items of a list slot; null for a missing value. */
  read(entity: Entity): Raw | null | readonly (Raw | null)[];
}

export const ID_SLOT: Slot = single('id', 'id', (entity) => entity.id);
/** Paths for policies only. No field can have such a name. */
export const PUBLISHED_PATH = '@published';
export const PUBLISHED_FROM_PATH = '@published_from';
export const PUBLISHED_UNTIL_PATH = '@published_until';
/** The owner's account name. */
export const OWNER_PATH = '@owner';
/** The user that owns an entity. */
export const OWNER_SLOT: Slot = single('uid.id', 'reference', ({ values: { uid } }) => {
  const owner = ownerReference(uid);
  return owner === undefined ? null : referenceKey(owner);
});
export const POLICY_SLOTS: ReadonlyMap<string, Slot> = new Map(
  [
    single(PUBLISHED_PATH, 'boolean', (entity) => Number(entity.published)),
    single(PUBLISHED_FROM_PATH, 'datetime', ({ schedule }) => schedule?.from ?? null),
    single(PUBLISHED_UNTIL_PATH, 'datetime', ({ schedule }) => schedule?.until ?? null),
    // A reference compares exactly: strings ignore case, and UUIDs have several spellings.
    single(OWNER_PATH, 'reference', ({ values: { uid } }) => (typeof uid === 'string' ? uid : null)),
  ].map((slot) => [slot.name, slot]),
);

/** The value of a reference in a column: type and id in one string. */
export function referenceKey(reference: Reference): string {
  return `${reference.type}\u0000${reference.id}`;
}

/** The reference of a `referenceKey`. */
export function splitReferenceKey(key: string): Reference {
  const end = key.indexOf('\u0000');
  return { type: key.slice(0, end), id: key.slice(end + 1) };
}

/** The slot of presence at a path into JSON, whose own slot has only the values of its kind. */
export function createPresenceSlot(
  type: ResourceType,
  names: readonly string[],
  definitions: readonly FieldDefinition[],
): Slot {
  const { scalar: _, ...leaf } = { ...definitions.at(-1)!, kind: 'json' } as const;
  const slot = createSlot(type, names, [...definitions.slice(0, -1), leaf]);
  return { ...slot, name: `${slot.name} (any)` };
}

/**
 * The slot at a path of names: the field first, then its properties, at most one of them a list. `definitions` describes
 * each of them. A path that ends at an object is a slot of presence.
 */
export function createSlot(
  type: ResourceType,
  names: readonly string[],
  definitions: readonly FieldDefinition[],
): Slot {
  const name = names.join('.');
  const field = definitions[0]!;
  const leaf = definitions.at(-1)!;
  if (field.kind === 'formatted_text' && names.length > 1) return bodySlot(type, name, names[1]!);
  const kind = columnKind(leaf);
  const properties = names.slice(1);
  // JSON is stored as written: its strings may be numbers or booleans.
  const isJson = kind === 'string' && definitions.some((definition) => definition.kind === 'json');
  // A page that needs the file gets null in its place.
  const isAbsent = isFileRelationship(leaf) ? isMissingFile : () => false;
  const convert = (value: FieldValue | undefined): Raw | null =>
    isAbsent(value) ? null : toRaw(kind, isJson ? textOf(value) : value);
  const at = definitions.findIndex(({ list }) => list);
  if (at === -1) {
    return single(name, kind, (entity) => convert(properties.reduce(member, entity.values[field.name])));
  }
  return {
    name,
    kind,
    list: true,
    // The properties of a list of objects have one value per item, null if it is missing.
    anchor: names.slice(0, at + 1).join('.'),
    bytes: false,
    read(entity) {
      const items: (Raw | null)[] = [];
      collect(entity.values[field.name], properties, convert, false, items);
      return items;
    },
  };
}

function single(name: string, kind: ColumnKind, read: (entity: Entity) => Raw | null): Slot {
  return { name, kind, list: false, anchor: name, bytes: false, read };
}

function bodySlot(type: ResourceType, name: string, property: string): Slot {
  switch (property) {
    case 'value':
      return {
        ...single(name, 'string', ({ body }) => (body === null ? null : bodyText(body))),
        bytes: true,
      };
    case 'format':
      return single(name, 'string', ({ body }) => body?.format ?? null);
    case 'summary':
      return single(name, 'string', ({ body }) => body?.summary ?? null);
    default:
      throw new Error(`The body of ${type.name} has no stored property "${property}".`);
  }
}

function columnKind(definition: FieldDefinition): ColumnKind {
  switch (definition.kind) {
    case 'json':
      return definition.scalar ?? 'presence';
    case 'object':
    case 'formatted_text':
    case 'image':
    case 'file':
      return 'presence';
    default:
      return definition.kind;
  }
}

function textOf(value: FieldValue | undefined): FieldValue | undefined {
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
}

function toRaw(kind: ColumnKind, value: FieldValue | undefined): Raw | null {
  if (value === null || value === undefined) return null;
  switch (kind) {
    case 'presence':
      return 1;
    case 'reference':
      return isReference(value) ? referenceKey(value) : null;
    case 'boolean':
      return typeof value === 'boolean' ? Number(value) : null;
    case 'integer':
    case 'number':
      return typeof value === 'number' ? value : null;
    default:
      return typeof value === 'string' ? value : null;
  }
}

function collect(
  value: FieldValue | undefined,
  properties: readonly string[],
  convert: (value: FieldValue | undefined) => Raw | null,
  inList: boolean,
  items: (Raw | null)[],
): void {
  if (Array.isArray(value)) {
    for (const item of value) collect(item, properties, convert, true, items);
    return;
  }
  if (properties.length > 0 && value !== null && value !== undefined) {
    collect(member(value, properties[0]!), properties.slice(1), convert, inList, items);
    return;
  }
  const raw = convert(value);
  if (raw !== null || inList) items.push(raw);
}

function member(value: FieldValue | undefined, property: string): FieldValue | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, property))
    return undefined;
  return (value as { readonly [key: string]: FieldValue })[property];
}

function isReference(value: FieldValue): value is Reference {
  return (
    typeof value === 'object' &&
    value !== null &&
    'type' in value &&
    'id' in value &&
    typeof value.id === 'string'
  );
}

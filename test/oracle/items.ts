import {
  bodyText,
  type Entity,
  type FieldDefinition,
  type Reference,
  type ResourceType,
} from '../../integration/core/content/model.ts';
import { compareCodeUnits } from './order.ts';

/** Plain content, as loaded into a store. */
export interface Dataset {
  readonly locale: string;
  readonly types: readonly ResourceType[];
  readonly entities: readonly Entity[];
}

/** The value at a path so far; null for a missing value. */
export type Item = null | EntityItem | ValueItem;

export interface EntityItem {
  readonly kind: 'entity';
  readonly entity: Entity;
}

export interface ValueItem {
  readonly kind: 'value';
  readonly field: string;
  /** Undefined for an id. */
  readonly definition: FieldDefinition | undefined;
  readonly value: unknown;
}

/** One step of a path: a name, with the delta that follows it if any. */
export interface Hop {
  readonly name: string;
  readonly delta: number | undefined;
  /** The path up to and including this hop. */
  readonly prefix: string;
}

export type Visible = (entity: Entity) => boolean;

/** `field_tags.0.title` is two hops: `field_tags.0` and `title`. */
export function hopsOf(path: string): readonly Hop[] {
  const hops: Hop[] = [];
  for (const segment of path.split('.')) {
    const last = hops.at(-1);
    if (last && last.delta === undefined && /^\d+$/.test(segment)) {
      hops[hops.length - 1] = {
        name: last.name,
        delta: Number(segment),
        prefix: `${last.prefix}.${segment}`,
      };
    } else {
      hops.push({ name: segment, delta: undefined, prefix: last ? `${last.prefix}.${segment}` : segment });
    }
  }
  return hops;
}

/** The stored items at a hop, visible or not: none, one, or several in a list. */
export function storedAt(dataset: Dataset, item: Item, hop: Hop): readonly ValueItem[] {
  if (item === null) return [];
  if (item.kind === 'entity' && hop.name === 'id') {
    return [{ kind: 'value', field: 'id', definition: undefined, value: item.entity.id }];
  }
  const definition = definitionAt(dataset, item, hop.name);
  if (!definition) return [];
  const stored = item.kind === 'entity' ? entityValue(item.entity, hop.name) : property(item.value, hop.name);
  const all: readonly unknown[] = Array.isArray(stored) && definition.list ? stored : [stored];
  const picked = hop.delta === undefined ? all : [all[hop.delta]];
  return picked
    .filter((value) => value !== null && value !== undefined)
    .map((value) => ({ kind: 'value', field: hop.name, definition, value }));
}

/** The items that a condition or a sort key applies to at a hop: visible targets of references; one null if empty. */
export function itemsAt(dataset: Dataset, item: Item, hop: Hop, visible: Visible): readonly Item[] {
  const items = storedAt(dataset, item, hop).flatMap((stored): readonly Item[] => {
    if (stored.definition?.kind !== 'reference') return [stored];
    const { type, id } = stored.value as Reference;
    const target = dataset.entities.find(
      (entity) => entity.type === type && entity.id === id && visible(entity),
    );
    return target ? [{ kind: 'entity', entity: target }] : [];
  });
  return items.length > 0 ? items : [null];
}

/** A value at the end of a path, if it can be compared. Only the scalars of a kind can among JSON values. */
export function comparable(item: Item): readonly ValueItem[] {
  if (item === null || item.kind === 'entity') return [];
  const { definition, value } = item;
  if (definition?.kind !== 'json') return [item];
  const { scalar } = definition;
  if (scalar === undefined || typeof value === 'object') return [];
  const isOfKind = scalar === 'string' || typeof value === (scalar === 'boolean' ? 'boolean' : 'number');
  const read = scalar === 'string' ? String(value) : value;
  return isOfKind ? [{ ...item, definition: { ...definition, kind: scalar }, value: read }] : [];
}

/** In code-unit order of id. */
export function entitiesOf(dataset: Dataset, type: string): readonly Entity[] {
  return dataset.entities
    .filter((entity) => entity.type === type)
    .sort((a, b) => compareCodeUnits(a.id, b.id));
}

export function typeNamed(dataset: Dataset, name: string): ResourceType {
  const type = dataset.types.find((candidate) => candidate.name === name);
  if (!type) throw new Error(`No resource type ${name}.`);
  return type;
}

function definitionAt(
  dataset: Dataset,
  item: EntityItem | ValueItem,
  name: string,
): FieldDefinition | undefined {
  if (item.kind === 'entity') return typeNamed(dataset, item.entity.type).fields.get(name);
  return item.definition?.properties[name];
}

function entityValue(entity: Entity, name: string): unknown {
  if (name !== 'body') return entity.values[name];
  const { body } = entity;
  return body && { value: bodyText(body), format: body.format, summary: body.summary };
}

function property(value: unknown, name: string): unknown {
  return (value as Readonly<Record<string, unknown>>)[name];
}

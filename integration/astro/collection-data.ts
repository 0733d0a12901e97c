import { writtenAs } from '../content/file-place.ts';
import type { Entity, FieldDefinition, FieldValue } from '../content/model.ts';
import { define, referencesOf } from '../read/serialize.ts';
import type { JsonValue } from '../util/json.ts';
import { importableKey, isImageValue, propsOfImage } from './image-props.ts';

/** Astro replaces a text with this beginning by the image that is imported from the path behind it. */
const IMAGE_PREFIX = '__ASTRO_IMAGE_';

export interface CollectionDataOptions {
  /** What is answered of the entity; references among them. */
  readonly fields: readonly FieldDefinition[];
  /** Whether a collection may hold the entity. */
  readonly isSeen: (type: string, id: string) => boolean;
  /** Names of collections by bundle, where they are not named as the bundle. */
  readonly collections: Readonly<Record<string, string>>;
}

/**
 * An entity's fields as the `data` of an entry of Astro's content layer. References are `{collection, id}`: null, and
 * left out of a list, where the target is missing or may not be seen. Images are properties of `<Image>`. What objects
 * hold stays as it is.
 */
export function collectionData(
  entity: Entity,
  { fields, isSeen, collections }: CollectionDataOptions,
): Record<string, JsonValue> {
  const { body } = entity;
  const data: Record<string, JsonValue> = {};
  if (body !== null) data.summary = body.summary;
  for (const field of fields) {
    if (field.name !== 'body') define(data, field.name, fieldData(field, entity.values[field.name] ?? null));
  }
  return data;

  function fieldData(field: FieldDefinition, value: FieldValue): JsonValue {
    if (!field.list) return itemData(field, value);
    const items: readonly FieldValue[] = Array.isArray(value) ? value : [];
    return items.map((item) => itemData(field, item)).filter((item) => item !== null);
  }

  function itemData(field: FieldDefinition, value: FieldValue): JsonValue {
    if (value === null) return null;
    switch (field.kind) {
      case 'reference':
        return target(value);
      case 'image':
        return image(value);
      default:
        return value as JsonValue;
    }
  }

  function target(value: FieldValue): JsonValue {
    const [reference] = referencesOf(value);
    if (reference === undefined || !isSeen(reference.type, reference.id)) return null;
    return { collection: collectionOf(reference.type, collections), id: reference.id };
  }

  function image(value: FieldValue): JsonValue {
    if (!isImageValue(value)) return null;
    const key = importableKey(value.uri.value);
    const path = key && writtenAs({ source: 'content', key }, entity.key);
    return { ...propsOfImage(value, path && IMAGE_PREFIX + path) };
  }
}

/** The collection that holds a bundle's entities. */
function collectionOf(typeName: string, collections: Readonly<Record<string, string>>): string {
  const bundle = typeName.slice(typeName.indexOf('--') + 2);
  const named = [typeName, bundle].find((name) => Object.hasOwn(collections, name));
  return (named === undefined ? undefined : collections[named]) ?? bundle;
}

import { writtenAs } from '../core/content/file-location.ts';
import type { Entity, FieldDefinition, FieldValue } from '../core/content/model.ts';
import { define, referencesOf } from '../core/read/serialize.ts';
import type { JsonValue } from '../core/util/json.ts';
import { importableKey, isImageValue, propsOfImage } from './image-props.ts';

/** Astro replaces a string with this prefix by the image with the path after it. */
export const IMAGE_PREFIX = '__ASTRO_IMAGE_';

export interface CollectionDataOptions {
  /** The visible fields, including references. */
  readonly fields: readonly FieldDefinition[];
  /** True if the entity is in its collection. */
  readonly isVisible: (type: string, id: string) => boolean;
  /** Names of collections that differ from their bundle, by bundle. */
  readonly collections: Readonly<Record<string, string>>;
}

/**
 * An entity's fields as the `data` of an entry of Astro's content layer. References are `{ collection, id }`; those to
 * missing and hidden entities are null, and omitted from lists. Images are properties of `<Image>`. Values in objects stay
 * unchanged.
 */
export function collectionData(
  entity: Entity,
  { fields, isVisible, collections }: CollectionDataOptions,
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
    if (reference === undefined || !isVisible(reference.type, reference.id)) return null;
    return { collection: collectionOf(reference.type, collections), id: reference.id };
  }

  function image(value: FieldValue): JsonValue {
    if (!isImageValue(value)) return null;
    const key = importableKey(value.uri.value);
    const path = key && writtenAs({ source: 'content', key }, entity.key);
    return { ...propsOfImage(value, path && IMAGE_PREFIX + path) };
  }
}

/** The collection of a bundle. */
function collectionOf(typeName: string, collections: Readonly<Record<string, string>>): string {
  const bundle = typeName.slice(typeName.indexOf('--') + 2);
  const key = [typeName, bundle].find((name) => Object.hasOwn(collections, name));
  return (key === undefined ? undefined : collections[key]) ?? bundle;
}

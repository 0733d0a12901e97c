import type { FieldDefinition, ResourceType } from '../../content/model.ts';

/** A field that can be searched. */
export interface SearchableField {
  readonly name: string;
  /** The weight of a word compared with one in the body. */
  readonly boost: number;
  readonly definition: FieldDefinition;
}

/** The default boost of titles. */
export const TITLE_BOOST = 10;

/** Title, body and all string fields that the schema does not exclude, in document order. */
export function searchableFields(type: ResourceType): readonly SearchableField[] {
  let fields = cache.get(type);
  if (fields === undefined) {
    fields = [...type.fields.values()].filter(isSearchable).map((definition) => ({
      name: definition.name,
      boost: definition.search ?? (definition.base && definition.name === 'title' ? TITLE_BOOST : 1),
      definition,
    }));
    cache.set(type, fields);
  }
  return fields;
}

/** Equal signatures mean that the same file has the same words. */
export function signatureOf(type: ResourceType): string {
  return JSON.stringify([
    WORDS_VERSION,
    ...searchableFields(type).map(({ definition }) => shapeOf(definition)),
  ]);
}

/** Increased when the same texts get other words. */
const WORDS_VERSION = 6;
const cache = new WeakMap<ResourceType, readonly SearchableField[]>();
/** Base fields that are not content. */
const UNSEARCHED: ReadonlySet<string> = new Set(['status', 'langcode', 'path', 'uid']);

function isSearchable(field: FieldDefinition): boolean {
  if (field.search === 0) return false;
  if (field.base && UNSEARCHED.has(field.name)) return false;
  return field.kind === 'formatted_text' || holdsText(field);
}

function holdsText({ kind, properties }: FieldDefinition): boolean {
  return kind === 'string' || partsOf(kind, properties).some(holdsText);
}

/** The searchable parts of a value: of an image or a file, only the alternative text. */
export function partsOf(
  kind: FieldDefinition['kind'],
  properties: FieldDefinition['properties'],
): readonly FieldDefinition[] {
  const parts = Object.values(properties).filter(({ search }) => search !== 0);
  if (kind === 'object') return parts;
  return kind === 'image' || kind === 'file' ? parts.filter(({ name }) => name === 'alt') : [];
}

function shapeOf(definition: FieldDefinition): readonly unknown[] {
  const { name, kind, properties, storedIn = '' } = definition;
  return [name, kind, storedIn, definition.list, ...partsOf(kind, properties).filter(holdsText).map(shapeOf)];
}

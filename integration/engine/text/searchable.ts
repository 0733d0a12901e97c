import { markdownText } from '../../content/markdown-text.ts';
import type { Entity, FieldDefinition, FieldValue, ResourceType } from '../../content/model.ts';

/** A field that can be searched. */
export interface SearchableField {
  readonly name: string;
  /** The weight of a word compared with one in the body. */
  readonly boost: number;
  readonly definition: FieldDefinition;
}

/** The default boost of titles. */
const TITLE_BOOST = 10;

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
  return JSON.stringify(searchableFields(type).map(({ definition }) => shapeOf(definition)));
}

/** The text of one field, one line per value. */
export function searchableText(entity: Entity, { name, definition }: SearchableField): string {
  if (definition.kind === 'formatted_text') {
    const { body } = entity;
    return body === null ? '' : `${body.summary ?? ''}\n${withoutMarkup(markdownText(body))}`;
  }
  const texts: string[] = [];
  collect(entity.values[name], definition, texts);
  return texts.join('\n');
}

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

/** Only the alternative text of an image or a file is searchable. */
function partsOf(
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

function collect(value: FieldValue | undefined, field: FieldDefinition, texts: string[]): void {
  if (Array.isArray(value)) {
    for (const item of value) collect(item, field, texts);
  } else if (typeof value === 'string') {
    if (field.kind === 'string') texts.push(value);
  } else if (typeof value === 'object' && value !== null) {
    for (const part of partsOf(field.kind, field.properties)) {
      if (Object.hasOwn(value, part.name)) collect(Reflect.get(value, part.name), part, texts);
    }
  }
}

/** Removes link targets and HTML tags. Both patterns read each character once. */
function withoutMarkup(markdown: string): string {
  return markdown.replace(/\]\([^()\n]*\)/g, '] ').replace(/<[/!a-z][^<>]*>/gi, ' ');
}

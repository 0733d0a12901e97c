import {
  bodyText,
  type Entity,
  type FieldDefinition,
  type FieldValue,
  type ResourceType,
} from '../../../content/model.ts';

/** A field whose words can be searched. */
export interface SearchableField {
  readonly name: string;
  /** How much more a word counts here than in the body. */
  readonly boost: number;
  readonly definition: FieldDefinition;
}

/** How much more a word counts in a title, where the schema says nothing else. */
const TITLE_BOOST = 10;

/** Title, body and everything written as text, but for what the schema leaves out; in document order. */
export function searchableFields(type: ResourceType): readonly SearchableField[] {
  let known = fieldsOf.get(type);
  if (known === undefined) {
    known = [...type.fields.values()].filter(isSearchable).map((definition) => ({
      name: definition.name,
      boost: definition.search ?? (definition.base && definition.name === 'title' ? TITLE_BOOST : 1),
      definition,
    }));
    fieldsOf.set(type, known);
  }
  return known;
}

/** Differs where the same file gives other words: what is searchable, and how it is read. */
export function signatureOf(type: ResourceType): string {
  return JSON.stringify(searchableFields(type).map(({ definition }) => shapeOf(definition)));
}

/** The text of one field, its parts by line. */
export function searchableText(entity: Entity, { name, definition }: SearchableField): string {
  if (definition.kind === 'formatted_text') {
    const { body } = entity;
    return body === null ? '' : `${body.summary ?? ''}\n${withoutMarkup(bodyText(body))}`;
  }
  const texts: string[] = [];
  collect(entity.values[name], definition, texts);
  return texts.join('\n');
}

const fieldsOf = new WeakMap<ResourceType, readonly SearchableField[]>();
/** Base fields that hold words of the site, not of its content. */
const UNSEARCHED: ReadonlySet<string> = new Set(['status', 'langcode', 'path', 'uid']);

function isSearchable(field: FieldDefinition): boolean {
  if (field.search === 0) return false;
  if (field.base && UNSEARCHED.has(field.name)) return false;
  return field.kind === 'formatted_text' || holdsText(field);
}

function holdsText({ kind, properties }: FieldDefinition): boolean {
  return kind === 'string' || partsOf(kind, properties).some(holdsText);
}

/** Of an image or a file only the text that stands for it is to be read. */
function partsOf(
  kind: FieldDefinition['kind'],
  properties: FieldDefinition['properties'],
): readonly FieldDefinition[] {
  const parts = Object.values(properties).filter(({ search }) => search !== 0);
  if (kind === 'object') return parts;
  return kind === 'image' || kind === 'file' ? parts.filter(({ name }) => name === 'alt') : [];
}

function shapeOf(definition: FieldDefinition): readonly unknown[] {
  const { name, kind, properties } = definition;
  return [name, kind, definition.list, ...partsOf(kind, properties).filter(holdsText).map(shapeOf)];
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

/** Addresses of links and names of tags are not what a text says. Both patterns read each character once. */
function withoutMarkup(markdown: string): string {
  return markdown.replace(/\]\([^()\n]*\)/g, '] ').replace(/<[/!a-z][^<>]*>/gi, ' ');
}

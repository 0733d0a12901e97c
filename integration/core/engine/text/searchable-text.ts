import { markdownText } from '../../content/markdown-text.ts';
import type { Entity, FieldDefinition, FieldValue } from '../../content/model.ts';
import { partsOf, type SearchableField } from './searchable.ts';

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

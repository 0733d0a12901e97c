import { isRecord } from '../../../../integration/core/util/json.ts';
import type { Resource } from '../../api/content.ts';
import type { Field } from '../../api/schema.ts';
import { titles } from '../../api/titles.svelte.ts';
import { SCHEDULED } from '../../model/content-list.ts';
import { fieldIn } from '../../model/document.ts';
import { listsText } from '../../texts/lists.ts';
import { dateTime, languageName, text } from '../../texts/texts.ts';

/** A single value as people read it. `value` is text, as in a facet, or a value of a resource. */
export function valueText({ name, kind }: Pick<Field, 'name' | 'kind'>, value: unknown): string {
  if (value === null || value === undefined) return '';
  if (name === 'langcode') return languageName(String(value));
  if (kind === 'boolean') {
    if (value === SCHEDULED) return text('status.scheduled');
    const isTrue = String(value) === 'true';
    if (name === 'status') return text(isTrue ? 'status.published' : 'status.draft');
    return listsText(isTrue ? 'content.yes' : 'content.no');
  }
  if (kind === 'reference' && isRecord(value))
    return titles.of({ type: String(value.type), id: String(value.id) });
  if (isRecord(value)) return typeof value.alias === 'string' ? value.alias : JSON.stringify(value);
  return String(value);
}

/** A field of a resource in a cell: the items of a list are separated by commas. */
export function cellText(field: Field, resource: Resource): string {
  const value = fieldIn(resource, field);
  if (field.kind === 'datetime' && typeof value === 'string') return dateTime(value);
  return (Array.isArray(value) ? value : [value]).map((item) => valueText(field, item)).join(', ');
}

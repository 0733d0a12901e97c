import { isRecord } from '../../../../integration/core/util/json.ts';
import { objectOf } from '../../api/document.ts';
import type { Field } from '../../api/schema.ts';
import { labelOf } from '../../api/site.svelte.ts';
import { titles } from '../../api/titles.svelte.ts';
import { textOf } from '../../model/document.ts';
import { dateTime, text } from '../../texts/texts.ts';

/** One value of a field as people read it. Titles of references follow when they are loaded. */
export function valueText(kind: Field['kind'], item: unknown): string {
  const { type, id, uri, value: body } = objectOf(item);
  switch (kind) {
    case 'reference':
      return typeof id === 'string' ? titles.of({ type: String(type), id }) : textOf(item);
    case 'boolean':
      return text(item === true ? 'field.yes' : 'field.no');
    case 'datetime':
      return dateTime(textOf(item));
    case 'image':
    case 'file':
      return textOf(objectOf(uri).value);
    case 'formatted_text':
      return textOf(body);
    default:
      if (!isRecord(item)) return textOf(item);
      return Object.entries(item)
        .map(([name, part]) => `${labelOf(name)}: ${textOf(part)}`)
        .join(' · ');
  }
}

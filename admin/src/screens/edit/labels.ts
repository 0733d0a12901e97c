import type { Field } from '../../api/schema.ts';
import { labelOf } from '../../api/site.svelte.ts';
import { type MessageKey, text } from '../../texts/texts.ts';

/** Names of the fields that every bundle has. */
const BASE_LABELS: Readonly<Record<string, MessageKey>> = {
  title: 'field.title',
  status: 'field.status',
  body: 'field.body',
  path: 'field.path',
  langcode: 'field.langcode',
  uid: 'field.uid',
  created: 'field.created',
  changed: 'field.changed',
  publish_on: 'field.publishOn',
  unpublish_on: 'field.unpublishOn',
};

/** The name of a field for editors: that of the schema, else one of ours, else one made from its key. */
export function fieldLabel({ name, label }: Pick<Field, 'name' | 'label'>): string {
  const key = BASE_LABELS[name];
  return label ?? (key === undefined ? labelOf(name) : text(key));
}

/** The name of a field in lists and filters. The owner and the language are called there as in forms. */
export function columnLabel(field: Pick<Field, 'name' | 'label'>): string {
  const isSame = field.name === 'uid' || field.name === 'langcode';
  return isSame ? fieldLabel(field) : (field.label ?? labelOf(field.name));
}

import type { Bundle, Field } from '../../api/schema.ts';
import { labelOf } from '../../api/site.svelte.ts';
import type { Shortcomings } from '../../api/unfinished.ts';
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

/** What an entry lacks: "Missing: Height, Zone." and "Not valid: Motto." */
export function shortcomingsText(
  { missing, invalid, isSourceMissing, isEntryDeleted }: Shortcomings,
  bundle: Bundle | undefined,
): string {
  const parts = [
    ...(isSourceMissing ? [text('draft.sourceMissing')] : []),
    ...(isEntryDeleted ? [text('draft.entryDeleted')] : []),
    ...(missing.length > 0 ? [text('draft.missing', { fields: fieldNames(missing, bundle) })] : []),
    ...(invalid.length > 0 ? [text('draft.invalid', { fields: fieldNames(invalid, bundle) })] : []),
  ];
  return parts.join(' ') || text('draft.complete');
}

/** The message after a draft was saved. */
export function savedDraftText(
  { missing, invalid }: Shortcomings,
  bundle: Bundle,
  isOfEntry: boolean,
): string {
  const fields = fieldNames([...missing, ...invalid], bundle);
  if (isOfEntry) return text('draft.savedChanges', { fields });
  return fields === '' ? text('draft.savedPlain') : text('draft.saved', { fields });
}

function fieldNames(names: readonly string[], bundle: Bundle | undefined): string {
  const labelled = names.map(
    (name): Pick<Field, 'name' | 'label'> => bundle?.fields.find((field) => field.name === name) ?? { name },
  );
  return labelled.map(fieldLabel).join(', ');
}

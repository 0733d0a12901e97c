import type { JsonObject } from '../../api/document.ts';
import { changesEntry } from '../../api/unfinished.ts';
import { writeChanges } from '../../model/entity-form.ts';
import { translationLanguage } from '../../model/translations.ts';
import type { Editor } from '../edit/editor.svelte.ts';

/** The operation of `POST /jsonapi/_preview` that makes the content what the form has. */
export function operationOf(editor: Editor): JsonObject {
  const { resource, target, changes, values } = editor;
  const { bundle, id, isDraft } = target;
  const { name: type, fields } = bundle;
  const langCode = target.language ?? translationLanguage(resource);
  if (resource !== undefined && !isDraft) {
    const data = writeChanges({ type, id }, fields, changes, resource)?.data ?? { type, id };
    const { revision } = resource.meta;
    return { op: 'update', data, meta: { ifMatch: revision, ...(langCode !== undefined && { langCode }) } };
  }
  // The content does not have a draft, so all its values are new.
  const own = Object.entries(isDraft ? values : changes).filter(([name]) => editor.canSet({ name }));
  const isTranslation = id !== undefined && langCode !== undefined;
  const isStored = resource !== undefined && changesEntry(resource);
  const identity = { type, ...((isTranslation || isStored) && { id }) };
  const data = writeChanges(identity, fields, Object.fromEntries(own))?.data;
  const meta = langCode !== undefined && { meta: { langCode } };
  if (isStored) return { op: 'update', data, ...meta };
  return { op: 'add', ...(isTranslation && { ref: { type, id }, ...meta }), data };
}

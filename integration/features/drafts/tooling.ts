import type { Services } from '../../core/api/request.ts';
import type { FeatureTooling } from '../../core/runtime/site.ts';
import { type Diagnostic, FILE_START, isError } from '../../core/source/diagnostic.ts';
import { keyOfDraft, readDrafts } from './draft-files.ts';
import { openDraft } from './open-draft.ts';

export const TOOLING: FeatureTooling = { notes: draftNotes };

/** A note for each draft, with its missing fields. */
async function draftNotes({ fileSources, preview, store }: Services): Promise<readonly Diagnostic[]> {
  const notes: Diagnostic[] = [];
  for (const entry of await readDrafts(fileSources.content)) {
    const key = keyOfDraft(entry);
    const type = store.types.get(entry.type);
    const draft = type && (await openDraft({ preview, store }, fileSources.content, entry, type));
    if (draft === undefined) continue;
    const errors = draft.problems.filter(isError);
    const missing = errors.flatMap(({ code, path = [] }) =>
      code === 'field/required' ? [`\`${path.join('.')}\``] : [],
    );
    const others = errors.filter(({ code }) => code !== 'field/required').map(({ message }) => message);
    const lacks = [...(missing.length > 0 ? [`Missing: ${missing.join(', ')}.`] : []), ...others];
    const language = entry.translation === undefined ? '' : ` in \`${entry.translation}\``;
    const what = draft.stored === undefined ? 'A draft' : `Unfinished changes of \`${entry.id}\``;
    const message = `${what} of \`${entry.type}\`${language}. ${lacks.join(' ') || 'It is complete: save it once more.'}`;
    notes.push({ severity: 'info', code: 'draft/incomplete', key, ...FILE_START, message });
  }
  return notes;
}

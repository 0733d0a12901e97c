import type { Services } from '../../core/api/request.ts';
import type { FeatureTooling } from '../../core/runtime/site.ts';
import { type Diagnostic, FILE_START, isError } from '../../core/source/diagnostic.ts';
import { keyOfDraft, readDrafts } from './draft-files.ts';

export const TOOLING: FeatureTooling = { notes: draftNotes };

/** A note for each draft, with what it lacks. */
async function draftNotes({ fileSources, preview }: Services): Promise<readonly Diagnostic[]> {
  const notes: Diagnostic[] = [];
  for (const entry of await readDrafts(fileSources.content)) {
    const key = keyOfDraft(entry);
    const bytes = await fileSources.content.read(key);
    if (bytes === undefined || preview === undefined) continue;
    const errors = (await preview(entry.key, bytes)).problems.filter(isError);
    const missing = errors.flatMap(({ code, path = [] }) =>
      code === 'field/required' ? [`\`${path.join('.')}\``] : [],
    );
    const others = errors.filter(({ code }) => code !== 'field/required').map(({ message }) => message);
    const lacks = [...(missing.length > 0 ? [`Missing: ${missing.join(', ')}.`] : []), ...others];
    const language = entry.translation === undefined ? '' : ` in \`${entry.translation}\``;
    const message = `A draft of \`${entry.type}\`${language}. ${lacks.join(' ') || 'It is complete: save it once more.'}`;
    notes.push({ severity: 'info', code: 'draft/incomplete', key, ...FILE_START, message });
  }
  return notes;
}

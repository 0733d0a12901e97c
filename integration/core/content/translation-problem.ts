import { type Problem, problem } from '../source/diagnostic.ts';
import { type ContentFile, locatorOf } from './content-file.ts';
import type { Bundle } from './content-index.ts';
import { type CollectorState, isDraft } from './content-state.ts';
import { languageOf } from './model.ts';

/** Why a translation cannot be served because of other files: it has no source, or another file has its language. */
export function translationProblem(
  state: CollectorState,
  bundle: Bundle,
  file: ContentFile,
): Problem | undefined {
  const { index, decoded } = state;
  const language = file.translation?.language;
  const source = index.sourceOf(bundle, file);
  if (source === undefined) return hasUnreadableSource(state, bundle, file) ? undefined : withoutSource(file);
  const entity = decoded.get(source.key)?.entity;
  const siblings = index.translationsOf(bundle, source).filter((key) => {
    const other = bundle.files.get(key);
    if (other === undefined || other.translation?.language !== language) return false;
    return index.sourceOf(bundle, other) === source;
  });
  const [first] = entity !== undefined && languageOf(entity) === language ? [source.key] : siblings;
  if (first === undefined || first === file.key) return undefined;
  const message = `\`${file.key}\` and \`${first}\` are the same entity in the same language, \`${language}\`; only \`${first}\` is served.`;
  return at(file, 'language/duplicate', message, 'Remove one of the files, or change its language.');
}

/** An error in the source is reported there. */
function hasUnreadableSource(state: CollectorState, bundle: Bundle, file: ContentFile): boolean {
  if (isDraft(state, { type: bundle.name, id: file.id })) return true;
  const { keys, files } = bundle;
  if (keys.size === files.size) return false;
  return [...keys.keys()].some((key) => {
    if (files.has(key)) return false;
    const role = state.readKey(key);
    return role.role === 'entity' && role.pathId === file.id;
  });
}

function withoutSource(file: ContentFile): Problem {
  const { id, translation } = file;
  const message = `The translation into \`${translation?.language}\` has no source \`${id}\`.`;
  const hint =
    translation?.by === 'path'
      ? 'Add the file without a language in its path, or write `translationOf` with the id of the source.'
      : 'Correct the id of the source.';
  return at(file, 'language/no-source', message, hint);
}

function at(file: ContentFile, code: string, message: string, hint: string): Problem {
  const key = file.translation?.by === 'id' ? ['translationOf'] : [];
  return problem('error', code, message, hint, locatorOf(file)(key), key);
}

import { type Problem, problem } from '../source/diagnostic.ts';
import { type ContentFile, locatorOf } from './content-file.ts';
import type { Bundle } from './content-index.ts';
import { type CollectorState, isDraft } from './content-state.ts';
import { languageOf } from './model.ts';

/** Why a translation cannot be served because of other files: another file has its language. */
export function translationProblem(
  state: CollectorState,
  bundle: Bundle,
  file: ContentFile,
): Problem | undefined {
  const { index, decoded } = state;
  const language = file.translation?.language;
  const source = index.sourceOf(bundle, file);
  if (source === undefined) return undefined;
  const entity = decoded.get(source.key)?.entity;
  const siblings = index.translationsOf(bundle, source).filter((key) => {
    const other = bundle.files.get(key);
    if (other === undefined || other.translation?.language !== language) return false;
    return index.sourceOf(bundle, other) === source;
  });
  const [first] = entity !== undefined && languageOf(entity) === language ? [source.key] : siblings;
  if (first === undefined || first === file.key) return undefined;
  const message = `\`${file.key}\` and \`${first}\` are the same entity in the same language, \`${language}\`; only \`${first}\` is served.`;
  return at(file, 'error', 'language/duplicate', message, 'Remove one of the files, or change its language.');
}

/** What a translation lacks that is the source of its entity: the source that it names, or a field of sources. */
export function standInProblem({ declared: schema }: Bundle, file: ContentFile): Problem | undefined {
  const { id, standsIn, declared } = file;
  for (const [name, { definition }] of schema?.fields ?? []) {
    if (definition.untranslated !== true || !definition.required || declared?.[name] !== null) continue;
    const message = `The field \`${definition.key}\` is missing, and \`${id}\` has no source with it.`;
    return problem('error', 'field/required', message, 'Add it.', undefined, [definition.key]);
  }
  if (standsIn?.isWritten !== true) return undefined;
  const message = `\`translationOf\` names \`${id}\`, which does not exist. The file is a page in \`${standsIn.language}\` only.`;
  return at(
    file,
    'warning',
    'language/no-source',
    message,
    'Correct the id of the source, or remove the key.',
  );
}

/** The translations of a bundle that have no source, not even an unreadable one, whose errors are reported there. */
export function withoutSource(state: CollectorState, bundle: Bundle): readonly ContentFile[] {
  const { name, keys, files, standIns } = bundle;
  if (standIns.size === 0) return [];
  const unreadable = keys.size === files.size ? [] : [...keys.keys()].filter((key) => !files.has(key));
  const roles = unreadable.map(state.readKey);
  const paths = new Set(roles.flatMap((role) => (role.role === 'entity' ? [role.pathId] : [])));
  return [...standIns]
    .map((key) => files.get(key)!)
    .filter(({ id }) => !paths.has(id) && !isDraft(state, { type: name, id }));
}

function at(
  file: ContentFile,
  severity: Problem['severity'],
  code: string,
  message: string,
  hint: string,
): Problem {
  const key = (file.translation ?? file.standsIn)?.by === 'id' ? ['translationOf'] : [];
  return problem(severity, code, message, hint, locatorOf(file)(key), key);
}

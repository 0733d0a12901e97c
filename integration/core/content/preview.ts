import { isError, type Problem, problem } from '../source/diagnostic.ts';
import type { ContentFile } from './content-file.ts';
import { type Bundle, type ContentIndex, shapeOf } from './content-index.ts';
import type { CollectorState } from './content-state.ts';
import { type Decoder, isLinkProblem } from './decode/decode.ts';
import type { KnownTypes } from './decode/references.ts';
import type { FileCatalog } from './file-catalog.ts';
import type { Entity } from './model.ts';
import type { ReadFile } from './read-files.ts';
import { type BundleShape, tallyFile } from './schema/bundle-shape.ts';
import { standInProblem, translationProblem } from './translation-problem.ts';

/** The entity and the problems of a file that is not stored. */
export interface Preview {
  /** Null if the file is not an entity. */
  readonly entity: Entity | null;
  /** The readable part of a file, also if it has errors in its fields. */
  readonly draft?: Entity | undefined;
  /** All problems. Option `danglingReferences` decides if dangling references are errors. */
  readonly problems: readonly Problem[];
}

export interface PreviewDeps {
  readonly state: CollectorState;
  readonly decoder: Decoder;
  readonly catalog: FileCatalog;
}

/** Decodes a file as if it replaced the file of its key. */
export async function previewFile({ key, role, result }: ReadFile, deps: PreviewDeps): Promise<Preview> {
  const { state, decoder, catalog } = deps;
  const { index } = state;
  const isIgnored = state.isGitIgnored(key);
  if (role.role !== 'entity' || isIgnored) {
    const fault = isIgnored ? 'is ignored by git: change .gitignore' : 'is not the path of an entity';
    const code = isIgnored ? 'file/ignored' : 'file/misplaced';
    return { entity: null, problems: [problem('error', code, `\`${key}\` ${fault}.`)] };
  }
  const bundle = index.bundles.get(role.type) ?? index.emptyBundle(role.type);
  const read = result?.file ?? result?.draft;
  const problems = result?.problems ?? [];
  if (read === undefined) return { entity: null, problems };
  const file = index.asStored(bundle, read);
  const isSource = file.translation === undefined;
  const known: KnownTypes = {
    listIn: index.listIn,
    hasType: (type) => type === role.type || index.hasType(type),
    has: (type, id) =>
      isSource && type === role.type && (id === file.id || index.owner(type, id) === key)
        ? id === file.id
        : index.has(type, id),
  };
  const shaped: Bundle = { ...bundle, shape: shapeWith(bundle, file, known) };
  let decoded = decoder.decode(state, shaped, file, known);
  if (await catalog.lookUp()) decoded = decoder.decode(state, shaped, file, known);
  const isReadable = result?.file !== undefined;
  const ofDecoding = (decoded?.problems ?? []).filter((each) => isReadable || isLinkProblem(each));
  return {
    entity: isReadable ? (decoded?.entity ?? null) : null,
    draft: decoded?.entity,
    problems: [...problems, ...ofDecoding, ...clashes(deps, shaped, file)],
  };
}

/** Decodes a past version of a file, committed at `at` (Unix seconds). */
export async function previewPastFile(
  { role, result }: ReadFile,
  at: number,
  { state, decoder, catalog }: PreviewDeps,
): Promise<Preview> {
  const bundle = role.role === 'entity' ? state.index.bundles.get(role.type) : undefined;
  if (bundle === undefined || result?.file === undefined) {
    return { entity: null, problems: result?.problems ?? [] };
  }
  const file = state.index.asStored(bundle, result.file);
  let decoded = decoder.decode(state, bundle, file, state.index, at);
  if (await catalog.lookUp()) decoded = decoder.decode(state, bundle, file, state.index, at);
  const problems = [...result.problems, ...(decoded?.problems ?? [])];
  // Its references, files and alias meet the content of today.
  const isInvalid = problems.some(
    (problem) => isError(problem) && !isLinkProblem(problem) && !problem.code.startsWith('alias/'),
  );
  return { entity: isInvalid ? null : (decoded?.entity ?? null), problems };
}

/** Remembers the inferred fields of a past version of a file that no file has any more. */
export function recallFields({ role, result }: ReadFile, { index }: CollectorState): void {
  const bundle = role.role === 'entity' ? index.bundles.get(role.type) : undefined;
  const file = result?.file;
  if (bundle?.shape === undefined || bundle.declared !== undefined || file === undefined) return;
  const { fields } = bundle.shape.type;
  for (const [name, field] of shapeWith(bundle, file, index).type.fields) {
    if (!fields.has(name) && !bundle.former.has(name)) bundle.former.set(name, field);
  }
}

/** The shape of the bundle with this file. */
function shapeWith(bundle: Bundle, file: ContentFile, known: KnownTypes): BundleShape {
  const { profile } = bundle;
  const present = bundle.files.get(file.key);
  if (present !== undefined) tallyFile(profile, present, -1);
  tallyFile(profile, file, 1);
  const shape = shapeOf(bundle, known);
  tallyFile(profile, file, -1);
  if (present !== undefined) tallyFile(profile, present, 1);
  return shape;
}

/** Problems with other files. */
function clashes({ state }: PreviewDeps, bundle: Bundle, file: ContentFile): readonly Problem[] {
  if (file.translation === undefined) {
    const missing = file.standsIn && standInProblem(bundle, file);
    return [...duplicateIds(state.index, bundle.name, file), ...(missing ? [missing] : [])];
  }
  const clash = translationProblem(state, bundle, file);
  return clash === undefined ? [] : [clash];
}

function duplicateIds(index: ContentIndex, type: string, { key, id }: ContentFile): readonly Problem[] {
  const owner = index.owner(type, id);
  if (owner === undefined || owner === key) return [];
  const message = `\`${owner}\` already has the id \`${id}\`.`;
  return [problem('error', 'id/duplicate', message, 'Choose another id.', undefined, ['id'])];
}

import { type Problem, FILE_START } from '../source/diagnostic.ts';
import type { ContentFile } from './content-file.ts';
import { type Bundle, type ContentIndex, createContentIndex, shapeOf } from './content-index.ts';
import type { DecodedFile } from './decode/decode.ts';
import type { Entity } from './model.ts';
import type { PlacedFile } from './read-files.ts';
import type { KnownEntities, KnownTypes } from './references.ts';
import { type BundleShape, inferBundle, tallyFile } from './schema/bundle-shape.ts';
import type { DeclaredBundle } from './schema/schema-fields.ts';

/** What a file would be if it were stored. */
export interface Preview {
  /** Null where it would be none. */
  readonly entity: Entity | null;
  /** All that is wrong with it, at once. `danglingReferences` says whether references to nothing are errors. */
  readonly problems: readonly Problem[];
}

export interface PreviewDeps {
  readonly index: ContentIndex;
  readonly declared: ReadonlyMap<string, DeclaredBundle>;
  decode(bundle: Bundle, file: ContentFile, known: KnownEntities): DecodedFile | undefined;
  /** Looks up the files that decoding asked for in vain; answers whether there were any. */
  lookUp(): Promise<boolean>;
}

/** Makes the entity of a file as if it took the place of the one with its key. Nothing is kept of it. */
export async function previewFile({ key, role, result }: PlacedFile, deps: PreviewDeps): Promise<Preview> {
  const { index, declared, decode, lookUp } = deps;
  const file = result?.file ?? result?.draft;
  const found = result?.problems ?? [];
  if (role.role !== 'entity') return { entity: null, problems: [noPlace(key)] };
  if (file === undefined) return { entity: null, problems: found };
  const bundle = index.bundles.get(role.type) ?? createContentIndex(declared).bundle(role.type);
  const known: KnownTypes = {
    hasType: (type) => type === role.type || index.hasType(type),
    has: (type, id) =>
      type === role.type && (id === file.id || index.holder(type, id) === key)
        ? id === file.id
        : index.has(type, id),
  };
  const shaped: Bundle = { ...bundle, shape: shapeWith(bundle, file, known) };
  let decoded = decode(shaped, file, known);
  if (await lookUp()) decoded = decode(shaped, file, known);
  const others = decoded?.problems ?? [];
  const problems = [
    ...found,
    ...(result?.file === undefined ? others.filter(({ code }) => /^(reference|file)\//.test(code)) : others),
    ...duplicates(index, role.type, file),
  ];
  return { entity: result?.file === undefined ? null : (decoded?.entity ?? null), problems };
}

/** The shape that the bundle's files would have, this one among them. */
function shapeWith(bundle: Bundle, file: ContentFile, known: KnownTypes): BundleShape {
  if (bundle.declared !== undefined) return bundle.shape ?? shapeOf(bundle, known);
  const former = bundle.files.get(file.key);
  const { profile } = bundle;
  // Counted in and out again: what is counted is the same afterwards.
  if (former !== undefined) tallyFile(profile, former, -1);
  tallyFile(profile, file, 1);
  const shape = inferBundle(bundle.name, profile, known);
  tallyFile(profile, file, -1);
  if (former !== undefined) tallyFile(profile, former, 1);
  return shape;
}

function duplicates(index: ContentIndex, type: string, { key, id }: ContentFile): readonly Problem[] {
  const holder = index.holder(type, id);
  if (holder === undefined || holder === key) return [];
  const message = `\`${holder}\` has the id \`${id}\` already.`;
  return [
    {
      severity: 'error',
      code: 'id/duplicate',
      ...FILE_START,
      message,
      hint: 'Take another id.',
      path: ['id'],
    },
  ];
}

function noPlace(key: string): Problem {
  const message = `\`${key}\` is no place for an entity.`;
  return { severity: 'error', code: 'file/misplaced', ...FILE_START, message };
}

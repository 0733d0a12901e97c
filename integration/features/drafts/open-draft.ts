import type { Access } from '../../core/access/access.ts';
import { withoutPrototype } from '../../core/content/base-fields.ts';
import type { Collector } from '../../core/content/collect.ts';
import type { Entity, ResourceType } from '../../core/content/model.ts';
import type { Reader } from '../../core/read/reader.ts';
import { isError, type Problem, problem } from '../../core/source/diagnostic.ts';
import { ConflictError, NotFoundError } from '../../core/util/errors.ts';
import { digestBytes, digestText } from '../../core/util/revision.ts';
import { checkPreconditions } from '../../core/write/preconditions.ts';
import type { OperationContent, Preconditions } from '../../core/write/writer.ts';
import { type DraftEntry, type DraftFiles, findDraft, keyOfBase, keyOfDraft } from './draft-files.ts';
import { differingFields, mergeChanges } from './merge-changes.ts';
import { readableEntity } from './readable.ts';
import { ENTRY_DELETED, revisionOf, SOURCE_MISSING } from './unfinished.ts';

/** What the site decides about changes of drafts. */
export interface Saving {
  readonly requireIfMatch: boolean;
  /** Milliseconds since the Unix epoch. */
  now(): number;
}

/** A draft as its file is now. */
export interface OpenDraft {
  readonly type: ResourceType;
  readonly entity: Entity;
  readonly bytes: Uint8Array;
  readonly problems: readonly Problem[];
  /** False if the file has no fields that can be read, or if the text that its changes began from is missing. */
  readonly isReadable: boolean;
  /** The entry, of unfinished changes. */
  readonly stored: Entity | undefined;
  /** Of changes of a stored entry. */
  readonly changes?: ChangesOfEntry | undefined;
}

interface ChangesOfEntry {
  /** The entry as its file is now. */
  readonly present: Entity;
  /** The entry as it was when the changes began. */
  readonly base: Entity;
  /** Fields that conflict with the entry. The draft has the values of the changes. */
  readonly disputed: readonly string[];
}

/** Reads a draft as if its file were at its place in the content. Undefined if the file is missing. */
export async function openDraft(
  { preview, store }: Pick<Reader, 'store'> & { readonly preview?: Collector['preview'] | undefined },
  files: DraftFiles,
  entry: DraftEntry,
  type: ResourceType,
): Promise<OpenDraft | undefined> {
  const written = await files.read(keyOfDraft(entry));
  if (written === undefined || preview === undefined) return undefined;
  const { id, translation } = entry;
  const stored = entry.base === undefined ? undefined : store.get(type.name, id, translation);
  const merged = await mergeChanges(files, entry, stored, written);
  const bytes = merged?.bytes ?? written;
  const key = merged && stored ? stored.key : entry.key;
  const previewed = await preview(key, bytes);
  const hasSource = translation === undefined || store.get(type.name, id) !== undefined;
  const isDeleted = entry.base !== undefined && stored === undefined;
  const hasLostBase = stored !== undefined && merged === undefined;
  const problems = [
    ...(hasLostBase ? [problem('error', BASE_MISSING, noBase(entry))] : []),
    ...previewed.problems,
    ...(hasSource ? [] : [problem('error', SOURCE_MISSING, NO_SOURCE)]),
    ...(hasSource && isDeleted ? [problem('error', ENTRY_DELETED, NO_ENTRY)] : []),
  ];
  const draft = readableEntity(previewed, type, bytes);
  const isReadable = draft?.type === type.name && merged?.isMerged !== false && !hasLostBase;
  // The owner of a file that cannot be read is not known.
  const values: Entity['values'] = Object.assign(Object.create(null), { title: id, status: false });
  const unreadable = { type: type.name, id, key, revision: digestBytes(bytes), values, published: false };
  const entity: Entity = isReadable ? draft : { ...unreadable, body: null };
  // Without its source, it is decoded as a source.
  const addressed = translation === undefined ? entity : { ...entity, id, translation };
  const shown = isDeleted ? withoutStatus(addressed, type) : addressed;
  const open = { type, entity: shown, bytes, problems, isReadable, stored };
  if (merged === undefined || stored === undefined) return open;
  const { draft: base = stored } = await preview(key, merged.base);
  const { draft: present = stored } = await preview(key, merged.present);
  const { theirs } = merged;
  const other = theirs && readableEntity(await preview(key, theirs), type, theirs);
  const disputed = other ? differingFields(type, shown, other).map(({ name }) => name) : [];
  return { ...open, changes: { base, present, disputed } };
}

/** The status in the text is that of the deleted entry. A new entry needs a decision. */
function withoutStatus(entity: Entity, { fields }: ResourceType): Entity {
  const { values } = entity;
  if (fields.get('status')?.kind !== 'boolean') return { ...entity, published: false };
  return { ...entity, values: withoutPrototype({ ...values, status: null }), published: false };
}

/** `meta.revision` of a draft. That of changes of an entry depends on the entry too. */
export function revisionOfDraft(reader: Reader, access: Access, { entity, changes }: OpenDraft): string {
  const own = revisionOf(reader, access, entity);
  if (changes === undefined) return own;
  return digestText(`${own} ${revisionOf(reader, access, changes.present)}`);
}

/** Reads a draft to change it. Checks preconditions. */
export async function loadDraft(
  { collector, reader, writer, files }: OperationContent,
  type: ResourceType,
  { id, translation }: DraftEntry,
  when: Preconditions,
  { requireIfMatch }: Saving,
  accepts: 'readable' | 'unreadable' = 'readable',
): Promise<OpenDraft> {
  const entry = await findDraft(files, type.name, id, translation);
  const { preview } = collector;
  const draft = entry && (await openDraft({ preview, store: reader.store }, files, entry, type));
  if (draft === undefined) throw new NotFoundError('The draft was completed or deleted meanwhile.');
  if (accepts === 'readable') checkReadable(draft);
  const revision = revisionOfDraft(reader, writer.access, draft);
  await checkPreconditions(when, draft.entity, revision, requireIfMatch);
  return draft;
}

/** Throws ConflictError if a file of the draft is missing or cannot be read. */
export function checkReadable({ isReadable, problems }: OpenDraft): void {
  if (isReadable) return;
  const first = problems.find(isError);
  if (first?.code === BASE_MISSING) throw new ConflictError(first.message);
  throw new ConflictError(
    `The file of this draft cannot be read. Line ${first?.line ?? 1}: ${first?.message ?? ''}`,
  );
}

const BASE_MISSING = 'draft/base-missing';

function noBase(entry: DraftEntry): string {
  return `The file \`${keyOfBase(entry)}\`, the text that these changes began from, is missing. Restore it, or delete the changes.`;
}

export const NO_SOURCE = 'The entry that this draft translates was deleted. Restore it first.';
export const NO_ENTRY =
  'The entry of these changes was deleted. Restore it, or send `status: false` for a new entry that is not published.';

/** What became of a draft. */
export interface SavedDraft {
  /** The id of the entry if the draft is complete, else that of the draft. */
  readonly id: string;
  readonly isEntry: boolean;
}

/** Codes of errors that the schema finds in values of the right kind. */
export const SCHEMA_CODES: ReadonlySet<string> = new Set([
  'field-required',
  'field-invalid',
  'schema-failed',
]);

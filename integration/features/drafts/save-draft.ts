import { type Entity, languageOf, type ResourceType } from '../../core/content/model.ts';
import { parseFile } from '../../core/content/parse-file.ts';
import { visibleEntities } from '../../core/read/find.ts';
import { isError } from '../../core/source/diagnostic.ts';
import { formatOf } from '../../core/source/formats.ts';
import { ConflictError, ForbiddenError, InvalidEntityError, NotFoundError } from '../../core/util/errors.ts';
import { digestBytes } from '../../core/util/revision.ts';
import { checkBody } from '../../core/write/body.ts';
import { readChanges, withoutShared } from '../../core/write/changes.ts';
import { createTakenNames, placeNewFile } from '../../core/write/new-file.ts';
import { placeTranslation, withLanguage } from '../../core/write/new-translation.ts';
import { checkMayAtAll, checkMayTranslate, maySet } from '../../core/write/permissions.ts';
import { encodeChanges, referencedFiles } from '../../core/write/save.ts';
import type {
  EntityInput,
  Operation,
  OperationContent,
  Preconditions,
  RequestedChanges,
  StagedChange,
  TargetFile,
  Writer,
} from '../../core/write/writer.ts';
import { accessToDraft } from './draft-access.ts';
import {
  addDraft,
  type DraftEntry,
  fileOfDraft,
  findDraft,
  keyOfBase,
  keyOfDraft,
  readDrafts,
  removeDraft,
} from './draft-files.ts';
import {
  loadDraft,
  NO_ENTRY,
  NO_SOURCE,
  type OpenDraft,
  type SavedDraft,
  type Saving,
  SCHEMA_CODES,
} from './open-draft.ts';

/** A draft to create or to change. */
interface DraftChange {
  readonly type: ResourceType;
  /** Undefined for a new draft. */
  readonly entry: DraftEntry | undefined;
  /** Of the new draft of a translation. */
  readonly translates?: { readonly id: string; readonly language: string } | undefined;
  readonly input: EntityInput;
  readonly when: Preconditions;
  /** Called after each run. */
  onSaved(saved: SavedDraft): void;
}

/**
 * Creates the entry if it passes the schema, and removes its draft in the same change. Else it stores a draft, unless the errors
 * have other causes than the schema, or the entry should be published. Changes of a deleted entry become an entry only with
 * `status: false`, so that nothing is published or created unseen.
 */
export function saveDraft(change: DraftChange, saving: Saving): Operation {
  const { type, entry, input, when, onSaved } = change;
  const run: Operation['run'] = async (content) => {
    const { reader, writer, files } = content;
    const present = entry && (await loadDraft(content, type, entry, when, saving));
    const permissions = present && entry && accessToDraft(writer, type, present.entity, entry);
    if (permissions?.changes === false) throw new ForbiddenError('You may not change this draft.');
    const isOfDeleted = entry?.base !== undefined;
    if (isOfDeleted) await checkDeleted(content, entry);
    if (present === undefined) checkMayAtAll(writer, 'create', type);
    const own: Writer = { ...writer, access: permissions?.access ?? writer.access };
    const targets = visibleEntities(reader, own.access);
    const read = await readChanges(own, type, present?.entity ?? null, input, { reader, targets });
    const translates =
      entry?.translation === undefined ? change.translates : { id: entry.id, language: entry.translation };
    const { file, requested } =
      translates === undefined
        ? await placeSource(content, change, present, read)
        : await placeTranslated(content, change, translates, present, read);
    if (isOfDeleted && requested.changes.status === true) {
      throw new ConflictError(NO_ENTRY, undefined, { code: 'draft-entry-deleted' });
    }
    let saved: StagedChange | undefined;
    try {
      saved = await saveEntry(content, file, present, requested, own);
    } catch (error) {
      if (!(error instanceof InvalidEntityError) || requested.changes.status === true) throw error;
      // What a draft may lack does not matter if it cannot be stored for another reason.
      const [first, ...others] = error.violations.filter(({ code = '' }) => !SCHEMA_CODES.has(code));
      if (first !== undefined) throw new InvalidEntityError([first, ...others], error.reason);
    }
    const source = translates && reader.store.get(type.name, translates.id);
    const hasSource = translates === undefined || source !== undefined;
    if (!hasSource && requested.changes.status === true) throw new ConflictError(NO_SOURCE);
    if (saved === undefined || !hasSource || (isOfDeleted && requested.changes.status !== false)) {
      const stored = await storeDraft(content, file, change, requested, own, saving);
      onSaved({ id: stored.entity.id, isEntry: false });
      return stored;
    }
    if (translates !== undefined && source !== undefined && present !== undefined) {
      checkMayTranslate(own, type, source, translates.language);
    }
    if (permissions !== undefined && !permissions.mayBecome(saved.entity)) {
      throw new ForbiddenError(
        'You may not create this entry. Someone with that permission has to complete the draft.',
      );
    }
    if (present !== undefined && (requested.changes.path !== undefined || hasWrittenAlias(present))) {
      // For its entry the alias is new, although the draft had it.
      await content.commands.checkAlias(own, saved.entity, null, requested);
    }
    onSaved({ id: saved.entity.id, isEntry: true });
    if (entry === undefined) return saved;
    if (translates === undefined) await content.ledger.drop(type.name, saved.entity.id);
    return { ...saved, change: 'created', keys: [...saved.keys, ...(await removeDraft(files, entry))] };
  };
  return { run };
}

/** Throws ConflictError if the entry of changes exists, or if its file is there without it. */
async function checkDeleted({ reader, files }: OperationContent, entry: DraftEntry): Promise<void> {
  const { type, id, translation, key } = entry;
  if (reader.store.get(type, id, translation) !== undefined) {
    throw new ConflictError(`'${id}' was restored, or the file '${keyOfBase(entry)}' is missing.`);
  }
  if ((await files.stat(key)) !== undefined) {
    throw new ConflictError(`The file '${key}' has errors or another id. Correct it first.`);
  }
}

/** Removes a draft with its file. */
export function removeDraftOf(
  { type, entry, when }: Omit<DraftChange, 'input' | 'entry' | 'onSaved'> & { readonly entry: DraftEntry },
  saving: Saving,
): Operation {
  const run: Operation['run'] = async (content) => {
    const { entity, stored } = await loadDraft(content, type, entry, when, saving, 'unreadable');
    if (!accessToDraft(content.writer, type, entity, entry, stored).removes) {
      throw new ForbiddenError('You may not delete this draft.');
    }
    return { entity, change: 'removed', keys: await removeDraft(content.files, entry) };
  };
  return { run };
}

/** A new draft does not publish itself when it is complete. */
function withDefaults(read: RequestedChanges, type: ResourceType, { access }: Writer): RequestedChanges {
  const hidesItself =
    read.changes.status === undefined &&
    type.fields.get('status')?.kind === 'boolean' &&
    maySet(access, type, 'status', null);
  return { ...read, changes: { ...read.changes, ...(hidesItself && { status: false }) } };
}

interface Placed {
  readonly file: TargetFile;
  readonly requested: RequestedChanges;
}

async function placeSource(
  content: OperationContent,
  { type, entry, input }: DraftChange,
  present: OpenDraft | undefined,
  read: RequestedChanges,
): Promise<Placed> {
  const { writer } = content;
  let requested = read;
  if (present === undefined) {
    const uid = read.changes.uid ?? writer.actor.name;
    requested = withDefaults({ ...read, changes: { ...read.changes, uid } }, type, writer);
  }
  return { file: await placeDraft(content, type, entry, present, requested, input), requested };
}

/** The place of a translation. Throws ConflictError if the entry has it meanwhile. */
async function placeTranslated(
  { collector, reader, writer, files }: OperationContent,
  { type, entry }: DraftChange,
  { id, language }: NonNullable<DraftChange['translates']>,
  present: OpenDraft | undefined,
  read: RequestedChanges,
): Promise<Placed> {
  const { store, settings } = reader;
  const { languages } = settings;
  if (languages === undefined) throw new ConflictError('The site has one language.');
  const source = store.get(type.name, id);
  const exists = source && (languageOf(source) === language || store.get(type.name, id, language));
  if (exists) throw new ConflictError(`'${id}' exists in '${language}' already.`);
  const place = async (from: Entity, changes: RequestedChanges['changes']) => {
    const { title } = { ...present?.entity.values, ...changes };
    const named = { source: from, language, title: typeof title === 'string' ? title : '' };
    return placeTranslation(named, { driver: files, store, languages });
  };
  if (present === undefined || entry === undefined) {
    if (source === undefined) throw new NotFoundError(`There is no resource '${id}' of type ${type.name}.`);
    checkMayTranslate(writer, type, source, language);
    if ((await findDraft(files, type.name, id, language)) !== undefined) {
      throw new ConflictError(`There is a draft of '${id}' in '${language}' already.`);
    }
    const file = await place(source, read.changes);
    const own = withoutShared(withLanguage(read, language, file, languages), type, source);
    return { file: { type, ...file, source, current: null }, requested: withDefaults(own, type, writer) };
  }
  const own = withLanguage(read, language, { langcode: undefined }, languages);
  const requested = withoutShared(own, type, present.entity);
  const { entity, bytes } = present;
  const isTaken = (await files.stat(entry.key)) !== undefined;
  if (!isTaken || source === undefined)
    return { file: { type, key: entry.key, current: { entity, bytes } }, requested };
  const { key } = await place(source, requested.changes);
  const { draft = entity } = await collector.preview(key, bytes);
  return { file: { type, key, current: { entity: draft, bytes } }, requested };
}

/** The place of the entry. An entry that has come there since the draft was made leads to another one. */
async function placeDraft(
  { collector, reader, ledger, files }: OperationContent,
  type: ResourceType,
  entry: DraftEntry | undefined,
  present: OpenDraft | undefined,
  { changes }: RequestedChanges,
  input: EntityInput,
): Promise<TargetFile> {
  const { store } = reader;
  const names = createTakenNames(store);
  const drafts = (await readDrafts(files)).filter(
    (each) => each.type === type.name && each.file !== entry?.file,
  );
  for (const { id } of drafts) names.of(type.name).add(id.toLowerCase());
  const place = (id: string | undefined, format: 'markdown' | 'mdx') => {
    const { title } = { ...present?.entity.values, ...changes };
    const named = { id, title: typeof title === 'string' ? title : '', format };
    return placeNewFile(type, named, { driver: files, reader, ledger, names }, input);
  };
  if (present === undefined || entry === undefined) {
    const { id } = input;
    const source = { pointer: input.pointer(['id']) };
    if (id !== undefined && drafts.some((each) => each.id === id)) {
      throw new ConflictError(`There is a draft '${id}' already.`, source);
    }
    if (id !== undefined && store.get(type.name, id) !== undefined) {
      throw new ConflictError(`There is an entity '${id}' already.`, source);
    }
    const { format } = { ...(changes.body as { readonly format?: string } | undefined) };
    return { type, ...(await place(id, format === 'mdx' ? 'mdx' : 'markdown')), current: null };
  }
  const { entity, bytes } = present;
  const isTaken = store.get(type.name, entry.id) !== undefined || (await files.stat(entry.key)) !== undefined;
  if (!isTaken) return { type, key: entry.key, current: { entity, bytes } };
  const { key } = await place(undefined, entity.body?.format ?? 'markdown');
  const { draft } = await collector.preview(key, bytes);
  if (draft === undefined || store.get(type.name, draft.id) !== undefined) {
    throw new ConflictError(`There is an entity '${entry.id}' already.`);
  }
  return { type, key, current: { entity: draft, bytes } };
}

/** Stages the entry at its place. Undefined if it does not pass the schema although nothing has changed. */
async function saveEntry(
  { collector, commands, files }: OperationContent,
  file: TargetFile,
  present: OpenDraft | undefined,
  requested: RequestedChanges,
  writer: Writer,
): Promise<StagedChange | undefined> {
  const { key } = file;
  if (present === undefined) return commands.save(writer, file, requested);
  // The draft is the former version of the entry.
  await files.write(key, present.bytes, { ifRevision: null });
  const saved = await commands.save(writer, file, requested);
  if (saved.change !== 'unchanged') return saved;
  const { entity, problems } = await collector.preview(key, present.bytes);
  return entity === null || problems.some(isError) ? undefined : { entity, change: 'created', keys: [key] };
}

/** True if the file has an alias. Patterns can give several entries the same one. */
function hasWrittenAlias({ entity: { key }, bytes }: OpenDraft): boolean {
  const format = formatOf(key);
  const { parsed } = format === undefined ? {} : parseFile(bytes, format, '');
  return (parsed?.data.path ?? null) !== null;
}

async function storeDraft(
  { collector, files }: OperationContent,
  file: TargetFile,
  { entry, translates }: Pick<DraftChange, 'entry' | 'translates'>,
  requested: RequestedChanges,
  writer: Writer,
  { now }: Saving,
): Promise<StagedChange> {
  const { type, key, current } = file;
  if (current !== null) await files.remove(key);
  const before = current?.entity ?? null;
  const encoded = encodeChanges(collector, file, requested, now());
  if (before !== null && encoded.parsed.digest === before.revision) {
    return { entity: withId(before, entry), change: 'unchanged', keys: [] };
  }
  const { draft } = await collector.preview(key, encoded.bytes, encoded.parsed);
  if (draft === undefined) throw new Error(`The draft for ${key} cannot be read.`);
  const { id } = translates ?? withId(draft, entry);
  const author = writer.actor.name ?? undefined;
  const line = { type: type.name, id, key, ...(translates && { translation: translates.language, author }) };
  const stored = entry ?? { ...line, file: fileOfDraft(line) };
  const draftKey = keyOfDraft(stored);
  await files.write(draftKey, encoded.bytes, {
    ifRevision: current === null ? null : digestBytes(current.bytes),
  });
  const check = checkBody(writer, requested.changes, before, requested);
  const entity = { ...withId(draft, entry), id, key: draftKey };
  return {
    entity,
    change: entry === undefined ? 'created' : 'updated',
    keys: [
      draftKey,
      ...(entry === undefined ? await addDraft(files, stored) : []),
      ...referencedFiles(draft, type, requested),
    ],
    ...(check !== 'none' && { body: { check, input: requested, stored: before } }),
  };
}

/** A draft keeps its id, also if an entry has taken it since. */
function withId(entity: Entity, entry: DraftEntry | undefined): Entity {
  return entry === undefined ? entity : { ...entity, id: entry.id };
}

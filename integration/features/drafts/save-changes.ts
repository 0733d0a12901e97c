import type { Entity, ResourceType } from '../../core/content/model.ts';
import type { Preview } from '../../core/content/preview.ts';
import { visibleEntities } from '../../core/read/find.ts';
import { ConflictError, ForbiddenError, InvalidEntityError, NotFoundError } from '../../core/util/errors.ts';
import { isRecord } from '../../core/util/json.ts';
import { digestBytes } from '../../core/util/revision.ts';
import { checkBody } from '../../core/write/body.ts';
import { readChanges, withoutShared } from '../../core/write/changes.ts';
import { checkMayAtAll } from '../../core/write/permissions.ts';
import { checkPreconditions } from '../../core/write/preconditions.ts';
import { encodeChanges, referencedFiles } from '../../core/write/save.ts';
import type {
  EntityInput,
  Operation,
  OperationContent,
  Preconditions,
  StagedChange,
  Writer,
} from '../../core/write/writer.ts';
import {
  addDraft,
  type DraftEntry,
  fileOfBase,
  fileOfDraft,
  findDraft,
  keyOfBase,
  keyOfDraft,
  removeDraft,
} from './draft-files.ts';
import { differingFields, valuesOf } from './merge-changes.ts';
import { loadDraft, type OpenDraft, type SavedDraft, type Saving, SCHEMA_CODES } from './open-draft.ts';

/** Changes of a stored entry that may be incomplete. */
export interface EntryChange {
  readonly type: ResourceType;
  readonly id: string;
  /** Of a translation. */
  readonly translation: string | undefined;
  /** Undefined without unfinished changes so far. */
  readonly entry: DraftEntry | undefined;
  readonly input: EntityInput;
  readonly when: Preconditions;
  onSaved(saved: SavedDraft): void;
}

/**
 * Changes the entry if it passes the schema then, and removes its unfinished changes in the same change. Else it stores them
 * beside the entry, which stays as it is, unless the errors have other causes than the schema, or the entry should be published.
 * A change needs a value for each field that conflicts with the entry, so that no value is replaced unseen.
 */
export function saveChanges(change: EntryChange, saving: Saving): Operation {
  const { type, id, translation, entry, input, when, onSaved } = change;
  const run = async (content: OperationContent): Promise<StagedChange> => {
    const { reader, writer, collector, commands, files } = content;
    checkMayAtAll(writer, 'update', type);
    const open = entry && (await loadDraft(content, type, entry, when, saving));
    const stored = reader.store.get(type.name, id, translation);
    const present = stored && (await files.read(stored.key));
    if (stored === undefined || present === undefined) {
      throw new NotFoundError(`There is no resource '${id}' of type ${type.name}.`);
    }
    if (!writer.access.allows('update', stored)) throw new ForbiddenError('You may not change this entry.');
    if (entry === undefined) {
      const revision = reader.fragments.revision({ services: reader, access: writer.access }, stored);
      await checkPreconditions(when, stored, revision, saving.requireIfMatch);
      if ((await findDraft(files, type.name, id, translation)) !== undefined) {
        throw new ConflictError(`There are unfinished changes of '${id}' already.`, undefined, {
          code: 'draft-exists',
        });
      }
    }
    if (open !== undefined) checkDecided(open, input, writer);
    const before = open?.entity ?? stored;
    const targets = visibleEntities(reader, writer.access);
    const read = await readChanges(writer, type, before, input, { reader, targets });
    const requested = translation === undefined ? read : withoutShared(read, type, before);
    const file = { type, key: stored.key, current: { entity: before, bytes: open?.bytes ?? present } };
    const encoded = encodeChanges(collector, file, requested, saving.now());
    const preview = await collector.preview(stored.key, encoded.bytes, encoded.parsed);
    const next = readable(preview);
    try {
      const all = { ...requested, changes: { ...requested.changes, ...changesBetween(type, stored, next) } };
      const current = { entity: stored, bytes: present };
      const saved = await commands.save(writer, { type, key: stored.key, current }, all, encoded);
      onSaved({ id, isEntry: true });
      if (entry === undefined) return saved;
      return { ...saved, change: 'updated', keys: [...saved.keys, ...(await removeDraft(files, entry))] };
    } catch (error) {
      if (!(error instanceof InvalidEntityError) || requested.changes.status === true) throw error;
      const [first, ...others] = error.violations.filter(({ code = '' }) => !SCHEMA_CODES.has(code));
      if (first !== undefined) throw new InvalidEntityError([first, ...others], error.reason);
    }
    const author = writer.actor.name ?? undefined;
    const line = { type: type.name, id, key: stored.key, ...(translation && { translation }), author };
    const draftFile = fileOfDraft(line);
    const draft = entry ?? { ...line, file: draftFile, base: fileOfBase(draftFile) };
    const keys = [keyOfDraft(draft), keyOfBase(draft) ?? ''];
    for (const [at, bytes] of [encoded.bytes, present].entries()) {
      const key = keys[at] ?? '';
      const former = await files.read(key);
      await files.write(key, bytes, { ifRevision: former === undefined ? null : digestBytes(former) });
    }
    onSaved({ id, isEntry: false });
    const check = checkBody(writer, requested.changes, before, requested);
    return {
      entity: { ...next, id, key: keyOfDraft(draft) },
      change: 'updated',
      keys: [
        ...keys,
        ...(entry === undefined ? await addDraft(files, draft) : []),
        ...referencedFiles(next, type, requested),
      ],
      ...(check !== 'none' && { body: { check, input: requested, stored: before } }),
    };
  };
  return { run };
}

function readable({ draft, entity }: Preview): Entity {
  const next = draft ?? entity;
  if (next === null) throw new ConflictError('The file of the entry cannot be read.');
  return next;
}

/** Throws ConflictError if a field that conflicts with the entry is not in the input. */
function checkDecided(
  { type, entity, changes }: OpenDraft,
  { values, pointer }: EntityInput,
  { access }: Writer,
): void {
  if (changes === undefined) return;
  const bodies = [entity, changes.present].map((each) => valuesOf(each).body);
  const undecided = changes.disputed.filter((name) => {
    const sent = values.get(name);
    if (name !== 'body' || !isRecord(sent)) return sent === undefined;
    // What a body does not have stays as it is in the draft.
    const [mine, theirs] = bodies.map((body) => (isRecord(body) ? body : {}));
    return ['value', 'summary'].some((part) => sent[part] === undefined && mine?.[part] !== theirs?.[part]);
  });
  if (undecided.length === 0) return;
  const name = undecided.find((each) => access.fieldVisible(type, each));
  throw new ConflictError(UNDECIDED, name === undefined ? undefined : { pointer: pointer([name]) }, {
    code: 'draft-conflicts',
  });
}

const UNDECIDED =
  'The entry and its unfinished changes have different values. Send all fields in `meta.draft.conflicts` with the values to keep.';

function changesBetween(type: ResourceType, before: Entity, after: Entity) {
  const next = valuesOf(after);
  const changed = differingFields(type, before, after).filter(({ name }) => Object.hasOwn(next, name));
  return Object.fromEntries(changed.map(({ name }) => [name, next[name] ?? null]));
}

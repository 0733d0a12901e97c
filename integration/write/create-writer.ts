import { isPublishedAt } from '../access/schedule.ts';
import { addressOf, aliasOf } from '../content/decode/alias.ts';
import { createLedger } from '../content/ledger.ts';
import type { Entity, ResourceType } from '../content/model.ts';
import { isGone } from '../read/find.ts';
import { ConflictError, ForbiddenError, GoneError, NotFoundError } from '../util/errors.ts';
import { digestBytes } from '../util/revision.ts';
import { checkBody, checkRendered } from './body.ts';
import {
  type ChangeDeps,
  type Edit,
  type RequestedChanges,
  readChanges,
  readRelationship,
  validChanges,
} from './changes.ts';
import { placeNewFile } from './new-file.ts';
import { checkMay, checkMayAtAll } from './permissions.ts';
import { checkPreconditions } from './preconditions.ts';
import { checkUnreferenced, withoutReferences } from './referrers.ts';
import { encodeChanges, hiddenFiles, previewEntity, referencedFiles, type TargetFile } from './save.ts';
import {
  createTransact,
  createTurns,
  type LoadedEntity,
  loadCurrent,
  reload,
  writeAllThen,
} from './transaction.ts';
import { createUpload } from './upload/upload.ts';
import type { ContentWriter, Preconditions, Writer, WriterDeps, WrittenEntity } from './writer.ts';

/** The commands over the files of a driver. */
export function createContentWriter(deps: WriterDeps): ContentWriter {
  const { driver, collector, store, reader, options } = deps;
  const { engine } = reader;
  const ledger = createLedger(driver);
  const transact = createTransact(deps);
  const checkInTurn = createTurns();

  /**
   * Runs a command that writes one file. The lock is free while a new body renders. If content has changed in the meantime,
   * the command runs again, and writes if it has the same result.
   */
  async function save(
    writer: Writer,
    command: (now: number) => Promise<PreparedFile | WrittenEntity>,
  ): Promise<WrittenEntity> {
    const now = deps.now();
    const check = ({ bodyCheck, next, requested }: PreparedFile) =>
      checkRendered(deps, bodyCheck, next, requested);
    let checked = '';
    let ready: PreparedFile | undefined;
    for (let attempt = 1; ; attempt++) {
      const result = await transact(writer, async () => {
        // Without changes of other content, the result is the same. The driver compares the file itself.
        const prepared = ready?.version === store.version ? ready : await command(now);
        ready = undefined;
        if ('change' in prepared) return prepared;
        const isChecked = prepared.bodyCheck === 'none' || versionOf(prepared.next) === checked;
        if (!isChecked && attempt < MAX_ATTEMPTS) return prepared;
        if (!isChecked) await check(prepared);
        return write(writer, prepared);
      });
      if ('change' in result) return result;
      await checkInTurn(writer, () => check(result));
      checked = versionOf(result.next);
      ready = result;
    }
  }

  /** Checks the entity that a file would contain. */
  async function prepare(
    writer: Writer,
    file: TargetFile,
    requested: RequestedChanges,
    now: number,
  ): Promise<PreparedFile | WrittenEntity> {
    const { type, current } = file;
    const before = current?.entity ?? null;
    const bodyCheck = checkBody(writer, requested.changes, before, requested);
    const bytes = encodeChanges(collector, file, requested, now);
    const isValid = requested.violations.length === 0 && requested.missing.length === 0;
    if (before !== null && isValid && digestBytes(bytes) === before.revision) {
      return { entity: before, change: 'unchanged' };
    }
    const hidden = await hiddenFiles(reader, writer.access, file, requested);
    const next = await previewEntity(collector, writer.access, file, bytes, requested, hidden);
    if (before === null) checkMay(writer, 'create', type, next);
    else if (next.id !== before.id) throw new ConflictError('The id of an entity cannot change.');
    if (requested.changes.path !== undefined) await checkAlias(writer, next, before, requested);
    const files = referencedFiles(next, type, requested);
    return { before, next, bytes, bodyCheck, requested, version: store.version, files };
  }

  async function write(writer: Writer, { before, next, bytes, files }: PreparedFile): Promise<WrittenEntity> {
    await driver.write(next.key, bytes, { ifRevision: before?.revision ?? null });
    if (before === null) await ledger.drop(next.type, next.id);
    const change = before === null ? 'created' : 'updated';
    return finish(writer, { entity: next, change }, [next.key, ...files]);
  }

  async function finish(
    writer: Writer,
    { entity, change }: WrittenEntity,
    keys: readonly string[],
  ): Promise<WrittenEntity> {
    await reload(deps, keys);
    const written = { entity: store.get(entity.type, entity.id) ?? entity, change };
    const job = deps.onWritten?.(written, keys, writer);
    return job === undefined ? written : { ...written, job };
  }

  /** Throws ConflictError if another entity that the actor sees has the alias. An unseen one keeps it. */
  async function checkAlias(
    { access }: Writer,
    next: Entity,
    before: Entity | null,
    { pointer }: RequestedChanges,
  ): Promise<void> {
    const alias = aliasOf(next);
    if (alias === null || (before !== null && aliasOf(before) === alias)) return;
    const address = addressOf(alias);
    for (const type of store.types.values()) {
      if (!access.fieldVisible(type, 'path')) continue;
      for (const other of store.entities(type.name)) {
        const otherAlias = aliasOf(other);
        if (otherAlias === null || addressOf(otherAlias) !== address) continue;
        if (other.type === next.type && other.id === next.id) continue;
        if (!(await engine.visible(type.name, other.id, access))) continue;
        throw new ConflictError(`${type.name} '${other.id}' already has the alias '${alias}'.`, {
          pointer: pointer(['path']),
        });
      }
    }
  }

  /** Loads an entity to change it. Checks permissions and preconditions. */
  async function load(
    writer: Writer,
    action: 'update' | 'delete',
    type: ResourceType,
    target: Entity,
    when: Preconditions,
  ): Promise<LoadedEntity> {
    const { id } = target;
    const current = await loadCurrent(deps, target);
    if (current === undefined) {
      if (await isGone(reader, writer.access, type, id)) {
        throw new GoneError(`'${id}' was deleted.`);
      }
      throw new NotFoundError(`There is no resource '${id}' of type ${type.name}, or you may not see it.`);
    }
    const { entity } = current;
    checkMay(writer, action, type, entity);
    await checkPreconditions(when, entity, revisionFor(writer, entity), options.requireIfMatch);
    return current;
  }

  function revisionFor({ access }: Writer, entity: Entity): string {
    return reader.fragments.revision({ services: reader, access }, entity);
  }

  function changeDeps({ access }: Writer): ChangeDeps {
    const visible = new Map<string, boolean>();
    const targets = {
      has(type: string, id: string) {
        const key = `${type} ${id}`;
        const isVisible = visible.get(key) ?? engine.visible(type, id, access) === true;
        visible.set(key, isVisible);
        return isVisible;
      },
    };
    return { reader, targets };
  }

  function typeOf({ type: name }: Entity): ResourceType {
    const type = store.types.get(name);
    if (type === undefined) throw new NotFoundError(`The resource type '${name}' was removed.`);
    return type;
  }

  const edit: Edit = async (writer, target, when, read) => {
    const type = typeOf(target);
    checkMayAtAll(writer, 'update', type);
    return save(writer, async (now) => {
      const current = await load(writer, 'update', type, target, when);
      const requested = await read(current.entity, type);
      return prepare(writer, { type, key: current.entity.key, current }, requested, now);
    });
  };

  return {
    async create(writer, type, input, when = NO_PRECONDITIONS) {
      checkMayAtAll(writer, 'create', type);
      return save(writer, async (now) => {
        const existing = input.id === undefined ? undefined : store.get(type.name, input.id);
        if (existing !== undefined) {
          // The tag of an unseen entity stays secret.
          const isVisible = await engine.visible(type.name, existing.id, writer.access);
          const revision = isVisible ? revisionFor(writer, existing) : null;
          await checkPreconditions(when, existing, revision, options.requireIfMatch);
          throw new ConflictError(`There is an entity '${input.id}' already.`, {
            pointer: input.pointer(['id']),
          });
        }
        const read = await readChanges(writer, type, null, input, changeDeps(writer));
        const changes = { ...read.changes, uid: read.changes.uid ?? writer.actor.name };
        const { title, body } = changes as { title?: string; body?: { readonly format?: string } };
        const format = body?.format === 'mdx' ? 'mdx' : 'markdown';
        const entity = { id: input.id, title: title ?? '', format } as const;
        const { key, id } = await placeNewFile(type, entity, { driver, store, ledger }, input);
        return prepare(writer, { type, key, id, current: null }, { ...read, changes }, now);
      });
    },
    update: (writer, target, input, when, mode) =>
      edit(writer, target, when, (entity, type) =>
        readChanges(writer, type, entity, input, changeDeps(writer), mode),
      ),
    relate: (writer, target, name, change, input, when) =>
      edit(writer, target, when, async (entity, type) => {
        const field = type.fields.get(name);
        if (field === undefined) throw new NotFoundError(`${type.name} has no reference '${name}'.`);
        if (!writer.access.fieldWritable(type, name, 'update', entity)) {
          throw new ForbiddenError(`You may not change \`${name}\`.`);
        }
        const changes = await readRelationship(entity, field, change, input, changeDeps(writer));
        return validChanges(changes, input);
      }),
    upload: createUpload(deps, { transact, checkInTurn, edit }),
    async remove(writer, target, when) {
      const type = typeOf(target);
      checkMayAtAll(writer, 'delete', type);
      return transact(writer, async () => {
        const { entity } = await load(writer, 'delete', type, target, when);
        if (options.onDelete === 'restrict') await checkUnreferenced(deps, writer, entity);
        const files = await withoutReferences(deps, writer, entity);
        const { uid } = entity.values;
        const removal = {
          type: type.name,
          id: entity.id,
          at: new Date(deps.now()).toISOString(),
          published: isPublishedAt(entity, deps.now()),
          uid: typeof uid === 'string' ? uid : null,
        };
        await writeAllThen(deps, files, async () => {
          // Before the file is removed, so that the ledger has each removed id.
          await ledger.add(removal);
          try {
            await driver.remove(entity.key, { ifRevision: entity.revision });
          } catch (error) {
            await ledger.drop(type.name, entity.id);
            throw error;
          }
        });
        return finish(writer, { entity, change: 'removed' }, [entity.key, ...files.map(({ key }) => key)]);
      });
    },
  };
}

/** Runs of a command whose body is checked without the lock. */
const MAX_ATTEMPTS = 3;

/** A file that is ready to be written. */
interface PreparedFile {
  /** Null for a new file. */
  readonly before: Entity | null;
  readonly next: Entity;
  readonly bytes: Uint8Array;
  readonly bodyCheck: ReturnType<typeof checkBody>;
  readonly requested: RequestedChanges;
  /** The version of the store. */
  readonly version: number;
  /** Keys of the files that changed fields refer to, which belong to the change. */
  readonly files: readonly string[];
}

function versionOf({ key, revision }: Entity): string {
  return `${key} ${revision}`;
}

const NO_PRECONDITIONS: Preconditions = { ifMatch: null, ifNoneMatch: null };

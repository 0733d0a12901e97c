import { isPublishedAt } from '../access/schedule.ts';
import { addressOf, aliasOf } from '../content/decode/alias.ts';
import type { FieldChanges } from '../content/encode/encode-file.ts';
import { createLedger } from '../content/ledger.ts';
import type { Entity, ResourceType } from '../content/model.ts';
import { mayNameFile } from '../read/content-files.ts';
import { isGone } from '../read/find.ts';
import { entityRevision, serializeField } from '../read/shown.ts';
import { ConflictError, ForbiddenError, GoneError, NotFoundError } from '../util/errors.ts';
import { digestBytes } from '../util/revision.ts';
import { appendedInput, withoutRepeated } from './append.ts';
import { checkBody, checkRendered } from './body.ts';
import { asHeld, type ChangeDeps, type ReadChanges, readChanges, titleMissing } from './change-set.ts';
import { placeNewFile } from './new-file.ts';
import { checkMay, checkMayAtAll } from './permissions.ts';
import { checkPreconditions } from './preconditions.ts';
import { referrersOf, withoutReferences } from './referrers.ts';
import { relatedValue } from './relate.ts';
import { completed, emptied } from './replacement.ts';
import { type ChangedFile, createEncoder, nothingWrong, previewEntity } from './save.ts';
import { current, takeUp, transact, writeAllThen } from './transaction.ts';
import { createUpload } from './upload/create-upload.ts';
import { filesNamed, hiddenFiles } from './upload/files-named.ts';
import type {
  ContentWriter,
  EntityInput,
  Preconditions,
  Writer,
  WriterDeps,
  WrittenEntity,
} from './writer.ts';

/** The commands over the files of a driver. */
export function createContentWriter(deps: WriterDeps): ContentWriter {
  const { driver, collector, store, reader, options } = deps;
  const { engine } = reader;
  const ledger = createLedger(driver);
  const encode = createEncoder(deps);

  /** Changes the file of an entity; `make` says what, of the entity as it is now. */
  async function edit(
    writer: Writer,
    found: Entity,
    when: Preconditions,
    make: (entity: Entity, type: ResourceType) => Promise<ReadChanges>,
  ): Promise<WrittenEntity> {
    const type = typeOf(found);
    checkMayAtAll(writer, 'update', type);
    return transact(deps, writer, async () => {
      const { entity, bytes } = await present(writer, type, found);
      checkMay(writer, 'update', type, entity);
      await checkTag(writer, entity, when);
      const asked = await make(entity, type);
      const { changes } = asked;
      const bodyCheck = checkBody(writer, changes, entity, asked);
      const encoded = encode(bytes, changes, entity.key, entity, asked);
      const isSame = digestBytes(encoded) === entity.revision;
      if (isSame && asked.violations.length === 0 && asked.missing.length === 0)
        return { entity, change: 'unchanged' };
      const file = { type, key: entity.key, present: bytes, bytes: encoded };
      const next = await preview(writer, file, entity, asked);
      await checkAlias(writer, next, entity, asked);
      if (next.id !== entity.id) throw new ConflictError('The id of an entity stays as it is.');
      await checkRendered(deps, bodyCheck, next, asked);
      await driver.write(entity.key, encoded, { ifRevision: entity.revision });
      return finish(writer, { entity: next, change: 'updated' }, [entity.key, ...filesNamed(next, changes)]);
    });
  }

  /** As `previewEntity`, with the files that the actor may not name. */
  async function preview(
    { access }: Writer,
    file: ChangedFile,
    before: Entity | null,
    asked: ReadChanges,
  ): Promise<Entity> {
    const place = { type: file.type, key: file.key, before };
    const hidden = await hiddenFiles(
      (each) => mayNameFile(reader, access, each),
      place,
      asked.changes,
      asked,
    );
    return previewEntity(collector, access, file, asked, hidden);
  }

  /** Throws a 409 if an entity that the actor sees has the alias. An unseen entity keeps its alias without a refusal. */
  async function checkAlias(
    { access }: Writer,
    next: Entity,
    before: Entity | null,
    { changes, pointer }: ReadChanges,
  ): Promise<void> {
    const alias = aliasOf(next);
    if (alias === null || changes.path === undefined || (before !== null && aliasOf(before) === alias))
      return;
    for (const type of store.types.values()) {
      if (!access.fieldVisible(type, 'path')) continue;
      for (const other of store.entities(type.name)) {
        const isSame = other.type === next.type && other.id === next.id;
        const held = isSame ? null : aliasOf(other);
        if (held === null || addressOf(held) !== addressOf(alias)) continue;
        if (!(await engine.visible(type.name, other.id, access))) continue;
        throw new ConflictError(`'${alias}' is the alias of ${type.name} '${other.id}' already.`, {
          pointer: pointer(['path']),
        });
      }
    }
  }

  async function finish(
    writer: Writer,
    { entity, change }: WrittenEntity,
    keys: readonly string[],
  ): Promise<WrittenEntity> {
    await takeUp(deps, keys);
    const written = { entity: store.get(entity.type, entity.id) ?? entity, change };
    const job = deps.onWritten?.(written, keys, writer);
    return job === undefined ? written : { ...written, job };
  }

  async function present(writer: Writer, type: ResourceType, { id }: Entity) {
    const now = await current(deps, type, id);
    if (now !== undefined) return now;
    if (await isGone(reader, writer.access, type, id))
      throw new GoneError(`'${id}' was removed and will not return.`);
    throw new NotFoundError(`There is no resource '${id}' of type ${type.name}, or you may not see it.`);
  }

  async function checkTag(writer: Writer, entity: Entity, when: Preconditions): Promise<void> {
    await checkPreconditions(
      when,
      entity,
      entityRevision(reader, entity, writer.access),
      options.requireIfMatch,
    );
  }

  /** What the actor may refer to. */
  function changeDeps({ access }: Writer): ChangeDeps {
    const seen = new Map<string, boolean>();
    return {
      reader,
      known: {
        has(type, id) {
          const key = `${type} ${id}`;
          const known = seen.get(key) ?? engine.visible(type, id, access) === true;
          seen.set(key, known);
          return known;
        },
      },
    };
  }

  function typeOf({ type }: Entity): ResourceType {
    const found = store.types.get(type);
    if (found === undefined) throw new NotFoundError(`There is no resource type '${type}' any more.`);
    return found;
  }

  return {
    async create(writer, type, input, when = NO_PRECONDITIONS) {
      checkMayAtAll(writer, 'create', type);
      return transact(deps, writer, async () => {
        const taken = input.id === undefined ? undefined : store.get(type.name, input.id);
        if (taken !== undefined) {
          // Of what the actor may not see, no tag is told: that it is there is all that can be known.
          const isSeen = await engine.visible(type.name, taken.id, writer.access);
          const revision = isSeen ? entityRevision(reader, taken, writer.access) : null;
          await checkPreconditions(when, taken, revision, options.requireIfMatch);
          throw new ConflictError(`There is an entity '${input.id}' already.`, {
            pointer: input.pointer(['id']),
          });
        }
        const violations = [...input.violations, ...(hasTitle(input) ? [] : [titleMissing(input)])];
        const asked = await readChanges(writer, type, null, { ...input, violations }, changeDeps(writer));
        const uid = asked.changes.uid ?? writer.actor.name;
        const changes: FieldChanges = { ...asked.changes, uid };
        const bodyCheck = checkBody(writer, changes, null, input);
        const format =
          (changes.body as { readonly format?: string } | undefined)?.format === 'mdx' ? 'mdx' : 'markdown';
        const place = { id: input.id, title: String(changes.title ?? ''), format } as const;
        const { key, id } = await placeNewFile(type, place, { driver, store, ledger }, input);
        const bytes = encode(null, changes, key, null, input, id);
        const file = { type, key, present: null, bytes };
        const entity = await preview(writer, file, null, { ...asked, changes });
        checkMay(writer, 'create', type, entity);
        await checkAlias(writer, entity, null, { ...asked, changes });
        await checkRendered(deps, bodyCheck, entity, input);
        await driver.write(key, bytes, { ifRevision: null });
        await ledger.drop(type.name, entity.id);
        return finish(writer, { entity, change: 'created' }, [key, ...filesNamed(entity, changes)]);
      });
    },
    update: (writer, found, input, when) =>
      edit(writer, found, when, (entity, type) =>
        readChanges(writer, type, entity, input, changeDeps(writer)),
      ),
    replace: (writer, found, input, when) =>
      edit(writer, found, when, async (entity, type) => {
        const violations = [...input.violations, ...(hasTitle(input) ? [] : [titleMissing(input)])];
        const whole = { ...input, violations, values: completed(input.values) };
        const asked = await readChanges(writer, type, entity, whole, changeDeps(writer), 'all of it');
        return { ...asked, changes: { ...emptied(writer, type, entity, input), ...asked.changes } };
      }),
    append: (writer, found, field, input, when) =>
      edit(writer, found, when, async (entity, type) => {
        const definition = type.fields.get(field);
        if (definition === undefined) throw new NotFoundError(`${type.name} has no field '${field}'.`);
        const appended = appendedInput(input, field, await serializeField(reader, entity, definition));
        const asked = await readChanges(writer, type, entity, appended, changeDeps(writer));
        return { ...asked, changes: withoutRepeated(asked.changes, entity, definition) };
      }),
    relate: (writer, found, field, how, input, when) =>
      edit(writer, found, when, async (entity, type) => {
        const definition = type.fields.get(field);
        if (definition === undefined) throw new NotFoundError(`${type.name} has no reference '${field}'.`);
        if (!writer.access.fieldWritable(type, field, 'update', entity))
          throw new ForbiddenError(`You may not change \`${field}\`.`);
        const shown = await serializeField(reader, entity, definition);
        const sent = asHeld(input.values.get(field) ?? null, entity.values[field], shown);
        const asked = { ...input, values: new Map([[field, sent]]) };
        const value = relatedValue(entity, definition, how, asked, changeDeps(writer).known);
        return { ...nothingWrong(input), changes: { [field]: value } };
      }),
    upload: createUpload(deps, edit),
    async remove(writer, found, when) {
      const type = typeOf(found);
      checkMayAtAll(writer, 'delete', type);
      return transact(deps, writer, async () => {
        const { entity } = await present(writer, type, found);
        checkMay(writer, 'delete', type, entity);
        await checkTag(writer, entity, when);
        const referrers = referrersOf(store, entity);
        if (options.onDelete !== 'set-null') await refuseReferrers(writer, referrers, entity);
        const files = await withoutReferences(deps, writer, referrers, entity);
        const { values } = entity;
        const published = isPublishedAt(entity, deps.now());
        const uid = typeof values.uid === 'string' ? values.uid : null;
        const at = new Date(deps.now()).toISOString();
        await writeAllThen(deps, files, async () => {
          // Before the file goes, so that a removed id is always in the ledger.
          await ledger.add({ type: type.name, id: entity.id, at, published, uid });
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

  async function refuseReferrers(
    writer: Writer,
    referrers: readonly Entity[],
    { id }: Entity,
  ): Promise<void> {
    if (referrers.length === 0) return;
    const named: string[] = [];
    for (const referrer of referrers) {
      if (named.length < NAMED && (await engine.visible(referrer.type, referrer.id, writer.access))) {
        named.push(`${referrer.type} '${referrer.id}'`);
      }
    }
    const others = referrers.length > named.length ? ' and others' : '';
    throw new ConflictError(
      `'${id}' is referred to by ${named.length === 0 ? 'other content' : named.join(', ')}${named.length === 0 ? '' : others}. Change these first.`,
    );
  }
}

const NAMED = 10;

function hasTitle({ values }: EntityInput): boolean {
  return values.has('title');
}

const NO_PRECONDITIONS: Preconditions = { ifMatch: null, ifNoneMatch: null };

import { isPublishedAt } from '../access/schedule.ts';
import { addressOf, aliasOf } from '../content/decode/alias.ts';
import { PUBLISH_DATES, UNPUBLISH_DATES } from '../content/decode/publication.ts';
import type { KnownEntities } from '../content/decode/references.ts';
import type { Ledger } from '../content/ledger.ts';
import { type Entity, languageOf, type ResourceType, referenceKey } from '../content/model.ts';
import { USER_TYPE_NAME } from '../content/owner.ts';
import { isUuid } from '../content/resource-type.ts';
import { isGone, visibleEntities } from '../read/find.ts';
import { isVisible } from '../read/translations.ts';
import {
  ConflictError,
  ForbiddenError,
  GoneError,
  InvalidEntityError,
  NotFoundError,
} from '../util/errors.ts';
import { checkBody } from './body.ts';
import { type ChangeDeps, readChanges, readRelationship, validChanges, withoutShared } from './changes.ts';
import { createTakenNames, placeNewFile } from './new-file.ts';
import { placeTranslation, withLanguage } from './new-translation.ts';
import { checkMay, checkMayAtAll, checkMayTranslate } from './permissions.ts';
import { checkPreconditions } from './preconditions.ts';
import { checkUnreferenced, checkUntranslated, clearReferences, entitiesOfFile } from './referrers.ts';
import { encodeChanges, hiddenFiles, previewEntity, referencedFiles } from './save.ts';
import type { StagedFiles } from './staged-files.ts';
import { type LoadedEntity, loadCurrent } from './transaction.ts';
import type {
  Content,
  Edit,
  ErrorPlace,
  Preconditions,
  RequestedChanges,
  StagedChange,
  StagedCommands,
  Writer,
  WriterOptions,
} from './writer.ts';

export interface CommandDeps extends Content {
  readonly driver: StagedFiles;
  readonly ledger: Ledger;
  readonly options: WriterOptions;
  /** The time of the request, milliseconds since the Unix epoch. */
  readonly now: number;
  /** `meta.revision` of an entity before the request; null if it did not exist. */
  revisionBefore(entity: Entity): string | null;
  /** Entities that exist for this request only, because a later operation creates them. */
  readonly expected: KnownEntities;
}

/** The commands over one state of the content. They check a change and stage its files. */
export function createCommands(deps: CommandDeps): StagedCommands & { readonly edit: Edit<StagedChange> } {
  const { driver, collector, store, reader, ledger, options, now, revisionBefore, expected } = deps;
  const names = createTakenNames(store);

  const save: StagedCommands['save'] = async (writer, file, requested, text) => {
    const { type, current, source } = file;
    const before = current?.entity ?? null;
    const check = checkBody(writer, requested.changes, before, requested);
    const encoded = text ?? encodeChanges(collector, file, requested, now);
    const isValid = requested.violations.length === 0 && requested.missing.length === 0;
    if (before !== null && isValid && encoded.parsed.digest === before.revision) {
      return { entity: before, change: 'unchanged', keys: [] };
    }
    const hidden = await hiddenFiles(reader, writer.access, file, requested);
    const next = await previewEntity(collector, writer.access, file, encoded, requested, hidden);
    if (before === null) checkMay(writer, 'create', type, next);
    const same = before ?? source ?? next;
    if (next.id !== same.id) throw new ConflictError('The id of an entity cannot change.');
    if (before !== null) checkLanguage(next, before, requested);
    checkSchedule(next, requested);
    if (requested.changes.path !== undefined) await checkAlias(writer, next, before, requested);
    const files = referencedFiles(next, type, requested);
    await driver.write(next.key, encoded, { ifRevision: before?.revision ?? null });
    if (before === null && source === undefined) await ledger.drop(next.type, next.id);
    return {
      entity: next,
      change: before === null ? 'created' : 'updated',
      keys: [next.key, ...files],
      ...(check !== 'none' && { body: { check, input: requested, stored: before } }),
    };
  };

  /** Throws ConflictError if a translation gets another language, or a source that of a translation. */
  function checkLanguage(next: Entity, before: Entity, { pointer }: RequestedChanges): void {
    const language = languageOf(next);
    if (language === languageOf(before)) return;
    const detail =
      before.translation === undefined
        ? store.get(next.type, next.id, language) && `'${next.id}' exists in '${language}' already.`
        : 'The language of a translation cannot change.';
    if (detail !== undefined) throw new ConflictError(detail, { pointer: pointer(['langcode']) });
  }

  /**
   * Throws ConflictError if another entity that the actor sees has the alias, as a source or in the same language. An unseen
   * one keeps it.
   */
  async function checkAlias(
    { access }: Writer,
    next: Entity,
    before: Entity | null,
    { pointer }: ErrorPlace,
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
        if (other.translation !== next.translation) continue;
        if (!(await isVisible({ services: reader, access }, other))) continue;
        const detail = `${type.name} '${other.id}' already has the alias '${alias}'.`;
        const meta = { type: type.name, id: other.id, alias };
        throw new ConflictError(detail, { pointer: pointer(['path']) }, { code: 'alias-taken', meta });
      }
    }
  }

  /** Throws InvalidEntityError if a changed date ends the publication before it begins. */
  function checkSchedule({ schedule }: Entity, { changes, pointer }: RequestedChanges): void {
    const { from = null, until = null } = schedule ?? {};
    const date = [...UNPUBLISH_DATES, ...PUBLISH_DATES].find((name) => Object.hasOwn(changes, name));
    if (!date || from === null || until === null || Date.parse(until) > Date.parse(from)) return;
    const detail = `The publication would end at ${until}, before it begins at ${from}.`;
    const source = { pointer: pointer([date]) };
    throw new InvalidEntityError([{ detail, source, code: 'ends-before-it-begins' }]);
  }

  /** Loads an entity as it is now. */
  async function loadTarget(writer: Writer, type: ResourceType, target: Entity): Promise<LoadedEntity> {
    const current = await loadCurrent(deps, target);
    if (current !== undefined) return current;
    const { id } = target;
    if (await isGone(reader, writer.access, type, id)) throw new GoneError(`'${id}' was deleted.`);
    throw new NotFoundError(`There is no resource '${id}' of type ${type.name}, or you may not see it.`);
  }

  /** Loads an entity to change it. Checks permissions and preconditions. */
  async function load(
    writer: Writer,
    action: 'update' | 'delete',
    type: ResourceType,
    target: Entity,
    when: Preconditions,
  ): Promise<LoadedEntity> {
    const current = await loadTarget(writer, type, target);
    const { entity } = current;
    checkMay(writer, action, type, entity);
    const revision = revisionBefore(entity);
    await checkPreconditions(when, entity, revision, options.requireIfMatch && revision !== null);
    return current;
  }

  function changeDeps({ access }: Writer): ChangeDeps {
    const visible = new Map<string, boolean>();
    const known = visibleEntities(reader, access);
    const targets = {
      has(type: string, id: string) {
        const key = referenceKey({ type, id });
        const isVisible = visible.get(key) ?? known.has(type, id);
        visible.set(key, isVisible);
        return isVisible || expected.has(type, id);
      },
    };
    return { reader, targets };
  }

  function typeOf({ type: name }: Entity): ResourceType {
    const type = store.types.get(name);
    if (type === undefined) throw new NotFoundError(`The resource type '${name}' was removed.`);
    return type;
  }

  /** Throws ConflictError if entities refer to removed ones, unless these were created again. */
  async function checkStaysUnreferenced(writer: Writer, removed: readonly Entity[]): Promise<void> {
    const missing: Entity[] = [];
    for (const each of removed) {
      const present = store.get(each.type, each.id);
      if (present === undefined || (await driver.stat(present.key)) === undefined) missing.push(each);
    }
    await checkUnreferenced(deps, writer, missing);
  }

  const edit: Edit<StagedChange> = async (writer, target, when, readChange) => {
    const type = typeOf(target);
    checkMayAtAll(writer, 'update', type);
    const current = await load(writer, 'update', type, target, when);
    const { entity } = current;
    const read = await readChange(entity, type);
    const requested = entity.translation === undefined ? read : withoutShared(read, type, entity);
    return save(writer, { type, key: entity.key, current }, requested);
  };

  return {
    edit,
    save,
    checkAlias,
    async create(writer, type, input, when = NO_PRECONDITIONS) {
      checkMayAtAll(writer, 'create', type);
      if (type.name === USER_TYPE_NAME && input.id !== undefined && !isUuid(input.id)) {
        const source = { pointer: input.pointer(['id']) };
        throw new InvalidEntityError([{ detail: 'The id of a user is a UUID. Leave it out.', source }]);
      }
      const existing = input.id === undefined ? undefined : store.get(type.name, input.id);
      if (existing !== undefined) {
        // The tag of an unseen entity stays secret.
        const isVisible = (await reader.engine.find(type.name, existing.id, writer.access)) !== undefined;
        const revision = isVisible ? revisionBefore(existing) : null;
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
      const { key, id } = await placeNewFile(type, entity, { driver, reader, ledger, names }, input);
      return save(writer, { type, key, id, current: null }, { ...read, changes });
    },
    async translate(writer, target, language, input) {
      const { languages } = reader.settings;
      const type = typeOf(target);
      if (languages === undefined) throw new ConflictError('The site has one language.');
      const { entity: source } = await loadTarget(writer, type, target);
      checkMayTranslate(writer, type, source, language);
      const isTranslated = store.get(type.name, source.id, language) !== undefined;
      if (isTranslated || languageOf(source) === language) {
        throw new ConflictError(`'${source.id}' exists in '${language}' already.`);
      }
      const read = await readChanges(writer, type, null, input, changeDeps(writer));
      const { title } = read.changes as { title?: string };
      const translation = { source, language, title: title ?? '' };
      const file = await placeTranslation(translation, { driver, store, languages });
      const requested = withoutShared(withLanguage(read, language, file, languages), type, source);
      return save(writer, { type, ...file, source, current: null }, requested);
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
    async remove(writer, target, when) {
      const type = typeOf(target);
      checkMayAtAll(writer, 'delete', type);
      const { entity, bytes } = await load(writer, 'delete', type, target, when);
      const { key, revision } = entity;
      if (entity.translation !== undefined) {
        await driver.remove(key, { ifRevision: revision });
        return { entity, change: 'removed', keys: [key], bytes };
      }
      const all = entitiesOfFile(store, entity);
      for (const each of all) await checkUntranslated(deps, writer, each);
      const isRestricted = options.onDelete === 'restrict';
      const cleared = isRestricted ? [] : await clearReferences(deps, writer, all);
      const uid = typeof entity.values.uid === 'string' ? entity.values.uid : null;
      const at = new Date(now).toISOString();
      await ledger.add([{ type: type.name, id: entity.id, at, published: isPublishedAt(entity, now), uid }]);
      await driver.remove(key, { ifRevision: revision });
      names.forget(type.name);
      return {
        entity,
        change: 'removed',
        keys: [key, ...cleared],
        bytes,
        ...(isRestricted && { finalCheck: () => checkStaysUnreferenced(writer, all) }),
      };
    },
  };
}

const NO_PRECONDITIONS: Preconditions = { ifMatch: null, ifNoneMatch: null };

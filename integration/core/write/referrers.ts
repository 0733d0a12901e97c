import type { EncodedFile } from '../content/encode/encode-file.ts';
import type { Entity, FieldValue, Reference, ResourceType } from '../content/model.ts';
import type { EntityStore } from '../engine/store/entity-store.ts';
import { isVisible } from '../read/translations.ts';
import { ConflictError, DomainError } from '../util/errors.ts';
import { errorMessage } from '../util/text.ts';
import { validChanges } from './changes.ts';
import { encodeChanges, previewEntity } from './save.ts';
import type { StagedFiles } from './staged-files.ts';
import { loadCurrent } from './transaction.ts';
import type { Content, Writer } from './writer.ts';

/** Referrers in an error message. */
const MAX_NAMED = 10;

/** Throws a `bad-request` error if an entity has translations. The message names only those that the actor may see. */
export async function checkUntranslated(
  { store, reader }: Pick<Content, 'store' | 'reader'>,
  { access }: Writer,
  { type, id }: Entity,
): Promise<void> {
  const languages: string[] = [];
  let count = 0;
  for (const entity of store.translations(type, id)) {
    const { translation } = entity;
    if (translation === undefined) continue;
    count += 1;
    if (await isVisible({ services: reader, access }, entity)) languages.push(`'${translation}'`);
  }
  if (count === 0) return;
  const others = count > languages.length ? ' and others' : '';
  const list = languages.length === 0 ? 'other languages' : languages.join(', ') + others;
  throw new DomainError('bad-request', `'${id}' has translations into ${list}. Delete these first.`);
}

/** Throws ConflictError if other entities refer to this one. The message names only entities that the actor may see. */
export async function checkUnreferenced(
  { store, reader }: Pick<Content, 'store' | 'reader'>,
  { access }: Writer,
  target: Entity,
): Promise<void> {
  const referrers = referrersOf(store, target);
  if (referrers.length === 0) return;
  const names: string[] = [];
  for (const referrer of referrers) {
    if (names.length === MAX_NAMED) break;
    if (await isVisible({ services: reader, access }, referrer)) names.push(nameOf(referrer));
  }
  const others = referrers.length > names.length ? ' and others' : '';
  const list = names.length === 0 ? 'other content' : names.join(', ') + others;
  throw new ConflictError(`'${target.id}' is referenced by ${list}. Change these entities first.`);
}

/**
 * Removes the references to an entity from the files of all its referrers, and returns their keys. Throws ConflictError if
 * a schema requires one of the references.
 */
export async function clearReferences(
  deps: Content & { readonly driver: StagedFiles; readonly now: number },
  { access }: Writer,
  target: Entity,
): Promise<readonly string[]> {
  const { collector, store, reader, driver, now } = deps;
  const keys: string[] = [];
  for (const referrer of referrersOf(store, target)) {
    const type = store.types.get(referrer.type);
    const current = await loadCurrent(deps, referrer);
    if (type === undefined || current === undefined) continue;
    const { entity } = current;
    const { key } = entity;
    const cleared = referenceFields(type, target, fileKind(entity))
      .filter((name) => refersTo(entity.values[name], target))
      .map((name) => [name, withoutTarget(entity.values[name], target)] as const);
    const file = { type, key, current };
    const changes = validChanges(Object.fromEntries(cleared), NO_REQUEST);
    let encoded: EncodedFile;
    try {
      encoded = encodeChanges(collector, file, changes, now);
      await previewEntity(collector, access, file, encoded, changes);
    } catch (error) {
      const isNamed = await isVisible({ services: reader, access }, entity);
      const name = isNamed ? nameOf(referrer) : 'other content';
      const reason = isNamed ? `: ${errorMessage(error)}` : '.';
      throw new ConflictError(`'${target.id}' is referenced by ${name}, which requires it${reason}`);
    }
    await driver.write(key, encoded, { ifRevision: entity.revision });
    keys.push(key);
  }
  return keys;
}

/** No client sent these changes, so errors have no pointer. */
const NO_REQUEST = { pointer: () => '' };

function nameOf({ type, id, translation }: Entity): string {
  return `${type} '${id}'${translation === undefined ? '' : ` in '${translation}'`}`;
}

/** The fields of other entities that refer to this one, with their values. */
export function referencesTo(store: EntityStore, target: Entity): readonly ReferringField[] {
  return referrersOf(store, target).flatMap((entity) => {
    const type = store.types.get(entity.type);
    const fields = type === undefined ? [] : referenceFields(type, target, fileKind(entity));
    return fields
      .map((field) => ({ entity, field, value: entity.values[field] ?? null }))
      .filter(({ value }) => refersTo(value, target));
  });
}

export interface ReferringField {
  readonly entity: Entity;
  readonly field: string;
  readonly value: FieldValue;
}

function fileKind({ translation }: Entity): 'source' | 'translation' {
  return translation === undefined ? 'source' : 'translation';
}

/** The other entities that refer to this one, each in every language in which it does. */
function referrersOf(store: EntityStore, target: Entity): readonly Entity[] {
  return [...store.types.values()].flatMap((type) => {
    const own = referenceFields(type, target, 'source');
    const translated = referenceFields(type, target, 'translation');
    if (own.length === 0) return [];
    return store
      .entities(type.name)
      .filter(
        ({ id, translation, values }) =>
          !(type.name === target.type && id === target.id) &&
          (translation === undefined ? own : translated).some((name) => refersTo(values[name], target)),
      );
  });
}

/** The fields in a file of this kind that can refer to the target. */
function referenceFields(
  { fields }: ResourceType,
  { type }: Entity,
  file: 'source' | 'translation',
): readonly string[] {
  return [...fields.values()]
    .filter(({ kind, targets }) => kind === 'reference' && targets.includes(type))
    .filter(({ untranslated }) => file === 'source' || untranslated !== true)
    .map(({ name }) => name);
}

function refersTo(value: FieldValue | undefined, target: Entity): boolean {
  return ([value ?? null].flat() as readonly (Reference | null)[]).some((each) =>
    isReferenceTo(each, target),
  );
}

/** The value of a field without its references to an entity. */
export function withoutTarget(value: FieldValue | undefined, target: Entity): FieldValue {
  return Array.isArray(value) ? value.filter((each) => !isReferenceTo(each as Reference, target)) : null;
}

function isReferenceTo(reference: Reference | null, { type, id }: Entity): boolean {
  return reference?.type === type && reference.id === id;
}

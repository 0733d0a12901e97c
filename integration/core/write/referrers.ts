import type { Access } from '../access/access.ts';
import type { EncodedFile } from '../content/encode/encode-file.ts';
import type { Entity, FieldDefinition, FieldValue, Reference, ResourceType } from '../content/model.ts';
import type { EntityStore } from '../engine/store/entity-store.ts';
import { isVisible } from '../read/translations.ts';
import { fileOfKey } from '../storage/key.ts';
import { ConflictError, DomainError } from '../util/errors.ts';
import { errorMessage } from '../util/text.ts';
import { validChanges } from './changes.ts';
import { encodeChanges, previewEntity } from './save.ts';
import type { StagedFiles } from './staged-files.ts';
import { loadCurrent } from './transaction.ts';
import type { Content, Writer } from './writer.ts';

/** Referrers in an error message. */
const MAX_NAMED = 10;

/** The entities of a file, which several collections can have, this one first. */
export function entitiesOfFile(store: EntityStore, entity: Entity): readonly Entity[] {
  const file = fileOfKey(entity.key);
  const isOther = ({ key }: Entity) => key !== entity.key && fileOfKey(key) === file;
  return [entity, ...[...store.types.keys()].flatMap((type) => store.entities(type).filter(isOther))];
}

/** Throws a `bad-request` error if an entity has translations. The error names only those that the actor may see. */
export async function checkUntranslated(deps: Deps, { access }: Writer, { type, id }: Entity): Promise<void> {
  const all = deps.store.translations(type, id).filter(({ translation }) => translation !== undefined);
  if (all.length === 0) return;
  const { visible, list } = await name(deps, access, all, ({ translation }) => `'${translation}'`);
  const detail = `'${id}' has translations into ${list || 'other languages'}. Delete these first.`;
  const meta = { languages: visible.map(({ translation = null }) => translation) };
  throw new DomainError('bad-request', detail, { code: 'has-translations', meta });
}

/** Throws ConflictError if other entities refer to these ones. The error names only entities that the actor may see. */
export async function checkUnreferenced(deps: Deps, { access }: Writer, targets: readonly Entity[]) {
  const all = referrersOf(deps.store, targets);
  if (all.length === 0) return;
  const { visible, list } = await name(deps, access, all, nameOf);
  const detail = `'${targets[0]?.id}' is referenced by ${list || 'other content'}. Change these entities first.`;
  const [entity, ...referrers] = [...targets.slice(0, 1), ...visible].map(({ type, id }) => ({ type, id }));
  const meta = { entity: entity ?? null, referrers, others: all.length > visible.length };
  throw new ConflictError(detail, undefined, { code: 'is-referenced', meta });
}

type Deps = Pick<Content, 'store' | 'reader'>;

/** The first entities that the actor may see, and a list of their names, which is empty without any. */
async function name(
  { reader }: Deps,
  access: Access,
  all: readonly Entity[],
  nameOf: (entity: Entity) => string,
) {
  const visible: Entity[] = [];
  for (const entity of all) {
    if (visible.length === MAX_NAMED) break;
    if (await isVisible({ services: reader, access }, entity)) visible.push(entity);
  }
  const names = visible.map(nameOf).join(', ');
  return { visible, list: names !== '' && all.length > visible.length ? `${names} and others` : names };
}

/**
 * Removes the references to the entities of a file from the files of all their referrers, and returns their keys. Throws
 * ConflictError if a schema requires one of the references.
 */
export async function clearReferences(
  deps: Content & { readonly driver: StagedFiles; readonly now: number },
  { access }: Writer,
  targets: readonly Entity[],
): Promise<readonly string[]> {
  const { collector, store, reader, driver, now } = deps;
  const keys: string[] = [];
  const written = new Map<string, EncodedFile>();
  for (const referrer of referrersOf(store, targets)) {
    const type = store.types.get(referrer.type);
    // Another entity of the file can refer to the targets too.
    const former = written.get(fileOfKey(referrer.key));
    const current = former ? { ...former, entity: referrer } : await loadCurrent(deps, referrer);
    if (type === undefined || current === undefined) continue;
    const { entity } = current;
    const { key } = entity;
    const cleared = referringFields(type, entity, targets).map(
      (name) => [name, withoutTargets(entity.values[name], targets)] as const,
    );
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
      throw new ConflictError(`'${targets[0]?.id}' is referenced by ${name}, which requires it${reason}`);
    }
    await driver.write(key, encoded, { ifRevision: former?.parsed.digest ?? entity.revision });
    written.set(fileOfKey(key), encoded);
    keys.push(key);
  }
  return keys;
}

/** No client sent these changes, so errors have no pointer. */
const NO_REQUEST = { pointer: () => '' };

function nameOf({ type, id, translation }: Entity): string {
  return `${type} '${id}'${translation === undefined ? '' : ` in '${translation}'`}`;
}

/** The fields of other entities that refer to these ones, with their values. */
export function referencesTo(store: EntityStore, targets: readonly Entity[]): readonly ReferringField[] {
  return referrersOf(store, targets).flatMap((entity) => {
    const type = store.types.get(entity.type);
    const fields = type === undefined ? [] : referringFields(type, entity, targets);
    return fields.map((field) => ({ entity, field, value: entity.values[field] ?? null }));
  });
}

export interface ReferringField {
  readonly entity: Entity;
  readonly field: string;
  readonly value: FieldValue;
}

/** The other entities that refer to these ones, each in every language in which it does. */
function referrersOf(store: EntityStore, targets: readonly Entity[]): readonly Entity[] {
  return [...store.types.values()].flatMap((type) => {
    if (referenceFields(type, targets).length === 0) return [];
    const isReferrer = (entity: Entity) => referringFields(type, entity, targets).length > 0;
    return store.entities(type.name).filter((each) => !isReferenceTo(each, targets) && isReferrer(each));
  });
}

/** The fields of an entity that refer to the targets. */
function referringFields(
  type: ResourceType,
  { translation, values }: Entity,
  targets: readonly Entity[],
): readonly string[] {
  return referenceFields(type, targets)
    .filter(({ untranslated }) => translation === undefined || untranslated !== true)
    .map(({ name }) => name)
    .filter((name) =>
      [values[name] ?? null].flat().some((each) => isReferenceTo(each as Reference, targets)),
    );
}

/** The fields that can refer to the targets. */
function referenceFields({ fields }: ResourceType, targets: readonly Entity[]): readonly FieldDefinition[] {
  return [...fields.values()].filter(
    (field) => field.kind === 'reference' && targets.some(({ type }) => field.targets.includes(type)),
  );
}

/** The value of a field without its references to these entities. */
export function withoutTargets(value: FieldValue | undefined, targets: readonly Entity[]): FieldValue {
  return Array.isArray(value) ? value.filter((each) => !isReferenceTo(each as Reference, targets)) : null;
}

function isReferenceTo(reference: Reference | null, targets: readonly Entity[]): boolean {
  return targets.some(({ type, id }) => reference?.type === type && reference.id === id);
}

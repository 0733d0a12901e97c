import type { Entity, FieldValue, Reference, ResourceType } from '../content/model.ts';
import type { EntityStore } from '../engine/store/entity-store.ts';
import { ConflictError } from '../util/errors.ts';
import { errorMessage } from '../util/text.ts';
import { validChanges } from './changes.ts';
import { encodeChanges, previewEntity } from './save.ts';
import { type FileChange, loadCurrent } from './transaction.ts';
import type { Writer, WriterDeps } from './writer.ts';

/** Referrers in an error message. */
const MAX_NAMED = 10;

/** Throws ConflictError if other entities refer to this one. The message names only entities that the actor may see. */
export async function checkUnreferenced(
  { store, reader }: WriterDeps,
  { access }: Writer,
  target: Entity,
): Promise<void> {
  const referrers = referrersOf(store, target);
  if (referrers.length === 0) return;
  const names: string[] = [];
  for (const { type, id } of referrers) {
    if (names.length === MAX_NAMED) break;
    if (await reader.engine.visible(type, id, access)) names.push(`${type} '${id}'`);
  }
  const others = referrers.length > names.length ? ' and others' : '';
  const list = names.length === 0 ? 'other content' : names.join(', ') + others;
  throw new ConflictError(`'${target.id}' is referenced by ${list}. Change these entities first.`);
}

/**
 * The files of all referrers without their references to an entity. Throws ConflictError if a schema requires one of the
 * references.
 */
export async function withoutReferences(
  deps: WriterDeps,
  { access }: Writer,
  target: Entity,
): Promise<readonly FileChange[]> {
  const { collector, store, reader } = deps;
  const files: FileChange[] = [];
  for (const referrer of referrersOf(store, target)) {
    const type = store.types.get(referrer.type);
    const current = await loadCurrent(deps, referrer);
    if (type === undefined || current === undefined) continue;
    const { entity, bytes: before } = current;
    const { key } = entity;
    const cleared = referenceFields(type, target)
      .filter((name) => refersTo(entity.values[name], target))
      .map((name) => [name, withoutTarget(entity.values[name], target)] as const);
    const file = { type, key, current };
    const changes = validChanges(Object.fromEntries(cleared), NO_REQUEST);
    try {
      const bytes = encodeChanges(collector, file, changes, deps.now());
      await previewEntity(collector, access, file, bytes, changes);
      files.push({ key, before, bytes });
    } catch (error) {
      const isVisible = await reader.engine.visible(referrer.type, referrer.id, access);
      const name = isVisible ? `${referrer.type} '${referrer.id}'` : 'other content';
      const reason = isVisible ? `: ${errorMessage(error)}` : '.';
      throw new ConflictError(`'${target.id}' is referenced by ${name}, which requires it${reason}`);
    }
  }
  return files;
}

/** No client sent these changes, so errors have no pointer. */
const NO_REQUEST = { pointer: () => '' };

/** The other entities that refer to this one. */
function referrersOf(store: EntityStore, target: Entity): readonly Entity[] {
  return [...store.types.values()].flatMap((type) => {
    const names = referenceFields(type, target);
    if (names.length === 0) return [];
    return store
      .entities(type.name)
      .filter(
        ({ id, values }) =>
          !(type.name === target.type && id === target.id) &&
          names.some((name) => refersTo(values[name], target)),
      );
  });
}

function referenceFields({ fields }: ResourceType, { type }: Entity): readonly string[] {
  return [...fields.values()]
    .filter(({ kind, targets }) => kind === 'reference' && targets.includes(type))
    .map(({ name }) => name);
}

function refersTo(value: FieldValue | undefined, target: Entity): boolean {
  return ([value ?? null].flat() as readonly (Reference | null)[]).some((each) =>
    isReferenceTo(each, target),
  );
}

function withoutTarget(value: FieldValue | undefined, target: Entity): FieldValue {
  return Array.isArray(value) ? value.filter((each) => !isReferenceTo(each as Reference, target)) : null;
}

function isReferenceTo(reference: Reference | null, { type, id }: Entity): boolean {
  return reference?.type === type && reference.id === id;
}

import type { Entity, FieldValue, Reference, ResourceType } from '../content/model.ts';
import type { EntityStore } from '../engine/store/entity-store.ts';
import { ConflictError } from '../util/errors.ts';
import { errorMessage } from '../util/text.ts';
import { createEncoder, nothingWrong, previewEntity } from './save.ts';
import { current, type FileChange } from './transaction.ts';
import type { Writer, WriterDeps } from './writer.ts';

/** The other entities that have a reference to this one. */
export function referrersOf(store: EntityStore, target: Entity): readonly Entity[] {
  const found: Entity[] = [];
  for (const type of store.types.values()) {
    const names = referenceFields(type, target);
    if (names.length === 0) continue;
    for (const entity of store.entities(type.name)) {
      const refers = names.some((name) => refersTo(entity.values[name], target));
      if (refers && !(entity.type === target.type && entity.id === target.id)) found.push(entity);
    }
  }
  return found;
}

/**
 * The files of the referrers without their references to an entity. Throws ConflictError if a schema requires one of
 * them; the message names only entities that the actor may see.
 */
export async function withoutReferences(
  deps: WriterDeps,
  { access }: Pick<Writer, 'access'>,
  referrers: readonly Entity[],
  target: Entity,
): Promise<readonly FileChange[]> {
  const encode = createEncoder(deps);
  const files: FileChange[] = [];
  for (const { type: name, id } of referrers) {
    const type = deps.store.types.get(name);
    const found = type && (await current(deps, type, id));
    if (type === undefined || found === undefined) continue;
    const { entity } = found;
    const changes: Record<string, FieldValue> = Object.create(null);
    for (const field of referenceFields(type, target)) {
      const value = entity.values[field];
      if (refersTo(value, target)) changes[field] = without(value, target);
    }
    let bytes: Uint8Array;
    try {
      bytes = encode(found.bytes, changes, entity.key, entity, NOWHERE);
      await previewEntity(
        deps.collector,
        access,
        { type, key: entity.key, present: found.bytes, bytes },
        nothingWrong(NOWHERE),
      );
    } catch (error) {
      const reason = errorMessage(error);
      const isSeen = await deps.reader.engine.visible(name, id, access);
      const who = isSeen ? `${name} '${id}', which needs it: ${reason}` : 'other content, which needs it.';
      throw new ConflictError(`'${target.id}' is referred to by ${who}`);
    }
    files.push({ key: entity.key, before: found.bytes, bytes });
  }
  return files;
}

/** No client sent this change, so errors have no pointer. */
const NOWHERE = { pointer: () => '' };

function referenceFields({ fields }: ResourceType, { type }: Entity): readonly string[] {
  return [...fields.values()]
    .filter(({ kind, targets }) => kind === 'reference' && targets.includes(type))
    .map(({ name }) => name);
}

function refersTo(value: FieldValue | undefined, target: Entity): boolean {
  return ([value ?? null].flat() as readonly (Reference | null)[]).some((each) => isTo(each, target));
}

function without(value: FieldValue | undefined, target: Entity): FieldValue {
  return Array.isArray(value) ? value.filter((each) => !isTo(each as Reference, target)) : null;
}

function isTo(reference: Reference | null, { type, id }: Entity): boolean {
  return reference?.type === type && reference.id === id;
}

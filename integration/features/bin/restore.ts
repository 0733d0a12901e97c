import { dequal } from 'dequal';
import { addressOf, aliasOf } from '../../core/content/decode/alias.ts';
import type { Entity, Reference } from '../../core/content/model.ts';
import { isVisible } from '../../core/read/translations.ts';
import { isError } from '../../core/source/diagnostic.ts';
import { ConflictError, ForbiddenError, InvalidEntityError } from '../../core/util/errors.ts';
import type { Operation, OperationContent, StagedChange } from '../../core/write/writer.ts';
import { type BinEntry, entityOf, keyInBin, type Referrer, removeFromBin } from './entries.ts';

/** Moves the file of an entry back to its place. */
export function restore(entry: BinEntry): Operation {
  return operation(async ({ files, collector, reader, writer, ledger }) => {
    const { title, key, type, id } = entry;
    const bytes = await files.read(keyInBin(entry));
    if (bytes === undefined) throw new ConflictError(`The file of '${title}' is not in the bin any more.`);
    if ((await files.stat(key)) !== undefined) {
      throw new ConflictError(
        `'${title}' cannot be restored, because there is a file '${key}' again.`,
        undefined,
        { code: 'file-exists', meta: { title, file: key } },
      );
    }
    const { entity, problems } = await collector.preview(key, bytes);
    const [first, ...others] = problems.filter(isError).map(({ message, line }) => ({
      detail: `'${title}' does not fit the present content. Line ${line}: ${message}`,
      source: {},
    }));
    if (first !== undefined) throw new InvalidEntityError([first, ...others]);
    if (entity === null) throw new Error(`The preview of ${key} has neither an entity nor an error.`);
    if (reader.store.types.has(entity.type) && !writer.access.allows('delete', entity)) {
      throw new ForbiddenError(`You may not restore '${title}'.`);
    }
    await checkAlias(entity, { title, reader, writer });
    await files.write(key, bytes, { ifRevision: null });
    if (entry.translation === undefined) await ledger.drop(type, id);
    return { entity, change: 'created', keys: [key, ...(await removeFromBin(files, entry))] };
  });
}

/** Throws ConflictError if an entity that the actor sees has got the address of the entry meanwhile. */
async function checkAlias(
  entity: Entity,
  { title, reader, writer }: { title: string } & Pick<OperationContent, 'reader' | 'writer'>,
): Promise<void> {
  const { store } = reader;
  const { access } = writer;
  const alias = aliasOf(entity);
  if (alias === null) return;
  for (const type of store.types.values()) {
    if (!access.fieldVisible(type, 'path')) continue;
    for (const other of store.entities(type.name)) {
      const present = aliasOf(other);
      if (present === null || addressOf(present) !== addressOf(alias)) continue;
      if (other.type === entity.type && other.id === entity.id) continue;
      if (other.translation !== entity.translation) continue;
      if (!(await isVisible({ services: reader, access }, other))) continue;
      const name = access.fieldVisible(type, 'title') ? other.values.title : null;
      throw new ConflictError(
        `'${title}' cannot be restored, because '${typeof name === 'string' ? name : other.id}' has its address '${alias}' now. Give that entry another address first.`,
        undefined,
        { code: 'restored-alias-taken', meta: { title, alias, type: other.type, id: other.id } },
      );
    }
  }
}

/**
 * Adds a reference to a restored entry again, if its field has not changed since the deletion and the actor may change it.
 */
export function reconnect(entry: Reference, referrer: Referrer): Operation {
  return operation(async ({ reader: { store }, writer, commands }) => {
    const { field, before, after } = referrer;
    const restored = store.get(entry.type, entry.id);
    const entity = store.get(referrer.type, referrer.id, referrer.translation);
    const type = store.types.get(referrer.type);
    if (restored === undefined) throw new Error(`The entry '${entry.id}' is not restored.`);
    const mayChange =
      entity !== undefined &&
      type?.fields.has(field) === true &&
      dequal(entity.values[field] ?? null, after) &&
      writer.access.allows('update', entity) &&
      writer.access.fieldWritable(type, field, 'update', entity);
    if (!mayChange) return { entity: restored, change: 'unchanged', keys: [] };
    const input = { id: undefined, values: new Map([[field, before]]), violations: [], pointer: () => '' };
    return commands.update(writer, entity, input, { ifMatch: '*', ifNoneMatch: null });
  });
}

/** Removes an entry for good. */
export function purge(entry: BinEntry): Operation {
  return operation(async ({ files }) => {
    return { entity: entityOf(entry), change: 'unchanged', keys: await removeFromBin(files, entry) };
  });
}

function operation(run: (content: OperationContent) => Promise<StagedChange>): Operation {
  return { run, locate: (error) => error };
}

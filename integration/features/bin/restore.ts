import { dequal } from 'dequal';
import type { Reference } from '../../core/content/model.ts';
import { isError } from '../../core/source/diagnostic.ts';
import { ConflictError, ForbiddenError, InvalidEntityError } from '../../core/util/errors.ts';
import type { Operation } from '../../core/write/writer.ts';
import { type BinEntry, entityOf, keyInBin, type Referrer, removeFromBin } from './entries.ts';

/** Moves the file of an entry back to its place. */
export function restore(entry: BinEntry): Operation {
  const run: Operation['run'] = async ({ files, collector, reader, writer, commands, ledger }) => {
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
    await commands.checkAlias(writer, entity, null, { pointer: () => '' });
    await files.write(key, bytes, { ifRevision: null });
    if (entry.translation === undefined) await ledger.drop(type, id);
    return { entity, change: 'created', keys: [key, ...(await removeFromBin(files, entry))] };
  };
  return { run };
}

/**
 * Adds a reference to a restored entry again, if its field has not changed since the deletion and the actor may change it.
 */
export function reconnect(entry: Reference, referrer: Referrer): Operation {
  const run: Operation['run'] = async ({ reader: { store }, writer, commands }) => {
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
  };
  return { run };
}

/** Removes an entry for good. */
export function purge(entry: BinEntry): Operation {
  const run: Operation['run'] = async ({ files }) => {
    return { entity: entityOf(entry), change: 'unchanged', keys: await removeFromBin(files, entry) };
  };
  return { run };
}

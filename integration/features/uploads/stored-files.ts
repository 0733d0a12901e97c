import { allowsEverything } from '../../core/access/access.ts';
import { CROP_SUFFIX } from '../../core/content/file-location.ts';
import { shortTypeName } from '../../core/content/resource-type.ts';
import type { EntityStore } from '../../core/engine/store/entity-store.ts';
import { isReferencedFile } from '../../core/read/content-files.ts';
import type { Reader } from '../../core/read/reader.ts';
import { ConflictError, ForbiddenError, NotFoundError } from '../../core/util/errors.ts';
import { digestBytes } from '../../core/util/revision.ts';
import { extensionOf } from '../../core/write/file-types.ts';
import { bundleFolder } from '../../core/write/new-file.ts';
import { checkTags } from '../../core/write/preconditions.ts';
import { reload } from '../../core/write/transaction.ts';
import type { CommitJob, Preconditions, Writer, WriterSteps } from '../../core/write/writer.ts';
import { checkContent, checkExtension } from './check-file.ts';
import type { FileCommands } from './file-commands.ts';
import { fileUsers } from './file-users.ts';
import { findMentions } from './mentions.ts';

/** The commands for files that exist. Any entity can use them, so an account needs permission to change all content. */
export function createStoredFiles({
  deps,
  transact,
  checkInTurn,
}: WriterSteps): Pick<FileCommands, 'replaceFile' | 'removeFile'> {
  const { driver, store } = deps;

  async function change(
    writer: Writer,
    key: string,
    when: Preconditions,
    action: 'replaced' | 'deleted',
    write: (revision: string) => Promise<void>,
  ): Promise<CommitJob> {
    return transact(writer, async () => {
      const bytes = await driver.read(key);
      if (bytes === undefined) throw new NotFoundError(`The file '${key}' does not exist.`);
      const revision = digestBytes(bytes);
      await checkTags(when, 'file', revision, deps.options.requireIfMatch);
      const changed = [{ change: action, type: folderName(deps.reader, key), key }];
      deps.onWriting?.(changed, writer);
      await write(revision);
      const crop = key + CROP_SUFFIX;
      const isOrphan = action === 'deleted' && (await driver.stat(crop)) !== undefined;
      if (isOrphan) await driver.remove(crop);
      const keys = isOrphan ? [key, crop] : [key];
      await reload(deps, keys);
      return { job: deps.onWritten?.(changed, keys, writer) };
    });
  }

  /** Throws ConflictError if an entity refers to the file, or if its path is in a text. The actor sees all of them. */
  async function checkUnused({ access }: Writer, key: string): Promise<void> {
    const users = await fileUsers(deps.reader, access, { source: 'content', key });
    const names =
      users.length > 0
        ? users.map(({ type, id }) => `${type.name} ${id}`)
        : await findMentions(store, driver, key);
    if (names.length === 0) return;
    const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
    throw new ConflictError(`The file is in use: ${names.slice(0, MAX_NAMES).join(', ')}${more}.`);
  }

  return {
    async replaceFile(writer, key, bytes, when) {
      checkMayChangeFile(writer, store);
      const extension = extensionOf(key);
      checkExtension(extension, 'file', writer.access.has('use raw html'));
      await checkInTurn(writer, () => checkContent(bytes, extension, deps.checks));
      return change(writer, key, when, 'replaced', (ifRevision) => driver.write(key, bytes, { ifRevision }));
    },
    async removeFile(writer, key, when) {
      checkMayChangeFile(writer, store);
      await checkUnused(writer, key);
      return change(writer, key, when, 'deleted', async (ifRevision) => {
        if (isReferencedFile(store, key)) await checkUnused(writer, key);
        await driver.remove(key, { ifRevision });
      });
    },
  };
}

/** The bundle in whose folder a file is, for messages. */
export function folderName(reader: Reader, key: string): string {
  const type = [...reader.store.types.values()].find((each) =>
    key.startsWith(`${bundleFolder(each, reader)}/`),
  );
  return type === undefined ? NO_BUNDLE : shortTypeName(type.name);
}

/** What messages say about a file outside of the folders of bundles. */
export const NO_BUNDLE = 'file';

/** Entities that the message lists. */
const MAX_NAMES = 10;

/** Throws ForbiddenError if the actor may not replace or delete files. Does not depend on the file, which could reveal its users. */
export function checkMayChangeFile({ access }: Writer, store: EntityStore): void {
  if (allowsEverything(access, 'update', store)) return;
  throw new ForbiddenError(
    'Any content can use a file, so you need permission to change all content. Upload another file instead.',
  );
}

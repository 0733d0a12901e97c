import { uriOf } from '../../content/file-place.ts';
import type { Entity, FieldDefinition, FieldValue, ResourceType } from '../../content/model.ts';
import { shortTypeName } from '../../content/resource-type.ts';
import { isNamed } from '../../read/content-files.ts';
import { ForbiddenError } from '../../util/errors.ts';
import type { JsonValue } from '../../util/json.ts';
import type { ReadChanges } from '../change-set.ts';
import { checkMay, checkMayAtAll } from '../permissions.ts';
import { nothingWrong } from '../save.ts';
import { type TransactionDeps, takeUp, transact } from '../transaction.ts';
import type {
  ContentWriter,
  EntityInput,
  Preconditions,
  UploadTarget,
  Writer,
  WriterDeps,
  WrittenEntity,
} from '../writer.ts';
import { checkContent, checkExtension } from './file-types.ts';
import { storeFile } from './store-file.ts';
import { readUploadName, type UploadName } from './upload-name.ts';

/** Changes the file of an entity; `make` says what, of the entity as it is now. */
type Edit = (
  writer: Writer,
  found: Entity,
  when: Preconditions,
  make: (entity: Entity, type: ResourceType) => Promise<ReadChanges>,
) => Promise<WrittenEntity>;

/** The command `upload`. If it fails, it removes the stored file again. */
export function createUpload(
  deps: TransactionDeps & Pick<WriterDeps, 'onWritten' | 'checks'>,
  edit: Edit,
): ContentWriter['upload'] {
  return async (writer, target, { name: sent, bytes }, when) => {
    const { entity: found, field, type } = target;
    const name = checkUpload(writer, target, sent);
    await checkContent(bytes, name.extension, deps.checks);
    if (found === null) {
      return transact(deps, writer, async () => {
        const key = await storeFile(deps.driver, folderOf(type, deps), name, bytes);
        await takeUp(deps, [key]);
        const job = deps.onWritten?.({ change: 'uploaded', type, key }, [key], writer);
        return { key, alt: null, job };
      });
    }
    // A command may begin again, with the file stored already.
    let stored: string | undefined;
    let alt: string | null = null;
    let job: string | undefined;
    try {
      const written = await edit(writer, found, when, async (entity) => {
        checkMayGive(writer, { type, field, entity });
        if (stored === undefined) {
          const folder = entity.key.slice(0, entity.key.lastIndexOf('/'));
          stored = await storeFile(deps.driver, folder, name, bytes);
          await takeUp(deps, [stored]);
        }
        const present = entity.values[field.name] ?? null;
        alt = field.list ? null : altOf(present);
        return {
          ...nothingWrong(NO_PLACE),
          changes: { [field.name]: withFile(field, present, stored, alt) },
        };
      });
      job = written.job;
    } catch (error) {
      const key: string | undefined = stored;
      // The first error counts. A file that stays although no entity names it is never served.
      if (key !== undefined) await removeUnnamed(writer, key, found).catch(() => undefined);
      throw error;
    }
    if (stored === undefined) throw new Error('An upload was neither stored nor refused.');
    return { key: stored, alt, job };
  };

  /** Removes a stored file, unless the entity was written before the command failed. */
  async function removeUnnamed(writer: Writer, key: string, entity: Entity): Promise<void> {
    await transact(deps, writer, async () => {
      await takeUp(deps, [entity.key]);
      if (isNamed(deps.store, key)) return;
      await deps.driver.remove(key);
      await takeUp(deps, [key]);
    });
  }
}

/** All that can be said of an upload before its bytes are there. Throws as `upload` does. */
export function checkUpload(writer: Writer, target: UploadTarget, sent: string): UploadName {
  const { type, field, entity } = target;
  if (entity === null) checkMayAtAll(writer, 'create', type);
  else checkMay(writer, 'update', type, entity);
  checkMayGive(writer, target);
  const name = readUploadName(sent);
  checkExtension(name.extension, field, writer.access.has('use raw html'));
  return name;
}

function checkMayGive({ access }: Writer, { type, field: { name }, entity }: UploadTarget): void {
  const may =
    entity === null
      ? access.fieldWritable(type, name, 'create')
      : access.fieldWritable(type, name, 'update', entity);
  if (!may) throw new ForbiddenError(`You may not change \`${name}\`.`);
}

/** Where the entities of a bundle lie. */
function folderOf(type: ResourceType, { store }: Pick<TransactionDeps, 'store'>): string {
  return store.entities(type.name)[0]?.key.split('/', 1)[0] ?? shortTypeName(type.name);
}

function withFile(field: FieldDefinition, present: FieldValue, key: string, alt: string | null): FieldValue {
  const file: JsonValue = { uri: { value: uriOf({ source: 'content', key }) }, alt };
  if (!field.list) return file;
  return [...((Array.isArray(present) ? present : []) as readonly JsonValue[]), file];
}

function altOf(present: FieldValue): string | null {
  const isFile = typeof present === 'object' && present !== null && 'alt' in present;
  return isFile && typeof present.alt === 'string' ? present.alt : null;
}

/** The body of such a request is the file: what is wrong with the entity is nowhere in it. */
const NO_PLACE: Pick<EntityInput, 'pointer'> = { pointer: () => '' };

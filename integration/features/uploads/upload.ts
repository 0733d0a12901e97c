import { slugFor } from '../../core/content/encode/slug.ts';
import { CROP_SUFFIX, uriOf } from '../../core/content/file-location.ts';
import type { Entity, FieldDefinition, FieldValue, ResourceType } from '../../core/content/model.ts';
import { shortTypeName } from '../../core/content/resource-type.ts';
import { isReferencedFile } from '../../core/read/content-files.ts';
import type { WritableDriver } from '../../core/storage/driver.ts';
import { UnsafeKeyError } from '../../core/storage/errors.ts';
import { ForbiddenError } from '../../core/util/errors.ts';
import type { JsonValue } from '../../core/util/json.ts';
import { validChanges } from '../../core/write/changes.ts';
import { bundleFolder, pathIn } from '../../core/write/new-file.ts';
import { checkMay, checkMayAtAll, maySet } from '../../core/write/permissions.ts';
import { reload } from '../../core/write/transaction.ts';
import type {
  ChangedFile,
  ErrorPlace,
  FileTarget,
  Preconditions,
  UploadTarget,
  Writer,
  WriterSteps,
} from '../../core/write/writer.ts';
import { checkContent, checkExtension, refuseUpload } from './check-file.ts';
import type { FileCommands, StoredUpload, UploadedFile } from './file-commands.ts';

/** The commands that store new files. If `upload` fails, it removes the stored file. */
export function createUpload({
  deps,
  transact,
  checkInTurn,
  edit,
}: WriterSteps): Pick<FileCommands, 'upload' | 'storeFile'> {
  const { driver } = deps;

  /** Requires the lock. Returns the key of the stored file. */
  async function store(
    writer: Writer,
    type: ResourceType,
    folder: string,
    name: UploadName,
    bytes: Uint8Array,
  ): Promise<string> {
    const key = await storeFile(driver, folder, name, bytes, (key) =>
      deps.onWriting?.([uploaded(type, key)], writer),
    );
    await reload(deps, [key]);
    return key;
  }

  async function uploadAlone(
    writer: Writer,
    type: ResourceType,
    folder: string,
    name: UploadName,
    bytes: Uint8Array,
  ): Promise<StoredUpload> {
    return transact(writer, async () => {
      const key = await store(writer, type, folder, name, bytes);
      return { key, alt: null, job: deps.onWritten?.([uploaded(type, key)], [key], writer) };
    });
  }

  /** Removes a stored file, unless the entity that refers to it was written before the command failed. */
  async function removeUnreferenced(
    writer: Writer,
    key: string,
    { type, id, key: entityKey }: Entity,
  ): Promise<void> {
    await transact(writer, async () => {
      await reload(deps, [entityKey]);
      // An editor may replace the file of the entity at this moment.
      if (deps.store.get(type, id) === undefined || isReferencedFile(deps.store, key)) return;
      await driver.remove(key);
      await reload(deps, [key]);
    });
  }

  async function upload(
    writer: Writer,
    target: UploadTarget,
    { name: sent, bytes }: UploadedFile,
    when: Preconditions,
  ): Promise<StoredUpload> {
    const { entity: existing, field, type } = target;
    const name = checkUpload(writer, target, sent);
    await checkInTurn(writer, () => checkContent(bytes, name.extension, deps.checks));
    if (existing === null) return uploadAlone(writer, type, bundleFolder(type, deps.reader), name, bytes);
    let key = '';
    let alt: string | null = null;
    try {
      const { job } = await edit(writer, existing, when, async (entity) => {
        checkMaySet(writer, { type, field, entity });
        // The command may run again after the file was stored.
        key ||= await store(writer, type, folderOf(entity), name, bytes);
        const present = entity.values[field.name] ?? null;
        alt = field.list ? null : altOf(present);
        return validChanges({ [field.name]: withFile(field, present, key, alt) }, NOT_IN_BODY);
      });
      return { key, alt, job };
    } catch (error) {
      // The first error counts. A stored file that no entity refers to is never served.
      if (key !== '') await removeUnreferenced(writer, key, existing).catch(() => undefined);
      throw error;
    }
  }

  return {
    upload,
    async storeFile(writer, target, { name: sent, bytes }) {
      const { type, entity, folder: chosen } = target;
      const name = checkNewFile(writer, target, sent);
      await checkInTurn(writer, () => checkContent(bytes, name.extension, deps.checks));
      const folder = chosen ?? (entity === null ? bundleFolder(type, deps.reader) : folderOf(entity));
      return uploadAlone(writer, type, folder, name, bytes);
    },
  };
}

function uploaded(type: ResourceType, key: string): ChangedFile {
  return { change: 'uploaded', type: shortTypeName(type.name), key };
}

function folderOf({ key }: Entity): string {
  return key.slice(0, Math.max(key.lastIndexOf('/'), 0));
}

/** Checks an upload before its bytes are read. Throws like the command. */
export function checkUpload(writer: Writer, target: UploadTarget, sent: string): UploadName {
  const { field } = target;
  checkMayStore(writer, target);
  checkMaySet(writer, target);
  const name = readUploadName(sent);
  checkExtension(name.extension, field.kind, writer.access.has('use raw html'), field.name);
  return name;
}

/** The same for a file that no field has. */
export function checkNewFile(writer: Writer, target: FileTarget, sent: string): UploadName {
  checkMayStore(writer, target);
  const name = readUploadName(sent);
  checkExtension(name.extension, 'file', writer.access.has('use raw html'));
  return name;
}

function checkMayStore(writer: Writer, { type, entity }: FileTarget): void {
  if (entity === null) checkMayAtAll(writer, 'create', type);
  else checkMay(writer, 'update', type, entity);
}

function checkMaySet({ access }: Writer, { type, field: { name }, entity }: UploadTarget): void {
  if (!maySet(access, type, name, entity)) throw new ForbiddenError(`You may not change \`${name}\`.`);
}

/** The name of an uploaded file. */
interface UploadName {
  /** Any text. */
  readonly stem: string;
  /** Lower-case letters and digits, without the dot. */
  readonly extension: string;
}

/** Reads the name that a client sent, without its folders. Throws InvalidEntityError for a name without an extension. */
function readUploadName(sent: string): UploadName {
  const name = sent.slice(Math.max(sent.lastIndexOf('/'), sent.lastIndexOf('\\')) + 1);
  const dot = name.lastIndexOf('.');
  const extension = name.slice(dot + 1).toLowerCase();
  if (dot === -1 || !EXTENSION.test(extension)) {
    throw refuseUpload('The name of the file must have an extension, for example `.png` or `.pdf`.');
  }
  return { stem: name.slice(0, dot), extension };
}

const EXTENSION = /^[a-z0-9]{1,10}$/;

/** Names that the storage may refuse before the upload fails. */
const MAX_REFUSALS = 20;

/** Stores a file under the first free name, such as `harbour.png` or `harbour-2.png`. Returns its key. Requires the lock. */
async function storeFile(
  driver: WritableDriver,
  folder: string,
  { stem, extension }: UploadName,
  bytes: Uint8Array,
  onWriting: (key: string) => void,
): Promise<string> {
  const taken = new Set<string>();
  for (let refusals = 0; ; ) {
    const slug = slugFor(stem, (name) => taken.has(name));
    taken.add(slug);
    const key = pathIn(folder, `${slug}.${extension}`);
    // The crop of an image that was deleted by hand would be that of the new one.
    if ((await driver.stat(key)) ?? (await driver.stat(key + CROP_SUFFIX))) continue;
    try {
      onWriting(key);
      await driver.write(key, bytes, { ifRevision: null });
      return key;
    } catch (error) {
      // A file whose name differs only in letter case, or a folder.
      refusals += 1;
      if (!(error instanceof UnsafeKeyError) || refusals === MAX_REFUSALS) throw error;
    }
  }
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

/** The body of the request is the file, so errors of the entity have no pointer. */
const NOT_IN_BODY: ErrorPlace = { pointer: () => '' };

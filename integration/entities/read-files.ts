import type { StorageDriver, StoredFile } from '../storage/driver.ts';
import { MAX_FILE_BYTES, type ReadResult, readContentFile, refused } from './content-file.ts';
import { type FileRole, roleOf } from './resource-type.ts';
import type { DeclaredBundle } from './schema-fields.ts';

/** Files read at the same time. */
const READS_AT_ONCE = 32;

/** Reads files and says of each what it is. */
export interface FileReader {
  /** The file as it is now; undefined where there is none, or none that content is made of. */
  find(key: string): Promise<StoredFile | undefined>;
  /** In the order given, without those that went away meanwhile. */
  readAll(files: readonly StoredFile[]): Promise<readonly PlacedFile[]>;
}

export interface PlacedFile {
  readonly key: string;
  readonly role: FileRole;
  /** The file went away while it was being read. */
  readonly gone: boolean;
  readonly result: ReadResult | undefined;
}

export function createFileReader(
  driver: StorageDriver,
  declared: ReadonlyMap<string, DeclaredBundle>,
): FileReader {
  async function find(key: string): Promise<StoredFile | undefined> {
    if (roleOf(key).role === 'asset') {
      return undefined;
    }
    try {
      return await driver.stat(key);
    } catch {
      // Reading it will fail too, and say why.
      return { key, size: 0, mtimeMs: 0 };
    }
  }

  async function readAll(files: readonly StoredFile[]): Promise<readonly PlacedFile[]> {
    const results: PlacedFile[] = new Array(files.length);
    let next = 0;
    async function worker(): Promise<void> {
      for (let index = next++; index < files.length; index = next++) {
        results[index] = await readOne(files[index]!);
      }
    }
    await Promise.all(Array.from({ length: Math.min(READS_AT_ONCE, files.length) }, worker));
    return results.filter(({ gone }) => !gone);
  }

  async function readOne(stored: StoredFile): Promise<PlacedFile> {
    const role = roleOf(stored.key);
    const { key } = stored;
    if (role.role !== 'entity') {
      return { key, role, gone: false, result: undefined };
    }
    if (stored.size > MAX_FILE_BYTES) {
      return { key, role, gone: false, result: tooLarge(stored.size) };
    }
    let bytes: Uint8Array | undefined;
    try {
      bytes = await driver.read(key);
    } catch (error) {
      const reason = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
      return {
        key,
        role,
        gone: false,
        result: refused('file/unreadable', `The file cannot be read${reason}.`),
      };
    }
    if (bytes === undefined) {
      return { key, role, gone: true, result: undefined };
    }
    const result =
      bytes.length > MAX_FILE_BYTES
        ? tooLarge(bytes.length)
        : readContentFile(stored, bytes, role.format, declared.get(role.type));
    return { key, role, gone: false, result };
  }

  return { find, readAll };
}

function tooLarge(size: number): ReadResult {
  const megabytes = (size / 1024 / 1024).toFixed(1);
  const message = `The file has ${megabytes} MB; at most ${MAX_FILE_BYTES / 1024 / 1024} MB are read.`;
  return refused('file/too-large', message, 'Split it, or move data and images out of it.');
}

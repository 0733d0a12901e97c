import type { FileHistory, StorageDriver } from '../../core/storage/driver.ts';
import { blobHash } from '../../core/util/blob-hash.ts';

/** A file of the content folder in a commit. */
export interface ForgeFile {
  readonly sha: string;
  readonly mode: string;
  /** Undefined on hosts that do not list sizes. */
  readonly size: number | undefined;
  readonly mtimeMs: number;
}

/** The files of a build, with the hashes that git gives them. */
export interface CarriedFiles {
  readonly files: ReadonlyMap<string, ForgeFile>;
  /** The key of a file by the hash of its blob. */
  readonly keys: ReadonlyMap<string, string>;
  readonly dates: ReadonlyMap<string, FileHistory>;
  read(key: string): Promise<Uint8Array | undefined>;
}

/** `driver` is undefined for a server that carries no files. */
export async function openCarried(driver: StorageDriver | undefined): Promise<CarriedFiles> {
  const files = new Map<string, ForgeFile>();
  const keys = new Map<string, string>();
  const listed = (await driver?.list())?.files ?? [];
  for (const { key, size, mtimeMs } of listed) {
    const bytes = await driver?.read(key);
    if (bytes === undefined) continue;
    const sha = await blobHash(bytes);
    files.set(key, { sha, mode: '100644', size, mtimeMs });
    keys.set(sha, key);
  }
  const dates = (await driver?.history?.()) ?? new Map<string, FileHistory>();
  return { files, keys, dates, read: async (key) => driver?.read(key) };
}

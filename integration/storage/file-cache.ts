import type { StoredFile } from './driver.ts';
import type { StoredBytes } from './stored-bytes.ts';

/**
 * What an earlier start made of files, for one whole listing: `open`, then every file asked for and kept, then `save`.
 * `T` survives JSON. Nothing of it ever fails: where it cannot be read or written, there is nothing in it.
 */
export interface FileCache<T> {
  open(): Promise<OpenFileCache<T>>;
}

export interface OpenFileCache<T> {
  /** The file as it was then, where nothing suggests that it has changed since. */
  unchanged(file: StoredFile): CachedFile<T> | undefined;
  /** What was made of a file that had these very bytes. */
  sameBytes(key: string, digest: string): T | undefined;
  /** Takes what is to be found at the next start. A file that is not kept is forgotten. */
  keep(file: StoredFile, cached: CachedFile<T>): void;
  /** Resolves when the cache is written, where it is not what it was already. What was kept lies in the cache then. */
  save(): Promise<void>;
}

export interface CachedFile<T> {
  readonly bytes: StoredBytes;
  readonly digest: string;
  readonly made: T;
}

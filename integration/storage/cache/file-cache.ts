import { realpath } from 'node:fs/promises';
import { z } from 'zod';
import type { StoredFile } from '../driver.ts';
import { readBytes, relocateBytes, type StoredBytes } from '../stored-bytes.ts';
import { readCacheFile, reasonOf, writeCacheFile } from './cache-file.ts';

/**
 * Results of an earlier start, for one listing: call `open`, then look up and `keep` every file, then `save`. `T` has to
 * survive JSON. Nothing here throws: an unreadable cache is empty.
 */
export interface FileCache<T> {
  open(): Promise<OpenFileCache<T>>;
}

export interface OpenFileCache<T> {
  /** The cached file, if its size and time are the same. */
  unchanged(file: StoredFile): CachedFile<T> | undefined;
  /** The result for a file with the same bytes. */
  sameBytes(key: string, digest: string): T | undefined;
  /** Adds a file for the next start. Files that are not kept are dropped. */
  keep(file: StoredFile, cached: CachedFile<T>): void;
  /** Writes the cache if it has changed. Bytes of kept files are then read from it. */
  save(): Promise<void>;
}

export interface CachedFile<T> {
  readonly bytes: StoredBytes;
  readonly digest: string;
  readonly made: T;
}

export interface FileCacheDeps {
  /** Absolute path of the cache file. */
  readonly path: string;
  /** Absolute path of the folder whose files are cached. */
  readonly folder: string;
  /** Version of the code that creates `T`: a cache of another version is ignored. */
  readonly version: string;
  readonly log: { warn(message: string): void };
  /** Milliseconds since the Unix epoch. */
  readonly now?: () => number;
}

/**
 * Milliseconds. A file that was changed less than this before it was read may have changed again without a new time,
 * because file system clocks are coarse: its bytes are compared.
 */
export const DOUBTFUL_MS = 2000;

/** A cache of files in one file. If several processes write it, the last one wins. */
export function createFileCache<T>(deps: FileCacheDeps): FileCache<T> {
  const { path, version, log, now = Date.now } = deps;

  async function read(folder: string): Promise<FormerCache<T>> {
    try {
      const content = await readCacheFile(path, version);
      return content === undefined ? emptyCache() : decode<T>(content.json, content.bytes, folder);
    } catch (error) {
      const reason = error instanceof z.ZodError ? 'its format is unknown' : reasonOf(error);
      log.warn(`The cache ${path} is ignored: ${reason}. It will be rewritten.`);
      return emptyCache();
    }
  }

  return {
    async open() {
      const folder = await realpath(deps.folder).catch(() => deps.folder);
      const before = await read(folder);
      return openCache<T>(before, now(), async (entries, readAt) => {
        try {
          const json = jsonOf(folder, entries, readAt);
          const written = await writeCacheFile(path, version, { json, bytes: bytesOf(entries) });
          if (written !== undefined) moveInto(written, entries);
        } catch (error) {
          log.warn(
            `The cache ${path} cannot be written (${reasonOf(error)}): the next start reads all files again.`,
          );
        }
      });
    },
  };
}

function openCache<T>(
  before: FormerCache<T>,
  openedAt: number,
  write: (entries: ReadonlyMap<string, CacheEntry<T>>, readAt: number) => Promise<void>,
): OpenFileCache<T> {
  const entries = new Map<string, CacheEntry<T>>();
  let added = 0;

  return {
    unchanged(file) {
      const entry = before.files.get(file.key);
      const same = entry?.size === file.size && entry.mtimeMs === file.mtimeMs;
      if (entry === undefined || !same || !before.trusted || isDoubtful(file, before.readAt))
        return undefined;
      entries.set(file.key, entry);
      return entry;
    },
    sameBytes(key, digest) {
      const entry = before.files.get(key);
      return entry?.digest === digest ? entry.made : undefined;
    },
    keep({ key, size, mtimeMs }, { bytes, digest, made }) {
      entries.set(key, { size, mtimeMs, bytes, digest, made });
      const entry = before.files.get(key);
      const same = entry?.digest === digest && entry.size === size && entry.mtimeMs === mtimeMs;
      // Rewriting the cache does not help for a file that stays doubtful, such as one from the future.
      if (!same || !before.trusted || !isDoubtful({ key, size, mtimeMs }, openedAt)) added += 1;
    },
    async save() {
      if (added > 0 || entries.size < before.files.size) await write(entries, openedAt);
    },
  };
}

function isDoubtful({ mtimeMs }: StoredFile, readAt: number): boolean {
  return mtimeMs > readAt - DOUBTFUL_MS;
}

const headSchema = z.object({
  /** Real path of the folder: size and time are only compared in the same folder. */
  folder: z.string(),
  /** When reading started, milliseconds since the Unix epoch. */
  readAt: z.number(),
  /** Each ended by NUL. */
  keys: z.string(),
  digests: z.string(),
  made: z.custom<readonly unknown[]>(Array.isArray),
});

/** Size, modification time and length of each file come before the bytes of all files. */
const NUMBERS_BYTES = 24;

function decode<T>(json: unknown, bytes: StoredBytes, folder: string): FormerCache<T> {
  const head = headSchema.parse(json);
  const files = new Map<string, CacheEntry<T>>();
  const keys = head.keys.split('\0');
  const digests = head.digests.split('\0');
  const count = head.made.length;
  let at = count * NUMBERS_BYTES;
  if (keys.length !== count + 1 || digests.length !== count + 1 || at > bytes.length)
    throw new Error('it is incomplete');
  const { buffer, byteOffset } = bytes.source.read(bytes.start, at);
  const numbers = new DataView(buffer, byteOffset, at);
  for (let index = 0; index < count; index += 1) {
    const offset = index * NUMBERS_BYTES;
    const length = numbers.getFloat64(offset + 16, true);
    files.set(keys[index]!, {
      size: numbers.getFloat64(offset, true),
      mtimeMs: numbers.getFloat64(offset + 8, true),
      bytes: { length, source: bytes.source, start: bytes.start + at },
      digest: digests[index]!,
      // The cache has the version of this code, so the type is right.
      made: head.made[index] as T,
    });
    at += length;
  }
  if (at !== bytes.length) throw new Error('it is incomplete');
  return { files, readAt: head.readAt, trusted: head.folder === folder };
}

function* jsonOf<T>(
  folder: string,
  entries: ReadonlyMap<string, CacheEntry<T>>,
  readAt: number,
): Generator<string> {
  const keys = [...entries.keys()].map((key) => `${key}\0`).join('');
  const digests = [...entries.values()].map(({ digest }) => `${digest}\0`).join('');
  yield `${JSON.stringify({ folder, readAt, keys, digests }).slice(0, -1)},"made":[`;
  let separator = '';
  for (const { made } of entries.values()) {
    yield `${separator}${JSON.stringify(made)}`;
    separator = ',';
  }
  yield ']}';
}

function* bytesOf<T>(entries: ReadonlyMap<string, CacheEntry<T>>): Generator<Uint8Array> {
  const numbers = new DataView(new ArrayBuffer(entries.size * NUMBERS_BYTES));
  let at = 0;
  for (const { size, mtimeMs, bytes } of entries.values()) {
    [size, mtimeMs, bytes.length].forEach((number, index) => {
      numbers.setFloat64(at + index * 8, number, true);
    });
    at += NUMBERS_BYTES;
  }
  yield new Uint8Array(numbers.buffer);
  for (const { bytes } of entries.values()) yield readBytes(bytes);
}

/** Reads the files from the cache from now on, in the order of `bytesOf`. */
function moveInto<T>({ source, start }: StoredBytes, entries: ReadonlyMap<string, CacheEntry<T>>): void {
  let at = start + entries.size * NUMBERS_BYTES;
  for (const { bytes } of entries.values()) {
    relocateBytes(bytes, source, at);
    at += bytes.length;
  }
}

function emptyCache<T>(): FormerCache<T> {
  return { files: new Map(), readAt: 0, trusted: false };
}

interface CacheEntry<T> extends CachedFile<T> {
  readonly size: number;
  readonly mtimeMs: number;
}

interface FormerCache<T> {
  readonly files: ReadonlyMap<string, CacheEntry<T>>;
  readonly readAt: number;
  /** True if equal size and time mean that a file is unchanged. */
  readonly trusted: boolean;
}

import { realpath } from 'node:fs/promises';
import { z } from 'zod';
import type { StoredFile } from '../driver.ts';
import type { CachedFile, FileCache, OpenFileCache } from '../file-cache.ts';
import { moveBytes, readBytes, type StoredBytes } from '../stored-bytes.ts';
import { readCacheFile, reasonOf, writeCacheFile } from './cache-file.ts';

export interface FileCacheDeps {
  /** Absolute path of the cache. */
  readonly path: string;
  /** Absolute path of the folder whose files are cached. */
  readonly folder: string;
  /** Version of what makes `T`: another one's work is of no use. */
  readonly version: string;
  readonly log: { warn(message: string): void };
  /** Milliseconds since the Unix epoch. */
  readonly now?: () => number;
}

/**
 * A file changed so shortly before it was read may have been changed once more within the same step of the file
 * system's clock, without another size or time: its bytes are compared. Milliseconds.
 */
export const DOUBTFUL_MS = 2000;

/** A cache of files in one file. The caches of several processes replace each other's whole. */
export function createFileCache<T>(deps: FileCacheDeps): FileCache<T> {
  const { path, version, log, now = Date.now } = deps;

  async function read(folder: string): Promise<Known<T>> {
    try {
      const content = await readCacheFile(path, version);
      return content === undefined ? nothing() : known<T>(content.json, content.bytes, folder);
    } catch (error) {
      const reason = error instanceof z.ZodError ? 'its form is unknown' : reasonOf(error);
      log.warn(`The cache ${path} is ignored: ${reason}. It is written anew.`);
      return nothing();
    }
  }

  return {
    async open() {
      const folder = await realpath(deps.folder).catch(() => deps.folder);
      const before = await read(folder);
      return openCache<T>(before, now(), async (kept, readAt) => {
        try {
          const json = jsonOf(folder, kept, readAt);
          const written = await writeCacheFile(path, version, { json, bytes: bytesOf(kept) });
          if (written !== undefined) moveInto(written, kept);
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
  before: Known<T>,
  openedAt: number,
  write: (kept: ReadonlyMap<string, Kept<T>>, readAt: number) => Promise<void>,
): OpenFileCache<T> {
  const kept = new Map<string, Kept<T>>();
  let added = 0;

  return {
    unchanged(file) {
      const entry = before.files.get(file.key);
      const same = entry?.size === file.size && entry.mtimeMs === file.mtimeMs;
      if (entry === undefined || !same || !before.trusted || isDoubtful(file, before.readAt))
        return undefined;
      kept.set(file.key, entry);
      return entry;
    },
    sameBytes(key, digest) {
      const entry = before.files.get(key);
      return entry?.digest === digest ? entry.made : undefined;
    },
    keep({ key, size, mtimeMs }, { bytes, digest, made }) {
      kept.set(key, { size, mtimeMs, bytes, digest, made });
      const entry = before.files.get(key);
      const same = entry?.digest === digest && entry.size === size && entry.mtimeMs === mtimeMs;
      // Where it stays doubtful, as one from the future does, nothing is won by writing it again.
      if (!same || !before.trusted || !isDoubtful({ key, size, mtimeMs }, openedAt)) added += 1;
    },
    async save() {
      if (added > 0 || kept.size < before.files.size) await write(kept, openedAt);
    },
  };
}

function isDoubtful({ mtimeMs }: StoredFile, readAt: number): boolean {
  return mtimeMs > readAt - DOUBTFUL_MS;
}

const headSchema = z.object({
  /** Real path of the folder: in another one, the same size and time say nothing. */
  folder: z.string(),
  /** When reading began, milliseconds since the Unix epoch. */
  readAt: z.number(),
  /** One behind the other, each ended by NUL. */
  keys: z.string(),
  digests: z.string(),
  made: z.custom<readonly unknown[]>(Array.isArray),
});

/** Before the bytes of the files, of each: size, time of change, and the length of its bytes. */
const NUMBERS_BYTES = 24;

function known<T>(json: unknown, bytes: StoredBytes, folder: string): Known<T> {
  const head = headSchema.parse(json);
  const files = new Map<string, Kept<T>>();
  const keys = head.keys.split('\0');
  const digests = head.digests.split('\0');
  const count = head.made.length;
  let at = count * NUMBERS_BYTES;
  if (keys.length !== count + 1 || digests.length !== count + 1 || at > bytes.length)
    throw new Error('it is not whole');
  const { buffer, byteOffset } = bytes.place.read(bytes.start, at);
  const numbers = new DataView(buffer, byteOffset, at);
  for (let index = 0; index < count; index += 1) {
    const place = index * NUMBERS_BYTES;
    const length = numbers.getFloat64(place + 16, true);
    files.set(keys[index]!, {
      size: numbers.getFloat64(place, true),
      mtimeMs: numbers.getFloat64(place + 8, true),
      bytes: { length, place: bytes.place, start: bytes.start + at },
      digest: digests[index]!,
      // The version of the file is that of this code, so that what was kept comes back.
      made: head.made[index] as T,
    });
    at += length;
  }
  if (at !== bytes.length) throw new Error('it is not whole');
  return { files, readAt: head.readAt, trusted: head.folder === folder };
}

function* jsonOf<T>(folder: string, kept: ReadonlyMap<string, Kept<T>>, readAt: number): Generator<string> {
  const keys = [...kept.keys()].map((key) => `${key}\0`).join('');
  const digests = [...kept.values()].map(({ digest }) => `${digest}\0`).join('');
  yield `${JSON.stringify({ folder, readAt, keys, digests }).slice(0, -1)},"made":[`;
  let separator = '';
  for (const { made } of kept.values()) {
    yield `${separator}${JSON.stringify(made)}`;
    separator = ',';
  }
  yield ']}';
}

function* bytesOf<T>(kept: ReadonlyMap<string, Kept<T>>): Generator<Uint8Array> {
  const numbers = new DataView(new ArrayBuffer(kept.size * NUMBERS_BYTES));
  let at = 0;
  for (const { size, mtimeMs, bytes } of kept.values()) {
    [size, mtimeMs, bytes.length].forEach((number, index) => {
      numbers.setFloat64(at + index * 8, number, true);
    });
    at += NUMBERS_BYTES;
  }
  yield new Uint8Array(numbers.buffer);
  for (const { bytes } of kept.values()) yield readBytes(bytes);
}

/** From now on files are read from the cache, in the order in which `bytesOf` has written them. */
function moveInto<T>({ place, start }: StoredBytes, kept: ReadonlyMap<string, Kept<T>>): void {
  let at = start + kept.size * NUMBERS_BYTES;
  for (const { bytes } of kept.values()) {
    moveBytes(bytes, place, at);
    at += bytes.length;
  }
}

function nothing<T>(): Known<T> {
  return { files: new Map(), readAt: 0, trusted: false };
}

interface Kept<T> extends CachedFile<T> {
  readonly size: number;
  readonly mtimeMs: number;
}

interface Known<T> {
  readonly files: ReadonlyMap<string, Kept<T>>;
  readonly readAt: number;
  /** Whether size and time of a file tell that it is the same. */
  readonly trusted: boolean;
}

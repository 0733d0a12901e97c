import { realpath } from 'node:fs/promises';
import { z } from 'zod';
import type { StoredFile } from '../driver.ts';
import { bytesInMemory, readBytes, relocateBytes, type StoredBytes } from '../stored-bytes.ts';
import { type CacheLog, createCacheFile } from './cache-file.ts';
import { createSpill, type Spill } from './spill.ts';

/**
 * Results of an earlier start, for one listing: call `open`, then look up and `keep` every file, then `save`. `T` has to
 * survive JSON. Nothing here throws: an unreadable cache is empty.
 */
export interface FileCache<T> {
  open(): Promise<OpenFileCache<T>>;
}

export interface OpenFileCache<T> {
  /** The file with the first time that earlier starts know: editors replace files. */
  dated(file: StoredFile): StoredFile;
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
  readonly log: CacheLog;
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
  const { now = Date.now } = deps;
  const cacheFile = createCacheFile({ ...deps, effect: 'the next start reads all files again' });
  return {
    async open() {
      const folder = await realpath(deps.folder).catch(() => deps.folder);
      const before = await cacheFile.read((json, bytes) => decode(json, bytes, folder));
      const former = before ?? { files: new Map(), readAt: 0, trusted: false };
      return openCache<T>(former, now(), createSpill(deps.path), async (entries, readAt) => {
        const written = await cacheFile.write(jsonOf(folder, entries, readAt), bytesOf(entries));
        if (written !== undefined) moveInto(written, entries);
      });
    },
  };
}

function openCache<T>(
  before: FormerCache,
  openedAt: number,
  spill: Spill,
  write: (entries: ReadonlyMap<string, CacheEntry>, readAt: number) => Promise<void>,
): OpenFileCache<T> {
  const entries = new Map<string, CacheEntry>();
  let added = 0;

  return {
    dated(file) {
      const known = before.trusted ? before.files.get(file.key)?.createdMs : undefined;
      const { createdMs = known } = file;
      return known === undefined || createdMs === undefined
        ? file
        : { ...file, createdMs: Math.min(createdMs, known) };
    },
    unchanged(file) {
      const entry = before.files.get(file.key);
      const same = entry?.size === file.size && entry.mtimeMs === file.mtimeMs;
      if (entry === undefined || !same || !before.trusted || isDoubtful(file, before.readAt))
        return undefined;
      entries.set(file.key, entry);
      return { ...entry, made: parseMade<T>(entry) };
    },
    sameBytes(key, digest) {
      const entry = before.files.get(key);
      return entry?.digest === digest ? parseMade<T>(entry) : undefined;
    },
    keep({ key, size, mtimeMs, createdMs }, { bytes, digest, made }) {
      const json = bytesInMemory(Buffer.from(JSON.stringify(made)));
      entries.set(key, { size, mtimeMs, createdMs, bytes, digest, made: json });
      spill.add(bytes);
      spill.add(json);
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

const contentSchema = z.object({
  /** Real path of the folder: size and time are only compared in the same folder. */
  folder: z.string(),
  /** When reading started, milliseconds since the Unix epoch. */
  readAt: z.number(),
  /** In the order of their bytes. */
  files: z.custom<readonly EncodedEntry[]>(Array.isArray),
});

type EncodedEntry = readonly [
  key: string,
  size: number,
  mtimeMs: number,
  length: number,
  digest: string,
  /** The length of the JSON of the result, which follows the bytes. */
  madeLength: number,
  createdMs?: number,
];

function decode(json: unknown, { source, start, length }: StoredBytes, folder: string): FormerCache {
  const content = contentSchema.parse(json);
  const files = new Map<string, CacheEntry>();
  let at = start;
  for (const [key, size, mtimeMs, fileLength, digest, madeLength, createdMs] of content.files) {
    const bytes = { length: fileLength, source, start: at };
    const made = { length: madeLength, source, start: at + fileLength };
    files.set(key, { size, mtimeMs, createdMs, bytes, digest, made });
    at += fileLength + madeLength;
  }
  if (at !== start + length) throw new Error('it is incomplete');
  return { files, readAt: content.readAt, trusted: content.folder === folder };
}

/** The cache has the version of this code, so the type is right. */
function parseMade<T>({ made }: CacheEntry): T {
  return JSON.parse(decoder.decode(readBytes(made)));
}

const decoder = new TextDecoder();

function* jsonOf(
  folder: string,
  entries: ReadonlyMap<string, CacheEntry>,
  readAt: number,
): Generator<string> {
  yield `${JSON.stringify({ folder, readAt }).slice(0, -1)},"files":[`;
  let separator = '';
  for (const [key, { size, mtimeMs, createdMs, bytes, digest, made }] of entries) {
    const entry: EncodedEntry = [key, size, mtimeMs, bytes.length, digest, made.length, createdMs ?? mtimeMs];
    yield `${separator}${JSON.stringify(entry)}`;
    separator = ',';
  }
  yield ']}';
}

function* bytesOf(entries: ReadonlyMap<string, CacheEntry>): Generator<Uint8Array> {
  for (const { bytes, made } of entries.values()) {
    yield readBytes(bytes);
    yield readBytes(made);
  }
}

/** Reads the files from the cache from now on. */
function moveInto({ source, start }: StoredBytes, entries: ReadonlyMap<string, CacheEntry>): void {
  let at = start;
  for (const { bytes, made } of entries.values()) {
    for (const piece of [bytes, made]) {
      relocateBytes(piece, source, at);
      at += piece.length;
    }
  }
}

interface CacheEntry {
  readonly bytes: StoredBytes;
  readonly digest: string;
  /** The result as JSON. */
  readonly made: StoredBytes;
  readonly size: number;
  readonly mtimeMs: number;
  readonly createdMs?: number | undefined;
}

interface FormerCache {
  readonly files: ReadonlyMap<string, CacheEntry>;
  readonly readAt: number;
  /** True if equal size and time mean that a file is unchanged. */
  readonly trusted: boolean;
}

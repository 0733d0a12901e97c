import { dequal } from 'dequal';
import { isError, type Problem, problem } from '../source/diagnostic.ts';
import { isDataKey } from '../source/formats.ts';
import type { OpenFileCache } from '../storage/cache/file-cache.ts';
import type { StorageDriver, StoredFile } from '../storage/driver.ts';
import { bytesInMemory, type StoredBytes } from '../storage/stored-bytes.ts';
import type { Pause } from '../util/pauses.ts';
import { digestBytes } from '../util/revision.ts';
import { MAX_FILE_BYTES, type ReadResult, readContentFile, type SiteReading } from './content-file.ts';
import { createKeyReader, type EntityKey, type FileKey } from './file-key.ts';
import { compact, type ParsedFile, type ParseResult, parseFile, revive } from './parse-file.ts';
import type { DeclaredBundle } from './schema/schema-fields.ts';

/** Files read at the same time. */
const MAX_READS = 32;

/** Reads and checks files, each on its own. */
export interface FileReader {
  /** Undefined if the file does not exist or has no part in the content. */
  stat(key: string): Promise<StoredFile | undefined>;
  /** In the order given, without files that no longer exist. A file that still has the bytes in `parsed` is not parsed. */
  readAll(files: readonly StoredFile[], parsed?: ParsedFiles): Promise<readonly ReadFile[]>;
  /** Passes the same to `take`, one by one. Cached files are not parsed. `pause` is called before each file. */
  readEach(
    files: readonly StoredFile[],
    take: (read: ReadFile) => void,
    cache?: ParseCache,
    pause?: Pause,
  ): Promise<void>;
  /** Reads the bytes as if the file had them. `parsed` is their `parseFile`, if it is known. */
  readAs(key: string, bytes: Uint8Array, parsed?: ParseResult): ReadFile;
}

/** Files that were parsed before they were written, by key. */
export type ParsedFiles = ReadonlyMap<string, { readonly bytes: Uint8Array; readonly parsed: ParseResult }>;

export type ParseCache = OpenFileCache<ParsedFile>;

export interface ReadFile {
  readonly key: string;
  readonly role: FileKey;
  /** Undefined unless the file is an entity. */
  readonly result: ReadResult | undefined;
}

export function createFileReader(
  driver: StorageDriver,
  declared: ReadonlyMap<string, DeclaredBundle>,
  site: SiteReading = {},
): FileReader {
  const readKey = createKeyReader(site);

  async function readEach(
    files: readonly StoredFile[],
    take: (read: ReadFile) => void,
    cache?: ParseCache,
    pause?: Pause,
    parsed?: ParsedFiles,
  ): Promise<void> {
    /** Files that wait for those before them. */
    const waiting = new Map<number, ReadFile | undefined>();
    let next = 0;
    let taken = 0;
    async function worker(): Promise<void> {
      for (let index = next++; index < files.length; index = next++) {
        await pause?.();
        waiting.set(index, await readOne(files[index]!, cache, parsed));
        for (; waiting.has(taken); taken += 1) {
          const read = waiting.get(taken);
          waiting.delete(taken);
          if (read !== undefined) take(withoutForeign(read));
        }
      }
    }
    await Promise.all(Array.from({ length: Math.min(MAX_READS, files.length) }, worker));
  }

  async function readOne(
    listed: StoredFile,
    cache: ParseCache | undefined,
    parsed: ParsedFiles | undefined,
  ): Promise<ReadFile | undefined> {
    const stored = cache?.dated(listed) ?? listed;
    const { key, size } = stored;
    const role = readKey(key);
    if (role.role !== 'entity') return { key, role, result: undefined };
    if (size > MAX_FILE_BYTES) return { key, role, result: tooLarge(size) };
    const cached = cache?.unchanged(stored);
    if (cached !== undefined) {
      const { bytes, digest, made } = cached;
      return {
        key,
        role,
        result: check(stored, role, bytes, { digest, parsed: revive(made), problems: [] }),
      };
    }
    let bytes: Uint8Array | undefined;
    try {
      bytes = await driver.read(key);
    } catch (error) {
      const reason = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
      return { key, role, result: unreadable('file/unreadable', `The file cannot be read${reason}.`) };
    }
    const known = parsed?.get(key);
    const isKnown = bytes !== undefined && dequal(known?.bytes, bytes);
    return (
      bytes && {
        key,
        role,
        result: readBytes(stored, role, bytes, isKnown ? known?.parsed : undefined, cache),
      }
    );
  }

  function readBytes(
    stored: StoredFile,
    role: EntityKey,
    bytes: Uint8Array,
    parsed?: ParseResult,
    cache?: ParseCache,
  ): ReadResult {
    if (bytes.length > MAX_FILE_BYTES) return tooLarge(bytes.length);
    const inMemory = bytesInMemory(bytes);
    return check(stored, role, inMemory, parsed ?? parse(stored, role, bytes, inMemory, cache));
  }

  function check(stored: StoredFile, role: EntityKey, bytes: StoredBytes, parsed: ParseResult): ReadResult {
    return readContentFile(stored, bytes, role, declared.get(role.type), parsed, site);
  }

  return {
    async stat(key) {
      if (readKey(key).role === 'asset') return undefined;
      try {
        return await driver.stat(key);
      } catch {
        // Reading it fails too, and reports the reason.
        return { key, size: 0, mtimeMs: 0 };
      }
    },
    async readAll(files, parsed) {
      const all: ReadFile[] = [];
      await readEach(files, (read) => all.push(read), undefined, undefined, parsed);
      return all;
    },
    readEach,
    readAs(key, bytes, parsed) {
      const role = readKey(key);
      const stored = { key, size: bytes.length, mtimeMs: Date.now() };
      return {
        key,
        role,
        result: role.role === 'entity' ? readBytes(stored, role, bytes, parsed) : undefined,
      };
    },
  };
}

/**
 * Files that no author meant as an entity are skipped instead of being errors: data files that other tools read, and pages
 * whose frontmatter is code.
 */
function withoutForeign(read: ReadFile): ReadFile {
  const { key, result } = read;
  if (result === undefined || result.draft !== undefined) return read;
  const [error, ...others] = result.problems.filter(isError);
  if (error === undefined || others.length > 0) return read;
  const severity = FOREIGN[error.code] ?? (isDataKey(key) ? FOREIGN_DATA[error.code] : undefined);
  if (severity === undefined) return read;
  const skipped = { ...error, severity, message: `${error.message} The file is skipped.` };
  return { ...read, result: { file: undefined, problems: [skipped] } };
}

const FOREIGN: Severities = { 'frontmatter/language': 'warning' };
const FOREIGN_DATA: Severities = {
  'data/not-a-map': 'info',
  'data/too-large': 'info',
  'file/too-large': 'info',
};
type Severities = Readonly<Record<string, Problem['severity']>>;

/** Caches files without problems only; the others are parsed again to report their problems. */
function parse(
  stored: StoredFile,
  { format }: EntityKey,
  bytes: Uint8Array,
  inMemory: StoredBytes,
  cache?: ParseCache,
): ParseResult {
  const digest = digestBytes(bytes);
  const cached = cache?.sameBytes(stored.key, digest);
  const result: ParseResult =
    cached === undefined
      ? compact(parseFile(bytes, format, digest))
      : { digest, parsed: revive(cached), problems: [] };
  const { parsed, problems } = result;
  if (parsed !== undefined && problems.length === 0 && bytes.length === stored.size) {
    cache?.keep(stored, { bytes: inMemory, digest, made: parsed });
  }
  return result;
}

function unreadable(code: string, message: string, hint?: string): ReadResult {
  return { file: undefined, problems: [problem('error', code, message, hint)] };
}

function tooLarge(size: number): ReadResult {
  const megabytes = (size / 1024 / 1024).toFixed(1);
  const message = `The file has ${megabytes} MB; the limit is ${MAX_FILE_BYTES / 1024 / 1024} MB.`;
  return unreadable('file/too-large', message, 'Split it, or move data and images out of it.');
}

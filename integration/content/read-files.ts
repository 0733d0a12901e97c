import { withoutPrototypes } from '../source/parsed-data.ts';
import type { OpenFileCache } from '../storage/cache/file-cache.ts';
import type { StorageDriver, StoredFile } from '../storage/driver.ts';
import { type StoredBytes, bytesInMemory } from '../storage/stored-bytes.ts';
import { digestBytes } from '../util/revision.ts';
import { type ReadResult, MAX_FILE_BYTES, readContentFile, refused } from './content-file.ts';
import { type ParsedFile, type ParseResult, parseFile } from './parse-file.ts';
import { type FileRole, roleOf } from './resource-type.ts';
import type { DeclaredBundle } from './schema/schema-fields.ts';

/** Files read at the same time. */
const READS_AT_ONCE = 32;

/** Reads files and says of each what it is. */
export interface FileReader {
  /** The file as it is now; undefined where there is none, or none that content is made of. */
  find(key: string): Promise<StoredFile | undefined>;
  /** In the order given, without those that went away meanwhile. What the cache has is not parsed. */
  readAll(files: readonly StoredFile[], cache?: ParseCache): Promise<readonly PlacedFile[]>;
  /** A file as it would be if these were its bytes now. */
  imagine(key: string, bytes: Uint8Array): PlacedFile;
}

export type ParseCache = OpenFileCache<ParsedFile>;

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

  async function readAll(files: readonly StoredFile[], cache?: ParseCache): Promise<readonly PlacedFile[]> {
    const results: PlacedFile[] = new Array(files.length);
    let next = 0;
    async function worker(): Promise<void> {
      for (let index = next++; index < files.length; index = next++) {
        results[index] = await readOne(files[index]!, cache);
      }
    }
    await Promise.all(Array.from({ length: Math.min(READS_AT_ONCE, files.length) }, worker));
    return results.filter(({ gone }) => !gone);
  }

  async function readOne(stored: StoredFile, cache: ParseCache | undefined): Promise<PlacedFile> {
    const role = roleOf(stored.key);
    const { key } = stored;
    if (role.role !== 'entity') {
      return { key, role, gone: false, result: undefined };
    }
    if (stored.size > MAX_FILE_BYTES) {
      return { key, role, gone: false, result: tooLarge(stored.size) };
    }
    const cached = cache?.unchanged(stored);
    if (cached !== undefined) {
      const { bytes, digest, made } = cached;
      const result = check(stored, role, bytes, { digest, parsed: fromJson(made), problems: [] });
      return { key, role, gone: false, result };
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
      bytes.length > MAX_FILE_BYTES ? tooLarge(bytes.length) : readNew(stored, role, bytes, cache);
    return { key, role, gone: false, result };
  }

  function readNew(stored: StoredFile, role: EntityRole, bytes: Uint8Array, cache?: ParseCache): ReadResult {
    const kept = bytesInMemory(bytes);
    return check(stored, role, kept, parse(stored, role, bytes, kept, cache));
  }

  function check(stored: StoredFile, role: EntityRole, bytes: StoredBytes, parsed: ParseResult): ReadResult {
    return readContentFile(stored, bytes, role.format, declared.get(role.type), parsed);
  }

  function imagine(key: string, bytes: Uint8Array): PlacedFile {
    const role = roleOf(key);
    if (role.role !== 'entity') return { key, role, gone: false, result: undefined };
    const stored = { key, size: bytes.length, mtimeMs: Date.now() };
    const result = bytes.length > MAX_FILE_BYTES ? tooLarge(bytes.length) : readNew(stored, role, bytes);
    return { key, role, gone: false, result };
  }

  return { find, readAll, imagine };
}

/** Only files without any problem are kept: the others are read again, to say what is wrong and where. */
function parse(
  stored: StoredFile,
  { format }: EntityRole,
  bytes: Uint8Array,
  kept: StoredBytes,
  cache?: ParseCache,
): ParseResult {
  const digest = digestBytes(bytes);
  const known = cache?.sameBytes(stored.key, digest);
  const result: ParseResult =
    known === undefined
      ? compacted(parseFile(bytes, format, digest))
      : { digest, parsed: fromJson(known), problems: [] };
  const { parsed, problems } = result;
  if (parsed !== undefined && problems.length === 0 && bytes.length === stored.size) {
    cache?.keep(stored, { bytes: kept, digest, made: parsed });
  }
  return result;
}

/** What a parser cut from the text of a file keeps all of that text in memory, and what grew has room to spare: copied. */
function compacted({ parsed, ...others }: ParseResult): ParseResult {
  return { ...others, parsed: parsed && fromJson(JSON.parse(JSON.stringify(parsed)) as ParsedFile) };
}

function fromJson({ data, ...others }: ParsedFile): ParsedFile {
  return { ...others, data: withoutPrototypes(data) };
}

type EntityRole = Extract<FileRole, { readonly role: 'entity' }>;

function tooLarge(size: number): ReadResult {
  const megabytes = (size / 1024 / 1024).toFixed(1);
  const message = `The file has ${megabytes} MB; at most ${MAX_FILE_BYTES / 1024 / 1024} MB are read.`;
  return refused('file/too-large', message, 'Split it, or move data and images out of it.');
}

import { readSync } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { ZodError } from 'zod';
import { digestText } from '../../util/revision.ts';
import { errorMessage } from '../../util/text.ts';
import { codeOf, isMissing } from '../drivers/fs-paths.ts';
import { type ByteSource, bytesInMemory, type StoredBytes } from '../stored-bytes.ts';

/** JSON, and bytes that the JSON describes, in one file. Nothing throws: failures are logged. */
export interface CacheFile {
  /** Undefined if the file is missing or cannot be used. `decode` may throw an Error whose message says why. */
  read<T>(decode: (json: unknown, bytes: StoredBytes) => T): Promise<T | undefined>;
  /**
   * Replaces the file atomically. The pieces are written one by one, so they do not have to be in memory together. Returns
   * the bytes as stored in the file; undefined if it was not written, or cannot stay open.
   */
  write(json: Iterable<string>, bytes?: Iterable<Uint8Array>): Promise<StoredBytes | undefined>;
}

export interface CacheFileDeps {
  /** Absolute path. */
  readonly path: string;
  /** Everything that the content depends on. A file with another version is ignored. */
  readonly version: string;
  readonly log: CacheLog;
  /** What happens if the file is missing, for the log: `the next start reads all files again`. */
  readonly effect: string;
}

export interface CacheLog {
  warn(message: string): void;
  debug?(message: string): void;
}

export function createCacheFile({ path, version, log, effect }: CacheFileDeps): CacheFile {
  return {
    async read(decode) {
      try {
        const content = await readContent(path, version);
        return content && decode(content.json, content.bytes);
      } catch (error) {
        // A changed configuration or a new version of the package does not make a cache suspicious.
        const report = error instanceof OtherVersionError ? log.debug : log.warn;
        report?.call(log, `The cache ${path} is ignored: ${describeError(error)}. It will be rewritten.`);
        return undefined;
      }
    },
    async write(json, bytes = []) {
      try {
        return await writeContent(path, version, json, bytes);
      } catch (error) {
        log.warn(`The cache ${path} cannot be written (${codeOf(error) ?? errorMessage(error)}): ${effect}.`);
        return undefined;
      }
    },
  };
}

function describeError(error: unknown): string {
  if (error instanceof ZodError) return 'its format is unknown';
  const code = codeOf(error);
  return code === undefined ? errorMessage(error) : `it cannot be read (${code})`;
}

class OtherVersionError extends Error {}

async function readContent(
  path: string,
  version: string,
): Promise<{ readonly json: unknown; readonly bytes: StoredBytes } | undefined> {
  const file = await open(path, 'r').catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  if (file === undefined) return undefined;
  let staysOpen = false;
  try {
    const head = parseHead((await readExactly(file, 0, HEAD_BYTES)).toString('latin1'));
    if (head.version !== digestText(version))
      throw new OtherVersionError('it is of another version or other settings');
    const start = HEAD_BYTES + head.jsonBytes;
    const { size } = await file.stat();
    if (size !== start + head.bytes) throw new Error('it is incomplete');
    const text = await readExactly(file, HEAD_BYTES, head.jsonBytes);
    if ((await checksumOf(file, start, head.bytes, crc32(text))) !== head.checksum)
      throw new Error('its checksum is wrong');
    const json: unknown = JSON.parse(text.toString('utf8'));
    if (!OPEN_FILES_STAY) return { json, bytes: bytesInMemory(await readExactly(file, start, head.bytes)) };
    staysOpen = true;
    return { json, bytes: { source: createFileByteSource(file, () => size), start, length: head.bytes } };
  } finally {
    if (!staysOpen) await file.close();
  }
}

/** Computes the checksum without keeping the bytes in memory. */
async function checksumOf(file: FileHandle, start: number, length: number, before: number): Promise<number> {
  const buffer = Buffer.allocUnsafeSlow(Math.min(length, BATCH_BYTES));
  let checksum = before;
  for (let done = 0; done < length; ) {
    const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, length - done), start + done);
    if (bytesRead === 0) throw new Error('it is incomplete');
    checksum = crc32(buffer.subarray(0, bytesRead), checksum);
    done += bytesRead;
  }
  return checksum;
}

async function writeContent(
  path: string,
  version: string,
  json: Iterable<string>,
  bytes: Iterable<Uint8Array>,
): Promise<StoredBytes | undefined> {
  await mkdir(dirname(path), { recursive: true });
  const draft = draftOf(path);
  const file = await open(draft, 'wx+');
  try {
    let checksum = 0;
    let end = HEAD_BYTES;
    async function append(pieces: Iterable<string | Uint8Array>): Promise<void> {
      for (const batch of batches(pieces)) {
        checksum = crc32(batch, checksum);
        await file.write(batch, 0, batch.length, end);
        end += batch.length;
      }
    }
    await append(json);
    const start = end;
    await append(bytes);
    const head = `${MAGIC}${digestText(version)} ${start - HEAD_BYTES} ${end - start} ${checksum}`;
    await file.write(`${head.padEnd(HEAD_BYTES - 1)}\n`, 0, 'latin1');
    if (!OPEN_FILES_STAY) await file.close();
    await rename(draft, path);
    if (!OPEN_FILES_STAY) return undefined;
    return { source: createFileByteSource(file, () => end), start, length: end - start };
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(draft, { force: true });
    throw error;
  }
}

/** A path that nothing else uses. */
export function draftOf(path: string): string {
  return `${path}.${process.pid}-${Math.random().toString(36).slice(2)}`;
}

const MAGIC = 'astro-jsonapi cache 4: ';
/** `MAGIC<digest of the version> <bytes of JSON> <other bytes> <checksum of both>`, padded with spaces, precedes the JSON. */
const HEAD_BYTES = 128;
/** Bytes that are read or written in one call; the event loop continues between two batches. */
const BATCH_BYTES = 1024 * 1024;
/** True if an open file can be replaced. */
export const OPEN_FILES_STAY = process.platform !== 'win32';

function parseHead(text: string): {
  readonly version: string;
  readonly jsonBytes: number;
  readonly bytes: number;
  readonly checksum: number;
} {
  const [version, ...numbers] = text.startsWith(MAGIC) ? text.slice(MAGIC.length).trim().split(' ') : [];
  const [jsonBytes = -1, bytes = -1, checksum = -1] = numbers.map(Number);
  if (version === undefined || ![jsonBytes, bytes, checksum].every((number) => number >= 0))
    throw new Error('it is not a cache file');
  return { version, jsonBytes, bytes, checksum };
}

async function readExactly(file: FileHandle, start: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(length);
  for (let done = 0; done < length; ) {
    const { bytesRead } = await file.read(buffer, done, length - done, start + done);
    if (bytesRead === 0) throw new Error('it is incomplete');
    done += bytesRead;
  }
  return buffer;
}

function* batches(pieces: Iterable<string | Uint8Array>): Generator<Buffer> {
  let batch: Uint8Array[] = [];
  let size = 0;
  for (const piece of pieces) {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    batch.push(bytes);
    size += bytes.length;
    if (size < BATCH_BYTES) continue;
    yield Buffer.concat(batch);
    batch = [];
    size = 0;
  }
  yield Buffer.concat(batch);
}

/**
 * The bytes of an open file, even if it is renamed or deleted. The file is closed when the source is garbage-collected.
 * `size` returns the size of the file.
 */
export function createFileByteSource(file: OpenFile, size: () => number): ByteSource {
  let ahead: Uint8Array = new Uint8Array(0);
  let aheadFrom = 0;
  let expected = 0;
  let sequentialReads = 0;

  function readExactly(start: number, length: number): Uint8Array {
    const bytes = Buffer.allocUnsafeSlow(length);
    for (let done = 0; done < length; ) {
      const count = readSync(file.fd, bytes, done, length - done, start + done);
      if (count === 0)
        throw new Error('Another program has truncated the content cache: restart the server.');
      done += count;
    }
    return bytes;
  }

  const source: ByteSource = {
    read(start, length) {
      const nearby = start >= expected && start - expected <= GAP_BYTES;
      sequentialReads = nearby ? sequentialReads + 1 : 0;
      expected = start + length;
      if (sequentialReads >= MIN_SEQUENTIAL && !isWithin(start, length, aheadFrom, ahead.length)) {
        ahead = readExactly(start, Math.min(Math.max(length, AHEAD_BYTES), size() - start));
        aheadFrom = start;
      }
      return isWithin(start, length, aheadFrom, ahead.length)
        ? ahead.subarray(start - aheadFrom, start - aheadFrom + length)
        : readExactly(start, length);
    },
  };
  openFiles.register(source, file);
  return source;
}

function isWithin(start: number, length: number, from: number, size: number): boolean {
  return start >= from && start + length <= from + size;
}

type OpenFile = Pick<FileHandle, 'fd' | 'close'>;

const openFiles = new FinalizationRegistry<OpenFile>((file) => void file.close().catch(() => undefined));

/** After this many sequential reads with small gaps, as in a search of all bodies, the next bytes are read ahead. */
const MIN_SEQUENTIAL = 4;
const GAP_BYTES = 64 * 1024;
const AHEAD_BYTES = 256 * 1024;

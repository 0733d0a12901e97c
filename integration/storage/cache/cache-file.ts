import { readSync } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { errorMessage } from '../../util/text.ts';
import { type ByteSource, bytesInMemory, type StoredBytes } from '../stored-bytes.ts';

/** The content of a cache file: JSON, and bytes that the JSON describes. */
export interface CacheContent {
  readonly json: unknown;
  /** Verified; not in memory if the file can stay open. */
  readonly bytes: StoredBytes;
}

/** JSON and bytes in pieces, so that neither has to be in memory as a whole. */
export interface CachePieces {
  readonly json: Iterable<string>;
  readonly bytes: Iterable<Uint8Array>;
}

/**
 * Reads a cache file. `stamp` identifies its version and settings. Undefined if there is no file. Throws an Error whose
 * message is a clause that says why the file cannot be used, such as "it is incomplete".
 */
export async function readCacheFile(path: string, stamp: string): Promise<CacheContent | undefined> {
  const file = await open(path, 'r').catch((error: unknown) => {
    if (isAbsent(error)) return undefined;
    throw new Error(`it cannot be read (${reasonOf(error)})`);
  });
  if (file === undefined) return undefined;
  try {
    const content = await readContent(file, stamp);
    if (!OPEN_FILES_STAY) await file.close();
    return content;
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function readContent(file: FileHandle, stamp: string): Promise<CacheContent> {
  const head = parseHead((await readExactly(file, 0, HEAD_BYTES)).toString('latin1'));
  if (head.stamp !== stampOf(stamp)) throw new Error('it is of another version or other settings');
  const { size } = await file.stat();
  if (size !== HEAD_BYTES + head.jsonBytes + head.bytes) throw new Error('it is incomplete');
  const json = await readExactly(file, HEAD_BYTES, head.jsonBytes);
  const start = HEAD_BYTES + head.jsonBytes;
  const { bytes, checksum } = OPEN_FILES_STAY
    ? await checkBytes(file, start, head.bytes, crc32(json))
    : await takeBytes(file, start, head.bytes, crc32(json));
  if (checksum !== head.checksum) throw new Error('its checksum is wrong');
  return { json: JSON.parse(json.toString('utf8')) as unknown, bytes };
}

async function takeBytes(file: FileHandle, start: number, length: number, before: number): Promise<Checked> {
  const bytes = await readExactly(file, start, length);
  return { bytes: bytesInMemory(bytes), checksum: crc32(bytes, before) };
}

/** Computes the checksum without keeping the bytes in memory. */
async function checkBytes(file: FileHandle, start: number, length: number, before: number): Promise<Checked> {
  const buffer = Buffer.allocUnsafeSlow(Math.min(length, BATCH_BYTES));
  let checksum = before;
  for (let done = 0; done < length; ) {
    const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, length - done), start + done);
    if (bytesRead === 0) throw new Error('it is incomplete');
    checksum = crc32(buffer.subarray(0, bytesRead), checksum);
    done += bytesRead;
  }
  return { bytes: { source: createFileByteSource(file, start + length), start, length }, checksum };
}

/**
 * Replaces a cache file atomically. Returns the bytes as stored in the file; undefined if the file cannot stay open.
 */
export async function writeCacheFile(
  path: string,
  stamp: string,
  pieces: CachePieces,
): Promise<StoredBytes | undefined> {
  await mkdir(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}-${Math.random().toString(36).slice(2)}`;
  const file = await open(draft, 'wx+');
  try {
    let checksum = 0;
    let at = HEAD_BYTES;
    async function write(batch: readonly Uint8Array[]): Promise<void> {
      const joined = Buffer.concat(batch);
      checksum = crc32(joined, checksum);
      await file.write(joined, 0, joined.length, at);
      at += joined.length;
    }
    for (const batch of batches(encoded(pieces.json))) await write(batch);
    const jsonBytes = at - HEAD_BYTES;
    for (const batch of batches(pieces.bytes)) await write(batch);
    const start = HEAD_BYTES + jsonBytes;
    const head = [stampOf(stamp), jsonBytes, at - start, checksum].join(' ');
    await file.write(
      Buffer.from(`${MAGIC}${head}`.padEnd(HEAD_BYTES - 1).concat('\n'), 'latin1'),
      0,
      HEAD_BYTES,
      0,
    );
    if (!OPEN_FILES_STAY) await file.close();
    await rename(draft, path);
    return OPEN_FILES_STAY
      ? { source: createFileByteSource(file, at), start, length: at - start }
      : undefined;
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(draft, { force: true });
    throw error;
  }
}

/** The code of a system error, or the message of another error. */
export function reasonOf(error: unknown): string {
  if (error instanceof Error && 'code' in error) return String(error.code);
  return errorMessage(error);
}

const MAGIC = 'astro-jsonapi cache 2: ';
/** `MAGIC<stamp> <bytes of JSON> <other bytes> <checksum of both>`, padded with spaces, precedes the JSON. */
const HEAD_BYTES = 128;
/** Bytes that are written in one call; the event loop continues between two batches. */
const BATCH_BYTES = 1024 * 1024;

function parseHead(text: string): Head {
  const [stamp, ...numbers] = text.startsWith(MAGIC) ? text.slice(MAGIC.length).trim().split(' ') : [];
  const [jsonBytes, bytes, checksum] = numbers.map(Number);
  if (stamp === undefined || ![jsonBytes, bytes, checksum].every(Number.isSafeInteger)) {
    throw new Error('it is not a cache file');
  }
  return { stamp, jsonBytes: jsonBytes ?? 0, bytes: bytes ?? 0, checksum: checksum ?? 0 };
}

/** A short word for any text. */
function stampOf(text: string): string {
  return `${crc32(text).toString(16)}-${text.length}`;
}

async function readExactly(file: FileHandle, from: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(length);
  for (let done = 0; done < length; ) {
    const { bytesRead } = await file.read(buffer, done, length - done, from + done);
    if (bytesRead === 0) throw new Error('it is incomplete');
    done += bytesRead;
  }
  return buffer;
}

function* encoded(texts: Iterable<string>): Generator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text, 'utf8');
}

function* batches(pieces: Iterable<Uint8Array>): Generator<readonly Uint8Array[]> {
  let batch: Uint8Array[] = [];
  let size = 0;
  for (const piece of pieces) {
    batch.push(piece);
    size += piece.length;
    if (size >= BATCH_BYTES) {
      yield batch;
      batch = [];
      size = 0;
    }
  }
  yield batch;
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}

interface Checked {
  readonly bytes: StoredBytes;
  readonly checksum: number;
}

interface Head {
  readonly stamp: string;
  readonly jsonBytes: number;
  readonly bytes: number;
  readonly checksum: number;
}

/** True if an open file can be replaced. */
const OPEN_FILES_STAY = process.platform !== 'win32';

/**
 * The bytes of an open file, even if it is renamed or deleted. The file is closed when the source is garbage-collected.
 * `size` is the size of the file.
 */
export function createFileByteSource(file: FileHandle, size: number): ByteSource {
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
        ahead = readExactly(start, Math.min(Math.max(length, AHEAD_BYTES), size - start));
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

const openFiles = new FinalizationRegistry<FileHandle>((file) => void file.close().catch(() => undefined));

/** After this many sequential reads with small gaps, as in a search of all bodies, the next bytes are read ahead. */
const MIN_SEQUENTIAL = 4;
const GAP_BYTES = 64 * 1024;
const AHEAD_BYTES = 256 * 1024;

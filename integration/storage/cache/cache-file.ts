import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { bytesInMemory, type StoredBytes } from '../stored-bytes.ts';
import { createFilePlace, OPEN_FILES_STAY } from './file-place.ts';

/** A cache as it lies on disk: a line that describes it, JSON, and bytes that the JSON speaks of. */
export interface CacheContent {
  readonly json: unknown;
  /** Checked, and not in memory where the file can stay open. */
  readonly bytes: StoredBytes;
}

/** What is to be written: the JSON and the bytes in pieces, so that neither is ever in memory as a whole. */
export interface CachePieces {
  readonly json: Iterable<string>;
  readonly bytes: Iterable<Uint8Array>;
}

/**
 * Reads a cache file. `stamp` says who may read it: what was written with another one is foreign.
 * Undefined where there is no file; throws an error that says in half a sentence why it is of no use.
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
  if (size !== HEAD_BYTES + head.jsonBytes + head.bytes) throw new Error('it is not whole');
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

/** Reads all bytes once and keeps none of them. */
async function checkBytes(file: FileHandle, start: number, length: number, before: number): Promise<Checked> {
  const buffer = Buffer.allocUnsafeSlow(Math.min(length, BATCH_BYTES));
  let checksum = before;
  for (let done = 0; done < length; ) {
    const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, length - done), start + done);
    if (bytesRead === 0) throw new Error('it is not whole');
    checksum = crc32(buffer.subarray(0, bytesRead), checksum);
    done += bytesRead;
  }
  return { bytes: { place: createFilePlace(file, start + length), start, length }, checksum };
}

/**
 * Writes a cache file beside its place and then into it, so that whoever reads finds the old or the new one whole.
 * Answers the bytes as they lie there; undefined where the file cannot stay open.
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
    return OPEN_FILES_STAY ? { place: createFilePlace(file, at), start, length: at - start } : undefined;
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(draft, { force: true });
    throw error;
  }
}

/** Of an error of the file system, its code. */
export function reasonOf(error: unknown): string {
  if (error instanceof Error && 'code' in error) return String(error.code);
  return error instanceof Error ? error.message : String(error);
}

const MAGIC = 'astro-jsonapi cache 2: ';
/** Before the JSON: `MAGIC<stamp> <bytes of JSON> <other bytes> <checksum of both>`, filled up with spaces. */
const HEAD_BYTES = 128;
/** Written at once; between two batches others have their turn. */
const BATCH_BYTES = 1024 * 1024;

function parseHead(text: string): Head {
  const [stamp, ...numbers] = text.startsWith(MAGIC) ? text.slice(MAGIC.length).trim().split(' ') : [];
  const [jsonBytes, bytes, checksum] = numbers.map(Number);
  if (stamp === undefined || ![jsonBytes, bytes, checksum].every(Number.isSafeInteger)) {
    throw new Error('it is something else');
  }
  return { stamp, jsonBytes: jsonBytes ?? 0, bytes: bytes ?? 0, checksum: checksum ?? 0 };
}

/** Any text as one short word. */
function stampOf(text: string): string {
  return `${crc32(text).toString(16)}-${text.length}`;
}

async function readExactly(file: FileHandle, from: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(length);
  for (let done = 0; done < length; ) {
    const { bytesRead } = await file.read(buffer, done, length - done, from + done);
    if (bytesRead === 0) throw new Error('it is not whole');
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

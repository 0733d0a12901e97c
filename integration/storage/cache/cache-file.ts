import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';

/** A cache as it lies on disk: a line that describes it, JSON, and bytes that the JSON speaks of. */
export interface CacheContent {
  readonly json: unknown;
  readonly bytes: Uint8Array;
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
    const head = parseHead((await readExactly(file, 0, HEAD_BYTES)).toString('latin1'));
    if (head.stamp !== stampOf(stamp)) throw new Error('it is of another version or other settings');
    const { size } = await file.stat();
    if (size !== HEAD_BYTES + head.jsonBytes + head.bytes) throw new Error('it is not whole');
    const json = await readExactly(file, HEAD_BYTES, head.jsonBytes);
    const bytes = await readExactly(file, HEAD_BYTES + head.jsonBytes, head.bytes);
    if (crc32(bytes, crc32(json)) !== head.checksum) throw new Error('its checksum is wrong');
    return { json: JSON.parse(json.toString('utf8')) as unknown, bytes };
  } finally {
    await file.close();
  }
}

/** Writes a cache file beside its place and then into it, so that whoever reads finds the old or the new one whole. */
export async function writeCacheFile(path: string, stamp: string, pieces: CachePieces): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}-${Math.random().toString(36).slice(2)}`;
  const file = await open(draft, 'wx');
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
    const head = [stampOf(stamp), jsonBytes, at - HEAD_BYTES - jsonBytes, checksum].join(' ');
    await file.write(
      Buffer.from(`${MAGIC}${head}`.padEnd(HEAD_BYTES - 1).concat('\n'), 'latin1'),
      0,
      HEAD_BYTES,
      0,
    );
    await file.close();
    await rename(draft, path);
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

type FileHandle = Awaited<ReturnType<typeof open>>;

interface Head {
  readonly stamp: string;
  readonly jsonBytes: number;
  readonly bytes: number;
  readonly checksum: number;
}

import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { ServiceUnavailableError } from '../../util/errors.ts';
import type { ByteRange, FileParts, StoredFile } from '../driver.ts';

/** Small files share blocks of memory, because a buffer for each would cost as much as its content. */
const BLOCK_BYTES = 1024 * 1024;
const SMALL_BYTES = BLOCK_BYTES / 16;

// Otherwise, opening a pipe without a writer would block forever.
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
/** Makes opening a link fail; undefined if the system has no such flag. */
const NO_LINK: number | undefined = constants.O_NOFOLLOW;

/** Reads whole files. Returns undefined for pipes and devices, which could block forever. */
export function createFileBytes(): FileBytes {
  let block = new Uint8Array(0);
  let used = 0;

  /** Undefined if the size of the file has changed. */
  function readSmall(file: number, size: number): Uint8Array | undefined {
    if (used + size + 1 > block.length) {
      block = new Uint8Array(BLOCK_BYTES);
      used = 0;
    }
    // One more byte shows if the file has grown.
    if (readSync(file, block, used, size + 1, 0) !== size) return undefined;
    const bytes = block.subarray(used, used + size);
    // Aligned, so that callers can read 32-bit words.
    used += (size + 3) & ~3;
    return bytes;
  }

  function read(path: string, flags: number): Uint8Array | undefined {
    const file = openSync(path, flags);
    try {
      const stats = fstatSync(file);
      if (!stats.isFile()) return undefined;
      const small = stats.size < SMALL_BYTES ? readSmall(file, stats.size) : undefined;
      return small ?? readFileSync(file);
    } finally {
      closeSync(file);
    }
  }

  return {
    read: (path) => read(path, FLAGS),
    readInside(folder, key) {
      if (NO_LINK === undefined || isThroughLink(folder, key)) return undefined;
      try {
        return read(`${folder}/${key}`, FLAGS | NO_LINK);
      } catch {
        return undefined;
      }
    },
  };
}

export interface FileBytes {
  read(path: string): Uint8Array | undefined;
  /**
   * Fast path for a normalized key: the file, if no link is involved, so it cannot be outside the folder. Undefined if
   * the full check is necessary.
   */
  readInside(folder: string, key: string): Uint8Array | undefined;
}

/** At most `length` bytes from the offset `start`. */
export function readSome(path: string, start: number, length: number): Buffer {
  const file = openSync(path, FLAGS);
  try {
    const buffer = Buffer.alloc(length);
    return buffer.subarray(0, readSync(file, buffer, 0, length, start));
  } finally {
    closeSync(file);
  }
}

/**
 * Bytes of a file as it was at `stat`, in parts. If it is replaced while it is read, the old file is read to its end. Throws a
 * 503 if the file at `path` is another one already, or if it changes in place.
 */
export async function* readParts(
  path: string,
  { key, size, mtimeMs }: StoredFile,
  length: number,
  { start, end }: ByteRange,
): FileParts {
  const file = await open(path, FLAGS).catch(() => undefined);
  if (file === undefined) throw changed(key);
  try {
    requireSame();
    for (let at = start; at < end; at += length) {
      const part = await readPart(file, at, Math.min(length, end - at));
      requireSame();
      if (part === undefined) throw changed(key);
      yield part;
    }
  } finally {
    await file.close();
  }

  function requireSame(): void {
    const stats = fstatSync(file?.fd ?? -1);
    if (!stats.isFile() || stats.size !== size || stats.mtimeMs !== mtimeMs) throw changed(key);
  }
}

/** A 503, because the next request will succeed. */
export function changed(key: string): ServiceUnavailableError {
  return new ServiceUnavailableError(`${key} changed while it was read. Try again.`, RETRY_AFTER_SECONDS);
}

const RETRY_AFTER_SECONDS = 1;

/** Undefined if the file ends before. */
async function readPart(
  file: FileHandle,
  at: number,
  length: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const part = new Uint8Array(length);
  for (let read = 0; read < length; ) {
    const { bytesRead } = await file.read(part, read, length - read, at + read);
    if (bytesRead === 0) return undefined;
    read += bytesRead;
  }
  return part;
}

function isThroughLink(folder: string, key: string): boolean {
  for (let at = key.indexOf('/'); at !== -1; at = key.indexOf('/', at + 1)) {
    const parent = lstatSync(`${folder}/${key.slice(0, at)}`, { throwIfNoEntry: false });
    if (parent?.isDirectory() !== true) return true;
  }
  return false;
}

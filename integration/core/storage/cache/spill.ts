import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { readBytes, relocateBytes, type StoredBytes } from '../stored-bytes.ts';
import { createFileByteSource, draftOf, OPEN_FILES_STAY } from './cache-file.ts';

/** Takes bytes out of memory until a cache file contains them. */
export interface Spill {
  /** The bytes are soon read from a file instead. */
  add(bytes: StoredBytes): void;
}

/** The bytes are in a deleted file beside `path`, which ends with the process. If it cannot be written, they stay in memory. */
export function createSpill(path: string): Spill {
  let isUsable = OPEN_FILES_STAY;
  let waiting: StoredBytes[] = [];
  let waitingBytes = 0;
  let end = 0;
  let opened: OpenedSpill | undefined;

  function write(): void {
    const pieces = waiting;
    waiting = [];
    waitingBytes = 0;
    try {
      opened ??= openDeleted(path, () => end);
      const batch = Buffer.concat(pieces.map((piece) => readBytes(piece)));
      for (let done = 0; done < batch.length; ) {
        done += writeSync(opened.fd, batch, done, batch.length - done, end + done);
      }
      let at = end;
      end += batch.length;
      for (const piece of pieces) {
        relocateBytes(piece, opened.source, at);
        at += piece.length;
      }
    } catch {
      // The cache cannot be written there either, and reports the reason.
      isUsable = false;
    }
  }

  return {
    add(bytes) {
      if (!isUsable) return;
      waiting.push(bytes);
      waitingBytes += bytes.length;
      if (waitingBytes >= BATCH_BYTES) write();
    },
  };
}

const BATCH_BYTES = 1024 * 1024;

type OpenedSpill = ReturnType<typeof openDeleted>;

function openDeleted(path: string, size: () => number) {
  mkdirSync(dirname(path), { recursive: true });
  const draft = draftOf(path);
  const fd = openSync(draft, 'wx+', 0o600);
  rmSync(draft);
  return { fd, source: createFileByteSource({ fd, close: async () => closeSync(fd) }, size) };
}

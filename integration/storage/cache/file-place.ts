import { readSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { BytesPlace } from '../stored-bytes.ts';

/** Whether a file can be replaced while it is open. */
export const OPEN_FILES_STAY = process.platform !== 'win32';

/**
 * The bytes of an open file, also when its name has come to be another file's or nobody's. It is closed when nobody
 * can ask for them any more. `size`: of the file.
 */
export function createFilePlace(file: FileHandle, size: number): BytesPlace {
  let ahead = NOTHING;
  let aheadFrom = 0;
  let expected = 0;
  let inRow = 0;

  function readExactly(start: number, length: number): Uint8Array {
    const bytes = Buffer.allocUnsafeSlow(length);
    for (let done = 0; done < length; ) {
      const count = readSync(file.fd, bytes, done, length - done, start + done);
      if (count === 0)
        throw new Error('The cache of content was cut short by another program: restart the server.');
      done += count;
    }
    return bytes;
  }

  const place: BytesPlace = {
    read(start, length) {
      const nearby = start >= expected && start - expected <= GAP_BYTES;
      inRow = nearby ? inRow + 1 : 0;
      expected = start + length;
      if (inRow >= READS_IN_ROW && !isWithin(start, length, aheadFrom, ahead.length)) {
        ahead = readExactly(start, Math.min(Math.max(length, AHEAD_BYTES), size - start));
        aheadFrom = start;
      }
      return isWithin(start, length, aheadFrom, ahead.length)
        ? ahead.subarray(start - aheadFrom, start - aheadFrom + length)
        : readExactly(start, length);
    },
  };
  closing.register(place, file);
  return place;
}

function isWithin(start: number, length: number, from: number, size: number): boolean {
  return start >= from && start + length <= from + size;
}

const closing = new FinalizationRegistry<FileHandle>((file) => void file.close().catch(() => undefined));

/** Who reads so many pieces one behind the other, no further apart, reads on most likely: a search of all bodies. */
const READS_IN_ROW = 4;
const GAP_BYTES = 64 * 1024;
const AHEAD_BYTES = 256 * 1024;
const NOTHING: Uint8Array = new Uint8Array(0);

import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from 'node:fs';

/** Small files share memory in blocks of so many bytes; a buffer for each would cost as much as what it holds. */
const BLOCK_BYTES = 1024 * 1024;
const SMALL_BYTES = BLOCK_BYTES / 16;

// Opening a pipe that nobody writes to would never end otherwise.
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Reads whole files; answers undefined for what is no file: reading a pipe or a device might never end. */
export function createFileBytes(): (path: string) => Uint8Array | undefined {
  let block = new Uint8Array(0);
  let used = 0;

  /** Undefined where the file grew or shrank meanwhile. */
  function readSmall(file: number, size: number): Uint8Array | undefined {
    if (used + size + 1 > block.length) {
      block = new Uint8Array(BLOCK_BYTES);
      used = 0;
    }
    // One byte more than there should be tells whether there is more.
    if (readSync(file, block, used, size + 1, 0) !== size) return undefined;
    used += size;
    return block.subarray(used - size, used);
  }

  return (path) => {
    const file = openSync(path, FLAGS);
    try {
      const stats = fstatSync(file);
      if (!stats.isFile()) return undefined;
      const small = stats.size < SMALL_BYTES ? readSmall(file, stats.size) : undefined;
      return small ?? readFileSync(file);
    } finally {
      closeSync(file);
    }
  };
}

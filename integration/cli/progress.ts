import type { StorageDriver } from '../storage/driver.ts';
import type { Terminal } from './command.ts';

/** Folders with fewer files are read before anybody wonders. */
export const MIN_FILES = 2000;
/** Milliseconds between two states of the line. */
const INTERVAL = 100;

/**
 * The driver, saying how far reading has come where there is much to read: on a terminal in one line that is removed
 * by `done`, elsewhere in one plain line at the start.
 */
export function withProgress(
  driver: StorageDriver,
  folder: string,
  { say, overwrite }: Terminal,
): { readonly driver: StorageDriver; done(): void } {
  let total = 0;
  let read = 0;
  let shown = 0;
  let finished = false;

  function step(): void {
    read += 1;
    const now = performance.now();
    if (overwrite === undefined || finished || total < MIN_FILES || now - shown < INTERVAL) return;
    shown = now;
    overwrite(`Reading ${folder}: ${number(Math.min(read, total))} of ${number(total)} files`);
  }

  return {
    driver: {
      ...driver,
      async list() {
        const listing = await driver.list();
        if (!finished) total = listing.files.length;
        if (total >= MIN_FILES && overwrite === undefined && !finished && read === 0) {
          say(`Reading ${number(total)} files in ${folder} …`);
        }
        return listing;
      },
      read(key) {
        step();
        return driver.read(key);
      },
    },
    done() {
      finished = true;
      if (shown > 0) overwrite?.('');
    },
  };
}

function number(value: number): string {
  return value.toLocaleString('en');
}

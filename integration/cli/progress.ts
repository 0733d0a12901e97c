import type { Progress, Terminal } from '../core/runtime/command.ts';
import type { StorageDriver } from '../core/storage/driver.ts';

/** The smallest number of steps with progress. */
export const MIN_FILES = 2000;
/** Milliseconds between two updates of the line. */
const INTERVAL = 100;

/** Shows the progress of many steps: on a terminal as a line that `done` clears, elsewhere as one line at the start. */
export function createProgress(
  { verb, noun, folder }: Record<'verb' | 'noun' | 'folder', string>,
  { report, overwrite }: Terminal,
): Progress {
  let total = 0;
  let steps = 0;
  let updated = 0;
  let finished = false;
  return {
    start(count) {
      if (finished) return;
      total = count;
      if (total >= MIN_FILES && overwrite === undefined && steps === 0) {
        report(`${verb} ${number(total)} ${noun} in ${folder} …`);
      }
    },
    step() {
      steps += 1;
      const now = performance.now();
      if (overwrite === undefined || finished || total < MIN_FILES || now - updated < INTERVAL) return;
      updated = now;
      overwrite(`${verb} ${folder}: ${number(Math.min(steps, total))} of ${number(total)} ${noun}`);
    },
    done() {
      finished = true;
      if (updated > 0) overwrite?.('');
    },
  };
}

/** A driver that shows the progress of its reads. */
export function withProgress(
  driver: StorageDriver,
  folder: string,
  terminal: Terminal,
): { readonly driver: StorageDriver; done(): void } {
  const progress = createProgress({ verb: 'Reading', noun: 'files', folder }, terminal);
  return {
    driver: {
      ...driver,
      async list() {
        const listing = await driver.list();
        progress.start(listing.files.length);
        return listing;
      },
      read(key) {
        progress.step();
        return driver.read(key);
      },
    },
    done: progress.done,
  };
}

function number(value: number): string {
  return value.toLocaleString('en');
}

import type { StorageDriver } from '../storage/driver.ts';
import type { Terminal } from './command.ts';

/** Fewer files need no progress. */
export const MIN_FILES = 2000;
/** Milliseconds between two states of the line. */
const INTERVAL = 100;

/** How far a long piece of work has come. */
export interface Progress {
  /** Sets how many steps there are. */
  start(total: number): void;
  step(): void;
  done(): void;
}

/**
 * Shows progress if there are many steps: on a terminal in one line that `done` removes, elsewhere in one plain line at
 * the start.
 */
export function createProgress(
  { verb, noun, folder }: Record<'verb' | 'noun' | 'folder', string>,
  { say, overwrite }: Terminal,
): Progress {
  let total = 0;
  let steps = 0;
  let shown = 0;
  let finished = false;
  return {
    start(count) {
      if (finished) return;
      total = count;
      if (total >= MIN_FILES && overwrite === undefined && steps === 0) {
        say(`${verb} ${number(total)} ${noun} in ${folder} …`);
      }
    },
    step() {
      steps += 1;
      const now = performance.now();
      if (overwrite === undefined || finished || total < MIN_FILES || now - shown < INTERVAL) return;
      shown = now;
      overwrite(`${verb} ${folder}: ${number(Math.min(steps, total))} of ${number(total)} ${noun}`);
    },
    done() {
      finished = true;
      if (shown > 0) overwrite?.('');
    },
  };
}

/** The driver, with progress of its reads. */
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

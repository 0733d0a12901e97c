/** Milliseconds of work after which the event loop continues. */
const SLICE_MS = 5;

/**
 * Divides long work into slices, between which requests and the output of other processes are handled. Call the function between two
 * steps, and await its result. Workers that share it pause together. `nextTurn` calls back in the next turn of the event loop.
 */
export function createPauses(nextTurn: NextTurn): Pause {
  let started = performance.now();
  let pausing: Promise<void> | undefined;
  return () => {
    if (performance.now() - started < SLICE_MS) return pausing;
    pausing ??= new Promise((resume) => {
      nextTurn(() => {
        pausing = undefined;
        started = performance.now();
        resume();
      });
    });
    return pausing;
  };
}

export type NextTurn = (callback: () => void) => void;
export type Pause = () => Promise<void> | undefined;

import { DomainError } from '../util/errors.ts';

/** The length of a slice in milliseconds. */
const SLICE_MS = 5;
/** Milliseconds that new work always gets: most queries need less. */
const MIN_MS = 1;

/** Shares the thread between requests: long work runs in slices, and other requests run between the slices. */
export interface TimeSlices {
  /** Starts the first slice of a piece of work. Abort `signal` when its result is no longer needed. */
  begin(signal?: AbortSignal): LongWork;
}

export interface LongWork {
  /** Undefined during the slice; after it, a promise of the next slice. Rejects if the work was aborted. */
  pause(): Promise<void> | undefined;
  /** Resolves at the next slice. Rejects if the work was aborted. */
  rest(): Promise<void>;
  /**
   * The result of `attempt`, which runs again in each slice until it returns. It must store its progress before each
   * call of `checkSlice`, so that the next attempt continues there.
   */
  finish<T>(attempt: () => T): T | Promise<T>;
}

/**
 * Each turn of the event loop runs one slice of new work and one slice of work that has waited before, so that neither
 * the number of requests nor their size delays others by more than two slices. `nextTurn` runs a function after pending
 * events, like Node's `setImmediate`; a timer takes a millisecond longer.
 */
export function createTimeSlices(
  nextTurn: (run: () => void) => void = (run) => void setTimeout(run),
): TimeSlices {
  const newWork: (() => void)[] = [];
  const resumedWork: (() => void)[] = [];
  let isRunning = false;
  /** Milliseconds that long work has used in this turn of the event loop. */
  let used = 0;

  function runTurn(): void {
    used = 0;
    newWork.shift()?.();
    resumedWork.shift()?.();
    isRunning = newWork.length + resumedWork.length > 0;
    if (isRunning) nextTurn(runTurn);
  }

  function wait(queue: (() => void)[]): Promise<void> {
    return new Promise((resolve) => {
      queue.push(resolve);
      if (!isRunning) nextTurn(runTurn);
      isRunning = true;
    });
  }

  return {
    begin(signal) {
      let started = performance.now();
      let slice = Math.max(MIN_MS, SLICE_MS - used);
      let hasRested = false;

      async function rest(): Promise<void> {
        used += performance.now() - started;
        await wait(hasRested ? resumedWork : newWork);
        if (signal?.aborted === true) throw new ClientGoneError();
        hasRested = true;
        started = performance.now();
        slice = SLICE_MS;
      }

      async function finishLater<T>(attempt: () => T): Promise<T> {
        for (;;) {
          await rest();
          const done = runUntil(started + slice, attempt);
          if (done !== undefined) return done.value;
        }
      }

      return {
        pause: () => (performance.now() - started < slice ? undefined : rest()),
        rest,
        finish<T>(attempt: () => T) {
          const done = runUntil(started + slice, attempt);
          return done === undefined ? finishLater(attempt) : done.value;
        },
      };
    },
  };
}

/** The client closed the connection before the response was ready, so no client reads this error. */
export class ClientGoneError extends DomainError {
  override readonly name = 'ClientGoneError';
  constructor() {
    super('client-gone', 'The client closed the connection.');
  }
}

/**
 * Interrupts the running attempt of `finish` if its slice is over. Call it only after storing progress: an attempt that
 * makes no progress would be interrupted forever.
 */
export function checkSlice(): void {
  if (end !== undefined && performance.now() >= end) throw SLICE_IS_OVER;
}

/** True while an attempt may be interrupted. */
export function isSliced(): boolean {
  return end !== undefined;
}

/** Runs without slices: for work that frequent changes of the content would interrupt forever. */
export function withoutSlices<T>(run: () => T): T {
  const before = end;
  end = undefined;
  try {
    return run();
  } finally {
    end = before;
  }
}

/** Runs all steps at once. */
export function allSteps<T>(steps: Generator<void, T, undefined>): T {
  return withoutSlices(() => stepsInSlices(steps));
}

/** Like `allSteps`, but the slice may end after each step. The next call continues there. */
export function stepsInSlices<T>(steps: Generator<void, T, undefined>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    checkSlice();
  }
}

/** Returns a function that runs the steps once, in one or more slices, and returns their result. */
export function onceInSlices<T>(steps: Generator<void, T, undefined>): () => T {
  let done: { readonly result: T } | undefined;
  return () => {
    done ??= { result: stepsInSlices(steps) };
    return done.result;
  };
}

/** When the slice of the running attempt ends; undefined if none is running. Attempts are synchronous. */
let end: number | undefined;
const SLICE_IS_OVER = Symbol('slice is over');

function runUntil<T>(time: number, attempt: () => T): { readonly value: T } | undefined {
  const before = end;
  end = time;
  try {
    return { value: attempt() };
  } catch (error) {
    if (error === SLICE_IS_OVER) return undefined;
    throw error;
  } finally {
    end = before;
  }
}

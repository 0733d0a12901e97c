import { DomainError } from '../util/errors.ts';

/** Milliseconds that one piece of long work takes from others at a time. */
const SLICE_MS = 5;
/** Milliseconds that a new piece of work always gets: most queries need less. */
const LEAST_MS = 1;

/** Shares the thread between requests: long work runs in slices, and after each slice all others have their turn. */
export interface TimeSlices {
  /** Begins a piece of work, whose first slice runs now. `signal` is aborted when its result is not needed any more. */
  begin(signal?: AbortSignal): LongWork;
}

export interface LongWork {
  /** Undefined while the slice lasts; else a promise of the next slice. Rejects if the work was aborted. */
  pause(): Promise<void> | undefined;
  /** Resolves at the next slice. Rejects if the work was aborted. */
  rest(): Promise<void>;
  /**
   * The result of `attempt`, which runs again in each slice until it gets through. It must store its progress before
   * each call of `checkSlice`, so that the next attempt continues there.
   */
  finish<T>(attempt: () => T): T | Promise<T>;
}

/**
 * Each turn of the event loop runs one slice of new work and one of work that has rested before, so that neither the
 * number of requests nor their size delays others by more than two slices. `nextTurn` runs a function after the events
 * that already wait, such as Node's `setImmediate`; a timer takes a millisecond longer.
 */
export function createTimeSlices(
  nextTurn: (run: () => void) => void = (run) => void setTimeout(run),
): TimeSlices {
  const newcomers: (() => void)[] = [];
  const others: (() => void)[] = [];
  let isRunning = false;
  /** Milliseconds of this turn of the event loop that long work has taken. */
  let used = 0;

  function runTurn(): void {
    used = 0;
    newcomers.shift()?.();
    others.shift()?.();
    isRunning = newcomers.length + others.length > 0;
    if (isRunning) nextTurn(runTurn);
  }

  function wait(line: (() => void)[]): Promise<void> {
    return new Promise((resolve) => {
      line.push(resolve);
      if (!isRunning) nextTurn(runTurn);
      isRunning = true;
    });
  }

  return {
    begin(signal) {
      let started = performance.now();
      let slice = Math.max(LEAST_MS, SLICE_MS - used);
      let hasRested = false;

      async function rest(): Promise<void> {
        used += performance.now() - started;
        await wait(hasRested ? others : newcomers);
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

/** The client closed the connection before its answer was ready, so no client reads this error. */
export class ClientGoneError extends DomainError {
  override readonly name = 'ClientGoneError';
  constructor() {
    super('client-gone', 'The client closed the connection.');
  }
}

/**
 * Ends the running attempt of `finish` if its slice is over; does nothing outside of one. To be called after something
 * was stored that the next attempt need not do again, and only then: else an attempt may never get through.
 */
export function checkSlice(): void {
  if (end !== undefined && performance.now() >= end) throw SLICE_IS_OVER;
}

/** Runs without slices: for what would never get through because the content changes all the time. */
export function withoutSlices<T>(run: () => T): T {
  const before = end;
  end = undefined;
  try {
    return run();
  } finally {
    end = before;
  }
}

/** The result of work in steps, all of them at once. */
export function allSteps<T>(steps: Generator<void, T, undefined>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** As `allSteps`, but the slice may end after each step. The next call continues there. */
export function stepsInSlices<T>(steps: Generator<void, T, undefined>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    checkSlice();
  }
}

/** A function that returns the result of work in steps, which is done once, in as many slices as it takes. */
export function onceInSlices<T>(steps: Generator<void, T, undefined>): () => T {
  let done: { readonly result: T } | undefined;
  return () => {
    done ??= { result: stepsInSlices(steps) };
    return done.result;
  };
}

/** When the slice of the running attempt is over; undefined if none is running. Attempts are synchronous. */
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

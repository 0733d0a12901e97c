import type { LongWork, TimeSlices } from '../engine/time-slices.ts';
import { ServiceUnavailableError } from '../util/errors.ts';
import { createFairLimiter } from '../util/fair-limiter.ts';

/** Large answers that are prepared, or whose chunks are written, at the same time. */
const AT_ONCE = 4;
/** Large answers that may wait. Each holds no more than its request. */
const WAITING = 1000;
/** Answers of everything that clients read at the same time. Each holds a list of its entities and one chunk. */
const MAX_OPEN = 100;

/** Bounds how many large answers one server makes at the same time. */
export interface LargeAnswers {
  /** Begins one answer. `signal` is aborted when the client has gone. */
  begin(signal?: AbortSignal): Production;
}

/** The work on one answer, which takes little from others however large the answer is. */
export interface Production extends Pick<LongWork, 'pause'> {
  /**
   * Waits until few large answers are prepared, and holds a place until `end`. Called before the content is looked at,
   * so that waiting costs no memory. Throws a 503 if too many wait.
   */
  takePlace(): Promise<void>;
  /** Ends the preparation. */
  end(): void;
  /** Writes one chunk while few others do. */
  writeChunk<T>(write: () => Promise<T>): Promise<T>;
  /**
   * Counts an answer that took a place and that a client reads, until the returned function is called. Throws a 503 if
   * there are too many.
   */
  open(): () => void;
}

export function createLargeAnswers(slices: TimeSlices): LargeAnswers {
  const prepareInTurn = createFairLimiter(AT_ONCE, WAITING, tooMany);
  const writeInTurn = createFairLimiter(AT_ONCE, Number.POSITIVE_INFINITY, tooMany);
  let open = 0;

  return {
    begin(signal) {
      const work = slices.begin(signal);
      let leave: (() => void) | undefined;
      return {
        pause: work.pause,
        async takePlace() {
          if (leave !== undefined) return;
          await new Promise<void>((resolve, reject) => {
            prepareInTurn(async () => {
              const left = new Promise<void>((end) => {
                leave = end;
              });
              resolve();
              await left;
            }).catch(reject);
          });
          // Rejects if the client has gone while it waited.
          await work.rest();
        },
        end: () => leave?.(),
        writeChunk: writeInTurn,
        open() {
          // A page is short, and is answered however many clients read everything.
          if (leave === undefined) return () => undefined;
          if (open >= MAX_OPEN) throw tooMany();
          open += 1;
          let isOpen = true;
          return () => {
            if (isOpen) open -= 1;
            isOpen = false;
          };
        },
      };
    },
  };
}

function tooMany(): ServiceUnavailableError {
  return new ServiceUnavailableError(
    'Too many clients read large answers at the moment. Try again later, or ask for pages.',
    RETRY_AFTER_SECONDS,
  );
}

const RETRY_AFTER_SECONDS = 10;

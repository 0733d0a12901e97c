import type { LongWork, TimeSlices } from '../engine/time-slices.ts';
import { ServiceUnavailableError } from '../util/errors.ts';
import { createFairLimiter } from '../util/fair-limiter.ts';

/** Large responses that are prepared, and chunks that are written, at the same time. */
const MAX_CONCURRENT = 4;
/** Large responses that may wait. Only their requests are in memory. */
const MAX_WAITING = 1000;
/** Unlimited responses that clients read at the same time. Each has a list of its entities and one chunk in memory. */
const MAX_OPEN = 100;

/** Limits the large responses that a server makes at the same time. */
export interface ResponseLimiter {
  /** Starts a response. `signal` is aborted when the client has gone. */
  begin(signal?: AbortSignal): ResponseWork;
}

/** The work on one response. */
export interface ResponseWork extends Pick<LongWork, 'pause'> {
  /**
   * Waits for one of the places in which large responses are prepared, and has it until `end`. Call it before reading
   * content, so that waiting takes no memory. Throws ServiceUnavailableError if too many wait.
   */
  acquireSlot(): Promise<void>;
  end(): void;
  /** Writes one chunk when it is its turn. */
  writeChunk<T>(write: () => Promise<T>): Promise<T>;
  /**
   * Counts a response that took a place, until the returned function is called. Throws ServiceUnavailableError if clients
   * read too many of them.
   */
  open(): () => void;
}

export function createResponseLimiter(slices: TimeSlices): ResponseLimiter {
  const prepareInTurn = createFairLimiter(MAX_CONCURRENT, MAX_WAITING, tooMany);
  const writeInTurn = createFairLimiter(MAX_CONCURRENT, Number.POSITIVE_INFINITY, tooMany);
  let open = 0;

  return {
    begin(signal) {
      const work = slices.begin(signal);
      let leave: (() => void) | undefined;
      return {
        pause: work.pause,
        async acquireSlot() {
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
          // Rejects if the client has gone in the meantime.
          await work.rest();
        },
        end: () => leave?.(),
        writeChunk: writeInTurn,
        open() {
          // A page does not count.
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
    'Too many clients are reading large responses. Try again later, or ask for pages.',
    RETRY_AFTER_SECONDS,
  );
}

const RETRY_AFTER_SECONDS = 10;

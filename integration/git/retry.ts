export interface RetryLog {
  info(message: string): void;
  warn(message: string): void;
}

export interface RetryDeps {
  readonly work: () => Promise<void>;
  /** Milliseconds between two tries: from the first to the last, twice as long each time. */
  readonly delays: { readonly first: number; readonly last: number };
  readonly log: RetryLog;
  reasonOf(error: unknown): string;
  /** Whether an error is worth a word only when it lasts. */
  isTrifle(error: unknown): boolean;
  failing(reason: string): string;
  readonly mended: string;
}

/** Work that is tried until it succeeds. It is told when it fails, when for another reason, and when it succeeds again. */
export interface Retry {
  /** Works now; while it works or waits for the next try, once more afterwards. */
  run(): void;
  /** Why it fails; undefined where it does not, or there is nothing to do. */
  reason(): string | undefined;
  /** The error of the last try; undefined if that one succeeded. */
  error(): unknown;
  /** Ends all tries. What waits is tried once more before; answers after so many milliseconds at the latest. */
  close(timeLimit: number): Promise<void>;
}

/** A trifle is told when so many tries have failed. */
const TRIES_OF_TRIFLES = 5;
/** It ends soon: pauses grow no longer than so many times the first one. */
const LONGEST_OF_TRIFLES = 10;

export function createRetry({ work, delays, log, isTrifle, ...texts }: RetryDeps): Retry {
  let current: Promise<void> | undefined;
  let isAsked = false;
  let isClosed = false;
  let tries = 0;
  let reason: string | undefined;
  let lastError: unknown;
  let told: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  let longest = delays.last;

  async function tryOnce(): Promise<void> {
    isAsked = false;
    try {
      await work();
      tries = 0;
      reason = undefined;
      lastError = undefined;
      if (told !== undefined) log.info(texts.mended);
      told = undefined;
    } catch (error) {
      tries += 1;
      reason = texts.reasonOf(error);
      lastError = error;
      longest = isTrifle(error) ? delays.first * LONGEST_OF_TRIFLES : delays.last;
      if (reason !== told && (!isTrifle(error) || tries >= TRIES_OF_TRIFLES)) {
        log.warn(texts.failing(reason));
        told = reason;
      }
    }
  }

  async function workOff(): Promise<void> {
    do await tryOnce();
    while (isAsked && reason === undefined && !isClosed);
    current = undefined;
    if (reason === undefined || isClosed) return;
    timer = setTimeout(start, Math.min(delays.first * 2 ** (tries - 1), longest));
    timer.unref();
  }

  function start(): void {
    timer = undefined;
    if (!isClosed) current ??= workOff();
  }

  return {
    run() {
      if (isClosed) return;
      isAsked = true;
      if (current === undefined && timer === undefined) start();
    },
    reason: () => reason,
    error: () => lastError,
    async close(timeLimit) {
      clearTimeout(timer);
      timer = undefined;
      if (isAsked && current === undefined) start();
      isClosed = true;
      let late: NodeJS.Timeout | undefined;
      const limit = new Promise<void>((done) => {
        late = setTimeout(done, timeLimit);
      });
      await Promise.race([current ?? Promise.resolve(), limit]);
      clearTimeout(late);
    },
  };
}

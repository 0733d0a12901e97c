import { setTimeout as sleep } from 'node:timers/promises';

export interface RetryLog {
  info(message: string): void;
  warn(message: string): void;
}

export interface RetryOptions {
  readonly work: () => Promise<void>;
  /** Milliseconds before the second attempt. Each delay is twice as long as the one before. */
  readonly firstDelay: number;
  /** Milliseconds. */
  readonly maxDelay: number;
  readonly log: RetryLog;
  /** The reason of an error, as a sentence. */
  describe(error: unknown): string;
  /** True for an error that soon passes by itself: delays stay short, and it is logged only after five attempts. */
  isTransient?(error: unknown): boolean;
  /** The log message for a failure. */
  failing(reason: string): string;
  /** The log message for the first success after a logged failure. */
  readonly recovered: string;
}

/** Work that is repeated until it succeeds. The log has one message for each new reason, and one when work succeeds again. */
export interface Retry {
  /** Starts the work. If it is running, it runs once more afterwards. */
  run(): void;
  /** The error of the last attempt and its reason; undefined if it succeeded. */
  failure(): { readonly error: unknown; readonly reason: string } | undefined;
  /**
   * Ends all attempts. Waiting work is attempted once more before, after a running attempt. Resolves after this many
   * milliseconds at the latest.
   */
  close(timeLimit: number): Promise<void>;
}

/** Attempts after which a transient error is logged, and the maximum delay for it, in first delays. */
const TRANSIENT = { attempts: 5, maxDelay: 10 };

export function createRetry(options: RetryOptions): Retry {
  const { work, firstDelay, log, describe, isTransient = () => false } = options;
  let current: Promise<void> | undefined;
  let isRequested = false;
  let isClosed = false;
  let attempts = 0;
  let failure: ReturnType<Retry['failure']>;
  let loggedReason: string | undefined;
  let timer: NodeJS.Timeout | undefined;

  async function attempt(): Promise<void> {
    isRequested = false;
    try {
      await work();
      attempts = 0;
      failure = undefined;
      if (loggedReason !== undefined) log.info(options.recovered);
      loggedReason = undefined;
    } catch (error) {
      attempts += 1;
      const reason = describe(error);
      failure = { error, reason };
      if (reason === loggedReason || (isTransient(error) && attempts < TRANSIENT.attempts)) return;
      log.warn(options.failing(reason));
      loggedReason = reason;
    }
  }

  async function attemptAll(): Promise<void> {
    do await attempt();
    while (isRequested && (failure === undefined || isClosed));
    current = undefined;
    if (failure === undefined || isClosed) return;
    const maxDelay = isTransient(failure.error) ? firstDelay * TRANSIENT.maxDelay : options.maxDelay;
    timer = setTimeout(start, Math.min(firstDelay * 2 ** (attempts - 1), maxDelay)).unref();
  }

  function start(): void {
    timer = undefined;
    if (!isClosed) current ??= attemptAll();
  }

  return {
    run() {
      if (isClosed) return;
      isRequested = true;
      if (current === undefined && timer === undefined) start();
    },
    failure: () => failure,
    async close(timeLimit) {
      clearTimeout(timer);
      if (isRequested && current === undefined) start();
      isClosed = true;
      await Promise.race([current, sleep(timeLimit, undefined, { ref: false })]);
    },
  };
}

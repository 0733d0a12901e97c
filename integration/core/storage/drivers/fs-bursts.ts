/** Milliseconds after which a change is reported even if more changes arrive. */
export const WATCH_LONGEST_MS = 500;

/**
 * Milliseconds of quiet before changes are reported, so that a burst (a checkout) is one call. A single file is reported
 * sooner. If a file is missing or empty, more changes are likely: editors rename, delete or truncate a file before they
 * write it.
 */
export const WATCH_QUIET_MS = { one: 10, many: 30, missing: 100, empty: WATCH_LONGEST_MS } as const;

export interface BurstDeps {
  /** True if a burst has to wait. `waitedMs` is the time since its first event. */
  mustWait(waitedMs: number, files: number): boolean;
  /** Called with the sorted keys of a burst; with none after `schedule` alone. */
  report(keys: readonly string[]): void;
}

/** Groups the events of files into bursts. */
export interface Bursts {
  /** Adds an event of a watcher. `size` is the size of the file in bytes, if the watcher knows it. */
  add(event: string, key: string, size?: number): void;
  /** Reports after a time of quiet, even without an event. */
  schedule(): void;
  stop(): void;
}

export function createBursts({ mustWait, report }: BurstDeps): Bursts {
  const burst = createBurst();
  let since = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function schedule(): void {
    since = timer === undefined ? performance.now() : since;
    clearTimeout(timer);
    const left = WATCH_LONGEST_MS - (performance.now() - since);
    timer = setTimeout(flush, Math.max(0, Math.min(burst.quietTime(), left)));
  }

  function flush(): void {
    if (mustWait(performance.now() - since, burst.size())) {
      timer = setTimeout(flush, burst.quietTime());
      return;
    }
    timer = undefined;
    report(burst.take());
  }

  return {
    add(event, key, size) {
      if (burst.note(event, key, size)) schedule();
    },
    schedule,
    stop: () => clearTimeout(timer),
  };
}

/** The files of a burst, and which of them are missing or empty. A file that is added and removed is not reported. */
function createBurst() {
  const keys = new Set<string>();
  const fresh = new Set<string>();
  const missing = new Set<string>();
  const empty = new Set<string>();

  return {
    /** Returns true for an event of a file. */
    note(event: string, key: string, size: number | undefined): boolean {
      if (event !== 'add' && event !== 'change' && event !== 'unlink') return false;
      if (event === 'add' && !keys.has(key)) fresh.add(key);
      keys.add(key);
      missing.delete(key);
      empty.delete(key);
      if (event !== 'unlink') {
        if (size === 0) empty.add(key);
      } else if (fresh.delete(key)) keys.delete(key);
      else missing.add(key);
      return true;
    },
    size: () => keys.size,
    quietTime(): number {
      if (empty.size > 0) return WATCH_QUIET_MS.empty;
      if (missing.size > 0) return WATCH_QUIET_MS.missing;
      return keys.size > 1 ? WATCH_QUIET_MS.many : WATCH_QUIET_MS.one;
    },
    /** All keys, sorted; the next burst begins. */
    take(): readonly string[] {
      const taken = [...keys].sort();
      for (const set of [keys, fresh, missing, empty]) set.clear();
      return taken;
    },
  };
}

import type { CommitDates } from './driver.ts';

/** The commit dates that an earlier start found. Nothing of it ever fails: where it cannot be read, there are none. */
export interface HistoryCache {
  read(): Promise<KeptHistory | undefined>;
  write(history: KeptHistory): Promise<void>;
}

export interface KeptHistory {
  /** The commit whose log it is. */
  readonly head: string;
  /** Path of the folder below its repository's root. */
  readonly prefix: string;
  readonly log: ReadonlyMap<string, CommitDates>;
}

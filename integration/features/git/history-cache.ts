import { z } from 'zod';
import { createCacheFile } from '../../core/storage/cache/cache-file.ts';
import type { CommitDates } from '../../core/storage/driver.ts';

/** Commit dates that an earlier start has read. Neither method throws; `read` returns undefined on failure. */
export interface HistoryCache {
  read(): Promise<CommitLog | undefined>;
  write(log: CommitLog): Promise<void>;
}

export interface CommitLog {
  /** The newest commit of the log. */
  readonly head: string;
  /** Path of the folder below its repository's root. */
  readonly prefix: string;
  readonly dates: ReadonlyMap<string, CommitDates>;
}

export interface HistoryCacheDeps {
  /** Absolute path of the cache file. */
  readonly path: string;
  /** A cache of another version is ignored. */
  readonly version: string;
  readonly log: { warn(message: string): void };
}

export function createHistoryCache(deps: HistoryCacheDeps): HistoryCache {
  const file = createCacheFile({ ...deps, effect: 'the next start reads all dates from git' });
  return {
    read: () =>
      file.read((json) => {
        const { head, prefix, dates } = logSchema.parse(json);
        return {
          head,
          prefix,
          dates: new Map(dates.map(([path, created, changed]) => [path, { created, changed }])),
        };
      }),
    async write(log) {
      await file.write(jsonOf(log));
    },
  };
}

function* jsonOf({ head, prefix, dates }: CommitLog): Generator<string> {
  yield `${JSON.stringify({ head, prefix, moves: 'followed' }).slice(0, -1)},"dates":[`;
  let separator = '';
  for (const [path, { created, changed }] of dates) {
    yield separator + JSON.stringify([path, created, changed]);
    separator = ',';
  }
  yield ']}';
}

const logSchema = z.object({
  head: z.string(),
  prefix: z.string(),
  /** Missing in caches whose dates are those of paths. */
  moves: z.literal('followed'),
  /** Path, and Unix seconds of the first and the last commit. */
  dates: z.custom<readonly (readonly [string, number, number])[]>(Array.isArray),
});

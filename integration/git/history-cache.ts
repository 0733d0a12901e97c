import { z } from 'zod';
import { readCacheFile, reasonOf, writeCacheFile } from '../storage/cache/cache-file.ts';
import type { CommitDates } from '../storage/driver.ts';
import { readBytes, type StoredBytes } from '../storage/stored-bytes.ts';

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
  /** A cache that another version has written is ignored. */
  readonly version: string;
  readonly log: { warn(message: string): void };
}

/** Commit dates in one file: the paths as JSON, and two 8-byte numbers for each. */
export function createHistoryCache({ path, version, log }: HistoryCacheDeps): HistoryCache {
  return {
    async read() {
      try {
        const content = await readCacheFile(path, version);
        return content && decode(content.json, content.bytes);
      } catch (error) {
        const reason = error instanceof z.ZodError ? 'its format is unknown' : reasonOf(error);
        log.warn(`The cache ${path} is ignored: ${reason}. It will be rewritten.`);
        return undefined;
      }
    },
    async write({ head, prefix, dates }) {
      const json = JSON.stringify({ head, prefix, paths: [...dates.keys()].join('\0') });
      try {
        await writeCacheFile(path, version, { json: [json], bytes: [encode(dates)] });
      } catch (error) {
        log.warn(
          `The cache ${path} cannot be written (${reasonOf(error)}): the next start reads all dates from git.`,
        );
      }
    },
  };
}

const headSchema = z.object({ head: z.string(), prefix: z.string(), paths: z.string() });

function decode(json: unknown, stored: StoredBytes): CommitLog {
  const { head, prefix, paths } = headSchema.parse(json);
  const keys = paths === '' ? [] : paths.split('\0');
  const bytes = readBytes(stored);
  if (bytes.length !== keys.length * 16) throw new Error('it is incomplete');
  const numbers = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const date = (index: number) => numbers.getFloat64(index * 8, true);
  const dates = new Map(
    keys.map((key, index) => [key, { created: date(index * 2), changed: date(index * 2 + 1) }]),
  );
  return { head, prefix, dates };
}

function encode(dates: CommitLog['dates']): Uint8Array {
  const numbers = new DataView(new ArrayBuffer(dates.size * 16));
  [...dates.values()]
    .flatMap(({ created, changed }) => [created, changed])
    .forEach((date, index) => {
      numbers.setFloat64(index * 8, date, true);
    });
  return new Uint8Array(numbers.buffer);
}

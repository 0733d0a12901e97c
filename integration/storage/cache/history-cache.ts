import { z } from 'zod';
import type { CommitDates } from '../driver.ts';
import type { HistoryCache, KeptHistory } from '../history-cache.ts';
import { readBytes, type StoredBytes } from '../stored-bytes.ts';
import { readCacheFile, reasonOf, writeCacheFile } from './cache-file.ts';

export interface HistoryCacheDeps {
  /** Absolute path of the cache. */
  readonly path: string;
  /** Version of what reads the log: another one's work is of no use. */
  readonly version: string;
  readonly log: { warn(message: string): void };
}

/** Commit dates in one file: the paths as JSON, and for each of them two numbers of eight bytes. */
export function createHistoryCache({ path, version, log }: HistoryCacheDeps): HistoryCache {
  return {
    async read() {
      try {
        const content = await readCacheFile(path, version);
        return content && known(content.json, content.bytes);
      } catch (error) {
        const reason = error instanceof z.ZodError ? 'its form is unknown' : reasonOf(error);
        log.warn(`The cache ${path} is ignored: ${reason}. It is written anew.`);
        return undefined;
      }
    },
    async write({ head, prefix, log: dates }) {
      const json = JSON.stringify({ head, prefix, paths: [...dates.keys()].join('\0') });
      try {
        await writeCacheFile(path, version, { json: [json], bytes: [bytesOf(dates)] });
      } catch (error) {
        log.warn(
          `The cache ${path} cannot be written (${reasonOf(error)}): git is asked for all dates again.`,
        );
      }
    },
  };
}

/** A date and a date. */
const PAIR_BYTES = 16;

const headSchema = z.object({ head: z.string(), prefix: z.string(), paths: z.string() });

function known(json: unknown, stored: StoredBytes): KeptHistory {
  const { head, prefix, paths } = headSchema.parse(json);
  const keys = paths === '' ? [] : paths.split('\0');
  const bytes = readBytes(stored);
  if (bytes.length !== keys.length * PAIR_BYTES) throw new Error('it is not whole');
  const numbers = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const log = new Map<string, CommitDates>();
  keys.forEach((key, index) => {
    const at = index * PAIR_BYTES;
    log.set(key, { created: numbers.getFloat64(at, true), changed: numbers.getFloat64(at + 8, true) });
  });
  return { head, prefix, log };
}

function bytesOf(log: ReadonlyMap<string, CommitDates>): Uint8Array {
  const numbers = new DataView(new ArrayBuffer(log.size * PAIR_BYTES));
  let at = 0;
  for (const { created, changed } of log.values()) {
    numbers.setFloat64(at, created, true);
    numbers.setFloat64(at + 8, changed, true);
    at += PAIR_BYTES;
  }
  return new Uint8Array(numbers.buffer);
}

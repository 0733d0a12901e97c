import { z } from 'zod';
import { type CacheLog, createCacheFile } from '../core/storage/cache/cache-file.ts';
import { bytesInMemory, readBytes, type StoredBytes } from '../core/storage/stored-bytes.ts';

/** Rendered texts that are stored between starts. A key identifies everything that a text depends on. */
export interface HtmlCache {
  get(key: string): Promise<string | undefined>;
  set(key: string, html: string): void;
  /** Writes new texts. Never rejects. */
  save(): Promise<void>;
}

export interface HtmlCacheDeps {
  /** Absolute path of the cache file. */
  readonly path: string;
  /** Everything else that the texts depend on: another value invalidates the cache. */
  readonly settings: string;
  readonly log: CacheLog;
  /** Texts that were used in this run are stored first. Default: 64 MB. */
  readonly maxBytes?: number;
}

const MAX_BYTES = 64 * 1024 * 1024;

/** The file is read at the first `get`. */
export function createHtmlCache(deps: HtmlCacheDeps): HtmlCache {
  const { path, settings, log, maxBytes = MAX_BYTES } = deps;
  const effect = 'the next start renders all bodies again';
  const file = createCacheFile({ path, version: settings, log, effect });
  const used = new Map<string, StoredBytes>();
  let reading: Promise<Map<string, StoredBytes>> | undefined;
  let added = 0;
  let usedBytes = 0;

  async function read(): Promise<Map<string, StoredBytes>> {
    return (await file.read(decode)) ?? new Map();
  }

  return {
    async get(key) {
      reading ??= read();
      const before = await reading;
      const bytes = used.get(key) ?? before.get(key);
      if (bytes === undefined) return undefined;
      if (before.delete(key)) usedBytes += bytes.length;
      used.set(key, bytes);
      return decoder.decode(readBytes(bytes));
    },
    set(key, html) {
      const bytes = encoder.encode(html);
      if (usedBytes + bytes.length > maxBytes) return;
      usedBytes += bytes.length - (used.get(key)?.length ?? 0);
      used.set(key, bytesInMemory(bytes));
      added += 1;
    },
    async save() {
      if (added === 0) return;
      added = 0;
      reading ??= read();
      const wanted = withinBytes([...used, ...(await reading)], maxBytes);
      const lengths = wanted.map(([key, { length }]) => [key, length]);
      await file.write([JSON.stringify(lengths)], pieces(wanted));
    },
  };
}

const lengthsSchema = z.array(z.tuple([z.string(), z.int().nonnegative()]));
const decoder = new TextDecoder();
const encoder = new TextEncoder();

function decode(json: unknown, bytes: StoredBytes): Map<string, StoredBytes> {
  let at = 0;
  const texts = lengthsSchema.parse(json).map(([key, length]): [string, StoredBytes] => {
    at += length;
    return [key, { length, source: bytes.source, start: bytes.start + at - length }];
  });
  if (at !== bytes.length) throw new Error('it is incomplete');
  return new Map(texts);
}

function* pieces(texts: readonly (readonly [string, StoredBytes])[]): Generator<Uint8Array> {
  for (const [, bytes] of texts) yield readBytes(bytes);
}

/** The first texts that fit, without those that are too large. */
function withinBytes(
  texts: readonly (readonly [string, StoredBytes])[],
  maxBytes: number,
): readonly (readonly [string, StoredBytes])[] {
  let left = maxBytes;
  return texts.filter(([, { length }]) => {
    if (length > left) return false;
    left -= length;
    return true;
  });
}

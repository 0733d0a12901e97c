import { z } from 'zod';
import type { HtmlCache } from '../html-cache.ts';
import { bytesInMemory, readBytes, type StoredBytes } from '../stored-bytes.ts';
import { readCacheFile, reasonOf, writeCacheFile } from './cache-file.ts';

export interface HtmlCacheDeps {
  /** Absolute path of the cache. */
  readonly path: string;
  /** Everything besides the key that the texts depend on. */
  readonly settings: string;
  readonly log: { warn(message: string): void };
  /** Bytes kept at most: what was asked for in this run before what was not. Default: 64 MB. */
  readonly maxBytes?: number;
}

const MAX_BYTES = 64 * 1024 * 1024;

/** Read when first asked for something. */
export function createHtmlCache(deps: HtmlCacheDeps): HtmlCache {
  const { path, settings, log, maxBytes = MAX_BYTES } = deps;
  const used = new Map<string, StoredBytes>();
  let reading: Promise<Map<string, StoredBytes>> | undefined;
  let added = 0;
  let usedBytes = 0;

  async function read(): Promise<Map<string, StoredBytes>> {
    try {
      const content = await readCacheFile(path, settings);
      return content === undefined ? new Map() : known(content.json, content.bytes);
    } catch (error) {
      const reason = error instanceof z.ZodError ? 'its form is unknown' : reasonOf(error);
      log.warn(`The cache ${path} is ignored: ${reason}. It is written anew.`);
      return new Map();
    }
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
      try {
        const lengths = wanted.map(([key, { length }]) => [key, length]);
        await writeCacheFile(path, settings, {
          json: [JSON.stringify(lengths)],
          bytes: pieces(wanted),
        });
      } catch (error) {
        log.warn(`The cache ${path} cannot be written (${reasonOf(error)}): bodies are rendered again.`);
      }
    },
  };
}

const lengthsSchema = z.array(z.tuple([z.string(), z.int().nonnegative()]));
const decoder = new TextDecoder();
const encoder = new TextEncoder();

function known(json: unknown, bytes: StoredBytes): Map<string, StoredBytes> {
  let at = 0;
  const texts = lengthsSchema.parse(json).map(([key, length]): [string, StoredBytes] => {
    at += length;
    return [key, { length, place: bytes.place, start: bytes.start + at - length }];
  });
  if (at !== bytes.length) throw new Error('it is not whole');
  return new Map(texts);
}

function* pieces(texts: readonly (readonly [string, StoredBytes])[]): Generator<Uint8Array> {
  for (const [, bytes] of texts) yield readBytes(bytes);
}

/** The first of `texts` that fit, leaving out what is too large. */
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

import { z } from 'zod';
import type { FileHistory, StorageDriver, StoredFile } from '../core/storage/driver.ts';
import { normalizeKey } from '../core/storage/key.ts';
import { fromBase64, toBase64 } from '../core/util/base64.ts';
import { decodeUtf8 } from '../core/util/text.ts';

const historySchema = z.object({ created: z.number(), changed: z.number().nullable() });

const fileSchema = z.object({
  mtimeMs: z.number(),
  createdMs: z.number().optional(),
  /** UTF-8 text; other bytes are in `base64`. */
  text: z.string().optional(),
  base64: z.base64().optional(),
  history: historySchema.optional(),
});

/** Content as one JSON value, for built servers on hosts without files. */
export const bundledContentSchema = z.object({
  version: z.literal(1),
  /** By storage key. */
  files: z.record(z.string(), fileSchema),
  /** Rendered HTML of bodies, by digest of the body. */
  html: z.record(z.string(), z.string()),
});

export type BundledContent = z.infer<typeof bundledContentSchema>;

export interface BundledExtras {
  /** Rendered HTML of bodies, by digest of the body. */
  readonly html?: Readonly<Record<string, string>>;
  /** Selects files; all by default. */
  readonly include?: (file: StoredFile) => boolean;
}

/** Reads the selected files of a driver. */
export async function bundleContent(
  driver: StorageDriver,
  extras: BundledExtras = {},
): Promise<BundledContent> {
  const [{ files }, history] = await Promise.all([driver.list(), driver.history?.()]);
  const selected = files.filter((file) => extras.include?.(file) ?? true);
  const entries: [string, BundledContent['files'][string]][] = [];
  for (const { key, mtimeMs, createdMs } of selected) {
    const bytes = await driver.read(key);
    if (bytes !== undefined) {
      const dates = history?.get(key);
      const times = { mtimeMs, ...(createdMs !== undefined && { createdMs }) };
      const text = decodeUtf8(bytes);
      const content = text === undefined ? { base64: toBase64(bytes) } : { text };
      entries.push([key, { ...times, ...content, ...(dates && { history: dates }) }]);
    }
  }
  return { version: 1, files: Object.fromEntries(entries), html: { ...extras.html } };
}

/** Reads from bundled content. Throws a ZodError for any other value. */
export function createBundledDriver(content: unknown): StorageDriver {
  const { files } = bundledContentSchema.parse(content);
  const byKey = new Map<string, BundledFile>();
  const history = new Map<string, FileHistory>();
  for (const [written, file] of Object.entries(files)) {
    const key = normalizeKey(written);
    if (key !== undefined) {
      const { mtimeMs, createdMs, text = '', base64 } = file;
      const bytes = base64 === undefined ? encoder.encode(text) : fromBase64(base64);
      byKey.set(key, { bytes, stored: { key, size: bytes.length, mtimeMs, createdMs } });
      if (file.history !== undefined) history.set(key, file.history);
    }
  }
  const listed = [...byKey.values()].map((file) => file.stored).sort((a, b) => (a.key < b.key ? -1 : 1));

  function find(key: string): BundledFile | undefined {
    const normalized = normalizeKey(key);
    return normalized === undefined ? undefined : byKey.get(normalized);
  }

  return {
    name: 'snapshot',
    list: async () => ({ files: listed, skipped: [] }),
    stat: async (key) => find(key)?.stored,
    read: async (key) => find(key)?.bytes,
    history: async () => history,
  };
}

const encoder = new TextEncoder();

interface BundledFile {
  readonly bytes: Uint8Array;
  readonly stored: StoredFile;
}

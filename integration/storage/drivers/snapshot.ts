import { z } from 'zod';
import { fromBase64, toBase64 } from '../../util/base64.ts';
import type { FileHistory, StorageDriver, StoredFile } from '../driver.ts';
import { normalizeKey } from '../key.ts';

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
export const contentSnapshotSchema = z.object({
  version: z.literal(1),
  /** By storage key. */
  files: z.record(z.string(), fileSchema),
  /** Rendered HTML of bodies, by digest of the body. */
  html: z.record(z.string(), z.string()),
});

export type ContentSnapshot = z.infer<typeof contentSnapshotSchema>;

export interface SnapshotExtras {
  /** Rendered HTML of bodies, by digest of the body. */
  readonly html?: Readonly<Record<string, string>>;
  /** Selects files; all by default. */
  readonly include?: (file: StoredFile) => boolean;
}

/** Reads the selected files of a driver. */
export async function takeSnapshot(
  driver: StorageDriver,
  extras: SnapshotExtras = {},
): Promise<ContentSnapshot> {
  const [{ files }, history] = await Promise.all([driver.list(), driver.history?.()]);
  const selected = files.filter((file) => extras.include?.(file) ?? true);
  const entries: [string, ContentSnapshot['files'][string]][] = [];
  for (const { key, mtimeMs, createdMs } of selected) {
    const bytes = await driver.read(key);
    if (bytes !== undefined) {
      const dates = history?.get(key);
      const times = { mtimeMs, ...(createdMs !== undefined && { createdMs }) };
      entries.push([key, { ...times, ...encode(bytes), ...(dates === undefined ? {} : { history: dates }) }]);
    }
  }
  return { version: 1, files: Object.fromEntries(entries), html: { ...extras.html } };
}

/** Reads from a snapshot. Throws a ZodError for any other value. */
export function createSnapshotDriver(snapshot: unknown): StorageDriver {
  const { files } = contentSnapshotSchema.parse(snapshot);
  const byKey = new Map<string, SnapshotFile>();
  const history = new Map<string, FileHistory>();
  for (const [written, file] of Object.entries(files)) {
    const key = normalizeKey(written);
    if (key !== undefined) {
      const bytes = decode(file);
      const { mtimeMs, createdMs } = file;
      byKey.set(key, { bytes, stored: { key, size: bytes.length, mtimeMs, createdMs } });
      if (file.history !== undefined) {
        history.set(key, file.history);
      }
    }
  }
  const listed = [...byKey.values()].map((file) => file.stored).sort((a, b) => (a.key < b.key ? -1 : 1));

  function find(key: string): SnapshotFile | undefined {
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
// Keeps a byte order mark, so that the text encodes to the same bytes.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
function encode(bytes: Uint8Array): { text: string } | { base64: string } {
  try {
    return { text: decoder.decode(bytes) };
  } catch {
    return { base64: toBase64(bytes) };
  }
}

function decode(file: z.infer<typeof fileSchema>): Uint8Array {
  return file.base64 === undefined ? encoder.encode(file.text ?? '') : fromBase64(file.base64);
}

interface SnapshotFile {
  readonly bytes: Uint8Array;
  readonly stored: StoredFile;
}

import type { FileHistory, StoredFile, WritableDriver } from '../../integration/core/storage/driver.ts';
import { RevisionConflictError } from '../../integration/core/storage/errors.ts';
import { requireNewKey, requireWritableKey } from '../../integration/core/storage/file-name.ts';
import { normalizeKey, requireKey } from '../../integration/core/storage/key.ts';
import { createLockedQueue, type Lock } from '../../integration/core/storage/locked-queue.ts';
import { digestBytes } from '../../integration/core/util/revision.ts';

/**
 * Files in memory. Their clock starts at `MEMORY_EPOCH_MS` and advances one second per write, so times do not depend on
 * the machine. Watchers get each change in its own burst.
 */
export function createMemoryDriver(
  files: Readonly<Record<string, string | Uint8Array>> = {},
  history?: Readonly<Record<string, FileHistory>>,
): WritableDriver {
  const stored = new Map<string, MemoryFile>();
  const watchers = new Set<(keys: readonly string[]) => void>();
  let clock = MEMORY_EPOCH_MS;

  for (const [key, content] of Object.entries(files)) {
    stored.set(requireKey(key), { bytes: toBytes(content), mtimeMs: clock });
  }

  function describe(key: string, file: MemoryFile): StoredFile {
    return { key, size: file.bytes.length, mtimeMs: file.mtimeMs };
  }

  function find(key: string): [string, MemoryFile] | undefined {
    const normalized = normalizeKey(key);
    const file = normalized === undefined ? undefined : stored.get(normalized);
    return normalized === undefined || file === undefined ? undefined : [normalized, file];
  }

  function announce(key: string): void {
    for (const watcher of watchers) {
      watcher([key]);
    }
  }

  function requireRevision(key: string, expected: string | null | undefined): void {
    const bytes = stored.get(key)?.bytes;
    const revision = bytes === undefined ? null : digestBytes(bytes);
    if (expected !== undefined && expected !== revision) throw new RevisionConflictError(key, revision);
  }

  async function write(key: string, bytes: Uint8Array, ifRevision?: string | null): Promise<void> {
    const normalized = requireWritableKey(key);
    requireRevision(normalized, ifRevision);
    if (!stored.has(normalized)) requireNewKey(normalized, stored.keys());
    clock += 1000;
    stored.set(normalized, { bytes: bytes.slice(), mtimeMs: clock });
    announce(normalized);
  }

  async function remove(key: string, ifRevision?: string): Promise<void> {
    const normalized = requireWritableKey(key);
    requireRevision(normalized, ifRevision);
    if (stored.delete(normalized)) announce(normalized);
  }

  const historyByKey = history === undefined ? undefined : new Map(Object.entries(history));

  return {
    name: 'memory',
    async list() {
      const listed = [...stored].map(([key, file]) => describe(key, file));
      return { files: listed.sort((a, b) => (a.key < b.key ? -1 : 1)), skipped: [] };
    },
    async stat(key) {
      const entry = find(key);
      return entry === undefined ? undefined : describe(...entry);
    },
    async read(key) {
      return find(key)?.[1].bytes;
    },
    write: (key, bytes, when) => write(key, bytes, when?.ifRevision),
    remove: (key, when) => remove(key, when?.ifRevision),
    async writeAll(changes) {
      const before = new Map(stored);
      try {
        for (const { key, bytes, ifRevision } of changes) {
          if (bytes !== null) await write(key, bytes, ifRevision);
          else if (ifRevision !== null) await remove(key, ifRevision);
        }
      } catch (error) {
        stored.clear();
        for (const [key, file] of before) stored.set(key, file);
        throw error;
      }
    },
    exclusively: createLockedQueue(FREE_LOCK),
    obstacle: async () => undefined,
    async watch(onChange) {
      watchers.add(onChange);
      return async () => {
        watchers.delete(onChange);
      };
    },
    ...(historyByKey === undefined ? {} : { history: async () => historyByKey }),
  };
}

/** A lock that is always free. */
export const FREE_LOCK: Lock = { take: async () => ({ changed: [], release: () => undefined }) };

/** 2024-01-01T00:00:00Z. */
export const MEMORY_EPOCH_MS = 1_704_067_200_000;

const encoder = new TextEncoder();

function toBytes(content: string | Uint8Array): Uint8Array {
  return typeof content === 'string' ? encoder.encode(content) : content;
}

interface MemoryFile {
  readonly bytes: Uint8Array;
  readonly mtimeMs: number;
}

/** All files have the same age, so that times do not depend on the number of writes. */
export function timeless(driver: WritableDriver): WritableDriver {
  return {
    ...driver,
    async list() {
      const { files, skipped } = await driver.list();
      return { files: files.map((file) => ({ ...file, mtimeMs: 0 })), skipped };
    },
    async stat(key) {
      const file = await driver.stat(key);
      return file && { ...file, mtimeMs: 0 };
    },
  };
}

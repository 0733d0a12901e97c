import type { FileHistory, StoredFile, WritableDriver } from '../driver.ts';
import { normalizeKey, requireKey } from '../key.ts';

/**
 * Files held in memory. Every write counts one second on the files' clock, which starts at `MEMORY_EPOCH_MS`, so that
 * times never depend on the machine. Watchers hear of each change in its own burst.
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

  const historyByKey = history === undefined ? undefined : new Map(Object.entries(history));

  return {
    name: 'memory',
    async list() {
      const listed = [...stored].map(([key, file]) => describe(key, file));
      return { files: listed.sort((a, b) => (a.key < b.key ? -1 : 1)), skipped: [] };
    },
    async stat(key) {
      const found = find(key);
      return found === undefined ? undefined : describe(...found);
    },
    async read(key) {
      return find(key)?.[1].bytes;
    },
    async write(key, bytes) {
      const normalized = requireKey(key);
      clock += 1000;
      stored.set(normalized, { bytes, mtimeMs: clock });
      announce(normalized);
    },
    async remove(key) {
      const normalized = requireKey(key);
      if (stored.delete(normalized)) {
        announce(normalized);
      }
    },
    async watch(onChange) {
      watchers.add(onChange);
      return async () => {
        watchers.delete(onChange);
      };
    },
    ...(historyByKey === undefined ? {} : { history: async () => historyByKey }),
  };
}

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

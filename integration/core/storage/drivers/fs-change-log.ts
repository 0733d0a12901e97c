import { randomBytes } from 'node:crypto';
import { appendFileSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { createIfAbsent } from './fs-lock.ts';
import { undefinedIfMissing } from './fs-paths.ts';

/**
 * A file in which processes record the keys they change, so that the holder of the lock knows about changes that its
 * watcher has not reported yet. Old lines are removed.
 */
export interface ChangeLog {
  /** Has to be called before the change, so that a writer that dies has not omitted it. */
  add(key: string): void;
  /** Keys that other processes have added since the last call. Requires the lock. */
  readNew(): readonly string[];
}

export function createChangeLog(path: string, now = Date.now()): ChangeLog {
  const self = randomBytes(4).toString('hex');
  let read: { readonly ino: number; readonly size: number } | undefined;

  /** The offset of the first unread line. */
  function startOf(ino: number, size: number, mtimeMs: number): number {
    if (read === undefined) return mtimeMs < now - RECENT_MS ? size : Math.max(0, size - RETAINED_BYTES);
    return read.ino === ino && read.size <= size ? read.size : 0;
  }

  return {
    add(key) {
      createIfAbsent(path);
      appendFileSync(path, `${self} ${JSON.stringify(key)}\n`);
    },
    readNew() {
      const stats = undefinedIfMissing(() => statSync(path));
      if (stats === undefined) return [];
      const start = startOf(stats.ino, stats.size, stats.mtimeMs);
      read = stats;
      if (start >= stats.size && stats.size <= MAX_BYTES) return [];
      const bytes = readFileSync(path);
      if (bytes.length > MAX_BYTES) read = shorten(path, bytes);
      return keysIn(bytes.subarray(start), self);
    },
  };
}

const MAX_BYTES = 1024 * 1024;
/** The rest of a log that was shortened, which is also what a new process reads. */
const RETAINED_BYTES = 64 * 1024;
/** A new process ignores a log that has not changed for this long, in milliseconds. */
const RECENT_MS = 10_000;

/** Other processes notice the new file and read it from its start. */
function shorten(path: string, bytes: Uint8Array): { readonly ino: number; readonly size: number } {
  const shortened = `${path}.new`;
  createIfAbsent(shortened);
  writeFileSync(shortened, bytes.subarray(-RETAINED_BYTES));
  renameSync(shortened, path);
  return statSync(path);
}

/** The bytes may start and end within a line. */
function keysIn(bytes: Uint8Array, self: string): readonly string[] {
  const keys = new Set<string>();
  for (const line of Buffer.from(bytes).toString('utf8').split('\n')) {
    const [, writer, quoted] = LINE.exec(line) ?? [];
    if (writer !== self && quoted !== undefined) keys.add(JSON.parse(quoted) as string);
  }
  return [...keys];
}

const LINE = /^([0-9a-f]{8}) ("(?:[^"\\]|\\.)*")$/;

import { randomBytes } from 'node:crypto';
import { appendFileSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { createIfAbsent } from './fs-lock.ts';
import { whereFound } from './fs-paths.ts';

/**
 * What processes tell each other that they write: a line for each change, so that whoever has the lock knows of changes
 * that no watcher has reported yet. Only the newest are kept; what is older, watchers have told long since.
 */
export interface Journal {
  /** To be called before the change: a writer that dies then has told too much, never too little. */
  add(key: string): void;
  /** Keys that others have added since the last call. Only for whoever has the lock. */
  takeNews(): readonly string[];
}

export function createJournal(path: string, now = Date.now()): Journal {
  const self = randomBytes(4).toString('hex');
  let read: { readonly ino: number; readonly size: number } | undefined;

  /** From where on there is something new. */
  function startOf(ino: number, size: number, mtimeMs: number): number {
    if (read === undefined) return mtimeMs < now - RECENT_MS ? size : Math.max(0, size - KEPT_BYTES);
    return read.ino === ino && read.size <= size ? read.size : 0;
  }

  return {
    add(key) {
      createIfAbsent(path);
      appendFileSync(path, `${self} ${JSON.stringify(key)}\n`);
    },
    takeNews() {
      const stats = whereFound(() => statSync(path));
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
/** What stays of a journal that is shortened, and is news to a process that has just begun. */
const KEPT_BYTES = 64 * 1024;
/** A journal that has been quiet for so long before a process began is not news to it. */
const RECENT_MS = 10_000;

/** Others find another file and read it from its start. */
function shorten(path: string, bytes: Uint8Array): { readonly ino: number; readonly size: number } {
  const shortened = `${path}.new`;
  createIfAbsent(shortened);
  writeFileSync(shortened, bytes.subarray(-KEPT_BYTES));
  renameSync(shortened, path);
  return statSync(path);
}

/** A piece of a journal may begin and end within a line. */
function keysIn(bytes: Uint8Array, self: string): readonly string[] {
  const keys = new Set<string>();
  for (const line of Buffer.from(bytes).toString('utf8').split('\n')) {
    const [, writer, quoted] = LINE.exec(line) ?? [];
    if (writer !== self && quoted !== undefined) keys.add(JSON.parse(quoted) as string);
  }
  return [...keys];
}

const LINE = /^([0-9a-f]{8}) ("(?:[^"\\]|\\.)*")$/;

import { existsSync, readFileSync, renameSync, unlinkSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import pLimit from 'p-limit';
import { z } from 'zod';
import { parseAs } from '../../util/json.ts';
import { digestBytes } from '../../util/revision.ts';
import type { FileChange } from '../driver.ts';
import { RevisionConflictError } from '../errors.ts';
import { createIfAbsent } from './fs-lock.ts';
import { undefinedIfMissing } from './fs-paths.ts';
import { syncFolder } from './fs-replace.ts';

/** The file operations of a batch. They throw RevisionConflictError like a driver. */
export interface BatchFiles {
  read(key: string): Uint8Array | undefined;
  /** Null bytes remove the file. */
  change(change: FileChange): Promise<void>;
}

/** Changes of several files, of which a dead process leaves all or none. All methods require the lock. */
export interface Batches {
  /** Throws, and changes nothing, if a file cannot be changed. */
  write(changes: readonly FileChange[]): Promise<void>;
  /** Finishes the batch of a dead process. Returns the keys of its files. */
  recover(): Promise<readonly string[]>;
}

/**
 * Batches with a journal: a file that contains the old and the new bytes of all files before the first one is changed, and
 * is removed after the last one. If a file has neither its old nor its new bytes, another program has saved it meanwhile.
 * Then that file stays as it is, and the others get their old bytes back. Renaming the journal starts that, which needs no
 * space on the disk.
 */
export function createBatches(path: string, files: BatchFiles): Batches {
  const { draft, undoPath } = pathsOf(path);

  async function writeJournal(batch: Batch): Promise<void> {
    createIfAbsent(draft);
    const file = await open(draft, 'w');
    try {
      await file.writeFile(JSON.stringify(batch));
      await file.sync();
    } finally {
      await file.close();
    }
    renameSync(draft, path);
    await syncFolder(dirname(path));
  }

  /** Flushed too, because an old journal would undo later changes. */
  async function removeJournal(journal: string): Promise<void> {
    unlinkSync(journal);
    await syncFolder(dirname(path));
  }

  /** Replaces `from` by `to`; base64 or null for no file. */
  async function replace(key: string, from: string | null, to: string | null): Promise<void> {
    const present = files.read(key);
    if (toBase64(present) === to) return;
    const ifRevision = revisionOf(present);
    if (toBase64(present) !== from) throw new RevisionConflictError(key, ifRevision);
    await files.change({ key, bytes: to === null ? null : Buffer.from(to, 'base64'), ifRevision });
  }

  /** Several at a time, because the disk flushes them as fast as one. Ends when all have ended. */
  async function replaceAll(batch: Batch): Promise<void> {
    const inTurn = pLimit(AT_ONCE);
    const replaced = batch.map(({ key, before, after }) => inTurn(() => replace(key, before, after)));
    for (const result of await Promise.allSettled(replaced)) {
      if (result.status === 'rejected') throw result.reason;
    }
  }

  async function undo(batch: Batch): Promise<void> {
    for (const { key, before, after } of batch.toReversed()) {
      await replace(key, after, before).catch((error: unknown) => {
        // Another program has saved this file.
        if (!(error instanceof RevisionConflictError)) throw error;
      });
    }
    await removeJournal(undoPath);
  }

  /** Changes all files. If one cannot be changed, undoes the changes and throws the error. */
  async function apply(batch: Batch): Promise<void> {
    try {
      await replaceAll(batch.filter(({ after }) => after !== null));
      // Afterwards, because removing a file removes its empty folder.
      await replaceAll(batch.filter(({ after }) => after === null));
    } catch (error) {
      renameSync(path, undoPath);
      await syncFolder(dirname(path));
      await undo(batch);
      throw error;
    }
    await removeJournal(path);
  }

  /** Continues with a journal. Removes it if it is damaged. */
  async function resume(journal: string, work: (batch: Batch) => Promise<void>): Promise<readonly string[]> {
    const text = undefinedIfMissing(() => readFileSync(journal, 'utf8'));
    if (text === undefined) return [];
    const batch = parseAs(batchSchema, text);
    if (batch === undefined) await removeJournal(journal);
    else await work(batch);
    return batch?.map(({ key }) => key) ?? [];
  }

  return {
    async write(changes) {
      const batch = changes.map(({ key, bytes, ifRevision }) => {
        const present = files.read(key);
        const revision = revisionOf(present);
        if (revision !== ifRevision) throw new RevisionConflictError(key, revision);
        return { key, before: toBase64(present), after: toBase64(bytes) };
      });
      await writeJournal(batch);
      await apply(batch);
    },
    async recover() {
      if (!hasBatch(path)) return [];
      undefinedIfMissing(() => unlinkSync(draft));
      const undone = await resume(undoPath, undo);
      const finished = await resume(path, (batch) =>
        apply(batch).catch((error: unknown) => {
          // Undone, because another program has saved one of the files.
          if (!(error instanceof RevisionConflictError)) throw error;
        }),
      );
      return [...undone, ...finished];
    },
  };
}

/** Files that are written at the same time. */
const AT_ONCE = 8;

/** True if a process has died during a batch, or works on one. */
export function hasBatch(path: string): boolean {
  const { draft, undoPath } = pathsOf(path);
  return [path, draft, undoPath].some((each) => existsSync(each));
}

function pathsOf(path: string) {
  return {
    /** A journal that is not complete yet. */
    draft: `${path}-draft`,
    /** A journal whose changes are being undone. */
    undoPath: `${path}-undo`,
  };
}

/** Old and new bytes as base64; null for no file. */
const batchSchema = z
  .array(z.object({ key: z.string(), before: z.string().nullable(), after: z.string().nullable() }))
  .readonly();
type Batch = z.infer<typeof batchSchema>;

function toBase64(bytes: Uint8Array | null | undefined): string | null {
  return bytes ? Buffer.from(bytes).toString('base64') : null;
}

function revisionOf(bytes: Uint8Array | undefined): string | null {
  return bytes === undefined ? null : digestBytes(bytes);
}

import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { StaticDocument } from '../api/request.ts';

/** Totals of the written files. */
export interface WriteResult {
  readonly files: number;
  readonly bytes: number;
  readonly ms: number;
}

/** Writes documents below a folder, a limited number at a time. Stops at the first failure and throws it. */
export async function writeDocuments(
  documents: AsyncIterable<StaticDocument>,
  directory: string,
): Promise<WriteResult> {
  const start = performance.now();
  const root = path.resolve(directory);
  const remaining = documents[Symbol.asyncIterator]();
  let [files, bytes] = [0, 0];
  let hasFailed = false;
  const folders = new Map<string, Promise<unknown>>();

  function ensureFolder(folder: string): Promise<unknown> {
    const made = folders.get(folder) ?? mkdir(folder, { recursive: true });
    folders.set(folder, made);
    return made;
  }

  async function write(document: StaticDocument): Promise<void> {
    const file = path.join(root, document.path);
    if (!file.startsWith(root + path.sep)) throw new Error(`'${document.path}' is outside of ${root}.`);
    const body = await document.write();
    await ensureFolder(path.dirname(file));
    await writeFile(file, body);
    files += 1;
    bytes += body.byteLength;
  }

  async function writeRemaining(): Promise<void> {
    try {
      for (let next = await remaining.next(); !next.done && !hasFailed; next = await remaining.next()) {
        await write(next.value);
      }
    } catch (error) {
      hasFailed = true;
      throw error;
    }
  }

  const results = await Promise.allSettled(Array.from({ length: CONCURRENCY }, writeRemaining));
  const failure = results.find(({ status }) => status === 'rejected');
  if (failure?.status === 'rejected') throw failure.reason;
  return { files, bytes, ms: performance.now() - start };
}

const CONCURRENCY = 32;

export function formatTime(ms: number): string {
  return ms < 1e3 ? `${ms.toFixed(0)} ms` : `${(ms / 1e3).toFixed(1)} s`;
}

export function formatBytes(bytes: number): string {
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { StaticDocument } from '../api/static/documents.ts';

/** Totals of the written files. */
export interface WriteResult {
  readonly files: number;
  readonly bytes: number;
  readonly ms: number;
}

/** Writes documents below a folder, a limited number at a time. Stops at the first failure and throws it. */
export async function writeStaticDocuments(
  documents: AsyncIterable<StaticDocument>,
  directory: string,
): Promise<WriteResult> {
  const start = performance.now();
  const root = path.resolve(directory);
  const folders = new Map<string, Promise<unknown>>();
  const pending = new Set<Promise<void>>();
  const failures: unknown[] = [];
  let files = 0;
  let bytes = 0;

  async function write(document: StaticDocument): Promise<void> {
    const file = path.join(root, document.path);
    if (!file.startsWith(root + path.sep)) throw new Error(`'${document.path}' is outside of ${root}.`);
    const folder = path.dirname(file);
    const creating = folders.get(folder) ?? mkdir(folder, { recursive: true });
    folders.set(folder, creating);
    const [body] = await Promise.all([document.write(), creating]);
    await writeFile(file, body);
    files += 1;
    bytes += body.byteLength;
  }

  try {
    for await (const document of documents) {
      const writing = write(document)
        .catch((error: unknown) => {
          failures.push(error);
        })
        .finally(() => pending.delete(writing));
      pending.add(writing);
      if (pending.size >= CONCURRENCY) await Promise.race(pending);
      if (failures.length > 0) break;
    }
  } finally {
    await Promise.all(pending);
  }
  if (failures.length > 0) throw failures[0];
  return { files, bytes, ms: performance.now() - start };
}

const CONCURRENCY = 32;

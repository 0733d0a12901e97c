import type { EncodedFile } from '../content/encode/encode-file.ts';
import type { ParseResult } from '../content/parse-file.ts';
import type { FileChange, StorageDriver, WritableDriver } from '../storage/driver.ts';
import { RevisionConflictError } from '../storage/errors.ts';
import { requireWritableKey } from '../storage/file-name.ts';
import { fileOfKey, normalizeKey } from '../storage/key.ts';
import { digestBytes } from '../util/revision.ts';

/** Files as they will be after a request. */
export interface StagedFiles extends StorageDriver, Pick<WritableDriver, 'remove'> {
  /** The bytes of a file, or a file that is parsed already. */
  write(
    key: string,
    file: Uint8Array | EncodedFile,
    when?: Parameters<WritableDriver['write']>[2],
  ): Promise<void>;
  /** What differs from the stored files. */
  changes(): readonly (FileChange & { readonly parsed?: ParseResult | undefined })[];
}

/** Changes files in memory only. Reading returns the changed files, and the stored ones for all others. */
export function createStagedFiles(driver: StorageDriver): StagedFiles {
  const staged = new Map<string, StagedFile>();
  const find = (key: string) => staged.get(fileOfKey(normalizeKey(key) ?? key));

  async function read(key: string): Promise<Uint8Array | undefined> {
    const file = find(key);
    return file === undefined ? driver.read(key) : (file.bytes ?? undefined);
  }

  async function stage(
    key: string,
    bytes: Uint8Array | null,
    expected: string | null | undefined,
    parsed?: ParseResult,
  ): Promise<void> {
    const normalized = requireWritableKey(fileOfKey(key));
    const former = staged.get(normalized);
    // The driver compares a stored file when it writes.
    const revision =
      former !== undefined || typeof expected !== 'string' ? await revisionOf(normalized) : expected;
    if (expected !== undefined && expected !== revision)
      throw new RevisionConflictError(normalized, revision);
    // Each version has its own time, because caches compare size and time.
    const mtimeMs = former === undefined ? Date.now() : former.mtimeMs + 1;
    staged.set(normalized, {
      bytes,
      parsed,
      mtimeMs,
      stored: former === undefined ? revision : former.stored,
    });
  }

  async function revisionOf(key: string): Promise<string | null> {
    const present = await read(key);
    return present === undefined ? null : digestBytes(present);
  }

  return {
    name: driver.name,
    async list() {
      const { files, skipped } = await driver.list();
      const added = [...staged].flatMap(([key, file]) => describe(key, file) ?? []);
      const others = files.filter(({ key }) => !staged.has(key));
      return { files: [...others, ...added].sort((a, b) => (a.key < b.key ? -1 : 1)), skipped };
    },
    async stat(key) {
      const file = find(key);
      return file === undefined ? driver.stat(key) : describe(normalizeKey(key) ?? key, file);
    },
    read,
    write(key, file, when) {
      const { bytes, parsed } = file instanceof Uint8Array ? { bytes: file, parsed: undefined } : file;
      return stage(key, bytes, when?.ifRevision, parsed);
    },
    remove: (key, when) => stage(key, null, when?.ifRevision),
    changes: () =>
      [...staged].flatMap(([key, { bytes, parsed, stored }]) => {
        const revision = bytes === null ? null : (parsed?.digest ?? digestBytes(bytes));
        return revision === stored ? [] : [{ key, bytes, parsed, ifRevision: stored }];
      }),
  };
}

function describe(key: string, { bytes, mtimeMs }: StagedFile) {
  return bytes === null ? undefined : { key, size: bytes.byteLength, mtimeMs };
}

interface StagedFile {
  /** Null if the file is removed. */
  readonly bytes: Uint8Array | null;
  /** The parsed bytes, if they were parsed. */
  readonly parsed: ParseResult | undefined;
  readonly mtimeMs: number;
  /** Digest of the stored file; null if it does not exist. */
  readonly stored: string | null;
}

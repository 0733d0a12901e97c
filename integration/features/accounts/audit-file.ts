import { appendFile, mkdir, readFile, rename, stat } from 'node:fs/promises';
import path from 'node:path';
import { ignoreInGit } from '../../core/storage/drivers/fs-git-ignore.ts';
import { codeOf } from '../../core/storage/drivers/fs-paths.ts';
import type { AuditPlace } from './audit-log.ts';

/** Bytes of the log, at most. Then it becomes `<name>.1`, in place of the one before. */
const MAX_BYTES = 10_000_000;
/** Lines that are returned at once. */
const PAGE = 5000;

export interface AuditFileDeps {
  /** Absolute path. */
  readonly accountsFile: string;
  readonly warn: (message: string) => void;
}

/**
 * Appends lines to the audit log beside the accounts file, which only its owner can read. Several processes may do so. If
 * the file cannot be written, each line goes to `warn`, with the reason once.
 */
export function createAuditFile({ accountsFile, warn }: AuditFileDeps): AuditPlace {
  // The name begins with that of the accounts file, so git ignores both and the dev server serves neither.
  const file = `${accountsFile}.log`;
  let last = Promise.resolve();
  let isWritable = true;

  async function append(line: string): Promise<void> {
    const size = await sizeOf(file);
    if (size === undefined) {
      await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
      await ignoreInGit(accountsFile);
    } else if (size + Buffer.byteLength(line) > MAX_BYTES) await rename(file, `${file}.1`);
    await appendFile(file, line, { mode: 0o600 });
  }

  async function appendOrWarn(line: string): Promise<void> {
    try {
      await append(line);
      isWritable = true;
    } catch (error) {
      if (isWritable)
        warn(`The audit log ${file} cannot be written (${codeOf(error)}). Its lines follow here.`);
      isWritable = false;
      warn(`audit: ${line.trimEnd()}`);
    }
  }

  return {
    extent: 'site',
    write(line) {
      last = last.then(() => appendOrWarn(line));
      return last;
    },
    async lines(before) {
      await last;
      const all = [`${file}.1`, file].map((each) => readFile(each, 'utf8').catch(emptyIfMissing));
      const lines = (await Promise.all(all)).join('').split('\n').slice(0, -1);
      // Lines are only added, so that a place stays while people read on. After 10 MB, it moves once.
      const end = before === undefined ? lines.length : Math.min(Number(before), lines.length);
      const start = Math.max(0, end - PAGE);
      return lines
        .slice(start, end)
        .map((line, at) => ({ line, place: String(start + at) }))
        .reverse();
    },
  };
}

function emptyIfMissing(error: unknown): string {
  if (codeOf(error) === 'ENOENT') return '';
  throw error;
}

async function sizeOf(file: string): Promise<number | undefined> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

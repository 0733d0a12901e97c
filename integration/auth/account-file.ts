import { randomBytes } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { appendFile, mkdir, open, readdir, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { lock } from 'proper-lockfile';
import { ServiceUnavailableError } from '../errors.ts';
import { type AccountData, accountDataSchema } from './account.ts';
import { base64Url } from './secret.ts';

export interface AccountFileDeps {
  /** Absolute. The file need not exist. */
  readonly file: string;
  /** Told once for each state of the file: that a group can read it. */
  readonly warn: (message: string) => void;
}

/** The file in which the accounts are kept. Throws AccountFileError where it cannot be used as it is. */
export interface AccountFile {
  readonly path: string;
  /** The same object as long as the file is the same; undefined where there is no file. */
  read(): Promise<AccountData | undefined>;
  /**
   * Replaces the accounts while no other process does. `change` is given the newest accounts and returns them changed.
   * When this resolves they are on disk. Nothing is written where `change` throws.
   */
  update(change: (data: AccountData) => AccountData): Promise<void>;
}

/** What is wrong with the accounts file, and what to do about it. Holds nothing that is secret. */
export class AccountFileError extends Error {
  override readonly name = 'AccountFileError';
}

export function createAccountFile({ file, warn }: AccountFileDeps): AccountFile {
  let kept: { readonly stamp: string; readonly data: AccountData } | undefined;
  let queue: Promise<unknown> = Promise.resolve();

  async function read(): Promise<AccountData | undefined> {
    const stats = await statOf(file);
    if (stats === undefined) {
      kept = undefined;
      return undefined;
    }
    const stamp = stampOf(stats);
    if (kept?.stamp === stamp) return kept.data;
    checkMode(file, stats, warn);
    const data = parse(file, await readText(file));
    // A file that changed meanwhile has another stamp, so that the next call reads it again.
    kept = { stamp, data };
    return data;
  }

  async function updateLocked(change: (data: AccountData) => AccountData): Promise<void> {
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    const { release, isHeld } = await takeLock(file);
    try {
      const former = await read();
      const changed = change(former ?? emptyData());
      if (changed === former) return;
      const next = accountDataSchema.parse(changed);
      await removeDrafts(file);
      if (!isHeld()) throw new AccountFileError(`The lock of ${file} was lost. Try again.`);
      await replace(file, `${JSON.stringify(next, null, 2)}\n`);
      if (former === undefined) await ignoreInGit(file);
    } finally {
      await release();
    }
  }

  return {
    path: file,
    read,
    update(change) {
      const turn = queue.then(() => updateLocked(change));
      queue = turn.catch(() => undefined);
      return turn;
    },
  };
}

/** After which a lock whose process has died is taken over. */
const STALE_MS = 5000;
const LOCK_RETRIES = { retries: 60, factor: 1.2, minTimeout: 20, maxTimeout: 250, randomize: true };

function emptyData(): AccountData {
  return { version: 1, tokenKey: base64Url(randomBytes(32)), accounts: [] };
}

async function statOf(file: string): Promise<BigIntStats | undefined> {
  try {
    return await stat(file, { bigint: true });
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw unusable(file, 'cannot be read', error);
  }
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw unusable(file, 'cannot be read', error);
  }
}

/** Changes with every change of bytes, of owner or of mode; a file put in place of another has another number. */
function stampOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(':');
}

function checkMode(file: string, stats: BigIntStats, warn: (message: string) => void): void {
  if (!stats.isFile()) throw new AccountFileError(`The accounts file ${file} is no file.`);
  // Windows has no such bits.
  if (process.platform === 'win32') return;
  const mode = Number(stats.mode);
  if ((mode & 0o027) !== 0) {
    const fault = (mode & 0o022) === 0 ? 'read' : 'changed';
    throw new AccountFileError(
      `The accounts file ${file} can be ${fault} by other users of this machine, so it is not used. Make it private: chmod 600 ${file}`,
    );
  }
  if ((mode & 0o040) !== 0) {
    warn(`The accounts file ${file} can be read by its group. Unless that is meant: chmod 600 ${file}`);
  }
}

function parse(file: string, text: string): AccountData {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    // The parser's own message quotes the text, which is secret.
    throw new AccountFileError(`The accounts file ${file} is not valid JSON, so nobody can sign in. ${MEND}`);
  }
  const result = accountDataSchema.safeParse(json);
  if (result.success) return result.data;
  const faults = result.error.issues
    .slice(0, 5)
    .map(({ path, message }) => `\n  ${placeOf(path)}: ${message}`);
  throw new AccountFileError(
    `The accounts file ${file} is not as it should be, so nobody can sign in. ${MEND}${faults.join('')}`,
  );
}

const MEND = 'Correct it, or bring back a copy of it.';

function placeOf(path: readonly PropertyKey[]): string {
  if (path.length === 0) return 'the file';
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '');
}

async function takeLock(file: string): Promise<{ release(): Promise<void>; isHeld(): boolean }> {
  let isHeld = true;
  try {
    const release = await lock(file, {
      realpath: false,
      stale: STALE_MS,
      retries: LOCK_RETRIES,
      onCompromised: () => {
        isHeld = false;
      },
    });
    return { release: () => release().catch(() => undefined), isHeld: () => isHeld };
  } catch (error) {
    if (codeOf(error) !== 'ELOCKED') throw unusable(file, 'cannot be written', error);
    throw new ServiceUnavailableError(
      'Another process is changing the accounts. Try again in a few seconds.',
      5,
    );
  }
}

/** Whoever reads meanwhile, and whoever comes after a crash, finds the old file or the new one whole. */
async function replace(file: string, text: string): Promise<void> {
  const target = await realpath(file).catch(() => file);
  const former = await statOf(target);
  const draft = `${target}.${process.pid}-${randomBytes(6).toString('hex')}.tmp`;
  try {
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      if (former !== undefined) {
        await handle.chmod(Number(former.mode) & 0o640);
        // An administrator's command must leave the file to the account that the server runs under.
        await handle.chown(Number(former.uid), Number(former.gid)).catch(() => undefined);
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, target);
    await syncFolder(path.dirname(target));
  } catch (error) {
    await rm(draft, { force: true });
    throw unusable(file, 'cannot be written', error);
  }
}

/** What a process that died while it wrote has left; the lock is ours, so nobody writes now. */
async function removeDrafts(file: string): Promise<void> {
  const target = await realpath(file).catch(() => file);
  const folder = path.dirname(target);
  for (const name of await readdir(folder)) {
    if (name.startsWith(`${path.basename(target)}.`) && name.endsWith('.tmp'))
      await rm(path.join(folder, name));
  }
}

async function syncFolder(folder: string): Promise<void> {
  // A folder cannot be opened there.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}

/** Keeps a new accounts file, with its drafts and its lock, out of the repository it may lie in. */
async function ignoreInGit(file: string): Promise<void> {
  const folder = path.dirname(file);
  if (!(await isInRepository(folder))) return;
  const ignoreFile = path.join(folder, '.gitignore');
  const former = await readFile(ignoreFile, 'utf8').catch(() => '');
  const line = `/${path.basename(file)}*`;
  if (former.split(/\r?\n/).includes(line)) return;
  await appendFile(ignoreFile, `${former === '' || former.endsWith('\n') ? '' : '\n'}${line}\n`);
}

async function isInRepository(folder: string): Promise<boolean> {
  for (let at = folder; ; at = path.dirname(at)) {
    if ((await statOf(path.join(at, '.git'))) !== undefined) return true;
    if (path.dirname(at) === at) return false;
  }
}

function unusable(file: string, fault: string, error: unknown): AccountFileError {
  if (error instanceof AccountFileError) return error;
  const reason = codeOf(error) ?? (error instanceof Error ? error.message : String(error));
  return new AccountFileError(`The accounts file ${file} ${fault} (${reason}).`, { cause: error });
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}

function isAbsent(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

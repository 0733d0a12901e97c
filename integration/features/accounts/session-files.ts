import { createHash, randomBytes } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isMissing } from '../../core/storage/drivers/fs-paths.ts';

/** Plain data: the options of Astro's `session.driver`. */
export interface SessionFilesConfig {
  /** The folder, absolute or relative to the working directory. */
  readonly base: string;
  /** Seconds after its last change in which a session is removed. */
  readonly ttl: number;
}

/**
 * Sessions as files, for Astro's `session.driver`. Only the user of the server can read them. A file is named by the
 * SHA-256 of the session's id, so a list of the files does not give anyone a session. Expired files are removed.
 */
export default function createSessionFiles({ base, ttl }: SessionFilesConfig) {
  const folder = path.resolve(base);
  let prepared: Promise<void> | undefined;
  let nextSweep = 0;

  async function prepare(): Promise<void> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    // An earlier version made the folder readable by everyone. It may belong to another user, who then decides.
    await chmod(folder, 0o700).catch(() => undefined);
  }

  function fileOf(id: string): string {
    return path.join(folder, createHash('sha256').update(id).digest('hex'));
  }

  async function sweep(): Promise<void> {
    if (Date.now() < nextSweep) return;
    nextSweep = Date.now() + SWEEP_MS;
    for (const name of await readdir(folder)) {
      const file = path.join(folder, name);
      if (FORMER_NAME.test(name)) await rm(file, { force: true });
      else if (NAME.test(name)) await removeExpired(file);
    }
  }

  async function removeExpired(file: string): Promise<void> {
    const { mtimeMs } = await stat(file);
    if (mtimeMs + ttl * 1000 < Date.now()) await rm(file, { force: true });
  }

  return {
    async getItem(id: string): Promise<string | null> {
      try {
        return await readFile(fileOf(id), 'utf8');
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    },
    async setItem(id: string, value: string): Promise<void> {
      prepared ??= prepare();
      await prepared;
      const file = fileOf(id);
      const draft = `${file}.${randomBytes(6).toString('hex')}`;
      await writeFile(draft, value, { mode: 0o600 });
      await rename(draft, file);
      // Another server may remove the same files. A sweep that fails is tried again later.
      sweep().catch(() => undefined);
    },
    async removeItem(id: string): Promise<void> {
      await rm(fileOf(id), { force: true });
    },
  };
}

const SWEEP_MS = 3600_000;
const NAME = /^[\da-f]{64}(\.[\da-f]{12})?$/;
/** Astro's own driver names a file by the id, which is a UUID. Such a file cannot be used any more. */
const FORMER_NAME = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[\da-f]{4}-[\da-f]{12}$/;

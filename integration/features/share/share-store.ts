import { randomBytes } from 'node:crypto';
import { chmod, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { Member } from '../../core/access/members.ts';
import type { SharedState } from '../../core/runtime/shared-state.ts';
import type { OpeningRuntime } from '../../core/runtime/site.ts';
import { ignoreInGit } from '../../core/storage/drivers/fs-git-ignore.ts';
import { createFileLock } from '../../core/storage/drivers/fs-lock.ts';
import { codeOf, isMissing } from '../../core/storage/drivers/fs-paths.ts';
import { UnwritableStorageError } from '../../core/storage/errors.ts';
import { createLockedQueue } from '../../core/storage/locked-queue.ts';
import { DomainError, ServiceUnavailableError } from '../../core/util/errors.ts';
import { parseAs } from '../../core/util/json.ts';
import { randomId } from '../../core/util/secret.ts';

const linkSchema = z.object({
  id: z.string(),
  /** Name of the account that has made it. */
  maker: z.string(),
  /** What identifies this account, because a later one can have the same name. */
  account: z.string().optional(),
  type: z.string(),
  entry: z.string(),
  translation: z.string().optional(),
  version: z.enum(['draft', 'entry']),
  path: z.string(),
  /** Seconds since the Unix epoch. */
  created: z.int(),
  expires: z.int(),
});
const dataSchema = z.object({ key: z.string().min(43), links: z.array(linkSchema) });

/** A link that is not revoked. */
export type ShareLink = z.output<typeof linkSchema>;
export type ShareData = z.output<typeof dataSchema>;

/** The links of a site, and the key that signs them. All servers of a site see the same ones. */
export interface ShareStore {
  /** Undefined before the first link. */
  read(): Promise<ShareData | undefined>;
  /** No other change comes in between. */
  change<T>(
    change: (data: ShareData) => { readonly links?: ShareData['links']; readonly result: T },
  ): Promise<T>;
}

export interface ShareDeps {
  readonly store: ShareStore;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  readonly members: OpeningRuntime['members'];
}

/** What identifies the account of a member; undefined if only its name does. */
export function accountOf(member: Member | undefined): string | undefined {
  return member?.epoch?.split('.', 1)[0];
}

/** In the database of the accounts, or in the memory of one server. */
export function createSharedShares(shared: SharedState): ShareStore {
  return {
    async read() {
      const value = await shared.read(KEY);
      return value && parseData(value.text);
    },
    change: (change) =>
      shared.change([KEY], ([text]) => {
        const data = text === undefined ? newData() : parseData(text);
        const { links, result } = change(data);
        return { result, ...(links && { values: [{ text: JSON.stringify({ ...data, links }) }] }) };
      }),
  };
}

const KEY = 'share-links';

/** In a private file, which is changed under a lock, so several processes can use it. */
export function createShareFile(file: string): ShareStore {
  const exclusively = createLockedQueue({
    async take(isWanted) {
      const release = await createFileLock(`${file}.lock`).take(isWanted);
      return release && { changed: [], release };
    },
  });

  async function read(): Promise<ShareData | undefined> {
    try {
      return parseData(await readFile(file, 'utf8'));
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw unusable(error);
    }
  }

  return {
    read,
    async change(change) {
      try {
        await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
        return await exclusively(async () => {
          const former = await read();
          const data = former ?? newData();
          const { links, result } = change(data);
          // It has the key, and there need not be an accounts file.
          if (former === undefined) await ignoreInGit(file);
          if (links !== undefined) await replace(file, JSON.stringify({ ...data, links }));
          return result;
        });
      } catch (error) {
        // The text of this error is about the content folder; its cause is about this lock.
        throw unusable(error instanceof UnwritableStorageError ? (error.cause ?? error) : error);
      }
    },
  };
}

async function replace(file: string, text: string): Promise<void> {
  const draft = `${file}.${process.pid}-${randomBytes(6).toString('hex')}.tmp`;
  try {
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(`${text}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await chmod(draft, 0o600);
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

function unusable(error: unknown): DomainError {
  if (error instanceof DomainError) return error;
  const reason = codeOf(error) ?? 'the log of the server says why';
  return new ServiceUnavailableError(
    `Links to share cannot be stored or read (${reason}). They need a folder that the server can write: set JSONAPI_ACCOUNTS to a file in one, or use PostgreSQL.`,
    RETRY_SECONDS,
    error,
  );
}

const RETRY_SECONDS = 60;

function parseData(text: string): ShareData {
  const data = parseAs(dataSchema, text);
  // The text has the key.
  if (data === undefined)
    throw new ServiceUnavailableError('The list of links to share is damaged.', RETRY_SECONDS);
  return data;
}

function newData(): ShareData {
  return { key: randomId(32), links: [] };
}

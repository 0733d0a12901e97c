import { LRUCache } from 'lru-cache';
import { type Limits, optionNote } from '../engine/limits.ts';
import { createAllowances } from '../util/allowances.ts';
import { TooManyRequestsError } from '../util/errors.ts';
import { createFairLimiter } from '../util/fair-limiter.ts';
import type { ContentWriter, Writer } from './writer.ts';

export interface WriteLimitsDeps {
  readonly limits: Pick<Limits, 'writesPerMinute' | 'uploadBytesPerDay' | 'unusedUploads'>;
  /** Whether an entity names a file of the content folder. */
  isNamed(key: string): boolean;
  /** Milliseconds. */
  now(): number;
}

const DAY_SECONDS = 24 * 3600;
/** Accounts of which uploads are remembered, the latest. */
const ACCOUNTS = 10_000;
/** Changes that wait for their turn. */
const WAITING = 500;

/**
 * Limits what each account changes and uploads. All requests without an account share one limit. The counts are kept in
 * memory, for one server process. A refused request is a 429 that names the option, and stores nothing. Accounts take
 * turns: an account with many changes delays each of the others by one change.
 */
export function withWriteLimits(
  writer: ContentWriter,
  { limits, isNamed, now }: WriteLimitsDeps,
): ContentWriter {
  const { writesPerMinute, uploadBytesPerDay, unusedUploads } = limits;
  const writes = createAllowances({ burst: writesPerMinute, seconds: 60 / writesPerMinute }, now);
  const bytes = createAllowances({ burst: uploadBytesPerDay, seconds: DAY_SECONDS / uploadBytesPerDay }, now);
  const inTurn = createFairLimiter(
    1,
    WAITING,
    () =>
      new TooManyRequestsError('Too many changes are waiting. Your change was not made. Try again later.', 1),
  );
  const uploads = new LRUCache<string, readonly { readonly key: string; readonly until: number }[]>({
    max: ACCOUNTS,
  });

  function countWrite({ actor }: Writer): void {
    const account = actor.name ?? '';
    const seconds = writes.wait(account);
    if (seconds > 0)
      throw beyond('writesPerMinute', `change content ${writesPerMinute} times a minute`, seconds);
    writes.charge(account);
  }

  function checkUnused(account: string): void {
    const known = uploads.get(account) ?? [];
    if (known.length < unusedUploads) return;
    // A file that an entity names now may be replaced later.
    const ofDay = known.filter(({ until }) => until > now());
    uploads.set(account, ofDay);
    const left = ofDay.filter(({ key }) => !isNamed(key));
    const [first] = left;
    if (first === undefined || left.length < unusedUploads) return;
    const sentence = `upload ${unusedUploads} files a day that no entity names`;
    throw beyond('unusedUploads', sentence, (first.until - now()) / 1000);
  }

  /** Counts before each command of the writer. */
  const limited =
    <Rest extends readonly unknown[], Result>(
      command: (by: Writer, ...rest: Rest) => Promise<Result>,
    ): ((by: Writer, ...rest: Rest) => Promise<Result>) =>
    async (by, ...rest) => {
      countWrite(by);
      return inTurn(() => command(by, ...rest), { parties: [by.actor.name ?? ''] });
    };

  return {
    create: limited(writer.create),
    update: limited(writer.update),
    replace: limited(writer.replace),
    append: limited(writer.append),
    relate: limited(writer.relate),
    remove: limited(writer.remove),
    upload: limited(async (by, target, file, when) => {
      const account = by.actor.name ?? '';
      const size = file.bytes.byteLength;
      const seconds = bytes.wait(account, size);
      if (seconds > 0) throw beyond('uploadBytesPerDay', `upload ${uploadBytesPerDay} bytes a day`, seconds);
      checkUnused(account);
      // Charged before the file is stored, so that uploads at the same time are counted too.
      bytes.charge(account, size);
      try {
        const stored = await writer.upload(by, target, file, when);
        const entry = { key: stored.key, until: now() + DAY_SECONDS * 1000 };
        uploads.set(account, [...(uploads.get(account) ?? []), entry]);
        return stored;
      } catch (error) {
        bytes.refund(account, size);
        throw error;
      }
    }),
  };
}

function beyond(
  name: keyof WriteLimitsDeps['limits'],
  sentence: string,
  seconds: number,
): TooManyRequestsError {
  return new TooManyRequestsError(`An account may ${sentence}${optionNote(name)}. Try again later.`, seconds);
}

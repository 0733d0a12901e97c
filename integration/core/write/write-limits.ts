import { type Limits, optionNote } from '../engine/limits.ts';
import { createAllowances } from '../util/allowances.ts';
import { DomainError, TooManyRequestsError } from '../util/errors.ts';
import { LruMap } from '../util/lru-map.ts';
import type { ContentWriter, StoredUpload, UploadedFile, Writer } from './writer.ts';

export interface WriteLimitsDeps {
  readonly limits: Pick<Limits, 'writesPerMinute' | 'uploadBytesPerDay' | 'unusedUploads'>;
  /** True if an entity refers to a file of the content folder. */
  isReferencedFile(key: string): boolean;
  /** Milliseconds. */
  now(): number;
}

const DAY_SECONDS = 24 * 3600;
/** Accounts whose uploads are remembered. */
const MAX_ACCOUNTS = 10_000;

/**
 * Limits the changes and uploads of each account. All requests without an account share one limit. The counts are kept in
 * memory, for one server process. Throws TooManyRequestsError, which names the option.
 */
export function withWriteLimits(
  writer: ContentWriter,
  { limits, isReferencedFile, now }: WriteLimitsDeps,
): ContentWriter {
  const { writesPerMinute, uploadBytesPerDay, unusedUploads } = limits;
  const writes = createAllowances({ burst: writesPerMinute, seconds: 60 / writesPerMinute }, now);
  const bytes = createAllowances({ burst: uploadBytesPerDay, seconds: DAY_SECONDS / uploadBytesPerDay }, now);
  const uploads = new LruMap<string, readonly StoredFile[]>(MAX_ACCOUNTS);

  function countWrites({ actor }: Writer, count: number): void {
    const account = actor.name ?? '';
    if (count > writesPerMinute) {
      const detail = `A request may change content ${writesPerMinute} times at most, not ${count}${optionNote('writesPerMinute')}.`;
      throw new DomainError('too-large', detail);
    }
    const seconds = writes.wait(account, count);
    if (seconds > 0)
      throw beyond('writesPerMinute', `change content ${writesPerMinute} times a minute`, seconds);
    writes.charge(account, count);
  }

  function checkUnused(account: string): void {
    const files = uploads.get(account) ?? [];
    if (files.length < unusedUploads) return;
    // A file that an entity refers to now may be replaced later.
    const ofLastDay = files.filter(({ until }) => until > now());
    uploads.set(account, ofLastDay);
    const unused = ofLastDay.filter(({ key }) => !isReferencedFile(key));
    const [first] = unused;
    if (first === undefined || unused.length < unusedUploads) return;
    const action = `upload ${unusedUploads} files a day that no entity names`;
    throw beyond('unusedUploads', action, (first.until - now()) / 1000);
  }

  function limited<Rest extends readonly unknown[], Result>(
    command: (by: Writer, ...rest: Rest) => Promise<Result>,
  ): (by: Writer, ...rest: Rest) => Promise<Result> {
    return async (by, ...rest) => {
      countWrites(by, 1);
      return command(by, ...rest);
    };
  }

  /** Counts the bytes of an upload. They are charged before the file is stored, so that concurrent uploads count too. */
  async function withBytes<Result>(
    { actor }: Writer,
    { byteLength }: Uint8Array,
    store: () => Promise<Result>,
  ): Promise<Result> {
    const account = actor.name ?? '';
    const seconds = bytes.wait(account, byteLength);
    if (seconds > 0) throw beyond('uploadBytesPerDay', `upload ${uploadBytesPerDay} bytes a day`, seconds);
    bytes.charge(account, byteLength);
    try {
      return await store();
    } catch (error) {
      bytes.refund(account, byteLength);
      throw error;
    }
  }

  /** Counts new files that no entity names. */
  async function withUnused(by: Writer, file: UploadedFile, store: () => Promise<StoredUpload>) {
    const account = by.actor.name ?? '';
    checkUnused(account);
    const stored = await withBytes(by, file.bytes, store);
    const entry = { key: stored.key, until: now() + DAY_SECONDS * 1000 };
    uploads.set(account, [...(uploads.get(account) ?? []), entry]);
    return stored;
  }

  return {
    create: limited(writer.create),
    translate: limited(writer.translate),
    update: limited(writer.update),
    relate: limited(writer.relate),
    remove: limited(writer.remove),
    async perform(by, operations) {
      countWrites(by, operations.length);
      return writer.perform(by, operations);
    },
    async preview(by, operations) {
      countWrites(by, operations.length);
      return writer.preview(by, operations);
    },
    upload: limited((by, target, file, when) =>
      withUnused(by, file, () => writer.upload(by, target, file, when)),
    ),
    storeFile: limited((by, target, file) => withUnused(by, file, () => writer.storeFile(by, target, file))),
    replaceFile: limited((by, key, content, when) =>
      withBytes(by, content, () => writer.replaceFile(by, key, content, when)),
    ),
    removeFile: limited(writer.removeFile),
  };
}

interface StoredFile {
  readonly key: string;
  readonly until: number;
}

function beyond(
  name: keyof WriteLimitsDeps['limits'],
  action: string,
  seconds: number,
): TooManyRequestsError {
  return new TooManyRequestsError(`An account may ${action}${optionNote(name)}. Try again later.`, seconds);
}

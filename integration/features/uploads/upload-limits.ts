import type { Limits } from '../../core/engine/limits.ts';
import type { EntityStore } from '../../core/engine/store/entity-store.ts';
import { isReferencedFile } from '../../core/read/content-files.ts';
import { createAllowances } from '../../core/util/allowances.ts';
import { LruMap } from '../../core/util/lru-map.ts';
import { beyond } from '../../core/write/write-limits.ts';
import type { Writer } from '../../core/write/writer.ts';
import type { StoredUpload, UploadedFile } from './file-commands.ts';

const DAY_SECONDS = 24 * 3600;
/** Accounts whose uploads are remembered. */
const MAX_ACCOUNTS = 10_000;

export type UploadLimits = ReturnType<typeof createUploadLimits>;

/**
 * Limits the uploads of each account, as `withWriteLimits` limits its changes. Throws TooManyRequestsError, which names the
 * option.
 */
export function createUploadLimits(
  { uploadBytesPerDay, unusedUploads }: Pick<Limits, 'uploadBytesPerDay' | 'unusedUploads'>,
  now: () => number,
) {
  const bytes = createAllowances({ burst: uploadBytesPerDay, seconds: DAY_SECONDS / uploadBytesPerDay }, now);
  const uploads = new LruMap<string, readonly StoredFile[]>(MAX_ACCOUNTS);

  function checkUnused(account: string, store: EntityStore): void {
    const files = uploads.get(account) ?? [];
    if (files.length < unusedUploads) return;
    // A file that an entity refers to now may be replaced later.
    const ofLastDay = files.filter(({ until }) => until > now());
    uploads.set(account, ofLastDay);
    const unused = ofLastDay.filter(({ key }) => !isReferencedFile(store, key));
    const [first] = unused;
    if (first === undefined || unused.length < unusedUploads) return;
    const action = `upload ${unusedUploads} files a day that no entity names`;
    throw beyond('unusedUploads', action, (first.until - now()) / 1000);
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
  async function withUnused(
    by: Writer,
    file: UploadedFile,
    entities: EntityStore,
    store: () => Promise<StoredUpload>,
  ): Promise<StoredUpload> {
    const account = by.actor.name ?? '';
    checkUnused(account, entities);
    const stored = await withBytes(by, file.bytes, store);
    const entry = { key: stored.key, until: now() + DAY_SECONDS * 1000 };
    uploads.set(account, [...(uploads.get(account) ?? []), entry]);
    return stored;
  }

  return { withBytes, withUnused };
}

interface StoredFile {
  readonly key: string;
  readonly until: number;
}

import type { WritableDriver } from '../../storage/driver.ts';
import { UnsafeKeyError } from '../../storage/errors.ts';
import { createNames, type UploadName } from './upload-name.ts';

/** Names that the storage may refuse, for what is there under a like name, before one gives up. */
const REFUSALS = 20;

/**
 * Writes a new file into a folder of the content, under the first name that is free; nothing is overwritten. Answers its
 * key. To be called where nobody else writes.
 */
export async function storeFile(
  driver: WritableDriver,
  folder: string,
  name: UploadName,
  bytes: Uint8Array,
): Promise<string> {
  let refusals = 0;
  const next = createNames(name);
  for (;;) {
    const key = `${folder}/${next()}`;
    if ((await driver.stat(key)) !== undefined) continue;
    try {
      await driver.write(key, bytes, { ifRevision: null });
      return key;
    } catch (error) {
      // A name that differs in case alone, or a folder of that name.
      refusals += 1;
      if (!(error instanceof UnsafeKeyError) || refusals === REFUSALS) throw error;
    }
  }
}

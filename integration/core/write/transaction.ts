import type { Entity } from '../content/model.ts';
import type { FileChange, StorageDriver, WritableDriver } from '../storage/driver.ts';
import { RevisionConflictError } from '../storage/errors.ts';
import { ConflictError, TooManyRequestsError } from '../util/errors.ts';
import { createFairLimiter } from '../util/fair-limiter.ts';
import { digestBytes } from '../util/revision.ts';
import type { Content, Transact, Turns, Writer, WriterDeps } from './writer.ts';

/** Commands that may wait for their turn. */
const MAX_WAITING = 500;
/** Attempts of a command when another program saves the same file meanwhile. */
const ATTEMPTS = 5;
/** Reads of a file that keeps changing. */
const READS = 20;
/** Some editors rename a file away before they write it again: milliseconds between the reads of a missing file. */
const MISSING_FILE_DELAYS_MS = [5, 10, 15, 20];
const CHANGING = 'Another program keeps changing the file. Try again.';

/** Throws TooManyRequestsError if too much work waits. */
export function createTurns(): Turns {
  const limited = createFairLimiter(
    1,
    MAX_WAITING,
    () =>
      new TooManyRequestsError('Too many changes are waiting. Your change was not made. Try again later.', 1),
  );
  return ({ actor }, work) => limited(work, { parties: [actor.name ?? ''] });
}

/**
 * Commands run one at a time, while no other process writes, and see the changes of other processes. A command starts again
 * if its file changes meanwhile. Throws ConflictError if that happens again and again.
 */
export function createTransact(deps: WriterDeps): Transact {
  const inTurn = createTurns();

  async function attempt<T>(writer: Writer, command: () => Promise<T>, attemptsLeft: number): Promise<T> {
    try {
      return await deps.driver.exclusively(async (changed) => {
        if (changed.length > 0) await reload(deps, changed);
        await deps.onBegin?.(writer);
        return command();
      });
    } catch (error) {
      if (!(error instanceof RevisionConflictError)) throw error;
      if (attemptsLeft === 1) throw new ConflictError(CHANGING);
      await readFile(deps, error.key);
      await reload(deps, [error.key]);
      return attempt(writer, command, attemptsLeft - 1);
    }
  }

  return (writer, command) => inTurn(writer, () => attempt(writer, command, ATTEMPTS));
}

/** Writes the files of a change. A single file needs no journal. */
export async function writeFiles(driver: WritableDriver, changes: readonly FileChange[]): Promise<void> {
  const [first, ...others] = changes;
  if (first === undefined) return;
  const { key, bytes, ifRevision } = first;
  if (others.length > 0) await driver.writeAll(changes);
  else if (bytes !== null) await driver.write(key, bytes, { ifRevision });
  else if (ifRevision !== null) await driver.remove(key, { ifRevision });
}

/** The content, and the driver of its files. */
export interface StoredContent extends Pick<Content, 'collector' | 'store'> {
  readonly driver: Pick<StorageDriver, 'read'>;
}

/** An entity and the bytes of its file. */
export interface LoadedEntity {
  readonly entity: Entity;
  readonly bytes: Uint8Array;
}

/** Loads an entity from its file as it is now; undefined if it was deleted. */
export async function loadCurrent(deps: StoredContent, former: Entity): Promise<LoadedEntity | undefined> {
  let previous: string | undefined;
  for (let read = 1; ; read++) {
    const entity = deps.store.get(former.type, former.id, former.translation);
    const { key } = entity ?? former;
    const bytes = await readFile(deps, key);
    const revision = bytes && digestBytes(bytes);
    if (entity !== undefined && bytes !== undefined && revision === entity.revision) return { entity, bytes };
    if (revision !== undefined && revision === previous) {
      // The file was loaded since, and contains another entity or errors.
      if (entity === undefined) return undefined;
      throw new ConflictError(
        `The file of '${former.id}' has errors, so the API returns its last valid version. Correct the file first.`,
      );
    }
    // An editor may save the file between any two of these lines.
    if (read === READS) throw new ConflictError(CHANGING);
    previous = revision;
    await reload(deps, [key]);
    if (bytes === undefined && deps.store.get(former.type, former.id, former.translation) === undefined) {
      return undefined;
    }
  }
}

/** Reads a file. Waits a moment if it is missing. */
async function readFile(
  { driver }: Pick<StoredContent, 'driver'>,
  key: string,
): Promise<Uint8Array | undefined> {
  for (const delay of MISSING_FILE_DELAYS_MS) {
    const bytes = await driver.read(key);
    if (bytes !== undefined) return bytes;
    await new Promise((resolve) => setTimeout(resolve, delay));
  }
  return driver.read(key);
}

/** Reads files again and updates the store. */
export async function reload(
  { collector }: Pick<Content, 'collector'>,
  keys: readonly string[],
): Promise<void> {
  await collector.apply(keys, [], 'later');
}

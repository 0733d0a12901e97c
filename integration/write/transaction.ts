import type { Collector } from '../content/collect.ts';
import type { Entity, ResourceType } from '../content/model.ts';
import type { MutableEntityStore } from '../engine/store/entity-store.ts';

import type { WritableDriver } from '../storage/driver.ts';
import { RevisionConflictError } from '../storage/errors.ts';
import { ConflictError } from '../util/errors.ts';
import { digestBytes } from '../util/revision.ts';
import type { Writer } from './writer.ts';

export interface TransactionDeps {
  readonly driver: WritableDriver;
  readonly collector: Pick<Collector, 'apply'>;
  readonly store: MutableEntityStore;
  /** Called before anything changes, and before each time a command begins again. */
  onBegin?(writer: Writer): Promise<void>;
}

/** How often a command begins again because somebody else, an editor say, saved the same file meanwhile. */
const ATTEMPTS = 5;
/** How often a file is read that is never the same twice. */
const READINGS = 20;
const CHANGING = 'The file is being changed by somebody else again and again. Try once more.';

/**
 * Runs a command while no other process writes, over content that is as the files are: what others have written since
 * is taken up before. Begins again where a file has changed under it. Throws a 409 where that happens time and again.
 */
export async function transact<T>(
  deps: TransactionDeps,
  writer: Writer,
  command: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await deps.driver.exclusively(async (changed) => {
        if (changed.length > 0) await takeUp(deps, changed);
        await deps.onBegin?.(writer);
        return command();
      });
    } catch (error) {
      if (!(error instanceof RevisionConflictError)) throw error;
      if (attempt === ATTEMPTS) {
        throw new ConflictError(CHANGING);
      }
      await takeUp(deps, [error.key]);
    }
  }
}

export interface FileChange {
  readonly key: string;
  readonly before: Uint8Array;
  readonly bytes: Uint8Array;
}

/**
 * Writes all files, runs `next`, and returns its result. If a write or `next` fails, the files get their previous bytes
 * back, except those that someone else has saved since.
 */
export async function writeAllThen<T>(
  { driver }: Pick<TransactionDeps, 'driver'>,
  files: readonly FileChange[],
  next: () => Promise<T>,
): Promise<T> {
  const written: FileChange[] = [];
  try {
    for (const file of files) {
      await driver.write(file.key, file.bytes, { ifRevision: digestBytes(file.before) });
      written.push(file);
    }
    return await next();
  } catch (error) {
    const failures: unknown[] = [];
    for (const { key, before, bytes } of written) {
      await driver.write(key, before, { ifRevision: digestBytes(bytes) }).catch((failure: unknown) => {
        if (!(failure instanceof RevisionConflictError)) failures.push(failure);
      });
    }
    if (failures.length === 0) throw error;
    throw new AggregateError(
      [error, ...failures],
      'A change failed, and some of its files could not be restored.',
    );
  }
}

/** The entity as its file is now; undefined where there is none any more. */
export async function current(
  deps: TransactionDeps,
  type: ResourceType,
  id: string,
): Promise<{ readonly entity: Entity; readonly bytes: Uint8Array } | undefined> {
  let before: string | undefined;
  for (let attempt = 1; ; attempt++) {
    const entity = deps.store.get(type.name, id);
    const bytes = entity && (await deps.driver.read(entity.key));
    if (entity === undefined) return undefined;
    const revision = bytes && digestBytes(bytes);
    if (bytes !== undefined && revision === entity.revision) return { entity, bytes };
    if (revision !== undefined && revision === before) {
      throw new ConflictError(
        `The file of '${id}' has errors, and what is answered is its last good version. Mend the file first.`,
      );
    }
    // An editor may save it between any two of these lines.
    if (attempt === READINGS) throw new ConflictError(CHANGING);
    before = revision;
    await takeUp(deps, [entity.key]);
  }
}

/** Reads files again, which also updates the store. */
export async function takeUp({ collector }: TransactionDeps, keys: readonly string[]): Promise<void> {
  await collector.apply(keys, [], 'later');
}

import type { Collector } from '../entities/collect.ts';
import type { Entity, ResourceType } from '../entities/model.ts';
import { ConflictError } from '../errors.ts';
import type { WritableDriver } from '../storage/driver.ts';
import { RevisionConflictError } from '../storage/errors.ts';
import { digestBytes } from '../storage/revision.ts';
import type { MutableEntityStore } from '../store/store.ts';
import { applyChange } from '../store/sync.ts';

export interface TransactionDeps {
  readonly driver: WritableDriver;
  readonly collector: Pick<Collector, 'apply'>;
  readonly store: MutableEntityStore;
}

/** How often a command begins again because somebody else, an editor say, saved the same file meanwhile. */
const ATTEMPTS = 5;

/**
 * Runs a command while no other process writes, over content that is as the files are: what others have written since
 * is taken up before. Begins again where a file has changed under it. Throws a 409 where that happens time and again.
 */
export async function transact<T>(deps: TransactionDeps, command: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await deps.driver.exclusively(async (changed) => {
        if (changed.length > 0) await takeUp(deps, changed);
        return command();
      });
    } catch (error) {
      if (!(error instanceof RevisionConflictError)) throw error;
      if (attempt === ATTEMPTS) {
        throw new ConflictError('The file is being changed by somebody else again and again. Try once more.');
      }
      await takeUp(deps, [error.key]);
    }
  }
}

/** The entity as its file is now; undefined where there is none any more. */
export async function current(
  deps: TransactionDeps,
  type: ResourceType,
  id: string,
): Promise<{ readonly entity: Entity; readonly bytes: Uint8Array } | undefined> {
  for (let again = false; ; again = true) {
    const entity = deps.store.get(type.name, id);
    const bytes = entity && (await deps.driver.read(entity.key));
    if (entity !== undefined && bytes !== undefined && digestBytes(bytes) === entity.revision)
      return { entity, bytes };
    if (entity === undefined) return undefined;
    if (again) {
      throw new ConflictError(
        `The file of '${id}' has errors, and what is answered is its last good version. Mend the file first.`,
      );
    }
    await takeUp(deps, [entity.key]);
  }
}

/** Carries files as they are now into the store. */
export async function takeUp({ collector, store }: TransactionDeps, keys: readonly string[]): Promise<void> {
  applyChange(store, await collector.apply(keys, [], 'later'));
}

import type { Problem } from '../source/diagnostic.ts';
import type { FileVersion, PastFiles } from '../storage/driver.ts';
import type { Collector } from './collect.ts';
import type { Entity } from './model.ts';

/** An entity as a commit left it. */
export interface PastEntity {
  readonly version: FileVersion;
  /** With the type and the id that it has now; null where its bundle does not allow it any more. */
  readonly entity: Entity | null;
  readonly problems: readonly Problem[];
}

/** What entities were. A version is one of the file that the entity has now. Throws as `PastFiles` does. */
export interface PastContent {
  /** Undefined as `PastFiles.read` answers it. */
  read(entity: Entity, commit: string): Promise<PastEntity | undefined>;
  /** The newest first; `most` at most. */
  list(entity: Entity, most: number): Promise<readonly FileVersion[]>;
}

export function createPastContent(files: PastFiles, { recall }: Pick<Collector, 'recall'>): PastContent {
  return {
    async read({ key, type, id }, commit) {
      const file = await files.read(key, commit);
      if (file === undefined) return undefined;
      const { version, bytes } = file;
      const { entity, problems } = await recall(key, bytes, version.at);
      return { version, entity: entity && { ...entity, type, id }, problems };
    },
    list: ({ key }, most) => files.list(key, most),
  };
}

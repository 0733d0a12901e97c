import type { Problem } from '../source/diagnostic.ts';
import type { FileVersion, PastFiles } from '../storage/driver.ts';
import { bytesInMemory } from '../storage/stored-bytes.ts';
import type { Collector } from './collect.ts';
import { markdownText } from './markdown-text.ts';
import type { Body, Entity } from './model.ts';

/** An entity as of a commit. */
export interface PastEntity {
  readonly version: FileVersion;
  /** Has the present type and id; null if its bundle does not allow it any more. */
  readonly entity: Entity | null;
  readonly problems: readonly Problem[];
}

/** Past versions of entities: of the file that an entity has now. Throws the errors of `PastFiles`. */
export interface PastContent {
  /** Undefined if `PastFiles.read` returns undefined. */
  read(entity: Entity, commit: string): Promise<PastEntity | undefined>;
  /** The newest `limit` versions, the newest first. */
  list(entity: Entity, limit: number): Promise<readonly FileVersion[]>;
  /** Lets the fields of the newest versions be written again. */
  recall(entity: Entity): Promise<void>;
  /** An MDX body without its components: those of a past version may be gone, and those of today must not run in their place. */
  asMarkdown(body: Body): Body;
}

/** Versions whose fields are recalled. */
const MAX_RECALLED = 20;

export function createPastContent(
  files: PastFiles,
  { previewPastVersion, recall }: Pick<Collector, 'previewPastVersion' | 'recall'>,
): PastContent {
  return {
    async read({ key, type, id, translation }, commit) {
      const file = await files.read(key, commit);
      if (file === undefined) return undefined;
      const { version, bytes } = file;
      const { entity, problems } = await previewPastVersion(key, bytes, version.at);
      const present = { type, id, ...(translation !== undefined && { translation }) };
      return { version, entity: entity && { ...entity, ...present }, problems };
    },
    list: ({ key }, limit) => files.list(key, limit),
    async recall({ key }) {
      for (const { commit } of await files.list(key, MAX_RECALLED)) {
        const file = await files.read(key, commit);
        if (file !== undefined) await recall(key, file.bytes);
      }
    },
    asMarkdown(body) {
      const bytes = new TextEncoder().encode(markdownText(body));
      return { ...body, format: 'markdown', file: bytesInMemory(bytes), start: 0, end: bytes.length };
    },
  };
}

import type { Reference } from '../content/model.ts';

/** What the site knows about its content files. */
export interface MergedContent {
  /** True if a file may have a body that neither side of a merge has written. */
  isAllowed(key: string, bytes: Uint8Array): Promise<boolean>;
  /** The entity in a content file. */
  entityIn(key: string, bytes: Uint8Array): Promise<Reference | undefined>;
}

import type { Reference } from '../../core/content/model.ts';
import type { Person } from '../../core/write/person.ts';

/** What the site knows about its content files. */
export interface MergedContent {
  /** True if a file may have a body that neither side of a merge has written. */
  isAllowed(key: string, bytes: Uint8Array): Promise<boolean>;
  /** False if the author of a commit is an account without the permission for code in such a file: raw HTML, or MDX. */
  mayWriteCode(author: Person, key: string): Promise<boolean>;
  /** The entity in a content file. */
  entityIn(key: string, bytes: Uint8Array): Promise<Reference | undefined>;
}

import type { Reader } from '../read/reader.ts';
import type { Commits } from '../write/git-commits.ts';
import type { ContentWriter } from '../write/writer.ts';

/** What every surface of a server uses. Created once by the runtime. */
export interface Services extends Reader {
  /** Null on a server that only reads. */
  readonly writer: ContentWriter | null;
  /** Present if changes are committed to git. */
  readonly commits?: Commits | undefined;
}

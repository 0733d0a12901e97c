import type { FileSources } from '../content/file-catalog.ts';
import type { Reader } from '../read/reader.ts';
import type { UncommittedFile } from '../storage/driver.ts';
import type { Commits } from '../write/git-commits.ts';
import type { ContentWriter } from '../write/writer.ts';

/** What every surface of a server uses. Created once by the runtime. */
export interface Services extends Reader {
  /** Null on a server that only reads. */
  readonly writer: ContentWriter | null;
  /** The files of the content folder and of `public/`. */
  readonly fileSources: FileSources;
  /** The content files that differ from the last commit; undefined if the content is not in git. */
  uncommitted(): Promise<readonly UncommittedFile[] | undefined>;
  /** Present if changes are committed to git. */
  readonly commits?: Commits | undefined;
}

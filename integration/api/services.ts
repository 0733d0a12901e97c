import type { Reader } from '../read/reader.ts';
import type { Commits } from '../write/commits.ts';
import type { ContentWriter } from '../write/writer.ts';

/** What every surface of a server needs; made once in `runtime.ts`. */
export interface Services extends Reader {
  /** Changes content; null if this server only reads. */
  readonly writer: ContentWriter | null;
  /** Given if changes are committed. */
  readonly commits?: Commits | undefined;
}

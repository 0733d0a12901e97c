import type { FileSources } from '../content/file-catalog.ts';
import type { LargeAnswers } from '../read/production.ts';
import type { Reader } from '../read/reader.ts';
import type { UncommittedFile } from '../storage/driver.ts';
import type { Conflicts } from '../write/conflicts.ts';
import type { Commits } from '../write/git-commits.ts';
import type { ContentWriter } from '../write/writer.ts';
import type { ServedFeatures } from './features.ts';

/** What every surface of a server uses. Created once by the runtime. */
export interface Services extends Reader {
  readonly features: ServedFeatures;
  readonly largeAnswers: LargeAnswers;
  /** Null on a server that only reads. */
  readonly writer: ContentWriter | null;
  /** The files of the content folder and of `public/`. */
  readonly fileSources: FileSources;
  /** The content files that differ from the last commit; undefined if the content is not in git. */
  uncommitted(): Promise<readonly UncommittedFile[] | undefined>;
  /** Present if changes are committed to git. */
  readonly commits?: Commits | undefined;
  /** Present with option `editing.git.pull`. */
  readonly conflicts?: Conflicts | undefined;
  /** Present with option `engine`. */
  readonly database?: { health(): DatabaseHealth } | undefined;
  /** Present if the content follows a branch of a remote repository. */
  readonly replica?: Replica | undefined;
}

export interface DatabaseHealth {
  /** `stale` if the content may be older than option `engine.maxAge` allows. */
  readonly content: 'ok' | 'stale';
  /** Seconds since the content of this server was last known to be that of the database. */
  readonly ageSeconds: number;
}

/** Content that follows a branch, with the commit that answers are made from. */
export interface Replica {
  /**
   * The commit of the content: one object until anything changes. Undefined while the content is changing, or has changes that
   * the remote does not have.
   */
  state(): { readonly commit: string } | undefined;
  /** A commit on the branch that contains all changes of this server; undefined if some are not there yet. */
  ownCommit(): Promise<string | undefined>;
  /** True if the content has a commit. Does not ask the remote. */
  has(commit: string): Promise<boolean>;
  /**
   * Waits a few seconds until the content has a commit, or until the signal aborts. Throws a DomainError:
   * `precondition-failed` if the branch does not have it, ServiceUnavailableError if the remote does not respond.
   */
  reach(commit: string, signal: AbortSignal): Promise<void>;
  /** Gives the content the files that have come from the branch. */
  settle(): Promise<void>;
  /** Looks at the branch soon, and returns without waiting. */
  lookSoon(): void;
  /** Name of the branch, if it is known. */
  branch(): string | undefined;
  /** The secret of webhooks; undefined if they are not accepted. */
  readonly hookSecret: string | undefined;
}

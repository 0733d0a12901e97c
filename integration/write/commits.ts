/** The commits of changes. */
export interface Commits {
  /** Responses to changes report that the files are on disk, or the job of the commit. */
  readonly acknowledge: 'file' | 'commit';
  /** Undefined for an unknown or old id. */
  find(id: string): CommitState | undefined;
  health(): CommitHealth;
}

/** The commit job of a change. */
export interface CommitState {
  readonly id: string;
  /** The account that made the change; null without an account. */
  readonly account: string | null;
  /** `failed`: it will not be committed, but the files have the change. */
  readonly status: 'pending' | 'committed' | 'failed';
  /** The time of the change in milliseconds since the Unix epoch. */
  readonly at: number;
  /** A sentence about the status. */
  readonly detail: string | null;
  /** The whole hash of the commit. */
  readonly commit: string | null;
  readonly branch: string | null;
  /** Null if commits are not pushed automatically. */
  readonly pushed: boolean | null;
  /** Undefined for a removed entity and for an upload without an entity. */
  readonly entity: { readonly type: string; readonly id: string } | undefined;
}

export interface CommitHealth {
  /** `waiting` if commits fail or a change has waited for longer than a minute, `behind` after five minutes. */
  readonly commits: 'ok' | 'waiting' | 'behind';
  /** Changes without a commit, and the age of the oldest; both can be 0. */
  readonly backlog: { readonly changes: number; readonly oldestSeconds: number };
  /** Why commits fail: an unfinished operation in the repository, a lock, or another error of git. */
  readonly waitsFor?: 'repository' | 'lock' | 'git';
  /** Absent if commits are not pushed automatically. */
  readonly pushes?: 'ok' | 'waiting';
}

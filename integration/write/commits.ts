/** Commits of what is changed, as those see them who change content. */
export interface Commits {
  /** What an answer to a change tells: that it is on disk, or the job under which it is being committed. */
  readonly acknowledge: 'file' | 'commit';
  /** Undefined for an id of nothing, or of what was long ago. */
  find(id: string): CommitState | undefined;
  /** Whether commits are made, and pushed, when they are due. */
  health(): CommitHealth;
}

/** What has become of a change. */
export interface CommitState {
  readonly id: string;
  /** Whose change it is; null for nobody who has an account. */
  readonly account: string | null;
  /** `failed` where it never will be committed, although the files are as they were written. */
  readonly status: 'pending' | 'committed' | 'failed';
  /** When the files were changed: milliseconds since the Unix epoch. */
  readonly at: number;
  /** What there is to say of it, in a sentence; null for nothing. */
  readonly detail: string | null;
  /** The commit's whole id. */
  readonly commit: string | null;
  readonly branch: string | null;
  /** Null where nothing is pushed by itself. */
  readonly pushed: boolean | null;
  /** The entity, where it was not removed; undefined for an upload on its own. */
  readonly entity: { readonly type: string; readonly id: string } | undefined;
}

export interface CommitHealth {
  /** `waiting` if commits fail or a change has waited for longer than a minute, `behind` after five minutes. */
  readonly commits: 'ok' | 'waiting' | 'behind';
  /** Changes without a commit; the seconds are 0 if there are none. */
  readonly backlog: { readonly changes: number; readonly oldestSeconds: number };
  /** What makes commits fail: a state of the repository that a person has to end, a lock, or another error of git. */
  readonly waitsFor?: 'repository' | 'lock' | 'git';
  /** Absent where nothing is pushed by itself. */
  readonly pushes?: 'ok' | 'waiting';
}

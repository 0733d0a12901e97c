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
  readonly commits: 'ok' | 'waiting';
  /** Absent where nothing is pushed by itself. */
  readonly pushes?: 'ok' | 'waiting';
}

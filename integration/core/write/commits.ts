import type { Access } from '../access/access.ts';
import type { Members } from '../access/members.ts';
import type { Collector } from '../content/collect.ts';
import type { Entity, FieldDefinition, Reference } from '../content/model.ts';
import type { EntityStore } from '../engine/store/entity-store.ts';
import type { Reader } from '../read/reader.ts';
import type { FollowedBranch, WritableDriver } from '../storage/driver.ts';
import type { Person } from './person.ts';
import type { WriterDeps } from './writer.ts';

/** The commits of changes. */
export interface Commits {
  /** Responses to changes report that the files are on disk, or the job of the commit. */
  readonly acknowledge: 'file' | 'commit' | 'push';
  /** Undefined for an unknown or old id. */
  find(id: string): CommitState | undefined;
  health(): CommitHealth;
  /** The state of a change when it is pushed or has failed, or after some seconds. */
  pushed(id: string): Promise<CommitState | undefined>;
  /** True if a change waits for its commit, or a commit for its push, and nothing has failed. */
  isBusy(): boolean;
  /** Sentences about why commits or pushes wait. They can name paths and remotes, so only some accounts may see them. */
  obstacles(): readonly string[];
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
  /** Ids of the conflicts with changes that others have pushed before. What does not conflict is in the commit. */
  readonly conflicts: readonly string[];
  /** Undefined for a removed entity and for an upload without an entity. */
  readonly entity: Pick<Entity, 'type' | 'id' | 'translation'> | undefined;
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

/** The conflicts of changes that others have overtaken. */
export interface Conflicts {
  /** Those of these ids that the actor may decide. */
  visible(
    context: { readonly services: Reader; readonly access: Access },
    ids: readonly string[],
  ): Promise<readonly VisibleConflict[]>;
}

/** What an actor may see of a conflict. */
export interface VisibleConflict {
  readonly conflict: { readonly id: string };
  /** `file` is not an entity, or cannot be read in the present shape of its bundle. */
  readonly kind: 'fields' | 'removed-here' | 'removed-by-others' | 'file';
  /** The entity of either side. */
  readonly entity: Entity | undefined;
  /** Fields that differ, that are not decided yet, and that the actor may change. */
  readonly fields: readonly Pick<FieldDefinition, 'name'>[];
}

/** What the site knows about its content files. */
export interface MergedContent {
  /** True if a file may have a body that neither side of a merge has written. */
  isAllowed(key: string, bytes: Uint8Array): Promise<boolean>;
  /** False if the author of a commit is an account without the permission for code in such a file: raw HTML, or MDX. */
  mayWriteCode(author: Person, key: string): Promise<boolean>;
  /** The entity in a content file. */
  entityIn(key: string, bytes: Uint8Array): Promise<Reference | undefined>;
}

/** Records the changes of a writer, for example as commits. */
export interface ChangeRecorder extends Required<Pick<WriterDeps, 'onBegin' | 'onWritten'>> {
  /** Writes like the given driver, and records the changes. */
  readonly driver: WritableDriver;
  readonly commits: Commits;
  /** Set if the content follows a branch, and `conflicts` too. */
  readonly followed?: FollowedBranch | undefined;
  readonly conflicts?: Conflicts | undefined;
  /** Commits pending changes within a few seconds. The next start commits the rest. */
  close(): Promise<void>;
}

export interface RecorderDeps {
  readonly driver: WritableDriver;
  /** Absolute path of the driver's folder, if changes there can be committed. */
  readonly folder: string | undefined;
  readonly members: Members;
  readonly content: MergedContent;
  readonly collector: Pick<Collector, 'previewPastVersion' | 'preview'>;
  readonly store: EntityStore;
  readonly log: { info(message: string): void; warn(message: string): void };
}

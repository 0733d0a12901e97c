import type { Access } from '../access/access.ts';
import type { Actor } from '../access/actor.ts';
import type { Collector } from '../content/collect.ts';
import type { KnownEntities } from '../content/decode/references.ts';
import type { EncodedFile, FieldChanges } from '../content/encode/encode-file.ts';
import type { Ledger } from '../content/ledger.ts';
import type { Entity, FieldDefinition, Reference, ResourceType } from '../content/model.ts';
import type { EntityStore, MutableEntityStore } from '../engine/store/entity-store.ts';
import type { Reader } from '../read/reader.ts';
import type { StorageDriver, WritableDriver } from '../storage/driver.ts';
import type { DomainError, Violation } from '../util/errors.ts';
import type { JsonValue } from '../util/json.ts';
import type { StagedFiles } from './staged-files.ts';

/** The actor who writes, and their permissions. */
export interface Writer {
  readonly actor: Actor;
  readonly access: Access;
}

/** Steps into the values of an entity: a field's public name first. */
export type ValuePath = readonly (string | number)[];

/** The entity in a request. Its fields exist and are visible; nothing else is checked yet. */
export interface EntityInput {
  readonly id: string | undefined;
  /** JSON as sent, by public field name. A reference is a string or `{type, id}`, or an array of these. */
  readonly values: ReadonlyMap<string, JsonValue>;
  /** Errors of reading the request. */
  readonly violations: readonly Violation[];
  /** True if the request names fields that the type does not have. */
  readonly hasUnknown?: boolean;
  /** The JSON pointer (RFC 6901) of a value in the request. */
  pointer(path: ValuePath): string;
}

/** Where errors of an input point to. */
export type ErrorPlace = Pick<EntityInput, 'pointer'>;

/** Headers of the request, as sent. Source: RFC 9110, section 13. */
export interface Preconditions {
  readonly ifMatch: string | null;
  readonly ifNoneMatch: string | null;
  /** Other valid tags of an entity, in addition to `meta.revision`. */
  otherTags?(entity: Entity): Promise<readonly string[]>;
}

/** The result of a command. */
export interface WrittenEntity {
  /** The stored entity; the former one if it was removed. */
  readonly entity: Entity;
  readonly change: 'created' | 'updated' | 'unchanged' | 'removed';
}

/** The id of the commit job of a change, if there is one. */
export interface CommitJob {
  readonly job?: string | undefined;
}

/** A change of a file without a change of an entity. */
export interface ChangedFile {
  readonly change: 'uploaded' | 'replaced' | 'moved' | 'deleted';
  /** The bundle in whose folder it is, for messages; `file` or `folder` if it moved. */
  readonly type: string;
  readonly key: string;
}

/** The entity beside which a file is stored, or the bundle in whose folder. */
export interface FileTarget {
  readonly type: ResourceType;
  /** Null for an entity that does not exist yet. */
  readonly entity: Entity | null;
}

export interface UploadTarget extends FileTarget {
  /** Of kind image or file. */
  readonly field: FieldDefinition;
}

/** How the values of an input change an entity: they replace fields, replace the entity, or are added to a list. */
export type UpdateMode = 'fields' | 'entity' | 'append';

export type RelationshipChange = 'add' | 'set' | 'remove';

/** A file of an entity before and after a change; null if it does not exist. */
export interface FilePreview {
  readonly key: string;
  readonly before: Uint8Array | null;
  readonly after: Uint8Array | null;
}

/** Commands that change one entity. */
export interface Commands<Result> {
  create(writer: Writer, type: ResourceType, input: EntityInput, when?: Preconditions): Promise<Result>;
  /** Creates the translation of a source into a language of the site. Throws ConflictError if it exists. */
  translate(writer: Writer, source: Entity, language: string, input: EntityInput): Promise<Result>;
  update(
    writer: Writer,
    target: Entity,
    input: EntityInput,
    when: Preconditions,
    mode?: UpdateMode,
  ): Promise<Result>;
  /** Changes the references in a field. */
  relate(
    writer: Writer,
    target: Entity,
    field: string,
    change: RelationshipChange,
    input: EntityInput,
    when: Preconditions,
  ): Promise<Result>;
  remove(writer: Writer, target: Entity, when: Preconditions): Promise<Result>;
}

/** A change by a command that is not written yet. */
export interface StagedChange extends WrittenEntity {
  /** The files that it is about. */
  readonly keys: readonly string[];
  /** The check that the new body needs, and the entity that has the former one. */
  readonly body?: { readonly check: BodyCheck; readonly input: ErrorPlace; readonly stored: Entity | null };
  /** The file of a removed entity. */
  readonly bytes?: Uint8Array;
  /** A check of the content after all operations. */
  readonly finalCheck?: () => Promise<void>;
}

/** A file to change or create. */
export interface TargetFile {
  readonly type: ResourceType;
  readonly key: string;
  /** Null for a new file. */
  readonly current: { readonly entity: Entity; readonly bytes: Uint8Array } | null;
  /** The id to write into a new file. */
  readonly id?: string | undefined;
  /** Of a new translation. */
  readonly source?: Entity;
  /** The id of the source, to write into a new translation. */
  readonly translationOf?: string | undefined;
}

/** Commands that stage files. */
export interface StagedCommands extends Commands<StagedChange> {
  /** Checks the entity that a file would contain, and stages the file: as it is in `text`, or with the changes. */
  save(by: Writer, file: TargetFile, requested: RequestedChanges, text?: EncodedFile): Promise<StagedChange>;
  /** Throws ConflictError if another entity that the actor sees has the alias, unless `before` had it already. */
  checkAlias(by: Writer, next: Entity, before: Entity | null, at: ErrorPlace): Promise<void>;
}

/** One of several changes that are made together. */
export interface Operation {
  /**
   * The entity that it creates, if other operations may refer to it. Called before each run of all operations. In the first
   * run, an id that the server will choose is a made-up one; then, it is the one of the first run.
   */
  creates?(run: number): Reference | undefined;
  /** Runs one of the commands, over the content that the operations before it leave. May run several times. */
  run(content: OperationContent): Promise<StagedChange>;
  /** Adds the position of the operation to an error. */
  locate?(error: DomainError): DomainError;
}

export interface OperationContent extends Pick<Content, 'reader' | 'collector'> {
  readonly writer: Writer;
  readonly commands: StagedCommands;
  readonly ledger: Ledger;
  /** Files that it writes are part of the change if they are among its `keys`. */
  readonly files: StagedFiles;
}

/** A change whose files are staged. */
export interface FollowedChange {
  readonly change: StagedChange;
  readonly writer: Writer;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  /** All entities before the request, and after it as far as they are known. */
  readonly before: EntityStore;
  readonly after: EntityStore;
}

/** Stages files that go with a change. Returns their keys. */
export type FollowChange = (followed: FollowedChange, files: StagedFiles) => Promise<readonly string[]>;

/**
 * Commands that change content. Each checks permissions, preconditions and the resulting entity before it writes, and
 * resolves when the change is on disk. Throws DomainError; an InvalidEntityError lists all errors of the input.
 */
export interface ContentWriter extends Commands<WrittenEntity & CommitJob> {
  /**
   * Makes all changes or none, in one commit. References may lead to entities that later operations create. Returns the
   * result of each operation.
   */
  perform(
    writer: Writer,
    operations: readonly Operation[],
  ): Promise<{ readonly written: readonly WrittenEntity[] } & CommitJob>;
  /** Checks operations like `perform`, and changes nothing. Returns the files that they would change. */
  preview(writer: Writer, operations: readonly Operation[]): Promise<readonly FilePreview[]>;
  /** Checks operations like `perform`, and changes nothing. Returns the content as they would leave it. */
  attempt(writer: Writer, operations: readonly Operation[]): Promise<Attempt>;
  /** Runs a command of a feature. It counts as one change. */
  run<Result>(writer: Writer, command: (steps: WriterSteps) => Promise<Result>): Promise<Result>;
}

/** Runs a command under the write lock. */
export type Transact = <T>(writer: Writer, command: () => Promise<T>) => Promise<T>;

/** Runs work of several accounts, one at a time. An account with much work delays the others by one piece of it. */
export type Turns = <T>(writer: Writer, work: () => Promise<T>) => Promise<T>;

/** The valid changes of an input, and all errors of the rest. */
export interface RequestedChanges extends ErrorPlace {
  readonly changes: FieldChanges;
  readonly violations: readonly Violation[];
  /** References to entities that do not exist or that the actor may not see. */
  readonly missing: readonly Violation[];
  /** Public names of the fields with errors, which are not among the changes. */
  readonly faulty: ReadonlySet<string>;
}

/** Changes an existing entity; `read` returns the changes of the entity as it is now. */
export type Edit<Result> = (
  writer: Writer,
  target: Entity,
  when: Preconditions,
  read: (entity: Entity, type: ResourceType) => Promise<RequestedChanges>,
) => Promise<Result>;

/** The steps that commands consist of. */
export interface WriterSteps {
  readonly deps: WriterDeps;
  readonly transact: Transact;
  /** Makes checks that can take long, without the lock. */
  readonly checkInTurn: Turns;
  readonly edit: Edit<CommitJob>;
}

/** `rendering`: the body must render. `html`: its HTML must also be safe. */
export type BodyCheck = 'none' | 'rendering' | 'html';

/** Checks that can take long. A server with an adapter runs them in another process. */
export interface ContentChecks {
  /** See `unsafeParts` in `html/safe-html.ts`. */
  unsafeParts(html: string, stored?: string): Promise<readonly string[] | null>;
  /** Why pages cannot show an image; undefined if they can, or if this site cannot decode images. */
  imageProblem(bytes: Uint8Array): Promise<string | undefined>;
}

/** The content after changes that are not made. It does not follow later changes of the site's content. */
export interface Attempt {
  readonly content: ForkedContent;
  /** The result of each operation. */
  readonly written: readonly WrittenEntity[];
}

/** The content in memory. */
export interface Content {
  readonly collector: Pick<Collector, 'apply' | 'change' | 'preview' | 'encoding'>;
  readonly store: EntityStore;
  readonly reader: Reader;
  /**
   * This content with changes in `files`. The collector of the result must read the changed files again. Opening it costs
   * nothing. This content stays as it is, and later changes of it do not appear there. The `expected` entities count as existing.
   */
  with(files: StorageDriver, expected: KnownEntities): Promise<ForkedContent>;
}

export interface ForkedContent extends Content {
  readonly store: MutableEntityStore;
}

export interface WriterDeps extends Content {
  readonly driver: WritableDriver;
  /** Renders a body with the site's settings. Rejects if that fails. */
  renderBody(entity: Entity): Promise<string>;
  readonly checks: ContentChecks;
  /** Milliseconds since the Unix epoch. */
  now(): number;
  readonly options: WriterOptions;
  readonly followers?: readonly FollowChange[];
  /** Called before each attempt of a command. */
  onBegin?(writer: Writer): Promise<void>;
  /** Called before the files of a change are written. */
  onWriting?(written: readonly (WrittenEntity | ChangedFile)[], writer: Writer): void;
  /**
   * Called when the changes of a request are on disk and in the store, with the keys of their files. Returns the id of the
   * commit job, if there is one.
   */
  onWritten?(
    written: readonly (WrittenEntity | ChangedFile)[],
    keys: readonly string[],
    writer: Writer,
  ): string | undefined;
}

export interface WriterOptions {
  readonly requireIfMatch: boolean;
  /** References to an entity prevent its deletion, or are removed with it. */
  readonly onDelete: 'restrict' | 'set-null';
}

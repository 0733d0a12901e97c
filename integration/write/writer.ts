import type { Access } from '../access/access.ts';
import type { Actor } from '../access/actor.ts';
import type { Collector } from '../content/collect.ts';
import type { Entity, FieldDefinition, ResourceType } from '../content/model.ts';
import type { MutableEntityStore } from '../engine/store/entity-store.ts';
import type { Reader } from '../read/reader.ts';
import type { WritableDriver } from '../storage/driver.ts';
import type { Violation } from '../util/errors.ts';
import type { JsonValue } from '../util/json.ts';
import type { ContentChecks } from './content-checks.ts';

/** Who writes, and what they may. */
export interface Writer {
  readonly actor: Actor;
  readonly access: Access;
}

/** What a request says of an entity; of its fields nothing is checked yet but that they are there. */
export interface EntityInput {
  /** Undefined where the request leaves it to us. */
  readonly id: string | undefined;
  /** JSON as sent, by public field name. Of a reference: texts and `{type, id}`, one or a list of them. */
  readonly values: ReadonlyMap<string, JsonValue>;
  /** What was wrong already when it was read. */
  readonly violations: readonly Violation[];
  /** Where in the request a value stands: the field's name, then steps into it. A JSON pointer (RFC 6901). */
  pointer(path: readonly (string | number)[]): string;
}

/** Headers of the request, as sent. Source: RFC 9110, section 13. */
export interface Preconditions {
  readonly ifMatch: string | null;
  readonly ifNoneMatch: string | null;
  /** What else than `meta.revision` the actor may have been shown as tag of an entity as it is. */
  otherTags?(entity: Entity): Promise<readonly string[]>;
}

/** What became of a command. */
export interface WrittenEntity {
  /** As it is now; what it was, where it was removed. */
  readonly entity: Entity;
  readonly change: 'created' | 'updated' | 'unchanged' | 'removed';
  /** Under which it is being committed; absent where nothing is. */
  readonly job?: string | undefined;
}

/** A file was stored for an entity that is to come. */
export interface UploadedAlone {
  readonly change: 'uploaded';
  readonly type: ResourceType;
  readonly key: string;
}

/** What a file is for. */
export interface UploadTarget {
  readonly type: ResourceType;
  /** Of kind image or file. */
  readonly field: FieldDefinition;
  /** Null for one that is not there yet. */
  readonly entity: Entity | null;
}

export interface UploadedFile {
  /** As the client calls it. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface StoredUpload {
  /** Key of the file. */
  readonly key: string;
  /** Alternative text that the field has for it. */
  readonly alt: string | null;
  /** As of an entity that was written. */
  readonly job?: string | undefined;
}

/** How a relationship changes: what is given comes to it, takes its place, or leaves it. */
export type RelationshipChange = 'add' | 'set' | 'remove';

/**
 * Commands that change content. Each checks what the actor may do, and all that the entity would be by the rules that
 * files are read by, before it touches a file; what it answers is on disk. Throws DomainError: 401 and 403 for what the
 * actor may not, 404 and 410 for what is not there, 409 for what other content or its file stands against, 412 and 428
 * by preconditions, 422 with everything that is wrong at once, 503 where others write for too long.
 */
export interface ContentWriter {
  /**
   * Stores a file beside the entity, and names it in the field: in place of the one it names, whose alternative text
   * stays, or after those of a list. Without an entity, beside the others of the bundle, for one that will name it.
   */
  upload(
    writer: Writer,
    target: UploadTarget,
    file: UploadedFile,
    when: Preconditions,
  ): Promise<StoredUpload>;
  create(
    writer: Writer,
    type: ResourceType,
    input: EntityInput,
    when?: Preconditions,
  ): Promise<WrittenEntity>;
  /** Changes what the input names. */
  update(writer: Writer, found: Entity, input: EntityInput, when: Preconditions): Promise<WrittenEntity>;
  /** Changes what the input names, and empties what it does not. */
  replace(writer: Writer, found: Entity, input: EntityInput, when: Preconditions): Promise<WrittenEntity>;
  /** Adds to a list what the input says of it. References that are there already are not added again. */
  append(
    writer: Writer,
    found: Entity,
    field: string,
    input: EntityInput,
    when: Preconditions,
  ): Promise<WrittenEntity>;
  relate(
    writer: Writer,
    found: Entity,
    field: string,
    how: RelationshipChange,
    input: EntityInput,
    when: Preconditions,
  ): Promise<WrittenEntity>;
  remove(writer: Writer, found: Entity, when: Preconditions): Promise<WrittenEntity>;
}

export interface WriterDeps {
  readonly driver: WritableDriver;
  readonly collector: Pick<Collector, 'apply' | 'preview' | 'encoding'>;
  readonly store: MutableEntityStore;
  readonly reader: Reader;
  /** The body as the site's own settings make HTML of it. */
  renderBody(entity: Entity): Promise<string>;
  readonly checks: ContentChecks;
  /** Milliseconds since the Unix epoch. */
  now(): number;
  readonly options: WriterOptions;
  /** Called before anything changes, and before each time a command begins again. */
  onBegin?(writer: Writer): Promise<void>;
  /**
   * Called when a change is on disk and in the store, with the keys of the files it is about. Answers the job under which
   * it is being committed, where it is.
   */
  onWritten?(
    written: WrittenEntity | UploadedAlone,
    keys: readonly string[],
    writer: Writer,
  ): string | undefined;
}

export interface WriterOptions {
  /** Whether changes need `If-Match`. */
  readonly requireIfMatch: boolean;
  /** What becomes of references to an entity that is removed: they forbid it, or are emptied. */
  readonly onDelete: 'restrict' | 'set-null';
}

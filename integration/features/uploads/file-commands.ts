import type { CommitJob, FileTarget, Preconditions, UploadTarget, Writer } from '../../core/write/writer.ts';

export interface UploadedFile {
  /** The client's name for the file. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface StoredUpload extends CommitJob {
  readonly key: string;
  /** The alternative text in the field. */
  readonly alt: string | null;
}

/** The place of a file that no field has yet. */
export interface PlacedFile extends FileTarget {
  /** A folder of the bundle. Default: the one of the entity or of the bundle. */
  readonly folder?: string;
}

/** Commands that change files which are not entities. They throw like those of `ContentWriter`. */
export interface FileCommands {
  /**
   * Stores a file beside the entity and names it in the field: it replaces a single file, whose alternative text stays, and
   * is added to a list. Without an entity, the file is stored beside the entities of the bundle.
   */
  upload(
    writer: Writer,
    target: UploadTarget,
    file: UploadedFile,
    when: Preconditions,
  ): Promise<StoredUpload>;
  /** Stores a file that no field has yet, for example for a body. */
  storeFile(writer: Writer, target: PlacedFile, file: UploadedFile): Promise<StoredUpload>;
  /** Replaces the bytes of a file of the content folder. */
  replaceFile(writer: Writer, key: string, bytes: Uint8Array, when: Preconditions): Promise<CommitJob>;
  /** Deletes a file of the content folder. Throws ConflictError, which lists the entities that use it. */
  removeFile(writer: Writer, key: string, when: Preconditions): Promise<CommitJob>;
  /**
   * Moves files of the content folder, and changes every path of them in the content, all or nothing. Throws ConflictError if a file is
   * in the way, or if a path cannot be changed. With `when`: the preconditions of the first file.
   */
  moveFiles(writer: Writer, moves: ReadonlyMap<string, string>, when?: Preconditions): Promise<CommitJob>;
}

import { formatOf } from '../../core/source/formats.ts';
import type { FileVersion } from '../../core/storage/driver.ts';

/**
 * A repository on a git host, through the host's API. Paths are relative to the top of the repository. Every method throws
 * DomainError: `unavailable` with `Retry-After` for outages and rate limits.
 */
export interface Forge {
  /** For messages, such as `GitHub`. */
  readonly label: string;
  /** For messages, such as `owner/name`. */
  readonly repository: string;
  access(): Promise<ForgeAccess>;
  /** Throws ForgeNotFoundError if there is no such branch, or if the token may not read it. */
  head(branch: string): Promise<Head>;
  /** All files below a folder (`''` for the top); undefined if there is no such folder. */
  tree(head: Head, folder: string): Promise<readonly TreeFile[] | undefined>;
  blob(file: BlobAddress): Promise<Uint8Array>;
  /** A file as it was in a commit. */
  fileAt(path: string, commit: string): Promise<Uint8Array>;
  /** The newest commits that changed a file, up to a commit. */
  versions(path: string, commit: string, most: number): Promise<readonly FileVersion[]>;
  /**
   * Adds one commit with all changes to the branch, or changes nothing. Fails if one of the files is not as given in
   * `before`; GitHub fails whenever the branch has moved. The caller looks at the branch to find out why.
   */
  commit(commit: ForgeCommit): Promise<NewHead>;
}

export interface ForgeAccess {
  readonly defaultBranch: string;
  /** The reason why writing is impossible, as a sentence; undefined if the token may. */
  readonly obstacle: string | undefined;
}

/** The newest commit of a branch. */
export interface Head {
  /** The present name of the branch, which may have been renamed. */
  readonly branch: string;
  readonly commit: string;
  /** Commit date, milliseconds since the Unix epoch. */
  readonly at: number;
  /** The hash of the tree, on hosts that return it. */
  readonly tree?: string | undefined;
}

export interface NewHead extends Head {
  /** Differs from the expected one if others have committed in between. */
  readonly parent: string;
}

/** An entry of a tree that is not a folder. */
export interface TreeFile {
  /** Relative to the listed folder. */
  readonly path: string;
  /** Hash of the blob. */
  readonly sha: string;
  /** As git writes it, such as `100644`. */
  readonly mode: string;
  /** Bytes, if the host lists them. */
  readonly size?: number | undefined;
}

/** A file at a commit. */
export interface BlobAddress {
  readonly path: string;
  readonly sha: string;
  readonly commit: string;
}

export interface ForgeCommit {
  readonly head: Head;
  readonly files: readonly ForgeChange[];
  readonly message: string;
  /** Undefined for the owner of the token. */
  readonly author: { readonly name: string; readonly mail: string } | undefined;
}

export interface ForgeChange {
  readonly path: string;
  /** Null removes the file. */
  readonly bytes: Uint8Array | null;
  /** Undefined if the file does not exist. */
  readonly before: Pick<TreeFile, 'sha' | 'mode'> | undefined;
}

/** The path of a file in a folder of the repository. */
export function pathBelow(folder: string, path: string): string {
  return folder === '' ? path : `${folder}/${path}`;
}

/** A path in a URL: each name is encoded. */
export function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

/** Commits of one file that are listed as its versions. */
export const MAX_VERSIONS = 100;
/** True for files that the content layer reads at once. */
export function isText(key: string): boolean {
  return formatOf(key) !== undefined || key.endsWith('.jsonl');
}

import { type FileLocation, isOutside, uriOf } from '../../core/content/file-location.ts';
import { lastSegment } from '../../core/storage/key.ts';
import { compareText } from '../../core/util/text.ts';

/** A folder in lists of files. */
export interface ListedFolder {
  /** Such as `content://article/2024`, or `public://`. */
  readonly id: string;
  readonly name: string;
  /** Files in the folder and below it. */
  readonly count: number;
}

/** Folders that a document lists. */
const MAX_FOLDERS = 500;

/** The schemes have no folder above them. */
export function isFolderUri(text: string): boolean {
  return /^(?:content|public):\/\/(?:[^/]+(?:\/[^/]+)*)?$/.test(text) && text.isWellFormed();
}

/** True for files in a folder and below it. */
export function isInFolder(file: FileLocation, folder: string | undefined): boolean {
  return folder === undefined || uriOf(file).startsWith(prefixOf(folder));
}

/**
 * The folders directly in a folder, by name. Without a folder: `public://` and the folders of the content. The files must be in
 * the folder.
 */
export function foldersIn(
  folder: string | undefined,
  files: Iterable<FileLocation>,
): readonly ListedFolder[] {
  const counts = new Map<string, number>();
  for (const file of files) {
    const id = isOutside(file.key) ? undefined : folderBelow(folder, uriOf(file));
    if (id !== undefined) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return [...counts]
    .map(([id, count]) => ({ id, name: lastSegment(id) || 'public', count }))
    .sort((one, other) => compareText(one.name, other.name))
    .slice(0, MAX_FOLDERS);
}

function folderBelow(folder: string | undefined, uri: string): string | undefined {
  if (folder === undefined && uri.startsWith(PUBLIC)) return PUBLIC;
  const start = prefixOf(folder ?? CONTENT).length;
  const end = uri.indexOf('/', start);
  return end === -1 ? undefined : uri.slice(0, end);
}

const PUBLIC = 'public://';
const CONTENT = 'content://';

function prefixOf(folder: string): string {
  return folder.endsWith('/') ? folder : `${folder}/`;
}

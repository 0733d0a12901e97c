import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import type { FilePreview } from '../../write/writer.ts';

/** Changed lines of a file, at most. Comparing takes time that grows with their square. */
export const MAX_CHANGED_LINES = 2000;

/** The changes of files as `git diff` and `patch` write them. A file with too many changes has no lines. */
export function unifiedDiff(files: readonly FilePreview[]): string {
  return files.map(({ key, before, after }) => fileDiff(key, textOf(before), textOf(after))).join('');
}

function fileDiff(key: string, before: string | null, after: string | null): string {
  const names = [before === null ? NO_FILE : `a/${key}`, after === null ? NO_FILE : `b/${key}`] as const;
  const patch = createTwoFilesPatch(...names, before ?? '', after ?? '', undefined, undefined, {
    maxEditLength: MAX_CHANGED_LINES,
    headerOptions: FILE_HEADERS_ONLY,
  });
  return patch ?? `--- ${names[0]}\n+++ ${names[1]}\n(More than ${MAX_CHANGED_LINES} lines differ.)\n`;
}

const NO_FILE = '/dev/null';

function textOf(bytes: Uint8Array | null): string | null {
  return bytes && new TextDecoder().decode(bytes);
}

import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import type { FilePreview } from '../../core/write/writer.ts';

/** Changed lines of a file, at most. Comparing takes time that grows with their square. */
export const MAX_CHANGED_LINES = 2000;

/**
 * The changes of files as `git diff` and `patch` write them. A file with too many changes has no lines. After such a file the
 * others may have half as many changes, so that all files together do not take much longer than one.
 */
export function unifiedDiff(files: readonly FilePreview[]): string {
  let time = MAX_CHANGED_LINES ** 2;
  const patches = files.map(({ key, before, after }) => {
    const patch = fileDiff(key, textOf(before), textOf(after), Math.floor(Math.sqrt(time)));
    if (!patch.isWhole) time /= 4;
    else if (before !== null && after !== null) time -= changedLines(patch.text) ** 2;
    return patch.text;
  });
  return patches.join('');
}

function fileDiff(
  key: string,
  before: string | null,
  after: string | null,
  most: number,
): { readonly text: string; readonly isWhole: boolean } {
  const names = [before === null ? NO_FILE : `a/${key}`, after === null ? NO_FILE : `b/${key}`] as const;
  const patch = createTwoFilesPatch(...names, before ?? '', after ?? '', undefined, undefined, {
    maxEditLength: most,
    headerOptions: FILE_HEADERS_ONLY,
  });
  if (patch !== undefined) return { text: patch, isWhole: true };
  const text = `--- ${names[0]}\n+++ ${names[1]}\n(More than ${most} lines differ.)\n`;
  return { text, isWhole: false };
}

/** Without the two lines of the header. */
function changedLines(patch: string): number {
  return (patch.match(/^[+-]/gm)?.length ?? 2) - 2;
}

const NO_FILE = '/dev/null';

function textOf(bytes: Uint8Array | null): string | null {
  return bytes && new TextDecoder().decode(bytes);
}

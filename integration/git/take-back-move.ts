import { lstatSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { undefinedIfMissing } from '../storage/drivers/fs-paths.ts';
import { quoted, readEntries } from './commits.ts';
import type { Move } from './journal.ts';
import type { Repository } from './repository.ts';
import { runGit } from './run-git.ts';

/**
 * Takes back what a process that died has left of a move of the working tree: files and entries of the index that are
 * those of the commit `to`, and files that are missing, become those of HEAD. Other edits stay. Returns the paths that
 * the move changes.
 */
export async function takeBackMove(
  { top, zero }: Repository,
  { from, to }: Move,
): Promise<readonly string[]> {
  const printed = await runGit(top, ['diff-tree', '-r', '-z', '--name-only', '--no-renames', from, to]);
  const paths = printed.split('\0').filter((path) => path !== '');
  if (paths.length === 0) return paths;
  const head = new Map(await readEntries(top, 'HEAD', paths));
  const moved = new Map(await readEntries(top, to, paths));
  const isMoved = (path: string, blob: string | undefined) =>
    blob !== head.get(path)?.blob && blob === moved.get(path)?.blob;

  const indexed = await readIndex(top);
  const lines = paths
    .filter((path) => isMoved(path, indexed.get(path)))
    .map((path) => `${head.get(path)?.mode ?? 0} ${head.get(path)?.blob ?? zero}\t${path}\0`);
  if (lines.length > 0) {
    await runGit(top, ['update-index', '-z', '--index-info'], { trusted: true, input: lines.join('') });
  }

  const files = await hashFiles(top, paths);
  const wrong = paths.filter((path) => {
    const blob = files.get(path);
    return isMoved(path, blob) || (blob === undefined && head.has(path));
  });
  for (const path of wrong) if (!head.has(path)) rmSync(join(top, path));
  const input = wrong.filter((path) => head.has(path)).join('\0');
  if (input !== '') await runGit(top, ['checkout-index', '-f', '-z', '--stdin'], { trusted: true, input });
  return paths;
}

/** The blobs of the index by path. */
async function readIndex(top: string): Promise<ReadonlyMap<string, string>> {
  const printed = await runGit(top, ['ls-files', '--stage', '-z']);
  return new Map(
    printed.split('\0').flatMap((line) => {
      const [fields = '', path] = line.split('\t', 2);
      return path === undefined ? [] : [[path, fields.split(' ')[1] ?? ''] as const];
    }),
  );
}

/** The blobs that existing files would have, by path. */
async function hashFiles(top: string, paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const files = paths.filter((path) => undefinedIfMissing(() => lstatSync(join(top, path)))?.isFile());
  const input = files.map((path) => `${quoted(path)}\n`).join('');
  const blobs = (await runGit(top, ['hash-object', '--stdin-paths'], { input })).split('\n');
  return new Map(files.map((path, at) => [path, blobs[at] ?? '']));
}

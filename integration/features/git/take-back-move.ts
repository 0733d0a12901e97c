import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runGit } from '../../core/runtime/run-git.ts';
import { undefinedIfUnreadable } from '../../core/storage/drivers/fs-paths.ts';
import { createBlobs } from './blobs.ts';
import { readEntries } from './commits.ts';
import type { Move } from './journal.ts';
import type { Repository } from './repository.ts';

/**
 * Undoes a checkout of the working tree that a crash has interrupted: files and entries of the index that are
 * those of the commit `to`, and files that are missing, become those of HEAD. Other edits stay. Returns the paths that
 * the move changes.
 */
export async function takeBackMove(repository: Repository, { from, to }: Move): Promise<readonly string[]> {
  const { top, zero } = repository;
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

  const blobs = await createBlobs(repository, paths);
  const wrong: string[] = [];
  for (const path of paths) {
    const bytes = undefinedIfUnreadable(() => readFileSync(join(top, path)));
    const isWrong = bytes === undefined ? head.has(path) : isMoved(path, await blobs.idOf(path, bytes));
    if (isWrong) wrong.push(path);
  }
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

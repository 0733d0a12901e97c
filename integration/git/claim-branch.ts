import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFileLock, takeForSelf, takeShared } from '../storage/drivers/fs-lock.ts';
import { whereFound } from '../storage/drivers/fs-paths.ts';

/**
 * Claims a working tree for commits to one branch, until the returned function is called or the process dies. Servers
 * with the same branch share the claim. Rejects with an Error whose message says which other branch is in use:
 * otherwise each server would commit files that contain changes of the other, and neither branch would have all.
 */
export async function claimBranch(folder: string, branch: string | undefined): Promise<() => void> {
  const claimPath = join(folder, 'claim');
  const namePath = join(folder, 'claimed-branch');
  const release = await createFileLock(join(folder, 'claiming')).take(() => true);
  try {
    const name = branch ?? '';
    const alone = takeForSelf(claimPath);
    if (alone !== undefined) {
      writeFileSync(namePath, name);
      alone();
    }
    const claimed = whereFound(() => readFileSync(namePath, 'utf8')) ?? '';
    if (claimed !== name) {
      throw new Error(
        `another server over this working tree commits to ${described(claimed)}, and this one is set to ${described(name)} (option editing.git.branch). Set the same branch for both, or give each server a working tree of its own (git worktree add), then start this one again`,
      );
    }
    const shared = takeShared(claimPath);
    if (shared === undefined) throw new Error(`the lock ${claimPath} cannot be shared`);
    return shared;
  } finally {
    release?.();
  }
}

function described(name: string): string {
  return name === '' ? 'the branch that is checked out' : `branch ${JSON.stringify(name)}`;
}

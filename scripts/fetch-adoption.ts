import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { folderOf, GATSBY_STARTER, NEXT_DRUPAL, REPOSITORIES } from '../test/adoption/repositories.ts';

// Fills the folder of the adoption trial: about 1 GB. A repository that is there stays.
for (const repository of [...REPOSITORIES, NEXT_DRUPAL, GATSBY_STARTER]) {
  const folder = folderOf(repository);
  if (existsSync(folder)) continue;
  console.log(`Fetching ${repository.name}`);
  // Has its name when it is complete, so that an interrupted run leaves no half repository.
  const part = `${folder}.part`;
  rmSync(part, { recursive: true, force: true });
  mkdirSync(part, { recursive: true });
  const address = `https://github.com/${repository.name}.git`;
  const isFetched =
    git(part, 'init', '--quiet') &&
    git(part, 'fetch', '--quiet', '--depth', '1', address, repository.commit) &&
    git(part, '-c', 'advice.detachedHead=false', 'checkout', '--quiet', 'FETCH_HEAD');
  if (isFetched) {
    renameSync(part, folder);
  } else {
    rmSync(part, { recursive: true });
    process.exitCode = 1;
  }
}

function git(folder: string, ...args: readonly string[]): boolean {
  return spawnSync('git', ['-C', folder, ...args], { stdio: 'inherit' }).status === 0;
}

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { folderOf, REPOSITORIES } from '../test/adoption/repositories.ts';

// Fills the folder of the adoption trial: about 1 GB. A repository that is there stays.
for (const repository of REPOSITORIES) {
  const folder = folderOf(repository);
  if (existsSync(folder)) continue;
  console.log(`Fetching ${repository.name}`);
  mkdirSync(folder, { recursive: true });
  const address = `https://github.com/${repository.name}.git`;
  const isFetched =
    git(folder, 'init', '--quiet') &&
    git(folder, 'fetch', '--quiet', '--depth', '1', address, repository.commit) &&
    git(folder, '-c', 'advice.detachedHead=false', 'checkout', '--quiet', 'FETCH_HEAD');
  if (isFetched) continue;
  rmSync(folder, { recursive: true });
  process.exitCode = 1;
}

function git(folder: string, ...args: readonly string[]): boolean {
  return spawnSync('git', ['-C', folder, ...args], { stdio: 'inherit' }).status === 0;
}

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startBuilder } from '../astro/builder.ts';

/** Once for all test files: a folder for everything that they and their processes write, and the builder of sites. */
export default async function setup(): Promise<() => Promise<void>> {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'astro-jsonapi-tests-')));
  process.env.TMPDIR = folder;
  process.env.TESTS_TMPDIR = folder;
  process.env.GIT_CONFIG_SYSTEM = writeGitConfig(folder);
  const builder = await startBuilder();
  process.env.SITE_BUILDER = builder.origin;
  return async () => {
    await builder.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
}

/** Settings for all repositories of tests: git starts no maintenance, waits for no disk, and copies no examples of hooks. */
function writeGitConfig(folder: string): string {
  const template = path.join(folder, 'git-template');
  for (const name of ['hooks', 'info']) mkdirSync(path.join(template, name), { recursive: true });
  const file = path.join(folder, 'gitconfig');
  writeFileSync(
    file,
    `[gc]\nauto = 0\n[maintenance]\nauto = false\n[core]\nfsync = none\n[init]\ntemplateDir = ${template}\n`,
  );
  return file;
}

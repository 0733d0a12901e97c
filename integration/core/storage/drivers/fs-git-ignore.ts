import { appendFile, readFile } from 'node:fs/promises';
import path from 'node:path';
import { findGitFolder } from './fs-paths.ts';

/** Adds a file, and those whose names begin with its name, to the `.gitignore` of its folder if that is in a repository. */
export async function ignoreInGit(file: string): Promise<void> {
  const folder = path.dirname(file);
  if (findGitFolder(folder) === undefined) return;
  const ignoreFile = path.join(folder, '.gitignore');
  const former = await readFile(ignoreFile, 'utf8').catch(() => '');
  const line = `/${path.basename(file)}*`;
  if (former.split(/\r?\n/).includes(line)) return;
  await appendFile(ignoreFile, `${former === '' || former.endsWith('\n') ? '' : '\n'}${line}\n`);
}

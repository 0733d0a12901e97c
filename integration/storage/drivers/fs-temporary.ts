import { randomBytes } from 'node:crypto';
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { whereAllowed, whereFound } from './fs-paths.ts';

/** Name of a file beside the one that is being replaced. It begins with a dot: neither content nor git clients show it. */
export function temporaryName(now = Date.now()): string {
  return `.astro-jsonapi-${now}-${randomBytes(6).toString('hex')}.tmp`;
}

/** Whether a file of this name is one that a writer makes and takes away again. */
export function isTemporaryName(name: string): boolean {
  return TEMPORARY.test(name);
}

/** Whether its writer must have died: the name tells when it was made. */
export function isLeftBehind(name: string, now = Date.now()): boolean {
  const made = TEMPORARY.exec(name)?.[1];
  return made !== undefined && now - Number(made) > LEFT_BEHIND_MS;
}

const TEMPORARY = /^\.astro-jsonapi-(\d+)-[0-9a-f]{12}\.tmp$/;
const LEFT_BEHIND_MS = 60_000;

/**
 * Keeps files of ours that lie beside content out of `git add`, through `info/exclude`: the ignore file that a repository
 * has for itself and never commits.
 */
export function hideFromGit(gitFolder: string): void {
  // If it cannot be written, git shows these files for as long as they exist.
  whereAllowed(() => {
    const common = whereFound(() => readFileSync(join(gitFolder, 'commondir'), 'utf8'))?.trim() ?? '';
    const file = resolve(gitFolder, common, 'info/exclude');
    const text = whereFound(() => readFileSync(file, 'utf8')) ?? '';
    const missing = HIDDEN.filter((pattern) => !text.split('\n').includes(pattern));
    if (missing.length === 0) return;
    mkdirSync(dirname(file), { recursive: true });
    const start = text === '' || text.endsWith('\n') ? '' : '\n';
    appendFileSync(file, `${start}${missing.join('\n')}\n`);
  });
}

const HIDDEN = ['.astro-jsonapi-*.tmp', '.astro-jsonapi-lock*'] as const;

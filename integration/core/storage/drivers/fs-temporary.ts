import { randomBytes } from 'node:crypto';
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { undefinedIfMissing, undefinedIfUnreadable } from './fs-paths.ts';

/** A name for a temporary file beside the file that is being replaced. Hidden files are not content. */
export function temporaryName(now = Date.now()): string {
  return `.astro-jsonapi-${now}-${randomBytes(6).toString('hex')}.tmp`;
}

/** True for the name of a temporary file of a writer. */
export function isTemporaryName(name: string): boolean {
  return TEMPORARY.test(name);
}

/** True if the writer of a temporary file must have died, according to the time in the name. */
export function isLeftBehind(name: string): boolean {
  const made = TEMPORARY.exec(name)?.[1];
  return made !== undefined && Date.now() - Number(made) > LEFT_BEHIND_MS;
}

const TEMPORARY = /^\.astro-jsonapi-(\d+)-[0-9a-f]{12}\.tmp$/;
const LEFT_BEHIND_MS = 60_000;

/** Keeps temporary files and locks out of `git add`, through the local ignore file `info/exclude`. */
export function hideFromGit(gitFolder: string): void {
  // If this fails, git shows these files while they exist.
  undefinedIfUnreadable(() => {
    const common = undefinedIfMissing(() => readFileSync(join(gitFolder, 'commondir'), 'utf8'))?.trim() ?? '';
    const file = resolve(gitFolder, common, 'info/exclude');
    const text = undefinedIfMissing(() => readFileSync(file, 'utf8')) ?? '';
    const missing = HIDDEN.filter((pattern) => !text.split('\n').includes(pattern));
    if (missing.length === 0) return;
    mkdirSync(dirname(file), { recursive: true });
    const start = text === '' || text.endsWith('\n') ? '' : '\n';
    appendFileSync(file, `${start}${missing.join('\n')}\n`);
  });
}

const HIDDEN = ['.astro-jsonapi-*.tmp', '.astro-jsonapi-lock*'] as const;

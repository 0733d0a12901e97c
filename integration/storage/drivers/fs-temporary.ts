import { randomBytes } from 'node:crypto';

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

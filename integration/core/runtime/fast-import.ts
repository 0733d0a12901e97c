import type { Person } from '../write/person.ts';

/** fast-import needs a ref; it is reset before the end, so it is never created. */
export const TEMPORARY_REF = 'refs/worktree/astro-jsonapi';

export function quoted(path: string): string {
  return `"${path.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;
}

export function identity({ name, mail }: Person): string {
  const clean = (text: string) => text.replace(/[<>\0\n]/g, '').trim();
  return `${clean(name)} <${clean(mail)}>`;
}

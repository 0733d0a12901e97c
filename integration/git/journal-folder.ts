import { join } from 'node:path';
import { digestBytes } from '../util/revision.ts';
import type { Repository } from './repository.ts';

/** Where changes of a content folder are kept until they are committed: out of the sight of git and of the site. */
export function journalFolder({ gitDir, prefix }: Pick<Repository, 'gitDir' | 'prefix'>): string {
  return join(gitDir, 'astro-jsonapi', digestBytes(Buffer.from(prefix)));
}

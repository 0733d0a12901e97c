import { statSync } from 'node:fs';
import path from 'node:path';

/** The content folder, relative to the project: of the option, else the first of the usual ones that exists. */
export function findContentDir(root: string, option: string | undefined): string {
  const isFolder = (name: string) =>
    statSync(path.join(root, name), { throwIfNoEntry: false })?.isDirectory() === true;
  return option ?? USUAL.find(isFolder) ?? USUAL[0];
}

/** The second is the one of Astro's content collections. */
const USUAL = ['content', 'src/content'] as const;

import { findPackageJSON } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/** An index of Pagefind in a folder, as its pages load it. Pagefind comes with Starlight, and is not a dependency of its own. */
export async function writePagefind(
  dir: string,
  add: (index: PagefindIndex) => Promise<void>,
): Promise<void> {
  const manifest = findPackageJSON('pagefind', import.meta.resolve('@astrojs/starlight'));
  if (manifest === undefined) throw new Error('Pagefind is not installed.');
  const { createIndex, close }: Pagefind = await import(
    pathToFileURL(path.join(path.dirname(manifest), 'lib/index.js')).href
  );
  const { index } = await createIndex({});
  await add(index);
  await index.writeFiles({ outputPath: dir });
  await close();
}

export interface PagefindIndex {
  addCustomRecord(record: object): Promise<unknown>;
  addHTMLFile(file: { readonly url: string; readonly content: string }): Promise<unknown>;
  writeFiles(options: { readonly outputPath: string }): Promise<unknown>;
}

interface Pagefind {
  createIndex(options: object): Promise<{ readonly index: PagefindIndex }>;
  close(): Promise<unknown>;
}

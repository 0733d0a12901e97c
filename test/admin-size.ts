import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';

/** Bytes of the built admin in Brotli. Chunks that several parts share count in each of them. */
export interface AdminSizes {
  /** All that a browser loads for a screen, by the screen's file. */
  readonly screens: ReadonlyMap<string, number>;
  /** What the editor for bodies adds to the form. */
  readonly bodyEditor: number;
}

const APP = path.resolve(import.meta.dirname, '../dist/admin/app');
const ENTRY = 'src/admin.ts';
const FORM = 'src/screens/edit/EditScreen.svelte';
const BODY_EDITOR = 'src/components/BodyEditor.svelte';

export function adminSizes(): AdminSizes {
  const manifest: Manifest = JSON.parse(readFileSync(path.join(APP, 'manifest.json'), 'utf8'));
  const names = Object.keys(manifest).filter((name) => name.startsWith('src/screens/'));
  return {
    screens: new Map(names.map((name) => [name, sizeOf(manifest, [ENTRY, name])])),
    bodyEditor: sizeOf(manifest, [ENTRY, FORM, BODY_EDITOR]) - sizeOf(manifest, [ENTRY, FORM]),
  };
}

/** The size of some chunks and of all that they import. */
function sizeOf(manifest: Manifest, names: readonly string[]): number {
  const chunks = new Set(names);
  for (const name of chunks) for (const imported of manifest[name]?.imports ?? []) chunks.add(imported);
  const files = new Set(
    [...chunks].flatMap((name) => {
      const chunk = manifest[name];
      if (chunk === undefined) throw new Error(`The manifest of the admin has no ${name}.`);
      return [chunk.file, ...(chunk.css ?? [])];
    }),
  );
  return [...files].reduce((sum, file) => sum + statSync(path.join(APP, `${file}.br`)).size, 0);
}

/** Source: Vite, `build.manifest`. */
type Manifest = Readonly<
  Record<
    string,
    { readonly file: string; readonly imports?: readonly string[]; readonly css?: readonly string[] }
  >
>;

import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { CODING_SUFFIX, type Coding } from './content-coding.ts';
import type { AdminApp, ScreenFiles } from './shell.ts';

/** The built admin in this package. Reads files of the package, so it must not be called from a bundled server. */
export interface BuiltAdmin extends Pick<AdminApp, 'script' | 'screens'> {
  /** Names of all files, without the ending of their coding. */
  readonly files: readonly string[];
}

export function builtAdmin(): BuiltAdmin {
  const manifest = manifestSchema.parse(JSON.parse(readFileSync(MANIFEST, 'utf8')));
  const files = Object.values(manifest).flatMap(({ file, css, assets }) => [file, ...css, ...assets]);
  const screens = Object.entries(SCREENS).map(([segment, sources]): [string, ScreenFiles] => [
    segment,
    filesOf([ENTRY, APP, ...sources], manifest),
  ]);
  return {
    script: chunkNamed(ENTRY, manifest).file,
    screens: Object.fromEntries(screens),
    files: [...new Set(files)],
  };
}

/** All files that some chunks need at once. */
function filesOf(names: readonly string[], manifest: Manifest): ScreenFiles {
  const chunks = new Set(names.map((name) => chunkNamed(name, manifest)));
  for (const { imports } of chunks) for (const name of imports) chunks.add(chunkNamed(name, manifest));
  return {
    scripts: [...new Set([...chunks].map(({ file }) => file))],
    styles: [...new Set([...chunks].flatMap(({ css }) => css))],
  };
}

function chunkNamed(name: string, manifest: Manifest): Chunk {
  const chunk = manifest[name];
  if (chunk === undefined) throw new Error(`${MANIFEST.href} has no chunk '${name}'.`);
  return chunk;
}

const ENTRY = 'src/admin.ts';
const APP = 'src/main.ts';
const FORM = ['src/screens/edit/EditScreen.svelte', 'src/components/BodyEditor.svelte'];

/** The modules of each screen, by the first segment of its address: see `admin/src/addresses.ts`. */
const SCREENS: Readonly<Record<string, readonly string[]>> = {
  '': ['src/screens/home/HomeScreen.svelte'],
  content: ['src/screens/content/ContentScreen.svelte'],
  new: FORM,
  edit: FORM,
  history: ['src/screens/history/HistoryScreen.svelte'],
  translate: ['src/screens/translate/TranslateScreen.svelte'],
  media: ['src/screens/media/MediaScreen.svelte'],
  single: ['src/screens/single/SingleScreen.svelte'],
  menus: ['src/screens/menus/MenusScreen.svelte'],
  conflicts: ['src/screens/conflicts/ConflictsScreen.svelte'],
  redirects: ['src/screens/redirects/RedirectsScreen.svelte'],
  bin: ['src/screens/bin/BinScreen.svelte'],
  people: ['src/screens/people/PeopleScreen.svelte'],
  profile: ['src/screens/people/ProfileScreen.svelte'],
  explorer: ['src/screens/explorer/AdminExplorer.svelte'],
};

/** The app for servers that run with the files of this package. */
export async function openAdminApp(): Promise<AdminApp> {
  const { files, ...entry } = builtAdmin();
  return {
    ...entry,
    read: async (name, coding) => (files.includes(name) ? readAdminFile(name, coding) : undefined),
  };
}

/** `name` is one of `BuiltAdmin.files`. */
export async function readAdminFile(name: string, coding: Coding): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await readFile(new URL(name + CODING_SUFFIX[coding], MANIFEST)));
}

/** The build puts the files into `dist/admin/app`, next to the compiled folders of the package. */
const MANIFEST = new URL(
  `${import.meta.url.endsWith('.ts') ? '../../../dist' : '../..'}/admin/app/manifest.json`,
  import.meta.url,
);

/** Source: Vite, `build.manifest`. */
const manifestSchema = z.record(
  z.string(),
  z.object({
    file: z.string(),
    /** Chunks that are loaded with this one. */
    imports: z.array(z.string()).default([]),
    css: z.array(z.string()).default([]),
    assets: z.array(z.string()).default([]),
  }),
);

type Manifest = z.output<typeof manifestSchema>;
type Chunk = Manifest[string];

import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { CODING_SUFFIX, type Coding } from './content-coding.ts';
import type { AdminApp } from './shell.ts';

/** The built admin in this package. Reads files of the package, so it must not be called from a bundled server. */
export interface BuiltAdmin extends Pick<AdminApp, 'script' | 'styles'> {
  /** Names of all files. */
  readonly files: readonly string[];
}

export function builtAdmin(): BuiltAdmin {
  const manifest = manifestSchema.parse(JSON.parse(readFileSync(MANIFEST, 'utf8')));
  const chunks = Object.values(manifest);
  const entry = chunks.find(({ isEntry }) => isEntry);
  if (entry === undefined) throw new Error(`${MANIFEST.href} has no entry.`);
  const atOnce = new Set([entry]);
  for (const { imports } of atOnce) for (const name of imports) atOnce.add(chunkNamed(name, manifest));
  const files = chunks.flatMap(({ file, css, assets }) => [file, ...css, ...assets]);
  return {
    script: entry.file,
    styles: [...new Set([...atOnce].flatMap(({ css }) => css))],
    files: [...new Set(files)],
  };
}

function chunkNamed(name: string, manifest: z.output<typeof manifestSchema>) {
  const chunk = manifest[name];
  if (chunk === undefined) throw new Error(`${MANIFEST.href} has no chunk '${name}'.`);
  return chunk;
}

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
    isEntry: z.boolean().default(false),
    /** Chunks that are loaded with this one. */
    imports: z.array(z.string()).default([]),
    css: z.array(z.string()).default([]),
    assets: z.array(z.string()).default([]),
  }),
);

import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { REPOSITORY, run, type Site } from './site.ts';

export interface PackedPackage {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

export const STARTERS = path.join(REPOSITORY, 'starters');

/** A project outside of the repository. */
export function emptyProject(): Site {
  const dir = mkdtempSync(path.join(tmpdir(), 'astro-jsonapi-'));
  return {
    dir,
    file: (...segments) => path.join(dir, ...segments),
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}

export function writeFiles(site: Site, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(site.file(name)), { recursive: true });
    writeFileSync(site.file(name), text);
  }
}

/** A copy of a starter, with the packed package. */
export async function installStarter(name: string): Promise<Site> {
  const site = emptyProject();
  cpSync(path.join(STARTERS, name), site.dir, { recursive: true });
  const { dependencies, devDependencies } = JSON.parse(readFileSync(site.file('package.json'), 'utf8'));
  await installPacked(site, Object.keys({ ...dependencies, ...devDependencies }));
  return site;
}

/** Packs the package, and installs it with its dependencies, its required peers and some other packages. */
export async function installPacked(site: Site, others: readonly string[]): Promise<PackedPackage> {
  const packed = await pack(site.dir);
  await unpack(site, packed.filename);
  linkDependencies(site, others);
  return packed;
}

/** The library is already built, so the packing scripts are skipped. */
export async function pack(destination: string): Promise<PackedPackage> {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', destination];
  const { code, output } = await run('npm', args, REPOSITORY);
  if (code !== 0) throw new Error(output);
  const [packed]: PackedPackage[] = JSON.parse(output.slice(output.indexOf('[\n')));
  if (packed === undefined) throw new Error(output);
  return packed;
}

async function unpack(site: Site, tarball: string): Promise<void> {
  const target = site.file('node_modules/astro-jsonapi');
  mkdirSync(target, { recursive: true });
  const { code, output } = await run(
    'tar',
    ['-xzf', site.file(tarball), '-C', target, '--strip-components=1'],
    site.dir,
  );
  if (code !== 0) throw new Error(output);
}

/** What npm would install. */
function linkDependencies(site: Site, others: readonly string[]): void {
  const { dependencies, peerDependencies, peerDependenciesMeta } = JSON.parse(
    readFileSync(site.file('node_modules/astro-jsonapi/package.json'), 'utf8'),
  );
  const peers = Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional);
  for (const name of new Set([...others, ...peers, ...Object.keys(dependencies)])) {
    if (name === 'astro-jsonapi') continue;
    const link = site.file('node_modules', name);
    mkdirSync(path.dirname(link), { recursive: true });
    symlinkSync(path.join(REPOSITORY, 'node_modules', name), link, 'junction');
  }
}

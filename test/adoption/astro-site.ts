import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pack } from '../astro/packed.ts';
import { run, type Site } from '../astro/site.ts';
import { folderOf, type Repository } from './repositories.ts';

/** The Astro site of the repository with its own dependencies. `init` adds the integration. */
export async function copyAstroSite(repository: Repository, site: Site): Promise<() => Promise<void>> {
  const folder = path.join(folderOf(repository), repository.site ?? '.');
  cpSync(folder, site.dir, { recursive: true, filter: (file) => !/\/(?:node_modules|\.git)$/.test(file) });
  for (const [from, to] of Object.entries(repository.replaced ?? {})) {
    const config = site.file('astro.config.mjs');
    writeFileSync(config, readFileSync(config, 'utf8').replaceAll(from, to));
  }
  // The theme may ask for an older version than the integration does.
  const { dependencies } = JSON.parse(readFileSync(site.file('package.json'), 'utf8'));
  const names = [...Object.keys(dependencies), ...(repository.packages ?? [])];
  const astro = names.filter((name) => name === 'astro' || name.startsWith('@astrojs/'));
  await npm(site, [
    'install',
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
    ...astro.map((name) => `${name}@latest`),
  ]);
  for (const script of repository.scripts ?? []) {
    const { code, output } = await run(process.execPath, [script], site.dir);
    if (code !== 0) throw new Error(output);
  }
  return async () => {
    mkdirSync(site.file('.packed'));
    const { filename } = await pack(site.file('.packed'));
    await npm(site, [
      'install',
      '--no-audit',
      '--no-fund',
      '--ignore-scripts',
      site.file('.packed', filename),
    ]);
    const { code, output } = await run('npx', ['astro-jsonapi', 'init'], site.dir);
    if (code !== 0) throw new Error(output);
  };
}

export async function npm(site: Site, args: readonly string[]): Promise<void> {
  const { code, output } = await run('npm', args, site.dir);
  if (code !== 0) throw new Error(output.slice(-4000));
}

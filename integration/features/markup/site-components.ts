import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { propsOf } from './component-props.ts';
import type { SiteComponent } from './markup.ts';

/** Where Astro's own templates put components. */
const FOLDER = 'src/components';
const MAX_COMPONENTS = 500;
const STARLIGHT = '@astrojs/starlight/components';

/** The components in `src/components`, and those of Starlight if the site has it, by name. Their files are read, never run. */
export async function siteComponents(root: string): Promise<readonly SiteComponent[]> {
  const folder = path.join(root, FOLDER);
  const names = existsSync(folder) ? await readdir(folder, { recursive: true }) : [];
  const files = names.filter((name) => name.endsWith('.astro')).sort();
  const own = await Promise.all(
    files.slice(0, MAX_COMPONENTS).map(async (file): Promise<SiteComponent> => {
      const from = `/${FOLDER}/${file.replaceAll('\\', '/')}`;
      return { name: nameOf(file), from, named: false, ...(await describe(path.join(folder, file))) };
    }),
  );
  return [...own.filter(({ name }) => /^[A-Z]\w*$/.test(name)), ...(await starlightComponents(root))].sort(
    (a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0),
  );
}

/** `StoryCard` of `story-card.astro`. */
function nameOf(file: string): string {
  return path
    .basename(file, '.astro')
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

async function describe(file: string): Promise<Pick<SiteComponent, 'props' | 'content'>> {
  const source = (await readFile(file, 'utf8')).replaceAll('\r\n', '\n');
  const end = source.startsWith('---\n') ? source.indexOf('\n---', 3) : -1;
  const [script, template] = end === -1 ? ['', source] : [source.slice(4, end), source.slice(end + 4)];
  return { props: propsOf(script), content: /<slot\s*\/?>/.test(template) };
}

async function starlightComponents(root: string): Promise<readonly SiteComponent[]> {
  const manifest = path.join(root, 'package.json');
  if (!existsSync(manifest)) return [];
  const { dependencies = {}, devDependencies = {} } = JSON.parse(await readFile(manifest, 'utf8'));
  if (!('@astrojs/starlight' in { ...dependencies, ...devDependencies })) return [];
  const index = createRequire(manifest).resolve(STARLIGHT);
  const source = await readFile(index, 'utf8');
  const exports = [...source.matchAll(/export \{ default as (\w+) \} from '(\.[^'\n]+\.astro)'/g)];
  return Promise.all(
    exports.map(async ([, name = '', file = '']) => ({
      name,
      from: STARLIGHT,
      named: true,
      ...(await describe(path.join(path.dirname(index), file))),
    })),
  );
}

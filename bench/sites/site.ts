import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Corpus } from './corpus.ts';

export const REPOSITORY = path.resolve(import.meta.dirname, '../..');
/** Inside the repository and without a package.json, so that `astro-jsonapi` resolves to the built library. */
export const BENCH_FOLDER = path.join(REPOSITORY, '.cache/bench');

/** `empty` has neither content nor integration: the baseline of any Astro site. */
export type SiteKind = 'empty' | 'ours' | 'collections';

export interface BenchSite {
  readonly kind: SiteKind;
  readonly dir: string;
  /** The path of the response about the first entity of the main bundle; the only page of an empty site. */
  readonly answer: string;
  /** Removes the caches of Astro and the integration. */
  forget(): void;
}

/**
 * Writes a site with the corpus as its content. `pages`: more files below `src/`, by path. `fresh`: without caches.
 */
export function writeSite(
  kind: SiteKind,
  corpus: Corpus,
  name: string,
  pages: Readonly<Record<string, string>> = {},
  fresh = true,
): BenchSite {
  const dir = path.join(BENCH_FOLDER, name);
  if (fresh) rmSync(dir, { recursive: true, force: true });
  const files: Readonly<Record<string, string>> = {
    'src/pages/index.astro': '<h1>Bench</h1>\n',
    'src/pages/process.json.ts': PROCESS_PAGE,
    ...siteFiles(kind, corpus),
    ...Object.fromEntries(Object.entries(pages).map(([file, text]) => [`src/${file}`, text])),
  };
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(dir, file)), { recursive: true });
    writeFileSync(path.join(dir, file), text);
  }
  return {
    kind,
    dir,
    answer: ANSWERS[kind](corpus),
    forget() {
      rmSync(path.join(dir, 'node_modules'), { recursive: true, force: true });
      rmSync(path.join(dir, '.astro'), { recursive: true, force: true });
      rmSync(path.join(dir, 'dist'), { recursive: true, force: true });
    },
  };
}

const ANSWERS: Readonly<Record<SiteKind, (corpus: Corpus) => string>> = {
  empty: () => '/',
  // Without the body, for which Markdown is rendered.
  ours: ({ bundle, ids }) => `/jsonapi/node/${bundle}/${ids[0]}?fields[node--${bundle}]=title`,
  collections: () => '/answer.json',
};

/** The resources of the server's process after a garbage collection. */
const PROCESS_PAGE = `export const prerender = true;
export function GET() {
  const { user, system } = process.cpuUsage();
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, arrayBuffers, rss } = process.memoryUsage();
  return Response.json({ used: heapUsed + arrayBuffers, heap: heapUsed, buffers: arrayBuffers, rss, cpu: (user + system) / 1000 });
}
`;

const CONFIG = "import { defineConfig } from 'astro/config';\n";

function siteFiles(kind: SiteKind, corpus: Corpus): Readonly<Record<string, string>> {
  switch (kind) {
    case 'empty':
      return { 'astro.config.mjs': `${CONFIG}export default defineConfig({});\n` };
    case 'ours':
      writeSchema(corpus);
      return { 'astro.config.mjs': ourConfig(corpus) };
    case 'collections':
      return {
        'astro.config.mjs': `${CONFIG}export default defineConfig({});\n`,
        'src/content.config.ts': collectionsConfig(corpus),
        'src/pages/answer.json.ts': collectionsAnswer(corpus),
      };
    default:
      return kind satisfies never;
  }
}

function ourConfig({ dir, bundle, schema }: Corpus): string {
  const options = {
    contentDir: dir,
    logging: { changes: false },
    danglingReferences: 'missing',
    ...(schema === null && { bundles: { [bundle]: { publishedStatuses: ['Final', 'Living'] } } }),
  };
  const integration = `jsonapi(${JSON.stringify(options)})`;
  return `import jsonapi from 'astro-jsonapi';\n${CONFIG}export default defineConfig({ integrations: [${integration}] });\n`;
}

/** Writes the schema module of a corpus. */
export function writeSchema({ dir, schema }: Pick<Corpus, 'dir' | 'schema'>): void {
  if (schema === null) return;
  const bundles = Object.entries(schema).map(([bundle, fields]) => `  ${bundle}: {${typesOf(fields)}},\n`);
  const text = `import { defineSchema, reference, z } from 'astro-jsonapi/schema';\nexport default defineSchema({\n${bundles.join('')}});\n`;
  writeFileSync(path.join(dir, 'schema.ts'), text);
}

function collectionsConfig({ dir, bundle, schema }: Corpus): string {
  const collections = Object.entries(schema ?? { [bundle]: null }).map(([name, fields]) => {
    const base = JSON.stringify(path.join(dir, name));
    const type = fields === null ? 'z.looseObject({})' : `z.object({${typesOf(fields)}})`;
    return `  ${name}: defineCollection({ loader: glob({ pattern: '**/*.md', base: ${base} }), schema: ${type} }),\n`;
  });
  return [
    "import { defineCollection, reference } from 'astro:content';",
    "import { glob } from 'astro/loaders';",
    "import { z as zod } from 'astro/zod';",
    // Its YAML parser turns date-like strings into dates.
    'const z = { ...zod, iso: { date: () => zod.coerce.date() } };',
    `export const collections = {\n${collections.join('')}};`,
    '',
  ].join('\n');
}

function collectionsAnswer({ bundle, ids }: Corpus): string {
  return [
    "import { getEntry } from 'astro:content';",
    'export const prerender = true;',
    'export async function GET() {',
    `  const entry = await getEntry('${bundle}', ${JSON.stringify(ids[0])});`,
    '  return Response.json({ data: entry && { id: entry.id, attributes: entry.data } });',
    '}',
    '',
  ].join('\n');
}

function typesOf(fields: Readonly<Record<string, string>>): string {
  return Object.entries(fields)
    .map(([name, type]) => ` ${name}: ${type},`)
    .join('')
    .concat(' ');
}

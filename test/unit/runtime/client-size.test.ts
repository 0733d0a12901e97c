import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { build, type Rolldown } from 'vite';
import { describe, expect, test } from 'vitest';

const KILOBYTE = 1000;
const CLIENT = path.resolve(import.meta.dirname, '../../../dist/browser');
const SEARCH = path.resolve(CLIENT, '../search.js');
const PAGE = path.join(tmpdir(), 'page.js');

describe('astro-jsonapi/client in the script of a page', () => {
  test('loads 38 kB, rounded, for a first list, in two files', async () => {
    const chunks = await bundle("import { createFetch } from 'client'; globalThis.send = createFetch();");
    const engine = chunks.find(({ moduleIds }) => moduleIds.includes(path.join(CLIENT, 'engine.js')));
    const first = chunks.filter((chunk) => chunk.isEntry || chunk === engine);
    expect(first.flatMap(({ imports }) => imports)).toEqual([first.find(({ isEntry }) => isEntry)?.fileName]);
    const size = first.reduce((sum, { code }) => sum + gzipSync(code).length, 0);
    expect(size).toBeLessThan(38 * KILOBYTE);
  });

  test('loads 9 kB more for a first search, at most, without an index of lunr', async () => {
    const chunks = await bundle("import { createFetch } from 'client'; globalThis.send = createFetch();");
    const first = new Set(
      chunks.filter(({ moduleIds }) => moduleIds.includes(path.join(CLIENT, 'engine.js'))),
    );
    const loaded = new Set<Rolldown.OutputChunk>();
    const load = (chunk: Rolldown.OutputChunk | undefined) => {
      if (chunk === undefined || chunk.isEntry || first.has(chunk) || loaded.has(chunk)) return;
      loaded.add(chunk);
      for (const name of chunk.imports) load(chunks.find(({ fileName }) => fileName === name));
    };
    load(chunks.find(({ moduleIds }) => moduleIds.includes(path.join(CLIENT, 'search.js'))));
    const code = [...loaded].map((chunk) => chunk.code);
    expect(code.join('')).toContain('ational');
    expect(code.reduce((sum, each) => sum + gzipSync(each).length, 0)).toBeLessThan(9 * KILOBYTE);
  });

  test('has no modules of Node or Astro', () => {
    const files = readdirSync(CLIENT, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.js'),
    );
    const imported = files.flatMap((file) =>
      [...readFileSync(path.join(CLIENT, file), 'utf8').matchAll(IMPORTED)].map(
        ([, plain, dynamic]) => plain ?? dynamic ?? '',
      ),
    );
    const packages = imported.filter((name) => !name.startsWith('./'));
    expect(imported.length).toBeGreaterThan(packages.length);
    expect(new Set(packages.map((name) => name.split('/')[0]))).toEqual(
      new Set([
        'entities',
        'fastest-levenshtein',
        'lunr-languages',
        'mrmime',
        'picomatch',
        'pluralize',
        'uuid',
      ]),
    );
  });
});

describe('astro-jsonapi/search in the script of a page', () => {
  test('loads 12 kB at most, with styles and one language, in one file', async () => {
    const chunks = await bundle("import 'search';");
    const [entry, ...others] = chunks.filter(({ isEntry }) => isEntry);
    expect([others, entry?.imports]).toEqual([[], []]);
    expect(entry?.code).toContain('Recent searches');
    expect(gzipSync(entry?.code ?? '').length).toBeLessThan(12 * KILOBYTE);
  });

  test('loads the texts of each other language on demand', async () => {
    const chunks = await bundle("import 'search';");
    const languages = chunks.map(({ name }) => name).filter((name) => /^[a-z]{2}$/.test(name));
    expect(languages.sort()).toEqual(['ar', 'de', 'es', 'fr', 'it', 'ja', 'nl', 'pl', 'pt']);
  });
});

/** The module after `from` or in `import(…)`. */
const IMPORTED = /^(?:import|export)\b.*?["']([^"'\s]+)["'];?$|\bimport\(["']([^"']+)["']\)/gm;

const MODULES: Readonly<Record<string, string>> = {
  client: path.join(CLIENT, 'client.js'),
  'astro-jsonapi/client': path.join(CLIENT, 'client.js'),
  search: SEARCH,
};

/** Bundles a script as sites do. */
async function bundle(script: string): Promise<readonly Rolldown.OutputChunk[]> {
  const page = {
    name: 'page',
    resolveId: (id: string) => (id === PAGE ? id : MODULES[id]),
    load: (id: string) => (id === PAGE ? script : undefined),
  };
  const result = await build({
    configFile: false,
    logLevel: 'error',
    plugins: [page],
    build: { write: false, target: 'esnext', rolldownOptions: { input: PAGE } },
  });
  return (result as Rolldown.RolldownOutput).output.filter((file) => file.type === 'chunk');
}

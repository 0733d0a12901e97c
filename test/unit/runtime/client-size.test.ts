import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { build, type Rolldown } from 'vite';
import { describe, expect, test } from 'vitest';

const KILOBYTE = 1000;
const CLIENT = path.resolve(import.meta.dirname, '../../../dist/browser');
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
        'lunr',
        'lunr-languages',
        'mrmime',
        'picomatch',
        'pluralize',
        'uuid',
      ]),
    );
  });
});

/** The module after `from` or in `import(…)`. */
const IMPORTED = /^(?:import|export)\b.*?["']([^"'\s]+)["'];?$|\bimport\(["']([^"']+)["']\)/gm;

/** Bundles a script as sites do. */
async function bundle(script: string): Promise<readonly Rolldown.OutputChunk[]> {
  const page = {
    name: 'page',
    resolveId: (id: string) =>
      id === PAGE ? id : id === 'client' ? path.join(CLIENT, 'client.js') : undefined,
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

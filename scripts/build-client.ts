import path from 'node:path';
import { build, type Plugin, type Rolldown } from 'vite';

/**
 * Bundles `astro-jsonapi/client` in `dist/browser/`, because bundlers of sites would split the engine into a dozen chunks:
 * `client.js` has what a page imports, `engine.js` what the first list needs, and the other files the rest. `site.js` only
 * exports from `engine.js`.
 */
const root = path.resolve(import.meta.dirname, '..');

/** `client.ts` imports the engine when it needs it. */
const engine: Plugin = {
  name: 'engine',
  enforce: 'pre',
  resolveId: (id) => (id === './site.ts' ? { id: './site.js', external: true } : undefined),
};

await bundle('client.ts', {}, [engine]);
await bundle('snapshot/site.ts', {
  chunkFileNames: '[name].js',
  // A group has all that its modules import statically.
  codeSplitting: {
    groups: [
      { name: 'engine', test: /snapshot[\\/]site\.ts$/ },
      { name: 'facets', test: /engine[\\/]facets\.ts$/ },
      { name: 'search', test: /(?:engine|snapshot)[\\/]search\.ts$/ },
    ],
  },
});

async function bundle(entry: string, output: Rolldown.OutputOptions, plugins: Plugin[] = []): Promise<void> {
  await build({
    root,
    configFile: false,
    publicDir: false,
    logLevel: 'warn',
    plugins,
    build: {
      outDir: 'dist/browser',
      emptyOutDir: entry === 'client.ts',
      target: 'es2023',
      // Sites minify their scripts.
      minify: false,
      lib: { entry: path.join(root, 'integration', entry), formats: ['es'], fileName: '[name]' },
      rolldownOptions: { external: /^[@a-z]/, output },
    },
  });
}

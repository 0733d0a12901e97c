import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig, type Plugin, type Rolldown, type UserConfig } from 'vite';

/**
 * Builds one of these, by mode:
 *
 * - `explorer`: `app.js` and `app.css` in `dist/admin/explorer/`, which `integration/features/admin/admin-page.ts` puts into one page.
 * - `snapshot`: `snapshot.js` in the same folder, which the page contains on static sites.
 * - `service-worker`: `service-worker.js` in the same folder, which builds of static sites copy.
 * - `admin`: the files in `dist/admin/app/`, compressed, with `manifest.json`. They load each other by relative URLs.
 *
 * Each has a `licenses-<mode>.md` beside it, with the licences of the packages that it contains.
 */
export default defineConfig(({ mode }) => ({
  root: import.meta.dirname,
  base: './',
  plugins: [
    wrappersWithoutStyle,
    svelte({ compilerOptions: { runes: true } }),
    ...(mode === 'admin' ? [compressed] : []),
  ],
  build: {
    emptyOutDir: mode === 'explorer' || mode === 'admin',
    chunkSizeWarningLimit: 1000,
    target: 'es2022',
    license: { fileName: `licenses-${mode}.md` },
    ...(mode === 'admin' ? admin : onePage(mode)),
  },
}));

/** The content security policy blocks these attributes, and the command palette looks the same without them. */
const wrappersWithoutStyle: Plugin = {
  name: 'wrappers-without-style',
  enforce: 'pre',
  transform: {
    filter: { id: /bits-ui\/.*\.svelte$/, code: 'style="display: contents;"' },
    handler: (code) => code.replaceAll('style="display: contents;"', ''),
  },
};

/** Some screens open a dialog at once that others load later. */
const checks = { pluginTimings: false, ineffectiveDynamicImport: false };

const onePage = (mode: string): UserConfig['build'] => ({
  outDir: '../dist/admin/explorer',
  cssCodeSplit: false,
  modulePreload: false,
  rolldownOptions: {
    checks,
    // The page of the explorer and the service worker are scripts, not modules.
    ...(mode !== 'snapshot' && { transform: { define: { 'import.meta': '{}' } } }),
    input: path.join(
      import.meta.dirname,
      mode === 'service-worker' ? '../integration/features/static/service-worker.ts' : `src/${mode}.ts`,
    ),
    output: {
      entryFileNames: mode === 'explorer' ? 'app.js' : `${mode}.js`,
      assetFileNames: 'app[extname]',
      codeSplitting: false,
      // Firefox runs no modules in service workers.
      ...(mode === 'service-worker' && { format: 'iife' }),
    },
  },
});

/** Replaces the scripts and styles by compressed ones, which the server sends as they are. */
const compressed: Plugin = {
  name: 'compressed',
  async writeBundle({ dir = '' }, bundle) {
    const names = Object.keys(bundle).filter((name) => /\.(js|css)$/.test(name));
    await Promise.all(
      names.map(async (name) => {
        const file = path.join(dir, name);
        const bytes = await readFile(file);
        const params = {
          [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
          [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
          [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
        };
        await writeFile(`${file}.br`, await promisify(brotliCompress)(bytes, { params }));
        await writeFile(`${file}.gz`, await promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION }));
        await rm(file);
      }),
    );
  },
};

/** Dialogs, menus and other controls, which the form loads when they are opened. */
const CONTROLS =
  /components\/ConfirmDialog|node_modules\/(?:bits-ui|@floating-ui|svelte-toolbelt|runed|tabbable|style-to-object|inline-style-parser)\//;
/** Modules that load after a change: its message, and the undo action. */
const AFTER =
  /src\/(?:components\/(?:undo|BinNotice|commit-notices)|api\/(?:bin|problem-texts|jobs)|model\/bulk|texts\/(?:bin|bulk|problems))/;
/** What shows differences between versions. */
const COMPARE =
  /FieldDiff\.svelte|model\/(?:compare|conflicts)|texts\/(?:conflicts|history)|node_modules\/diff\/libesm\/(?!diff\/(?:base|array)\.)/;
/** Lists of entries, and the parts that they share with other screens. */
const LISTS =
  /src\/(?:components\/Pager\.|model\/(?:content-list|problem-kinds|search|status|tree)\.|components\/ExcerptText|api\/excerpts|texts\/(?:lists|problem-kinds))/;
const FORM =
  /src\/(?:screens\/edit\/(?!prefill|labels|ConflictBox|UnsentPanel|[Ll]ive|\w+(?:Dialog|Menu|Chooser)\.)|components\/fields\/|model\/(?:entity-form|merge)|body-editor\/word-count)|node_modules\/diff\//;
const SHARED =
  /src\/(?:api\/(?!account-rules|accounts|crops|deploy|excerpts|pages|redirects|shares|smaller-picture|source-changes|unfinished-lists|uploads)|model\/(?!accounts|blocks|branches|crop\.|content-list|deletion|entity-form|media|merge|outline|picture|problem-kinds|search|status|tree)|components\/(?!nested|pictures|Unfinished|Pager|ExcerptText|FormField|CopyButton|SiteBuild|\w*(?:Dialog|Suggest|Palette|BodyEditor)\.))|node_modules\/(?:idb-keyval|@lucide|svelte\/)|src\/screens\/edit\/labels|integration\/(?!core\/source\/image-tag)/;

/** Puts what a module imports, directly or not, into one file: each file of a screen costs a request. */
function importedBy(name: string, module: string) {
  let all: Set<string> | undefined;
  return (id: string, context: Pick<Rolldown.PluginContext, 'getModuleInfo'>) => {
    all ??= new Set([path.join(import.meta.dirname, module)]);
    for (const each of all)
      for (const imported of context.getModuleInfo(each)?.importedIds ?? []) all.add(imported);
    return all.has(id) ? name : null;
  };
}

const admin: UserConfig['build'] = {
  outDir: '../dist/admin/app',
  assetsDir: '',
  manifest: 'manifest.json',
  modulePreload: { polyfill: false },
  rolldownOptions: {
    checks,
    input: path.join(import.meta.dirname, 'src/admin.ts'),
    preserveEntrySignatures: false,
    output: {
      codeSplitting: {
        groups: [
          // Sends the first requests, before the rest is loaded.
          { name: 'start', test: /api\/(?:config|request)\.ts$|preload-helper/, priority: 3 },
          { name: importedBy('app', 'src/main.ts'), priority: 2 },
          // The search and the slash menu of the text share these with it.
          {
            name: 'text',
            test: /node_modules\/(?:(?:@codemirror|@lezer)\/(?!autocomplete|search)|@marijn|crelt|style-mod|w3c-keyname)|body-editor\/(?:actions|commands|image-files|language|nodes|placeholders|soft-breaks|text-changes|widgets)/,
            minShareCount: 2,
          },
          { name: 'controls', test: CONTROLS, minShareCount: 2 },
          { name: 'after', test: AFTER, minShareCount: 2, priority: 1 },
          { name: 'compare', test: COMPARE, minShareCount: 2, priority: 1 },
          { name: 'lists', test: LISTS, minShareCount: 2, priority: 1 },
          { name: 'form', test: FORM, minShareCount: 2 },
          { name: 'shared', test: SHARED, minShareCount: 2 },
        ].map((group) => ({ includeDependenciesRecursively: false, ...group })),
      },
    },
  },
};

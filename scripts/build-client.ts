import { readFileSync } from 'node:fs';
import path from 'node:path';
import { build, type Plugin, type Rolldown } from 'vite';

/**
 * Bundles `astro-jsonapi/client` in `dist/browser/`, because bundlers of sites would split the engine into a dozen chunks:
 * `client.js` has what a page imports, `engine.js` what a list needs, and the other files the rest. The texts of errors are
 * only behind `complete.js`, which has all code once more: a request that fails is answered there from the start.
 */
const root = path.resolve(import.meta.dirname, '..');
const SITE = path.join(root, 'integration/features/browser.ts');
const ERRORS = path.join(root, 'integration/core/util/errors.ts');

/** `client.ts` imports the engine when it needs it. */
const engine: Plugin = {
  name: 'engine',
  enforce: 'pre',
  resolveId: (id) => (id.endsWith('features/browser.ts') ? { id: './site.js', external: true } : undefined),
};

/** The engine of `site.js`, which imports the complete one for failures. */
const ENTRY = path.join(root, 'integration/features/entry.ts');
const entry: Plugin = {
  name: 'entry',
  enforce: 'pre',
  resolveId: (id) =>
    id === ENTRY ? id : id === './complete.js' ? { id: './complete.js', external: true } : undefined,
  load: (id) =>
    id === ENTRY
      ? `import { loadCode } from '../core/util/lazy-code.ts';
         import { openSite as open } from './static/site.ts';
         const loadServer = async () => (await import('./reading.ts')).createReadingServer;
         const loadMatches = async () => (await loadCode(() => import('./search/highlights.ts'))).describeMatches;
         const loadComplete = async () => (await import('./complete.js')).openSite;
         export const openSite = (read) => open(read, loadServer, loadMatches, loadComplete);`
      : undefined,
};

/**
 * Modules that few lists need. A static import of one of them becomes functions that throw NotLoadedError until it is loaded,
 * so only code that can start a query again may call them.
 */
const LATER = [
  'content/user-id.ts',
  'engine/field-boost.ts',
  'engine/parse/parse-facets.ts',
  'engine/plan/body-scans.ts',
  'engine/plan/language-rows.ts',
  'engine/plan/policy-rows.ts',
  'engine/store/text-search.ts',
  'read/facets.ts',
  'read/language-paths.ts',
  'read/search-meta.ts',
  'util/closest-name.ts',
].map((file) => path.join(root, 'integration/core', file));
const later: Plugin = {
  name: 'later',
  enforce: 'pre',
  async resolveId(source, importer, { kind }) {
    if (importer === undefined || kind === 'dynamic-import') return undefined;
    const file = path.resolve(path.dirname(importer), source);
    return LATER.includes(file) ? `\0later:${file}` : undefined;
  },
  load(id) {
    if (!id.startsWith('\0later:')) return undefined;
    const file = id.slice('\0later:'.length);
    const exported = readFileSync(file, 'utf8').matchAll(/^export (?:async )?(\w+)\*? (\w+)/gm);
    const functions = [...exported].flatMap(([line, kind, name]) => {
      if (kind === 'function') return `export const ${name} = (...args) => code().${name}(...args);`;
      if (kind === 'interface' || kind === 'type') return [];
      throw new Error(`${file}: "${line}" cannot be loaded later.`);
    });
    return `import { lazyCode } from ${JSON.stringify(path.join(root, 'integration/core/util/lazy-code.ts'))};
      const code = lazyCode(() => import(${JSON.stringify(file)}));
      ${functions.join('\n')}`;
  },
};

/** Only the stemmer of lunr, which is a tenth of it. */
const stemmer: Plugin = {
  name: 'stemmer',
  enforce: 'pre',
  resolveId: (id) => (id === 'lunr' ? '\0lunr' : undefined),
  load(id) {
    if (id !== '\0lunr') return undefined;
    const [token, stemming] = ['token', 'stemmer'].map((name) =>
      readFileSync(path.join(root, `node_modules/lunr/lib/${name}.js`), 'utf8'),
    );
    return `const lunr = { Pipeline: { registerFunction() {} } };\n${token}\n${stemming}\nexport default lunr;`;
  },
};

/** Replaces errors about queries by one without a text. Errors that pages meet without a mistake keep theirs. */
const withoutTexts: Plugin = {
  name: 'without-texts',
  transform(code, id) {
    if (!id.startsWith(path.join(root, 'integration'))) return undefined;
    if (id === ERRORS) {
      return { code: `${code}\nexport const WITHOUT_TEXT = new BadParameterError('', '');`, map: null };
    }
    const errors = errorsIn(this.parse(code));
    if (errors.length === 0) return undefined;
    const kept = [...errors, undefined].map((error, i) => code.slice(errors[i - 1]?.end ?? 0, error?.start));
    const imported = `import { WITHOUT_TEXT } from ${JSON.stringify(ERRORS)};\n`;
    return { code: imported + kept.join('WITHOUT_TEXT'), map: null };
  },
};

/** The outermost expressions that create errors about queries, in order: `new …Error(…)`, and calls in `throw`. */
function errorsIn(value: unknown): readonly Node[] {
  if (Array.isArray(value)) return value.flatMap(errorsIn);
  if (typeof value !== 'object' || value === null) return [];
  const { type, callee, argument } = value as Partial<Node>;
  if (type === 'NewExpression' && REPLACED.test(callee?.name ?? '')) return [value as Node];
  if (type === 'ThrowStatement' && argument?.type === 'CallExpression') return [argument];
  return Object.values(value).flatMap(errorsIn);
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  /** The class of a `NewExpression`. */
  readonly callee?: { readonly name?: string };
  /** The error of a `ThrowStatement`. */
  readonly argument?: Node;
}

const REPLACED =
  /^(?:Error|DomainError|BadParameterError|BeyondLimitError|NotAcceptableError|MethodNotAllowedError)$/;

/** A group has all that its modules import statically. */
const codeSplitting: Rolldown.OutputOptions['codeSplitting'] = {
  groups: [
    { name: 'engine', test: /features[\\/](?:entry|browser)\.ts$/ },
    {
      name: 'handler',
      test: /(?:static[\\/]handler|features[\\/]reading|read[\\/](?:find|past)|api[\\/]addresses|write[\\/]permissions)\.ts$/,
    },
    { name: 'languages', test: /language-(?:rows|paths)\.ts$/ },
    { name: 'facets', test: /(?:engine|parse|read)[\\/](?:parse-)?facets\.ts$/ },
    { name: 'search', test: /(?:engine|static)[\\/]search\.ts$/ },
  ],
};

await bundle('client', path.join(root, 'integration/client.ts'), {}, [engine]);
await bundle('complete', SITE, { chunkFileNames: 'complete/[name].js', codeSplitting }, [stemmer]);
await bundle('site', ENTRY, { chunkFileNames: '[name].js', codeSplitting }, [
  entry,
  later,
  withoutTexts,
  stemmer,
]);

async function bundle(
  name: string,
  input: string,
  output: Rolldown.OutputOptions,
  plugins: Plugin[] = [],
): Promise<void> {
  await build({
    root,
    configFile: false,
    publicDir: false,
    logLevel: 'warn',
    plugins,
    build: {
      outDir: 'dist/browser',
      emptyOutDir: name === 'client',
      target: 'es2023',
      // Sites minify their scripts.
      minify: false,
      lib: { entry: input, formats: ['es'], fileName: name },
      rolldownOptions: { external: /^(?!lunr$)[@a-z]/, output, treeshake: { moduleSideEffects: false } },
    },
  });
}

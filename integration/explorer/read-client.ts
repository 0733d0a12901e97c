import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';

/**
 * The page's script: `client/main` and everything it imports, as one text without imports. The modules lie beside
 * this file, compiled in the package and as TypeScript in the sources; either way they are read as files, so this
 * must run where it is not bundled itself. Each module becomes a function that answers what it exports; they
 * are written as `import { a, b as c } from './x.ts'` and `export function`, `export const`, and in no circle.
 */
export function readClient(): string {
  const suffix = import.meta.url.endsWith('.ts') ? '.ts' : '.js';
  const modules: Modules = { names: new Map(), texts: [] };
  collect(new URL(`./client/main${suffix}`, import.meta.url), modules);
  return modules.texts.join('\n');
}

interface Modules {
  /** Name of the constant that holds a module's exports, by its URL. */
  readonly names: Map<string, string>;
  /** In the order in which they run. */
  readonly texts: string[];
}

const IMPORT = /^import \{([^{}]*)\} from ['"](\.[^'"\n]+)['"];$/gm;
const EXPORT = /^export ((?:async )?function|const|class) (\w+)/gm;
// What is left of a module's import or export of types alone.
const EMPTY = /^(?:export|import) \{\s*\}(?: from ['"][^'"]+['"])?;$/gm;

function collect(url: URL, modules: Modules): string {
  const known = modules.names.get(url.href);
  if (known !== undefined) return known;
  const name = `module${modules.names.size}`;
  modules.names.set(url.href, name);
  const text = readFileSync(url, 'utf8');
  const source = url.pathname.endsWith('.ts') ? stripTypeScriptTypes(text) : text;
  const exported = [...source.matchAll(EXPORT)].map((match) => match[2] ?? '');
  const body = source
    .replace(EMPTY, '')
    .replace(IMPORT, (_whole, names: string, specifier: string) => {
      return `const {${names.replaceAll(' as ', ': ')}} = ${collect(new URL(specifier, url), modules)};`;
    })
    .replace(EXPORT, '$1 $2');
  modules.texts.push(`const ${name} = (() => {\n${body}\nreturn { ${exported.join(', ')} };\n})();`);
  return name;
}

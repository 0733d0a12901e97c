import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../integration');

/** The folders of `integration/core/`, lowest first. A file imports from its own folder and from folders above its own. */
const CORE = [
  'util',
  'storage',
  'source',
  'content',
  'engine',
  'access',
  'read',
  'write',
  'api',
  'builder',
  'server',
  'options',
  'runtime',
] as const;

/** The files at the root: the public entry points, and the list of features. */
const ENTRIES = [
  'client.ts',
  'edge.ts',
  'edit.ts',
  'features.ts',
  'fetch.ts',
  'index.ts',
  'live.ts',
  'loader.ts',
  'postgres.ts',
  'schema.ts',
  'search.astro',
  'search.ts',
  'storage.ts',
  'types.ts',
];

/** Lists of features for browsers, and the entry point of the service worker. */
const LISTS = ['features/browser.ts', 'features/reading.ts', 'features/static/service-worker.ts'];

/** Only a decision may raise these. The goal is 36,000 for the core. Features that are not listed have at most 4,000 lines. */
const MOST_LINES: Readonly<Record<string, number>> = {
  // Decisions 0035, 0036, 0037, 0045, 0046, 0047, 0050, 0053, 0054, 0055 and 0060.
  core: 43_899,
  // Decisions 0043, 0045 and 0049.
  astro: 6_331,
  cli: 3_100,
  // Decision 0039.
  'features/accounts': 5_922,
  'features/git': 4_521,
  // Decisions 0005, 0035, 0050 and 0057.
  'features/postgres': 6_013,
  'features/static': 4_253,
};

/** Files that may import Astro. */
const USES_ASTRO = /^(astro\/|index\.ts$|live\.ts$|loader\.ts$|fetch\.ts$)/;

/** Files that may use Node. Everything else also runs in a browser and in a worker. */
const USES_NODE =
  /^(astro|cli|features\/(deploy|draft-mode|git|postgres|preview|share|webhooks)|core\/runtime)\/|^features\/forge\/git-remote\.ts$|^features\/\w+\/(tooling\.ts$|commands?[./]|output\/)|^features\/static\/built-snapshot\.ts$|^index\.ts$|^core\/storage\/(drivers\/fs|cache\/)|^features\/(accounts\/(password|account-file|accounts-path|audit-file|session-files|throttle)|admin\/(admin-app|admin-page)|markup\/site-components)\.ts$/;
const NODE_GLOBAL = /\b(?:setImmediate|process|Buffer)\b(?!['’`:-])|\bNodeJS\./;

const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts'))
  .sort();
const sources = new Map(files.map((file) => [file, readFileSync(path.join(ROOT, file), 'utf8')]));
const imports = new Map(
  [...sources].map(([file, text]) => [
    file,
    ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName),
  ]),
);

/** `importing file → specifier` for each import of the files that breaks a rule. */
function breaches(from: (file: string) => boolean, isBreach: (specifier: string, file: string) => boolean) {
  return files
    .filter(from)
    .flatMap((file) =>
      (imports.get(file) ?? [])
        .filter((specifier) => isBreach(specifier, file))
        .map((specifier) => `${file} → ${specifier}`),
    );
}

describe('the layers of integration/', () => {
  it('are the core, its features, Astro, the command line, and the public entry points', () => {
    const entries = readdirSync(ROOT, { withFileTypes: true });
    const named = (isFolder: boolean) =>
      entries.filter((entry) => entry.isDirectory() === isFolder).map(({ name }) => name);
    expect(named(true).sort()).toEqual(['astro', 'cli', 'core', 'features']);
    expect(named(false).sort()).toEqual(ENTRIES);
    expect(readdirSync(path.join(ROOT, 'core')).sort()).toEqual([...CORE].sort());
  });

  it('import from layers below their own in the core', () => {
    const row = (file: string) => CORE.indexOf(file.split('/')[1] as (typeof CORE)[number]);
    const isUpward = (specifier: string, file: string) => {
      const imported = target(file, specifier);
      return specifier.startsWith('.') && imported.startsWith('core/') && row(imported) > row(file);
    };
    expect(breaches((file) => file.startsWith('core/'), isUpward)).toEqual([]);
  });

  it('have a core that knows no feature, and features that do not know each other', () => {
    const isKnot = (specifier: string, file: string) => {
      const imported = specifier.startsWith('.') ? target(file, specifier) : 'core/';
      return !imported.startsWith('core/') && partOf(imported) !== partOf(file);
    };
    const isBound = (file: string) => /^(?:core|features)\//.test(file) && !LISTS.includes(file);
    expect(breaches(isBound, isKnot)).toEqual([]);
  });

  it('have a core whose types know no option of a feature', () => {
    const config = ts.readConfigFile(path.resolve(ROOT, '../tsconfig.json'), ts.sys.readFile).config;
    const { options } = ts.parseJsonConfigFileContent(config, ts.sys, path.dirname(ROOT));
    const core = files.filter((file) => file.startsWith('core/')).map((file) => path.join(ROOT, file));
    const program = ts.createProgram(core, options);
    const problems = program.getSourceFiles().flatMap((file) => [...program.getSemanticDiagnostics(file)]);
    expect(problems.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))).toEqual([]);
  }, 120_000);

  it('name features only in the list of features and in public entry points', () => {
    const isNamed = (specifier: string, file: string) =>
      specifier.startsWith('.') && target(file, specifier).startsWith('features/');
    expect(breaches((file) => /^(?:astro|cli)\//.test(file), isNamed)).toEqual([]);
    const naming = files.filter(
      (file) => !file.includes('/') && breaches((each) => each === file, isNamed)[0],
    );
    expect(naming).toEqual([
      'client.ts',
      'edge.ts',
      'features.ts',
      'postgres.ts',
      'schema.ts',
      'search.ts',
      'storage.ts',
    ]);
  });

  it('stay small', () => {
    const sizes = new Map<string, number>();
    for (const file of files) {
      const [folder = '', part, below] = file.split('/');
      const name = folder === 'features' && below !== undefined ? `features/${part}` : folder;
      sizes.set(name, (sizes.get(name) ?? 0) + sources.get(file)!.split('\n').length - 1);
    }
    const large = [...sizes].filter(([name, lines]) => lines > (MOST_LINES[name] ?? 4_000));
    expect(large).toEqual([]);
  });

  it('have no import cycles', () => {
    expect(cycles()).toEqual([]);
  });

  it('import files with their .ts suffix', () => {
    expect(
      breaches(
        () => true,
        (specifier) => specifier.startsWith('.') && !specifier.endsWith('.ts'),
      ),
    ).toEqual([]);
  });

  it('import Astro only in astro/ and in the entry points', () => {
    expect(
      breaches(
        (file) => !USES_ASTRO.test(file),
        (specifier) => /^(?:astro(?!-jsonapi\/)|@astrojs\/)/.test(specifier),
      ),
    ).toEqual([]);
  });

  it('import Node only in code that never runs in a browser', () => {
    expect(
      breaches(
        (file) => !USES_NODE.test(file),
        (specifier) => specifier.startsWith('node:'),
      ),
    ).toEqual([]);
  });

  it('use globals of Node only in code that never runs in a browser', () => {
    const using = files.filter((file) => !USES_NODE.test(file) && NODE_GLOBAL.test(code(file)));
    expect(using).toEqual([]);
  });
});

/** The core, or one feature. */
function partOf(file: string): string | undefined {
  const [folder, feature] = file.split('/');
  return folder === 'features' ? feature : folder;
}

function target(file: string, specifier: string): string {
  return path.posix.join(path.posix.dirname(file), specifier);
}

/** The source without comments and string literals. */
function code(file: string): string {
  return (sources.get(file) ?? '')
    .replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')
    .replace(/'(?:\\.|[^'\\\n])*'/g, "''");
}

/** Groups of files that import each other, found with Tarjan's algorithm. Type imports count. */
function cycles(): string[][] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const groups: string[][] = [];
  const visit = (file: string): void => {
    index.set(file, index.size);
    low.set(file, index.get(file)!);
    stack.push(file);
    for (const specifier of imports.get(file) ?? []) {
      if (!specifier.startsWith('.')) continue;
      const next = target(file, specifier);
      if (!sources.has(next)) continue;
      if (!index.has(next)) {
        visit(next);
        low.set(file, Math.min(low.get(file)!, low.get(next)!));
      } else if (stack.includes(next)) {
        low.set(file, Math.min(low.get(file)!, index.get(next)!));
      }
    }
    if (low.get(file) !== index.get(file)) return;
    const group = stack.splice(stack.indexOf(file));
    if (group.length > 1) groups.push(group.sort());
  };
  for (const file of files) if (!index.has(file)) visit(file);
  return groups;
}

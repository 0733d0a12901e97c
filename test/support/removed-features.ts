import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { FEATURES } from '../../integration/features.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const SOURCES = path.join(ROOT, 'integration');

/** Public entry points and lists that are about one feature. They go with it. */
const OWN_FILES: Readonly<Record<string, readonly string[]>> = {
  forge: ['storage.ts'],
  postgres: ['postgres.ts'],
  static: ['client.ts', 'edge.ts', 'features/browser.ts', 'features/reading.ts'],
};

/** Files that list features, one line each. */
const LISTS = ['features.ts', 'features/reading.ts', 'schema.ts'];

/** A feature, and those that cannot do without it. */
export function withDependents(name: string): readonly string[] {
  const dependents = FEATURES.filter(({ needs = [] }) => needs.includes(name));
  return [name, ...dependents.flatMap((feature) => withDependents(feature.name))];
}

/** The text of a list of features without the lines of some. */
export function withoutLines(text: string, removed: readonly string[]): string {
  const names = new Set<string>();
  const statement = new RegExp(
    `^(?:import|export type) \\{([^}]*)\\} from ['"]\\./(?:features/)?(?:${removed.join('|')})/.*\\n`,
    'gm',
  );
  const rest = text.replace(statement, (_, imported: string) => {
    for (const name of imported.split(',')) names.add(name.trim());
    return '';
  });
  return rest
    .split('\n')
    .filter((line) => !names.has(line.trim().replace(/^\.\.\.|,$/g, '')))
    .join('\n');
}

/** True for a file of a removed feature. `file` is relative to `integration/`, with any ending. */
export function isRemoved(file: string, removed: readonly string[]): boolean {
  const stem = file.replace(/(\.d\.ts|\.[jt]s)$/, '');
  return removed.some(
    (name) =>
      file.startsWith(`features/${name}/`) ||
      OWN_FILES[name]?.some((own) => own.replace(/\.ts$/, '') === stem),
  );
}

export const isList = (file: string): boolean => LISTS.includes(file.replace(/\.js$/, '.ts'));

const parsed = new Map<string, ts.SourceFile | undefined>();

/** Type errors of `integration/` without some features. */
export function typeErrors(removed: readonly string[]): readonly string[] {
  const { config } = ts.readConfigFile(path.join(ROOT, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
  const host = ts.createCompilerHost(options);
  const relative = (file: string) => path.relative(SOURCES, file).replaceAll('\\', '/');
  const read = host.getSourceFile.bind(host);
  host.fileExists = (file) => !isRemoved(relative(file), removed) && ts.sys.fileExists(file);
  host.getSourceFile = (file, target) => {
    if (isList(relative(file))) {
      return ts.createSourceFile(file, withoutLines(readFileSync(file, 'utf8'), removed), target);
    }
    if (!parsed.has(file)) parsed.set(file, read(file, target));
    return parsed.get(file);
  };
  const files = ts.sys.readDirectory(SOURCES, ['.ts']).filter((file) => !isRemoved(relative(file), removed));
  return ts
    .getPreEmitDiagnostics(ts.createProgram(files, options, host))
    .map(({ file, messageText }) =>
      [file && relative(file.fileName), ts.flattenDiagnosticMessageText(messageText, ' ')].join(': '),
    );
}

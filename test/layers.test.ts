import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../integration');

/**
 * Rows of the architecture, lowest first. A file imports from its own folder and from the rows above its own.
 * A name is a folder, or a file directly in `integration/`.
 */
const LAYERS = [
  ['errors.ts'],
  ['storage'],
  ['entities'],
  ['schema.ts'],
  ['store'],
  ['query'],
  ['access'],
  ['auth'],
  ['write'],
  ['jsonapi'],
  ['rest'],
  ['openapi'],
  ['builder'],
  ['explorer'],
  ['http'],
  ['static'],
  ['served-paths.ts'],
  ['option-parts.ts', 'option-problems.ts'],
  ['problem-log.ts', 'markdown-images.ts', 'when-idle.ts', 'render'],
  [
    'options.ts',
    'runtime-registry.ts',
    'markdown.ts',
    'watch.ts',
    'terminal.ts',
    'image-props.ts',
    'vite.ts',
  ],
  ['caches.ts', 'git-commits.ts', 'open-full-text.ts'],
  ['open-writer.ts'],
  ['mdx.ts', 'runtime.ts', 'connections.ts'],
  ['content-report.ts', 'setup-link.ts'],
  ['dev'],
  ['toolbar'],
  ['built-renderer.ts'],
  ['built-runtime.ts', 'carried-files.ts', 'imported-files.ts'],
  ['collection-types.ts', 'collection-data.ts'],
  ['virtual.d.ts', 'own-answer.ts', 'loader.ts'],
  ['fetch.ts'],
  ['routes', 'schema-module.ts'],
  ['server-modules.ts'],
  ['generated-types.ts'],
  ['site-sessions.ts'],
  ['build-output.ts', 'site-content.ts', 'site-modules.ts', 'site-settings.ts', 'types-file.ts'],
  ['project.ts'],
  ['index.ts'],
  ['cli'],
] as const;

/** Files that may know of Astro; everything else runs without it. */
const ASTRO =
  /^(index|project|site-\w+|markdown|mdx|loader|fetch|collection-types|imported-files)\.ts$|^routes\//;
/** Files at the edge that may use Node; everything else runs in a worker and in a browser. */
const NODE =
  /^(index|project|site-\w+|build-output|types-file|built-\w+|connections|caches|schema-module|server-modules|terminal|imported-files)\.ts$|^(cli|dev)\/|^storage\/(drivers\/fs(-\w+)?|git\/.*|cache\/.*)\.ts$|^auth\/(password|account-file|account-place|audit-file)\.ts$|^static\/write\.ts$|^render\/(answer-render-requests|image-check|renderer-process)\.ts$|^explorer\/(page|read-client)\.ts$/;

const files = sourceFiles(ROOT);

describe('layers', () => {
  it('has a row for every file', () => {
    expect(files.filter((file) => rowOf(file) === -1)).toEqual([]);
  });

  it.each(files)('%s imports from rows above its own', (file) => {
    const upward = importsOf(file)
      .filter((specifier) => specifier.startsWith('.'))
      .map((specifier) => path.posix.join(path.posix.dirname(file), specifier))
      .filter((target) => nameOf(target) !== nameOf(file) && rowOf(target) >= rowOf(file));
    expect(upward).toEqual([]);
  });

  it.each(files)('%s writes relative imports with the .ts suffix', (file) => {
    const bare = importsOf(file).filter(
      (specifier) => specifier.startsWith('.') && !specifier.endsWith('.ts'),
    );
    expect(bare).toEqual([]);
  });

  it.each(files.filter((file) => !ASTRO.test(file)))('%s knows nothing of Astro', (file) => {
    expect(importsOf(file).filter((specifier) => /^(astro|@astrojs\/)/.test(specifier))).toEqual(
      file === 'own-answer.ts' ? ['astro-jsonapi:runtime'] : [],
    );
  });

  it.each(files.filter((file) => !NODE.test(file)))('%s needs no Node', (file) => {
    expect(importsOf(file).filter((specifier) => specifier.startsWith('node:'))).toEqual([]);
  });
});

function sourceFiles(root: string): readonly string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.ts'))
    .sort();
}

function importsOf(file: string): readonly string[] {
  const { importedFiles } = ts.preProcessFile(readFileSync(path.join(ROOT, file), 'utf8'), true, true);
  return importedFiles.map(({ fileName }) => fileName);
}

/** The folder, or the file directly in `integration/`, that a file belongs to. */
function nameOf(file: string): string {
  return file.split('/')[0] ?? file;
}

function rowOf(file: string): number {
  const name = nameOf(file);
  return LAYERS.findIndex((row) => row.some((entry) => entry === name));
}

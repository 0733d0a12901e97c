import { readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const folder = fileURLToPath(new URL('.', import.meta.url));
const options = compilerOptions();

describe('the types of the build-time API', () => {
  const files = readdirSync(folder).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));

  it('accept correct code and reject errors in every file of this folder', { timeout: 120_000 }, () => {
    const program = ts.createProgram(
      files.map((name) => path.join(folder, name)),
      options,
    );
    const problems = ts
      .getPreEmitDiagnostics(program)
      .filter(({ file }) => file === undefined || path.dirname(file.fileName) === path.resolve(folder));
    expect(problems.map(describeProblem)).toEqual([]);
  });
});

describe('an editor', () => {
  const complete = createCompletion();

  it.each([
    ["articles.where('|')", ['title', 'field_author', 'field_author.title', 'path.alias']],
    ["articles.where('field_author.|', '=', 'x')", ['field_author.title', 'field_author.field_boss']],
    ["articles.where('field_author.field_boss.|')", ['field_author.field_boss.field_email']],
    ["articles.where('title', '|')", ['CONTAINS', 'IS NOT NULL']],
    ["articles.where('field_zone', '=', '|')", ['upper', 'lower']],
    ["articles.where(({ where }) => where('|', '=', 1))", ['field_rating']],
    ["articles.sort('|')", ['title', 'field_author.title']],
    ["articles.sort('title', '-|')", ['-created']],
    ["articles.include('field_author', '|')", ['field_tags', 'field_author.field_boss']],
    ["articles.fields('|')", ['title', 'body']],
    ["entities('|')", ['article', 'taxonomy_term--topics']],
  ])('completes %s', { timeout: 120_000 }, (code, expected) => {
    expect(complete(code)).toEqual(expect.arrayContaining(expected));
  });

  it('completes only valid names', { timeout: 120_000 }, () => {
    expect(complete("articles.where('field_author', '|')").toSorted()).toEqual(['IS NOT NULL', 'IS NULL']);
    expect(complete("articles.include('|')").toSorted()).toEqual([
      'field_about',
      'field_about.field_boss',
      'field_author',
      'field_author.field_boss',
      'field_editor',
      'field_editor.field_boss',
      'field_series',
      'field_sponsor',
      'field_tags',
      'field_topic',
    ]);
    expect(complete("articles.sort('|')")).not.toContain('field_author');
  });
});

/** Returns the completions at `|` in code that follows `articles = entities('article')`. */
function createCompletion(): (code: string) => readonly string[] {
  const file = path.join(folder, 'completion.ts');
  const opening = "import { entities } from './magazine.ts';\nconst articles = entities('article');\n";
  let text = '';
  let version = 0;
  const service = ts.createLanguageService({
    getScriptFileNames: () => [file],
    getScriptVersion: (name) => (name === file ? String(version) : '0'),
    getScriptSnapshot: (name) => {
      const source = name === file ? text : ts.sys.readFile(name);
      return source === undefined ? undefined : ts.ScriptSnapshot.fromString(source);
    },
    getCurrentDirectory: () => folder,
    getCompilationSettings: () => options,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  });
  return (code) => {
    text = `${opening}${code.replace('|', '')};\n`;
    version += 1;
    const position = opening.length + code.indexOf('|');
    const entries = service.getCompletionsAtPosition(file, position, {})?.entries ?? [];
    return entries.map(({ name }) => name);
  };
}

function compilerOptions(): ts.CompilerOptions {
  const root = path.join(folder, '../..');
  const { config } = ts.readConfigFile(path.join(root, 'tsconfig.json'), ts.sys.readFile);
  return ts.parseJsonConfigFileContent(config, { ...ts.sys, readDirectory: () => [] }, root).options;
}

function describeProblem({ file, start = 0, messageText }: ts.Diagnostic): string {
  const line = file === undefined ? 0 : file.getLineAndCharacterOfPosition(start).line + 1;
  return `${path.basename(file?.fileName ?? '')}:${line} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
}

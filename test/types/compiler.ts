import path from 'node:path';
import ts from 'typescript';

/** Absolute path of the folder with the type tests; files in memory are in it too. */
export const FOLDER = import.meta.dirname;

/** Compiles many times: later calls reuse the files that earlier ones have parsed, also those of other compilers. */
export interface Compiler {
  /** The errors in these files, as `file:line message`. */
  problemsIn(names: readonly string[]): readonly string[];
  /** The errors in files that exist in memory only. */
  problemsOf(files: Readonly<Record<string, string>>): readonly string[];
  /** What an editor shows at the first `text` in one of these files. */
  hoverOf(files: Readonly<Record<string, string>>, name: string, text: string): string;
  /** The completions at `|` in one of these lines, which follow `opening` in a file that exists in memory only. */
  completer(opening: string, lines: readonly string[]): (line: string) => readonly string[];
}

export function createCompiler(options: ts.CompilerOptions = {}): Compiler {
  let inMemory: Readonly<Record<string, string>> = {};
  let names: readonly string[] = [];
  let version = 0;
  const settings = { ...OPTIONS, ...options };
  const textOf = (name: string) => inMemory[path.relative(FOLDER, name)];
  const service = ts.createLanguageService(
    {
      getScriptFileNames: () => names.map((name) => path.join(FOLDER, name)),
      getScriptVersion: (name) => (textOf(name) === undefined ? '0' : String(version)),
      getScriptSnapshot(name) {
        const text = textOf(name) ?? ts.sys.readFile(name);
        return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
      },
      getCurrentDirectory: () => FOLDER,
      getCompilationSettings: () => settings,
      getDefaultLibFileName: ts.getDefaultLibFilePath,
      fileExists: (name) => textOf(name) !== undefined || ts.sys.fileExists(name),
      readFile: (name) => textOf(name) ?? ts.sys.readFile(name),
      directoryExists: ts.sys.directoryExists,
      getDirectories: ts.sys.getDirectories,
    },
    REGISTRY,
  );

  function open(files: Readonly<Record<string, string>>, opened = Object.keys(files)): void {
    if (files === inMemory) return;
    inMemory = files;
    names = opened;
    version += 1;
  }

  const problems = () =>
    names.flatMap((name) => {
      const file = path.join(FOLDER, name);
      return [...service.getSyntacticDiagnostics(file), ...service.getSemanticDiagnostics(file)].map(
        describeProblem,
      );
    });

  return {
    problemsIn(wanted) {
      open({}, [...wanted]);
      return problems();
    },
    problemsOf(files) {
      open(files);
      return problems();
    },
    hoverOf(files, name, text) {
      open(files);
      const position = files[name]?.indexOf(text) ?? -1;
      const info = service.getQuickInfoAtPosition(path.join(FOLDER, name), position);
      return ts.displayPartsToString(info?.displayParts);
    },
    completer(opening, lines) {
      const text = opening + lines.join('\n');
      const file = 'completion.ts';
      const files = { [file]: text.replaceAll('|', '') };
      return (line) => {
        open(files);
        const at = text.indexOf('|', text.indexOf(line));
        const position = text.slice(0, at).replaceAll('|', '').length;
        const completions = service.getCompletionsAtPosition(path.join(FOLDER, file), position, {});
        return completions?.entries.map(({ name }) => name) ?? [];
      };
    },
  };
}

const OPTIONS = compilerOptions();
const REGISTRY = ts.createDocumentRegistry();

function compilerOptions(): ts.CompilerOptions {
  const root = path.join(FOLDER, '../..');
  const { config } = ts.readConfigFile(path.join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, { ...ts.sys, readDirectory: () => [] }, root);
  // Declarations in memory are checked too.
  return { ...options, skipLibCheck: false };
}

function describeProblem({ file, start = 0, messageText }: ts.Diagnostic): string {
  const line = file === undefined ? 0 : file.getLineAndCharacterOfPosition(start).line + 1;
  return `${path.basename(file?.fileName ?? '')}:${line} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
}

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Expression } from 'acorn';
import { findContentDir } from '../../astro/content-dir.ts';
import { type ConfigSource, parseConfig, propertyOf } from '../edit-config.ts';

/** A project as its files are, with the changes that steps have made so far. */
export interface Project {
  /** The name of its astro.config. */
  readonly configFile: string;
  /** Undefined if the options cannot be found without running the config. */
  readonly config: ConfigSource | undefined;
  /** Texts by path in the project: the config, package.json, code, pages and workflows. */
  readonly files: ReadonlyMap<string, string>;
  /** Paths of the content files. */
  content(): Iterable<string>;
  read(file: string): string;
  /** The project with another text of a file. */
  with(file: string, text: string): Project;
}

/** A place in a file; lines count from 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
}

/** Reads the project of an astro.config. Throws if the config is not valid code. */
export function readProject(configPath: string): Project {
  const root = path.dirname(configPath);
  const files = new Map<string, string>();
  for (const file of filesIn(root, '', CODE)) files.set(file, readFileSync(path.join(root, file), 'utf8'));
  return projectOf(root, path.basename(configPath), files);
}

function projectOf(root: string, configFile: string, files: ReadonlyMap<string, string>): Project {
  const config = parseConfig(files.get(configFile) ?? '');
  const read = (file: string) => files.get(file) ?? readFileSync(path.join(root, file), 'utf8');
  const project = { configFile, config, files, read };
  return {
    ...project,
    *content() {
      const option = literalOf(optionAt(project, ['contentDir']));
      const folder = findContentDir(root, typeof option === 'string' ? option : undefined);
      if (existsSync(path.join(root, folder))) yield* filesIn(root, path.normalize(folder), CONTENT);
    },
    with: (file, text) => projectOf(root, configFile, new Map([...files, [file, text]])),
  };
}

/** The value of an option; undefined if it is not written in the config. */
export function optionAt(
  { config }: Pick<Project, 'config'>,
  names: readonly string[],
): Expression | undefined {
  const [first] = config?.call?.arguments ?? [];
  let value = first?.type === 'SpreadElement' ? undefined : first;
  for (const name of names) {
    value = value?.type === 'ObjectExpression' ? propertyOf(value, name) : undefined;
  }
  return value;
}

/** The value of a string, a number or a boolean. */
export function literalOf(value: Expression | undefined): unknown {
  return value?.type === 'Literal' ? value.value : undefined;
}

/** The place of an option, else of the integration, else of the config. */
export function placeOf(project: Project, names: readonly string[]): Place {
  const { config, configFile } = project;
  const start = optionAt(project, names)?.start ?? config?.call?.start ?? 0;
  return { file: configFile, line: lineAt(config?.text ?? '', start) };
}

/** The first place of a pattern in each file of the project. */
export function placesOf({ files }: Project, pattern: RegExp, names = /./): readonly Place[] {
  return [...files].flatMap(([file, text]) => {
    const at = names.test(file) ? text.search(pattern) : -1;
    return at === -1 ? [] : [{ file, line: lineAt(text, at) }];
  });
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

function* filesIn(root: string, folder: string, names: RegExp): Generator<string> {
  for (const entry of readdirSync(path.join(root, folder), { withFileTypes: true })) {
    const name = path.join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!SKIPPED.test(entry.name)) yield* filesIn(root, name, names);
    } else if (names.test(entry.name) && statSync(path.join(root, name)).size <= MAX_BYTES) {
      yield name.replaceAll('\\', '/');
    }
  }
}

const CODE = /^package\.json$|\.(?:astro|svelte|vue|[cm]?[jt]sx?|html|ya?ml|sh|toml)$/;
const CONTENT = /\.(?:md|mdx|markdown|json|ya?ml)$/;
/** Built and installed files, and hidden folders but the workflows of hosts. */
const SKIPPED = /^(?:node_modules|dist|build|\.(?!github$|gitlab$|forgejo$).*)$/;
const MAX_BYTES = 2 * 1024 * 1024;

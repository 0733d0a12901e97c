import type { Languages } from '../content/languages.ts';
import type { Options } from '../options/options.ts';
import type { Paint } from '../source/diagnostic.ts';
import type { StorageDriver } from '../storage/driver.ts';
import type { LocalMode } from './local-mode.ts';
import type { Runtime } from './runtime.ts';
import type { SharedState } from './shared-state.ts';

/**
 * A command of `astro-jsonapi`. Its declaration is the source of its help, of the checks of its arguments, and of the
 * types that `run` gets.
 */
export interface Command<Argument extends string = string, F extends Flags = Flags> {
  /** One word, or two if the command belongs to a group. */
  readonly name: string;
  readonly summary: string;
  /** Lines of help below the usage. */
  readonly details: readonly string[];
  /** `<path>` is required, `[dir]` is optional. */
  readonly argument: { readonly name: Argument; readonly help: string };
  readonly flags: F;
  readonly examples: readonly (readonly [line: string, description: string])[];
  /** Resolves to the exit code. */
  run(input: CommandInput<Argument, F>): Promise<number>;
}

export type Flags = Readonly<Record<string, Flag>>;

export interface Flag {
  /** The name of the value in help, such as `port`. Without it, the flag is a switch. */
  readonly value?: string;
  /** The valid values. */
  readonly choices?: readonly string[];
  /** Parses the value. Throws UsageError. */
  readonly read?: (value: string) => unknown;
  /** Flags that cannot be combined with this one. */
  readonly excludes?: readonly string[];
  readonly help: string;
}

export interface CommandInput<Argument extends string = string, F extends Flags = Flags> {
  readonly argument: Argument extends `<${string}` ? string : string | undefined;
  readonly flags: { readonly [Name in keyof F]: FlagValue<F[Name]> };
  readonly terminal: Terminal;
  readonly cli: CommandLine;
}

type FlagValue<F extends Flag> = F extends { readonly read: (value: string) => infer T }
  ? T | undefined
  : F extends { readonly choices: readonly (infer Choice)[] }
    ? Choice | undefined
    : F extends { readonly value: string }
      ? string | undefined
      : boolean;

/** Commands whose names start with the same word, such as `account add` and `account list`. */
export interface CommandGroup {
  readonly name: string;
  readonly summary: string;
  readonly details: readonly string[];
  readonly commands: readonly Command[];
}

export interface Terminal {
  readonly cwd: string;
  /** Writes a line of the result to the standard output. */
  print(text: string): void;
  /** Writes a line to the standard error. */
  report(text: string): void;
  /** Colors of the standard output. */
  readonly paint: Paint;
  /** Colors of the standard error. */
  readonly paintReport: Paint;
  /** Width of the standard output; undefined if it is not a terminal. */
  readonly columns: number | undefined;
  /** Shows a line in place of the previous one; an empty one clears it. Undefined without a terminal. */
  readonly overwrite: ((line: string) => void) | undefined;
  /** Reads a line without echo. Undefined without a terminal. Rejects if the user cancels. */
  readonly askSecret: ((question: string) => Promise<string>) | undefined;
  /** Reads all of the standard input. */
  readInput(): Promise<string>;
}

/** The command line is invalid: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The command failed: exit code 1. The message says what to do. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** Types `run` by the declared argument and flags. */
export function defineCommand<const Argument extends string, const F extends Flags>(
  command: Command<Argument, F>,
): Command {
  // `readArguments` makes the values that the declaration describes.
  return command as unknown as Command;
}

export function warn({ report, paintReport }: Pick<Terminal, 'report' | 'paintReport'>, message: string) {
  report(`${paintReport('warning', 'warning:')} ${message}`);
}

/** Flags of all commands that read a content folder. */
export const SITE_FLAGS = {
  content: { value: 'dir', help: 'Specify the content folder. Default: the one of astro.config.' },
  config: { value: 'file', help: 'Specify the astro.config. Default: the nearest one.' },
  'no-config': { help: 'Ignore all astro.config files.' },
} as const satisfies Flags;

export const ACCOUNTS_FLAG = {
  accounts: { value: 'file', help: 'Specify the accounts file. Default: the one of astro.config.' },
} as const satisfies Flags;

/** A content folder, and the settings of its site. */
export interface ContentSite {
  /** Absolute path of the project: the folder of its astro.config, or the parent of the content folder. */
  readonly root: string;
  readonly contentDir: string;
  /** Absolute paths of Astro's `src/`, of `public/` and of the build output, which may not exist. */
  readonly srcDir: string;
  readonly publicDir: string;
  readonly outDir: string;
  /** The content folder relative to the working directory. */
  readonly folder: string;
  readonly options: Options;
  /** Astro's `base` without a trailing slash. */
  readonly base: string;
  readonly trailingSlash: 'always' | 'never' | 'ignore';
  readonly locale: string;
  /** The languages of Astro's `i18n`. */
  readonly languages?: Languages | undefined;
  /** Absolute path of the astro.config; undefined without one. */
  readonly configFile: string | undefined;
  /** Default export of the astro.config, as written. */
  readonly config: unknown;
  /** Markdown settings of the astro.config, as written. */
  readonly markdown: unknown;
  /** Absolute path of the schema module, or of the config of content collections; undefined without both. */
  schemaFile(): string | undefined;
  /** Loads the schema; undefined without one. */
  schema(): Promise<unknown>;
}

export type SiteFlags = {
  readonly [Name in Exclude<keyof typeof SITE_FLAGS, 'no-config'>]?: string | undefined;
} & {
  readonly 'no-config': boolean;
};

/** How a command opens content. */
export interface ContentOptions {
  /** Default: `missing`. */
  readonly danglingReferences?: 'error' | 'missing';
  /** Default: the option of the site. */
  readonly gitDates?: boolean;
  readonly explorer?: boolean;
  /** Stores parsed files between starts, and reads bodies from there instead of keeping them in memory. */
  readonly cached?: boolean;
  /** Turns on sign-in, and writing unless `write` is false. */
  readonly signIn?: boolean;
  /** Default: true with `signIn`. */
  readonly write?: boolean;
  readonly localMode?: LocalMode | undefined;
}

/** What the command line has for the commands of features. */
export interface CommandLine {
  findSite(flags: SiteFlags, terminal: Terminal, argument?: string): Promise<ContentSite>;
  /** Loads the content of a folder and shows the progress. */
  openContent(site: ContentSite, terminal: Terminal, options?: ContentOptions): Promise<Runtime>;
  /** The same for a runtime that follows changes of the content and of its schema. */
  openFollowed(
    site: ContentSite,
    terminal: Terminal,
    options: ContentOptions,
  ): Promise<{ readonly runtime: Runtime; close(): Promise<void> }>;
  /** The database in which the servers of the site share their state; undefined without one. */
  openShared(site: ContentSite, terminal: Terminal): Promise<SharedState | undefined>;
  /** Resolves when the process should stop. */
  receiveStopSignal(): Promise<void>;
  createProgress(texts: Readonly<Record<'verb' | 'noun' | 'folder', string>>, terminal: Terminal): Progress;
  /** The driver of a folder, which shows the progress of its reads. */
  openFolder(
    site: ContentSite,
    terminal: Terminal,
  ): Promise<{ readonly driver: StorageDriver; done(): void }>;
  drawTable(rows: readonly (readonly string[])[], paint: Paint, hasHead: boolean): string;
}

/** The progress of a long task. */
export interface Progress {
  /** Sets how many steps there are. */
  start(total: number): void;
  step(): void;
  done(): void;
}

import type { Paint } from '../source/diagnostic.ts';

/** A command of `astro-jsonapi`. All texts are sentences or noun phrases for `--help`. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  /** What `help <command>` says below the summary. */
  readonly details: readonly string[];
  /** The argument beside the flags, `[dir]` or `<path>`: required where it is in angle brackets. */
  readonly argument: { readonly name: string; readonly help: string };
  readonly flags: Readonly<Record<string, Flag>>;
  readonly examples: readonly (readonly [line: string, what: string])[];
  /** Resolves to the exit code. */
  run(input: CommandInput): Promise<number>;
}

export interface Flag {
  /** A switch has no value; others name it: `port`. */
  readonly value?: string;
  /** The only values there are. */
  readonly choices?: readonly string[];
  readonly help: string;
}

/** Commands of one name: `account add`, `account list`. */
export interface CommandGroup {
  readonly name: string;
  readonly summary: string;
  readonly details: readonly string[];
  /** Their names begin with that of the group. */
  readonly commands: readonly Command[];
}

/** The command line taken apart, and the terminal. */
export interface CommandInput {
  readonly argument: string | undefined;
  readonly values: Readonly<Record<string, string>>;
  readonly switches: ReadonlySet<string>;
  readonly terminal: Terminal;
}

export interface Terminal {
  readonly cwd: string;
  /** The answer: what a pipe takes on. */
  print(text: string): void;
  /** What is said about it. */
  say(text: string): void;
  readonly paint: Paint;
  readonly paintSaid: Paint;
  /** Cells in a line of the answer; undefined where it goes to no terminal. */
  readonly columns: number | undefined;
  /** Shows a line that the next one overwrites, and an empty one removes; undefined where that is not possible. */
  readonly overwrite: ((line: string) => void) | undefined;
  /** Asks for a line that is not shown; undefined where nobody sits at a terminal. Rejects when it is called off. */
  readonly askSecret: ((question: string) => Promise<string>) | undefined;
  /** All of the standard input as text. */
  readInput(): Promise<string>;
}

/** A mistake on the command line: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** What cannot be done, with what to do about it: exit code 1. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** Flags of every command that reads a content folder. */
export const SITE_FLAGS = {
  content: { value: 'dir', help: 'The content folder, where it is not the one of astro.config.' },
  config: {
    value: 'file',
    help: 'The astro.config to take options from; else the nearest one is looked for.',
  },
  'no-config': { help: 'Take no options from any astro.config.' },
} as const satisfies Command['flags'];

import { parseArgs } from 'node:util';
import type { Paint } from '../core/source/diagnostic.ts';
import { closestName } from '../core/util/closest-name.ts';

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

/** Parses the words after a command's name. Undefined if they ask for help. Throws UsageError. */
export function readArguments(
  command: Command,
  words: readonly string[],
): Omit<CommandInput, 'terminal'> | undefined {
  const declared: Flags = { ...command.flags, help: { help: '' } };
  const options = Object.fromEntries(
    Object.entries(declared).map(([name, { value }]) => [
      name,
      {
        type: value === undefined ? ('boolean' as const) : ('string' as const),
        ...(name === 'help' && { short: 'h' }),
      },
    ]),
  );
  const { tokens } = parseArgs({
    args: [...words],
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const flags: Record<string, unknown> = Object.create(null);
  for (const [name, { value }] of Object.entries(declared)) if (value === undefined) flags[name] = false;
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind === 'option') flags[token.name] = readFlag(command, declared, token);
  }
  if (flags.help === true) return undefined;
  for (const [name, { excludes = [] }] of Object.entries(declared)) {
    const other = excludes.find((each) => isSet(flags[each]));
    if (isSet(flags[name]) && other !== undefined) throw new UsageError(`Choose --${name} or --${other}.`);
  }
  // The declaration of each flag gives its type.
  return { argument: readArgument(command, positionals), flags: flags as CommandInput['flags'] };
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== false;
}

function readArgument({ name, argument, examples }: Command, [first, extra]: readonly string[]): string {
  if (extra !== undefined) {
    throw new UsageError(
      `\`${name}\` takes one ${argument.name}, but got \`${extra}\` too. Quote it if it contains spaces or \`&\`.`,
    );
  }
  if (first === undefined && argument.name.startsWith('<')) {
    throw new UsageError(`\`${name}\` needs ${argument.name}: ${examples[0]?.[0]}`);
  }
  // Undefined only if the argument is optional, which the types of `run` say.
  return first as string;
}

interface FlagToken {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
}

function readFlag(command: Command, flags: Flags, { name, rawName, value }: FlagToken): unknown {
  const flag = Object.hasOwn(flags, name) ? flags[name] : undefined;
  if (flag === undefined) {
    const near = closestName(name, Object.keys(flags));
    const valid = Object.keys(flags).map((each) => `--${each}`);
    const hint = near === undefined ? `Valid: ${valid.join(', ')}.` : `Did you mean --${near}?`;
    throw new UsageError(`\`${command.name}\` has no flag ${rawName}. ${hint}`);
  }
  if (flag.value === undefined) {
    if (value !== undefined) throw new UsageError(`${rawName} takes no value.`);
    return true;
  }
  if (value === undefined || value === '') {
    throw new UsageError(`${rawName} needs a value: ${rawName} <${flag.value}>.`);
  }
  if (flag.choices !== undefined && !flag.choices.includes(value)) {
    throw new UsageError(`${rawName} cannot be \`${value}\`. Valid: ${flag.choices.join(', ')}.`);
  }
  return flag.read === undefined ? value : flag.read(value);
}

export function overviewHelp(
  commands: readonly Command[],
  groups: readonly CommandGroup[],
  paint: Paint,
): string {
  const rows = [
    ...commands.map(usageRow),
    ...groups.map(({ name, summary }) => [`${name} <action>`, summary] as const),
  ];
  const first = [...commands, ...groups.flatMap((group) => group.commands.slice(0, 1))];
  return help(paint, {
    intro: [
      'Work with a folder of Markdown content and its JSON:API, without building the site.',
      'The nearest astro.config sets the options.',
    ],
    usage: '<command> [argument] [flags]',
    rows: ['Commands', rows],
    examples: first.flatMap(({ examples }) => examples.slice(0, 1)),
    footer: ['Help for one command: npx astro-jsonapi help check', 'Version: npx astro-jsonapi --version'],
  });
}

export function groupHelp({ name, summary, details, commands }: CommandGroup, paint: Paint): string {
  return help(paint, {
    intro: [summary],
    usage: `${name} <action> [argument] [flags]`,
    details,
    rows: ['Actions', commands.map(usageRow)],
    examples: commands.flatMap(({ examples }) => examples.slice(0, 1)),
    footer: [`Help for one action: npx astro-jsonapi help ${commands[0]?.name}`],
  });
}

export function commandHelp({ name, summary, details, argument, flags, examples }: Command, paint: Paint) {
  const rows = Object.entries(flags).map(
    ([flag, { value, help }]) => [`--${flag}${value === undefined ? '' : ` <${value}>`}`, help] as const,
  );
  return help(paint, {
    intro: [summary],
    usage: `${name} ${argument.name} [flags]`,
    details,
    rows: ['Arguments and flags', [[argument.name, argument.help], ...rows]],
    examples,
  });
}

type Row = readonly [name: string, text: string];

interface HelpPage {
  readonly intro: readonly string[];
  readonly usage: string;
  readonly details?: readonly string[];
  readonly rows: readonly [title: string, rows: readonly Row[]];
  readonly examples: Command['examples'];
  readonly footer?: readonly string[];
}

function help(paint: Paint, { intro, usage, details = [], rows: [title, rows], examples, footer }: HelpPage) {
  const width = Math.max(...rows.map(([name]) => name.length));
  return [
    ...intro,
    '',
    `${paint('strong', 'Usage:')} npx astro-jsonapi ${usage}`,
    '',
    paint('strong', title),
    ...rows.map(([name, text]) => `  ${paint('place', name.padEnd(width))}  ${text}`),
    ...(details.length > 0 ? ['', ...details] : []),
    '',
    paint('strong', 'Examples'),
    ...examples.flatMap(([line, text]) => [`  ${paint('quiet', `# ${text}`)}`, `  ${line}`]),
    ...(footer ? ['', ...footer] : []),
  ].join('\n');
}

function usageRow({ name, argument, summary }: Command): Row {
  return [`${name} ${argument.name}`, summary];
}

import { parseArgs } from 'node:util';
import {
  type Command,
  type CommandGroup,
  type CommandInput,
  type Flags,
  UsageError,
} from '../core/runtime/command.ts';
import type { Paint } from '../core/source/diagnostic.ts';
import { closestName } from '../core/util/closest-name.ts';

/** Parses the words after a command's name. Undefined if they ask for help. Throws UsageError. */
export function readArguments(
  command: Command,
  words: readonly string[],
): Pick<CommandInput, 'argument' | 'flags'> | undefined {
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

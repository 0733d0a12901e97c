import { parseArgs } from 'node:util';
import { closestName } from '../util/closest-name.ts';
import { type Command, type CommandInput, UsageError } from './command.ts';

/** Takes the words after a command's name apart. Throws UsageError. */
export function readArguments(
  command: Command,
  words: readonly string[],
): Omit<CommandInput, 'terminal'> & { readonly help: boolean } {
  const flags = { ...command.flags, help: { help: '' } };
  const options = Object.fromEntries(
    Object.entries(flags).map(([name, flag]) => [
      name,
      {
        type: 'value' in flag ? ('string' as const) : ('boolean' as const),
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
  const values: Record<string, string> = Object.create(null);
  const switches = new Set<string>();
  const rest: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') rest.push(token.value);
    if (token.kind === 'option') {
      const value = readFlag(command, flags, token);
      if (value === undefined) switches.add(token.name);
      else values[token.name] = value;
    }
  }
  const help = switches.delete('help');
  const [argument, extra] = rest;
  if (help) return { argument, values, switches, help };
  if (extra !== undefined) {
    throw new UsageError(
      `\`${command.name}\` takes one ${command.argument.name}, and \`${extra}\` is one too many. Put it in quotes if it holds spaces or \`&\`.`,
    );
  }
  if (argument === undefined && command.argument.name.startsWith('<')) {
    const [example = ''] = command.examples[0] ?? [];
    throw new UsageError(`\`${command.name}\` needs ${command.argument.name}: ${example}`);
  }
  return { argument, values, switches, help };
}

/** Its value; undefined for a switch. */
function readFlag(
  command: Command,
  flags: Command['flags'],
  {
    name,
    rawName,
    value,
  }: { readonly name: string; readonly rawName: string; readonly value?: string | undefined },
): string | undefined {
  const flag = Object.hasOwn(flags, name) ? flags[name] : undefined;
  if (flag === undefined) {
    const near = closestName(name, Object.keys(flags));
    const hint = near === undefined ? `Valid: ${listed(flags)}.` : `Did you mean --${near}?`;
    throw new UsageError(`\`${command.name}\` has no flag ${rawName}. ${hint}`);
  }
  if (flag.value === undefined) {
    if (value !== undefined) throw new UsageError(`${rawName} takes no value.`);
    return undefined;
  }
  if (value === undefined || value === '') {
    throw new UsageError(`${rawName} needs a value: ${rawName} <${flag.value}>.`);
  }
  if (flag.choices !== undefined && !flag.choices.includes(value)) {
    throw new UsageError(`${rawName} cannot be \`${value}\`. Valid: ${flag.choices.join(', ')}.`);
  }
  return value;
}

function listed(flags: Command['flags']): string {
  return Object.keys(flags)
    .map((name) => `--${name}`)
    .join(', ');
}

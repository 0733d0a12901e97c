import { readFileSync } from 'node:fs';
import { createPaint } from '../runtime/terminal.ts';
import { closestName } from '../util/closest-name.ts';
import { DomainError } from '../util/errors.ts';
import { account } from './account/index.ts';
import { readArguments } from './arguments.ts';
import { askSecret, readAll } from './ask-secret.ts';
import { check } from './check.ts';
import { type Command, CommandError, type CommandGroup, type Terminal, UsageError } from './command.ts';
import { explain } from './explain.ts';
import { commandHelp, groupHelp, overviewHelp } from './help.ts';
import { query } from './query.ts';
import { schema } from './schema.ts';
import { serve } from './serve.ts';

const COMMANDS: readonly Command[] = [check, query, explain, schema, serve];
const GROUPS: readonly CommandGroup[] = [account];

/** Runs `astro-jsonapi` with the words after its name. Resolves to the exit code; never rejects. */
export async function runCli(words: readonly string[], terminal: Terminal): Promise<number> {
  try {
    return await dispatch(words, terminal);
  } catch (error) {
    const { say, paintSaid } = terminal;
    const [first = '', ...more] = messageOf(error).split('\n');
    say([`${paintSaid('error', 'error:')} ${first}`, ...more].join('\n'));
    if (!(error instanceof UsageError)) return 1;
    say('See: npx astro-jsonapi --help');
    return 2;
  }
}

async function dispatch([first, ...rest]: readonly string[], terminal: Terminal): Promise<number> {
  const { print, paint } = terminal;
  if (
    first === undefined ||
    first === '--help' ||
    first === '-h' ||
    (first === 'help' && rest.length === 0)
  ) {
    print(overviewHelp(COMMANDS, GROUPS, paint));
    // Nothing asked is no success: a script that forgot the command must not go on.
    return first === undefined ? 2 : 0;
  }
  if (first === '--version' || first === '-v') {
    print(ownVersion());
    return 0;
  }
  if (first === 'help') {
    const [name = '', action] = rest;
    const group = findGroup(name);
    const isWhole = group !== undefined && action === undefined;
    print(isWhole ? groupHelp(group, paint) : commandHelp(findCommand(name, action).command, paint));
    return 0;
  }
  const group = findGroup(first);
  if (group !== undefined && (rest[0] === '--help' || rest[0] === '-h')) {
    print(groupHelp(group, paint));
    return 0;
  }
  const { command, words } = findCommand(first, ...rest);
  const { help, ...input } = readArguments(command, words);
  if (!help) return command.run({ ...input, terminal });
  print(commandHelp(command, paint));
  return 0;
}

function findGroup(name: string): CommandGroup | undefined {
  return GROUPS.find((group) => group.name === name);
}

/** The command that words begin with, one word long or, in a group, two; and the words after it. */
function findCommand(
  name: string,
  ...rest: readonly (string | undefined)[]
): { readonly command: Command; readonly words: readonly string[] } {
  const words = rest.filter((word) => word !== undefined);
  const group = findGroup(name);
  if (group === undefined) {
    const command = COMMANDS.find((each) => each.name === name);
    if (command !== undefined) return { command, words };
    const names = [...COMMANDS, ...GROUPS].map((each) => each.name);
    throw unknownWord(name.startsWith('-') ? 'flag' : 'command', name, names, 'Commands');
  }
  const [action, ...others] = words;
  const command = group.commands.find((each) => each.name === `${name} ${action}`);
  if (command !== undefined) return { command, words: others };
  const actions = group.commands.map((each) => each.name.slice(name.length + 1));
  if (action === undefined) throw new UsageError(`\`${name}\` needs an action: ${actions.join(', ')}.`);
  throw unknownWord(`\`${name}\``, action, actions, 'Actions');
}

function unknownWord(what: string, word: string, known: readonly string[], title: string): UsageError {
  const near = closestName(word, known);
  const hint = near === undefined ? `${title}: ${known.join(', ')}.` : `Did you mean \`${near}\`?`;
  return new UsageError(`There is no ${what} \`${word}\`. ${hint}`);
}

function ownVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const { version }: { readonly version: string } = JSON.parse(text);
  return version;
}

function messageOf(error: unknown): string {
  if (error instanceof DomainError) {
    const { parameter } = error.source ?? {};
    return parameter === undefined ? error.detail : `${parameter}: ${error.detail}`;
  }
  if (error instanceof UsageError || error instanceof CommandError) return error.message;
  return error instanceof Error ? error.message : String(error);
}

/** The terminal of this process. */
export function createTerminal(): Terminal {
  quietWarnings();
  const { stdin, stdout, stderr } = process;
  // A pipe may end early, as `head` does.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  return {
    cwd: process.cwd(),
    print: (text) => void stdout.write(`${text}\n`),
    say: (text) => void stderr.write(`${text}\n`),
    paint: createPaint(stdout),
    paintSaid: createPaint(stderr),
    columns: stdout.isTTY ? stdout.columns : undefined,
    overwrite: stderr.isTTY ? (line) => void stderr.write(`\r\u001b[2K${line}`) : undefined,
    askSecret: stdin.isTTY && stderr.isTTY ? (question) => askSecret(question, stdin, stderr) : undefined,
    readInput: () => readAll(stdin),
  };
}

/** Node's remarks on running TypeScript, which nobody who checks content can do anything about. */
function quietWarnings(): void {
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    const code = 'code' in warning ? warning.code : undefined;
    if (warning.name !== 'ExperimentalWarning' && code !== 'MODULE_TYPELESS_PACKAGE_JSON')
      process.stderr.write(`${warning.name}: ${warning.message}\n`);
  });
}

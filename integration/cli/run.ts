import { readFileSync } from 'node:fs';
import { closestName } from '../entities/closest-name.ts';
import { ApiError } from '../errors.ts';
import { createPaint } from '../terminal.ts';
import { readArguments } from './arguments.ts';
import { check } from './check.ts';
import { type Command, CommandError, type Terminal, UsageError } from './command.ts';
import { explain } from './explain.ts';
import { commandHelp, overviewHelp } from './help.ts';
import { query } from './query.ts';
import { schema } from './schema.ts';
import { serve } from './serve.ts';

const COMMANDS: readonly Command[] = [check, query, explain, schema, serve];

/** Runs `astro-jsonapi` with the words after its name. Resolves to the exit code; never rejects. */
export async function runCli(words: readonly string[]): Promise<number> {
  quietWarnings();
  const terminal = createTerminal();
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
    print(overviewHelp(COMMANDS, paint));
    // Nothing asked is no success: a script that forgot the command must not go on.
    return first === undefined ? 2 : 0;
  }
  if (first === '--version' || first === '-v') {
    print(ownVersion());
    return 0;
  }
  if (first === 'help') {
    print(commandHelp(findCommand(rest[0] ?? ''), paint));
    return 0;
  }
  const command = findCommand(first);
  const { help, ...input } = readArguments(command, rest);
  if (!help) return command.run({ ...input, terminal });
  print(commandHelp(command, paint));
  return 0;
}

function findCommand(name: string): Command {
  const found = COMMANDS.find((command) => command.name === name);
  if (found !== undefined) return found;
  const names = COMMANDS.map((command) => command.name);
  const near = closestName(name, names);
  const hint = near === undefined ? `Commands: ${names.join(', ')}.` : `Did you mean \`${near}\`?`;
  throw new UsageError(`There is no ${name.startsWith('-') ? 'flag' : 'command'} \`${name}\`. ${hint}`);
}

function ownVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const { version }: { readonly version: string } = JSON.parse(text);
  return version;
}

function messageOf(error: unknown): string {
  if (error instanceof ApiError) {
    const { parameter } = error.source ?? {};
    return parameter === undefined ? error.detail : `${parameter}: ${error.detail}`;
  }
  if (error instanceof UsageError || error instanceof CommandError) return error.message;
  return error instanceof Error ? error.message : String(error);
}

function createTerminal(): Terminal {
  const { stdout, stderr } = process;
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

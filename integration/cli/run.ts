import { ownVersion } from '../astro/caches.ts';
import {
  type Command,
  type CommandGroup,
  type CommandLine,
  type Terminal,
  UsageError,
} from '../core/runtime/command.ts';
import { loadTooling } from '../core/runtime/tooling.ts';
import { closestName } from '../core/util/closest-name.ts';
import { BadParameterError, DomainError } from '../core/util/errors.ts';
import { errorMessage } from '../core/util/text.ts';
import { FEATURES } from '../features.ts';
import { check } from './check.ts';
import { commandHelp, groupHelp, overviewHelp, readArguments } from './command.ts';
import { openContent, openFolder, openSharedState } from './content.ts';
import { init } from './init.ts';
import { createProgress } from './progress.ts';
import { explain, query } from './query.ts';
import { openFollowed, receiveStopSignal, serve } from './serve.ts';
import { findSite } from './site.ts';
import { drawTable } from './table.ts';
import { upgrade } from './upgrade.ts';

export { createTerminal } from './terminal.ts';

const OWN_COMMANDS: readonly Command[] = [init, check, query, explain, serve, upgrade];

const COMMAND_LINE: CommandLine = {
  openShared: openSharedState,
  ...{ findSite, openContent, openFollowed, receiveStopSignal, createProgress, openFolder, drawTable },
};

export interface Commands {
  readonly commands: readonly Command[];
  readonly groups: readonly CommandGroup[];
}

/** All commands, those of features last. */
export async function loadCommands(): Promise<Commands> {
  const added = (await loadTooling(FEATURES)).flatMap(({ commands = [] }) => commands);
  return {
    commands: [...OWN_COMMANDS, ...added.filter((each) => 'run' in each)],
    groups: added.filter((each) => 'commands' in each),
  };
}

/** Runs `astro-jsonapi` with its arguments. Resolves to the exit code; never rejects. */
export async function runCli(words: readonly string[], terminal: Terminal): Promise<number> {
  try {
    return await dispatch(words, terminal);
  } catch (error) {
    const { report, paintReport } = terminal;
    report(`${paintReport('error', 'error:')} ${messageOf(error)}`);
    if (!(error instanceof UsageError)) return 1;
    report('See: npx astro-jsonapi --help');
    return 2;
  }
}

async function dispatch(words: readonly string[], terminal: Terminal): Promise<number> {
  const { print, paint } = terminal;
  const [first, second] = words;
  const all = await loadCommands();
  const isHelp = first === 'help' || isHelpFlag(first);
  if (first === undefined || (isHelp && second === undefined)) {
    print(overviewHelp(all.commands, all.groups, paint));
    // A script that forgot the command fails.
    return first === undefined ? 2 : 0;
  }
  if (first === '--version' || first === '-v') {
    print(ownVersion());
    return 0;
  }
  const [name = '', action, ...rest] = isHelp ? [...words.slice(1), '--help'] : words;
  const group = all.groups.find((each) => each.name === name);
  if (group !== undefined && isHelpFlag(action)) {
    print(groupHelp(group, paint));
    return 0;
  }
  const command = group === undefined ? findCommand(all, name) : findAction(group, action);
  const input = readArguments(
    command,
    group !== undefined || action === undefined ? rest : [action, ...rest],
  );
  if (input !== undefined) return command.run({ ...input, terminal, cli: COMMAND_LINE });
  print(commandHelp(command, paint));
  return 0;
}

function isHelpFlag(word: string | undefined): boolean {
  return word === '--help' || word === '-h';
}

function findCommand({ commands, groups }: Commands, name: string): Command {
  const command = commands.find((each) => each.name === name);
  if (command !== undefined) return command;
  const names = [...commands, ...groups].map((each) => each.name);
  throw unknownWord(name.startsWith('-') ? 'flag' : 'command', name, names);
}

function findAction({ name, commands }: CommandGroup, action: string | undefined): Command {
  const command = commands.find((each) => each.name === `${name} ${action}`);
  if (command !== undefined) return command;
  const actions = commands.map((each) => each.name.slice(name.length + 1));
  if (action === undefined) throw new UsageError(`\`${name}\` needs an action: ${actions.join(', ')}.`);
  throw unknownWord(`${name} action`, action, actions);
}

function unknownWord(kind: string, word: string, choices: readonly string[]): UsageError {
  const near = closestName(word, choices);
  const hint = near === undefined ? `Valid: ${choices.join(', ')}.` : `Did you mean \`${near}\`?`;
  return new UsageError(`Unknown ${kind} \`${word}\`. ${hint}`);
}

function messageOf(error: unknown): string {
  if (error instanceof BadParameterError && error.others.length > 0) {
    return [error.with([]), ...error.others].map(messageOf).join('\n');
  }
  if (!(error instanceof DomainError)) return errorMessage(error);
  const { parameter } = error.source ?? {};
  return parameter === undefined ? error.detail : `${parameter}: ${error.detail}`;
}

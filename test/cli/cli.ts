import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'vitest';
import { plainPaint } from '../../integration/core/source/diagnostic.ts';
import { plainEnvironment } from '../astro/builder.ts';
import { eventually } from '../support/eventually.ts';

const MAIN = path.resolve(import.meta.dirname, '../../dist/cli/main.js');

export interface Folder {
  readonly dir: string;
  file(...segments: readonly string[]): string;
  write(files: Readonly<Record<string, string>>): void;
  remove(): void;
}

/** A new folder outside any project. */
export function createFolder(files: Readonly<Record<string, string>>): Folder {
  const dir = mkdtempSync(path.join(tmpdir(), 'astro-jsonapi-cli-'));
  const file = (...segments: readonly string[]) => path.join(dir, ...segments);
  const write: Folder['write'] = (more) => {
    for (const [name, text] of Object.entries(more)) {
      mkdirSync(path.dirname(file(name)), { recursive: true });
      writeFileSync(file(name), text);
    }
  };
  write(files);
  return { dir, file, write, remove: () => rmSync(dir, { recursive: true, force: true }) };
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command of the built library in this process; `input` is its standard input. */
export async function cli(cwd: string, args: readonly string[], input = ''): Promise<Ended> {
  const texts = { stdout: '', stderr: '' };
  const code = await runCli(args, {
    cwd,
    print(text) {
      texts.stdout += `${text}\n`;
    },
    report(text) {
      texts.stderr += `${text}\n`;
    },
    paint: plainPaint,
    paintReport: plainPaint,
    columns: undefined,
    overwrite: undefined,
    askSecret: undefined,
    readInput: async () => input,
  });
  return { code, ...texts };
}

/** Node itself loads the built library, so that it loads configurations and schemas as an installed one does. */
const { runCli }: typeof import('../../integration/cli/run.ts') = createRequire(import.meta.url)(
  path.resolve(import.meta.dirname, '../../dist/cli/run.js'),
);

/** Runs the command line in a process of its own. */
export async function cliProcess(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  input?: string,
): Promise<Ended> {
  const started = start(cwd, args, env);
  started.child.stdin.end(input);
  const [code]: (number | null)[] = await once(started.child, 'close');
  return { code: code ?? null, stdout: started.stdout(), stderr: started.stderr() };
}

export interface Running extends Omit<Ended, 'code' | 'stdout' | 'stderr'> {
  readonly origin: string;
  output(): string;
  /** Like Ctrl-C; resolves to the exit code. */
  interrupt(): Promise<number | null>;
  /** Like a power cut; resolves when the process has ended. */
  kill(): Promise<void>;
}

/** Starts `serve` and resolves when it has printed its address. */
export async function serving(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Running> {
  const { child, stdout, stderr } = start(cwd, ['serve', ...args], env);
  const ended = once(child, 'close');
  const output = () => stdout() + stderr();
  const address = () => /JSON:API +(http:\S+?:\d+)/.exec(stdout())?.[1];
  await eventually(() => {
    if (child.exitCode === null) expect(address(), output()).toBeDefined();
  });
  const origin = address();
  if (origin === undefined) throw new Error(`serve has ended:\n${output()}`);
  return {
    origin,
    output,
    async interrupt() {
      child.kill('SIGINT');
      const [code]: (number | null)[] = await ended;
      return code ?? null;
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function start(cwd: string, args: readonly string[], env: Readonly<Record<string, string>>): Started {
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd,
    env: { ...plainEnvironment(), ...env },
    stdio: 'pipe',
  });
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8');
    child[name].on('data', (chunk: string) => {
      texts[name] += chunk;
    });
  }
  return { child, stdout: () => texts.stdout, stderr: () => texts.stderr };
}

interface Started {
  readonly child: ChildProcessWithoutNullStreams;
  stdout(): string;
  stderr(): string;
}

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';

export interface CommandResult {
  /** Undefined if the command succeeded; else a sentence. */
  readonly problem: string | undefined;
  /** The last lines of its output. */
  readonly lines: readonly string[];
}

export interface RunningCommand {
  readonly result: Promise<CommandResult>;
  /** Ends the command and all that it has started. */
  stop(): void;
}

const MAX_LINES = 40;
const MAX_LINE_UNITS = 400;
/** Milliseconds after which what does not end by itself is killed. */
const GRACE_MS = 5000;

/**
 * Runs the command `$1`, which gets no input. Standard input stays open as long as the server lives. When the server ends, in
 * whatever way, the background process ends the whole group.
 */
const UNTIL_SERVER_ENDS = `exec 3<&0 </dev/null
( read -r _ <&3; trap '' TERM; kill -s TERM -- -$$; sleep ${GRACE_MS / 1000}; kill -s KILL -- -$$ ) >/dev/null 2>&1 &
exec 3<&-
/bin/sh -c "$1"
code=$?
kill $! 2>/dev/null
exit $code`;

/** Runs a command of the options in a shell, for at most `limitMs` milliseconds. It ends with the server, except on Windows. */
export function runCommand(command: string, folder: string, limitMs: number): RunningCommand {
  if (!existsSync(folder)) {
    const problem = `The folder of the project, ${folder}, does not exist on this server.`;
    return { result: Promise.resolve({ problem, lines: [] }), stop: () => undefined };
  }
  const isWindows = process.platform === 'win32';
  // In a group of its own, so that all its processes can be ended.
  const child = isWindows
    ? spawn(command, { cwd: folder, shell: true, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true })
    : spawn('/bin/sh', ['-c', UNTIL_SERVER_ENDS, 'sh', command], { cwd: folder, detached: true });
  const output = createTail();
  child.stdout.setEncoding('utf8').on('data', output.add);
  child.stderr.setEncoding('utf8').on('data', output.add);
  let isLate = false;

  function signal(name: NodeJS.Signals): void {
    if (child.pid === undefined) return;
    try {
      if (isWindows) child.kill(name);
      else process.kill(-child.pid, name);
    } catch (error) {
      // It has ended.
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  }

  function stop(): void {
    signal('SIGTERM');
    setTimeout(() => signal('SIGKILL'), GRACE_MS).unref();
  }

  const timer = setTimeout(() => {
    isLate = true;
    stop();
  }, limitMs);
  timer.unref();

  const result = new Promise<CommandResult>((resolve) => {
    const end = (problem: string | undefined) => {
      clearTimeout(timer);
      resolve({ problem, lines: output.lines() });
    };
    child.on('error', ({ message }) => end(`The command cannot be started: ${message}`));
    child.on('close', (code, name) => {
      if (isLate) return end(`The command took longer than ${Math.round(limitMs / 60_000)} minutes.`);
      end(code === 0 ? undefined : `The command ended with ${code ?? name}.`);
    });
  });
  return { result, stop };
}

/** Keeps the last lines of a text. */
function createTail() {
  let lines: string[] = [];
  let unfinished = '';
  const cut = (line: string) => stripVTControlCharacters(line).trimEnd().slice(0, MAX_LINE_UNITS);
  return {
    add(text: string): void {
      const parts = (unfinished + text).split(/\r?\n/);
      // A line without an end cannot grow without limit.
      unfinished = (parts.pop() ?? '').slice(-10 * MAX_LINE_UNITS);
      lines = [...lines, ...parts.map(cut)].slice(-MAX_LINES);
    },
    lines: () => [...lines, cut(unfinished)].filter((line) => line !== '').slice(-MAX_LINES),
  };
}

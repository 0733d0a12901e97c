import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { CommandError, type Terminal } from '../core/runtime/command.ts';
import { createPaint } from '../core/runtime/terminal.ts';

/** The terminal of this process. */
export function createTerminal(): Terminal {
  hideExperimentalWarnings();
  const { stdin, stdout, stderr } = process;
  // The reader of a pipe, such as `head`, may stop early.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  return {
    cwd: process.cwd(),
    print: (text) => void stdout.write(`${text}\n`),
    report: (text) => void stderr.write(`${text}\n`),
    paint: createPaint(stdout),
    paintReport: createPaint(stderr),
    columns: stdout.isTTY ? stdout.columns : undefined,
    overwrite: stderr.isTTY ? (line) => void stderr.write(`\r\u001b[2K${line}`) : undefined,
    askSecret: stdin.isTTY && stderr.isTTY ? (question) => askSecret(question, stdin, stderr) : undefined,
    async readInput() {
      const chunks: Buffer[] = [];
      for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
      return Buffer.concat(chunks).toString('utf8');
    },
  };
}

/** Shows a question and reads a line without echo. Rejects with a CommandError after Ctrl-C and Ctrl-D. */
export function askSecret(
  question: string,
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
    // Turns off the echo of the terminal too.
    const reader = createInterface({ input, output: silent, terminal: true, historySize: 0 });
    output.write(question);
    reader.once('line', (line) => {
      resolve(line);
      reader.close();
    });
    reader.once('SIGINT', () => reader.close());
    reader.once('close', () => {
      output.write('\n');
      reject(new CommandError('Canceled. Nothing was changed.'));
    });
  });
}

/** Hides warnings about Node running TypeScript. */
function hideExperimentalWarnings(): void {
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    const code = 'code' in warning ? warning.code : undefined;
    if (warning.name !== 'ExperimentalWarning' && code !== 'MODULE_TYPELESS_PACKAGE_JSON')
      process.stderr.write(`${warning.name}: ${warning.message}\n`);
  });
}

import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { CommandError } from './command.ts';

/**
 * Shows a question and reads a line that is shown nowhere; line editing works as ever. Rejects with a CommandError after
 * Ctrl-C and Ctrl-D.
 */
export function askSecret(
  question: string,
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
    // From here on the terminal itself shows nothing either.
    const reader = createInterface({ input, output: nowhere, terminal: true, historySize: 0 });
    output.write(question);
    reader.once('line', (line) => {
      resolve(line);
      reader.close();
    });
    reader.once('SIGINT', () => reader.close());
    reader.once('close', () => {
      output.write('\n');
      reject(new CommandError('Called off: nothing was changed.'));
    });
  });
}

/** All that comes until the end, as text. */
export async function readAll(input: AsyncIterable<Buffer | string>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of input) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}

import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { askSecret } from '../../../integration/cli/terminal.ts';

function terminal() {
  const modes: boolean[] = [];
  const input = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode(isRaw: boolean) {
      modes.push(isRaw);
      return this;
    },
  });
  const output = new PassThrough();
  let shown = '';
  output.on('data', (chunk) => {
    shown += chunk;
  });
  return { input, output, modes, shown: () => shown };
}

it('a password prompt does not show the password', async () => {
  const { input, output, modes, shown } = terminal();
  const answer = askSecret('Password for jane: ', input, output);
  input.write('low tied');
  input.write('\u007f\u007f');
  input.write('de ü\r');
  expect(await answer).toBe('low tide ü');
  expect(shown()).toBe('Password for jane: \n');
  // The terminal echo is off during the prompt and restored afterwards.
  expect(modes).toEqual([true, false]);
});

it.each([
  ['Ctrl-C', '\u0003'],
  ['Ctrl-D', '\u0004'],
])('%s cancels the prompt', async (_key, pressed) => {
  const { input, output, modes } = terminal();
  const answer = askSecret('Password: ', input, output);
  input.write(pressed);
  await expect(answer).rejects.toThrow('Canceled. Nothing was changed.');
  expect(modes.at(-1)).toBe(false);
});

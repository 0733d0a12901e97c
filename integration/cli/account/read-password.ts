import { checkPassword } from '../../accounts/password.ts';
import { type Command, type CommandInput, UsageError } from '../command.ts';

export const PASSWORD_FLAG = {
  'password-stdin': { help: 'Read the password from the standard input instead of asking for it.' },
} as const satisfies Command['flags'];

/** A new password for the account of a name: asked for twice and shown nowhere, or piped in. */
export async function readPassword({ switches, terminal }: CommandInput, name: string): Promise<string> {
  if (switches.has('password-stdin')) {
    const password = (await terminal.readInput()).replace(/\r?\n$/, '');
    checkPassword(password, name);
    return password;
  }
  const { askSecret } = terminal;
  if (askSecret === undefined) {
    throw new UsageError('There is no terminal to ask for a password at. Pipe it in, with --password-stdin.');
  }
  const password = await askSecret(`Password for ${name}: `);
  checkPassword(password, name);
  if ((await askSecret('Once more: ')) === password) return password;
  throw new UsageError('These were two different passwords, so nothing was changed.');
}

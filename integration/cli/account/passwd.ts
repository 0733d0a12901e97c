import { type Command, CommandError, UsageError } from '../command.ts';
import { ACCOUNT_FLAGS, openAccounts } from './open-accounts.ts';
import { PASSWORD_FLAG, readPassword } from './read-password.ts';

export const passwd: Command = {
  name: 'account passwd',
  summary: 'Changes the password of an account, which ends its sessions.',
  argument: { name: '<name>', help: 'The account.' },
  flags: {
    none: { help: 'Take the password away: only tokens lead in then.' },
    ...PASSWORD_FLAG,
    ...ACCOUNT_FLAGS,
  },
  details: ['Tokens and clients of the account go on. To end everything at once: account block.'],
  examples: [
    ['npx astro-jsonapi account passwd jane', 'Ask for a new password'],
    ['npx astro-jsonapi account passwd jane --none', 'Leave only tokens'],
  ],
  async run(input) {
    const { argument = '', switches, terminal } = input;
    if (switches.has('none') && switches.has('password-stdin')) {
      throw new UsageError('Choose --none or --password-stdin.');
    }
    const { accounts } = await openAccounts(input);
    const account = await accounts.find(argument);
    if (account === undefined) throw new CommandError(`There is no account ${argument}.`);
    const password = switches.has('none') ? undefined : await readPassword(input, account.name);
    await accounts.setPassword(account.name, password);
    terminal.print(
      `The password of ${account.name} is ${password === undefined ? 'taken away' : 'changed'}. Its sessions have ended.`,
    );
    return 0;
  },
};

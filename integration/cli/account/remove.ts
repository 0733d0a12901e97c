import type { Command } from '../command.ts';
import { ACCOUNT_FLAGS, openAccounts, warnWithoutAdministrator } from './open-accounts.ts';

export const remove: Command = {
  name: 'account remove',
  summary: 'Removes an account, with its sessions, tokens and clients.',
  argument: { name: '<name>', help: 'The account.' },
  flags: ACCOUNT_FLAGS,
  details: [
    'Its content stays, with the name in `uid`: a later account of that name has it. To keep the name from others,',
    'block the account instead.',
  ],
  examples: [['npx astro-jsonapi account remove jane', 'Remove an account']],
  async run(input) {
    const { argument = '', terminal } = input;
    const { accounts } = await openAccounts(input);
    await accounts.remove(argument);
    terminal.print(`Account ${argument} removed.`);
    await warnWithoutAdministrator(accounts, terminal);
    return 0;
  },
};

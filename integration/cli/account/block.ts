import type { Command } from '../command.ts';
import { ACCOUNT_FLAGS, openAccounts, warnWithoutAdministrator } from './open-accounts.ts';

export const block: Command = {
  name: 'account block',
  summary: 'Keeps an account out: sessions, password, tokens and clients.',
  argument: { name: '<name>', help: 'The account.' },
  flags: { undo: { help: 'Let it in again. Its former sessions stay ended.' }, ...ACCOUNT_FLAGS },
  details: ['From the next request on. Its content stays as it is.'],
  examples: [
    ['npx astro-jsonapi account block jane', 'Keep somebody out'],
    ['npx astro-jsonapi account block jane --undo', 'Let them in again'],
  ],
  async run(input) {
    const { argument = '', switches, terminal } = input;
    const { accounts } = await openAccounts(input);
    const isBlocked = !switches.has('undo');
    await accounts.setBlocked(argument, isBlocked);
    terminal.print(isBlocked ? `${argument} is kept out.` : `${argument} is let in again.`);
    if (isBlocked) await warnWithoutAdministrator(accounts, terminal);
    return 0;
  },
};

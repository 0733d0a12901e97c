import { SCOPES } from '../../accounts/account.ts';
import type { Command } from '../command.ts';
import { ACCOUNT_FLAGS, openAccounts } from './open-accounts.ts';

export const client: Command = {
  name: 'account client',
  summary: 'Makes a client id and secret, for programs that get tokens at /oauth/token.',
  argument: { name: '<name>', help: 'The account that the client acts as.' },
  flags: {
    scope: { value: 'scope', choices: SCOPES, help: 'read, which is all without it, or write.' },
    label: { value: 'text', help: 'What it is for, to know it again in account list.' },
    revoke: { value: 'id', help: 'End a client and its tokens instead, by its client id.' },
    ...ACCOUNT_FLAGS,
  },
  details: ['OAuth 2 client credentials, as next-drupal, drupal-state and @drupal-api-client send them.'],
  examples: [
    ['npx astro-jsonapi account client frontend --label next', 'Make a client for a front end'],
    ['npx astro-jsonapi account client frontend --revoke 1f0c9a52-6f0b-4c36-9d5e-8a4f0f7f2c11', 'End it'],
  ],
  async run(input) {
    const { argument = '', values, terminal } = input;
    const { accounts } = await openAccounts(input);
    if (values.revoke !== undefined) {
      await accounts.removeClient(argument, values.revoke);
      terminal.print(`The client ${values.revoke} has ended.`);
      return 0;
    }
    const scope = values.scope === 'write' ? 'write' : 'read';
    const { secret, client: made } = await accounts.addClient(argument, { label: values.label ?? '', scope });
    terminal.say(`A client that acts as ${argument}, to ${scope}. Its secret is shown this once.`);
    terminal.print(`client_id=${made.id}\nclient_secret=${secret}`);
    return 0;
  },
};

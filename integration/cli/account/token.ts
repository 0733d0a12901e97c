import { SCOPES } from '../../accounts/account.ts';
import type { Command } from '../command.ts';
import { describeExpiry, readExpiry } from './expiry.ts';
import { ACCOUNT_FLAGS, openAccounts } from './open-accounts.ts';

export const token: Command = {
  name: 'account token',
  summary: 'Makes a token for a program that acts as an account, and shows it once.',
  argument: { name: '<name>', help: 'The account.' },
  flags: {
    scope: { value: 'scope', choices: SCOPES, help: 'read, which is all without it, or write.' },
    expires: { value: 'time', help: 'When it ends: 90d (without it), 12h, 8w, a date, or never.' },
    label: { value: 'text', help: 'What it is for, to know it again in account list.' },
    revoke: { value: 'id', help: 'End a token instead, by its id in account list.' },
    ...ACCOUNT_FLAGS,
  },
  details: ['Programs send it with each request: Authorization: Bearer <token>'],
  examples: [
    [
      'npx astro-jsonapi account token deploy --scope write --expires 90d --label ci',
      'Make a token that may write',
    ],
    ['npx astro-jsonapi account token deploy --revoke hV3nXw0q', 'End a token'],
  ],
  async run(input) {
    const { argument = '', values, terminal } = input;
    const { accounts } = await openAccounts(input);
    if (values.revoke !== undefined) {
      await accounts.removeToken(argument, values.revoke);
      terminal.print(`The token ${values.revoke} has ended.`);
      return 0;
    }
    const expires = readExpiry(values.expires ?? '90d', Date.now());
    const scope = values.scope === 'write' ? 'write' : 'read';
    const { secret, token: made } = await accounts.addToken(argument, {
      label: values.label ?? '',
      scope,
      expires,
    });
    terminal.say(
      `A token of ${argument} to ${scope}, ${describeExpiry(made.expires)}. It is shown this once; its id is ${made.id}.`,
    );
    terminal.print(secret);
    return 0;
  },
};

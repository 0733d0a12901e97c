import type { Account } from '../../accounts/account.ts';
import { printable } from '../../util/printable.ts';
import { type Command, CommandError } from '../command.ts';
import { drawTable } from '../table.ts';
import { describeExpiry } from './expiry.ts';
import { ACCOUNT_FLAGS, openAccounts } from './open-accounts.ts';

export const list: Command = {
  name: 'account list',
  summary: 'Lists the accounts; of one, its tokens and clients too.',
  argument: { name: '[name]', help: 'The account to tell more of.' },
  flags: { json: { help: 'Print JSON, for other programs.' }, ...ACCOUNT_FLAGS },
  details: ['Secrets are never shown: of passwords and tokens, the file has only what they are checked by.'],
  examples: [
    ['npx astro-jsonapi account list', 'See who can sign in'],
    ['npx astro-jsonapi account list jane', 'See the tokens of an account'],
  ],
  async run(input) {
    const { argument, switches, terminal } = input;
    const { print, say, paint } = terminal;
    const { accounts, file } = await openAccounts(input);
    const all = await accounts.list();
    const one = argument === undefined ? undefined : await accounts.find(argument);
    if (argument !== undefined && one === undefined)
      throw new CommandError(`There is no account ${argument}.`);
    if (switches.has('json')) {
      print(JSON.stringify(one === undefined ? all.map(told) : told(one), null, 2));
      return 0;
    }
    if (all.length === 0) {
      say(
        `There are no accounts in ${file}. Add one: npx astro-jsonapi account add <name> --role administrator`,
      );
      return 0;
    }
    const shown = one === undefined ? all : [one];
    print(drawTable([HEAD, ...shown.map(row)], paint, true));
    if (one !== undefined) for (const line of grants(one)) print(line);
    return 0;
  },
};

const HEAD = ['name', 'roles', 'password', 'tokens', 'clients', 'mail'];

function row({ name, roles, password, blocked, tokens, clients, mail = '' }: Account): readonly string[] {
  const signsIn = blocked ? 'blocked' : password === undefined ? 'none' : 'set';
  return [name, roles.join(', '), signsIn, String(tokens.length), String(clients.length), mail];
}

/** A line for each token and client. */
function grants({ tokens, clients }: Account): readonly string[] {
  const labelled = (label: string) => (label === '' ? '' : `  ${printable(label)}`);
  return [
    ...tokens.map(
      ({ id, label, scope, expires }) =>
        `token ${id}  ${scope}  ${describeExpiry(expires)}${labelled(label)}`,
    ),
    ...clients.map(({ id, label, scope }) => `client ${id}  ${scope}${labelled(label)}`),
  ];
}

/** What may be shown of an account. */
function told({ name, displayName, mail, roles, blocked, password, tokens, clients }: Account): unknown {
  return {
    name,
    displayName,
    mail,
    roles,
    blocked: blocked === true,
    hasPassword: password !== undefined,
    tokens: tokens.map(({ hash: _, ...rest }) => rest),
    clients: clients.map(({ hash: _, ...rest }) => rest),
  };
}

import { checkName } from '../../accounts/account.ts';
import { type Command, CommandError, UsageError } from '../command.ts';
import { ACCOUNT_FLAGS, openAccounts } from './open-accounts.ts';
import { PASSWORD_FLAG, readPassword } from './read-password.ts';

export const add: Command = {
  name: 'account add',
  summary: 'Adds an account, and asks for its password.',
  argument: {
    name: '<name>',
    help: "The name to sign in with; with content's `uid`, it says whose the content is.",
  },
  flags: {
    role: {
      value: 'roles',
      help: 'Its roles, separated by commas: editor, administrator, or roles of the site.',
    },
    mail: { value: 'address', help: 'Its e-mail address, which commits to git carry.' },
    'display-name': { value: 'name', help: 'How people write the name, where it is not the name itself.' },
    'no-password': { help: 'For programs: nobody signs in with a password, only with tokens.' },
    ...PASSWORD_FLAG,
    ...ACCOUNT_FLAGS,
  },
  details: [
    'The password is asked for without being shown. It is stored as a hash that nobody can turn back.',
  ],
  examples: [
    ['npx astro-jsonapi account add jane --role editor', 'Add somebody who writes'],
    ['npx astro-jsonapi account add deploy --no-password', 'Add an account for a program, which gets tokens'],
    [
      'pass show site/jane | npx astro-jsonapi account add jane --password-stdin',
      'Take the password from a program',
    ],
  ],
  async run(input) {
    const { argument = '', values, switches, terminal } = input;
    if (switches.has('no-password') && switches.has('password-stdin')) {
      throw new UsageError('Choose --no-password or --password-stdin.');
    }
    const { accounts, file, exists, readRoles } = await openAccounts(input);
    const name = checkName(argument);
    const roles = values.role === undefined ? [] : readRoles(values.role);
    const isFirst = !exists();
    // Nobody is asked for a password that is of no use.
    const taken = await accounts.find(name);
    if (taken !== undefined) throw new CommandError(`There is an account ${taken.name} already.`);
    const password = switches.has('no-password') ? undefined : await readPassword(input, name);
    await accounts.add({ name, roles, password, mail: values.mail, displayName: values['display-name'] });
    terminal.print(`Account ${name} added${roles.length > 0 ? `: ${roles.join(', ')}` : ', without roles'}.`);
    if (isFirst)
      terminal.say(`${file} holds the accounts now. Keep it private, and out of git; keep a copy of it.`);
    return 0;
  },
};

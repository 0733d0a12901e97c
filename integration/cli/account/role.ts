import { type Command, UsageError } from '../command.ts';
import { ACCOUNT_FLAGS, openAccounts, warnWithoutAdministrator } from './open-accounts.ts';

export const role: Command = {
  name: 'account role',
  summary: 'Shows and changes the roles of an account.',
  argument: { name: '<name>', help: 'The account.' },
  flags: {
    add: { value: 'roles', help: 'Roles that it gets, separated by commas.' },
    remove: { value: 'roles', help: 'Roles that it loses.' },
    set: { value: 'roles', help: 'The roles that it has from now on.' },
    ...ACCOUNT_FLAGS,
  },
  details: [
    'editor and administrator are there from the start; option `roles` adds those of the site. Whoever signs in has',
    'the role authenticated, whoever does not has anonymous: neither is given.',
  ],
  examples: [
    ['npx astro-jsonapi account role jane --add editor', 'Let somebody write'],
    ['npx astro-jsonapi account role jane --remove administrator', 'Take a role away'],
    ['npx astro-jsonapi account role jane', 'See the roles'],
  ],
  async run(input) {
    const { argument = '', values, terminal } = input;
    if (values.set !== undefined && (values.add ?? values.remove) !== undefined) {
      throw new UsageError('Choose --set, or --add and --remove.');
    }
    const { accounts, readRoles } = await openAccounts(input);
    const [set, added] = [values.set, values.add].map((written) =>
      written === undefined ? undefined : readRoles(written),
    );
    // A role that the site no longer has can be taken away all the same.
    const removed = values.remove?.split(',').map((each) => each.trim()) ?? [];
    const change = (roles: readonly string[]) =>
      (set ?? [...roles, ...(added ?? [])]).filter((each) => !removed.includes(each));
    const { name, roles } = await accounts.setRoles(argument, change);
    terminal.print(roles.length === 0 ? `${name} has no roles.` : `${name}: ${roles.join(', ')}`);
    if (values.set !== undefined || removed.length > 0) await warnWithoutAdministrator(accounts, terminal);
    return 0;
  },
};

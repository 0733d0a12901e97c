import { existsSync } from 'node:fs';
import path from 'node:path';
import { ADMINISTRATOR_ROLE } from '../../../core/access/role.ts';
import {
  CommandError,
  type CommandGroup,
  defineCommand,
  type Flags,
  SITE_FLAGS,
  type Terminal,
  UsageError,
  warn,
} from '../../../core/runtime/command.ts';
import { counted, printable } from '../../../core/util/text.ts';
import { type Account, checkName } from '../account.ts';
import { createAccountFile } from '../account-file.ts';
import { createSharedAccounts } from '../account-storage.ts';
import type { AccountStore } from '../accounts.ts';
import { checkPassword } from '../password.ts';
import { client, describeExpiry, token } from './account-token.ts';
import { ACCOUNT_FLAGS, NAME, openAccounts, splitNames } from './open-accounts.ts';

async function warnWithoutAdministrator(accounts: AccountStore, terminal: Terminal): Promise<void> {
  const all = await accounts.list();
  if (all.some(({ roles, blocked }) => roles.includes(ADMINISTRATOR_ROLE) && blocked !== true)) return;
  warn(terminal, 'no account is an administrator now.');
}

const PASSWORD_FLAG = {
  'password-stdin': { help: 'Read the password from the standard input instead of asking for it.' },
} as const satisfies Flags;

/** A new password: from the standard input, or entered twice without echo. */
async function readPassword(isPiped: boolean, terminal: Terminal, name: string): Promise<string> {
  const { askSecret, readInput } = terminal;
  if (isPiped) {
    const password = (await readInput()).replace(/\r?\n$/, '');
    checkPassword(password, name);
    return password;
  }
  if (askSecret === undefined) {
    throw new UsageError('A password prompt needs a terminal. Pipe the password in with --password-stdin.');
  }
  const password = await askSecret(`Password for ${name}: `);
  checkPassword(password, name);
  if ((await askSecret('Repeat the password: ')) === password) return password;
  throw new UsageError('The passwords are different. Nothing was changed.');
}

async function findAccount(accounts: AccountStore, name: string): Promise<Account> {
  const account = await accounts.find(name);
  if (account === undefined) throw new CommandError(`There is no account ${name}.`);
  return account;
}

const add = defineCommand({
  name: 'account add',
  summary: 'Add an account. Asks for its password.',
  argument: { name: '<name>', help: 'The name to sign in with. It also identifies the author in `uid`.' },
  flags: {
    role: {
      value: 'roles',
      help: 'Specify roles, separated by commas: editor, administrator, or roles of the site.',
    },
    mail: { value: 'address', help: 'Specify the e-mail address, which is used in git commits.' },
    'display-name': { value: 'name', help: 'Specify a display name. Default: the name.' },
    'no-password': {
      excludes: ['password-stdin'],
      help: 'Add an account for a program, which signs in with tokens only.',
    },
    ...PASSWORD_FLAG,
    ...ACCOUNT_FLAGS,
  },
  details: ['Passwords are stored as hashes.'],
  examples: [
    ['npx astro-jsonapi account add jane --role editor', 'Add an editor'],
    ['npx astro-jsonapi account add deploy --no-password', 'Add an account for a program'],
    [
      'pass show site/jane | npx astro-jsonapi account add jane --password-stdin',
      'Read the password from another program',
    ],
  ],
  async run({ argument, flags, terminal, cli }) {
    const { accounts, place, database, readRoles } = await openAccounts(flags, { terminal, cli });
    const name = checkName(argument);
    const roles = flags.role === undefined ? [] : readRoles(flags.role);
    const existing = await accounts.find(name);
    if (existing !== undefined) throw new CommandError(`The account ${existing.name} already exists.`);
    const isFirst = database === undefined && !existsSync(path.resolve(terminal.cwd, place));
    const password = flags['no-password']
      ? undefined
      : await readPassword(flags['password-stdin'], terminal, name);
    await accounts.add({ name, roles, password, mail: flags.mail, displayName: flags['display-name'] });
    terminal.print(`Account ${name} added${roles.length > 0 ? `: ${roles.join(', ')}` : ', without roles'}.`);
    if (isFirst) {
      terminal.report(`Accounts are stored in ${place}. Keep this file private, out of git, and backed up.`);
    }
    return 0;
  },
});

const passwd = defineCommand({
  name: 'account passwd',
  summary: 'Change the password of an account. Ends its sessions.',
  argument: NAME,
  flags: {
    none: { excludes: ['password-stdin'], help: 'Remove the password. Tokens still work.' },
    ...PASSWORD_FLAG,
    ...ACCOUNT_FLAGS,
  },
  details: ['Tokens and clients of the account stay valid. To end all access, use account block.'],
  examples: [
    ['npx astro-jsonapi account passwd jane', 'Set a new password'],
    ['npx astro-jsonapi account passwd jane --none', 'Allow tokens only'],
  ],
  async run({ argument, flags, terminal, cli }) {
    const { accounts } = await openAccounts(flags, { terminal, cli });
    const { name } = await findAccount(accounts, argument);
    const password = flags.none ? null : await readPassword(flags['password-stdin'], terminal, name);
    await accounts.update(name, { password });
    const change = password === null ? 'removed' : 'changed';
    terminal.print(`Password of ${name} ${change}. Its sessions have ended.`);
    return 0;
  },
});

const role = defineCommand({
  name: 'account role',
  summary: 'Print or change the roles of an account.',
  argument: NAME,
  flags: {
    add: { value: 'roles', help: 'Add roles, separated by commas.' },
    remove: { value: 'roles', help: 'Remove roles.' },
    set: { value: 'roles', excludes: ['add', 'remove'], help: 'Replace all roles.' },
    ...ACCOUNT_FLAGS,
  },
  details: [
    'The roles editor and administrator always exist. Option `roles` of the site defines others.',
    'All accounts have the role authenticated, and all other visitors have the role anonymous.',
  ],
  examples: [
    ['npx astro-jsonapi account role jane --add editor', 'Add a role'],
    ['npx astro-jsonapi account role jane --remove administrator', 'Remove a role'],
    ['npx astro-jsonapi account role jane', 'Print the roles'],
  ],
  async run({ argument, flags, terminal, cli }) {
    const { accounts, readRoles } = await openAccounts(flags, { terminal, cli });
    const [set, added] = [flags.set, flags.add].map((names) => names && readRoles(names));
    // Roles that the site no longer defines can be removed.
    const removed = flags.remove === undefined ? [] : splitNames(flags.remove);
    const { name, roles } = await accounts.update(argument, {
      roles: (current) => (set || [...current, ...(added || [])]).filter((each) => !removed.includes(each)),
    });
    terminal.print(roles.length === 0 ? `${name} has no roles.` : `${name}: ${roles.join(', ')}`);
    if (set || removed.length > 0) await warnWithoutAdministrator(accounts, terminal);
    return 0;
  },
});

const list = defineCommand({
  name: 'account list',
  summary: 'List all accounts, or one account with its tokens and clients.',
  argument: { name: '[name]', help: 'The account to print with its tokens and clients.' },
  flags: { json: { help: 'Print JSON.' }, ...ACCOUNT_FLAGS },
  details: ['Passwords and tokens are not printed. The accounts file contains only their hashes.'],
  examples: [
    ['npx astro-jsonapi account list', 'List all accounts'],
    ['npx astro-jsonapi account list jane', 'Print the tokens of an account'],
  ],
  async run({ argument, flags, terminal, cli }) {
    const { print, report, paint } = terminal;
    const { accounts, place } = await openAccounts(flags, { terminal, cli });
    const account = argument === undefined ? undefined : await findAccount(accounts, argument);
    const all = account === undefined ? await accounts.list() : [account];
    if (flags.json) {
      const documents = all.map(withoutSecrets);
      print(JSON.stringify(account === undefined ? documents : documents[0], null, 2));
      return 0;
    }
    if (all.length === 0) {
      report(`${place} has no accounts. Add one: npx astro-jsonapi account add <name> --role administrator`);
      return 0;
    }
    print(cli.drawTable([HEAD, ...all.map(tableRow)], paint, true));
    if (account !== undefined) for (const line of credentialLines(account)) print(line);
    return 0;
  },
});

const HEAD = ['name', 'roles', 'password', 'tokens', 'clients', 'mail'];

function tableRow({
  name,
  roles,
  password,
  blocked,
  tokens,
  clients,
  mail = '',
}: Account): readonly string[] {
  const state = blocked ? 'blocked' : password === undefined ? 'none' : 'set';
  return [name, roles.join(', '), state, String(tokens.length), String(clients.length), mail];
}

function credentialLines({ tokens, clients }: Account): readonly string[] {
  const suffix = (label: string) => (label === '' ? '' : `  ${printable(label)}`);
  return [
    ...tokens.map(
      ({ id, label, scope, expires }) => `token ${id}  ${scope}  ${describeExpiry(expires)}${suffix(label)}`,
    ),
    ...clients.map(({ id, label, scope }) => `client ${id}  ${scope}${suffix(label)}`),
  ];
}

function withoutSecrets(account: Account): unknown {
  const { name, displayName, mail, roles, blocked, password, tokens, clients } = account;
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

const block = defineCommand({
  name: 'account block',
  summary: 'Block an account: its sessions, password, tokens and clients.',
  argument: NAME,
  flags: { undo: { help: 'Unblock the account. Its earlier sessions stay ended.' }, ...ACCOUNT_FLAGS },
  details: ['Takes effect at the next request. The content of the account stays unchanged.'],
  examples: [
    ['npx astro-jsonapi account block jane', 'Block an account'],
    ['npx astro-jsonapi account block jane --undo', 'Unblock an account'],
  ],
  async run({ argument, flags, terminal, cli }) {
    const { accounts } = await openAccounts(flags, { terminal, cli });
    await accounts.update(argument, { blocked: !flags.undo });
    terminal.print(`Account ${argument} ${flags.undo ? 'unblocked' : 'blocked'}.`);
    if (!flags.undo) await warnWithoutAdministrator(accounts, terminal);
    return 0;
  },
});

const remove = defineCommand({
  name: 'account remove',
  summary: 'Remove an account with its sessions, tokens and clients.',
  argument: NAME,
  flags: ACCOUNT_FLAGS,
  details: [
    'Its content keeps the name in `uid`, so a later account with the same name owns it. To reserve the name, block',
    'the account instead.',
  ],
  examples: [['npx astro-jsonapi account remove jane', 'Remove an account']],
  async run({ argument, flags, terminal, cli }) {
    const { accounts } = await openAccounts(flags, { terminal, cli });
    await accounts.remove(argument);
    terminal.print(`Account ${argument} removed.`);
    await warnWithoutAdministrator(accounts, terminal);
    return 0;
  },
});

const move = defineCommand({
  name: 'account move',
  summary: 'Copy the accounts of the accounts file to the database of option `editing.accountStore`.',
  argument: { name: '[file]', help: 'The accounts file. Default: the one of the site.' },
  flags: SITE_FLAGS,
  details: [
    'Passwords, tokens and clients stay valid. The file stays as it is; delete it when the servers use the database.',
    'The database must not have accounts yet.',
  ],
  examples: [
    ['npx astro-jsonapi account move', 'Copy the accounts of this project'],
    ['npx astro-jsonapi account move ../private/accounts.json', 'Copy another file'],
  ],
  async run({ argument, flags, terminal, cli }) {
    const { accountsFile, database } = await openAccounts(flags, { terminal, cli });
    if (database === undefined) throw new CommandError('The site has no option `editing.accountStore`.');
    const file = argument === undefined ? accountsFile : path.resolve(terminal.cwd, argument);
    const data = await createAccountFile({ file, warn: (message) => warn(terminal, message) }).read();
    if (data === undefined) throw new CommandError(`The accounts file ${file} does not exist.`);
    await createSharedAccounts(database).update(({ accounts }) => {
      if (accounts.length === 0) return data;
      throw new CommandError('The database has accounts already. Nothing was copied.');
    });
    terminal.print(`${counted(data.accounts.length, 'account')} copied to the database.`);
    return 0;
  },
});

export const account: CommandGroup = {
  name: 'account',
  summary: 'Manage accounts, their roles, and their tokens.',
  details: [
    'Accounts are stored in .astro-jsonapi/accounts.json of the project, or in the file of option',
    '`editing.accountsFile`, or in the database of option `editing.accountStore`. A running server uses each change at the next request.',
  ],
  commands: [add, passwd, role, token, client, list, block, remove, move],
};

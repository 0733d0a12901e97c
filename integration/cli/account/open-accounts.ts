import { existsSync } from 'node:fs';
import path from 'node:path';
import { ADMINISTRATOR_ROLE, ANONYMOUS_ROLE, AUTHENTICATED_ROLE, BUILT_IN_ROLES } from '../../access/role.ts';
import { checkRoles } from '../../accounts/account.ts';
import type { AccountStore } from '../../accounts/accounts.ts';
import { withAudit } from '../../accounts/audit-log.ts';
import { openAuth } from '../../accounts/open-auth.ts';
import { closestName } from '../../util/closest-name.ts';
import { type Command, CommandError, type CommandInput, SITE_FLAGS } from '../command.ts';
import { findSite } from '../find-site.ts';
import { ACCOUNTS_FLAG, siteAccountsFile } from '../site-accounts.ts';

/** Flags of every command about accounts. */
export const ACCOUNT_FLAGS = {
  ...ACCOUNTS_FLAG,
  ...SITE_FLAGS,
} as const satisfies Command['flags'];

export interface OpenAccounts {
  readonly accounts: AccountStore;
  /** As its author would write it from here. */
  readonly file: string;
  /** Whether the file is there. */
  exists(): boolean;
  /** The roles that a flag names, separated by commas. Throws for those that the site does not have. */
  readRoles(written: string): readonly string[];
}

/** The accounts that a command is about: of `--accounts`, else of JSONAPI_ACCOUNTS, else of the site. */
export async function openAccounts(input: CommandInput): Promise<OpenAccounts> {
  const { values, terminal } = input;
  const { cwd, say, paintSaid } = terminal;
  const named = values.accounts;
  const site = named === undefined ? await siteOf(input) : undefined;
  const file = site?.file ?? path.resolve(cwd, named ?? '');
  const warn = (message: string) => say(`${paintSaid('warning', 'warning:')} ${message}`);
  const { accounts, audit } = openAuth({ file, warn });
  return {
    accounts: withAudit(accounts, audit, 'command line'),
    file: path.relative(cwd, file).replaceAll('\\', '/'),
    exists: () => existsSync(file),
    readRoles(written) {
      const roles = checkRoles(written.split(',').map((role) => role.trim()));
      for (const role of roles) if (site !== undefined) checkKnown(role, site.roles);
      return roles;
    },
  };
}

/** Says so where nobody is left who may do everything. */
export async function warnWithoutAdministrator(
  accounts: AccountStore,
  { say, paintSaid }: Warned,
): Promise<void> {
  const all = await accounts.list();
  if (all.some(({ roles, blocked }) => roles.includes(ADMINISTRATOR_ROLE) && blocked !== true)) return;
  say(`${paintSaid('warning', 'warning:')} no account is an administrator now.`);
}

type Warned = Pick<CommandInput['terminal'], 'say' | 'paintSaid'>;

/** The argument is a name here, not a folder. */
async function siteOf({ argument: _, ...input }: CommandInput): Promise<SiteAccounts> {
  const site = await findSite({ ...input, argument: undefined });
  const { options } = site;
  return {
    file: siteAccountsFile(site),
    roles: [...new Set([...Object.keys(BUILT_IN_ROLES), ...Object.keys(options.roles)])].filter(
      (role) => role !== ANONYMOUS_ROLE && role !== AUTHENTICATED_ROLE,
    ),
  };
}

function checkKnown(role: string, known: readonly string[]): void {
  if (known.includes(role)) return;
  const near = closestName(role, known);
  const hint = near === undefined ? `Roles: ${known.join(', ')}.` : `Did you mean \`${near}\`?`;
  throw new CommandError(`There is no role \`${role}\`. ${hint}`);
}

interface SiteAccounts {
  readonly file: string;
  readonly roles: readonly string[];
}

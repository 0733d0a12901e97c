import path from 'node:path';
import { assignableRoles } from '../../../core/access/role.ts';
import type { SiteFlags } from '../../../core/runtime/command.ts';
import {
  ACCOUNTS_FLAG,
  type CommandInput,
  type Flags,
  SITE_FLAGS,
  warn,
} from '../../../core/runtime/command.ts';
import type { SharedState } from '../../../core/runtime/shared-state.ts';
import { checkRoles } from '../account.ts';
import type { AccountStore } from '../accounts.ts';
import { accountsFileOf } from '../accounts-path.ts';
import { checkAssignable } from '../assignable-roles.ts';
import { withAudit } from '../audit-log.ts';
import { openAuth } from '../open-auth.ts';

/** The argument and the flags of commands about one account. */
export const NAME = { name: '<name>', help: 'The name of the account.' } as const;
export const ACCOUNT_FLAGS = { ...ACCOUNTS_FLAG, ...SITE_FLAGS } as const satisfies Flags;

export type AccountFlags = SiteFlags & { readonly accounts?: string | undefined };

export interface OpenAccounts {
  readonly accounts: AccountStore;
  /** The database, or the accounts file relative to the working directory. It may not exist. */
  readonly place: string;
  /** The database of option `editing.accountStore`. */
  readonly database: SharedState | undefined;
  /** Absolute path. */
  readonly accountsFile: string;
  /** Parses role names separated by commas. Throws for roles that the site does not have. */
  readRoles(names: string): readonly string[];
}

/** The accounts in `--accounts`, else in JSONAPI_ACCOUNTS, else of the site. */
export async function openAccounts(
  flags: AccountFlags,
  { terminal, cli }: Pick<CommandInput, 'terminal' | 'cli'>,
): Promise<OpenAccounts> {
  const { cwd } = terminal;
  const site = flags.accounts === undefined ? await cli.findSite(flags, terminal) : undefined;
  const file = site ? accountsFileOf(site, site.options, true) : path.resolve(cwd, flags.accounts ?? '');
  const database = site && (await cli.openShared(site, terminal));
  const { accounts, audit } = openAuth({ file, database, warn: (message) => warn(terminal, message) });
  return {
    accountsFile: file,
    database,
    accounts: withAudit(accounts, audit, { by: 'command line' }),
    place: database ? 'the database' : path.relative(cwd, file).replaceAll('\\', '/'),
    readRoles(names) {
      const roles = checkRoles(splitNames(names));
      if (site !== undefined) checkAssignable(roles, assignableRoles(site.options.roles));
      return roles;
    },
  };
}

/** Names separated by commas. */
export function splitNames(names: string): readonly string[] {
  return names.split(',').map((name) => name.trim());
}

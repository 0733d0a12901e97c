import { accountsPathFromEnvironment, accountsPathFromOption } from '../accounts/accounts-path.ts';
import { editingSettings } from '../options/options.ts';
import type { Command } from './command.ts';
import type { FoundSite } from './find-site.ts';

/** Of commands that need to know who is who. */
export const ACCOUNTS_FLAG = {
  accounts: { value: 'file', help: 'The accounts file, where it is not the one of astro.config.' },
} as const satisfies Command['flags'];

/** The absolute path of the accounts file of JSONAPI_ACCOUNTS, else of the site. Throws where it would be public. */
export function siteAccountsFile(site: FoundSite): string {
  return (
    accountsPathFromEnvironment(site) ??
    accountsPathFromOption(editingSettings(site.options).accountsFile, site.root, site)
  );
}

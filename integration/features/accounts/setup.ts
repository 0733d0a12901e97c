import { ADMINISTRATOR_ROLE } from '../../core/access/role.ts';
import { ForbiddenError } from '../../core/util/errors.ts';
import { digestSecret, randomSecret } from '../../core/util/secret.ts';
import type { Account } from './account.ts';
import type { AccountStore, NewAccount } from './accounts.ts';

/** Minutes for which a setup link is valid. */
export const SETUP_MINUTES = 15;

/** The one-time setup link of a site without accounts. */
export interface Setup {
  /**
   * Creates a link, which must be shown only to the owner of the site, as a path below the site's base. It replaces the
   * link before. Null if there are accounts.
   */
  createSetupLink(): Promise<SetupLink | null>;
  /** True if the token of a link is valid now. */
  isValid(token: string): Promise<boolean>;
  /**
   * Creates the first account, an administrator, and invalidates the token. Throws AccountInputError for an invalid name
   * or password, after which the token stays valid, and ForbiddenError for an invalid token.
   */
  redeem(token: string, account: Omit<NewAccount, 'roles'> & { readonly password: string }): Promise<Account>;
}

export interface SetupLink {
  readonly path: string;
  readonly expires: Date;
}

export interface SetupDeps {
  readonly accounts: AccountStore;
  /** Milliseconds. */
  readonly now: () => number;
}

/** The link is stored only in the memory of this process. */
export function createSetup({ accounts, now }: SetupDeps): Setup {
  let open: { readonly hash: string; readonly until: number } | undefined;

  async function isValid(token: string): Promise<boolean> {
    const hash = await digestSecret(token);
    if (open === undefined || open.hash !== hash || open.until <= now()) return false;
    return (await accounts.list()).length === 0;
  }

  return {
    isValid,
    async createSetupLink() {
      if ((await accounts.list()).length > 0) return null;
      const token = randomSecret('');
      const until = now() + SETUP_MINUTES * 60_000;
      open = { hash: await digestSecret(token), until };
      return { path: `/user/login?setup=${token}`, expires: new Date(until) };
    },
    async redeem(token, account) {
      if (!(await isValid(token))) throw invalidLink();
      const created = await accounts.addFirst({ ...account, roles: [ADMINISTRATOR_ROLE] });
      if (created === undefined) throw invalidLink();
      open = undefined;
      return created;
    },
  };
}

function invalidLink(): ForbiddenError {
  return new ForbiddenError(
    `This link is not valid any more: it works once, for ${SETUP_MINUTES} minutes. Restart the server for a new link, or add an account on the command line: npx astro-jsonapi account add <name> --role administrator`,
  );
}

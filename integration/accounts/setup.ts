import { ADMINISTRATOR_ROLE } from '../access/role.ts';
import { ForbiddenError } from '../util/errors.ts';
import type { Account } from './account.ts';
import type { AccountStore, NewAccount } from './accounts.ts';
import { digestSecret, randomSecret } from './secret.ts';

/** Minutes for which the link of a first start leads in. */
export const SETUP_MINUTES = 15;

/** The one-time way in of a site that has no account yet. */
export interface Setup {
  /**
   * Makes a link, to be printed where only the site's owner reads: a path below the site's base. One made before no longer
   * leads in. Null where there are accounts.
   */
  createSetupLink(): Promise<SetupLink | null>;
  /** Whether a token leads in now. */
  isValid(token: string): Promise<boolean>;
  /**
   * Makes the first account, an administrator; the token is used up by that, and not by a name or a password that
   * cannot be (AccountInputError). Throws ForbiddenError for a token that does not lead in.
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

/** What is known of the link lies in this process alone: a restart makes another. */
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
      if (!(await isValid(token))) throw overdue();
      const made = await accounts.addFirst({ ...account, roles: [ADMINISTRATOR_ROLE] });
      if (made === undefined) throw overdue();
      open = undefined;
      return made;
    },
  };
}

function overdue(): ForbiddenError {
  return new ForbiddenError(
    `This link does not lead in any more: it works once, for ${SETUP_MINUTES} minutes. Restart the server for another, or add an account on the command line: npx astro-jsonapi account add <name> --role administrator`,
  );
}

import { ADMINISTRATOR_ROLE } from '../../core/access/role.ts';
import type { SharedState } from '../../core/runtime/shared-state.ts';
import { ForbiddenError } from '../../core/util/errors.ts';
import { randomSecret } from '../../core/util/secret.ts';
import type { Account } from './account.ts';
import type { AccountStore, NewAccount } from './accounts.ts';
import { digestSecret } from './signer.ts';

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
  /** Has the links of all servers, so that each of them takes the link of another. */
  readonly shared: SharedState;
  /** Milliseconds. */
  readonly now: () => number;
}

export function createSetup({ accounts, shared, now }: SetupDeps): Setup {
  /** The link of this server. */
  let own: string | undefined;

  async function isValid(token: string): Promise<boolean> {
    const hash = await digestSecret(token);
    if ((await shared.read(KEY + hash)) === undefined) return false;
    return (await accounts.list()).length === 0;
  }

  return {
    isValid,
    async createSetupLink() {
      if ((await accounts.list()).length > 0) return null;
      const token = randomSecret('');
      const key = KEY + (await digestSecret(token));
      const seconds = SETUP_MINUTES * 60;
      await shared.change(own === undefined ? [key] : [key, own], () => ({
        values: [{ text: '1', seconds }],
        result: undefined,
      }));
      own = key;
      return { path: `/user/login?setup=${token}`, expires: new Date(now() + seconds * 1000) };
    },
    async redeem(token, account) {
      if (!(await isValid(token))) throw invalidLink();
      const created = await accounts.addFirst({ ...account, roles: [ADMINISTRATOR_ROLE] });
      if (created === undefined) throw invalidLink();
      return created;
    },
  };
}

/** Followed by the digest of the token of a link. */
const KEY = 'setup/';

function invalidLink(): ForbiddenError {
  return new ForbiddenError(
    `This link is not valid any more: it works once, for ${SETUP_MINUTES} minutes. Restart the server for a new link, or add an account on the command line: npx astro-jsonapi account add <name> --role administrator`,
  );
}

import type { Actor } from '../access/actor.ts';
import { withAudit } from '../accounts/audit-log.ts';
import type { Auth } from '../accounts/open-auth.ts';
import type { AccountsContext, SignIn } from '../api/request.ts';
import type { ClientContext } from './authenticate.ts';
import { continueSession } from './session.ts';

/** The accounts for one request of a person who signed in. */
export function accountsContext(
  { accounts, audit, authenticator }: Auth,
  { name }: Actor,
  signIn: SignIn,
  { session, address }: ClientContext,
  roles: readonly string[],
): AccountsContext {
  const by = signIn.by === 'local' ? 'local mode' : signIn.by;
  return {
    store: withAudit(accounts, audit, { actor: name ?? undefined, address, by }),
    roles,
    confirmPassword: (password) => authenticator.confirmPassword({ name: name ?? '', password, address }),
    async keepSession({ name, epoch }) {
      if (signIn.by === 'session' && session !== undefined) await continueSession(session, { name, epoch });
    },
  };
}

import type { ApiRequest, RequestSession } from '../../core/api/request.ts';
import type { SharedState } from '../../core/runtime/shared-state.ts';
import type { Account } from './account.ts';
import type { AccountStore } from './accounts.ts';
import { type AuditLog, withAudit } from './audit-log.ts';
import type { Auth } from './open-auth.ts';
import type { Recovery } from './recovery.ts';
import { continueSession } from './session.ts';

/** The accounts of the site, for the sender of a request. */
export interface AccountsContext {
  /** Records changes in the audit log. */
  readonly store: AccountStore;
  /** The roles that accounts can have. */
  readonly roles: readonly string[];
  /** True if this is the password of the sender. Throws if it was guessed too often. */
  confirmPassword(password: string): Promise<boolean>;
  readonly audit: AuditLog;
  readonly recovery: Recovery;
  /** What the servers of the site share. */
  readonly shared: SharedState;
  /** The session of the request; undefined for other credentials. */
  readonly session: RequestSession | undefined;
  /** Continues the session of the request, whose account has another password now. */
  keepSession(account: Account): Promise<void>;
}

/** The accounts for a request of a person who signed in; undefined for anonymous. */
export function accountsContext(
  { accounts, audit, authenticator, recovery, shared }: Auth,
  { actor: { name }, signIn, client, services }: ApiRequest,
): AccountsContext | undefined {
  if (signIn === undefined) return undefined;
  const { session, address } = client;
  const by = signIn.by === 'local' ? 'local mode' : signIn.by;
  return {
    store: withAudit(accounts, audit, { actor: name ?? undefined, address, by }),
    roles: services.settings.roles ?? [],
    ...{ audit, recovery, shared },
    session: signIn.by === 'session' ? session : undefined,
    confirmPassword: (password) => authenticator.confirmPassword({ name: name ?? '', password, address }),
    async keepSession({ name, epoch }) {
      if (signIn.by === 'session' && session !== undefined) await continueSession(session, { name, epoch });
    },
  };
}

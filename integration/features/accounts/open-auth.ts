import type { SharedState } from '../../core/runtime/shared-state.ts';
import { errorMessage } from '../../core/util/text.ts';
import { createAccountFile } from './account-file.ts';
import { createFixedAccounts, createSharedAccounts } from './account-storage.ts';
import { type AccountStore, createAccountStore } from './accounts.ts';
import { createAuditFile } from './audit-file.ts';
import { type AuditLog, type AuditPlace, createAuditLog } from './audit-log.ts';
import { type Authenticator, createAuthenticator } from './authenticator.ts';
import type { Mailer } from './mail.ts';
import { createMemoryState } from './memory-state.ts';
import { createPasswordHasher } from './password.ts';
import { createRecovery, type Recovery } from './recovery.ts';
import { createSetup, type Setup } from './setup.ts';

/** Accounts and sign-in of a site. Accounts are read lazily. */
export interface Auth {
  readonly accounts: AccountStore;
  readonly authenticator: Authenticator;
  readonly setup: Setup;
  readonly audit: AuditLog;
  /** What the servers of the site share; without a database, what this server remembers. */
  readonly shared: SharedState;
  readonly recovery: Recovery;
}

export interface AuthDeps {
  /** Absolute path of the accounts file. */
  readonly file: string;
  readonly warn: (message: string) => void;
  /** The database of the accounts, which is used instead of the file. */
  readonly database?: SharedState | undefined;
  /** The text of an accounts file in an environment variable, which is used instead and never changes. */
  readonly fixed?: FixedAccounts | undefined;
  /** Undefined if the site sends no mail. */
  readonly mailer?: Mailer | undefined;
}

export interface FixedAccounts {
  readonly text: string;
  /** The name of the variable. */
  readonly source: string;
}

export function openAuth({ file, warn, database, fixed, mailer }: AuthDeps): Auth {
  const now = Date.now;
  const shared = database ?? createMemoryState(now);
  const passwords = createPasswordHasher();
  const accounts = createAccountStore({
    storage: database
      ? createSharedAccounts(database)
      : fixed
        ? createFixedAccounts(fixed.text, fixed.source)
        : createAccountFile({ file, warn }),
    passwords,
    now,
  });
  const audit = createAuditLog({ ...auditPlace({ file, warn, database, fixed }, shared), now });
  const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
  return {
    accounts,
    authenticator: createAuthenticator({ accounts, passwords, audit, shared, now, sleep, warn }),
    setup: createSetup({ accounts, shared, now }),
    audit,
    shared,
    recovery: createRecovery({ accounts, audit, shared, mailer, now, warn }),
  };
}

/** The place of the audit log: in the database, in a file, or in the log and the memory of the server. */
export function auditPlace(
  { file, warn, database, fixed }: Omit<AuthDeps, 'mailer'>,
  shared: SharedState,
): AuditPlace {
  if (database === undefined && fixed === undefined) return createAuditFile({ accountsFile: file, warn });
  return {
    extent: database === undefined ? 'server' : 'site',
    async write(line) {
      const text = line.trimEnd();
      if (database === undefined) warn(`audit: ${text}`);
      // A line that the database does not take must not be lost, and must not fail the request.
      await shared.append('audit', text).catch((error: unknown) => {
        warn(`audit: ${text} (${errorMessage(error)})`);
      });
    },
    lines: (before) => shared.lines('audit', before),
  };
}

import { createAccountFile } from './account-file.ts';
import { type AccountStore, createAccountStore } from './accounts.ts';
import { createAuditFile } from './audit-file.ts';
import { type AuditLog, createAuditLog } from './audit-log.ts';
import { type Authenticator, createAuthenticator } from './authenticator.ts';
import { createPasswordHasher } from './password.ts';
import { createSetup, type Setup } from './setup.ts';

/** Accounts and sign-in for one accounts file, which is read lazily. */
export interface Auth {
  readonly accounts: AccountStore;
  readonly authenticator: Authenticator;
  readonly setup: Setup;
  readonly audit: AuditLog;
}

export interface AuthDeps {
  /** Absolute path of the accounts file. */
  readonly file: string;
  readonly warn: (message: string) => void;
}

export function openAuth({ file, warn }: AuthDeps): Auth {
  const now = Date.now;
  const passwords = createPasswordHasher();
  const accounts = createAccountStore({ file: createAccountFile({ file, warn }), passwords, now });
  const audit = createAuditLog({ write: createAuditFile({ accountsFile: file, warn }), now });
  const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
  return {
    accounts,
    authenticator: createAuthenticator({ accounts, passwords, audit, now, sleep, warn }),
    setup: createSetup({ accounts, now }),
    audit,
  };
}

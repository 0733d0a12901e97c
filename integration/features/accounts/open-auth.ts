import { createAccountFile, createFixedAccounts } from './account-file.ts';
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
  /** The text of an accounts file in an environment variable, which is used instead and never changes. */
  readonly fixed?: FixedAccounts | undefined;
}

export interface FixedAccounts {
  readonly text: string;
  /** The name of the variable. */
  readonly source: string;
}

export function openAuth({ file, warn, fixed }: AuthDeps): Auth {
  const now = Date.now;
  const passwords = createPasswordHasher();
  const accounts = createAccountStore({
    file: fixed ? createFixedAccounts(fixed.text, fixed.source) : createAccountFile({ file, warn }),
    passwords,
    now,
  });
  const toLog = async (line: string) => warn(`audit: ${line.trimEnd()}`);
  const write = fixed ? toLog : createAuditFile({ accountsFile: file, warn });
  const audit = createAuditLog({ write, now });
  const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
  return {
    accounts,
    authenticator: createAuthenticator({ accounts, passwords, audit, now, sleep, warn }),
    setup: createSetup({ accounts, now }),
    audit,
  };
}

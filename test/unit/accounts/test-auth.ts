import path from 'node:path';
import type { SharedState } from '../../../integration/core/runtime/shared-state.ts';
import { createAccountFile } from '../../../integration/features/accounts/account-file.ts';
import {
  type AccountStorage,
  createFixedAccounts,
  createSharedAccounts,
} from '../../../integration/features/accounts/account-storage.ts';
import { type AccountStore, createAccountStore } from '../../../integration/features/accounts/accounts.ts';
import { type AuditLog, createAuditLog } from '../../../integration/features/accounts/audit-log.ts';
import {
  type Authenticator,
  createAuthenticator,
} from '../../../integration/features/accounts/authenticator.ts';
import type { Mail, Mailer } from '../../../integration/features/accounts/mail.ts';
import { createMemoryState } from '../../../integration/features/accounts/memory-state.ts';
import { auditPlace } from '../../../integration/features/accounts/open-auth.ts';
import {
  createPasswordHasher,
  type PasswordCost,
  type PasswordHasher,
} from '../../../integration/features/accounts/password.ts';
import { createRecovery, type Recovery } from '../../../integration/features/accounts/recovery.ts';
import { createSetup, type Setup } from '../../../integration/features/accounts/setup.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** The cheapest cost that scrypt accepts, to keep tests fast. */
export const MIN_COST: PasswordCost = { ln: 4, r: 8, p: 1 };

export interface TestAuth {
  readonly file: AccountStorage;
  readonly shared: SharedState;
  readonly recovery: Recovery;
  /** Mails that were sent. */
  readonly mails: Mail[];
  readonly path: string;
  readonly accounts: AccountStore;
  readonly authenticator: Authenticator;
  readonly setup: Setup;
  readonly audit: AuditLog;
  readonly passwords: PasswordHasher;
  /** The hash of every password comparison, in order. */
  readonly compared: string[];
  readonly warnings: string[];
  /** The delay of each sign-in in milliseconds. */
  readonly delays: number[];
  readonly clock: { now: number };
  /** The same accounts, opened by another process or after a restart. */
  restarted(cost?: PasswordCost): TestAuth;
}

export interface TestAuthParts {
  /** Sends mails. Default: they are in `mails`. */
  readonly mailer?: Mailer | undefined;
  /** The text of an accounts file in a variable. */
  readonly fixed?: string | undefined;
}

export function createTestAuth(
  dir = temporaryFolder(),
  cost = MIN_COST,
  clock = { now: Date.parse('2026-11-21T12:00:00Z') },
  database?: SharedState,
  { mailer: otherMailer, fixed }: TestAuthParts = {},
): TestAuth {
  const warnings: string[] = [];
  const warn = (message: string) => void warnings.push(message);
  const compared: string[] = [];
  const hasher = createPasswordHasher({ cost });
  const passwords: PasswordHasher = {
    ...hasher,
    verify(password, hash, queue) {
      compared.push(hash);
      return hasher.verify(password, hash, queue);
    },
  };
  const now = () => clock.now;
  const delays: number[] = [];
  const mails: Mail[] = [];
  const mailer: Mailer = otherMailer ?? {
    send: async (mail) => mails.push(mail) > 0,
    address: (path) => `https://mail.site.example${path}`,
  };
  const sleep = async (ms: number) => void delays.push(ms);
  const accountsFile = path.join(dir, 'private', 'accounts.json');
  const shared = database ?? createMemoryState(now);
  const file = fixed
    ? createFixedAccounts(fixed, 'JSONAPI_ACCOUNTS_JSON')
    : createAccountFile({ file: accountsFile, warn });
  const storage = database ? createSharedAccounts(database) : file;
  const accounts = createAccountStore({ storage, passwords, now });
  const audit = createAuditLog({ ...auditPlace({ file: accountsFile, warn, database }, shared), now });
  return {
    file: storage,
    shared,
    path: accountsFile,
    accounts,
    authenticator: createAuthenticator({ accounts, passwords, audit, shared, now, sleep, warn }),
    setup: createSetup({ accounts, shared, now }),
    recovery: createRecovery({ accounts, audit, shared, mailer, now, warn }),
    mails,
    audit,
    passwords,
    compared,
    warnings,
    delays: delays,
    clock,
    restarted: (again = cost) => createTestAuth(dir, again, clock, database),
  };
}

/** The value of an `Authorization` header. */
export function basic(name: string, password: string): string {
  return `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
}

import { ServiceUnavailableError, TooManyRequestsError } from '../../core/util/errors.ts';
import { LruMap } from '../../core/util/lru-map.ts';
import { errorMessage } from '../../core/util/text.ts';
import { type Account, foldName, MAX_NAME_LENGTH } from './account.ts';
import type { AccountStore } from './accounts.ts';
import { addressKey, networkOf } from './address.ts';
import type { AuditEntry, AuditLog } from './audit-log.ts';
import type { PasswordHasher } from './password.ts';
import { createSigner } from './signer.ts';
import type { SignInThrottle, SignInTrial } from './throttle.ts';

export interface PasswordCheckDeps {
  readonly accounts: AccountStore;
  readonly passwords: PasswordHasher;
  readonly throttle: SignInThrottle;
  readonly audit: AuditLog;
  /** Milliseconds. */
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  readonly warn: (message: string) => void;
}

export interface SignInInput {
  readonly name: string;
  readonly password: string;
  /** The client's address, from the adapter. */
  readonly address: string | undefined;
}

/**
 * Finds the account for a name and a password. Undefined for a wrong name, a wrong password or a blocked account, after the
 * same amount of work in each case. Throws TooManyRequestsError, ServiceUnavailableError and AccountFileError.
 *
 * HTTP Basic clients send the password with every request, so correct credentials are cached for some minutes: as an HMAC
 * with a key of this process, for one address, and until the account's hash changes. The rate limits are checked first,
 * and the cache is never used for another address: otherwise it would make guesses cheap.
 */
export function createPasswordCheck(
  deps: PasswordCheckDeps,
): (input: SignInInput, by: 'basic' | 'form' | 'session') => Promise<Account | undefined> {
  const { accounts, passwords, throttle, audit, now, sleep, warn } = deps;
  const { sign } = createSigner(crypto.getRandomValues(new Uint8Array(32)));
  const verified = new LruMap<string, { readonly hash: string; readonly until: number }>(MAX_VERIFIED);
  const pending = new Map<string, Promise<Account | undefined>>();

  async function tryPassword(
    trial: SignInTrial,
    password: string,
    key: string,
    record: (result: AuditEntry['result'], name?: string) => void,
  ): Promise<Account | undefined> {
    const admission = await throttle.admit(trial);
    if (admission.kind === 'refused') {
      record('throttled');
      throw tooManyFailures(admission.seconds);
    }
    const { delayMs, isFromKnownNetwork, settle } = admission;
    const parties = [`account ${trial.account}`, `network ${networkOf(trial.address)}`];
    const options = { parties, isReserved: isFromKnownNetwork };
    try {
      if (delayMs > 0) await sleep(delayMs);
      const account = await accounts.find(trial.account);
      // Also computed for existing accounts, so that the response time does not reveal them.
      const decoy = passwords.decoy(await hashLike(trial.account));
      const hash = account?.password ?? decoy;
      const isRight =
        (await passwords.verify(password, hash, options)) && account !== undefined && isOpen(account);
      await settle(isRight ? 'succeeded' : 'failed');
      record(isRight ? 'succeeded' : failureOf(account), account?.name);
      if (!isRight) return undefined;
      verified.set(key, { hash: await renewed(account, password, hash), until: now() + VERIFIED_MS });
      return account;
    } catch (error) {
      await settle('void');
      if (error instanceof ServiceUnavailableError) record('busy');
      throw error;
    }
  }

  /** The hash of an account that the name selects, so that unknown names take as long as existing ones. */
  async function hashLike(name: string): Promise<string | undefined> {
    const hashes = (await accounts.list()).flatMap(({ password }) => password ?? []);
    const sum = [...name].reduce((total, char) => total + (char.codePointAt(0) ?? 0), 0);
    return hashes[sum % hashes.length];
  }

  /** The account's hash, which is replaced if it has outdated parameters. */
  async function renewed({ name }: Account, password: string, hash: string): Promise<string> {
    if (!passwords.isOutdated(hash)) return hash;
    try {
      const next = await passwords.hash(password, { isReserved: true });
      await accounts.renewHash(name, hash, next);
      return next;
    } catch (error) {
      warn(`The password hash of ${name} was not renewed: ${errorMessage(error)}`);
      return hash;
    }
  }

  return async ({ name, password, address }, by) => {
    const record = (result: AuditEntry['result'], account = name) =>
      void audit.record({ event: 'sign-in', result, account, address, by });
    const trial = { account: boundedName(name), address: addressKey(address) };
    const seconds = await throttle.refusal(trial);
    if (seconds !== undefined) {
      record('throttled');
      throw tooManyFailures(seconds);
    }
    const key = await sign(JSON.stringify([trial.account, trial.address, password]));
    const cached = verified.get(key);
    if (cached !== undefined && cached.until > now()) {
      const account = await accounts.find(trial.account);
      if (account !== undefined && isOpen(account) && account.password === cached.hash) {
        // HTTP Basic clients sign in with each request: only the first one is logged.
        if (by !== 'basic') record('succeeded', account.name);
        return account;
      }
    }
    // Concurrent requests of one client share one check.
    const running =
      pending.get(key) ?? tryPassword(trial, password, key, record).finally(() => pending.delete(key));
    pending.set(key, running);
    return running;
  };
}

/** Cached credentials. */
const MAX_VERIFIED = 1000;
const VERIFIED_MS = 5 * 60_000;

/** The folded name; empty if it is too long for an account. */
function boundedName(written: string): string {
  const name = foldName(written);
  return name.length > MAX_FOLDED_LENGTH ? '' : name;
}

/** Some letters have more characters in lower case. */
const MAX_FOLDED_LENGTH = 3 * MAX_NAME_LENGTH;

function isOpen({ blocked, password }: Account): boolean {
  return blocked !== true && password !== undefined;
}

function failureOf(account: Account | undefined): AuditEntry['result'] {
  if (account === undefined) return 'unknown account';
  if (account.password === undefined) return 'account without password';
  return account.blocked === true ? 'blocked account' : 'wrong password';
}

function tooManyFailures(seconds: number): TooManyRequestsError {
  return new TooManyRequestsError(
    `Too many failed sign-ins. Try again in ${inWords(Math.max(1, Math.ceil(seconds)))}.`,
    seconds,
  );
}

function inWords(seconds: number): string {
  if (seconds === 1) return 'a second';
  return seconds < 120 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
}

import { LRUCache } from 'lru-cache';
import { ServiceUnavailableError, TooManyRequestsError } from '../util/errors.ts';
import { errorMessage } from '../util/text.ts';
import { type Account, foldName, MAX_NAME_LENGTH } from './account.ts';
import type { AccountStore } from './accounts.ts';
import { addressKey, networkOf } from './address.ts';
import type { AuditEntry, AuditLog } from './audit-log.ts';
import type { PasswordHasher } from './password.ts';
import { createSigner } from './secret.ts';
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
  /** Of the client, as the adapter tells it. */
  readonly address: string | undefined;
}

/**
 * Finds the account that a name and a password belong to; undefined where they belong to none, be it that the name, the
 * password or the account's state is the reason: all of them take the same work. Throws TooManyRequestsError,
 * ServiceUnavailableError and AccountFileError.
 *
 * Clients of HTTP Basic send both with every request. What was right is remembered for some minutes, for the address it
 * came from: as an HMAC under a key that this process alone has, and only as long as the account's hash stays the same.
 * It is asked for after the limits, and never from another address, else it would tell guesses apart at no cost.
 */
export function createPasswordCheck(
  deps: PasswordCheckDeps,
): (input: SignInInput, by: 'basic' | 'form') => Promise<Account | undefined> {
  const { accounts, passwords, throttle, audit, now, sleep, warn } = deps;
  const { sign } = createSigner(crypto.getRandomValues(new Uint8Array(32)));
  const verified = new LRUCache<string, { readonly hash: string; readonly until: number }>({
    max: REMEMBERED,
  });
  const underWay = new Map<string, Promise<Account | undefined>>();

  async function tryPassword(
    trial: SignInTrial,
    password: string,
    key: string,
    record: (result: AuditEntry['result'], name?: string) => void,
  ): Promise<Account | undefined> {
    const admission = throttle.admit(trial);
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
      // Made for each name, so that an account cannot be detected by time.
      const decoy = passwords.decoy(await hashLike(trial.account));
      const hash = account?.password ?? decoy;
      const isRight =
        (await passwords.verify(password, hash, options)) && account !== undefined && isOpen(account);
      settle(isRight ? 'succeeded' : 'failed');
      record(isRight ? 'succeeded' : failureOf(account), account?.name);
      if (!isRight) return undefined;
      verified.set(key, { hash: await renewed(account, password, hash), until: now() + REMEMBERED_MS });
      return account;
    } catch (error) {
      settle('void');
      if (error instanceof ServiceUnavailableError) record('busy');
      throw error;
    }
  }

  /** Of an account that the name picks, so that names without an account take as long as those with one. */
  async function hashLike(name: string): Promise<string | undefined> {
    const hashes = (await accounts.list()).flatMap(({ password }) => password ?? []);
    const sum = [...name].reduce((total, char) => total + (char.codePointAt(0) ?? 0), 0);
    return hashes[sum % hashes.length];
  }

  /** The hash of the account from now on: made anew where it was less work than hashes are today. */
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
    const trial = {
      account: boundedName(name),
      address: addressKey(address),
    };
    const seconds = throttle.refusal(trial);
    if (seconds !== undefined) {
      record('throttled');
      throw tooManyFailures(seconds);
    }
    const key = await sign(JSON.stringify([trial.account, trial.address, password]));
    const known = verified.get(key);
    if (known !== undefined && known.until > now()) {
      const account = await accounts.find(trial.account);
      if (account !== undefined && isOpen(account) && account.password === known.hash) {
        // A client of HTTP Basic signs in with each request: one line for the first of them is enough.
        if (by === 'form') record('succeeded', account.name);
        return account;
      }
    }
    // A client that sends many requests at a time is asked for its password once.
    const running =
      underWay.get(key) ?? tryPassword(trial, password, key, record).finally(() => underWay.delete(key));
    underWay.set(key, running);
    return running;
  };
}

/** Credentials that were right, the latest. */
const REMEMBERED = 1000;
const REMEMBERED_MS = 5 * 60_000;

/** Of bounded length, whatever was sent: a key, and what accounts are found by. */
function boundedName(written: string): string {
  const name = foldName(written);
  return name.length > MAX_FOLDED_LENGTH ? '' : name;
}

/** Lower case takes more characters for some letters. */
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
    `Signing in has failed too often. Try again in ${inWords(Math.max(1, Math.ceil(seconds)))}.`,
    seconds,
  );
}

function inWords(seconds: number): string {
  if (seconds === 1) return 'a second';
  return seconds < 120 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
}

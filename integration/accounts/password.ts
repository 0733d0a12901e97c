import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { ServiceUnavailableError } from '../util/errors.ts';
import { createFairLimiter, type TaskOptions } from '../util/fair-limiter.ts';
import { AccountInputError, foldName } from './account.ts';

/** Characters that a new password has at least. */
export const MIN_PASSWORD_LENGTH = 8;
/** Bytes that a password has at most, in UTF-8. */
export const MAX_PASSWORD_BYTES = 256;

/**
 * scrypt, since Node has it and needs no package that is compiled at install, with the parameters of OWASP's password
 * storage cheat sheet: N = 2^17, r = 8, p = 1, which take 128 MiB and about a third of a second.
 */
export const DEFAULT_COST: PasswordCost = { ln: 17, r: 8, p: 1 };

export interface PasswordCost {
  /** Binary logarithm of N. */
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}

export interface PasswordHasherDeps {
  readonly cost?: PasswordCost;
  /** How many are hashed at a time, for each takes much memory. */
  readonly atOnce?: number;
  /** How many more may wait for their turn. Waiting takes little memory. */
  readonly waiting?: number;
}

/** Both `hash` and `verify` throw ServiceUnavailableError if too many others wait already. `options` say who waits. */
export interface PasswordHasher {
  /** A PHC string. The password is taken in Unicode's form NFC, as every keyboard's letters come to the same there. */
  hash(password: string, options?: TaskOptions): Promise<string>;
  /** False for a password longer than any that could have been set. Throws an Error for a hash that is none of ours. */
  verify(password: string, hash: string, options?: TaskOptions): Promise<boolean>;
  /** Whether a hash was less work than today's are. */
  isOutdated(hash: string): boolean;
  /**
   * A hash that no password fits. Verifying it is the same work as for an account with the given hash, so that time
   * does not tell whether there is an account.
   */
  decoy(like: string | undefined): string;
}

export function createPasswordHasher({
  cost = DEFAULT_COST,
  atOnce = 2,
  waiting = 128,
}: PasswordHasherDeps = {}): PasswordHasher {
  const inTurn = createFairLimiter(
    atOnce,
    waiting,
    () =>
      new ServiceUnavailableError(
        'Too many sign-ins are under way. Try again in a few seconds.',
        BUSY_SECONDS,
      ),
  );
  return {
    async hash(password, options) {
      const salt = randomBytes(SALT_BYTES);
      return writePhc(cost, salt, await inTurn(() => derive(password, salt, cost, HASH_BYTES), options));
    },
    async verify(password, hash, options) {
      const { cost: paid, salt, digest } = readPhc(hash);
      if (Buffer.byteLength(password.normalize('NFC')) > MAX_PASSWORD_BYTES) return false;
      const derived = await inTurn(() => derive(password, salt, paid, digest.length), options);
      return timingSafeEqual(derived, digest);
    },
    isOutdated(hash) {
      return work(readPhc(hash).cost) < work(cost);
    },
    decoy(like) {
      const paid = like === undefined ? cost : readPhc(like).cost;
      return writePhc(paid, randomBytes(SALT_BYTES), randomBytes(HASH_BYTES));
    },
  };
}

/** Whether a password may be set for the account of a name. Throws AccountInputError. */
export function checkPassword(password: string, name: string): void {
  const normal = password.normalize('NFC');
  const fault =
    [...normal].length < MIN_PASSWORD_LENGTH
      ? `needs ${MIN_PASSWORD_LENGTH} characters at least. A few words that nobody would put together are good`
      : Buffer.byteLength(normal) > MAX_PASSWORD_BYTES
        ? `may have ${MAX_PASSWORD_BYTES} bytes at most`
        : foldName(password) === foldName(name)
          ? 'must not be the name of the account'
          : /\p{Cc}/u.test(password)
            ? 'must not have control characters, which cannot be typed everywhere'
            : normal.includes('\uFFFD')
              ? 'must be text in UTF-8: a part of it cannot be read'
              : undefined;
  if (fault !== undefined) throw new AccountInputError('password', `The password ${fault}.`);
}

const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** Beyond it a hash in the accounts file would take more memory than any of ours. */
const MAX_BYTES = 256 * 1024 * 1024;

function derive(password: string, salt: Buffer, { ln, r, p }: PasswordCost, length: number): Promise<Buffer> {
  const N = 2 ** ln;
  // The exact need, and some room for what the implementation adds to it.
  const maxmem = 128 * r * (N + p) + 1024 * 1024;
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFC'), salt, length, { N, r, p, maxmem }, (error, key) => {
      if (error === null) resolve(key);
      else reject(error);
    });
  });
}

function work({ ln, r, p }: PasswordCost): number {
  return 2 ** ln * r * p;
}

function writePhc({ ln, r, p }: PasswordCost, salt: Buffer, digest: Buffer): string {
  return `$scrypt$ln=${ln},r=${r},p=${p}$${unpadded(salt)}$${unpadded(digest)}`;
}

function readPhc(hash: string): {
  readonly cost: PasswordCost;
  readonly salt: Buffer;
  readonly digest: Buffer;
} {
  const match = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(hash);
  const [ln = 0, r = 0, p = 0] = match?.slice(1, 4).map(Number) ?? [];
  const [salt = '', digest = ''] = match?.slice(4) ?? [];
  if (ln < 1 || r < 1 || p < 1 || p > 16 || 128 * r * 2 ** ln > MAX_BYTES) {
    throw new Error(
      'A password hash of the accounts file has parameters that are not used here. Set the password anew.',
    );
  }
  return { cost: { ln, r, p }, salt: Buffer.from(salt, 'base64'), digest: Buffer.from(digest, 'base64') };
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}

const BUSY_SECONDS = 5;

import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { ServiceUnavailableError } from '../../core/util/errors.ts';
import { createFairLimiter, type TaskOptions } from '../../core/util/fair-limiter.ts';
import { AccountInputError, foldName } from './account.ts';

/** Characters. */
export const MIN_PASSWORD_LENGTH = 8;
/** Bytes in UTF-8. */
export const MAX_PASSWORD_BYTES = 256;

/**
 * scrypt is part of Node, so no package has to be compiled at install. The parameters are those of OWASP's password
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
  /** Concurrent hashes; each takes much memory. */
  readonly atOnce?: number;
  /** Waiting hashes; they take little memory. */
  readonly waiting?: number;
}

/** Both `hash` and `verify` throw ServiceUnavailableError if too many others are waiting. */
export interface PasswordHasher {
  /** Returns a PHC string. The password is normalized to NFC, so that all keyboards produce the same bytes. */
  hash(password: string, options?: TaskOptions): Promise<string>;
  /** Throws an Error for an unsupported hash. */
  verify(password: string, hash: string, options?: TaskOptions): Promise<boolean>;
  /** True if a hash took less work than new ones do. */
  isOutdated(hash: string): boolean;
  /**
   * A hash that no password matches, with the parameters of the given hash. Verifying it takes the same time, so the
   * response time does not reveal if an account exists.
   */
  decoy(like: string | undefined): string;
}

export function createPasswordHasher({
  cost = DEFAULT_COST,
  atOnce = 2,
  waiting = 128,
}: PasswordHasherDeps = {}): PasswordHasher {
  const limited = createFairLimiter(
    atOnce,
    waiting,
    () =>
      new ServiceUnavailableError(
        'Too many sign-ins are in progress. Try again in a few seconds.',
        BUSY_SECONDS,
      ),
  );
  return {
    async hash(password, options) {
      const salt = randomBytes(SALT_BYTES);
      return writePhc(cost, salt, await limited(() => derive(password, salt, cost, HASH_BYTES), options));
    },
    async verify(password, hash, options) {
      const { cost: paid, salt, digest } = readPhc(hash);
      if (Buffer.byteLength(password.normalize('NFC')) > MAX_PASSWORD_BYTES) return false;
      const derived = await limited(() => derive(password, salt, paid, digest.length), options);
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

/** Throws AccountInputError if the password cannot be set for the account. */
export function checkPassword(password: string, name: string): void {
  const normal = password.normalize('NFC');
  const fault =
    [...normal].length < MIN_PASSWORD_LENGTH
      ? `needs at least ${MIN_PASSWORD_LENGTH} characters. A few unrelated words are a good choice`
      : Buffer.byteLength(normal) > MAX_PASSWORD_BYTES
        ? `can have at most ${MAX_PASSWORD_BYTES} bytes`
        : foldName(password) === foldName(name)
          ? 'must not be the name of the account'
          : /\p{Cc}/u.test(password)
            ? 'must not contain control characters'
            : normal.includes('\uFFFD')
              ? 'must be valid UTF-8'
              : undefined;
  if (fault !== undefined) throw new AccountInputError('password', `The password ${fault}.`);
}

const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** The memory limit for a hash in the accounts file. */
const MAX_BYTES = 256 * 1024 * 1024;

function derive(password: string, salt: Buffer, { ln, r, p }: PasswordCost, length: number): Promise<Buffer> {
  const N = 2 ** ln;
  // The exact need, and a margin for the implementation.
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
    throw new Error('A password hash in the accounts file has unsupported parameters. Set a new password.');
  }
  return { cost: { ln, r, p }, salt: Buffer.from(salt, 'base64'), digest: Buffer.from(digest, 'base64') };
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}

const BUSY_SECONDS = 5;

import { createHash } from 'node:crypto';
import type { ExpiringValue, SharedState } from '../../core/runtime/shared-state.ts';
import type { Allowance } from '../../core/util/allowances.ts';
import { networkOf } from './address.ts';

/** Failed sign-ins of one account from one address: 10 at once, then one per minute. */
const PAIR: Allowance = { burst: 10, seconds: 60 };
/** Failed sign-ins from one address: 50 at once, then one per 30 seconds. */
const ADDRESS: Allowance = { burst: 50, seconds: 30 };
/** Failed sign-ins of one account: 100 at once, then one per 36 seconds. Then unknown addresses take turns. */
const ACCOUNT: Allowance = { burst: 100, seconds: 36 };
/** Seconds between two turns. */
const TURN_SECONDS = 5;
/** The maximum delay in seconds; requests with a later turn are refused. */
const LONGEST_DELAY_SECONDS = 15;
/** Seconds for which an address is known after a successful sign-in. */
const KNOWN_SECONDS = 30 * 24 * 3600;

/** Keys of a sign-in, of bounded length: the folded name, and the `addressKey`. */
export interface SignInTrial {
  readonly account: string;
  readonly address: string;
}

export type Admission =
  | { readonly kind: 'refused'; readonly seconds: number }
  | {
      readonly kind: 'admitted';
      readonly delayMs: number;
      /** True if the account has signed in from this network before. */
      readonly isFromKnownNetwork: boolean;
      settle(outcome: TrialOutcome): Promise<void>;
    };

/** `void` means that the password could not be checked; it does not count. */
export type TrialOutcome = 'succeeded' | 'failed' | 'void';

/**
 * Slows down password guessing. Only failures count, also for names without an account.
 *
 * - Each pair of account and address has a limit, so an attacker locks out only users at the same address. A success
 *   resets it.
 * - Each address has a limit over all accounts, against one password tried on many names. A success does not reset it:
 *   otherwise an attacker with an account could guess freely.
 * - An account that fails from very many addresses is not locked: sign-ins from addresses from which it has signed in before
 *   continue as usual. Other addresses take turns, one every five seconds.
 *
 * An admitted sign-in counts as failed until it is settled, so concurrent attempts count too. Servers that share their state
 * count together. The store has digests of names and addresses, because people type passwords into the field for the name.
 */
export interface SignInThrottle {
  /** Seconds until the next attempt is allowed; undefined if it is now. Does not count as an attempt. */
  refusal(trial: SignInTrial): Promise<number | undefined>;
  admit(trial: SignInTrial): Promise<Admission>;
}

/** `now`: milliseconds. */
export function createSignInThrottle(shared: SharedState, now: () => number): SignInThrottle {
  function keysOf({ account, address }: SignInTrial) {
    const pair = `${account}\n${address}`;
    return {
      limits: [key('pair', pair), key('address', address), key('account', account)] as const,
      turn: key('turn', account),
      known: key('known', pair),
      network: key('network', `${account}\n${networkOf(address)}`),
    };
  }

  /** Seconds until the pair and the address may try again; undefined if they may now. */
  function refusalIn([pair, address]: readonly (string | undefined)[]): number | undefined {
    const longest = Math.max(waitOf(PAIR, pair, now()), waitOf(ADDRESS, address, now()));
    return longest > 0 ? longest : undefined;
  }

  /** 0 for a turn that is too far in the future, because the clock was set back. */
  function delayUntil(turn: number): number {
    const delayMs = Math.max(0, turn - now());
    return delayMs > (LONGEST_DELAY_SECONDS + TURN_SECONDS) * 1000 ? 0 : delayMs;
  }

  return {
    async refusal(trial) {
      const [pair, address] = keysOf(trial).limits;
      return refusalIn([(await shared.read(pair))?.text, (await shared.read(address))?.text]);
    },
    admit(trial) {
      const { limits, turn, known, network } = keysOf(trial);
      const keys = [...limits, turn, known, network];
      return shared.change<Admission>(keys, (values) => {
        const [pair, address, account, turnAt, isKnown, isFromNetwork] = values;
        const seconds = refusalIn(values);
        if (seconds !== undefined) return { result: { kind: 'refused', seconds } };
        const takesTurns = isKnown === undefined && waitOf(ACCOUNT, account, now()) > 0;
        const delayMs = takesTurns ? delayUntil(Number(turnAt ?? 0)) : 0;
        if (delayMs > LONGEST_DELAY_SECONDS * 1000) {
          return { result: { kind: 'refused', seconds: delayMs / 1000 - LONGEST_DELAY_SECONDS } };
        }
        const nextTurn = now() + delayMs + TURN_SECONDS * 1000;
        return {
          values: [
            charged(PAIR, pair, now()),
            charged(ADDRESS, address, now()),
            charged(ACCOUNT, account, now()),
            takesTurns ? { text: String(nextTurn), seconds: (nextTurn - now()) / 1000 } : stays(turnAt),
            isKnown === undefined ? undefined : KNOWN,
            isFromNetwork === undefined ? undefined : KNOWN,
          ],
          result: {
            kind: 'admitted',
            delayMs,
            isFromKnownNetwork: isFromNetwork !== undefined,
            settle: (outcome) => settle(trial, outcome),
          },
        };
      });
    },
  };

  async function settle(trial: SignInTrial, outcome: TrialOutcome): Promise<void> {
    if (outcome === 'failed') return;
    const { limits, known, network } = keysOf(trial);
    await shared.change([...limits, known, network], ([pair, address, account, isKnown, isFromNetwork]) => {
      const isOpen = outcome === 'succeeded';
      const familiar = (present: string | undefined) => (isOpen || present !== undefined ? KNOWN : undefined);
      return {
        values: [
          isOpen ? undefined : refunded(PAIR, pair, now()),
          refunded(ADDRESS, address, now()),
          refunded(ACCOUNT, account, now()),
          familiar(isKnown),
          familiar(isFromNetwork),
        ],
        result: undefined,
      };
    });
  }
}

/** Counts one more under a key. Returns the seconds until that is allowed; 0 if it is now. */
export function takeAllowance(
  shared: SharedState,
  name: string,
  allowance: Allowance,
  now: number,
): Promise<number> {
  return shared.change([key('limit', name)], ([paidAt]) => {
    const seconds = waitOf(allowance, paidAt, now);
    return seconds > 0 ? { result: seconds } : { values: [charged(allowance, paidAt, now)], result: 0 };
  });
}

const KNOWN: ExpiringValue = { text: '1', seconds: KNOWN_SECONDS };

function key(kind: string, of: string): string {
  return `sign-in/${kind}/${createHash('sha256').update(of).digest('base64url')}`;
}

// As in `core/util/allowances.ts`: a value is the time at which the whole allowance is available again.
function debtOf({ burst, seconds }: Allowance, paidAt: string | undefined, now: number): number {
  return Math.min(burst * seconds * 1000, Math.max(0, Number(paidAt ?? 0) - now));
}

/** Seconds until one more is allowed. */
function waitOf(allowance: Allowance, paidAt: string | undefined, now: number): number {
  const { burst, seconds } = allowance;
  const ms = debtOf(allowance, paidAt, now) + seconds * 1000 * (1 - burst);
  return ms < 1 ? 0 : ms / 1000;
}

function charged(allowance: Allowance, paidAt: string | undefined, now: number): ExpiringValue | undefined {
  const { burst, seconds } = allowance;
  return owed(Math.min(burst * seconds * 1000, debtOf(allowance, paidAt, now) + seconds * 1000), now);
}

function refunded(allowance: Allowance, paidAt: string | undefined, now: number): ExpiringValue | undefined {
  return owed(debtOf(allowance, paidAt, now) - allowance.seconds * 1000, now);
}

function owed(debt: number, now: number): ExpiringValue | undefined {
  return debt <= 0 ? undefined : { text: String(now + debt), seconds: debt / 1000 };
}

function stays(turnAt: string | undefined): ExpiringValue | undefined {
  return turnAt === undefined ? undefined : { text: turnAt, seconds: LONGEST_DELAY_SECONDS + TURN_SECONDS };
}

import { LRUCache } from 'lru-cache';
import { type Allowance, createAllowances } from '../util/allowances.ts';
import { networkOf } from './address.ts';

/** Failures of one account from one address: 10 at once, then one a minute. */
const PAIR: Allowance = { burst: 10, seconds: 60 };
/** Failures from one address, whatever the account: 50 at once, then one in half a minute. */
const ADDRESS: Allowance = { burst: 50, seconds: 30 };
/** Failures of one account, from wherever: 100 at once, then one in 36 seconds. Beyond it strangers take turns. */
const ACCOUNT: Allowance = { burst: 100, seconds: 36 };
/** Seconds from one turn to the next. */
const TURN_SECONDS = 5;
/** Seconds for which a request is held until its turn comes; beyond it is refused. */
const LONGEST_DELAY_SECONDS = 15;
/** Of each kind so many are remembered, the latest. */
const REMEMBERED = 10_000;

/** Who tries to sign in: keys of bounded length, `account` folded, `address` as `addressKey` makes it. */
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
      settle(outcome: TrialOutcome): void;
    };

/** `void`: it could not be found out, and does not count. */
export type TrialOutcome = 'succeeded' | 'failed' | 'void';

/**
 * Slows the guessing of passwords down. Only failures count; names without an account count as others do.
 *
 * - An account is limited for each address by itself, so that whoever guesses locks nobody out but those at their own
 *   address. A success forgets that account's failures there.
 * - An address is limited over all accounts, against one password tried on many names. A success there takes nothing
 *   back, else an account of one's own would make guessing free.
 * - An account that fails from very many addresses is not locked either: sign-ins from addresses where it has signed in
 *   before continue as usual. All others take turns, one in five seconds: each waits a little, or gets the time to retry.
 *
 * What is admitted counts as failed until it is settled, so that trials at the same time are counted too. Memory is
 * bounded; who would push an entry out has to fail ten thousand times, which hashing alone makes an hour.
 */
export interface SignInThrottle {
  /** Seconds after which it makes sense to try; undefined: now. Counts nothing. */
  refusal(trial: SignInTrial): number | undefined;
  admit(trial: SignInTrial): Admission;
}

/** `now`: milliseconds. */
export function createSignInThrottle(now: () => number): SignInThrottle {
  const pairs = createAllowances(PAIR, now);
  const addresses = createAllowances(ADDRESS, now);
  const accounts = createAllowances(ACCOUNT, now);
  const turns = new LRUCache<string, number>({ max: REMEMBERED });
  const known = new LRUCache<string, true>({ max: REMEMBERED });
  const knownNetworks = new LRUCache<string, true>({ max: REMEMBERED });

  function refusal({ account, address }: SignInTrial): number | undefined {
    const waits = [pairs.wait(pairKey(account, address)), addresses.wait(address)];
    const longest = Math.max(...waits);
    return longest > 0 ? longest : undefined;
  }

  /** None for a turn further off than any is given: the clock was set back. */
  function delayUntil(turn: number): number {
    const delayMs = Math.max(0, turn - now());
    return delayMs > (LONGEST_DELAY_SECONDS + TURN_SECONDS) * 1000 ? 0 : delayMs;
  }

  return {
    refusal,
    admit(trial) {
      const { account, address } = trial;
      const pair = pairKey(account, address);
      const home = pairKey(account, networkOf(address));
      const seconds = refusal(trial);
      if (seconds !== undefined) return { kind: 'refused', seconds };
      const takesTurns = known.get(pair) === undefined && accounts.wait(account) > 0;
      const delayMs = takesTurns ? delayUntil(turns.get(account) ?? 0) : 0;
      if (delayMs > LONGEST_DELAY_SECONDS * 1000) {
        return { kind: 'refused', seconds: delayMs / 1000 - LONGEST_DELAY_SECONDS };
      }
      if (takesTurns) turns.set(account, now() + delayMs + TURN_SECONDS * 1000);
      pairs.charge(pair);
      addresses.charge(address);
      accounts.charge(account);
      return {
        kind: 'admitted',
        delayMs,
        isFromKnownNetwork: knownNetworks.get(home) !== undefined,
        settle(outcome) {
          if (outcome === 'failed') return;
          addresses.refund(address);
          accounts.refund(account);
          if (outcome === 'void') pairs.refund(pair);
          else {
            pairs.forget(pair);
            known.set(pair, true);
            knownNetworks.set(home, true);
          }
        },
      };
    },
  };
}

/** Neither part can hold the sign between them. */
function pairKey(account: string, address: string): string {
  return `${account}\n${address}`;
}

import { type Allowance, createAllowances } from '../../core/util/allowances.ts';
import { LruMap } from '../../core/util/lru-map.ts';
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
/** Entries per map. */
const MAX_ENTRIES = 10_000;

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
      settle(outcome: TrialOutcome): void;
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
 * An admitted sign-in counts as failed until it is settled, so concurrent attempts count too. Memory is bounded; to evict
 * an entry takes ten thousand failures, which is an hour of hashing.
 */
export interface SignInThrottle {
  /** Seconds until the next attempt is allowed; undefined if it is now. Does not count as an attempt. */
  refusal(trial: SignInTrial): number | undefined;
  admit(trial: SignInTrial): Admission;
}

/** `now`: milliseconds. */
export function createSignInThrottle(now: () => number): SignInThrottle {
  const pairs = createAllowances(PAIR, now);
  const addresses = createAllowances(ADDRESS, now);
  const accounts = createAllowances(ACCOUNT, now);
  const turns = new LruMap<string, number>(MAX_ENTRIES);
  const knownAddresses = new LruMap<string, true>(MAX_ENTRIES);
  const knownNetworks = new LruMap<string, true>(MAX_ENTRIES);

  function refusal({ account, address }: SignInTrial): number | undefined {
    const waits = [pairs.wait(pairKey(account, address)), addresses.wait(address)];
    const longest = Math.max(...waits);
    return longest > 0 ? longest : undefined;
  }

  /** 0 for a turn that is too far in the future, because the clock was set back. */
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
      const takesTurns = knownAddresses.get(pair) === undefined && accounts.wait(account) > 0;
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
            knownAddresses.set(pair, true);
            knownNetworks.set(home, true);
          }
        },
      };
    },
  };
}

/** Neither part contains a line feed. */
function pairKey(account: string, address: string): string {
  return `${account}\n${address}`;
}

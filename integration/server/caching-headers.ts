import type { Actor } from '../access/actor.ts';
import type { Services } from '../api/services.ts';

/**
 * What caches may do with an answer: for anonymous it may be kept for as long as option `maxAge` says, but not beyond
 * the next scheduled change; everybody else's is theirs alone. Without a time it is asked about each time, by its
 * `ETag`. Source: RFC 9111, section 5.2.2.
 */
export function cachingHeaders(
  { settings, clock }: Services,
  actor: Actor,
): Readonly<Record<string, string>> {
  return {
    'cache-control': actor.name === null ? shared(settings.maxAge, clock) : 'private, no-cache',
    vary: settings.signIn === true ? 'Accept, Authorization, Cookie' : 'Accept',
  };
}

function shared(maxAge: number, clock: Services['clock']): string {
  const seconds = Math.min(maxAge, Math.floor((clock.nextScheduledChange() - clock.now()) / 1000));
  return seconds > 0 ? `public, max-age=${seconds}` : 'no-cache';
}

import type { Actor } from '../access/actor.ts';
import type { Services } from '../api/request.ts';
import type { SerializedBody } from '../read/compose.ts';

/**
 * Responses to anonymous visitors may be cached for as long as option `cache.maxAge` says, but not beyond the next scheduled
 * change. All others are private. Without a lifetime, caches revalidate by `ETag`. Source: RFC 9111, section 5.2.2.
 */
export function cachingHeaders(
  { settings, clock }: Pick<Services, 'settings' | 'clock'>,
  actor: Actor,
  written: Pick<SerializedBody, 'language'> | null,
): Readonly<Record<string, string>> {
  const language = written?.language;
  return {
    'cache-control': actor.name === null ? sharedCaching(settings.maxAge, clock) : 'private, no-cache',
    vary: settings.signIn === true || settings.admin === true ? 'Accept, Authorization, Cookie' : 'Accept',
    ...(language !== undefined && { 'content-language': language }),
  };
}

function sharedCaching(maxAge: number, clock: Services['clock']): string {
  const seconds = Math.min(maxAge, Math.floor((clock.nextScheduledChange() - clock.now()) / 1000));
  return seconds > 0 ? `public, max-age=${seconds}` : 'no-cache';
}

import { runtime } from 'astro-jsonapi:runtime';
import type { MiddlewareHandler } from 'astro';

/** The middleware of sites with a provider for Astro's route cache. Astro makes the cache known to requests only. */
export const onRequest: MiddlewareHandler = async ({ cache, isPrerendered }, next) => {
  // Dev servers cache no pages, and the internal requests for MDX have no cache.
  if (!isPrerendered && cache?.enabled) {
    await runtime().then(
      ({ useRouteCache }) => useRouteCache(cache),
      () => undefined,
    );
  }
  return next();
};

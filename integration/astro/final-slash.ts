import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { createRouteMatcher } from '../core/api/match-route.ts';
import type { Route, RoutedSite } from '../core/api/routes.ts';

type SlashedSite = RoutedSite & { readonly trailingSlash: 'always' | 'never' | 'ignore' };

/**
 * Returns a function that gives the address of an API request the form that `trailingSlash` asks for. Astro's dev server and
 * its Node adapter would otherwise answer 404 or 301 before the request reaches the API, whatever its method.
 */
export function slashCorrector(
  routes: readonly Route[],
  site: SlashedSite,
): (request: Pick<IncomingMessage, 'url'>) => void {
  const { trailingSlash } = site;
  if (trailingSlash === 'ignore') return () => undefined;
  const match = createRouteMatcher(routes, site);
  return (request) => {
    const { url = '' } = request;
    const [path = ''] = url.split('?', 1);
    const isRight = trailingSlash === 'always' ? /(?:\/|\.\w+)$/.test(path) : !path.endsWith('/');
    const target = isRight || !path.startsWith('/') ? undefined : match(`http://localhost${path}`);
    if (target === undefined || SHARED_PAGE.test(target.route.name + target.rest)) return;
    const corrected = trailingSlash === 'always' ? `${path}/` : path.replace(/(?<!\/)\/+$/, '');
    request.url = corrected + url.slice(path.length);
  };
}

/** A page of the site, which has one form: relative addresses in it depend on the slash. */
const SHARED_PAGE = /^shared-page\/+[^/]+\/./;

/** Does so for the HTTP servers of this process. */
export function correctSlashes(routes: readonly Route[], site: SlashedSite): void {
  if (site.trailingSlash !== 'always') return;
  const correct = slashCorrector(routes, site);
  subscribe('http.server.request.start', (message) => {
    correct((message as { readonly request: IncomingMessage }).request);
  });
}

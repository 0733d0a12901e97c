/**
 * The path, query and fragment of an address below the site's base, to redirect to after signing in. Undefined for all other
 * strings, including those that browsers read as another host.
 */
export function safeDestination(destination: string | null, base: string): string | undefined {
  if (destination === null || destination === '' || !URL.canParse(destination, `${ORIGIN}${base}/`))
    return undefined;
  const { origin, username, pathname, search, hash } = new URL(destination, `${ORIGIN}${base}/`);
  if (origin !== ORIGIN || username !== '' || pathname.startsWith('//')) return undefined;
  return pathname === base || pathname.startsWith(`${base}/`) ? pathname + search + hash : undefined;
}

/** Not a real host. An address at this origin keeps its path only. */
const ORIGIN = 'http://site.invalid';

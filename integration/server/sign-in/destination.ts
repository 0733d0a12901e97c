/**
 * Where to go after signing in: the path, query and fragment of an address within the site, below its base; undefined
 * for every other text. What a browser takes for another host is judged as the browser reads it.
 */
export function safeDestination(written: string | null, base: string): string | undefined {
  if (written === null || written === '' || !URL.canParse(written, `${ORIGIN}${base}/`)) return undefined;
  const { origin, username, pathname, search, hash } = new URL(written, `${ORIGIN}${base}/`);
  if (origin !== ORIGIN || username !== '' || pathname.startsWith('//')) return undefined;
  return pathname === base || pathname.startsWith(`${base}/`) ? pathname + search + hash : undefined;
}

/** Nobody's: a text that names it gets no further than the path it has. */
const ORIGIN = 'http://site.invalid';

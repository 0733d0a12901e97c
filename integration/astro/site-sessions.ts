import type { AstroConfig } from 'astro';

/** Seconds after which a session ends if the site does not say otherwise: 14 days. */
export const SESSION_SECONDS = 14 * 24 * 3600;
/** Source: Astro, `session.cookie`. */
const DEFAULT_COOKIE = 'astro-session';

type SessionConfig = Exclude<AstroConfig['session'], false | undefined>;

interface CookieSettings {
  readonly name?: string | undefined;
  readonly secure?: boolean | undefined;
  readonly domain?: string | undefined;
  readonly path?: string | undefined;
}

/** The name of the cookie that sessions have; null if the site has no sessions. */
export function sessionCookie({ session }: Pick<AstroConfig, 'session'>): string | null {
  if (session === undefined || session === false || session.driver === undefined) return null;
  return cookieSettings(session).name || DEFAULT_COOKIE;
}

/**
 * The settings that the integration adds to `session` of Astro's config; undefined if the site has no sessions. The site's own
 * settings stay. `driverFile` is the entry point of the driver for files.
 *
 * - Sessions end after `SESSION_SECONDS`.
 * - Sessions in files (Astro's driver `fs-lite`, the default of @astrojs/node) are stored by our driver.
 * - In a built server the name of the cookie begins with `__Host-`, so that no other host can set it. A browser takes such
 *   a cookie only with `Secure`, `Path=/` and without `Domain`. `astro dev` sends no `Secure`.
 */
export function sessionDefaults(
  { session }: Pick<AstroConfig, 'session'>,
  command: string,
  driverFile: URL,
): Partial<SessionConfig> | undefined {
  if (session === undefined || session === false || session.driver === undefined) return undefined;
  const ttl = session.ttl ?? SESSION_SECONDS;
  const base = folderOf(session);
  return {
    ttl,
    ...(base !== undefined && { driver: { entrypoint: driverFile, config: { base, ttl } } }),
    ...(command !== 'dev' && mayBindToHost(session) && { cookie: { name: `__Host-${DEFAULT_COOKIE}` } }),
  };
}

function cookieSettings({ cookie }: SessionConfig): CookieSettings {
  return typeof cookie === 'object' ? cookie : { name: cookie };
}

function mayBindToHost(session: SessionConfig): boolean {
  const { name, secure = true, domain, path = '/' } = cookieSettings(session);
  return !name && secure && domain === undefined && path === '/';
}

/** The folder of sessions in files; undefined for every other driver. Source: Astro 7, `normalizeSessionDriverConfig`. */
function folderOf({ driver, options }: SessionConfig): string | undefined {
  const { entrypoint, config } =
    typeof driver === 'object' ? driver : { entrypoint: driver ?? '', config: options };
  if (!FILES.test(String(entrypoint))) return undefined;
  const base: unknown = config?.base;
  return typeof base === 'string' ? base : '.astro/session';
}

const FILES = /^(?:fs|fs-lite|fsLite)$|(?:^|\/)unstorage\/drivers\/fs-lite(?:\.mjs)?$/;

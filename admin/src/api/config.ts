/** The configuration that the server writes into the page. */
interface PageConfig {
  /** Astro's `base` without a trailing slash. */
  readonly base: string;
  /** Option `api.prefix`. */
  readonly prefix?: string;
  /** Only in the explorer's page: see `integration/features/admin/admin-page.ts`. */
  readonly mode?: 'server' | 'snapshot' | 'files';
  /** Only in the admin: allows style elements under the page's content security policy. */
  readonly nonce?: string;
  /** Only in the admin: true if deleted entries go to the bin. */
  readonly bin?: boolean;
  /** Only in the admin: true if changed addresses leave redirects. */
  readonly redirects?: boolean;
  /** Only in the admin: true if the published site is another one, which is built. */
  readonly deploy?: boolean;
  /** Only in the admin of a built server: the pages of the site, the first match first, and whether a build renders them. */
  readonly pages?: readonly (readonly [pattern: string, isBuilt: boolean])[];
  /** Only in the admin: the name and the logo of the site. */
  readonly brand?: Brand;
  /** Only in the admin: modules of custom elements, by the name of the element. */
  readonly widgets?: Readonly<Record<string, string>>;
  /** Only in the admin: bundles with exactly one entry, such as `settings`. */
  readonly single?: readonly string[];
}

/** Option `editing.brand`. */
export interface Brand {
  readonly name: string;
  /** Paths below `base`. */
  readonly logo?: { readonly light: string; readonly dark: string };
}

const element = document.getElementById('config');
const config: PageConfig = JSON.parse(element?.textContent ?? '{}');

export const BASE = config.base;
export const HAS_BIN = config.bin === true;
export const HAS_REDIRECTS = config.redirects === true;
export const HAS_DEPLOY = config.deploy === true;
export const PAGES = config.pages;
const SINGLE = config.single ?? [];
export const BRAND = config.brand;
export const WIDGETS = config.widgets ?? {};
export const NONCE = config.nonce ?? '';
/** The path that precedes those of the API: the base, and option `api.prefix`. */
export const API_BASE = BASE + (config.prefix ?? '');
/** Path of the API, such as `/docs/jsonapi`. */
export const API = `${API_BASE}/jsonapi`;
/** The account of the session. */
export const ACCOUNT_URL = `${API}/_me`;
/** The bundles, fields and languages of the site. */
export const SCHEMA_URL = `${API_BASE}/jsonapi-explorer/schema.json`;
export const IS_STATIC = config.mode === 'snapshot' || config.mode === 'files';
/** True on a static site whose pages cannot answer queries. */
export const FILES_ONLY = config.mode === 'files';

/** The URL of an API path such as `/node/article?sort=title`; `/` is the entry point. */
export function urlOf(path: string): string {
  if (path !== '/') return API + path;
  return FILES_ONLY ? `${API}/index.json` : API;
}

/** True for a bundle with exactly one entry. Its form takes the place of a list. */
export function isSingle({ name, bundle }: { readonly name: string; readonly bundle: string }): boolean {
  return SINGLE.includes(name) || (name === `node--${bundle}` && SINGLE.includes(bundle));
}

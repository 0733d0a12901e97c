import type { Limits } from '../engine/limits.ts';
import type { PageSize } from '../engine/parse/parse-query.ts';

/** What the API surfaces need to know of the options and of the site. */
export interface ApiSettings {
  /** Astro's `base`: starts with a slash, ends without one (`''` for the root). */
  readonly base: string;
  readonly trailingSlash: 'always' | 'never' | 'ignore';
  readonly pageSize: PageSize;
  /** What one request may ask for. */
  readonly limits: Limits;
  /** Plural of a bundle name where the English rule is not wanted. */
  readonly plurals: Readonly<Record<string, string>>;
  /** Queries to prebuild: `/node/article?filter…` by name. */
  readonly staticQueries: Readonly<Record<string, string>>;
  /** Seconds that an answer to anonymous may be kept without asking again; 0 for none. */
  readonly maxAge: number;
  /** Whether answers tell how long their parts took. */
  readonly serverTiming: boolean;
  /** Whether the query explorer and its endpoints are on. */
  readonly explorer: boolean;
  /** Path of the health route below `base`, such as `/healthz`; false for none. */
  readonly health: string | false;
  /** Whether somebody may be signed in. */
  readonly signIn?: boolean;
  /** False where full-text search is off. */
  readonly fulltext?: boolean;
  /** What the site's own package calls itself; descriptions of the API say it. */
  readonly site?: SiteIdentity;
}

export interface SiteIdentity {
  readonly name: string;
  readonly version: string;
}

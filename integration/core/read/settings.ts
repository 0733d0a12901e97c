import type { Languages } from '../content/languages.ts';
import type { LayoutOptions } from '../content/layout.ts';
import type { Limits } from '../engine/limits.ts';
import type { PageSize, QueryDefaults } from '../engine/parse/parse-query.ts';

/** What of a site has addresses. */
export interface ServedSite {
  /** Astro's `base`: starts with a slash, ends without one (`''` for the root). */
  readonly base: string;
  /** Undefined if all content has one language. */
  readonly languages?: Languages | undefined;
  /** False if content has no addresses. Default: true. */
  readonly api?: boolean | undefined;
  /** Option `api.prefix`: starts with a slash, ends without one. Default: `''`. */
  readonly prefix?: string | undefined;
  /** False without what only Drupal's clients use: addresses, and `drupal_internal__target_id`. Default: true. */
  readonly drupal?: boolean | undefined;
  /** True if the query explorer and its endpoints are on. */
  readonly explorer: boolean;
  /** Path of the health route below `base`, such as `/healthz`; false for none. */
  readonly health: string | false;
  /** True on a server that people and programs can sign in to. */
  readonly signIn?: boolean | undefined;
  /** True if the admin is on: accounts can sign in, or the server is a dev server in local mode. */
  readonly admin?: boolean | undefined;
  /** True if webhooks of a git host are accepted. */
  readonly gitHook?: boolean | undefined;
}

/** The options and properties of the site that the API uses. */
export interface ApiSettings extends ServedSite {
  /** Present below the prefix of a language: the base without that prefix, which is part of `base`. */
  readonly siteBase?: string;
  /** Folders of bundles that options name. */
  readonly layout?: LayoutOptions;
  readonly trailingSlash: 'always' | 'never' | 'ignore';
  readonly pageSize: PageSize;
  /** Limits of one request. */
  readonly limits: Limits;
  /** Plurals of bundle names that differ from the English rule. */
  readonly plurals: Readonly<Record<string, string>>;
  /** Queries to prebuild: `/node/article?filter…` by name. */
  readonly staticQueries: Readonly<Record<string, string>>;
  /** Option `indexes`. */
  readonly indexes: Readonly<Record<string, SearchIndex>>;
  /** Option `imageStyles`, by name. Default: none. */
  readonly imageStyles?: Readonly<Record<string, ImageStyle>> | undefined;
  /** `max-age` of responses to anonymous users, in seconds. */
  readonly maxAge: number;
  /** True if responses have the header `Server-Timing`. */
  readonly serverTiming: boolean;
  /** Names of the resource types that have no addresses. Default: none. */
  readonly hiddenTypes?: readonly string[];
  /** Names of the fields that are not in the API, by resource type. Default: none. */
  readonly hiddenFields?: Readonly<Record<string, readonly string[]>>;
  /** What requests do not say, by resource type. Default: nothing. */
  readonly queryDefaults?: Readonly<Record<string, QueryDefaults>>;
  /** The files of a site without a server. Default: all, with bodies in collections. */
  readonly static?: StaticFiles;
  /** The cookie of sessions; null without sessions. */
  readonly sessionCookie?: string | null;
  /** The roles that accounts can have. */
  readonly roles?: readonly string[];
  /** False if full-text search is off. */
  readonly fulltext?: boolean;
  /** From the site's package.json, for descriptions of the API. */
  readonly site?: SiteIdentity;
}

/** What of a site has addresses, without its other settings. */
export function servedSite({
  base,
  languages,
  api,
  prefix,
  drupal,
  explorer,
  health,
  signIn,
  admin,
  gitHook,
}: ServedSite): ServedSite {
  return { base, languages, api, prefix, drupal, explorer, health, signIn, admin, gitHook };
}

/** How images are resized. A feature has the rest. */
export interface ImageStyle {
  /** From 1 to 100. */
  readonly quality?: number | undefined;
}

/** False if documents are not written as files. */
export type StaticFiles =
  | false
  | {
      /** True if collections of JSON:API contain bodies. Default: if entities have no files of their own. */
      readonly bodies?: boolean | undefined;
      /** True if there is a snapshot for queries; undefined if there is one when scripts of the site use it. */
      readonly queries?: boolean | undefined;
      /** True if there is a service worker that answers queries. */
      readonly worker?: boolean;
      /** True if there is an OpenAPI description. */
      readonly openapi?: boolean;
      /** True if all content files are there that the documents name. */
      readonly files?: boolean | undefined;
      /** True if each entity has files of its own. With bounds, a build leaves documents out to keep them. */
      readonly documents: boolean | FileBounds;
      /** False if there are documents in the default language only. */
      readonly languages?: false;
    };

/** What all documents of a static site have at most. */
export interface FileBounds {
  readonly files: number;
  readonly megabytes: number;
}

/** A search index at `/jsonapi/index/{name}`. */
export interface SearchIndex {
  readonly bundles: readonly string[];
  /** The fields that a search reads. All searchable ones by default. */
  readonly search?: readonly string[] | undefined;
  /** By path. */
  readonly facets: Readonly<Record<string, IndexFacetOptions>>;
}

export interface IndexFacetOptions {
  readonly label?: string | undefined;
  readonly limit?: number | undefined;
  readonly min?: number | undefined;
  readonly sort?: 'count' | 'value' | undefined;
  readonly operator?: 'and' | 'or' | undefined;
}

export interface SiteIdentity {
  readonly name: string;
  readonly version: string;
  readonly license?: string | undefined;
}

import type { Access } from '../access/access.ts';
import type { Entity } from '../content/model.ts';
import { CONTENT_FILES_PREFIX } from '../content/model.ts';
import { JSON_MEDIA_TYPE, JSONAPI_MEDIA_TYPE, SCHEMA_MEDIA_TYPE } from '../read/document-types.ts';
import type { ServedSite } from '../read/settings.ts';
import { compareText } from '../util/text.ts';

/**
 * A row of the route table, which has every path that the integration serves. Astro's injected routes, the request handler,
 * CORS, the static export and OpenAPI are derived from it. It is plain data, so that the module in front of Astro's pipeline
 * stays small.
 */
export interface Route {
  readonly name: string;
  /** Below Astro's `base`; matched in any letter case. */
  readonly path: string;
  /** Pattern of what follows `path`, as Astro writes patterns: `[name]` is one segment, `[...path]` any number. */
  readonly below?: string;
  /** True if letter case counts. */
  readonly exact?: true;
  /** The option that switches the route on. */
  readonly option?: 'explorer' | 'health' | 'signIn' | 'admin' | 'gitHook';
  /** The option that switches the route off: `api` all addresses of content, `drupal` those that only Drupal's clients use. */
  readonly part?: 'api' | 'drupal';
  /** True if the admin needs the route: accounts may use it if the admin is on, even without its option. */
  readonly forAdmin?: true;
  /**
   * True if the route also takes the methods in `CHANGING_METHODS` on a server that writes; `accounts` if it changes accounts,
   * which does not need writable content.
   */
  readonly writes?: true | 'accounts';
  /** If responses stay valid until the content changes: all, those for `anonymous`, or all in each accepted coding. */
  readonly cached?: true | 'anonymous' | 'coded';
  readonly errors: ErrorForm;
  readonly contentType: string;
  /** True for a second path of a route. OpenAPI describes the first one. */
  readonly alias?: true;
  /**
   * Set if a page of the site at this path replaces the route. With `below`, pages and public files below the first segment of
   * the path do so too.
   */
  readonly replaceable?: 'page' | 'below';
  /** Set if a site without a server has files for this route. `last` if errors of other files must come first. */
  readonly prebuilt?: true | 'last';
  /** True if the path of a language, `/fr`, may precede the route's path. */
  readonly localized?: true;
  /** True if option `api.prefix` moves the route. Drupal's clients know the other paths. */
  readonly prefixed?: true;
  /** The methods of the route; READING_METHODS without. HEAD and OPTIONS are added. */
  readonly methods?: readonly Method[];
}

export type Method = 'GET' | 'HEAD' | 'OPTIONS' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** How a surface writes errors. */
export type ErrorForm = 'jsonapi' | 'rest' | 'router' | 'account' | 'rpc';

/** Methods that every readable address takes. */
export const READING_METHODS: readonly Method[] = ['GET', 'HEAD', 'OPTIONS'];
export const CHANGING_METHODS: readonly Method[] = ['POST', 'PUT', 'PATCH', 'DELETE'];

export const JSONAPI_PATH = '/jsonapi';
/** Below the path of either API. No entity type or bundle has a name that starts with an underscore. */
export const JOBS_SEGMENT = '_jobs';
/** The pattern of a job's address, below the path of either API. */
export const JOB = `/${JOBS_SEGMENT}/[id]`;

/** Any number of segments, in `Route.below`. */
export const ANY_PATH = '/[...path]';
/** A page, whose errors are documents of JSON:API. */
export const PAGE = { errors: 'jsonapi', contentType: JSONAPI_MEDIA_TYPE } as const;
/** An address of JSON:API. */
export const JSONAPI = { ...PAGE, path: JSONAPI_PATH, part: 'api', prefixed: true } as const;
/** The same with plain JSON. */
export const JSON_OF_JSONAPI = { ...JSONAPI, contentType: JSON_MEDIA_TYPE } as const;
/** An address of JSON:API for accounts that change content. */
export const EDITING = { ...JSONAPI, writes: true, option: 'admin' } as const;

/** The routes that every site has. Features add theirs. */
export const CORE_ROUTES: readonly Route[] = [
  {
    ...JSONAPI,
    name: 'schema',
    localized: true,
    below: '/[entityType]/[bundle]/resource/schema',
    cached: true,
    prebuilt: true,
    contentType: SCHEMA_MEDIA_TYPE,
  },
  { ...JSONAPI, name: 'entry', localized: true, cached: 'anonymous', prebuilt: true },
  { ...JSONAPI, name: 'jsonapi-job', below: JOB },
  {
    ...JSONAPI,
    name: 'jsonapi',
    localized: true,
    below: ANY_PATH,
    cached: true,
    writes: true,
    prebuilt: true,
  },
  { ...PAGE, name: 'content-file', path: CONTENT_FILES_PREFIX, below: ANY_PATH, prebuilt: true },
  {
    errors: 'router',
    contentType: JSON_MEDIA_TYPE,
    name: 'health',
    // The option has the path.
    path: '',
    option: 'health',
    exact: true,
  },
];

/** Sorts rows so that the first one that matches a path serves it: fixed segments come before patterns, as in Astro. */
export function routeTable(rows: readonly Route[]): readonly Route[] {
  return rows.toSorted((a, b) => compareText(segmentRanks(a), segmentRanks(b)));
}

/** A character for each segment, by which routes sort. */
function segmentRanks({ path, below = '' }: Route): string {
  const segments = `${path}${below}`.split('/').slice(1);
  return segments.map((each) => (each.startsWith('[...') ? '3' : each.startsWith('[') ? '2' : '1')).join('');
}

/** A site that can have pages of its own in place of routes. */
export interface RoutedSite extends ServedSite {
  /** Paths of replaceable routes that the site has its own pages for. */
  readonly ownPages?: readonly string[];
}

/** The routes of a table that a site serves, with the path of its health route, and below its prefix. */
export function servedRoutes(table: readonly Route[], site: Omit<RoutedSite, 'base'>): readonly Route[] {
  return table.flatMap((route) => {
    if (route.part !== undefined && (site.api === false || site[route.part] === false)) return [];
    const isForAdmin = route.forAdmin === true && site.admin === true;
    const setting = route.option === undefined || isForAdmin || site[route.option];
    if (!setting) return [];
    const path = typeof setting === 'string' ? setting : route.path;
    return [{ ...route, path: route.prefixed ? (site.prefix ?? '') + path : path }];
  });
}

/** Astro's patterns for the routes of a site, also below the path of each language. */
export function routePatterns(table: readonly Route[], site: Omit<RoutedSite, 'base'>): readonly string[] {
  const routes = servedRoutes(table, site).filter(({ path }) => !site.ownPages?.includes(path));
  const localized = patternsOf(routes.filter((route) => route.localized));
  const languages = site.languages?.all ?? [];
  return [
    ...patternsOf(routes),
    ...languages.flatMap(({ path }) => localized.map((pattern) => `/${path}${pattern}`)),
  ];
}

function patternsOf(routes: readonly Route[]): readonly string[] {
  const open = routes.flatMap(({ path, below }) => (below === ANY_PATH ? [path] : []));
  const others = routes.filter(({ path }) => !open.some((prefix) => `${path}/`.startsWith(`${prefix}/`)));
  return [...open.map((path) => path + ANY_PATH), ...others.map(({ path, below = '' }) => path + below)];
}

/** True if a path belongs to a table, whichever options are on. */
export function isReservedPath(table: readonly Route[], path: string): boolean {
  return table.some((route) => route.path !== '' && `${path}/`.startsWith(`${route.path}/`));
}

/** The methods of an entity's address for an actor: without DELETE if the actor may not delete the entity. */
export function methodsFor(methods: readonly Method[], access: Access, entity: Entity): readonly Method[] {
  return access.allows('delete', entity) ? methods : methods.filter((method) => method !== 'DELETE');
}

/** Methods of a route, if the server writes. */
export function methodsOf({ methods }: Pick<Route, 'methods'>): readonly Method[] {
  if (methods === undefined) return READING_METHODS;
  const isReadable = methods.includes('GET');
  const changing = CHANGING_METHODS.filter((method) => methods.includes(method));
  return isReadable ? [...READING_METHODS, ...changing] : ['OPTIONS', ...changing];
}

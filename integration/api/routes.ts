import type { Access } from '../access/access.ts';
import type { Languages } from '../content/languages.ts';
import type { Entity } from '../content/model.ts';
import { CONTENT_FILES_PREFIX } from '../content/model.ts';
import {
  ATOMIC_MEDIA_TYPE,
  JSON_MEDIA_TYPE,
  JSONAPI_MEDIA_TYPE,
  SCHEMA_MEDIA_TYPE,
} from '../read/document-types.ts';

/**
 * THE ROUTE TABLE: every path that the integration serves. Astro's injected routes, the request handler, CORS, the static
 * export and OpenAPI are derived from it. It is plain data, so that the module in front of Astro's pipeline stays small.
 */
export interface Route {
  readonly name: RouteName;
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
  /** True if responses stay valid until the content changes; `anonymous` if only those for anonymous visitors do. */
  readonly cached?: true | 'anonymous';
  readonly errors: ErrorForm;
  readonly contentType: string;
  /** True for a second path of a route. OpenAPI describes the first one. */
  readonly alias?: true;
  /** True if a site without a server has files for this route. */
  readonly prebuilt?: true;
  /** True if the path of a language, `/fr`, may precede the route's path. */
  readonly localized?: true;
  /** True if option `api.prefix` moves the route. Drupal's clients know the other paths. */
  readonly prefixed?: true;
  /** The methods of the route; READING_METHODS without. HEAD and OPTIONS are added. */
  readonly methods?: readonly Method[];
}

export type RouteName =
  | 'schema'
  | 'openapi'
  | 'entry'
  | 'menu'
  | 'index'
  | 'view'
  | 'files'
  | 'file'
  | 'status'
  | 'conflicts'
  | 'conflict'
  | 'accounts'
  | 'account'
  | 'account-tokens'
  | 'account-token'
  | 'jsonapi-job'
  | 'operations'
  | 'mcp'
  | 'git-hook'
  | 'jsonapi'
  | 'rest-job'
  | 'rest-entry'
  | 'rest'
  | 'translate-path'
  | 'subrequests'
  | 'content-file'
  | 'explorer-schema'
  | 'explorer-explain'
  | 'explorer'
  | 'admin'
  | 'add-link'
  | 'edit-link'
  | 'me'
  | 'health'
  | 'login'
  | 'logout'
  | 'login-status'
  | 'csrf-token'
  | 'access-token';

export type Method = 'GET' | 'HEAD' | 'OPTIONS' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** How a surface writes errors. */
export type ErrorForm = 'jsonapi' | 'rest' | 'router' | 'account' | 'rpc';

/** Methods that every readable address takes. */
export const READING_METHODS: readonly Method[] = ['GET', 'HEAD', 'OPTIONS'];
export const CHANGING_METHODS: readonly Method[] = ['POST', 'PUT', 'PATCH', 'DELETE'];

/** The query explorer's page. */
export const EXPLORER_PATH = '/jsonapi-explorer';
/** The admin's pages. */
export const ADMIN_PATH = '/admin';
export const OPENAPI_PATH = '/jsonapi/openapi.json';
export const JSONAPI_PATH = '/jsonapi';
export const REST_PATH = '/api/content';
/** Below the path of either API. No entity type or bundle has a name that starts with an underscore. */
export const JOBS_SEGMENT = '_jobs';
/** Below `/jsonapi`. */
export const FILES_SEGMENT = '_files';
export const STATUS_SEGMENT = '_status';
export const CONFLICTS_SEGMENT = '_conflicts';
export const ACCOUNTS_SEGMENT = '_accounts';

/** Any number of segments, in `Route.below`. */
export const ANY_PATH = '/[...path]';
const PAGE = { errors: 'jsonapi', contentType: JSONAPI_MEDIA_TYPE } as const;
const JSONAPI = { ...PAGE, path: JSONAPI_PATH, part: 'api', prefixed: true } as const;
const JSON_OF_JSONAPI = { ...JSONAPI, contentType: JSON_MEDIA_TYPE } as const;
const REST = {
  path: REST_PATH,
  errors: 'rest',
  contentType: JSON_MEDIA_TYPE,
  part: 'api',
  prefixed: true,
} as const;
const ROUTER = { errors: 'router', contentType: JSON_MEDIA_TYPE, part: 'drupal' } as const;
const SIGN_IN = { errors: 'account', contentType: JSON_MEDIA_TYPE, option: 'signIn', exact: true } as const;
/** Pages of the admin, and Drupal's addresses of such pages. */
const ADMIN = { ...PAGE, option: 'admin', exact: true } as const;
const JOB = `/${JOBS_SEGMENT}/[id]`;
/** For accounts that change content. */
const EDITING = { ...JSONAPI, writes: true, option: 'admin' } as const;
const ACCOUNT = { ...JSONAPI, writes: 'accounts', option: 'admin' } as const;

/** The first route that matches a path serves it. */
export const ROUTES: readonly Route[] = [
  {
    ...JSONAPI,
    name: 'schema',
    localized: true,
    below: '/[entityType]/[bundle]/resource/schema',
    cached: true,
    prebuilt: true,
    contentType: SCHEMA_MEDIA_TYPE,
  },
  { ...JSON_OF_JSONAPI, name: 'openapi', path: OPENAPI_PATH, cached: true, prebuilt: true },
  { ...JSONAPI, name: 'entry', localized: true, cached: 'anonymous', prebuilt: true },
  {
    ...JSONAPI,
    name: 'menu',
    part: 'drupal',
    localized: true,
    below: '/menu_items/[menu]',
    cached: true,
    // An entity type may have this name.
    writes: true,
    prebuilt: true,
  },
  { ...JSONAPI, name: 'index', below: '/index/[index]', cached: true, writes: true },
  { ...JSONAPI, name: 'view', below: '/views/[view]/[display]', cached: true, writes: true },
  { ...JSONAPI, name: 'me', below: '/_me', option: 'admin' },
  { ...JSONAPI, name: 'jsonapi-job', below: JOB },
  { ...EDITING, name: 'files', below: `/${FILES_SEGMENT}`, methods: ['GET', 'POST'] },
  { ...EDITING, name: 'file', below: `/${FILES_SEGMENT}/[...path]`, methods: ['GET', 'PUT', 'DELETE'] },
  { ...EDITING, name: 'conflicts', below: `/${CONFLICTS_SEGMENT}`, methods: ['GET'] },
  { ...EDITING, name: 'conflict', below: `/${CONFLICTS_SEGMENT}/[id]`, methods: ['GET', 'PATCH'] },
  { ...JSONAPI, name: 'status', below: `/${STATUS_SEGMENT}`, option: 'admin' },
  { ...ACCOUNT, name: 'accounts', below: `/${ACCOUNTS_SEGMENT}`, methods: ['GET', 'POST'] },
  {
    ...ACCOUNT,
    name: 'account',
    below: `/${ACCOUNTS_SEGMENT}/[name]`,
    methods: ['GET', 'PATCH', 'DELETE'],
  },
  {
    ...ACCOUNT,
    name: 'account-tokens',
    below: `/${ACCOUNTS_SEGMENT}/[name]/tokens`,
    methods: ['GET', 'POST'],
  },
  {
    ...ACCOUNT,
    name: 'account-token',
    below: `/${ACCOUNTS_SEGMENT}/[name]/tokens/[id]`,
    methods: ['DELETE'],
  },
  {
    ...JSONAPI,
    name: 'operations',
    below: '/operations',
    writes: true,
    contentType: ATOMIC_MEDIA_TYPE,
    methods: ['POST'],
  },
  {
    // A change of a tool is a request to `operations`.
    errors: 'rpc',
    contentType: JSON_MEDIA_TYPE,
    name: 'mcp',
    prefixed: true,
    path: JSONAPI_PATH,
    below: '/mcp',
    option: 'admin',
    methods: ['POST'],
  },
  { ...JSONAPI, name: 'git-hook', below: '/hooks/git', option: 'gitHook', methods: ['POST'] },
  {
    ...JSONAPI,
    name: 'jsonapi',
    localized: true,
    below: ANY_PATH,
    cached: true,
    writes: true,
    prebuilt: true,
  },
  { ...REST, name: 'rest-job', below: JOB },
  { ...REST, name: 'rest-entry', localized: true, cached: true, prebuilt: true },
  {
    ...REST,
    name: 'rest',
    localized: true,
    below: ANY_PATH,
    cached: true,
    writes: true,
    prebuilt: true,
  },
  { ...REST, name: 'rest-job', path: `/v1${REST_PATH}`, below: JOB, alias: true },
  { ...REST, name: 'rest-entry', path: `/v1${REST_PATH}`, localized: true, cached: true, alias: true },
  {
    ...REST,
    name: 'rest',
    path: `/v1${REST_PATH}`,
    localized: true,
    below: ANY_PATH,
    cached: true,
    writes: true,
    alias: true,
  },
  { ...ROUTER, name: 'translate-path', localized: true, path: '/router/translate-path', cached: true },
  { ...ROUTER, name: 'subrequests', localized: true, path: '/subrequests', methods: ['POST'] },
  { ...PAGE, name: 'content-file', path: CONTENT_FILES_PREFIX, below: ANY_PATH, prebuilt: true },
  {
    ...JSON_OF_JSONAPI,
    name: 'explorer-schema',
    path: `${EXPLORER_PATH}/schema.json`,
    option: 'explorer',
    forAdmin: true,
    cached: true,
    prebuilt: true,
  },
  {
    ...JSON_OF_JSONAPI,
    name: 'explorer-explain',
    path: `${EXPLORER_PATH}/explain.json`,
    option: 'explorer',
    forAdmin: true,
  },
  { ...JSONAPI, name: 'explorer', path: EXPLORER_PATH, option: 'explorer', prebuilt: true },
  { ...ADMIN, name: 'admin', path: ADMIN_PATH, below: ANY_PATH },
  { ...ADMIN, name: 'add-link', part: 'drupal', path: '/node', below: '/add/[bundle]' },
  { ...ADMIN, name: 'edit-link', part: 'drupal', path: '/node', below: '/[id]/edit' },
  {
    errors: 'router',
    contentType: JSON_MEDIA_TYPE,
    name: 'health',
    // The option has the path.
    path: '',
    option: 'health',
    exact: true,
  },
  { ...SIGN_IN, name: 'login', path: '/user/login', methods: ['GET', 'POST'] },
  { ...SIGN_IN, name: 'logout', path: '/user/logout', methods: ['GET', 'POST'] },
  { ...SIGN_IN, name: 'login-status', path: '/user/login_status' },
  { ...SIGN_IN, name: 'csrf-token', part: 'drupal', path: '/session/token' },
  { ...SIGN_IN, name: 'access-token', part: 'drupal', path: '/oauth/token', methods: ['POST'] },
];

export const SIGN_IN_PATHS: readonly string[] = ROUTES.filter(({ option }) => option === 'signIn').map(
  ({ path }) => path,
);
/** The site keeps these paths and everything below if it has a page there. */
export const ADMIN_PATHS: readonly string[] = [ADMIN_PATH, '/node'];

/** What a site has switched on. */
export interface ServedSite {
  /** Astro's `base`: starts with a slash, ends without one (`''` for the root). */
  readonly base: string;
  /** False if content has no addresses. Default: true. */
  readonly api?: boolean | undefined;
  /** Option `api.prefix`: starts with a slash, ends without one (`''` for none). */
  readonly prefix?: string | undefined;
  /** False without the addresses that only Drupal's clients use. Default: true. */
  readonly drupal?: boolean | undefined;
  readonly explorer: boolean;
  /** Path of the health route; false for none. */
  readonly health: string | false;
  /** True on a server that people and programs can sign in to. */
  readonly signIn?: boolean;
  /** True if the admin is served. */
  readonly admin?: boolean;
  /** True if webhooks of a git host are accepted. */
  readonly gitHook?: boolean | undefined;
  /** Paths of `SIGN_IN_PATHS` and `ADMIN_PATHS` that the site has its own pages for. */
  readonly ownPages?: readonly string[];
  /** Undefined if all content has one language. */
  readonly languages?: Languages | undefined;
}

/** The routes of a site, with the path of its health route, and below its prefix. */
export function servedRoutes(site: Omit<ServedSite, 'base'>): readonly Route[] {
  return ROUTES.flatMap((route) => {
    if (route.part !== undefined && (site.api === false || site[route.part] === false)) return [];
    const isForAdmin = route.forAdmin === true && site.admin === true;
    const setting = route.option === undefined || isForAdmin || site[route.option];
    if (!setting) return [];
    const path = typeof setting === 'string' ? setting : route.path;
    return [{ ...route, path: route.prefixed ? (site.prefix ?? '') + path : path }];
  });
}

/** Astro's patterns for the routes of a site, also below the path of each language. */
export function routePatterns(site: Omit<ServedSite, 'base'>): readonly string[] {
  const routes = servedRoutes(site).filter(({ path }) => !site.ownPages?.includes(path));
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

/** True if a path belongs to the integration, whichever options are on. */
export function isReservedPath(path: string): boolean {
  return ROUTES.some((route) => route.path !== '' && `${path}/`.startsWith(`${route.path}/`));
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

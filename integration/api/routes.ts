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
  readonly option?: 'explorer' | 'health' | 'signIn' | 'admin';
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
  /** OpenAPI's tag, for a route that is not about a resource type. */
  readonly tag?: string;
  /** What OpenAPI says about the route itself. The methods of the route are those of its operations; without, it is read. */
  readonly operations?: Operations;
  /** The kinds of addresses that the route has for each resource type. */
  readonly addresses?: Readonly<Record<string, Address>>;
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
  | 'accounts'
  | 'account'
  | 'account-tokens'
  | 'account-token'
  | 'jsonapi-job'
  | 'operations'
  | 'mcp'
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

/** `operationId` and summary by method. `{type}`, `{field}`, `{menu}`, `{index}` and `{view}` stand for names of the content. */
export type Operations = { readonly [method in Method]?: readonly [id: string, summary: string] };

/** One kind of address below a route. Its methods are those of its operations, and HEAD and OPTIONS. */
export interface Address {
  /** OpenAPI's template below the path of a collection: `/{id}/relationships/{field}`. */
  readonly path: string;
  /** The fields that `{field}` stands for. */
  readonly fields?: 'references' | 'lists' | 'files' | 'single-files';
  /** The files of a site without a server: one per resource, or one per page of a collection. */
  readonly files?: 'one' | 'pages';
  readonly operations: Operations;
}

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
export const ACCOUNTS_SEGMENT = '_accounts';

/** The addresses below `/jsonapi/{entity type}/{bundle}`. */
export const JSONAPI_ADDRESSES = {
  collection: {
    path: '',
    files: 'pages',
    operations: {
      GET: ['list-{type}', 'List {type}'],
      POST: ['create-{type}', 'Create one {type}'],
    },
  },
  individual: {
    path: '/{id}',
    files: 'one',
    operations: {
      GET: ['get-{type}', 'Get one {type}'],
      PATCH: ['update-{type}', 'Update one {type}'],
      DELETE: ['delete-{type}', 'Delete one {type}'],
    },
  },
  /** With a language. */
  translation: {
    path: '/{id}',
    operations: { POST: ['translate-{type}', 'Create a translation of one {type}'] },
  },
  related: {
    path: '/{id}/{field}',
    fields: 'references',
    operations: { GET: ['related-{type}-{field}', 'Get the resources in {field} of one {type}'] },
  },
  relationship: {
    path: '/{id}/relationships/{field}',
    fields: 'references',
    operations: {
      GET: ['relationship-{type}-{field}', 'Get the identifiers in {field} of one {type}'],
      POST: ['add-relationship-{type}-{field}', 'Add references to {field} of one {type}'],
      PATCH: ['set-relationship-{type}-{field}', 'Set {field} of one {type}'],
      DELETE: ['remove-relationship-{type}-{field}', 'Remove references from {field} of one {type}'],
    },
  },
  upload: {
    path: '/{field}',
    fields: 'files',
    operations: { POST: ['upload-{type}-{field}', 'Upload a file for {field} of a new {type}'] },
  },
  uploadTo: {
    path: '/{id}/{field}',
    fields: 'files',
    operations: { POST: ['upload-to-{type}-{field}', 'Upload a file to {field} of one {type}'] },
  },
} as const satisfies Readonly<Record<string, Address>>;

/** The addresses below `/api/content/{bundle}`. */
export const REST_ADDRESSES = {
  collection: {
    path: '',
    files: 'pages',
    operations: {
      GET: ['list-plain-{type}', 'List {type} as plain JSON'],
      POST: ['create-plain-{type}', 'Create one {type}'],
    },
  },
  individual: {
    path: '/{id}',
    files: 'one',
    operations: {
      GET: ['get-plain-{type}', 'Get one {type} as plain JSON'],
      PUT: ['replace-plain-{type}', 'Replace one {type}. Fields that are not sent are cleared'],
      PATCH: ['update-plain-{type}', 'Update one {type}'],
      DELETE: ['delete-plain-{type}', 'Delete one {type}'],
    },
  },
  /** With a language. */
  translation: {
    path: '/{id}',
    operations: { POST: ['translate-plain-{type}', 'Create a translation of one {type}'] },
  },
  list: {
    path: '/{id}/{field}',
    fields: 'lists',
    operations: {
      GET: ['list-plain-{type}-{field}', 'Get the items in {field} of one {type} as plain JSON'],
      POST: ['add-plain-{type}-{field}', 'Add items to {field} of one {type}'],
      PUT: ['replace-plain-{type}-{field}', 'Replace {field} of one {type}'],
      DELETE: ['empty-plain-{type}-{field}', 'Clear {field} of one {type}'],
    },
  },
  upload: {
    path: '/{field}',
    fields: 'files',
    operations: { POST: ['upload-plain-{type}-{field}', 'Upload a file for {field} of a new {type}'] },
  },
  uploadTo: {
    path: '/{id}/{field}',
    fields: 'single-files',
    operations: { POST: ['upload-plain-to-{type}-{field}', 'Upload a file to {field} of one {type}'] },
  },
} as const satisfies Readonly<Record<string, Address>>;

/** Any number of segments, in `Route.below`. */
export const ANY_PATH = '/[...path]';
const PAGE = { errors: 'jsonapi', contentType: JSONAPI_MEDIA_TYPE } as const;
const JSONAPI = { ...PAGE, part: 'api', prefixed: true } as const;
const JSON_OF_JSONAPI = { ...JSONAPI, contentType: JSON_MEDIA_TYPE } as const;
const REST = { errors: 'rest', contentType: JSON_MEDIA_TYPE, part: 'api', prefixed: true } as const;
const ROUTER = { errors: 'router', contentType: JSON_MEDIA_TYPE, part: 'drupal' } as const;
const SIGN_IN = {
  errors: 'account',
  contentType: JSON_MEDIA_TYPE,
  option: 'signIn',
  exact: true,
  tag: 'signing in',
} as const;
/** Pages of the admin, and Drupal's addresses of such pages. */
const ADMIN = { ...PAGE, option: 'admin', exact: true } as const;
const FRONT_ENDS = 'decoupled front ends';
const JOB = `/${JOBS_SEGMENT}/[id]`;
const FILES = { ...JSONAPI, path: JSONAPI_PATH, writes: true, option: 'admin', tag: 'files' } as const;
const ACCOUNT = {
  ...JSONAPI,
  path: JSONAPI_PATH,
  writes: 'accounts',
  option: 'admin',
  tag: 'accounts',
} as const;

/** The first route that matches a path serves it. */
export const ROUTES: readonly Route[] = [
  {
    ...JSONAPI,
    name: 'schema',
    localized: true,
    path: JSONAPI_PATH,
    below: '/[entityType]/[bundle]/resource/schema',
    cached: true,
    prebuilt: true,
    contentType: SCHEMA_MEDIA_TYPE,
    addresses: {
      schema: {
        path: '/resource/schema',
        files: 'one',
        operations: { GET: ['describe-{type}', 'Get the JSON Schema of {type}'] },
      },
    },
  },
  { ...JSON_OF_JSONAPI, name: 'openapi', path: OPENAPI_PATH, cached: true, prebuilt: true },
  {
    ...JSONAPI,
    name: 'entry',
    localized: true,
    path: JSONAPI_PATH,
    cached: 'anonymous',
    prebuilt: true,
    tag: 'entry point',
    operations: { GET: ['entry', 'List all collections'] },
  },
  {
    ...JSONAPI,
    name: 'menu',
    part: 'drupal',
    localized: true,
    path: JSONAPI_PATH,
    below: '/menu_items/[menu]',
    cached: true,
    // An entity type may have this name.
    writes: true,
    prebuilt: true,
    operations: { GET: ['menu-{menu}', 'Get the menu {menu}'] },
  },
  {
    ...JSONAPI,
    name: 'index',
    path: JSONAPI_PATH,
    below: '/index/[index]',
    cached: true,
    writes: true,
    tag: 'search indexes',
    operations: { GET: ['index-{index}', 'Search the index {index}'] },
  },
  {
    ...JSONAPI,
    name: 'view',
    path: JSONAPI_PATH,
    below: '/views/[view]/[display]',
    cached: true,
    writes: true,
    tag: 'views',
    operations: { GET: ['view-{view}', 'Get the results of the view {view}'] },
  },
  {
    ...JSONAPI,
    name: 'me',
    path: JSONAPI_PATH,
    below: '/_me',
    option: 'admin',
    tag: 'accounts',
    operations: { GET: ['me', 'Get your account and what it may change'] },
  },
  {
    ...JSONAPI,
    name: 'jsonapi-job',
    path: JSONAPI_PATH,
    below: JOB,
    tag: 'jobs',
    operations: { GET: ['get-job', 'Get the state of a change'] },
  },
  {
    ...FILES,
    name: 'files',
    below: `/${FILES_SEGMENT}`,
    operations: {
      GET: ['list-files', 'List the files that content can use'],
      POST: ['add-file', 'Store a file beside an entity or in the folder of a bundle'],
    },
  },
  {
    ...FILES,
    name: 'file',
    below: `/${FILES_SEGMENT}/[...path]`,
    operations: {
      GET: ['get-file', 'Get one file with the entities that use it'],
      PUT: ['replace-file', 'Replace the bytes of one file'],
      DELETE: ['delete-file', 'Delete one file that is not used'],
    },
  },
  {
    ...JSONAPI,
    name: 'status',
    path: JSONAPI_PATH,
    below: `/${STATUS_SEGMENT}`,
    option: 'admin',
    tag: 'status',
    operations: { GET: ['get-status', 'Get problems of the content, and changes that wait'] },
  },
  {
    ...ACCOUNT,
    name: 'accounts',
    below: `/${ACCOUNTS_SEGMENT}`,
    operations: {
      GET: ['list-accounts', 'List all accounts'],
      POST: ['add-account', 'Add an account'],
    },
  },
  {
    ...ACCOUNT,
    name: 'account',
    below: `/${ACCOUNTS_SEGMENT}/[name]`,
    operations: {
      GET: ['get-account', 'Get one account'],
      PATCH: ['change-account', 'Change one account, or your password'],
      DELETE: ['remove-account', 'Remove one account'],
    },
  },
  {
    ...ACCOUNT,
    name: 'account-tokens',
    below: `/${ACCOUNTS_SEGMENT}/[name]/tokens`,
    operations: {
      GET: ['list-tokens', 'List the tokens of one account'],
      POST: ['add-token', 'Create a token of one account'],
    },
  },
  {
    ...ACCOUNT,
    name: 'account-token',
    below: `/${ACCOUNTS_SEGMENT}/[name]/tokens/[id]`,
    operations: { DELETE: ['remove-token', 'Revoke one token'] },
  },
  {
    ...JSONAPI,
    name: 'operations',
    path: JSONAPI_PATH,
    below: '/operations',
    writes: true,
    contentType: ATOMIC_MEDIA_TYPE,
    tag: 'operations',
    operations: { POST: ['operations', 'Make several changes, all or none'] },
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
    tag: 'agents',
    operations: { POST: ['mcp', 'Call a tool for AI agents (Model Context Protocol)'] },
  },
  {
    ...JSONAPI,
    name: 'jsonapi',
    localized: true,
    path: JSONAPI_PATH,
    below: ANY_PATH,
    cached: true,
    writes: true,
    prebuilt: true,
    addresses: JSONAPI_ADDRESSES,
  },
  {
    ...REST,
    name: 'rest-job',
    path: REST_PATH,
    below: JOB,
    tag: 'jobs',
    operations: { GET: ['get-plain-job', 'Get the state of a change'] },
  },
  {
    ...REST,
    name: 'rest-entry',
    path: REST_PATH,
    localized: true,
    cached: true,
    prebuilt: true,
    tag: 'entry point',
    operations: { GET: ['list-bundles', 'List all bundles'] },
  },
  {
    ...REST,
    name: 'rest',
    path: REST_PATH,
    localized: true,
    below: ANY_PATH,
    cached: true,
    writes: true,
    prebuilt: true,
    addresses: REST_ADDRESSES,
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
  {
    ...ROUTER,
    name: 'translate-path',
    localized: true,
    path: '/router/translate-path',
    cached: true,
    tag: FRONT_ENDS,
    operations: { GET: ['translate-path', 'Find the entity at a path of the site'] },
  },
  {
    ...ROUTER,
    name: 'subrequests',
    localized: true,
    path: '/subrequests',
    tag: FRONT_ENDS,
    operations: { POST: ['subrequests', 'Send several requests in one'] },
  },
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
    operations: {
      GET: ['health', 'Check the server: 200 if the content is loaded and commits keep up, else 503'],
    },
  },
  {
    ...SIGN_IN,
    name: 'login',
    path: '/user/login',
    operations: { GET: ['show-sign-in', 'Show the sign-in form'], POST: ['sign-in', 'Start a session'] },
  },
  {
    ...SIGN_IN,
    name: 'logout',
    path: '/user/logout',
    operations: { GET: ['show-sign-out', 'Show the sign-out form'], POST: ['sign-out', 'End the session'] },
  },
  {
    ...SIGN_IN,
    name: 'login-status',
    path: '/user/login_status',
    operations: { GET: ['sign-in-status', 'Check if the client is signed in'] },
  },
  {
    ...SIGN_IN,
    name: 'csrf-token',
    part: 'drupal',
    path: '/session/token',
    operations: { GET: ['csrf-token', 'Get the `X-CSRF-Token` of the session'] },
  },
  {
    ...SIGN_IN,
    name: 'access-token',
    part: 'drupal',
    path: '/oauth/token',
    operations: { POST: ['access-token', 'Get an OAuth 2 access token with client credentials'] },
  },
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

/** Methods of a route or of an address, if the server writes. */
export function methodsOf({ operations }: Pick<Route | Address, 'operations'>): readonly Method[] {
  if (operations === undefined) return READING_METHODS;
  const isReadable = operations.GET !== undefined;
  const changing = CHANGING_METHODS.filter((method) => operations[method] !== undefined);
  return isReadable ? [...READING_METHODS, ...changing] : ['OPTIONS', ...changing];
}

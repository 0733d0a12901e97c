import { z } from 'zod';
import type { Roles } from '../access/role.ts';
import { rolesSchema } from '../access/roles-schema.ts';
import { isReservedPath, type Route } from '../api/routes.ts';
import { parseAliasPattern } from '../content/decode/alias.ts';
import { PROBLEM_KINDS, PROBLEM_SEVERITIES, type Severities } from '../content/diagnostics/problem-kinds.ts';
import { type LayoutOptions, startOf } from '../content/layout.ts';
import { FACET_OPERATORS, FACET_SORTS } from '../engine/ast.ts';
import { DEFAULT_LIMITS, type LimitOption } from '../engine/limits.ts';
import { LANGUAGES, type Language } from '../engine/text/languages.ts';
import type { IndexFacetOptions } from '../read/settings.ts';
import { isTimeZone } from '../source/time-zone.ts';
import { isHidden } from '../storage/file-name.ts';
import { normalizeKey } from '../storage/key.ts';
import { describeIssue } from './option-problems.ts';

/** Relative to the project. */
export const DEFAULT_ACCOUNTS_FILE = '.astro-jsonapi/accounts.json';

/** The options of `jsonapi()`, all optional. docs/options.md has an example of each. */
export interface JsonapiOptions {
  /** Content folder, relative to the project root. Default: `'content'`, or `'src/content'` if only that exists. */
  readonly contentDir?: string | undefined;
  /** Settings of single bundles, by bundle name; a string is a `folder`. Default: `{}`. */
  readonly bundles?: Readonly<Record<string, BundleOptions | string>> | undefined;
  /**
   * The repository of the content on a git host, which a built server reads and writes over the host's API. See
   * `astro-jsonapi/storage`. Default: the content folder.
   */
  readonly storage?: StorageOptions | undefined;
  /** What answers queries on a built server. See `astro-jsonapi/postgres`. Default: an index in memory. */
  readonly engine?: EngineOptions | undefined;
  /** Globs of files in the content folder that are not entities, such as `['drafts/**']`. Default: `[]`. */
  readonly ignore?: readonly string[] | undefined;
  /**
   * Severities by kind of problem, such as `{ 'file/missing': 'warning' }`. `npx astro-jsonapi check --json` prints the kinds
   * as `code`. Default: `{}`.
   */
  readonly problems?: Severities | undefined;
  /** The HTTP API and its static files; `false` for queries in pages only. Default: `{ prefix: '' }`, like `true`. */
  readonly api?: boolean | ApiOptions | undefined;
  /** The `.json` files of a build without an adapter; `false` writes none. */
  readonly static?: false | StaticOptions | undefined;
  /**
   * What only Drupal's clients use: `/router`, `/subrequests`, `/session/token`, `/oauth/token`, `menu_items`, Drupal's
   * addresses of edit forms, and `drupal_internal__target_id`. Default: `true`.
   */
  readonly drupal?: boolean | undefined;
  /** How a build treats a reference to a missing entity. A server always answers `missing`. Default: `'error'`. */
  readonly danglingReferences?: 'error' | 'missing' | undefined;
  /** Use git commit dates for `created` and `changed` that the frontmatter does not set. Default: `true`. */
  readonly gitDates?: boolean | undefined;
  /** IANA name of the time zone of dates without an offset, such as `'Europe/Berlin'`. Default: `'UTC'`. */
  readonly timeZone?: string | undefined;
  /** Module whose default export is the site's Markdown processor. Default: none. */
  readonly markdownProcessor?: string | undefined;
  /** Number of entities per page in API responses. */
  readonly pageSize?: PageSizeOptions | undefined;
  /** Full-text search; `false` turns it off. */
  readonly search?: false | SearchOptions | undefined;
  /** Query explorer at `/jsonapi-explorer`: in `astro dev` only, always, or never. Default: `'dev'`. */
  readonly explorer?: 'dev' | boolean | undefined;
  /**
   * Queries by name: `{ latest: '/node/article?sort=-created' }`. A static build writes them as files, and a server serves
   * them as views. Default: `{}`.
   */
  readonly prebuild?: Readonly<Record<string, string>> | undefined;
  /** Search indexes by name, at `/jsonapi/index/{name}`: bundles, searched fields and facets. Default: `{}`. */
  readonly indexes?: Readonly<Record<string, IndexOptions>> | undefined;
  /** Caching of responses. */
  readonly cache?: CacheOptions | undefined;
  /** Other origins whose scripts may read responses. Default: `false`. */
  readonly cors?: false | CorsOptions | undefined;
  /** Path of a health check route, such as `'/healthz'`. Default: `false`. */
  readonly healthPath?: string | false | undefined;
  /** Log output in addition to problems. */
  readonly logging?: LoggingOptions | undefined;
  /** Permissions by role name. Roles apply to every read, with or without `editing`. Default: `{}`. */
  readonly roles?: Roles | undefined;
  /** Writing over HTTP and signing in. Default: `false`. */
  readonly editing?: boolean | EditingOptions | undefined;
  /**
   * Secret of the webhook at `/jsonapi/hooks/git`, which a git host calls after a push: `env:` and the name of an environment
   * variable of the server. Default: none.
   */
  readonly gitHookSecret?: string | undefined;
  /** Addresses that a server calls after changes, such as deploy hooks. Default: `[]`. */
  readonly webhooks?: readonly WebhookOptions[] | undefined;
  /** Limits of a single request. */
  readonly limits?: { readonly [Name in LimitOption]?: number | undefined } | undefined;
}

export interface StorageOptions {
  /** The API of the host; Gitea has that of Forgejo. `'git'` for the git protocol. */
  readonly forge: 'github' | 'gitlab' | 'forgejo' | 'git';
  /** Owner and name of the repository, such as `'team/site'`. For `'git'`, an address such as `'git@git.example:team/site.git'`. */
  readonly repository: string;
  /** Branch of the content. Default: the default branch of the repository. */
  readonly branch?: string | undefined;
  /** Content folder in the repository; `'.'` for its top. Default: `contentDir`. */
  readonly folder?: string | undefined;
  /**
   * `env:` and the name of an environment variable of the server. Default: `'env:GITHUB_TOKEN'`, `'env:GITLAB_TOKEN'` or
   * `'env:FORGEJO_TOKEN'`.
   */
  readonly token?: string | undefined;
  /** Address of the host; required for Forgejo and Gitea. Default: `'https://github.com'` or `'https://gitlab.com'`. */
  readonly url?: string | undefined;
}

export interface EngineOptions {
  /** The database. */
  readonly name: 'postgres';
  /**
   * Address of the database, or `env:` and the name of an environment variable. A build does not contain an address: its
   * server reads `DATABASE_URL`. Default: `'env:DATABASE_URL'`.
   */
  readonly url?: string | undefined;
  /**
   * Address at which a server listens for changes, if that of `url` is a pooler such as PgBouncer; or `env:` and the name of
   * an environment variable. A build does not contain an address: its server reads `DATABASE_LISTEN_URL`. Default: `url`.
   */
  readonly listenUrl?: string | undefined;
  /** The schema of the tables in the database. Default: `'astro_jsonapi'`. */
  readonly schema?: string | undefined;
  /**
   * Seconds in which a server notices changes, although a connection has gone silent. After that, the health route returns
   * 503. Default: 10.
   */
  readonly maxAge?: number | undefined;
}

export interface ApiOptions {
  /** A path that precedes `/jsonapi`, `/api/content` and `/jsonapi-explorer`, such as `'/cms'`. Default: `''`. */
  readonly prefix: string;
}

export interface BundleOptions {
  /**
   * Folder of the bundle in the content folder; `'.'` for the pages in no folder, `'**'` for all files of no other bundle.
   * Default: the folder with its name.
   */
  readonly folder?: string | undefined;
  /** Plural in `/api/content/{plural}`, if the English rule gets it wrong. Default: the English plural. */
  readonly plural?: string | undefined;
  /** Field that stores the title, such as `'name'`. Default: `title`, or the only `name`, `label` or the like that all entities have. */
  readonly title?: string | undefined;
  /** Pattern of `path.alias` for files without a `path`, such as `'/journal/[created:Y]/[id]'`. Default: none. */
  readonly alias?: string | undefined;
  /** Values of a text `status` that count as published. Default: none. */
  readonly publishedStatuses?: readonly string[] | undefined;
  /** `false` keeps the bundle out of the API and its files. Queries in pages still return it. Default: `true`. */
  readonly api?: boolean | undefined;
}

export interface StaticOptions {
  /** Whether the files of JSON:API collections contain bodies. Files of single entities always do. Default: `true`. */
  readonly bodies?: boolean | undefined;
  /** Whether the build writes a snapshot, from which `astro-jsonapi/client` answers every query. Default: `true`. */
  readonly queries?: boolean | undefined;
  /**
   * Whether each entity has `.json` files of its own; a number writes them up to this many entities. Default: `5000`.
   */
  readonly documents?: boolean | number | undefined;
}

export interface IndexOptions {
  /** Bundles whose entities are in the index. */
  readonly bundles: readonly string[];
  /** Fields that a search reads, such as `['title', 'body']`. Default: all searchable fields. */
  readonly search?: readonly string[] | undefined;
  /** Facets by path, such as `{ field_tags: { label: 'Subject' } }`. Default: `{}`. */
  readonly facets?: Readonly<Record<string, IndexFacetOptions>> | undefined;
}

export interface PageSizeOptions {
  /** Entities per page if a request does not say. Default: `50`, or `max` if that is smaller. */
  readonly default?: number | undefined;
  /** Maximum that a request can ask for. Default: `50`. */
  readonly max?: number | undefined;
  /** Whether `page[limit]=0` returns everything; if not, it is a 400. Default: `true`. */
  readonly unlimited?: boolean | undefined;
}

export interface SearchOptions {
  /** Language of the stemmer; `'none'` matches whole words only. Default: the site's default locale. */
  readonly language?: Language | undefined;
  /** Build the index soon after the start instead of at the first search. Default: `false`. */
  readonly preload?: boolean | undefined;
}

export interface CacheOptions {
  /** Seconds that browsers and proxies may reuse an anonymous response. Default: `0`. */
  readonly maxAge?: number | undefined;
  /** Memory for cached responses, in megabytes. Default: `32`. */
  readonly memoryMb?: number | undefined;
}

export interface CorsOptions {
  /** Allowed origins, or `'*'` for all. */
  readonly origins: '*' | readonly string[];
  /** Whether listed origins may send cookies. Default: `false`. */
  readonly credentials?: boolean | undefined;
  /** Seconds that a browser may cache a preflight response. Default: `600`. */
  readonly maxAge?: number | undefined;
  /** Response headers that scripts may read. Default: `['Allow', 'ETag', 'Location']`. */
  readonly exposeHeaders?: readonly string[] | undefined;
}

export interface LoggingOptions {
  /** Print a line of JSON for each request. Default: `false`. */
  readonly requests?: boolean | undefined;
  /** Print inferred bundles and a line for each content change. Default: `true`. */
  readonly changes?: boolean | undefined;
}

export interface EditingOptions {
  /** Accounts file, relative to the project root. Default: `'.astro-jsonapi/accounts.json'`. */
  readonly accountsFile?: string | undefined;
  /** Require `If-Match` for every change (428 without it). Default: `false`. */
  readonly requireIfMatch?: boolean | undefined;
  /** Deleting a referenced entity: refuse with 409, or remove the references to it. Default: `'restrict'`. */
  readonly onDelete?: 'restrict' | 'set-null' | undefined;
  /** Commit changes to git. docs/git.md describes the settings. Default: `false`. */
  readonly git?: boolean | GitInput | undefined;
}

export interface WebhookOptions {
  /** An http or https URL, or `env:` and the name of an environment variable of the server. */
  readonly url: string;
  /** `env:` and the name of an environment variable of the server, such as `'env:WEBHOOK_SECRET'`. Default: none. */
  readonly secret?: string | undefined;
  /** A POST of JSON, or the GET of next-drupal for each path. Default: `'json'`. */
  readonly format?: 'json' | 'next-drupal' | undefined;
  /** What visitors notice: new, changed or removed content. Default: `['create', 'update', 'delete']`. */
  readonly events?: readonly WebhookEvent[] | undefined;
}

export const WEBHOOK_EVENTS = ['create', 'update', 'delete'] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

// Every description completes the sentence "Valid: …" of an error message.
const BOOLEAN = z.boolean().describe('true or false');
const BUNDLE_NAME = /^[A-Za-z0-9_][A-Za-z0-9_-]*$/;
/** Safe as a file name, a URL segment and an object key. */
const QUERY_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]*$/;
const DEFAULT_PAGE_SIZE = 50;

const severitySchema = z.enum(PROBLEM_SEVERITIES).describe("'error', 'warning' or 'off'").optional();
const SEVERITIES = Object.fromEntries(PROBLEM_KINDS.map((kind) => [kind, severitySchema])) as Record<
  (typeof PROBLEM_KINDS)[number],
  typeof severitySchema
>;

/** A folder of a bundle without `./` and the last slash; empty for `.`. */
const folderSchema = z
  .string()
  .transform((folder) => folder.replace(/^\.\//, '').replace(/(?:^\.|\/)$/, ''))
  .refine((folder) => folder === '' || (normalizeKey(folder) === folder && !isHidden(folder)))
  .describe(
    "a folder in the content folder, such as '_posts', '.' for files in no folder, or '**' for all files of no other bundle",
  );

const bundleObject = z
  .strictObject({
    folder: folderSchema.optional(),
    plural: z.string().regex(BUNDLE_NAME).describe("a name for URLs, such as 'people'").optional(),
    alias: z
      .string()
      .refine((pattern) => parseAliasPattern(pattern) !== undefined)
      .describe("a path with tokens such as [id], [title] and [created:Y], for example '/journal/[id]'")
      .optional(),
    title: z.string().min(1).describe("the name of a field, such as 'name'").optional(),
    publishedStatuses: z
      .array(z.string().min(1))
      .min(1)
      .describe("a list of status values, such as ['Final', 'Living']")
      .optional(),
    api: BOOLEAN.optional(),
  })
  .describe('{ folder, plural, title, alias, publishedStatuses, api }');

const bundleSchema = z.union([
  folderSchema.transform((folder): z.output<typeof bundleObject> => ({ folder })),
  bundleObject,
]);

/** Throws for two bundles with one folder. */
function checkFolders(
  bundles: Readonly<Record<string, { readonly folder?: string | undefined }>>,
  { addIssue }: z.core.$RefinementCtx,
): void {
  const owners = new Map<string, string>();
  for (const [bundle, { folder }] of Object.entries(bundles)) {
    const start = folder === undefined ? undefined : startOf(folder);
    const owner = start === undefined ? undefined : owners.get(start);
    if (owner !== undefined) {
      const detail = `bundles.${owner} has the same folder.`;
      addIssue({ code: 'custom', path: [bundle, 'folder'], params: { detail } });
    }
    if (start !== undefined) owners.set(start, bundle);
  }
}

/** A branch or remote name that git cannot mistake for an option or a revision. Source: git-check-ref-format. */
const gitName = z
  .string()
  .regex(/^(?![-/.]|refs\/)(?!.*(?:\.\.|\/\/|@\{|\/\.))[^\s~^:?*[\\\p{Cc}]+(?<![/.])(?<!\.lock)$/u)
  .describe("a git name, without 'refs/heads/'");

const VARIABLE = /^env:[A-Za-z_]\w*$/;

const storageSchema = z
  .strictObject({
    forge: z.enum(['github', 'gitlab', 'forgejo', 'git']).describe("'github', 'gitlab', 'forgejo' or 'git'"),
    repository: z.string().min(1).describe("owner and name, such as 'team/site'"),
    branch: gitName.optional(),
    folder: folderSchema.describe("a folder of the repository, such as 'site/content', or '.'").optional(),
    // A literal token would be in the build.
    token: z.string().regex(VARIABLE).describe("a variable such as 'env:GITHUB_TOKEN'").optional(),
    url: z
      .string()
      .refine((url) => /^https?:\/\//.test(url) && URL.canParse(url))
      .transform((url) => url.replace(/(?<!\/)\/+$/, ''))
      .describe("an http or https URL such as 'https://git.example'")
      .optional(),
  })
  .superRefine(({ forge, repository, url, token }, { addIssue }) => {
    const report = (name: string, detail: string) =>
      addIssue({ code: 'custom', path: [name], params: { detail } });
    if (forge === 'forgejo' && url === undefined) {
      report('url', "Forgejo and Gitea need the address of the host, such as 'https://codeberg.org'.");
    }
    if (forge !== 'git') {
      if (!isRepositoryName(repository))
        report('repository', "it must be owner and name, such as 'team/site'.");
    } else if (!isGitAddress(repository)) {
      report(
        'repository',
        "it must be an address without a password, such as 'git@git.example:team/site.git'.",
      );
    } else if ((url ?? token) !== undefined) {
      report(
        url === undefined ? 'token' : 'url',
        'git has its own credentials, and the address is the repository.',
      );
    }
  })
  .describe("a repository, such as github({ repository: 'team/site' })");

const DATABASE_URL = /^postgres(?:ql)?:\/\//;
const DATABASE_VARIABLE = 'env:DATABASE_URL';
const LISTEN_VARIABLE = 'env:DATABASE_LISTEN_URL';

const databaseAddress = (variable: string) =>
  z
    .string()
    // A variable of the environment that is set to nothing.
    .transform((url) => (url === '' ? variable : url))
    .refine((url) => VARIABLE.test(url) || DATABASE_URL.test(url))
    .describe(`an address such as 'postgres://localhost/site', or a variable such as '${variable}'`);

const engineSchema = z
  .strictObject({
    name: z.literal('postgres'),
    url: databaseAddress(DATABASE_VARIABLE).default(DATABASE_VARIABLE),
    listenUrl: databaseAddress(LISTEN_VARIABLE).optional(),
    schema: z
      .string()
      .regex(/^(?!pg_|public$|information_schema$)[a-z_][a-z0-9_]{0,30}$/)
      .describe(
        'up to 31 lower-case letters, digits and underscores, but not public, information_schema, or a name that starts with pg_',
      )
      .default('astro_jsonapi'),
    maxAge: wholeNumber(1, 3600).default(10),
  })
  .describe('an engine, such as postgres({ url: process.env.DATABASE_URL })');

/** Option `engine` without addresses, which may have a password. */
export function withoutAddress(engine: Engine): Engine {
  const hidden = (url: string, variable: string) => (VARIABLE.test(url) ? url : variable);
  return {
    ...engine,
    url: hidden(engine.url, DATABASE_VARIABLE),
    ...(engine.listenUrl !== undefined && { listenUrl: hidden(engine.listenUrl, LISTEN_VARIABLE) }),
  };
}

/** The address of the database, or that to listen at. Throws if its variable is not set. */
export function databaseUrl(url: string, environment: Readonly<Record<string, string | undefined>>): string {
  if (!VARIABLE.test(url)) return url;
  const name = url.slice('env:'.length);
  const value = environment[name] ?? '';
  if (DATABASE_URL.test(value)) return value;
  const fault = value === '' ? 'is not set' : 'is not an address of PostgreSQL';
  throw new Error(
    `Option engine reads the address of the database from the environment variable ${name}, which ${fault}. Set it to an address such as postgres://user:password@localhost/site.`,
  );
}

const pageSizeSchema = z
  .strictObject({
    default: wholeNumber(1, 10_000).optional(),
    max: wholeNumber(1, 10_000).default(DEFAULT_PAGE_SIZE),
    unlimited: BOOLEAN.default(true),
  })
  .superRefine(({ default: size = 1, max }, { addIssue }) => {
    if (size <= max) return;
    const detail = `it cannot be greater than pageSize.max, which is ${max}.`;
    addIssue({ code: 'custom', path: ['default'], params: { detail } });
  })
  .transform(({ default: size, max, unlimited }) => ({
    default: size ?? Math.min(DEFAULT_PAGE_SIZE, max),
    max,
    unlimited,
  }));

const indexSchema = z
  .strictObject({
    bundles: z.array(z.string().regex(BUNDLE_NAME)).min(1).describe("a list of bundles, such as ['article']"),
    search: z
      .array(z.string().min(1))
      .min(1)
      .describe("a list of fields, such as ['title', 'body']")
      .optional(),
    facets: z
      .record(
        z.string().min(1),
        z
          .strictObject({
            label: z.string().min(1).describe('a text').optional(),
            limit: wholeNumber(1, DEFAULT_LIMITS.facetTerms).optional(),
            min: wholeNumber(1, 1_000_000).optional(),
            sort: z.enum(FACET_SORTS).describe("'count' or 'value'").optional(),
            operator: z.enum(FACET_OPERATORS).describe("'and' or 'or'").optional(),
          })
          .describe('{ label, limit, min, sort, operator }'),
      )
      .describe("facets by path, such as { field_tags: { label: 'Subject' } }")
      .default({}),
  })
  .describe('{ bundles, search, facets }');

const searchSchema = z.strictObject({
  language: z
    .enum([...LANGUAGES, 'none'])
    .describe(`one of ${[...LANGUAGES, 'none'].join(', ')}`)
    .optional(),
  preload: BOOLEAN.default(false),
});

const corsSchema = z
  .strictObject({
    origins: z
      .union([z.literal('*'), z.array(z.string().refine(isOrigin)).min(1)])
      .describe("'*', or a list of origins such as ['https://app.example']"),
    credentials: BOOLEAN.default(false),
    maxAge: wholeNumber(0, 86_400).default(600),
    exposeHeaders: z
      .array(z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/))
      .describe('a list of header names')
      .default(['Allow', 'ETag', 'Location']),
  })
  // Browsers refuse the combination, and it would let every site act for its visitors.
  .refine(({ origins, credentials }) => origins !== '*' || !credentials);

const gitSchema = z.strictObject({
  commit: z
    .union([z.literal('each'), z.strictObject({ quiet: z.number().min(1).max(86_400) })])
    .describe("'each', or { quiet: seconds } with seconds from 1 to 86400")
    .default('each'),
  branch: gitName.optional(),
  push: z
    .union([z.boolean(), z.strictObject({ remote: gitName.optional(), branch: gitName.optional() })])
    .describe("true, false or { remote: 'name', branch: 'name' }")
    .default(false),
  pull: BOOLEAN.default(false),
  acknowledge: z.enum(['file', 'commit', 'push']).describe("'file', 'commit' or 'push'").optional(),
  message: z
    .strictObject({ one: z.string().regex(/\S/).optional(), many: z.string().regex(/\S/).optional() })
    .describe("{ one: '[Action] [type] \"[title]\"', many: 'Change content' }")
    .default({}),
  committer: z
    .strictObject({ name: z.string().regex(/[\p{L}\p{N}]/u), mail: z.email() })
    .describe('{ name, mail }')
    .optional(),
});

const editingSchema = z.strictObject({
  accountsFile: z
    .string()
    .regex(/[^/\\]$/)
    .describe(`a file, relative to the project or absolute, such as '${DEFAULT_ACCOUNTS_FILE}'`)
    .default(DEFAULT_ACCOUNTS_FILE),
  requireIfMatch: BOOLEAN.default(false),
  onDelete: z.enum(['restrict', 'set-null']).describe("'restrict' or 'set-null'").default('restrict'),
  git: z
    .union([z.literal(false), z.literal(true).transform(() => gitSchema.parse({})), gitSchema])
    .describe('true, false or { commit, branch, push, pull, acknowledge, message, committer }')
    .default(false),
});

const webhookSchema = z
  .strictObject({
    url: z
      .string()
      .refine((url) => VARIABLE.test(url) || (/^https?:\/\//.test(url) && URL.canParse(url)))
      .describe("an http or https URL, or a variable such as 'env:DEPLOY_HOOK'"),
    // A literal secret would be in the repository and in the build.
    secret: z.string().regex(VARIABLE).describe("a variable such as 'env:WEBHOOK_SECRET'").optional(),
    format: z.enum(['json', 'next-drupal']).describe("'json' or 'next-drupal'").default('json'),
    events: z
      .array(z.enum(WEBHOOK_EVENTS))
      .min(1)
      .describe("a list of 'create', 'update' and 'delete'")
      .default([...WEBHOOK_EVENTS]),
  })
  .describe('{ url, secret, format, events }');

const limitsSchema = z.strictObject({
  queryLength: limit('queryLength', 256, 65_536),
  conditions: limit('conditions', 1, 1000),
  includeDepth: limit('includeDepth', 1, 32),
  answerBytes: limit('answerBytes', 1_000_000, 1_000_000_000_000),
  bodyBytes: limit('bodyBytes', 1024, 104_857_600),
  operations: limit('operations', 1, 5000),
  uploadBytes: limit('uploadBytes', 1024, 268_435_456),
  writesPerMinute: limit('writesPerMinute', 1, 1_000_000),
} satisfies Record<LimitOption, z.ZodType>);

const createShape = (routes: readonly Route[]) =>
  z.strictObject({
    contentDir: z
      .string()
      .min(1)
      .describe('a folder, relative to the project or absolute')
      .default('content'),
    bundles: z
      .record(z.string().regex(BUNDLE_NAME), bundleSchema)
      .superRefine(checkFolders)
      .describe("settings by bundle, such as { person: { plural: 'people' }, post: '_posts' }")
      .default({}),
    storage: storageSchema.optional(),
    engine: engineSchema.optional(),
    ignore: z
      .array(
        z
          .string()
          .min(1)
          .refine(isQuickGlob)
          .describe('a glob such as **/*.json, with at most three ** and two * in a name'),
      )
      .describe("a list of globs in the content folder, such as ['drafts/**', '**/*.json']")
      .default([]),
    problems: z
      .strictObject(SEVERITIES)
      .describe("severities by kind, such as { 'file/missing': 'warning', 'body/image-missing': 'off' }")
      .default({}),
    api: z
      .union([
        z.literal(false),
        z.literal(true).transform(() => ({ prefix: '' })),
        z.strictObject({
          prefix: z
            .string()
            .refine((path) => isPrefix(path, routes))
            .describe(
              "a path such as '/cms', which starts with a slash, ends without one, and is not in use",
            ),
        }),
      ])
      .describe("true, false or { prefix: '/cms' }")
      .default({ prefix: '' }),
    static: z
      .union([
        z.literal(false),
        z.strictObject({
          bodies: BOOLEAN.default(true),
          queries: BOOLEAN.default(true),
          documents: z
            .union([z.boolean(), z.int().min(1)])
            .describe('true, false or a number of entities')
            .default(5000),
        }),
      ])
      .describe('false or { bodies, queries, documents }; queries by name are in prebuild')
      .prefault({}),
    drupal: BOOLEAN.default(true),
    danglingReferences: z
      .enum(['error', 'missing'])
      .describe("'error' (the build fails) or 'missing' (the response has a missing resource)")
      .default('error'),
    gitDates: BOOLEAN.default(true),
    timeZone: z
      .string()
      .refine(isTimeZone)
      .describe("the IANA name of a time zone, such as 'Europe/Berlin' or 'UTC'")
      .default('UTC'),
    markdownProcessor: z
      .string()
      .min(1)
      .describe('a module path, relative to the project, or a package')
      .optional(),
    pageSize: pageSizeSchema.describe('{ default, max, unlimited }').prefault({}),
    search: z
      .union([z.literal(false), searchSchema])
      .describe('false or { language, preload }')
      .prefault({}),
    explorer: z
      .union([z.literal('dev'), z.boolean()])
      .describe("'dev' (in `astro dev` only), true (in production too) or false")
      .default('dev'),
    prebuild: z
      .record(z.string().regex(QUERY_NAME), z.string().regex(/^\/[^/]/))
      .describe(
        "queries by name (letters, digits, - and _), each starting with /, such as { recent: '/node/article?sort=-changed' }",
      )
      .default({}),
    indexes: z
      .record(z.string().regex(QUERY_NAME), indexSchema)
      .describe("search indexes by name, such as { articles: { bundles: ['article'] } }")
      .default({}),
    cache: z
      .strictObject({
        maxAge: wholeNumber(0, 31_536_000).default(0),
        memoryMb: z.number().min(0).max(65_536).describe('a number from 0 to 65536').default(32),
      })
      .describe('{ maxAge, memoryMb }')
      .prefault({}),
    cors: z
      .union([z.literal(false), corsSchema])
      .describe(
        "false or { origins, credentials, maxAge, exposeHeaders }; credentials need a list of origins, not '*'",
      )
      .default(false),
    healthPath: z
      .union([z.literal(false), z.string().refine((path) => isFreePath(path, routes))])
      .describe("a lower-case path that the API does not use, such as '/healthz', or false")
      .default(false),
    logging: z
      .strictObject({ requests: BOOLEAN.default(false), changes: BOOLEAN.default(true) })
      .describe('{ requests, changes }')
      .prefault({}),
    roles: rolesSchema
      .describe(
        "roles by name (letters, digits, - and _), such as { author: { permissions: [{ actions: ['update'], bundles: ['article'], where: 'own' }] } }",
      )
      .default({}),
    editing: z
      .union([z.literal(false), z.literal(true).transform(() => editingSchema.parse({})), editingSchema])
      .describe('true, false or { accountsFile, requireIfMatch, onDelete, git }')
      .default(false),
    gitHookSecret: z.string().regex(VARIABLE).describe("a variable such as 'env:GIT_HOOK_SECRET'").optional(),
    webhooks: z.array(webhookSchema).describe("a list such as [{ url: 'env:DEPLOY_HOOK' }]").default([]),
    limits: limitsSchema
      .describe(`{ ${Object.keys(limitsSchema.shape).join(', ')} }`)
      .transform((changed) => ({ ...DEFAULT_LIMITS, ...changed }))
      .prefault({}),
  } satisfies Record<keyof JsonapiOptions, z.ZodType>) satisfies z.ZodType<unknown, JsonapiOptions>;

const createSchema = (routes: readonly Route[]) =>
  createShape(routes).superRefine((options, { addIssue }) => {
    const { api, editing, healthPath, storage, contentDir } = options;
    if (
      storage !== undefined &&
      storage.folder === undefined &&
      /^(?:[/\\]|\.\.|[A-Za-z]:)/.test(contentDir)
    ) {
      const detail = 'set the content folder in the repository, because contentDir is not in the project.';
      addIssue({ code: 'custom', path: ['storage', 'folder'], params: { detail } });
    }
    if (
      storage !== undefined &&
      editing !== false &&
      editing.git !== false &&
      hasCommitSettings(editing.git)
    ) {
      const detail =
        'with option storage, each change is a commit on its branch, and only `message` applies.';
      addIssue({ code: 'custom', path: ['editing', 'git'], params: { detail } });
    }

    const isFollowing = editing !== false && editing.git !== false && editing.git.pull;
    if (options.gitHookSecret !== undefined && storage === undefined && !isFollowing) {
      const detail = 'it needs option storage, or editing.git.pull.';
      addIssue({ code: 'custom', path: ['gitHookSecret'], params: { detail } });
    }
    if (editing !== false && editing.git !== false) {
      const { push, pull, acknowledge, branch } = editing.git;
      const report = (name: string, detail: string) =>
        addIssue({ code: 'custom', path: ['editing', 'git', name], params: { detail } });
      if (pull && push === false) report('pull', 'it needs editing.git.push.');
      if (pull && branch !== undefined)
        report('pull', 'only the branch that is checked out can be followed.');
      if (acknowledge === 'push' && push === false) report('acknowledge', 'it needs editing.git.push.');
    }
    if (api === false && editing !== false) {
      const detail =
        'editing needs the API, because the admin uses it. Write `static: false` to have no files only.';
      addIssue({ code: 'custom', path: ['api'], params: { detail } });
    }
    if (api === false || healthPath === false || !healthPath.startsWith(`${api.prefix}/`)) return;
    if (!isReservedPath(routes, healthPath.slice(api.prefix.length))) return;
    const detail = 'the API has this address.';
    addIssue({ code: 'custom', path: ['healthPath'], params: { detail } });
  });

/** False for options of git, for `ext::`, which starts programs, and with a password, which would be in the build. */
function isGitAddress(address: string): boolean {
  if (/^-|^\w+::/.test(address)) return false;
  if (!URL.canParse(address)) return true;
  const { protocol, username, password } = new URL(address);
  return password === '' && (username === '' || !protocol.startsWith('http'));
}

function isRepositoryName(name: string): boolean {
  return /^[\w.-]+(?:\/[\w.-]+)+$/.test(name) && normalizeKey(name) === name;
}

/** True if a setting differs from its default, other than `message`. */
function hasCommitSettings({ commit, branch, push, pull, acknowledge, committer }: GitOptions): boolean {
  return (
    commit !== 'each' ||
    push !== false ||
    pull ||
    (acknowledge ?? 'file') !== 'file' ||
    (branch ?? committer) !== undefined
  );
}

/** The key under which the integration stores its options as written, for the command line. */
export const OPTIONS_KEY = Symbol.for('astro-jsonapi.options');

/** The options with their defaults. */
export type Options = z.output<ReturnType<typeof createSchema>>;
export type Webhook = z.output<typeof webhookSchema>;
/** Option `storage` if it is set. */
export type Storage = z.output<typeof storageSchema>;
/** Option `engine` if it is set. */
export type Engine = z.output<typeof engineSchema>;
/** Option `editing` if it is on. */
export type Editing = z.output<typeof editingSchema>;
/** Option `editing.git` if it is on. */
export type GitOptions = z.output<typeof gitSchema>;
export type GitInput = z.input<typeof gitSchema>;

/** The beginning of the error about invalid options. */
export const WRONG_OPTIONS = 'astro-jsonapi cannot use its options.';

/**
 * Checks the options. `routes` are all addresses that a path in an option cannot have. Throws one error that names every
 * invalid option and its valid values.
 */
export function parseOptions(input: unknown, routes: readonly Route[]): Options {
  const result = createSchema(routes).safeParse(input ?? {});
  if (result.success) return result.data;
  const problems = result.error.issues.flatMap((issue) => describeIssue(createShape(routes), issue, input));
  throw new Error(`${WRONG_OPTIONS}\n${problems.map((line) => `  ${line}`).join('\n')}`);
}

/** Settings of editing, with their defaults if editing is off: the command line can write to any site. */
export function editingSettings({ editing }: Pick<Options, 'editing'>): Editing {
  return editing === false ? editingSchema.parse({}) : editing;
}

/** One setting of all bundles that have it, by bundle name. */
export function byBundle<Name extends keyof BundleSettings>(
  { bundles }: Pick<Options, 'bundles'>,
  name: Name,
): Readonly<Record<string, NonNullable<BundleSettings[Name]>>> {
  return Object.fromEntries(
    Object.entries(bundles).flatMap(([bundle, { [name]: value }]) =>
      value === undefined ? [] : [[bundle, value]],
    ),
  );
}

/** The files of bundles. */
export function layoutOptions(options: Pick<Options, 'bundles' | 'ignore'>): LayoutOptions {
  return { folders: byBundle(options, 'folder'), ignore: options.ignore };
}

type BundleSettings = z.output<typeof bundleSchema>;

function wholeNumber(min: number, max: number) {
  return z.int().min(min).max(max).describe(`a whole number from ${min} to ${max}`);
}

function limit(name: LimitOption, min: number, max: number) {
  return wholeNumber(min, max).default(DEFAULT_LIMITS[name]);
}

/** Each further wildcard multiplies the time for a long file name by its length. */
function isQuickGlob(glob: string): boolean {
  const stars = (name: string) => name.split('*').length - 1;
  const names = glob.split('/');
  return (
    names.filter((name) => name === '**').length <= 3 &&
    names.every((name) => name === '**' || stars(name) <= 2)
  );
}

/** Whether it is written as browsers write origins: no path, no default port, lower case. */
function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text;
}

function isPrefix(path: string, routes: readonly Route[]): boolean {
  return /^(\/[\w~-][\w.~-]*)+$/.test(path) && !isReservedPath(routes, path);
}

function isFreePath(path: string, routes: readonly Route[]): boolean {
  return /^(\/[a-z0-9._~-]+)+$/.test(path) && !isReservedPath(routes, path);
}

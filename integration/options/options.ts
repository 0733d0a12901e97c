import { z } from 'zod';
import type { Roles } from '../access/role.ts';
import { rolesSchema } from '../access/roles-schema.ts';
import { DEFAULT_ACCOUNTS_FILE } from '../accounts/account.ts';
import { parseAliasPattern } from '../content/decode/alias.ts';
import type { Limits } from '../engine/limits.ts';
import { DEFAULT_LIMITS } from '../engine/limits.ts';
import type { Language } from '../engine/text/languages.ts';
import { LANGUAGES } from '../engine/text/languages.ts';
import type { CorsRules } from '../server/cors.ts';
import type { GitInput } from './option-parts.ts';
import { corsSchema, gitSchema, isHealthPlace, limitsSchema } from './option-parts.ts';
import { describeIssue } from './option-problems.ts';

/** Names that are safe as a file name, a URL segment and a key of an object. */
const QUERY_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]*$/;
const BUNDLE_NAME = /^[A-Za-z0-9_][A-Za-z0-9_-]*$/;

/** The options as written in `astro.config`; all are optional. */
export interface JsonapiOptions {
  /** Folder of the content, relative to the project. Default: `'content'`. */
  readonly contentDir?: string | undefined;
  /** Default and greatest number of entities on a page, up to 10000. Default: 50. */
  readonly maxPageSize?: number | undefined;
  /** Whether `page[limit]=0` answers everything; `false` makes it a 400. Default: true. */
  readonly allowUnlimitedPage?: boolean | undefined;
  /**
   * What one request may ask for, each beyond its limit refused by name: `{ conditions: 200 }`. docs/options.md lists
   * them with their defaults.
   */
  readonly limits?: { readonly [Name in keyof Limits]?: number | undefined } | undefined;
  /**
   * What a reference to nothing is at build time: an `'error'` that ends the build, or a `'missing'` resource. A
   * running server always answers `missing`. Default: `'error'`.
   */
  readonly danglingReferences?: 'error' | 'missing' | undefined;
  /** By bundle, the `status` words that mean published where `status` is text: `{ eip: ['Final', 'Living'] }`. */
  readonly published?: Readonly<Record<string, readonly string[]>> | undefined;
  /** By bundle, its plural in `/api/content/{plural}` where the English rule is not wanted: `{ person: 'people' }`. */
  readonly plurals?: Readonly<Record<string, string>> | undefined;
  /**
   * By bundle, the alias (`path.alias`) of entities whose file gives none: `{ article: '/journal/[created:Y]/[id]' }`.
   * Tokens are `[id]`, `[title]` and every other single field; `:Y`, `:m` and `:d` take a part of a date.
   */
  readonly aliases?: Readonly<Record<string, string>> | undefined;
  /**
   * Full-text search: the language whose word forms count as one word, `'none'` for words as they are written; or
   * `false` for no search at all. Default: the language of the
   * site's default locale, `'none'` where its word forms are not known. With `warm` a server reads the words while nobody
   * asks, rather than at the first search of a bundle.
   */
  readonly fulltext?:
    | false
    | { readonly language?: Language | undefined; readonly warm?: boolean | undefined }
    | undefined;
  /**
   * Where the query explorer is on, at `/jsonapi-explorer`: in `astro dev` only (`'dev'`), in production too
   * (`true`), or nowhere (`false`). Default: `'dev'`.
   */
  readonly explorer?: 'dev' | boolean | undefined;
  /**
   * Seconds for which browsers and proxies may use an answer to anonymous without asking again, less where
   * `publish_on` or `unpublish_on` changes the content before. Default: 0, they ask each time, by `ETag`.
   */
  readonly maxAge?: number | undefined;
  /** Megabytes for answers and parts of answers that are kept for the next request. Default: 32. */
  readonly cacheSize?: number | undefined;
  /**
   * Which other origins' pages may read the answers of a server in a browser: `{ origins: ['https://app.example'] }`,
   * or `{ origins: '*' }` for all. `credentials` lets them send cookies, to listed origins only; `maxAge` is how many
   * seconds a browser keeps a preflight (600); `exposeHeaders` are the response headers that scripts may read
   * (`Allow`, `ETag`, `Location`). Default: false.
   */
  readonly cors?:
    | false
    | (Pick<CorsRules, 'origins'> & OptionalParts<Omit<CorsRules, 'origins'>>)
    | undefined;
  /** Path of a server's health route, in lower case; false for none. Default: `'/healthz'`. */
  readonly health?: string | false | undefined;
  /** Whether a server prints a line of JSON for every request that it answers here. Default: false. */
  readonly requestLog?: boolean | undefined;
  /** Whether the API refuses to change content. It never changes any where the site has no adapter. Default: false. */
  readonly readOnly?: boolean | undefined;
  /** Whether changes of an entity need the header `If-Match` (else 428), so that nobody overwrites unread changes. Default: false. */
  readonly requireMatch?: boolean | undefined;
  /**
   * What happens to references to an entity that is removed: they forbid it (409), or are emptied in their files.
   * Default: `'refuse'`.
   */
  readonly onRemove?: 'refuse' | 'clear' | undefined;
  /**
   * Whether a change over HTTP becomes a git commit by the account that made it: `true` for one each, on the branch that is
   * checked out. Else what differs from that: `commit: { quiet: 60 }` for one after so many seconds without a change,
   * `branch` for another branch, `push` to a remote, `acknowledge: 'commit'` for answers that name a job, `message` and
   * `committer`. docs/git.md has examples. Default: false.
   */
  readonly git?: boolean | GitInput | undefined;
  /**
   * File of the accounts, relative to the project, outside of its content, of `public/` and of what is built.
   * Default: `'.astro-jsonapi/accounts.json'`.
   */
  readonly accounts?: string | undefined;
  /** What a site without a server prebuilds besides every collection and resource. */
  readonly static?:
    | {
        /** Queries by name, each written with all its pages as `/jsonapi/q/<name>[.N].json`. */
        readonly queries?: Readonly<Record<string, string>> | undefined;
      }
    | undefined;
  /**
   * Who may do what, by the name of the role: `{ author: { permissions: [{ actions: ['update'], bundles: ['article'],
   * where: 'own' }] } }`. An account has what any of its roles allows. `anonymous`, `authenticated`, `editor` and
   * `administrator` are built in; written here, the first three are as written. docs/roles.md has examples.
   */
  readonly roles?: Roles | undefined;
  /**
   * Module whose default export is a markdown processor, for bodies that change after the build of a server;
   * needed only where the site has its own processor or plugins.
   */
  readonly markdown?: string | undefined;
  /** Whether `created` and `changed` come from git where frontmatter has none. Default: true. */
  readonly gitDates?: boolean | undefined;
  /**
   * Whether to print what was inferred and a line for each content change; problems are always printed.
   * Default: true.
   */
  readonly log?: boolean | undefined;
}

/** The options of `jsonapi()`. Every description ends a sentence that begins "Valid: ". */
const optionsSchema = z.strictObject({
  contentDir: z.string().min(1).default('content').describe('a folder, relative to the project or absolute'),
  maxPageSize: z.int().min(1).max(10_000).default(50).describe('a whole number from 1 to 10000'),
  allowUnlimitedPage: z.boolean().default(true).describe('true or false'),
  limits: limitsSchema.prefault({}).describe(`{ ${Object.keys(DEFAULT_LIMITS).join(', ')} }`),
  danglingReferences: z
    .enum(['error', 'missing'])
    .default('error')
    .describe("'error' (the build fails) or 'missing' (answered as a missing resource)"),
  published: z
    .record(z.string().regex(BUNDLE_NAME), z.array(z.string().min(1)).min(1))
    .default({})
    .describe("lists of status words by bundle, such as { eip: ['Final', 'Living'] }"),
  plurals: z
    .record(z.string().regex(BUNDLE_NAME), z.string().regex(BUNDLE_NAME))
    .default({})
    .describe("plurals by bundle, such as { person: 'people' }"),
  aliases: z
    .record(
      z.string().regex(BUNDLE_NAME),
      z.string().refine((pattern) => parseAliasPattern(pattern) !== undefined),
    )
    .default({})
    .describe(
      "patterns by bundle, each beginning with /, with tokens such as [id], [title] and [created:Y], such as { article: '/journal/[id]' }",
    ),
  fulltext: z
    .union([
      z.literal(false),
      z.strictObject({
        language: z.enum([...LANGUAGES, 'none']).optional(),
        warm: z.boolean().optional(),
      }),
    ])
    .prefault({})
    .describe(
      `{ language } with one of ${[...LANGUAGES, 'none'].join(', ')}, { warm } with true or false; or false`,
    ),
  explorer: z
    .union([z.literal('dev'), z.boolean()])
    .default('dev')
    .describe("'dev' (in `astro dev` only), true (in production too) or false"),
  maxAge: z.int().min(0).max(31_536_000).default(0).describe('whole seconds from 0 to 31536000, a year'),
  cacheSize: z.number().min(0).max(65_536).default(32).describe('megabytes from 0 to 65536'),
  cors: z
    .union([z.literal(false), corsSchema])
    .default(false)
    .describe(
      "false, or { origins: '*' } or { origins: ['https://app.example'] }, with maxAge (whole seconds up to 86400), exposeHeaders (names) and, for listed origins only, credentials (true or false)",
    ),
  health: z
    .union([z.literal(false), z.string().refine(isHealthPlace)])
    .default('/healthz')
    .describe("a path in lower case that nothing else of the API has, such as '/healthz', or false"),
  requestLog: z.boolean().default(false).describe('true or false'),
  readOnly: z.boolean().default(false).describe('true or false'),
  requireMatch: z.boolean().default(false).describe('true or false'),
  onRemove: z.enum(['refuse', 'clear']).default('refuse').describe("'refuse' or 'clear'"),
  git: z
    .union([z.literal(false), z.literal(true).transform(() => gitSchema.parse({})), gitSchema])
    .default(false)
    .describe(
      "true, false, or { commit: 'each' or { quiet: seconds up to 86400 }, branch: 'name', push: true or { remote: 'name', branch: 'name' }, acknowledge: 'file' or 'commit', message: { one: '[Action] [type] \"[title]\"', many: 'Change content' }, committer: { name, mail } }, each of which may be left out",
    ),
  accounts: z
    .string()
    .regex(/[^/\\]$/)
    .default(DEFAULT_ACCOUNTS_FILE)
    .describe(`a file, relative to the project or absolute, such as '${DEFAULT_ACCOUNTS_FILE}'`),
  static: z
    .strictObject({
      queries: z
        .record(z.string().regex(QUERY_NAME), z.string().regex(/^\/[^/]/))
        .default({})
        .describe(
          "queries by name (letters, digits, - and _), each beginning with /, such as { recent: '/node/article?sort=-changed' }",
        ),
    })
    .prefault({})
    .describe("{ queries: { name: '/node/article?filter…' } }"),
  roles: rolesSchema
    .default({})
    .describe(
      "roles by name (letters, digits, - and _), such as { author: { permissions: [{ actions: ['update'], bundles: ['article'], where: 'own' }] } }",
    ),
  markdown: z.string().min(1).optional().describe('a module path, relative to the project or a package'),
  gitDates: z.boolean().default(true).describe('true or false'),
  log: z.boolean().default(true).describe('true or false'),
} satisfies Record<keyof JsonapiOptions, z.ZodType>) satisfies z.ZodType<unknown, JsonapiOptions>;

type OptionalParts<T> = { readonly [Name in keyof T]?: T[Name] | undefined };

/** Under this key the integration carries its options as written, for the command line to find them. */
export const OPTIONS_KEY = Symbol.for('astro-jsonapi.options');

/** The options with their defaults. */
export type Options = z.output<typeof optionsSchema>;

/** How the error about wrong options begins. */
export const WRONG_OPTIONS = 'astro-jsonapi cannot use its options.';

/** Checks the options. Throws one error that names every bad option and what is valid for it. */
export function parseOptions(input: unknown): Options {
  const result = optionsSchema.safeParse(input ?? {});
  if (result.success) return result.data;
  const problems = result.error.issues.flatMap((issue) => describeIssue(optionsSchema, issue, input));
  throw new Error(`${WRONG_OPTIONS}\n${problems.map((line) => `  ${line}`).join('\n')}`);
}

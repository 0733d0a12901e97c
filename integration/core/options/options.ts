import { z } from 'zod';
import type { Roles } from '../access/role.ts';
import { rolesSchema } from '../access/roles-schema.ts';
import { routesOf } from '../api/features.ts';
import type { ContentFeature } from '../api/request.ts';
import { isReservedPath, type Route } from '../api/routes.ts';
import { PROBLEM_KINDS, PROBLEM_SEVERITIES, type Severities } from '../content/diagnostics/problem-kinds.ts';
import type { LayoutOptions } from '../content/layout.ts';
import { DEFAULT_LIMITS, type LimitOption } from '../engine/limits.ts';
import { LANGUAGES, type Language } from '../engine/text/languages.ts';
import { type FieldBoost, foldAccents, parseSearch } from '../engine/text/words.ts';
import { isTimeZone } from '../source/time-zone.ts';
import { type BundleOptions, bundleSchema, checkFolders } from './bundle-options.ts';
import { BOOLEAN, BUNDLE_NAME, wholeNumber } from './fields.ts';
import { describeIssue } from './option-problems.ts';
import { mergeShapes, type OptionShape, schemaOf } from './option-shape.ts';

/** The options of the core, all optional. */
export interface CoreOptions {
  /** Content folder, relative to the project root. Default: `'content'`, or `'src/content'` if only that exists. */
  readonly contentDir?: string | undefined;
  /** Settings of single bundles, by bundle name; a string is a `folder`. Default: `{}`. */
  readonly bundles?: Readonly<Record<string, BundleOptions | string>> | undefined;
  /** Globs of files in the content folder that are not entities, such as `['drafts/**']`. Default: `[]`. */
  readonly ignore?: readonly string[] | undefined;
  /**
   * Severities by kind of problem, such as `{ 'file/missing': 'warning' }`. `npx astro-jsonapi check --json` prints the kinds
   * as `code`. Default: `{}`.
   */
  readonly problems?: Severities | undefined;
  /** The HTTP API and its static files; `false` for queries in pages only. Default: `{ prefix: '' }`, like `true`. */
  readonly api?: boolean | ApiOptions | undefined;
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
  /** Limits of a single request. */
  readonly limits?: { readonly [Name in LimitOption]?: number | undefined } | undefined;
}

/**
 * The options of `jsonapi()`, all optional. docs/options.md has an example of each. Features add theirs here and to `Options`,
 * with `declare module`.
 */
export interface JsonapiOptions extends CoreOptions {}

export interface ApiOptions {
  /** A path that precedes `/jsonapi`, `/api/content` and `/jsonapi-explorer`, such as `'/cms'`. Default: `''`. */
  readonly prefix: string;
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
  /** By language: groups of words, each of which also finds the others in a search with the operator SEARCH. Default: none. */
  readonly synonyms?: Readonly<Record<string, readonly (readonly string[])[]>> | undefined;
  /** By language: words that such a search leaves out, if it has others. Default: none. */
  readonly stopWords?: Readonly<Record<string, readonly string[]>> | undefined;
  /** By bundle: a field with dates or numbers that ranks new or popular entities higher in searches. Default: none. */
  readonly boost?: Readonly<Record<string, BoostOptions>> | undefined;
}

/** `weight` is 1 by default. */
type BoostOptions = Omit<FieldBoost, 'weight'> & { readonly weight?: number | undefined };

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
  /** Require `If-Match` for every change (428 without it). Default: `false`. */
  readonly requireIfMatch?: boolean | undefined;
  /** Deleting a referenced entity: refuse with 409, or remove the references to it. Default: `'restrict'`. */
  readonly onDelete?: 'restrict' | 'set-null' | undefined;
}

const DEFAULT_PAGE_SIZE = 50;

const severitySchema = z.enum(PROBLEM_SEVERITIES).describe("'error', 'warning' or 'off'").optional();
const SEVERITIES = Object.fromEntries(PROBLEM_KINDS.map((kind) => [kind, severitySchema])) as Record<
  (typeof PROBLEM_KINDS)[number],
  typeof severitySchema
>;

const pageSizeSchema = z
  .strictObject({
    default: wholeNumber(1, 10_000).optional(),
    max: wholeNumber(1, 10_000).default(DEFAULT_PAGE_SIZE),
    unlimited: BOOLEAN.default(true),
  })
  .superRefine(({ default: size = 1, max }, { addIssue }) => {
    if (size <= max) return;
    addIssue({ code: 'custom', path: ['default'], params: { detail: greaterThan(max) } });
  })
  .transform(({ default: size, max, unlimited }) => ({
    default: size ?? Math.min(DEFAULT_PAGE_SIZE, max),
    max,
    unlimited,
  }));

/** Words of a group: a search looks for all of them. */
const MAX_SYNONYMS = 32;
const SYNONYMS = `a list of 2 to ${MAX_SYNONYMS} words`;

const searchWord = z
  .string()
  .refine((word) => parseSearch(word).required.length === 1)
  .describe("one word, such as 'car'");

const boostSchema = z
  .strictObject({
    field: z.string().min(1).describe('the name of a field'),
    halfLifeDays: z.number().min(1).max(36_525).describe('a number of days from 1 to 36525').optional(),
    weight: z.number().gt(0).max(100).describe('a number above 0 and up to 100').default(1),
  })
  .describe('{ field, halfLifeDays, weight }');

const searchSchema = z.strictObject({
  language: z
    .enum([...LANGUAGES, 'none'])
    .describe(`one of ${[...LANGUAGES, 'none'].join(', ')}`)
    .optional(),
  preload: BOOLEAN.default(false),
  synonyms: z
    .record(z.string(), z.array(z.array(searchWord).min(2).max(MAX_SYNONYMS).describe(SYNONYMS)))
    .describe("groups of words by language, such as { en: [['car', 'automobile']] }")
    .optional(),
  stopWords: z
    .record(z.string(), z.array(searchWord.transform((word) => foldAccents(parseSearch(word).required[0]!))))
    .describe("words by language, such as { en: ['the', 'of'] }")
    .optional(),
  boost: z
    .record(z.string(), boostSchema)
    .describe("a field by bundle, such as { article: { field: 'created', halfLifeDays: 180 } }")
    .optional(),
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

const EDITING = {
  requireIfMatch: BOOLEAN.default(false),
  onDelete: z.enum(['restrict', 'set-null']).describe("'restrict' or 'set-null'").default('restrict'),
};

/** The options of the core but `editing`. Descriptions complete the sentence "Valid: …" of an error message. */
const createFields = (routes: readonly Route[]) =>
  ({
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
      .describe('false or { language, preload, synonyms, stopWords, boost }')
      .prefault({}),
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
    limits: limitsSchema
      .describe(`{ ${Object.keys(limitsSchema.shape).join(', ')} }`)
      .transform((changed) => ({ ...DEFAULT_LIMITS, ...changed }))
      .prefault({}),
  }) satisfies OptionFields<Exclude<keyof CoreOptions, 'editing'>>;

/** The key under which the integration stores its options as written, for the command line. */
export const OPTIONS_KEY = Symbol.for('astro-jsonapi.options');

/** The options with their defaults. */
export interface Options extends z.output<z.ZodObject<ReturnType<typeof createFields>>> {
  editing: false | Editing;
}

/** Option `editing` if it is on. */
export interface Editing extends z.output<z.ZodObject<typeof EDITING>> {}

/** Fields of options of `jsonapi()`. */
export type OptionFields<Name extends keyof JsonapiOptions> = {
  readonly [Each in Name]: z.ZodType<unknown, JsonapiOptions[Each]>;
};

/** Fields of options in `editing`. */
export type EditingFields<Name extends keyof EditingOptions> = {
  readonly [Each in Name]: z.ZodType<unknown, EditingOptions[Each]>;
};

/** What owns options: a feature. */
export interface OptionOwner extends ContentFeature {
  /**
   * Its options. Their metadata can say `secret: true`, if no message may show their values, and `replaces`, the earlier name
   * of the option.
   */
  readonly options?: OptionShape;
  /** Reports options that do not fit together. They have been parsed. */
  checkOptions?(options: Options, report: ReportOption): void;
}

/** `option` is a path such as `editing.git`. */
export type ReportOption = (option: string, detail: string) => void;

/** The beginning of the error about invalid options. */
export const WRONG_OPTIONS = 'astro-jsonapi cannot use its options.';

/** Checks the options of a site with these features. Throws one error that names every invalid option and its valid values. */
export function parseOptions(input: unknown, features: readonly OptionOwner[]): Options {
  const owners = [createCore(routesOf(features)), ...features];
  const schema = schemaOf(mergeShapes(owners));
  const result = schema
    .superRefine((parsed, { addIssue }) => {
      const report: ReportOption = (option, detail) =>
        addIssue({ code: 'custom', path: option.split('.'), params: { detail } });
      for (const owner of owners) owner.checkOptions?.(parsed as unknown as Options, report);
    })
    .safeParse(input ?? {});
  if (result.success) return result.data as unknown as Options;
  const problems = result.error.issues.flatMap((issue) => describeIssue(schema, issue, input));
  const error = new Error(`${WRONG_OPTIONS}\n${problems.map((line) => `  ${line}`).join('\n')}`);
  // Astro adds a hint about browsers to each error whose string contains "document", as in `static.documents`.
  error.toString = () => error.name;
  throw error;
}

function createCore(routes: readonly Route[]): OptionOwner {
  return {
    name: 'core',
    options: { ...createFields(routes), editing: EDITING },
    checkOptions({ api, bundles, editing, healthPath, pageSize: { max } }, report) {
      for (const [bundle, { defaults: { pageSize = 1 } = {} }] of Object.entries(bundles)) {
        if (pageSize <= max) continue;
        report(`bundles.${bundle}.defaults.pageSize`, greaterThan(max));
      }
      if (api === false && editing !== false) {
        report(
          'api',
          'editing needs the API, because the admin uses it. Write `static: false` to have no files only.',
        );
      }
      if (api === false || healthPath === false || !healthPath.startsWith(`${api.prefix}/`)) return;
      if (isReservedPath(routes, healthPath.slice(api.prefix.length))) {
        report('healthPath', 'the API has this address.');
      }
    },
  };
}

/** The settings of the core of editing, with their defaults if editing is off: the command line can write to any site. */
export function editingSettings({
  editing,
}: Pick<Options, 'editing'>): z.output<z.ZodObject<typeof EDITING>> {
  return editing === false ? z.object(EDITING).parse({}) : editing;
}

/** True if a site sets an option that belongs to a feature, which the site may not have. */
export function hasOption(options: Options, name: string): boolean {
  const value: unknown = Reflect.get(options, name);
  return value !== undefined && (!Array.isArray(value) || value.length > 0);
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

function greaterThan(max: number): string {
  return `it cannot be greater than pageSize.max, which is ${max}.`;
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

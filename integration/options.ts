import { z } from 'zod';

/** Names that are safe as a file name, a URL segment and a key of an object. */
const QUERY_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]*$/;
const BUNDLE_NAME = /^[A-Za-z0-9_][A-Za-z0-9_-]*$/;

/** The options of `jsonapi()`. Every description ends a sentence that begins "Valid: ". */
const optionsSchema = z.strictObject({
  /** Folder of the content, relative to the project. */
  contentDir: z.string().min(1).default('content').describe('a folder, relative to the project or absolute'),
  /** Default and greatest number of entities on a page. */
  maxPageSize: z.int().min(1).max(10_000).default(50).describe('a whole number from 1 to 10000'),
  /** Whether `page[limit]=0` answers everything; `false` makes it a 400. */
  allowUnlimitedPage: z.boolean().default(true).describe('true or false'),
  /** What a reference to nothing is at build time; a running server always answers `missing`. */
  danglingReferences: z
    .enum(['error', 'missing'])
    .default('error')
    .describe("'error' (the build fails) or 'missing' (answered as a missing resource)"),
  /** By bundle, the `status` words that mean published where `status` is text. */
  published: z
    .record(z.string().regex(BUNDLE_NAME), z.array(z.string().min(1)).min(1))
    .default({})
    .describe("lists of status words by bundle, such as { eip: ['Final', 'Living'] }"),
  /** By bundle, its plural in `/api/content/{plural}` where the English rule is not wanted. */
  plurals: z
    .record(z.string().regex(BUNDLE_NAME), z.string().regex(BUNDLE_NAME))
    .default({})
    .describe("plurals by bundle, such as { person: 'people' }"),
  /** Where the query explorer is served at `/jsonapi-explorer`. */
  explorer: z
    .union([z.literal('dev'), z.boolean()])
    .default('dev')
    .describe("'dev' (in `astro dev` only), true (in production too) or false"),
  /** What a site without a server prebuilds besides every collection and resource. */
  static: z
    .strictObject({
      /** Queries by name, each written with all its pages as `/jsonapi/q/<name>[.N].json`. */
      queries: z
        .record(z.string().regex(QUERY_NAME), z.string().regex(/^\/[^/]/))
        .default({})
        .describe(
          "queries by name (letters, digits, - and _), such as { recent: '/node/article?sort=-changed' }",
        ),
    })
    .prefault({})
    .describe("{ queries: { name: '/node/article?filter…' } }"),
  /**
   * Module whose default export is a markdown processor, for bodies that change after the build of a server;
   * needed only where the site has its own processor or plugins.
   */
  markdown: z.string().min(1).optional().describe('a module path, relative to the project or a package'),
  /** Whether `created` and `changed` come from git where frontmatter has none. */
  gitDates: z.boolean().default(true).describe('true or false'),
  /** Whether to print the inference report and a line for each content change; problems are always printed. */
  log: z.boolean().default(true).describe('true or false'),
});

/** The options as written in `astro.config`; all are optional. */
export type JsonapiOptions = z.input<typeof optionsSchema>;

/** The options with their defaults. */
export type Options = z.output<typeof optionsSchema>;

/** Checks the options. Throws one error that names every bad option and what is valid for it. */
export function parseOptions(input: unknown): Options {
  const result = optionsSchema.safeParse(input ?? {});
  if (result.success) return result.data;
  const problems = result.error.issues.flatMap(describeIssue);
  throw new Error(`astro-jsonapi cannot use its options.\n${problems.map((line) => `  ${line}`).join('\n')}`);
}

function describeIssue(issue: z.core.$ZodIssue): readonly string[] {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    const valid = path.length === 0 ? Object.keys(optionsSchema.shape).join(', ') : validFor(path);
    return issue.keys.map((key) => `Option ${[...path, key].join('.')} is unknown. Valid: ${valid}.`);
  }
  if (path.length === 0) return ['The options must be an object.'];
  return [`Option ${path.join('.')}: ${issue.message}. Valid: ${validFor(path)}.`];
}

/** The description of the deepest option that encloses the path. */
function validFor(path: readonly string[]): string {
  let schema: z.ZodType = optionsSchema;
  let description = '';
  for (const segment of path) {
    const inner = unwrap(schema);
    if (!(inner instanceof z.ZodObject)) break;
    const next: unknown = inner.shape[segment];
    if (!(next instanceof z.ZodType)) break;
    schema = next;
    description = next.description ?? description;
  }
  return description;
}

function unwrap(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault || schema instanceof z.ZodOptional) {
    const inner: unknown = schema.unwrap();
    if (inner instanceof z.ZodType) return unwrap(inner);
  }
  return schema;
}

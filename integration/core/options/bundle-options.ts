import { z } from 'zod';
import { parseAliasPattern } from '../content/decode/alias.ts';
import { startOf } from '../content/layout.ts';
import { type FieldOptions, isFieldName } from '../content/resource-type.ts';
import { hasMeaning } from '../content/usual-names.ts';
import type { QueryNode } from '../engine/parse/query-string.ts';
import { BOOLEAN, BUNDLE_NAME, folderSchema, wholeNumber } from './fields.ts';

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
  /**
   * Public names of fields, by their usual names, and `false` for fields that the API leaves out: `{ text: 'teaser', notes: false }`.
   * Queries in pages use the same names, and still return fields that are left out. Default: none.
   */
  readonly fields?: Readonly<Record<string, string | false>> | undefined;
  /** What JSON:API uses for parameters that a request does not send: `{ include: ['field_author'], pageSize: 20 }`. Default: none. */
  readonly defaults?: BundleDefaults | undefined;
  /** `false` keeps the bundle out of the API and its files. Queries in pages still return it. Default: `true`. */
  readonly api?: boolean | undefined;
}

export interface BundleDefaults {
  /** Paths that lists and single entities include, such as `['field_author', 'field_tags']`. Default: none. */
  readonly include?: readonly string[] | undefined;
  /** Conditions of lists, in the forms of the parameter `filter`: `{ 'field_tags.title': 'tides' }`. Default: none. */
  readonly filter?: Readonly<Record<string, FilterOption>> | undefined;
  /** Entities per page. Default: `pageSize.default`. */
  readonly pageSize?: number | undefined;
}

/** A value of a filter, a list, or members such as `operator` and `value`. */
export type FilterOption =
  | string
  | number
  | boolean
  | readonly FilterOption[]
  | { readonly [member: string]: FilterOption };

const filterSchema: z.ZodType<QueryNode, FilterOption> = z.union([
  z.union([z.string(), z.number(), z.boolean()]).transform((value): QueryNode => [String(value)]),
  // A list without values is a condition that nothing could have sent.
  z
    .array(z.lazy(() => filterSchema))
    .min(1)
    .transform((values): QueryNode => Object.fromEntries(values.entries())),
  z
    .record(
      z.string(),
      z.lazy(() => filterSchema),
    )
    .refine((members) => Object.keys(members).length > 0),
]);

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
    fields: z
      .record(z.string(), z.union([z.literal(false), z.string().refine(isFieldName)]))
      .superRefine(checkFieldNames)
      .describe("names such as { text: 'teaser' }, with letters, digits, - and _; false leaves a field out")
      .optional(),
    defaults: z
      .strictObject({
        include: z
          .array(z.string().regex(/^[^\s,]+$/))
          .describe("a list of paths, such as ['field_author']")
          .optional(),
        filter: z
          .record(z.string(), filterSchema)
          .describe("conditions such as { status: true, rank: { operator: '>', value: 3 } }")
          .optional(),
        pageSize: wholeNumber(1, 10_000).optional(),
      })
      .describe('{ include, filter, pageSize }')
      .optional(),
    api: BOOLEAN.optional(),
  })
  .describe('{ folder, plural, title, alias, publishedStatuses, fields, defaults, api }');

/** The settings of a bundle. */
export const bundleSchema = z.union([
  folderSchema.transform((folder): z.output<typeof bundleObject> => ({ folder })),
  bundleObject,
]);

/** Reports names of two fields, and fields that keep their names because of their meaning. */
function checkFieldNames(fields: FieldOptions, { addIssue }: z.core.$RefinementCtx): void {
  const owners = new Map<string, string>();
  const report = (field: string, detail: string) =>
    addIssue({ code: 'custom', path: [field], params: { detail } });
  for (const [field, name] of Object.entries(fields)) {
    if (name === false) continue;
    const owner = owners.get(name);
    owners.set(name, field);
    if (owner !== undefined) report(field, `"${name}" is the name of "${owner}" already.`);
    for (const each of [field, name]) {
      if (!hasMeaning(each)) continue;
      report(
        field,
        `"${each}" has a meaning in every bundle, so no other field can have that name, and it can only be left out.`,
      );
    }
  }
}

/** Throws for two bundles with one folder. */
export function checkFolders(
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

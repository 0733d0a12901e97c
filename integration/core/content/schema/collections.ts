import { z } from 'zod';
import { isRecord } from '../../util/json.ts';
import { isPublicationFlag } from '../decode/publication.ts';
import type { LayoutOptions } from '../layout.ts';
import { type BundleFields, fieldBrandOf, image, type SchemaDefinition } from './schema.ts';
import { objectsAround, wrappedType } from './schema-rules.ts';

/** Which content collections of Astro are bundles. Plain data, which a build writes into the server. */
export interface CollectionMapping {
  /** The config relative to the content folder: `../content.config.ts`. */
  readonly file: string;
  /** By bundle, which is the name of the collection. */
  readonly bundles: Readonly<Record<string, CollectionFiles>>;
  /** What of the config is not used, and why. */
  readonly notes: readonly CollectionNote[];
}

export interface CollectionNote {
  readonly severity: 'info' | 'warning';
  readonly message: string;
}

export interface CollectionFiles {
  /** Relative to the content folder; empty for the content folder itself. */
  readonly folder: string;
  /** Globs in the folder; those with a leading `!` exclude files. */
  readonly patterns: readonly string[];
}

/**
 * The schema of the collections of a `src/content.config.ts`. The API has values as they are in the files, so transforms
 * of the output are left out. A collection that is not understood is inferred.
 */
export function collectionsSchema(collections: unknown, mapping: CollectionMapping): SchemaDefinition {
  const notes = [...mapping.notes];
  const bundles: Record<string, z.ZodObject> = {};
  for (const name of Object.keys(mapping.bundles)) {
    const fields = collectionFields(name, collections, mapping, (severity, message) =>
      notes.push({ severity, message }),
    );
    if (fields !== undefined) bundles[name] = fields;
  }
  Object.defineProperty(bundles, ORIGIN, { value: { ...mapping, notes } satisfies CollectionMapping });
  return bundles;
}

/** The collections that a schema comes from; undefined for a `content/schema.ts`. */
export function collectionsOf(schema: unknown): CollectionMapping | undefined {
  return typeof schema === 'object' && schema !== null ? Reflect.get(schema, ORIGIN) : undefined;
}

/** The layout of a site with these collections. Options of the site win. */
export function collectionsLayout(layout: LayoutOptions, schema: unknown): LayoutOptions {
  const named = new Set(Object.values(layout.folders));
  const bundles = Object.entries(collectionsOf(schema)?.bundles ?? {}).filter(
    ([name, { folder }]) => !Object.hasOwn(layout.folders, name) && !named.has(folder),
  );
  if (bundles.length === 0) return layout;
  return {
    ...layout,
    folders: {
      ...layout.folders,
      ...Object.fromEntries(bundles.map(([name, files]) => [name, folderOf(files)])),
    },
    patterns: Object.fromEntries(bundles.map(([name, { patterns }]) => [name, patterns])),
  };
}

/** `**` in the content folder itself means all files in folders of no other bundle. */
function folderOf({ folder, patterns }: CollectionFiles): string {
  return folder === '' && patterns.some((pattern) => pattern.includes('**')) ? '**' : folder;
}

// Modules of a built server may exist twice.
const ORIGIN = Symbol.for('astro-jsonapi collections');

type Note = (...note: [CollectionNote['severity'], message: string]) => void;

/** The fields of a collection; undefined to infer them. */
function collectionFields(
  name: string,
  collections: unknown,
  { bundles }: CollectionMapping,
  note: Note,
): z.ZodObject | undefined {
  const config = isRecord(collections) ? collections[name] : undefined;
  const written = isRecord(config) ? config.schema : undefined;
  if (written === undefined) return undefined;
  const infer = (reason: string) => {
    const limit = 'a file is published unless it has `draft: true` itself';
    note(
      'warning',
      `The fields of the collection \`${name}\` are inferred, and ${limit}, because ${reason}.`,
    );
    return undefined;
  };
  try {
    const schema: unknown = typeof written === 'function' ? written({ image: collectionImage }) : written;
    if (!isZodType(schema)) return infer('its schema is not a type of zod 4, such as a z.object()');
    const transformed: string[] = [];
    const untyped: string[] = [];
    const context: ReadingContext = { bundles, transformed, untyped, outer: [] };
    const object = objectOf(asWritten(schema, '', context)) as z.ZodObject | undefined;
    if (object === undefined) return infer('its schema is not a z.object()');
    if (transformed.includes('')) {
      const limit = 'so a `draft` that it sets hides no file';
      const fix = 'Set it in the files, or in a transform of the field `draft`';
      note(
        'warning',
        `The transform of whole entries of \`${name}\` runs in \`getCollection\` only, ${limit}. ${fix}.`,
      );
    }
    const fields = listed(transformed.filter((field) => field !== ''));
    if (fields !== '') {
      note(
        'info',
        `In the bundle \`${name}\`, transforms run in \`getCollection\` only, so these fields are as in the files: ${fields}.`,
      );
    }
    for (const each of untyped) note('info', `In the bundle \`${name}\`, ${each}.`);
    // Rules across fields may expect what a transform returns.
    return transformed.length + untyped.length > 0 ? z.object(object._zod.def.shape) : object;
  } catch (error) {
    return infer(`its schema throws: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Astro's `image()`. Checks of the image, such as its width, expect what Astro makes of it. */
function collectionImage(): z.ZodType {
  const type = image();
  const same = () => type;
  return Object.assign(type, { check: same, refine: same, superRefine: same, transform: same });
}

/** The type of values in files: without transforms of the output, which only Astro's own collections have. */
function asWritten(type: z.core.$ZodType, field: string, context: ReadingContext): z.core.$ZodType {
  const inner = (part: z.core.$ZodType, name = field) => asWritten(part, name, context);
  const brand = fieldBrandOf(type);
  if (brand !== undefined) {
    const foreign = brand.targets.find((target) => !Object.hasOwn(context.bundles, target));
    if (foreign === undefined) return type;
    context.untyped.push(`\`${field}\` is a string, because the collection \`${foreign}\` is not a bundle`);
    return z.coerce.string();
  }
  const { def } = (type as z.core.$ZodTypes)._zod;
  if (wrappedType(type) !== undefined) return changed(type, { innerType: inner(wrappedType(type)!) });
  switch (def.type) {
    case 'array':
      return changed(type, { element: inner(def.element) });
    case 'object': {
      const outer = objectsAround(type, context.outer);
      // Its own transforms would run.
      if (outer === undefined) return z.unknown();
      const parts = Object.entries(def.shape).map(([name, part]) => {
        const path = field === '' ? name : `${field}.${name}`;
        return [name, asWritten(part, path, { ...context, outer })] as const;
      });
      const isSame = parts.every(([name, part]) => part === def.shape[name]);
      return isSame ? type : changed(type, { shape: Object.fromEntries(parts) });
    }
    case 'union': {
      const options = def.options.map((option) => inner(option));
      // `Now` among dates is a string, unless a transform makes a date of it.
      const keepsStrings = !context.isInput && options.some((option) => option._zod.def.type === 'date');
      return (keepsStrings ? undefined : commonType(options)) ?? type;
    }
    case 'pipe':
      if (def.out._zod.def.type !== 'transform') return type;
      // What the transform of a flag returns decides whether visitors see the file.
      if (isPublicationFlag(field) && (field !== 'published' || isBoolean(def.in))) {
        return z.pipe(type, z.boolean());
      }
      context.transformed.push(field);
      return asWritten(def.in, field, { ...context, isInput: true });
    default:
      return type;
  }
}

/** `published` can also be a date. */
function isBoolean(type: z.core.$ZodType): boolean {
  const wrapped = wrappedType(type);
  return wrapped === undefined ? type._zod.def.type === 'boolean' : isBoolean(wrapped);
}

interface ReadingContext extends Pick<CollectionMapping, 'bundles'> {
  /** Fields whose output is not used. */
  readonly transformed: string[];
  /** Sentences about fields whose type is not used. */
  readonly untyped: string[];
  /** True for the input of a transform. */
  readonly isInput?: boolean;
  /** The objects around the type. */
  readonly outer: readonly z.core.$ZodType[];
}

function listed(names: readonly string[]): string {
  return [...new Set(names)].map((name) => `\`${name}\``).join(', ');
}

/** A copy of a type with another part, with the metadata of the original; the type itself if nothing differs. */
function changed(type: z.core.$ZodType, parts: Readonly<Record<string, unknown>>): z.core.$ZodType {
  const isSame = Object.entries(parts).every(([name, part]) => Reflect.get(type._zod.def, name) === part);
  return isSame ? type : z.core.clone(type, { ...type._zod.def, ...parts }, { parent: true });
}

/**
 * One type for unions of a string and what the string stands for: `image().or(z.string())` is an image, and
 * `z.string().or(z.date())` before a transform a date. Undefined for other unions.
 */
function commonType(options: readonly z.core.$ZodType[]): z.core.$ZodType | undefined {
  const main = options.find((type) => fieldBrandOf(type) !== undefined || type._zod.def.type === 'date');
  const isForm = (type: z.core.$ZodType) =>
    type._zod.def.type === 'string' || type._zod.def.type === 'number';
  return options.every((type) => type === main || isForm(type)) ? main : undefined;
}

/** Undefined for a type without fields. */
function objectOf(type: z.core.$ZodType): z.core.$ZodObject | undefined {
  const { def } = (type as z.core.$ZodTypes)._zod;
  if (def.type === 'object') return type as z.core.$ZodObject;
  if (def.type !== 'intersection') return undefined;
  const [left, right] = [objectOf(def.left), objectOf(def.right)];
  return left && right && z.object({ ...left._zod.def.shape, ...right._zod.def.shape } as BundleFields);
}

function isZodType(value: unknown): value is z.core.$ZodType {
  return isRecord(value) && '_zod' in value;
}

import { readBytes, type StoredBytes } from '../storage/stored-bytes.ts';
import type { JsonValue } from '../util/json.ts';

/** URL path of the content folder's files, after the site's base. */
export const CONTENT_FILES_PREFIX = '/content-files';

/** The kind of a field's value, or of each value of a `list` field. */
export type FieldKind =
  | 'string'
  | 'integer'
  | 'number'
  | 'decimal'
  | 'boolean'
  /** A calendar day, `2024-01-12`; never shifts. */
  | 'date'
  /** An instant with its written offset, `2024-01-07T12:00:01+01:00`. */
  | 'datetime'
  | 'reference'
  /** Properties by name; `properties` describes those that are known. */
  | 'object'
  /** `{value, format, processed, summary}`: the body. */
  | 'formatted_text'
  | 'image'
  | 'file'
  /** JSON of mixed shape. Supports only IS NULL and IS NOT NULL, unless `scalar` is set. */
  | 'json';

/** A kind of the scalars among JSON values. `string` means that they compare as text. */
export type ScalarKind = Extract<FieldKind, 'string' | 'integer' | 'number' | 'boolean'>;

export interface FieldDefinition {
  /** Name in the API: `field_type`. */
  readonly name: string;
  /** Name in the frontmatter: `type`. */
  readonly key: string;
  readonly kind: FieldKind;
  readonly list: boolean;
  readonly required: boolean;
  /** True if the schema has a default for a missing value, which is not null. */
  readonly filled?: true;
  /** Base fields come first in every document; the others follow by name. */
  readonly base: boolean;
  /** Resource type names a reference may point to; empty for other kinds. */
  readonly targets: readonly string[];
  /** Properties of an object, formatted_text, image or file, and of the objects among JSON values. Empty otherwise. */
  readonly properties: Readonly<Record<string, FieldDefinition>>;
  /** Of JSON that is scalars and objects: the kind of the scalars. */
  readonly scalar?: ScalarKind;
  /** Weight of a word in full-text search, from the schema; 0 excludes the field. */
  readonly search?: number;
  /** The order in dates such as `08-07-2022`; undefined without one. */
  readonly dayFirst?: boolean;
  /** True if only one value decides that order. */
  readonly dayFirstOnce?: true;
  /** True if the schema takes a `Date`: of `z.date()` and `z.coerce.date()`. */
  readonly instant?: true;
  /** True if the images or files of the field are resources. */
  readonly areResources?: true;
  /** True if translations have the value of the source. */
  readonly untranslated?: true;
  /** Of a title that another field stores: the name of that field, which has the same value. */
  readonly storedIn?: string;
  /** Further rules of the schema; those of a list apply to its items. */
  readonly rules?: FieldRules;
}

/** Keywords of JSON Schema for each value of a field. */
export interface FieldRules {
  readonly title?: string;
  readonly description?: string;
  readonly enum?: readonly (string | number | boolean)[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
  /** True if values may be null in a required field, because a transformation produces them. */
  readonly open?: boolean;
}

export interface ResourceType {
  /** `node--article`. */
  readonly name: string;
  /** `node`. */
  readonly entityType: string;
  /** `article`. */
  readonly bundle: string;
  /** By public name, in document order: base fields, then the others by name. */
  readonly fields: ReadonlyMap<string, FieldDefinition>;
  /** Fields that no file has any more. They can be written again. Absent with a schema. */
  readonly former?: ReadonlyMap<string, FieldDefinition>;
  readonly origin: 'schema' | 'inferred';
}

/** A field that can be written. */
export function writableField({ fields, former }: ResourceType, name: string): FieldDefinition | undefined {
  return fields.get(name) ?? former?.get(name);
}

/** Refers to an entity by resource type name and id. The target need not exist. */
export type Reference = {
  readonly type: string;
  readonly id: string;
};

/** Distinguishes entities of all types. Type names have no spaces. */
export function referenceKey({ type, id }: Reference): string {
  return `${type} ${id}`;
}

/**
 * A field's value in canonical form. An empty single field is null, a list field is always an array. string, decimal
 * (`9.26`), date (`2024-01-12`) and datetime (RFC 3339 with seconds and offset) are strings; integer and number are
 * numbers; boolean is a boolean; reference is a `Reference`; object, image, file and json are plain JSON values.
 */
export type FieldValue = JsonValue;

/** The UTF-8 text after the frontmatter, without the blank line above it and the line break at its end. */
export interface Body {
  /** The whole file. */
  readonly file: StoredBytes;
  /** Byte offset of the text. */
  readonly start: number;
  /** Byte offset of its end. */
  readonly end: number;
  readonly format: 'markdown' | 'mdx';
  readonly summary: string | null;
}

/** A local image in a body. */
export interface BodyImage {
  /** As written in the body, without percent-encoding and query. */
  readonly path: string;
  /** The same as in an image field. */
  readonly uri: string;
  readonly url: string;
}

/** One content file, decoded and validated: an entity in one language. Immutable: a changed file is a new entity. */
export interface Entity {
  /** Resource type name. */
  readonly type: string;
  /** All translations of an entity have its id. */
  readonly id: string;
  /** The language of a translation; undefined for the source. */
  readonly translation?: string;
  /** True for a translation whose source has changed since. */
  readonly outdated?: true;
  /** Storage key of its file. */
  readonly key: string;
  /** Digest of the file's bytes. */
  readonly revision: string;
  /** Every field of the resource type but `body`, by public name. Null prototype. */
  readonly values: Readonly<Record<string, FieldValue>>;
  /** True if anonymous may see it. Equals `values.status` if that is a boolean; else the publication rule decides. */
  readonly published: boolean;
  /** Undefined without dates that publish or unpublish it. */
  readonly schedule?: Schedule;
  /** Null for entities from `.json` and `.yaml` files. */
  readonly body: Body | null;
  /** Local images of the body; undefined without any. */
  readonly images?: readonly BodyImage[];
  /**
   * The time since which it has its alias, in milliseconds since the Unix epoch. If entities share an alias, the path leads
   * to the earliest. Undefined without an alias.
   */
  readonly aliasSince?: number;
}

/** When an entity is published and unpublished: RFC 3339, null for never. */
export interface Schedule {
  readonly from: string | null;
  readonly until: string | null;
}

// A byte order mark at the start of a body is a character.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Decodes the body at each call. */
export function bodyText(body: Body): string {
  return decoder.decode(readBytes(body.file, body.start, body.end));
}

/** In bytes. */
export function bodyLength({ start, end }: Body): number {
  return end - start;
}

/** The language of an entity's text: a BCP 47 tag. */
export function languageOf({ translation, values: { langcode } }: Entity): string {
  return translation ?? (typeof langcode === 'string' ? langcode : '');
}

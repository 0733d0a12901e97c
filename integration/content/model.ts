import { type StoredBytes, readBytes } from '../storage/stored-bytes.ts';
import type { JsonValue } from '../util/json.ts';

/** What a field holds. A `list` field holds any number of values of its kind. */
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
  /** Properties by name; `properties` describes the known ones. */
  | 'object'
  /** `{value, format, processed, summary}`: the body. */
  | 'formatted_text'
  | 'image'
  | 'file'
  /** JSON of mixed shape, which only IS NULL and IS NOT NULL can ask about. */
  | 'json';

export interface FieldDefinition {
  /** As answered and asked for: `field_type`. */
  readonly name: string;
  /** As written in frontmatter: `type`. */
  readonly key: string;
  readonly kind: FieldKind;
  readonly list: boolean;
  readonly required: boolean;
  /** Base fields come first in every document; the others follow by name. */
  readonly base: boolean;
  /** Resource type names a reference may point to; empty for other kinds. */
  readonly targets: readonly string[];
  /** Properties of an object, formatted_text, image or file. Empty otherwise. */
  readonly properties: Readonly<Record<string, FieldDefinition>>;
  /** How much a word counts here in a full-text search, 0 where it is not searched; what a schema says of it. */
  readonly search?: number;
  /** What a schema says besides; of a list, about its items. */
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
  /** Whether values may be null although the field is required: a transformation makes them. */
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
  readonly origin: 'schema' | 'inferred';
}

/** Points to an entity by resource type name and id. The target need not exist. */
export interface Reference {
  readonly type: string;
  readonly id: string;
}

/**
 * A field's value in canonical form. A single field: null where empty. A list field: always an array, empty
 * where it has no items. string, decimal, date, datetime: string (decimal `9.26`, date `2024-01-12`,
 * datetime RFC 3339 with seconds and offset). integer, number: number. boolean: boolean.
 * reference: Reference. object, image, file, json: a plain JSON value.
 */
export type FieldValue = null | string | number | boolean | Reference | JsonValue | readonly FieldValue[];

/**
 * The body as stored: UTF-8 bytes of the text after the frontmatter, without the one blank line that sets it off and
 * the line break that closes its last line.
 */
export interface Body {
  /** Of the whole file. */
  readonly file: StoredBytes;
  /** Bytes before the text. */
  readonly start: number;
  /** Bytes before what follows the text. */
  readonly end: number;
  readonly format: 'markdown' | 'mdx';
  readonly summary: string | null;
}

/** A file that a body shows as an image. */
export interface BodyImage {
  /** As written in the body, without escapes and query. */
  readonly path: string;
  /** As of an image field. */
  readonly uri: string;
  readonly url: string;
}

/** One content file, decoded and validated. Immutable: a changed file is a new entity. */
export interface Entity {
  /** Resource type name. */
  readonly type: string;
  readonly id: string;
  /** Storage key of its file. */
  readonly key: string;
  /** Digest of the file's bytes. */
  readonly revision: string;
  /** Every field of the resource type but `body`, by public name. Null prototype. */
  readonly values: Readonly<Record<string, FieldValue>>;
  /**
   * Whether anonymous may see it. Says the same as `values.status` where that is a boolean; decided by the
   * published rule where the bundle keeps `status` as text.
   */
  readonly published: boolean;
  /** Null for entities from `.json` and `.yaml` files. */
  readonly body: Body | null;
  /** Those of the body that are files beside it or in `public/`; undefined where there are none. */
  readonly images?: readonly BodyImage[];
  /**
   * Since when it has its alias, in milliseconds since the Unix epoch, as far as that is known: of entities with one
   * alias, a path leads to the earliest. Undefined for an entity without an alias.
   */
  readonly aliasSince?: number;
}

// What looks like a byte order mark at the start of a body is a character of it.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** The body's text, decoded anew at each call. */
export function bodyText(body: Body): string {
  return decoder.decode(readBytes(body.file, body.start, body.end));
}

/** Bytes of the body's text. */
export function bodyLength({ start, end }: Body): number {
  return end - start;
}

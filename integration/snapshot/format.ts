import type { BodyImage, Entity, FieldValue, ResourceType } from '../content/model.ts';
import type { Raw } from '../engine/store/ordering.ts';
import type { Language } from '../engine/text/languages.ts';
import type { JsonValue } from '../util/json.ts';
import { digestBytes, digestText } from '../util/revision.ts';

/** Grows when old readers would misread new files. */
export const FORMAT = 1;

/** The only file with a fixed name. All others are named by their content and never change. */
export const MANIFEST = 'manifest.json';

/** The folder of a site's snapshot, after base and prefix. */
export const SNAPSHOT_PATH = '/jsonapi/snapshot';

/** Rows of one block. */
export const BLOCK_ROWS = 64;

/** What a manifest says about all files of a snapshot. */
export interface Manifest {
  readonly format: typeof FORMAT;
  /** Digest of the settings that change documents without a change of the content. */
  readonly form: string;
  /** BCP 47 tag of the order and equality of strings. */
  readonly locale: string;
  /** The settings of the API. */
  readonly settings: JsonValue;
  readonly types: readonly TypeRecord[];
  /** By resource type name. */
  readonly tables: Readonly<Record<string, TableRecord>>;
  /** The file with the files of all small tables. */
  readonly pack: string | null;
  /** The stemmed languages; null if full-text search is off. */
  readonly search: {
    readonly language: Language;
    readonly languages: Readonly<Record<string, Language>>;
  } | null;
}

/** A resource type with the fields that anonymous visitors see. */
export interface TypeRecord extends Omit<ResourceType, 'fields'> {
  readonly fields: readonly [string, JsonValue][];
}

/**
 * The files of one resource type. Rows are in the order of creation, so that new entities come last; the translations of an
 * entity follow it.
 */
export interface TableRecord {
  readonly rows: number;
  /** Digest of the file with the rank of each row by id; null if rows are in the order of ids. */
  readonly ranks: string | null;
  /** True if the files are in the pack. */
  readonly isPacked: boolean;
  /** Digests by slot. A slot without a file has no value in any row. */
  readonly columns: Readonly<Record<string, string>>;
  /** Digests of the blocks, of their bodies, and of the parts of the index of ids, one after another. */
  readonly blocks: string;
  readonly bodies: string;
  readonly ids: string;
  /** Digest of the file about translations; null if no entity has any. */
  readonly translations: string | null;
  readonly search: SearchRecord | null;
}

/** The stemmed languages of a site: that of most texts, and others by langcode. */
export interface SearchLanguages {
  readonly language: Language;
  readonly languages: Readonly<Record<string, Language>>;
}

/** The full-text index of a type. */
export interface SearchRecord {
  /** By field: the digest of its lengths, the first term of each part, and the digests of the parts. */
  readonly fields: Readonly<
    Record<string, { readonly lengths: string; readonly first: readonly string[]; readonly parts: string }>
  >;
}

/** One slot of all rows, as codes into its distinct values, which are in order. */
export interface ColumnFile {
  readonly raws: readonly Raw[];
  /** The class of each code, if values are equal but spelled differently. */
  readonly classes?: readonly number[];
  /** One code per row, or per item; -1 for null. */
  readonly codes: readonly number[];
  /** The number of items of each row, for a list. */
  readonly sizes?: readonly number[];
  /** For a reference, by target type: the first row of each code's target, or -1. */
  readonly joins?: Readonly<Record<string, readonly number[]>>;
}

/** Some consecutive rows. */
export interface BlockFile {
  readonly entities: readonly EntityRecord[];
  /**
   * The existing targets of references, by type and id: the first row of the target, or -1 if anonymous visitors may not
   * see it.
   */
  readonly targets: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

export interface EntityRecord extends Pick<Entity, 'id' | 'translation' | 'outdated' | 'aliasSince'> {
  /** The tag of all visible fields. */
  readonly revision: string;
  /** Visible fields with a value. */
  readonly values: Readonly<Record<string, FieldValue>>;
  readonly body?: {
    readonly bytes: number;
    readonly format: 'markdown' | 'mdx';
    readonly summary: string | null;
  };
  readonly images?: readonly BodyImage[];
}

/** The bodies of a block, in its order: the text and its HTML. */
export type BodiesFile = readonly ({ readonly text: string; readonly html: string } | null)[];

/** The first rows of entities by id. */
export type IdsFile = Readonly<Record<string, number>>;

export interface TranslationsFile {
  /** First row and end of each entity with several rows, or with a translation in its only row. */
  readonly groups: readonly number[];
  /** The rows of translations. */
  readonly rows: readonly number[];
}

/** The postings of some terms: rows, and how often the term occurs in each. */
export type PostingsFile = Readonly<
  Record<string, readonly [rows: readonly number[], counts: readonly number[]]>
>;

/** Digests have this many digits. */
const DIGEST = 8;

export function digestOf(bytes: Uint8Array): string {
  return digestBytes(bytes).slice(0, DIGEST);
}

/** One of several digests in a row. */
export function digestAt(digests: string, index: number): string {
  return digests.slice(index * DIGEST, (index + 1) * DIGEST);
}

export function countDigests(digests: string): number {
  return digests.length / DIGEST;
}

/**
 * The name of a file: `node--article/created.1f2e3d4c.json`. Authors name properties, so a part can be a path or longer than
 * a file system allows. Parts that become equal have different digests, or the same content.
 */
export function fileName(type: string, part: string, digest: string): string {
  return `${type}/${part.replace(/[^\w.-]/g, '_').slice(0, MAX_PART)}.${digest}.json`;
}

/** Characters of a part in a file name. */
const MAX_PART = 100;

/** The part of the index of ids that has an id. */
export function partOfId(id: string, parts: number): number {
  return Number.parseInt(digestText(id).slice(0, 8), 16) % parts;
}

import type { Body, Entity, FieldValue, Reference, ResourceType } from '../../core/content/model.ts';
import { ownerReference, PUBLIC_OWNER } from '../../core/content/owner.ts';
import type { Raw } from '../../core/engine/store/ordering.ts';
import { referenceKey } from '../../core/engine/store/slot.ts';
import type { SearchLanguages } from '../../core/engine/text/languages.ts';
import { referencesOf } from '../../core/read/serialize.ts';
import type { JsonValue } from '../../core/util/json.ts';
import { digestBytes, digestText } from '../../core/util/revision.ts';

/** Grows when old readers would misread new files. */
export const FORMAT = 6;

/** The only file with a fixed name. All others are named by their content and never change. */
export const MANIFEST = 'manifest.json';

/** The folder of a site's snapshot, after base and prefix. */
export const SNAPSHOT_PATH = '/jsonapi/snapshot';

/** The service worker in the root of a site. */
export const SERVICE_WORKER_FILE = 'jsonapi-worker.js';

/** What a manifest says about all files of a snapshot. */
export interface Manifest {
  readonly format: typeof FORMAT;
  /** Digest of the settings that change documents without a change of the content. */
  readonly form: string;
  /** BCP 47 tag of the order and equality of strings. */
  readonly locale: string;
  /** The settings of the API. */
  readonly settings: JsonValue;
  /** First segments of the paths below the API that have other documents than collections. */
  readonly documents: readonly string[];
  readonly types: readonly TypeRecord[];
  /** By resource type name. */
  readonly tables: Readonly<Record<string, TableRecord>>;
  /** Name of the file with the former ids of moved files; missing if there are none. */
  readonly gone?: string | undefined;
  /** The content of the smallest files by name, which saves requests. */
  readonly packed: Readonly<Record<string, unknown>>;
  /** The stemmed languages; null if full-text search is off. */
  readonly search: SearchLanguages | null;
}

/** A resource type with the fields that anonymous visitors see. */
export interface TypeRecord extends Omit<ResourceType, 'fields'> {
  readonly fields: readonly [string, JsonValue][];
  /** True if anonymous visitors see no entity of the type, whatever its content is. */
  readonly unseen?: boolean;
}

/**
 * The files of one resource type. Rows are in the order of creation, so that new entities come last; the translations of an
 * entity follow it.
 */
export interface TableRecord {
  readonly rows: number;
  /** The slot by which rows are ordered, with ties by id; null if rows with equal values have another order. */
  readonly order: string | null;
  /** Digest of the file with the rank of each row by id, as numbers; null if rows are in the order of ids. */
  readonly ranks: string | null;
  /** By slot: the digest of its column, and of its values if they have a file. A slot that is missing here has no value. */
  readonly columns: Readonly<Record<string, string>>;
  /** The last rows, which `ranks`, `columns` and `ids` do not have. */
  readonly recent: RecentRecord | null;
  /** The last blocks have copies of the rows in `first`, if there are any. */
  readonly blocks: Chunks;
  /** The rows of the first pages in the order of ids, if they are scattered over blocks. */
  readonly first: Numbers;
  /** Digests of the parts of the index of ids, one after another. */
  readonly ids: string;
  /** Digest of the file about removed entities that anonymous visitors could have seen; null for none. */
  readonly gone: string | null;
  /** Digest of the file about translations; null if no entity has any. */
  readonly translations: string | null;
  /** Each searchable field is in one of the records. */
  readonly words: readonly WordsRecord[];
  /** The terms of the words, which only a tolerant search needs. */
  readonly vocabulary: SortedParts;
}

/** The index of the last rows, so that a new entity does not change the index of all others. */
export interface RecentRecord {
  readonly rows: number;
  /** The rank of each of these rows among all rows; null as in `ranks` of the table. */
  readonly ranks: Numbers | null;
  /** By slot. A slot that is missing here has no value in these rows. */
  readonly columns: Readonly<Record<string, RecentColumn>>;
  readonly ids: IdsFile;
  /** By field, as in the files of lengths. */
  readonly lengths: Readonly<Record<string, Numbers>>;
  /** Digest of the postings of all fields, whose rows count from the first recent one; null without any. */
  readonly words: string | null;
}

/** Files with consecutive rows: how many each has, and the digests, one after another. */
export interface Chunks {
  readonly rows: readonly number[];
  readonly digests: string;
}

/** Files with sorted terms: the first term of each, and the digests. */
export interface SortedParts {
  readonly first: readonly string[];
  readonly parts: string;
}

/** The words of some fields. Fields with few words share parts, so that a search loads few files. */
export interface WordsRecord extends SortedParts {
  /** By field: the digest of its lengths. Postings have the fields in this order. */
  readonly lengths: Readonly<Record<string, string>>;
}

/** One slot of some rows, as codes into its distinct values. */
export interface ColumnFile {
  /** The number of distinct values. */
  readonly size: number;
  /** One code per row, or per item, plus 1; 0 for null. */
  readonly codes?: Numbers;
  /** The same, if codes never decrease. */
  readonly rising?: Deltas;
  /** The codes of values that are equal to the previous value but spelled differently. */
  readonly equal?: Deltas;
  /** The number of items of each row, for a list. */
  readonly sizes?: Numbers;
  /** For a reference, by target type: the first row of each value's target plus 1; 0 for none. */
  readonly joins?: Readonly<Record<string, Numbers>>;
  /** The distinct values, if they have no file of their own. */
  readonly values?: ValuesFile;
}

/** A column of recent rows. Codes stand for the values of all rows. `values` and `joins` are about the added values. */
export interface RecentColumn extends ColumnFile {
  /** The codes of the values that other rows do not have. */
  readonly added: Deltas;
  readonly values: ValuesFile;
}

/**
 * The distinct values of a slot in order: numbers, date-times, or strings as how many characters each shares with the
 * previous one, and the rest of each.
 */
export type ValuesFile = readonly number[] | Instants | SharedStrings;

export function writeValues(raws: readonly Raw[]): ValuesFile {
  if (raws.every((raw) => typeof raw === 'number')) return raws;
  const strings = raws.map(String);
  return writeInstants(strings) ?? writeStrings(strings);
}

export function readValues(values: ValuesFile): readonly Raw[] {
  if ('steps' in values) return readInstants(values).map((text) => text ?? '');
  return 'rest' in values ? readStrings(values) : values;
}

interface SharedStrings {
  readonly shared: Numbers;
  readonly rest: readonly string[];
}

function writeStrings(strings: readonly string[]): SharedStrings {
  const shared = strings.map((text, i) => {
    const previous = strings[i - 1] ?? '';
    let length = 0;
    while (length < text.length && text[length] === previous[length]) length++;
    return length;
  });
  return { shared: writeNumbers(shared), rest: strings.map((text, i) => text.slice(shared[i])) };
}

function readStrings({ shared, rest }: SharedStrings): string[] {
  const lengths = readNumbers(shared);
  let previous = '';
  return rest.map((text, i) => {
    previous = previous.slice(0, lengths[i]) + text;
    return previous;
  });
}

/** Sorted terms, like strings of values. The rests are separated by spaces, which terms do not have. */
export interface TermsFile {
  readonly shared: Numbers;
  readonly rest: string;
}

export function writeTerms(terms: readonly string[]): TermsFile {
  const { shared, rest } = writeStrings(terms);
  return { shared, rest: rest.join(' ') };
}

export function readTerms({ shared, rest }: TermsFile): readonly string[] {
  return readStrings({ shared, rest: rest.split(' ') });
}

/** Date-times in UTC with whole seconds. */
export interface Instants {
  /** Seconds since 1970. */
  readonly from: number;
  /** Seconds of a step. */
  readonly step: number;
  /** Steps after `from` plus 1; 0 for null. */
  readonly steps: Numbers;
  /** True if `steps` are Deltas. */
  readonly rising?: true;
}

/** Undefined if some texts are not such date-times. */
export function writeInstants(texts: readonly unknown[]): Instants | undefined {
  const seconds: (number | null)[] = [];
  for (const text of texts) {
    const time = text == null ? null : typeof text === 'string' ? Date.parse(text) / 1000 : Number.NaN;
    if (time !== null && (!Number.isInteger(time) || instantText(time) !== text)) return undefined;
    seconds.push(time);
  }
  const times = seconds.filter((time) => time !== null);
  const from = times.reduce((least, time) => Math.min(least, time), Number.POSITIVE_INFINITY);
  const step = times.reduce((divisor, time) => greatestDivisor(divisor, time - from), 0) || 1;
  const steps = seconds.map((time) => (time === null ? 0 : (time - from) / step + 1));
  if (times.length === 0 || steps.some((number) => number >= 2 ** 31)) return undefined;
  return isAscending(steps)
    ? { from, step, steps: writeDeltas(steps), rising: true }
    : { from, step, steps: writeNumbers(steps) };
}

export function readInstants({ from, step, steps, rising }: Instants): (string | null)[] {
  return Array.from(rising ? readDeltas(steps) : readNumbers(steps), (number) =>
    number === 0 ? null : instantText(from + (number - 1) * step),
  );
}

function instantText(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, -5)}+00:00`;
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b);
}

/** Some consecutive rows. Each list has one item per row. */
export interface BlockFile {
  readonly ids: readonly string[];
  /** The tags of all visible fields, one after another. Missing if they can be computed, because no row has a text. */
  readonly revisions?: string;
  /** By visible field, but not the body. A field that is missing here and in `instants` has no value in any row. */
  readonly values: Readonly<Record<string, readonly (FieldValue | undefined)[]>>;
  readonly instants: Readonly<Record<string, Instants>>;
  /** Missing if no row has a body. */
  readonly bodies?: readonly (BodyRecord | null)[];
  /** The files with the bodies of these rows. */
  readonly texts?: Chunks;
  /** What few rows have, by index. */
  readonly extras: Readonly<Record<number, ExtraRecord>>;
  /**
   * For each of `referencesIn` the values, the block of its target plus 2: 1 if anonymous visitors may not see it, 0 if it does
   * not exist.
   */
  readonly targets: Numbers;
}

/** The different references in the values of a block. */
export function referencesIn(values: BlockFile['values']): readonly Reference[] {
  const distinct = new Map<string, Reference>();
  for (const [name, column] of Object.entries(values)) {
    for (const value of column.flat() as readonly FieldValue[]) {
      const references =
        name === PUBLIC_OWNER.name ? [ownerReference(value) ?? []].flat() : referencesOf(value);
      for (const reference of references) distinct.set(referenceKey(reference), reference);
    }
  }
  return [...distinct.values()];
}

export type BodyRecord = readonly [bytes: number, format: Body['format'], summary: string | null];

export type ExtraRecord = Pick<Entity, 'translation' | 'outdated' | 'aliasSince' | 'images'>;

/** Digits of a revision. */
export const REVISION = 16;

/** The JSON of a large file with bodies: raw deflate in base64. Highlighted code has several times the length of its source. */
export interface DeflatedFile {
  readonly deflated: string;
}

/** The bodies of some consecutive rows. */
export type BodiesFile = readonly (readonly [text: string, html: string] | null)[];

/** The blocks of entities by id. */
export type IdsFile = Readonly<Record<string, number>>;

/** `goneDigest` of the ids of removed entities, in order. */
export type GoneFile = readonly string[];

/** Visitors learn about the removal of an entity if they know its id, as on a server. */
export function goneDigest(id: string): string {
  return digestText(id).slice(0, DIGEST);
}

export interface TranslationsFile {
  /** First row and end of each entity with several rows, or with a translation in its only row. */
  readonly groups: Deltas;
  /** The rows of translations. */
  readonly rows: Deltas;
}

/** By term and field, in the order of `lengths`: the position of the term; 0 if it does not occur. */
export type PostingsFile = Readonly<Record<string, readonly (Postings | 0)[]>>;

/** Rows, and how often a term occurs in each if it is not always once. */
export type Postings = readonly [rows: Deltas, counts?: Numbers];

/**
 * Integers from 0 on in base 56, which hosts compress well: the lowest digits of all numbers as one string, then the next
 * digits, up to the highest. The characters from `#` to `Z` are the digits.
 */
export type Numbers = readonly string[];

/** Integers that never decrease: the distance from each to the next, as Numbers. */
export type Deltas = Numbers;

const BASE = 56;
const ZERO = 35;

export function writeNumbers(numbers: readonly number[]): Numbers {
  const greatest = numbers.reduce((most, number) => Math.max(most, number), 0);
  const digits: string[] = [];
  for (let place = 1; place === 1 || place <= greatest; place *= BASE) {
    let text = '';
    for (const number of numbers) text += String.fromCharCode(ZERO + (Math.floor(number / place) % BASE));
    digits.push(text);
  }
  return digits;
}

export function readNumbers(digits: Numbers): Int32Array {
  const numbers = new Int32Array(digits[0]?.length ?? 0);
  for (let place = digits.length - 1; place >= 0; place--) {
    const text = digits[place]!;
    for (let i = 0; i < numbers.length; i++) numbers[i] = numbers[i]! * BASE + text.charCodeAt(i) - ZERO;
  }
  return numbers;
}

export function isAscending(numbers: readonly number[]): boolean {
  return numbers.every((number, i) => i === 0 || number >= numbers[i - 1]!);
}

export function writeDeltas(numbers: readonly number[]): Deltas {
  return writeNumbers(numbers.map((number, i) => number - (numbers[i - 1] ?? 0)));
}

export function readDeltas(digits: Deltas): Int32Array {
  const numbers = readNumbers(digits);
  for (let i = 1; i < numbers.length; i++) numbers[i]! += numbers[i - 1]!;
  return numbers;
}

/** Digests have this many digits. */
const DIGEST = 10;

export function digestOf(bytes: Uint8Array): string {
  return digestBytes(bytes).slice(0, DIGEST);
}

/** The bytes of a manifest, which start with the digest of what follows. */
export function writeManifest(manifest: Manifest): Uint8Array<ArrayBuffer> {
  const rest = JSON.stringify(manifest).slice(1);
  return encoder.encode(manifestStart(digestOf(encoder.encode(rest))) + rest);
}

/** The manifest in these bytes; undefined if they are damaged. One of another format is returned with only its format. */
export function readManifest(bytes: Uint8Array): Manifest | { readonly format: number } | undefined {
  const start = manifestStart('').length + DIGEST;
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  let content: Partial<Manifest> | null;
  try {
    content = JSON.parse(text);
  } catch {
    return undefined;
  }
  const format: unknown = content?.format;
  if (typeof format !== 'number') return undefined;
  if (format !== FORMAT) return { format };
  return text.startsWith(manifestStart(digestOf(bytes.subarray(start)))) ? (content as Manifest) : undefined;
}

const manifestStart = (digest: string) => `{"digest":"${digest}",`;

const encoder = new TextEncoder();

/** One of several digests in a row. */
export function digestAt(digests: string, index: number): string {
  return digests.slice(index * DIGEST, (index + 1) * DIGEST);
}

export function countDigests(digests: string): number {
  return digests.length / DIGEST;
}

/**
 * The name of a file: `node--article/created.1f2e3d4c5b.json`. Authors name properties, so a part can be a path or longer than
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

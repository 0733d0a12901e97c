import { z } from 'zod';

/** A posting is the number of a document times this, plus how often the term occurs in it. */
export const FREQUENCIES = 256;

/** Items of one part, so that parsing a part takes at most a few milliseconds. */
const PART_ITEMS = 4096;

/** A part of the index of one resource type, as one line of JSON. */
const partSchema = z.object({
  /** Document key, storage key and revision of each document. */
  documents: z.custom<[string, string, string][]>(Array.isArray).optional(),
  field: z
    .object({
      name: z.string(),
      // Validating each of a million members, which we have written, would take longer than a search.
      /** Words by document. */
      lengths: z.custom<number[]>(Array.isArray),
      /** By term, for each document that has it: the distance from the previous one, and the frequency. */
      terms: z.custom<[string, number[]][]>(Array.isArray),
    })
    .optional(),
});

export type IndexPart = z.infer<typeof partSchema>;

/** The first line: the number of lines of each resource type, in this order. */
const headSchema = z.object({
  version: z.literal(2),
  language: z.string(),
  types: z.array(z.object({ name: z.string(), signature: z.string(), lines: z.int() })),
});

/** The index of one resource type. */
export interface SerializedIndex {
  /** The signature of the searchable fields. The index is only valid for the same fields. */
  readonly signature: string;
  /** Parsed one by one. Parts with documents come first. */
  parts(): Iterable<IndexPart>;
}

/** All indexes of a site, for a server that is built with them. */
export interface SerializedFullText {
  readonly language: string;
  /** By resource type name. */
  readonly types: ReadonlyMap<string, SerializedIndex>;
}

/** Writes lines of JSON, so that no long text has to be parsed at once. */
export function writeFullText({ language, types }: SerializedFullText): string {
  const lines: string[] = [];
  const head: z.infer<typeof headSchema> = { version: 2, language, types: [] };
  for (const [name, { signature, parts }] of types) {
    const start = lines.length;
    for (const part of parts()) lines.push(JSON.stringify(part));
    head.types.push({ name, signature, lines: lines.length - start });
  }
  return [JSON.stringify(head), ...lines].join('\n');
}

/** Returns undefined if another version has written the text. */
export function readFullText(text: string): SerializedFullText | undefined {
  const [first = '', ...lines] = text.split('\n');
  const { data } = headSchema.safeParse(JSON.parse(first));
  if (data === undefined) return undefined;
  const types = new Map<string, SerializedIndex>();
  let start = 0;
  for (const { name, signature, lines: count } of data.types) {
    const typeLines = lines.slice(start, start + count);
    types.set(name, { signature, parts: () => parseParts(typeLines) });
    start += count;
  }
  return { language: data.language, types };
}

function* parseParts(lines: readonly string[]): Generator<IndexPart, void, undefined> {
  for (const line of lines) yield partSchema.parse(JSON.parse(line));
}

/** Splits items, in their order, into groups with a total weight of about PART_ITEMS. */
export function* inGroups<T>(
  items: readonly T[],
  weigh: (item: T) => number,
): Generator<T[], void, undefined> {
  let group: T[] = [];
  let weight = 0;
  for (const item of items) {
    group.push(item);
    weight += weigh(item);
    if (weight < PART_ITEMS) continue;
    yield group;
    group = [];
    weight = 0;
  }
  if (group.length > 0) yield group;
}

/** Encodes terms with renumbered documents. Leaves out documents without a new number. */
export function encodeTerms(
  terms: ReadonlyMap<string, readonly number[]>,
  numbers: ReadonlyMap<number, number>,
): [string, number[]][] {
  return [...terms].flatMap(([term, postings]): [string, number[]][] => {
    const encoded: number[] = [];
    let previous = 0;
    for (const posting of postings) {
      const number = numbers.get(Math.floor(posting / FREQUENCIES));
      if (number === undefined) continue;
      encoded.push(number - previous, posting % FREQUENCIES);
      previous = number;
    }
    return encoded.length === 0 ? [] : [[term, encoded]];
  });
}

/** Decodes the postings of one term. */
export function decodePostings(encoded: readonly number[]): number[] {
  const postings: number[] = [];
  let document = 0;
  for (let i = 0; i < encoded.length; i += 2) {
    document += encoded[i]!;
    postings.push(document * FREQUENCIES + encoded[i + 1]!);
  }
  return postings;
}

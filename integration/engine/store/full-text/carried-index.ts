import { z } from 'zod';

/** A posting is the number of a document times this, plus how often the term occurs in it. */
export const FREQUENCIES = 256;

/** Items of one part: reading it must not take others more than a few milliseconds. */
const PART_ITEMS = 4096;

/** A part of the words of one resource type, as one line of JSON. */
const partSchema = z.object({
  /** Id, storage key and revision of each document. */
  documents: z.custom<[string, string, string][]>(Array.isArray).optional(),
  field: z
    .object({
      name: z.string(),
      // Looking at each of a million members, which are ours, would take longer than a search.
      /** Words by document. */
      lengths: z.custom<number[]>(Array.isArray),
      /** By term, for each document that has it, the distance from the one before and how often it occurs. */
      terms: z.custom<[string, number[]][]>(Array.isArray),
    })
    .optional(),
});

export type CarriedPart = z.infer<typeof partSchema>;

/** The first line: which of the lines after it are of which resource type, in this order. */
const headSchema = z.object({
  version: z.literal(2),
  language: z.string(),
  types: z.array(z.object({ name: z.string(), signature: z.string(), lines: z.int() })),
});

/** The words of one resource type. */
export interface CarriedIndex {
  /** Of the searchable fields: an index of other fields is of no use. */
  readonly signature: string;
  /** Each is parsed when it is asked for. Parts with documents come first. */
  parts(): Iterable<CarriedPart>;
}

/** All indexes of a site, for a server that carries them. */
export interface CarriedFullText {
  readonly language: string;
  /** By resource type name. */
  readonly types: ReadonlyMap<string, CarriedIndex>;
}

/** Lines of JSON, so that no long text has to be parsed at once. */
export function writeCarried({ language, types }: CarriedFullText): string {
  const lines: string[] = [];
  const head: z.infer<typeof headSchema> = { version: 2, language, types: [] };
  for (const [name, { signature, parts }] of types) {
    const before = lines.length;
    for (const part of parts()) lines.push(JSON.stringify(part));
    head.types.push({ name, signature, lines: lines.length - before });
  }
  return [JSON.stringify(head), ...lines].join('\n');
}

/** Undefined for what another version wrote. */
export function readCarried(text: string): CarriedFullText | undefined {
  const [first = '', ...lines] = text.split('\n');
  const { data } = headSchema.safeParse(JSON.parse(first));
  if (data === undefined) return undefined;
  const types = new Map<string, CarriedIndex>();
  let from = 0;
  for (const { name, signature, lines: count } of data.types) {
    const own = lines.slice(from, from + count);
    types.set(name, { signature, parts: () => parsed(own) });
    from += count;
  }
  return { language: data.language, types };
}

function* parsed(lines: readonly string[]): Generator<CarriedPart, void, undefined> {
  for (const line of lines) yield partSchema.parse(JSON.parse(line));
}

/** Items in their order, in groups that weigh about PART_ITEMS. */
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

/** Terms with their postings as JSON has them, documents renumbered; those without a number are left out. */
export function carryTerms(
  terms: ReadonlyMap<string, readonly number[]>,
  numbers: ReadonlyMap<number, number>,
): [string, number[]][] {
  return [...terms].flatMap(([term, list]): [string, number[]][] => {
    const carried: number[] = [];
    let before = 0;
    for (const posting of list) {
      const number = numbers.get(Math.floor(posting / FREQUENCIES));
      if (number === undefined) continue;
      carried.push(number - before, posting % FREQUENCIES);
      before = number;
    }
    return carried.length === 0 ? [] : [[term, carried]];
  });
}

/** The postings of one term again. */
export function takePostings(carried: readonly number[]): number[] {
  const list: number[] = [];
  let document = 0;
  for (let i = 0; i < carried.length; i += 2) {
    document += carried[i]!;
    list.push(document * FREQUENCIES + carried[i + 1]!);
  }
  return list;
}

import { z } from 'zod';

/** A posting is the number of a document times this, plus how often the term occurs in it. */
export const FREQUENCIES = 256;

/** The words of one resource type as JSON. */
const carriedIndexSchema = z.object({
  /** Of the searchable fields: an index of other fields is of no use. */
  signature: z.string(),
  /** Id, storage key and revision of each document. */
  documents: z.array(z.tuple([z.string(), z.string(), z.string()])),
  fields: z.array(
    z.object({
      name: z.string(),
      /** Words by document. */
      lengths: z.custom<number[]>(Array.isArray),
      // Of a million members, which are ours: looking at each would take longer than a search.
      /** By term, for each document that has it, the distance from the one before and how often it occurs. */
      terms: z.custom<[string, number[]][]>(Array.isArray),
    }),
  ),
});

/** All indexes of a site as JSON, for a server that carries them. */
export const carriedFullTextSchema = z.object({
  version: z.literal(1),
  language: z.string(),
  /** By resource type name. */
  types: z.record(z.string(), carriedIndexSchema),
});

export type CarriedIndex = z.infer<typeof carriedIndexSchema>;
export type CarriedFullText = z.infer<typeof carriedFullTextSchema>;

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

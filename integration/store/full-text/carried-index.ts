import { z } from 'zod';

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

import { defineSchema, reference, z } from '../../integration/schema.ts';

/** The media type of atomic operations. */
export const ATOMIC = 'application/vnd.api+json;ext="https://jsonapi.org/ext/atomic"';

/** The content that tests of operations change: bundles with references between them. */
export const OPERATIONS_SCHEMA = defineSchema({
  article: {
    field_author: reference('person').nullish(),
    field_tags: z.array(reference('tag')).default([]),
    field_rating: z.int().max(5).nullish(),
  },
  person: { field_best: reference('article').nullish() },
  tag: {},
});

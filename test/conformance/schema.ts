import { decimal, defineSchema, reference, z } from '../../integration/schema.ts';

const nid = z.int().nullish();
/** The schema of the recorded site. */
export default defineSchema({
  article: {
    drupal_internal__nid: nid,
    field_author: reference('person').nullish(),
    field_tags: z.array(reference('tag')).default([]),
    field_related: z.array(reference('article')).default([]),
    field_list: z.array(z.enum(['alpha', 'beta', 'gamma', 'delta', 'two words'])).default([]),
    field_words: z.array(z.string()).default([]),
    field_code: z.string().nullish(),
    field_date: z.iso.datetime({ offset: true }).nullish(),
    field_day: z.iso.date().nullish(),
    field_rating: z.int().nullish(),
    field_price: decimal().nullish(),
    field_score: z.number().nullish(),
    field_publish_state: z.enum(['draft', 'published']).nullish(),
    field_featured: z.boolean().nullish(),
  },
  person: {
    drupal_internal__nid: nid,
    field_email: z.string().nullish(),
    field_boss: reference('person').nullish(),
  },
  tag: { drupal_internal__nid: nid },
});

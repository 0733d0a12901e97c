import { decimal, defineSchema, image, reference, z } from 'astro-jsonapi/schema';

const day = z.iso.date();
const moment = z.iso.datetime({ offset: true });
const place = z.object({
  name: z.string(),
  country: z.string(),
  lat: z.number().min(-90).max(90),
  lon: z.number().min(-180).max(180),
});

export default defineSchema({
  article: {
    field_author: reference('person'),
    field_tags: z.array(reference('tag')).default([]),
    field_related: z.array(reference('article')).default([]),
    field_published: moment,
    /** The day somebody stood there and looked. */
    field_observed: day.nullish(),
    field_cover: image().nullish(),
    /** Where on the shore the story lives: metres above chart datum, the lowest tide foreseen. */
    field_height: decimal(),
    field_zone: z.enum(['above', 'splash', 'upper', 'middle', 'lower', 'below']),
    field_issue: z.int().positive(),
    field_lead: z.boolean().default(false),
    /** Scientific names, to look for on the next visit. */
    field_species: z.array(z.string()).default([]),
    field_place: place.nullish(),
    field_kit: z.array(z.object({ item: z.string(), why: z.string() })).default([]),
    publish_on: moment.nullish(),
    unpublish_on: moment.nullish(),
  },
  person: {
    field_role: z.string(),
    field_joined: day.nullish(),
    field_mentor: reference('person').nullish(),
    field_mark: image().nullish(),
    field_home: z.string().nullish(),
    field_email: z.email().nullish(),
    field_favourite_tides: z.array(z.string()).default([]),
  },
  tag: {
    field_teaser: z.string(),
    field_parent: reference('tag').nullish(),
    field_weight: z.int().default(0),
  },
  page: {
    field_menu: z.boolean().default(false),
    field_weight: z.int().default(0),
    field_keeper: reference('person').nullish(),
  },
  event: {
    field_teaser: z.string(),
    field_starts: moment,
    field_ends: moment.nullish(),
    field_book_by: day.nullish(),
    /** Pounds, euros or dollars: see field_currency. Null is "pay what you like". */
    field_price: decimal().nullish(),
    field_currency: z.enum(['GBP', 'EUR', 'CAD']).nullish(),
    field_capacity: z.int().nullish(),
    field_wet_feet: z.boolean().default(false),
    /** A person leads it, or a page describes who does. */
    field_host: reference(['person', 'page']),
    field_guides: z.array(reference('person')).default([]),
    field_tags: z.array(reference('tag')).default([]),
    field_place: place,
    field_bring: z.array(z.string()).default([]),
    field_programme: z.array(z.object({ time: z.string(), what: z.string() })).default([]),
  },
  'menu_link_content--main': {
    url: z.string().startsWith('/'),
    weight: z.int().default(0),
  },
});

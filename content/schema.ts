import { decimal, defineSchema, image, reference, untranslated, z } from 'astro-jsonapi/schema';

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
    field_author: untranslated(reference('person')),
    field_tags: untranslated(z.array(reference('tag')).default([])),
    field_related: untranslated(z.array(reference('article')).default([])),
    field_published: untranslated(moment),
    /** The day somebody stood there and looked. */
    field_observed: untranslated(day.nullish()),
    field_cover: image().nullish(),
    /** Where on the shore the story lives: metres above chart datum, the lowest tide foreseen. */
    field_height: untranslated(decimal()),
    field_zone: untranslated(z.enum(['above', 'splash', 'upper', 'middle', 'lower', 'below'])),
    field_issue: untranslated(z.int().positive()),
    field_lead: untranslated(z.boolean().default(false)),
    /** Scientific names, to look for on the next visit. */
    field_species: untranslated(z.array(z.string()).default([])),
    field_place: place.nullish(),
    field_kit: z.array(z.object({ item: z.string(), why: z.string() })).default([]),
    publish_on: moment.nullish(),
    unpublish_on: moment.nullish(),
  },
  person: {
    field_role: z.string(),
    field_joined: untranslated(day.nullish()),
    field_mentor: untranslated(reference('person').nullish()),
    field_mark: image().nullish(),
    field_home: z.string().nullish(),
    field_email: untranslated(z.email().nullish()),
    field_favourite_tides: z.array(z.string()).default([]),
  },
  tag: {
    field_teaser: z.string(),
    field_parent: untranslated(reference('tag').nullish()),
    field_weight: untranslated(z.int().default(0)),
  },
  page: {
    field_menu: untranslated(z.boolean().default(false)),
    field_weight: untranslated(z.int().default(0)),
    field_keeper: untranslated(reference('person').nullish()),
  },
  event: {
    field_teaser: z.string(),
    field_starts: untranslated(moment),
    field_ends: untranslated(moment.nullish()),
    field_book_by: untranslated(day.nullish()),
    /** Pounds, euros or dollars: see field_currency. Null is "pay what you like". */
    field_price: untranslated(decimal().nullish()),
    field_currency: untranslated(z.enum(['GBP', 'EUR', 'CAD']).nullish()),
    field_capacity: untranslated(z.int().nullish()),
    field_wet_feet: untranslated(z.boolean().default(false)),
    /** A person leads it, or a page describes who does. */
    field_host: untranslated(reference(['person', 'page'])),
    field_guides: untranslated(z.array(reference('person')).default([])),
    field_tags: untranslated(z.array(reference('tag')).default([])),
    field_place: place,
    field_bring: z.array(z.string()).default([]),
    field_programme: z.array(z.object({ time: z.string(), what: z.string() })).default([]),
  },
  'menu_link_content--main': {
    url: z.string().startsWith('/'),
    weight: untranslated(z.int().default(0)),
    parent: untranslated(reference('menu_link_content--main').nullish()),
  },
  settings: {
    field_tagline: z.string(),
    field_disclaimer: z.string(),
  },
});

import { defineSchema, image, reference, z } from 'astro-jsonapi/schema';

/**
 * The content model, as found in the files. Edit it: what it says is checked in every file and typed in every query.
 * `.nullish()` may be missing; `.default([])` is a list that may be.
 */
export default defineSchema({
  'menu_link_content--main': {
    url: z.string(),
    weight: z.int(),
  },
  article: {
    field_author: reference('person'),
    field_tags: z.array(reference('tag')).default([]),
    field_related: z.array(reference('article')).default([]),
    field_published: z.iso.datetime({ offset: true }),
    field_height: z.string(),
    field_zone: z.enum(['above', 'below', 'lower', 'middle', 'splash', 'upper']),
    field_issue: z.int(),
    field_observed: z.iso.date().nullish(),
    field_cover: image().nullish(),
    field_species: z.array(z.string()).default([]),
    field_kit: z.array(z.object({ item: z.string(), why: z.string() })).default([]),
    field_place: z.object({
      name: z.string(),
      country: z.string(),
      lat: z.number(),
      lon: z.number(),
    }).nullish(),
    publish_on: z.iso.datetime({ offset: true }).nullish(),
    field_lead: z.boolean().nullish(),
  },
  event: {
    field_teaser: z.string(),
    field_starts: z.iso.datetime({ offset: true }),
    field_ends: z.iso.datetime({ offset: true }),
    field_price: z.string().nullish(),
    field_currency: z.string().nullish(),
    field_capacity: z.int(),
    field_wet_feet: z.boolean().nullish(),
    field_host: reference(['page', 'person']),
    field_guides: z.array(reference('person')).default([]),
    field_tags: z.array(reference('tag')).default([]),
    field_place: z.object({ name: z.string(), country: z.string(), lat: z.number(), lon: z.number() }),
    field_bring: z.array(z.string()).default([]),
    field_book_by: z.iso.date().nullish(),
    field_programme: z.array(z.object({ time: z.string(), what: z.string() })).default([]),
  },
  page: {
    field_menu: z.boolean(),
    field_weight: z.int(),
    field_keeper: reference('person'),
  },
  person: {
    field_role: z.string(),
    field_joined: z.iso.date(),
    field_mentor: reference('person').nullish(),
    field_mark: image(),
    field_home: z.string(),
    field_favourite_tides: z.array(z.string()).default([]),
    field_email: z.email().nullish(),
  },
  tag: {
    field_parent: reference('tag').nullish(),
    field_weight: z.int(),
    field_teaser: z.string(),
  },
});

import type { ContentApi } from '../../integration/core/builder/index.ts';
import { decimal, defineSchema, file, image, reference, z } from '../../integration/schema.ts';

/** The schema of the type tests. */
const schema = defineSchema({
  article: {
    field_author: reference('person').nullish(),
    field_editor: reference('person'),
    field_tags: z.array(reference('tag')).default([]),
    field_about: reference(['person', 'tag']).nullish(),
    field_sponsor: reference('company').nullish(),
    field_topic: reference('taxonomy_term--topics').nullish(),
    field_day: z.iso.date().nullish(),
    field_moment: z.iso.datetime({ offset: true }).nullish(),
    field_rating: z.int().nullish(),
    field_price: decimal().nullish(),
    field_lead: z.boolean().default(false),
    field_zone: z.enum(['upper', 'lower']),
    field_species: z.array(z.string()).default([]),
    field_series: z.union([z.array(reference('tag')), reference('tag')]).default([]),
    field_place: z.object({ name: z.string(), lat: z.number().optional() }).nullish(),
    field_kit: z.array(z.object({ item: z.string(), grams: z.int() })).default([]),
    field_when: z.date().nullish(),
    field_cover: image().nullish(),
    field_data: z.unknown(),
    field_extra: z.record(z.string(), z.string()).nullish(),
    'reading time': z.int().optional(),
    type: z.string().nullish(),
  },
  person: { field_email: z.email().nullish(), field_boss: reference('person').nullish() },
  tag: { field_weight: z.int().default(0) },
  report: { status: z.enum(['Draft', 'Final']), field_pdf: file() },
  'taxonomy_term--topics': {},
});

export type Magazine = typeof schema;

/** What `astro-jsonapi:content` exports in a project with that schema. */
export declare const entities: ContentApi<Magazine>['entities'];
export declare const runtimePath: ContentApi<Magazine>['runtimePath'];

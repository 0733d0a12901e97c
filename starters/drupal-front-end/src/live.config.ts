import { defineLiveCollection } from 'astro:content';
import { DRUPAL_URL } from 'astro:env/server';
import { z } from 'astro/zod';
import { jsonapiLive } from 'astro-jsonapi/live';

/**
 * The fields that the pages use. `field_tags` and `field_image` are the names in a new Drupal: change them to those of your
 * content types, here and in `src/drupal.ts`.
 */
const node = {
  title: z.string(),
  created: z.string(),
  path: z.object({ alias: z.string().nullish() }),
  drupal_internal__nid: z.int().optional(),
  body: z.object({ summary: z.string().nullish() }).nullish(),
};
/** A term has `name` in Drupal, and `title` on a site with astro-jsonapi. Both are missing if the term is hidden. */
const term = z.object({
  name: z.string().optional(),
  title: z.string().optional(),
  path: z.object({ alias: z.string().nullish() }).optional(),
});
export type Term = z.infer<typeof term>;

/** The file of an image. Drupal has its `alt` in `meta`. */
const image = z.object({
  uri: z.object({ url: z.string() }).optional(),
  alt: z.string().nullish(),
  meta: z.object({ alt: z.string().nullish() }).optional(),
});

const url = new URL('/jsonapi', DRUPAL_URL).href;

export const collections = {
  article: defineLiveCollection({
    loader: jsonapiLive({ url }),
    schema: z.object({ ...node, field_tags: z.array(term).default([]), field_image: image.nullish() }),
  }),
  page: defineLiveCollection({ loader: jsonapiLive({ url }), schema: z.object(node) }),
  tag: defineLiveCollection({
    loader: jsonapiLive({ url, bundle: 'taxonomy_term--tags' }),
    schema: term,
  }),
};

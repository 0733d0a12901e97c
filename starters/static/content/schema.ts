import { defineSchema, image, reference, z } from 'astro-jsonapi/schema';

/** Every bundle also has `title`, `status`, `created`, `changed`, `path` and `body`. */
export default defineSchema({
  recipe: {
    description: z.string(),
    minutes: z.int().positive(),
    serves: z.int().positive(),
    course: z.enum(['starter', 'main', 'dessert']),
    ingredients: z.array(z.object({ item: z.string(), amount: z.string().nullish() })),
    tags: z.array(reference('tag')).default([]),
    cover: image().nullish(),
  },
  tag: { description: z.string().nullish() },
});

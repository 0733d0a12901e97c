import { defineSchema, image, reference, z } from 'astro-jsonapi/schema';

/** Every bundle also has `title`, `status`, `created`, `changed`, `path` and `body`. */
export default defineSchema({
  post: {
    description: z
      .string()
      .meta({ title: 'Description', description: 'One or two sentences for lists and the feed.' }),
    date: z.iso.date().meta({ title: 'Date' }),
    author: reference('person').meta({ title: 'Author' }),
    tags: z.array(reference('tag')).default([]).meta({ title: 'Tags' }),
    cover: image().nullish().meta({ title: 'Cover' }),
  },
  person: {},
  tag: {
    description: z.string().nullish().meta({ title: 'Description' }),
  },
  page: {},
});

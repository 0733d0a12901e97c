import { defineCollection } from 'astro:content';
import { docsSchema } from '@astrojs/starlight/schema';
import { z } from 'astro/zod';
import { jsonapiLoader } from 'astro-jsonapi/loader';

/** Starlight's name of the day that a page shows at its end. */
const withDate = z
  .looseObject({ changed: z.string().optional() })
  .transform(({ changed, ...page }) => (changed ? { ...page, lastUpdated: new Date(changed) } : page));

export const collections = {
  docs: defineCollection({
    loader: jsonapiLoader('page'),
    schema: (context) => z.preprocess((page) => withDate.parse(page), docsSchema()(context)),
  }),
};

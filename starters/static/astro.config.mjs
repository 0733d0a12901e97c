import { defineConfig } from 'astro/config';
import jsonapi from 'astro-jsonapi';
import { prebuild } from './src/queries.mjs';

export default defineConfig({
  // The address of the site. If it is in a folder of its host, also set `base: '/folder'`.
  site: 'https://recipes.example',
  integrations: [
    jsonapi({
      prebuild,
      bundles: { recipe: { alias: '/recipes/[id]' }, tag: { alias: '/tags/[id]' } },
    }),
  ],
});

import { defineConfig } from 'astro/config';
import jsonapi from 'astro-jsonapi';
import { bundles, latest, shared } from './astro.config.mjs';

/** The demo site for a host with no server: JSON:API documents become files. */
export default defineConfig({
  ...shared,
  outDir: './build/static',
  integrations: [
    jsonapi({
      explorer: true,
      bundles,
      prebuild: {
        latest,
        'down-the-shore':
          '/node/article?sort=-field_height&fields[node--article]=title,path,field_height,field_zone',
        'lower-shore':
          '/node/article?filter[field_height][operator]=BETWEEN&filter[field_height][value][]=0&filter[field_height][value][]=2&sort=field_height',
        'marens-pupils': '/node/person?filter[field_mentor.id]=maren-holt',
        'free-or-cheap':
          '/node/event?filter[field_price][operator]=<=&filter[field_price][value]=10&sort=field_starts&include=field_host',
      },
    }),
  ],
  vite: {
    ...shared.vite,
    define: {
      'import.meta.env.API_ENTRY': JSON.stringify('/jsonapi/index.json'),
      'import.meta.env.API_LATEST': JSON.stringify('/jsonapi/q/latest.json'),
    },
  },
});

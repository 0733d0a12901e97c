import node from '@astrojs/node';
import { defineConfig } from 'astro/config';
import jsonapi from 'astro-jsonapi';

/** The list of the front page without its lead, as a program elsewhere would ask for it. */
export const latest =
  '/node/article?filter[field_lead]=0&sort=-field_published&page[limit]=8&include=field_author,field_tags';

/** The addresses of entities whose files have no `path`. */
export const bundles = {
  article: { alias: '/journal/[id]' },
  event: { alias: '/events/[id]' },
  page: { alias: '/[id]' },
  person: { alias: '/people/[id]', plural: 'people' },
  tag: { alias: '/tags/[id]' },
};

/** What the served and the static demo site have in common. */
export const shared = {
  site: 'https://slackwater.example',
  i18n: { locales: ['en', 'de'], defaultLocale: 'en' },
  markdown: {
    shikiConfig: {
      themes: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
      defaultColor: false,
    },
  },
  devToolbar: { enabled: false },
  // A host may send a security policy that blocks scripts inside of pages.
  vite: { build: { assetsInlineLimit: 0 } },
};

/** The demo site on a server: pages prebuilt, JSON:API answered live. */
export default defineConfig({
  ...shared,
  outDir: './build/site',
  adapter: node({ mode: 'standalone' }),
  integrations: [jsonapi({ explorer: true, editing: { single: ['settings'] }, bundles })],
  vite: {
    ...shared.vite,
    define: {
      'import.meta.env.API_ENTRY': JSON.stringify('/jsonapi'),
      'import.meta.env.API_LATEST': JSON.stringify(`/jsonapi${latest}`),
    },
  },
});

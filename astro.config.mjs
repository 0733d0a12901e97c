import node from '@astrojs/node';
import { defineConfig } from 'astro/config';
import jsonapi from 'astro-jsonapi';

/** What the served and the static demo site have in common. */
export const shared = {
  site: 'https://slackwater.example',
  markdown: {
    shikiConfig: {
      themes: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
      defaultColor: false,
    },
  },
  devToolbar: { enabled: false },
};

/** The demo site on a server: pages prebuilt, JSON:API answered live. */
export default defineConfig({
  ...shared,
  outDir: './build',
  adapter: node({ mode: 'standalone' }),
  integrations: [jsonapi({ explorer: true, plurals: { person: 'people' } })],
  vite: { define: { 'import.meta.env.API_ENTRY': JSON.stringify('/jsonapi') } },
});

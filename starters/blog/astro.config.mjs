import node from '@astrojs/node';
import { defineConfig } from 'astro/config';
import jsonapi from 'astro-jsonapi';

export default defineConfig({
  // The address of your blog, for the feed and for links that others share.
  site: 'https://blog.example',
  // Pages are rendered on request, so a change in the admin is on the site at once.
  output: 'server',
  adapter: node({ mode: 'standalone' }),
  markdown: {
    shikiConfig: { themes: { light: 'github-light', dark: 'github-dark' }, defaultColor: 'light-dark()' },
  },
  integrations: [
    jsonapi({
      editing: true,
      bundles: {
        post: { alias: '/posts/[id]' },
        tag: { alias: '/tags/[id]' },
        page: { alias: '/[id]' },
        person: { plural: 'people' },
      },
    }),
  ],
});

import node from '@astrojs/node';
import { defineConfig, envField } from 'astro/config';

export default defineConfig({
  // Pages are rendered on request, with the content that Drupal has at that moment.
  output: 'server',
  adapter: node({ mode: 'standalone' }),
  env: {
    schema: {
      DRUPAL_URL: envField.string({
        context: 'server',
        access: 'secret',
        url: true,
        default: 'http://127.0.0.1:8888',
      }),
    },
  },
});

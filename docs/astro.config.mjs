import { satteri } from '@astrojs/markdown-satteri';
import starlight from '@astrojs/starlight';
import { defineConfig } from 'astro/config';
import jsonapi from 'astro-jsonapi';
import { examples } from './src/examples.ts';
import { pageMarkdown } from './src/page-markdown.ts';
import { sidebar } from './src/sidebar.ts';

export const REPOSITORY = 'https://github.com/astro-jsonapi/astro-jsonapi';

/** The documentation site. Its content is the Markdown of this folder. */
export default defineConfig({
  site: 'https://astro-jsonapi.github.io',
  root: import.meta.dirname,
  outDir: '../build/docs',
  cacheDir: '../node_modules/.astro/docs',
  markdown: { processor: satteri({ mdastPlugins: [pageMarkdown(`${REPOSITORY}/blob/main/`)] }) },
  integrations: [
    starlight({
      title: 'astro-jsonapi',
      description: 'Query Markdown files in git with Drupal’s JSON:API query language.',
      social: [{ icon: 'github', label: 'GitHub', href: REPOSITORY }],
      editLink: { baseUrl: `${REPOSITORY}/edit/main/docs/` },
      sidebar,
      pagefind: false,
      lastUpdated: true,
      routeMiddleware: './src/descriptions.ts',
      components: { Search: './src/components/search.astro' },
      customCss: ['./src/styles/site.css'],
      markdown: { processedDirs: ['.'] },
    }),
    jsonapi({
      contentDir: '.',
      bundles: { page: { folder: '**', alias: '/[id]' } },
      ignore: ['.astro', 'astro.config.mjs', 'public', 'src', 'tsconfig.json'],
      static: { bodies: false },
      explorer: true,
      prebuild: Object.fromEntries(examples.map(({ name, query }) => [name, query])),
    }),
  ],
  vite: { cacheDir: '../node_modules/.vite/docs' },
});

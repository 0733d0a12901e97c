import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeFiles } from '../astro/packed.ts';
import { build, emptySite, run, type Served, type Site, serve, start } from '../astro/site.ts';

/** Drupal's settings of displays, which druxt-entity reads while it builds, are content here. */
const display = (kind: string) => `drupal_internal__id: node.article.default
targetEntityType: node
bundle: article
mode: default
content: { field_image: { type: ${kind}, weight: 0 } }
`;

const SITE = {
  // druxt-router adds the language of an entity to the addresses of the API.
  'astro.config.mjs': `import node from '@astrojs/node';
import { defineConfig } from 'astro/config';
import jsonapi from 'astro-jsonapi';
export default defineConfig({
  adapter: node({ mode: 'standalone' }),
  devToolbar: { enabled: false },
  i18n: { defaultLocale: 'en', locales: ['en'] },
  integrations: [jsonapi({ bundles: { article: { alias: '/articles/[id]' } }, gitDates: false })],
});
`,
  'content/schema.ts': `import { defineSchema, image, z } from 'astro-jsonapi/schema';
export default defineSchema({
  article: { field_image: image().nullish() },
  'user--user': { display_name: z.string() },
});
`,
  'content/article/tides.md': `---
title: How the tides work
created: 2026-03-09
uid: ada
field_image: { src: tides.png, alt: A beach at low tide }
---
The moon pulls the **sea**.
`,
  'content/article/secret.md':
    '---\ntitle: Not yet\ncreated: 2026-03-10\nstatus: false\nuid: ada\n---\nSecret.\n',
  'content/article/nobody.md': '---\ntitle: Without a picture\ncreated: 2026-03-08\nuid: bob\n---\nPlain.\n',
  'content/user--user/ada.md': '---\ndisplay_name: Ada Lovelace\n---\n',
  'content/entity_view_display--entity_view_display/article.yaml': display('image'),
  'content/entity_form_display--entity_form_display/article.yaml': display('image_image'),
  'content/field_config--field_config/image.yaml':
    'entity_type: node\nbundle: article\nfield_name: field_image\nlabel: Image\n',
  'content/field_storage_config--field_storage_config/image.yaml':
    'entity_type: node\nfield_name: field_image\ncardinality: 1\n',
};

/** A front end with Nuxt 2 and the modules of Druxt, as their documentation has them. */
const FRONT = {
  'package.json': JSON.stringify({
    private: true,
    dependencies: { 'druxt-entity': '0.28.1', 'druxt-router': '0.30.0', nuxt: '2.18.1' },
  }),
  'nuxt.config.js': `export default {
  telemetry: false,
  components: true,
  env: { baseUrl: process.env.BASE_URL },
  modules: ['druxt-entity', 'druxt-router/nuxt'],
  druxt: { baseUrl: process.env.BASE_URL },
};
`,
  'pages/index.vue': `<template>
  <main>
    <DruxtEntity v-for="{ id, type } in articles" :key="id" :type="type" :uuid="id" />
  </main>
</template>
<script>
export default {
  data: () => ({ articles: [] }),
  async fetch() {
    this.articles = (await this.$druxt.getCollection('node--article', 'sort=-created')).data;
  },
};
</script>
`,
  'components/druxt/entity/node/Article.vue': `<template>
  <article>
    <h2><NuxtLink :to="entity.attributes.path.alias">{{ entity.attributes.title }}</NuxtLink></h2>
    <p v-if="author">{{ author.attributes.display_name }}</p>
    <img v-if="file" :src="origin + file.attributes.uri.url" :alt="image.meta.alt" />
    <div v-html="entity.attributes.body.processed" />
  </article>
</template>
<script>
import { DruxtEntityMixin } from 'druxt-entity';
export default {
  mixins: [DruxtEntityMixin],
  computed: {
    origin: () => process.env.baseUrl,
    image: ({ entity }) => entity.relationships.field_image.data,
    file: ({ included, image }) => image && included(image),
    author: ({ entity, included }) => included(entity.relationships.uid.data),
  },
  methods: {
    included(identifier) {
      return (this.entity.included || []).find(({ id }) => identifier && id === identifier.id);
    },
  },
  druxt: { query: { include: ['field_image', 'uid'] } },
};
</script>
`,
};

describe('a front end with Nuxt and Druxt', () => {
  let site: Site;
  let server: Served;
  beforeAll(async () => {
    site = emptySite('nuxt');
    writeFiles(site, SITE);
    const create = { width: 1200, height: 630, channels: 3, background: '#3a7ca5' } as const;
    await sharp({ create }).png().toFile(site.file('content/article/tides.png'));
    await build(site);
    server = await serve(site);
  });
  afterAll(async () => {
    await server?.stop();
    site?.remove();
  });

  it('builds, and its pages have the entries, images with their alternative texts, and authors', async () => {
    const front = emptySite('nuxt-front');
    writeFiles(front, FRONT);
    const env = { BASE_URL: server.origin };
    const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--legacy-peer-deps'];
    const installed = await run('npm', ['install', ...flags], front.dir);
    expect(installed.code, installed.output).toBe(0);
    const nuxt = front.file('node_modules/nuxt/bin/nuxt.js');
    const { code, output } = await run(process.execPath, [nuxt, 'build'], front.dir, env);
    expect(code, output).toBe(0);
    expect(output).toContain('Druxt schema files generated');
    const { origin, stop } = await start(process.execPath, [nuxt, 'start'], front.dir, env);
    try {
      const page = async (at: string) => {
        const text = await (await fetch(origin + at)).text();
        return (
          text.match(/<article>.*?<\/article>/gs)?.map((each) => each.replace(/ class="[^"]*"/g, '')) ?? []
        );
      };
      const [tides = '', nobody = '', ...others] = await page('/');
      expect(others).toEqual([]);
      expect(tides).toContain('<a href="/articles/tides">How the tides work</a>');
      expect(tides).toContain('<p>Ada Lovelace</p>');
      expect(tides).toContain('The moon pulls the <strong>sea</strong>.');
      const [, src = '', alt] = /<img src="([^"]+)" alt="([^"]+)"/.exec(tides) ?? [];
      expect(alt).toBe('A beach at low tide');
      expect((await fetch(src)).headers.get('content-type')).toBe('image/png');
      expect(nobody).toContain('Without a picture');
      expect(nobody).not.toContain('<img');
      expect((await page('/articles/tides')).join()).toContain('alt="A beach at low tide"');
      expect(await page('/articles/secret')).toEqual([]);
    } finally {
      await stop();
      front.remove();
    }
  });
});

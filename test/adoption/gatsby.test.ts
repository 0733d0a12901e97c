import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeFiles } from '../astro/packed.ts';
import { build, emptySite, run, type Served, type Site, serve } from '../astro/site.ts';
import { folderOf, GATSBY_STARTER } from './repositories.ts';

const STARTER = folderOf(GATSBY_STARTER);

/** The content types of the starter, with one entry each. It shows no owners. */
const SITE = {
  'astro.config.mjs': `import node from '@astrojs/node';
import { defineConfig } from 'astro/config';
import jsonapi from 'astro-jsonapi';
export default defineConfig({
  adapter: node({ mode: 'standalone' }),
  devToolbar: { enabled: false },
  integrations: [jsonapi({ gitDates: false })],
});
`,
  'content/schema.ts': `import { defineSchema, image, reference, z } from 'astro-jsonapi/schema';
const picture = reference('media--image').nullish();
const text = z.string().nullish();
const links = z.array(reference('homepage_link')).default([]);
const block = { field_kicker: text, field_text: text, field_image: picture, field_links: links };
export default defineSchema({
  homepage: {
    field_description: text,
    field_image: picture,
    field_content: z.array(reference(['homepage_hero', 'homepage_cta'])).default([]),
  },
  homepage_hero: { ...block, field_subhead: text },
  homepage_cta: block,
  homepage_link: { field_href: z.string() },
  about_page: {
    field_description: text,
    field_image: picture,
    field_content: z.array(reference('about_hero')).default([]),
  },
  about_hero: { field_text: text, field_image: picture },
  layout: { field_header: reference('layout_header'), field_footer: reference('layout_footer') },
  layout_header: {
    field_nav_items: z.array(reference('nav_item')).default([]),
    field_cta: reference('homepage_link').nullish(),
  },
  nav_item: { field_href: z.string(), field_description: text, field_icon: picture },
  layout_footer: { field_links: links, field_meta: links, field_copyright: text },
  page: {
    field_slug: z.string(),
    field_description: text,
    field_image: picture,
    field_body: z.object({ value: z.string(), processed: z.string() }),
  },
  'media--image': { field_media_image: image() },
});
`,
  'content/media--image/low-tide.md':
    '---\ntitle: Low tide\nfield_media_image: { src: low-tide.png, alt: A beach at low tide }\n---\n',
  'content/media--image/harbor.md':
    '---\ntitle: Harbor\nfield_media_image: { src: harbor.png, alt: Boats in the harbor }\n---\n',
  'content/homepage_link/start.md': '---\ntitle: Read on\nfield_href: /about\n---\n',
  'content/homepage_link/imprint-link.md': '---\ntitle: Imprint\nfield_href: /imprint\n---\n',
  'content/nav_item/coast-link.md': '---\ntitle: About the coast\nfield_href: /about\n---\n',
  'content/homepage_hero/tides.md': `---
title: How the tides work
field_kicker: The sea
field_subhead: Twice a day
field_text: The moon pulls the sea.
field_image: low-tide
field_links: [start]
---
`,
  'content/homepage_cta/visit.md':
    '---\ntitle: Visit us\nfield_text: Bring boots.\nfield_image: harbor\nfield_links: [start]\n---\n',
  'content/homepage_cta/draft.md': '---\ntitle: Not yet\nstatus: false\n---\n',
  'content/homepage/home.md': `---
title: Slack Water
field_description: A magazine about tides
field_image: harbor
field_content: [homepage_hero/tides, homepage_cta/visit, homepage_cta/draft]
---
`,
  'content/about_hero/coast.md':
    '---\ntitle: Who we are\nfield_text: We like the sea.\nfield_image: harbor\n---\n',
  'content/about_page/about.md': '---\ntitle: About us\nfield_content: [coast]\n---\n',
  'content/layout_header/header.md':
    '---\ntitle: Header\nfield_nav_items: [coast-link]\nfield_cta: start\n---\n',
  'content/layout_footer/footer.md':
    '---\ntitle: Footer\nfield_links: [start]\nfield_meta: [imprint-link]\nfield_copyright: Slack Water\n---\n',
  'content/layout/layout.md': '---\ntitle: Layout\nfield_header: header\nfield_footer: footer\n---\n',
  'content/page/imprint.md': `---
title: Imprint
field_slug: imprint
field_body: { value: 'Written **here**', processed: '<p>Written <strong>here</strong></p>' }
---
`,
};

describe.skipIf(!existsSync(STARTER))('the homepage starter of Gatsby for Drupal', () => {
  let site: Site;
  let server: Served;
  beforeAll(async () => {
    site = emptySite('gatsby');
    writeFiles(site, SITE);
    for (const [name, background] of [
      ['low-tide', '#3a7ca5'],
      ['harbor', '#d9a441'],
    ] as const) {
      const create = { width: 1200, height: 630, channels: 3, background } as const;
      await sharp({ create })
        .png()
        .toFile(site.file(`content/media--image/${name}.png`));
    }
    await build(site);
    server = await serve(site);
  });
  afterAll(async () => {
    await server?.stop();
    site?.remove();
  });

  it('builds, and its pages have the entries, and the images with their alternative texts', async () => {
    const dir = site.file('front');
    cpSync(STARTER, dir, { recursive: true, filter: (file) => !/\/(?:node_modules|\.git)$/.test(file) });
    // This version of sharp downloads its libraries from GitHub while it is installed.
    const manifest = path.join(dir, 'package.json');
    const { dependencies, ...others } = JSON.parse(readFileSync(manifest, 'utf8'));
    const newer = { dependencies: { ...dependencies, sharp: '0.33.5' }, overrides: { sharp: '$sharp' } };
    writeFileSync(manifest, JSON.stringify({ ...others, ...newer }));
    const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--legacy-peer-deps'];
    const installed = await run('npm', ['install', ...flags], dir);
    expect(installed.code, installed.output).toBe(0);
    // The configuration of the starter needs a name, which a server without accounts ignores. Its database needs Node 20.
    const env = {
      DRUPAL_BASE_URL: server.origin,
      DRUPAL_BASIC_AUTH_USERNAME: 'none',
      DRUPAL_BASIC_AUTH_PASSWORD: 'none',
      GATSBY_TELEMETRY_DISABLED: '1',
    };
    const node = ['--yes', '--package', 'node@20', '--', 'node'];
    const { code, output } = await run('npx', [...node, 'node_modules/gatsby/cli.js', 'build'], dir, env);
    expect(code, output).toBe(0);
    const page = (name: string) => readFileSync(path.join(dir, 'public', name, 'index.html'), 'utf8');
    const home = page('');
    for (const text of ['How the tides work', 'The moon pulls the sea.', 'Visit us', 'About the coast'])
      expect(home).toContain(text);
    expect(home).not.toContain('Not yet');
    expect(imagesOf(home)).toEqual(['A beach at low tide', 'Boats in the harbor']);
    expect(imagesOf(page('about'))).toEqual(['Boats in the harbor']);
    expect(page('imprint')).toContain('<p>Written <strong>here</strong></p>');
  });
});

/** The alternative texts of the images of a page. Each image is there twice, once for browsers without scripts. */
function imagesOf(html: string): readonly string[] {
  const images = [...html.matchAll(/<img[^>]* src="\/static\/[^"]+\/(?:low-tide|harbor)\.png"[^>]*>/g)];
  return images.map(([tag]) => / alt="([^"]*)"/.exec(tag)?.[1] ?? '');
}

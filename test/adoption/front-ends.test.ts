import { cpSync, existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeFiles } from '../astro/packed.ts';
import { build, emptySite, run, type Served, type Site, serve, start } from '../astro/site.ts';
import { folderOf, NEXT_DRUPAL } from './repositories.ts';

const SITE = {
  'astro.config.mjs': `import node from '@astrojs/node';
import { defineConfig } from 'astro/config';
import jsonapi from 'astro-jsonapi';
export default defineConfig({
  adapter: node({ mode: 'standalone' }),
  devToolbar: { enabled: false },
  integrations: [jsonapi({ bundles: { article: { alias: '/articles/[id]' }, page: { alias: '/[id]' } }, gitDates: false })],
});
`,
  'content/schema.ts': `import { defineSchema, image, z } from 'astro-jsonapi/schema';
export default defineSchema({
  article: { field_image: image().nullish() },
  page: {},
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
  'content/page/about.md': '---\ntitle: About us\n---\nWe like the sea.\n',
  'content/user--user/ada.md': '---\ndisplay_name: Ada Lovelace\n---\n',
};

const STARTERS = path.join(folderOf(NEXT_DRUPAL), 'starters');

describe.skipIf(!existsSync(STARTERS))('the starter of next-drupal', () => {
  let site: Site;
  let server: Served;
  beforeAll(async () => {
    site = emptySite('front-end');
    writeFiles(site, { ...SITE });
    const create = { width: 1200, height: 630, channels: 3, background: '#3a7ca5' } as const;
    await sharp({ create }).png().toFile(site.file('content/article/tides.png'));
    await build(site);
    server = await serve(site);
  });
  afterAll(async () => {
    await server?.stop();
    site?.remove();
  });

  it.each(['basic-starter', 'pages-starter'])(
    '%s builds unmodified, and shows images and authors',
    async (name) => {
      const dir = site.file(name);
      cpSync(path.join(STARTERS, name), dir, { recursive: true });
      const env = { NEXT_PUBLIC_DRUPAL_BASE_URL: server.origin, NEXT_IMAGE_DOMAIN: '127.0.0.1' };
      const ended = async (command: string, args: readonly string[]) => {
        const { code, output } = await run(command, args, dir, env);
        expect(code, output).toBe(0);
      };
      await ended('npm', ['install', '--no-audit', '--no-fund']);
      const next = path.join(dir, 'node_modules/next/dist/bin/next');
      await ended(process.execPath, [next, 'build']);
      const front = await start(process.execPath, [next, 'start', '-H', '127.0.0.1'], dir, env, (port) => [
        '-p',
        String(port),
      ]);
      try {
        const page = async (at: string) => (await fetch(front.origin + at)).text();
        const home = await page('/');
        expect(home).toContain('How the tides work');
        expect(home).toContain('Ada Lovelace');
        expect(home).toContain('alt="A beach at low tide"');
        expect(home).not.toContain('Not yet');
        const [, picture = ''] = /src="(\/_next\/image[^"]+)"/.exec(home) ?? [];
        const response = await fetch(front.origin + picture.replaceAll('&amp;', '&'));
        expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png']);
        const article = await page('/articles/tides');
        expect(article).toContain('Ada Lovelace');
        expect(article).toContain('The moon pulls the <strong>sea</strong>.');
        expect(await page('/about')).toContain('We like the sea.');
        expect((await fetch(`${front.origin}/articles/secret`)).status).toBe(404);
      } finally {
        await front.stop();
        rmSync(dir, { recursive: true, force: true });
      }
    },
  );
});

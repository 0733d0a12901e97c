import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { BrowserContext, FrameLocator, Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { ATOMIC_MEDIA_TYPE } from '../../integration/core/read/document-types.ts';
import { build, emptySite, type Served, type Site, serve } from '../astro/site.ts';
import { addAccounts } from '../support/accounts.ts';
import { eventually } from '../support/eventually.ts';
import { axeViolations } from './axe.ts';
import { describeInBrowser, useBrowser } from './chromium.ts';
import { watchFaults } from './page-checks.ts';

const FILES: Readonly<Record<string, string>> = {
  'astro.config.mjs': `import node from '@astrojs/node';
import { defineConfig } from 'astro/config';
import jsonapi from 'astro-jsonapi';
export default defineConfig({
  base: '/site',
  adapter: node({ mode: 'standalone' }),
  integrations: [
    jsonapi({ editing: true, api: { prefix: '/api' }, bundles: { post: { alias: '/posts/[id]' } } }),
  ],
});
`,
  'content/schema.ts': `import { defineSchema, image, reference, z } from 'astro-jsonapi/schema';
export default defineSchema({
  post: { field_picture: image().nullish(), field_rank: z.number(), field_author: reference('person').nullish() },
  person: {},
});
`,
  'src/pages/posts/[id].astro': `---
import { Image } from 'astro:assets';
import { edit } from 'astro-jsonapi/edit';
import { entities } from 'astro-jsonapi:content';
import { imageOf } from 'astro-jsonapi:images';
export const getStaticPaths = async () =>
  (await entities('post').include('field_author').all()).map((post) => ({ params: { id: post.id }, props: { post } }));
const { post } = Astro.props;
const picture = await imageOf(post.field_picture);
---
<html lang="en">
  <head><title>{post.title}</title></head>
  <body>
    <h1 {...edit(post, 'title')}>{post.title}</h1>
    <p id="rank" {...edit(post, 'field_rank')}>Rank: {post.field_rank * 10}</p>
    <p>{post.field_author?.title}</p>
    {picture && <Image {...picture} width={20 * post.field_rank} widths={[20, 40]} sizes="40px" height={40} />}
  </body>
</html>
`,
  'src/components/authors.astro': `---
import { entities } from 'astro-jsonapi:content';
const people = await entities('person').all();
---
<ul>{people.map((person) => <li>{person.title}</li>)}</ul>
`,
  'src/pages/live.astro': `---
import Authors from '../components/authors.astro';
export const prerender = false;
---
<html lang="en"><head><title>Live</title></head><body><Authors /></body></html>
`,
  'src/pages/people.astro': `---
import Authors from '../components/authors.astro';
---
<html lang="en"><head><title>People</title></head><body><Authors /></body></html>
`,
  'content/person/ada.md': '---\ntitle: Ada\n---\n',
  'content/person/bob.md': '---\ntitle: Bob\n---\n',
  'content/post/moon.md': '---\ntitle: Moon\nfield_rank: 2\nfield_author: ada\nfield_picture: red.png\n---\n',
  'content/post/sea.md': '---\ntitle: Sea\nfield_rank: 2\nfield_picture: blue.png\n---\n',
  'content/post/wide.md': '---\ntitle: Wide\nstatus: false\nfield_rank: 2\nfield_picture: green.png\n---\n',
};
const COLORS = {
  red: { background: '#ff0000', parts: '32,0,0' },
  blue: { background: '#0000ff', parts: '0,0,32' },
  green: { background: '#00ff00', parts: '0,32,0' },
};
const PASSWORD = 'correct horse battery';

describeInBrowser('the preview on a built server', async () => {
  const browser = await useBrowser();
  let site: Site;
  let server: Served;
  let context: BrowserContext;
  let page: Page;
  let frame: FrameLocator;
  const faults: string[] = [];

  beforeAll(async () => {
    site = emptySite('built-preview');
    for (const [name, text] of Object.entries(FILES)) {
      mkdirSync(path.dirname(site.file(name)), { recursive: true });
      writeFileSync(site.file(name), text);
    }
    for (const [name, { background }] of Object.entries(COLORS)) {
      const picture = sharp({ create: { width: 80, height: 80, channels: 3, background } });
      writeFileSync(site.file(`content/post/${name}.png`), await picture.png().toBuffer());
    }
    await build(site);
    const file = site.file('accounts.json');
    await addAccounts(file, { eddi: { roles: ['editor'], password: PASSWORD } });
    server = await serve(site, { JSONAPI_ACCOUNTS_JSON: readFileSync(file, 'utf8') });
  });
  beforeEach(async () => {
    context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    page = await context.newPage();
    page.setDefaultTimeout(8000);
    watchFaults(page, faults);
    frame = page.frameLocator('dialog.preview iframe:not([style*="hidden"])');
    await page.goto(`${server.origin}/site/user/login`);
    await page.getByLabel('Name').fill('eddi');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.waitForURL(/admin/);
  });
  afterEach(async () => {
    await context.close();
    expect(faults.splice(0)).toEqual([]);
  });
  afterAll(async () => {
    await server?.stop();
    site?.remove();
  });

  async function open(address: string): Promise<void> {
    await page.goto(`${server.origin}/site/admin${address}`);
    await page.getByRole('button', { name: 'Preview', exact: true }).click();
  }

  /** The color in the middle of the picture, as the browser paints it. */
  async function color(): Promise<string> {
    const shown = await sharp(await frame.locator('img').screenshot())
      .raw()
      .toBuffer({ resolveWithObject: true });
    const { width, height, channels } = shown.info;
    const at = channels * (Math.floor(height / 2) * width + Math.floor(width / 2));
    // WebP stores neighbors of the pure colors.
    return [...shown.data.subarray(at, at + 3)].map((part) => Math.round(part / 8)).join();
  }

  test('shows the pictures that the build has resized', async () => {
    await open('/edit/node/post/moon');
    await frame.getByRole('heading', { name: 'Moon' }).waitFor();
    await eventually(async () => expect(await color()).toBe(COLORS.red.parts));
    const published = await (await fetch(`${server.origin}/site/posts/moon`)).text();
    const src = await frame.locator('img').getAttribute('src');
    expect(src).toMatch(/^\/site\/_astro\/red\..*\.webp$/);
    expect(published).toContain(`src="${src}"`);
  });

  test('shows a picture that the build does not have', async () => {
    await open('/edit/node/post/wide');
    await frame.getByRole('heading', { name: 'Wide' }).waitFor();
    await eventually(async () => expect(await color()).toBe(COLORS.green.parts));
  });

  test('shows a picture of another page, and one in another size than the build has', async () => {
    await open('/edit/node/post/moon');
    await frame.getByRole('heading', { name: 'Moon' }).waitFor();
    await page.locator('#field-field_rank').fill('3');
    await frame.locator('img[width="60"]').waitFor();
    await eventually(async () => expect(await color()).toBe(COLORS.red.parts));
    await page
      .getByRole('group', { name: 'Picture', exact: true })
      .getByRole('button', { name: 'Replace' })
      .click();
    const dialog = page.getByRole('dialog', { name: /picture/i });
    await dialog.getByRole('option', { name: 'blue.png' }).click();
    await dialog.getByRole('textbox', { name: 'blue.png', exact: true }).fill('The sea');
    await dialog.getByRole('button', { name: 'Insert', exact: true }).click();
    await eventually(async () => expect(await color()).toBe(COLORS.blue.parts));
  });

  test('offers the pages that show an entry without a page of its own, and publishes no list of them', async () => {
    // The headers arrive before the queries of the page.
    await (await fetch(`${server.origin}/site/live`)).text();
    await fetch(`${server.origin}/site/no-such-page`);
    const response = await page.request.post(`${server.origin}/site/api/jsonapi/_preview`, {
      headers: { 'content-type': ATOMIC_MEDIA_TYPE, origin: server.origin },
      data: JSON.stringify({
        'atomic:operations': [{ op: 'update', data: { type: 'node--person', id: 'ada' } }],
      }),
    });
    const { errors } = await response.json();
    expect(errors[0]).toMatchObject({
      code: 'no-page',
      meta: { pages: ['/site/live', '/site/people/', '/site/posts/moon/'] },
    });
    await open('/edit/node/person/ada');
    await page.getByRole('button', { name: '/site/live', exact: true }).click();
    await frame.getByText('Ada', { exact: true }).waitFor();
    await page.getByRole('textbox', { name: 'Title', exact: true }).fill('Ada Lovelace');
    await frame.getByText('Ada Lovelace', { exact: true }).waitFor();
    for (const folder of ['', '/prerendered']) {
      expect((await fetch(`${server.origin}/site${folder}/recorded-queries.json`)).status).toBe(404);
    }
    expect(globSync('dist/client/**/recorded-queries.json', { cwd: site.dir })).toEqual([]);
  });

  test('lists the pages that show an entry on a phone, without accessibility problems', async () => {
    await page.setViewportSize({ width: 390, height: 800 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await open('/edit/node/person/ada');
    await page.getByRole('button', { name: '/site/people/', exact: true }).waitFor();
    const { SHOTS } = process.env;
    if (SHOTS !== undefined) await page.screenshot({ path: `${SHOTS}/offered-dark-390.png` });
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    expect(await axeViolations(page)).toEqual([]);
  });

  test('leads from an element that the template marks to its field', async () => {
    await open('/edit/node/post/moon');
    await frame.locator('#rank').click();
    await page.locator('#field-field_rank:focus').waitFor();
    await frame.getByRole('heading', { name: 'Moon' }).click();
    await page.locator('#field-title:focus').waitFor();
  });

  test('publishes the site that it would be without marks', async () => {
    const unmarked = emptySite('built-preview-unmarked');
    try {
      cpSync(site.file(), unmarked.dir, {
        recursive: true,
        filter: (name) => !/\/(?:dist|node_modules|\.astro)$/.test(name),
      });
      const template = unmarked.file('src/pages/posts/[id].astro');
      const text = readFileSync(template, 'utf8')
        .replace(/ \{\.\.\.edit\(.*?\)\}/g, '')
        .replace(/.*astro-jsonapi\/edit.*\n/, '');
      expect(text).not.toContain('edit(');
      writeFileSync(template, text);
      await build(unmarked);
      const files = (of: Site) =>
        Object.fromEntries(
          globSync('dist/client/**/*.*', { cwd: of.dir })
            .sort()
            .map((name) => [name, readFileSync(of.file(name)).toString('base64')]),
        );
      expect(Object.keys(files(site)).some((name) => name.endsWith('moon/index.html'))).toBe(true);
      expect(files(site)).toEqual(files(unmarked));
    } finally {
      unmarked.remove();
    }
  });
});

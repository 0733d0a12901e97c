import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { BrowserContext, FrameLocator, Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { emptySite, type Served, type Site, serveDev } from '../astro/site.ts';
import { eventually } from '../support/eventually.ts';
import { axeViolations } from './axe.ts';
import { describeInBrowser, useBrowser } from './chromium.ts';
import { watchFaults } from './page-checks.ts';

const LAYOUT = `---
const { title } = Astro.props;
---
<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>{title}</title>
    <style>:root { color-scheme: light dark; } main { min-height: 3000px; }</style>
  </head>
  <body>
    <nav><a href="/articles">All articles</a> <a href="/feed.xml">Feed</a> <a href="/files/tide.pdf">Tide table</a>
      <a href="/sitemap-index.xml">Sitemap</a> <a href="/export">Export</a> <a href="/away">Away</a> <a href="/articles#%zz">Odd</a></nav>
    <main><slot /></main>
    <footer>Visits: <span id="visits">0</span> <span id="path"></span></footer>
    <script is:inline>
      document.getElementById('visits').textContent = String(1 + Number(document.getElementById('visits').textContent));
      document.getElementById('path').textContent = location.pathname;
      document.documentElement.className = 'scripted';
    </script>
  </body>
</html>
`;
const FILES: Readonly<Record<string, string>> = {
  'astro.config.mjs': `import { defineConfig } from 'astro/config';
import jsonapi from 'astro-jsonapi';
export default defineConfig({
  devToolbar: { enabled: false },
  i18n: { locales: ['en', 'de'], defaultLocale: 'en' },
  integrations: [jsonapi({ editing: true, bundles: { article: { alias: '/articles/[id]' } } })],
});
`,
  'content/schema.ts': `import { defineSchema, reference, z } from 'astro-jsonapi/schema';
export default defineSchema({
  article: {
    field_day: z.iso.date().nullish(),
    field_time: z.iso.datetime({ offset: true }).nullish(),
    field_place: z.string().nullish(),
    field_author: reference('person').nullish(),
    field_blocks: z.array(z.discriminatedUnion('type', [
      z.object({ type: z.literal('quote'), text: z.string() }),
      z.object({ type: z.literal('fact'), name: z.string() }),
    ])).default([]),
  },
  person: {},
});
`,
  'content/article/moon.md': `---
title: The moon
summary: It shines.
field_place: The harbour
field_day: 2026-03-01
field_author: jane
---
The first paragraph.

The second paragraph is *here*.
`,
  'content/article/tide.md': '---\ntitle: The tide\n---\nIt turns.\n',
  'content/person/jane.md': '---\ntitle: Jane Low\n---\n',
  'src/content.config.ts': `import { defineCollection } from 'astro:content';
import { file } from 'astro/loaders';
export const collections = { shop: defineCollection({ loader: file('src/shops.json') }) };
`,
  'src/shops.json': '[{ "id": "north", "title": "North" }, { "id": "south", "title": "South" }]\n',
  'src/pages/shops.astro': `---
import { getCollection } from 'astro:content';
import Page from '../layouts/page.astro';
const shops = await getCollection('shop');
---
<Page title="Shops"><h1>Shops</h1><ul>{shops.map(({ data }) => <li>{data.title}</li>)}</ul></Page>
`,
  'src/pages/feed.xml.ts': `import { entities } from 'astro-jsonapi:content';
export const GET = async () => {
  const items = (await entities('article').sort('title').all()).map(({ title }) => \`<item><title>\${title}</title></item>\`);
  return new Response(\`<rss>\${items.join('')}</rss>\`, { headers: { 'content-type': 'application/rss+xml' } });
};
`,
  'src/pages/export.ts': `export const prerender = false;
export const GET = () => new Response(new Uint8Array([80, 75, 3, 4]), { headers: { 'content-type': 'application/zip' } });
`,
  'src/pages/away.astro': `---
return Astro.redirect('https://other.example/');
---
`,
  'src/pages/green.astro': `---
import { entities } from 'astro-jsonapi:content';
export const prerender = false;
const all = await entities('article').sort('title').all();
---
<html lang="en"><head><title>Green</title><style>html { background: rgb(0 80 0); color: white; }</style></head>
<body><h1>{all.map(({ title, field_day }) => title + ' ' + field_day).join(', ')}</h1><a href="/green?next" style="color: white">Next</a></body></html>
`,
  'src/layouts/page.astro': LAYOUT,
  'src/pages/articles/index.astro': `---
import { entities } from 'astro-jsonapi:content';
import Page from '../../layouts/page.astro';
const all = await entities('article').include('field_author').sort('title').all();
---
<Page title="All articles">
  <h1>All articles</h1>
  <ul>{all.map((one) => <li><a href={\`/articles/\${one.id}\`}>{one.title}</a> {one.field_author?.title}</li>)}</ul>
  <form action="/search"><input name="words" aria-label="Words" /><button>Search</button></form>
</Page>
`,
  'src/pages/de/articles/[id].astro': `---
import { entities } from 'astro-jsonapi:content';
import Page from '../../../layouts/page.astro';
export const getStaticPaths = async () =>
  (await entities('article', { lang: 'de' }).all()).map((article) => ({ params: { id: article.id }, props: { article } }));
const { article } = Astro.props;
---
<Page title={article.title}><h1>{article.title}</h1></Page>
`,
  'src/pages/articles/[id].astro': `---
import { entities } from 'astro-jsonapi:content';
import Page from '../../layouts/page.astro';
export const getStaticPaths = async () =>
  (await entities('article').all()).map((article) => ({ params: { id: article.id }, props: { article } }));
const { article } = Astro.props;
if (article.title === 'Break the template') throw new Error('This title breaks the template.');
---
<Page title={article.title}>
  <h1>{article.title}</h1>
  <p class="summary">{article.body?.summary}</p>
  <p>Seen at <b>{article.field_place}</b></p>
  <p>On <time>{article.field_day}</time></p>
  {article.field_blocks.map((block) => <blockquote>{block.text ?? block.name}</blockquote>)}
  <details><summary>More</summary><p>Hidden words</p></details>
  <article set:html={article.body?.processed} />
</Page>
`,
};
const FORM = '/admin/edit/node/article/moon';
/** From the last key to the changed page, in the middle of several changes. */
const PATIENCE_MS = 300;

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
}

describeInBrowser('the preview', async () => {
  const browser = await useBrowser();
  let site: Site;
  let server: Served;
  let context: BrowserContext;
  let page: Page;
  let frame: FrameLocator;
  const faults: string[] = [];

  beforeAll(async () => {
    site = emptySite('preview');
    for (const [name, text] of Object.entries(FILES)) {
      mkdirSync(path.dirname(site.file(name)), { recursive: true });
      writeFileSync(site.file(name), text);
    }
    server = await serveDev(site);
    await eventually(async () => {
      for (const address of ['/articles', '/articles/moon']) {
        expect((await fetch(server.origin + address)).status).toBe(200);
      }
    });
  });
  beforeEach(async () => {
    context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    page = await context.newPage();
    watchFaults(page, faults);
    frame = page.frameLocator('dialog.preview iframe:not([style*="hidden"])');
  });
  afterEach(async () => {
    await context.close();
    expect(faults.splice(0)).toEqual([]);
  });
  afterAll(async () => {
    await server?.stop();
    site?.remove();
  });

  async function open(address = FORM): Promise<void> {
    await page.goto(server.origin + address);
    await page.getByRole('button', { name: 'Preview', exact: true }).click();
  }
  const field = (name: string) => page.getByRole('textbox', { name, exact: true });
  const heading = (name: string) => frame.getByRole('heading', { level: 1, name, exact: true });
  const tool = (name: string) => page.locator('dialog.preview').getByRole('button', { name, exact: true });
  const note = (text: string | RegExp) => page.locator('dialog.preview [role=status]').getByText(text);
  const scroll = () => frame.locator('html').evaluate(() => scrollY);

  test('shows the values of the form within a third of a second, and stores nothing', async () => {
    const file = readFileSync(site.file('content/article/moon.md'), 'utf8');
    await open();
    await heading('The moon').waitFor();
    const times: number[] = [];
    const visits: number[] = [];
    await field('Title').press('End');
    for (let typed = 'The moon!'; typed.length < 16; typed += '!') {
      const start = performance.now();
      await page.keyboard.type('!');
      await heading(typed).waitFor();
      times.push(performance.now() - start);
      const visit = performance.now();
      await (await fetch(`${server.origin}/articles/moon`)).text();
      visits.push(performance.now() - visit);
    }
    // On a busy machine, a visit takes longer too.
    expect(median(times)).toBeLessThan(Math.max(PATIENCE_MS, 12 * median(visits)));
    expect(await page.locator('dialog.preview').getByLabel('Path of the page').inputValue()).toBe(
      '/articles/moon',
    );
    expect(readFileSync(site.file('content/article/moon.md'), 'utf8')).toBe(file);
    expect(await (await fetch(`${server.origin}/articles/moon`)).text()).toContain('<h1>The moon</h1>');
  });

  test('runs the scripts of the page as in a visit, and keeps changes by readers and scripts', async () => {
    await open();
    await heading('The moon').waitFor();
    expect(await frame.locator('#path').textContent()).toBe('/articles/moon');
    await frame.getByText('More').click();
    await frame.locator('html').evaluate(() => scrollTo(0, 200));
    await field('Title').fill('The sun');
    await heading('The sun').waitFor();
    expect(await frame.getByText('Hidden words').isVisible()).toBe(true);
    expect(await frame.locator('html').getAttribute('class')).toBe('scripted');
    expect(await scroll()).toBe(200);
  });

  test('names the collection of a page that does not follow the form, and the query to use', async () => {
    await open();
    await heading('The moon').waitFor();
    const path = page.locator('dialog.preview').getByLabel('Path of the page');
    await path.fill('/shops');
    await path.press('Enter');
    await heading('Shops').waitFor();
    expect(await page.locator('dialog.preview').innerText()).toMatch(
      /collection: shop\..*entities\('article'\)/,
    );
    expect(await axeViolations(page)).toEqual([]);
  });

  test('leads on to other pages with the changes, and back', async () => {
    await open();
    await heading('The moon').waitFor();
    await field('Title').fill('The sun');
    await heading('The sun').waitFor();
    await frame.getByRole('link', { name: 'All articles' }).click();
    await heading('All articles').waitFor();
    await frame.getByRole('link', { name: 'The sun' }).waitFor();
    await field('Title').fill('The star');
    await frame.getByRole('link', { name: 'The star' }).waitFor();
    await frame.getByRole('button', { name: 'Search' }).click();
    await note('Forms are not sent in the preview.').waitFor();
    await frame.getByRole('link', { name: 'The tide' }).click();
    await heading('The tide').waitFor();
    await tool('Previous page').click();
    await heading('All articles').waitFor();
    await tool('Previous page').click();
    await heading('The star').waitFor();
    expect(await tool('Previous page').isDisabled()).toBe(true);
    const [opened] = await Promise.all([
      context.waitForEvent('page'),
      frame.getByRole('link', { name: 'Tide table' }).click(),
    ]);
    expect(new URL(opened.url()).pathname).toBe('/files/tide.pdf');
  });

  test('never shows an empty page, while the form and the page change', async () => {
    await open();
    await heading('The moon').waitFor();
    const path = page.locator('dialog.preview').getByLabel('Path of the page');
    await path.fill('/green');
    await path.press('Enter');
    await frame.getByText('The moon 2026-03-01').waitFor();
    const frames: Buffer[] = [];
    const client = await context.newCDPSession(page);
    client.on('Page.screencastFrame', ({ data, sessionId }) => {
      frames.push(Buffer.from(data, 'base64'));
      void client.send('Page.screencastFrameAck', { sessionId });
    });
    await client.send('Page.startScreencast', { format: 'png', everyNthFrame: 1 });
    await field('Title').press('End');
    for (let typed = 'The moon!'; typed.length < 14; typed += '!') {
      await page.keyboard.type('!');
      await frame.getByText(`${typed} 2026`).waitFor();
    }
    await frame.getByRole('link', { name: 'Next' }).click();
    await eventually(async () => expect(await path.inputValue()).toBe('/green?next'));
    // The form has the last complete date while another one is typed.
    await field('Day').pressSequentially('12');
    await frame.getByText('The moon!!!!! 2026-03-01').waitFor();
    await field('Title').fill('');
    await note('Title: Fill in this field.').waitFor();
    await field('Title').fill('The sun');
    await frame.getByText('The sun 2026').waitFor();
    await client.send('Page.stopScreencast');
    // As wide as the pane, below the texts of the page.
    const { x = 0, y = 0 } = (await page.locator('dialog.preview .stage').boundingBox()) ?? {};
    const colors = await Promise.all(
      frames.map(async (png) => {
        const picture = sharp(png).extract({
          left: Math.ceil(x) + 100,
          top: Math.ceil(y) + 300,
          width: 1,
          height: 1,
        });
        return (await picture.raw().toBuffer()).subarray(0, 3).join();
      }),
    );
    expect(colors.length).toBeGreaterThan(5);
    expect(new Set(colors)).toEqual(new Set(['0,80,0']));
  });

  test('shows the text of a feed with the changes', async () => {
    await open();
    await heading('The moon').waitFor();
    await frame.getByRole('link', { name: 'Feed' }).click();
    await frame.getByText('<title>The moon</title>').waitFor();
    await field('Title').fill('The <b>sun</b>.');
    await frame.getByText('<title>The <b>sun</b>.</title>').waitFor();
    expect(await frame.locator('b').count()).toBe(0);
    expect(await axeViolations(page)).toEqual([]);
    await tool('Previous page').click();
    await heading('The <b>sun</b>.').waitFor();
  });

  test.each([
    ['Sitemap', '/sitemap-index.xml'],
    ['Export', '/export'],
    ['Away', '/away'],
  ])(
    'keeps the page at a link to a file or another site, and offers a new tab: %s',
    async (name, address) => {
      await open();
      await heading('The moon').waitFor();
      await frame.getByRole('link', { name }).click();
      await note(`The site has no page at ${address}.`).waitFor();
      const link = page.locator('dialog.preview [role=status]').getByRole('link');
      expect([await link.getAttribute('href'), await link.getAttribute('target')]).toEqual([
        address,
        '_blank',
      ]);
      await field('Title').fill('The sun');
      await heading('The sun').waitFor();
      expect(await link.count()).toBe(0);
      expect(await tool('Previous page').isDisabled()).toBe(true);
    },
  );

  test('leads to the page of a link whose fragment cannot be decoded', async () => {
    await open();
    await heading('The moon').waitFor();
    await frame.getByRole('link', { name: 'Odd' }).click();
    await heading('All articles').waitFor();
    expect(await page.locator('dialog.preview iframe').count()).toBe(1);
  });

  test('keeps the last good page when a value is not valid or a template fails', async () => {
    await open();
    await heading('The moon').waitFor();
    await field('Title').fill('');
    await note('Title: Fill in this field.').waitFor();
    await heading('The moon').waitFor();
    const error = page.locator('#field-title-error');
    expect(await error.count()).toBe(0);
    await field('Place').focus();
    await error.waitFor();
    await field('Title').fill('The sun');
    await heading('The sun').waitFor();
    expect(await note(/^Title: /).count()).toBe(0);
    expect(await error.count()).toBe(0);
    await field('Title').fill('Break the template');
    await note('This title breaks the template.').waitFor();
    await heading('The sun').waitFor();
    await context.setOffline(true);
    await field('Title').fill('The star');
    await note(/does not respond/).waitFor();
    await context.setOffline(false);
    await heading('The star').waitFor();
  });

  test('keeps the last good page while a date is half typed, and says so at the field', async () => {
    await open();
    await heading('The moon').waitFor();
    for (const name of ['Day', 'Time']) {
      const id = `#field-field_${name.toLowerCase()}`;
      const error = page.locator(`${id}-note`);
      if (name === 'Day') await field(name).press('Backspace');
      else await field(name).pressSequentially('12');
      await field('Title').press('End');
      await page.keyboard.type('!');
      await error.getByText('This date is not complete').waitFor();
      expect(await page.locator(id).getAttribute('aria-invalid')).toBe('true');
      await heading(name === 'Day' ? 'The moon!' : 'The moon!!').waitFor();
      await frame.locator('time').getByText('2026-03-01').waitFor();
    }
    expect(await axeViolations(page)).toEqual([]);
    await page.locator('#field-field_day').fill('2026-05-04');
    await frame.locator('time').getByText('2026-05-04').waitFor();
    expect(await page.locator('#field-field_day-note').count()).toBe(0);
  });

  test('keeps the last good page for a reference to nothing, and says so at the field', async () => {
    const tom = site.file('content/person/tom.md');
    writeFileSync(tom, '---\ntitle: Tom Reed\n---\n');
    await eventually(async () =>
      expect((await fetch(`${server.origin}/jsonapi/node/person/tom`)).status).toBe(200),
    );
    await open('/admin/edit/node/article/tide');
    await heading('The tide').waitFor();
    await page.getByRole('combobox', { name: 'Author' }).fill('Tom');
    await page.getByRole('option', { name: /Tom Reed/ }).click();
    rmSync(tom);
    await eventually(async () =>
      expect((await fetch(`${server.origin}/jsonapi/node/person/tom`)).status).toBe(404),
    );
    await field('Title').fill('The flood');
    await note('Author: There is no').waitFor();
    await note('The page shows the last valid values.').waitFor();
    await page.locator('#field-field_author-error').getByText('There is no `person/tom`.').waitFor();
    await heading('The tide').waitFor();
    await page.getByRole('button', { name: 'Remove Author' }).click();
    await heading('The flood').waitFor();
    expect(await page.locator('.input-error').count()).toBe(0);
  });

  test('shows the stored entry if a form begins with a block of an unknown type, and says so at the field', async () => {
    const send = async (method: string) => {
      const { headers } = await fetch(`${server.origin}/admin`);
      const blocks = [
        { type: 'quote', text: 'Ebb' },
        { type: 'carousel', text: 'Flow' },
      ];
      const data = { type: 'node--article', id: 'moon', attributes: { field_blocks: blocks } };
      const response = await fetch(`${server.origin}/jsonapi/_drafts/node--article/moon`, {
        method,
        headers: {
          cookie: (headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '',
          origin: server.origin,
          'content-type': 'application/vnd.api+json',
        },
        ...(method === 'POST' && { body: JSON.stringify({ data }) }),
      });
      expect(response.ok).toBe(true);
    };
    await send('POST');
    await open();
    await heading('The moon').waitFor();
    await note(/Blocks: .*carousel/).waitFor();
    await note('The page shows the last valid values.').waitFor();
    await page
      .locator('[id="field-field_blocks/1/type-error"], [id="field-field_blocks-error"]')
      .first()
      .waitFor();
    await field('Title').fill('The sun');
    await note(/Blocks: .*carousel/).waitFor();
    await heading('The moon').waitFor();
    await page
      .locator('[id="field-field_blocks/1"]')
      .getByRole('button', { name: /^Remove/ })
      .click();
    await heading('The sun').waitFor();
    await frame.getByText('Ebb').waitFor();
    await send('DELETE');
  });

  test('leads from a text of the page to its field, and marks the places of a field', async () => {
    await open();
    await heading('The moon').click();
    await page.locator('#field-title:focus').waitFor();
    await frame.locator('h1[data-preview-focus]').waitFor();
    await frame.getByText('The harbour').click();
    await page.locator('#field-field_place:focus').waitFor();
    await frame.getByText('It shines.').click();
    await page.locator('#field-body-summary:focus').waitFor();
    await frame.getByText('The second paragraph is here.').click();
    await page.locator('.cm-content:focus').waitFor();
    await page.keyboard.type('Also: ');
    await frame.getByText('Also: The second paragraph is here.').waitFor();
    await frame.locator('p[data-preview-focus]', { hasText: 'Also: The second' }).waitFor();
    await frame.getByRole('link', { name: 'All articles' }).click();
    await heading('All articles').waitFor();
    await frame.getByRole('link', { name: 'The moon' }).click();
    await page.locator('#field-title:focus').waitFor();
    await frame.getByRole('link', { name: 'The moon' }).click({ modifiers: ['Alt'] });
    await heading('The moon').waitFor();
  });

  test('shows a new entry, and the entry of another page', async () => {
    await open('/admin/new/node/article');
    await note('Title: Fill in this field.').waitFor();
    await field('Title').fill('The comet');
    await frame.getByText('The comet').first().waitFor();
    await open('/admin/edit/node/person/jane');
    await note('This entry has no page of its own.').waitFor();
    await page.getByLabel('Path of the page').fill('/articles');
    await page.keyboard.press('Enter');
    await frame.getByText('Jane Low').waitFor();
    await field('Title').fill('Jane High');
    await frame.getByText('Jane High').waitFor();
  });

  test('goes on after a save, which makes astro dev load its pages again', async () => {
    await open('/admin/edit/node/article/tide');
    await heading('The tide').waitFor();
    await frame.locator('html').evaluate(() => scrollTo(0, 200));
    await field('Title').fill('The flood');
    await heading('The flood').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.locator('.notice', { hasText: 'is saved' }).waitFor();
    await field('Title').fill('The ebb');
    await heading('The ebb').waitFor();
    expect(await (await fetch(`${server.origin}/articles/tide`)).text()).toContain('<h1>The flood</h1>');
    await field('Title').fill('The tide');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await heading('The tide').waitFor();
  });

  test('shows a new translation on its page', async () => {
    await open('/admin/translate/node/article/tide?to=de');
    await field('Title').fill('Die Flut');
    await heading('Die Flut').waitFor();
    expect(await page.getByLabel('Path of the page').inputValue()).toBe('/de/articles/tide');
  });

  test('shows the page in dark and in light colors, in the pane and in a window', async () => {
    const isDark = (shown: FrameLocator) =>
      shown.locator('html').evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches);
    // Playwright's own setting applies to frames too.
    await page.emulateMedia({ colorScheme: null });
    await open();
    await heading('The moon').waitFor();
    expect(await isDark(frame)).toBe(false);
    await tool('Dark colors').click();
    await eventually(async () => expect(await isDark(frame)).toBe(true));
    await field('Title').fill('The dark moon');
    await heading('The dark moon').waitFor();
    expect(await isDark(frame)).toBe(true);
    const [popup] = await Promise.all([context.waitForEvent('page'), tool('Open in a window').click()]);
    const inside = popup.frameLocator('iframe:not([style*="hidden"])');
    await inside.getByRole('heading', { name: 'The dark moon' }).waitFor();
    await popup.emulateMedia({ colorScheme: null });
    await eventually(async () => expect(await isDark(inside)).toBe(true));
    await popup.close();
    await heading('The dark moon').waitFor();
    await tool('Dark colors').click();
    await eventually(async () => expect(await isDark(frame)).toBe(false));
  });

  test.each(['light', 'dark'] as const)(
    'on a device in %s, starts in its colors, also on a phone',
    async (colorScheme) => {
      await page.setViewportSize({ width: 390, height: 800 });
      await page.emulateMedia({ colorScheme });
      await open();
      await heading('The moon').waitFor();
      expect(await tool('Dark colors').getAttribute('aria-pressed')).toBe(String(colorScheme === 'dark'));
      const { SHOTS } = process.env;
      if (SHOTS !== undefined) await page.screenshot({ path: `${SHOTS}/preview-${colorScheme}-390.png` });
      await tool('Dark colors').press('Enter');
      expect(await tool('Dark colors').getAttribute('aria-pressed')).toBe(String(colorScheme !== 'dark'));
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
      expect(await axeViolations(page)).toEqual([]);
    },
  );

  test('covers the form on a phone, without accessibility problems', async () => {
    await open();
    await heading('The moon').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 800 });
    await page.locator('dialog.preview:modal').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
    await heading('The moon').click();
    await page.locator('#field-title:focus').waitFor();
    expect(await page.locator('dialog.preview').count()).toBe(0);
    await page.getByRole('button', { name: 'Preview', exact: true }).click();
    await page.locator('dialog.preview:modal').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Preview', exact: true }).and(page.locator(':focus')).waitFor();
  });

  test('shows the page in a window of its own, and again beside the form', async () => {
    await open();
    await heading('The moon').waitFor();
    const [popup] = await Promise.all([context.waitForEvent('page'), tool('Open in a window').click()]);
    const inside = popup.frameLocator('iframe:not([style*="hidden"])');
    await inside.getByRole('heading', { name: 'The moon' }).waitFor();
    await field('Title').fill('The sun');
    await inside.getByRole('heading', { name: 'The sun' }).waitFor();
    await popup.close();
    await heading('The sun').waitFor();
  });
});

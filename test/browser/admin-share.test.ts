import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { emptySite, type Served, type Site, serveDev } from '../astro/site.ts';
import { eventually } from '../support/eventually.ts';
import { axeViolations } from './axe.ts';
import { describeInBrowser, useBrowser } from './chromium.ts';
import { watchFaults } from './page-checks.ts';

const page = (query: string, html: string) => `---
import { entities } from 'astro-jsonapi:content';
${query}
---
<!doctype html>
<html lang="en"><head><meta charset="utf-8" /><meta name="viewport" content="width=device-width" /><title>Site</title></head>
<body><main>${html}</main></body></html>
`;
const FILES: Readonly<Record<string, string>> = {
  'astro.config.mjs': `import { defineConfig } from 'astro/config';
import jsonapi from 'astro-jsonapi';
export default defineConfig({
  devToolbar: { enabled: false },
  integrations: [jsonapi({ editing: true, bundles: { article: { alias: '/articles/[id]' } } })],
});
`,
  'content/article/moon.md': '---\ntitle: The moon\nstatus: false\n---\nIt shines.\n',
  'content/article/tide.md': '---\ntitle: The tide\n---\nIt turns.\n',
  'src/pages/index.astro': page(
    "const all = await entities('article').sort('title').all();",
    '<h1>Articles</h1><ul>{all.map((one) => <li><a href={"/articles/" + one.id}>{one.title}</a></li>)}</ul>',
  ),
  'src/pages/articles/[id].astro': page(
    `export const getStaticPaths = async () =>
  (await entities('article').all()).map((article) => ({ params: { id: article.id }, props: { article } }));
const { article } = Astro.props;`,
    '<h1>{article.title}</h1><p><a href="/">All articles</a></p>',
  ),
};

describeInBrowser('links to share', async () => {
  const browser = await useBrowser();
  let site: Site;
  let server: Served;
  let context: BrowserContext;
  let form: Page;
  let visitor: BrowserContext;
  const faults: string[] = [];

  beforeAll(async () => {
    site = emptySite('admin-share');
    for (const [name, text] of Object.entries(FILES)) {
      mkdirSync(path.dirname(site.file(name)), { recursive: true });
      writeFileSync(site.file(name), text);
    }
    server = await serveDev(site);
  });
  afterAll(async () => {
    await server?.stop();
    site?.remove();
  });
  beforeEach(async () => {
    context = await browser.newContext({ locale: 'en', viewport: { width: 1440, height: 900 } });
    visitor = await browser.newContext({ locale: 'de', viewport: { width: 1440, height: 900 } });
    form = await context.newPage();
    watchFaults(form, faults);
    await form.goto(`${server.origin}/admin/edit/node/article/moon`);
    await form.getByRole('button', { name: 'Preview', exact: true }).click();
  });
  afterEach(async () => {
    await context.close();
    await visitor.close();
    expect(faults.splice(0)).toEqual([]);
  });

  const open = () => form.getByRole('button', { name: 'Share a link' }).click();
  const create = () => form.getByRole('button', { name: 'Create a link' }).click();
  const link = () => form.getByRole('textbox', { name: 'Link', exact: true });

  test('a visitor reads the page with the bar, follows links, and loses it when the link is revoked', async () => {
    await open();
    await create();
    const url = await link().inputValue();
    expect(new URL(url).pathname).toMatch(/^\/_shared\/[\w-]+~[\w-]{43}\/articles\/moon$/);
    const read = await visitor.newPage();
    expect((await read.goto(url))?.status()).toBe(200);
    await read.getByRole('heading', { name: 'The moon' }).waitFor();
    await read.getByText('Geteilter Entwurf').waitFor();
    await read.getByRole('link', { name: 'All articles' }).click();
    expect(await read.getByRole('listitem').allTextContents()).toEqual(['The moon', 'The tide']);
    await read.getByRole('link', { name: 'The moon' }).click();
    await read.getByRole('heading', { name: 'The moon' }).waitFor();
    expect(await axeViolations(read)).toEqual([]);
    await read.goto(server.origin);
    expect(await read.getByRole('listitem').allTextContents()).toEqual(['The tide']);
    await form.getByRole('button', { name: /^Revoke the link of/ }).click();
    await form.getByText('The link does not work any more.').waitFor();
    expect((await read.goto(url))?.status()).toBe(404);
  });

  test('lasts as long as was chosen', async () => {
    await open();
    const response = form.waitForResponse(
      (each) => each.request().method() === 'POST' && each.url().endsWith('/_shares'),
    );
    await create();
    const { created, expires } = (await (await response).json()).data.attributes;
    expect(Date.parse(expires) - Date.parse(created)).toBe(24 * 3_600_000);
  });

  test('leaves room between the buttons of the form', async () => {
    const box = async (name: string) =>
      (await form.getByRole('button', { name, exact: true }).boundingBox()) ?? { x: 0, width: 0 };
    await eventually(async () => {
      const [save, publish] = [await box('Save'), await box('Publish')];
      expect(publish.x - save.x - save.width).toBe(8);
    });
  });

  test('says that unsaved changes are not in a link', async () => {
    await open();
    await form.getByLabel('Title').first().fill('The other moon');
    await form.getByText('Save first: changes that are not saved are not in the link.').waitFor();
  });

  test.each([
    ['light', 1440],
    ['dark', 1440],
    ['light', 390],
    ['dark', 390],
  ] as const)('can be made by keyboard, and axe has nothing to say: %s, %i', async (colorScheme, width) => {
    await form.setViewportSize({ width, height: 900 });
    await form.emulateMedia({ colorScheme });
    await form.getByRole('button', { name: 'Share a link' }).press('Enter');
    const days = form.getByRole('combobox', { name: 'The link works for' });
    await form
      .getByText(/^This entry has no links|^By /)
      .first()
      .waitFor();
    const before = await form
      .getByRole('list', { name: 'Links to this entry' })
      .getByRole('listitem')
      .count();
    await days.selectOption('7 days');
    await form.getByRole('button', { name: 'Create a link' }).press('Enter');
    await form.getByRole('list', { name: 'Links to this entry' }).getByRole('listitem').nth(before).waitFor();
    const paths = form.getByRole('list', { name: 'Links to this entry' }).getByText('/articles/moon');
    expect(await paths.count()).toBe(before + 1);
    const { SHOTS } = process.env;
    if (SHOTS !== undefined) await form.screenshot({ path: `${SHOTS}/share-${colorScheme}-${width}.png` });
    const overflow = await form.evaluate('document.documentElement.scrollWidth - innerWidth');
    expect(overflow).toBeLessThanOrEqual(0);
    expect(await axeViolations(form)).toEqual([]);
  });
});

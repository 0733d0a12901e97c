import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { copySite, eventually, type Served, type Site, serveDev } from '../astro/site.ts';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
);
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'];
const WHY = CHROMIUM === undefined ? ' (skipped: no Chromium in /usr/bin on this machine)' : '';

describe.skipIf(CHROMIUM === undefined)(`pages of astro dev in a browser${WHY}`, () => {
  let browser: Browser;
  let site: Site;
  let server: Served;

  beforeAll(async () => {
    site = copySite('live', 'browser');
    writeFileSync(site.file('src/pages/places.astro'), PLACES);
    writeFileSync(site.file('src/pages/routed.astro'), routed('all', '/routed-first'));
    writeFileSync(
      site.file('src/pages/routed-first.astro'),
      routed("where('id', '=', 'first').all", '/routed'),
    );
    [browser, server] = await Promise.all([
      chromium.launch({ executablePath: CHROMIUM ?? '', args: FLAGS }),
      serveDev(site),
    ]);
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    site?.remove();
  });

  /** Opens a page that is marked until it is loaded again. */
  async function open(path: string): Promise<Page> {
    const page = await browser.newPage();
    // Astro answers an empty 500 while it takes in a new page file.
    await eventually(async () => expect((await fetch(server.origin + path)).status).toBe(200));
    await page.goto(server.origin + path);
    // Vite may load a page once more while it finds out what to bundle.
    await page.waitForLoadState('networkidle');
    await mark(page);
    return page;
  }
  const mark = (page: Page) => page.evaluate(() => Object.assign(window, { mark: true }));
  const isMarked = (page: Page) => page.evaluate(() => 'mark' in window);
  function article(id: string, title: string, rating: number | string = 3): void {
    writeFileSync(site.file('content/article', `${id}.md`), `---\ntitle: ${title}\nrating: ${rating}\n---\n`);
  }

  test('only those reload that used what has changed', async () => {
    const pages = [];
    // One after the other: the module behind the last two asks when the first of them loads it.
    for (const path of ['/', '/first', '/bare', '/fetched', '/paths/ada', '/titles', '/again']) {
      pages.push(await open(path));
    }
    const [list, first, bare, fetched, person, titles, again] = pages;
    if (!list || !first || !bare || !fetched || !person || !titles || !again)
      throw new Error('A page is missing.');
    article('second', 'Second dusk');
    await list.getByText('Second dusk').waitFor();
    await titles.getByText('Second dusk').waitFor();
    await again.getByText('Second dusk').waitFor();
    expect(await Promise.all([list, titles, again].map(isMarked))).toEqual([false, false, false]);
    expect(await Promise.all([first, bare, fetched, person].map(isMarked))).toEqual([true, true, true, true]);
    await Promise.all([list, titles].map(mark));
    article('first', 'First dusk');
    await first.getByText('First dusk').waitFor();
    await list.getByText('First dusk').waitFor();
    await titles.getByText('First dusk').waitFor();
    await fetched.getByText('First dusk').waitFor();
    expect(await Promise.all([bare, person].map(isMarked))).toEqual([true, true]);
    writeFileSync(site.file('content/person/ada.md'), '---\ntitle: Ada L.\n---\n');
    await person.getByText('Ada L.').waitFor();
    expect(await isMarked(bare)).toBe(true);
    await Promise.all(pages.map((page) => page.close()));
  });

  test('an error of the content lies over pages until it is mended, above the last good content', async () => {
    const page = await open('/first');
    const before = await page.getByRole('heading').first().innerText();
    const overlay = page.locator('vite-error-overlay');
    article('first', 'Broken <b>light</b>', 'many');
    await overlay.waitFor();
    expect(await overlay.locator('#message').innerText()).toMatch(/rating/);
    expect(await overlay.locator('#code').innerText()).toContain('article/first.md:3:9');
    expect(await overlay.locator('.error-line').innerText()).toBe('rating: many');
    expect(await page.locator('h1').first().innerText()).toBe(before);
    const late = await open('/bare');
    await late.locator('vite-error-overlay').waitFor();
    article('first', 'Mended');
    await page.getByText('Mended').waitFor();
    await overlay.waitFor({ state: 'detached' });
    await late.locator('vite-error-overlay').waitFor({ state: 'detached' });
    expect(await isMarked(late)).toBe(true);
    await Promise.all([page.close(), late.close()]);
  });

  test('the error of a page goes from all others with its cause', async () => {
    writeFileSync(site.file('src/pages/author.astro'), AUTHOR.replace('FIELD', 'titel'));
    const other = await open('/bare');
    const shown = other.locator('vite-error-overlay');
    const author = await browser.newPage();
    // A query that cannot be answered, mended in the page.
    await author.goto(`${server.origin}/author`);
    await shown.waitFor();
    writeFileSync(site.file('src/pages/author.astro'), AUTHOR.replace('FIELD', 'title'));
    await author.getByText('ADA').waitFor();
    await shown.waitFor({ state: 'detached' });
    // An error that the content makes in the page, while nobody has it open.
    await author.close();
    const file = site.file('content/person/ada.md');
    const before = readFileSync(file, 'utf8');
    renameSync(file, site.file('content/person/bob.md'));
    await eventually(async () => expect((await fetch(`${server.origin}/author`)).status).toBe(500));
    await shown.waitFor();
    rmSync(site.file('content/person/bob.md'));
    writeFileSync(file, before);
    await shown.waitFor({ state: 'detached' });
    await other.close();
  });

  test('a page that fails for want of content is loaded again when that comes', async () => {
    const page = await browser.newPage();
    await page.goto(`${server.origin}/places`);
    await page.locator('vite-error-overlay').waitFor();
    mkdirSync(site.file('content/place'));
    writeFileSync(site.file('content/place/bay.md'), '---\ntitle: Bay\n---\n');
    await page.getByText('Bay').waitFor();
    await page.close();
  });

  test('an error of the schema too, with its line', async () => {
    const page = await open('/bare');
    const overlay = page.locator('vite-error-overlay');
    writeFileSync(
      site.file('rating.ts'),
      "import { z } from 'astro-jsonapi/schema';\n\nexport const rating = z.int(;\n",
    );
    await overlay.waitFor();
    expect(await overlay.locator('#code').innerText()).toMatch(/rating\.ts:3:\d+/);
    writeFileSync(
      site.file('rating.ts'),
      "import { z } from 'astro-jsonapi/schema';\nexport const rating = z.int();\n",
    );
    await overlay.waitFor({ state: 'detached' });
    await page.close();
  });

  test('the toolbar tells what the page asked, and what is wrong', async () => {
    const page = await open('/first');
    await page.locator('astro-dev-toolbar').getByRole('button', { name: 'JSON:API' }).click();
    const app = page.locator('astro-dev-toolbar-app-canvas[data-app-id="astro-jsonapi"]');
    await app.getByText('entities(\'article\').get("first")').waitFor();
    expect(await app.getByText(/^1 found · [\d.]+ ms$/).count()).toBe(1);
    expect(await app.getByRole('link', { name: 'Explorer' }).first().getAttribute('href')).toBe(
      '/jsonapi-explorer#/node/article?filter[id]=first',
    );
    expect(await app.getByRole('button', { name: 'content/article/first.md' }).count()).toBe(1);
    await app.getByText('node--article', { exact: true }).waitFor();
    expect(await app.getByText(/3, 1 not published/).count()).toBe(1);
    article('second', 'Second', 'many');
    await app.getByRole('button', { name: 'content/article/second.md:3:9' }).waitFor();
    article('second', 'Second');
    await eventually(async () =>
      expect(await app.getByRole('button', { name: 'content/article/second.md:3:9' }).count()).toBe(0),
    );
    await page.close();
  });

  test('a page that its router has changed reloads, and is told of, as the page that it is now', async () => {
    article('first', 'First');
    article('second', 'Second');
    // Vite bundles the router when the first page asks for it, and loads that page again.
    const first = await open('/routed');
    await first.waitForTimeout(1000);
    await first.close();
    const page = await open('/routed');
    await page.getByRole('link', { name: 'Other' }).click();
    await page.waitForURL('**/routed-first');
    // Nothing was loaded, and what the page before asked is nothing to this one.
    expect(await isMarked(page)).toBe(true);
    await page.locator('astro-dev-toolbar').getByRole('button', { name: 'JSON:API' }).click();
    const app = page.locator('astro-dev-toolbar-app-canvas[data-app-id="astro-jsonapi"]');
    await app.getByText(/^entities\('article'\)\.where\(/).waitFor();
    expect(await app.getByText(/ found · [\d.]+ ms$/).count()).toBe(1);
    article('second', 'Second again');
    await new Promise((done) => setTimeout(done, 500));
    expect(await isMarked(page)).toBe(true);
    article('first', 'First again');
    await page.getByText('First again').waitFor();
    expect(page.url()).toContain('/routed-first');
    await mark(page);
    await page.getByRole('link', { name: 'Other' }).click();
    await page.waitForURL('**/routed');
    expect(await isMarked(page)).toBe(true);
    await page.getByText('Second again').waitFor();
    article('second', 'Second at last');
    await page.getByText('Second at last').waitFor();
    await page.close();
  });
});

describe.skipIf(CHROMIUM === undefined)(`pages of astro dev without its toolbar${WHY}`, () => {
  test('reload as others do, and run nothing of ours but what reloads them', async () => {
    const site = copySite('live', 'browser-bare');
    const config = readFileSync(site.file('astro.config.mjs'), 'utf8');
    writeFileSync(
      site.file('astro.config.mjs'),
      config.replace('defineConfig({', 'defineConfig({ devToolbar: { enabled: false },'),
    );
    const [browser, server] = await Promise.all([
      chromium.launch({ executablePath: CHROMIUM ?? '', args: FLAGS }),
      serveDev(site),
    ]);
    try {
      const page = await browser.newPage();
      const asked: string[] = [];
      page.on('request', (request) => asked.push(new URL(request.url()).pathname));
      await page.goto(`${server.origin}/first`);
      await page.waitForLoadState('networkidle');
      expect(await page.locator('astro-dev-toolbar').count()).toBe(0);
      expect(asked.filter((path) => path.includes('astro-jsonapi'))).toEqual([
        expect.stringContaining('astro-jsonapi:page'),
      ]);
      writeFileSync(site.file('content/article/first.md'), '---\ntitle: First dusk\nrating: 3\n---\n');
      await page.getByText('First dusk').waitFor();
    } finally {
      await browser.close();
      await server.stop();
      site.remove();
    }
  }, 60_000);
});

/** A page of Astro's router, which changes from one to the other without loading. */
function routed(query: string, other: string): string {
  return `---
import { ClientRouter } from 'astro:transitions';
import { entities } from 'astro-jsonapi:content';

const articles = await entities('article').${query}();
---
<html lang="en">
  <head><title>Routed</title><ClientRouter /></head>
  <body><ul>{articles.map(({ title }) => <li>{title}</li>)}</ul><a href="${other}">Other</a></body>
</html>
`;
}

/** Fails as long as the bundle is not there. */
const PLACES = `---
import { entities } from 'astro-jsonapi:content';

const places = await entities('place').all();
---
<html lang="en"><body><ul>{places.map(({ title }) => <li>{title}</li>)}</ul></body></html>
`;

/** Fails without the person `ada`. */
const AUTHOR = `---
import { entities } from 'astro-jsonapi:content';

const person = await entities('person').where('FIELD', 'IS NOT NULL').where('id', '=', 'ada').first();
const name = person!.title.toUpperCase();
---
<html lang="en"><body><p>{name}</p></body></html>
`;

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { copySite, type Served, type Site, serveDev } from '../astro/site.ts';
import { eventually } from '../support/eventually.ts';
import { describeInBrowser, useBrowser } from './chromium.ts';

describeInBrowser('open pages of astro dev', async () => {
  const browser = await useBrowser();
  const context = await browser.newContext();
  let site: Site;
  let server: Served;

  beforeAll(async () => {
    site = copySite('live', 'browser');
    // All before the start: Astro can lose its routes if a page asks for content while it loads a new or changed file of src/.
    writeFileSync(site.file('src/pages/author.astro'), AUTHOR);
    writeAuthorField('titel');
    writeFileSync(site.file('src/pages/places.astro'), PLACES);
    writeFileSync(site.file('src/pages/routed.astro'), routed('all', '/routed-first'));
    writeFileSync(
      site.file('src/pages/routed-first.astro'),
      routed("where('id', '=', 'first').all", '/routed'),
    );
    server = await serveDev(site);
  });
  afterAll(async () => {
    await server?.stop();
    site?.remove();
  });

  /** Opens a page that is marked until it is loaded again. */
  async function open(path: string): Promise<Page> {
    const page = await context.newPage();
    // Astro answers with an empty 500 while it loads a new page file.
    await eventually(async () => {
      const response = await fetch(server.origin + path);
      expect(`${response.status} ${await response.text()}\n${server.output().slice(-6000)}`).toMatch(/^200 /);
    });
    await page.goto(server.origin + path);
    // Vite may load a page once more while it finds out what to bundle.
    await page.waitForLoadState('networkidle');
    await mark(page);
    return page;
  }
  /** Opens a page with an error. Astro does not show it in pages that connect late, and Vite does not reload them earlier. */
  async function openFailing(path: string): Promise<Page> {
    await eventually(async () => expect((await fetch(server.origin + path)).status).toBe(500));
    const page = await context.newPage();
    const connected = page.waitForEvent('console', (message) => message.text() === '[vite] connected.');
    await Promise.all([connected, page.goto(server.origin + path)]);
    return page;
  }
  async function openToolbar(page: Page) {
    await page.locator('astro-dev-toolbar').getByRole('button', { name: 'JSON:API' }).click();
    return page.locator('astro-dev-toolbar-app-canvas[data-app-id="astro-jsonapi"]');
  }
  const mark = (page: Page) => page.evaluate(() => Object.assign(window, { mark: true }));
  const isMarked = (page: Page) => page.evaluate(() => 'mark' in window);
  function article(id: string, title: string, rating: number | string = 3): void {
    writeFileSync(site.file('content/article', `${id}.md`), `---\ntitle: ${title}\nrating: ${rating}\n---\n`);
  }
  function writeAuthorField(name: string): void {
    writeFileSync(site.file('author-field.ts'), `export const field = '${name}';\n`);
  }

  test('reload when the content changes, however they query it', async () => {
    const pages = [];
    for (const path of ['/', '/first', '/fetched', '/paths/ada', '/titles', '/again']) {
      pages.push(await open(path));
    }
    const [list, first, fetched, person, titles, again] = pages;
    if (!list || !first || !fetched || !person || !titles || !again) throw new Error('A page is missing.');
    article('second', 'Second dusk');
    await list.getByText('Second dusk').waitFor();
    await titles.getByText('Second dusk').waitFor();
    await again.getByText('Second dusk').waitFor();
    article('first', 'First dusk');
    await first.getByText('First dusk').waitFor();
    await list.getByText('First dusk').waitFor();
    await titles.getByText('First dusk').waitFor();
    await fetched.getByText('First dusk').waitFor();
    writeFileSync(site.file('content/person/ada.md'), '---\ntitle: Ada L.\n---\n');
    await person.getByText('Ada L.').waitFor();
    await Promise.all(pages.map((page) => page.close()));
  });

  test('a page that was still loading during a change reloads when it connects', async () => {
    const page = await context.newPage();
    const isChanged = Promise.withResolvers<void>();
    await page.route('**/@vite/client', async (route) => {
      await isChanged.promise;
      await route.continue();
    });
    const reader = await open('/first');
    await page.goto(`${server.origin}/first`, { waitUntil: 'commit' });
    article('first', 'Changed meanwhile');
    await reader.getByText('Changed meanwhile').waitFor();
    isChanged.resolve();
    await page.getByText('Changed meanwhile').waitFor();
    await Promise.all([page.close(), reader.close()]);
  });

  test('an error in the content covers every page until it is fixed, above the last good content', async () => {
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
    await Promise.all([page.close(), late.close()]);
  });

  test('the error of one page leaves all others when its cause is fixed', async () => {
    // An invalid query, fixed in a module of the page. A second attempt of this test begins with it, too.
    writeAuthorField('titel');
    const author = await openFailing('/author');
    const other = await open('/bare');
    const overlay = other.locator('vite-error-overlay');
    // Astro sends an error 200 ms after the response, and only to pages that are connected then.
    await eventually(async () => {
      await fetch(`${server.origin}/author`);
      await overlay.waitFor({ timeout: 5000 });
    });
    // The error of a request before that can arrive after the reload. The next change of a file removes it, too.
    await eventually(async () => {
      writeAuthorField('title');
      await overlay.waitFor({ state: 'detached', timeout: 5000 });
    });
    // Astro answers with an empty 500 while it loads a changed file, or not at all, and the browser does not ask again.
    await eventually(async () => {
      await author.goto(`${server.origin}/author`, { timeout: 10_000 });
      await author.getByText('ADA').waitFor({ timeout: 5000 });
    });
    await author.close();
    await other.close();
  });

  test('a page that fails without content reloads when the content appears', async () => {
    rmSync(site.file('content/place'), { recursive: true, force: true });
    const page = await openFailing('/places');
    mkdirSync(site.file('content/place'));
    writeFileSync(site.file('content/place/bay.md'), '---\ntitle: Bay\n---\n');
    await page.getByText('Bay').waitFor();
    await page.close();
  });

  test('an error in the schema shows with its line', async () => {
    const page = await open('/bare');
    const overlay = page.locator('vite-error-overlay');
    writeFileSync(
      site.file('rating.ts'),
      "import { z } from 'astro-jsonapi/schema';\n\nexport const rating = z.int(;\n",
    );
    // Astro may still show the error of another page.
    await overlay
      .getByText(/rating\.ts:3:\d+/)
      .first()
      .waitFor();
    writeFileSync(
      site.file('rating.ts'),
      "import { z } from 'astro-jsonapi/schema';\nexport const rating = z.int();\n",
    );
    await overlay.waitFor({ state: 'detached' });
    await page.close();
  });

  test('the toolbar lists the queries of the page and the problems of the content', async () => {
    const page = await open('/first');
    const app = await openToolbar(page);
    await app.getByText("entities('article').get('first')").waitFor();
    expect(await app.getByText(/^1 found · [\d.]+ ms$/).count()).toBe(1);
    expect(await app.getByRole('link', { name: 'Explorer' }).first().getAttribute('href')).toBe(
      '/jsonapi-explorer#/node/article?filter[id]=first',
    );
    expect(await app.getByRole('button', { name: 'content/article/first.md' }).count()).toBe(1);
    await app.getByText('node--article', { exact: true }).waitFor();
    expect(await app.getByText(/3, 1 not published/).count()).toBe(1);
    article('second', 'Second', 'many');
    await page.locator('vite-error-overlay').waitFor();
    await app.getByRole('button', { name: 'content/article/second.md:3:9' }).waitFor();
    await mark(page);
    article('second', 'Second');
    await eventually(async () => expect(await isMarked(page)).toBe(false));
    await openToolbar(page);
    await app.getByText('node--article', { exact: true }).waitFor();
    expect(await app.getByRole('button', { name: 'content/article/second.md:3:9' }).count()).toBe(0);
    await page.close();
  });

  test('the toolbar and reloads follow a page that the client router opened', async () => {
    article('first', 'Routed');
    await eventually(async () => {
      expect(await (await fetch(`${server.origin}/routed-first`)).text()).toContain('Routed');
    });
    // Vite bundles the router at the first request of a page, and reloads that page.
    const warmUp = await open('/routed');
    await warmUp.waitForTimeout(1000);
    await warmUp.close();
    const page = await open('/routed');
    await page.getByRole('link', { name: 'Other' }).click();
    await page.waitForURL('**/routed-first');
    expect(await isMarked(page)).toBe(true);
    const app = await openToolbar(page);
    await app.getByText(/^entities\('article'\)\.where\(/).waitFor();
    expect(await app.getByText(/ found · [\d.]+ ms$/).count()).toBe(1);
    article('first', 'First again');
    await page.getByText('First again').waitFor();
    expect(page.url()).toContain('/routed-first');
    await page.close();
  });

  test('reload without the toolbar, and load no script of this integration', async () => {
    const copy = copySite('live', 'browser-bare');
    const config = readFileSync(copy.file('astro.config.mjs'), 'utf8');
    writeFileSync(
      copy.file('astro.config.mjs'),
      config.replace('defineConfig({', 'defineConfig({ devToolbar: { enabled: false },'),
    );
    const bare = await serveDev(copy);
    const page = await context.newPage();
    try {
      const requests: string[] = [];
      page.on('request', (request) => requests.push(new URL(request.url()).pathname));
      await page.goto(`${bare.origin}/first`);
      await page.waitForLoadState('networkidle');
      expect(await page.locator('astro-dev-toolbar').count()).toBe(0);
      expect(requests.filter((path) => path.includes('astro-jsonapi'))).toEqual([]);
      writeFileSync(copy.file('content/article/first.md'), '---\ntitle: First dusk\nrating: 3\n---\n');
      await page.getByText('First dusk').waitFor();
    } finally {
      await page.close();
      await bare.stop();
      copy.remove();
    }
  });
});

/** A page of Astro's client router, which navigates without loading. */
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

/** Fails until the bundle exists. */
const PLACES = `---
import { entities } from 'astro-jsonapi:content';

const places = await entities('place').all();
---
<html lang="en"><body><ul>{places.map(({ title }) => <li>{title}</li>)}</ul></body></html>
`;

/** Fails without the person `ada`. */
const AUTHOR = `---
import { entities } from 'astro-jsonapi:content';
import { field } from '../../author-field';

const person = await entities('person').where(field, 'IS NOT NULL').where('id', '=', 'ada').first();
const name = person!.title.toUpperCase();
---
<html lang="en"><body><p>{name}</p></body></html>
`;

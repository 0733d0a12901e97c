import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { build, emptySite, type Served, type Site, STRICT_POLICY, serveFiles } from '../astro/site.ts';
import { createDemoServices } from '../support/demo.ts';
import { createHandler } from '../support/handler.ts';
import { axeViolations } from './axe.ts';
import { describeInBrowser, useBrowser } from './chromium.ts';
import { watchFaults } from './page-checks.ts';

const BASE = '/docs';
const HOSTILE = '<img src=x onerror="window.attacked=1"> & <script>window.attacked=1</script>';
const FILES: Readonly<Record<string, string>> = {
  'content/article/limpet.md':
    '---\ntitle: The limpet knows its address\ntags: [animals]\n---\nIt leaves at high tide.\n\n## The way home\n\nA limpet returns to its own scar on the rock, and no other place fits its shell.\n',
  'content/article/barnacle.md':
    '---\ntitle: Barnacles stay\ntags: [animals, rocks]\n---\nA barnacle does not move, and a limpet beside it does.\n',
  'content/article/kelp.md':
    '---\ntitle: Kelp forests\ntags: [plants]\n---\nKelp grows below the tide line.\n',
  'content/article/hostile.md': `---\ntitle: '${HOSTILE} quokka'\n---\nA quokka \`<script>window.attacked=1</script>\` in code.\n`,
  'content/article/whelk.md':
    '---\ntitle: The whelk\n---\nEggs.\n\n## What holds on\n\nTake only what the storm has left on the beach above the line of weed, and look below every stone for the dogwhelk, which drills through shells.\n',
  'content/page/about.md': '---\ntitle: About the limpet journal\n---\nWho writes it.\n',
  'content/note/hidden.md': '---\ntitle: A limpet without a page\n---\nText.\n',
  'content/tag/animals.md': '---\ntitle: Animals\n---\n',
  'content/tag/rocks.md': '---\ntitle: Rocks\n---\n',
  'content/tag/plants.md': '---\ntitle: Plants\n---\n',
  'content/schema.ts': `import { defineSchema, reference, z } from 'astro-jsonapi/schema';
export default defineSchema({ article: { tags: z.array(reference('tag')).default([]) } });
`,
  'astro.config.mjs': `import { defineConfig } from 'astro/config';
import jsonapi from 'astro-jsonapi';
export default defineConfig({
  base: '${BASE}',
  integrations: [jsonapi({ bundles: { article: { alias: '/blog/[id]' }, page: { alias: '/[id]' } } })],
  vite: { build: { assetsInlineLimit: 0 } },
});
`,
  'src/pages/index.astro': page('en', `groups={{ article: 'Stories', page: 'Pages' }} shortcut="/ ctrl+k"`),
  'src/pages/plain.astro': page('en', `recent={0} text-nothing="No {words} here"`, ''),
  'src/pages/ar.astro': page('ar', `groups={{ article: 'مقالات', page: 'صفحات' }} theme="dark"`),
  'src/pages/de.astro': page('de', `label="Im Journal suchen"`),
  'src/pages/blog/[id].astro': `---
import { entities } from 'astro-jsonapi:content';
export async function getStaticPaths() {
  return (await entities('article').all()).map(({ id, title }) => ({ params: { id }, props: { title } }));
}
---
<html lang="en"><body><h1>{Astro.props.title}</h1></body></html>`,
  'src/pages/search.astro': '<html lang="en"><body><h1>All results</h1></body></html>',
  'public/page.css':
    'body { margin: 0 1rem; font: 1rem/1.5 system-ui; color-scheme: light dark } a { color: inherit } jsonapi-search { max-width: 20rem; margin: 1rem auto }',
};

function page(lang: string, attributes: string, action = `${BASE}/search/`): string {
  return `---
import Search from 'astro-jsonapi/search.astro';
export const prerender = true;
---
<html lang="${lang}" dir="${lang === 'ar' ? 'rtl' : 'ltr'}">
  <head><meta charset="utf-8" /><title>Journal</title><link rel="stylesheet" href="${BASE}/page.css" /><meta name="viewport" content="width=device-width" /></head>
  <body>
    <header><Search ${action && `action="${action}"`} facet="tags" lang="${lang}" ${attributes} /></header>
    <main><h1>Journal</h1><p><a href="${BASE}/plain/">Plain</a></p></main>
  </body>
</html>`;
}

describeInBrowser('the search box on a static host', async () => {
  const browser = await useBrowser();
  let site: Site;
  let files: Served;
  const faults: string[] = [];

  beforeAll(async () => {
    site = emptySite('search-box');
    for (const [name, text] of Object.entries(FILES)) {
      mkdirSync(path.dirname(site.file(name)), { recursive: true });
      writeFileSync(site.file(name), text);
    }
    await build(site);
    files = await serveFiles(site.file('dist'), BASE, STRICT_POLICY);
  });
  afterEach(() => expect(faults.splice(0)).toEqual([]));
  afterAll(async () => {
    await files?.stop();
    site?.remove();
  });

  async function openBox(address = '/', more: { width?: number; script?: boolean } = {}): Promise<Page> {
    const { width = 1440, script = true } = more;
    const context = await browser.newContext({ javaScriptEnabled: script, viewport: { width, height: 800 } });
    const opened = await context.newPage();
    watchFaults(opened, faults);
    await opened.goto(files.origin + BASE + address);
    if (script) await opened.waitForFunction("document.querySelector('jsonapi-search')?.shadowRoot");
    return opened;
  }
  const field = (opened: Page) => opened.getByRole('combobox');
  const options = (opened: Page) => opened.getByRole('option');
  const status = (opened: Page) => opened.getByRole('status');
  const titles = (opened: Page) =>
    opened.locator('[role=option]:not(.below):not(.all) .title').allInnerTexts();
  const active = async (opened: Page) => {
    const id = await field(opened).getAttribute('aria-activedescendant');
    return id === null ? null : await opened.locator(`#${id}`).innerText();
  };

  test('works with the keyboard only: words, results and the page of one of them', async () => {
    const opened = await openBox();
    await opened.keyboard.press('/');
    await opened.keyboard.type('limpe');
    await expect
      .poll(() => titles(opened))
      .toEqual(['The limpet knows its address', 'Barnacles stay', 'About the limpet journal']);
    expect(await field(opened).getAttribute('aria-expanded')).toBe('true');
    expect(await status(opened).innerText()).toBe('Results: 3');
    expect(await active(opened)).toBe(null);
    expect(await opened.getByRole('group', { name: 'Stories' }).getByRole('option').count()).toBeGreaterThan(
      1,
    );

    await opened.keyboard.press('ArrowUp');
    expect(await active(opened)).toBe('All results (3)');
    await opened.keyboard.press('Home');
    expect(await active(opened)).toContain('The limpet knows');
    await opened.keyboard.press('End');
    expect(await active(opened)).toBe('All results (3)');
    await opened.keyboard.press('ArrowDown');
    expect(await active(opened)).toContain('The limpet knows');
    await opened.keyboard.press('Escape');
    expect(await opened.getByRole('listbox').isVisible()).toBe(false);
    expect(await field(opened).inputValue()).toBe('limpe');
    await opened.keyboard.press('ArrowDown');
    await opened.keyboard.press('ArrowDown');
    await opened.keyboard.press('Enter');
    await opened.waitForURL(`**${BASE}/blog/limpet/`);
    await opened.getByRole('heading', { name: 'The limpet knows its address' }).waitFor();
  });

  test('leads to the page of all results, with and without JavaScript', async () => {
    const opened = await openBox();
    await opened.keyboard.press('Control+k');
    await opened.keyboard.type('kelp');
    await opened.keyboard.press('Enter');
    await opened.waitForURL(`**${BASE}/search/?q=kelp`);

    const plain = await openBox('/', { script: false });
    await plain.getByRole('searchbox', { name: 'Search' }).fill('kelp');
    await plain.keyboard.press('Enter');
    await plain.waitForURL(`**${BASE}/search/?q=kelp`);
  });

  test('sends nothing before the focus', async () => {
    const context = await browser.newContext();
    const opened = await context.newPage();
    const requested: string[] = [];
    opened.on('request', (request) => requested.push(new URL(request.url()).pathname));
    await opened.goto(`${files.origin}${BASE}/de/`, { waitUntil: 'networkidle' });
    await opened.waitForFunction("document.querySelector('jsonapi-search')?.shadowRoot");
    expect(requested.filter((name) => name.endsWith('.js'))).toHaveLength(1);
    expect(requested.filter((name) => name.includes('/jsonapi'))).toEqual([]);
    requested.length = 0;
    await opened.getByRole('combobox', { name: 'Im Journal suchen' }).fill('limpet');
    await expect.poll(() => status(opened).innerText()).toBe('Treffer: 3');
    expect(requested.some((name) => name.includes('/jsonapi/snapshot/'))).toBe(true);
  });

  test('asks the server of a site that has one, and loads no engine', async () => {
    const handle = createHandler(await createDemoServices());
    const opened = await openBox();
    const requested: string[] = [];
    opened.on('request', (request) => requested.push(request.url()));
    await opened.route('**/jsonapi/index/**', async (route) => {
      const response = await handle(new Request(route.request().url().replace(BASE, '')));
      if (response === undefined) return route.abort();
      const headers = Object.fromEntries(response.headers);
      await route.fulfill({ status: response.status, headers, body: await response.text() });
    });
    await opened.locator('jsonapi-search').evaluate((box) => {
      box.removeAttribute('static');
      box.removeAttribute('facet');
    });
    await field(opened).fill('lipmet adress');
    await expect.poll(() => titles(opened)).toContain('The limpet knows its address');
    expect(await opened.getByText('Also found:').innerText()).toContain('limpet');
    expect(requested).toHaveLength(1);
  });

  test('finds words with a typo, and offers the right ones', async () => {
    const opened = await openBox();
    await field(opened).fill('lipmet');
    await expect.poll(() => titles(opened)).toContain('The limpet knows its address');
    await opened.keyboard.press('Tab');
    expect(await opened.locator('button:focus').innerText()).toBe('limpet');
    await opened.keyboard.press('Enter');
    await expect.poll(() => field(opened).inputValue()).toBe('limpet');
    await expect.poll(() => opened.getByText('Also found:').count()).toBe(0);
  });

  test.each([
    ['xlipmet lipmet', 'xlipmet limpet'],
    ['-kelp Lipmet', '-kelp limpet'],
    ['scar, li\u00adpmet!', 'scar, limpet!'],
  ])('corrects the word itself in "%s"', async (words, corrected) => {
    const opened = await openBox('/plain/');
    await field(opened).fill(words);
    await opened.getByRole('button', { name: 'limpet', exact: true }).click();
    await expect.poll(() => field(opened).inputValue()).toBe(corrected);
  });

  test('opens no result of older words', async () => {
    const opened = await openBox('/');
    await field(opened).fill('kelp');
    await expect.poll(() => titles(opened)).toEqual(['Kelp forests']);
    await opened.evaluate(`window.setTimeout = (run) => ((window.later = run), 1)`);
    await field(opened).fill('limpet');
    await opened.keyboard.press('ArrowDown');
    expect(await active(opened)).toBe(null);
    await options(opened).first().click({ force: true, noWaitAfter: true });
    expect(await opened.evaluate('[location.pathname, localStorage.length]')).toEqual([`${BASE}/`, 0]);
    await opened.keyboard.press('Enter');
    await opened.waitForURL(`**${BASE}/search/?q=limpet`);
  });

  test('opens the first result with Enter on a site without a search page', async () => {
    const opened = await openBox('/plain/');
    await field(opened).fill('kelp');
    await expect.poll(() => titles(opened)).toEqual(['Kelp forests']);
    await field(opened).fill('barnacles stay');
    await opened.keyboard.press('Enter');
    await opened.waitForURL(`**${BASE}/blog/barnacle/`);
  });

  test('marks the words, and leads to the heading above them', async () => {
    const opened = await openBox();
    await field(opened).fill('limpet scar');
    const section = options(opened).filter({ hasText: 'The way home' });
    await section.waitFor();
    expect(await section.locator('mark').allInnerTexts()).toEqual(['limpet', 'scar']);
    expect(await options(opened).first().locator('mark').allInnerTexts()).toEqual(['limpet']);
    await section.click();
    await opened.waitForURL(`**${BASE}/blog/limpet/#the-way-home`);
  });

  test('shows the match of an excerpt, also on a phone', async () => {
    for (const width of [1440, 390]) {
      const opened = await openBox('/', { width });
      await field(opened).fill('dogwhelk');
      const excerpt = options(opened).filter({ hasText: 'What holds on' }).locator('.excerpt');
      const mark = await excerpt.locator('mark').boundingBox();
      const box = await excerpt.boundingBox();
      expect(mark!.y + mark!.height, `at ${width}`).toBeLessThanOrEqual(box!.y + box!.height + 1);
      expect(await excerpt.innerText()).toMatch(/^… .* dogwhelk, which drills/);
    }
  });

  test('breaks long words, and shows the panel around them', async () => {
    const opened = await openBox('/', { width: 390 });
    await field(opened).fill('a'.repeat(10_000));
    const panel = opened.locator('.panel');
    await panel.getByText('Try other words, or fewer.').waitFor();
    const overflow = await panel
      .locator('.note')
      .evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
    expect(overflow).toBe(0);
    const advice = (await panel.locator('.note').boundingBox())!;
    const shown = (await panel.boundingBox())!;
    expect(advice.y + advice.height).toBeLessThan(shown.y + shown.height);
    expect(await panel.locator('.note').evaluate((note) => note.scrollHeight - note.clientHeight)).toBe(0);
  });

  test('shows entries with a page only, and says if nothing is found', async () => {
    const opened = await openBox('/plain/');
    await field(opened).fill('limpet');
    await expect.poll(() => titles(opened)).toHaveLength(3);
    await field(opened).fill('xyzzy');
    await expect.poll(() => status(opened).innerText()).toBe('No xyzzy here');
    expect(await opened.getByText('Try other words, or fewer.').isVisible()).toBe(true);
    expect(await field(opened).getAttribute('aria-expanded')).toBe('false');
  });

  test('filters by the values of a field', async () => {
    const opened = await openBox();
    await field(opened).fill('limpet');
    const rocks = opened.getByRole('group', { name: 'Filter' }).getByRole('button', { name: 'Rocks' });
    await rocks.waitFor();
    await opened.keyboard.press('Tab');
    await opened.keyboard.press('Tab');
    await opened.keyboard.press('Space');
    await expect.poll(() => titles(opened)).toEqual(['Barnacles stay']);
    expect(await rocks.getAttribute('aria-pressed')).toBe('true');
    expect(await rocks.evaluate((button) => button.matches(':focus'))).toBe(true);
    await opened.keyboard.press('Space');
    await expect.poll(() => titles(opened)).toHaveLength(3);
  });

  test('offers recent searches, until they are cleared or if they are off', async () => {
    const opened = await openBox();
    await field(opened).fill('kelp');
    await options(opened).first().click();
    await opened.waitForURL('**/blog/kelp/');
    await opened.goto(`${files.origin}${BASE}/`);
    await field(opened).focus();
    await opened.getByText('Recent searches').waitFor();
    await opened.keyboard.press('ArrowDown');
    await opened.keyboard.press('Enter');
    await expect.poll(() => titles(opened)).toEqual(['Kelp forests']);
    await field(opened).fill('');
    await opened.getByRole('button', { name: 'Clear' }).click();
    expect(await opened.evaluate('localStorage.length')).toBe(0);

    await opened.goto(`${files.origin}${BASE}/plain/`);
    await field(opened).fill('kelp');
    await options(opened).first().click();
    await opened.waitForURL('**/blog/kelp/');
    expect(await opened.evaluate('localStorage.length')).toBe(0);
  });

  test('shows hostile titles as text', async () => {
    const opened = await openBox();
    await field(opened).fill('quokka');
    await expect.poll(() => titles(opened)).toEqual([`${HOSTILE} quokka`]);
    expect(await opened.locator('[role=listbox] :is(img, script)').count()).toBe(0);
    expect(await opened.evaluate('window.attacked')).toBeUndefined();
  });

  test('says in a slow network that it searches, and shows the answer to the last words only', async () => {
    const opened = await openBox();
    // These requests go on when the route is removed.
    await opened.route('**/jsonapi/snapshot/**', () => undefined);
    await field(opened).fill('barnacle');
    await expect.poll(() => status(opened).innerText()).toBe('Searching…');
    await field(opened).fill('limpet');
    await opened.evaluate(() => {
      const root = document.querySelector('jsonapi-search')?.shadowRoot ?? document;
      const seen: string[] = [];
      new MutationObserver(() => seen.push(root.querySelector('[role=listbox]')?.textContent ?? '')).observe(
        root,
        {
          childList: true,
          subtree: true,
        },
      );
      Object.assign(window, { seen });
    });
    await opened.unroute('**/jsonapi/snapshot/**');
    await expect.poll(() => status(opened).innerText()).toBe('Results: 3');
    expect(await titles(opened)).toContain('The limpet knows its address');
    const seen = await opened.evaluate<readonly string[]>('window.seen');
    expect(seen.filter((text) => text !== '').every((text) => text.includes('The limpet knows'))).toBe(true);
  });

  test('offers another try if the search cannot be loaded', async () => {
    const opened = await openBox();
    await opened.route('**/jsonapi/snapshot/**', (route) => route.abort());
    await field(opened).fill('kelp');
    await expect.poll(() => status(opened).innerText()).toBe('The search could not be loaded.');
    await opened.unroute('**/jsonapi/snapshot/**');
    await opened.keyboard.press('Tab');
    await opened.keyboard.press('Enter');
    await expect.poll(() => titles(opened)).toEqual(['Kelp forests']);
    expect(await field(opened).evaluate((input) => input.matches(':focus'))).toBe(true);
  });

  test.each([
    ['/', 1440],
    ['/', 360],
    ['/ar/', 1440],
    ['/ar/', 360],
  ])('%s fits %i pixels, and axe finds nothing in light and dark', async (address, width) => {
    const opened = await openBox(address, { width });
    await field(opened).fill('limpet');
    await expect.poll(() => options(opened).count()).toBeGreaterThan(3);
    await opened.keyboard.press('ArrowDown');
    expect(await axeViolations(opened)).toEqual([]);
    const panel = await opened.locator('.panel').boundingBox();
    expect(panel?.x).toBeGreaterThanOrEqual(0);
    expect((panel?.x ?? 0) + (panel?.width ?? 0)).toBeLessThanOrEqual(width);
    expect(await opened.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    const folder = process.env.PICTURES;
    for (const colorScheme of ['light', 'dark'] as const) {
      await opened.emulateMedia({ colorScheme });
      if (folder) {
        await opened.screenshot({
          path: `${folder}/box${address.replaceAll('/', '-')}${width}-${colorScheme}.png`,
        });
      }
    }
  });
});

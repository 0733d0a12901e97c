import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import {
  build,
  emptySite,
  REPOSITORY,
  type Served,
  type Site,
  STRICT_POLICY,
  serveFiles,
} from '../astro/site.ts';
import { axeViolations } from './axe.ts';
import { describeInBrowser, useBrowser } from './chromium.ts';

describeInBrowser('the search page of the demo on a static host', async () => {
  const browser = await useBrowser();
  let site: Site;
  let files: Served;
  const faults: string[] = [];

  beforeAll(async () => {
    site = emptySite('demo-static');
    for (const name of ['content', 'public', 'src']) {
      cpSync(path.join(REPOSITORY, name), site.file(name), { recursive: true });
    }
    cpSync(path.join(REPOSITORY, 'astro.config.mjs'), site.file('served.config.mjs'));
    const config = readFileSync(path.join(REPOSITORY, 'astro.static.config.mjs'), 'utf8');
    writeFileSync(site.file('astro.config.mjs'), config.replace('./astro.config.mjs', './served.config.mjs'));
    await build(site);
    files = await serveFiles(site.file('dist'), '', STRICT_POLICY);
  });
  afterEach(() => expect(faults.splice(0)).toEqual([]));
  afterAll(async () => {
    await files?.stop();
    site?.remove();
  });

  async function newPage(): Promise<Page> {
    const page = await browser.newPage();
    page.on('console', (message) => {
      const isFault = /search|explorer/.test(page.url()) && /Content Security Policy/.test(message.text());
      if (isFault) faults.push(message.text());
    });
    return page;
  }
  async function openSearch(query = ''): Promise<Page> {
    const page = await newPage();
    await page.goto(`${files.origin}/search/${query}`);
    await page.getByRole('group', { name: 'Subjects' }).waitFor();
    return page;
  }
  const titlesOf = (page: Page) => page.locator('.results h2').allInnerTexts();
  const status = (page: Page) => page.getByRole('status');

  test('lists everything, and less with each word and subject, in its address and with counts', async () => {
    const page = await openSearch();
    const all = await titlesOf(page);
    expect(all.length).toBeGreaterThan(40);

    await page.getByLabel('Words to look for').pressSequentially('moon');
    await expect.poll(() => status(page).innerText()).toMatch(/^\d+ results$/);
    const withMoon = await titlesOf(page);
    expect(withMoon.length).toBeLessThan(all.length);
    expect(page.url()).toContain('?q=moon');

    const subject = page.getByRole('group', { name: 'Subjects' }).getByRole('checkbox').first();
    const { label, count } = await subject.evaluate((input) => {
      const [, name, number] = input.parentElement?.children ?? [];
      return { label: name?.textContent ?? '', count: Number(number?.textContent) };
    });
    await subject.press('Space');
    await expect.poll(() => titlesOf(page)).toHaveLength(count);
    expect(page.url()).toContain('field_tags=');
    expect(await subject.evaluate((input) => input === document.activeElement)).toBe(true);

    await page.goBack();
    await expect.poll(() => titlesOf(page)).toEqual(withMoon);
    await page.goForward();
    await expect.poll(() => titlesOf(page)).toHaveLength(count);
    const other = await openSearch(new URL(page.url()).search);
    await expect.poll(() => titlesOf(other)).toHaveLength(count);
    expect(await other.getByRole('checkbox', { checked: true }).count()).toBe(1);
    expect(await other.locator('label:has(:checked)').innerText()).toContain(label);
  });

  test('finds a word that is still being typed, and says so if nothing matches', async () => {
    const page = await openSearch('?q=limp');
    await expect.poll(() => titlesOf(page)).toContain('The limpet knows its address');
    await page.getByLabel('Words to look for').fill('xyzzy');
    await expect.poll(() => status(page).innerText()).toContain('Nothing matches');
    expect(await titlesOf(page)).toEqual([]);
  });

  test('works with the keyboard: word, subject, result and back', async () => {
    const page = await openSearch();
    await page.getByLabel('Words to look for').focus();
    await page.keyboard.type('moon');
    await expect.poll(() => status(page).innerText()).toMatch(/^\d+ results$/);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await expect.poll(() => page.url()).toContain('field_tags=');
    await expect.poll(() => page.getByRole('checkbox', { checked: true }).count()).toBe(1);
    await expect.poll(() => page.locator('.results[aria-busy]').count()).toBe(0);
    const titles = await titlesOf(page);
    await page.locator('.results a').first().focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: titles[0] ?? '' }).waitFor();
    await page.goBack();
    await expect.poll(() => titlesOf(page)).toEqual(titles);
  });

  test('says in a slow network that it searches, and shows the answer to the last word only', async () => {
    const page = await newPage();
    const devTools = await page.context().newCDPSession(page);
    await devTools.send('Network.enable');
    await devTools.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 200,
      downloadThroughput: 200_000,
      uploadThroughput: 200_000,
    });
    await page.goto(`${files.origin}/search/?q=moon`);
    await expect.poll(() => status(page).innerText()).toBe('Searching…');
    expect(await page.locator('.results').getAttribute('aria-busy')).toBe('true');
    await expect.poll(() => status(page).innerText()).toMatch(/^\d+ results$/);
    const input = page.getByLabel('Words to look for');
    await page.evaluate(() => {
      const shown: string[] = [];
      Object.assign(window, { shown });
      new MutationObserver(() => {
        shown.push([...document.querySelectorAll('.results h2')].map((title) => title.textContent).join());
      }).observe(document.querySelector('.results') ?? document, { childList: true });
    });
    await input.fill('sea');
    await page.waitForTimeout(200);
    await input.fill('limpet');
    await expect.poll(() => titlesOf(page)).toContain('The limpet knows its address');
    await expect.poll(() => page.locator('.results[aria-busy]').count()).toBe(0);
    const shown = await page.evaluate<readonly string[]>('window.shown');
    expect(shown).toHaveLength(1);
    expect(page.url()).toContain('?q=limpet');
  });

  test('offers another try if the search cannot be loaded', async () => {
    const page = await newPage();
    const snapshot = '**/jsonapi/snapshot/**';
    await page.route(snapshot, (route) => route.abort());
    await page.goto(`${files.origin}/search/?q=limp`);
    await expect.poll(() => status(page).innerText()).toBe('The search could not be loaded.');
    // Nothing looks like an answer.
    expect(await titlesOf(page)).toEqual([]);
    const retry = page.getByRole('button', { name: 'Try again' });
    await retry.press('Enter');
    await expect.poll(() => page.locator('.results[aria-busy]').count()).toBe(0);
    expect(await retry.isVisible()).toBe(true);
    await page.unroute(snapshot);
    await retry.press('Enter');
    await expect.poll(() => titlesOf(page)).toContain('The limpet knows its address');
    expect(await retry.isVisible()).toBe(false);
    expect(await page.evaluate('document.activeElement.id')).toBe('q');
  });

  test('searches in German, and finds the English version of untranslated entries', async () => {
    const page = await newPage();
    await page.goto(`${files.origin}/de/search/`);
    await page.getByRole('group', { name: 'Themen' }).getByText('Gezeiten').waitFor();
    await page.getByLabel('Gesuchte Wörter').fill('Napfschnecke');
    await expect.poll(() => status(page).innerText()).toMatch(/^\d+ Treffer$/);
    const links = page.locator('.results h2');
    for (const link of await links.all()) expect(await link.getAttribute('lang')).toBe('de');
    await page.getByLabel('Gesuchte Wörter').fill('Blueprints');
    await expect.poll(() => titlesOf(page)).toEqual(['Blueprints of weed']);
    expect(await links.first().getAttribute('lang')).toBe('en');
    await page.getByRole('link', { name: 'English' }).click();
    await page.getByRole('heading', { name: 'Search' }).waitFor();
  });

  test.each([1280, 360])(
    'the search and the explorer fit %i pixels, and axe finds nothing in light and dark',
    async (width) => {
      const page = await newPage();
      await page.setViewportSize({ width, height: 900 });
      for (const [address, ready] of [
        ['/search/?q=moon', '.results[aria-busy], .facet[hidden]'],
        ['/jsonapi-explorer/#/node/article?page[limit]=5', '#count:empty'],
      ] as const) {
        await page.emulateMedia({ colorScheme: 'light' });
        await page.goto(files.origin + address);
        await expect.poll(() => page.locator(ready).count()).toBe(0);
        await page.getByRole('status').first().waitFor();
        expect([address, await axeViolations(page)]).toEqual([address, []]);
        const overflow = 'document.documentElement.scrollWidth - innerWidth';
        expect([address, await page.evaluate(overflow)]).toEqual([address, 0]);
      }
    },
  );

  test.each([
    [1440, '/', 'limpet'],
    [390, '/', 'limpet'],
    [360, '/de/', 'Napfschnecke'],
    [1440, '/journal/area-forecast/', 'tid'],
  ])('the box in the header at %i pixels of %s has results for “%s”', async (width, address, words) => {
    const page = await newPage();
    await page.setViewportSize({ width, height: 900 });
    await page.goto(files.origin + address);
    await page.keyboard.press('/');
    await page.keyboard.type(words);
    const box = page.locator('jsonapi-search');
    await box.getByRole('option').first().waitFor();
    await box.getByRole('group', { name: /Subjects|Themen/ }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    // In light and dark.
    expect(await axeViolations(page)).toEqual([]);
    const folder = process.env.PICTURES;
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      if (folder) {
        const name = `demo${address.replaceAll('/', '-')}${width}-${colorScheme}.png`;
        await page.screenshot({ path: path.join(folder, name) });
      }
    }
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname !== address);
    expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
    await page.close();
  });
});

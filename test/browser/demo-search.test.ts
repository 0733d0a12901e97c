import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { build, emptySite, REPOSITORY, type Served, type Site, serveFiles } from '../astro/site.ts';
import { closePages, describeInBrowser, launchBrowser } from './chromium.ts';

describeInBrowser('the search page of the demo on a static host', () => {
  let browser: Browser;
  let site: Site;
  let files: Served;

  beforeAll(async () => {
    site = emptySite('demo-static');
    for (const name of ['content', 'public', 'src']) {
      cpSync(path.join(REPOSITORY, name), site.file(name), { recursive: true });
    }
    cpSync(path.join(REPOSITORY, 'astro.config.mjs'), site.file('served.config.mjs'));
    const config = readFileSync(path.join(REPOSITORY, 'astro.static.config.mjs'), 'utf8');
    writeFileSync(site.file('astro.config.mjs'), config.replace('./astro.config.mjs', './served.config.mjs'));
    await build(site);
    [browser, files] = await Promise.all([launchBrowser(), serveFiles(site.file('dist'))]);
  });
  afterAll(async () => {
    await closePages(browser);
    await files?.stop();
    site?.remove();
  });

  async function openSearch(query = ''): Promise<Page> {
    const page = await browser.newPage();
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
});

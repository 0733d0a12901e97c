import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { svg } from '../pictures.ts';
import { axeViolations } from './axe.ts';
import { closePages, describeInBrowser, launchBrowser } from './chromium.ts';
import { watchFaults } from './page-checks.ts';
import { openTab, type Tab } from './tab.ts';
import { startWritableSite, type WritableSite } from './writable-site.ts';

const BRAND = { name: 'The <Shore>', logo: { light: '/logo.svg', dark: '/logo-dark.svg' } };

describeInBrowser('the name and the logo of a site', () => {
  let browser: Browser;
  let site: WritableSite;
  let tab: Tab;
  let page: Page;
  const faults: string[] = [];
  const logos: string[] = [];

  beforeAll(async () => {
    browser = await launchBrowser();
    tab = await openTab(browser, { colorScheme: 'light' });
    page = tab.page;
    watchFaults(page, faults);
    await page.route(/\/logo.*\.svg$/, (route) => {
      logos.push(new URL(route.request().url()).pathname);
      return route.fulfill({ contentType: 'image/svg+xml', body: svg(80, 26) });
    });
  });
  afterAll(() => closePages(browser));
  beforeEach(async () => {
    site = await startWritableSite({ brand: BRAND });
    faults.length = 0;
    logos.length = 0;
    return () => site.close();
  });

  test('are in the navigation and in the titles of the admin', async () => {
    await tab.open(site, '/admin', 'ada');
    const link = page.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name: BRAND.name });
    await link.waitFor();
    await expect.poll(() => page.title()).toBe('Home · The <Shore>');
    await page.goto(`${site.origin}/admin/media`);
    await expect.poll(() => page.title()).toBe('Media · The <Shore>');
    expect(new Set(logos)).toEqual(new Set(['/logo.svg']));
    expect(await axeViolations(page)).toEqual([]);
    await expect.poll(() => logos).toContain('/logo-dark.svg');
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await page.locator('header.top').innerText()).toBe('Media');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(faults).toEqual([]);
  });

  test('are on the sign-in page', async () => {
    await tab.open(site, '/user/login');
    await page.locator('.brand').getByText(BRAND.name).waitFor();
    expect(await page.title()).toBe('Sign in · The <Shore>');
    expect(await page.locator('.brand img').evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(
      80,
    );
    expect(await axeViolations(page)).toEqual([]);
    expect(faults).toEqual([]);
  });
});

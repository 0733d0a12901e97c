import { beforeAll, beforeEach, expect, test } from 'vitest';
import { svg } from '../support/pictures.ts';
import { axeViolations } from './axe.ts';
import { describeInBrowser } from './chromium.ts';
import { useTab } from './tab.ts';
import { startWritableSite, type WritableSite } from './writable-site.ts';

const BRAND = { name: 'The <Shore>', logo: { light: '/logo.svg', dark: '/logo-dark.svg' } };

describeInBrowser('the name and the logo of a site', async () => {
  const tab = await useTab({ colorScheme: 'light' });
  const { page } = tab;
  let site: WritableSite;
  const logos: string[] = [];

  beforeAll(async () => {
    await page.route(/\/logo.*\.svg$/, (route) => {
      logos.push(new URL(route.request().url()).pathname);
      return route.fulfill({ contentType: 'image/svg+xml', body: svg(80, 26) });
    });
  });
  beforeEach(async () => {
    site = await startWritableSite({ brand: BRAND });
    logos.length = 0;
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
  });

  test('are on the sign-in page', async () => {
    await tab.open(site, '/user/login');
    await page.locator('.brand').getByText(BRAND.name).waitFor();
    expect(await page.title()).toBe('Sign in · The <Shore>');
    expect(await page.locator('.brand img').evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(
      80,
    );
    expect(await axeViolations(page)).toEqual([]);
  });
});

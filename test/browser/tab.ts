import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterEach, expect } from 'vitest';
import { useBrowser } from './chromium.ts';
import { watchFaults } from './page-checks.ts';
import type { WritableSite } from './writable-site.ts';

export interface Tab {
  readonly browser: Browser;
  readonly page: Page;
  /** Faults of the page since its site was opened. */
  readonly faults: string[];
  /**
   * Opens an address of a site as an account, or as a visitor if `name` is undefined. For another site than the last
   * time, everything that pages have stored in the browser is removed.
   */
  open(site: WritableSite, address: string, name?: string): Promise<void>;
}

/**
 * One page for all tests of a file. The browser loads and compiles the scripts of a site once. A test fails if the page
 * has faults, or if the test adds others to `faults`.
 */
export async function useTab(options?: BrowserContextOptions): Promise<Tab> {
  const tab = await openTab(await useBrowser(), options);
  afterEach(() => expect(tab.faults.splice(0)).toEqual([]));
  return tab;
}

export async function openTab(browser: Browser, options: BrowserContextOptions = {}): Promise<Tab> {
  const viewport = { width: 1280, height: 900 };
  const context = await browser.newContext({ viewport, ...options });
  const page = await context.newPage();
  const faults: string[] = [];
  watchFaults(page, faults);
  const devTools = await context.newCDPSession(page);
  let last: WritableSite | undefined;
  return {
    browser,
    page,
    faults,
    async open(site, address, name) {
      // The page before must not store anything later.
      await page.goto(`${site.origin}/nothing`);
      if (site !== last) {
        // The page before was left without its site.
        faults.length = 0;
        await devTools.send('Storage.clearDataForOrigin', { origin: site.origin, storageTypes: 'all' });
        await page.setViewportSize(options.viewport ?? viewport);
        await page.emulateMedia({ colorScheme: options.colorScheme ?? null });
        last = site;
      }
      await context.clearCookies();
      if (name !== undefined) {
        await context.addCookies([await site.signIn(name)]);
      }
      await page.goto(site.origin + address);
    },
  };
}

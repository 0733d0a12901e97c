import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { WritableSite } from './writable-site.ts';

/** One page for all tests of a file. The browser loads and compiles the scripts of a site once. */
export interface Tab {
  readonly page: Page;
  /**
   * Opens an address of a site as an account, or as a visitor if `name` is undefined. For another site than the last
   * time, everything that pages have stored in the browser is removed.
   */
  open(site: WritableSite, address: string, name?: string): Promise<void>;
}

export async function openTab(browser: Browser, options: BrowserContextOptions = {}): Promise<Tab> {
  const viewport = { width: 1280, height: 900 };
  const context = await browser.newContext({ viewport, ...options });
  const page = await context.newPage();
  const devTools = await context.newCDPSession(page);
  let last: WritableSite | undefined;
  return {
    page,
    async open(site, address, name) {
      // The page before must not store anything later.
      await page.goto(`${site.origin}/nothing`);
      if (site !== last) {
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

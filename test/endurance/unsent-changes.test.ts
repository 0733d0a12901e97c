import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, test } from 'vitest';
import { closePages, describeInBrowser, launchBrowser } from '../browser/chromium.ts';
import { walkWithUnsentChanges } from '../browser/unsent-walk.ts';
import { startWritableSite } from '../browser/writable-site.ts';

describeInBrowser('unsent changes in two tabs', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => closePages(browser));

  test.each(Array.from({ length: 25 }, (_, index) => index))('walk %i loses nothing', async (index) => {
    const site = await startWritableSite();
    await walkWithUnsentChanges(browser, site, { seed: Number(process.env.FC_SEED) + index, steps: 60 });
    await site.close();
  });
});

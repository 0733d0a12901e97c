import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, test } from 'vitest';
import { closePages, describeInBrowser, launchBrowser } from '../browser/chromium.ts';
import { walkWithUnsentChanges } from '../browser/unsent-walk.ts';
import { startWritableSite } from '../browser/writable-site.ts';

/** The number of walks. Each has the seed in its name: `FC_SEED` and `UNSENT_WALKS=1` repeat it. */
const { FC_SEED, UNSENT_WALKS = '25' } = process.env;
const seeds = Array.from({ length: Number(UNSENT_WALKS) }, (_, index) => Number(FC_SEED) + index);

describeInBrowser('unsent changes in two tabs', () => {
  let browser: Browser;
  let context: BrowserContext;
  beforeAll(async () => {
    browser = await launchBrowser();
    context = await browser.newContext();
  });
  afterAll(() => closePages(browser));

  test.each(seeds)('the walk with the seed %i loses nothing', async (seed) => {
    const site = await startWritableSite();
    await walkWithUnsentChanges(context, site, { seed, steps: 30 });
    await site.close();
  });
});

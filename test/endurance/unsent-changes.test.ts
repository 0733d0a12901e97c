import { test } from 'vitest';
import { describeInBrowser, useBrowser } from '../browser/chromium.ts';
import { walkWithUnsentChanges } from '../browser/unsent-walk.ts';
import { startWritableSite } from '../browser/writable-site.ts';

/** The number of walks. Each has the seed in its name: `FC_SEED` and `UNSENT_WALKS=1` repeat it. */
const { FC_SEED, UNSENT_WALKS = '25' } = process.env;
const seeds = Array.from({ length: Number(UNSENT_WALKS) }, (_, index) => Number(FC_SEED) + index);

describeInBrowser('unsent changes in two tabs', async () => {
  const browser = await useBrowser();
  const context = await browser.newContext();

  test.each(seeds)('the walk with the seed %i loses nothing', async (seed) => {
    const site = await startWritableSite();
    await walkWithUnsentChanges(context, site, { seed, steps: 30 });
  });
});

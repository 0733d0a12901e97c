import type { BrowserContextOptions, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { measureLoad, SLOW_LINE } from './admin-load.ts';
import { describeInBrowser, useBrowser } from './chromium.ts';
import { startWritableSite, type WritableSite } from './writable-site.ts';

const FORM = '/admin/edit/node/article/moon';
const TEXT = '.cm-content[contenteditable=true]';
/** The field in which the text can be edited before the editor has loaded. */
const PLAIN_TEXT = 'textarea[aria-label=Text]';

describeInBrowser('the first load of the admin', async () => {
  const browser = await useBrowser();
  let site: WritableSite;

  beforeAll(async () => {
    site = await startWritableSite();
  });

  test.each([
    ['/admin', '#recent', 79, 28],
    ['/admin/content', 'table[aria-busy=false] tbody tr', 78, 28],
    [FORM, TEXT, 205, 26],
  ])('of %s stays within its budget over the wire', async (address, selector, kilobytes, requests) => {
    const cookies = [await site.signIn('ada')];
    const load = await measureLoad(browser, { url: site.origin + address, cookies, selector });
    expect(load.bytes).toBeLessThanOrEqual(kilobytes * 1000);
    expect(load.requests.length).toBeLessThanOrEqual(requests);
    expect(
      load.requests.filter(({ url }) =>
        /Palette|Suggest|LinkDialog|CreateDialog|DeleteDialog|tools|html-to/.test(url),
      ),
    ).toEqual([]);
  });

  /** At 50 kB per second, 5 seconds without three round trips are 190 kB. The time has room for a busy machine. */
  test('lets people edit the text on a slow line', async () => {
    const cookies = [await site.signIn('ada')];
    const url = site.origin + FORM;
    const load = await measureLoad(browser, { url, cookies, selector: PLAIN_TEXT, line: SLOW_LINE });
    const before = load.requests.filter(({ end }) => end <= load.ready);
    expect(before.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(190_000);
    expect(load.firstPaint).toBeLessThan(3000);
    expect(load.ready).toBeLessThan(12_000);
    // Nothing waits for the import of another file: all files of the app start before the first one has arrived.
    const files = load.requests.filter(({ url }) => url.includes('/_assets/') && !url.endsWith('.css'));
    const [firstEnd = 0] = files.map(({ end }) => end).toSorted((a, b) => a - b);
    expect(files.filter(({ start }) => start > firstEnd)).toEqual([]);
  });

  /** Shows the page as it is until the app has loaded. */
  async function openSkeleton(options: BrowserContextOptions): Promise<Page> {
    const context = await browser.newContext(options);
    await context.addCookies([await site.signIn('ada')]);
    const page = await context.newPage();
    await page.route(/\.js$/, () => undefined);
    await page.goto(site.origin + FORM, { waitUntil: 'commit' });
    await page.locator('#skeleton').waitFor();
    return page;
  }

  test.each([
    [1440, 'light', 'no-preference'],
    [390, 'dark', 'reduce'],
  ] as const)(
    'shows a skeleton at %i px, %s, before any script',
    async (width, colorScheme, reducedMotion) => {
      const page = await openSkeleton({ viewport: { width, height: 800 }, colorScheme, reducedMotion });
      const shown = await page.evaluate(() => {
        const bones = [...document.querySelectorAll('#skeleton i')].filter((bone) => bone.checkVisibility());
        return {
          overflow: document.documentElement.scrollWidth - innerWidth,
          outside: bones.filter((bone) => bone.getBoundingClientRect().right > innerWidth).length,
          overlapping: bones.filter((bone, at) => {
            const { left, top } = bone.getBoundingClientRect();
            return bones.some((other, of) => {
              const { left: x, right, top: y, bottom } = other.getBoundingClientRect();
              return of !== at && left >= x && left < right && top >= y && top < bottom;
            });
          }).length,
          flat: bones.filter((bone) => bone.getBoundingClientRect().height < 10).length,
          bones: bones.length,
          moving: document.getAnimations().length > 0,
          background: getComputedStyle(document.body).backgroundColor,
        };
      });
      expect(shown).toMatchObject({
        overflow: 0,
        outside: 0,
        overlapping: 0,
        flat: 0,
        moving: reducedMotion !== 'reduce',
      });
      expect(shown.bones).toBeGreaterThan(3);
      expect(shown.background).toBe(colorScheme === 'dark' ? 'rgb(19, 21, 24)' : 'rgb(246, 246, 244)');
      await page.context().close();
    },
  );

  test('removes the skeleton when the screen is shown', async () => {
    const context = await browser.newContext();
    await context.addCookies([await site.signIn('ada')]);
    const page = await context.newPage();
    await page.goto(site.origin + FORM);
    await page.locator(TEXT).waitFor();
    expect(await page.locator('#skeleton').count()).toBe(0);
    await context.close();
  });

  test('keeps the typed text and the cursor when the editor has loaded', async () => {
    const context = await browser.newContext();
    await context.addCookies([await site.signIn('ada')]);
    const page = await context.newPage();
    const held = Promise.withResolvers<void>();
    await page.route(/BodyEditor.*\.js$/, async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.goto(site.origin + FORM);
    const plain = page.locator(PLAIN_TEXT);
    const stored = await plain.inputValue();
    expect(await plain.getAttribute('aria-busy')).toBe('true');
    await plain.click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('Typed early.');
    held.resolve();
    // No key is lost while the field is replaced.
    for (const key of ' And then some more') await page.keyboard.type(key, { delay: 40 });
    await page.locator(`${TEXT}:focus`).waitFor();
    await page.keyboard.type(', and later.');
    await page.getByRole('button', { name: 'Show the Markdown source' }).click();
    const expected = `Typed early. And then some more, and later.${stored}`;
    expect(await page.locator('.cm-line').first().textContent()).toBe(expected.split('\n')[0]);
    await page.getByRole('button', { name: 'Show the Markdown source' }).click();
    await context.close();
  });

  test('lets people go on in a plain field if the editor cannot be loaded', async () => {
    const context = await browser.newContext();
    await context.addCookies([await site.signIn('ada')]);
    const page = await context.newPage();
    await page.route(/BodyEditor.*\.js$/, (route) => route.abort());
    await page.goto(site.origin + FORM);
    await page.getByRole('alert').waitFor();
    const plain = page.locator(PLAIN_TEXT);
    await plain.press('Control+End');
    await plain.pressSequentially(' Written without it.');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.locator('.notice', { hasText: 'is saved' }).waitFor();
    expect(await site.read('article/moon.md')).toContain('Written without it.');
    await context.close();
  });

  test('gives the command palette the keys that were typed before it had loaded', async () => {
    const context = await browser.newContext();
    await context.addCookies([await site.signIn('ada')]);
    const page = await context.newPage();
    await page.goto(site.origin + FORM);
    const title = page.getByRole('textbox', { name: 'Title' });
    await title.click();
    const held = Promise.withResolvers<void>();
    await page.route(/Palette.*\.js$/, async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.keyboard.press('Control+k');
    await page.keyboard.type('medias');
    await page.keyboard.press('Backspace');
    held.resolve();
    await page.locator('.palette input:focus').waitFor();
    expect(await page.locator('.palette input').inputValue()).toBe('media');
    await page.keyboard.press('Escape');
    expect(await title.inputValue()).toBe('The moon');
    await page.keyboard.press('Control+k');
    await page.locator('.palette input:focus').waitFor();
    expect(await page.locator('.palette input').inputValue()).toBe('');
    await page.keyboard.type('media');
    await page.locator('.palette-item[data-selected]', { hasText: 'Media' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/admin\/media$/);
    await context.close();
  });

  test('replaces an input by one with suggestions while someone types', async () => {
    const context = await browser.newContext();
    await context.addCookies([await site.signIn('ada')]);
    const page = await context.newPage();
    await page.goto(site.origin + FORM);
    const held = Promise.withResolvers<void>();
    await page.route(/Suggest.*\.js$/, async (route) => {
      await held.promise;
      await route.continue();
    });
    const tags = page.getByRole('combobox', { name: 'Tags' });
    await tags.click();
    await page.keyboard.type('se');
    // Another plain input has the focus when the code arrives, and keeps it.
    await page.getByRole('combobox', { name: 'Source' }).focus();
    await tags.focus();
    held.resolve();
    await page.getByRole('option', { name: /^Sea/ }).waitFor();
    expect(await page.locator('input:focus').inputValue()).toBe('se');
    await context.close();
  });
});

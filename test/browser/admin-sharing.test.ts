import type { Locator } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { siteLanguages } from '../../integration/core/content/languages.ts';
import { axeViolations } from './axe.ts';
import { describeInBrowser } from './chromium.ts';
import { useTab } from './tab.ts';
import { startWritableSite, type WritableSite } from './writable-site.ts';

const PICTURE =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 191 100"><rect width="191" height="100" fill="#357"/><circle cx="95" cy="50" r="30" fill="#fe9"/></svg>';
const SUMMARY =
  'Twice a day the sea rises and falls, because the moon pulls the water that is nearest to it.';
const CONTENT = {
  'article/moon.md': `---\ntitle: The moon\npath: /sky/moon\n---\nRises *late*. ${'word '.repeat(500)}\n`,
  'article/sea.md': `---\ntitle: How the moon moves the sea\npath: /sea\nsummary: ${SUMMARY}\nfield_cover:\n  src: ./sea.svg\n  alt: The moon over the sea\n---\nRises.\n`,
  'article/sea.svg': PICTURE,
  'article/sea.ar.md': '---\ntitle: كيف يحرك القمر مياه البحر\n---\nيرتفع البحر مرتين في اليوم.\n',
};

describeInBrowser('how search results and shared links show an entry', async () => {
  const tab = await useTab();
  const { page } = tab;
  let site: WritableSite;

  beforeEach(async () => {
    const languages = siteLanguages({ defaultLocale: 'en', locales: ['en', 'ar'] });
    site = await startWritableSite({ content: CONTENT, languages });
  });

  async function open(address: string): Promise<void> {
    await tab.open(site, `/admin${address}`, 'ada');
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Search and sharing' }).click();
    await dialog.waitFor();
  }
  const dialog = page.getByRole('dialog', { name: 'Search and sharing' });
  const card = (name: string) => dialog.getByRole('region', { name });
  const notes = () => dialog.getByRole('listitem').locator('span').allInnerTexts();

  test('lists missing values, and links to their fields', async () => {
    await open('/edit/node/article/moon');
    expect(await notes()).toEqual([
      'The title is short. Say what the page is about: there is room for about 60 characters.',
      'The description is missing. Search engines choose words from the text instead.',
      'The picture is missing. Shared links then show a picture of the site, or only text.',
    ]);
    await dialog.getByText('502 words · 3 minutes to read').waitFor();
    await card('In search results').getByText('› sky › moon').waitFor();
    await card('In search results').getByText('The description is the beginning of the text.').waitFor();
    await card('As a shared link').getByText('No picture').waitFor();
    await dialog.getByRole('button', { name: 'Go to the field: The description is missing.' }).click();
    await page.keyboard.type(SUMMARY);
    expect(await page.getByRole('textbox', { name: 'Summary' }).inputValue()).toBe(SUMMARY);
    await dialog.waitFor({ state: 'hidden' });
    // Values that are not saved count.
    await page.getByRole('textbox', { name: 'Title' }).fill('How the moon moves the sea');
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Search and sharing' }).click();
    await card('In search results').getByText('How the moon moves the sea').waitFor();
    await card('As a shared link').getByText(SUMMARY).waitFor();
    expect(await notes()).toEqual([
      'The picture is missing. Shared links then show a picture of the site, or only text.',
    ]);
  });

  test('is opened, used and closed with the keyboard', async () => {
    await tab.open(site, '/admin/edit/node/article/moon', 'ada');
    await page.getByRole('button', { name: 'More actions' }).focus();
    await page.keyboard.press('Enter');
    const item = page.getByRole('menuitem', { name: 'Search and sharing' });
    await item.waitFor();
    await moveTo(item, 'ArrowDown');
    await page.keyboard.press('Enter');
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await page.locator('button[aria-label="More actions"]:focus').waitFor();
    await page.keyboard.press('Enter');
    await item.waitFor();
    await moveTo(item, 'ArrowDown');
    await page.keyboard.press('Enter');
    await dialog.waitFor();
    await moveTo(dialog.getByRole('button', { name: /^Go to the field: The title is short/ }), 'Tab');
    await page.keyboard.press('Enter');
    await page.locator('#field-title:focus').waitFor();
  });

  /** Presses a key until an element has the focus. */
  async function moveTo(element: Locator, key: string): Promise<void> {
    for (let at = 0; at < 8; at++) {
      if (await element.evaluate((each) => each === document.activeElement)) return;
      await page.keyboard.press(key);
    }
    throw new Error(`${key} does not reach ${element}.`);
  }

  test('works for a new entry before it is saved', async () => {
    await open('/new/node/article');
    expect((await notes())[0]).toBe('The title is missing.');
    await card('In search results').getByText('Without a title').waitFor();
    await dialog.getByText('0 words').waitFor();
    expect(await dialog.getByText('to read').count()).toBe(0);
    expect(await axeViolations(page)).toEqual([]);
  });

  test('shows the picture, and the text of a translation in its direction', async () => {
    await open('/edit/node/article/sea');
    const picture = card('As a shared link').getByRole('img', { name: 'The moon over the sea' });
    await expect.poll(() => picture.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBeGreaterThan(0);
    await dialog.getByText('Nothing is missing, and the lengths fit.').waitFor();
    await screenshots('complete');
    await open('/edit/node/article/sea?lang=ar');
    const title = card('In search results').getByText('كيف يحرك القمر مياه البحر');
    expect(await title.evaluate((element) => getComputedStyle(element).direction)).toBe('rtl');
    await screenshots('translation');
  });

  test.each([
    ['en', 'Search and sharing'],
    ['de', 'Suche und Teilen'],
    ['ar', 'البحث والمشاركة'],
  ])('fits a desktop and a phone, in light and dark, in %s', async (language, name) => {
    await tab.open(site, '/admin/edit/node/article/moon', 'ada');
    await page.evaluate((chosen) => localStorage.setItem('astro-jsonapi:language', chosen), language);
    await page.reload();
    await page.locator('header button[aria-haspopup=menu]').click();
    await page.getByRole('menuitem', { name }).click();
    await page.getByRole('dialog', { name }).waitFor();
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 860 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      const box = await page.getByRole('dialog', { name }).boundingBox();
      expect(box?.x).toBeGreaterThanOrEqual(0);
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(width);
      expect(await axeViolations(page)).toEqual([]);
      await screenshots(`${language}-${width}`);
    }
    await page.evaluate(() => localStorage.removeItem('astro-jsonapi:language'));
  });

  /** Pictures to look at, if a folder for them is named. */
  async function screenshots(name: string): Promise<void> {
    const folder = process.env.SCREENSHOTS;
    if (folder === undefined) return;
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: `${folder}/sharing-${name}-${colorScheme}.png` });
    }
  }
});

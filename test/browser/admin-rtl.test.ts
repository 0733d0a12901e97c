import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { axeViolations } from './axe.ts';
import { describeInBrowser } from './chromium.ts';
import { useTab } from './tab.ts';
import { startWritableSite, type WritableSite } from './writable-site.ts';

const ADMIN = path.resolve(import.meta.dirname, '../../admin/src');
const MENU = 'menu_link_content--main';
const CONTENT = {
  'article/moon.md': '---\ntitle: The moon\nfield_author: jane\nfield_words: [late]\n---\nRises *late*.\n',
  'person/jane.md': '---\ntitle: Jane Low\n---\n',
  'tag/sky.md': '---\ntitle: Sky\n---\n',
  [`${MENU}/a.yaml`]: 'title: A\nurl: /a\nweight: 0\n',
  [`${MENU}/b.yaml`]: 'title: B\nurl: /b\nweight: 0\nparent: a\n',
};

test('styles name the beginning and the end of a line, not its left and its right', () => {
  const sides =
    /(?:margin|padding|border)-(?:left|right)|text-align:\s*(?:left|right)|(?<![\w-])(?:left|right):(?!\s*50%)/;
  const found = readdirSync(ADMIN, { recursive: true, encoding: 'utf8' })
    // The sides of a picture are the same in all languages.
    .filter((file) => /\.(?:svelte|css)$/.test(file) && !file.endsWith('CropDialog.svelte'))
    .flatMap((file) => {
      const text = readFileSync(path.join(ADMIN, file), 'utf8');
      const style = file.endsWith('.css') ? text : (/<style>(.*)<\/style>/s.exec(text)?.[1] ?? '');
      return style.split('\n').flatMap((line) => (sides.test(line) ? [`${file}: ${line.trim()}`] : []));
    });
  expect(found).toEqual([]);
});

describeInBrowser('the admin in a language that is written from right to left', async () => {
  const tab = await useTab({ locale: 'ar-EG' });
  const { page } = tab;
  let site: WritableSite;

  beforeAll(async () => {
    site = await startWritableSite({ content: CONTENT });
  });

  test('is chosen by the browser or in the profile', async () => {
    await tab.open(site, '/admin/profile', 'ada');
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await page.evaluate(() => [document.documentElement.lang, document.documentElement.dir])).toEqual([
      'ar',
      'rtl',
    ]);
    const language = page.getByLabel('لغة الواجهة');
    expect(await language.locator('option').allInnerTexts()).toEqual(['English', 'Deutsch', 'العربية']);
    await page.getByText('كلمة المرور الحالية').first().waitFor();
    await language.selectOption('de');
    await expect.poll(() => page.evaluate(() => document.documentElement.dir)).toBe('ltr');
    await page.evaluate(() => localStorage.clear());
  });

  test.each([
    '/',
    '/content?type=node--article',
    '/edit/node/article/moon',
    '/menus',
    '/media',
    '/bin',
    '/people',
    '/explorer',
  ])('mirrors %s at 1440 and 390 px', async (address) => {
    await tab.open(site, `/admin${address}`, 'ada');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForLoadState('networkidle');
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      const heading = await page.getByRole('heading', { level: 1 }).boundingBox();
      const side = await page.locator('#navigation').boundingBox();
      if (width === 1440) expect(side?.x).toBe(width - 232);
      expect(heading?.x ?? 0).toBeGreaterThanOrEqual(0);
    }
    expect(await axeViolations(page)).toEqual([]);
  });

  test.each([1440, 390])('shows dialogs in the middle of a window of %i px', async (width) => {
    await page.setViewportSize({ width, height: 900 });
    await tab.open(site, '/admin/people', 'ada');
    await page.getByRole('button', { name: 'إضافة حساب' }).click();
    expect(await middleOf(page.getByRole('dialog', { name: 'حساب جديد' }))).toBe(width / 2);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    expect(await middleOf(page.locator('.palette'))).toBe(width / 2);
  });

  test('shows the button of a form below the beginning of its inputs', async () => {
    await tab.open(site, '/admin/people?account=eve', 'ada');
    const save = page.getByRole('button', { name: 'حفظ', exact: true });
    expect(await lineStart(save)).toBe(await lineStart(page.getByLabel('الاسم المعروض')));
  });

  test('moves a row of a tree with mirrored arrow keys', async () => {
    await page.setViewportSize({ width: 1440, height: 900 });
    await tab.open(site, '/admin/menus', 'ada');
    await page.getByRole('button', { name: 'نقل «B»' }).focus();
    await page.keyboard.press('Alt+ArrowRight');
    await page.getByText('«B» الآن 2 من 2 في المستوى الأعلى.').waitFor();
  });
});

async function middleOf(element: Locator): Promise<number> {
  await element.waitFor();
  return element.evaluate((node) => {
    const { left, right } = node.getBoundingClientRect();
    return (left + right) / 2;
  });
}

/** The right edge, at which lines begin. */
async function lineStart(element: Locator): Promise<number> {
  await element.waitFor();
  return element.evaluate((node) => node.getBoundingClientRect().right);
}

import { beforeAll, expect, it } from 'vitest';
import { siteLanguages } from '../../integration/core/content/languages.ts';
import { axeViolations } from './axe.ts';
import { describeInBrowser } from './chromium.ts';
import { useTab } from './tab.ts';
import { startWritableSite, type WritableSite } from './writable-site.ts';

const CONTENT = {
  'article/coast.md':
    '---\ntitle: Am Meer\nstatus: true\n---\nDer Küstenwind weht am Abend, wenn die Sonne hinter dem Leuchtturm steht.\n',
  'article/keeper.md': '---\ntitle: The lighthouse keeper\nstatus: true\n---\nHe counts ships.\n',
  'article/storm.md':
    '---\ntitle: After the storm\nstatus: false\n---\nThe keeper of the *lighthouse* is asleep.\n',
  'article/keeper.de.md': '---\ntitle: Der Leuchtturmwärter\nstatus: true\n---\nEr zählt Schiffe.\n',
  'tag/sea.md': '---\ntitle: Sea\n---\n',
};

describeInBrowser('finding content in the admin', async () => {
  const tab = await useTab();
  const { page } = tab;
  let site: WritableSite;

  beforeAll(async () => {
    const languages = siteLanguages({ defaultLocale: 'en', locales: ['en', 'de'] });
    site = await startWritableSite({ content: CONTENT, languages });
  });

  const titles = () => page.locator('tbody th a').allInnerTexts();
  const excerpt = (text: string) => page.locator('.excerpt', { hasText: text });

  it('finds parts of words without accents in lists, and shows where', async () => {
    await tab.open(site, '/admin/content', 'ada');
    await page.getByRole('searchbox', { name: 'Search' }).fill('kustenw');
    await page.getByText('1 entry', { exact: true }).waitFor();
    expect(await titles()).toEqual(['Am Meer']);
    await excerpt('Der Küstenwind weht am Abend').waitFor();
    expect(await page.locator('.excerpt mark').allInnerTexts()).toEqual(['Küstenwind']);
  });

  it('forgives a typo, and shows the better match first', async () => {
    await tab.open(site, '/admin/content?q=lighthuose', 'ada');
    await page.getByText('2 entries', { exact: true }).waitFor();
    expect(await titles()).toEqual(['The lighthouse keeper', 'After the storm']);
    await excerpt('The keeper of the lighthouse is asleep.').waitFor();
    expect(await page.locator('.excerpt').count()).toBe(1);
    await page.getByRole('searchbox', { name: 'Search' }).fill('');
    await page.getByText('4 entries', { exact: true }).waitFor();
    await page.locator('.excerpt').waitFor({ state: 'detached' });
  });

  it('finds words of texts and parts of titles in the command palette', async () => {
    await tab.open(site, '/admin', 'ada');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('abend');
    await page.getByRole('option', { name: /^Am Meer/ }).waitFor();
    await excerpt('weht am Abend').waitFor();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('ight');
    await page.getByRole('option', { name: /^The lighthouse keeper/ }).waitFor();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('?!');
    await page.getByText('Nothing matches “?!”.').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('finds translations in the command palette', async () => {
    await tab.open(site, '/admin', 'ada');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('zahlt');
    await page.getByRole('option', { name: /^Der Leuchtturmwärter/ }).waitFor();
    await excerpt('Er zählt Schiffe').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Der Leuchtturmwärter' }).waitFor();
  });

  it.each([
    [1440, 'light'],
    [390, 'dark'],
  ] as const)('has no problems for assistive technology at %i px, %s', async (width, colorScheme) => {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme });
    await tab.open(site, '/admin/content?q=keeper', 'ada');
    await excerpt('The keeper of the lighthouse').waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
    expect(await axeViolations(page)).toEqual([]);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('keeper');
    await page.locator('.palette .excerpt').waitFor();
    expect(await axeViolations(page)).toEqual([]);
  });
});

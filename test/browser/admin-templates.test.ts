import { beforeEach, expect, test } from 'vitest';
import { siteLanguages } from '../../integration/core/content/languages.ts';
import { axeViolations } from './axe.ts';
import { describeInBrowser } from './chromium.ts';
import { useTab } from './tab.ts';
import { startWritableSite, type WritableSite } from './writable-site.ts';

const CONTENT = {
  'article/moon.md':
    '---\ntitle: The moon\npath: /moon\nuid: eve\ncreated: 2020-01-01T00:00:00Z\nfield_author: jane\nfield_tags: [sky]\nfield_rating: 3\nfield_words: [late, round]\n---\nRises *late*.\n',
  'article/moon.de.md': '---\ntitle: Der Mond\n---\nSpät.\n',
  'person/jane.md': '---\ntitle: Jane Low\n---\n',
  'tag/sky.md': '---\ntitle: Sky\n---\n',
};

describeInBrowser('copies and templates in the admin', async () => {
  const tab = await useTab();
  const { page } = tab;
  let site: WritableSite;

  beforeEach(async () => {
    site = await startWritableSite({
      content: CONTENT,
      languages: siteLanguages({ defaultLocale: 'en', locales: ['en', 'de'] }),
      roles: { author: { permissions: [{ actions: ['create', 'view'], bundles: ['article'] }] } },
    });
  });

  async function open(address: string, name = 'ada'): Promise<void> {
    await tab.open(site, `/admin${address}`, name);
    await page.getByRole('heading', { level: 1 }).waitFor();
  }
  const field = (name: string) => page.getByRole('textbox', { name, exact: true });
  const menu = async (item: string) => {
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  const notice = (text: string) => page.locator('.notices').getByText(text).waitFor();

  test('duplicates an entry without its address, publication and translations', async () => {
    await open('/edit/node/article/moon');
    await menu('Duplicate');
    await page.getByText('This is an unsaved copy of “The moon”.', { exact: false }).waitFor();
    await page.getByText('Translations are not copied.', { exact: false }).waitFor();
    expect(await field('Title').inputValue()).toBe('The moon (copy)');
    expect(await field('Address').inputValue()).toBe('');
    expect(await axeViolations(page)).toEqual([]);
    // It is kept as unsent changes of its own.
    await page.reload();
    expect(await field('Title').inputValue()).toBe('The moon (copy)');
    await page.getByRole('button', { name: 'Save draft' }).click();
    await notice('“The moon (copy)” is saved.');
    expect(await site.read('article/the-moon-copy.md')).toMatch(
      /^---\ntitle: The moon \(copy\)\nstatus: false\ncreated: [\dTZ:-]+\nuid: ada\nfield_author: jane\nfield_rating: 3\nfield_tags: \[sky\]\nfield_words: \[late, round\]\n---\nRises \*late\*\.\n$/,
    );
    expect(await site.read('article/moon.md')).toBe(CONTENT['article/moon.md']);
  });

  test('duplicates the selected entry of a list', async () => {
    await open('/content?type=node--article');
    await page.getByRole('checkbox', { name: 'Select “The moon”' }).check();
    await page.getByRole('button', { name: 'Duplicate' }).click();
    await page.getByText('This is an unsaved copy of “The moon”.', { exact: false }).waitFor();
    await page.getByRole('button', { name: 'Discard them' }).click();
    expect(await field('Title').inputValue()).toBe('');
  });

  test('saves an entry as a template, with which new entries can begin', async () => {
    await open('/edit/node/article/moon');
    await menu('Save as template …');
    expect(await axeViolations(page)).toEqual([]);
    await field('Name of the template').fill('Night report');
    await page.keyboard.press('Enter');
    await notice('The template “Night report” is saved.');
    await menu('Save as template …');
    await field('Name of the template').fill('Night report');
    await page.keyboard.press('Enter');
    await page.getByText('There is a template with this name already.').waitFor();
    await page.keyboard.press('Escape');

    await open('/new/node/article');
    expect(await page.locator('main li').allInnerTexts()).toEqual(['Empty', 'Night report']);
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Night report', exact: true }).click();
    await page.getByText('This new entry has the values of the template “Night report”.').waitFor();
    expect(await field('Title').inputValue()).toBe('The moon');
    expect(await page.getByRole('spinbutton', { name: 'Rating' }).or(field('Rating')).inputValue()).toBe('3');
    await field('Title').fill('The new moon');
    await page.keyboard.press('Control+s');
    await notice('“The new moon” is saved.');
    expect(await site.read('article/the-new-moon.md')).toContain('field_tags: [sky]');
    expect(await site.read('article/the-new-moon.md')).not.toContain('path');

    await open('/new/node/article');
    await page.getByRole('button', { name: 'Empty' }).click();
    await field('Title').waitFor();
    expect(await field('Title').inputValue()).toBe('');
    await open('/new/node/tag');
    await field('Title').waitFor();
    await open('/new/node/article');
    await page.getByRole('button', { name: 'Delete the template “Night report”' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await notice('The template “Night report” is deleted.');
    await open('/new/node/article');
    await field('Title').waitFor();
  });

  test('lets accounts use templates that they may not change', async () => {
    const values = [{ name: 'By hand', attributes: { title: 'Hello' } }];
    await site.write('.templates/node--article.json', JSON.stringify(values));
    await site.addAccount('jo', ['author']);
    await open('/edit/node/article/moon', 'jo');
    await page.getByRole('button', { name: 'More actions' }).click();
    expect(await page.getByRole('menuitem').allInnerTexts()).toContain('Duplicate');
    expect(await page.getByRole('menuitem', { name: 'Save as template …' }).count()).toBe(0);
    await open('/new/node/article', 'jo');
    expect(await page.getByRole('button', { name: /Delete the template/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'By hand' }).click();
    await field('Title').waitFor();
    expect(await field('Title').inputValue()).toBe('Hello');
  });
});

import type { Page } from 'playwright-core';
import { beforeEach, expect, it } from 'vitest';
import { describeInBrowser } from './chromium.ts';
import { isPresence } from './page-checks.ts';
import { type Tab, useTab } from './tab.ts';
import { startWritableSite, type WritableSite } from './writable-site.ts';

/** More articles than a page has; every third is a draft. */
const COUNT = 120;
const MOODS = ['calm', 'rough'];
const CONTENT = Object.fromEntries([
  ...Array.from({ length: COUNT }, (_, index) => {
    const number = String(index + 1).padStart(3, '0');
    const lines = [
      `title: Article ${number}`,
      `status: ${index % 3 !== 0}`,
      `field_mood: ${MOODS[index % 2]}`,
      `field_author: ${index % 2 === 0 ? 'jane' : 'omar'}`,
      `field_tags: [${index % 4 === 0 ? 'sky' : 'sea'}]`,
      `created: ${2020 + (index % 5)}-03-04T00:00:00Z`,
    ];
    return [`article/a${number}.md`, `---\n${lines.join('\n')}\n---\nText number ${number}.\n`];
  }),
  ['person/jane.md', '---\ntitle: Jane Low\n---\n'],
  ['person/omar.md', '---\ntitle: Omar Reed\n---\n'],
  ['tag/sky.md', '---\ntitle: Sky\n---\n'],
  ['tag/sea.md', '---\ntitle: Sea\n---\n'],
]);

let site: WritableSite;
let tab: Tab;
let page: Page;

describeInBrowser('the content list of the admin', async () => {
  tab = await useTab();
  ({ page } = tab);
  beforeEach(async () => {
    site = await startWritableSite({ content: CONTENT });
  });

  async function open(query = '?type=node--article', name = 'ada'): Promise<void> {
    await tab.open(site, `/admin/content${query}`, name);
    await page.getByRole('table').waitFor();
  }

  const rows = () => page.locator('tbody tr');
  const count = (text: string) => page.getByText(text, { exact: true }).waitFor();

  it('filters with counts, searches and sorts, and its address shows the same again', async () => {
    await open();
    await count('120 entries');
    await page.getByRole('checkbox', { name: /^Draft/ }).check();
    await count('40 entries');
    await page.getByRole('checkbox', { name: /^Jane Low/ }).check();
    await count('20 entries');
    expect(await page.getByRole('checkbox', { name: /^rough/ }).count()).toBe(0);
    await page.getByRole('checkbox', { name: /^2022/ }).first().check();
    await count('4 entries');
    await page.getByRole('button', { name: 'Title' }).click();
    await expect.poll(() => rows().first().textContent()).toContain('Article 013');
    const before = await rows().allTextContents();
    await page.reload();
    await count('4 entries');
    await expect.poll(() => rows().allTextContents()).toEqual(before);
    await page.getByRole('button', { name: 'Clear all' }).click();
    await count('120 entries');
    await page.getByRole('searchbox').fill('042');
    await count('1 entry');
    expect(await rows().first().textContent()).toContain('Article 042');
  });

  it('publishes all matches in one request', async () => {
    await open('?type=node--article&f.status=false');
    await count('40 entries');
    const requests: string[] = [];
    page.on('request', (request) => {
      if (request.method() !== 'GET' && !isPresence(request)) requests.push(new URL(request.url()).pathname);
    });
    await page.getByRole('checkbox', { name: 'Select “Article 001”' }).check();
    await page.getByRole('button', { name: 'Select all 40' }).click();
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Publish' }).click();
    await page.getByText('40 entries changed.').waitFor();
    await page.getByText('Nothing matches.', { exact: false }).waitFor();
    expect(requests).toEqual(['/jsonapi/operations']);
    expect(await site.read('article/a001.md')).toBe(
      CONTENT['article/a001.md']?.replace('status: false', 'status: true'),
    );
  });

  it('adds a tag to the selected entries, and nothing else changes', async () => {
    await open();
    await page.getByRole('button', { name: 'Title' }).click();
    await page.getByRole('checkbox', { name: 'Select “Article 001”' }).check();
    await page.getByRole('checkbox', { name: 'Select “Article 003”' }).click({ modifiers: ['Shift'] });
    await page.getByText('3 selected').waitFor();
    await page.getByRole('button', { name: 'Set a field' }).click();
    await page.getByLabel('Field', { exact: true }).selectOption('field_tags');
    await page.getByRole('combobox', { name: 'Tags' }).fill('sea');
    await page.getByRole('option', { name: 'Sea' }).click();
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('alertdialog').getByRole('button').last().click();
    // The other two have the tag already.
    await page.getByText('1 entry changed.').waitFor();
    expect(await site.read('article/a001.md')).toBe(
      CONTENT['article/a001.md']?.replace('[sky]', '[sky, sea]'),
    );
    expect(await site.read('article/a002.md')).toBe(CONTENT['article/a002.md']);
  });

  it('changes nothing if one of the entries cannot be changed, and says why', async () => {
    await open();
    await page.getByRole('checkbox', { name: 'Select “Article 001”' }).check();
    await page.getByRole('checkbox', { name: 'Select “Article 002”' }).check();
    await page.getByRole('button', { name: 'Set a field' }).click();
    await page.getByLabel('Field', { exact: true }).selectOption('field_rating');
    await page.getByRole('dialog').getByLabel('Rating').fill('9');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('alertdialog').getByRole('button').last().click();
    await page.getByText(/^Nothing was changed: /).waitFor();
    expect(await site.read('article/a001.md')).toBe(CONTENT['article/a001.md']);
    await page.getByText('2 selected').waitFor();
  });

  it('offers no changes to an account that may only read', async () => {
    await open('?type=node--article', 'eve');
    await rows().first().waitFor();
    expect(await page.getByRole('checkbox', { name: /Select/ }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'New Article' }).count()).toBe(0);
  });

  it('offers the actions that the account may perform on all selected entries', async () => {
    const change = { except: ['status'] };
    const actions = ['view', 'update', 'delete'] as const;
    site = await startWritableSite({
      content: {
        'article/mine.md': '---\ntitle: Mine\nuid: jo\n---\n',
        'article/theirs.md': '---\ntitle: Theirs\nuid: al\n---\n',
      },
      roles: {
        author: { permissions: [{ actions, bundles: ['article'], where: 'own', fields: { change } }] },
      },
    });
    await site.addAccount('jo', ['author']);
    await open('?type=node--article', 'jo');
    const changes = page.getByRole('region', { name: /selected/ }).locator('.actions');
    await page.getByRole('checkbox', { name: 'Select “Mine”' }).check();
    await changes.getByRole('button').first().waitFor();
    expect(await changes.getByRole('button').allTextContents()).toEqual(['Set a field', 'Delete']);
    await page.getByRole('checkbox', { name: 'Select “Theirs”' }).check();
    await page.getByText('You may not change all of these entries.').waitFor();
    expect(await changes.getByRole('button').count()).toBe(0);
    await page.getByRole('checkbox', { name: 'Select “Theirs”' }).uncheck();
    await changes.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('1 entry deleted.').waitFor();
    expect(await site.read('article/mine.md')).toBe('');
  });

  it('chooses columns and keeps views', async () => {
    await open();
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('checkbox', { name: 'Rating' }).check();
    await page.getByRole('columnheader', { name: 'Rating' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Saved views' }).click();
    await page.getByLabel('Name of the view').fill('Ratings');
    await page.getByRole('button', { name: 'Save view' }).click();
    await page.goto(`${site.origin}/admin/content`);
    await page.getByRole('button', { name: 'Saved views' }).click();
    await page.getByRole('link', { name: 'Ratings' }).click();
    await page.getByRole('columnheader', { name: 'Rating' }).waitFor();
  });
});

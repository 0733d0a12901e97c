import { expect, test } from 'vitest';
import { axeViolations } from './axe.ts';
import { describeInBrowser } from './chromium.ts';
import { useTab } from './tab.ts';
import { startWritableSite } from './writable-site.ts';

describeInBrowser('a type with one entry', async () => {
  const tab = await useTab();
  const { page } = tab;

  test('leads from the navigation to its form, without a list, a copy and a deletion', async () => {
    const content = {
      'settings/site.yaml': 'title: The shore\n',
      'article/moon.md': '---\ntitle: The moon\n---\n',
    };
    const texts = page.getByText('Text', { exact: true });
    const site = await startWritableSite({ content, single: ['settings'] });
    await tab.open(site, '/admin', 'ada');
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await page.getByRole('list', { name: 'New' }).getByText('Settings').count()).toBe(0);
    await page.getByRole('link', { name: 'Settings' }).first().click();
    await page.waitForURL(/\/admin\/edit\/node\/settings\/site$/);
    const title = page.getByRole('textbox', { name: 'Title' });
    expect(await title.inputValue()).toBe('The shore');
    // The file has no place for a text.
    expect(await texts.count()).toBe(0);
    expect(await page.locator('.form header').getByRole('link', { name: 'Settings' }).count()).toBe(0);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Search and sharing' }).waitFor();
    expect(await page.getByRole('menuitem', { name: /Delete|Duplicate|template/ }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'hidden' });
    expect(await axeViolations(page)).toEqual([]);
    await title.fill('The wide shore');
    await page.keyboard.press('Control+s');
    await page.getByText('“The wide shore” is saved.').waitFor();
    expect(await site.read('settings/site.yaml')).toBe('title: The wide shore\n');
    await page.goto(`${site.origin}/admin/edit/node/article/moon`);
    await texts.first().waitFor();
  });
});

import type { Page } from 'playwright-core';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { siteLanguages } from '../../integration/core/content/languages.ts';
import { defineSchema, reference, z } from '../../integration/schema.ts';
import { axeViolations } from './axe.ts';
import { describeInBrowser } from './chromium.ts';
import { isPresence } from './page-checks.ts';
import { type Tab, useTab } from './tab.ts';
import { startWritableSite, type WritableSite } from './writable-site.ts';

const CONTENT = {
  'article/moon.md': '---\ntitle: The moon\nfield_tags: [land, sea, sky]\n---\nRises *late*.\n',
  'article/moon.de.md': '---\ntitle: Der Mond\nfield_tags: [sea]\n---\nGeht spät auf.\n',
  'article/tide.md': '---\ntitle: The tide\nfield_main: sea\nfield_mood: calm\n---\nComes in.\n',
  'article/eel.md': '---\ntitle: The eel\nfield_mood: rough\n---\nSwims.\n',
  'note/ebb.md': '---\ntitle: Ebb\nfield_topic: sky\n---\n',
  'tag/sea.md': '---\ntitle: Sea\n---\n',
  'tag/sea.de.md': '---\ntitle: Meer\n---\n',
  'tag/sky.md': '---\ntitle: Sky\n---\n',
  'tag/land.md': '---\ntitle: Land\n---\n',
};
const SCHEMA = defineSchema({
  article: {
    field_main: reference('tag').nullish(),
    field_mood: z.enum(['calm', 'rough']).nullish(),
    field_tags: z.array(reference('tag')).default([]),
  },
  note: { field_topic: reference('tag') },
  tag: {},
});
const LANGUAGES = siteLanguages({ locales: ['en', 'de'], defaultLocale: 'en' });

let site: WritableSite;
let tab: Tab;
let page: Page;
/** Clicks on the page since the last address was opened. */
let clicks = 0;

describeInBrowser('deleting and restoring in the admin', async () => {
  tab = await useTab();
  ({ page } = tab);
  beforeAll(async () => {
    await page.exposeFunction('countClick', () => clicks++);
    await page.addInitScript(() =>
      // A key on a button is a click without a count.
      addEventListener('click', ({ detail }) => detail > 0 && Reflect.get(window, 'countClick')(), true),
    );
  });
  beforeEach(async () => {
    site = await startWritableSite({ content: CONTENT, schema: SCHEMA, languages: LANGUAGES });
  });

  async function open(address: string, name = 'ada'): Promise<void> {
    await tab.open(site, `/admin${address}`, name);
    await page.getByRole('heading', { level: 1 }).waitFor();
    clicks = 0;
  }

  const dialog = () => page.getByRole('alertdialog');
  const deleteButton = () => dialog().getByRole('button', { name: 'Delete', exact: true });

  async function askToDelete(address: string): Promise<void> {
    await open(address);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete …' }).click();
    await dialog().waitFor();
  }

  /** Chooses an item of the command palette, which is loaded when it opens. */
  async function command(typed: string): Promise<void> {
    await page.keyboard.press('Control+k');
    await page.locator('.palette input:focus').waitFor();
    await page.keyboard.type(typed);
    await page.locator('.palette-item[data-selected]', { hasText: typed }).waitFor();
    await page.keyboard.press('Enter');
  }

  async function present(): Promise<Readonly<Record<string, string>>> {
    const texts = Object.keys(CONTENT).map(async (key) => [key, await site.read(key)] as const);
    return Object.fromEntries(await Promise.all(texts));
  }

  it('deletes an entry with its translation and the references to it in three clicks', async () => {
    await askToDelete('/edit/node/tag/sea');
    await dialog().getByRole('heading', { name: '3 entries refer to it' }).waitFor();
    await dialog().getByText('The translation is deleted too: German.').waitFor();
    expect(await dialog().getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringMatching(/^The moon\s+Article · Tags$/),
      expect.stringMatching(/^The tide\s+Article · Main$/),
      expect.stringMatching(/^Der Mond\s+Article · German · Tags$/),
    ]);
    const link = dialog().getByRole('link', { name: 'Der Mond' });
    expect(await link.getAttribute('href')).toBe('/admin/edit/node/article/moon?lang=de');
    expect(await axeViolations(page)).toEqual([]);
    const requests: string[] = [];
    page.on('request', (request) => {
      const isChange = !['GET', 'OPTIONS'].includes(request.method()) && !isPresence(request);
      if (isChange) requests.push(`${request.method()} ${new URL(request.url()).pathname}`);
    });
    await deleteButton().click();
    await page.getByText('“Sea” is deleted.').waitFor();
    expect(clicks).toBe(3);
    expect(requests).toEqual(['POST /jsonapi/operations']);
    expect(await present()).toEqual({
      ...CONTENT,
      'article/moon.md': CONTENT['article/moon.md'].replace('[land, sea, sky]', '[land, sky]'),
      'article/moon.de.md': CONTENT['article/moon.de.md'].replace(/field_tags.*\n/, ''),
      'article/tide.md': CONTENT['article/tide.md'].replace(/field_main.*\n/, ''),
      'tag/sea.md': '',
      'tag/sea.de.md': '',
    });
  });

  it('undoes a deletion with one click', async () => {
    await askToDelete('/edit/node/tag/sea');
    await deleteButton().click();
    await page.getByText('“Sea” is deleted.').waitFor();
    clicks = 0;
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('1 entry restored.').waitFor();
    await page.getByRole('heading', { level: 1, name: 'Sea' }).waitFor();
    expect(clicks).toBe(1);
    const { 'article/moon.de.md': german, 'article/tide.md': tide, ...others } = await present();
    expect(others).toEqual(Object.fromEntries(Object.entries(CONTENT).filter(([key]) => key in others)));
    expect([german, tide]).toEqual([
      expect.stringContaining('field_tags: [sea]'),
      expect.stringContaining('field_main: sea'),
    ]);
  });

  it('points the references to another entry', async () => {
    await askToDelete('/edit/node/tag/sea');
    await dialog().getByRole('radio', { name: 'Point them to …' }).check();
    expect(await deleteButton().isDisabled()).toBe(true);
    await dialog().getByRole('combobox').fill('sk');
    await page.getByRole('option', { name: 'Sky' }).click();
    await dialog().getByText('Sky', { exact: true }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await deleteButton().click();
    await page.getByText('“Sea” is deleted.').waitFor();
    const files = await present();
    expect(files['article/moon.md']).toContain('field_tags: [land, sky]');
    expect(files['article/moon.de.md']).toContain('field_tags: [sky]');
    expect(files['article/tide.md']).toContain('field_main: sky');
  });

  it('says which reference is required, in the language of the user, and deletes nothing', async () => {
    await open('/edit/node/tag/sky');
    await page.evaluate(() => localStorage.setItem('astro-jsonapi:language', 'de'));
    await page.reload();
    await page.getByRole('button', { name: 'Weitere Aktionen' }).click();
    await page.getByRole('menuitem', { name: 'Löschen …' }).click();
    await dialog().getByRole('button', { name: 'Löschen', exact: true }).click();
    await dialog().getByText('„Ebb“ braucht einen Wert im Feld Topic.').waitFor();
    await page.evaluate(() => localStorage.removeItem('astro-jsonapi:language'));
    expect(await present()).toEqual(CONTENT);
  });

  it('restores an entry from the bin with one click, and shows its file before', async () => {
    await askToDelete('/edit/node/tag/sea');
    await deleteButton().click();
    await page.getByText('“Sea” is deleted.').waitFor();
    await open('');
    await page.getByRole('link', { name: 'Bin', exact: true }).click();
    const row = page.getByRole('row', { name: /Sea/ });
    await row.waitFor();
    expect(await row.innerText()).toMatch(/With its translations: German · 3 references\s+Tag\s+ada, /);
    expect(await axeViolations(page)).toEqual([]);
    await row.getByRole('link', { name: 'Sea' }).click();
    await page.getByRole('dialog').getByText('title: Sea').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    clicks = 0;
    await row.getByRole('button', { name: 'Restore: Sea' }).click();
    await page.getByText('1 entry restored.').waitFor();
    await page.getByText('The bin is empty.').waitFor();
    expect(clicks).toBe(1);
    expect(await axeViolations(page)).toEqual([]);
    expect(await site.read('tag/sea.de.md')).toBe(CONTENT['tag/sea.de.md']);
  });

  it('restores several entries at once, and deletes one for good only after asking', async () => {
    await open('/content?type=node--article');
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await page.getByRole('button', { name: 'Delete' }).click();
    await dialog().getByText('The translation is deleted too: German.').waitFor();
    await deleteButton().click();
    await page.getByText('3 entries deleted.').waitFor();
    expect(await site.read('article/moon.de.md')).toBe('');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('3 entries restored.').waitFor();
    await page.getByRole('link', { name: 'The eel' }).waitFor();
    expect(await present()).toEqual(CONTENT);

    await page.getByRole('checkbox', { name: 'Select “The tide”' }).check();
    await page.getByRole('checkbox', { name: 'Select “The eel”' }).check();
    await page.getByRole('button', { name: 'Delete' }).click();
    await deleteButton().click();
    await page.getByText('2 entries deleted.').waitFor();
    await page.getByRole('link', { name: 'Bin', exact: true }).click();
    await page.getByRole('button', { name: 'Delete for good: The eel' }).click();
    expect(await axeViolations(page)).toEqual([]);
    await dialog().getByRole('button', { name: 'Delete for good' }).click();
    await page.getByText('“The eel” is deleted for good.').waitFor();
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await page.getByRole('button', { name: 'Restore selected' }).click();
    await page.getByText('1 entry restored.').waitFor();
    expect(await present()).toEqual({ ...CONTENT, 'article/eel.md': '' });
  });

  it('shows the references to several entries, and removes them in the same request', async () => {
    await open('/content?type=node--tag');
    await page.getByRole('checkbox', { name: 'Select “Sea”' }).check();
    await page.getByRole('checkbox', { name: 'Select “Land”' }).check();
    await page.getByRole('button', { name: 'Delete' }).click();
    await dialog().getByRole('heading', { name: 'Delete 2 entries?' }).waitFor();
    await dialog().getByText('They go to the bin, where you can restore them.', { exact: false }).waitFor();
    await dialog().getByRole('heading', { name: '3 other entries refer to them' }).waitFor();
    expect(await dialog().getByRole('radio', { name: 'Remove the references too' }).isChecked()).toBe(true);
    expect(await dialog().getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringMatching(/^The moon\s+Article · Tags$/),
      expect.stringMatching(/^The tide\s+Article · Main$/),
      expect.stringMatching(/^Der Mond\s+Article · German · Tags$/),
    ]);
    expect(await axeViolations(page)).toEqual([]);
    const requests: string[] = [];
    page.on('request', (request) => {
      if (!['GET', 'OPTIONS'].includes(request.method()) && !isPresence(request))
        requests.push(new URL(request.url()).pathname);
    });
    await deleteButton().click();
    await page.getByText('2 entries deleted.').waitFor();
    expect(requests).toEqual(['/jsonapi/operations']);
    expect(await site.read('article/moon.md')).toContain('field_tags: [sky]');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('2 entries restored.').waitFor();
    expect(await site.read('article/moon.md')).toBe(CONTENT['article/moon.md']);
  });

  it('deletes none of several entries if one is required, and names the field that needs it', async () => {
    await open('/content?type=node--tag');
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await page.getByRole('button', { name: 'Delete' }).click();
    await deleteButton().click();
    await dialog().getByText('“Ebb” needs a value in the field Topic.', { exact: false }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    expect(await present()).toEqual(CONTENT);
  });

  it('changes the source of entries that the list shows in another language', async () => {
    await site.write('article/wind.md', '---\ntitle: Wind\nlangcode: en\ntranslationOf: sturm\n---\n');
    await site.write('article/sturm.md', '---\ntitle: Sturm\nlangcode: de\n---\n');
    const content = Object.fromEntries(
      await Promise.all(
        [...Object.keys(CONTENT), 'article/wind.md', 'article/sturm.md'].map(
          async (key) => [key, await site.read(key)] as const,
        ),
      ),
    );
    site = await startWritableSite({ content, schema: SCHEMA, languages: LANGUAGES });
    await open('/content?type=node--article');
    await page.getByRole('checkbox', { name: 'Select “Wind”' }).check();
    await page.getByRole('button', { name: 'Unpublish' }).click();
    await dialog().getByRole('button', { name: 'Unpublish' }).click();
    await page.getByText('1 entry changed.').waitFor();
    expect(await site.read('article/sturm.md')).toContain('status: false');
    expect(await site.read('article/wind.md')).not.toContain('status');
  });

  it('does not name the bin on a site without one', async () => {
    site = await startWritableSite({ content: CONTENT, schema: SCHEMA, languages: LANGUAGES, bin: false });
    await askToDelete('/edit/node/article/eel');
    await dialog().getByText('The entry and its file are removed. You cannot undo this here.').waitFor();
    expect(await dialog().innerText()).not.toMatch(/bin/i);
    expect(await page.getByRole('link', { name: 'Bin', exact: true }).count()).toBe(0);
    await deleteButton().click();
    await page.getByText('“The eel” is deleted.').waitFor();
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('bin');
    await page.getByText('Nothing matches “bin”.').waitFor();
  });

  it('names the entry that has taken the address of a deleted entry', async () => {
    await site.write('tag/sky.md', '---\ntitle: Sky\npath: /sky\n---\n');
    const content = { ...CONTENT, 'tag/land.md': '---\ntitle: Land\npath: /land\n---\n' };
    site = await startWritableSite({ content, schema: SCHEMA, languages: LANGUAGES });
    await askToDelete('/edit/node/tag/land');
    await deleteButton().click();
    await page.getByText('“Land” is deleted.').waitFor();
    await open('/edit/node/tag/sky');
    await page.getByRole('textbox', { name: 'Address' }).fill('/land');
    await page.keyboard.press('Control+s');
    await page.getByText('“Sky” is saved.').waitFor();
    await open('/bin');
    await page.getByRole('button', { name: 'Restore: Land' }).click();
    await page
      .locator('.notices')
      .getByText('“Sky” has the address /land already.', { exact: false })
      .waitFor();
    await page.getByRole('link', { name: 'Land' }).click();
    await page
      .getByRole('dialog')
      .getByText('“Sky” has the address /land already.', { exact: false })
      .waitFor();
    await page.keyboard.press('Escape');
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.locator('header.top').innerText()).toBe('Bin');
  });

  it('undoes a bulk change with one click, except in entries that have changed since', async () => {
    await open('/content?type=node--article');
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await page.getByRole('button', { name: 'Set a field' }).click();
    await page.getByLabel('Field', { exact: true }).selectOption('field_mood');
    await page.getByLabel('Mood').last().selectOption('calm');
    await page.getByRole('button', { name: 'Apply' }).click();
    await dialog().getByRole('button').last().click();
    await page.getByText('2 entries changed.').waitFor();
    expect(await site.read('article/eel.md')).toContain('field_mood: calm');
    const touched = `${CONTENT['article/eel.md']}More.\n`.replace('rough', 'calm');
    const status = await page.evaluate(async () => {
      const attributes = { body: 'Swims.\nMore.' };
      const response = await fetch('/jsonapi/node/article/eel', {
        method: 'PATCH',
        headers: { 'content-type': 'application/vnd.api+json' },
        body: JSON.stringify({ data: { type: 'node--article', id: 'eel', attributes } }),
      });
      return response.status;
    });
    expect(status).toBe(200);
    clicks = 0;
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText(/^The change of 1 entry is undone\..*since: 1\.$/).waitFor();
    expect(clicks).toBe(1);
    expect(await present()).toEqual({ ...CONTENT, 'article/eel.md': touched });
  });

  it('says at the address of a deleted entry and in its history that it is in the bin', async () => {
    await askToDelete('/edit/node/article/eel');
    await deleteButton().click();
    await page.getByText('“The eel” is deleted.').waitFor();
    await open('/history/node/article/eel');
    await page.getByText(/^“The eel” is in the bin\. ada deleted it: /).waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('link', { name: 'Show it in the bin' }).click();
    await page.getByRole('dialog').getByText('title: The eel').waitFor();
    await open('/edit/node/article/eel');
    await page.getByText(/^“The eel” is in the bin\. ada deleted it: /).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Restore' }).click();
    await page.getByRole('heading', { level: 1, name: 'The eel' }).waitFor();
    expect(await site.read('article/eel.md')).toBe(CONTENT['article/eel.md']);
  });

  it('deletes, undoes and restores with the keyboard alone', async () => {
    await open('/edit/node/article/tide');
    await command('Delete');
    await deleteButton().waitFor();
    await expect.poll(() => deleteButton().isEnabled()).toBe(true);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('“The tide” is deleted.').waitFor();
    await command('Undo');
    await page.getByRole('heading', { level: 1, name: 'The tide' }).waitFor();
    expect(await site.read('article/tide.md')).toBe(CONTENT['article/tide.md']);
    expect(clicks).toBe(0);
  });

  it('offers the bin only to accounts that may delete something', async () => {
    await open('', 'eve');
    await page.getByRole('link', { name: 'Content', exact: true }).first().waitFor();
    expect(await page.getByRole('link', { name: 'Bin', exact: true }).count()).toBe(0);
  });
});

import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { siteLanguages } from '../../integration/core/content/languages.ts';
import { defineSchema, reference, z } from '../../integration/schema.ts';
import { eventually } from '../support/eventually.ts';
import { axeViolations } from './axe.ts';
import { describeInBrowser } from './chromium.ts';
import { openTab, type Tab, useTab } from './tab.ts';
import { startWritableSite, type WritableSite } from './writable-site.ts';

const CONTENT = {
  'article/moon.md': '---\ntitle: The moon\nfield_height: 2\nfield_zone: north\n---\nRises *late*.\n',
  'tag/sea.md': '---\ntitle: Sea\n---\n',
};
const SCHEMA = defineSchema({
  article: {
    field_height: z.number(),
    field_zone: z.enum(['north', 'south']),
    field_tags: z.array(reference('tag')).default([]),
  },
  tag: {},
});
const TIDES = ['Rises first.', 'One', 'Two', 'Three', 'Four', 'Sets last.'].join('\n\n');
const DRAFT = '.drafts/node--article/two-bulges.md';
const FAULTY = '---\n# Ask Ada\ntitle: The moon\nfield_height: tall\nfield_zone: west\n---\nRises *late*.\n';

let site: WritableSite;
let tab: Tab;
let page: Page;

describeInBrowser('entries that do not pass the schema, in the admin', async () => {
  tab = await useTab();
  ({ page } = tab);
  beforeEach(async () => {
    site = await startWritableSite({
      content: CONTENT,
      schema: SCHEMA,
      roles: {
        author: {
          permissions: [
            { actions: ['view'], bundles: '*', where: 'published' },
            { actions: ['view', 'create', 'update'], bundles: ['article'], where: 'own' },
          ],
        },
        colleague: { permissions: [{ actions: ['view', 'create', 'update'], bundles: ['article', 'tag'] }] },
      },
    });
    await site.addAccount('carl', ['colleague']);
    await site.addAccount('anna', ['author']);
  });

  async function open(address: string, name = 'ada'): Promise<void> {
    await tab.open(site, `/admin${address}`, name);
    await page.getByRole('heading', { level: 1 }).waitFor();
  }

  const input = (name: string) => page.locator(`#field-${name}`);
  const button = (name: string) => page.getByRole('button', { name, exact: true });

  /** Types a title and saves a draft with the keyboard. */
  async function saveDraft(): Promise<void> {
    await open('/new/node/article');
    await input('title').fill('Two bulges');
    await page.keyboard.press('Control+s');
    await page.getByText('Draft saved. Before publishing: Height, Zone.').waitFor();
  }

  /** Writes errors into a file, as an author in a text editor does, and lets the server notice. */
  async function breakFile(text: string, key = 'article/moon.md'): Promise<void> {
    await site.write(key, text);
    await open('/edit/node/article/moon');
    await input('title').fill('The moon, again');
    await button('Save').click();
    await page.getByText('The file of').first().waitFor();
    await input('title').fill('The moon');
    await page.getByText('Unsaved changes').waitFor({ state: 'detached' });
  }

  it('saves a draft with a title only, which has an address of its own', async () => {
    await saveDraft();
    expect(new URL(page.url()).pathname).toBe('/admin/draft/node/article/two-bulges');
    expect(await site.read(DRAFT)).toBe('---\ntitle: Two bulges\nstatus: false\nuid: ada\n---\n');
    expect(await site.read('article/two-bulges.md')).toBe('');
    await page.getByText('Incomplete', { exact: true }).waitFor();
    await page.getByText('Needed before publishing:').waitFor();
    expect(await axeViolations(page)).toEqual([]);

    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Two bulges' }).waitFor();
    await input('field_height').fill('3');
    await page.keyboard.press('Control+s');
    await page.getByText('Draft saved. Before publishing: Zone.').waitFor();
    expect(await site.read(DRAFT)).toContain('field_height: 3\n');
  });

  const MOON = CONTENT['article/moon.md'];
  const CHANGES = '.drafts/node--article/moon.md';

  /** Clears a required field of a stored entry and saves with the keyboard. */
  async function clearHeight(): Promise<void> {
    await open('/edit/node/article/moon');
    await input('field_height').fill('');
    await page.keyboard.press('Control+s');
    await page
      .getByText('Changes saved. The entry stays as it was until these fields are right: Height.')
      .waitFor();
  }

  async function look(name: string): Promise<void> {
    for (const [width, colorScheme] of [
      [390, 'dark'],
      [1440, 'light'],
    ] as const) {
      await page.setViewportSize({ width, height: 860 });
      await page.emulateMedia({ colorScheme });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      expect(await axeViolations(page)).toEqual([]);
      const folder = process.env.SCREENSHOTS;
      if (folder !== undefined) await page.screenshot({ path: `${folder}/unfinished-${name}-${width}.png` });
    }
  }

  it('keeps changes of an entry that are not finished beside it, until they are', async () => {
    await clearHeight();
    expect(new URL(page.url()).pathname).toBe('/admin/draft/node/article/moon');
    expect(await site.read('article/moon.md')).toBe(MOON);
    expect(await site.read(CHANGES)).toBe(MOON.replace('field_height: 2\n', ''));
    await page.getByText('Unfinished changes', { exact: true }).waitFor();
    await page.getByText('visitors see the entry as it was').waitFor();
    await look('form');

    // The list has the entry once, and every way to it opens the changes.
    await open('/content?type=node--article');
    const row = page.getByRole('row').filter({ hasText: 'The moon' });
    await row.getByText('Unfinished changes').waitFor();
    await look('list');
    expect(await page.getByRole('link', { name: 'The moon' }).count()).toBe(1);
    await row.getByRole('link').click();
    await eventually(() => expect(new URL(page.url()).pathname).toBe('/admin/draft/node/article/moon'));
    await eventually(async () => expect(await input('field_height').inputValue()).toBe(''));

    await input('field_height').fill('3');
    await page.keyboard.press('Control+s');
    await page.getByText('“The moon” is saved.').waitFor();
    await eventually(() => expect(new URL(page.url()).pathname).toBe('/admin/edit/node/article/moon'));
    expect(await site.read('article/moon.md')).toBe(MOON.replace('height: 2', 'height: 3'));
    expect(await site.read(CHANGES)).toBe('');
    expect(await page.getByText('Unfinished changes', { exact: true }).count()).toBe(0);
  });

  it('discards unfinished changes and returns to the entry', async () => {
    await clearHeight();
    await button('Discard the changes').click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Discard the changes' }).click();
    await page.getByText('The changes of “The moon” are discarded.').waitFor();
    await eventually(() => expect(new URL(page.url()).pathname).toBe('/admin/edit/node/article/moon'));
    await eventually(async () => expect(await input('field_height').inputValue()).toBe('2'));
    expect(await site.read('article/moon.md')).toBe(MOON);
    expect(await site.read(CHANGES)).toBe('');
  });

  describe('whose entry is deleted', () => {
    const DELETED = page.getByText('The entry of these changes was deleted.', { exact: false });

    /** Another person revises the entry, takes it down and deletes it, while the form of the changes is open. */
    async function removeEntry(): Promise<void> {
      const status = await page.evaluate(async () => {
        const csrf = (await (await fetch('/jsonapi/_me')).json()).data.attributes.csrf;
        const headers = { 'content-type': 'application/vnd.api+json', 'x-csrf-token': csrf };
        const attributes = { status: false, body: { value: 'Revised.' } };
        const body = JSON.stringify({ data: { type: 'node--article', id: 'moon', attributes } });
        await fetch('/jsonapi/node/article/moon', { method: 'PATCH', headers, body });
        return (await fetch('/jsonapi/node/article/moon', { method: 'DELETE', headers })).status;
      });
      expect(status).toBe(204);
    }

    /** Completes the changes in a form that was open before the deletion. */
    async function completeDeleted(): Promise<void> {
      await clearHeight();
      await removeEntry();
      await input('field_height').fill('3');
      await page.keyboard.press('Control+s');
      await page.getByText('Draft saved.', { exact: true }).waitFor();
      await DELETED.waitFor();
      expect(await site.read('article/moon.md')).toBe('');
      expect(await site.read(CHANGES)).toContain('field_height: 3\n');
    }

    it('stay a draft that says so, and become a new entry after a decision', async () => {
      await completeDeleted();
      await button('Restore').waitFor();
      await look('deleted');
      await page.setViewportSize({ width: 1280, height: 900 });
      expect(await button('Publish').count()).toBe(0);
      expect(await page.getByText('Someone else changed').count()).toBe(0);
      await page.keyboard.press('Control+Enter');
      await page.getByText('Nothing has changed, so nothing was saved.').waitFor();
      await open('/');
      const row = page.getByRole('listitem').filter({ hasText: 'The moon' });
      await row.getByText('The entry of these changes was deleted.', { exact: false }).waitFor();
      await row.getByRole('link').click();
      await button('Create a new entry').focus();
      await page.keyboard.press('Enter');
      await page.getByText('“The moon” is saved.').waitFor();
      const text = await site.read('article/moon.md');
      expect([text.includes('status: false\n'), text.includes('field_height: 3\n')]).toEqual([true, true]);
      expect(await site.read(CHANGES)).toBe('');
    });

    it('continue once it is restored', async () => {
      await completeDeleted();
      await button('Restore').click();
      await page.getByText('visitors see the entry as it was').waitFor();
      await DELETED.waitFor({ state: 'detached' });
      await input('title').fill('The full moon');
      await page.keyboard.press('Control+s');
      await page.getByText('“The full moon” is saved.').waitFor();
      const text = await site.read('article/moon.md');
      for (const part of ['title: The full moon', 'status: false', 'field_height: 3', 'Revised.']) {
        expect(text).toContain(part);
      }
    });
  });

  it('merges the changes of two tabs into one draft', async () => {
    await open('/edit/node/article/moon');
    const other = await page.context().newPage();
    await other.goto(`${site.origin}/admin/edit/node/article/moon`);
    await other.locator('#field-title').fill('The full moon');
    await clearHeight();
    await other.locator('#field-field_zone').selectOption({ label: 'south' });
    await other.locator('#field-field_height').fill('');
    await other.keyboard.press('Control+s');
    await other.getByText('Changes saved.').waitFor();
    expect(await site.read('article/moon.md')).toBe(MOON);
    expect(await site.read(CHANGES)).toBe(
      '---\ntitle: The full moon\nfield_zone: south\n---\nRises *late*.\n',
    );
    await other.close();
  });

  it('asks which version is right if the entry has changed meanwhile', async () => {
    await open('/edit/node/article/moon');
    await input('field_height').fill('');
    await input('title').fill('The full moon');
    await page.keyboard.press('Control+s');
    await page.getByText('Changes saved.').waitFor();
    await site.write('article/moon.md', MOON.replace('The moon', 'The new moon').replace('late', 'early'));
    await open('/edit/node/article/moon');
    await page.getByText('The new moon').first().waitFor();
    await page.getByRole('alert').getByText('Title').waitFor();
    await look('conflict');
    await page.locator('.conflict').getByRole('button').first().click();
    await input('field_height').fill('5');
    await page.keyboard.press('Control+s');
    await page.getByText('is saved.').first().waitFor();
    expect(await site.read('article/moon.md')).toContain('Rises *early*.');
    expect(await site.read('article/moon.md')).toContain('field_height: 5');
    expect(await site.read(CHANGES)).toBe('');
  });

  describe('of two people', () => {
    /** Ada and Carl have the form of the same entry open. */
    async function openBoth(): Promise<Tab> {
      const carl = await openTab(tab.browser);
      await carl.open(site, '/admin/edit/node/article/moon', 'carl');
      await open('/edit/node/article/moon');
      return carl;
    }

    async function save(person: Page, message: string): Promise<void> {
      await person.keyboard.press('Control+s');
      await person.getByText(message).first().waitFor();
    }

    it.each([
      ['mine', 'The full moon', 'Keep mine'],
      ['theirs', 'The new moon', 'Take theirs'],
    ])('keeps both versions until an editor chooses %s', async (_, title, decision) => {
      const { page: other } = await openBoth();
      await input('field_height').fill('');
      await input('title').fill('The full moon');
      await save(page, 'Changes saved.');
      // Carl has not seen these changes, and his are complete.
      await other.locator('#field-title').fill('The new moon');
      await save(other, 'is saved.');
      await other.context().close();

      // A change of another field decides nothing about the title.
      await page.reload();
      await page.locator('.conflict').getByText('The new moon').waitFor();
      await input('field_zone').selectOption({ label: 'south' });
      await page.keyboard.press('Control+s');
      await page.reload();
      await page.locator('.conflict').getByText('The new moon').waitFor();
      expect(await site.read('article/moon.md')).toContain('The new moon');
      expect(await site.read(CHANGES)).toContain('The full moon');

      await button(decision).click();
      await input('field_height').fill('3');
      await save(page, 'is saved.');
      expect(await site.read('article/moon.md')).toBe(
        `---\ntitle: ${title}\nfield_height: 3\nfield_zone: south\n---\nRises *late*.\n`,
      );
      expect(await site.read(CHANGES)).toBe('');
    });

    it('merges other fields and other lines without a question', async () => {
      await site.write('article/moon.md', MOON.replace('Rises *late*.', TIDES));
      const { page: other } = await openBoth();
      await input('field_height').fill('');
      await save(page, 'Changes saved.');
      await site.write(CHANGES, (await site.read(CHANGES)).replace('Rises first.', 'Rises at noon.'));
      await other.locator('#field-title').fill('The new moon');
      await save(other, 'is saved.');
      await other.context().close();
      const present = await site.read('article/moon.md');
      await site.write('article/moon.md', present.replace('Sets last.', 'Sets at night.'));

      await page.reload();
      await page.getByText('visitors see the entry as it was').waitFor();
      await eventually(async () => expect(await input('title').inputValue()).toBe('The new moon'));
      expect(await page.locator('.conflict').count()).toBe(0);
      await input('field_height').fill('3');
      await save(page, 'is saved.');
      expect(await site.read('article/moon.md')).toBe(
        `---\ntitle: The new moon\nfield_height: 3\nfield_zone: north\n---\n${TIDES.replace('first', 'at noon').replace('last', 'at night')}\n`,
      );
    });

    it('asks the second editor if both change the same field', async () => {
      const { page: other } = await openBoth();
      await other.locator('#field-title').fill('The new moon');
      await save(other, 'is saved.');
      await other.context().close();
      await input('field_height').fill('');
      await input('title').fill('The full moon');
      await page.keyboard.press('Control+s');
      await page.locator('.conflict').getByText('The new moon').waitFor();
      expect(await site.read(CHANGES)).toBe('');
      await button('Take theirs').click();
      await save(page, 'Changes saved.');
      await input('field_height').fill('3');
      await save(page, 'is saved.');
      expect(await site.read('article/moon.md')).toBe(
        '---\ntitle: The new moon\nfield_height: 3\nfield_zone: north\n---\nRises *late*.\n',
      );
    });
  });

  it('publishes a draft when nothing is missing, and moves its address', async () => {
    await saveDraft();
    await button('Publish').click();
    await page.getByRole('alert').getByRole('button', { name: 'Zone' }).waitFor();
    expect(await site.read('article/two-bulges.md')).toBe('');
    await input('field_height').fill('3');
    await input('field_zone').selectOption({ label: 'south' });
    await button('Publish').click();
    await page.getByText('“Two bulges” is published.').waitFor();
    await eventually(() => expect(new URL(page.url()).pathname).toBe('/admin/edit/node/article/two-bulges'));
    expect(await site.read(DRAFT)).toBe('');
    expect(await site.read('article/two-bulges.md')).toContain('field_zone: south\n');
    // The former address leads to the entry.
    await page.goto(`${site.origin}/admin/draft/node/article/two-bulges`);
    await page.getByText('Published', { exact: true }).first().waitFor();
    await eventually(() => expect(new URL(page.url()).pathname).toBe('/admin/edit/node/article/two-bulges'));
  });

  it('is listed with its missing fields for colleagues, and hidden from other accounts', async () => {
    await saveDraft();
    for (const address of ['/', '/content', '/content?type=node--article']) {
      await open(address, 'carl');
      const row = page.getByRole('listitem').filter({ hasText: 'Two bulges' });
      await row.getByText('Missing: Height, Zone.').waitFor();
      await row.getByText('Incomplete', { exact: true }).waitFor();
      expect([address, await axeViolations(page)]).toEqual([address, []]);
    }
    await page.getByRole('link', { name: 'Two bulges' }).click();
    await page.getByRole('heading', { level: 1, name: 'Two bulges' }).waitFor();
    await input('field_height').fill('4');
    await page.keyboard.press('Control+s');
    await page.getByText('Draft saved. Before publishing: Zone.').waitFor();
    await open('/content', 'anna');
    await page.getByRole('link', { name: 'The moon' }).waitFor();
    expect(await page.getByText('Two bulges').count()).toBe(0);
    await open('/draft/node/article/two-bulges', 'anna');
    await page.getByRole('heading', { name: 'This entry does not exist' }).waitFor();
  });

  it('keeps unsent text of a draft for each tab', async () => {
    await saveDraft();
    await input('field_height').fill('7');
    await page.getByText('Unsaved changes').first().waitFor();
    await page.reload();
    await page.getByText(/^Your unsaved changes/).waitFor();
    expect(await input('field_height').inputValue()).toBe('7');
  });

  it('is deleted after a question', async () => {
    await saveDraft();
    await button('More actions').click();
    await page.getByRole('menuitem', { name: 'Delete …' }).click();
    await page
      .getByRole('alertdialog')
      .getByRole('heading', { name: 'Delete the draft “Two bulges”?' })
      .waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('“Two bulges” is deleted.').waitFor();
    expect(await site.read(DRAFT)).toBe('');
  });

  it('opens a file with errors from the start page, with each error at its line', async () => {
    await breakFile(FAULTY);
    await open('/');
    await page.getByText('A field has a value that does not fit. Height Zone').waitFor();
    await page.getByRole('link', { name: 'Correct the file' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'The moon' }).waitFor();
    await page.getByRole('heading', { name: '2 errors in the file' }).waitFor();
    const text = page.getByRole('textbox', { name: 'Text of the file: The moon' });
    expect(await text.locator('.faulty-line').allInnerTexts()).toEqual([
      'field_height: tall',
      'field_zone: west',
    ]);
    expect(await axeViolations(page)).toEqual([]);

    // With the keyboard only.
    await button('Line 4').focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('End');
    await page.keyboard.press('Control+Shift+ArrowLeft');
    await page.keyboard.type('5');
    await page.keyboard.press('Control+s');
    await page.getByText('Saved. 1 error is left.').waitFor();
    expect(await site.read('article/moon.md')).toBe(FAULTY.replace('tall', '5'));
  });

  it('does not save a text that is worse, and corrects the rest in the form', async () => {
    await breakFile(FAULTY);
    await open('/file/article/moon.md');
    await button('Line 4').click();
    await page.keyboard.press('Home');
    await page.keyboard.type('x: [');
    await button('Save').click();
    await page.getByText('Not saved. With this text, the file has:').waitFor();
    expect(await site.read('article/moon.md')).toBe(FAULTY);
    expect(await axeViolations(page)).toEqual([]);

    page.once('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await button('Form').click();
    await input('field_height').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await input('field_height').fill('6');
    await input('field_zone').selectOption({ label: 'south' });
    await page.keyboard.press('Control+s');
    await page.getByText('“The moon” has no errors any more.').waitFor();
    await eventually(() => expect(new URL(page.url()).pathname).toBe('/admin/edit/node/article/moon'));
    expect(await site.read('article/moon.md')).toBe(FAULTY.replace('tall', '6').replace('west', 'south'));
  });

  it('opens a file whose frontmatter cannot be read', async () => {
    await breakFile('---\ntitle: "The moon\nfield_height: 2\n---\nRises *late*.\n');
    await open('/content?type=node--article');
    await page.getByRole('listitem').filter({ hasText: 'Has errors' }).getByRole('link').click();
    await page.getByRole('textbox', { name: /^Text of the file/ }).waitFor();
    expect(await button('Form').count()).toBe(0);
    await open('/file/article/moon.md', 'anna');
    await page.getByText('There is no file with errors here that you may correct.').waitFor();
  });

  describe('of a translation', () => {
    const GERMAN = '.drafts/node--article/moon.de.md';
    const language = (name: RegExp) =>
      page.getByRole('navigation', { name: 'Languages' }).getByRole('link', { name });

    beforeEach(async () => {
      site = await startWritableSite({
        content: CONTENT,
        schema: SCHEMA,
        languages: siteLanguages({ defaultLocale: 'en', locales: ['en', 'de'] }),
      });
    });

    async function saveTranslation(): Promise<void> {
      await open('/translate/node/article/moon?to=de');
      await input('title').fill('Der Mond');
      await input('field_height').fill('');
      await page.keyboard.press('Control+s');
      await page.getByText('Draft saved. Before publishing: Height.').waitFor();
    }

    it('is stored incomplete, listed with its missing fields, and becomes the translation', async () => {
      await saveTranslation();
      expect(await site.read(GERMAN)).toContain('title: Der Mond\n');
      expect(await site.read('article/moon.de.md')).toBe('');
      await language(/^German Incomplete/).waitFor();
      await page.getByText('This translation is not complete. Missing: Height.').waitFor();
      expect(await axeViolations(page)).toEqual([]);

      await open('/');
      const row = page.getByRole('listitem').filter({ hasText: 'Der Mond' });
      await row.getByText('Missing: Height.').waitFor();
      await row.getByText('German', { exact: true }).waitFor();
      expect(await axeViolations(page)).toEqual([]);
      await row.getByRole('link').click();
      await page.getByRole('heading', { level: 1, name: 'Der Mond' }).waitFor();
      await page.getByText('Title (English)').waitFor();
      await input('field_height').fill('5');
      await page.keyboard.press('Control+Enter');
      await page.getByText('“Der Mond” is published.').waitFor();
      await language(/^German Published/).waitFor();
      expect(new URL(page.url()).pathname).toBe('/admin/translate/node/article/moon');
      expect(await site.read('article/moon.de.md')).toContain('field_height: 5\n');
      expect(await site.read(GERMAN)).toBe('');
    });

    it('stays if its source is deleted, and continues once it is restored', async () => {
      await saveTranslation();
      await open('/edit/node/article/moon');
      await button('More actions').click();
      await page.getByRole('menuitem', { name: 'Delete …' }).click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Delete', exact: true }).click();
      await page.getByText('“The moon” is deleted.').waitFor();
      await open('/');
      await page.getByText('The entry that it translates was deleted.', { exact: false }).waitFor();
      await page.getByRole('link', { name: 'Der Mond' }).click();
      await input('field_height').fill('5');
      await page.keyboard.press('Control+s');
      await page.getByText('Draft saved.', { exact: true }).waitFor();
      expect(await site.read(GERMAN)).toContain('field_height: 5\n');
      expect(await axeViolations(page)).toEqual([]);

      await open('/translate/node/article/moon?to=de');
      await button('Restore').click();
      await language(/^German Incomplete/).waitFor();
      await input('title').fill('Der Mond!');
      await page.keyboard.press('Control+s');
      await page.getByText('“Der Mond!” is saved.').waitFor();
      expect(await site.read('article/moon.de.md')).toContain('field_height: 5\n');
    });

    it('is deleted after a question, and the source stays', async () => {
      await saveTranslation();
      await button('More actions').click();
      await page.getByRole('menuitem', { name: 'Delete …' }).click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Delete', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'The moon' }).waitFor();
      expect([await site.read(GERMAN), await site.read('.drafts/entries.jsonl')]).toEqual(['', '']);
    });
  });
});

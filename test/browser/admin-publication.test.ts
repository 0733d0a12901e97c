import { beforeEach, expect, test } from 'vitest';
import { siteLanguages } from '../../integration/core/content/languages.ts';
import { defineSchema, reference, z } from '../../integration/schema.ts';
import { axeViolations } from './axe.ts';
import { describeInBrowser } from './chromium.ts';
import { useTab } from './tab.ts';
import { startWritableSite, type WritableSite } from './writable-site.ts';

const moment = z.iso.datetime({ offset: true }).nullish();
const SCHEMA = defineSchema({
  article: {
    height: z.int(),
    zone: z.string().min(1),
    tags: z.array(reference('tag')).default([]),
    publish_on: moment,
    unpublish_on: moment,
  },
  tag: {},
});
const moon = (title: string) =>
  `---\ntitle: ${title}\npath: /moon\nheight: 1\nzone: shore\ntags: [sky]\n---\nLate.\n`;
const CONTENT = {
  'article/moon.md': moon('The moon'),
  'article/moon.de.md': '---\ntitle: Der Mond\nheight: 1\nzone: shore\n---\nSpät.\n',
  'article/tide.md': '---\ntitle: The tide\nstatus: false\nheight: 2\nzone: sea\ntags: [sky]\n---\nLow.\n',
  'article/later.md': '---\ntitle: Later\nheight: 1\nzone: sea\npublish_on: 2099-01-01T00:00:00Z\n---\n',
  'article/past.md': '---\ntitle: Past\nheight: 1\nzone: sea\npublish_on: 2001-01-01T00:00:00Z\n---\n',
  'tag/sky.md': '---\ntitle: The sky\npath: /sky\n---\n',
};

describeInBrowser('publishing in the admin', async () => {
  const tab = await useTab({ timezoneId: 'UTC', locale: 'en-GB' });
  const { page } = tab;
  let site: WritableSite;

  beforeEach(async () => {
    site = await startWritableSite({
      schema: SCHEMA,
      content: CONTENT,
      languages: siteLanguages({ defaultLocale: 'en', locales: ['en', 'de'] }),
    });
  });

  async function open(address: string): Promise<void> {
    await tab.open(site, `/admin${address}`, 'ada');
    await page.getByRole('heading', { level: 1 }).waitFor();
  }
  const field = (name: string) => page.getByRole('textbox', { name, exact: true });
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const notice = (text: string | RegExp) => page.locator('.notices').getByText(text).waitFor();
  const primary = () => page.locator('.form header .primary').innerText();

  test('says when a scheduled entry will be published, and refuses an end before the start', async () => {
    await open('/edit/node/article/tide');
    await page.getByLabel('Publish on', { exact: true }).fill('2099-12-24T08:15');
    expect(await primary()).toBe('Schedule');
    await page.getByLabel('Unpublish on', { exact: true }).fill('2099-12-01T08:15');
    await button('Schedule').click();
    await page.locator('.problems').getByText('The publication would end before it begins.').waitFor();
    expect(await site.read('article/tide.md')).toBe(CONTENT['article/tide.md']);
    expect(await axeViolations(page)).toEqual([]);
    await page.getByLabel('Unpublish on', { exact: true }).fill('2099-12-31T08:15');
    await button('Schedule').click();
    await notice(/^“The tide” will be published on .*Dec 24, 2099.*8:15|24 Dec 2099, 08:15/);
    await page.locator('.form header').getByText('Scheduled', { exact: true }).waitFor();
    await page
      .locator('.form header')
      .getByText(/^Will be published on/)
      .waitFor();
    expect(await page.getByRole('link', { name: 'View on site' }).count()).toBe(0);
    expect(await primary()).toBe('Save');
    expect(await axeViolations(page)).toEqual([]);
  });

  test('offers to publish as the next step, and lists the fields that are still missing', async () => {
    await open('/new/node/article');
    expect(await primary()).toBe('Publish');
    const needed = page.getByRole('note').filter({ hasText: 'Needed before publishing:' });
    expect(await needed.getByRole('button').allInnerTexts()).toEqual(['Title', 'Height', 'Zone']);
    await needed.getByRole('button', { name: 'Zone' }).click();
    await page.keyboard.type('shore');
    expect(await field('Zone').inputValue()).toBe('shore');
    expect(await needed.getByRole('button').allInnerTexts()).toEqual(['Title', 'Height']);
    await field('Title').fill('Low water');
    await field('Height').fill('3');
    await needed.waitFor({ state: 'hidden' });
    await button('Publish').click();
    await notice('“Low water” is published.');
    expect(await primary()).toBe('Save');
  });

  test('takes a source and its translations down in one step, and marks nothing as outdated', async () => {
    await open('/edit/node/article/moon');
    await button('Unpublish').click();
    const dialog = page.getByRole('alertdialog', { name: 'Unpublish “The moon”?' });
    await dialog.getByText('Translations are published too: German.').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    const { x: edge = 0 } = (await dialog.boundingBox()) ?? {};
    const cancel = await dialog.getByRole('button', { name: 'Cancel' }).boundingBox();
    expect(cancel?.x).toBeGreaterThan(edge + 10);
    await dialog.getByRole('button', { name: 'Unpublish all languages' }).click();
    await notice('“The moon” is no longer published, nor are its translations: German.');
    expect(await site.read('article/moon.md')).toContain('status: false');
    expect(await site.read('article/moon.de.md')).toContain('status: false');
    expect(await page.getByText('Outdated').count()).toBe(0);
  });

  test('takes down only the source if that is chosen', async () => {
    await open('/edit/node/article/moon');
    await button('Unpublish').click();
    await button('Only English').click();
    await notice('“The moon” is no longer published.');
    expect(await site.read('article/moon.de.md')).toBe(CONTENT['article/moon.de.md']);
  });

  test('reports an address that is taken by its title, in the language of the interface', async () => {
    await open('/edit/node/tag/sky');
    await page.evaluate(() => localStorage.setItem('astro-jsonapi:language', 'de'));
    await page.reload();
    await page.getByRole('textbox', { name: 'Adresse' }).fill('/moon');
    await page.keyboard.press('Control+s');
    await page.locator('.problems').getByText('„The moon“ hat die Adresse /moon schon.').waitFor();
    await page.evaluate(() => localStorage.removeItem('astro-jsonapi:language'));
  });

  test('repeated saves leave one message', async () => {
    await open('/edit/node/tag/sky');
    for (const title of ['One', 'Two', 'Three']) {
      await field('Title').fill(title);
      await page.keyboard.press('Control+s');
      await notice(`“${title}” is saved.`);
    }
    expect(await page.locator('.notice').count()).toBe(1);
  });

  test('lists scheduled entries under a status of their own', async () => {
    await open('/content?type=node--article');
    const status = page.getByRole('group', { name: 'Status' });
    await status.getByRole('checkbox', { name: 'Scheduled' }).waitFor();
    expect((await status.getByRole('checkbox').all()).length).toBe(3);
    expect((await status.innerText()).replace(/\s+/g, ' ')).toMatch(/Published ?2 ?Draft ?1 ?Scheduled ?1/);
    const titles = () => page.locator('tbody a').allInnerTexts();
    await status.getByRole('checkbox', { name: 'Scheduled' }).check();
    await expect.poll(titles).toEqual(['Later']);
    expect((await status.innerText()).replace(/\s+/g, ' ')).toMatch(/Published ?2 ?Draft ?1 ?Scheduled ?1/);
    await status.getByRole('checkbox', { name: 'Draft' }).check();
    await expect.poll(async () => (await titles()).sort()).toEqual(['Later', 'The tide']);
    await status.getByRole('checkbox', { name: 'Scheduled' }).uncheck();
    await status.getByRole('checkbox', { name: 'Draft' }).uncheck();
    await status.getByRole('checkbox', { name: 'Published' }).check();
    await expect.poll(async () => (await titles()).sort()).toEqual(['Past', 'The moon']);
    expect(await axeViolations(page)).toEqual([]);
  });

  test('lists scheduled entries of all types too', async () => {
    await open('/content');
    const status = page.getByRole('group', { name: 'Status' });
    expect((await status.innerText()).replace(/\s+/g, ' ')).toMatch(/Published ?3 ?Draft ?1 ?Scheduled ?1/);
    await status.getByRole('checkbox', { name: 'Scheduled' }).check();
    await expect.poll(() => page.locator('tbody a').allInnerTexts()).toEqual(['Later']);
    await status.getByRole('checkbox', { name: 'Scheduled' }).uncheck();
    await status.getByRole('checkbox', { name: 'Published' }).check();
    const titles = async () => (await page.locator('tbody a').allInnerTexts()).sort();
    await expect.poll(titles).toEqual(['Past', 'The moon', 'The sky']);
  });

  test('a list that nothing divides has no column for filters', async () => {
    await open('/content?type=node--tag');
    await page.getByRole('table').waitFor();
    await expect.poll(() => page.locator('#filters').isVisible()).toBe(false);
    const table = await page.getByRole('table').boundingBox();
    const search = await page.getByRole('searchbox').boundingBox();
    expect(table?.x).toBe(search?.x);
    expect(await page.getByRole('button', { name: 'Filters' }).count()).toBe(0);
  });

  test('the palette is an accessible combobox', async () => {
    await open('/');
    await page.keyboard.press('Control+k');
    const input = page.getByRole('combobox');
    await input.fill('the');
    await page.getByRole('option', { name: /^The tide/ }).waitFor();
    const list = page.locator(`[id="${await input.getAttribute('aria-controls')}"]`);
    expect(await list.getByRole('option').count()).toBeGreaterThan(2);
    expect(await axeViolations(page)).toEqual([]);
    await input.fill('qqqq');
    await page.getByText('Nothing matches “qqqq”.').waitFor();
    expect(await axeViolations(page)).toEqual([]);
  });
});

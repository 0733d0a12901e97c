import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { siteLanguages } from '../../integration/core/content/languages.ts';
import { defineSchema, image, reference, z } from '../../integration/schema.ts';
import { svg, WHOLE_IMAGES } from '../support/pictures.ts';
import { createRepository, type TestRepository } from '../support/repository.ts';
import { describeInBrowser } from './chromium.ts';
import { type Tab, useTab } from './tab.ts';
import { startWritableSite, type WritableSite } from './writable-site.ts';

const MANUAL = path.resolve(import.meta.dirname, '../../docs/editing-content.md');
/** The clicks for each task in the table of the manual. */
const PROMISED = new Map(
  [...readFileSync(MANUAL, 'utf8').matchAll(/^\| \[([^\]]+)\]\(#[\w-]+\) \| (\d) \|/gm)].map(
    ([, task = '', clicks]) => [task, Number(clicks)],
  ),
);
const SCHEMA = defineSchema({
  article: {
    field_cover: image().nullish(),
    field_mood: z.enum(['calm', 'rough']).nullish(),
    field_tags: z.array(reference('tag')).default([]),
  },
  tag: {},
});
const article = (title: string) => `---\ntitle: ${title}\nfield_mood: calm\nfield_tags: [sky]\n---\nOne.\n`;
const CONTENT = {
  'article/moon.md': article('The moon'),
  'article/tide.md': article('The tide'),
  'article/wave.md': article('The wave').replace(
    '---\nOne',
    'field_cover: { src: tower.svg, alt: A tower }\n---\n![The shore](shore.svg)',
  ),
  'article/tower.svg': svg(40, 20),
  'article/shore.svg': svg(40, 20),
  'tag/sky.md': '---\ntitle: Sky\n---\n',
};

let site: WritableSite;
let tab: Tab;
let page: Page;
let clicks = 0;
let repository: TestRepository;

describeInBrowser('the clicks that the manual promises', async () => {
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
    repository = createRepository();
    repository.commit(CONTENT, 1_700_000_000);
    site = await startWritableSite({
      repository,
      schema: SCHEMA,
      languages: siteLanguages({ defaultLocale: 'en', locales: ['en', 'de'] }),
    });
  });

  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const notice = (text: string) => page.locator('.notices').getByText(text).waitFor();
  const title = () => page.getByRole('textbox', { name: 'Title', exact: true });
  const dialog = () => page.getByRole('alertdialog');

  async function open(address: string): Promise<void> {
    await tab.open(site, `/admin${address}`, 'ada');
    await page.getByRole('heading', { level: 1 }).waitFor();
    clicks = 0;
  }
  async function choose(action: string): Promise<void> {
    await button('More actions').click();
    await page.getByRole('menuitem', { name: action }).click();
  }
  async function remove(): Promise<void> {
    await open('/edit/node/tag/sky');
    await choose('Delete …');
    await dialog().getByText('3 entries refer to it').waitFor();
    await dialog().getByRole('button', { name: 'Delete', exact: true }).click();
    await notice('“Sky” is deleted.');
  }

  /** Its description is that of its last use. */
  async function chooseCover(name: string): Promise<void> {
    await page
      .getByRole('group', { name: 'Cover', exact: true })
      .getByRole('button', { name: /Choose …/ })
      .click();
    await page.getByRole('option', { name }).click();
    await button('Insert').click();
  }

  const TASKS: Readonly<Record<string, () => Promise<void>>> = {
    async 'Write and publish an article'() {
      await open('/');
      await page.getByRole('main').getByRole('link', { name: 'Article', exact: true }).click();
      await title().waitFor();
      await page.keyboard.type('Eels');
      await button('Publish').click();
      await notice('“Eels” is published.');
      expect(await site.read('article/eels.md')).toContain('title: Eels');
    },
    async 'Write and publish an article with two pictures'() {
      await open('/');
      await page.getByRole('main').getByRole('link', { name: 'Article', exact: true }).click();
      await title().waitFor();
      await page.keyboard.type('Eels');
      await chooseCover('tower.svg');
      await page.getByRole('button', { name: 'Image', exact: true }).click();
      await page.getByRole('option', { name: 'shore.svg' }).click();
      await button('Insert').click();
      await button('Publish').click();
      await notice('“Eels” is published.');
      const text = await site.read('article/eels.md');
      expect(text).toContain('field_cover: { src: ./tower.svg, alt: A tower }');
      expect(text).toContain('![The shore](./shore.svg)');
    },
    async 'Choose a picture that the site has'() {
      await open('/edit/node/article/tide');
      await chooseCover('tower.svg');
      await page.getByRole('group', { name: 'Cover', exact: true }).getByText('tower.svg').waitFor();
    },
    async 'Crop a picture'() {
      await site.write('article/tower.png', WHOLE_IMAGES['a.png'] ?? '');
      await open('/media?file=content%3A%2F%2Farticle%2Ftower.png');
      await button('Crop …').click();
      await button('16:9').click();
      await page.getByRole('dialog', { name: /^Crop/ }).getByRole('button', { name: 'Save' }).click();
      await notice('“tower.png” is cropped.');
      expect(await site.read('article/tower.png.crop.json')).toContain('"height": 0.5625');
    },
    async 'Correct a word'() {
      await open('/');
      await page.getByRole('link', { name: 'The moon' }).click();
      await title().fill('The full moon');
      await button('Save').click();
      await notice('“The full moon” is saved.');
    },
    async 'Translate and publish'() {
      await open('/edit/node/article/moon');
      await choose('Translate');
      await title().fill('Der Mond');
      await button('Publish').click();
      await notice('“Der Mond” is published.');
      expect(await site.read('article/moon.de.md')).toContain('title: Der Mond');
    },
    async 'Take down'() {
      await open('/edit/node/article/moon');
      await button('Unpublish').click();
      await notice('“The moon” is no longer published.');
    },
    async 'Delete, also if others refer to it'() {
      await remove();
      expect(await site.read('tag/sky.md')).toBe('');
      expect(await site.read('article/moon.md')).not.toContain('sky');
    },
    async 'Undo a deletion'() {
      await remove();
      clicks = 0;
      await button('Undo').click();
      await notice('1 entry restored.');
      expect(await site.read('article/moon.md')).toContain('sky');
    },
    async 'Restore a deleted entry later'() {
      await remove();
      await open('/');
      await page.getByRole('link', { name: 'Bin', exact: true }).click();
      await page.getByRole('button', { name: /^Restore/ }).click();
      await notice('1 entry restored.');
      expect(await site.read('article/moon.md')).toContain('sky');
    },
    async 'Undo a change of many entries'() {
      await open('/content?type=node--article');
      await page.locator('thead input[type=checkbox]').check();
      await button('Unpublish').click();
      await dialog().getByRole('button', { name: 'Unpublish' }).click();
      await notice('3 entries changed.');
      expect(await site.read('article/wave.md')).toContain('status: false');
      clicks = 0;
      await button('Undo').click();
      await expect.poll(() => site.read('article/wave.md')).toBe(CONTENT['article/wave.md']);
    },
    async 'Bring an earlier value back'() {
      await open('/edit/node/article/moon');
      await title().fill('The sun');
      await page.keyboard.press('Control+s');
      await notice('“The sun” is saved.');
      await expect.poll(() => repository.git('log', '--format=%h').split('\n').length).toBe(2);
      clicks = 0;
      await choose('History');
      await page.getByRole('navigation', { name: 'Versions' }).getByRole('link').nth(1).click();
      await page.getByRole('link', { name: 'Restore', exact: true }).click();
      await button('Restore 1 field').click();
      await notice('“The moon” has the values of');
      expect(await site.read('article/moon.md')).toBe(CONTENT['article/moon.md']);
    },
  };

  it('are those of the tasks below', () => {
    expect([...PROMISED.keys()].sort()).toEqual(Object.keys(TASKS).sort());
    expect(PROMISED.get('Delete, also if others refer to it')).toBeLessThanOrEqual(3);
    expect(PROMISED.get('Crop a picture')).toBeLessThanOrEqual(4);
    expect(PROMISED.get('Choose a picture that the site has')).toBeLessThanOrEqual(3);
    expect(PROMISED.get('Write and publish an article with two pictures')).toBeLessThanOrEqual(10);
    expect(PROMISED.get('Restore a deleted entry later')).toBeLessThanOrEqual(2);
    expect(PROMISED.get('Undo a change of many entries')).toBeLessThanOrEqual(2);
  });

  it.each(Object.entries(TASKS))('are enough: %s', async (task, perform) => {
    await perform();
    expect(clicks).toBe(PROMISED.get(task));
  });
});

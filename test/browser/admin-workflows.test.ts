import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { defineSchema, reference, z } from '../../integration/schema.ts';
import { eventually } from '../support/eventually.ts';
import { WHOLE_IMAGES } from '../support/pictures.ts';
import { createRepository } from '../support/repository.ts';
import { PASSWORD } from '../support/sign-in-site.ts';
import { describeInBrowser } from './chromium.ts';
import { watchFaults, watchRefusals } from './page-checks.ts';
import { useTab } from './tab.ts';
import { startWritableSite, type WritableSite } from './writable-site.ts';

const PHONE: BrowserContextOptions = {
  viewport: { width: 360, height: 740 },
  hasTouch: true,
  isMobile: true,
};
const moment = z.iso.datetime({ offset: true }).nullish();
const SCHEMA = defineSchema({
  article: { field_tags: z.array(reference('tag')).default([]), publish_on: moment, unpublish_on: moment },
  tag: {},
});
const article = (title: string, more = '') => `---\ntitle: ${title}\n${more}---\nOne.\n\nTwo.\n\nThree.\n`;
const CONTENT = {
  'article/moon.md': article('The moon', 'path: /moon\n'),
  'article/tide.md': article('The tide', 'status: false\n'),
  'article/wave.md': article('The wave', 'status: false\n'),
  'tag/sky.md': '---\ntitle: Sky\n---\n',
};

describeInBrowser('a day with the admin', async () => {
  const tab = await useTab({ timezoneId: 'UTC' });
  const { browser, faults, page } = tab;
  let site: WritableSite;

  beforeAll(() => watchRefusals(page, faults));
  afterEach(async () => {
    for (const context of browser.contexts()) if (context !== page.context()) await context.close();
  });

  /** Opens a page as an account. */
  async function open(address: string, name = 'ada'): Promise<Page> {
    await tab.open(site, address, name);
    return page;
  }
  /** Opens a page in another browser. */
  async function openElsewhere(address: string, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext(options);
    await context.addCookies([await site.signIn('ada')]);
    const page = await context.newPage();
    watchFaults(page, faults);
    watchRefusals(page, faults);
    await page.goto(site.origin + address);
    return page;
  }
  const titleOf = (page: Page) => page.getByRole('textbox', { name: 'Title', exact: true });
  const bodyOf = (page: Page) => page.getByRole('textbox', { name: 'Text', exact: true });
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const creations = (page: Page) => page.getByRole('list', { name: 'New', exact: true }).getByRole('link');
  const notice = (page: Page, text: string) => page.locator('.notices').getByText(text).last().waitFor();
  const visible = async (id: string) =>
    (await fetch(`${site.origin}/jsonapi/node/article/${id}`)).status === 200;

  test.each([
    ['/admin/edit/node/article/moon', '/admin/edit/node/article/moon'],
    ['/admin/content?type=node--tag', '/admin/content?type=node--tag'],
    ['/node/add/article', '/admin/new/node/article'],
    ['/node/moon/edit', '/admin/edit/node/article/moon'],
    ['/user/login', '/admin'],
  ])('signing in from %s leads to %s', async (address, destination) => {
    site = await startWritableSite({ content: CONTENT, schema: SCHEMA });
    await tab.open(site, address);
    const { page } = tab;
    await page.getByLabel(/name/i).fill('ada');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.waitForURL(site.origin + destination);
    await page.getByRole('heading', { level: 1 }).waitFor();
  });

  test('an article with images and a tag is published, found, corrected on a phone, and taken down', async () => {
    site = await startWritableSite({ content: CONTENT, schema: SCHEMA });
    const page = await open('/admin');
    await creations(page).getByText('Article').click();
    await titleOf(page).fill('Low water');
    await bodyOf(page).fill('The sand is bare.');
    for (const key of ['Control+End', 'Enter', 'Enter']) await page.keyboard.press(key);
    await button(page, 'Image').click();
    const buffer = Buffer.from(WHOLE_IMAGES['a.png'] ?? []);
    const files = ['sand.png', 'crab.png'].map((name) => ({ name, mimeType: 'image/png', buffer }));
    await page.getByRole('dialog').getByLabel('Upload …').setInputFiles(files);
    await page.getByRole('textbox', { name: 'sand.png', exact: true }).fill('Bare sand');
    await page.getByRole('textbox', { name: 'crab.png', exact: true }).fill('A crab');
    await button(page, 'Insert 2').click();
    await page.getByRole('img', { name: 'A crab' }).waitFor();
    await page.getByRole('combobox', { name: 'Tags' }).fill('Sk');
    await page.getByRole('option', { name: /^Sky/ }).click();
    expect(await visible('low-water')).toBe(false);
    await button(page, 'Publish').click();
    await notice(page, '“Low water” is published.');

    const { data } = await (await fetch(`${site.origin}/jsonapi/node/article/low-water`)).json();
    expect(data.attributes.body.value).toMatch(
      /^The sand is bare\.\s+!\[Bare sand\]\(\.\/sand\.png\)\s+!\[A crab\]\(\.\/crab\.png\)/,
    );
    expect(data.relationships.field_tags.data[0].id).toBe('sky');
    expect((await fetch(`${site.origin}/content-files/article/crab.png`)).status).toBe(200);

    const before = await site.read('article/low-water.md');
    const phone = await openElsewhere('/admin', PHONE);
    await button(phone, 'Menu').tap();
    await phone
      .getByRole('navigation')
      .getByRole('link', { name: /^Article/ })
      .tap();
    await phone.getByRole('link', { name: 'Low water' }).tap();
    await phone.locator('.cm-line', { hasText: 'is bare.' }).tap();
    await phone.keyboard.press('End');
    await phone.keyboard.press('Backspace');
    await phone.keyboard.type('!');
    await button(phone, 'Save').tap();
    await notice(phone, '“Low water” is saved.');
    expect(await site.read('article/low-water.md')).toBe(before.replace('bare.', 'bare!'));
    await button(phone, 'Unpublish').tap();
    await notice(phone, '“Low water” is no longer published.');
    expect(await visible('low-water')).toBe(false);
    await button(phone, 'Menu').tap();
    await phone.getByRole('navigation').getByRole('link', { name: /^Tag/ }).tap();
    await phone.getByRole('link', { name: 'Sky' }).waitFor();
    expect(await phone.getByRole('navigation').isVisible()).toBe(false);
  });

  test('content appears and disappears at the scheduled times', async () => {
    let now = Date.parse('2026-03-01T12:00:00Z');
    site = await startWritableSite({ content: CONTENT, schema: SCHEMA, now: () => now });
    const page = await open('/admin/edit/node/article/moon');
    await page.getByLabel('Publish on', { exact: true }).fill('2026-03-02T08:30');
    await page.getByLabel('Unpublish on', { exact: true }).fill('2026-03-03T08:30');
    await page.keyboard.press('Control+s');
    await notice(page, '“The moon” is saved.');
    expect(await site.read('article/moon.md')).toBe(
      CONTENT['article/moon.md'].replace(
        'path: /moon\n',
        'path: /moon\npublish_on: 2026-03-02T08:30:00Z\nunpublish_on: 2026-03-03T08:30:00Z\n',
      ),
    );
    const states: boolean[] = [];
    for (const time of ['2026-03-02T08:29:59Z', '2026-03-02T08:30:00Z', '2026-03-03T08:30:00Z']) {
      now = Date.parse(time);
      states.push(await visible('moon'));
    }
    expect(states).toEqual([false, true, false]);
  });

  test('changes by another person and by a text editor are merged, and disputed ones are decided', async () => {
    const repository = createRepository();
    repository.commit(CONTENT);
    const file = path.join(repository.content, 'article/moon.md');
    const edit = (from: string, to: string) =>
      writeFileSync(file, readFileSync(file, 'utf8').replace(from, to));
    site = await startWritableSite({ repository, schema: SCHEMA });
    const page = await open('/admin/edit/node/article/moon');
    const other = await openElsewhere('/admin/edit/node/article/moon');
    await bodyOf(other).fill('One!\n\nTwo.\n\nThree.');
    await other.keyboard.press('Control+s');
    await notice(other, '“The moon” is saved.');
    edit('title: The moon', 'title: The full moon # by a text editor');

    await bodyOf(page).fill('One.\n\nTwo.\n\nThree?');
    await page.keyboard.press('Control+s');
    await notice(page, '“The full moon” is saved.');
    expect(readFileSync(file, 'utf8')).toBe(
      CONTENT['article/moon.md']
        .replace('The moon', 'The full moon # by a text editor')
        .replace('One.', 'One!')
        .replace('Three.', 'Three?'),
    );

    edit('Two.', 'Two, on disk.');
    await bodyOf(page).fill('One!\n\nTwo, in the form.\n\nThree?');
    await page.keyboard.press('Control+s');
    await button(page, 'Take theirs').click();
    await bodyOf(page).waitFor();
    await titleOf(page).fill('The new moon');
    await page.keyboard.press('Control+s');
    await notice(page, '“The new moon” is saved.');
    expect(readFileSync(file, 'utf8')).toMatch(
      /title: The new moon # by a text editor\n.*\nTwo, on disk\.\n/s,
    );

    rmSync(file);
    await titleOf(page).fill('Gone');
    await page.keyboard.press('Control+s');
    await page.getByText('Not saved. Your changes are kept in this browser.').waitFor();
    expect(await titleOf(page).inputValue()).toBe('Gone');
  });

  test('publishing many entries is one commit', async () => {
    const repository = createRepository();
    repository.commit(CONTENT);
    site = await startWritableSite({ repository, schema: SCHEMA });
    const page = await open('/admin/content?type=node--article&f.status=false');
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await button(page, 'Publish').click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Publish' }).click();
    await notice(page, '2 entries changed.');
    await eventually(() => expect(repository.git('rev-list', '--count', 'HEAD')).toBe('2'));
    expect(repository.git('show', '--name-only', '--format=', 'HEAD').split('\n')).toEqual([
      'content/article/tide.md',
      'content/article/wave.md',
    ]);
  });

  test('unsent changes survive signing out, and other accounts do not get them', async () => {
    site = await startWritableSite({ content: CONTENT, schema: SCHEMA });
    await site.addAccount('eda', ['editor']);
    const page = await open('/admin/edit/node/article/moon');
    const signIn = async (name: string) => {
      await page.context().clearCookies();
      await page.context().addCookies([await site.signIn(name)]);
      await page.goto(`${site.origin}/admin/edit/node/article/moon`);
      await titleOf(page).waitFor();
    };
    await titleOf(page).fill('Half a moon');
    await page.getByText('Unsaved changes', { exact: true }).waitFor();
    await signIn('eda');
    expect(await titleOf(page).inputValue()).toBe('The moon');
    await signIn('ada');
    await page.getByText(/^Your unsaved changes from .* are back\.$/).waitFor();
    expect(await titleOf(page).inputValue()).toBe('Half a moon');
    expect(await site.read('article/moon.md')).toBe(CONTENT['article/moon.md']);
  });

  test('shows an author only permitted actions, and no request is refused', async () => {
    const own = ['own', 'unpublished'] as const;
    site = await startWritableSite({
      schema: SCHEMA,
      content: {
        ...CONTENT,
        'article/mine.md': article('Mine', 'status: false\nuid: olga\n'),
        'article/out.md': article('Out', 'uid: olga\n'),
        'article/theirs.md': article('Theirs', 'status: false\nuid: ada\n'),
      },
      roles: {
        author: {
          permissions: [
            { actions: ['create'], bundles: ['article'], where: 'unpublished' },
            {
              actions: ['view', 'update', 'delete'],
              bundles: ['article'],
              where: own,
              fields: { change: { except: ['status', 'uid'] } },
            },
          ],
        },
      },
    });
    await site.addAccount('olga', ['author']);
    const page = await open('/admin', 'olga');
    const buttons = async () =>
      (await page.locator('.form header').getByRole('button').allInnerTexts()).map((text) => text.trim());
    const show = async (address: string, name: string) => {
      await page.goto(`${site.origin}/admin${address}`);
      await page.getByRole('heading', { level: 1, name }).waitFor();
      await eventually(async () => expect(await page.locator('main [aria-busy=true]').count()).toBe(0));
    };

    await page.getByRole('heading', { name: 'Home' }).waitFor();
    await page.getByText('Mine').first().waitFor();
    expect(await creations(page).allInnerTexts()).toEqual(['Article']);
    const links = await page.getByRole('navigation').getByRole('link').allInnerTexts();
    expect(links.join()).not.toContain('People');

    await show('/edit/node/article/mine', 'Mine');
    expect(await buttons()).toEqual(['Preview', '', 'Save']);
    await titleOf(page).fill('Mine!');
    await page.keyboard.press('Control+Enter');
    await notice(page, '“Mine!” is saved.');
    expect(await site.read('article/mine.md')).toContain('title: Mine!\nstatus: false\n');

    for (const [id, title] of [
      ['out', 'Out'],
      ['moon', 'The moon'],
    ] as const) {
      await show(`/edit/node/article/${id}`, title);
      await page.getByText('You can read this entry but not change it.').waitFor();
      // The menu offers to duplicate the entry.
      expect(await buttons()).toEqual(['']);
      expect(await page.locator('.form :is(input, textarea, select)').count()).toBe(0);
    }
    await show('/edit/node/article/theirs', 'This entry does not exist');
    await show('/new/node/article', 'New Article');
    expect(await buttons()).toEqual(['Preview', '', 'Save']);
    await show('/content', 'All content');
    await page.getByRole('link', { name: 'Mine!' }).waitFor();
    expect(await page.getByRole('link', { name: 'Theirs' }).count()).toBe(0);
    for (const address of ['/media', '/profile', '/explorer']) {
      await page.goto(`${site.origin}/admin${address}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
    }
    await page.keyboard.press('Control+k');
    await page.locator('.palette input:focus').waitFor();
    await page.keyboard.type('new');
    await page.getByRole('option', { name: 'New Article' }).waitFor();
    expect(await page.getByRole('option', { name: 'New Tag' }).count()).toBe(0);
  });
});

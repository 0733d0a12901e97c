import { beforeAll, beforeEach, expect, test } from 'vitest';
import { siteLanguages } from '../../integration/core/content/languages.ts';
import { defineSchema, reference, untranslated, z } from '../../integration/schema.ts';
import { createRepository } from '../support/repository.ts';
import { describeInBrowser } from './chromium.ts';
import { isPresence } from './page-checks.ts';
import { useTab } from './tab.ts';
import { startWritableSite, type WritableSite } from './writable-site.ts';

const SCHEMA = defineSchema({
  article: {
    lead: z.string().nullish(),
    rating: z.int().max(5).nullish(),
    tags: z.array(reference('tag')).default([]),
    seats: untranslated(z.int()).nullish(),
  },
  tag: {},
});
const MOON = `---
title: The moon
lead: It rises late.
rating: 3
tags: [sky]
seats: 20
---
Rises *late*.
`;

describeInBrowser('the translation screen of the admin', async () => {
  const tab = await useTab();
  const { page } = tab;
  let site: WritableSite;
  let setting: Parameters<typeof startWritableSite>[0];
  const writes: string[] = [];

  beforeAll(async () => {
    page.on('request', (request) => {
      if (!['GET', 'OPTIONS'].includes(request.method()) && !isPresence(request))
        writes.push(`${request.method()} ${request.url()}`);
    });
  });
  beforeEach(async () => {
    const { commit, ...repository } = createRepository();
    const tag = { 'tag/sky.md': '---\ntitle: Sky\n---\n' };
    commit(
      {
        ...tag,
        'article/moon.md': MOON,
        'article/moon.fr.md': '---\ntitle: La lune\nlead: Tard.\n---\nTard.\n',
      },
      1_700_000_000,
    );
    commit({ 'article/moon.md': MOON.replace('rises late', 'rises early') }, 1_700_100_000);
    setting = {
      repository: { ...repository, commit },
      schema: SCHEMA,
      languages: siteLanguages({ defaultLocale: 'en', locales: ['en', 'de', 'fr'] }),
    };
    site = await startWritableSite(setting);
  });

  async function open(address: string, name = 'ada'): Promise<void> {
    writes.length = 0;
    await tab.open(site, `/admin${address}`, name);
    await page.getByRole('heading', { level: 1 }).waitFor();
  }
  const field = (name: string) => page.getByRole('textbox', { name, exact: true });
  const language = (name: RegExp) =>
    page.getByRole('navigation', { name: 'Languages' }).getByRole('link', { name });
  const notice = (text: string) => page.locator('.notices').getByText(text).waitFor();

  test('creates a missing translation beside its source', async () => {
    await open('/edit/node/article/moon');
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Translate' }).click();
    await page.getByRole('heading', { name: '“The moon” in German' }).waitFor();
    expect(await language(/^English Source/).getAttribute('href')).toContain('/admin/edit/node/article/moon');
    await language(/^German Missing/).waitFor();
    await language(/^French Outdated/).waitFor();
    await page.getByText('This entry has no translation into German yet.', { exact: false }).waitFor();
    await page.getByText('The same in all languages, so these are edited in the source: Seats.').waitFor();
    await page.getByText('It rises early.', { exact: true }).waitFor();
    expect(await field('Rating').inputValue()).toBe('3');
    expect(await field('Lead').inputValue()).toBe('');
    expect(writes).toEqual([]);

    await field('Title').fill('Der Mond');
    await field('Text').fill('Geht *spät* auf.');
    await page.getByRole('button', { name: 'Copy Lead from the source' }).click();
    expect(await field('Lead').inputValue()).toBe('It rises early.');
    await field('Lead').fill('Er geht früh auf.');
    await page.getByRole('button', { name: 'Save draft' }).click();
    await notice('“Der Mond” is saved.');
    await language(/^German Draft/).waitFor();
    expect(await site.read('article/moon.de.md')).toBe(`---
title: Der Mond
status: false
lead: Er geht früh auf.
rating: 3
tags: [sky]
---
Geht *spät* auf.
`);
    await page.keyboard.press('Control+Enter');
    await notice('“Der Mond” is published.');
    await language(/^German Published/).waitFor();
    expect(await site.read('article/moon.de.md')).not.toContain('status:');
  });

  test('shows how the source of an outdated translation has changed, and saves only edited fields', async () => {
    await open('/translate/node/article/moon?to=fr');
    await page.getByText('The source has changed since this translation was last changed.').waitFor();
    const lead = page.locator('.source').filter({ hasText: 'Lead (English)' });
    await lead.locator('ins mark').waitFor();
    expect(await lead.locator('del mark').innerText()).toBe('late');
    expect(await lead.locator('ins mark').innerText()).toBe('early');
    await field('Lead').fill('Tôt.');
    await page.keyboard.press('Control+s');
    await notice('“La lune” is saved.');
    await language(/^French Published/).waitFor();
    expect(await page.getByText('The source has changed', { exact: false }).count()).toBe(0);
    expect(await site.read('article/moon.fr.md')).toBe('---\ntitle: La lune\nlead: Tôt.\n---\nTard.\n');
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'History' }).click();
    await page.getByRole('link', { name: 'Update article "La lune" (fr)' }).waitFor();
    await page.locator('ins').getByText('Tôt.').waitFor();
  });

  test('does not call a translation outdated because its source was taken down alone', async () => {
    await open('/translate/node/article/moon?to=fr');
    await field('Lead').fill('Tôt.');
    await page.keyboard.press('Control+s');
    await notice('“La lune” is saved.');
    const read = async () => (await page.request.get(`${site.origin}/jsonapi/node/article/moon`)).json();
    const isMarked = async () => (await read()).data.meta.translations.fr.outdated;
    await expect.poll(isMarked).toBeUndefined();
    // Dates of commits are in seconds.
    await new Promise((resolve) => setTimeout(resolve, 1100));
    await open('/edit/node/article/moon');
    await page.getByRole('button', { name: 'Unpublish' }).click();
    await page.getByRole('button', { name: 'Only English' }).click();
    await notice('“The moon” is no longer published.');
    await expect.poll(isMarked).toBe(true);
    await open('/edit/node/article/moon');
    await page.locator('aside').getByRole('link', { name: 'French' }).waitFor();
    await page.waitForLoadState('networkidle');
    expect(await page.getByText('Outdated').count()).toBe(0);
    await open('/translate/node/article/moon?to=fr');
    await language(/^French Published/).waitFor();
    expect(await page.getByText('The source has changed', { exact: false }).count()).toBe(0);
  });

  test('changes the translation that the form shows, even if the source has another language', async () => {
    await site.write('article/sonne.md', '---\ntitle: Die Sonne\nlangcode: de\n---\n');
    await site.write('article/sun.md', '---\ntitle: The sun\ntranslationOf: sonne\nlangcode: en\n---\n');
    site = await startWritableSite(setting);
    await open('/edit/node/article/sonne');
    await field('Title').fill('Our sun');
    await page.keyboard.press('Control+s');
    await notice('“Our sun” is saved.');
    expect(await site.read('article/sun.md')).toContain('title: Our sun');
    expect(await site.read('article/sonne.md')).toContain('title: Die Sonne');
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Translate' }).click();
    await language(/^German Source/).waitFor();
    await page.getByRole('heading', { name: '“Die Sonne” in French' }).waitFor();
    await language(/^English Published/).click();
    await page.getByText('Title (German)').waitFor();
    expect(await field('Title').inputValue()).toBe('Our sun');
  });

  test('deletes a translation, and the source stays', async () => {
    await open('/translate/node/article/moon?to=fr');
    await page.getByRole('button', { name: 'More actions' }).click();
    expect(await page.getByRole('menuitem').allInnerTexts()).toEqual([
      'History',
      'Search and sharing',
      'Delete …',
    ]);
    await page.getByRole('menuitem', { name: 'Delete …' }).click();
    await page.getByText('The other languages stay.', { exact: false }).waitFor();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'The moon' }).waitFor();
    expect(await site.read('article/moon.fr.md')).toBe('');
    expect(await site.read('article/moon.md')).toContain('title: The moon');
  });

  test('keeps an unsaved translation, to which the start page leads', async () => {
    await open('/translate/node/article/moon?to=de');
    await field('Title').fill('Halber Mond');
    await page.getByText('Unsaved changes').waitFor();
    await page.reload();
    await page.getByText('Your unsaved changes from', { exact: false }).waitFor();
    expect(await field('Title').inputValue()).toBe('Halber Mond');
    await page.getByRole('link', { name: 'Home' }).click();
    await page.getByRole('link', { name: 'Halber Mond' }).click();
    await page.getByRole('link', { name: 'Translate' }).click();
    await page.getByRole('heading', { name: '“The moon” in German' }).waitFor();
    expect(await field('Title').inputValue()).toBe('Halber Mond');
    expect(writes).toEqual([]);
  });

  test('offers nothing to accounts that may not change content, nor on a site with one language', async () => {
    await open('/translate/node/article/moon?to=de', 'eve');
    await page
      .getByText('This entry has no translation into German yet, and you cannot create one.')
      .waitFor();
    expect(await page.getByRole('textbox').count()).toBe(0);
    site = await startWritableSite();
    await open('/edit/node/article/moon');
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete …' }).waitFor();
    expect(await page.getByRole('menuitem', { name: 'Translate' }).count()).toBe(0);
  });

  test('offers translators the languages of their role', async () => {
    const actions = ['view', 'create', 'update', 'delete'] as const;
    site = await startWritableSite({
      ...setting,
      roles: { german: { permissions: [{ actions, bundles: '*', where: { langcode: 'de' } }] } },
    });
    await site.addAccount('gerd', ['german']);
    await open('/translate/node/article/moon?to=fr', 'gerd');
    await page.getByText('You can read this entry but not change it.').waitFor();
    expect(await page.getByRole('button', { name: /Save|Publish/ }).count()).toBe(0);
    await open('/translate/node/article/moon', 'gerd');
    await page.getByRole('heading', { name: '“The moon” in German' }).waitFor();
    await field('Title').fill('Der Mond');
    await page.keyboard.press('Control+s');
    await notice('“Der Mond” is saved.');
    expect(await site.read('article/moon.de.md')).toContain('title: Der Mond');
    await open('/edit/node/article/moon', 'gerd');
    await page.getByText('You can read this entry but not change it.').waitFor();
  });
});

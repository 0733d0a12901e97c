import { beforeEach, expect, test } from 'vitest';
import { defineSchema, z } from '../../integration/schema.ts';
import { eventually } from '../support/eventually.ts';
import { svg } from '../support/pictures.ts';
import { createRepository, type TestRepository } from '../support/repository.ts';
import { axeViolations } from './axe.ts';
import { describeInBrowser } from './chromium.ts';
import { useTab } from './tab.ts';
import { startWritableSite, type WritableSite } from './writable-site.ts';

const lines = Array.from({ length: 12 }, (_, index) => `Line ${index + 1} of the tide table.`);
const body = (...changes: readonly string[]) => [...changes, '', ...lines].join('\n');
const FIRST = `---
title: The moon # by heart
field_tags: [sky, sea]
field_rating: 3
status: false
---
${body('The moon rises late.')}
`;
const SECOND = FIRST.replace('rises late', 'rises early').replace('field_rating: 3', 'field_rating: 4');
const THIRD = SECOND.replace('The moon #', 'The new moon #')
  .replace('[sky, sea]', '[sky]')
  .replace('status: false', 'status: true\nfield_cover: { src: ./moon.svg, alt: A moon }');

describeInBrowser('the history screen of the admin', async () => {
  const tab = await useTab();
  const { page } = tab;
  let repository: TestRepository;
  let site: WritableSite;

  beforeEach(async () => {
    repository = createRepository();
    const { commit } = repository;
    commit({ 'tag/sky.md': '---\ntitle: Sky\n---\n', 'tag/sea.md': '---\ntitle: Sea\n---\n' }, 1_700_000_000);
    commit({ 'article/moon.md': FIRST, 'person/jane.md': '---\ntitle: Jane Low\n---\n' }, 1_700_100_000);
    commit({ 'article/moon.md': SECOND }, 1_700_200_000);
    commit({ 'article/moon.md': THIRD, 'article/moon.svg': svg(60, 40) }, 1_700_300_000);
    site = await startWritableSite({ repository });
  });

  async function open(address: string, name = 'ada'): Promise<void> {
    await tab.open(site, `/admin${address}`, name);
    await page.getByRole('heading', { level: 1 }).waitFor();
  }
  const versions = () => page.getByRole('navigation', { name: 'Versions' }).getByRole('link');
  /** The lines of a compared field, with their signs. */
  async function difference(field: string): Promise<string> {
    const section = page
      .locator('section section')
      .filter({ has: page.getByRole('heading', { name: field }) });
    await section.waitFor();
    return (await section.locator('.diff, .hint').allInnerTexts()).join('\n');
  }

  test('lists versions with author and message, and shows what each one changed', async () => {
    await open('/edit/node/article/moon');
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'History' }).click();
    await page.getByRole('heading', { name: 'History of “The new moon”' }).waitFor();
    await expect.poll(() => versions().count()).toBe(3);
    expect(await versions().first().innerText()).toMatch(/^change\s+Test · /);
    expect(await versions().first().getAttribute('aria-current')).toBe('true');
    expect(await difference('Title')).toMatch(/−\s*Removed:\s*The moon\s*\+\s*Added:\s*The new moon/);
    expect(await page.locator('ins mark').innerText()).toBe('new ');
    expect(await difference('Tags')).toMatch(/Sky\s*−\s*Removed:\s*Sea/);
    expect(await difference('Cover')).toMatch(/moon\.svg\s*Alternative text\s*\+\s*Added:\s*A moon/);
    await page.locator('ins img').evaluate((image: HTMLImageElement) => image.decode());
    expect(await difference('Published')).toMatch(/No\s*\+\s*Added:\s*Yes/);

    await versions().nth(1).click();
    expect(await difference('Rating')).toMatch(/3\s*\+\s*Added:\s*4/);
    expect(await difference('Text')).toContain('The moon rises early.');
    await page.getByRole('button', { name: 'Show 11 unchanged lines' }).click();
    expect(await difference('Text')).toContain('Line 12 of the tide table.');
    expect(await page.getByRole('heading', { name: 'Title' }).count()).toBe(0);

    await versions().nth(2).click();
    await page.getByText('There is no earlier version').waitFor();
    expect(await difference('Tags')).toContain('Sea');
    await page.goBack();
    expect(await difference('Rating')).toContain('4');
  });

  test('restores the selected fields as a new commit, and leaves the publication alone', async () => {
    await open('/history/node/article/moon');
    await versions().nth(2).click();
    await page.getByRole('link', { name: 'Restore', exact: true }).click();
    await page.getByRole('checkbox', { name: 'Title' }).waitFor();
    for (const kept of ['Published', 'Cover'])
      expect(await page.getByRole('checkbox', { name: kept }).isChecked()).toBe(false);
    await page.getByRole('checkbox', { name: 'Rating' }).uncheck();
    await page.getByRole('button', { name: 'Restore 3 fields' }).click();
    await page.getByText('“The moon” has the values of', { exact: false }).waitFor();
    expect(await site.read('article/moon.md')).toBe(
      THIRD.replace('new moon', 'moon').replace('[sky]', '[sky, sea]').replace('rises early', 'rises late'),
    );
    await eventually(async () => {
      expect(repository.git('log', '-1', '--format=%an %s')).toBe('ada Update article "The moon"');
    });
    await expect.poll(() => versions().count()).toBe(4);
    expect(await versions().first().innerText()).toContain('Update article "The moon"');
    await page.getByRole('heading', { name: 'History of “The moon”' }).waitFor();
    await expect.poll(() => page.getByRole('checkbox').count()).toBe(3);
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('version');
  });

  test('reports values that cannot be restored, and restores the other fields', async () => {
    repository.commit({ 'tag/sea.md': null }, 1_700_400_000);
    site = await startWritableSite({ repository });
    await open('/history/node/article/moon');
    await versions().nth(2).click();
    await page.getByRole('link', { name: 'Restore', exact: true }).click();
    await page.getByText('This version refers to content that no longer exists', { exact: false }).waitFor();
    expect(await page.getByRole('checkbox', { name: 'Tags' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Restore 3 fields' }).click();
    await page.getByText('“The moon” has the values of', { exact: false }).waitFor();
    expect(await site.read('article/moon.md')).toContain('field_tags: [sky]\nfield_rating: 3\n');
  });

  test('restores nothing over a change made elsewhere meanwhile', async () => {
    await open('/history/node/article/moon?compare=now');
    await versions().nth(1).click();
    await page.getByRole('checkbox', { name: 'Title' }).waitFor();
    const { name, value } = await site.signIn('ada');
    const other = await fetch(`${site.origin}/jsonapi/node/article/moon`, {
      method: 'PATCH',
      headers: {
        'content-type': 'application/vnd.api+json',
        cookie: `${name}=${value}`,
        origin: site.origin,
      },
      body: JSON.stringify({ data: { type: 'node--article', id: 'moon', attributes: { title: 'Theirs' } } }),
    });
    expect(other.status).toBe(200);
    await page.getByRole('button', { name: 'Restore 2 fields' }).click();
    await page.locator('.notices').getByText('Nothing was restored', { exact: false }).waitFor();
    await expect.poll(() => difference('Title')).toMatch(/Removed:\s*Theirs/);
    expect(await site.read('article/moon.md')).toContain('title: Theirs');
  });

  test('offers nothing that is not possible: without permission, on a read-only server, and for content outside of git', async () => {
    await open('/edit/node/article/moon', 'eve');
    await page.getByText('You can read this entry but not change it.').waitFor();
    expect(await page.getByRole('button', { name: 'More actions' }).count()).toBe(0);
    site = await startWritableSite({ repository, readOnly: true });
    await open('/history/node/article/moon');
    await versions().nth(1).click();
    await page.getByRole('link', { name: 'Compared with now' }).click();
    expect(await difference('Title')).toContain('The new moon');
    expect(await page.getByRole('checkbox').count()).toBe(0);
    expect(await page.getByText('Restore').count()).toBe(0);
    site = await startWritableSite();
    await open('/edit/node/article/moon');
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete …' }).waitFor();
    expect(await page.getByRole('menuitem', { name: 'History' }).count()).toBe(0);
  });

  test('shows a change in a block as a line below its block, and folds the rest', async () => {
    const page1 = `---
title: Start
blocks:
  - type: quote
    text: Wait for the tide.
  - type: columns
    items:
      - { heading: North, text: Rock }
      - { heading: South, text: Sand, at: ref }
    isWide: true
---
`;
    repository.commit({ 'page/start.md': page1 }, 1_700_400_000);
    repository.commit({ 'page/start.md': page1.replace('text: Sand', 'text: Sand and mud') }, 1_700_500_000);
    const column = z.object({ heading: z.string(), text: z.string(), at: z.string().optional() });
    site = await startWritableSite({
      repository,
      schema: defineSchema({
        page: {
          blocks: z.array(
            z.discriminatedUnion('type', [
              z.object({ type: z.literal('quote'), text: z.string() }),
              z.object({ type: z.literal('columns'), items: z.array(column), isWide: z.boolean() }),
            ]),
          ),
        },
      }),
    });
    await open('/history/node/page/start');
    const shown = await difference('Blocks');
    expect(shown.split('\n').filter((line) => line.trim() !== '')).toEqual([
      'Show 2 unchanged lines',
      '• Columns',
      '    Items:',
      'Show 2 unchanged lines',
      '      • Heading: South',
      '−',
      'Removed:',
      '        Text: Sand',
      '+',
      'Added:',
      '        Text: Sand and mud',
      'Show 2 unchanged lines',
    ]);
    expect(await page.locator('ins mark').innerText()).toBe(' and mud');
    expect(await axeViolations(page)).toEqual([]);
  });
});

import { beforeAll, beforeEach, expect, test } from 'vitest';
import type { Roles } from '../../integration/core/access/role.ts';
import { createMemoryDriver } from '../support/memory-driver.ts';
import { png } from '../support/pictures.ts';
import { createRepository } from '../support/repository.ts';
import { axeViolations } from './axe.ts';
import { describeInBrowser } from './chromium.ts';
import { watchRefusals } from './page-checks.ts';
import { useTab } from './tab.ts';
import { startWritableSite, type WritableSite } from './writable-site.ts';

const CONTENT = {
  'article/moon.md':
    '---\ntitle: The moon\nfield_cover: { src: moon.png, alt: The moon }\n---\n![Sea](sea.png)\n',
  'article/moon.png': png(30, 20),
  'article/sea.png': png(40, 20),
  'article/unused.png': png(60, 20),
  'article/tides.pdf': '%PDF-1.4',
  'person/jane.md': '---\ntitle: Jane Low\n---\n',
  'tag/sky.md': '---\ntitle: Sky\n---\n',
};
/** May create people, but not change all content. */
const ROLES: Roles = { greeter: { permissions: [{ actions: ['create'], bundles: ['node--person'] }] } };

describeInBrowser('media in the admin', async () => {
  const tab = await useTab();
  const { faults, page } = tab;
  let site: WritableSite;

  beforeAll(async () => {
    watchRefusals(page, faults);
  });
  beforeEach(async () => {
    const publicFiles = createMemoryDriver({ 'house rules.pdf': '%PDF-1.4' });
    site = await startWritableSite({ content: CONTENT, publicFiles, roles: ROLES });
  });

  async function open(address = '', name = 'ada'): Promise<void> {
    await tab.open(site, `/admin/media${address}`, name);
    await page.getByRole('heading', { level: 1, name: 'Media' }).waitFor();
  }
  const grid = () => page.getByRole('main').getByRole('list', { name: 'Media' });
  const names = () => grid().locator('.name').allTextContents();
  const file = (name: string) => grid().getByRole('link', { name });
  const dialog = (name: string) => page.getByRole('dialog', { name });
  const notice = (text: string) => page.locator('.notices').getByText(text).waitFor();
  const picture = (name: string, width: number) => ({
    name,
    mimeType: 'image/png',
    buffer: Buffer.from(png(width, 20)),
  });

  test('finds files by name, kind and use, and the address shows the same again', async () => {
    await open('?sort=filename');
    await page.getByText('5 files', { exact: true }).waitFor();
    expect(await names()).toEqual(['house rules.pdf', 'moon.png', 'sea.png', 'tides.pdf', 'unused.png']);
    await page.getByLabel('Use').selectOption('Unused');
    await page.getByText('3 files', { exact: true }).waitFor();
    await page.getByLabel('Kind').selectOption('Images');
    await expect.poll(names).toEqual(['unused.png']);
    await page.reload();
    await expect.poll(names).toEqual(['unused.png']);
    await page.getByRole('searchbox', { name: 'Search files' }).fill('moon');
    await page.getByText('No file matches.', { exact: false }).waitFor();
    await page.getByLabel('Use').selectOption('Any use');
    await expect.poll(names).toEqual(['moon.png']);
    await file('moon.png').getByText('30 × 20 · 33 bytes').waitFor();
  });

  test('an address of a page that no longer exists shows the last one', async () => {
    await open('?page=7&used=false');
    await page.getByText('3 files', { exact: true }).waitFor();
    await expect.poll(names).toHaveLength(3);
  });

  test('shows which content uses a file, and leads to its form', async () => {
    await open();
    await file('sea.png').click();
    const details = dialog('sea.png');
    await details.getByText('40 × 20').waitFor();
    await details.getByText('Article · Text').waitFor();
    expect(await details.getByRole('button', { name: 'Delete' }).count()).toBe(0);
    await page.goBack();
    await details.waitFor({ state: 'hidden' });
    await page.goForward();
    await details.getByRole('link', { name: 'The moon' }).click();
    await page.waitForURL(/\/admin\/edit\/node\/article\/moon$/);
    await page.getByRole('textbox', { name: 'Title' }).waitFor();
  });

  test('stores files by button, drop and paste, and names rejected files', async () => {
    await open();
    await page.getByText('5 files', { exact: true }).waitFor();
    await page
      .getByLabel('Upload …')
      .setInputFiles([
        picture('Full Moon.png', 50),
        { name: 'virus.exe', mimeType: '', buffer: Buffer.from('MZ') },
      ]);
    await notice('1 file uploaded.');
    await page.getByText(/^virus\.exe was not uploaded\. .*\.exe/).waitFor();
    expect(await site.read('article/full-moon.png')).not.toBe('');
    await page.getByText('6 files', { exact: true }).waitFor();

    await page.getByLabel('Folder for uploads').selectOption('Person');
    await transfer('drop', 'dropped.png');
    await page.getByText('7 files', { exact: true }).waitFor();
    expect(await site.read('person/dropped.png')).not.toBe('');
    await transfer('paste', 'pasted.png');
    await page.getByText('8 files', { exact: true }).waitFor();
    expect(await site.read('person/pasted.png')).not.toBe('');
  });

  test('replaces the bytes of a file, and nothing else', async () => {
    await open('?file=content%3A%2F%2Farticle%2Fmoon.png');
    const details = dialog('moon.png');
    await details.getByText('30 × 20').waitFor();
    await details.getByLabel('Replace …').setInputFiles(picture('other.png', 70));
    await notice('“moon.png” is replaced everywhere.');
    await details.getByText('70 × 20').waitFor();
    expect(await site.read('article/moon.md')).toBe(CONTENT['article/moon.md']);
    await details
      .getByLabel('Replace …')
      .setInputFiles({ ...picture('fake.png', 1), buffer: Buffer.from('%PDF-1.4') });
    await details.getByRole('alert').waitFor();
    await details.getByText('70 × 20').waitFor();
  });

  test('commits a replaced file, and shows one message', async () => {
    const repository = createRepository();
    repository.commit({ 'article/moon.md': '---\ntitle: The moon\n---\n', 'article/notes.txt': 'One.\n' });
    site = await startWritableSite({ repository, git: { acknowledge: 'commit' } });
    await open('?file=content%3A%2F%2Farticle%2Fnotes.txt');
    await dialog('notes.txt')
      .getByLabel('Replace …')
      .setInputFiles({ name: 'new.txt', mimeType: 'text/plain', buffer: Buffer.from('Two.\n') });
    await notice('“notes.txt” is replaced everywhere.');
    await expect.poll(() => repository.git('show', 'HEAD:content/article/notes.txt')).toBe('Two.');
    expect(await page.locator('.notice').count()).toBe(1);
  });

  test('does not replace a file that someone else has replaced meanwhile', async () => {
    await open('?file=content%3A%2F%2Farticle%2Fmoon.png');
    const details = dialog('moon.png');
    await details.getByText('30 × 20').waitFor();
    await site.write('article/moon.png', png(31, 20));
    await details.getByLabel('Replace …').setInputFiles(picture('other.png', 70));
    await details.getByRole('alert').waitFor();
    expect(await site.readBytes('article/moon.png')).toEqual(png(31, 20));
  });

  test('deletes an unused file after a confirmation', async () => {
    await open();
    await file('unused.png').click();
    await dialog('unused.png').getByText('No content uses this file.').waitFor();
    await dialog('unused.png').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await notice('“unused.png” is deleted.');
    await page.getByText('4 files', { exact: true }).waitFor();
    expect(await page.getByRole('main').evaluate((main) => main === document.activeElement)).toBe(true);
    expect(await site.read('article/unused.png')).toBe('');
  });

  test('moves a file, and the content that uses it follows', async () => {
    await open('?file=content%3A%2F%2Farticle%2Fmoon.png');
    await dialog('moon.png').getByRole('button', { name: 'Move or rename …' }).click();
    const asked = dialog('Move or rename “moon.png”');
    await asked.getByLabel('Path').fill('article/sea.png');
    await asked.getByRole('button', { name: 'Move' }).click();
    await asked.getByRole('alert').waitFor();
    await asked.getByLabel('Path').fill('article/sky/full-moon.png');
    await page.keyboard.press('Enter');
    await notice('“moon.png” is moved.');
    await dialog('full-moon.png').getByText('30 × 20').waitFor();
    expect(await site.read('article/moon.md')).toBe(
      CONTENT['article/moon.md'].replace('moon.png', 'sky/full-moon.png'),
    );
  });

  test('makes a folder with an upload, and renames it with its files', async () => {
    await open('?folder=content%3A%2F%2Farticle');
    await page.getByText('4 files', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'New folder …' }).click();
    await dialog('New folder …').getByLabel('Path').fill('article/photos');
    await page.keyboard.press('Enter');
    await page.getByText('0 files', { exact: true }).waitFor();
    await page.getByLabel('Upload …').setInputFiles([picture('One.png', 50), picture('two.png', 51)]);
    await page.getByText('2 files', { exact: true }).waitFor();
    expect(await site.read('article/photos/one.png')).not.toBe('');
    await page.getByRole('button', { name: 'Move or rename …' }).click();
    await expectNoViolations();
    await dialog('Move or rename “photos”').getByLabel('Path').fill('article/archive/photos-2024');
    await page.keyboard.press('Enter');
    await notice('“photos” is moved.');
    await expect.poll(names).toEqual(expect.arrayContaining(['one.png', 'two.png']));
    expect(await site.read('article/archive/photos-2024/two.png')).not.toBe('');
    expect(await site.read('article/photos/two.png')).toBe('');
    await page.getByRole('navigation', { name: 'Folders' }).getByRole('button', { name: 'archive' }).click();
    await page.getByRole('button', { name: /^photos-2024 2/ }).waitFor();
  });

  async function expectNoViolations(): Promise<void> {
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 860 });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      expect(await axeViolations(page)).toEqual([]);
      const folder = process.env.SCREENSHOTS;
      if (folder !== undefined) await page.screenshot({ path: `${folder}/move-${width}.png` });
    }
  }

  test('offers only permitted actions', async () => {
    await site.addAccount('gina', ['greeter']);
    await open('', 'gina');
    await file('moon.png').click();
    await dialog('moon.png').getByText('30 × 20').waitFor();
    expect(await dialog('moon.png').getByRole('button', { name: 'Replace' }).count()).toBe(0);
    expect(await page.getByLabel('Folder for uploads').count()).toBe(0);
    await open('', 'eve');
    await page.getByText('Only accounts that may change content can use its files.').waitFor();
    expect(await page.getByRole('navigation').getByRole('link', { name: 'Media' }).count()).toBe(0);
  });

  test('fits into 360 px and has no faults for axe, in light and dark', async () => {
    await open();
    await page.setViewportSize({ width: 360, height: 780 });
    await file('moon.png').waitFor();
    await expectNoFaults();
    await file('moon.png').click();
    await dialog('moon.png').getByText('30 × 20').waitFor();
    await expectNoFaults();
  });

  async function expectNoFaults(): Promise<void> {
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    expect(await axeViolations(page)).toEqual([]);
  }

  async function transfer(kind: 'drop' | 'paste', name: string): Promise<void> {
    await page.evaluate(
      ({ kind, name, bytes }) => {
        const data = new DataTransfer();
        data.items.add(new File([new Uint8Array(bytes)], name, { type: 'image/png' }));
        const options = { bubbles: true, cancelable: true };
        document.body.dispatchEvent(
          kind === 'drop'
            ? new DragEvent('drop', { ...options, dataTransfer: data })
            : new ClipboardEvent('paste', { ...options, clipboardData: data }),
        );
      },
      { kind, name, bytes: [...png(20, 20)] },
    );
  }
});

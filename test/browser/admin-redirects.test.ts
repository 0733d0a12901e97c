import { beforeEach, expect, test } from 'vitest';
import { axeViolations } from './axe.ts';
import { describeInBrowser } from './chromium.ts';
import { faintTexts, namelessControls } from './page-checks.ts';
import { useTab } from './tab.ts';
import { startWritableSite, type WritableSite } from './writable-site.ts';

const FILE = '_redirects.yaml';
const CONTENT = {
  'article/moon.md': '---\ntitle: The moon\npath: /moon\n---\nRises *late* over the harbour.\n',
  'article/tide.md': '---\ntitle: The tide\npath: /sea/tide\n---\nComes in.\n',
  'tag/sky.md': '---\ntitle: Sky\n---\n',
  [FILE]:
    '# By hand\n/old-moon: node--article/moon\n/shop: https://shop.example/\n/gone: node--article/gone\n/moon: /sea/tide\n',
};

describeInBrowser('redirects in the admin', async () => {
  const tab = await useTab();
  const { page } = tab;
  let site: WritableSite;

  beforeEach(async () => {
    site = await startWritableSite({
      content: CONTENT,
      roles: { author: { permissions: [{ actions: ['create', 'update', 'view'], bundles: ['article'] }] } },
    });
  });

  async function open(address: string, name = 'ada'): Promise<void> {
    await tab.open(site, `/admin${address}`, name);
    await page.getByRole('heading', { level: 1 }).waitFor();
  }
  const rows = () => page.getByRole('table', { name: 'Redirects' }).locator('tbody tr');
  const texts = async () =>
    (await rows().allInnerTexts()).map((row) => row.replaceAll(/\s+/g, ' ').replace(/ Remove$/, ''));
  const dialog = () => page.getByRole('dialog');

  test('are listed with their targets and problems, and can be searched', async () => {
    await open('/redirects');
    await rows().first().waitFor();
    expect(await texts()).toEqual([
      '/gone node--article/gone Leads to an entry that does not exist',
      '/moon /sea/tide Not used: a page has this address',
      '/old-moon The moon Article · /moon',
      '/shop https://shop.example/',
    ]);
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('searchbox', { name: 'Search redirects' }).fill('the moon');
    expect(await texts()).toEqual(['/old-moon The moon Article · /moon']);
    await page.getByRole('searchbox').fill('nothing');
    await page.getByText('No redirect matches “nothing”.').waitFor();
  });

  test('are added and removed with the keyboard only', async () => {
    await open('/redirects');
    await rows().first().waitFor();
    const add = page.getByRole('button', { name: 'Add a redirect' });
    await add.focus();
    await page.keyboard.press('Enter');
    await dialog().getByRole('textbox', { name: 'Old address' }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await dialog().getByRole('textbox', { name: 'Old address' }).focus();
    await page.keyboard.type(`${site.origin}/the-old-tide/`);
    await page.keyboard.press('Tab');
    // Words of the text find the page too.
    await page.keyboard.type('comes in');
    await page.getByRole('option', { name: 'The tide' }).waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.getByText('The redirect from /the-old-tide/ is stored.').waitFor();
    expect(await site.read(FILE)).toBe(`${CONTENT[FILE]}/the-old-tide: node--article/tide\n`);
    await expect.poll(() => add.evaluate((button) => button === document.activeElement)).toBe(true);

    await page.getByRole('button', { name: 'Remove: /the-old-tide' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('alertdialog').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('The redirect from /the-old-tide is removed.').waitFor();
    expect(await site.read(FILE)).toBe(CONTENT[FILE]);
  });

  test('that lead nowhere are refused in the words of the interface', async () => {
    await open('/redirects');
    await page.getByRole('button', { name: 'Add a redirect' }).click();
    const [from, to] = [
      dialog().getByRole('textbox', { name: 'Old address' }),
      dialog().getByRole('combobox'),
    ];
    const submit = dialog().getByRole('button', { name: 'Add a redirect' });
    await submit.click();
    await expect.poll(() => dialog().getByText('Enter an address.').count()).toBe(2);
    await from.fill('new-address');
    await to.fill('/new-address');
    await submit.click();
    await dialog().getByText('This leads back to the old address.').waitFor();
    await from.fill('/shop');
    await submit.click();
    await dialog().getByText('There is a redirect from this address already.').waitFor();
  });

  test('come from a changed address', async () => {
    await open('/edit/node/article/tide');
    const address = page.getByRole('textbox', { name: 'Address', exact: true });
    await address.fill('/sea/new-tide');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.locator('.notices').getByText('Saved').first().waitFor();
    expect(await site.read(FILE)).toContain('\n/sea/tide: node--article/tide\n');
    await page.getByRole('link', { name: 'Redirects' }).click();
    await page.getByRole('row', { name: '/sea/tide The tide' }).getByText('/sea/new-tide').waitFor();
  });

  test('are not for accounts that may change some content only', async () => {
    await site.addAccount('wren', ['author']);
    await open('/', 'wren');
    expect(await page.getByRole('link', { name: 'Redirects' }).count()).toBe(0);
    await open('/redirects', 'wren');
    await page.getByText('Redirects are for accounts that may change all content.').waitFor();
  });

  test('are readable on a phone', async () => {
    await open('/redirects');
    await page.setViewportSize({ width: 390, height: 844 });
    await rows().first().waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await page.evaluate(faintTexts)).toEqual([]);
    }
    expect(await page.evaluate(namelessControls)).toEqual([]);
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Add a redirect' }).click();
    await dialog().waitFor();
    expect(await axeViolations(page)).toEqual([]);
    if (process.env.SHOTS) {
      await page.screenshot({ path: `${process.env.SHOTS}/redirects-dialog-390-dark.png` });
      await page.keyboard.press('Escape');
      await page.screenshot({ path: `${process.env.SHOTS}/redirects-390-dark.png` });
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.emulateMedia({ colorScheme: 'light' });
      await page.screenshot({ path: `${process.env.SHOTS}/redirects-1440.png` });
    }
  });
});

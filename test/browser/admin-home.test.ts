import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { createRepository } from '../support/repository.ts';
import { axeViolations } from './axe.ts';
import { describeInBrowser } from './chromium.ts';
import { useTab } from './tab.ts';
import { startWritableSite, type WritableSite } from './writable-site.ts';

const CONTENT = {
  'article/moon.md': '---\ntitle: The moon\npath: /sky\n---\n',
  'article/sun.md': '---\ntitle: The sun\npath: /sky\n---\n',
};

describeInBrowser('the status of the content on the start page', async () => {
  const tab = await useTab();
  const { page } = tab;
  let site: WritableSite;
  const requests: string[] = [];

  beforeAll(async () => {
    page.on('request', (request) => requests.push(new URL(request.url()).pathname));
  });

  async function open(name = 'ada'): Promise<void> {
    requests.length = 0;
    await tab.open(site, '/admin', name);
    await page.locator('[aria-busy]').first().waitFor({ state: 'detached' });
    await page.waitForLoadState('networkidle');
  }
  const problems = () => page.getByRole('region', { name: 'Entries with mistakes' });
  const waiting = () => page.getByRole('region', { name: 'Saved, but not in the history yet' });

  test('lists problems with their places, and leads to the form of the entity', async () => {
    site = await startWritableSite({ content: CONTENT });
    await open();
    const warning = problems().getByRole('listitem').filter({ hasText: 'Warning' });
    expect(await warning.innerText()).toMatch(
      /^Warning\s+The sun\s+Article\s+Another entry has the same address\.\s+Details for developers$/,
    );
    await warning.getByText('Details for developers').click();
    await warning.getByText('article/sun.md:3:7').waitFor();
    await warning.getByText('article/moon.md already has the alias /sky', { exact: false }).waitFor();
    await warning.getByText('Give one of them another path.').waitFor();
    expect(await page.getByText('No entry has mistakes.', { exact: false }).count()).toBe(0);
    await warning.getByRole('link', { name: 'The sun' }).click();
    await page.waitForURL(/\/admin\/edit\/node\/article\/sun$/);
  });

  test('lists redirects that lead nowhere and links to old addresses, until they are corrected', async () => {
    site = await startWritableSite({
      content: {
        'article/moon.md': '---\ntitle: The moon\npath: /moon\n---\n',
        'article/tide.md':
          '---\ntitle: The tide\n---\nSee [the moon](/luna), [itself](/moon#far) and [x](#none).\n',
        '_redirects.yaml': '/luna: node--article/moon\n/gone: node--article/gone\n/moon: /x\n',
      },
    });
    await open();
    const items = async () =>
      (await problems().getByRole('listitem').allInnerTexts()).map((item) =>
        item.replaceAll(/\s+/g, ' ').replace(/^Warning | Details for developers$/g, ''),
      );
    await expect
      .poll(items)
      .toEqual([
        'The tide Article It links to a heading that does not exist. /moon#far #none It links to an old address. /luna',
        '/gone This redirect has no effect. /gone',
        '/moon This redirect has no effect. /moon',
      ]);
    expect(await axeViolations(page)).toEqual([]);
    await problems().getByRole('link', { name: '/gone' }).click();
    await page.getByRole('button', { name: 'Remove: /gone' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('The redirect from /gone is removed.').waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'Home' }).click();
    await problems().waitFor();
    expect((await items()).filter((item) => item.includes('/gone'))).toEqual([]);
  });

  test('lists files that are not committed, until they are', async () => {
    const repository = createRepository();
    const { 'article/moon.md': moon } = CONTENT;
    repository.commit({ 'article/moon.md': moon, 'article/old.md': '---\ntitle: Old\n---\n' });
    writeFileSync(join(repository.content, 'article/moon.md'), moon.replace('The moon', 'The new moon'));
    site = await startWritableSite({ repository });
    await open();
    const changed = waiting().getByRole('listitem').filter({ hasText: 'The new moon' });
    await changed.getByText('changed').waitFor();
    await changed.getByRole('link', { name: 'The new moon' }).waitFor();
    await page.getByText('No entry has mistakes.').waitFor();
    repository.commit({});
    await page.reload();
    await page.getByText('The history of the site has all changes.').waitFor();
    expect(await waiting().count()).toBe(0);
  });

  test('lists drafts of the account, then the drafts of all authors', async () => {
    const draft = (title: string, owner: string) =>
      `---\ntitle: ${title}\nstatus: false\nuid: ${owner}\n---\n`;
    site = await startWritableSite({
      content: { 'article/mine.md': draft('Mine', 'ada'), 'article/yours.md': draft('Yours', 'eve') },
    });
    await open();
    const region = (name: string) => page.getByRole('region', { name, exact: true }).getByRole('listitem');
    expect(await region('My drafts').allInnerTexts()).toEqual([expect.stringMatching(/^Mine\b/)]);
    expect((await region('Drafts').allInnerTexts()).map((row) => row.split(/\s/)[0]).toSorted()).toEqual([
      'Mine',
      'Yours',
    ]);
  });

  test('says once that the status cannot be read, without errors of scripts', async () => {
    site = await startWritableSite({ content: CONTENT });
    await page.route('**/jsonapi/_status', (route) => route.fulfill({ status: 503 }));
    await open();
    await page.getByRole('alert').filter({ hasText: '503' }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(1);
    await page.unroute('**/jsonapi/_status');
  });

  test('says why commits wait', async () => {
    const repository = createRepository();
    repository.commit({ 'article/moon.md': CONTENT['article/moon.md'] });
    site = await startWritableSite({ repository });
    repository.git('checkout', '-q', '--detach');
    await open();
    await page.goto(`${site.origin}/admin/edit/node/article/moon`);
    await page.getByRole('textbox', { name: 'Title' }).fill('The full moon');
    await page.keyboard.press('Control+s');
    await page.getByText('is saved.', { exact: false }).waitFor();
    await eventually(async () => {
      await page.goto(`${site.origin}/admin`);
      await waiting().waitFor();
      expect(await waiting().innerText()).toContain('No branch is checked out');
    });
    // The title is loaded after the list.
    await waiting().getByText('The full moon').waitFor();
    expect(await waiting().innerText()).toMatch(/cannot be committed at the moment.*The full moon/s);
  });

  test('is not requested for an account that cannot change content', async () => {
    site = await startWritableSite({ content: CONTENT });
    await open('eve');
    await page.getByRole('heading', { name: 'Recently changed' }).waitFor();
    expect(requests.filter((path) => path.endsWith('/_status'))).toEqual([]);
    expect(await problems().count()).toBe(0);
  });

  test('fits into 360 px and has no faults for axe, in light and dark', async () => {
    const repository = createRepository();
    repository.commit(CONTENT);
    for (const [file, text] of Object.entries(CONTENT)) {
      writeFileSync(join(repository.content, file), `${text}Changed.\n`);
    }
    site = await startWritableSite({ repository });
    await open();
    await page.setViewportSize({ width: 360, height: 780 });
    await problems().waitFor();
    await waiting().waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    expect(await axeViolations(page)).toEqual([]);
  });
});

import type { Page } from 'playwright-core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PASSWORD } from '../support/sign-in-site.ts';
import { axeViolations } from './axe.ts';
import { describeInBrowser } from './chromium.ts';
import { watchFaults } from './page-checks.ts';
import { useTab } from './tab.ts';
import { walkWithUnsentChanges } from './unsent-walk.ts';
import { startWritableSite, type WritableSite } from './writable-site.ts';

describeInBrowser('unsent changes in several tabs', async () => {
  const tab = await useTab();
  const { browser, faults, page } = tab;
  const context = page.context();
  let site: WritableSite;

  beforeEach(async () => {
    site = await startWritableSite();
    await tab.open(site, '/admin', 'ada');
    await heading(page, 'Home').waitFor();
  });
  afterEach(async () => {
    await Promise.all(context.pages().map((each) => (each === page ? undefined : each.close())));
  });

  const MOON = '/edit/node/article/moon';
  const heading = (of: Page, name: string) => of.getByRole('heading', { name, exact: true });
  const field = (of: Page, name: string) => of.getByRole('textbox', { name, exact: true });
  const notice = (of: Page, text: string) => of.locator('.notices').getByText(text).waitFor();
  const unsent = (of: Page) => of.getByRole('region', { name: 'Unsaved changes in this browser' });

  /** Opens a form in another tab of the browser. */
  async function openTabAt(address: string): Promise<Page> {
    const other = await context.newPage();
    watchFaults(other, faults);
    await other.goto(`${site.origin}/admin${address}`);
    await field(other, 'Title').waitFor();
    return other;
  }
  async function type(of: Page, name: string, value: string): Promise<void> {
    await field(of, name).fill(value);
    await of.locator('header').getByText('Unsaved changes').waitFor();
  }
  async function save(of: Page, title: string): Promise<void> {
    await of.keyboard.press('Control+s');
    await notice(of, `“${title}” is saved.`);
  }

  test('a save in one tab keeps unsaved changes of the same entry in another tab', async () => {
    const [one, other] = [await openTabAt(MOON), await openTabAt(MOON)];
    await type(other, 'Title', 'The new moon');
    await type(one, 'Summary', 'About the moon');
    await save(one, 'The moon');
    await other.reload();
    await other.getByText(/^Your unsaved changes from .* are back\.$/).waitFor();
    expect(await field(other, 'Title').inputValue()).toBe('The new moon');
    expect(await field(other, 'Summary').inputValue()).toBe('About the moon');
    await save(other, 'The new moon');
    expect(await site.read('article/moon.md')).toMatch(/title: The new moon[\s\S]*About the moon/);
  });

  test('changes of two closed tabs of one entry come back together', async () => {
    const [one, other] = [await openTabAt(MOON), await openTabAt(MOON)];
    await type(one, 'Summary', 'About the moon');
    await type(other, 'Title', 'The new moon');
    await one.close();
    await other.close();
    const again = await openTabAt(MOON);
    await again.getByText(/^Your unsaved changes from .* are back\.$/).waitFor();
    expect(await field(again, 'Title').inputValue()).toBe('The new moon');
    expect(await field(again, 'Summary').inputValue()).toBe('About the moon');
    await save(again, 'The new moon');
    await again.goto(`${site.origin}/admin`);
    await heading(again, 'Home').waitFor();
    expect(await unsent(again).count()).toBe(0);
  });

  test('closed tabs with different texts in the same field ask which text to keep', async () => {
    const [one, other] = [await openTabAt(MOON), await openTabAt(MOON)];
    await type(one, 'Title', 'The old moon');
    await type(other, 'Title', 'The new moon');
    await one.close();
    await other.close();
    const again = await openTabAt('/edit/node/person/omar');
    await again.goto(`${site.origin}/admin${MOON}`);
    const conflict = again.getByRole('group', { name: 'Another tab has changed this too' });
    await conflict.waitFor();
    expect(await conflict.innerText()).toMatch(
      /The old moon[\s\S]*The new moon|The new moon[\s\S]*The old moon/,
    );
    expect(await axeViolations(again)).toEqual([]);
    await again.getByRole('button', { name: 'Keep mine' }).click();
    await conflict.waitFor({ state: 'hidden' });
    const title = await field(again, 'Title').inputValue();
    expect(['The old moon', 'The new moon']).toContain(title);
    await save(again, title);
    expect(await site.read('article/moon.md')).toContain(`title: ${title}`);
  });

  test('each new entry of a type has its own form, and the start page opens each', async () => {
    const [one, other] = [await openTabAt('/new/node/article'), await openTabAt('/new/node/article')];
    await type(one, 'Title', 'First idea');
    expect(await field(other, 'Title').inputValue()).toBe('');
    await type(other, 'Title', 'Second idea');
    await other.reload();
    await other.getByText(/^Your unsaved changes from .* are back\.$/).waitFor();
    expect(await field(other, 'Title').inputValue()).toBe('Second idea');
    await one.getByRole('button', { name: 'Save draft' }).click();
    await notice(one, '“First idea” is saved.');
    await other.reload();
    await other.getByText(/^Your unsaved changes from .* are back\.$/).waitFor();
    expect(await field(other, 'Title').inputValue()).toBe('Second idea');
    await other.close();
    const third = await openTabAt('/new/node/article');
    expect(await field(third, 'Title').inputValue()).toBe('');
    await type(third, 'Title', 'Third idea');
    await third.close();
    await page.goto(`${site.origin}/admin`);
    await unsent(page).waitFor();
    expect(await unsent(page).getByRole('link').allInnerTexts()).toEqual(['Third idea', 'Second idea']);
    for (const title of ['Second idea', 'Third idea']) {
      await page.goto(`${site.origin}/admin`);
      await unsent(page).getByRole('link', { name: title }).click();
      await page.getByText(/^Your unsaved changes from .* are back\.$/).waitFor();
      expect(await field(page, 'Title').inputValue()).toBe(title);
      const discard = page.getByRole('button', { name: 'Discard them' });
      await discard.click();
      await discard.waitFor({ state: 'hidden' });
    }
    await page.goto(`${site.origin}/admin`);
    await heading(page, 'Home').waitFor();
    expect(await unsent(page).count()).toBe(0);
  });

  test('tabs of one entry report each other, and show changes that another tab saved at once', async () => {
    const [one, other] = [await openTabAt(MOON), await openTabAt(MOON)];
    await type(other, 'Title', 'The new moon');
    await one.getByText('Another tab has unsaved changes of this entry: Title.').waitFor();
    expect(await axeViolations(one)).toEqual([]);
    await type(one, 'Summary', 'About the moon');
    await other.getByText('Another tab has unsaved changes of this entry: Text.').waitFor();
    await save(one, 'The moon');
    await expect.poll(() => field(other, 'Summary').inputValue()).toBe('About the moon');
    expect(await field(other, 'Title').inputValue()).toBe('The new moon');
    await save(other, 'The new moon');
    await heading(one, 'The new moon').waitFor();
    expect(await one.getByText('Another tab has unsaved changes').count()).toBe(0);
    expect(await site.read('article/moon.md')).toMatch(/title: The new moon[\s\S]*About the moon/);
  });

  test('a save that found the session ended is sent again after signing in', async () => {
    await page.goto(`${site.origin}/admin${MOON}`);
    await type(page, 'Title', 'The new moon');
    await context.clearCookies();
    await page.keyboard.press('Control+s');
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await notice(page, '“The new moon” is saved.');
    expect(await page.locator('.problems').count()).toBe(0);
    expect(await site.read('article/moon.md')).toContain('title: The new moon');
    expect(await page.locator('header').getByText('Unsaved changes').count()).toBe(0);
  });

  test('a new entry is created after signing in again', async () => {
    await page.goto(`${site.origin}/admin/new/node/tag`);
    await type(page, 'Title', 'Sand');
    await context.clearCookies();
    await page.getByRole('button', { name: 'Save draft' }).click();
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await notice(page, '“Sand” is saved.');
    expect(await page.locator('.problems').count()).toBe(0);
    expect(await site.read('tag/sand.md')).toContain('title: Sand');
  });

  test('two tabs, reloads, failures and ended sessions at random moments lose nothing', async () => {
    await walkWithUnsentChanges(await browser.newContext(), site, {
      seed: Number(process.env.FC_SEED),
      steps: 30,
    });
  });
});

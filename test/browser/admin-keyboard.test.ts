import { beforeEach, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { PASSWORD } from '../support/sign-in-site.ts';
import { describeInBrowser } from './chromium.ts';
import { useTab } from './tab.ts';
import { startWritableSite, type WritableSite } from './writable-site.ts';

describeInBrowser('the admin by keyboard alone', async () => {
  const tab = await useTab();
  const { page } = tab;
  let site: WritableSite;

  beforeEach(async () => {
    site = await startWritableSite();
  });

  async function open(address: string): Promise<void> {
    await tab.open(site, `/admin${address}`, 'ada');
    await page.getByRole('textbox', { name: 'Text', exact: true }).waitFor();
  }
  /** Presses keys one after another. The focus must be visible after each. */
  async function press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      await page.keyboard.press(key);
      await expectVisibleFocus();
    }
  }
  /** Presses a key until the element with this name has the focus. */
  async function moveTo(name: string | RegExp, key = 'Tab'): Promise<void> {
    const passed: string[] = [];
    while (passed.length < 80) {
      await press(key);
      const focused = await page.evaluate(focusedName);
      if (typeof name === 'string' ? focused === name : name.test(focused)) return;
      passed.push(focused);
    }
    throw new Error(`The focus does not get to ${name}, only to: ${passed.join(', ')}`);
  }
  async function expectVisibleFocus(): Promise<void> {
    await eventually(async () => expect(await page.evaluate(focusProblem)).toBeUndefined());
  }
  async function expectFocus(name: string | RegExp): Promise<void> {
    await eventually(async () => expect(await page.evaluate(focusedName)).toMatch(name));
    await expectVisibleFocus();
  }
  /** Chooses an item of the command palette. */
  async function command(typed: string, item: string): Promise<void> {
    await press('Control+k');
    await page.locator('.palette input:focus').waitFor();
    await page.keyboard.type(typed);
    await page.locator('.palette-item[data-selected]', { hasText: item }).waitFor();
    await page.keyboard.press('Enter');
  }
  const notice = (text: string) => page.locator('.notices').getByText(text).last().waitFor();

  test('writes, tags, publishes, finds, changes and deletes an article', async () => {
    await tab.open(site, '/admin');
    await expectFocus(/name/i);
    await page.keyboard.type('ada');
    await press('Tab');
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Home' }).waitFor();

    await command('new art', 'New Article');
    await expectFocus('Title');
    await page.keyboard.type('Spring tide');
    await page.getByRole('textbox', { name: 'Text', exact: true }).waitFor();
    await moveTo('Text');
    await page.keyboard.type('Higher *than* usual.');
    await press('Escape');
    await moveTo('Tags');
    await page.keyboard.type('sk');
    await page.getByRole('option', { name: /^Sky/ }).waitFor();
    await press('Enter');
    await expectFocus('Tags');
    await page.keyboard.type('se');
    await page.getByRole('option', { name: /^Sea/ }).waitFor();
    await press('Enter');
    await expectFocus('Tags');
    await moveTo('Move Sea', 'Shift+Tab');
    await press('ArrowUp');
    await expectFocus('Move Sea');
    await press('Control+s');
    await notice('“Spring tide” is saved.');
    await expectVisibleFocus();
    expect(await site.read('article/spring-tide.md')).toMatch(/status: false.*field_tags: \[sea, sky\]/s);
    await press('Control+Enter');
    await notice('“Spring tide” is published.');
    await expectVisibleFocus();
    expect(await site.read('article/spring-tide.md')).not.toContain('status:');

    await command('home', 'Home');
    await expectFocus(/Home/);
    await command('spring', 'Spring tide');
    await expectFocus(/Spring tide|Title/);
    await moveTo('Title');
    await press('End');
    await page.keyboard.type('s');
    await press('Control+s');
    await notice('“Spring tides” is saved.');
    await expectFocus('Title');
    expect(await site.read('article/spring-tide.md')).toContain('title: Spring tides\n');

    await command('unpublish', 'Unpublish');
    await notice('“Spring tides” is no longer published.');
    await expectFocus('Title');
    expect(await site.read('article/spring-tide.md')).toContain('status: false');
    await command('publish', 'Publish');
    await notice('“Spring tides” is published.');
    await expectFocus('Title');
    expect(await site.read('article/spring-tide.md')).not.toContain('status:');
    await command('delete', 'Delete …');
    await expectFocus('Cancel');
    await press('Escape');
    await expectFocus('Title');

    await moveTo('More actions', 'Shift+Tab');
    await press('Enter');
    await moveTo('Delete …', 'ArrowDown');
    await press('Enter');
    await expectFocus('Cancel');
    await press('Escape');
    await expectFocus('More actions');
    await press('Enter');
    await moveTo('Delete …', 'ArrowDown');
    await press('Enter');
    await moveTo('Delete');
    await page.keyboard.press('Enter');
    await notice('“Spring tides” is deleted.');
    await page.waitForURL(/\/admin\/content/);
    await expectFocus(/Article/);
    expect(await site.read('article/spring-tide.md')).toBe('');
  });

  test('keeps the cursor while a new article is saved', async () => {
    await open('/new/node/article');
    await expectFocus('Title');
    await page.keyboard.type('Ebb');
    await moveTo('Text');
    await page.keyboard.type('One two');
    await press('ArrowLeft', 'ArrowLeft', 'ArrowLeft');
    await press('Control+s');
    await page.waitForURL(/\/edit\/node\/article\/ebb$/);
    await page.keyboard.type('and ');
    await press('Control+s');
    await eventually(async () => expect(await site.read('article/ebb.md')).toMatch(/---\nOne and two\n$/));
    await press('Control+z');
    await expectFocus('Text');
  });

  test('moves the focus to a neighbour when the focused control is removed', async () => {
    await open('/edit/node/article/moon');
    await moveTo('Title');
    await press('Control+k', 'Escape');
    await expectFocus('Title');
    await page.keyboard.type('!');
    await moveTo('Undo the change of Title', 'Shift+Tab');
    await press('Enter');
    await expectFocus('Title');
    await moveTo('Remove late');
    await press('Enter');
    await expectFocus('Remove round');
    await press('Enter');
    await expectFocus(/^Add ?Words/);
    await moveTo('Save', 'Shift+Tab');
    await press('Enter');
    await notice('“The moon” is saved.');
    await expectFocus('Save');

    await moveTo('Rating');
    await press('Control+a');
    await page.keyboard.type('9');
    await press('Control+s');
    await page.getByText('Not saved. Your changes are kept in this browser.').waitFor();
    await moveTo('Rating');
    await press('Enter');
    await expectFocus('Rating');
    await press('Control+a');
    await page.keyboard.type('5');
    await site.write(
      'article/moon.md',
      (await site.read('article/moon.md')).replace('rating: 3', 'rating: 4'),
    );
    await press('Control+s');
    await page.getByText('Choose which version to keep: Rating.').waitFor();
    await expectFocus(/^Someone else has changed this too$/);
    await moveTo('Keep mine');
    await press('Enter');
    await expectFocus('Rating');

    await page.reload();
    await page.getByText(/^Your unsaved changes from .* are back\.$/).waitFor();
    await moveTo('Discard them');
    await press('Enter');
    await page.locator('main:focus').waitFor();
    await page.context().clearCookies();
    await moveTo('Title');
    await page.keyboard.type('New: ');
    await press('Control+s');
    await expectFocus(/Name|Password/);
    await moveTo('Password');
    await page.keyboard.type(PASSWORD);
    await press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await expectFocus('Title');
  });
});

/** The name of the focused element. Runs in the page. */
function focusedName(): string {
  const element = document.activeElement;
  if (element === null || element === document.body) return '';
  const labels = (element as HTMLInputElement).labels;
  const text = element.getAttribute('aria-label') ?? labels?.[0]?.textContent ?? element.textContent ?? '';
  return text.replace('*', '').trim();
}

/** Why the focus cannot be seen; undefined if it can. Runs in the page. */
function focusProblem(): string | undefined {
  const element = document.activeElement;
  if (element === null || element === document.body) return 'Nothing has the focus.';
  const box = element.getBoundingClientRect();
  if (box.width === 0 || box.height === 0)
    return `${element.outerHTML.slice(0, 80)} has the focus and no size.`;
  // A screen that has just been shown has the focus as a whole, and the browser marks the parts of a date.
  if (element.matches('main, input[type^=date]')) return undefined;
  const marks = [element, ...(element.closest('.body-editor') ? [element.closest('.body-editor')!] : [])];
  const isMarked = marks.some((marked) => {
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(marked);
    return boxShadow !== 'none' || (outlineStyle !== 'none' && Number.parseFloat(outlineWidth) > 0);
  });
  const isHighlighted = element.matches('[data-highlighted], [role=dialog], [role=menu], [role=alertdialog]');
  return isMarked || isHighlighted
    ? undefined
    : `${element.outerHTML.slice(0, 80)} has the focus without a mark.`;
}

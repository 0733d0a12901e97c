import { beforeEach, expect, test } from 'vitest';
import { png } from '../support/pictures.ts';
import { PASSWORD } from '../support/sign-in-site.ts';
import { axeViolations } from './axe.ts';
import { describeInBrowser } from './chromium.ts';
import { useTab } from './tab.ts';
import { startWritableSite, type WritableSite } from './writable-site.ts';

describeInBrowser('the edit form of the admin', async () => {
  const tab = await useTab();
  const { page } = tab;
  const context = page.context();
  let site: WritableSite;

  beforeEach(async () => {
    site = await startWritableSite();
  });

  async function open(address: string): Promise<void> {
    await tab.open(site, `/admin${address}`, 'ada');
    await field('Title').waitFor();
  }
  /** Changes a file as a text editor does. */
  async function edit(key: string, from: string, to: string): Promise<void> {
    await site.write(key, (await site.read(key)).replace(from, to));
  }
  const field = (name: string) => page.getByRole('textbox', { name, exact: true });
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const notice = (text: string) => page.locator('.notices').getByText(text).waitFor();

  test('saves a changed title with the keyboard, changes one line of the file, and stays in the form', async () => {
    await open('/edit/node/article/moon');
    const before = await site.read('article/moon.md');
    await field('Title').fill('The new moon');
    await page.keyboard.press('Control+s');
    await notice('“The new moon” is saved.');
    expect(await site.read('article/moon.md')).toBe(before.replace('The moon #', 'The new moon #'));
    await field('Text').fill('Sets *early*.');
    await page.keyboard.press('Control+s');
    await page.getByText('Unsaved changes').waitFor({ state: 'hidden' });
    expect(await site.read('article/moon.md')).toContain('---\nSets *early*.\n');
  });

  test('creates a draft, publishes it, and takes it down again', async () => {
    await open('/new/node/article');
    await field('Title').fill('Low water');
    await button('Save draft').click();
    await notice('“Low water” is saved.');
    await page.waitForURL(/\/admin\/edit\/node\/article\/low-water$/);
    expect(await site.read('article/low-water.md')).toContain('status: false');
    await field('Text').fill('All *dry*.');
    await page.keyboard.press('Control+Enter');
    await notice('“Low water” is published.');
    // Most published files of the bundle have no status.
    expect(await site.read('article/low-water.md')).toBe(
      '---\ntitle: Low water\nuid: ada\n---\nAll *dry*.\n',
    );
    await button('Unpublish').click();
    await notice('“Low water” is no longer published.');
    expect(await site.read('article/low-water.md')).toContain('status: false');
  });

  test('deletes after a confirmation', async () => {
    await open('/edit/node/person/omar');
    await button('More actions').click();
    await page.getByRole('menuitem', { name: 'Delete …' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await notice('“Omar Reed” is deleted.');
    expect(await site.read('person/omar.md')).toBe('');
  });

  test('shows all errors at their fields, and keeps the typed values', async () => {
    await open('/edit/node/article/moon');
    await field('Rating').fill('9');
    await field('Words 1').fill('x');
    await page.keyboard.press('Control+s');
    await page.getByText('Not saved. Your changes are kept in this browser.').waitFor();
    expect(await field('Rating').getAttribute('aria-invalid')).toBe('true');
    expect(await page.locator('#field-field_rating-error').innerText()).toMatch(/Too big/);
    expect(await page.locator('#field-field_words-error').innerText()).toMatch(/^1: Too small/);
    await page.locator('.problems').getByRole('button', { name: 'Rating' }).click();
    expect(await field('Rating').evaluate((input) => document.activeElement === input)).toBe(true);
    await field('Rating').fill('4');
    await field('Words 1').fill('later');
    await page.keyboard.press('Control+s');
    await notice('“The moon” is saved.');
    expect(await site.read('article/moon.md')).toContain('field_words: [later, round]\nfield_rating: 4\n');
  });

  test('errors of the schema are in the language of the interface', async () => {
    await open('/edit/node/article/moon');
    await page.evaluate(() => localStorage.setItem('astro-jsonapi:language', 'de'));
    await page.reload();
    await field('Rating').fill('9');
    await page.keyboard.press('Control+s');
    await page.locator('#field-field_rating-error').getByText('Dieser Wert passt nicht: Too big').waitFor();
    await page.evaluate(() => localStorage.removeItem('astro-jsonapi:language'));
  });

  test('asks for the values of required fields', async () => {
    await open('/new/node/article');
    await field('Rating').fill('3');
    await page.keyboard.press('Control+s');
    await page.getByText('Not saved. Your changes are kept in this browser.').waitFor();
    expect(await page.locator('#field-title-error').innerText()).toBe('Fill in this field.');
  });

  test('finds references by title, creates a missing one, and sorts them with the arrow keys', async () => {
    await open('/edit/node/article/moon');
    await page.getByRole('list', { name: 'Tags' }).getByText('Sky').waitFor();
    const search = page.getByRole('combobox', { name: 'Tags' });
    await search.fill('se');
    await page.getByRole('option', { name: /^Sea/ }).click();
    await search.fill('Tides');
    await page.getByRole('option', { name: 'Create “Tides”' }).click();
    const dialog = page.getByRole('dialog', { name: 'New Tag' });
    expect(await dialog.getByRole('textbox', { name: 'Title' }).inputValue()).toBe('Tides');
    const title = dialog.getByRole('textbox', { name: 'Title' });
    await title.fill('');
    await page.keyboard.press('Enter');
    await dialog.getByText('Fill in this field.').waitFor();
    expect(await title.evaluate((input) => document.activeElement === input)).toBe(true);
    await title.fill('Tides');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'hidden' });
    await button('Move Tides').focus();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await button('Remove Sky').click();
    await page.keyboard.press('Control+s');
    await notice('“The moon” is saved.');
    expect(await site.read('article/moon.md')).toContain('field_tags: [tides, sea]\n');
    expect(await site.read('tag/tides.md')).toBe('---\ntitle: Tides\nuid: ada\n---\n');
  });

  test('reads an entity and its permissions once', async () => {
    const requests: string[] = [];
    page.on('request', (request) => {
      if (/\/jsonapi\/node\/article\/moon(?:\?|$)/.test(request.url())) requests.push(request.method());
    });
    await open('/edit/node/article/moon');
    await page.waitForLoadState('networkidle');
    expect(requests.sort()).toEqual(['GET', 'OPTIONS']);
  });

  test('unsent changes survive a reload, and can be discarded', async () => {
    await open('/edit/node/article/moon');
    await field('Title').fill('Half');
    await page.getByText('Unsaved changes').waitFor();
    await page.reload();
    await page.getByText(/^Your unsaved changes from .* are back\.$/).waitFor();
    expect(await field('Title').inputValue()).toBe('Half');
    await button('Discard them').click();
    expect(await field('Title').inputValue()).toBe('The moon');
    await page.reload();
    await field('Title').waitFor();
    expect(await field('Title').inputValue()).toBe('The moon');
  });

  test('the last key before a reload is kept', async () => {
    await open('/edit/node/article/moon');
    const reloading = page.waitForEvent('load');
    await field('Title').evaluate((input: HTMLTextAreaElement) => {
      input.value = 'Last';
      input.dispatchEvent(new InputEvent('input', { bubbles: true }));
      location.reload();
    });
    await reloading;
    await page.getByText(/^Your unsaved changes from .* are back\.$/).waitFor();
    expect(await field('Title').inputValue()).toBe('Last');
    await page.keyboard.press('Control+s');
    await notice('“Last” is saved.');
    await page.goto(`${site.origin}/admin`);
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    expect(await page.getByRole('region', { name: 'Unsaved changes in this browser' }).count()).toBe(0);
  });

  test('changes that were saved while the page was closed are not listed as unsaved', async () => {
    await open('/edit/node/article/moon');
    await page.route(API, async (route) => {
      const response = await route.fetch();
      if (route.request().method() === 'PATCH')
        await page.goto(`${site.origin}/admin/edit/node/article/moon`);
      else await route.fulfill({ response });
    });
    await field('Title').fill('The new moon');
    await page.getByText('Unsaved changes').waitFor();
    await page.keyboard.press('Control+s');
    await page.getByRole('heading', { name: 'The new moon' }).waitFor();
    expect(await site.read('article/moon.md')).toContain('title: The new moon');
    await page.unroute(API);
    expect(await page.getByText('Unsaved changes').count()).toBe(0);
    await page.goto(`${site.origin}/admin`);
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    expect(await page.getByRole('region', { name: 'Unsaved changes in this browser' }).count()).toBe(0);
  });

  test('unsent changes of an entry that was deleted meanwhile can be read and discarded', async () => {
    await open('/edit/node/person/omar');
    await field('Title').fill('Omar Weed');
    await field('Text').fill('A long *story*.');
    await page.getByText('Unsaved changes').waitFor();
    await page.evaluate(() => fetch('/jsonapi/node/person/omar', { method: 'DELETE' }));
    await page.reload();
    await page.getByRole('heading', { name: 'This entry does not exist' }).waitFor();
    const unsent = page.getByRole('region', { name: 'Unsaved changes' });
    await unsent.getByText('A long *story*.').waitFor();
    expect(await unsent.innerText()).toMatch(/Title\s+Omar Weed/);
    await button('Discard them').click();
    await unsent.waitFor({ state: 'hidden' });
    await tab.open(site, '/admin', 'ada');
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    expect(await page.getByRole('region', { name: 'Unsaved changes in this browser' }).count()).toBe(0);
  });

  test('a decision that is still to be made is asked for again after a reload and after another change', async () => {
    await open('/edit/node/article/moon');
    await field('Rating').fill('1');
    await edit('article/moon.md', 'field_rating: 3', 'field_rating: 4');
    await page.keyboard.press('Control+s');
    const question = page.getByText('Choose which version to keep: Rating.');
    await question.waitFor();
    await page.reload();
    await question.waitFor();
    await page.evaluate(async () => {
      const data = { type: 'node--article', id: 'moon', attributes: { title: 'Their moon' } };
      const headers = { 'Content-Type': 'application/vnd.api+json' };
      const body = JSON.stringify({ data });
      await fetch('/jsonapi/node/article/moon', { method: 'PATCH', headers, body });
      document.dispatchEvent(new Event('visibilitychange'));
    });
    await page.getByRole('heading', { name: 'Their moon' }).waitFor();
    await page.keyboard.press('Control+s');
    await question.waitFor();
    expect(await site.read('article/moon.md')).toContain('field_rating: 4');
    await button('Take theirs').click();
    await question.waitFor({ state: 'hidden' });
    expect(await field('Rating').inputValue()).toBe('4');
  });

  test('merges changes that others saved meanwhile, and asks only about conflicts', async () => {
    await open('/edit/node/article/moon');
    await field('Text').fill('Rises *late*. Sets *early*.');
    await field('Rating').fill('5');
    await edit('article/moon.md', 'The moon', 'Their moon');
    await page.keyboard.press('Control+s');
    await notice('“Their moon” is saved.');
    await page
      .locator('.form')
      .getByText('Someone else changed Title. Their changes are merged below.')
      .waitFor();
    expect(await site.read('article/moon.md')).toMatch(
      /title: Their moon.*rating: 5.*Rises \*late\*\. Sets/s,
    );

    await field('Rating').fill('1');
    await edit('article/moon.md', 'field_rating: 5', 'field_rating: 4');
    await page.keyboard.press('Control+s');
    await page.getByText('Choose which version to keep: Rating.').waitFor();
    expect(await site.read('article/moon.md')).toContain('field_rating: 4');
    await button('Keep mine').click();
    await page.keyboard.press('Control+s');
    await page.getByText('Unsaved changes').waitFor({ state: 'hidden' });
    expect(await site.read('article/moon.md')).toContain('field_rating: 1');
  });

  test('shows an account without permissions no way to change anything', async () => {
    await tab.open(site, '/admin/edit/node/article/moon', 'eve');
    await page.getByText('You can read this entry but not change it.').waitFor();
    expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0);
    expect(await page.locator('.form .field :is(input, textarea, select)').count()).toBe(0);
  });

  test('asks for each text block that both changed, and merges the others', async () => {
    await open('/edit/node/article/moon');
    await field('Text').fill('One.\n\nTwo.\n\nThree.');
    await page.keyboard.press('Control+s');
    await notice('“The moon” is saved.');
    await field('Text').fill('One!\n\nTwo.\n\nMine.');
    await edit('article/moon.md', 'Two.', 'Two, too.');
    await edit('article/moon.md', 'Three.', 'Theirs.');
    await page.keyboard.press('Control+s');
    const conflict = page.getByRole('group', { name: 'Someone else has changed this too' });
    await conflict.waitFor();
    expect(await conflict.locator('.version').allInnerTexts()).toEqual([
      expect.stringMatching(/^Your version\s+Mine\.$/),
      expect.stringMatching(/^Their version\s+Theirs\.$/),
      expect.stringMatching(/^Before\s+Three\.$/),
    ]);
    await button('Keep both').click();
    await page.keyboard.press('Control+s');
    await page.getByText('Unsaved changes').waitFor({ state: 'hidden' });
    expect(await site.read('article/moon.md')).toContain('---\nOne!\n\nTwo, too.\n\nTheirs.\nMine.\n');
  });

  test('a session that ends and a server that does not respond lose nothing', async () => {
    await open('/edit/node/article/moon');
    await field('Title').fill('The new moon');
    await context.setOffline(true);
    await page.keyboard.press('Control+s');
    await page.locator('.problems').getByText('The server did not respond.').waitFor();
    await context.setOffline(false);
    await context.clearCookies();
    await page.keyboard.press('Control+s');
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'hidden' });
    expect(await field('Title').inputValue()).toBe('The new moon');
    await notice('“The new moon” is saved.');
    expect(await site.read('article/moon.md')).toContain('title: The new moon');
  });

  test('saving waits for uploads', async () => {
    await open('/edit/node/article/moon');
    const { promise: pressed, resolve: press } = Promise.withResolvers<void>();
    await page.route('**/_files?*', async (route) => {
      await pressed;
      await route.continue();
    });
    const file = { event: 'paste' as const, name: 'moon.png', bytes: [...PNG] };
    await field('Text').evaluate(sendFile, file);
    await page.getByRole('checkbox', { name: /^Decorative/ }).check();
    await button('Insert').click();
    await page.keyboard.press('Control+s');
    await button('Saving …').waitFor();
    press();
    await notice('“The moon” is saved.');
    expect(await site.read('article/moon.md')).toContain('![](./moon.png)');
    await page.unroute('**/_files?*');
  });

  test('moves an item of a list by dragging its handle', async () => {
    await open('/edit/node/article/moon');
    await button('Move round').scrollIntoViewIfNeeded();
    const [from, to] = await Promise.all(
      ['Move late', 'Move round'].map((name) => button(name).boundingBox()),
    );
    await page.mouse.move(from!.x + 5, from!.y + 10);
    await page.mouse.down();
    await page.mouse.move(to!.x + 5, to!.y + to!.height, { steps: 4 });
    await page.mouse.up();
    await page.keyboard.press('Control+s');
    await notice('“The moon” is saved.');
    expect(await site.read('article/moon.md')).toContain('field_words: [round, late]');
  });

  test('has no accessibility violation in light and dark, with errors and a conflict', async () => {
    await open('/edit/node/article/moon');
    await page.getByRole('list', { name: 'Tags' }).getByText('Sky').waitFor();
    await button('More actions').click();
    await page.getByRole('menuitem', { name: 'Delete …' }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await button('Add Words').click();
    await field('Rating').fill('9');
    await field('Words 3').fill('x');
    await page.keyboard.press('Control+s');
    await page.locator('#field-field_rating-error').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await edit('article/moon.md', 'rating: 3', 'rating: 4');
    await page.keyboard.press('Control+s');
    await button('Keep mine').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.setViewportSize({ width: 360, height: 800 });
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(overflow).toBeLessThanOrEqual(0);
    expect(await axeViolations(page)).toEqual([]);
  });
});

const PNG = png(30, 20);
const API = '**/jsonapi/node/article/moon';

/** Drops or pastes a file. Runs in the page. */
function sendFile(
  target: Element,
  {
    event,
    name,
    bytes,
  }: { readonly event: 'drop' | 'paste'; readonly name: string; readonly bytes: number[] },
): void {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([new Uint8Array(bytes)], name, { type: 'image/png' }));
  const options = { bubbles: true, cancelable: true };
  target.dispatchEvent(
    event === 'drop'
      ? new DragEvent('drop', { ...options, dataTransfer })
      : new ClipboardEvent('paste', { ...options, clipboardData: dataTransfer }),
  );
}

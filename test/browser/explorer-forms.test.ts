import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { PASSWORD } from '../support/sign-in-site.ts';
import { describeInBrowser } from './chromium.ts';
import { faintTexts, namelessControls } from './page-checks.ts';
import { useTab } from './tab.ts';
import { startWritableSite, type WritableSite } from './writable-site.ts';

describeInBrowser('the forms of the explorer', async () => {
  const tab = await useTab();
  const { page } = tab;
  const context = page.context();
  let site: WritableSite;

  beforeEach(async () => {
    site = await startWritableSite();
  });
  afterEach(async () => {
    await page.unrouteAll();
    for (const other of context.pages()) if (other !== page) await other.close();
  });

  /** Opens the explorer at a hash, as an account if `as` is set. */
  async function open(
    hash: string,
    { as, width = 1440, colorScheme = 'light' }: OpenOptions = { as: 'ada' },
  ): Promise<void> {
    await tab.open(site, `/jsonapi-explorer${hash}`, as);
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    if (as !== undefined) await page.locator('#account').getByText(`Signed in as ${as}`).waitFor();
  }
  const input = (name: string) => page.getByRole('textbox', { name, exact: true });
  const sent = async (): Promise<unknown> =>
    JSON.parse(await page.getByLabel('Document to send').inputValue());
  const waitForStatus = (text: string) => page.locator('#count').getByText(text, { exact: true }).waitFor();

  test('signs in, returns, creates an article with the keyboard, and links to it', async () => {
    await open('#POST/node/article', {});
    await page.locator('#account').getByRole('link', { name: 'Sign in' }).click();
    await page.getByLabel('Name').fill('ada');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.locator('#account').getByText('Signed in as ada').waitFor();
    expect(new URL(page.url()).hash).toBe('#POST/node/article');
    await input('title').fill('Low water');
    const author = page.getByRole('combobox', { name: 'field_author' });
    await author.focus();
    await page.keyboard.type('low');
    await page.getByRole('option', { name: /Jane Low/ }).waitFor();
    await page.keyboard.press('Enter');
    expect(await author.inputValue()).toBe('jane');
    await page.getByRole('button', { name: 'Add to field_tags' }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.type('sea');
    await page.getByRole('option', { name: /Sea/ }).waitFor();
    await page.keyboard.press('Tab');
    await page.getByLabel('field_featured', { exact: true }).selectOption('true');
    await input('field_rating').fill('4');
    await input('body').fill('All *dry*.');
    expect(await sent()).toEqual({
      data: {
        type: 'node--article',
        attributes: {
          title: 'Low water',
          field_featured: true,
          field_rating: 4,
          body: { value: 'All *dry*.' },
        },
        relationships: {
          field_author: { data: { type: 'node--person', id: 'jane' } },
          field_tags: { data: [{ type: 'node--tag', id: 'sea' }] },
        },
      },
    });
    await page.keyboard.press('Control+Enter');
    await waitForStatus('Created');
    await page.getByText('POST 201 Created').waitFor();
    await page.getByRole('link', { name: `${site.origin}/jsonapi/node/article/low-water` }).waitFor();
    expect(await site.read('article/low-water.md')).toContain('title: Low water\n');
    // The form is empty again, and the new article is counted.
    expect(await input('title').inputValue()).toBe('');
    await page.getByRole('link', { name: 'Change it' }).click();
    await waitForStatus('Stored version');
    expect(await input('title').inputValue()).toBe('Low water');
    await page.getByLabel('Method').selectOption('GET');
    await page.locator('#url').fill('/jsonapi/node/article');
    await page.getByRole('button', { name: 'Run' }).click();
    await waitForStatus('2 entities');
    expect(await page.getByLabel('Bundle').locator('option').first().innerText()).toBe('article (2)');
  });

  test('keeps the form and the document in sync, including members that the form does not have', async () => {
    await open('#POST/node/article');
    const box = page.getByLabel('Document to send');
    await box.fill(
      '{"data":{"type":"node--article","attributes":{"title":"By hand","field_words":["ebb","flow"]},"meta":{"kept":1}}}',
    );
    expect(await input('title').inputValue()).toBe('By hand');
    expect(await input('field_words 2').inputValue()).toBe('flow');
    await page.getByRole('button', { name: 'Move field_words 2 up' }).click();
    await input('title').fill('By form');
    expect(await sent()).toEqual({
      data: {
        type: 'node--article',
        meta: { kept: 1 },
        attributes: { title: 'By form', field_words: ['flow', 'ebb'] },
      },
    });
    await box.fill('{"data":');
    await page.getByText('Invalid JSON').waitFor();
    expect(await input('title').inputValue()).toBe('By form');
    await page.keyboard.press('Control+Enter');
    await waitForStatus('Not created');
    await page.getByRole('alert').getByText('400').waitFor();
    await page.getByRole('button', { name: 'Start over' }).click();
    expect(await sent()).toEqual({ data: { type: 'node--article' } });
  });

  test('sends only changed fields, and marks a change until it is sent or undone', async () => {
    await open('#PATCH/node/article/moon');
    await input('field_rating').fill('5');
    await input('field_words 1').fill('early');
    await input('body').fill('Rises early.');
    await input('body: summary').fill('Of the moon.');
    await input('field_words 1').fill('late');
    expect(await sent()).toEqual({
      data: {
        type: 'node--article',
        id: 'moon',
        attributes: { field_rating: 5, body: { value: 'Rises early.', summary: 'Of the moon.' } },
      },
    });
    await page.getByRole('button', { name: 'Undo the change of body' }).click();
    expect(await input('body').inputValue()).toBe('Rises *late*.');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await waitForStatus('Changed');
    expect(await site.read('article/moon.md')).toBe(
      '---\ntitle: The moon # by heart\nfield_author: jane\nfield_tags: [sky]\nfield_words: [late, round]\nfield_rating: 5\n---\nRises *late*.\n',
    );
    await page.getByRole('button', { name: /^Undo/ }).waitFor({ state: 'hidden' });
    // The next change starts from the stored values.
    await page.getByRole('button', { name: 'Remove field_words 2' }).click();
    await page.getByRole('combobox', { name: 'field_author' }).fill('');
    await page.keyboard.press('Control+Enter');
    // The status of the first change may still show.
    await eventually(async () => {
      expect(await site.read('article/moon.md')).toContain('field_words: [late]');
      expect(await site.read('article/moon.md')).not.toContain('jane');
    });
  });

  test('shows every validation error at its input', async () => {
    await open('#POST/node/article');
    await input('field_rating').fill('9');
    await page.getByRole('button', { name: 'Add to field_words' }).click();
    await page.getByRole('button', { name: 'Add to field_words' }).click();
    // The first row is empty and not sent, so the error names position 0 for the second row.
    await input('field_words 2').fill('x');
    await input('field_moment').fill('soon');
    await page.getByRole('combobox', { name: 'field_source' }).fill('person/nobody');
    await page.getByRole('button', { name: 'Create' }).click();
    await waitForStatus('Not created');
    for (const wrong of [
      input('field_rating'),
      input('field_words 2'),
      input('field_moment'),
      page.getByRole('combobox', { name: 'field_source' }),
    ]) {
      expect(await wrong.getAttribute('aria-invalid')).toBe('true');
      const described = await wrong.getAttribute('aria-describedby');
      expect(await page.locator(`#${described}`).innerText()).not.toBe('');
    }
    expect(await input('field_words 1').getAttribute('aria-invalid')).toBe(null);
    // The first invalid input has the focus.
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-invalid'))).toBe('true');
  });

  test('keeps unsent changes after a 412 and shows the new version', async () => {
    await open('#PATCH/node/article/moon');
    await input('title').fill('Mine');
    const before = await site.read('article/moon.md');
    await site.write('article/moon.md', before.replace('field_rating: 3', 'field_rating: 1'));
    await page.keyboard.press('Control+Enter');
    await waitForStatus('Not changed');
    await page.getByText('PATCH 412').waitFor();
    await page.getByRole('alert').getByText('If-Match').waitFor();
    await page.getByRole('button', { name: 'Load the new version' }).click();
    await waitForStatus('Stored version');
    expect([await input('title').inputValue(), await input('field_rating').inputValue()]).toEqual([
      'Mine',
      '1',
    ]);
    await page.keyboard.press('Control+Enter');
    await waitForStatus('Changed');
    expect(await site.read('article/moon.md')).toContain('title: Mine # by heart\n');
    expect(await site.read('article/moon.md')).toContain('field_rating: 1\n');
  });

  test('asks for confirmation before a deletion, and shows why one fails', async () => {
    await open('#DELETE/node/person/jane');
    await waitForStatus('Stored version');
    await page.getByRole('button', { name: 'Delete …' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Delete “Jane Low”?' });
    await dialog.getByText('node--person jane').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await waitForStatus('Stored version');
    await page.keyboard.press('Control+Enter');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await waitForStatus('Not deleted');
    await page.getByRole('alert').getByText("node--article 'moon'").waitFor();
    await page.getByRole('combobox', { name: 'Entity' }).fill('oma');
    await page.getByRole('option', { name: /Omar Reed/ }).click();
    await page.waitForURL(/#DELETE\/node\/person\/omar$/);
    await waitForStatus('Stored version');
    await page.getByRole('button', { name: 'Delete …' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await waitForStatus('Deleted');
    await page.getByText('DELETE 204').waitFor();
    await page.getByText('node--person omar is deleted.').waitFor();
    expect(await site.read('person/omar.md')).toBe('');
  });

  test('uploads a file for a field', async () => {
    await open('#POST/node/article');
    await page.getByLabel('field_cover: upload').setInputFiles({
      name: 'New moon.png',
      mimeType: 'image/png',
      buffer: Buffer.from('no picture'),
    });
    await page.getByText('Upload failed:').waitFor();
    await page.getByLabel('field_cover: upload').setInputFiles({
      name: 'New moon.png',
      mimeType: 'image/png',
      buffer: PNG,
    });
    await page.getByText('Uploaded.').waitFor();
    expect(await input('field_cover').inputValue()).toBe('content://article/new-moon.png');
    await input('field_cover: alternative text').fill('A new moon');
    await input('title').fill('New moon');
    await page.getByRole('button', { name: 'Create' }).click();
    await waitForStatus('Created');
    expect(await site.read('article/new-moon.md')).toContain('alt: A new moon');
  });

  test('changes a relationship by its document, and shows the request as code', async () => {
    await open('#POST/node/article/moon/relationships/field_tags');
    expect(await sent()).toEqual({ data: [expect.objectContaining({ id: 'sky' })] });
    await page.getByLabel('Document to send').fill('{"data":[{"type":"node--tag","id":"sea"}]}');
    const curl = await page.getByLabel('curl', { exact: true }).innerText();
    expect(curl).toBe(
      `curl -X POST '${site.origin}/jsonapi/node/article/moon/relationships/field_tags' \\\n  -u 'ada' \\\n  -H 'Content-Type: application/vnd.api+json' \\\n  -d '{"data":[{"type":"node--tag","id":"sea"}]}'`,
    );
    await page.keyboard.press('Control+Enter');
    await page.getByText('POST 200').waitFor();
    expect(await site.read('article/moon.md')).toContain('field_tags: [sky, sea]');
  });

  test('explains missing permissions and links to the sign-in page', async () => {
    await open('#POST/node/article', {});
    await page.locator('#account').getByText('Not signed in').waitFor();
    await page.getByText('Sign in to create content of type node--article').waitFor();
    expect(await page.locator('#builder').getByRole('link', { name: 'Sign in' }).getAttribute('href')).toBe(
      `/user/login?destination=${encodeURIComponent('/jsonapi-explorer#POST/node/article')}`,
    );
    expect(await page.getByLabel('Document to send').count()).toBe(0);
    await open('#PATCH/node/article/moon', { as: 'eve' });
    await page.getByText("eve is not allowed to change 'moon'.").waitFor();
    await page.getByLabel('Method').selectOption('DELETE');
    await page.getByRole('button', { name: 'Delete …' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('DELETE 403').waitFor();
    await page.getByRole('link', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
  });

  test('keeps unsent changes when the session ends, and sends them after signing in in another tab', async () => {
    await open('#PATCH/node/article/moon');
    await input('title').fill('New moon');
    const other = await context.newPage();
    await other.goto(`${site.origin}/user/logout`);
    await other.getByRole('button', { name: 'Sign out' }).click();
    await page.keyboard.press('Control+Enter');
    await page.getByText('PATCH 401').waitFor();
    await page.locator('#account').getByText('Not signed in').waitFor();
    const opening = context.waitForEvent('page');
    await page.locator('#response').getByRole('link', { name: 'Sign in' }).click();
    const signIn = await opening;
    await signIn.getByLabel('Name').fill('ada');
    await signIn.getByLabel('Password').fill(PASSWORD);
    await signIn.keyboard.press('Enter');
    await signIn.locator('#account').getByText('Signed in as ada').waitFor();
    expect(await input('title').inputValue()).toBe('New moon');
    await input('title').focus();
    await page.keyboard.press('Control+Enter');
    await waitForStatus('Changed');
    await page.locator('#account').getByText('Signed in as ada').waitFor();
    expect(await site.read('article/moon.md')).toContain('title: New moon # by heart');
  });

  test('offers only the fields that an account may change', async () => {
    const roles = {
      authenticated: {
        permissions: [
          { actions: ['view' as const], bundles: '*' as const },
          { actions: ['update' as const], bundles: ['article'], fields: { change: ['title', 'field_tags'] } },
        ],
      },
    };
    site = await startWritableSite({ roles });
    await open('#PATCH/node/article/moon', { as: 'eve' });
    await waitForStatus('Stored version');
    const names = page.locator('#values .field-name');
    expect(await names.allInnerTexts()).toEqual(['title', 'field_tags']);
  });

  test('keeps unsent changes while a query is shown', async () => {
    await open('#POST/node/article');
    await input('title').fill('Not yet');
    await page.getByLabel('Method').selectOption('GET');
    await waitForStatus('1 entity');
    expect(await page.getByLabel('Document to send').count()).toBe(0);
    await page.goBack();
    await input('title').waitFor();
    expect(await input('title').inputValue()).toBe('Not yet');
    expect(await sent()).toMatchObject({ data: { attributes: { title: 'Not yet' } } });
  });

  test('a read-only site offers no methods, and explains a link with one', async () => {
    site = await startWritableSite({ readOnly: true });
    await open('#POST/node/article');
    await page.getByText('This site is read-only').waitFor();
    expect(await page.getByLabel('Method').isVisible()).toBe(false);
  });

  test('shows the state of a job until it ends', async () => {
    let status = 'pending';
    const href = `${site.origin}/jsonapi/_jobs/7`;
    await open('#PATCH/node/article/moon');
    await page.route('**/jsonapi/node/article/moon', async (route) => {
      if (route.request().method() !== 'PATCH') return route.continue();
      const job = { id: '7', status, links: { self: { href } } };
      return route.fulfill({ status: 202, json: { data: null, meta: { job } } });
    });
    await page.route('**/jsonapi/_jobs/7', (route) => {
      const attributes = { status, commit: status === 'pending' ? null : 'abc123' };
      return route.fulfill({
        json: { data: { type: 'job', id: '7', attributes, links: { self: { href } } } },
      });
    });
    await input('title').fill('Soon');
    await page.keyboard.press('Control+Enter');
    await waitForStatus('Changed, job in progress');
    await page.getByText('Job: pending').waitFor();
    await page.getByRole('link', { name: href }).waitFor();
    status = 'committed';
    await page.getByText('Job: committed').waitFor();
    await page.getByText('commit abc123').waitFor();
  });

  test.each([
    [1440, 'light'],
    [1440, 'dark'],
    [360, 'light'],
    [360, 'dark'],
  ] as const)(
    'fits %i pixels, %s: no sideways scrolling, readable text, a name for every control',
    async (width, colorScheme) => {
      await open('#PATCH/node/article/moon', { as: 'ada', width, colorScheme });
      await input('field_rating').fill('9');
      await page.keyboard.press('Control+Enter');
      await waitForStatus('Not changed');
      await page.getByText('More fields').click();
      expect(
        await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
      ).toBeLessThanOrEqual(0);
      expect(await page.evaluate(faintTexts)).toEqual([]);
      expect(await page.evaluate(namelessControls)).toEqual([]);
      expect(await page.getByLabel('Method').isVisible()).toBe(true);
    },
  );
});

interface OpenOptions {
  /** The account that signs in; none by default. */
  readonly as?: string;
  readonly width?: number;
  readonly colorScheme?: 'light' | 'dark';
}

/** One pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { beforeAll, expect, test } from 'vitest';
import { siteLanguages } from '../../integration/core/content/languages.ts';
import { WHOLE_IMAGES } from '../support/pictures.ts';
import { axeViolations } from './axe.ts';
import { describeInBrowser } from './chromium.ts';
import { useTab } from './tab.ts';
import { startWritableSite, type WritableSite } from './writable-site.ts';

const EVERYTHING = `## Tides

The *moon* **pulls** ~~hard~~ at the \`sea\`, see [the sun](/sun) and ![A quay](quay.png).

- one
  - inner
- [ ] open

> said

| Place | Metres |
| --- | --: |
| Dover | 6.7 |

\`\`\`js
const tide = 1;
\`\`\`

---

<Chart data={[1, 2]} />
`;
const FRONT = '---\ntitle: T\n---\n';
const PNG = WHOLE_IMAGES['a.png'] ?? new Uint8Array();
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** What keys make of hard-wrapped text: title of the test, body before, keys, body after. */
const WRAPPED: readonly (readonly [string, string, readonly string[], string])[] = [
  ['a new paragraph', 'one\ntwo\n', ['Control+Home', 'End', 'Enter', 'x'], 'one\ntwo\n\nx\n'],
  [
    'a paragraph from two',
    'one\ntwo\n',
    ['Control+Home', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'Enter'],
    'one\n\ntwo\n',
  ],
  [
    'one word from two',
    'one\ntwo\n',
    ['Control+Home', ...Array(4).fill('ArrowRight'), 'Backspace'],
    'onetwo\n',
  ],
  ['one paragraph from two', 'one\n\ntwo\n', ['Control+End', 'Home', 'Backspace', ' '], 'one two\n'],
  [
    'a paragraph on the blank line between two',
    'one\n\ntwo\n',
    ['Control+Home', 'ArrowDown', 'x'],
    'one\n\nx\n\ntwo\n',
  ],
  [
    'a new line',
    'one two\n',
    ['Control+Home', ...Array(4).fill('ArrowRight'), 'Shift+Enter'],
    'one \\\ntwo\n',
  ],
  [
    'a paragraph of a quote',
    '> one\n> two\n',
    ['Control+Home', 'End', 'Enter', 'x'],
    '> one\n> two\n>\n> x\n',
  ],
  ['the next item', '- one\n  two\n', ['Control+Home', 'End', 'Enter', 'x'], '- one\n  two\n- x\n'],
  ['a heading from a paragraph', 'one\ntwo\n', ['Control+Home', 'Control+Shift+2'], '## one two\n'],
  ['an item from a paragraph', 'one\ntwo\n', ['Control+Home', 'Control+Shift+8'], '- one\n  two\n'],
  ['bold text across lines', 'one\ntwo\n', ['Control+a', 'Control+b'], '**one\ntwo**\n'],
];

describeInBrowser('the editor for bodies', async () => {
  const { page } = await useTab();
  const context = page.context();
  let site: WritableSite;

  beforeAll(async () => {
    site = await startWritableSite({
      languages: siteLanguages({ locales: ['en', 'ar'], defaultLocale: 'en' }),
      roles: { coder: { also: ['write mdx'] } },
      renderBody: async ({ id }) => (id === 'sun' ? '<h2 id="at-noon">At noon</h2>' : ''),
      content: {
        'article/all.md': FRONT + EVERYTHING,
        'article/quay.png': PNG,
        'article/windows.md': `${FRONT.replaceAll('\n', '\r\n')}one  \r\n\ttwo\r\n\r\nthree`,
        'article/mixed.md': `${FRONT}one\r\ntwo\nthree \n\n\n`,
        'article/empty.md': FRONT,
        'article/links.md': FRONT,
        'article/arabic.md': '---\ntitle: القمر\nlangcode: ar\n---\nالقمر يجذب البحر.\n\n- واحد\n\n> قال\n',
        ...Object.fromEntries(WRAPPED.map(([, before], at) => [`article/wrapped-${at}.md`, FRONT + before])),
        'article/wrapped.md': `${FRONT}The moon\npulls at\nthe sea.\\\nTwice.\n\n- one\n  more\n- two\n`,
        'article/code.mdx': `${FRONT}import A from './a.js'\n\n<A>one</A>\n`,
        'article/2024/deep.md': FRONT,
        'person/sun.md': '---\ntitle: The sun\npath: /sun\n---\nIt shines brightly.\n',
        'tag/sunset.md': '---\ntitle: Sunset\n---\n',
      },
    });
    await context.addCookies([await site.signIn('ada')]);
  });

  const body = () => page.getByRole('textbox', { name: 'Text', exact: true });
  const tool = (name: string) => page.getByRole('button', { name, exact: true });
  const line = (text: string) => page.locator('.cm-line', { hasText: text });
  const text = async () => {
    const lines = await page.locator('.cm-line').allInnerTexts();
    return lines.map((each) => each.replace('\n', '')).join('\n');
  };

  async function open(id: string): Promise<void> {
    await page.goto(`${site.origin}/admin/edit/node/article/${id}`);
    await page.locator('.cm-content').waitFor();
  }
  /** Opens an entity, replaces its text, and presses keys. */
  async function write(id: string, content: string, ...keys: readonly string[]): Promise<void> {
    await open(id);
    await body().press('Control+a');
    // `fill` selects what the page shows, which is less than the text if it has a table.
    if (content === '') await page.keyboard.press('Delete');
    else await page.keyboard.insertText(content);
    for (const key of keys) await page.keyboard.press(key);
  }
  /** Saves. Returns the body in the file. */
  async function save(id: string): Promise<string> {
    await page.keyboard.press('Control+s');
    await page.getByText('Unsaved changes', { exact: true }).waitFor({ state: 'hidden' });
    return (await site.read(`article/${id}.md`))
      .split(/---\r?\n/)
      .slice(2)
      .join('---\n');
  }
  /** Pastes what another program has put into the clipboard. */
  async function paste(data: Readonly<Record<string, string>>, files: readonly string[] = []): Promise<void> {
    await body().evaluate(
      (element, [entries, names, png]) => {
        const clipboardData = new DataTransfer();
        for (const [type, value] of Object.entries(entries)) clipboardData.setData(type, value);
        const bytes = Uint8Array.from(atob(png), (character) => character.charCodeAt(0));
        for (const name of names) {
          const type = name.endsWith('.png') ? 'image/png' : 'text/plain';
          clipboardData.items.add(new File([name.startsWith('broken') ? 'x' : bytes], name, { type }));
        }
        const options = { clipboardData, bubbles: true, cancelable: true };
        element.dispatchEvent(new ClipboardEvent('paste', options));
      },
      [data, files, Buffer.from(PNG).toString('base64')] as const,
    );
  }

  test.each(WRAPPED.map(([name, , keys, after], at) => [name, at, keys, after] as const))(
    'makes %s',
    async (_, at, keys, after) => {
      await open(`wrapped-${at}`);
      await body().focus();
      for (const key of keys) await page.keyboard.press(key);
      expect(await save(`wrapped-${at}`)).toBe(after);
    },
  );

  test('shows a hard-wrapped paragraph as the page does', async () => {
    await open('wrapped');
    expect(await page.locator('.cm-line').allInnerTexts()).toEqual([
      'The moon pulls at the sea.',
      'Twice.',
      '\n',
      '•one more',
      '•two',
    ]);
  });

  test('writes each entry in the direction and with the spelling of its language', async () => {
    await open('arabic');
    const attributes = (element: HTMLElement) => [
      element.closest('[lang]')?.getAttribute('lang'),
      getComputedStyle(element).direction,
    ];
    expect(await body().evaluate(attributes)).toEqual(['ar', 'rtl']);
    const title = page.getByRole('textbox', { name: 'Title' });
    expect(await title.evaluate(attributes)).toEqual(['ar', 'rtl']);
    await body().press('Control+End');
    await page.keyboard.type('.');
    expect(await save('arabic')).toBe('القمر يجذب البحر.\n\n- واحد\n\n> قال.\n');
    await open('all');
    expect(await body().evaluate(attributes)).toEqual(['en', 'ltr']);
    expect(await title.evaluate(attributes)).toEqual(['en', 'ltr']);
  });

  test('shows MDX, which only accounts with the permission can change', async () => {
    const hint = page.getByText('This text has code (MDX).', { exact: false });
    await open('code');
    expect(await text()).toContain('<A>one</A>');
    expect(await hint.count()).toBe(1);
    await body().press('Control+End');
    await page.keyboard.insertText('two');
    expect(await text()).not.toContain('two');
    await site.addAccount('cody', ['editor', 'coder']);
    await context.addCookies([await site.signIn('cody')]);
    try {
      await open('code');
      expect(await hint.count()).toBe(0);
      await body().press('Control+End');
      await page.keyboard.insertText('two');
      await page.keyboard.press('Control+s');
      await page.getByText('Unsaved changes', { exact: true }).waitFor({ state: 'hidden' });
      expect(await site.read('article/code.mdx')).toContain('<A>one</A>two');
    } finally {
      await context.addCookies([await site.signIn('ada')]);
    }
  });

  test('renders Markdown, and shows the markup at the cursor and in the source view', async () => {
    await open('all');
    await page.locator('.md-image img').evaluate((image: HTMLImageElement) => image.decode());
    expect(await line('Tides').first().innerText()).toBe('Tides');
    expect(await line('pulls').innerText()).toMatch(/^The moon pulls hard at the sea, see the sun and/);
    const cells = page.locator('.md-table :is(th, td)');
    await cells.first().waitFor();
    expect(await cells.allInnerTexts()).toEqual(['Place', 'Metres', 'Dover', '6.7']);
    expect(await page.locator('.md-bullet').count()).toBe(3);
    await line('Tides').first().click();
    expect(await line('Tides').first().innerText()).toBe('## Tides');
    expect(await line('pulls').innerText()).not.toContain('*');
    await page.keyboard.press('Control+Shift+E');
    expect(await line('Dover').innerText()).toBe('| Dover | 6.7 |');
    expect(await line('pulls').innerText()).toContain('*moon* **pulls** ~~hard~~');
    await open('all');
    expect(await tool('Show the Markdown source').getAttribute('aria-pressed')).toBe('true');
    expect(await line('Tides').first().innerText()).toBe('## Tides');
    await tool('Show the Markdown source').click();
    expect(await line('pulls').innerText()).not.toContain('*');
    await page.getByRole('checkbox', { name: 'open' }).check();
    expect(await save('all')).toBe(EVERYTHING.replace('[ ]', '[x]'));
  });

  test('changes only the typed characters, with all kinds of line endings', async () => {
    await open('windows');
    await line('two').click();
    await page.keyboard.press('End');
    await page.keyboard.type('!\nnew');
    expect(await save('windows')).toBe('one  \r\n\ttwo!\r\n\r\nnew\r\n\r\nthree');
    await open('mixed');
    await body().press('Control+Home');
    for (const _ of 'one') await page.keyboard.press('ArrowRight');
    await page.keyboard.type('!');
    expect(await save('mixed')).toBe('one!\r\ntwo\nthree \n\n\n');
    await page.keyboard.press('Control+z');
    expect(await save('mixed')).toBe('one\r\ntwo\nthree \n\n\n');
  });

  test('merges changes of other people in place, and can still undo', async () => {
    await write('empty', 'one\n\ntwo', 'Control+End');
    await save('empty');
    await page.keyboard.type('!');
    await site.write('article/empty.md', `${FRONT}ONE\n\ntwo`);
    await page.keyboard.press('Control+s');
    await page.getByText('ONE', { exact: true }).waitFor();
    await page.keyboard.type('?');
    expect(await text()).toBe('ONE\n\ntwo!?');
    await page.keyboard.press('Control+z');
    // On a slow machine, the two keys are two steps.
    if ((await text()) !== 'ONE\n\ntwo') await page.keyboard.press('Control+z');
    expect(await text()).toBe('ONE\n\ntwo');
  });

  test('formats with the keyboard and with a toolbar that shows the active formats', async () => {
    await write('empty', 'the moon rises', 'Home', 'Control+ArrowRight', 'Control+ArrowRight', 'Control+b');
    expect(await tool('Bold').getAttribute('aria-pressed')).toBe('true');
    expect(await tool('Italic').getAttribute('aria-pressed')).toBe('false');
    await tool('Heading').click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('\n- a');
    await page.keyboard.press('Enter');
    await page.keyboard.type('b');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.type('c');
    expect(await save('empty')).toBe('## the **moon** rises\n- a\n  - b\n- c');
    await tool('Bold').focus();
    await page.keyboard.press('ArrowRight');
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Italic');
    await page.keyboard.press('Tab');
    await page.locator('.cm-focused').waitFor();
    await page.keyboard.type('d');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    await page.locator('.cm-editor:not(.cm-focused)').waitFor();
    expect(await text()).toMatch(/•cd$/);
  });

  test('inserts blocks from the slash menu, and finds and replaces', async () => {
    await write('empty', '');
    await page.keyboard.type('/');
    await page.getByRole('option', { name: 'Quote' }).waitFor();
    expect(await page.getByRole('combobox', { name: 'Text', expanded: true }).count()).toBe(1);
    expect(await axeViolations(page)).toEqual([]);
    await page.keyboard.type('quo');
    await page.getByRole('option', { name: 'Subheading' }).waitFor({ state: 'hidden' });
    await page.waitForTimeout(100);
    await page.keyboard.press('Enter');
    await page.keyboard.type('A first column');
    await page.getByText('3 words').waitFor();
    expect(await save('empty')).toBe('> A first column');
    await page.keyboard.press('Control+f');
    await page.getByRole('textbox', { name: 'Find' }).fill('column');
    await page.getByRole('textbox', { name: 'Replace with' }).fill('Height');
    await tool('Replace all').click();
    await page.keyboard.press('Escape');
    expect(await save('empty')).toBe('> A first Height');
  });

  test('links to content that is found by its title', async () => {
    await write('empty', 'see ', 'End', 'Control+k');
    const search = page.getByRole('combobox', { name: 'Title of a page, or an address' });
    await search.fill('sun');
    await page.getByRole('option', { name: 'The sun' }).waitFor();
    expect(await page.getByRole('dialog').getByRole('option').allInnerTexts()).toEqual([
      'The sun\nPerson · /sun',
    ]);
    await search.press('Enter');
    await page.keyboard.type('!');
    expect(await save('empty')).toBe('see [The sun](/sun)!');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Control+k');
    expect(await search.inputValue()).toBe('/sun');
    await tool('Remove link').click();
    expect(await text()).toBe('see The sun!');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
  });

  test('links to a heading of a page, and to one of the text', async () => {
    await write('links', '## First part', 'End', 'Enter', 'Enter');
    await page.keyboard.type('see ');
    await page.keyboard.press('Control+k');
    const search = page.getByRole('combobox', { name: 'Title of a page, or an address' });
    await search.fill('#first');
    await page.getByRole('option', { name: 'First part' }).waitFor();
    await search.press('Enter');
    expect(await save('links')).toContain('see [First part](#first-part)');
    await page.keyboard.type(' or ');
    await page.keyboard.press('Control+k');
    // Words of the text of the page.
    await search.fill('shines brightly');
    await page.getByRole('option', { name: 'The sun' }).waitFor();
    const heading = page.getByRole('button', { name: 'At noon' });
    await heading.waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await save('links')).toContain('[At noon](/sun#at-noon)');
  });

  test('marks links that lead to nothing while they are typed, and offers the new address of a redirect', async () => {
    await page.route(`${site.origin}/`, (route) => route.fulfill({ body: 'Home' }));
    await page.route(`${site.origin}/old*`, (route) =>
      route.fulfill({ status: 301, headers: { location: '/sun' } }),
    );
    await page.route(`${site.origin}/about`, (route) =>
      route.fulfill({ contentType: 'text/html', body: '<p id="team">Team</p>' }),
    );
    await write('empty', '## First', 'End', 'Enter', 'Enter');
    await page.keyboard.type(
      '[a](/nothing) [b](/old) [c](#first) [d](#no-heading) [e](/sun) [f](/about#team) [g](/about#no-team) [h](https://x.test/)',
    );
    const notes = page.getByRole('list', { name: 'Links of this text' }).getByRole('listitem');
    await expect.poll(() => notes.count()).toBe(4);
    expect((await notes.locator('span').allInnerTexts()).sort()).toEqual([
      '/old has moved to /sun.',
      'No heading belongs to #no-heading.',
      'No heading belongs to /about#no-team.',
      'Visitors find no page at /nothing.',
    ]);
    expect((await page.locator('.cm-broken-link').allInnerTexts()).sort()).toEqual(['a', 'd', 'g']);
    expect(await page.locator('.cm-moved-link').allInnerTexts()).toEqual(['b']);
    expect(await axeViolations(page)).toEqual([]);
    const useNew = page.getByRole('button', { name: 'Use the new address' });
    await useNew.focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => notes.count()).toBe(3);
    await page.keyboard.press('Control+z');
    await expect.poll(() => notes.count()).toBe(4);
    await useNew.click();
    await notes.filter({ hasText: '/nothing' }).getByRole('button', { name: 'Show' }).click();
    await page.keyboard.type('x');
    await expect.poll(() => notes.count()).toBe(2);
    expect(await save('empty')).toContain('x [b](/sun) [c]');
    await page.unrouteAll();
  });

  test('uploads images beside the file, and keeps the others if one fails', async () => {
    await write('2024/deep', 'Before', 'Control+End', 'Enter');
    await paste({}, ['New moon.png', 'broken.png', 'notes.txt', 'sun.png']);
    await page.getByRole('textbox', { name: 'New moon.png', exact: true }).fill('A [new] moon');
    await page.getByText('notes.txt is not an image.').waitFor();
    await page.getByText('broken.png was not uploaded.').waitFor();
    await tool('Insert').click();
    await page.getByText('Describe the picture, or mark it as decorative.').waitFor();
    await page.getByRole('listitem').filter({ hasText: 'sun.png' }).getByRole('checkbox').check();
    await tool('Insert').click();
    await page.locator('.md-image img').nth(1).waitFor();
    expect(await save('2024/deep')).toBe('Before\n\n![A \\[new\\] moon](./new-moon.png)\n\n![](./sun.png)\n');
    expect(await site.read('article/2024/new-moon.png')).not.toBe('');
    await open('2024/deep');
    await page
      .locator('.md-image img')
      .first()
      .evaluate((image: HTMLImageElement) => image.decode());
  });

  test('pastes formatted text as Markdown, or as plain text', async () => {
    await write('empty', '');
    const copied = { 'text/html': '<h2>Low</h2><p>a <b>b</b></p>', 'text/plain': 'Low a b' };
    await paste(copied);
    await line('Low').waitFor();
    expect(await save('empty')).toBe('## Low\n\na **b**');
    await body().fill('');
    await page.keyboard.press('Shift+ArrowLeft');
    await paste(copied);
    expect(await save('empty')).toBe('Low a b');
    await write('empty', '```\n', 'Control+End');
    await paste(copied);
    expect(await save('empty')).toBe('```\nLow a b');
  });

  test('is accessible and fits small screens, light and dark', async () => {
    await open('all');
    await body().focus();
    await page.keyboard.press('Control+f');
    for (const [width, colorScheme] of [
      [1280, 'light'],
      [360, 'dark'],
      [360, 'light'],
    ] as const) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      await page.evaluate(readFileSync(AXE, 'utf8'));
      const violations = await page.evaluate(async () => {
        const { axe } = window as unknown as {
          axe: {
            run(selector: string): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
          };
        };
        return (await axe.run('.body-editor')).violations.map(({ id, nodes }) => [id, nodes[0]?.html]);
      });
      expect(violations).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    }
    await page.setViewportSize({ width: 1280, height: 900 });
  });
});

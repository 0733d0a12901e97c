import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { beforeAll, expect, test } from 'vitest';
import { describeInBrowser } from './chromium.ts';
import { useTab } from './tab.ts';
import { startWritableSite, type WritableSite } from './writable-site.ts';

const FRONT = '---\ntitle: T\n---\n';
const HARBOURS = `Before

| Place  | Metres |
| ------ | -----: |
| Dover  | 6.7    |
| Calais | 7      |

After
`;
const TEXTS = {
  cell: HARBOURS,
  keys: HARBOURS,
  outside: HARBOURS,
  buttons: HARBOURS,
  escaped: HARBOURS,
  bare: 'a | b\n--- | ---\n*c* `x\\|y` | d\n',
  start: '| a | b |\n| - | - |\n| c | d |',
  empty: '',
  early: '',
  typed: '',
  nested: '- | a | b |\n  | - | - |\n  | c | d |\n\n| e | f |\n| - | - |\n| g |\n\nAfter\n',
  filled: HARBOURS,
  several: HARBOURS,
  dragged: HARBOURS,
  pasted: '',
  'divided-text': '',
  'divided-html': '',
  wide: `| ${Array.from({ length: 12 }, (_, at) => `Longer column ${at}`).join(' | ')} |\n${'| - '.repeat(12)}|\n`,
};
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

describeInBrowser('tables in the editor for bodies', async () => {
  const { page } = await useTab({ viewport: { width: 1440, height: 900 } });
  let site: WritableSite;
  let key = '';

  beforeAll(async () => {
    site = await startWritableSite({
      content: Object.fromEntries(
        Object.entries(TEXTS).map(([name, text]) => [`article/${name}.md`, FRONT + text]),
      ),
    });
    await page.context().addCookies([await site.signIn('ada')]);
  });

  const body = () => page.getByRole('textbox', { name: 'Text', exact: true });
  const tool = (name: string) => page.getByRole('button', { name, exact: true });
  const cell = (name: string) => page.locator('.md-table').getByRole('cell', { name, exact: true });
  const cells = () => page.locator('.md-table :is(td, th)').allInnerTexts();
  /** The label of the focused element. */
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));

  async function open(name: keyof typeof TEXTS): Promise<void> {
    key = `article/${name}.md`;
    await page.goto(`${site.origin}/admin/edit/node/article/${name}`);
    await body().waitFor();
    if (TEXTS[name] !== '') await page.locator('.md-table').first().waitFor();
  }
  async function press(...keys: readonly string[]): Promise<void> {
    for (const each of keys) await page.keyboard.press(each);
  }
  /** Saves. Returns the body in the file. */
  async function save(): Promise<string> {
    await page.keyboard.press('Control+s');
    await page.getByText('Unsaved changes', { exact: true }).waitFor({ state: 'hidden' });
    return (await site.read(key)).slice(FRONT.length);
  }

  /** Pastes the clipboard of another program into the focused element. */
  async function paste(data: Readonly<Record<string, string>>): Promise<void> {
    await page.evaluate((entries) => {
      const clipboardData = new DataTransfer();
      for (const [type, value] of Object.entries(entries)) clipboardData.setData(type, value);
      const options = { clipboardData, bubbles: true, cancelable: true };
      document.activeElement?.dispatchEvent(new ClipboardEvent('paste', options));
    }, data);
  }

  test('take the cells of a spreadsheet from the cell with the cursor on, and grow', async () => {
    await open('filled');
    await cell('Calais').click();
    await paste({
      'text/html':
        '<table><tr><td>Brest</td><td>7.1</td><td>high</td></tr><tr><td>Emden</td><td>3</td><td></td></tr></table>',
      'text/plain': 'Brest\t7.1\thigh\nEmden\t3\t\n',
    });
    await cell('Emden').waitFor();
    expect((await cells()).map((each) => each.trim())).toEqual([
      'Place',
      'Metres',
      '',
      'Dover',
      '6.7',
      '',
      'Brest',
      '7.1',
      'high',
      'Emden',
      '3',
      '',
    ]);
    // The cursor is in the last cell, and one step takes all of it back.
    await page.keyboard.type('low');
    await cell('low').waitFor();
    await press('Control+z', 'Control+z');
    await cell('Calais').waitFor();
    expect(await cells()).toEqual(['Place', 'Metres', 'Dover', '6.7', 'Calais', '7']);
    await cell('Dover').click();
    await press('Control+a');
    await paste({ 'text/plain': 'a\tb\n1|2\t*x*' });
    await cell('1|2').waitFor();
    expect(await save()).toBe(
      HARBOURS.replace('Dover  | 6.7   ', 'a  | b   ').replace('Calais | 7 ', '1\\|2 | \\*x\\* '),
    );
  });

  const trimmed = async () => (await cells()).map((each) => each.trim());
  const selected = () => page.locator('.md-table .md-selected').allInnerTexts();
  /** Copies, cuts or pastes with a clipboard of the page. Returns what it has. */
  const clipboard = (type: 'copy' | 'cut' | 'paste') =>
    page.evaluate((name) => {
      const holder = globalThis as typeof globalThis & { clipboard?: DataTransfer };
      const clipboardData = name === 'paste' ? holder.clipboard! : new DataTransfer();
      const event = new ClipboardEvent(name, { clipboardData, bubbles: true, cancelable: true });
      document.activeElement?.dispatchEvent(event);
      holder.clipboard = clipboardData;
      return { html: clipboardData.getData('text/html'), plain: clipboardData.getData('text/plain') };
    }, type);

  test('have several cells selected with the keyboard, which are copied, emptied and pasted at once', async () => {
    await open('several');
    await cell('Dover').click();
    await page.keyboard.press('End');
    // Inside of the text of a cell, the keys select letters.
    await press('Shift+ArrowLeft');
    expect(await selected()).toEqual([]);
    await press('End', 'Shift+ArrowRight', 'Shift+ArrowDown');
    expect(await selected()).toEqual(['Dover', '6.7', 'Calais', '7']);
    await page.getByText('4 cells selected').waitFor({ state: 'attached' });
    expect(await clipboard('copy')).toEqual({
      html: '<table xmlns="http://www.w3.org/1999/xhtml"><tbody><tr><td>Dover</td><td>6.7</td></tr><tr><td>Calais</td><td>7</td></tr></tbody></table>',
      plain: 'Dover\t6.7\nCalais\t7',
    });
    await press('Delete');
    expect(await trimmed()).toEqual(['Place', 'Metres', '', '', '', '']);
    await press('Control+z');
    await cell('Dover').waitFor();
    await press('Escape');
    expect(await selected()).toEqual([]);
    await cell('7').click();
    await clipboard('paste');
    await expect
      .poll(trimmed)
      .toEqual(['Place', 'Metres', '', 'Dover', '6.7', '', 'Calais', 'Dover', '6.7', '', 'Calais', '7']);
    await press('Control+z');
    await expect.poll(cells).toEqual(['Place', 'Metres', 'Dover', '6.7', 'Calais', '7']);
    expect(await body().isVisible()).toBe(true);
  });

  test('have several cells selected with the mouse, and keep their marks when they are cut and pasted', async () => {
    await open('dragged');
    await cell('Dover').click();
    await press('Control+a');
    await page.keyboard.type('*Dover* [x](/x)');
    await cell('Calais').click();
    await page
      .locator('.md-table th')
      .last()
      .click({ modifiers: ['Shift'] });
    expect((await selected()).map((each) => each.trim())).toEqual([
      'Place',
      'Metres',
      'Dover x',
      '6.7',
      'Calais',
      '7',
    ]);
    await cell('6.7').click();
    expect(await selected()).toEqual([]);
    const from = (await cell('6.7').boundingBox())!;
    const to = (await page.locator('.md-table td').first().boundingBox())!;
    await page.mouse.move(from.x + 5, from.y + 5);
    await page.mouse.down();
    await page.mouse.move(to.x + 9, to.y + 9, { steps: 5 });
    await page.mouse.up();
    expect((await selected()).map((each) => each.trim())).toEqual(['Dover x', '6.7']);
    await clipboard('cut');
    await expect.poll(trimmed).toEqual(['Place', 'Metres', '', '', 'Calais', '7']);
    await cell('Calais').click();
    await clipboard('paste');
    await expect.poll(async () => (await cells())[5]).toBe('6.7');
    expect(await save()).toContain('| *Dover* [x](/x) | 6.7');
  });

  test('are made of the cells of a spreadsheet that are pasted into the text', async () => {
    await open('pasted');
    await body().click();
    await paste({ 'text/plain': 'Place\tMetres\nDover\t6.7\n' });
    await page.locator('.md-table').waitFor();
    expect(await save()).toBe('| Place | Metres |\n| --- | --- |\n| Dover | 6.7 |\n');
  });

  test.each([
    ['divided-text', { 'text/plain': 'a\tb\nc\td\n' }],
    [
      'divided-html',
      { 'text/html': '<table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>' },
    ],
  ] as const)(
    'divide a paragraph if the cells of a spreadsheet are pasted into it, %s',
    async (name, clipboard) => {
      await open(name);
      await body().click();
      await page.keyboard.type('Hello world');
      await press(...Array<string>(6).fill('ArrowLeft'));
      await paste(clipboard);
      await page.locator('.md-table').waitFor();
      expect(await save()).toBe('Hello\n\n| a | b |\n| --- | --- |\n| c | d |\n\nworld\n');
    },
  );

  test('are grids, in which a change of a cell changes its line only', async () => {
    await open('cell');
    expect(await cells()).toEqual(['Place', 'Metres', 'Dover', '6.7', 'Calais', '7']);
    expect(await page.getByRole('columnheader').allInnerTexts()).toEqual(['Place', 'Metres']);
    await cell('Dover').click();
    await press('End');
    await page.keyboard.type(' Castle | West');
    expect(await focused()).toBe('Place, row 2');
    await press('Control+b');
    expect(await tool('Bold').getAttribute('aria-pressed')).toBe('true');
    expect(await save()).toBe(HARBOURS.replace('Dover ', 'Dover Castle \\| **West** '));
    // On a busy machine, the letters are several steps.
    for (let step = 0; step < 30; step++) await press('Control+z');
    expect(await cells()).toEqual(['Place', 'Metres', 'Dover', '6.7', 'Calais', '7']);
    expect(await save()).toBe(HARBOURS);
  });

  test('are edited with the keys of word processors', async () => {
    await open('keys');
    await body().focus();
    await press('Control+Home', 'ArrowDown', 'ArrowDown');
    expect(await focused()).toBe('Place');
    await press('Tab');
    await page.keyboard.type('Height');
    await press('ArrowDown');
    expect(await focused()).toBe('Height, row 2');
    await press('Shift+Tab', 'End', 'Enter');
    await page.keyboard.type('East');
    // Between the two lines of the cell first.
    await press('ArrowUp', 'ArrowDown');
    expect(await focused()).toBe('Place, row 2');
    await press('ArrowDown', 'Tab', 'Tab');
    await page.keyboard.type('Deal');
    expect(await focused()).toBe('Place, row 4');
    await press('Alt+Shift+ArrowUp', 'End', 'ArrowRight');
    expect(await focused()).toBe('Height, row 3');
    await press('ArrowRight');
    expect(await focused()).toBe('Place, row 4');
    await press('ArrowLeft', 'Alt+Shift+ArrowLeft');
    expect(await save()).toBe(`Before

| Height | Place  |
| -----: | ------ |
| 6.7    | Dover<br />East  |
|        | Deal |
| 7      | Calais |

After
`);
    // Behind the cell are the buttons of the table.
    await press('Escape', 'Tab', 'Tab');
    await page.locator('.body-editor:not(:focus-within)').waitFor();
  });

  test('stay whole while someone writes around them', async () => {
    await open('outside');
    await cell('7').click();
    await press('ArrowDown');
    await page.keyboard.type('one');
    await press('ArrowUp', 'ArrowUp');
    expect(await focused()).toBe('Place, row 3');
    // A heading, a list and a divider cannot be in a cell.
    await press('Control+Shift+2', 'Control+Shift+8');
    expect(await save()).toBe(HARBOURS.replace('\n\nAfter', '\n\none\n\nAfter'));
    await open('start');
    await body().focus();
    await press('Control+Home');
    await page.keyboard.type('one');
    await press('Control+End');
    await page.keyboard.type('two');
    expect(await save()).toBe(`one\n\n${TEXTS.start}\n\ntwo`);
  });

  test('get rows, columns and alignments from buttons, and go as a whole', async () => {
    await open('buttons');
    await cell('Dover').click();
    await tool('Insert a row above').click();
    await page.keyboard.type('Deal');
    await tool('Insert a column after').click();
    await page.keyboard.type('x');
    await tool('Move the column back').click();
    await tool('Center the column').click();
    expect(await tool('Center the column').getAttribute('aria-pressed')).toBe('true');
    expect(await save()).toBe(`Before

|  | Place  | Metres |
| :-: | ------ | -----: |
| x | Deal       |        |
|  | Dover  | 6.7    |
|  | Calais | 7      |

After
`);
    await press('Alt+F10');
    expect(await focused()).toBe('Insert a row above');
    await press('End', 'Home', 'ArrowRight', 'ArrowRight');
    expect(await focused()).toBe('Move the row up');
    await press('Escape');
    expect(await focused()).toBe('Column 1, row 2');
    await tool('Delete the row').click();
    await tool('Delete the column').click();
    expect(await cells()).toEqual(['Place', 'Metres', 'Dover', '6.7', 'Calais', '7']);
    await tool('Delete the table').click();
    expect(await save()).toBe('Before\n\nAfter\n');
    await press('Control+z');
    expect(await cells()).toEqual(['Place', 'Metres', 'Dover', '6.7', 'Calais', '7']);
  });

  test('are inserted in a size, without a mouse', async () => {
    await open('empty');
    await body().focus();
    await page.waitForLoadState('networkidle');
    await page.keyboard.type('/tab');
    await page.getByRole('option', { name: 'Table' }).waitFor();
    await page.waitForTimeout(100);
    await press('Enter');
    await page.locator('input[type=number]:focus').waitFor();
    await page.keyboard.type('3');
    await press('Tab');
    await page.keyboard.type('4');
    await press('Enter');
    await page.locator('.md-table').waitFor();
    await expect.poll(focused).toBe('Column 1');
    await page.keyboard.type('Place');
    await press('Tab', 'Tab', 'Tab');
    await page.keyboard.type('Dover');
    const empty = '|  |  |  |';
    expect(await save()).toBe(
      `| Place | Column 2 | Column 3 |\n| --- | --- | --- |\n| Dover |  |  |\n${empty}\n${empty}\n`,
    );
  });

  test('without pipes at the ends of lines get them only if a line needs them', async () => {
    await open('bare');
    expect(await cells()).toEqual(['a', 'b', 'c x|y', 'd']);
    await cell('d').click();
    await press('Control+a', 'Delete');
    expect(await save()).toBe('a | b\n--- | ---\n*c* `x\\|y` |  |\n');
    await press('Shift+Tab', 'Delete');
    await page.keyboard.type('1. e');
    expect(await save()).toBe('a | b\n--- | ---\n| 1. e |  |\n');
  });

  test('can be typed as Markdown', async () => {
    await open('typed');
    await body().focus();
    await press('Control+Home');
    await page.waitForLoadState('networkidle');
    await page.keyboard.type('| a | b |');
    await press('Enter');
    await page.locator('.md-table').waitFor();
    await expect.poll(focused).toBe('a, row 2');
    await page.keyboard.type('c');
    await press('Tab');
    await page.keyboard.type('d');
    expect(await save()).toBe('| a | b |\n| --- | --- |\n| c | d |\n');
  });

  test('take Tab as soon as they are there, also while their editor is loaded', async () => {
    let load = (): void => undefined;
    const isLoaded = new Promise<void>((resolve) => (load = resolve));
    const editor = /\/tables-[^/]*\.js$/;
    await page.route(editor, async (route) => {
      await isLoaded;
      await route.continue();
    });
    await open('early');
    await body().focus();
    await page.waitForLoadState('networkidle');
    await page.keyboard.type('| a | b |');
    await press('Enter');
    await page.keyboard.type('c');
    await press('Tab');
    await page.keyboard.type('d');
    await press('Shift+Tab', 'Tab');
    expect(await page.locator('.md-table').count()).toBe(0);
    load();
    await page.locator('.md-table').waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    await expect.poll(focused).toBe('b, row 2');
    await press('Tab');
    await page.keyboard.type('e');
    expect(await save()).toBe('| a | b |\n| --- | --- |\n| c | d |\n| e |  |\n');
  });

  test('that a grid cannot show stay text, and say why', async () => {
    await page.goto(`${site.origin}/admin/edit/node/article/nested`);
    await page.locator('.md-table-hint').first().waitFor();
    expect(await page.locator('.md-table-hint').allInnerTexts()).toEqual([
      'This table is in a list or a quote, so it is edited as text.',
      'Line 3 of this table has more or fewer cells than its first line. With the same number, the table is shown as a grid.',
    ]);
    expect(await page.locator('.md-table').count()).toBe(0);
    await page.getByText('| g |', { exact: true }).click();
    await press('End');
    await page.keyboard.type(' h |');
    expect(await page.locator('.md-table').count()).toBe(0);
    await press('ArrowDown');
    await page.locator('.md-table').waitFor();
    expect(await cells()).toEqual(['e', 'f', 'g', 'h']);
  });

  test('are accessible, and scroll inside of small screens', async () => {
    for (const [width, colorScheme] of [
      [1440, 'light'],
      [390, 'dark'],
      [390, 'light'],
    ] as const) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      for (const name of ['wide', 'escaped'] as const) {
        await open(name);
        await page.locator('.md-table th').first().click();
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
    }
    await page.setViewportSize({ width: 1440, height: 900 });
  });
});

import { beforeAll, expect, test } from 'vitest';
import { axeViolations } from './axe.ts';
import { describeInBrowser } from './chromium.ts';
import { useTab } from './tab.ts';
import { startWritableSite, type WritableSite } from './writable-site.ts';

const FRONT = '---\ntitle: T\n---\n';
const CODE = `import Chart from '../../src/components/charts/Bar.astro';

# Tides

<Chart title="High" count={3} data={[1, 2]} />

The end.
`;

describeInBrowser('components and callouts in texts', async () => {
  const tab = await useTab();
  let site: WritableSite;

  beforeAll(async () => {
    site = await startWritableSite({
      roles: { coder: { also: ['write mdx'] } },
      markup: {
        components: [
          {
            name: 'Bar',
            from: '/src/components/charts/Bar.astro',
            named: false,
            content: false,
            props: [
              { name: 'title', kind: 'string', required: true, description: 'Above the bars.' },
              { name: 'tone', kind: 'choice', choices: ['calm', 'loud'] },
              { name: 'count', kind: 'number' },
              { name: 'wide', kind: 'boolean' },
              { name: 'data', kind: 'code' },
            ],
          },
          { name: 'Frame', from: '/src/components/Frame.astro', named: false, content: true, props: [] },
        ],
        callouts: { 'node--article': { syntax: 'directive', kinds: ['note', 'caution'] } },
      },
      content: {
        'article/code.mdx': FRONT + CODE,
        'article/insert.mdx': `${FRONT}One.\n`,
        'article/frame.mdx': `${FRONT}One.\n`,
        'article/plain.md': `${FRONT}One.\n`,
        'article/callouts.md': `${FRONT}:::note[Low water]\nWalk.\n:::\n\n> [!WARNING]\n> Mud.\n\n> said\n`,
        'person/p.md': FRONT,
      },
    });
    await site.addAccount('cody', ['editor', 'coder']);
  });

  const body = () => tab.page.getByRole('textbox', { name: 'Text', exact: true });
  const dialog = () => tab.page.getByRole('dialog');

  async function open(id: string, name = 'cody'): Promise<void> {
    await tab.open(site, `/admin/edit/node/article/${id}`, name);
    await tab.page.locator('.cm-content').waitFor();
    await body().press('Control+End');
  }
  /** Takes a choice of the slash menu, which ignores keys for a moment after it has opened. */
  async function choose(typed: string, name: string): Promise<void> {
    await tab.page.keyboard.type(`/${typed}`);
    const option = tab.page.getByRole('option', { name });
    await option.waitFor();
    await tab.page.waitForTimeout(200);
    await tab.page.keyboard.press('Enter');
    await option.waitFor({ state: 'hidden' });
  }
  /** Takes pictures of the page, if a folder is named. */
  async function look(name: string): Promise<void> {
    const folder = process.env.PICTURES;
    if (folder === undefined) return;
    for (const [width, colorScheme] of [
      [1440, 'light'],
      [390, 'dark'],
    ] as const) {
      await tab.page.setViewportSize({ width, height: 900 });
      await tab.page.emulateMedia({ colorScheme });
      await tab.page.screenshot({ path: `${folder}/${name}-${width}-${colorScheme}.png` });
    }
    await tab.page.setViewportSize({ width: 1280, height: 900 });
    await tab.page.emulateMedia({ colorScheme: null });
  }
  async function save(): Promise<void> {
    await tab.page.keyboard.press('Control+s');
    await tab.page.getByText('Unsaved changes', { exact: true }).waitFor({ state: 'hidden' });
  }

  test('a component is a card, whose form changes only the property that has changed', async () => {
    await open('code');
    const card = tab.page.locator('.md-component');
    await card.waitFor();
    expect(await card.innerText()).toMatch(/Chart\s+title: High · count: 3\s+Edit Chart/);
    await card.getByRole('button', { name: 'Edit Chart' }).click();
    await dialog().getByLabel('title').waitFor();
    expect(await dialog().getByLabel('title').inputValue()).toBe('High');
    expect(await dialog().getByLabel('count').inputValue()).toBe('3');
    expect(await dialog().innerText()).toContain(
      'Change these in the text, because their values are code: data.',
    );
    expect(await axeViolations(tab.page)).toEqual([]);
    await look('component-form');
    await dialog().getByLabel('title').fill('Low "water"');
    await dialog().getByLabel('tone').selectOption('loud');
    await dialog().getByRole('button', { name: 'Apply' }).click();
    await dialog().waitFor({ state: 'hidden' });
    await look('component-card');
    await save();
    expect(await site.read('article/code.mdx')).toBe(
      FRONT +
        CODE.replace(
          '<Chart title="High" count={3} data={[1, 2]} />',
          '<Chart title="Low &quot;water&quot;" count={3} data={[1, 2]} tone="loud" />',
        ),
    );
  });

  test('a component is inserted from the slash menu by keyboard alone, with its import', async () => {
    await open('insert');
    await tab.page.keyboard.press('Enter');
    await choose('bar', 'Bar');
    await dialog().getByLabel('title').waitFor();
    await tab.page.keyboard.type('Spring tide');
    await tab.page.keyboard.press('Tab');
    await tab.page.keyboard.press('Tab');
    await tab.page.keyboard.type('12');
    await tab.page.keyboard.press('Enter');
    await dialog().waitFor({ state: 'hidden' });
    await tab.page.locator('.cm-editor.cm-focused').waitFor();
    await save();
    expect(await site.read('article/insert.mdx')).toBe(
      `${FRONT}import Bar from '/src/components/charts/Bar.astro';\n\nOne.\n\n<Bar title="Spring tide" count={12} />\n`,
    );
    await tab.page.keyboard.press('Alt+F10');
    await dialog().getByLabel('title').waitFor();
    await tab.page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'hidden' });
    // One step takes the tag and its import back.
    await tab.page.keyboard.press('Control+z');
    await save();
    expect(await site.read('article/insert.mdx')).not.toContain('Bar');
  });

  test('a component that arrives after its name was typed is in the menu', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    await tab.page.route('**/jsonapi/_markup*', async (route) => {
      await held;
      await route.continue();
    });
    await open('frame');
    await tab.page.keyboard.press('Enter');
    await tab.page.keyboard.type('/frame');
    await tab.page.waitForTimeout(500);
    expect(await tab.page.getByRole('option', { name: 'Frame' }).count()).toBe(0);
    release();
    await tab.page.getByRole('option', { name: 'Frame' }).waitFor();
    await tab.page.unroute('**/jsonapi/_markup*');
    for (let step = 0; step < 3; step++) await tab.page.keyboard.press('Control+z');
  });

  test('a component with content is inserted around the cursor', async () => {
    await open('frame');
    await tab.page.keyboard.press('Enter');
    await choose('frame', 'Frame');
    await tab.page.getByText('Edit Frame').waitFor();
    await tab.page.keyboard.type('Inside.');
    await save();
    expect(await site.read('article/frame.mdx')).toBe(
      `${FRONT}import Frame from '/src/components/Frame.astro';\n\nOne.\n\n<Frame>\n\nInside.\n\n</Frame>\n`,
    );
  });

  test('a callout is inserted from the slash menu, and its kind is changed by keyboard alone', async () => {
    await open('plain');
    await tab.page.keyboard.press('Enter');
    await choose('caution', 'Caution');
    await tab.page.keyboard.type('Mind the mud.');
    await tab.page.locator('.md-callout-caution').first().waitFor();
    await tab.page.keyboard.press('Alt+F10');
    await tab.page.keyboard.press('ArrowUp');
    await tab.page.locator('.md-callout-note').first().waitFor();
    await tab.page.locator('.cm-editor.cm-focused').waitFor();
    await save();
    expect(await site.read('article/plain.md')).toBe(`${FRONT}One.\n\n:::note\nMind the mud.\n:::\n`);
  });

  test('callouts of both kinds are blocks, and only the name of their kind changes', async () => {
    await open('callouts');
    const kinds = tab.page.getByRole('combobox', { name: 'Kind of callout' });
    await kinds.nth(1).waitFor();
    expect(await kinds.evaluateAll((all) => all.map((each) => (each as HTMLSelectElement).value))).toEqual([
      'note',
      'warning',
    ]);
    const lines = await tab.page.locator('.md-callout-line').allInnerTexts();
    expect(lines.map((line) => line.split('\n').at(-1))).toEqual([
      expect.stringContaining('[Low water]'),
      'Walk.',
      ':::',
      expect.stringContaining('Mud.'),
    ]);
    expect(await axeViolations(tab.page)).toEqual([]);
    await look('callouts');
    await kinds.nth(0).selectOption('caution');
    await tab.page.locator('.md-callout-caution').first().waitFor();
    await kinds.nth(1).selectOption('note');
    await tab.page.locator('.md-callout-note').first().waitFor();
    await save();
    expect(await site.read('article/callouts.md')).toBe(
      `${FRONT}:::caution[Low water]\nWalk.\n:::\n\n> [!NOTE]\n> Mud.\n\n> said\n`,
    );
  });

  test('offers no callouts in types that do not support them', async () => {
    await tab.open(site, '/admin/edit/node/person/p', 'cody');
    await tab.page.locator('.cm-content').waitFor();
    await body().press('Control+End');
    await tab.page.keyboard.type('/');
    await tab.page.getByRole('option', { name: 'Divider' }).waitFor();
    expect(await tab.page.getByRole('option', { name: 'Caution' }).count()).toBe(0);
  });

  test('texts that are not MDX, and accounts that may not write it, have no components to insert', async () => {
    await open('plain');
    await tab.page.keyboard.press('Enter');
    await tab.page.keyboard.type('/');
    await tab.page.getByRole('option', { name: 'Divider' }).waitFor();
    await tab.page.keyboard.type('bar');
    await tab.page.getByRole('option', { name: 'Divider' }).waitFor({ state: 'hidden' });
    expect(await tab.page.getByRole('option', { name: 'Bar' }).count()).toBe(0);
    await open('code', 'ada');
    await tab.page.locator('.md-component').waitFor();
    expect(await tab.page.locator('.md-component button').count()).toBe(0);
  });
});

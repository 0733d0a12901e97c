import { beforeEach, expect, test } from 'vitest';
import { defineSchema, z } from '../../integration/schema.ts';
import { axeViolations } from './axe.ts';
import { HOME, startBlocksSite } from './blocks-site.ts';
import { describeInBrowser } from './chromium.ts';
import { useTab } from './tab.ts';
import { startWritableSite, type WritableSite } from './writable-site.ts';

describeInBrowser('nested content in the edit form', async () => {
  const tab = await useTab({
    locale: 'en',
    permissions: ['clipboard-read', 'clipboard-write', 'geolocation'],
    geolocation: { latitude: 54.123456, longitude: -0.5 },
  });
  const { page } = tab;
  let site: WritableSite;

  beforeEach(async () => {
    site = await startBlocksSite();
  });

  async function open(address: string): Promise<void> {
    await tab.open(site, `/admin${address}`, 'ada');
    await field('Title').waitFor();
  }
  const field = (name: string) => page.getByRole('textbox', { name, exact: true });
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const card = (name: string) => page.getByRole('group', { name, exact: true });
  const blocks = () => page.locator('[id="field-field_blocks"]');
  /** The buttons below the outer list. */
  const below = (name: string) => blocks().locator(':scope > .adders').getByRole('button', { name });
  const home = () => site.read('page/home.md');
  async function save(): Promise<void> {
    await page.keyboard.press('Control+s');
    await page
      .locator('.notices')
      .getByText(/is saved/)
      .waitFor();
  }
  const order = () =>
    blocks()
      .locator(':scope > ul > li > [role=group]')
      .evaluateAll((groups) => groups.map((group) => group.ariaLabel));

  test('changes one line for one property three levels deep, and keeps comments', async () => {
    await open('/edit/node/page/home');
    await card('1. Quote: All dry.').getByRole('textbox', { name: 'Quotation' }).fill('All gone.');
    await save();
    expect(await home()).toBe(HOME.replace('All dry. # early', 'All gone. # early'));
  });

  test('adds a block from a searchable list, and reports missing values at their inputs', async () => {
    await open('/edit/node/page/home');
    await below('Add Blocks').click();
    await page.keyboard.type('beside');
    expect(await page.getByRole('dialog', { name: 'Add to Blocks' }).getByRole('listitem').count()).toBe(1);
    await page.keyboard.press('Enter');
    const heading = card('3. Columns').getByRole('textbox', { name: 'Heading' });
    await heading.waitFor();
    expect(await heading.evaluate((input) => input === document.activeElement)).toBe(true);
    await card('3. Columns').getByRole('button', { name: 'Add Items' }).click();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await card('3. Columns').getByRole('button', { name: 'Columns', exact: true }).click();
    await page.keyboard.press('Control+s');
    const summary = page.locator('.problems');
    await summary.getByText('Not saved.').waitFor();
    expect(await summary.getByRole('listitem').allInnerTexts()).toEqual([
      'Blocks › 3 › Heading: Fill in this field.',
      'Blocks › 3 › Items › 1 › Quotation: Fill in this field.',
    ]);
    // The folded card is open again.
    await summary.getByRole('button', { name: 'Blocks › 3 › Items › 1 › Quotation' }).click();
    const quotation = card('1. Quote').getByRole('textbox', { name: 'Quotation' });
    expect(await quotation.evaluate((input) => input === document.activeElement)).toBe(true);
    expect(await quotation.getAttribute('aria-invalid')).toBe('true');
    await quotation.fill('Both.');
    // Its head has the first text of it.
    await card('3. Columns: Both.').getByRole('textbox', { name: 'Heading' }).fill('Hi');
    await page.keyboard.press('Control+s');
    await page
      .getByText(/Too small/)
      .first()
      .waitFor();
    expect(await summary.getByRole('listitem').count()).toBe(1);
    await card('3. Columns: Hi').getByRole('textbox', { name: 'Heading' }).fill('High');
    await save();
    expect(await home()).toBe(
      HOME.replace(
        '    text: Wait.\n',
        '    text: Wait.\n  - type: columns\n    heading: High\n    items:\n      - type: quote\n        text: Both.\n',
      ),
    );
  });

  test('moves blocks with the keyboard, with buttons and by dragging', async () => {
    await open('/edit/node/page/home');
    const handle = button('Move 1. Section: Morning');
    await handle.focus();
    await page.keyboard.press('ArrowDown');
    expect(await order()).toEqual(['1. Quote: Wait.', '2. Section: Morning']);
    expect(await page.evaluate(() => document.activeElement?.ariaLabel)).toBe('Move 2. Section: Morning');
    const toggle = card('2. Section: Morning').getByRole('button', { name: 'Section Morning' });
    await toggle.focus();
    await page.keyboard.press('Alt+ArrowUp');
    expect(await order()).toEqual(['1. Section: Morning', '2. Quote: Wait.']);
    await button('Move 1. Section: Morning down').click();
    expect(await order()).toEqual(['1. Quote: Wait.', '2. Section: Morning']);
    await button('Collapse all Blocks').first().click();
    const from = (await button('Move 2. Section: Morning').boundingBox())!;
    const to = (await button('Move 1. Quote: Wait.').boundingBox())!;
    await page.mouse.move(from.x + 5, from.y + 5);
    await page.mouse.down();
    await page.mouse.move(to.x + 5, to.y + 2, { steps: 6 });
    await page.mouse.up();
    expect(await order()).toEqual(['1. Section: Morning', '2. Quote: Wait.']);
    await button('Move 2. Quote: Wait. up').click();
    await save();
    expect((await home()).indexOf('text: Wait.')).toBeLessThan((await home()).indexOf('heading: Morning'));
    expect(await home()).toContain('      # Beside each other.\n      - type: columns\n');
  });

  test('folds, duplicates and removes blocks, and takes a removal back', async () => {
    await open('/edit/node/page/home');
    await button('Collapse all Blocks').first().click();
    expect(await field('Quotation').count()).toBe(0);
    expect(await card('2. Quote: Wait.').innerText()).toContain('Wait.');
    await button('Duplicate 2. Quote: Wait.').click();
    expect(await order()).toEqual(['1. Section: Morning', '2. Quote: Wait.', '3. Quote: Wait.']);
    await field('Quotation').fill('Go.');
    expect(await order()).toEqual(['1. Section: Morning', '2. Quote: Wait.', '3. Quote: Go.']);
    await button('Remove 1. Section: Morning').click();
    expect(await order()).toEqual(['1. Quote: Wait.', '2. Quote: Go.']);
    await page.locator('.notices').getByRole('button', { name: 'Undo' }).click();
    expect(await order()).toEqual(['1. Section: Morning', '2. Quote: Wait.', '3. Quote: Go.']);
    await save();
    expect(await home()).toBe(
      HOME.replace('    text: Wait.\n', '    text: Wait.\n  - type: quote\n    text: Go.\n'),
    );
  });

  test('copies a block to another entry, and refuses blocks of other types', async () => {
    await open('/edit/node/page/home');
    await button('Copy 2. Quote: Wait.').click();
    await page.locator('.notices').getByText('“2. Quote: Wait.” is copied').waitFor();
    await open('/edit/node/page/other');
    await below('Paste Blocks').click();
    await card('1. Quote: Wait.').waitFor();
    await save();
    expect(await site.read('page/other.md')).toContain('field_blocks:\n  - type: quote\n    text: Wait.\n');
    const copy = (item: unknown) =>
      page.evaluate(
        (text) => navigator.clipboard.writeText(text),
        JSON.stringify({ 'astro-jsonapi:item': item }),
      );
    await copy({ type: 'video', src: 'x' });
    await below('Paste Blocks').click();
    await page.getByText('Blocks has no items of the copied kind.').waitFor();
    await copy({ type: 'quote', text: 'Two', colour: 'red' });
    await below('Paste Blocks').click();
    await page.getByText('Pasted without what this list does not have: colour.').waitFor();
    await page.evaluate(() => navigator.clipboard.writeText('Words'));
    await below('Paste Blocks').click();
    await page.getByText('Nothing is copied that fits here.').waitFor();
    expect(await order()).toEqual(['1. Quote: Wait.', '2. Quote: Two']);
  });

  test('shows fields in sections and columns, and hides those whose condition does not hold', async () => {
    await open('/edit/node/page/home');
    const headings = page.locator('.main summary');
    expect(await headings.allInnerTexts()).toEqual(['Where we meet', 'Look']);
    const labels = await page.locator('.main .field > .head .label').allInnerTexts();
    expect(labels.slice(0, 4)).toEqual(['Title*', 'Kind*', 'Teaser', 'Blocks']);
    expect(await field('Street').count()).toBe(0);
    await page.getByRole('combobox', { name: 'Kind' }).selectOption({ label: 'Event' });
    const [street, town] = await Promise.all([field('Street').boundingBox(), field('Town').boundingBox()]);
    expect([street?.y, street!.x < town!.x]).toEqual([town?.y, true]);
    await field('Street').fill('Low Road');
    await page.getByRole('combobox', { name: 'Kind' }).focus();
    await page.getByRole('combobox', { name: 'Kind' }).selectOption({ label: 'Article' });
    expect(await field('Street').count()).toBe(0);
    await page.getByRole('combobox', { name: 'Kind' }).selectOption({ label: 'Event' });
    expect(await field('Street').inputValue()).toBe('Low Road');
    await page.setViewportSize({ width: 390, height: 844 });
    const [above, under] = await Promise.all([field('Street').boundingBox(), field('Town').boundingBox()]);
    expect(above!.y).toBeLessThan(under!.y);
    expect(await page.locator('aside').getByText('home', { exact: true }).isVisible()).toBe(false);
    await page.getByText('Technical details').click();
    expect(await page.locator('aside').getByText('home', { exact: true }).isVisible()).toBe(true);
  });

  test('hides properties of an object by their conditions, but never the one that someone writes in', async () => {
    const link = z
      .string()
      .min(4)
      .nullish()
      .meta({ when: { field: 'kind', is: 'link' } });
    const former = z
      .string()
      .nullish()
      .meta({ when: { field: 'former', set: true } });
    const kind = z.enum(['note', 'link']).nullish();
    site = await startWritableSite({
      schema: defineSchema({ page: { field_card: z.object({ kind, web_site: link, former }).nullish() } }),
      content: { 'page/home.md': '---\ntitle: Home\nfield_card: { kind: link, former: Old }\n---\n' },
    });
    await open('/edit/node/page/home');
    const kinds = page.getByRole('combobox', { name: 'Kind' });
    await field('Web site').fill('abc');
    await kinds.focus();
    await kinds.selectOption('note');
    await field('Web site').waitFor({ state: 'hidden' });
    await page.keyboard.press('Control+s');
    // The schema refuses the hidden value, which stays until the next save.
    await field('Web site').waitFor();
    expect(await field('Web site').inputValue()).toBe('abc');
    await field('Web site').focus();
    await page.keyboard.press('End');
    await page.keyboard.type('d');
    await page.keyboard.type('e');
    expect(await field('Web site').inputValue()).toBe('abcde');
    await save();
    expect(await home()).toContain('field_card: { kind: note, former: Old, web_site: abcde }');
    // It keeps the focus, and leaves with the first change elsewhere.
    expect(await field('Web site').evaluate((input) => input === document.activeElement)).toBe(true);
    await field('Former').focus();
    for (let letter = 0; letter < 3; letter++) await page.keyboard.press('Backspace');
    await field('Web site').waitFor({ state: 'hidden' });
    await page.keyboard.type('New');
    expect(await field('Former').inputValue()).toBe('New');
    for (let letter = 0; letter < 3; letter++) await page.keyboard.press('Backspace');
    await kinds.focus();
    await kinds.selectOption('link');
    await field('Former').waitFor({ state: 'hidden' });
    expect(await field('Web site').inputValue()).toBe('abcde');
    await save();
    expect(await home()).toMatch(/field_card: \{ kind: link, web_site: abcde \}/);
  });

  test('has inputs for colors, code, places, slugs, tables, words, trees, and an element of the site', async () => {
    await open('/new/node/page');
    await field('Title').fill('Große Flut');
    await page.getByRole('combobox', { name: 'Kind' }).selectOption({ label: 'Article' });
    await page.waitForFunction(
      () => document.querySelector<HTMLInputElement>('#field-field_slug')?.value === 'grosse-flut',
    );
    await field('Slug').fill('flut');
    await field('Title').fill('Große Fluten');
    expect(await field('Slug').inputValue()).toBe('flut');
    await field('Accent').fill('#336699');
    expect(await page.getByLabel('Choose Accent').inputValue()).toBe('#336699');
    await field('CSS').click();
    await page.keyboard.type('a { top: 0 }');
    await button('Use my position Spot').click();
    await page.waitForFunction(
      () => document.querySelector<HTMLInputElement>('[id="field-field_spot/lat"]')?.value !== '',
    );
    await button('Add Facts').click();
    await page.keyboard.type('Height');
    await field('Height: Value').fill('12 m');
    await field('Words').fill('low');
    await page.keyboard.press('Enter');
    await page.keyboard.type('high,');
    await button('Remove low').click();
    await button('Stars: 4').click();
    await page.getByRole('radio', { name: 'Stars' }).check();
    await page.keyboard.press('Control+s');
    await page.locator('.notices').getByText('is saved').waitFor();
    const written = await site.read('page/grosse-fluten.md');
    expect(written).toBe(
      [
        '---',
        'title: Große Fluten',
        'status: false',
        'uid: ada',
        'field_kind: article',
        'field_spot:',
        '  lat: 54.12346',
        '  lon: -0.5',
        'field_slug: flut',
        'field_accent: "#336699"',
        'field_css: "a { top: 0 }"',
        'field_facts:',
        '  Height: 12 m',
        'field_words:',
        '  - high',
        'field_stars: 4',
        'field_topic: stars',
        '---',
        '',
      ].join('\n'),
    );
  });

  test('speaks German, and has no accessibility problems in light and dark, wide and narrow', async () => {
    await tab.open(site, '/admin/edit/node/page/home', 'ada');
    await field('Title').waitFor();
    await page.evaluate(() => localStorage.setItem('astro-jsonapi:language', 'de'));
    await page.reload();
    await card('1. Abschnitt: Morning').waitFor();
    await page.locator('summary', { hasText: 'Treffpunkt' }).waitFor();
    await page.getByText('Termine haben einen Ort.').waitFor();
    await below('Hinzufügen').click();
    await page.getByText('Worte von jemand anderem.').waitFor();
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await axeViolations(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
    }
  });
});

import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { createFsDriver } from '../../integration/core/storage/drivers/fs.ts';
import { sample } from '../oracle/runs.ts';
import { DEMO } from '../support/demo.ts';
import { describeInBrowser, useBrowser } from './chromium.ts';
import { type EditForm, type Listed, openEditForm } from './edit-form.ts';
import { startWritableSite, type WritableSite } from './writable-site.ts';

type Action = (page: Page) => Promise<void>;

const fill =
  (name: string, value: string): Action =>
  (page) =>
    page.getByRole('textbox', { name, exact: true }).fill(value);
const date =
  (name: string, value: string): Action =>
  (page) =>
    page.getByLabel(name, { exact: true }).fill(value);
const press =
  (button: string, key: string): Action =>
  (page) =>
    page.getByRole('button', { name: button, exact: true }).press(key);
const toggle =
  (name: string): Action =>
  (page) =>
    page.getByRole('checkbox', { name, exact: true }).click();
const choose =
  (name: string, value: string): Action =>
  async (page) => {
    await page.getByRole('combobox', { name, exact: true }).selectOption(value);
  };

/** Edits of one field each, and the only text that they replace in the file. */
const EDITS: readonly (readonly [key: string, edit: Action, from: string, to: string])[] = [
  ['article/holdfast/index.md', fill('Title', 'What holds'), 'What holds on', 'What holds'],
  [
    'article/holdfast/index.md',
    fill('Summary', 'No roots.'),
    'A kelp has no roots. It has a fist, and inside the fist there is a town.',
    'No roots.',
  ],
  ['article/holdfast/index.md', fill('Address', '/journal/held'), '/journal/holdfast', '/journal/held'],
  ['article/holdfast/index.md', fill('Height', '-3.50'), '"-3.00"', '"-3.50"'],
  ['article/holdfast/index.md', choose('Zone', 'lower'), 'below', 'lower'],
  ['article/holdfast/index.md', fill('Issue', '12'), 'issue: 1', 'issue: 12'],
  ['article/holdfast/index.md', date('Observed', '2025-03-29'), '2025-03-30', '2025-03-29'],
  [
    'article/holdfast/index.md',
    fill('Alternative text', 'Kelp'),
    'Kelp rising from knotted holdfasts toward light at the surface',
    'Kelp',
  ],
  ['article/holdfast/index.md', fill('Species 2', 'Patella'), 'Patella pellucida', 'Patella'],
  [
    'article/holdfast/index.md',
    press('Move Laminaria hyperborea', 'ArrowDown'),
    'Laminaria hyperborea, Patella',
    'Patella, Laminaria hyperborea',
  ],
  ['article/holdfast/index.md', press('Remove Ecology', 'Enter'), ', ecology', ''],
  ['article/holdfast/index.md', toggle('Lead'), 'field_species', 'field_lead: true\nfield_species'],
  [
    'article/limpet-address.de.md',
    fill('Title', 'Die Schnecke'),
    'Die Napfschnecke kennt ihre Adresse',
    'Die Schnecke',
  ],
  ['event/dawn-low-water-walk.md', fill('Place: Name', 'The bay'), "Robin Hood's Bay", 'The bay'],
  ['event/dawn-low-water-walk.md', fill('Place: Lat', '54.5'), '54.4345', '54.5'],
  ['event/dawn-low-water-walk.md', toggle('Wet feet'), 'wet_feet: true', 'wet_feet: false'],
  ['event/dawn-low-water-walk.md', fill('Bring 2', 'a table'), 'a tide table, to check ours', 'a table'],
  ['event/dawn-low-water-walk.md', fill('Programme 3: What', 'Tea'), 'Kettle', 'Tea'],
  // `55.7540` beside it stays as it is written.
  ['event/barnacle-census.yaml', fill('Place: Country', 'UK'), 'United Kingdom', 'UK'],
  ['event/barnacle-census.yaml', fill('Price', '0.50'), '"0"', '"0.50"'],
  ['menu_link_content--main/shore.yaml', fill('Title', 'Shore'), 'Down the shore', 'Shore'],
];

describeInBrowser('the edit form over the content of the demo', async () => {
  const browser = await useBrowser();
  const before = readContent();
  let site: WritableSite;
  let form: EditForm;

  beforeAll(async () => {
    const { schema, languages } = DEMO;
    site = await startWritableSite({
      content: before,
      schema,
      languages,
      publicFiles: createFsDriver(DEMO.public),
    });
    form = await openEditForm(browser, site);
  });

  test('saving without an edit sends nothing and changes no byte, for any entity and translation', async () => {
    const entities = await form.list();
    expect(entities.length).toBeGreaterThan(60);
    for (const entity of sample(entities)) {
      await form.open(entity);
      await form.saveUnchanged();
    }
    expect(form.writes).toEqual([]);
    for (const [key, text] of Object.entries(before)) expect(await site.read(key)).toBe(text);
  });

  test('changing one field changes only its value in the file', async () => {
    const expected: Record<string, string> = { ...before };
    for (const [key, edit, from, to] of EDITS) {
      await form.open(entityAt(key));
      await edit(form.page);
      await form.save();
      expect(expected[key]).toContain(from);
      expected[key] = expected[key]?.replace(from, to) ?? '';
      expect(await site.read(key)).toBe(expected[key]);
    }
    for (const [key, text] of Object.entries(expected)) expect(await site.read(key)).toBe(text);
  });
});

function entityAt(key: string): Listed {
  const [folder = '', ...names] = key.replace(/(?:\/index)?\.\w+$/, '').split('/');
  const [entityType = '', bundle = ''] = folder.includes('--') ? folder.split('--') : ['node', folder];
  const [, id = '', language] = /^(.*?)(?:\.(de))?$/.exec(names.join('/')) ?? [];
  return { entityType, bundle, id, language };
}

function readContent(): Readonly<Record<string, string>> {
  const keys = globSync('**/*.{md,mdx,json,yaml,svg}', { cwd: DEMO.content });
  return Object.fromEntries(keys.map((key) => [key, readFileSync(path.join(DEMO.content, key), 'utf8')]));
}

import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { relativeImagePath, scanBody } from '../../integration/core/source/body-images.ts';
import { resolveKey } from '../../integration/core/storage/key.ts';
import { describeInBrowser, useBrowser } from '../browser/chromium.ts';
import { changeBetween, openEditForm } from '../browser/edit-form.ts';
import { startWritableSite } from '../browser/writable-site.ts';
import { png } from '../support/pictures.ts';

/** A folder with the content of real sites, a folder each. */
const CORPORA = process.env.CORPORA ?? path.join(import.meta.dirname, '../../../shared/corpora');
/** Entities between two lines about the progress. */
const INTERVAL = 200;

describe.skipIf(!existsSync(CORPORA))('the edit form over every file of real sites', () => {
  describeInBrowser('in a browser', async () => {
    const browser = await useBrowser();

    test('saving without an edit changes nothing, and typing a word changes one place of one file', async () => {
      for (const corpus of readdirSync(CORPORA, { withFileTypes: true })) {
        if (corpus.isDirectory()) await editAll(browser, corpus.name);
      }
    });
  });
});

async function editAll(browser: Browser, name: string): Promise<void> {
  const before = readContent(path.join(CORPORA, name));
  const site = await startWritableSite({ content: { ...missingImages(before), ...before }, schema: {} });
  const form = await openEditForm(browser, site);
  const entities = await form.list();
  expect(entities.length).toBe(Object.keys(before).length);
  const start = performance.now();
  for (const [index, entity] of entities.entries()) {
    await form.open(entity);
    await form.saveUnchanged();
    expect(form.writes.length).toBe(index);
    await form.typeInBody(index % 9, ' end');
    await form.save();
    if ((index + 1) % INTERVAL !== 0) continue;
    const perEntity = (performance.now() - start) / (index + 1);
    console.log(`${name}: ${index + 1} of ${entities.length}, ${perEntity.toFixed(0)} ms each`);
  }
  const others: string[] = [];
  for (const [key, text] of Object.entries(before)) {
    const { from, to } = changeBetween(withoutUpdated(text), withoutUpdated(await site.read(key)));
    // On an empty line, the word is a paragraph of its own.
    if (from !== '' || to.trim() !== 'end') others.push(`${key}: ${JSON.stringify({ from, to })}`);
  }
  await form.page.context().close();
  expect(others).toEqual([]);
}

/** Saving also dates the change if the file has a field for that. */
function withoutUpdated(text: string): string {
  return text.replace(/^updated: .*$/m, 'updated:');
}

function readContent(folder: string): Readonly<Record<string, string>> {
  const keys = globSync('*/**/*.{md,mdx}', { cwd: folder });
  return Object.fromEntries(keys.map((key) => [key, readFileSync(path.join(folder, key), 'utf8')]));
}

/** A corpus has texts only: images for the paths in them, as the API stores no body with a missing image. */
function missingImages(content: Readonly<Record<string, string>>): Readonly<Record<string, Uint8Array>> {
  const images = Object.entries(content).flatMap(([key, text]) =>
    scanBody(text).images.flatMap(({ src }) => {
      const image = relativeImagePath(src);
      const missing = image && resolveKey(key, image.path);
      return missing === undefined ? [] : [[missing, png(8, 8)] as const];
    }),
  );
  return Object.fromEntries(images);
}

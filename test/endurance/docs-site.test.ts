import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { examples } from '../../docs/src/examples.ts';
import { REPOSITORY, run, type Served, serveFiles } from '../astro/site.ts';
import { axeViolations } from '../browser/axe.ts';
import { describeInBrowser } from '../browser/chromium.ts';
import { useTab } from '../browser/tab.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** The site is built for a folder of a host, so a link without the base is broken. */
const BASE = '/manual';
const ASTRO = path.join(REPOSITORY, 'node_modules/astro/bin/astro.mjs');

let dir: string;
let site: Served;
beforeAll(async () => {
  dir = temporaryFolder();
  const { code, output } = await run(
    process.execPath,
    [ASTRO, 'build', '--root', 'docs', '--outDir', dir, '--base', BASE],
    REPOSITORY,
  );
  expect({ code, output }).toMatchObject({ code: 0 });
  site = await serveFiles(dir, BASE);
});
afterAll(async () => site?.stop());

const read = (...names: string[]) => readFileSync(path.join(dir, ...names), 'utf8');

describe('the documentation site', () => {
  it('has a description and a canonical address of its own on each page, and a sitemap', () => {
    const pages = readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('index.html') && !name.startsWith('jsonapi-explorer'),
    );
    const found = (pattern: RegExp) => pages.map((page) => pattern.exec(read(page))?.[1] ?? page);
    for (const pattern of [
      /<meta name="description" content="([^"]+)"/,
      /<link rel="canonical" href="([^"]+)"/,
    ])
      expect(new Set(found(pattern)).size, String(pattern)).toBe(pages.length);
    expect(read('sitemap-0.xml')).toContain(`${BASE}/facets/</loc>`);
  });

  it('has no broken link', () => {
    const pages = readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('index.html') && !name.startsWith('jsonapi-explorer'),
    );
    expect(pages.length).toBeGreaterThan(40);
    const broken = pages.flatMap((page) =>
      [...read(page).matchAll(/<(?:a|img|link|script)\b[^>]* (?:href|src)="([^"]+)"/g)].flatMap(
        ([, link = '']) => {
          const url = new URL(
            link.replaceAll('&amp;', '&'),
            `http://site${BASE}/${page.replace('index.html', '')}`,
          );
          if (url.host !== 'site') return [];
          const name = decodeURIComponent(url.pathname);
          const file = name.startsWith(`${BASE}/`) || name === BASE ? name.slice(BASE.length) : undefined;
          const target =
            file === undefined ? '' : path.join(dir, file, file.endsWith('/') ? 'index.html' : '');
          if (file === undefined || !existsSync(target)) return [`${page}: ${link}`];
          const anchor = decodeURIComponent(url.hash.slice(1));
          const isThere = anchor === '' || readFileSync(target, 'utf8').includes(` id="${anchor}"`);
          return isThere ? [] : [`${page}: ${link}`];
        },
      ),
    );
    expect(broken).toEqual([]);
  });

  it.each(examples)('answers $query', ({ name }) => {
    const { data } = JSON.parse(read('jsonapi/q', `${name}.json`));
    expect([data].flat().length).toBeGreaterThan(0);
  });
});

describeInBrowser('the documentation site in a browser', async () => {
  const { page } = await useTab();
  const open = async (address: string) => page.goto(`${site.origin}${BASE}${address}`);
  // When a page is idle, Expressive Code makes each code block that scrolls focusable, as a landmark without a name.
  const violations = async () =>
    (await axeViolations(page)).filter(
      (each) => !/^(?:landmark-unique|scrollable-region-focusable).* <pre data-language/.test(each),
    );

  it.each([1280, 390])('searches with the keyboard at %d pixels', async (width) => {
    await page.setViewportSize({ width, height: 800 });
    await open('/facets/');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('static mode');
    await page.getByRole('status').getByText('Results').waitFor();
    expect(await violations()).toEqual([]);
    await page.getByRole('option', { name: 'Static mode' }).first().waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Static mode' }).waitFor();
  });

  it.each([
    ['static host', 'static-mode'],
    ['contentDir', 'options'],
    ['page[limit]', 'query-language'],
    ['facets', 'facets'],
    ['next-drupal', 'decoupled-front-ends'],
  ])('finds %s', async (words, name) => {
    await open('/');
    await page.keyboard.press('/');
    await page.keyboard.type(words);
    await page.locator(`[role=option][href^="${BASE}/${name}/"]`).first().waitFor();
  });

  it('answers the examples and every other query', async () => {
    await open('/try/');
    const response = page.getByLabel('Response');
    await page.getByRole('combobox', { name: 'Example' }).selectOption({ label: 'One page by its id' });
    await response.getByText('"Options"', { exact: true }).waitFor();
    const query = page.getByRole('textbox', { name: 'Query' });
    await query.fill('/node/page?filter[title][operator]=STARTS_WITH&filter[title][value]=Fac');
    await query.press('Control+Enter');
    await response.getByText('"Facets"', { exact: true }).waitFor();
    await query.fill('/node/page?filter[titel]=Facets');
    await query.press('Control+Enter');
    await response.getByText('Did you mean').waitFor();
  });

  it('shows the example that was chosen last, even before the page was ready', async () => {
    const isChosen = Promise.withResolvers<void>();
    await page.route('**/_astro/*.js', async (route) => {
      await isChosen.promise;
      await route.continue();
    });
    await page.goto(`${site.origin}${BASE}/try/`, { waitUntil: 'commit' });
    await page.getByRole('combobox', { name: 'Example' }).selectOption({ label: 'One page by its id' });
    isChosen.resolve();
    const response = page.getByLabel('Response');
    await response.getByText('"Options"', { exact: true }).waitFor();
    await page.unroute('**/_astro/*.js');
  });

  it('shows the response to the last query, whichever comes first', async () => {
    const isLate = Promise.withResolvers<void>();
    await page.route('**/jsonapi/**', async (route) => {
      await isLate.promise;
      await route.continue();
    });
    await open('/try/');
    const response = page.getByLabel('Response');
    await page.getByRole('combobox', { name: 'Example' }).selectOption({ label: 'One page by its id' });
    isLate.resolve();
    await response.getByText('"Options"', { exact: true }).waitFor();
    await page.waitForLoadState('networkidle');
    await response.getByText('"Options"', { exact: true }).waitFor({ timeout: 1000 });
    await page.unroute('**/jsonapi/**');
  });

  it.each(['/', '/try/', '/options/'])('is accessible at %s', async (address) => {
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 });
      await open(address);
      expect(
        await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
      ).toBeLessThanOrEqual(0);
      expect(await violations()).toEqual([]);
    }
  });
});

import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { startAdminServer } from '../bench/sites/admin-server.ts';
import { serveFiles } from '../test/astro/site.ts';
import { launchBrowser } from '../test/browser/chromium.ts';

/**
 * Renews the pictures of the README and the documentation, or those that the arguments name: the built demo site, and the real
 * admin and explorer over a copy of its content in a repository.
 */
const ROOT = path.resolve(import.meta.dirname, '..');
const PICTURES = path.join(ROOT, 'docs/images');
/** Inside the repository, so that `astro-jsonapi` resolves to the built library. */
const SITE = path.join(ROOT, '.cache/pictures');
const MAX_BYTES = 80_000;
const DAY_MS = 86_400_000;
/** Pixels around an element that is alone in its picture. */
const MARGIN = 24;
/** Widths at which people use the admin. Pictures show the upper part of the screen. */
const SCREEN = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 780 };

interface Picture {
  readonly name: string;
  readonly address: string;
  /** From the built demo site. Default: from the server with the admin. */
  readonly ofDemo?: true;
  /** An element that is there when the screen is complete. */
  readonly shown: string;
  readonly size?: typeof SCREEN;
  readonly isDark?: true;
  /** What to do before the picture. Later pictures show the changes. */
  readonly steps?: (page: Page) => Promise<void>;
  /** The only element in the picture, with a margin. Default: the screen. */
  readonly part?: string;
}

const ARTICLE = 'node/article/limpet-address';
const QUERY =
  '/node/article?filter[field_tags.title]=Tides&include=field_author&fields[node--article]=title,field_author,field_published&sort=-field_published&page[limit]=6';
const PICTURES_TO_TAKE: readonly Picture[] = [
  { name: 'demo', address: '/', shown: 'main img, main svg', ofDemo: true },
  { name: 'explorer', address: `/jsonapi-explorer#${QUERY}`, shown: '[role=tabpanel]' },
  { name: 'admin-home', address: '/admin', shown: '#drafts' },
  {
    name: 'admin-list',
    address: '/admin/content?type=node--article',
    shown: 'table[aria-busy=false] tbody tr',
  },
  { name: 'admin-edit', address: `/admin/edit/${ARTICLE}`, shown: '.cm-content' },
  { name: 'admin-edit-dark', address: `/admin/edit/${ARTICLE}`, shown: '.cm-content', isDark: true },
  { name: 'admin-phone', address: `/admin/edit/${ARTICLE}`, shown: '.cm-content', size: PHONE },
  { name: 'admin-history', address: `/admin/history/${ARTICLE}`, shown: '.diff' },
  { name: 'admin-translate', address: `/admin/translate/${ARTICLE}?to=de`, shown: '.cm-content' },
  { name: 'admin-media', address: '/admin/media', shown: 'main img', size: { width: 1440, height: 760 } },
  {
    name: 'admin-draft',
    address: '/admin/new/node/article',
    shown: '.cm-content',
    size: { width: 1440, height: 560 },
    async steps(page) {
      await page.getByRole('textbox', { name: 'Title', exact: true }).fill('Where the eels go in autumn');
      await page.keyboard.press('Control+s');
      await page.getByText('Draft saved.', { exact: false }).waitFor();
    },
  },
  {
    name: 'admin-delete',
    address: '/admin/edit/node/article/two-bulges',
    shown: '.cm-content',
    part: '[role=alertdialog]',
    async steps(page) {
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Delete …' }).click();
      await page.getByRole('alertdialog').getByRole('listitem').first().waitFor();
    },
  },
  {
    name: 'admin-bin',
    address: '/admin/edit/node/article/two-bulges',
    shown: '.cm-content',
    size: { width: 1440, height: 340 },
    async steps(page) {
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Delete …' }).click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Delete', exact: true }).click();
      await page.getByText('is deleted.', { exact: false }).waitFor();
      await page.getByRole('link', { name: 'Bin' }).click();
      await page.getByRole('heading', { level: 1, name: 'Bin' }).waitFor();
      await page.getByRole('button', { name: 'Close' }).click();
    },
  },
  {
    name: 'admin-bulk',
    address: '/admin/content?type=node--article',
    shown: 'table[aria-busy=false] tbody tr',
    size: { width: 1440, height: 560 },
    async steps(page) {
      const boxes = page.locator('tbody input[type=checkbox]');
      for (const index of [0, 1, 2]) await boxes.nth(index).check();
    },
  },
  {
    name: 'admin-pictures',
    address: `/admin/edit/${ARTICLE}`,
    shown: '.cm-content',
    part: '[role=dialog]',
    async steps(page) {
      await insert(page, 'image');
      const pictures = page.getByRole('dialog').getByRole('listbox').getByRole('option');
      for (const index of [0, 3]) await pictures.nth(index).click();
    },
  },
  {
    name: 'admin-video',
    address: `/admin/edit/${ARTICLE}`,
    shown: '.cm-content',
    part: '[role=dialog]',
    async steps(page) {
      await insert(page, 'video');
      const dialog = page.getByRole('dialog', { name: 'Video', exact: true });
      await dialog.getByRole('button', { name: 'Choose a video …' }).click();
      await choose(page, 'Choose a video', /tide-pool/);
      await dialog
        .getByRole('textbox', { name: 'What the video shows' })
        .fill('A limpet leaves its place at high water');
      await dialog.getByRole('button', { name: 'Choose a picture …' }).click();
      await choose(page, 'Choose a picture', /./);
    },
  },
  {
    name: 'admin-link-card',
    address: `/admin/edit/${ARTICLE}`,
    shown: '.cm-content',
    part: '[role=dialog]',
    async steps(page) {
      await insert(page, 'card');
      const dialog = page.getByRole('dialog', { name: 'Link card', exact: true });
      await dialog.getByRole('textbox', { name: 'Address' }).fill('https://example.org/tide-tables');
      await dialog.getByRole('textbox', { name: 'Title' }).fill('Tide tables');
      await dialog
        .getByRole('textbox', { name: 'Description' })
        .fill('High and low water of twelve harbors.');
    },
  },
  {
    name: 'admin-table',
    address: `/admin/edit/${ARTICLE}`,
    shown: '.cm-content',
    part: '.md-table',
    async steps(page) {
      await page.locator('.cm-content').first().focus();
      await page.keyboard.press('Control+End');
      await page.keyboard.press('Enter');
      await page.keyboard.type('| Harbor | Low water | High water |');
      await page.keyboard.press('Enter');
      await page.locator('.md-table .cm-content').waitFor();
      await page.waitForTimeout(500);
      await page.keyboard.type('Brightness Cove');
      for (const cell of ['06:12', '12:31', 'Old Quay', '06:40', '12:58']) {
        await page.keyboard.press('Tab');
        await page.keyboard.type(cell);
      }
      await page.getByRole('toolbar', { name: 'Table: rows and columns' }).waitFor();
    },
  },
  {
    name: 'admin-conflict',
    address: '/admin/edit/node/article/three-knots',
    shown: '.cm-content',
    part: '.conflict',
    async steps(page) {
      await page.getByRole('textbox', { name: 'Title', exact: true }).fill('Three knots for every boat');
      edit('three-knots', (text) => text.replace(/^title: .*$/m, 'title: Three knots that hold'));
      await page.keyboard.press('Control+s');
      await page.getByRole('group', { name: 'Someone else has changed this too' }).waitFor();
    },
  },
  {
    name: 'admin-redirects',
    address: '/admin/redirects',
    shown: 'main tbody tr, main li',
    size: { width: 1440, height: 520 },
  },
  {
    name: 'admin-templates',
    address: `/admin/edit/${ARTICLE}`,
    shown: '.cm-content',
    size: { width: 1440, height: 420 },
    async steps(page) {
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Save as template …' }).click();
      await page.getByRole('dialog').getByRole('textbox').fill('Field notes');
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      await page.goto(`${server.origin}/admin/new/node/article`);
      await page.getByRole('button', { name: 'Field notes', exact: true }).waitFor();
    },
  },
  {
    name: 'admin-menus',
    address: '/admin/menus',
    shown: 'main li',
    size: { width: 1440, height: 620 },
  },
];

const REDIRECTS =
  '/moon: node--article/two-bulges\n/limpets: node--article/limpet-address\n/shop: https://shop.example/\n';

prepareSite();
const server = await startAdminServer(SITE, [
  { name: 'ines', displayName: 'Ines Moor', roles: ['administrator'], mail: 'ines@example.org' },
]);
const demo = await serveFiles(path.join(ROOT, 'build/static'));
const browser = await launchBrowser();
try {
  mkdirSync(PICTURES, { recursive: true });
  const page = await browser.newPage({
    viewport: SCREEN,
    colorScheme: 'light',
    reducedMotion: 'reduce',
    locale: 'en',
  });
  await server.signIn(page);
  const names = process.argv.slice(2);
  for (const picture of PICTURES_TO_TAKE) {
    if (names.length === 0 || names.includes(picture.name)) await take(page, picture);
  }
} finally {
  await browser.close();
  server.stop();
  await demo.stop();
}

/** The demo with a draft, a scheduled article, and an article whose translation is older than its last change. */
function prepareSite(): void {
  rmSync(SITE, { recursive: true, force: true });
  mkdirSync(SITE, { recursive: true });
  for (const name of ['content', 'public', 'astro.config.mjs']) {
    cpSync(path.join(ROOT, name), path.join(SITE, name), { recursive: true });
  }
  writeFileSync(path.join(SITE, 'content/article/tide-pool.mp4'), '');
  writeFileSync(path.join(SITE, 'content/_redirects.yaml'), REDIRECTS);
  git(['init', '--quiet']);
  commit('Tobias Quill', 'The first issue', 40);
  edit('limpet-address', (text) => text.replace(/^title: .*$/m, 'title: A limpet has an address'));
  edit('brass-ocean', (text) => setField(text, 'status', 'false'));
  edit('uphill-wave', (text) => setField(text, 'status', 'false'));
  commit('Ifeoma Sand', 'A clearer title', 12);
  edit('limpet-address', (text) => `${text.trimEnd()}\n\nCome back at the next low tide and look again.\n`);
  edit('three-knots', (text) =>
    setField(text, 'publish_on', new Date(Date.now() + 9 * DAY_MS).toISOString()),
  );
  commit('Ines Moor', 'An ending for the limpet', 2);
}

/** Selects a block for a new line at the end of the text. */
async function insert(page: Page, words: string): Promise<void> {
  await page.locator('.cm-content').first().focus();
  await page.keyboard.press('Control+End');
  await page.keyboard.press('Enter');
  await page.keyboard.type(`/${words}`);
  await page.getByRole('option').first().waitFor();
  await page.waitForTimeout(200);
  await page.keyboard.press('Enter');
}

/** Selects the first file with this name in the library. */
async function choose(page: Page, title: string, name: RegExp): Promise<void> {
  const dialog = page.getByRole('dialog', { name: title, exact: true });
  await dialog.getByRole('listbox').getByRole('option', { name }).first().click();
  await dialog.getByRole('button', { name: 'Insert', exact: true }).click();
  await dialog.waitFor({ state: 'hidden' });
}

function edit(id: string, change: (text: string) => string): void {
  const file = path.join(SITE, 'content/article', `${id}.md`);
  const text = readFileSync(file, 'utf8');
  const changed = change(text);
  if (changed === text) throw new Error(`${file} was not changed.`);
  writeFileSync(file, changed);
}

function setField(text: string, name: string, value: string): string {
  const line = `${name}: ${value}`;
  const existing = new RegExp(`^${name}: .*$`, 'm');
  return existing.test(text) ? text.replace(existing, line) : text.replace(/^---\n/, `---\n${line}\n`);
}

function commit(author: string, message: string, daysAgo: number): void {
  const date = new Date(Date.now() - daysAgo * DAY_MS).toISOString();
  const [name = ''] = author.split(' ');
  git(['add', '--all', 'content', 'public']);
  git(
    ['commit', '--quiet', '--message', message, `--author=${author} <${name}@example.org>`, `--date=${date}`],
    { GIT_COMMITTER_DATE: date },
  );
}

function git(args: readonly string[], environment: Readonly<Record<string, string>> = {}): void {
  const committer = ['-c', 'user.name=The site', '-c', 'user.email=site@example.org'];
  execFileSync('git', [...committer, ...args], { cwd: SITE, env: { ...process.env, ...environment } });
}

async function take(
  page: Page,
  { name, address, shown, size = SCREEN, ofDemo, isDark, steps, part }: Picture,
): Promise<void> {
  await page.setViewportSize(size);
  await page.emulateMedia({ colorScheme: isDark ? 'dark' : 'light' });
  await page.goto(`${ofDemo ? demo.origin : server.origin}${address}`);
  await page.waitForSelector(shown);
  await page.waitForLoadState('networkidle');
  await steps?.(page);
  await page.waitForLoadState('networkidle');
  const box = part === undefined ? null : await page.locator(part).boundingBox();
  const scrolled = await page.evaluate(() => scrollY);
  const clip = box && {
    x: box.x - MARGIN,
    y: box.y + scrolled - MARGIN,
    width: box.width + 2 * MARGIN,
    height: box.height + 2 * MARGIN,
    scale: 1,
  };
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', {
    format: 'webp',
    quality: 60,
    ...(clip && { clip }),
  });
  const bytes = Buffer.from(data, 'base64');
  if (bytes.length > MAX_BYTES) throw new Error(`${name} has ${bytes.length} bytes, more than ${MAX_BYTES}.`);
  writeFileSync(path.join(PICTURES, `${name}.webp`), bytes);
  console.log(`${name}.webp ${(bytes.length / 1000).toFixed(0)} kB`);
}

/**
 * The speed of the admin in Chromium, with 100,000 entities on a local server that commits to git: sizes of what a
 * browser loads, times from a click or a key to the frame that shows its result, the work of one key in a body of 200 kB,
 * and a bulk change of 500 entities. Each request differs from the ones before, so that no cached response is measured.
 * The content is generated once, into `.cache/bench`. npm run bench:admin -- [number of entities]
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Locator, Page } from 'playwright-core';
import { launchBrowser } from '../test/browser/chromium.ts';
import { adminSizes } from '../test/support/admin-size.ts';
import { startAdminServer } from './sites/admin-server.ts';
import { emptyFolder, median, printRequirement } from './sites/content.ts';
import { commit, generateCorpus } from './sites/corpus.ts';
import { BENCH_FOLDER, writeSchema } from './sites/site.ts';

const ENTITIES = Number(process.argv[2] ?? 100_000);
const NOTES = 500;
const BODY_BYTES = 200_000;
const KEYS = 60;
const PATIENCE_MS = 300_000;
/** A list whose rows are those of its address. */
const LIST = 'table[aria-busy=false] tbody tr';
const SECTIONS = ['coast', 'city', 'forest', 'desk', 'market', 'harbour'];

const dir = path.join(BENCH_FOLDER, `admin-${ENTITIES}`);
const content = path.join(dir, 'content');
prepareContent();
const server = await startAdminServer(dir, [
  { name: 'ada', roles: ['administrator'], mail: 'ada@example.org' },
]);
const browser = await launchBrowser();
console.log(
  `\nThe admin with ${ENTITIES} entities, Node ${process.version}, load ${loadavg()[0]?.toFixed(1)}`,
);
try {
  measureSizes();
  const page = await openAdmin();
  await warmUp(page);
  await measureLists(page);
  await measureSuggestions(page);
  await measureTyping(page);
  await measureBulkChange(page);
} finally {
  await browser.close();
  server.stop();
}

function prepareContent(): void {
  if (existsSync(path.join(content, '.git'))) {
    git('reset', '--quiet', '--hard', 'start');
    git('clean', '--quiet', '-d', '--force');
    return;
  }
  emptyFolder(path.basename(dir));
  mkdirSync(path.join(content, 'note'), { recursive: true });
  for (let at = 0; at < NOTES; at++) {
    writeFileSync(
      path.join(content, `note/note-${at}.md`),
      `---\ntitle: Note ${at}\nstatus: false\n---\n\nWords.\n`,
    );
  }
  writeFileSync(path.join(content, 'note/long.md'), `---\ntitle: Long\nstatus: true\n---\n\n${longBody()}`);
  // The corpus has a repository of its own, to which the rest is added.
  const corpus = generateCorpus(content, ENTITIES);
  writeSchema({
    ...corpus,
    schema: {
      ...corpus.schema,
      article: {
        ...corpus.schema?.article,
        field_section: `z.enum(${JSON.stringify(SECTIONS)})`,
        field_related: "z.array(reference('article')).default([])",
      },
      note: { title: 'z.string()', status: 'z.boolean()' },
    },
  });
  commit(content);
  git('tag', 'start');
  writeFileSync(
    path.join(dir, 'astro.config.mjs'),
    `import jsonapi from 'astro-jsonapi';
export default { integrations: [jsonapi({ danglingReferences: 'missing', editing: { git: true } })] };
`,
  );
}

function longBody(): string {
  const section = `## A heading with *emphasis*

A paragraph with **strong words**, [a link](https://example.org/tides), \`code\`, and enough further words that it wraps
over several lines of a window of usual width, as paragraphs of long articles do.

- one item
- another item with [a link](/article/moon)
  - an item below it

| Tide | Height |
| --- | --- |
| spring | 5.2 |

`;
  return section.repeat(Math.ceil(BODY_BYTES / section.length));
}

function measureSizes(): void {
  const sizes = adminSizes();
  report('first screen', [(sizes.get('') ?? Number.NaN) / 1000], 'kB', 125);
  report('form with its text editor', [(sizes.get('edit') ?? Number.NaN) / 1000], 'kB', 185);
}

async function openAdmin(): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  await server.signIn(page);
  await settle(page, 2000);
  return page;
}

/** The first use of a field builds its index, and the first search that of the texts. */
async function warmUp(page: Page): Promise<void> {
  for (const query of ['', '?type=node--article', '?type=node--article&q=harbour&sort=field_author']) {
    await page.goto(`${server.origin}/admin/content${query}`);
    await page.waitForSelector(LIST, { timeout: PATIENCE_MS });
  }
}

async function measureLists(page: Page): Promise<void> {
  const lists: number[] = [];
  const navigate = async (query: string) => {
    await follow(page, '/admin');
    await page.waitForSelector('#recent', { timeout: PATIENCE_MS });
    await settle(page);
    const link = await addLink(page, `/admin/content${query}`);
    lists.push(await timeUntil(page, LIST, () => link.click()));
    await settle(page);
  };
  await navigate('');
  for (const section of SECTIONS) await navigate(`?type=node--article&f.field_section=${section}`);
  for (const number of [2, 20, Math.floor(ENTITIES / 100)]) await navigate(`?page=${number}`);
  report('list after navigation', lists, 'ms', 100);

  await navigate('?type=node--article');
  const sorts: number[] = [];
  for (const heading of await page.locator('thead .sort').all()) {
    for (let turn = 0; turn < 2; turn++) {
      sorts.push(await timeUntil(page, LIST, () => heading.click()));
      await settle(page);
    }
  }
  report('sort', sorts, 'ms', 50);

  const filters: number[] = [];
  for (let at = 0; at < 24; at++) {
    if (at % 4 === 0) await navigate(`?type=node--article&sort=${at % 8 === 0 ? '' : '-'}title`);
    const box = page.locator('#filters input[type=checkbox]').nth((at * 3) % 20);
    filters.push(await timeUntil(page, LIST, () => box.click()));
    await settle(page);
  }
  report('filter', filters, 'ms', 50);

  await navigate('?type=node--article');
  const searches: number[] = [];
  const input = page.locator('.tools input[type=search]');
  for (const words of ['harbour', 'storm signal', 'pilot ledger', 'gull lantern chart', 'orchard']) {
    await input.selectText();
    searches.push(await timeUntil(page, LIST, () => page.keyboard.insertText(words)));
    await settle(page);
  }
  report('full-text search', searches, 'ms', 250);
}

async function measureSuggestions(page: Page): Promise<void> {
  await follow(page, '/admin/new/node/article');
  const times: number[] = [];
  for (const [field, words] of [
    ['field_author', 'gull ma'],
    ['field_tags', 'tag 12'],
    ['field_related', 'harbour li'],
  ]) {
    await page.locator(`#field-${field}`).first().click();
    await page.waitForSelector('.suggestion');
    await settle(page);
    for (const key of words ?? '') {
      times.push(await timeUntil(page, '.suggestion', () => page.keyboard.press(key)));
      await settle(page);
    }
    await page.keyboard.press('Escape');
  }
  report('reference suggestions after a key', times, 'ms', 50);
}

/** Processor time of the page's main thread for one key, from the key to the painted frame. */
async function measureTyping(page: Page): Promise<void> {
  await follow(page, '/admin/edit/node/note/long');
  await page.waitForSelector('.cm-content');
  await settle(page, 3000);
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const spent = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000;
  };
  const times: number[] = [];
  for (const place of ['Control+Home', 'Control+End']) {
    await page.locator('.cm-content').press(place);
    await settle(page, 2000);
    for (let at = 0; at < KEYS; at++) {
      const before = await spent();
      await page.keyboard.press(at % 6 === 5 ? 'Space' : 'a');
      await settle(page, 60);
      times.push((await spent()) - before);
    }
  }
  await session.detach();
  report('work of a key in a body of 200 kB', times, 'ms', 16);
}

async function measureBulkChange(page: Page): Promise<void> {
  await follow(page, '/admin');
  await follow(page, '/admin/content?type=node--note&f.status=false');
  await page.waitForSelector(LIST);
  const before = Number(git('rev-list', '--count', 'HEAD'));
  await page.locator('thead input[type=checkbox]').click();
  await page.locator('.bulk button', { hasText: String(NOTES) }).click();
  await page.locator('.bulk button', { hasText: 'Publish' }).first().click();
  const confirm = page.locator('.dialog-buttons .primary');
  const time = await timeUntil(page, '.notice[data-kind=success]', () => confirm.click());
  for (let tries = 0; git('status', '--porcelain') !== ''; tries++) {
    if (tries > 100) throw new Error('The bulk change is not committed.');
    await sleep(100);
  }
  const commits = Number(git('rev-list', '--count', 'HEAD')) - before;
  if (commits !== 1) throw new Error(`A bulk change made ${commits} commits.`);
  report(`${NOTES} entities published in one commit`, [time], 'ms', 2000);
}

/** Prints the median of some values, and their range. */
function report(name: string, values: readonly number[], unit: 'ms' | 'kB', atMost: number): void {
  const middle = median(values);
  const range = `${Math.min(...values).toFixed(1)} to ${Math.max(...values).toFixed(1)}`;
  const more = values.length > 1 ? ` (${range}, the first ${values[0]?.toFixed(1)})` : '';
  printRequirement(middle <= atMost, `${name}, at most ${atMost} ${unit}`, middle.toFixed(1) + more);
}

/** Milliseconds from a click, a key or a paste to the frame with an element that was not there, or at another address. */
async function timeUntil(page: Page, shown: string, act: () => Promise<void>): Promise<number> {
  // The function returns before the act, and its promise resolves after it.
  const timing = await page.evaluateHandle(
    ({ selector, patience }) => {
      const [address, former] = [location.href, document.querySelector(selector)];
      const frame = () => new Promise<number>((ready) => requestAnimationFrame(ready));
      const input = new Promise<Event>((happened) => {
        for (const type of ['keydown', 'click', 'input'])
          addEventListener(type, happened, { capture: true, once: true });
      });
      const measure = async () => {
        const { timeStamp } = await input;
        for (;;) {
          if ((await frame()) - timeStamp > patience) throw new Error(`Nothing was shown: ${selector}`);
          const current = document.querySelector(selector);
          if (current !== null && (location.href !== address || current !== former)) break;
        }
        // A message arrives after the frame is painted.
        await new Promise((painted) => {
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = painted;
          port2.postMessage(null);
        });
        return performance.now() - timeStamp;
      };
      const result = measure();
      return () => result;
    },
    { selector: shown, patience: PATIENCE_MS },
  );
  await act();
  return timing.evaluate((result) => result());
}

/** Shows a screen without loading the page again. */
async function follow(page: Page, address: string): Promise<void> {
  await (await addLink(page, address)).click();
}

async function addLink(page: Page, address: string): Promise<Locator> {
  await page.evaluate((href) => {
    const link = Object.assign(document.createElement('a'), { href, id: 'bench', textContent: 'Next' });
    link.style.cssText = 'position: fixed; top: 0; right: 0; z-index: 99';
    document.getElementById('bench')?.remove();
    document.body.append(link);
  }, address);
  return page.locator('#bench');
}

/** Waits for work that follows, such as storing a draft. */
async function settle(page: Page, milliseconds = 250): Promise<void> {
  await page.waitForTimeout(milliseconds);
}

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: content, encoding: 'utf8', maxBuffer: Number.POSITIVE_INFINITY });
}

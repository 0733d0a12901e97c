/**
 * Queries in Chromium over the files of a static site: what a page loads until its first answer with a cold cache, and for
 * further queries; the time of queries on a processor of a quarter of the speed; the files that an edit changes, and the time
 * of writing them. Other engines answer the same questions about the same content, up to 10,000 entities.
 * Bytes, requests and files are the same in each run. npm run bench:browser -- [numbers of entities] [--no-peers]
 */

import { mkdirSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { publishedServices } from '../integration/core/api/published.ts';
import type { Services } from '../integration/core/api/request.ts';
import { bodyText } from '../integration/core/content/model.ts';
import { digestBytes } from '../integration/core/util/revision.ts';
import { snapshotFiles } from '../integration/features/static/write.ts';
import { launchBrowser } from '../test/browser/chromium.ts';
import { createMemoryDriver } from '../test/support/memory-driver.ts';
import { createServices } from '../test/support/services.ts';
import { table } from './report.ts';
import { type BrowserPeer, writePeers } from './sites/browser-peers.ts';
import { buildPage } from './sites/bundled-page.ts';
import { emptyFolder } from './sites/content.ts';
import { serveCountedFiles, type Traffic, traffic } from './sites/counted-files.ts';
import { createMagazine, htmlOf, MAGAZINE_SCHEMA, markdownFiles, word } from './sites/magazine.ts';

/** Sends a request, and throws if it fails. */
const OWN_PAGE = `import { createFetch } from 'astro-jsonapi/client';
const send = createFetch();
window.ask = async (url) => {
  const response = await send(url);
  const text = await response.text();
  if (!response.ok) throw new Error(url + text);
  return text;
};`;
const SIZES = process.argv.slice(2).map(Number).filter(Number.isInteger);
const HAS_PEERS = !process.argv.includes('--no-peers');
const SLOWDOWN = 4;
/** Queries of each kind. */
const VARIANTS = 8;
const ARTICLES = '/jsonapi/node/article?';
const FIELDS = '&fields[node--article]=title,created,field_author';

/** The page of ten articles with a tag, the newest first, with authors. 3 % of the articles have tag 3. */
const firstPage = (tag: number, rest = '') =>
  `${ARTICLES}filter[field_tags.title]=${tagTitle(tag)}&sort=-created&page[limit]=10&include=field_author${rest}`;
const tagTitle = (tag: number) => `tag%20${String(tag).padStart(7, '0')}`;
/** A word of few articles. */
const WORD = word(200);
const condition = (path: string, operator: string, ...values: readonly (string | number)[]) =>
  values.length === 1
    ? `filter[${path}][operator]=${operator}&filter[${path}][value]=${values[0]}`
    : [
        `filter[${path}][operator]=${operator}`,
        ...values.map((value) => `filter[${path}][value][]=${value}`),
      ].join('&');

/** Queries whose columns a page has loaded before; each kind with other values, and with the number of results. */
const KINDS: Readonly<Record<string, (variant: number, limit: number) => string>> = {
  'a tag, the newest, with authors': (at, limit) =>
    firstPage(at, FIELDS).replace('page[limit]=10', `page[limit]=${limit}`),
  'the newest': (at, limit) =>
    `${ARTICLES}sort=-created&page[offset]=${at * 10}&page[limit]=${limit}${FIELDS}`,
  'a section by title': (at, limit) =>
    `${ARTICLES}filter[field_section]=${['news', 'culture', 'science', 'travel'][at % 4]}&sort=title&page[offset]=${at * 10}&page[limit]=${limit}${FIELDS}`,
  'a rating and a state, by rating and title': (at, limit) =>
    `${ARTICLES}${condition('field_rating', '%3E%3D', at + 1)}&filter[field_state]=review&sort=-field_rating,title&page[limit]=${limit}${FIELDS}`,
  'a part of the title': (at, limit) =>
    `${ARTICLES}${condition('title', 'CONTAINS', ['amb', 'river', 'sum', 'quar', 'x', 'ridge', 'o', 'lich'][at % 8] ?? '')}&page[limit]=${limit}${FIELDS}`,
  'sections of several': (at, limit) =>
    `${ARTICLES}${condition('field_section', 'IN', 'travel', at % 2 ? 'opinion' : 'science')}&filter[field_featured]=${at % 4 > 1 ? 1 : 0}&page[offset]=${at}&page[limit]=${limit}${FIELDS}`,
  'an author by name': (at, limit) =>
    `${ARTICLES}filter[field_author.title]=person%20${String(at).padStart(7, '0')}&sort=title&page[limit]=${limit}${FIELDS}`,
  'the boss of an author': (at, limit) =>
    `${ARTICLES}filter[field_author.field_boss.title]=person%20${String(at).padStart(7, '0')}&page[limit]=${limit}${FIELDS}`,
  'two groups': (at, limit) =>
    `${ARTICLES}filter[any][group][conjunction]=OR&filter[a][condition][path]=field_rating&filter[a][condition][value]=${at + 1}&filter[a][condition][memberOf]=any&filter[b][condition][path]=field_tags.title&filter[b][condition][value]=${tagTitle(at)}&filter[b][condition][memberOf]=any&sort=-created&page[limit]=${limit}${FIELDS}`,
  'a span of dates': (at, limit) =>
    `${ARTICLES}${condition('field_date', 'BETWEEN', `20${15 + at}-01-01`, `20${16 + at}-06-01`)}&sort=field_date&page[limit]=${limit}${FIELDS}`,
  'facets of a section': (at, limit) =>
    `${ARTICLES}filter[field_rating]=${at + 1}&facetBy[field_section]=&facetBy[field_tags][limit]=20&page[limit]=${limit}${FIELDS}`,
  'full text': (at, limit) =>
    `${ARTICLES}filter[fulltext]=${word(200 + at * 9)}&page[limit]=${limit}${FIELDS}`,
  'one article': (at, limit) =>
    `/jsonapi/node/article/a${String((at + 2) * 111).padStart(7, '0')}?fields[node--article]=${['title', 'body', 'created', 'changed', 'field_tags'].slice(0, (limit % 5) + 1)}`,
  'plain JSON': (at, limit) =>
    `/api/content/articles?filter[field_tags.title]=${tagTitle(at)}&sort=-created&limit=${limit}&fields=title,created`,
};

/** What a page loads for its first answer, and for a further one. */
const FIRST: Readonly<Record<string, readonly [url: string, further: string]>> = {
  'all fields': [firstPage(3), firstPage(4)],
  'three fields': [firstPage(3, FIELDS), firstPage(4, FIELDS)],
  'a rare tag, three fields': [firstPage(200, FIELDS), firstPage(201, FIELDS)],
  'by title, plain JSON': [
    `/api/content/articles?${condition('title', 'CONTAINS', 'river')}&sort=-created&limit=10`,
    `/api/content/articles?${condition('title', 'CONTAINS', 'summit')}&sort=-created&limit=10`,
  ],
};

const browser = await launchBrowser();
const lines: (readonly string[])[] = [['', 'what', 'goal', 'figure', 'ratio']];
try {
  for (const size of SIZES.length > 0 ? SIZES : [10_000, 100_000]) await measure(size);
} finally {
  await browser.close();
}
console.log(`\nNode ${process.version}, load ${loadavg()[0]?.toFixed(1)}`);
console.log(table(lines));

async function measure(size: number): Promise<void> {
  const dir = emptyFolder(`browser-${size}`);
  const magazine = createMagazine(size);
  const files = markdownFiles(magazine);
  const snapshot = await writeSnapshot(await servicesOf(files), path.join(dir, 'jsonapi/snapshot'));
  const { names, bytes, seconds } = snapshot;
  lines.push([], ['', `${size} entities, ${(bytes / 1e6).toFixed(1)} MB before gzip`]);
  if (size <= 10_000) report('writing the data', seconds, 's', 2);
  report('files of the data', names.size, '', size <= 10_000 ? 1000 : undefined);
  await buildPage(dir, 'ours', OWN_PAGE);
  await measureLoads(dir, size);
  await measureTimes(dir);
  if (size > 10_000) return;
  await measureEdits(files, names);
  if (!HAS_PEERS) return;
  lines.push([], ['', 'Other engines over the same content (ratio: to ours)']);
  const questions = { tag: decodeURIComponent(tagTitle(3)), word: WORD };
  await measurePeers(dir, await writePeers(dir, magazine, questions));
}

async function measureLoads(dir: string, size: number): Promise<void> {
  const server = await serveCountedFiles(dir);
  const isLarge = size > 10_000;
  for (const [name, [url, further]] of Object.entries(FIRST)) {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${server.origin}/ours/index.html`);
    await ask(page, url);
    const [engine, data] = split(server.take());
    if (name === 'all fields') {
      report(`engine, ${engine.requests} files`, engine.bytes / 1000, 'kB', 35);
    }
    report(`first page, ${name}`, data.bytes / 1000, 'kB', isLarge ? 400 : 100);
    report(`first page, ${name}`, data.requests, 'requests', 6);
    await ask(page, further);
    const second = server.take();
    report(`further query, ${name}, ${second.requests} requests`, second.bytes / 1000, 'kB', 25);
    await context.close();
  }
  await server.stop();
}

/** What other engines load for their first answer. Each page has a cold cache. */
async function measurePeers(dir: string, peers: readonly BrowserPeer[]): Promise<void> {
  const server = await serveCountedFiles(dir);
  const load = async (page: string, question: unknown, isData: (file: string) => boolean) => {
    const context = await browser.newContext();
    const tab = await context.newPage();
    await tab.goto(`${server.origin}/${page}/index.html`);
    const answer = await tab.evaluate((asked) => Reflect.get(window, 'ask')(asked), question);
    await context.close();
    return [answer, ...split(server.take(), isData)] as const;
  };
  const own = async (url: string) => {
    const [text, engine, data] = await load('ours', url, isOwnData);
    const ids = JSON.parse(text).data.map(({ id }: { readonly id: string }) => id);
    return { ids, engine, data };
  };
  const compare = (what: string, figure: number, ours: number) =>
    lines.push([
      '',
      what,
      '',
      `${Number((figure / 1000).toPrecision(3))} kB`,
      `×${(figure / ours).toFixed(2)}`,
    ]);
  const list = await own(firstPage(3));
  const search = await own(`${ARTICLES}filter[fulltext]=${WORD}&page[limit]=10&include=field_author`);
  compare(`ours, a search, ${search.data.requests} requests`, search.data.bytes, search.data.bytes);
  for (const { name, page, isData, questions } of peers) {
    for (const question of questions) {
      const ours = 'word' in question ? search : list;
      const [ids, engine, data] = await load(page, question, isData);
      const isSearch = ours === search;
      if (!isSearch && String(ids) !== String(ours.ids)) throw new Error(`${name} answers ${ids}.`);
      if (!isSearch) compare(`${name}, engine`, engine.bytes, ours.engine.bytes);
      const what = isSearch ? 'a search' : 'first page, all fields';
      compare(`${name}, ${what}, ${data.requests} requests`, data.bytes, ours.data.bytes);
    }
  }
  const dump = await (await fetch(`${server.origin}/nuxt-content.txt`)).arrayBuffer();
  if (dump.byteLength === 0) throw new Error('The estimated dump is empty.');
  compare('Nuxt Content, dump (estimate)', server.take().bytes, list.data.bytes);
  await server.stop();
}

/** Times of queries whose files are loaded. No query is asked twice, so that no stored answer is measured. */
async function measureTimes(dir: string): Promise<void> {
  const server = await serveCountedFiles(dir);
  const page = await browser.newPage();
  await page.goto(`${server.origin}/ours/index.html`);
  const urls = (limit: number) =>
    Object.entries(KINDS).flatMap(([kind, url]) =>
      Array.from({ length: VARIANTS }, (_, at) => [kind, url(at, limit)] as const),
    );
  // The second turn compiles code, and loads what other fields need.
  for (const limit of [10, 9]) for (const [, url] of urls(limit)) await ask(page, url);
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
  server.take();
  const times: number[] = [];
  const byKind = new Map<string, number[]>();
  for (const limit of [8, 7, 6]) {
    for (const [kind, url] of urls(limit)) {
      const time = await ask(page, url);
      times.push(time);
      byKind.set(kind, [...(byKind.get(kind) ?? []), time]);
    }
  }
  const { requests } = server.take();
  if (requests > 0) throw new Error(`Queries loaded ${requests} files while their time was measured.`);
  report(`time of ${times.length} queries, 95th percentile`, percentile(times, 0.95), 'ms', 10);
  report('the same, median', percentile(times, 0.5), 'ms');
  for (const [kind, some] of byKind) report(`  ${kind}, median`, percentile(some, 0.5), 'ms');
  await page.close();
  await server.stop();
}

async function measureEdits(
  files: Readonly<Record<string, string>>,
  before: ReadonlyMap<string, string>,
): Promise<void> {
  const key = 'article/a0001110.md';
  const source = files[key] ?? '';
  const changed = source.replace(/^changed: .*$/m, 'changed: 2026-01-01T12:00:00+00:00');
  const { [key]: _, ...others } = files;
  const edits: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    title: { ...files, [key]: changed.replace(/^title: .*$/m, 'title: another title') },
    sentence: { ...files, [key]: `${changed}\nOne more sentence about rivers.\n` },
    tag: { ...files, [key]: changed.replace(/^field_tags: .*$/m, 'field_tags: ["t0000003","t0000111"]') },
    unpublished: { ...files, [key]: changed.replace(/^status: .*$/m, 'status: false') },
    'new entity': {
      ...files,
      'article/new.md': changed.replace(/^created: .*$/m, 'created: 2026-01-01T12:00:00+00:00'),
    },
    'deleted entity': others,
  };
  for (const [edit, edited] of Object.entries(edits)) {
    const { names } = await writeSnapshot(await servicesOf(edited));
    const written = [...names].filter(([name, digest]) => before.get(name) !== digest);
    report(`files changed by one edit: ${edit}`, written.length, '', 6);
  }
}

/** Services over files in memory, as a build has them. */
function servicesOf(files: Readonly<Record<string, string>>): Promise<Services> {
  return createServices(createMemoryDriver(files), MAGAZINE_SCHEMA, {
    renderBody: async ({ body }) => (body === null ? '' : htmlOf(bodyText(body))),
  });
}

interface SerializedBody {
  /** Digests by name. */
  readonly names: ReadonlyMap<string, string>;
  readonly bytes: number;
  readonly seconds: number;
}

/** Writes the files into the folder, if one is given. */
async function writeSnapshot(services: Services, dir?: string): Promise<SerializedBody> {
  const names = new Map<string, string>();
  let total = 0;
  const started = performance.now();
  const search = { language: 'en', languages: {} } as const;
  for await (const { name, bytes } of snapshotFiles(publishedServices(services), { form: 'test', search })) {
    names.set(name, digestBytes(bytes));
    total += bytes.length;
    if (dir === undefined) continue;
    mkdirSync(path.join(dir, path.dirname(name)), { recursive: true });
    writeFileSync(path.join(dir, name), bytes);
  }
  return { names, bytes: total, seconds: (performance.now() - started) / 1000 };
}

/** Milliseconds until the page has the text of an answer. */
async function ask(page: Page, question: unknown): Promise<number> {
  return page.evaluate(async (asked) => {
    const started = performance.now();
    await Reflect.get(window, 'ask')(asked);
    return performance.now() - started;
  }, question);
}

/** The sent bytes of the engine, and of the data. */
function split({ files }: Traffic, isData = isOwnData): readonly [engine: Traffic, data: Traffic] {
  const { engine = [], data = [] } = Object.groupBy(
    [...files].filter(([file]) => !file.endsWith('.html')),
    ([file]) => (isData(file) ? 'data' : 'engine'),
  );
  return [traffic(new Map(engine)), traffic(new Map(data))];
}

function isOwnData(file: string): boolean {
  return file.startsWith('/jsonapi/');
}

/** Adds a figure, its goal if there is one, and their ratio. */
function report(what: string, figure: number, unit: string, goal?: number): void {
  const text = (value: number) => `${Number(value.toPrecision(3))} ${unit}`.trim();
  lines.push(
    goal === undefined
      ? ['', what, '', text(figure)]
      : [
          figure <= goal ? 'met' : 'NOT MET',
          what,
          text(goal),
          text(figure),
          `×${(figure / goal).toFixed(2)}`,
        ],
  );
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN;
}

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { publishedServices } from '../integration/core/api/published.ts';
import { searchableFields } from '../integration/core/engine/text/searchable.ts';
import { searchableText } from '../integration/core/engine/text/searchable-text.ts';
import { splitWords } from '../integration/core/engine/text/words.ts';
import { snapshotFiles } from '../integration/features/static/write.ts';
import { launchBrowser } from '../test/browser/chromium.ts';
import { createMemoryDriver } from '../test/support/memory-driver.ts';
import { createServices } from '../test/support/services.ts';
import { table } from './report.ts';
import { buildPage } from './sites/bundled-page.ts';
import { emptyFolder } from './sites/content.ts';
import { serveCountedFiles } from './sites/counted-files.ts';
import { markdownOf, readPages } from './sites/real-pages.ts';

/**
 * What the searches of a page load from a static site, with a cold cache: bytes after gzip, of all code and data, and requests.
 * `npm run bench:search-weight -- folder [--files]`: the folder has Markdown files with a title.
 */
const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('Name a folder with Markdown files.');
const showFiles = process.argv.includes('--files');
const PAGE = `import { createFetch } from 'astro-jsonapi/client';
const send = createFetch();
window.ask = async (url) => {
  const response = await send(url);
  if (!response.ok) throw new Error(url + (await response.text()));
};`;

const pages = readPages(folder);
const services = await createServices(createMemoryDriver(markdownOf(pages)), undefined, {
  renderBody: async () => '',
});
const dir = emptyFolder('search-weight');
const search = { language: 'en', languages: {} } as const;
for await (const { name, bytes } of snapshotFiles(publishedServices(services), { form: 'test', search })) {
  const file = path.join(dir, 'jsonapi/snapshot', name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, bytes);
}
await buildPage(dir, 'page', PAGE);

const words = frequentWords();
const query = (words: string, isTolerant = false) =>
  `/jsonapi/node/page?filter[fulltext]${isTolerant ? '[operator]=SEARCH&filter[fulltext][value]' : ''}=${encodeURIComponent(words)}&page[limit]=10&fields[node--page]=title`;
const [first = '', second = ''] = words;
const searches: Readonly<Record<string, readonly string[]>> = {
  'one word': [query(first)],
  'two words': [query(`${first} ${second}`)],
  'ten words, one after another': words.map((word) => query(word)),
  'SEARCH: one word': [query(first, true)],
  'SEARCH: a letter is missing': [query(first.slice(0, 2) + first.slice(3), true)],
  'SEARCH: three letters': [query(first.slice(0, 3), true)],
  'SEARCH: one word, with excerpts': [`${query(first, true)}&filter[fulltext][highlight]=true`],
  'SEARCH: ten words, one after another': words.map((word) => query(word, true)),
};

const browser = await launchBrowser();
const server = await serveCountedFiles(dir);
const lines: (readonly string[])[] = [['search', 'kB', 'requests']];
try {
  for (const [name, urls] of Object.entries(searches)) {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${server.origin}/page/index.html`);
    for (const url of urls) await page.evaluate((asked) => Reflect.get(window, 'ask')(asked), url);
    const { bytes, requests, files } = server.take();
    lines.push([name, (bytes / 1000).toFixed(1), String(requests)]);
    if (showFiles) for (const [file, size] of files) lines.push([`  ${file}`, (size / 1000).toFixed(1), '']);
    await context.close();
  }
} finally {
  await server.stop();
  await browser.close();
}
console.log(`${pages.length} pages. Words: ${words.join(', ')}`);
console.log(table(lines));

/** Ten words of eight letters or more that about one page in 20 has. */
function frequentWords(): readonly string[] {
  const type = services.store.types.get('node--page')!;
  const fields = searchableFields(type);
  const counts = new Map<string, number>();
  for (const entity of services.store.entities('node--page')) {
    const found = new Set(fields.flatMap((field) => splitWords(searchableText(entity, field))));
    for (const word of found) if (/^[a-z]{8,}$/.test(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const distance = (count: number) => Math.abs(count - pages.length / 20);
  const sorted = [...counts].sort(([a, x], [b, y]) => distance(x) - distance(y) || (a < b ? -1 : 1));
  return sorted.slice(0, 10).map(([word]) => word);
}

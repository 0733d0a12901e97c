import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import lunr from 'lunr';
import { createContentApi } from '../integration/core/builder/index.ts';
import { createMemoryDriver } from '../test/support/memory-driver.ts';
import { createServices } from '../test/support/services.ts';

/**
 * Finds known entries of a real corpus: node bench/search.ts [folder of Markdown files with a title]. Queries are made from titles and
 * texts with a fixed seed, so that each has one entry that it is about. Other entries can be as good, so the numbers only compare.
 */
const FOLDER = process.argv[2] ?? path.resolve(import.meta.dirname, '../../shared/corpora/eips');
const QUERIES = 60;

if (!existsSync(FOLDER)) throw new Error(`There is no folder ${FOLDER}. Name one with Markdown files.`);

interface Page {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

const pages = readPages();
const words = (text: string) => text.toLowerCase().match(/[a-z]{4,}/g) ?? [];
let state = 42;
const random = (below: number) => {
  state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
  return Math.floor((state / 2_147_483_648) * below);
};
const pick = <T>(list: readonly T[]): T => list[random(list.length)]!;

/** Makes a query from a page; undefined if the page has too few words. */
const CLASSES: Readonly<Record<string, (page: Page) => string | undefined>> = {
  'words of the title': ({ title }) => take(words(title), 3),
  'words of the text': ({ text }) =>
    take(
      [...new Set(words(text))].filter((word) => word.length > 6),
      3,
    ),
  'half typed': ({ title }) => {
    const all = take(words(title), 3);
    return all?.slice(0, all.lastIndexOf(' ') + 4);
  },
  typo: ({ title }) => {
    const all = take(
      words(title).filter((word) => word.length > 5),
      2,
    );
    return all && all.slice(0, 3) + all.slice(4);
  },
  'a word that is nowhere': ({ title }) => {
    const all = take(words(title), 2);
    return all && `${all} qzxvolcano`;
  },
};

const files = Object.fromEntries(
  pages.map(({ id, title, text }) => [`page/${id}.md`, `---\ntitle: ${JSON.stringify(title)}\n---\n${text}`]),
);
const { entities } = createContentApi(await createServices(createMemoryDriver(files)));
const index = lunr(function () {
  this.ref('id');
  this.field('title', { boost: 10 });
  this.field('text');
  for (const page of pages) this.add(page);
});

const ENGINES: Readonly<Record<string, (query: string) => Promise<readonly string[]>>> = {
  SEARCH: async (query) => {
    const found = await entities('page').search(query, { tolerant: true }).fields('title').limit(10).all();
    return found.map(({ id }) => String(id));
  },
  'every word': async (query) => {
    const found = await entities('page').search(query).fields('title').limit(10).all();
    return found.map(({ id }) => String(id));
  },
  lunr: async (query) =>
    index
      .search(query)
      .slice(0, 10)
      .map(({ ref }) => ref),
};

console.log(
  `${pages.length} pages, ${QUERIES} queries of each class: hit at 1, hit at 10, mean reciprocal rank, no result, ms`,
);
for (const [name, make] of Object.entries(CLASSES)) {
  const queries: (readonly [query: string, id: string])[] = [];
  while (queries.length < QUERIES) {
    const page = pick(pages);
    const query = make(page);
    if (query !== undefined) queries.push([query, page.id]);
  }
  for (const [engine, run] of Object.entries(ENGINES)) {
    let [first, ten, reciprocal, none] = [0, 0, 0, 0];
    const started = performance.now();
    for (const [query, id] of queries) {
      const found = await run(query);
      const at = found.indexOf(id);
      if (at === 0) first++;
      if (at >= 0) ten++;
      if (at >= 0) reciprocal += 1 / (at + 1);
      if (found.length === 0) none++;
    }
    const ms = (performance.now() - started) / QUERIES;
    const numbers = [first, ten, (reciprocal / QUERIES).toFixed(2), none, ms.toFixed(1)];
    console.log(
      [name.padEnd(24), engine.padEnd(12), ...numbers.map((each) => String(each).padStart(6))].join(' '),
    );
  }
}

function take(list: readonly string[], count: number): string | undefined {
  if (list.length < count) return undefined;
  const at = random(list.length - count + 1);
  return list.slice(at, at + count).join(' ');
}

function readPages(): readonly Page[] {
  const names = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.md'),
  );
  return names.flatMap((name) => {
    const source = readFileSync(path.join(FOLDER, name), 'utf8');
    const [, front = '', text = ''] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(source) ?? [];
    const title = /^title: *(.+)$/m.exec(front)?.[1]?.replace(/^["']|["']$/g, '');
    return title === undefined ? [] : [{ id: path.basename(name, '.md'), title, text }];
  });
}

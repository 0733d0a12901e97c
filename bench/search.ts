import { existsSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import lunr from 'lunr';
import { createContentApi } from '../integration/core/builder/index.ts';
import { siteLanguages } from '../integration/core/content/languages.ts';
import { searchableFields } from '../integration/core/engine/text/searchable.ts';
import { searchableText } from '../integration/core/engine/text/searchable-text.ts';
import { foldAccents, splitWords } from '../integration/core/engine/text/words.ts';
import { escapeHtml } from '../integration/core/util/text.ts';
import { launchBrowser } from '../test/browser/chromium.ts';
import { createMemoryDriver } from '../test/support/memory-driver.ts';
import { createServices } from '../test/support/services.ts';
import { emptyFolder } from './sites/content.ts';
import { serveCountedFiles } from './sites/counted-files.ts';
import { writePagefind } from './sites/pagefind.ts';
import { markdownOf, readPages } from './sites/real-pages.ts';

/**
 * Finds known entries of real corpora: node --expose-gc bench/search.ts [language:]folder … Folders have Markdown files with a title.
 * Queries are made from titles, headings and texts with a fixed seed, so that each has one entry that it is about. Other entries can
 * be as good, so the numbers only compare. MiniSearch and Orama take part if `SEARCH_PEERS` is a folder in which they are installed.
 * Pagefind, which comes with Starlight, answers in Chromium: its times have those of the browser.
 */
const QUERIES = 60;

/** Words with the same meaning in documentation, for option `search.synonyms`. */
const SYNONYMS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  en: [
    ['account', 'profile'],
    ['address', 'location'],
    ['block', 'chunk'],
    ['change', 'modification'],
    ['client', 'consumer'],
    ['component', 'widget'],
    ['content', 'material'],
    ['contract', 'agreement'],
    ['cost', 'price'],
    ['create', 'make'],
    ['deploy', 'publish'],
    ['docs', 'documentation'],
    ['error', 'mistake'],
    ['execution', 'processing'],
    ['extension', 'plugin', 'addon'],
    ['fee', 'charge'],
    ['fonts', 'typefaces'],
    ['image', 'picture'],
    ['increase', 'raise'],
    ['install', 'setup'],
    ['limit', 'maximum'],
    ['migrate', 'upgrade'],
    ['proposal', 'suggestion'],
    ['reduce', 'lower'],
    ['reference', 'manual'],
    ['remove', 'delete'],
    ['rename', 'relabel'],
    ['route', 'path'],
    ['signature', 'seal'],
    ['standard', 'norm'],
    ['storage', 'repository'],
    ['style', 'design'],
    ['template', 'pattern'],
    ['token', 'coin'],
    ['transaction', 'payment'],
    ['transfer', 'send'],
    ['tutorial', 'guide', 'lesson'],
    ['user', 'visitor'],
    ['validator', 'verifier'],
    ['wallet', 'purse'],
  ],
};

const PAGEFIND_PAGE = `<script type="module">
import * as pagefind from '/pagefind/pagefind.js';
window.ask = async (typed) => {
  const { results } = await pagefind.search(typed);
  const first = await Promise.all(results.slice(0, 10).map((result) => result.data()));
  return first.map(({ url }) => decodeURIComponent(url.slice(1, -1)));
};
</script>`;

interface Page {
  readonly id: string;
  readonly title: string;
  readonly headings: readonly string[];
  readonly text: string;
}

/** The class of queries in which a word of the title is another one, which other pages have. */
const SYNONYM = 'a synonym';

type Search = (query: string) => readonly string[] | Promise<readonly string[]>;

for (const argument of process.argv.slice(2)) {
  const [, language = 'en', folder = argument] = /^(\w{2}):(.+)$/.exec(argument) ?? [];
  if (!existsSync(folder)) throw new Error(`There is no folder ${folder}. Name one with Markdown files.`);
  await compare(language, folder);
}
await (await launchBrowser()).close();

async function compare(language: string, folder: string): Promise<void> {
  const sources = readPages(folder);
  const languages = siteLanguages({ defaultLocale: language, locales: [language] });
  const services = await createServices(createMemoryDriver(markdownOf(sources)), undefined, {
    settings: { languages },
  });
  const type = services.store.types.get('node--page')!;
  const body = searchableFields(type).find(({ name }) => name === 'body')!;
  const titles = new Map(sources.map(({ id, title }) => [id, title]));
  const pages = services.store.entities('node--page').map((entity): Page => {
    const text = searchableText(entity, body);
    const headings = [...text.matchAll(/^#{2,4} +(.+)$/gm)].map(([, heading = '']) => heading);
    return { id: entity.id, title: titles.get(entity.id)!, headings, text };
  });

  const synonyms = SYNONYMS[language] ?? [];
  const replacing = await createServices(createMemoryDriver(markdownOf(sources)), undefined, {
    settings: { languages },
    search: { synonyms: { [language]: synonyms } },
  });
  const ours =
    (tolerant: boolean, { entities } = createContentApi(services)): Search =>
    async (query) => {
      const found = await entities('page').search(query, { tolerant }).fields('title').limit(10).all();
      return found.map(({ id }) => String(id));
    };
  const engines: Record<string, Search> = {};
  const add = async (name: string, make: () => Search | undefined | Promise<Search | undefined>) => {
    globalThis.gc?.();
    const before = process.memoryUsage().heapUsed;
    const started = performance.now();
    const search = await make();
    if (search === undefined) return;
    await search('warm up');
    const ms = Math.round(performance.now() - started);
    globalThis.gc?.();
    const mb = ((process.memoryUsage().heapUsed - before) / 1e6).toFixed(1);
    engines[name] = search;
    console.log(`  ${name}: index ${ms} ms, ${mb} MB`);
  };

  console.log(`\n${folder} (${language}): ${pages.length} pages`);
  await add('SEARCH', () => ours(true));
  await add('every word', () => ours(false));
  await add('lunr', () => lunrPeer(pages, language));
  await add('MiniSearch', () => miniSearchPeer(pages));
  await add('Orama', () => oramaPeer(pages, language));
  await add('Pagefind', () => pagefindPeer(pages, language));

  const withSynonyms: Record<string, Search | undefined> = {
    SEARCH: ours(true, createContentApi(replacing)),
    MiniSearch: await miniSearchPeer(pages, synonyms),
  };

  console.log('hit at 1, hit at 10, mean reciprocal rank, no result, ms');
  for (const [name, queries] of queriesOf(pages, language)) {
    for (const [engine, usual] of Object.entries(engines)) {
      const search = (name === SYNONYM && withSynonyms[engine]) || usual;
      let [first, ten, reciprocal, none] = [0, 0, 0, 0];
      const started = performance.now();
      for (const [query, id] of queries) {
        const found = await search(query);
        const at = found.indexOf(id);
        if (at === 0) first++;
        if (at >= 0) ten++;
        if (at >= 0) reciprocal += 1 / (at + 1);
        if (found.length === 0) none++;
      }
      const ms = (performance.now() - started) / queries.length;
      const numbers = [first, ten, (reciprocal / queries.length).toFixed(2), none, ms.toFixed(1)];
      const label = `${name} (${queries.length})`.padEnd(28);
      console.log([label, engine.padEnd(12), ...numbers.map((each) => String(each).padStart(6))].join(' '));
    }
  }
}

/** Up to `QUERIES` queries of each class, each with the page that it is made from. */
function queriesOf(pages: readonly Page[], language: string): Map<string, (readonly [string, string])[]> {
  let state = 42;
  const random = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
  const pick = <T>(list: readonly T[]): T | undefined => list[random(list.length)];
  const take = (list: readonly string[], count: number) => {
    const at = random(list.length - count + 1);
    return list.length < count ? undefined : list.slice(at, at + count).join(' ');
  };
  const counts = new Map<string, number>();
  for (const page of pages)
    for (const word of new Set(wordsOf(page.text))) counts.set(word, (counts.get(word) ?? 0) + 1);
  const isUnspaced = language === 'ja' || language === 'zh';
  const long = (text: string, letters: number) => wordsOf(text).filter((word) => word.length >= letters);
  const withoutLetter = (words: string) => words.slice(0, 3) + words.slice(4);
  const exchanged = (words: string) => words.slice(0, 2) + words[3]! + words[2]! + words.slice(4);

  const spaced: Readonly<Record<string, (page: Page) => string | undefined>> = {
    'words of the title': ({ title }) => take(long(title, 4), 3),
    'words of a heading': ({ headings }) => take(long(pick(headings) ?? '', 4), 3),
    'words of the text': ({ text }) => take([...new Set(long(text, 7))], 3),
    'words that are apart': ({ text }) => {
      const words = long(text, 6).filter((word) => counts.get(word)! <= Math.max(5, pages.length / 20));
      const [one, other] = [
        pick(words.slice(0, words.length / 3)),
        pick(words.slice((words.length / 3) * 2)),
      ];
      return one === undefined || other === undefined || one === other ? undefined : `${one} ${other}`;
    },
    'half typed': ({ title }) => {
      const all = take(long(title, 4), 3);
      return all?.slice(0, all.lastIndexOf(' ') + 4);
    },
    'a missing letter': ({ title }) => {
      const words = take(long(title, 6), 2);
      return words && withoutLetter(words);
    },
    'exchanged letters': ({ title }) => {
      const words = take(long(title, 6), 2);
      return words === undefined || words[2] === words[3] ? undefined : exchanged(words);
    },
    'a word that is nowhere': ({ title }) => {
      const words = take(long(title, 4), 2);
      return words && `${words} qzxvolcano`;
    },
    'without accents': ({ title }) => {
      const words = take(long(title, 4), 2);
      return words && foldAccents(words) !== words ? foldAccents(words) : undefined;
    },
    [SYNONYM]: ({ title, text }) => {
      const words = long(title, 4).slice(0, 3);
      const all = new Set(wordsOf(`${title} ${text}`));
      for (const [at, word] of words.entries()) {
        const group = SYNONYMS[language]?.find((each) => each.includes(word)) ?? [];
        const other = group.find((each) => counts.has(each) && !all.has(each));
        if (other !== undefined) return words.with(at, other).join(' ');
      }
      return undefined;
    },
    'the second part of a compound': ({ title }) => {
      for (const word of long(title, 10))
        for (let at = 4; at <= word.length - 5; at++) {
          const part = word.slice(at);
          if (counts.has(part) && counts.has(word.slice(0, at).replace(/s$/, ''))) return part;
        }
      return undefined;
    },
  };
  const unspaced: typeof spaced = {
    'characters of the title': ({ title }) => pick(runsOf(title, 4).map((run) => run.slice(0, 6))),
    'characters of a heading': ({ headings }) =>
      pick(runsOf(pick(headings) ?? '', 4).map((run) => run.slice(0, 6))),
    'characters of the text': ({ text }) => {
      const run = pick(runsOf(text, 8));
      return run?.slice(0, 8);
    },
    'two concepts without a space': ({ title }) => {
      const runs = runsOf(title, 5);
      const run = pick(runs);
      return run && run.slice(0, 2) + run.slice(-2);
    },
    'Latin words of the text': ({ text }) =>
      take([...new Set(wordsOf(text).filter((word) => /^[a-z]{6,}$/.test(word)))], 3),
  };
  const found = new Map<string, (readonly [string, string])[]>();
  for (const [name, make] of Object.entries(isUnspaced ? unspaced : spaced)) {
    const queries: (readonly [string, string])[] = [];
    for (let tries = 0; tries < pages.length * 20 && queries.length < QUERIES; tries++) {
      const page = pick(pages)!;
      const query = make(page);
      if (query && queries.every(([other]) => other !== query)) queries.push([query, page.id]);
    }
    if (queries.length >= 10) found.set(name, queries);
  }
  return found;
}

function wordsOf(text: string): readonly string[] {
  return splitWords(text).filter((word) => !/^\d+$/.test(word));
}

/** The runs of characters of a script without spaces. */
function runsOf(text: string, least: number): readonly string[] {
  return (text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]+/gu) ?? []).filter(
    ({ length }) => length >= least,
  );
}

async function lunrPeer(pages: readonly Page[], language: string): Promise<Search> {
  const isOther = ['de', 'fr'].includes(language);
  const require = createRequire(import.meta.url);
  if (isOther) {
    require('lunr-languages/lunr.stemmer.support.js')(lunr);
    require(`lunr-languages/lunr.${language}.js`)(lunr);
  }
  const index = lunr(function () {
    if (isOther) this.use(Reflect.get(lunr, language));
    this.ref('id');
    this.field('title', { boost: 10 });
    this.field('text');
    for (const page of pages) this.add(page);
  });
  return (query) =>
    index
      .search(query.replace(/[:~^*+-]/g, ' '))
      .slice(0, 10)
      .map(({ ref }) => ref);
}

async function miniSearchPeer(
  pages: readonly Page[],
  synonyms: readonly (readonly string[])[] = [],
): Promise<Search | undefined> {
  const module = await peer('minisearch');
  if (module === undefined) return undefined;
  const index = new module.default({ fields: ['title', 'text'] });
  index.addAll(pages);
  const processTerm = (typed: string) => {
    const word = typed.toLowerCase();
    return [...new Set([word, ...synonyms.flatMap((group) => (group.includes(word) ? group : []))])];
  };
  const options = { boost: { title: 10 }, fuzzy: 0.2, prefix: true, processTerm };
  return (query) =>
    index
      .search(query, options)
      .slice(0, 10)
      .map(({ id }: { id: string }) => id);
}

async function oramaPeer(pages: readonly Page[], language: string): Promise<Search | undefined> {
  const module = await peer('@orama/orama');
  const named = { en: 'english', de: 'german', fr: 'french' }[language];
  if (module === undefined || named === undefined) return undefined;
  const db = module.create({ schema: { id: 'string', title: 'string', text: 'string' }, language: named });
  await module.insertMultiple(
    db,
    pages.map(({ id, title, text }) => ({ id, title, text })),
  );
  return async (query) => {
    const { hits } = await module.search(db, {
      term: query,
      tolerance: 1,
      boost: { title: 10 },
      limit: 10,
      properties: ['title', 'text'],
    });
    return hits.map(({ id }: { id: string }) => id);
  };
}

/** Pagefind with pages of the same text and their headings, and without options, as in its search box. */
async function pagefindPeer(pages: readonly Page[], language: string): Promise<Search> {
  const dir = emptyFolder('search-pagefind');
  const html = (content: string) => `<!doctype html><html lang="${language}">${content}</html>`;
  await writePagefind(path.join(dir, 'pagefind'), async (index) => {
    for (const { id, title, text } of pages) {
      const blocks = text.split('\n').map((line) => {
        const [, marks, heading] = /^(#{2,4}) +(.+)$/.exec(line) ?? [];
        const name = marks === undefined ? 'p' : `h${marks.length}`;
        return `<${name}>${escapeHtml(heading ?? line)}</${name}>`;
      });
      const content = html(`<h1>${escapeHtml(title)}</h1>\n${blocks.join('\n')}`);
      await index.addHTMLFile({ url: `/${encodeURIComponent(id)}/`, content });
    }
  });
  writeFileSync(path.join(dir, 'index.html'), html(PAGEFIND_PAGE));
  const server = await serveCountedFiles(dir);
  const page = await (await launchBrowser()).newPage();
  page.on('close', () => server.stop());
  await page.goto(`${server.origin}/index.html`);
  return (query) => page.evaluate((typed) => Reflect.get(window, 'ask')(typed), query);
}

/** A package that is not a dependency of the project; undefined if it is not installed. */
// biome-ignore lint/suspicious/noExplicitAny: the types are not installed either.
async function peer(name: string): Promise<any> {
  const folder = process.env.SEARCH_PEERS;
  if (folder === undefined) return undefined;
  const require = createRequire(path.join(path.resolve(folder), 'index.js'));
  try {
    return await import(pathToFileURL(require.resolve(name)).href);
  } catch {
    console.log(`  ${name} is not in ${folder}, so it is left out.`);
    return undefined;
  }
}

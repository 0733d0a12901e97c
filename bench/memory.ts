/**
 * The memory of index and store: memory in use of a dev server after a garbage collection (the heap and external
 * buffers), after queries over every field, above that of a server without content and integration, by bytes of the
 * files. It includes our code but not the Markdown renderer, which is loaded when the first body is rendered. After
 * the file cache (`node_modules/.astro`) is written, bodies are in the system's page cache instead of the process;
 * without such a cache they count. Resident memory is printed too: it includes memory that the collector has not
 * returned. npm run build:lib && node bench/memory.ts [--sizes 5000,20000] [--folder <content>]
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { corpora, megabytes, printRequirement } from './sites/content.ts';
import type { Corpus } from './sites/corpus.ts';
import { type MemoryUse, startDev } from './sites/process.ts';
import { type SiteKind, writeSite } from './sites/site.ts';

/** For each field: sorted by it, filtered by it, and a short page. */
const PAGE = 'page[limit]=10&fields[node--article]=title&fields[node--eip]=title&fields[node--person]=title';
const AT_MOST = 1.5;
const SETTLED_MS = 4000;

for (const corpus of corpora(process.argv.slice(2))) await measure(corpus);

async function measure(corpus: Corpus): Promise<void> {
  const empty = await usage('empty', corpus);
  const cold = await usage('ours', corpus);
  const warm = await usage('ours', corpus, false);
  const collections = await usage('collections', corpus);
  console.log(`\n${corpus.name}, ${megabytes(corpus.bytes)}; an empty server: ${usageText(empty)}`);
  for (const [name, usage] of [
    ['astro-jsonapi', cold],
    ['astro-jsonapi from its cache', warm],
    ['content collections', collections],
  ] as const) {
    const times = ((usage.used - empty.used) / corpus.bytes).toFixed(2);
    console.log(`  ${name}: ${usageText(usage)}; in use above the empty one ×${times} of the source`);
  }
  for (const [name, { used }] of [
    ['cold', cold],
    ['from the cache', warm],
  ] as const) {
    const times = (used - empty.used) / corpus.bytes;
    const requirement = `${name}, at most ${AT_MOST} times the source`;
    printRequirement(times <= AT_MOST, requirement, `×${times.toFixed(2)}`);
  }
}

function usageText({ heap, buffers, rss }: MemoryUse): string {
  return `heap ${megabytes(heap)}, buffers ${megabytes(buffers)}, resident ${megabytes(rss)}`;
}

async function usage(kind: SiteKind, corpus: Corpus, fresh = true): Promise<MemoryUse> {
  const site = writeSite(kind, corpus, `${kind}-memory`, {}, fresh);
  const server = await startDev(site);
  try {
    for (const query of kind === 'ours' ? queryMix(corpus) : []) {
      const answer = await server.get(`/jsonapi/node/${corpus.bundle}?${query}`);
      if (!answer.includes('"meta":{"count"') && !answer.includes('"count"'))
        throw new Error(`${query}: ${answer.slice(0, 400)}`);
    }
    await sleep(SETTLED_MS);
    await server.used();
    return await server.used();
  } finally {
    await server.stop();
  }
}

function queryMix({ bundle, schema }: Corpus): readonly string[] {
  const fields = Object.entries(schema?.[bundle] ?? { title: '', status: '' });
  return [
    ...fields.flatMap(([field, type]) => [
      `sort=${type.includes('reference') ? `${field}.id` : field}`,
      `filter[f][condition][path]=${field}&filter[f][condition][operator]=IS NOT NULL`,
    ]),
    'filter[title][operator]=CONTAINS&filter[title][value]=tide&sort=-created',
    ...(schema === null
      ? []
      : [
          'filter[field_author.title][operator]=STARTS_WITH&filter[field_author.title][value]=gull&include=field_author',
          'filter[field_tags.field_weight][operator]=>&filter[field_tags.field_weight][value]=50&sort=-field_rating',
          'filter[field_date][operator]=BETWEEN&filter[field_date][value][]=2005-01-01&filter[field_date][value][]=2010-01-01',
        ]),
  ].map((query) => `${query}&${PAGE}`);
}

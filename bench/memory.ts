/**
 * What do index and store take? Memory in use of a dev server after a collection (the heap and the buffers outside
 * of it) once it has answered queries over every field, above that of a server without content and integration, by
 * bytes of the files. What a server takes for our code is in it; what renders markdown is not, since no answer holds a
 * body: that is loaded when the first one is rendered. Bodies lie in the cache of files (`node_modules/.astro`) once
 * that is written, so they are in the pages that the system keeps of files, not in the process: they count where
 * there is no such cache. Resident memory is told beside it: it has what the collector has not given back, too.
 *
 *     npm run build:lib && node bench/memory.ts [--sizes 5000,20000] [--folder <content>]
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { corpora, megabytes, printRequirement } from './sites/content.ts';
import type { Corpus } from './sites/corpus.ts';
import { type MemoryUse, startDev } from './sites/process.ts';
import { type SiteKind, writeSite } from './sites/site.ts';

/** Of each field: sorted by it, filtered by it, and few rows asked for. */
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

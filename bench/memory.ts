/**
 * What do index and store take, bodies included? Memory in use of a dev server (heap and buffers, after a collection)
 * once it has answered queries over every field, above that of a server without content, by bytes of the files.
 *
 *     npm run build:lib && node bench/memory.ts [--sizes 5000,20000] [--folder <content>]
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { corpora, megabytes, printRequirement } from './sites/content.ts';
import type { Corpus } from './sites/corpus.ts';
import { startDev } from './sites/process.ts';
import { type SiteKind, writeSite } from './sites/site.ts';

/** Of each field: sorted by it, filtered by it, and few rows asked for. */
const PAGE = 'page[limit]=10&fields[node--article]=title&fields[node--eip]=title';
const AT_MOST = 1.5;
const SETTLED_MS = 4000;

for (const corpus of corpora(process.argv.slice(2))) await measure(corpus);

async function measure(corpus: Corpus): Promise<void> {
  const empty = await usedBytes('empty', corpus);
  const cold = (await usedBytes('ours', corpus)) - empty;
  const warm = (await usedBytes('ours', corpus, false)) - empty;
  const collections = (await usedBytes('collections', corpus)) - empty;
  console.log(
    `\n${corpus.name}, ${megabytes(corpus.bytes)}: in use above an empty server's ${megabytes(empty)}`,
  );
  console.log(
    `  astro-jsonapi ${megabytes(cold)}, from its cache ${megabytes(warm)}, content collections ${megabytes(collections)}`,
  );
  for (const [name, bytes] of [
    ['cold', cold],
    ['from the cache', warm],
  ] as const) {
    const found = `×${(bytes / corpus.bytes).toFixed(2)}`;
    printRequirement(bytes / corpus.bytes <= AT_MOST, `${name}, at most ${AT_MOST} times the source`, found);
  }
}

async function usedBytes(kind: SiteKind, corpus: Corpus, fresh = true): Promise<number> {
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
    return (await server.used()).used;
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

/**
 * The speed of responses over HTTP. A list with a filter, a sort and two includes from a built server, against an
 * endpoint of the same server that returns a constant text of the same length; with a repeated URL and with unique
 * URLs, through the fetch entry and through a route. Rounds alternate, so that other load affects both; every
 * response is compared with the first before the measurement. node bench/http.ts [--quick]
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import autocannon from 'autocannon';
import type { Served, Site } from '../test/astro/site.ts';
import { build, copySite, serve } from '../test/astro/site.ts';
import type { RecordedEntity } from '../test/conformance/load.ts';
import { contentFile, recordedEntities } from '../test/conformance/load.ts';

const QUERY =
  '/jsonapi/node/article?filter[field_publish_state]=published&sort=-field_rating,title&include=field_author,field_tags';
const CONSTANT = '/constant';
const SIZES = [60, 10_000];
const REQUIRED = { repeated: 0.8, unique: 0.5 };
const QUICK = process.argv.includes('--quick');
const ROUNDS = QUICK ? 3 : 7;
const SECONDS = QUICK ? 1 : 2;
const CONNECTIONS = 10;

const DOORS = {
  'fetch entry': `
import { jsonapiFetch } from 'astro-jsonapi/fetch';
import { astro, FetchState } from 'astro/fetch';
import { constant } from './constant.js';
export default {
  async fetch(request) {
    const { pathname } = new URL(request.url);
    if (pathname === '${CONSTANT}') return constant();
    return (await jsonapiFetch(request)) ?? astro(new FetchState(request));
  },
};`,
  route: `
import { astro, FetchState } from 'astro/fetch';
export default { fetch: (request) => astro(new FetchState(request)) };`,
} as const;

const lines: string[] = [];
let counter = 0;
for (const size of SIZES) {
  for (const [door, source] of Object.entries(DOORS)) {
    const site = writeSite(size, door, source);
    try {
      await build(site, { SERVER: '1' });
      await measure(site, size, door);
    } finally {
      site.remove();
    }
  }
}
console.log(
  `\nNode ${process.version}, ${CONNECTIONS} connections; requests per second, medians of ${ROUNDS} rounds`,
);
console.log(lines.join('\n'));

async function measure(site: Site, size: number, door: string): Promise<void> {
  const text = await answerOf(site);
  writeFileSync(site.file('constant.json'), text);
  const server = await serve(site);
  try {
    // Waits for the content and compiles both endpoints.
    for (const target of [QUERY, CONSTANT]) await (await fetch(server.origin + target)).text();
    for (const [kind, required] of Object.entries(REQUIRED)) {
      const ours: number[] = [];
      const constant: number[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        ours.push(await load(server, QUERY, kind === 'unique', text.length));
        constant.push(await load(server, `${CONSTANT}?a=1`, kind === 'unique', text.length));
      }
      const ratio = median(ours.map((each, at) => each / (constant[at] ?? Number.NaN)));
      const verdict = ratio >= required ? 'met' : 'NOT MET';
      lines.push(
        [
          `${size} articles`.padStart(15),
          door.padEnd(12),
          `${kind} address`.padEnd(17),
          `ours ${median(ours).toFixed(0)}`.padEnd(12),
          `constant ${median(constant).toFixed(0)}`.padEnd(16),
          `ratio ${ratio.toFixed(2)} (at least ${required}: ${verdict})`,
          `${(text.length / 1000).toFixed(1)} kB`,
        ].join('  '),
      );
      console.log(lines.at(-1));
    }
  } finally {
    await server.stop();
  }
}

/** The first response, whose length the constant copies. */
async function answerOf(site: Site): Promise<string> {
  writeFileSync(site.file('constant.json'), '{}');
  const server = await serve(site);
  try {
    const text = await (await fetch(server.origin + QUERY)).text();
    if (JSON.parse(text).data?.length === 0) throw new Error('The query finds nothing.');
    return text;
  } finally {
    await server.stop();
  }
}

/** Requests per second. Unique URLs differ in the name of a condition in the query. */
async function load(server: Served, target: string, unique: boolean, bytes: number): Promise<number> {
  const path = (n: number): string =>
    unique
      ? `${target}&filter[n${n}][condition][path]=title&filter[n${n}][condition][operator]=IS%20NOT%20NULL`
      : target;
  const result = await autocannon({
    url: server.origin,
    connections: CONNECTIONS,
    duration: SECONDS,
    requests: [{ setupRequest: (request) => ({ ...request, path: path(unique ? next() : 0) }) }],
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${target} failed ${result.non2xx + result.errors} times.`);
  const mean = result.throughput.total / result.requests.total;
  if (mean < bytes) throw new Error(`${target} answered ${mean} bytes, less than ${bytes}.`);
  return result.requests.total / result.duration;
}

function next(): number {
  counter += 1;
  return counter;
}

function writeSite(size: number, door: string, source: string): Site {
  const site = copySite('plain', `bench-http-${size}-${door.replace(' ', '-')}`);
  rmSync(site.file('content'), { recursive: true });
  rmSync(site.file('src/pages'), { recursive: true });
  mkdirSync(site.file('src/pages'), { recursive: true });
  for (const [name, text] of multiplied(size).map(contentFile)) {
    mkdirSync(path.dirname(site.file('content', name)), { recursive: true });
    writeFileSync(site.file('content', name), text);
  }
  const schema = readFileSync(new URL('../test/conformance/schema.ts', import.meta.url), 'utf8');
  writeFileSync(
    site.file('content/schema.ts'),
    schema.replace('../../integration/schema.ts', 'astro-jsonapi/schema'),
  );
  writeFileSync(site.file('src/fetch.mjs'), source);
  writeFileSync(
    site.file('src/constant.js'),
    `import { readFileSync } from 'node:fs';
const text = readFileSync(${JSON.stringify(site.file('constant.json'))}, 'utf8');
export const constant = () => new Response(text, { headers: { 'content-type': 'application/vnd.api+json' } });`,
  );
  writeFileSync(
    site.file('src/pages/constant.js'),
    `import { constant } from '../constant.js';
export const prerender = false;
export const GET = () => constant();`,
  );
  writeFileSync(site.file('src/pages/index.astro'), '<h1>Measured</h1>');
  writeFileSync(site.file('constant.json'), '{}');
  return site;
}

/** The recorded content with its articles repeated up to a number, each with its own id. */
function multiplied(size: number): readonly RecordedEntity[] {
  const entities = recordedEntities();
  const articles = entities.filter(({ bundle }) => bundle === 'article');
  const more = Array.from({ length: size }, (_, at): RecordedEntity => {
    const article = articles[at % articles.length];
    if (article === undefined) throw new Error('The recorded content has no articles.');
    const copy = Math.floor(at / articles.length);
    return copy === 0
      ? article
      : { ...article, uuid: `${article.uuid}-${copy}`, title: `${article.title} ${copy}` };
  });
  return [...entities.filter(({ bundle }) => bundle !== 'article'), ...more];
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

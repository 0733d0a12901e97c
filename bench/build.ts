/**
 * The cost of queries in a build, and their memory. Pages with five queries each over all files with our
 * integration; a few of the same pages with content collections, for the memory. npm run build:lib && node
 * bench/build.ts [--sizes 20000] [--folder <content>] [--pages 2000]
 */
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { corpora, megabytes, optionOf, printRequirement } from './sites/content.ts';
import type { Corpus } from './sites/corpus.ts';
import { runAstro } from './sites/process.ts';
import { BENCH_FOLDER, writeSite } from './sites/site.ts';

/** Each page of a collection walks all entries five times; more pages take longer, not more memory. */
const COLLECTION_PAGES = 20;

const args = process.argv.slice(2);
const pages = Number(optionOf(args, '--pages') ?? 2000);
const notes = path.join(BENCH_FOLDER, 'query-time.txt');
process.env.BENCH_QUERY_TIME = notes;
for (const corpus of corpora(args.includes('--sizes') ? args : [...args, '--sizes', '20000']))
  await measure(corpus);

async function measure(corpus: Corpus): Promise<void> {
  mkdirSync(BENCH_FOLDER, { recursive: true });
  rmSync(notes, { force: true });
  const empty = await runAstro(writeSite('empty', corpus, 'empty-build'), 'build');
  const site = writeSite('ours', corpus, 'ours-build', {
    'pages/p/[n].astro': page(pages, ourQueries(corpus)),
  });
  const cold = await runAstro(site, 'build');
  const queryMs = Number(readFileSync(notes, 'utf8'));
  const warm = await runAstro(site, 'build');
  const peer = await runAstro(
    writeSite('collections', corpus, 'collections-build', {
      'pages/p/[n].astro': page(COLLECTION_PAGES, collectionQueries(corpus)),
    }),
    'build',
  );
  const share = queryMs / (cold.ms - empty.ms);
  console.log(
    `\n${corpus.name}, ${pages} pages, ${pages * 5} queries: build ${(cold.ms / 1000).toFixed(1)} s, from caches ${(warm.ms / 1000).toFixed(1)} s, of it queries ${(queryMs / 1000).toFixed(2)} s`,
  );
  console.log(
    `  peak memory ${megabytes(cold.peakBytes)}, from caches ${megabytes(warm.peakBytes)}; content collections ${megabytes(peer.peakBytes)}; empty ${megabytes(empty.peakBytes)}`,
  );
  printRequirement(share < 0.05, 'queries under 5 % of the build', `${(share * 100).toFixed(1)} %`);
  const part = (cold.peakBytes - empty.peakBytes) / (peer.peakBytes - empty.peakBytes);
  printRequirement(
    part <= 0.5,
    "peak memory at most half of Astro's, above an empty site's",
    `×${part.toFixed(2)}`,
  );
}

interface Queries {
  readonly imports: string;
  /** The source text of five promises. */
  readonly asked: readonly string[];
}

function ourQueries({ bundle, schema }: Corpus): Queries {
  const of = `entities('${bundle}')`;
  const field = schema === null ? 'title' : 'field_section';
  return {
    imports: "import { entities } from 'astro-jsonapi:content';",
    asked: [
      `${of}.sort('title').page({ offset: n % 900, limit: 10 }).all()`,
      `${of}.where('${field}', '=', n % 2 ? 'coast' : 'city').sort('-created').page({ limit: 10 }).all()`,
      `${of}.where('title', 'CONTAINS', String(n % 10)).page({ limit: 10 }).all()`,
      `${of}.where('status', '=', true).sort('-changed').page({ offset: n % 500, limit: 5 }).all()`,
      `${of}.where('title', 'STARTS_WITH', 'tide').page({ limit: 10 }).all()`,
    ],
  };
}

function collectionQueries({ bundle }: Corpus): Queries {
  const asked = (test: string) => `getCollection('${bundle}', ({ data, id }) => ${test})`;
  return {
    imports: "import { getCollection } from 'astro:content';",
    asked: [
      asked('true'),
      asked("data.field_section === 'coast'"),
      asked('data.title.includes(String(n % 10))'),
      asked('data.status === true'),
      asked("data.title.startsWith('tide')"),
    ],
  };
}

function page(count: number, { imports, asked }: Queries): string {
  return `---
import { writeFileSync } from 'node:fs';
${imports}
export const getStaticPaths = () => Array.from({ length: ${count} }, (_, n) => ({ params: { n: String(n) } }));
const n = Number(Astro.params.n);
const started = performance.now();
const answers = [${asked.map((query) => `await ${query}`).join(', ')}];
const ms = performance.now() - started;
if (globalThis.benchQueryMs === undefined) {
  process.once('exit', () => writeFileSync(process.env.BENCH_QUERY_TIME, String(globalThis.benchQueryMs)));
}
globalThis.benchQueryMs = (globalThis.benchQueryMs ?? 0) + ms;
---
<ul>{answers.map((answer) => [...answer].slice(0, 3).map((entry) => <li>{entry.title ?? entry.data.title}</li>))}</ul>
`;
}

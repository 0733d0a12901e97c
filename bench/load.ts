/**
 * The time until content is available: a dev server's first response about an entity, against `astro sync` of a
 * site with the same files as content collections, including git dates. Compared is the time above that of the same
 * site with one file: a dev server with this integration, its schema and its API route, and `astro sync` with the
 * same collections. The time of both above a site without either is printed too. Cold means without caches of an
 * earlier start, on both sides and in the subtracted time. Rounds are interleaved. npm run build:lib && node
 * bench/load.ts [--sizes 5000,20000] [--folder <content>] [--rounds 3]
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { corpora, emptyFolder, median, optionOf, printRequirement } from './sites/content.ts';
import { type Corpus, singleFileCorpus } from './sites/corpus.ts';
import { type Run, runAstro, startDev } from './sites/process.ts';
import { type BenchSite, writeSite } from './sites/site.ts';

const args = process.argv.slice(2);
const rounds = Number(optionOf(args, '--rounds') ?? 3) || 3;

/** The cache is written after the first responses. */
const QUIET_MS = 6000;
const UNITS = [
  ['ms', 'time'],
  ['cpuMs', 'processor time'],
] as const;

for (const corpus of corpora(args)) await compare(corpus);

async function compare(corpus: Corpus): Promise<void> {
  const single = singleFileCorpus(corpus, emptyFolder('content-single'));
  const sites: Readonly<Record<Site, readonly [BenchSite, (site: BenchSite) => Promise<Cost>]>> = {
    'no collections': [writeSite('empty', corpus, 'empty-load'), (site) => runAstro(site, 'sync')],
    'no integration': [writeSite('empty', corpus, 'empty-load-dev'), startCost],
    'collections of one': [
      writeSite('collections', single, 'collections-load-single'),
      (site) => runAstro(site, 'sync'),
    ],
    'ours of one': [writeSite('ours', single, 'ours-load-single'), startCost],
    collections: [writeSite('collections', corpus, 'collections-load'), (site) => runAstro(site, 'sync')],
    ours: [writeSite('ours', corpus, 'ours-load'), startCost],
  };
  const costs = new Map<string, Cost[]>();
  for (let round = 0; round < rounds; round++) {
    for (const [name, [site, run]] of Object.entries(sites)) {
      site.forget();
      for (const start of ['cold', 'warm']) {
        const key = `${name} ${start}`;
        costs.set(key, [...(costs.get(key) ?? []), await run(site)]);
      }
    }
  }
  console.log(`\n${corpus.name}, ${(corpus.bytes / 1e6).toFixed(0)} MB, ${rounds} rounds`);
  for (const [unit, label] of UNITS)
    report(label, (name, start) => median((costs.get(`${name} ${start}`) ?? []).map((cost) => cost[unit])));
}

function report(label: string, of: (site: Site, start: 'cold' | 'warm') => number): void {
  const above = (site: Site, base: Site) =>
    [of(site, 'cold') - of(base, 'cold'), of(site, 'warm') - of(base, 'warm')] as const;
  const [cold, warm] = above('collections', 'collections of one');
  const [ourCold, ourWarm] = above('ours', 'ours of one');
  const whole = [...above('collections', 'no collections'), ...above('ours', 'no integration')] as const;
  console.log(
    ` ${label} above the same site with one file: collections ${texts([cold, warm])}; astro-jsonapi ${texts([ourCold, ourWarm])}`,
  );
  printRequirement(ourCold * 3 <= cold, 'cold at least 3 times faster than cold', faster(cold, ourCold));
  printRequirement(ourWarm * 10 <= cold, 'warm at least 10 times faster than cold', faster(cold, ourWarm));
  console.log(`warm against warm: ${faster(warm, ourWarm)}`);
  console.log(
    `           above a site with neither: collections ${texts([whole[0], whole[1]])}; astro-jsonapi ${texts([whole[2], whole[3]])}; ` +
      `cold ${faster(whole[0], whole[2])}, warm ${faster(whole[0], whole[3])}`,
  );
}

async function startCost(site: BenchSite): Promise<Cost> {
  const server = await startDev(site);
  await sleep(QUIET_MS);
  await server.stop();
  return server.start;
}

function texts([cold, warm]: readonly [number, number]): string {
  return `cold ${cold.toFixed(0)} ms, warm ${warm.toFixed(0)} ms`;
}

function faster(theirs: number, ours: number): string {
  return ours > 0 ? `×${(theirs / ours).toFixed(1)}` : 'no measurable time of its own';
}

type Site =
  | 'no collections'
  | 'no integration'
  | 'collections of one'
  | 'ours of one'
  | 'collections'
  | 'ours';
type Cost = Pick<Run, 'ms' | 'cpuMs'>;

/**
 * How long until content is there? A dev server's first answer about an entity, against `astro sync` of a site that
 * has the same files as content collections; each above what a site without content takes. Rounds are interleaved.
 *
 *     npm run build:lib && node bench/load.ts [--sizes 5000,20000] [--folder <content>] [--rounds 3]
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { corpora, median, printRequirement } from './sites/content.ts';
import type { Corpus } from './sites/corpus.ts';
import { type Run, runAstro, startDev } from './sites/process.ts';
import { type BenchSite, writeSite } from './sites/site.ts';

const given = process.argv.slice(2);
const rounds = Number(given[given.indexOf('--rounds') + 1] ?? 3) || 3;

const QUIET_MS = 2000;
const UNITS = [
  ['ms', 'time'],
  ['cpuMs', 'time of all threads'],
] as const;

for (const corpus of corpora(given)) await compare(corpus);

async function compare(corpus: Corpus): Promise<void> {
  const [empty, ours, theirs] = (['empty', 'ours', 'collections'] as const).map((kind) =>
    writeSite(kind, corpus, `${kind}-load`),
  ) as [BenchSite, BenchSite, BenchSite];
  await runAstro(empty, 'sync');
  await (await startDev(empty)).stop();

  const runs: Record<string, Cost[]> = {};
  const note = (name: string, cost: Cost) => {
    runs[name] = [...(runs[name] ?? []), cost];
  };
  for (let round = 0; round < rounds; round++) {
    note('sync', await runAstro(empty, 'sync'));
    note('dev', await startCost(empty));
    theirs.forget();
    note('sync cold', await runAstro(theirs, 'sync'));
    note('sync warm', await runAstro(theirs, 'sync'));
    ours.forget();
    note('ours cold', await startCost(ours));
    note('ours warm', await startCost(ours));
  }
  console.log(`\n${corpus.name}, ${(corpus.bytes / 1e6).toFixed(0)} MB: above an empty site`);
  for (const [unit, label] of UNITS) {
    const above = (name: string, base: string) =>
      median((runs[name] ?? []).map((run) => run[unit])) - median((runs[base] ?? []).map((run) => run[unit]));
    const [cold, warm] = [above('sync cold', 'sync'), above('sync warm', 'sync')];
    const [ourCold, ourWarm] = [above('ours cold', 'dev'), above('ours warm', 'dev')];
    console.log(
      ` ${label}: astro sync cold ${cold.toFixed(0)} ms, warm ${warm.toFixed(0)} ms; ` +
        `astro-jsonapi cold ${ourCold.toFixed(0)} ms, warm ${ourWarm.toFixed(0)} ms`,
    );
    printRequirement(cold / ourCold >= 3, 'cold at least 3 times faster than cold', factor(cold / ourCold));
    printRequirement(cold / ourWarm >= 10, 'warm at least 10 times faster than cold', factor(cold / ourWarm));
    console.log(`           warm against warm: ${factor(warm / ourWarm)}`);
  }
}

async function startCost(site: BenchSite): Promise<Cost> {
  const server = await startDev(site);
  // The cache is written after the first answers.
  await sleep(QUIET_MS);
  await server.stop();
  return server.start;
}

function factor(value: number): string {
  return `×${value.toFixed(1)}`;
}

type Cost = Pick<Run, 'ms' | 'cpuMs'>;

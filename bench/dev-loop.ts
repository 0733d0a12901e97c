/**
 * The time from a saved edit to the changed response over HTTP in `astro dev`: a changed title, polled until it
 * appears, against `getEntry` of a content collection over the same files. The response time of an empty server is
 * subtracted from both. npm run build:lib && node bench/dev-loop.ts [--sizes 5000,20000] [--folder <content>]
 * [--edits 15]
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { corpora, median, optionOf, printRequirement } from './sites/content.ts';
import type { Corpus } from './sites/corpus.ts';
import { type DevServer, startDev } from './sites/process.ts';
import { type SiteKind, writeSite } from './sites/site.ts';

/** An edit that takes longer counts as this. */
const LONGEST_MS = 60_000;
const AT_MOST_MS = 50;
/** After the start, for watchers to be ready, and between two edits. */
const SETTLED_MS = 3000;
const QUIET_MS = 700;

const args = process.argv.slice(2);
const edits = Number(optionOf(args, '--edits') ?? 15);
const medians: number[] = [];
for (const corpus of corpora(args)) medians.push(await compare(corpus));
const [least = 0, most = 0] = [Math.min(...medians), Math.max(...medians)];
printRequirement(
  most <= 2 * Math.max(least, AT_MOST_MS),
  'at most twice as long at any size',
  `×${(most / least).toFixed(1)}`,
);

/** Our median. */
async function compare(corpus: Corpus): Promise<number> {
  const answer = await medianOf('empty', corpus);
  const ours = (await medianOf('ours', corpus)) - answer;
  const theirs = (await medianOf('collections', corpus)) - answer;
  console.log(`\n${corpus.name}: median of ${edits} edits, above ${answer.toFixed(1)} ms for any answer`);
  console.log(`  astro-jsonapi ${ours.toFixed(0)} ms, content collection ${theirs.toFixed(0)} ms`);
  printRequirement(ours <= AT_MOST_MS, `at most ${AT_MOST_MS} ms`, `${ours.toFixed(0)} ms`);
  printRequirement(theirs / ours >= 20, 'at least 20 times faster', `×${(theirs / ours).toFixed(0)}`);
  return ours;
}

async function medianOf(kind: SiteKind, corpus: Corpus): Promise<number> {
  const site = writeSite(kind, corpus, `${kind}-dev-loop`);
  const file = path.join(corpus.dir, corpus.bundle, `${corpus.ids[0]}.md`);
  const original = readFileSync(file, 'utf8');
  const server = await startDev(site);
  try {
    await sleep(SETTLED_MS);
    const times: number[] = [];
    for (let edit = 0; edit <= edits; edit++) {
      const mark = kind === 'empty' ? '<h1>' : `Edited ${Date.now()}`;
      if (kind !== 'empty') writeFileSync(file, original.replace(/^title: .*$/m, `title: "${mark}"`));
      times.push(await msUntil(server, site.answer, mark));
      await sleep(QUIET_MS);
    }
    // The first request compiles code that the others use.
    return median(times.slice(1));
  } finally {
    await server.stop();
    writeFileSync(file, original);
  }
}

async function msUntil(server: DevServer, place: string, mark: string): Promise<number> {
  const started = performance.now();
  while (performance.now() - started < LONGEST_MS) {
    if ((await server.get(place).catch(() => '')).includes(mark)) break;
    await sleep(1);
  }
  return performance.now() - started;
}

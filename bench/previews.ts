/**
 * Previews of unsaved values on a built server of the demo: one at a time, 20 at once, and what visitors notice of these. Rounds with
 * and without previews alternate, so that other load affects both. node bench/previews.ts [--quick]
 */
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ATOMIC_MEDIA_TYPE } from '../integration/core/read/document-types.ts';
import { build, emptySite, REPOSITORY, serve } from '../test/astro/site.ts';
import { addAccounts } from '../test/support/accounts.ts';
import { median, printRequirement } from './sites/content.ts';

const QUICK = process.argv.includes('--quick');
const EDITORS = 20;
const ROUNDS = QUICK ? 3 : 12;
const SINGLE = QUICK ? 10 : 60;
/** Visitors send a request after each of these pauses. Milliseconds. */
const PAUSE_MS = 10;
const REQUIRED = { previewMs: 300, delayMs: 50 };
/** A prerendered page, one on request, and the API. */
const READ = ['/journal/holdfast', '/jsonapi/node/article?sort=-field_published&page[limit]=8'];
const PREVIEWED = ['/journal/holdfast', '/', '/search'];

const site = emptySite('bench-previews');
for (const name of ['astro.config.mjs', 'content', 'public', 'src']) {
  cpSync(path.join(REPOSITORY, name), site.file(name), { recursive: true });
}
const names = Array.from({ length: EDITORS }, (_, at) => `editor-${at}`);
const file = site.file('accounts.json');
const tokens = Object.values(
  await addAccounts(file, Object.fromEntries(names.map((name) => [name, { roles: ['editor'] }]))),
);
await build(site);
const server = await serve(site, { JSONAPI_ACCOUNTS: file });
let typed = 0;

/** Milliseconds of a preview of a title that no other preview has. */
async function preview(at: string, token: string | undefined): Promise<number> {
  const start = performance.now();
  typed += 1;
  const title = `Holdfast ${typed}`;
  const data = { type: 'node--article', id: 'holdfast', attributes: { title } };
  const response = await fetch(`${server.origin}/jsonapi/_preview?path=${encodeURIComponent(at)}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      origin: server.origin,
      'content-type': ATOMIC_MEDIA_TYPE,
    },
    body: JSON.stringify({ 'atomic:operations': [{ op: 'update', data }] }),
  });
  const text = await response.text();
  if (!text.includes('"status":200')) throw new Error(`The preview of ${at} failed: ${text.slice(0, 500)}`);
  return performance.now() - start;
}

/** Processor time of the server so far, in milliseconds; 0 where it is not known. */
function processorMs(): number {
  const stat = `/proc/${server.pid}/stat`;
  if (!existsSync(stat)) return 0;
  const parts = readFileSync(stat, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return 10 * (Number(parts[11]) + Number(parts[12]));
}

/** Times of requests of visitors until `work` has ended. */
async function readDuring(work: Promise<unknown>): Promise<readonly number[]> {
  const times: number[] = [];
  let isOver = false;
  work.finally(() => {
    isOver = true;
  });
  for (let at = 0; !isOver; at++) {
    const start = performance.now();
    await (await fetch(server.origin + READ[at % READ.length])).arrayBuffer();
    times.push(performance.now() - start);
    await sleep(PAUSE_MS);
  }
  return times;
}

const inMs = (value: number) => `${value.toFixed(1)} ms`;
const at95 = (list: readonly number[]) => list.toSorted((a, b) => a - b)[Math.floor(list.length * 0.95)] ?? 0;

try {
  console.log(`Previews of the demo, Node ${process.version}, load ${loadavg()[0]?.toFixed(1)}`);
  for (const at of PREVIEWED) {
    for (let round = 0; round < 5; round++) await preview(at, tokens[0]);
    const before = processorMs();
    const times: number[] = [];
    for (let round = 0; round < SINGLE; round++) times.push(await preview(at, tokens[0]));
    const processor = (processorMs() - before) / SINGLE;
    console.log(`  ${at}: median ${inMs(median(times))}, processor ${inMs(processor)} a preview`);
  }
  for (const at of PREVIEWED) {
    const previews: number[] = [];
    const [busy, quiet]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      const all = Promise.all(tokens.map((token) => preview(at, token)));
      busy.push(...(await readDuring(all)));
      const times = await all;
      previews.push(...times);
      quiet.push(...(await readDuring(sleep(Math.max(...times)))));
    }
    console.log(`  ${EDITORS} at once, ${at}`);
    const middle = median(previews);
    printRequirement(
      middle <= REQUIRED.previewMs,
      `a preview has at most ${REQUIRED.previewMs} ms`,
      `median ${inMs(middle)}, 95% ${inMs(at95(previews))}, slowest ${inMs(Math.max(...previews))}`,
    );
    const delay = median(busy) - median(quiet);
    printRequirement(
      delay <= REQUIRED.delayMs,
      `visitors wait at most ${REQUIRED.delayMs} ms longer`,
      `median ${inMs(delay)} (${inMs(median(quiet))} to ${inMs(median(busy))}), 95% ${inMs(at95(busy) - at95(quiet))}`,
    );
  }
} finally {
  await server.stop();
  site.remove();
}

/**
 * The start of a built server over a large git repository: the time from the start of the process to the first 200 of a list, and
 * resident memory at that moment and after requests for everything (dates, bodies, full text). With and without `editing.git`, without
 * a cache folder, with an empty one, with the caches of an earlier start, and with a small semi-space. `longest wait` is the longest
 * response of a page of the site that needs no content, during the start.
 * npm run bench:history -- [--files 100000] [--commits 20000]
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build, copySite, type ServedProcess, type Site, serve } from '../test/astro/site.ts';
import { writeCommittedContent } from './sites/committed-content.ts';
import { megabytes, optionOf } from './sites/content.ts';

const args = process.argv.slice(2);
const files = Number(optionOf(args, '--files') ?? 100_000);
const commits = Number(optionOf(args, '--commits') ?? 20_000);
const AT_MOST = { ms: 10_000, bytes: 500 * 2 ** 20 };
/** As docs/performance.md recommends for little memory. */
const NODE_OPTIONS = '--max-semi-space-size=4';
const FIRST = '/jsonapi/node/article?page[limit]=10';
/** By the dates of commits, by a part of all bodies, and by full text. */
const EVERYTHING = [
  'sort=-created',
  'sort=changed',
  'filter[created][operator]=>&filter[created][value]=2007-01-01T00:00:00Z',
  'sort=title&include=field_author',
  'filter[body.value][operator]=CONTAINS&filter[body.value][value]=harbour gull',
  'filter[fulltext]=lantern',
];
/** A page that needs no content. */
const PAGE = "export const prerender = false;\nexport const GET = () => new Response('ok');\n";
const SCHEMA = `import { defineSchema, reference, z } from 'astro-jsonapi/schema';
export default defineSchema({
  article: { title: z.string(), status: z.boolean(), field_author: reference('person'), field_rating: z.int(), field_section: z.string() },
  person: { title: z.string(), field_email: z.email() },
});
`;
/** Within it, caches are written after the first response. */
const SETTLED_MS = 8000;

const site = copySite('plain', 'bench-history');
try {
  rmSync(site.file('content'), { recursive: true, force: true });
  mkdirSync(site.file('content'));
  writeFileSync(site.file('content/schema.ts'), SCHEMA);
  rmSync(site.file('src/pages'), { recursive: true, force: true });
  mkdirSync(site.file('src/pages'), { recursive: true });
  writeFileSync(site.file('src/pages/index.js'), PAGE);
  const { dir, bytes } = await writeCommittedContent(site.file('repository'), { files, commits });
  console.log(`${files} files, ${megabytes(bytes)}, ${commits} commits; Node ${process.version}`);
  for (const editing of [false, { git: true }]) {
    const name = editing === false ? 'reading' : 'editing.git';
    const options = {
      ...(editing && { editing }),
      danglingReferences: 'missing',
      logging: { changes: false },
    };
    await build(site, { SERVER: '1', JSONAPI_OPTIONS: JSON.stringify(options) });
    const cache = site.file(`cache-${name}`);
    await measure(site, dir, `${name}, without a cache folder`, {});
    for (const [memory, env] of Object.entries({ '': {}, ', small semi-space': { NODE_OPTIONS } })) {
      rmSync(cache, { recursive: true, force: true });
      mkdirSync(cache);
      await measure(site, dir, `${name}, first start${memory}`, { ...env, JSONAPI_CACHE_DIR: cache });
      await measure(site, dir, `${name}, later start${memory}`, { ...env, JSONAPI_CACHE_DIR: cache });
    }
  }
} finally {
  site.remove();
}

async function measure(
  built: Site,
  contentDir: string,
  name: string,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const started = performance.now();
  const server = await serve(built, { ...env, JSONAPI_CONTENT_DIR: contentDir });
  try {
    const waits = watchPage(server);
    await get(server, FIRST);
    const ms = performance.now() - started;
    const first = memoryOf(server);
    await waits.stop();
    await sleep(SETTLED_MS);
    const settled = memoryOf(server);
    for (const query of EVERYTHING) await get(server, `${FIRST}&${query}`);
    const everything = memoryOf(server);
    const met = (is: boolean) => (is ? '' : ' NOT MET');
    console.log(
      [
        name.padEnd(44),
        `first answer ${(ms / 1000).toFixed(1)} s${met(ms <= AT_MOST.ms)}`,
        `longest wait ${waits.longest().toFixed(0)} ms`,
        `resident ${megabytes(first.now)}${met(first.now <= AT_MOST.bytes)}, peak ${megabytes(first.peak)}`,
        `after ${SETTLED_MS / 1000} s ${megabytes(settled.now)}`,
        `after everything ${megabytes(everything.now)}, peak ${megabytes(everything.peak)}`,
      ].join('  '),
    );
  } finally {
    await server.stop();
  }
}

/** Throws unless the response is a 200 that has entities. */
async function get({ origin, output }: ServedProcess, target: string): Promise<void> {
  const response = await fetch(origin + target);
  const text = await response.text();
  if (response.status !== 200 || JSON.parse(text).data.length === 0)
    throw new Error(`${target}: ${response.status} ${text.slice(0, 300)}\n${output()}`);
}

/** Asks for a page again and again. */
function watchPage({ origin }: ServedProcess): { longest(): number; stop(): Promise<void> } {
  let longest = 0;
  let isRunning = true;
  const running = (async () => {
    while (isRunning) {
      const asked = performance.now();
      await (await fetch(`${origin}/`)).text();
      longest = Math.max(longest, performance.now() - asked);
      await sleep(10);
    }
  })();
  return {
    longest: () => longest,
    stop() {
      isRunning = false;
      return running;
    },
  };
}

/** Resident bytes now, and the most so far. */
function memoryOf({ pid }: ServedProcess): { readonly now: number; readonly peak: number } {
  const status = readFileSync(path.join('/proc', String(pid), 'status'), 'utf8');
  const bytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024;
  return { now: bytes('VmRSS'), peak: bytes('VmHWM') };
}

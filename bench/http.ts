/**
 * The speed of responses over HTTP. A list with a filter, a sort and two includes from a built server, against an
 * endpoint of the same server that returns a constant text of the same length; with a repeated URL and with unique
 * URLs, through the fetch entry and through a route. Rounds alternate, so that other load affects both; every
 * response is compared with the first before the measurement. node bench/http.ts [--quick]
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import type { Site } from '../test/astro/site.ts';
import { build, copySite, serve } from '../test/astro/site.ts';
import { median } from './sites/content.ts';
import { loadServers, RECORDED_QUERY as QUERY } from './sites/http-load.ts';
import { writeRecordedContent } from './sites/recorded-content.ts';

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
    const load = (target: string, isUnique: boolean, bytes: number) =>
      loadServers([server.origin], target, { isUnique, bytes, connections: CONNECTIONS, seconds: SECONDS });
    for (const [kind, required] of Object.entries(REQUIRED)) {
      const ours: number[] = [];
      const constant: number[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        ours.push(await load(QUERY, kind === 'unique', text.length));
        constant.push(await load(`${CONSTANT}?a=1`, kind === 'unique', text.length));
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

function writeSite(size: number, door: string, source: string): Site {
  const site = copySite('plain', `bench-http-${size}-${door.replace(' ', '-')}`);
  rmSync(site.file('src/pages'), { recursive: true });
  mkdirSync(site.file('src/pages'), { recursive: true });
  writeRecordedContent(site.file('content'), size);
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

/**
 * Loads screens of the admin of the demo in Chromium with an empty cache: the sent bytes, the requests, and on a line of
 * 400 kbit/s with 400 ms latency the times until something is painted and until the screen can be used.
 * Serves the demo as `npm start` does: npm run bench:admin-load -- [--requests]
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { loadavg } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../test/astro/site.ts';
import { type Cookies, measureLoad, SLOW_LINE } from '../test/browser/admin-load.ts';
import { launchBrowser } from '../test/browser/chromium.ts';
import { table } from './report.ts';
import { BENCH_FOLDER, REPOSITORY } from './sites/site.ts';

const SCREENS = [
  ['home', '/admin', '#recent'],
  ['list', '/admin/content', 'table[aria-busy=false] tbody tr'],
  ['form', '/admin/edit/node/article/uphill-wave', 'textarea[aria-label=Text]'],
] as const;
const RUNS = 3;
const PASSWORD = 'a password for one run';

mkdirSync(BENCH_FOLDER, { recursive: true });
const accounts = path.join(BENCH_FOLDER, 'demo-accounts.json');
for (const file of [accounts, `${accounts}.log`]) rmSync(file, { force: true });
const main = path.join(REPOSITORY, 'dist/cli/main.js');
const flags = ['--role', 'administrator', '--password-stdin', '--accounts', accounts];
execFileSync(process.execPath, [main, 'account', 'add', 'demo', ...flags], {
  input: PASSWORD,
  cwd: REPOSITORY,
});
const port = await freePort();
const origin = `http://127.0.0.1:${port}`;
const server = spawn(process.execPath, [path.join('build', 'site', 'server', 'entry.mjs')], {
  cwd: REPOSITORY,
  stdio: ['ignore', 'ignore', 'inherit'],
  env: { ...process.env, PORT: String(port), HOST: '127.0.0.1', JSONAPI_ACCOUNTS: accounts },
});
const browser = await launchBrowser();
try {
  const cookies = await signIn();
  const lines: string[][] = [['screen', 'kB', 'requests', 'kB when usable', 'first paint', 'usable']];
  for (const [name, address, selector] of SCREENS) {
    const loads = [];
    for (let run = 0; run < RUNS; run++) {
      loads.push(await measureLoad(browser, { url: origin + address, cookies, selector, line: SLOW_LINE }));
    }
    const load = loads.toSorted((one, other) => one.ready - other.ready)[RUNS >> 1];
    if (load === undefined) continue;
    const before = load.requests.filter(({ end }) => end <= load.ready);
    const kilobytes = (some: typeof before) =>
      (some.reduce((sum, { bytes }) => sum + bytes, 0) / 1000).toFixed(1);
    const seconds = (time: number) => `${(time / 1000).toFixed(2)} s`;
    lines.push([
      name,
      kilobytes([...load.requests]),
      String(load.requests.length),
      kilobytes(before),
      seconds(load.firstPaint),
      seconds(load.ready),
    ]);
    if (process.argv.includes('--requests')) {
      for (const { url, bytes, start, end } of load.requests) {
        console.log(
          `${String(bytes).padStart(8)} ${start.toFixed(0).padStart(7)} ${end.toFixed(0).padStart(7)}  ${url.replace(origin, '')}`,
        );
      }
    }
  }
  console.log(
    `\nThe admin of the demo at ${SLOW_LINE.kilobitsPerSecond} kbit/s and ${SLOW_LINE.latency} ms, Node ${process.version}, load ${loadavg()[0]?.toFixed(1)}`,
  );
  console.log(table(lines));
} finally {
  await browser.close();
  server.kill();
}

async function signIn(): Promise<Cookies> {
  while (!(await isListening())) {
    if (server.exitCode !== null) throw new Error('The server has stopped.');
    await sleep(100);
  }
  const context = await browser.newContext();
  const form = { name: 'demo', pass: PASSWORD };
  await context.request.post(`${origin}/user/login`, { form, headers: { origin } });
  const cookies = await context.cookies();
  await context.close();
  return cookies;
}

async function isListening(): Promise<boolean> {
  return fetch(origin).then(
    () => true,
    () => false,
  );
}

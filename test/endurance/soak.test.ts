import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openAuth } from '../../integration/features/accounts/open-auth.ts';
import { build, copySite, type Served, type Site, serve } from '../astro/site.ts';
import { runGit } from '../support/git-site.ts';
import { type Control, isQuiet, startControl } from './control.ts';
import type { LoadResult, LoadSettings } from './soak-load.ts';

/**
 * `SOAK_SECONDS=60 npx vitest run --config vitest.endurance.config.ts soak` for a shorter run, which asserts only that nothing is
 * lost and that no response is an error.
 */
const SECONDS = Number(process.env.SOAK_SECONDS ?? 600);
const READS = Number(process.env.SOAK_READS ?? 190);
const WRITES = Number(process.env.SOAK_WRITES ?? 10);
const ARTICLES = 5000;
/** Milliseconds for 99 of 100 responses, on a quiet machine. */
const LIMITS = { reads: 100, writes: 1000 };
/** Processors that the server and its git processes use on average, on a quiet machine. */
const MAX_PROCESSORS = 1;
/** Seconds until the caches are full. Latencies of a shorter run are printed, but not asserted. */
const WARM_UP_S = 300;
/**
 * Memory counts as flat if the last quarter needs no more than this beside the quarter before. It is asserted if both quarters
 * are after the warm-up.
 */
const GROWTH = { share: 1.05, bytes: 16e6 };
/** Seconds after the load until the last change is committed. */
const REST_S = 60;

let site: Site;
let server: Served;
let control: Control;
let token: string;

const git = (...args: readonly string[]) => runGit(site.dir, args);
const health = async () => (await fetch(`${server.origin}/healthz`)).json();

beforeAll(async () => {
  site = copySite('plain', 'soak');
  for (const folder of ['content', 'src/pages']) {
    rmSync(site.file(folder), { recursive: true, force: true });
    mkdirSync(site.file(folder), { recursive: true });
  }
  writeFileSync(site.file('src/pages/index.astro'), '<p>Soak</p>');
  writeFileSync(
    site.file('astro.config.mjs'),
    `import node from '@astrojs/node';
import { defineConfig } from 'astro/config';
import jsonapi from 'astro-jsonapi';
export default defineConfig({
  adapter: node({ mode: 'standalone' }),
  integrations: [jsonapi({ editing: { git: true }, healthPath: '/healthz', limits: ${process.env.SOAK_LIMITS ?? '{}'} })],
});
`,
  );
  for (const folder of ['article', 'person']) mkdirSync(site.file('content', folder));
  for (let number = 0; number < 50; number += 1) {
    writeFileSync(site.file(`content/person/p${number}.md`), `---\ntitle: Person ${number}\n---\n`);
  }
  for (let number = 0; number < ARTICLES; number += 1) {
    const frontmatter = `title: Article ${number}\nfield_rating: ${number % 100}\nfield_author: person/p${number % 50}`;
    const body = `Paragraph ${number} about *tides* and the moon.\n\n`.repeat(5);
    writeFileSync(site.file(`content/article/a${number}.md`), `---\n${frontmatter}\n---\n${body}`);
  }
  writeFileSync(site.file('.gitignore'), 'dist*\n.astro*\nnode_modules\n');
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'The site');
  git('config', 'user.email', 'site@example.org');
  git('add', '-A');
  git('commit', '-q', '-m', 'Begin');
  const { accounts } = openAuth({ file: site.file('.astro-jsonapi/accounts.json'), warn: () => undefined });
  await accounts.add({ name: 'jane', roles: ['editor'] });
  token = (await accounts.addToken('jane', { label: 'soak', scope: 'write', expires: null })).secret;
  await build(site);
  server = await serve(site);
  control = await startControl();
  expect(await health()).toMatchObject({ status: 'ok' });
});
afterAll(async () => {
  await server?.stop();
  await control?.stop();
  site?.remove();
});

/** Bytes of memory that a process holds. */
function memoryOf(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}

/** Seconds of the processor that a process has used itself, and that its ended children have. */
function processorTime(pid: number): { readonly server: number; readonly git: number } {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ').map(Number) ?? [];
  const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields.slice(11, 15);
  return { server: (user + system) / 100, git: (childUser + childSystem) / 100 };
}

const median = (numbers: readonly number[]) =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;

it(`${READS} reads and ${WRITES} writes a second over ${ARTICLES} articles for ${SECONDS} s: no error, flat memory, answers in time`, async () => {
  const settings: LoadSettings = {
    origin: server.origin,
    control: control.origin,
    token,
    seconds: SECONDS,
    reads: READS,
    writes: WRITES,
    articles: ARTICLES,
  };
  const before = processorTime(server.pid);
  const script = path.join(import.meta.dirname, 'soak-load.ts');
  const child = spawn(process.execPath, [script, JSON.stringify(settings)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const memory: number[] = [];
  let deepest = 0;
  const sampling = setInterval(async () => {
    memory.push(memoryOf(server.pid));
    const { git: state } = await health();
    deepest = Math.max(deepest, state.backlog?.changes ?? 0);
  }, 1000);
  const [printed] = await Promise.all([text(child.stdout), once(child, 'close')]);
  clearInterval(sampling);
  const after = processorTime(server.pid);
  const committed = Number(git('rev-list', '--count', 'HEAD')) - 1;
  const result: LoadResult = JSON.parse(printed);
  let rest = 0;
  for (; Number(git('rev-list', '--count', 'HEAD')) - 1 < result.writes.count && rest < REST_S; rest += 1) {
    await sleep(1000);
  }
  const quarters = [0, 1, 2, 3].map((quarter) => {
    const size = memory.length / 4;
    return median(memory.slice(Math.floor(quarter * size), Math.floor((quarter + 1) * size)));
  });
  const [, , third = 0, fourth = 0] = quarters;
  const used = { server: after.server - before.server, git: after.git - before.git };
  const assertsLatency = SECONDS >= WARM_UP_S && isQuiet(result.control.p99);
  console.log(
    JSON.stringify({ ...result, commitsPerSecond: committed / SECONDS, deepest, rest }),
    assertsLatency
      ? 'quiet machine;'
      : 'busy machine, CI or a short run, so latencies and processors are not asserted;',
    `processor: server ${used.server.toFixed(1)} s, git ${used.git.toFixed(1)} s;`,
    `memory by quarters: ${quarters.map((bytes) => Math.round(bytes / 1e6)).join(' ')} MB`,
  );
  console.log(
    server
      .output()
      .split('\n')
      .filter((line) => /warn|error|commit/i.test(line))
      .slice(0, 20)
      .join('\n'),
  );
  expect([result.errors, result.messages]).toEqual([0, []]);
  expect(Number(git('rev-list', '--count', 'HEAD')) - 1).toBe(result.writes.count);
  expect(git('status', '--porcelain', '--', 'content')).toBe('');
  if (SECONDS / 2 >= WARM_UP_S) expect(fourth).toBeLessThan(third * GROWTH.share + GROWTH.bytes);
  if (!assertsLatency) return;
  expect((used.server + used.git) / SECONDS).toBeLessThan(MAX_PROCESSORS);
  expect(result.reads.p99).toBeLessThan(LIMITS.reads);
  expect(result.writes.p99).toBeLessThan(LIMITS.writes);
});

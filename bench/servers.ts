/**
 * Three servers of the same content against one: requests per second, processor time per request, and the time until a change on one
 * server is visible on all. With replicas over a git repository, and with readers over one PostgreSQL. Rounds alternate, so that other
 * load affects all variants. A machine with few cores cannot give three servers three cores, so a further variant lets each server run
 * for a quarter of the time, in turns: like machines of the same, lower speed. npm run bench:servers -- [--quick]
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { build, copySite, freePort, type Served, type Site, serve } from '../test/astro/site.ts';
import { addAccounts } from '../test/support/accounts.ts';
import { eventually } from '../test/support/eventually.ts';
import { startPostgres, type TestPostgres } from '../test/support/postgres.ts';
import { median } from './sites/content.ts';
import { commit } from './sites/corpus.ts';
import { loadServers, RECORDED_QUERY } from './sites/http-load.ts';
import { writeRecordedContent } from './sites/recorded-content.ts';

const QUICK = process.argv.includes('--quick');
const ARTICLES = 10_000;
const ROUNDS = QUICK ? 2 : 7;
const SECONDS = QUICK ? 1 : 2;
const CONNECTIONS = 12;
const CHANGES = QUICK ? 6 : 40;
const SERVERS = 3;
/** Each server runs in one of four turns. */
const SHARE = { turns: 4, turnMs: 25 };
const TOKEN_HEADER = 'x-gitlab-token';
const SECRET = 'a secret';

/** What answers requests, with the processes whose time is measured. */
interface Setup {
  readonly servers: readonly Served[];
  /** Those that accept changes. */
  readonly writers: readonly Served[];
  readonly token: string;
  /** Processor milliseconds of the database so far. */
  databaseMs(): number;
  stop(): Promise<void>;
}

const VARIANTS = {
  direct: { balanced: false, shared: false },
  'behind a balancer': { balanced: true, shared: false },
  'a quarter of a core each': { balanced: false, shared: true },
} as const;

await compare('replicas over git', openReplicas);
await compare('readers over PostgreSQL', openReaders);

async function compare(name: string, open: () => Promise<Setup>): Promise<void> {
  const setup = await open();
  try {
    const [first] = setup.servers;
    if (first === undefined) return;
    const texts = await Promise.all(setup.servers.map(textOf));
    if (new Set(texts).size !== 1) throw new Error('The servers give different answers.');
    const bytes = texts[0]?.length ?? 0;
    console.log(`\n${name}, ${ARTICLES} articles, answers of ${(bytes / 1000).toFixed(1)} kB`);
    for (const isUnique of [false, true]) {
      for (const [variant, how] of Object.entries(VARIANTS)) {
        const one: Measured[] = [];
        const three: Measured[] = [];
        for (let round = 0; round < ROUNDS; round++) {
          one.push(await measure(setup, [first], { ...how, isUnique, bytes }));
          three.push(await measure(setup, setup.servers, { ...how, isUnique, bytes }));
        }
        report(`${isUnique ? 'unique' : 'repeated'} address, ${variant}`, one, three);
      }
    }
    await reportChanges(setup);
  } finally {
    await setup.stop();
  }
}

async function textOf({ origin }: Served): Promise<string> {
  const text = await (await fetch(origin + RECORDED_QUERY)).text();
  if (!(JSON.parse(text).data?.length > 0)) throw new Error(`The query finds nothing: ${text.slice(0, 300)}`);
  return text.replaceAll(origin, '');
}

/** Requests per second, and processor milliseconds per request. */
interface Measured {
  readonly rate: number;
  readonly serverMs: number;
  readonly databaseMs: number;
  readonly balancerMs: number;
}

async function measure(
  setup: Setup,
  servers: readonly Served[],
  how: { balanced: boolean; shared: boolean; isUnique: boolean; bytes: number },
): Promise<Measured> {
  const balancer = how.balanced ? await startBalancer(servers) : undefined;
  const pids = servers.map(({ pid }) => pid);
  const endShare = how.shared ? share(pids) : undefined;
  try {
    const usage = () => ({
      servers: pids.reduce((sum, pid) => sum + processMs(pid), 0),
      database: setup.databaseMs(),
      balancer: balancer === undefined ? 0 : processMs(balancer.pid),
    });
    const before = usage();
    const rate = await loadServers(
      balancer === undefined ? servers.map(({ origin }) => origin) : [balancer.origin],
      RECORDED_QUERY,
      { ...how, connections: CONNECTIONS, seconds: SECONDS },
    );
    const after = usage();
    const each = (which: keyof typeof before) => (after[which] - before[which]) / (rate * SECONDS);
    return { rate, serverMs: each('servers'), databaseMs: each('database'), balancerMs: each('balancer') };
  } finally {
    await endShare?.();
    balancer?.stop();
  }
}

function report(title: string, one: readonly Measured[], three: readonly Measured[]): void {
  const of = (list: readonly Measured[], key: keyof Measured) => median(list.map((each) => each[key]));
  const ratio = median(three.map(({ rate }, at) => rate / (one[at]?.rate ?? Number.NaN)));
  const pair = (key: keyof Measured) => `${of(one, key).toFixed(2)} → ${of(three, key).toFixed(2)}`;
  console.log(
    [
      title.padEnd(46),
      `${of(one, 'rate').toFixed(0)} → ${of(three, 'rate').toFixed(0)} requests/s (×${ratio.toFixed(2)})`,
      `ms per request: servers ${pair('serverMs')}`,
      ...(of(one, 'databaseMs') > 0 ? [`PostgreSQL ${pair('databaseMs')}`] : []),
      ...(of(one, 'balancerMs') > 0 ? [`balancer ${pair('balancerMs')}`] : []),
    ].join('  '),
  );
}

/** How long a change takes, and how long after its answer it is visible on all servers. */
async function reportChanges({ servers, writers, token }: Setup): Promise<void> {
  const id = 'a0000000-0000-4000-8000-000000000001';
  const address = `/jsonapi/node/article/${id}`;
  const acknowledged: number[] = [];
  const visible: number[] = [];
  for (let turn = 0; turn < CHANGES; turn++) {
    const title = `Change ${turn}`;
    const started = performance.now();
    const response = await fetch(`${writers[turn % writers.length]?.origin}${address}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/vnd.api+json' },
      body: JSON.stringify({ data: { type: 'node--article', id, attributes: { title } } }),
    });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`The change failed: ${text}`);
    const answered = performance.now();
    acknowledged.push(answered - started);
    await Promise.all(
      servers.map(({ origin }) =>
        eventually(
          async () => {
            const { data } = await (await fetch(`${origin}${address}?fields[node--article]=title`)).json();
            if (data.attributes.title !== title) throw new Error('The change is not visible.');
          },
          { intervalMs: 2 },
        ),
      ),
    );
    visible.push(performance.now() - answered);
  }
  const describe = (times: readonly number[]) =>
    `${median(times).toFixed(0)} ms (median), ${Math.max(...times).toFixed(0)} ms (maximum)`;
  console.log(`${CHANGES} changes: answered after ${describe(acknowledged)}`);
  console.log(`visible on all servers ${describe(visible)} after the answer`);
}

async function openReplicas(): Promise<Setup> {
  const site = recordedSite('bench-replicas');
  const bare = site.file('site.git');
  commit(site.dir);
  execFileSync('git', ['clone', '--quiet', '--bare', site.dir, bare]);
  const branch = execFileSync('git', ['branch', '--show-current'], {
    cwd: site.dir,
    encoding: 'utf8',
  }).trim();
  const { servers, token, stop } = await startServers(
    site,
    { storage: { forge: 'git', repository: bare }, gitHookSecret: 'env:HOOK' },
    Array.from({ length: SERVERS }, () => ({ HOOK: SECRET })),
  );
  // The webhooks of a git host.
  const file = path.join(bare, 'refs/heads', branch);
  let tip = '';
  const hooks = setInterval(() => {
    const next = existsSync(file) ? readFileSync(file, 'utf8') : tip;
    if (next === tip) return;
    tip = next;
    for (const { origin } of servers) {
      const headers = { [TOKEN_HEADER]: SECRET, 'content-type': 'application/json' };
      const body = JSON.stringify({ ref: `refs/heads/${branch}` });
      fetch(`${origin}/jsonapi/hooks/git`, { method: 'POST', headers, body }).catch(() => undefined);
    }
  }, 5);
  return {
    servers,
    writers: servers,
    token,
    databaseMs: () => 0,
    async stop() {
      clearInterval(hooks);
      await stop();
    },
  };
}

async function openReaders(): Promise<Setup> {
  const database = await startPostgres();
  const site = recordedSite('bench-readers');
  const url = { DATABASE_URL: database.url };
  const { servers, token, stop } = await startServers(site, { engine: { name: 'postgres' } }, [
    { ...url, JSONAPI_CONTENT_DIR: site.file('content') },
    ...Array.from({ length: SERVERS }, () => ({ ...url, JSONAPI_CONTENT_DIR: '' })),
  ]);
  const [writer, ...readers] = servers;
  return {
    servers: readers,
    writers: writer === undefined ? [] : [writer],
    token,
    databaseMs: () => databaseMs(database),
    async stop() {
      await stop();
      await database.remove();
    },
  };
}

function recordedSite(name: string): Site {
  const site = copySite('plain', name);
  writeRecordedContent(site.file('content'), ARTICLES);
  rmSync(site.file('src/pages'), { recursive: true });
  mkdirSync(site.file('src/pages'));
  writeFileSync(site.file('src/pages/index.astro'), '<h1>Measured</h1>');
  return site;
}

/** Builds a site and starts a server for each environment, one after the other, until each answers the query. */
async function startServers(
  site: Site,
  options: object,
  environments: readonly Readonly<Record<string, string>>[],
): Promise<{ readonly servers: readonly Served[]; readonly token: string; stop(): Promise<void> }> {
  const all = { ...options, editing: true, limits: { writesPerMinute: 1_000_000 } };
  await build(site, { SERVER: '1', JSONAPI_OPTIONS: JSON.stringify(all) });
  const accounts = site.file('accounts.json');
  const { editor } = await addAccounts(accounts, { editor: { roles: ['editor'] } });
  const servers: Served[] = [];
  for (const environment of environments) {
    const server = await serve(site, { JSONAPI_ACCOUNTS: accounts, ...environment });
    servers.push(server);
    await eventually(() => textOf(server), { patienceMs: 120_000 });
  }
  return {
    servers,
    token: editor,
    async stop() {
      await Promise.all(servers.map((server) => server.stop()));
      site.remove();
    },
  };
}

async function startBalancer(servers: readonly Served[]) {
  const port = await freePort();
  const ports = servers.map(({ origin }) => new URL(origin).port);
  const script = path.join(import.meta.dirname, 'sites/balancer.ts');
  const child = spawn(process.execPath, [script, String(port), ...ports], { stdio: 'inherit' });
  const origin = `http://127.0.0.1:${port}`;
  await eventually(async () => (await fetch(origin + RECORDED_QUERY)).text());
  return { origin, pid: child.pid ?? 0, stop: () => child.kill() };
}

/** Lets processes run for a share of the time, until the returned function is called. */
function share(pids: readonly number[]): () => Promise<void> {
  const worker = new Worker(new URL('sites/share.ts', import.meta.url), {
    workerData: { pids, ...SHARE },
  });
  return async () => {
    const ended = once(worker, 'exit');
    worker.postMessage('end');
    await ended;
  };
}

/** Processor milliseconds of a process, in steps of 10. */
function processMs(pid: number, isWithChildren = false): number {
  const fields = statOf(pid);
  return fields.slice(11, isWithChildren ? 15 : 13).reduce((sum, ticks) => sum + Number(ticks) * 10, 0);
}

/** The fields of `/proc/<pid>/stat` from the third one. */
function statOf(pid: number): readonly string[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

/** All processes of PostgreSQL, those that have ended included. */
function databaseMs({ folder }: TestPostgres): number {
  const [first = ''] = readFileSync(path.join(folder, 'data/postmaster.pid'), 'utf8').split('\n');
  const children = readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name) || !existsSync(`/proc/${name}/stat`)) return false;
    return statOf(Number(name))[1] === first;
  });
  return children.reduce((sum, pid) => sum + processMs(Number(pid)), processMs(Number(first), true));
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { environment } from '../../test/astro/builder.ts';
import { collect, freePort } from '../../test/astro/site.ts';
import { BENCH_FOLDER, type BenchSite, REPOSITORY } from './site.ts';

const ASTRO = path.join(REPOSITORY, 'node_modules/astro/bin/astro.mjs');

const running = new Set<ChildProcess>();
// Started processes end with the benchmark, even if it is interrupted.
process.on('exit', () => {
  for (const child of running) child.kill();
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

function started(child: ChildProcess): void {
  running.add(child);
  child.once('close', () => running.delete(child));
}

/** The time of a process from start to end. */
export interface Run {
  readonly ms: number;
  /** CPU time of all its threads and of child processes that have ended, including git. */
  readonly cpuMs: number;
  /** Peak resident memory. */
  readonly peakBytes: number;
}

/** Runs an Astro command to its end; throws its output if it fails. */
export async function runAstro(site: BenchSite, command: 'sync' | 'build'): Promise<Run> {
  const usage = path.join(BENCH_FOLDER, `usage-${process.pid}.json`);
  const hook = path.join(BENCH_FOLDER, 'usage.mjs');
  mkdirSync(BENCH_FOLDER, { recursive: true });
  writeFileSync(hook, USAGE_HOOK);
  const begun = performance.now();
  const child = spawn(process.execPath, ['--import', hook, ASTRO, command], {
    cwd: site.dir,
    env: environment({ BENCH_USAGE: usage }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started(child);
  const output = collect(child.stdout, child.stderr);
  const [code]: (number | null)[] = await once(child, 'close');
  const ms = performance.now() - begun;
  if (code !== 0) throw new Error(`astro ${command} of ${site.dir} ended with ${code}:\n${output()}`);
  const { maxRSS, userCPUTime, systemCPUTime, children } = JSON.parse(
    readFileSync(usage, 'utf8'),
  ) as NodeJS.ResourceUsage & { readonly children: number };
  rmSync(usage);
  return { ms, cpuMs: (userCPUTime + systemCPUTime) / 1000 + children, peakBytes: maxRSS * 1024 };
}

/** CPU time of child processes that have ended, in steps of 10 ms on Linux; unknown elsewhere. */
function childrenCpuMs(pid: number | undefined): number {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return 0;
  const [user = 0, system = 0] = readFileSync(file, 'utf8')
    .split(') ')
    .at(-1)!
    .split(' ')
    .slice(13, 15)
    .map(Number);
  return (user + system) * 10;
}

/** Bytes. */
export interface MemoryUse {
  /** The heap and external buffers. */
  readonly used: number;
  readonly heap: number;
  readonly buffers: number;
  readonly rss: number;
}

export interface DevServer {
  /** From the start of the process to its first response about content: elapsed time, and CPU time of all threads. */
  readonly start: Pick<Run, 'ms' | 'cpuMs'>;
  get(path: string): Promise<string>;
  /** The resources used so far, and the memory in use after a garbage collection. */
  used(): Promise<MemoryUse & { readonly cpu: number }>;
  stop(): Promise<void>;
}

/** `astro dev` on a free loopback port, from its first response about content. */
export async function startDev(site: BenchSite): Promise<DevServer> {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const begun = performance.now();
  const child = spawn(
    process.execPath,
    ['--expose-gc', ASTRO, 'dev', '--host', '127.0.0.1', '--port', String(port)],
    { cwd: site.dir, env: environment({}), stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const ended = once(child, 'close');
  started(child);
  const output = collect(child.stdout, child.stderr);
  async function get(place: string): Promise<string> {
    return (await fetch(origin + place)).text();
  }
  for (;;) {
    if (child.exitCode !== null) throw new Error(`astro dev of ${site.dir} has ended:\n${output()}`);
    const answer = await fetch(origin + site.answer).catch(() => undefined);
    if (answer?.ok === true && (await answer.text()) !== '{}') break;
    await sleep(10);
  }
  const ms = performance.now() - begun;
  const used = async () => JSON.parse(await get('/process.json'));
  const { cpu } = await used();
  return {
    start: { ms, cpuMs: cpu + childrenCpuMs(child.pid) },
    get,
    used,
    async stop() {
      child.kill();
      await ended;
    },
  };
}

const USAGE_HOOK = `import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
const children = ${childrenCpuMs.toString()};
if (isMainThread) process.on('exit', () => writeFileSync(process.env.BENCH_USAGE, JSON.stringify({ ...process.resourceUsage(), children: children(process.pid) })));
`;

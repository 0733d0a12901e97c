import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { lookup } from 'mrmime';
import { eventually } from '../support/eventually.ts';
import { environment, type Finished, requestBuild } from './builder.ts';

export const REPOSITORY = path.resolve(import.meta.dirname, '../..');
const FIXTURES = path.join(import.meta.dirname, 'fixtures');
/** Inside the repository, so that `astro-jsonapi` resolves to the built library. */
const SITES = path.join(REPOSITORY, '.cache/sites');

type Environment = Readonly<Record<string, string>>;

export interface Site {
  readonly dir: string;
  /** A path inside the site. */
  file(...segments: readonly string[]): string;
  remove(): void;
}

/** A fresh copy of a fixture that a test may change. */
export function copySite(fixture: string, name: string): Site {
  const site = emptySite(name);
  cpSync(path.join(FIXTURES, fixture), site.dir, { recursive: true });
  return site;
}

/** A folder for a site that a test writes. */
export function emptySite(name: string): Site {
  const dir = path.join(SITES, `${name}-${process.pid}`);
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  return {
    dir,
    file: (...segments) => path.join(dir, ...segments),
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}

/** Runs a command of the project to its end. */
export async function run(
  command: string,
  args: readonly string[],
  cwd: string,
  env: Environment = {},
): Promise<Finished> {
  const child = spawn(command, args, { cwd, env: environment(env), stdio: ['ignore', 'pipe', 'pipe'] });
  const output = collect(child.stdout, child.stderr);
  const [code]: (number | null)[] = await once(child, 'close');
  return { code: code ?? null, output: output() };
}

/** Builds a site. Returns the output; throws it if the build fails. */
export async function build(site: Site, env: Environment = {}, outDir = 'dist'): Promise<string> {
  const { code, output } = await tryBuild(site, env, outDir);
  if (code !== 0) throw new Error(`astro build ended with ${code}:\n${output}`);
  return output;
}

/** Builds a site, whether it succeeds or fails, in one of the processes that all test files of a run share. */
export function tryBuild(site: Site, env: Environment = {}, outDir = 'dist'): Promise<Finished> {
  const { SITE_BUILDER } = process.env;
  return SITE_BUILDER === undefined
    ? runAstro(site, ['build', '--outDir', site.file(outDir)], env)
    : requestBuild(SITE_BUILDER, { dir: site.dir, outDir: site.file(outDir), env });
}

/** Generates the types of a site, in one of the same processes. */
export function trySync(site: Site): Promise<Finished> {
  const { SITE_BUILDER } = process.env;
  return SITE_BUILDER === undefined
    ? runAstro(site, ['sync'])
    : requestBuild(SITE_BUILDER, { dir: site.dir, env: {} });
}

/** Runs Astro's command line in a process of its own, which takes three times as long. */
export function runAstro(site: Site, args: readonly string[], env: Environment = {}): Promise<Finished> {
  return run(process.execPath, [astroOf(site), ...args], site.dir, env);
}

/** The Astro that a site has installed, else the one of the repository. */
function astroOf(site: Site): string {
  const own = site.file('node_modules', ASTRO);
  return existsSync(own) ? own : path.join(REPOSITORY, 'node_modules', ASTRO);
}

const ASTRO = 'astro/bin/astro.mjs';

export interface Served {
  readonly origin: string;
  /** The id of its process, or of the test process without one. */
  readonly pid: number;
  /** The output of the server so far. */
  output(): string;
  stop(): Promise<void>;
}

export interface ServedProcess extends Served {
  /** Like `kill -9`. */
  kill(): Promise<void>;
}

/** Starts a built server on a free loopback port and waits until it answers. */
export async function serve(
  site: Site,
  env: Environment = {},
  outDir = 'dist',
  entry = 'server/entry.mjs',
): Promise<ServedProcess> {
  return start(process.execPath, [site.file(outDir, entry)], site.dir, env);
}

/** `astro-jsonapi serve` of the package that a site has installed, on a free loopback port. */
export function serveFolder(site: Site, folder: string): Promise<Served> {
  const main = site.file('node_modules/astro-jsonapi/dist/cli/main.js');
  return start(process.execPath, [main, 'serve', folder], site.dir, {}, (port) => ['--port', String(port)]);
}

/** `astro dev` on a free loopback port. With `ready`, it waits for this output instead of the answer to a request. */
export function serveDev(site: Site, env: Environment = {}, ready?: string): Promise<Served> {
  const port = (free: number) => ['--port', String(free)];
  return start(process.execPath, [astroOf(site), 'dev', '--host', '127.0.0.1'], site.dir, env, port, ready);
}

/** Starts a server on a free loopback port. `more` returns further arguments. */
export async function start(
  command: string,
  args: readonly string[],
  cwd: string,
  env: Environment,
  more: (port: number) => readonly string[] = () => [],
  ready?: string,
): Promise<ServedProcess> {
  const port = await freePort();
  const child = spawn(command, [...args, ...more(port)], {
    cwd,
    env: environment({ HOST: '127.0.0.1', PORT: String(port), ...env }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = collect(child.stdout, child.stderr);
  const ended = once(child, 'close');
  const origin = `http://127.0.0.1:${port}`;
  await eventually(async () => {
    if (child.exitCode !== null) return;
    if (ready === undefined) await fetch(`${origin}/`, { redirect: 'manual' });
    else if (!output().includes(ready)) throw new Error(`"${ready}" is not in the output yet.`);
  }).catch((cause: unknown) => {
    throw new Error(`The server does not respond:\n${output()}`, { cause });
  });
  if (child.exitCode !== null) throw new Error(`The server ended with ${child.exitCode}:\n${output()}`);
  return {
    origin,
    output,
    pid: child.pid ?? 0,
    async stop() {
      child.kill();
      await ended;
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** What a careful site sends with each file: no inline scripts, no inline styles, no other origins, no `eval`. */
export const STRICT_POLICY = { 'content-security-policy': "default-src 'self'; script-src 'self'" };

/** A plain file server: media types, `index.html` for folders, the given headers, nothing else. */
export async function serveFiles(
  dir: string,
  base = '',
  headers: Readonly<Record<string, string>> = {},
): Promise<Served> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const name = decodeURIComponent(pathname);
    let file = path.join(dir, name.startsWith(base) ? name.slice(base.length) : 'not-below-the-base');
    if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) file = path.join(file, 'index.html');
    const stats = statSync(file, { throwIfNoEntry: false });
    response.statusCode = stats?.isFile() ? 200 : 404;
    response.setHeaders(new Headers({ ...headers, 'content-type': lookup(file) ?? 'text/plain' }));
    response.end(stats?.isFile() ? readFileSync(file) : 'Not found');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    pid: process.pid,
    output: () => '',
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/**
 * A free loopback port. It is below the range from which systems choose ports of connections, so none of them takes it
 * before a server does. Processes start at different ports.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 10_000 + (nextPort++ % 20_000);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}

let nextPort = process.pid * 101;

/** The output of streams so far. */
export function collect(...streams: readonly NodeJS.ReadableStream[]): () => string {
  let text = '';
  for (const stream of streams) {
    stream.setEncoding('utf8');
    stream.on('data', (chunk: string) => {
      text += chunk;
    });
  }
  return () => text;
}

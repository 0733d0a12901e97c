import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { serveSignIn } from './serve-sign-in.ts';

/** Builds the demo site in server mode and serves it on PORT and HOST, 4321 on loopback by default. */
const root = path.resolve(import.meta.dirname, '..');
const port = process.env.PORT ?? '4321';
const host = process.env.HOST ?? '127.0.0.1';
const origin = `http://${host === '0.0.0.0' || host === '::' ? 'localhost' : host}:${port}`;

/** The account with which the link of the admin signs in. It lasts as long as the server. */
const ACCOUNTS = path.join(root, 'build', 'demo-accounts.json');
const password = randomBytes(16).toString('hex');

const PLACES = [
  ['The site', '/'],
  ['JSON:API', '/jsonapi'],
  ['A query', '/jsonapi/node/article?filter[field_zone]=lower&sort=-field_published&include=field_author'],
  ['Plain JSON', '/api/content/article'],
  ['Query explorer', '/jsonapi-explorer'],
] as const;

/** The reason why a server cannot listen, by error code. */
const PLACE_PROBLEMS: Readonly<Record<string, string>> = {
  EADDRINUSE: `Port ${port} is taken on ${host}. Stop what listens there, or choose another: PORT=${Number(port) + 1} npm start`,
  EACCES: `Port ${port} may not be used without more rights. Choose one above 1023: PORT=4322 npm start`,
  EADDRNOTAVAIL: `HOST is '${host}', which is not an address of this machine. Leave it out, or use 0.0.0.0 for all.`,
  ENOTFOUND: `HOST is '${host}', which is not an address of this machine. Leave it out, or use 0.0.0.0 for all.`,
};

await checkPlace();

build('npm', ['run', '--silent', 'build:lib']);
build('astro', ['build']);
for (const file of [ACCOUNTS, `${ACCOUNTS}.log`]) rmSync(file, { force: true });
addAccount();

const server = spawn(process.execPath, [path.join('build', 'site', 'server', 'entry.mjs')], {
  cwd: root,
  stdio: ['ignore', 'inherit', 'inherit'],
  env: { ...process.env, PORT: port, HOST: host, JSONAPI_ACCOUNTS: ACCOUNTS, ASTRO_NODE_LOGGING: 'disabled' },
});
let stopping = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    stopping = true;
    server.kill(signal);
  });
}
server.on('exit', (code) => process.exit(stopping ? 0 : (code ?? 1)));

await answering(`${origin}/jsonapi`);
const places = [
  ['The admin', (await serveSignIn(origin, 'demo', password)).link],
  ...PLACES.map(([name, place]) => [name, origin + place] as const),
] as const;
const lines = places.map(([name, address]) => `  ${name.padEnd(16)}${address}`);
console.log(`\n${lines.join('\n')}\n\n  Ctrl-C stops the server.\n`);

/** The administrator "demo", whose changes go into the files of this repository. */
function addAccount(): void {
  const main = path.join('dist', 'cli', 'main.js');
  const flags = ['--role', 'administrator', '--password-stdin', '--accounts', ACCOUNTS];
  const { status, stderr } = spawnSync(process.execPath, [main, 'account', 'add', 'demo', ...flags], {
    cwd: root,
    input: password,
    encoding: 'utf8',
  });
  if (status !== 0) stop(stderr);
}

/** Exits with a message if the port is not available, before the build starts. */
async function checkPlace(): Promise<void> {
  if (!/^\d{1,5}$/.test(port) || Number(port) === 0 || Number(port) > 65_535) {
    stop(`PORT is '${port}', and must be a number from 1 to 65535: PORT=4322 npm start`);
  }
  const probe = createServer();
  try {
    probe.listen(Number(port), host);
    await once(probe, 'listening');
  } catch (cause) {
    stop(PLACE_PROBLEMS[codeOf(cause)] ?? `Cannot listen on ${host}:${port}: ${String(cause)}`);
  }
  probe.close();
  await once(probe, 'close');
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : '';
}

function stop(message: string): never {
  console.error(`\n  ${message}\n`);
  process.exit(1);
}

function build(command: string, args: readonly string[]): void {
  const { status } = spawnSync([command, ...args].join(' '), { cwd: root, stdio: 'inherit', shell: true });
  if (status !== 0) process.exit(status ?? 1);
}

async function answering(url: string): Promise<void> {
  for (;;) {
    try {
      await fetch(url, { method: 'HEAD' });
      return;
    } catch {
      await sleep(100);
    }
  }
}

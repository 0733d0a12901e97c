import { spawn, spawnSync } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Builds the demo site in server mode and serves it on PORT and HOST, 4321 on loopback by default. */
const root = path.resolve(import.meta.dirname, '..');
const port = process.env.PORT ?? '4321';
const host = process.env.HOST ?? '127.0.0.1';
const origin = `http://${host === '0.0.0.0' || host === '::' ? 'localhost' : host}:${port}`;

const PLACES = [
  ['The site', '/'],
  ['JSON:API', '/jsonapi'],
  ['A query', '/jsonapi/node/article?filter[field_zone]=lower&sort=-field_published&include=field_author'],
  ['Plain JSON', '/api/content/article'],
  ['Query explorer', '/jsonapi-explorer'],
] as const;

build('npm', ['run', '--silent', 'build:lib']);
build('astro', ['build']);

const server = spawn(process.execPath, [path.join('build', 'server', 'entry.mjs')], {
  cwd: root,
  stdio: ['ignore', 'inherit', 'inherit'],
  env: { ...process.env, PORT: port, HOST: host, ASTRO_NODE_LOGGING: 'disabled' },
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
const lines = PLACES.map(([name, place]) => `  ${name.padEnd(16)}${origin}${place}`);
console.log(`\n${lines.join('\n')}\n\n  Ctrl-C stops the server.\n`);

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

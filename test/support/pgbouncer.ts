import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { freePort } from '../astro/site.ts';
import { eventually } from './eventually.ts';
import type { TestPostgres } from './postgres.ts';

const PROGRAM = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find((each) => existsSync(each));

/** True if tests of PgBouncer can run. With `CI=true`, they always run, and fail without PgBouncer. */
export const HAS_PGBOUNCER = PROGRAM !== undefined || process.env.CI === 'true';
if (!HAS_PGBOUNCER) console.warn('PgBouncer is not installed, so its tests are skipped.');

export interface TestPgBouncer {
  /** For option `url`. */
  readonly url: string;
  stop(): Promise<void>;
}

/** PgBouncer in transaction mode. Two connections to PostgreSQL serve all clients, so that each transaction gets any of them. */
export async function startPgBouncer({ folder, user }: TestPostgres): Promise<TestPgBouncer> {
  if (PROGRAM === undefined)
    throw new Error("PgBouncer is not installed. On Debian, it is the package 'pgbouncer'.");
  const port = await freePort();
  const file = path.join(folder, 'pgbouncer.ini');
  writeFileSync(
    file,
    `[databases]
postgres = host=${folder} dbname=postgres user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 2
`,
  );
  const child = spawn(PROGRAM, [file], { ...user, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  await eventually(() => requireListener(port)).catch((cause: unknown) => {
    child.kill();
    throw new Error(`PgBouncer did not start: ${output}`, { cause });
  });
  return {
    url,
    async stop() {
      child.kill('SIGINT');
      await closed;
    },
  };
}

async function requireListener(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.destroy();
}

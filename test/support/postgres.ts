import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll } from 'vitest';

/** A PostgreSQL server with an empty database, on a socket in a temporary folder. */
export interface TestPostgres {
  /** For option `url`. */
  readonly url: string;
  /** The folder of its socket. */
  readonly folder: string;
  /** Who its programs run as; undefined for the present user. */
  readonly user: { readonly uid: number; readonly gid: number } | undefined;
  /** Stops the server at once, like a crash. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** A backup of a schema, as SQL. */
  dump(schema: string): string;
  /** Stops the server and removes its files. */
  remove(): Promise<void>;
}

/** Debian's folder of the newest version. */
const PROGRAMS = newestProgramFolder('/usr/lib/postgresql');

/** True if tests of PostgreSQL can run. With `CI=true`, they always run, and fail without PostgreSQL. */
export const HAS_POSTGRES = PROGRAMS !== undefined || process.env.CI === 'true';
if (!HAS_POSTGRES) console.warn('PostgreSQL is not installed, so its tests are skipped.');

/** A server for all tests of a file. Call the result inside of tests. */
export function usePostgres(): () => TestPostgres {
  let server: TestPostgres | undefined;
  beforeAll(async () => {
    if (HAS_POSTGRES) server = await startPostgres();
  });
  afterAll(() => server?.remove());
  return () => server!;
}

export interface ServerOptions {
  /** Those of `postgresql.conf`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Makes a standby that follows this server. */
  readonly primary?: TestPostgres;
}

export async function startPostgres({ settings = {}, primary }: ServerOptions = {}): Promise<TestPostgres> {
  if (PROGRAMS === undefined)
    throw new Error("PostgreSQL is not installed. On Debian, it is the package 'postgresql'.");
  const programs = PROGRAMS;
  // The path of a socket may have 107 bytes, and the usual folder of tests is longer.
  const folder = mkdtempSync(path.join('/tmp', 'pg-'));
  const data = path.join(folder, 'data');
  const user = serverUser();
  mkdirSync(data, { mode: 0o700 });
  if (user !== undefined) {
    chmodSync(folder, 0o755);
    for (const owned of [folder, data]) chownSync(owned, user.uid, user.gid);
  }
  const run = (program: string, ...args: readonly string[]) =>
    execFileSync(path.join(programs, program), [...args, '-D', data, '-U', 'postgres', '--no-sync'], {
      ...user,
      stdio: 'pipe',
      cwd: folder,
    });
  if (primary === undefined) run('initdb', '-A', 'trust', '-E', 'UTF8', '--locale=C');
  else run('pg_basebackup', '-h', primary.folder, '--write-recovery-conf', '--checkpoint=fast');

  async function start() {
    const child = spawn(
      path.join(programs, 'postgres'),
      [
        '-D',
        data,
        '-k',
        folder,
        '-c',
        'listen_addresses=',
        '-c',
        'fsync=off',
        '-c',
        'full_page_writes=off',
        ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
      ],
      { ...user, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
    await new Promise<void>((resolve, reject) => {
      let log = '';
      child.once('close', () => reject(new Error(`PostgreSQL did not start: ${log}`)));
      child.stderr.on('data', (chunk) => {
        log += chunk;
        if (/ready to accept (?:read-only )?connections/.test(log)) resolve();
      });
    });
    return async (signal: NodeJS.Signals) => {
      child.kill(signal);
      await closed;
    };
  }

  let stop: Awaited<ReturnType<typeof start>> | undefined = await start();
  const end = async (signal: NodeJS.Signals) => {
    await stop?.(signal);
    stop = undefined;
  };
  return {
    folder,
    user,
    url: `postgres://postgres@/postgres?host=${encodeURIComponent(folder)}`,
    kill: () => end('SIGQUIT'),
    async start() {
      stop = await start();
    },
    dump(schema) {
      const options = ['-h', folder, '-U', 'postgres', '-n', schema, '--inserts'];
      const text = execFileSync(path.join(programs, 'pg_dump'), options, { encoding: 'utf8', cwd: folder });
      // Those lines are commands for psql.
      return text.replaceAll(/^\\.*$/gm, '');
    },
    async remove() {
      await end('SIGINT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function newestProgramFolder(root: string): string | undefined {
  if (!existsSync(root)) return undefined;
  const versions = readdirSync(root).sort((a, b) => Number(b) - Number(a));
  return versions
    .map((version) => path.join(root, version, 'bin'))
    .find((each) => existsSync(path.join(each, 'initdb')));
}

/** PostgreSQL refuses to run as root. */
function serverUser(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

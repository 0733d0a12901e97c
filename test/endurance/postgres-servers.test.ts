import { readFileSync, renameSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { build, copySite, type ServedProcess, type Site, serve } from '../astro/site.ts';
import { addAccounts } from '../support/accounts.ts';
import { eventually } from '../support/eventually.ts';
import { HAS_POSTGRES, startPostgres, type TestPostgres } from '../support/postgres.ts';
import { random } from '../support/random.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';

const CHANGES = 2000;
/** Each changes entities of its own, one after another. */
const CLIENTS = 4;
const ENTITIES_OF_CLIENT = 2;
const EVENTS = 30;
/** Milliseconds until all servers return the content of the disk. */
const BOUND = 15_000;

describe.skipIf(!HAS_POSTGRES)('a server that writes, two that read, a primary and a standby', () => {
  let site: Site;
  let primary: TestPostgres;
  let standby: TestPostgres;
  let proxies: readonly TcpProxy[];
  let accounts: string;
  let token: string;
  /** Counts runs, because continuous integration repeats one that fails. */
  let run = 0;

  beforeAll(async () => {
    site = copySite('written', 'postgres-servers');
    const options = { engine: { name: 'postgres' }, limits: { writesPerMinute: 1_000_000 } };
    await build(site, { JSONAPI_OPTIONS: JSON.stringify(options) });
    // A server that finds the folder of the build writes.
    renameSync(site.file('content'), site.file('files'));
    const file = site.file('accounts.json');
    ({ jane: token } = await addAccounts(file, { jane: { roles: ['editor'] } }));
    accounts = readFileSync(file, 'utf8');
    primary = await startPostgres();
    standby = await startPostgres({ primary });
    proxies = await Promise.all(
      [primary, primary, standby].map(({ folder }) => startTcpProxy(`${folder}/.s.PGSQL.5432`)),
    );
  });
  afterAll(async () => {
    for (const proxy of proxies ?? []) await proxy.close();
    await standby?.remove();
    await primary?.remove();
    site?.remove();
  });

  it('lose no acknowledged change, agree at each version, and catch up with the disk after kills and lost connections', async () => {
    run++;
    const open = (at: number) =>
      serve(site, {
        DATABASE_URL: `postgres://postgres@127.0.0.1:${proxies[at]!.port}/postgres`,
        JSONAPI_ACCOUNTS_JSON: accounts,
        JSONAPI_CONTENT_DIR: at === 0 ? site.file('files') : '',
      });
    const servers: ServedProcess[] = [await open(0)];
    servers.push(await open(1), await open(2));
    const titles = new Map<string, string>();
    const bodies = new Map<string, string>();
    const events = new Map<string, number>();
    const statuses = new Map<number, number>();
    let written = 0;
    let isDone = false;

    async function write(method: string, id: string, title: string): Promise<boolean> {
      const address = `${servers[0]!.origin}/api/content/tags${method === 'POST' ? '' : `/${id}`}`;
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const body = JSON.stringify(method === 'POST' ? { id, title } : { title });
      const response = await fetch(address, { method, headers, body }).catch(() => undefined);
      const status = response?.status ?? 0;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status === 0 || status >= 500) await sleep(100);
      return response?.ok === true;
    }

    /** A change without an acknowledgement is sent again. */
    async function writeAll(client: number): Promise<void> {
      const ids = Array.from({ length: ENTITIES_OF_CLIENT }, (_, index) => `e${run}-${client}-${index}`);
      for (const id of ids) await eventually(async () => expect(await write('POST', id, 'first')).toBe(true));
      for (let turn = 0; written < CHANGES; turn++) {
        const id = ids[turn % ids.length]!;
        const title = `change ${turn}`;
        while (!(await write('PATCH', id, title)));
        titles.set(id, title);
        written++;
      }
    }

    /** Reads lists from a server. Answers with the same validator must be the same. */
    async function read(at: number): Promise<void> {
      while (!isDone) {
        const { origin } = servers[at]!;
        const query = 'sort=title&filter[title][operator]=CONTAINS&filter[title][value]=change';
        const response = await fetch(`${origin}/api/content/tags?${query}`).catch(() => undefined);
        if (response?.status === 200) {
          const body = (await response.text()).replaceAll(origin, '');
          const key = `${at} ${response.headers.get('etag')}`;
          expect(bodies.get(key) ?? body).toBe(body);
          bodies.set(key, body);
        } else if (response !== undefined) {
          expect(response.status).toBe(503);
        }
        await sleep(40);
      }
    }

    const kinds: readonly (readonly [name: string, happen: (at: number) => Promise<void>])[] = [
      [
        'server killed',
        async (at) => {
          await servers[at]!.kill();
          servers[at] = await open(at);
        },
      ],
      [
        'database killed',
        async (at) => {
          const database = at === 2 ? standby : primary;
          await database.kill();
          await sleep(random() * 2000);
          await database.start();
        },
      ],
      [
        'network cut',
        async (at) => {
          proxies[at]!.cut();
          await sleep(1000 + random() * 3000);
          proxies[at]!.heal();
        },
      ],
      ['connections lost silently', async (at) => proxies[at]!.forget()],
    ];

    async function disturb(): Promise<void> {
      for (let event = 0; event < EVENTS; event++) {
        const due = ((event + 1) * CHANGES) / (EVENTS + 1);
        await eventually(() => expect(written).toBeGreaterThan(due), { patienceMs: 300_000 });
        const [name, happen] = kinds[Math.floor(random() * kinds.length)]!;
        await happen(Math.floor(random() * 3));
        events.set(name, (events.get(name) ?? 0) + 1);
      }
      await primary.kill();
      await primary.start();
    }

    try {
      const started = performance.now();
      const reading = [0, 1, 2].map(read);
      await Promise.all([disturb(), ...Array.from({ length: CLIENTS }, (_, client) => writeAll(client))]);
      const last = performance.now();
      for (const [id, title] of titles) expect(titleOnDisk(id)).toBe(title);
      const delays = await Promise.all(
        servers.map(async ({ origin }) => {
          await eventually(
            async () => {
              for (const [id, title] of titles) expect(await titleAt(origin, id)).toBe(title);
            },
            { patienceMs: BOUND },
          );
          return performance.now() - last;
        }),
      );
      isDone = true;
      await Promise.all(reading);
      expect(bodies.size).toBeGreaterThan(100);
      console.log({
        changes: written,
        seconds: Math.round((last - started) / 1000),
        events: Object.fromEntries(events),
        statuses: Object.fromEntries(statuses),
        states: bodies.size,
        millisecondsUntilEqual: delays.map(Math.round),
      });
    } catch (error) {
      for (const [at, server] of servers.entries())
        console.log(`Server ${at}:\n${server.output().slice(-4000)}`);
      throw error;
    } finally {
      isDone = true;
      for (const server of servers) await server.stop();
    }
  }, 900_000);

  function titleOnDisk(id: string): string | undefined {
    return /^title: (.*)$/m.exec(readFileSync(site.file(`files/tag/${id}.md`), 'utf8'))?.[1];
  }
});

async function titleAt(origin: string, id: string): Promise<string | undefined> {
  const response = await fetch(`${origin}/api/content/tags/${id}`);
  return response.ok ? (await response.json()).data.title : undefined;
}

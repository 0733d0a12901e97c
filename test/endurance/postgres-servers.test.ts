import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addAccounts } from '../accounts.ts';
import { build, copySite, type ServedProcess, type Site, serve } from '../astro/site.ts';
import { eventually } from '../eventually.ts';
import { HAS_POSTGRES, startPostgres, type TestPostgres } from '../postgres.ts';
import { random } from '../random.ts';

const CHANGES = 1000;
const ENTITIES = 8;
const KILLS = 10;

describe.skipIf(!HAS_POSTGRES)('three servers, a primary and a standby', () => {
  let site: Site;
  let primary: TestPostgres;
  let standby: TestPostgres;
  let accounts: string;
  let token: string;

  beforeAll(async () => {
    site = copySite('written', 'postgres-servers');
    const options = { engine: { name: 'postgres' }, limits: { writesPerMinute: 1_000_000 } };
    await build(site, { JSONAPI_OPTIONS: JSON.stringify(options) });
    const file = site.file('accounts.json');
    ({ jane: token } = await addAccounts(file, { jane: { roles: ['editor'] } }));
    accounts = readFileSync(file, 'utf8');
    primary = await startPostgres();
    standby = await startPostgres({ primary });
  });
  afterAll(async () => {
    await standby?.remove();
    await primary?.remove();
    site?.remove();
  });

  it('lose no acknowledged change and answer the same at each version, when they are killed at random', async () => {
    const open = (database: TestPostgres, environment = {}) =>
      serve(site, { DATABASE_URL: database.url, JSONAPI_ACCOUNTS_JSON: accounts, ...environment });
    const openAt = [
      () => open(primary, { JSONAPI_CONTENT_DIR: site.file('content') }),
      () => open(primary, { JSONAPI_CONTENT_DIR: '' }),
      () => open(standby, { JSONAPI_CONTENT_DIR: '' }),
    ] as const;
    const servers: ServedProcess[] = [await openAt[0](), await openAt[1](), await openAt[2]()];
    const titles = new Map<string, string>();
    const bodies = new Map<string, string>();
    const delays: number[] = [];
    let kills = 0;
    let written = 0;
    let answers = 0;
    let isDone = false;

    async function write(method: string, id: string, title: string): Promise<boolean> {
      const response = await fetch(
        `${servers[0]!.origin}/api/content/tags${method === 'POST' ? '' : `/${id}`}`,
        {
          method,
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify(method === 'POST' ? { id, title } : { title }),
        },
      ).catch(() => undefined);
      if (response === undefined || response.status >= 500) await sleep(100);
      return response?.ok === true;
    }

    async function writeAll(): Promise<void> {
      for (let i = 0; i < ENTITIES; i++) {
        await eventually(async () => expect(await write('POST', `e${i}`, 'first')).toBe(true));
      }
      for (; written < CHANGES; written++) {
        const id = `e${written % ENTITIES}`;
        const title = `change ${written}`;
        // A change without an acknowledgement is sent again.
        while (!(await write('PATCH', id, title)));
        titles.set(id, title);
        if (written % 25 === 0) {
          const started = performance.now();
          await eventually(async () => {
            for (const { origin } of servers) expect(await titleAt(origin, id)).toBe(title);
          });
          delays.push(performance.now() - started);
        }
      }
      isDone = true;
    }

    /** Reads lists from all servers. Answers with the same validator must be the same. */
    async function read(at: number): Promise<void> {
      while (!isDone) {
        const { origin } = servers[at]!;
        const response = await fetch(
          `${origin}/api/content/tags?sort=title&filter[title][operator]=CONTAINS&filter[title][value]=change`,
        ).catch(() => undefined);
        if (response?.status === 200) {
          const body = (await response.text()).replaceAll(origin, '');
          const key = `${at} ${response.headers.get('etag')}`;
          expect(bodies.get(key) ?? body).toBe(body);
          bodies.set(key, body);
          answers++;
        } else if (response !== undefined) {
          expect(response.status).toBe(503);
        }
        await sleep(40);
      }
    }

    async function killAtRandom(): Promise<void> {
      for (; kills < KILLS; kills++) {
        await eventually(() => expect(written).toBeGreaterThan(((kills + 1) * CHANGES) / (KILLS + 2)), {
          patienceMs: 300_000,
        });
        const victim = Math.floor(random() * 5);
        if (victim < 3) {
          await servers[victim]!.kill();
          servers[victim] = await openAt[victim]!();
        } else {
          const database = victim === 3 ? primary : standby;
          await database.kill();
          await sleep(300);
          await database.start();
        }
      }
    }

    try {
      await Promise.all([writeAll(), read(0), read(1), read(2), killAtRandom()]);
      expect(answers).toBeGreaterThan(100);
      expect(kills).toBe(KILLS);
      for (const { origin } of servers) {
        for (const [id, title] of titles) {
          await eventually(async () => expect(await titleAt(origin, id)).toBe(title));
        }
      }
      console.log(
        `change to visible on all: median ${delays.toSorted((a, b) => a - b)[delays.length >> 1]?.toFixed(0)} ms of ${delays.length}, with kills at most ${Math.max(...delays).toFixed(0)} ms; ${answers} answers compared`,
      );
    } finally {
      isDone = true;
      for (const server of servers) await server.stop();
    }
  }, 900_000);
});

async function titleAt(origin: string, id: string): Promise<string | undefined> {
  const response = await fetch(`${origin}/api/content/tags/${id}`);
  return response.ok ? (await response.json()).data.title : undefined;
}

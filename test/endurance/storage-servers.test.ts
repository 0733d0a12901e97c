import { globSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { build, copySite, type ServedProcess, type Site, serve } from '../astro/site.ts';
import { addAccounts } from '../support/accounts.ts';
import { eventually } from '../support/eventually.ts';
import { createForgeHost, type ForgeHost } from '../support/forge-host.ts';
import { random } from '../support/random.ts';

const SERVERS = 3;
const WRITERS = 6;
const CHANGES = 120;
const KILLS = 6;

let site: Site;
let host: ForgeHost;
let accounts: string;
let token: string;

beforeAll(async () => {
  site = copySite('written', 'storage-servers');
  const files = globSync('content/**/*.*', { cwd: site.dir });
  host = createForgeHost(
    'forgejo',
    Object.fromEntries(files.map((file) => [file, readFileSync(site.file(file))])),
  );
  const storage = { forge: 'git', repository: host.folder };
  await build(site, { JSONAPI_OPTIONS: JSON.stringify({ storage, limits: { writesPerMinute: 100_000 } }) });
  const file = site.file('accounts.json');
  ({ jane: token } = await addAccounts(file, { jane: { roles: ['editor'] } }));
  accounts = readFileSync(file, 'utf8');
});
afterAll(() => site?.remove());

it('several servers over one git remote lose no acknowledged change when they are killed at random', async () => {
  const open = () => serve(site, { JSONAPI_ACCOUNTS_JSON: accounts });
  const servers: ServedProcess[] = await Promise.all(Array.from({ length: SERVERS }, open));
  const acknowledged = new Set<string>();
  const statuses = new Map<number, number>();
  let next = 0;

  async function create(id: string): Promise<void> {
    const server = servers[Math.floor(random() * SERVERS)];
    const response = await fetch(`${server?.origin}/api/content/tags`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ id, title: `Tag ${id}` }),
    }).catch(() => undefined);
    const status = response?.status ?? 0;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status === 201) acknowledged.add(id);
    // A killed server needs a moment to start again.
    if (status === 0) await new Promise((done) => setTimeout(done, 200));
  }

  async function write(): Promise<void> {
    while (next < CHANGES) await create(`t${next++}`);
  }

  async function killAtRandom(): Promise<void> {
    for (let kill = 1; kill <= KILLS; kill++) {
      await eventually(() => expect(next).toBeGreaterThan((kill * CHANGES) / (KILLS + 2)));
      const at = Math.floor(random() * SERVERS);
      await servers[at]?.kill();
      servers[at] = await open();
    }
  }

  try {
    await Promise.all([...Array.from({ length: WRITERS }, write), killAtRandom()]);
    console.log(`Answers by status (0 for none): ${JSON.stringify([...statuses])}`);
    // Others are complete commits whose answers were lost.
    for (const status of statuses.keys()) expect([0, 201, 409, 503]).toContain(status);
    expect(acknowledged.size).toBeGreaterThan(CHANGES / 4);
    const files = new Set(host.git('ls-tree', '-r', '--name-only', 'main').split('\n'));
    expect([...acknowledged].filter((id) => !files.has(`content/tag/${id}.md`))).toEqual([]);
    expect(host.git('fsck', '--strict', '--no-dangling')).toBe('');
    const count = [...files].filter((file) => file.startsWith('content/tag/')).length;
    for (const { origin } of servers) {
      await eventually(async () => {
        const { meta } = await (await fetch(`${origin}/jsonapi/node/tag?page[limit]=1`)).json();
        expect(meta.count).toBe(count);
      });
    }
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}, 300_000);

import { cpSync, globSync, readFileSync } from 'node:fs';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addAccounts } from '../support/accounts.ts';
import { eventually } from '../support/eventually.ts';
import { HAS_POSTGRES, usePostgres } from '../support/postgres.ts';
import { build, copySite, emptySite, type ServedProcess, type Site, serve } from './site.ts';

describe.skipIf(!HAS_POSTGRES)('built servers with option engine', () => {
  const postgres = usePostgres();
  let site: Site;
  let token: string;
  let accounts: string;
  const servers: ServedProcess[] = [];

  beforeAll(async () => {
    const project = copySite('written', 'postgres-project');
    const engine = { name: 'postgres', url: 'postgres://site:top-secret@db.example/site' };
    await build(project, { JSONAPI_OPTIONS: JSON.stringify({ engine }) });
    site = emptySite('postgres');
    cpSync(project.file('dist'), site.file('dist'), { recursive: true });
    cpSync(project.file('content'), site.file('written'), { recursive: true });
    project.remove();
    const file = site.file('accounts.json');
    ({ jane: token } = await addAccounts(file, { jane: { roles: ['editor'], mail: 'jane@example.org' } }));
    accounts = readFileSync(file, 'utf8');
  });
  afterAll(async () => {
    for (const server of servers) await server.stop();
    site?.remove();
  });

  async function start(environment: Readonly<Record<string, string>> = {}): Promise<ServedProcess> {
    const common = { DATABASE_URL: postgres().url, JSONAPI_ACCOUNTS_JSON: accounts };
    const server = await serve(site, { ...common, ...environment });
    servers.push(server);
    return server;
  }

  const get = ({ origin }: ServedProcess, path: string) => fetch(origin + path);
  const LIST = '/jsonapi/node/article?sort=title';

  it('do not contain the address of the database', () => {
    for (const file of globSync('dist/**/*.{mjs,js,json}', { cwd: site.dir })) {
      expect(readFileSync(site.file(file), 'utf8')).not.toContain('top-secret');
    }
  });

  it('answer 503 without an address of a database, and say so once', async () => {
    const server = await start({ DATABASE_URL: '' });
    for (let i = 0; i < 2; i++) expect((await get(server, LIST)).status).toBe(503);
    await server.stop();
    servers.pop();
    // Astro reports the site's own page, which needs the content.
    expect(server.output().match(/^\[astro-jsonapi\].*/gm)).toEqual([
      '[astro-jsonapi] Option engine reads the address of the database from the environment variable DATABASE_URL, which is not set. Set it to an address such as postgres://user:password@localhost/site. Until then, responses are a 503.',
    ]);
  });

  it('answer 503 until there is content, and then with the bytes of the server that writes', async () => {
    const reader = await start();
    const early = await get(reader, LIST);
    expect([early.status, early.headers.get('retry-after')]).toEqual([503, '5']);
    expect(reader.output().match(/^\[astro-jsonapi\].*/gm)).toEqual([
      '[astro-jsonapi] The database has no content in the schema astro_jsonapi. Run: npx astro-jsonapi sync',
    ]);
    const writer = await start({ JSONAPI_CONTENT_DIR: site.file('written') });
    await eventually(async () => expect((await get(reader, LIST)).status).toBe(200));
    expect(reader.output()).toContain('This server reads: PostgreSQL answers (schema astro_jsonapi).');
    expect(writer.output()).toContain('This server writes: its memory answers');
    for (const path of [
      LIST,
      '/jsonapi',
      '/api/content/articles/moon',
      '/jsonapi/node/article/moon',
      '/jsonapi/node/nothing',
    ]) {
      const [expected, answer] = await Promise.all([get(writer, path), get(reader, path)]);
      expect([path, answer.status, (await answer.text()).replaceAll(reader.origin, '')]).toEqual([
        path,
        expected.status,
        (await expected.text()).replaceAll(writer.origin, ''),
      ]);
    }
  });

  it('show a change that another server has acknowledged', async () => {
    const [reader, writer] = servers as [ServedProcess, ServedProcess];
    const title = async () => (await (await get(reader, '/api/content/articles/moon')).json()).data.title;
    const change = await fetch(`${writer.origin}/api/content/articles/moon`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ title: 'New moon' }),
    });
    expect(change.status).toBeLessThan(300);
    await expect.poll(title).toBe('New moon');
  });

  it('answer with the commit that a sync has named, and wait for one that a request demands', async () => {
    const [reader] = servers as [ServedProcess];
    const commit = 'c'.repeat(40);
    const client = new Client({ connectionString: postgres().url });
    await client.connect();
    await client.query(`update astro_jsonapi.meta set stamp = gen_random_uuid(), revision = '${commit}'`);
    const demanding = (header: string) =>
      fetch(reader.origin + LIST, {
        headers: { authorization: `Bearer ${token}`, 'if-commit-at-least': header },
      });
    const early = demanding(commit);
    await client.query(`insert into astro_jsonapi.revisions values ('${commit}')`);
    await client.end();
    const answer = await early;
    expect([answer.status, answer.headers.get('content-commit')]).toEqual([200, commit]);
    const anonymous = await fetch(reader.origin + LIST, {
      headers: { 'if-commit-at-least': 'd'.repeat(40) },
    });
    expect([anonymous.status, anonymous.headers.get('content-commit')]).toEqual([200, null]);
    const [malformed, missing] = await Promise.all([demanding('main'), demanding('d'.repeat(40))]);
    expect([malformed.status, missing.status, missing.headers.get('retry-after')]).toEqual([400, 503, '1']);
  });

  it('answer 503 while the database is lost, say so once, and recover by themselves', async () => {
    const [reader] = servers as [ServedProcess];
    for (let i = 0; i < 3; i++) expect((await get(reader, LIST)).status).toBe(200);
    await postgres().kill();
    expect((await get(reader, LIST)).status).toBe(200);
    for (let i = 0; i < 3; i++) {
      const response = await get(reader, `/jsonapi/node/article?filter[title]=${i}`);
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
    }
    await postgres().start();
    await eventually(async () =>
      expect((await get(reader, '/jsonapi/node/article?filter[title]=0')).status).toBe(200),
    );
    expect(reader.output().match(/cannot be reached/g)).toHaveLength(1);
    expect(reader.output()).toContain('can be used again');
  });

  it('leave no connection when they are stopped', async () => {
    const client = new Client({ connectionString: postgres().url });
    await client.connect();
    const connections = async () => {
      const { rows } = await client.query(
        `select count(*)::int from pg_stat_activity where application_name = 'astro-jsonapi'`,
      );
      return rows[0].count;
    };
    expect(await connections()).toBeGreaterThan(0);
    for (const server of servers) await server.stop();
    await eventually(async () => expect(await connections()).toBe(0));
    await client.end();
  });
});

it('a site whose accounts are in PostgreSQL is built without it, and its server still answers visitors', async () => {
  const site = copySite('written', 'postgres-accounts');
  const editing = { accountStore: { name: 'postgres' } };
  await build(site, { JSONAPI_OPTIONS: JSON.stringify({ editing }), DATABASE_URL: '' });
  const server = await serve(site, { DATABASE_URL: '' });
  try {
    const read = (headers: Record<string, string>) =>
      fetch(`${server.origin}/jsonapi/node/article`, { headers });
    const authorization = `Basic ${Buffer.from('ada:correct horse').toString('base64')}`;
    for (let i = 0; i < 2; i++) {
      expect((await read({})).status).toBe(200);
      const response = await read({ authorization });
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
    }
    expect(server.output().match(/DATABASE_URL/g)).toHaveLength(1);
    expect(server.output()).toContain('Option editing.accountStore reads the address of the database');
  } finally {
    await server.stop();
    site.remove();
  }
});

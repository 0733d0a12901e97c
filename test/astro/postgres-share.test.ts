import { renameSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addAccounts } from '../support/accounts.ts';
import { eventually } from '../support/eventually.ts';
import { HAS_POSTGRES, usePostgres } from '../support/postgres.ts';
import { writeFiles } from './previewed-site.ts';
import { build, emptySite, REPOSITORY, run, type ServedProcess, type Site, serve } from './site.ts';

const FILES = {
  'astro.config.mjs': `import node from '@astrojs/node';
import jsonapi from 'astro-jsonapi';
import { postgres } from 'astro-jsonapi/postgres';
export default {
  adapter: node({ mode: 'standalone' }),
  integrations: [jsonapi({
    engine: postgres({}),
    editing: { accountStore: postgres({}) },
    bundles: { post: { alias: '/posts/[id]' } },
  })],
};
`,
  'src/pages/index.astro': `---
import { entities } from 'astro-jsonapi:content';
export const prerender = false;
const posts = await entities('post').sort('title').all();
---
<ol>{posts.map((post) => <li><a href={\`/posts/\${post.id}\`}>{post.title}</a></li>)}</ol>
`,
  'src/pages/404.astro': '<p>Nothing is here.</p>\n',
  'content/post/apple.md': '---\ntitle: Apple\n---\nAn apple.\n',
  'content/post/plum.md': '---\ntitle: Plum\nstatus: false\n---\nA plum.\n',
};

describe.skipIf(!HAS_POSTGRES)('links to share on built servers with PostgreSQL', () => {
  const postgres = usePostgres();
  let site: Site;
  let token: string;
  let writer: ServedProcess;
  let reader: ServedProcess;
  const servers: ServedProcess[] = [];

  beforeAll(async () => {
    site = emptySite('postgres-share');
    writeFiles(site, FILES);
    await build(site, { DATABASE_URL: '' });
    const file = site.file('accounts.json');
    ({ eddi: token } = await addAccounts(file, { eddi: { roles: ['editor'] } }));
    const common = { DATABASE_URL: postgres().url };
    const main = path.join(REPOSITORY, 'dist/cli/main.js');
    const moved = await run(process.execPath, [main, 'account', 'move', file], site.dir, common);
    expect(moved).toMatchObject({ code: 0 });
    renameSync(site.file('content'), site.file('written'));
    writer = await serve(site, { ...common, JSONAPI_CONTENT_DIR: site.file('written') });
    servers.push(writer);
    reader = await serve(site, common);
    servers.push(reader);
    await eventually(async () =>
      expect((await fetch(`${reader.origin}/jsonapi/node/post`)).status).toBe(200),
    );
  });
  afterAll(async () => {
    for (const server of servers) await server.stop();
    site?.remove();
  });

  const send = ({ origin }: ServedProcess, method: string, below = '', attributes?: object) =>
    fetch(`${origin}/jsonapi/_shares${below}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/vnd.api+json' },
      ...(attributes && { body: JSON.stringify({ data: { type: 'share', attributes } }) }),
    });

  it('show the entry on the server that writes; a valid link is a 503 on one that reads', async () => {
    const resource = { type: 'node--post', id: 'plum' };
    const made = await send(writer, 'POST', '', { resource, path: '/' });
    expect(made.status).toBe(201);
    const { data } = await made.json();
    const at = ({ origin }: ServedProcess) => fetch(data.attributes.url.replace(writer.origin, origin));
    const shown = await (await at(writer)).text();
    expect(shown).toContain('>Plum<');
    const other = await at(reader);
    expect([other.status, await other.text()]).toEqual([
      503,
      'This server cannot show drafts. Try again later.',
    ]);
    const unknown = await fetch(`${reader.origin}/_shared/nothing/`);
    expect([unknown.status, await unknown.text()]).toEqual([
      404,
      expect.stringContaining('Nothing is here.'),
    ]);
    expect((await (await send(reader, 'GET')).json()).meta.count).toBe(1);
    expect((await send(writer, 'DELETE', `/${data.id}`)).status).toBe(204);
    expect([(await at(writer)).status, (await at(reader)).status]).toEqual([404, 404]);
    expect((await (await send(reader, 'GET')).json()).meta.count).toBe(0);
  });
});

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { FEATURES } from '../../integration/features.ts';
import { build, emptySite, REPOSITORY, run, type Site } from '../astro/site.ts';
import { isList, isRemoved, typeErrors, withDependents, withoutLines } from '../support/removed-features.ts';

/** Three bundles. */
const CONTENT = {
  'article/moon.md': '---\ntitle: Moon\nauthor: ada\n---\nIt rises.\n',
  'person/ada.md': '---\ntitle: Ada\n---\n',
  'tag/tides.md': '---\ntitle: Tides\n---\n',
};
const PAGE = `---
import { entities } from 'astro-jsonapi:content';
const articles = await entities('article').where('title', '=', 'moon').all();
const tags = await entities('tag').all();
---
<p>{articles.map(({ title }) => title).join()}, {tags.length}</p>
`;
const ALL = FEATURES.map(({ name }) => name);

let site: Site;
afterEach(() => site.remove());

/** A site whose package has no files of some features. */
function siteWithout(name: string, removed: readonly string[]): Site {
  const created = emptySite(`without-${name}`);
  const home = created.file('node_modules/astro-jsonapi');
  const dist = path.join(REPOSITORY, 'dist');
  cpSync(path.join(REPOSITORY, 'package.json'), path.join(home, 'package.json'));
  for (const file of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
    const name = file.replaceAll('\\', '/');
    if (!/\.(js|css|json)$/.test(name) || isRemoved(name, removed)) continue;
    const copy = path.join(home, 'dist', name);
    mkdirSync(path.dirname(copy), { recursive: true });
    if (isList(name)) writeFileSync(copy, withoutLines(readFileSync(path.join(dist, name), 'utf8'), removed));
    else cpSync(path.join(dist, name), copy);
  }
  const files = {
    'astro.config.mjs':
      "import jsonapi from 'astro-jsonapi';\nexport default { integrations: [jsonapi()], devToolbar: { enabled: false } };\n",
    'package.json': '{ "type": "module" }',
    'src/pages/index.astro': PAGE,
    ...Object.fromEntries(Object.entries(CONTENT).map(([file, text]) => [`content/${file}`, text])),
  };
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(created.file(file)), { recursive: true });
    writeFileSync(created.file(file), text);
  }
  return created;
}

const runCommand = (args: readonly string[]) =>
  run(process.execPath, [site.file('node_modules/astro-jsonapi/dist/cli/main.js'), ...args], site.dir);

describe('a package without the folder of a feature', () => {
  it.each(ALL)('compiles and builds a site whose pages query the content: %s', async (name) => {
    const removed = withDependents(name);
    site = siteWithout(name, removed);
    await checkTypes(removed);
    await build(site);
    expect(readFileSync(site.file('dist/index.html'), 'utf8')).toContain('Moon, 1');
    expect(existsSync(site.file('dist/jsonapi/node/article.json'))).toBe(name !== 'static');
    const { code, output } = await runCommand(['check']);
    expect([code, output]).toEqual([0, expect.stringContaining('3 entities in 3 bundles')]);
  });

  it('loads, answers queries in pages and over HTTP, and writes files without any feature', async () => {
    site = siteWithout('all', ALL);
    expect(existsSync(site.file('node_modules/astro-jsonapi/dist/features/git'))).toBe(false);
    await checkTypes(ALL);
    await build(site);
    expect(readFileSync(site.file('dist/index.html'), 'utf8')).toContain('Moon, 1');
    expect((await runCommand(['query', 'node/article?filter[title]=moon'])).output).toContain('"id": "moon"');
    writeFileSync(site.file('write.mjs'), WRITE.replaceAll('PACKAGE', packageUrl()));
    const { code, output } = await run(process.execPath, [site.file('write.mjs')], site.dir);
    expect([code, output.trim()]).toEqual([0, '200 moon 200']);
    expect(readFileSync(site.file('content/article/moon.md'), 'utf8')).toBe(
      '---\ntitle: Full moon\nauthor: ada\n---\nIt rises.\n',
    );
  });

  it('says which feature another one needs', async () => {
    site = siteWithout('operations-only', ['operations']);
    await expect(build(site)).rejects.toThrow('The feature admin needs the feature operations.');
  });
});

async function checkTypes(removed: readonly string[]): Promise<void> {
  expect(typeErrors(removed)).toEqual([]);
  // The compiler blocks this process, in which connections to the builder have ended.
  await sleep(100);
}

const packageUrl = () => pathToFileURL(site.file('node_modules/astro-jsonapi/dist')).href;

/** Reads over HTTP, and then changes a file as an administrator. */
const WRITE = `
import { createServer } from 'node:http';
import { once } from 'node:events';
import { openContent } from 'PACKAGE/cli/content.js';
import { findSite } from 'PACKAGE/cli/site.js';
import { createTerminal } from 'PACKAGE/cli/run.js';
import { ADMINISTRATOR } from 'PACKAGE/core/access/actor.js';
const terminal = createTerminal();
const site = await findSite({ 'no-config': false }, terminal);
const { handle, close } = await openContent(site, terminal, { write: true });
const server = createServer(async ({ url }, response) => {
  const answer = await handle(new Request('http://localhost' + url));
  response.writeHead(answer.status).end(await answer.text());
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const list = await fetch('http://127.0.0.1:' + server.address().port + '/jsonapi/node/article?filter[title]=Moon');
const { data } = await list.json();
const changed = await handle(
  new Request('http://localhost/jsonapi/node/article/moon', {
    method: 'PATCH',
    headers: { 'content-type': 'application/vnd.api+json' },
    body: JSON.stringify({ data: { type: 'node--article', id: 'moon', attributes: { title: 'Full moon' } } }),
  }),
  { actor: ADMINISTRATOR },
);
console.log(list.status, data[0].id, changed.status);
await close();
server.close();
server.closeAllConnections();
`;

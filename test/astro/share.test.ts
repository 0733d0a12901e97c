import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addAccounts } from '../support/accounts.ts';
import { build, emptySite, type Served, type Site, serve, serveDev } from './site.ts';

const PAGE = `---
import { entities } from 'astro-jsonapi:content';
export async function getStaticPaths() {
  const posts = await entities('post').all();
  return posts.map((post) => ({ params: { slug: post.id }, props: { post } }));
}
const { post } = Astro.props;
---
<html><body><h1>{post.title}</h1><a href="/live">All</a><a href="https://other.example/">Other</a><article set:html={post.body.processed} /></body></html>
<style>h1 { color: rgb(1 2 3) }</style>
<script>document.title = 'Seen';</script>
`;
const LIST = `---
import { entities } from 'astro-jsonapi:content';
const posts = await entities('post').sort('title').all();
---
<ol>{posts.map((post) => <li><a href={\`/posts/\${post.id}\`}>{post.title}</a></li>)}</ol>
`;
const onRequest = (code = '') => LIST.replace('---\n', `---\nexport const prerender = false;\n${code}`);
const PICTURES = new URL('fixtures/collections/content/article/', import.meta.url);
const FILES: Readonly<Record<string, string | Uint8Array>> = {
  'astro.config.mjs': `import node from '@astrojs/node';
import { memoryCache } from 'astro/config';
import jsonapi from 'astro-jsonapi';
export default {
  cache: { provider: memoryCache() },
  adapter: node({ mode: 'standalone' }),
  integrations: [jsonapi({ editing: true, bundles: { post: { alias: '/posts/[id]' } }, imageStyles: { small: { width: 2 } } })],
};
`,
  'src/pages/posts/[slug].astro': PAGE,
  'src/pages/index.astro': LIST,
  'src/pages/live.astro': onRequest(),
  'src/pages/stored.astro': onRequest('Astro.cache.set({ maxAge: 60 });\n'),
  'src/pages/http.astro': `---
export const prerender = false;
const { data } = await (await fetch(new URL('/jsonapi/node/post', Astro.url))).json();
---
<ol>{data.map(({ id, attributes }) => <li><a href={\`/posts/\${id}\`}>{attributes.title}</a></li>)}</ol>
`,
  'src/pages/old.astro': "---\nexport const prerender = false;\nreturn Astro.redirect('/live');\n---\n",
  'src/pages/404.astro': '<p>Nothing is here.</p>\n',
  'content/post/apple.md': '---\ntitle: Apple\n---\nAn apple.\n',
  'content/post/plum.md': '---\ntitle: Plum\nstatus: false\n---\nA *plum*.\n\n![Plums](./plum.png)\n',
  'content/post/sloe.md': '---\ntitle: Sloe\nstatus: false\n---\n![Sloes](./sloe.png)\n',
  'content/post/plum.png': readFileSync(new URL('cover.png', PICTURES)),
  'content/post/sloe.png': readFileSync(new URL('secret.png', PICTURES)),
};

describe.each(['astro dev', 'a built server'])('a link to share in %s', (kind) => {
  let site: Site;
  let server: Served;
  let editor: Readonly<Record<string, string>>;
  /** The address of a link to the unpublished entry. */
  let url: string;
  let id: string;

  beforeAll(async () => {
    site = emptySite(`share-${kind.replaceAll(' ', '-')}`);
    for (const [name, text] of Object.entries(FILES)) {
      mkdirSync(path.dirname(site.file(name)), { recursive: true });
      writeFileSync(site.file(name), text);
    }
    if (kind === 'astro dev') {
      server = await serveDev(site);
      const page = await fetch(`${server.origin}/admin`);
      editor = { cookie: (page.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '' };
    } else {
      await build(site);
      const file = site.file('accounts.json');
      const { eddi } = await addAccounts(file, { eddi: { roles: ['editor'] } });
      server = await serve(site, { JSONAPI_ACCOUNTS: file });
      editor = { authorization: `Bearer ${eddi}` };
    }
    const { data } = await (await send('POST', '', { data: { type: 'share', attributes: PLUM } })).json();
    ({ id } = data);
    url = data.attributes.url.replace(/\/posts\/plum$/, '');
  });
  afterAll(async () => {
    await server?.stop();
    site?.remove();
  });

  const PLUM = { resource: { type: 'node--post', id: 'plum' } };
  const send = (method: string, below: string, body?: object) =>
    fetch(`${server.origin}/jsonapi/_shares${below}`, {
      method,
      headers: { 'content-type': 'application/vnd.api+json', origin: server.origin, ...editor },
      ...(body && { body: JSON.stringify(body) }),
    });
  const titles = (html: string) =>
    [...html.matchAll(/<li[^>]*><a [^>]*>(.*?)<\/a>/g)].map(([, title]) => title);
  const shown = async (at: string) => titles(await (await fetch(url + at)).text());
  const published = async (at: string) => (await fetch(server.origin + at)).text();

  it('leads to the page of the entry, rendered by the template of the site', async () => {
    const response = await fetch(url);
    const html = await response.text();
    expect([response.status, response.url]).toEqual([200, `${url}/posts/plum`]);
    expect(await shown('/')).toEqual(['Apple', 'Plum']);
    expect(html).toMatch(/<h1[^>]*>Plum<\/h1>/);
    expect(html).toContain('A <em>plum</em>.');
    expect(html).toContain('<astro-jsonapi-shared role="region"');
    expect(html).toContain(`<a href="${new URL(url).pathname}/live"`);
    expect(html).toContain('href="https://other.example/"');
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'cache-control': 'private, no-store',
      'x-robots-tag': 'noindex, nofollow',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
    });
  });

  it.each(['/', '/live', '/old'])('shows the entry, and no other draft, in lists: %s', async (at) => {
    expect(await shown(at)).toEqual(['Apple', 'Plum']);
    expect(titles(await published(at))).toEqual(['Apple']);
  });

  it('shows the published content on pages that request it over HTTP', async () => {
    expect(await shown('/http')).toEqual(['Apple']);
  });

  it('does not wait for itself', async () => {
    const times: number[] = [];
    for (let round = 0; round < 3; round++) {
      const start = performance.now();
      await shown('/');
      times.push(performance.now() - start);
    }
    // The time for which other pages wait for an open one.
    expect(Math.min(...times)).toBeLessThan(2000);
  });

  it('loads its style sheets and scripts', async () => {
    const html = await (await fetch(`${url}/posts/plum`)).text();
    const files = [...html.matchAll(/(?:src|href)="(\/[^"]*\.(?:js|css|astro)[^"]*)"/g)].map(
      ([, file]) => file,
    );
    for (const file of files) expect((await fetch(server.origin + file)).status).toBe(200);
  });

  it('shows pictures of the entry, and no picture of another draft', async () => {
    const html = await (await fetch(`${url}/posts/plum`)).text();
    const [, src = ''] = /<img[^>]* src="([^"]*)"/.exec(html) ?? [];
    expect(src).toBe(`${new URL(url).pathname}/content-files/post/plum.png`);
    const picture = await fetch(server.origin + src);
    expect(picture.status).toBe(200);
    expect(new Uint8Array(await picture.arrayBuffer())).toEqual(
      new Uint8Array(FILES['content/post/plum.png'] as Uint8Array),
    );
    expect(Object.fromEntries(picture.headers)).toMatchObject({
      'cache-control': 'private, no-store',
      'content-type': 'image/png',
      'x-robots-tag': 'noindex, nofollow',
    });
    const small = `/content-files/_styles/small/content/post/plum.png.webp`;
    expect((await fetch(url + small)).headers.get('content-type')).toBe('image/webp');
    for (const at of ['/content-files/post/plum.png', small]) {
      expect((await fetch(server.origin + at)).status).toBe(404);
    }
    for (const name of ['sloe.png', 'none.png', 'plum.md']) {
      expect((await fetch(`${url}/content-files/post/${name}`)).status).toBe(404);
    }
  });

  it('neither shows nor fills the cache of pages', async () => {
    for (let round = 0; round < 2; round++) {
      expect(await shown('/stored')).toEqual(['Apple', 'Plum']);
      expect(titles(await published('/stored'))).toEqual(['Apple']);
    }
  });

  it('keeps pages of the same moment apart', async () => {
    const pages = await Promise.all(
      Array.from({ length: 16 }, async (_, at) =>
        at % 2 === 0 ? await shown(at % 4 === 0 ? '/' : '/live') : titles(await published('/live')),
      ),
    );
    for (const [at, list] of pages.entries())
      expect(list).toEqual(at % 2 === 0 ? ['Apple', 'Plum'] : ['Apple']);
  });

  it('looks like an unknown address of the site if it is altered or revoked', async () => {
    const answer = async (address: string, method = 'GET') => {
      const response = await fetch(address, { method, headers: { origin: server.origin } });
      const { date: _, ...headers } = Object.fromEntries(response.headers);
      return { status: response.status, headers, text: await response.text() };
    };
    const unknown = await answer(`${server.origin}/_shared/nothing/posts/plum`);
    expect(unknown.status).toBe(404);
    expect(unknown.text).toContain('Nothing is here.');
    expect(await answer(`${url.slice(0, -1)}${url.endsWith('A') ? 'B' : 'A'}/posts/plum`)).toEqual(unknown);
    expect(await answer(`${url}/posts/plum`, 'POST')).toEqual(
      await answer(`${server.origin}/_shared/nothing/posts/plum`, 'POST'),
    );
    expect((await send('DELETE', `/${id}`)).status).toBe(204);
    expect(await answer(`${url}/posts/plum`)).toEqual(unknown);
    expect((await published('/posts/plum')).includes('Plum')).toBe(false);
  });

  it('is not part of the files that the server sends', async () => {
    expect((await fetch(`${server.origin}/.astro-jsonapi/accounts.json.shares`)).status).not.toBe(200);
    expect((await fetch(`${server.origin}/accounts.json.shares`)).status).not.toBe(200);
    const stored = kind === 'astro dev' ? '.astro-jsonapi/accounts.json.shares' : 'accounts.json.shares';
    expect(JSON.parse(readFileSync(site.file(stored), 'utf8')).links).toEqual([]);
    rmSync(site.file(stored));
  });
});

describe.each([
  ['astro dev', 'always', '/posts/plum/', '/posts/plum'],
  ['a built server', 'always', '/posts/plum/', '/posts/plum'],
  ['a built server', 'never', '/posts/plum', '/posts/plum/'],
])('a link to share below a base in %s, trailingSlash %s', (kind, trailingSlash, right, wrong) => {
  let site: Site;
  let server: Served;
  /** The address of a link to the unpublished entry, without its page. */
  let root: string;
  let first: string;

  beforeAll(async () => {
    site = emptySite(`share-${kind.replaceAll(' ', '-')}-${trailingSlash}`);
    const config = String(FILES['astro.config.mjs']).replace(
      'export default {',
      `export default {\n  base: '/sub',\n  trailingSlash: '${trailingSlash}',`,
    );
    const page = PAGE.replace('<h1>', '<a href="other">Other</a><h1>');
    const files = { ...FILES, 'astro.config.mjs': config, 'src/pages/posts/[slug].astro': page };
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(path.dirname(site.file(name)), { recursive: true });
      writeFileSync(site.file(name), text);
    }
    let editor: Readonly<Record<string, string>>;
    if (kind === 'astro dev') {
      server = await serveDev(site);
      const admin = await fetch(`${server.origin}/sub/admin/`);
      editor = { cookie: (admin.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '' };
    } else {
      await build(site);
      const file = site.file('accounts.json');
      const { eddi } = await addAccounts(file, { eddi: { roles: ['editor'] } });
      server = await serve(site, { JSONAPI_ACCOUNTS: file });
      editor = { authorization: `Bearer ${eddi}` };
    }
    const response = await fetch(`${server.origin}/sub/jsonapi/_shares`, {
      method: 'POST',
      headers: { 'content-type': 'application/vnd.api+json', origin: server.origin, ...editor },
      body: JSON.stringify({
        data: { type: 'share', attributes: { resource: { type: 'node--post', id: 'plum' } } },
      }),
    });
    first = (await response.json()).data.attributes.url;
    root = first.slice(0, first.indexOf('/sub/posts/'));
  });
  afterAll(async () => {
    await server?.stop();
    site?.remove();
  });

  it('has the final slash that pages of the site have, and relative links of the page fit', async () => {
    expect(first).toBe(`${root}/sub${right}`);
    const response = await fetch(first);
    expect([response.status, response.url]).toEqual([200, first]);
    const html = await response.text();
    expect(html).toMatch(/<h1[^>]*>Plum<\/h1>/);
    const { pathname } = new URL('other', first);
    expect(html).toContain(`<a href="${pathname}" `);
  });

  it('leads from the address without a page to the page', async () => {
    for (const start of [root, `${root}/`]) {
      const response = await fetch(start);
      expect([start, response.status, response.url]).toEqual([start, 200, first]);
    }
  });

  it('treats the other form of an address like the site', async () => {
    const answer = async (below: string) => {
      const { status, headers } = await fetch(below, { redirect: 'manual' });
      const location = headers.get('location');
      const leads = location && new URL(location, below).pathname.replace(new URL(root).pathname, '');
      return { status: Math.floor(status / 100), leads };
    };
    const expected = await answer(`${server.origin}/sub${wrong.replace('plum', 'apple')}`);
    const shared = await answer(`${root}/sub${wrong.replace('plum', 'apple')}`);
    expect(shared).toEqual(expected);
    expect(shared).toEqual(
      kind === 'astro dev'
        ? { status: 4, leads: null }
        : { status: 3, leads: `/sub${right.replace('plum', 'apple')}` },
    );
  });
});

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { build, emptySite, type Served, type Site, serve, serveDev } from './site.ts';

const FILES = {
  'astro.config.mjs': `import node from '@astrojs/node';
import jsonapi from 'astro-jsonapi';
export default {
  site: 'https://example.org',
  integrations: [jsonapi()],
  devToolbar: { enabled: false },
  ...(process.env.ADAPTER && { adapter: node({ mode: 'standalone' }) }),
};
`,
  'content/article/moon.md': '---\ntitle: Moon\npath: { alias: /moon-and-sea }\n---\n',
  'content/article/secret.md': '---\ntitle: Secret\nstatus: false\npath: { alias: /secret-address }\n---\n',
  'content/_redirects.yaml': `/moon: node--article/moon
/news/"old" & moon: node--article/moon
/hidden: node--article/secret
/shop: https://shop.example/?a=1&b=2
/about: /moon-and-sea
/feed.xml: /moon-and-sea
`,
  'public/_redirects': '/theirs /moon-and-sea 302',
  'src/pages/[...path].astro': `---
import { entities } from 'astro-jsonapi:content';
export const getStaticPaths = async () =>
  (await entities('article').all()).map((article) => ({ params: { path: article.path.alias.slice(1) }, props: { article } }));
---
<h1>{Astro.props.article.title}</h1>
`,
  'src/pages/about.astro': '<h1>About</h1>\n',
  'src/pages/live/[id].astro': `---
export const prerender = !import.meta.env.ADAPTER;
export const getStaticPaths = () => [];
---
<h1>Live</h1>
`,
};

function writeSite(name: string): Site {
  const site = emptySite(name);
  for (const [file, text] of Object.entries(FILES)) {
    mkdirSync(path.dirname(site.file(file)), { recursive: true });
    writeFileSync(site.file(file), text);
  }
  return site;
}

async function follow(origin: string, address: string, method = 'GET') {
  const { status, headers } = await fetch(origin + address, { redirect: 'manual', method });
  return [status, headers.get('location')];
}

/** What a server with these files does, whichever way it runs. */
async function expectRedirects(origin: string): Promise<void> {
  expect(await follow(origin, '/moon')).toEqual([301, '/moon-and-sea']);
  expect(await follow(origin, '/moon?page=2', 'HEAD')).toEqual([301, '/moon-and-sea?page=2']);
  expect(await follow(origin, '/news/%22old%22%20&%20moon')).toEqual([301, '/moon-and-sea']);
  expect(await follow(origin, '/shop')).toEqual([301, 'https://shop.example/?a=1&b=2']);
  for (const address of ['/hidden', '/nothing']) expect((await follow(origin, address))[0]).toBe(404);
  expect((await follow(origin, '/about'))[0]).toBe(200);
  expect((await follow(origin, '/moon', 'POST'))[0]).not.toBe(301);
}

describe('redirects of a site without a server', () => {
  let site: Site;
  let output: string;

  beforeAll(async () => {
    site = writeSite('redirects-static');
    output = await build(site);
  });
  afterAll(() => site?.remove());

  it('are in the file that hosts read, after the lines of the site', () => {
    expect(readFileSync(site.file('dist/_redirects'), 'utf8')).toBe(`/theirs /moon-and-sea 302
/moon /moon-and-sea 301
/news/%22old%22%20&%20moon /moon-and-sea 301
/shop https://shop.example/?a=1&b=2 301
/feed.xml /moon-and-sea 301
`);
  });

  it('are pages for the other hosts, which search engines do not list', () => {
    const page = readFileSync(site.file('dist/moon/index.html'), 'utf8');
    expect(page).toContain('<meta http-equiv="refresh" content="0;url=/moon-and-sea">');
    expect(page).toContain('<link rel="canonical" href="https://example.org/moon-and-sea">');
    expect(page).toContain('<meta name="robots" content="noindex">');
    expect(readFileSync(site.file('dist/shop/index.html'), 'utf8')).toContain(
      'href="https://shop.example/?a=1&amp;b=2"',
    );
    expect(existsSync(site.file('dist/news/"old" & moon'))).toBe(false);
    expect(existsSync(site.file('dist/feed.xml'))).toBe(false);
  });

  it('give way to pages and reveal nothing', () => {
    expect(readFileSync(site.file('dist/about/index.html'), 'utf8')).toContain('<h1>About</h1>');
    expect(output).toContain('The redirect from /about is not used, because a page has this address.');
    expect(existsSync(site.file('dist/hidden'))).toBe(false);
    expect(readFileSync(site.file('dist/_redirects'), 'utf8')).not.toContain('secret-address');
  });
});

describe('redirects of a built server', () => {
  let site: Site;
  let server: Served;

  beforeAll(async () => {
    site = writeSite('redirects-server');
    await build(site, { ADAPTER: 'node' });
    server = await serve(site);
  });
  afterAll(async () => {
    await server?.stop();
    site?.remove();
  });

  it('are served at addresses without a page', () => expectRedirects(server.origin));

  it('follow changes of the file', async () => {
    writeFileSync(
      site.file('content/_redirects.yaml'),
      `${FILES['content/_redirects.yaml']}/new-one: /contact\n`,
    );
    expect(await follow(server.origin, '/new-one')).toEqual([301, '/contact']);
    expect((await follow(server.origin, '/_files/_redirects.yaml'))[0]).toBe(404);
  });
});

it('a built server without its content folder carries the redirects', async () => {
  const site = writeSite('redirects-carried');
  try {
    await build(site, { ADAPTER: 'node' });
    rmSync(site.file('content'), { recursive: true });
    const server = await serve(site);
    try {
      await expectRedirects(server.origin);
      expect((await follow(server.origin, '/_files/_redirects.yaml'))[0]).toBe(404);
    } finally {
      await server.stop();
    }
  } finally {
    site.remove();
  }
});

it('the dev server of a site without an adapter redirects', async () => {
  const site = writeSite('redirects-dev');
  try {
    const server = await serveDev(site);
    try {
      await expectRedirects(server.origin);
    } finally {
      await server.stop();
    }
  } finally {
    site.remove();
  }
});

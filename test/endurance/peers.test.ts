import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emptyProject, pack, writeFiles } from '../astro/packed.ts';
import { openPreviewed, type PreviewedSite, update } from '../astro/previewed-site.ts';
import { REPOSITORY, run, runAstro, type Site, serveDev } from '../astro/site.ts';
import { HAS_POSTGRES, usePostgres } from '../support/postgres.ts';

/**
 * The packed package as npm installs it beside other packages, from the registry. npm fails with ERESOLVE if the ranges
 * of `peerDependencies` do not allow them.
 */
const { peerDependencies } = JSON.parse(readFileSync(`${REPOSITORY}/package.json`, 'utf8')) as {
  peerDependencies: Record<string, string>;
};
const ranges = Object.entries(peerDependencies);
const oldest = ranges.map(([name, range]) => [name, /\d+\.\d+\.\d+/.exec(range)?.[0]]);
const newest = ranges.map(([name, range]) => [name, range.split(' || ').at(-1)]);

const FILES = {
  'astro.config.mjs': `
import mdx from '@astrojs/mdx';
import jsonapi from 'astro-jsonapi';
export default { integrations: [mdx(), jsonapi({ static: { queries: true } })] };`,
  'src/pages/index.astro': `---
import { entities } from 'astro-jsonapi:content';
const posts = await entities('post').where('author.title', '=', 'Ada').sort('-date').include('author').all();
---
{posts.map((post) => <article><h1>{post.title}, {post.author?.title}</h1><Fragment set:html={post.body?.processed} /></article>)}`,
  'src/pages/[...path].astro': `---
export const getStaticPaths = () => [{ params: { path: 'about' } }];
---
<p>About</p>`,
  'content/schema.ts': `import { defineSchema, reference, z } from 'astro-jsonapi/schema';
export default defineSchema({
  post: { date: z.coerce.date(), author: reference('person'), mood: z.email().nullish() },
});`,
  'content/post/low-water.md':
    '---\ntitle: Low water\ndate: 2026-04-18\nauthor: person/ada\n---\nThe *sea* leaves.\n\n```js\nleave();\n```\n',
  'content/post/lamp.mdx':
    '---\ntitle: Lamp\ndate: 2026-05-18\nauthor: person/ada\n---\nTwo times {1 + 1} is <b>{4}</b>.\n',
  'content/person/ada.md': '---\ntitle: Ada\n---\n',
};

const VERSIONS = [
  ['the oldest supported versions', Object.fromEntries(oldest)],
  ['the newest supported versions', Object.fromEntries(newest)],
] as const;

describe.each(VERSIONS)('beside %s of its peers, the package', (_name, versions) => {
  let site: Site;
  const postgres = usePostgres();
  beforeAll(async () => {
    site = await install({ ...versions }, FILES);
  });
  afterAll(() => site?.remove());

  it('builds a static site, with MDX and highlighted code', async () => {
    await astroBuild(site);
    const page = readFileSync(site.file('dist/index.html'), 'utf8');
    expect(page).toMatch(
      /Lamp, Ada[\s\S]*Two times 2 is <b>4<\/b>[\s\S]*Low water, Ada[\s\S]*<em>sea<\/em>[\s\S]*astro-code/,
    );
    expect(readFileSync(site.file('dist/jsonapi/node/post/lamp.json'), 'utf8')).toContain('<b>4</b>');
  });

  it('answers the first request of a dev server, which logs no warning', async () => {
    const dev = await serveDev(site, {}, 'watching');
    try {
      const first = await fetch(`${dev.origin}/jsonapi/node/post?filter[author.title]=Ada`);
      expect({ status: first.status, count: (await first.json()).meta.count }).toEqual({
        status: 200,
        count: 2,
      });
      expect(await (await fetch(`${dev.origin}/about`)).text()).toContain('About');
      expect(dev.output()).not.toMatch(/\[router\]|ERROR/);
    } finally {
      await dev.stop();
    }
  });

  it('has commands that use them', async () => {
    expect(await npx(site, 'astro-jsonapi', 'check')).toContain('3 entities in 2 bundles, no problems');
    const request = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    });
    writeFiles(site, { 'request.json': `${request}\n` });
    const mcp = await run('sh', ['-c', 'npx astro-jsonapi mcp < request.json'], site.dir);
    expect(mcp.output).toContain('"serverInfo"');
  });

  it.runIf(HAS_POSTGRES)('stores the content in PostgreSQL', async () => {
    const { code, output } = await run('npx', ['astro-jsonapi', 'sync'], site.dir, {
      DATABASE_URL: postgres().url,
    });
    expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('Stored version 1') });
  });
});

const PREVIEWED = {
  'astro.config.mjs': `
import node from '@astrojs/node';
import jsonapi from 'astro-jsonapi';
export default { adapter: node({ mode: 'standalone' }), integrations: [jsonapi({ editing: true, bundles: { post: { alias: '/posts/[id]' } } })] };`,
  'src/content.config.ts': `import { defineCollection } from 'astro:content';
import { glob } from 'astro/loaders';
export const collections = { post: defineCollection({ loader: glob({ base: './content/post', pattern: '*.md' }) }) };`,
  'src/pages/posts/[id].astro': `---
import { getCollection, render } from 'astro:content';
export const getStaticPaths = async () =>
  (await getCollection('post')).map((post) => ({ params: { id: post.id }, props: { post } }));
const { post } = Astro.props;
const { Content } = await render(post);
---
<h1>{post.data.title}</h1><Content />`,
  'src/pages/index.astro': `---
import { entities } from 'astro-jsonapi:content';
---
{(await entities('post').all()).map(({ title }) => <li>{title}</li>)}`,
  'src/pages/live.astro': `---
import { entities } from 'astro-jsonapi:content';
export const prerender = false;
---
{(await entities('post').all()).map(({ title }) => <li>{title}</li>)}`,
  'src/pages/feed.xml.ts': `import { getCollection } from 'astro:content';
export const GET = async () =>
  new Response((await getCollection('post')).map(({ data }) => data.title).join(), { headers: { 'content-type': 'text/xml' } });`,
  'content/post/tide.md': '---\ntitle: Tide\n---\nHigh *water*.\n',
};

describe.each(
  VERSIONS.flatMap(([name, versions]) =>
    (['astro dev', 'a built server'] as const).map((kind) => [name, kind, versions] as const),
  ),
)('beside %s of its peers, previews in %s', (_name, kind, versions) => {
  let previewed: PreviewedSite;
  beforeAll(async () => {
    const site = await install({ ...versions, '@astrojs/node': 'latest' }, PREVIEWED);
    previewed = await openPreviewed(site, kind, ['editor'], astroBuild);
  });
  afterAll(() => previewed?.stop());

  it.each(['/posts/tide', '/', '/live', '/feed.xml'])('show unsaved values: %s', async (at) => {
    const before = await previewed.published(at);
    expect(before).toContain('Tide');
    const { page } = await previewed.preview(
      [update('tide', { title: 'Storm', body: { value: '*Low*' } })],
      at,
    );
    expect(page).toMatchObject({ status: 200, queries: expect.any(Number) });
    const shown = page.html ?? page.text;
    expect(shown).toContain('Storm');
    expect(shown).not.toContain('Tide');
    if (at.startsWith('/posts')) expect(shown).toContain('<em>Low</em>');
    expect(await previewed.published(at)).toBe(before);
  });
});

describe('the package installs and builds beside', () => {
  it.each([
    // What `npm create astro` made in the summer of 2026.
    [
      'the blog template of Astro',
      { astro: '7.2.4', '@astrojs/mdx': '^7.0.7', '@astrojs/rss': '^4.0.19', '@astrojs/sitemap': '^3.7.3' },
      "import mdx from '@astrojs/mdx'; const others = [mdx()];",
    ],
    [
      'the oldest Starlight for Astro 7',
      { astro: '7.2.4', '@astrojs/starlight': '0.41.0' },
      "import starlight from '@astrojs/starlight'; const others = [starlight({ title: 'Docs' })];",
    ],
    [
      'the newest Starlight',
      { astro: peerDependencies.astro, '@astrojs/starlight': 'latest' },
      "import starlight from '@astrojs/starlight'; const others = [starlight({ title: 'Docs' })];",
    ],
  ])('%s', async (_name, versions, others) => {
    const site = await install(versions, {
      'astro.config.mjs': `${others}
import jsonapi from 'astro-jsonapi';
export default { integrations: [...others, jsonapi()] };`,
      'src/content.config.ts': 'export const collections = {};',
      'src/pages/latest.astro': FILES['src/pages/index.astro'],
      ...Object.fromEntries(Object.entries(FILES).filter(([name]) => name.endsWith('.md'))),
    });
    try {
      await astroBuild(site);
      expect(readFileSync(site.file('dist/latest/index.html'), 'utf8')).toContain('Low water, Ada');
    } finally {
      site.remove();
    }
  });
});

describe('an older Astro ends with one sentence', () => {
  it.each(['5', '6', '7.0.4', '7.1'])('in a build and in the command line with Astro %s', async (version) => {
    const site = await install({ astro: version }, FILES, '--legacy-peer-deps');
    try {
      const installed = JSON.parse(
        readFileSync(site.file('node_modules/astro/package.json'), 'utf8'),
      ).version;
      const sentence = `astro-jsonapi needs Astro 7.2.4 or newer. This project has Astro ${installed}. Run: npx @astrojs/upgrade`;
      writeFiles(site, {
        'astro.config.mjs':
          "import jsonapi from 'astro-jsonapi';\nexport default { integrations: [jsonapi()] };",
      });
      const build = await runAstro(site, ['build']);
      expect(build).toEqual({ code: 1, output: expect.stringContaining(sentence) });
      const check = await run('npx', ['astro-jsonapi', 'check'], site.dir);
      expect(check).toEqual({ code: 1, output: `${sentence}\n` });
    } finally {
      site.remove();
    }
  });
});

async function install(
  versions: Readonly<Record<string, string | undefined>>,
  files: Readonly<Record<string, string>>,
  ...flags: readonly string[]
): Promise<Site> {
  const site = emptyProject();
  const { filename } = await pack(site.dir);
  writeFiles(site, {
    ...files,
    'package.json': JSON.stringify({
      name: 'peers',
      type: 'module',
      private: true,
      dependencies: { ...versions, 'astro-jsonapi': `file:${filename}` },
    }),
  });
  const args = ['install', '--no-audit', '--no-fund', '--prefer-offline', ...flags];
  const { code, output } = await run('npm', args, site.dir);
  if (code !== 0) throw new Error(output);
  return site;
}

async function astroBuild(site: Site): Promise<void> {
  const { code, output } = await runAstro(site, ['build']);
  if (code !== 0) throw new Error(output);
}

/** Runs a program that the site has installed, and returns its output. */
async function npx(site: Site, ...words: readonly string[]): Promise<string> {
  const { code, output } = await run('npx', words, site.dir);
  if (code !== 0) throw new Error(output);
  return output;
}

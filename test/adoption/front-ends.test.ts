import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openAuth } from '../../integration/features/accounts/open-auth.ts';
import { writeFiles } from '../astro/packed.ts';
import { build, emptySite, freePort, run, type Served, type Site, serve, start } from '../astro/site.ts';
import { eventually } from '../support/eventually.ts';
import { folderOf, NEXT_DRUPAL } from './repositories.ts';

const SITE = {
  'astro.config.mjs': `import node from '@astrojs/node';
import { defineConfig } from 'astro/config';
import jsonapi from 'astro-jsonapi';
export default defineConfig({
  adapter: node({ mode: 'standalone' }),
  devToolbar: { enabled: false },
  integrations: [
    jsonapi({
      bundles: { article: { alias: '/articles/[id]' }, page: { alias: '/[id]' } },
      editing: true,
      gitDates: false,
      draftMode: { url: 'https://front.example/api/draft', secret: 'env:DRAFT_SECRET' },
      webhooks: [{ url: 'env:REVALIDATE', secret: 'env:REVALIDATE_SECRET', format: 'next-drupal' }],
    }),
  ],
});
`,
  'content/schema.ts': `import { defineSchema, image, z } from 'astro-jsonapi/schema';
export default defineSchema({
  article: { field_image: image().nullish(), field_teaser: z.string() },
  page: {},
  'user--user': { display_name: z.string() },
});
`,
  'content/article/tides.md': `---
title: How the tides work
created: 2026-03-09
uid: ada
field_teaser: Twice a day
field_image: { src: tides.png, alt: A beach at low tide }
---
The moon pulls the **sea**.
`,
  'content/article/secret.md':
    '---\ntitle: Not yet\ncreated: 2026-03-10\nstatus: false\nuid: ada\nfield_teaser: Soon\n---\nSecret.\n',
  'content/article/nobody.md':
    '---\ntitle: Without a picture\ncreated: 2026-03-08\nuid: bob\nfield_teaser: Plain\n---\nPlain.\n',
  'content/page/about.md': '---\ntitle: About us\n---\nWe like the sea.\n',
  'content/user--user/ada.md': '---\ndisplay_name: Ada Lovelace\n---\n',
};

const STARTERS = path.join(folderOf(NEXT_DRUPAL), 'starters');
const HAS_STARTERS = existsSync(STARTERS);

/** A front end that is a site of Astro, with libraries that many front ends use. */
const ASTRO_FRONT = {
  'astro.config.mjs': 'export default { devToolbar: { enabled: false } };\n',
  'src/pages/index.astro': `---
import { DrupalJsonApiParams } from 'drupal-jsonapi-params';
import { Jsona } from 'jsona';

const origin = process.env.CONTENT_ORIGIN;
const query = new DrupalJsonApiParams()
  .addFilter('status', '1')
  .addInclude(['field_image', 'uid'])
  .addFields('node--article', ['title', 'body', 'created', 'field_image', 'uid', 'path'])
  .addSort('created', 'DESC')
  .getQueryString();
const response = await fetch(origin + '/jsonapi/node/article?' + query);
const articles = new Jsona().deserialize(await response.json());
---
<html lang="en">
  <body>
    {articles.map(({ title, body, path, uid, field_image: image }) => (
      <article>
        <h2><a href={path.alias}>{title}</a></h2>
        <p>{uid?.display_name ?? 'Nobody'}</p>
        {image && <img src={origin + image.uri.url} alt={image.resourceIdObjMeta.alt} />}
        <Fragment set:html={body.processed} />
      </article>
    ))}
  </body>
</html>
`,
};

/** Programs with the libraries of front ends, as they are published. Each prints JSON. */
const PROGRAMS = {
  'drupal-state': {
    packages: ['@gdwc/drupal-state@4.2.3'],
    code: `
const { DrupalState } = await import('@gdwc/drupal-state');
const store = new DrupalState({ apiBase: process.env.CONTENT_ORIGIN });
const objectName = 'node--article';
const articles = await store.getObject({ objectName, params: 'sort=-created' });
const article = await store.getObjectByPath({ objectName, path: '/articles/tides', params: 'include=field_image,uid' });
console.log(JSON.stringify({
  titles: articles.map(({ title }) => title),
  atPath: [article.title, article.uid.display_name, article.field_image.resourceIdObjMeta.alt],
}));`,
    printed: {
      titles: ['How the tides work', 'Without a picture'],
      atPath: ['How the tides work', 'Ada Lovelace', 'A beach at low tide'],
    },
  },
  'drupal-kit': {
    packages: ['@pantheon-systems/drupal-kit@4.6.5'],
    code: `
const { DrupalState, translatePath } = await import('@pantheon-systems/drupal-kit');
const apiBase = process.env.CONTENT_ORIGIN;
const objectName = 'node--article';
const anonymous = new DrupalState({ apiBase });
const article = await anonymous.getObjectByPath({ objectName, path: '/articles/tides', params: 'include=field_image,uid' });
const { DRUPAL_CLIENT_ID: clientId, DRUPAL_CLIENT_SECRET: clientSecret } = process.env;
const signedIn = new DrupalState({ apiBase, clientId, clientSecret });
const all = await signedIn.getObject({ objectName, params: 'sort=-created' });
const { entity } = await translatePath(apiBase + '/router/translate-path', '/articles/tides');
console.log(JSON.stringify({
  atPath: [article.title, article.uid.display_name, article.field_image.resourceIdObjMeta.alt],
  signedIn: all.map(({ title }) => title),
  entity: [entity.type, entity.bundle],
}));`,
    printed: {
      atPath: ['How the tides work', 'Ada Lovelace', 'A beach at low tide'],
      signedIn: ['Not yet', 'How the tides work', 'Without a picture'],
      entity: ['node', 'article'],
    },
  },
  druxt: {
    packages: ['druxt@0.24.0', 'druxt-router@0.31.0'],
    code: `
const { DruxtClient } = require('druxt');
const { DruxtRouter } = require('druxt-router');
const origin = process.env.CONTENT_ORIGIN;
(async () => {
  const client = new DruxtClient(origin);
  const { data, included } = await client.getCollection('node--article', { include: 'field_image', sort: '-created' });
  const { route } = await new DruxtRouter(origin).get('/articles/tides');
  const { type, uuid } = route.props;
  const resource = await client.getResource(type, uuid);
  console.log(JSON.stringify({
    titles: data.map(({ attributes }) => attributes.title),
    files: included.map(({ attributes }) => attributes.filename),
    atPath: [type, resource.data.attributes.title],
  }));
})();`,
    printed: {
      titles: ['How the tides work', 'Without a picture'],
      files: ['tides.png'],
      atPath: ['node--article', 'How the tides work'],
    },
  },
  'gatsby-source-drupal': {
    packages: ['gatsby-source-drupal@6.16.0', 'graphql@16'],
    code: `
const { sourceNodes } = require('gatsby-source-drupal/gatsby-node');
const nodes = new Map();
const activity = { start() {}, end() {}, setStatus() {} };
const actions = { createNode: (node) => nodes.set(node.id, node), setPluginStatus() {}, touchNode() {} };
const cached = new Map();
const cache = { get: async (key) => cached.get(key), set: async (key, value) => cached.set(key, value) };
const reporter = {
  ...{ activityTimer: () => activity, createProgress: () => ({ ...activity, tick() {}, done() {} }) },
  ...{ log() {}, info() {}, verbose() {}, warn: console.error, error: console.error },
  panic(error) { throw error; },
};
const gatsby = {
  ...{ actions, cache, reporter, getCache: () => cache, getNode: (id) => nodes.get(id), createNodeId: (id) => id },
  ...{ getNodes: () => [...nodes.values()], createContentDigest: JSON.stringify, webhookBody: {} },
  store: { getState: () => ({ status: { plugins: {} }, program: { directory: process.cwd() } }) },
};
const options = {
  ...{ baseUrl: process.env.CONTENT_ORIGIN, apiBase: 'jsonapi', fastBuilds: false, skipFileDownloads: true },
  ...{ concurrentAPIRequests: 10, requestTimeoutMS: 10000, disallowedLinkTypes: ['self', 'describedby'] },
};
(async () => {
  await sourceNodes(gatsby, options);
  const all = [...nodes.values()];
  const article = all.find(({ title }) => title === 'How the tides work');
  console.log(JSON.stringify({
    types: [...new Set(all.map(({ internal }) => internal.type))].sort(),
    image: nodes.get(article.relationships.field_image___NODE).filename,
    author: nodes.get(article.relationships.uid___NODE).display_name,
  }));
  process.exit();
})();`,
    printed: {
      types: ['file__file', 'node__article', 'node__page', 'user__user'],
      image: 'tides.png',
      author: 'Ada Lovelace',
    },
  },
  'jsonapi-validator': {
    packages: ['jsonapi-validator@3.0.5'],
    code: `
const { Validator } = require('jsonapi-validator');
const validator = new Validator();
(async () => {
  const problems = async (path) => {
    try {
      validator.validate(await (await fetch(process.env.CONTENT_ORIGIN + path)).json());
      return [];
    } catch ({ errors }) {
      return [...new Set(errors.map(({ dataPath }) => dataPath).filter((place) => place !== ''))].sort();
    }
  };
  console.log(JSON.stringify({
    entry: await problems('/jsonapi'),
    list: await problems('/jsonapi/node/article?include=field_image,uid'),
    entity: await problems('/jsonapi/node/article/tides?include=field_image,uid'),
    relationship: await problems('/jsonapi/node/article/tides/relationships/field_image'),
    error: await problems('/jsonapi/node/article?include=nothing'),
    page: await problems('/jsonapi/node/article?page[limit]=1'),
  }));
})();`,
    printed: {
      entry: [],
      list: [],
      entity: [],
      relationship: [],
      error: [],
      page: ['.links.last', '.links.next'],
    },
  },
};

describe('a front end', () => {
  let site: Site;
  let server: Served;
  let token: string;
  /** What the front end knows of the server. */
  let env: Readonly<Record<string, string>>;
  let frontPort: number;
  beforeAll(async () => {
    site = emptySite('front-end');
    writeFiles(site, { ...SITE });
    const create = { width: 1200, height: 630, channels: 3, background: '#3a7ca5' } as const;
    await sharp({ create }).png().toFile(site.file('content/article/tides.png'));
    await build(site);
    const { accounts } = openAuth({ file: site.file('.astro-jsonapi/accounts.json'), warn: console.warn });
    for (const name of ['ada', 'front']) await accounts.add({ name, roles: ['editor'] });
    token = (await accounts.addToken('ada', { label: 'test', scope: 'write', expires: null })).secret;
    const { client, secret } = await accounts.addClient('front', { label: 'next', scope: 'read' });
    frontPort = await freePort();
    server = await serve(site, {
      DRAFT_SECRET: 'a secret of at least 32 characters',
      REVALIDATE: `http://127.0.0.1:${frontPort}/api/revalidate`,
      REVALIDATE_SECRET: 'another secret',
    });
    env = {
      NEXT_PUBLIC_DRUPAL_BASE_URL: server.origin,
      NEXT_IMAGE_DOMAIN: '127.0.0.1',
      DRUPAL_CLIENT_ID: client.id,
      DRUPAL_CLIENT_SECRET: secret,
      DRUPAL_REVALIDATE_SECRET: 'another secret',
    };
  });
  afterAll(async () => {
    await server?.stop();
    site?.remove();
  });

  /** Builds a starter, and starts it. */
  async function front(name: string, edit: (dir: string) => void = () => undefined) {
    const dir = site.file(name);
    cpSync(path.join(STARTERS, name), dir, { recursive: true });
    edit(dir);
    const ended = async (command: string, args: readonly string[]) => {
      const { code, output } = await run(command, args, dir, env);
      expect(code, output).toBe(0);
    };
    await ended('npm', ['install', '--no-audit', '--no-fund']);
    const next = path.join(dir, 'node_modules/next/dist/bin/next');
    await ended(process.execPath, [next, 'build']);
    const args = [next, 'start', '-H', '127.0.0.1', '-p', String(frontPort)];
    const { stop } = await start(process.execPath, args, dir, env, undefined, 'Ready in');
    return {
      origin: `http://127.0.0.1:${frontPort}`,
      async stop() {
        await stop();
        rmSync(dir, { recursive: true, force: true });
      },
    };
  }

  it.skipIf(!HAS_STARTERS).each(['basic-starter', 'pages-starter'])(
    'of next-drupal, %s, builds unmodified, and shows images and authors',
    async (name) => {
      const { origin, stop } = await front(name);
      try {
        const page = async (at: string) => (await fetch(origin + at)).text();
        const home = await page('/');
        expect(home).toContain('How the tides work');
        expect(home).toContain('Ada Lovelace');
        expect(home).toContain('alt="A beach at low tide"');
        expect(home).not.toContain('Not yet');
        const [, picture = ''] = /src="(\/_next\/image[^"]+)"/.exec(home) ?? [];
        const response = await fetch(origin + picture.replaceAll('&amp;', '&'));
        expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png']);
        const article = await page('/articles/tides');
        expect(article).toContain('Ada Lovelace');
        expect(article).toContain('The moon pulls the <strong>sea</strong>.');
        expect(await page('/about')).toContain('We like the sea.');
        expect((await fetch(`${origin}/articles/secret`)).status).toBe(404);
      } finally {
        await stop();
      }
    },
  );

  it.skipIf(!HAS_STARTERS)(
    'of next-drupal shows a draft in draft mode, and a change at once, if it signs in as a client',
    async () => {
      const { origin, stop } = await front('basic-starter', (dir) => {
        const file = path.join(dir, 'lib/drupal.ts');
        const text = readFileSync(file, 'utf8');
        writeFileSync(file, text.replace(/^( *)\/\/ (?=auth|withAuth| {2}client|\})/gm, '$1'));
      });
      const headers = { authorization: `Bearer ${token}` };
      try {
        const redirect = 'manual';
        /** Starts draft mode as the link of the server does. Returns the address that leads there, and the page. */
        const enter = async (at: string): Promise<[string, string]> => {
          const link = await fetch(`${server.origin}/next/draft-url?path=${at}`, { headers, redirect });
          expect(link.status).toBe(303);
          const { pathname, search } = new URL(link.headers.get('location') ?? '');
          const started = await fetch(origin + pathname + search, { redirect });
          expect([started.status, started.headers.get('location')]).toEqual([307, at]);
          const cookies = started.headers.getSetCookie().map((text) => text.split(';')[0]);
          const page = await fetch(origin + at, { headers: { cookie: cookies.join('; ') } });
          return [origin + pathname + search, await page.text()];
        };
        const [address, draft] = await enter('/articles/secret');
        expect(draft).toContain('Not yet');
        expect((await fetch(`${origin}/articles/secret`)).status).toBe(404);
        const changed = await fetch(address.replace('secret&', 'tides&'), { redirect });
        expect(changed.status).toBe(422);

        const type = 'application/vnd.api+json';
        const send = (
          method: string,
          at: string,
          data: object,
          more: Readonly<Record<string, string>> = {},
        ) =>
          fetch(server.origin + at, {
            method,
            headers: { ...headers, 'content-type': type, accept: type, ...more },
            body: JSON.stringify({ data }),
          });
        const stored = await fetch(`${server.origin}/jsonapi/node/article/tides`, { headers });
        const { meta, relationships } = (await stored.json()).data;
        const image = relationships.field_image.data;
        const unfinished = await send(
          'POST',
          '/jsonapi/_drafts/node--article/tides',
          {
            type: 'node--article',
            id: 'tides',
            // Without the teaser, these changes are not finished.
            attributes: { title: 'How the tides really work', field_teaser: null },
            relationships: {
              field_image: { data: { ...image, meta: { ...image.meta, alt: 'A beach at high tide' } } },
            },
          },
          { 'if-match': `"${meta.revision}"` },
        );
        expect(unfinished.status, await unfinished.clone().text()).toBe(201);
        const [, working] = await enter('/articles/tides');
        expect(working).toContain('How the tides really work');
        expect(working).toContain('alt="A beach at high tide"');
        const seen = await (await fetch(`${origin}/articles/tides`)).text();
        expect(seen).toContain('alt="A beach at low tide"');
        expect(seen).not.toContain('How the tides really work');

        expect(await (await fetch(`${origin}/about`)).text()).toContain('About us');
        const patched = await send('PATCH', '/jsonapi/node/page/about', {
          type: 'node--page',
          id: 'about',
          attributes: { title: 'Who we are' },
        });
        expect(patched.status, await patched.clone().text()).toBe(200);
        await eventually(async () => {
          expect(await (await fetch(`${origin}/about`)).text()).toContain('Who we are');
        });
      } finally {
        await stop();
      }
    },
  );

  it.each(Object.entries(PROGRAMS))('with %s reads entries, images and authors', async (name, program) => {
    const dir = site.file(name);
    const file = path.join(dir, program.code.includes('require(') ? 'read.cjs' : 'read.mjs');
    mkdirSync(dir);
    writeFileSync(path.join(dir, 'package.json'), '{}');
    writeFileSync(file, program.code);
    const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--legacy-peer-deps'];
    const installed = await run('npm', ['install', ...flags, ...program.packages], dir);
    expect(installed.code, installed.output).toBe(0);
    const { code, output } = await run(process.execPath, [file], dir, {
      ...env,
      CONTENT_ORIGIN: server.origin,
    });
    expect(code, output).toBe(0);
    expect(JSON.parse(output.trim().split('\n').at(-1) ?? '')).toEqual(program.printed);
  });

  it('of Astro, with drupal-jsonapi-params and jsona, shows images and authors', async () => {
    const other = emptySite('astro-front');
    writeFiles(other, { ...ASTRO_FRONT });
    await build(other, { CONTENT_ORIGIN: server.origin });
    const page = readFileSync(other.file('dist/index.html'), 'utf8');
    other.remove();
    expect(page.match(/<h2>.*?<\/p>/gs)).toEqual([
      '<h2><a href="/articles/tides">How the tides work</a></h2><p>Ada Lovelace</p>',
      '<h2><a href="/articles/nobody">Without a picture</a></h2><p>Nobody</p>',
    ]);
    expect(page).toContain('The moon pulls the <strong>sea</strong>.');
    const [, src = '', alt] = /<img src="([^"]+)" alt="([^"]+)"/.exec(page) ?? [];
    expect(alt).toBe('A beach at low tide');
    expect((await fetch(src)).headers.get('content-type')).toBe('image/png');
  });
});

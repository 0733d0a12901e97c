import { rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addAccounts } from '../support/accounts.ts';
import { eventually } from '../support/eventually.ts';
import { runGit, startRepository } from '../support/git-site.ts';
import { build, emptySite, REPOSITORY, type Served, type Site, serve, serveFiles } from './site.ts';

const FILES: Readonly<Record<string, string>> = {
  'astro.config.mjs': `import node from '@astrojs/node';
import jsonapi from 'astro-jsonapi';
export default {
  ...(process.env.SERVER && { adapter: node({ mode: 'standalone' }) }),
  integrations: [jsonapi({
    editing: { git: true },
    bundles: { post: { alias: '/posts/[id]' } },
    deploy: JSON.parse(process.env.DEPLOY),
  })],
};
`,
  'src/pages/index.astro': '<p>Home</p>\n',
  'src/pages/[...path].astro': `---
import { entities } from 'astro-jsonapi:content';
export const getStaticPaths = async () =>
  (await entities('post').all()).map((post) => ({ params: { path: post.path.alias.slice(1) }, props: { post } }));
const { post } = Astro.props;
if (post.title === 'Broken') throw new Error('The template does not like this title.');
---
<h1>{post.title}</h1>
`,
  'content/post/apple.md': '---\ntitle: Apple\n---\n',
  'content/post/plum.md': '---\ntitle: Plum\n---\n',
  'content/person/jane.md': '---\ntitle: Jane\n---\n',
  // The host publishes a build that has ended.
  'publish.mjs': `import { renameSync, rmSync } from 'node:fs';
rmSync('live', { recursive: true, force: true });
renameSync('made', 'live');
`,
  '.gitignore': 'dist*\nlive\nmade\n.astro*\naccounts*\nnode_modules\n',
};

describe('what is live, on a built server whose command builds a static site', () => {
  let site: Site;
  let host: Served;
  let server: Served;
  let headers: Readonly<Record<string, string>>;
  const git = (...args: readonly string[]) => runGit(site.dir, args);

  beforeAll(async () => {
    site = emptySite('deploy-walk');
    startRepository(site.dir, FILES);
    host = await serveFiles(site.file('live'));
    const astro = path.join(REPOSITORY, 'node_modules/astro/bin/astro.mjs');
    const command = `node ${astro} build --outDir made && node publish.mjs`;
    const DEPLOY = JSON.stringify({ url: host.origin, command });
    await build(site, { DEPLOY, SERVER: 'node' });
    const file = site.file('accounts.json');
    const { eddi } = await addAccounts(file, { eddi: { roles: ['editor'] } });
    headers = { authorization: `Bearer ${eddi}`, 'content-type': 'application/vnd.api+json' };
    server = await serve(site, { JSONAPI_ACCOUNTS: file, DEPLOY });
  });
  afterAll(async () => {
    await server?.stop();
    await host?.stop();
    site?.remove();
  });

  const send = (method: string, below: string, data?: object) =>
    fetch(`${server.origin}/jsonapi/${below}`, {
      method,
      headers,
      ...(data && { body: JSON.stringify({ data }) }),
    });
  async function change(id: string, attributes: object): Promise<void> {
    const { status } = await send('PATCH', `node/post/${id}`, { type: 'node--post', id, attributes });
    expect(status).toBeLessThan(300);
    await eventually(() => expect(git('status', '--porcelain', 'content')).toBe(''));
  }
  async function read(below = '') {
    const { data } = await (await send('GET', `_deploy${below}`)).json();
    return data.attributes;
  }
  const entry = (id: string, bundle = 'post') => read(`/node/${bundle}/${id}`);
  /** The status of the address that *View on site* opens; undefined without the link. */
  async function view(id: string, bundle = 'post') {
    const { page } = await entry(id, bundle);
    return page?.exists === true ? (await fetch(page.url)).status : undefined;
  }
  async function publish(): Promise<string> {
    expect((await send('POST', '_deploy')).status).toBeLessThan(300);
    let state = '';
    await eventually(async () => {
      ({ state } = (await read()).build);
      expect(['live', 'failed']).toContain(state);
    });
    return state;
  }

  it('is nothing before the first build', async () => {
    expect(await read()).toMatchObject({ live: null, problem: 'none', waiting: 0, build: null });
    expect([await view('apple'), await view('jane', 'person')]).toEqual([undefined, undefined]);
    expect(await publish()).toBe('live');
    const { live, committed, changes, build: last } = await read();
    expect(live.commit).toBe(git('rev-parse', 'HEAD'));
    expect([changes, committed.commit, last.commit]).toEqual([0, live.commit, live.commit]);
  });

  it('is a change after it is saved, committed and built, and the link follows its address', async () => {
    expect(await entry('apple')).toMatchObject({ isCommitted: true, isLive: true, isVisible: true });
    await change('apple', { title: 'Pear', path: { alias: '/pear' } });
    expect(await entry('apple')).toMatchObject({
      isCommitted: true,
      isLive: false,
      isVisible: true,
      page: { url: `${host.origin}/posts/apple`, exists: true },
    });
    // The entry, and the redirect from its old address.
    expect([(await read()).changes, await view('apple')]).toEqual([2, 200]);
    expect(await publish()).toBe('live');
    expect(await entry('apple')).toMatchObject({
      isLive: true,
      page: { url: `${host.origin}/pear`, exists: true },
    });
    expect(await (await fetch(`${host.origin}/pear`)).text()).toContain('Pear');
  });

  it('is never a dead link: new, unpublished, without a page', async () => {
    await send('POST', 'node/post', {
      type: 'node--post',
      id: 'sloe',
      attributes: { title: 'Sloe', status: true },
    });
    await change('plum', { status: false });
    expect(await entry('sloe')).toMatchObject({ isPublished: true, isLive: false, isVisible: false });
    expect(await view('sloe')).toBeUndefined();
    expect(await entry('plum')).toMatchObject({ isPublished: false, isLive: false, isVisible: true });
    expect(await view('plum')).toBe(200);
    expect(await view('jane', 'person')).toBeUndefined();
    expect(await publish()).toBe('live');
    expect([await view('sloe'), await view('plum'), await view('jane', 'person')]).toEqual([
      200,
      undefined,
      undefined,
    ]);
  });

  it('stays as it was if a build fails, which is said with its last lines', async () => {
    const { live } = await read();
    await change('sloe', { title: 'Broken' });
    expect(await publish()).toBe('failed');
    const { build: failed, live: after } = await read();
    expect(failed.lines.join('\n')).toContain('The template does not like this title.');
    expect(after).toEqual(live);
    expect(await entry('sloe')).toMatchObject({ isLive: false, isVisible: true });
    expect(await view('sloe')).toBe(200);
    await change('sloe', { title: 'Sloes' });
    expect(await publish()).toBe('live');
    expect(await entry('sloe')).toMatchObject({ isLive: true });
    rmSync(site.file('live'), { recursive: true });
    await eventually(async () => expect((await read()).problem).toBe('none'));
  });
});

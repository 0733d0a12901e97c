import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Builds, createBuilds } from '../../../integration/features/deploy/builds.ts';
import { createLiveSite } from '../../../integration/features/deploy/live-site.ts';
import type { DeployOptions } from '../../../integration/features/deploy/options.ts';
import { runCommand } from '../../../integration/features/deploy/run-command.ts';
import { eventually } from '../../support/eventually.ts';
import { createGitSite, type GitSite, type OpenSite } from '../../support/git-site.ts';
import { parseOptions } from '../../support/options.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const FILES = {
  'article/moon.md': '---\ntitle: The moon\npath: /moon\n---\n',
  'article/tide.md': '---\ntitle: The tide\npath: /tide\n---\n',
  'article/later.md': '---\ntitle: Later\npath: /later\npublish_on: 2026-03-01T12:00:00Z\n---\n',
};
const MOON = '/jsonapi/_deploy/node/article/moon';
const ENTRY = '/jsonapi/node/article/moon';

/** The host of the published site. */
let host: Server;
let origin: string;
/** The text of its `build.json`; undefined for none. */
let build: string | undefined;
/** The pages that it has. */
let pages: Set<string>;
let requests: string[];
/** How it responds to the hook. */
let hook: (() => number) | undefined;
/** Replaces all responses. */
let respond:
  | ((url: string) => { status: number; headers?: Record<string, string>; body?: string })
  | undefined;

let site: GitSite;
let open: OpenSite;

beforeEach(async () => {
  [build, pages, requests, hook, respond] = [undefined, new Set(), [], undefined, undefined];
  host = createServer((request, response) => {
    const { method, url = '' } = request;
    requests.push(`${method} ${url}`);
    const special = respond?.(url);
    if (special !== undefined) return response.writeHead(special.status, special.headers).end(special.body);
    if (url.startsWith('/hook')) return response.writeHead(hook?.() ?? 404).end();
    if (url === '/jsonapi/build.json' && build !== undefined) return response.end(build);
    return response.writeHead(pages.has(url) ? 200 : 404).end('page');
  });
  host.listen(0, '127.0.0.1');
  await once(host, 'listening');
  origin = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
  site = await createGitSite(FILES);
});
afterEach(async () => {
  await site.remove();
  vi.unstubAllEnvs();
  host.closeAllConnections();
  host.close();
});

/** Opens the server of the site. */
async function start(deploy: DeployOptions = {}): Promise<void> {
  open = await site.open({ git: true, deploy: { url: origin, ...deploy } });
}

/** The host publishes the newest commit. */
function publish(...paths: readonly string[]): void {
  build = JSON.stringify({ commit: site.git('rev-parse', 'HEAD'), time: new Date().toISOString() });
  pages = new Set(paths);
}

const attributesOf = async (address: string) => (await open.send('GET', address)).json.data.attributes;
const siteState = () => attributesOf('/jsonapi/_deploy');
const moonState = () => attributesOf(MOON);

async function committed(): Promise<void> {
  await eventually(() => expect(site.git('status', '--porcelain')).toBe(''));
}

async function rename(title: string): Promise<void> {
  const body = { data: { type: 'node--article', id: 'moon', attributes: { title } } };
  expect((await open.send('PATCH', ENTRY, body)).status).toBe(200);
}

describe('live content', () => {
  it('is an entry that the build of the published site contains as it is stored', async () => {
    publish('/moon');
    await start();
    expect(await moonState()).toMatchObject({
      isCommitted: true,
      isLive: true,
      committed: { commit: site.git('rev-parse', 'HEAD') },
      page: { url: `${origin}/moon`, exists: true },
    });
    expect(await siteState()).toMatchObject({ url: `${origin}/`, changes: 0, waiting: 0, problem: null });
  });

  it('is not a change that was saved, nor one that was committed, until it is built', async () => {
    publish('/moon');
    await start();
    await rename('The new moon');
    await committed();
    expect(await moonState()).toMatchObject({
      isCommitted: true,
      isLive: false,
      page: { url: `${origin}/moon`, exists: true },
    });
    expect(await siteState()).toMatchObject({ changes: 1, waiting: 0 });
    site.write('content/article/moon.md', '---\ntitle: By hand\npath: /moon\n---\n');
    expect(await moonState()).toMatchObject({ isCommitted: false, isLive: false });
    expect(await siteState()).toMatchObject({ changes: 1, waiting: 1 });
    site.git('commit', '-qam', 'By hand');
    publish('/moon');
    await eventually(async () => expect(await moonState()).toMatchObject({ isLive: true }));
    expect(await siteState()).toMatchObject({ changes: 0 });
  });

  it('is an entry that was changed and has the text of the build again', async () => {
    publish('/moon');
    await start();
    await rename('The new moon');
    await committed();
    expect(await moonState()).toMatchObject({ isLive: false });
    await rename('The moon');
    await committed();
    expect(await moonState()).toMatchObject({ isCommitted: true, isLive: true });
    expect(await siteState()).toMatchObject({ changes: 0, waiting: 0 });
  });

  it('is not a new entry without a commit', async () => {
    publish('/moon');
    site.write('content/article/new.md', '---\ntitle: New\npath: /new\n---\n');
    await start();
    expect(await attributesOf('/jsonapi/_deploy/node/article/new')).toMatchObject({
      ...{ committed: null, isCommitted: false, isLive: false, page: null },
    });
    expect(await siteState()).toMatchObject({ changes: 1, waiting: 1 });
  });

  it('leads to no page that the published site does not have', async () => {
    publish('/tide');
    await start();
    expect(await moonState()).toMatchObject({ isLive: true, page: { exists: false } });
    const data = { type: 'node--article', attributes: { title: 'New', path: { alias: '/new' } } };
    const { json } = await open.send('POST', '/jsonapi/node/article', { data });
    await committed();
    expect(await attributesOf(`/jsonapi/_deploy/node/article/${json.data.id}`)).toMatchObject({
      isLive: false,
      page: null,
    });
  });

  it('leads to the address that the page has on the published site', async () => {
    publish('/moon');
    await start();
    const attributes = { path: { alias: '/the-moon' } };
    await open.send('PATCH', ENTRY, { data: { type: 'node--article', id: 'moon', attributes } });
    await committed();
    expect(await moonState()).toMatchObject({
      isLive: false,
      page: { url: `${origin}/moon`, exists: true },
    });
  });

  it('is not an entry whose publication began after the build', async () => {
    build = JSON.stringify({ commit: site.git('rev-parse', 'HEAD'), time: '2026-03-01T11:00:00.000Z' });
    await start();
    const later = '/jsonapi/_deploy/node/article/later';
    expect(await attributesOf(later)).toMatchObject({ isLive: false, page: null });
    publish('/later');
    await eventually(async () =>
      expect(await attributesOf(later)).toMatchObject({ isLive: true, page: { exists: true } }),
    );
  });

  it.each([
    ['a draft', 'status: false'],
    ['an entry that is scheduled', 'publish_on: 2099-01-01T00:00:00Z'],
    ['an entry whose publication has ended', 'unpublish_on: 2020-01-01T00:00:00Z'],
  ])('is not %s, neither before nor after a build', async (_, line) => {
    publish();
    site.write('content/article/secret.md', `---\ntitle: Secret\npath: /secret\n${line}\n---\n`);
    site.git('add', '-A');
    site.git('commit', '-qm', 'Secret');
    await start();
    const secret = () => attributesOf('/jsonapi/_deploy/node/article/secret');
    const expected = { isPublished: false, isLive: false, isVisible: false, page: null };
    expect(await secret()).toMatchObject(expected);
    publish();
    const commit = site.git('rev-parse', 'HEAD');
    await eventually(async () => expect(await secret()).toMatchObject({ live: { commit }, ...expected }));
  });

  it('is visible until the next build after its publication has ended', async () => {
    publish('/moon');
    await start();
    expect(await moonState()).toMatchObject({ isPublished: true, isVisible: true });
    const data = { type: 'node--article', id: 'moon', attributes: { status: false } };
    expect((await open.send('PATCH', ENTRY, { data })).status).toBe(200);
    await committed();
    expect(await moonState()).toMatchObject({
      ...{ isPublished: false, isLive: false, isVisible: true },
      page: { exists: true },
    });
    publish();
    await eventually(async () => expect(await moonState()).toMatchObject({ isVisible: false, page: null }));
  });

  it('does not count new drafts, deleted drafts and the bin as changes of the site', async () => {
    publish();
    await start();
    const data = { type: 'node--article', attributes: { title: 'Draft', status: false } };
    await open.send('POST', '/jsonapi/node/article', { data });
    await committed();
    expect(await siteState()).toMatchObject({ changes: 0 });
    expect((await open.send('DELETE', ENTRY)).status).toBe(204);
    await committed();
    expect(await siteState()).toMatchObject({ changes: 1 });
  });

  it('counts a moved file once, and neither drafts nor scheduled entries that are new or moved', async () => {
    const text = (title: string, line = '') =>
      `---\nid: ${title}\ntitle: ${title}\n${line}---\n${`The text of ${title}.\n`.repeat(9)}`;
    site.write('content/article/one.md', text('one'));
    site.write('content/article/two.md', text('two'));
    site.write('content/article/secret.md', text('secret', 'status: false\n'));
    site.write('content/article/soon.md', text('soon', 'publish_on: 2099-01-01T00:00:00Z\n'));
    site.write('content/article/over.md', text('over', `unpublish_on: ${new Date().toISOString()}\n`));
    site.git('add', '-A');
    site.git('commit', '-qm', 'Entries');
    const commit = site.git('rev-parse', 'HEAD');
    build = JSON.stringify({ commit, time: '2026-03-01T11:00:00.000Z' });
    await start();
    expect(await siteState()).toMatchObject({ changes: 0 });
    for (const name of ['one', 'two', 'secret', 'soon'])
      site.git('mv', `content/article/${name}.md`, `content/article/moved-${name}.md`);
    site.write('content/article/later-draft.md', text('later-draft', 'status: false\n'));
    site.write('content/article/later-soon.md', text('later-soon', 'publish_on: 2099-01-01T00:00:00Z\n'));
    site.write('content/article/moved-two.md', text('two').replace('title: two', 'title: The second'));
    site.git('add', '-A');
    site.git('commit', '-qm', 'Move');
    expect(site.git('diff', '--name-only', '--no-renames', commit).split('\n')).toHaveLength(10);
    await start();
    expect(await siteState()).toMatchObject({ changes: 2 });
    site.git('mv', 'content/article/over.md', 'content/article/moved-over.md');
    await start();
    // Visitors of the build see it.
    expect(await siteState()).toMatchObject({ changes: 3 });
  });

  it('is answered for a repository without a commit', async () => {
    site.git('update-ref', '-d', 'HEAD');
    await start();
    expect(await siteState()).toMatchObject({ committed: null, changes: null });
    expect(await moonState()).toMatchObject({ isCommitted: false, committed: null, isLive: null });
  });

  it('is unknown if the published site does not say its commit, or one that this server does not have', async () => {
    await start();
    expect(await siteState()).toMatchObject({ live: null, problem: 'none', changes: null });
    expect(await moonState()).toMatchObject({ isLive: null, page: { exists: false } });
    build = JSON.stringify({ commit: 'a'.repeat(40), time: new Date().toISOString() });
    pages = new Set(['/moon']);
    await eventually(async () =>
      expect(await siteState()).toMatchObject({ live: { commit: 'a'.repeat(40) }, changes: null }),
    );
    expect(await moonState()).toMatchObject({ isLive: null, page: { exists: true } });
  });
});

describe('the request to the published site', () => {
  const ask = () => createLiveSite(origin, '/jsonapi/build.json').build();
  const other = 'http://localhost.invalid/build.json';

  it.each<[string, typeof respond, string]>([
    ['an error', () => ({ status: 500 }), 'unreachable'],
    ['a redirect to another host', () => ({ status: 302, headers: { location: other } }), 'unreachable'],
    ['redirects without end', () => ({ status: 302, headers: { location: '/again' } }), 'unreachable'],
    ['a page', () => ({ status: 200, body: '<!doctype html>' }), 'none'],
    ['a long body', () => ({ status: 200, body: '{'.repeat(20_000) }), 'unreachable'],
    ['a hash that is none', () => ({ status: 200, body: '{"commit":"--all","time":"now"}' }), 'none'],
  ])('survives %s', async (_, answer, expected) => {
    respond = answer;
    expect(await ask()).toBe(expected);
  });

  it('follows a redirect to the same host', async () => {
    publish();
    respond = (url) =>
      url.endsWith('build.json')
        ? { status: 301, headers: { location: '/other' } }
        : { status: 200, ...(build && { body: build }) };
    expect(await ask()).toMatchObject({ commit: site.git('rev-parse', 'HEAD') });
  });

  it('is not sent for each person who asks', async () => {
    publish();
    await start();
    await Promise.all([siteState(), siteState(), siteState()]);
    expect(requests).toEqual(['GET /jsonapi/build.json']);
  });
});

describe('who may see and publish', () => {
  it('are accounts that change entries; only those that publish start builds', async () => {
    await site.remove();
    site = await createGitSite(FILES, 'content', ['writer']);
    publish('/moon');
    const fields = { change: { except: ['status'] } };
    const roles = {
      writer: { permissions: [{ actions: ['view', 'update'] as const, bundles: '*' as const, fields }] },
    };
    open = await site.open({ git: true, deploy: { url: origin, command: 'true' }, roles });
    for (const address of ['/jsonapi/_deploy', MOON]) {
      expect((await open.send('GET', address, undefined, null)).status).toBe(401);
      expect((await open.send('GET', address, undefined, 'tom')).status).toBe(200);
    }
    expect((await open.send('GET', '/jsonapi/_deploy', undefined, 'tom')).json.data.meta).toEqual({
      mayBuild: false,
    });
    expect((await open.send('POST', '/jsonapi/_deploy', undefined, null)).status).toBe(401);
    expect((await open.send('POST', '/jsonapi/_deploy', undefined, 'tom')).status).toBe(403);
    for (const method of ['PUT', 'PATCH', 'DELETE'])
      expect((await open.send(method, '/jsonapi/_deploy')).status).toBe(405);
    expect((await open.send('GET', '/jsonapi/_deploy')).json.data.attributes.build).toBeNull();
    expect((await open.send('POST', '/jsonapi/_deploy')).status).toBe(200);
  });

  it('are not visitors with an account, to whom no commit, count or output is shown', async () => {
    await site.remove();
    site = await createGitSite(FILES, 'content', ['reader']);
    open = await site.open({ git: true, deploy: { url: origin }, roles: { reader: {} } });
    for (const address of ['/jsonapi/_deploy', MOON, '/jsonapi/_deploy/node/article/missing']) {
      expect((await open.send('GET', address, undefined, 'tom')).status).toBe(403);
    }
  });

  it('see neither commits nor counts nor output if they do not see all entries', async () => {
    await site.remove();
    site = await createGitSite(FILES, 'content', ['own']);
    publish('/moon');
    const roles = {
      own: {
        permissions: [{ actions: ['view', 'update'] as const, bundles: '*' as const, where: 'own' as const }],
      },
    };
    open = await site.open({ git: true, deploy: { url: origin, command: 'echo secret; exit 3' }, roles });
    await open.send('POST', '/jsonapi/_deploy');
    await eventually(async () => expect((await siteState()).build.state).toBe('failed'));
    const { json } = await open.send('GET', '/jsonapi/_deploy', undefined, 'tom');
    expect(json.data.attributes).toMatchObject({
      ...{ committed: null, waiting: null, changes: null },
      build: { state: 'failed', commit: null, problem: null, lines: [] },
    });
    expect((await open.send('GET', MOON, undefined, 'tom')).status).toBe(403);
    expect((await open.send('GET', `${MOON}-missing`, undefined, 'tom')).status).toBe(404);
  });

  it('see saved and committed changes without the option, but cannot start a build', async () => {
    open = await site.open({ git: true });
    expect(await siteState()).toMatchObject({
      url: null,
      live: null,
      problem: null,
      waiting: 0,
      build: null,
    });
    expect(await moonState()).toMatchObject({ isCommitted: true, isLive: null, page: null });
    expect((await open.send('POST', '/jsonapi/_deploy')).status).toBe(409);
    expect(requests).toEqual([]);
  });
});

describe('a build', () => {
  it('by a command is running, then built, then live', async () => {
    publish('/moon');
    await start({ command: 'git rev-parse HEAD > built.txt && sleep 0.3 && echo done' });
    await rename('The new moon');
    expect((await open.send('POST', '/jsonapi/_deploy')).status).toBe(200);
    await eventually(async () => expect((await siteState()).build.state).toBe('running'));
    await eventually(async () => expect((await siteState()).build.state).toBe('built'));
    expect(site.git('show', '--format=%s', '-s', (await siteState()).build.commit)).toBe(
      'Update article "The new moon"',
    );
    publish('/moon');
    await eventually(async () => expect((await siteState()).build.state).toBe('live'));
    expect(await siteState()).toMatchObject({ changes: 0, build: { by: 'command', problem: null } });
  });

  it('that fails shows the last lines of its output, without colors', async () => {
    await start({ command: `node -e "console.log('x'.repeat(50) + '\\x1b[31mred'); process.exit(7)"` });
    await open.send('POST', '/jsonapi/_deploy');
    await eventually(async () =>
      expect((await siteState()).build).toMatchObject({
        state: 'failed',
        problem: 'The command ended with 7.',
        lines: [`${'x'.repeat(50)}red`],
      }),
    );
    expect(open.lines).toContain('warn The site cannot be built. The command ended with 7.');
  });

  it('by a deploy hook is live when the host has published it', async () => {
    vi.stubEnv('DEPLOY_HOOK', `${origin}/hook?secret=abc`);
    publish('/moon');
    hook = () => 201;
    await start({ hook: 'env:DEPLOY_HOOK' });
    await rename('The new moon');
    await open.send('POST', '/jsonapi/_deploy');
    await eventually(() => expect(requests).toContain('POST /hook?secret=abc'));
    expect((await siteState()).build).toMatchObject({ state: 'running', by: 'hook' });
    publish('/moon');
    await eventually(async () => expect((await siteState()).build.state).toBe('live'));
  });

  it('fails if the host refuses it, and never shows the address of the hook', async () => {
    vi.stubEnv('DEPLOY_HOOK', `${origin}/hook?secret=abc`);
    hook = () => 403;
    await start({ hook: 'env:DEPLOY_HOOK' });
    await open.send('POST', '/jsonapi/_deploy');
    await eventually(async () =>
      expect((await siteState()).build).toMatchObject({
        state: 'failed',
        problem: 'The deploy hook responded with 403.',
      }),
    );
    expect(JSON.stringify([(await open.send('GET', '/jsonapi/_deploy')).json, open.lines])).not.toContain(
      'abc',
    );
  });

  it.each<[string, string | undefined, DeployOptions, string]>([
    ['neither', undefined, {}, 'It has neither deploy.hook nor deploy.command.'],
    [
      'a variable that is not set',
      undefined,
      { hook: 'env:DEPLOY_HOOK' },
      'Option deploy.hook: the environment variable DEPLOY_HOOK is not set.',
    ],
    [
      'a variable that is not a URL',
      'host.example/secret',
      { hook: 'env:DEPLOY_HOOK' },
      'Option deploy.hook: the environment variable DEPLOY_HOOK is not an http or https URL.',
    ],
  ])('cannot be started with %s, and the response has the reason', async (_, value, option, reason) => {
    vi.stubEnv('DEPLOY_HOOK', value);
    await start(option);
    const { status, json } = await open.send('POST', '/jsonapi/_deploy');
    expect(status).toBe(409);
    expect(json.errors[0]).toMatchObject({
      code: 'no-builds',
      detail: `This server cannot start builds. ${reason}`,
    });
    const warnings = open.lines.filter((line) => line.includes('deploy'));
    expect(warnings).toEqual('hook' in option ? [`warn ${reason} Builds cannot be started.`] : []);
    expect(JSON.stringify([json, open.lines])).not.toContain('secret');
    expect((await open.send('GET', '/jsonapi/_deploy')).json.data.meta).toEqual({ mayBuild: false });
  });
});

describe('the queue of builds', () => {
  const opened: Builds[] = [];
  afterEach(async () => {
    for (const each of opened.splice(0)) await each.close();
  });

  function queue(command: string, folder: string, times = {}) {
    const builds = createBuilds({
      how: { command, folder },
      live: async () => 'none',
      newest: async () => undefined,
      contains: async () => undefined,
      isBusy: () => false,
      log: { info: () => undefined, warn: () => undefined },
      now: Date.now,
      times: { lookMs: 10, ...times },
    });
    opened.push(builds);
    return builds;
  }

  it('runs one build at a time, and one more for all requests during a build', async () => {
    const folder = temporaryFolder();
    const builds = queue(
      'test ! -e running && touch running && echo x >> built && sleep 0.2 && rm running',
      folder,
    );
    for (let count = 0; count < 5; count++) builds.start();
    expect(builds.last()?.isAskedAgain).toBe(true);
    const built = async () => (await runCommand('cat built', folder, 5000).result).lines;
    await eventually(async () => expect(await built()).toEqual(['x', 'x']));
    await eventually(() => expect(builds.last()).toMatchObject({ state: 'built', isAskedAgain: false }));
    expect(await built()).toEqual(['x', 'x']);
  });

  it('ends a command that takes too long, with all that it has started', async () => {
    const folder = temporaryFolder();
    const builds = queue('(sleep 1; touch late) & wait', folder, { limitMs: 100 });
    builds.start();
    await eventually(() => expect(builds.last()).toMatchObject({ state: 'failed' }));
    await new Promise((done) => setTimeout(done, 1200));
    expect((await runCommand('ls', folder, 5000).result).lines).toEqual([]);
  });

  it('ends the command when the server stops', async () => {
    const builds = queue('sleep 30', temporaryFolder());
    builds.start();
    await eventually(() => expect(builds.last()?.state).toBe('running'));
    const before = performance.now();
    await builds.close();
    expect(performance.now() - before).toBeLessThan(5000);
  });

  it.each(['SIGTERM', 'SIGKILL'] as const)('ends the command when %s ends the server', async (signal) => {
    const folder = temporaryFolder();
    const module = JSON.stringify(path.resolve('integration/features/deploy/run-command.ts'));
    const command = '(touch begun; sleep 1; touch late) & wait';
    const code = `import { runCommand } from ${module};
      runCommand(${JSON.stringify(command)}, ${JSON.stringify(folder)}, 60000);`;
    const server = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: 'inherit' });
    const ended = once(server, 'exit');
    await eventually(() => expect(existsSync(path.join(folder, 'begun'))).toBe(true));
    server.kill(signal);
    expect(await ended).toEqual([null, signal]);
    await new Promise((done) => setTimeout(done, 1200));
    expect((await runCommand('ls', folder, 5000).result).lines).toEqual(['begun']);
  });

  it('leaves what a command has started in the background', async () => {
    const folder = temporaryFolder();
    const command = '(sleep 0.3; touch later) > /dev/null 2>&1 & cat';
    expect(await runCommand(command, folder, 5000).result).toEqual({ problem: undefined, lines: [] });
    await eventually(() => expect(existsSync(path.join(folder, 'later'))).toBe(true));
  });

  it('waits for the build of another server in the same folder', async () => {
    const folder = temporaryFolder();
    const command = 'test ! -e running && touch running && echo x >> built && sleep 0.2 && rm running';
    const [first, second] = [queue(command, folder), queue(command, folder)];
    first.start();
    await eventually(() => expect(first.last()?.state).toBe('running'));
    expect(second.start().state).toBe('waiting');
    await eventually(() =>
      expect([first, second].map((each) => each.last()?.state)).toEqual(['built', 'built']),
    );
    expect((await runCommand('cat built', folder, 5000).result).lines).toEqual(['x', 'x']);
  });

  it('does not keep a server that stops from ending while it waits', async () => {
    const folder = temporaryFolder();
    const [first, second] = [queue('sleep 30', folder), queue('touch second', folder, { lookMs: 30_000 })];
    first.start();
    await eventually(() => expect(first.last()?.state).toBe('running'));
    second.start();
    await second.close();
    await first.close();
    expect(existsSync(path.join(folder, 'second'))).toBe(false);
  });

  it('says so if the host does not publish', async () => {
    hook = () => 200;
    const builds = createBuilds({
      how: { hook: `${origin}/hook` },
      live: async () => 'none',
      newest: async () => undefined,
      contains: async () => undefined,
      isBusy: () => false,
      log: { info: () => undefined, warn: () => undefined },
      now: Date.now,
      times: { lookMs: 10, limitMs: 50 },
    });
    opened.push(builds);
    builds.start();
    await eventually(() => expect(builds.last()?.state).toBe('late'));
  });

  it('keeps the last 40 lines of an output', async () => {
    const { lines } = await runCommand('seq 1 1000', temporaryFolder(), 5000).result;
    expect([lines.length, lines.at(0), lines.at(-1)]).toEqual([40, '961', '1000']);
  });
});

describe('option deploy', () => {
  it.each([
    [{ hook: 'https://host.example/secret' }, 'deploy.hook'],
    [{ url: 'https://example.com/path' }, 'deploy.url'],
    [{ hook: 'env:HOOK', command: 'true' }, 'deploy'],
  ])('rejects %j', (deploy, option) => {
    const parse = () => parseOptions({ deploy });
    expect(parse).toThrow(option);
    expect(parse).not.toThrow('secret');
  });
});

import { describe, expect, it, vi } from 'vitest';
import { ADMINISTRATOR } from '../../../integration/core/access/actor.ts';
import { createCollector } from '../../../integration/core/content/collect.ts';
import type { WritableDriver } from '../../../integration/core/storage/driver.ts';
import { digestBytes } from '../../../integration/core/util/revision.ts';
import { type ForgeDriverDeps, openForgeDriver } from '../../../integration/features/forge/driver.ts';
import { openForge } from '../../../integration/features/forge/open-forge.ts';
import { eventually } from '../../support/eventually.ts';
import {
  createForgeHost,
  DIALECTS,
  type ForgeHost,
  inContent,
  NAME,
  openContentOn,
  TOKEN,
} from '../../support/forge-host.ts';
import { createHandler } from '../../support/handler.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { fetchFrom } from '../../support/request.ts';
import { createServices } from '../../support/services.ts';

const FILES = {
  'article/moon.md': '---\ntitle: Moon\n---\nRises.\n',
  'article/sea.md': '---\ntitle: Sea\n---\n',
};
const MOON = 'content/article/moon.md';

const bytes = (text: string) => new TextEncoder().encode(text);
const revision = (text: string) => digestBytes(bytes(text));
const isChange = ({ method }: Request) => method !== 'GET' && method !== 'HEAD';
const text = async (driver: WritableDriver, key: string) =>
  new TextDecoder().decode((await driver.read(key)) ?? bytes('none'));

describe.each(DIALECTS)('a repository on %s', (dialect) => {
  const newHost = (files: Readonly<Record<string, string | Uint8Array>> = FILES) =>
    createForgeHost(dialect, inContent(files));

  async function openLogged(host: ForgeHost, deps: Partial<ForgeDriverDeps> = {}) {
    const lines: string[] = [];
    const log = { info: (line: string) => lines.push(line), warn: (line: string) => lines.push(line) };
    return { driver: await openContentOn(dialect, host, { log, ...deps }), lines };
  }

  async function openSite(host: ForgeHost, deps: Partial<ForgeDriverDeps> = {}) {
    const driver = await openContentOn(dialect, host, deps);
    const handle = createHandler(await createServices(driver, undefined, { writable: {} }));
    const send = (method: string, path: string, init = {}) =>
      fetchFrom(handle, path, { method, actor: ADMINISTRATOR, ...init });
    const patch = (title: string, headers = {}) => {
      const data = { type: 'node--article', id: 'moon', attributes: { title } };
      return send('PATCH', '/jsonapi/node/article/moon', { body: { data }, headers });
    };
    return { driver, send, patch };
  }

  it('has each change as one commit by its account, on top of the others', async () => {
    const host = newHost();
    const { patch, send } = await openSite(host);
    host.commit({ 'README.md': 'Not content' });
    expect((await patch('Full moon')).status).toBe(200);
    expect(host.read(MOON)).toBe('---\ntitle: Full moon\n---\nRises.\n');
    expect(host.git('log', '-1', '--format=%an <%ae> %s')).toBe(
      'administrator <administrator@users.noreply.invalid> Update article "Full moon"',
    );
    expect((await send('DELETE', '/jsonapi/node/article/sea')).status).toBe(204);
    const [readme, inBin = '', ...others] = host.files().filter((file) => !file.endsWith('entries.jsonl'));
    expect([readme, ...others]).toEqual(['README.md', 'content/_gone.jsonl', MOON]);
    expect(inBin).toMatch(/^content\/\.bin\/node--article\/sea-[0-9a-f]{8}\.md$/);
    expect(host.git('rev-list', '--count', 'main')).toBe('4');
    expect(host.git('fsck', '--strict')).toBe('');
  });

  it('makes all changes of a request in one commit', async () => {
    const host = newHost();
    const { send } = await openSite(host);
    const operation = (id: string) => ({
      op: 'update',
      data: { type: 'node--article', id, attributes: { title: `New ${id}` } },
    });
    const response = await send('POST', '/jsonapi/operations', {
      body: { 'atomic:operations': [operation('moon'), operation('sea')] },
      headers: { 'content-type': 'application/vnd.api+json;ext="https://jsonapi.org/ext/atomic"' },
    });
    expect(response.status).toBe(200);
    expect(host.git('log', '-1', '--name-only', '--format=%B').split('\n')).toEqual([
      'Change content (2 changes)',
      '',
      '- Update article "New moon"',
      '- Update article "New sea"',
      '',
      '',
      MOON,
      'content/article/sea.md',
    ]);
  });

  it('stores any bytes, and keeps the mode of a file', async () => {
    const host = newHost();
    const driver = await openContentOn(dialect, host);
    const image = new Uint8Array([0x89, 0x50, 0, 0xff, 0xfe]);
    const marked = bytes('\ufeffwith a byte order mark');
    await driver.writeAll([
      { key: 'article/a.png', bytes: image, ifRevision: null },
      { key: 'article/b.md', bytes: marked, ifRevision: null },
    ]);
    const other = await openContentOn(dialect, host);
    expect([...((await other.read('article/a.png')) ?? [])]).toEqual([...image]);
    expect([...((await other.read('article/b.md')) ?? [])]).toEqual([...marked]);
  });

  it('repeats a change on top of a commit that came in between', async () => {
    const host = newHost();
    const { patch } = await openSite(host);
    host.before = (request) => {
      if (!isChange(request)) return undefined;
      host.before = undefined;
      host.commit({ [MOON]: '---\ntitle: Moon\n---\nOf another person.\n' });
      return undefined;
    };
    expect((await patch('Full moon')).status).toBe(200);
    expect(host.read(MOON)).toBe('---\ntitle: Full moon\n---\nOf another person.\n');
  });

  it('refuses a change of an outdated version (412)', async () => {
    const host = newHost();
    const { send, patch } = await openSite(host);
    const { data } = await (await send('GET', '/jsonapi/node/article/moon')).json();
    host.before = (request) => {
      if (!isChange(request)) return undefined;
      host.before = undefined;
      host.commit({ [MOON]: '---\ntitle: Of another person\n---\n' });
      return undefined;
    };
    const response = await patch('Full moon', { 'if-match': `"${data.meta.revision}"` });
    expect(response.status).toBe(412);
    expect(host.read(MOON)).toBe('---\ntitle: Of another person\n---\n');
  });

  it('reads the commits of others before each change', async () => {
    const host = newHost();
    const { send } = await openSite(host);
    host.commit({ 'content/article/tide.md': '---\ntitle: Tide\n---\n' });
    const data = { type: 'node--article', id: 'tide', attributes: { title: 'Another tide' } };
    expect((await send('POST', '/jsonapi/node/article', { body: { data } })).status).toBe(409);
    host.commit({ [MOON]: null });
    expect((await send('DELETE', '/jsonapi/node/article/moon')).status).toBe(404);
  });

  it('loses no change of several servers that write at the same time', async () => {
    const host = newHost({ 'article/moon.md': '---\ntitle: Moon\n---\n' });
    const sites = [await openSite(host), await openSite(host), await openSite(host)];
    const create = (at: number) => ({
      body: { data: { type: 'node--article', id: `n${at}`, attributes: { title: `N ${at}` } } },
    });
    const results = await Promise.all(
      Array.from({ length: 12 }, (_, at) => sites[at % 3]?.send('POST', '/jsonapi/node/article', create(at))),
    );
    const created = results.flatMap((response, at) => (response?.status === 201 ? [at] : []));
    expect(created.length).toBeGreaterThan(3);
    for (const response of results) expect([201, 409]).toContain(response?.status);
    const names = host.files().filter((file) => /\/n\d+\.md$/.test(file));
    expect(names.sort()).toEqual(created.map((at) => `content/article/n${at}.md`).sort());
    expect(host.git('rev-list', '--count', 'main')).toBe(String(created.length + 1));
  });

  it.each([
    ['is lost', 'after'],
    ['does not come, because the request was lost', 'before'],
  ] as const)('confirms a change whose first answer %s', async (_, when) => {
    const host = newHost();
    const { patch } = await openSite(host);
    host[when] = (request, path) => {
      const isLast = isChange(request) && !/trees|blobs|git\/commits/.test(path);
      if (!isLast) return undefined;
      host[when] = undefined;
      return new Error('The connection was closed.');
    };
    expect((await patch('Full moon')).status).toBe(200);
    expect(host.read(MOON)).toContain('title: Full moon');
    expect(host.git('rev-list', '--count', 'main')).toBe('2');
  });

  it('answers 503 with Retry-After while the host fails, keeps serving, and recovers', async () => {
    const host = newHost();
    const { send, patch } = await openSite(host);
    host.before = () => new Response('Bad gateway', { status: 502 });
    const response = await patch('Full moon');
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
    expect((await send('GET', '/jsonapi/node/article/moon')).status).toBe(200);
    host.before = undefined;
    expect((await patch('Full moon')).status).toBe(200);
  });

  it.each<[string, ResponseInit, string]>([
    ['429 with Retry-After', { status: 429, headers: { 'retry-after': '17' } }, '17'],
    [
      '403 with its reset',
      {
        status: 403,
        headers: {
          'x-ratelimit-remaining': '0',
          'x-ratelimit-reset': String(Math.ceil(Date.now() / 1000) + 300),
        },
      },
      '300',
    ],
    ['403 without a time', { status: 403 }, '60'],
  ])('makes no requests after a rate limit: %s', async (_, init, seconds) => {
    const host = newHost();
    const { patch, send } = await openSite(host);
    host.before = () => Response.json({ message: 'You have exceeded a secondary rate limit.' }, init);
    const response = await patch('Full moon');
    expect(response.status).toBe(503);
    const retryAfter = Number(response.headers.get('retry-after'));
    expect(Math.abs(retryAfter - Number(seconds))).toBeLessThan(60);
    const { length } = host.requests;
    expect((await patch('Full moon')).status).toBe(503);
    expect((await send('GET', '/jsonapi/node/article/moon')).status).toBe(200);
    expect(host.requests).toHaveLength(length);
  });

  it.each([
    ['a token that may only read', 403, 'Resource not accessible by personal access token', 503],
    ['a wrong token', 401, `Bad credentials ${TOKEN}`, 503],
    ['a protected branch', 422, 'Repository rule violations found', 503],
    ['a file that is too large', 413, 'Request Entity Too Large', 413],
  ])('explains %s, without the token', async (_, status, message, expected) => {
    const errors = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const host = newHost();
    const { patch } = await openSite(host);
    host.before = (request) => (isChange(request) ? Response.json({ message }, { status }) : undefined);
    const response = await patch('Full moon');
    const answer = await response.text();
    expect([response.status, response.headers.get('retry-after')]).toEqual([expected, null]);
    expect(answer).not.toContain(TOKEN);
    expect(answer).not.toContain(NAME);
    const log = errors.mock.calls.flat().map((each) => (each as Error).cause ?? each);
    if (expected === 503) expect(String(log)).toContain(message.replace(TOKEN, '…'));
    expect(String(log)).not.toContain(TOKEN);
    errors.mockRestore();
  });

  it('is looked at regularly, and only a new commit transfers files', async () => {
    const host = newHost();
    const driver = await openContentOn(dialect, host, { pollMs: 10 });
    const bursts: (readonly string[])[] = [];
    host.requests.length = 0;
    const stop = await driver.watch?.((keys) => bursts.push(keys));
    await eventually(() => expect(host.requests.length).toBeGreaterThan(3));
    expect(new Set(host.requests).size).toBe(1);
    host.commit({ [MOON]: '---\ntitle: New moon\n---\n', 'content/article/sea.md': null });
    await eventually(() => expect(bursts).toEqual([['article/moon.md', 'article/sea.md']]));
    expect(await text(driver, 'article/moon.md')).toContain('New moon');
    await stop?.();
    await driver.exclusively(async () => undefined);
    const { length } = host.requests;
    await new Promise((done) => setTimeout(done, 50));
    expect(host.requests).toHaveLength(length);
  });

  it('keeps the content of one commit while a part of the next one cannot be read', async () => {
    const host = newHost();
    const { driver, lines } = await openLogged(host, { pollMs: 10 });
    const stop = await driver.watch?.(() => undefined);
    host.before = (_, path) => (/blobs|raw/.test(path) ? new Response('', { status: 500 }) : undefined);
    host.commit({ [MOON]: 'new moon', 'content/article/sea.md': 'new sea' });
    await eventually(() => expect(lines).toHaveLength(1));
    expect(lines[0]).toMatch(
      /^The content in team\/site cannot be read, so it stays as it is\. \w+ responded with 500/,
    );
    expect(await text(driver, 'article/moon.md')).toBe(FILES['article/moon.md']);
    host.before = undefined;
    await eventually(async () => expect(await text(driver, 'article/moon.md')).toBe('new moon'));
    await eventually(() => expect(lines).toHaveLength(2));
    await stop?.();
  });

  it('follows its default branch to a new name', async () => {
    const host = newHost();
    const { driver, lines } = await openLogged(host, { branch: undefined });
    host.commit({ ...inContent(FILES), [MOON]: 'on trunk' }, 'trunk');
    host.git('symbolic-ref', 'HEAD', 'refs/heads/trunk');
    host.git('update-ref', '-d', 'refs/heads/main');
    expect(await driver.exclusively(async (changed) => changed)).toEqual(['article/moon.md']);
    await driver.write('article/moon.md', bytes('changed'), { ifRevision: revision('on trunk') });
    expect(host.git('show', `trunk:${MOON}`)).toBe('changed');
    expect(lines).toEqual(['The default branch of team/site is trunk now.']);
  });

  it('needs the branch and the folder that the options name', async () => {
    const host = newHost();
    await expect(openContentOn(dialect, host, { branch: 'none' })).rejects.toMatchObject({
      reason: 'unavailable',
      message: expect.stringContaining('does not have the branch none.'),
      cause: expect.objectContaining({ message: expect.stringContaining('/branches/none with 404') }),
    });
    const { skipped } = await (await openContentOn(dialect, host, { folder: 'docs' })).list();
    expect(skipped.map(({ reason }) => reason)).toEqual([
      'There is no folder docs/ on the branch main of team/site.',
    ]);
  });

  it('skips links and submodules', async () => {
    const host = newHost();
    const tree = host.writeTree(
      host.tip('main'),
      new Map([
        ['content/article/link.md', { mode: '120000', sha: host.writeBlob(bytes('/etc/passwd')) }],
        ['content/other', { mode: '160000', sha: '1'.repeat(40) }],
      ]),
    );
    const parents = [host.tip('main') ?? ''];
    const author = { name: 'A', email: 'a@example.org' };
    host.moveBranch('main', host.writeCommit({ tree, parents, message: 'Link', author }), parents[0]);
    const driver = await openContentOn(dialect, host);
    const { files, skipped } = await driver.list();
    expect(files.map(({ key }) => key)).toEqual(Object.keys(FILES));
    expect(skipped.map(({ key }) => key)).toEqual(['article/link.md', 'other']);
    expect(await driver.read('article/link.md')).toBeUndefined();
  });

  it('requests only files that differ from the build', async () => {
    const host = newHost();
    host.commit({ [MOON]: 'changed since the build' });
    host.requests.length = 0;
    const history = { 'article/sea.md': { created: 100, changed: 200 } };
    const driver = await openContentOn(dialect, host, { carried: createMemoryDriver(FILES, history) });
    expect(await text(driver, 'article/moon.md')).toBe('changed since the build');
    expect(await text(driver, 'article/sea.md')).toBe(FILES['article/sea.md']);
    expect(host.requests.filter((request) => /blobs|raw/.test(request))).toHaveLength(1);
    const dates = await driver.history?.();
    expect(dates?.get('article/sea.md')).toEqual({ created: 100, changed: 200 });
    expect(dates?.get('article/moon.md')?.changed).toBe(1_700_000_002);
    expect(host.requests.filter((request) => request.includes('path=content%2Farticle'))).toHaveLength(1);
  });

  it('serves the content of the build if the host is down at the start', async () => {
    const host = newHost();
    host.commit({ [MOON]: 'changed since the build' });
    host.before = () => new Error('No network.');
    const { driver, lines } = await openLogged(host, { carried: createMemoryDriver(FILES), pollMs: 10 });
    expect(lines).toHaveLength(1);
    expect((await driver.list()).files.map(({ key }) => key)).toEqual(Object.keys(FILES));
    await expect(driver.write('article/moon.md', bytes('x'))).rejects.toMatchObject({
      reason: 'unavailable',
    });
    const changed: string[] = [];
    const stop = await driver.watch?.((keys) => changed.push(...keys));
    host.before = undefined;
    await eventually(() => expect(changed).toEqual(['article/moon.md']));
    expect(await text(driver, 'article/moon.md')).toBe('changed since the build');
    await stop?.();
  });

  it('has the past versions of a file on its branch only', async () => {
    const host = newHost();
    const [first = '', second = ''] = [host.tip('main'), host.commit({ [MOON]: 'second' })];
    const elsewhere = host.commit({ [MOON]: 'secret draft' }, 'draft');
    const past = (await openContentOn(dialect, host)).past?.();
    const versions = await past?.list('article/moon.md', 10);
    expect(versions?.map(({ commit, author, message }) => [commit, author, message])).toEqual([
      [second, 'Another', 'Change of another person'],
      [first, 'Another', 'Change of another person'],
    ]);
    const read = async (commit: string) => {
      const file = await past?.read('article/moon.md', commit);
      return file && new TextDecoder().decode(file.bytes);
    };
    expect(await read(first.slice(0, 7))).toBe(FILES['article/moon.md']);
    expect(await read(second)).toBe('second');
    for (const commit of [elsewhere, first.slice(0, 6), 'main', ''])
      expect(await read(commit)).toBeUndefined();
  });

  it('says why it is read-only', async () => {
    const host = newHost();
    expect(await (await openContentOn(dialect, host)).obstacle()).toBeUndefined();
    host.before = (_, path) =>
      /site$/.test(path) ? Response.json({ default_branch: 'main', archived: true }) : undefined;
    expect(await (await openContentOn(dialect, host)).obstacle()).toMatch(/team\/site is archived$/);
  });
});

it('fails in time if the host does not answer at all', async () => {
  const host = createForgeHost('github', inContent(FILES));
  const driver = await openContentOn('github', host);
  host.before = ({ signal }) =>
    new Promise((done) => {
      signal.addEventListener('abort', () => done(signal.reason as Error));
    });
  await expect(driver.exclusively(async () => 'never')).rejects.toMatchObject({
    reason: 'unavailable',
    message: expect.stringContaining('has not responded for 0.5 seconds'),
  });
});

it('on GitHub, lists a tree folder by folder if it is too large for one answer', async () => {
  const host = createForgeHost('github', inContent({ ...FILES, 'article/deep/er/x.md': 'x' }));
  host.after = async (request, path) => {
    if (!/git\/trees/.test(path) || !request.url.includes('recursive')) return undefined;
    const sha = path.split('/').at(-1) ?? '';
    const isLarge = host.list(sha, true).length > 2;
    return isLarge ? Response.json({ tree: host.list(sha, true).slice(0, 2), truncated: true }) : undefined;
  };
  const driver = await openContentOn('github', host);
  expect((await driver.list()).files.map(({ key }) => key)).toEqual([
    'article/deep/er/x.md',
    ...Object.keys(FILES),
  ]);
});

it('needs no token to read a public repository', async () => {
  const host = createForgeHost('github', inContent(FILES));
  const fetch: ForgeHost['fetch'] = (input, init) => {
    const request = new Request(input, init);
    expect(request.headers.has('authorization')).toBe(false);
    request.headers.set('authorization', `Bearer ${TOKEN}`);
    return host.fetch(request);
  };
  const forge = openForge(
    { forge: 'github', repository: NAME, url: 'https://git.example' },
    { token: undefined, fetch },
  );
  const log = { info: () => undefined, warn: () => undefined };
  const driver = await openForgeDriver({ forge, branch: undefined, folder: 'content', log });
  const collector = createCollector({
    driver,
    options: { published: {}, danglingReferences: 'error', defaultLangcode: 'en', timeZone: 'UTC' },
  });
  expect((await collector.load()).entities.map(({ id }) => id).sort()).toEqual(['moon', 'sea']);
});

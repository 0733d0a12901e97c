import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ADMINISTRATOR, ANONYMOUS } from '../../../integration/core/access/actor.ts';
import type { Target } from '../../../integration/core/api/match-route.ts';
import { DEFAULT_LIMITS } from '../../../integration/core/engine/limits.ts';
import { createRuntime } from '../../../integration/core/runtime/open-site.ts';
import { createCommitAnswers, MAX_WAITING } from '../../../integration/core/server/replica.ts';
import { createReplica } from '../../../integration/features/replica/create-replica.ts';
import { FEATURES } from '../../../integration/features.ts';
import { eventually } from '../../support/eventually.ts';
import {
  createForgeHost,
  DIALECTS,
  type ForgeHost,
  inContent,
  openContentOn,
  type Protocol,
} from '../../support/forge-host.ts';
import { parseOptions } from '../../support/options.ts';
import { fetchFrom } from '../../support/request.ts';
import { TEST_SETTINGS } from '../../support/services.ts';

const SECRET = 'the secret of the webhook';
const MOON = 'content/article/moon.md';
const MOON_URL = '/jsonapi/node/article/moon';
const UNKNOWN = 'a'.repeat(40);
const NEVER = new AbortController().signal;

const newHost = (dialect: Protocol = 'git') =>
  createForgeHost(
    dialect === 'git' ? 'forgejo' : dialect,
    inContent({ 'article/moon.md': '---\ntitle: Moon\ncolor: pale\n---\n' }),
  );
const titled = (title: string) => `---\ntitle: ${title}\ncolor: pale\n---\n`;

async function open(
  host: ForgeHost,
  protocol: Protocol = 'git',
  gitHookSecret: string | undefined = 'env:HOOK',
) {
  const lines: string[] = [];
  const log = (line: string) => lines.push(line);
  const options = parseOptions({
    ...{ gitHookSecret, storage: { forge: 'git', repository: 'site.git' } as const },
    cors: { origins: '*' },
  });
  const runtime = await createRuntime(
    { driver: await openContentOn(protocol, host), schema: undefined },
    {
      features: FEATURES,
      options,
      settings: { ...TEST_SETTINGS, readOnly: false, gitHook: true, cors: options.cors },
      renderBody: async () => '',
      log: { info: log, warn: log, error: log },
      environment: { HOOK: SECRET },
    },
  );
  const send = (method: string, path: string, init = {}) =>
    fetchFrom(runtime.handle, path, { method, actor: ADMINISTRATOR, ...init });
  return {
    lines,
    send,
    async get(headers = {}) {
      const response = await send('GET', MOON_URL, { headers });
      const json = await response.json();
      return {
        response,
        json,
        commit: response.headers.get('content-commit'),
        title: json.data?.attributes.title,
      };
    },
    async patch(attributes: object, headers = {}) {
      const data = { type: 'node--article', id: 'moon', attributes };
      return send('PATCH', MOON_URL, { body: { data }, headers });
    },
    hook: (body: string, headers: Readonly<Record<string, string>>) =>
      send('POST', '/jsonapi/hooks/git', { body, headers }),
  };
}

const sign = (text: string, secret = SECRET) => createHmac('sha256', secret).update(text).digest('hex');
const push = (branch = 'main') => JSON.stringify({ ref: `refs/heads/${branch}` });

describe.each([...DIALECTS, 'git'] as const)('servers over one branch on %s', (protocol) => {
  it('name the commit of each answer', async () => {
    const host = newHost(protocol);
    const server = await open(host, protocol);
    expect(await server.get()).toMatchObject({ commit: host.tip('main'), title: 'Moon' });
    const changed = await server.patch({ title: 'New moon' });
    expect(changed.status).toBe(200);
    expect(changed.headers.get('content-commit')).toBe(host.tip('main'));
    await eventually(async () => {
      expect(await server.get()).toMatchObject({ commit: host.tip('main'), title: 'New moon' });
    });
    const missing = await server.send('GET', '/jsonapi/node/article/none');
    expect([missing.status, missing.headers.get('content-commit')]).toEqual([404, host.tip('main')]);
  });

  it('wait for a commit that a request demands', async () => {
    const host = newHost(protocol);
    const [one, other] = [await open(host, protocol), await open(host, protocol)];
    const changed = await one.patch({ title: 'New moon' });
    const commit = changed.headers.get('content-commit') ?? '';
    expect((await other.get()).title).toBe('Moon');
    expect(await other.get({ 'if-commit-at-least': commit })).toMatchObject({ title: 'New moon', commit });
    const later = host.commit({ [MOON]: titled('Full moon') });
    expect(await other.get({ 'if-commit-at-least': later })).toMatchObject({ title: 'Full moon' });
    expect(await other.get({ 'if-commit-at-least': commit.toUpperCase() })).toMatchObject({
      title: 'Full moon',
    });
  });

  it('merge changes of different fields', async () => {
    const host = newHost(protocol);
    const [one, other] = [await open(host, protocol), await open(host, protocol)];
    await one.patch({ title: 'New moon' });
    expect((await other.patch({ color: 'dark' })).status).toBe(200);
    expect(host.read(MOON)).toBe('---\ntitle: New moon\ncolor: dark\n---\n');
  });
});

it('rejects values that are not commit hashes', async () => {
  const server = await open(newHost());
  for (const wrong of ['main', 'abc1234', `"${UNKNOWN}"`, `${UNKNOWN}a`]) {
    const { response, json } = await server.get({ 'if-commit-at-least': wrong });
    expect(response.status).toBe(400);
    expect(json.errors[0].source).toEqual({ header: 'If-Commit-At-Least' });
  }
});

const SILENT = { info: () => undefined, warn: () => undefined };

describe('a request for a commit', () => {
  async function openBriefly(host: ForgeHost) {
    const { followed } = await openContentOn('github', host);
    return createReplica({
      ...{ followed, waitMs: 100, lookEveryMs: 20 },
      apply: async () => undefined,
      readDates: async () => undefined,
      log: SILENT,
    });
  }

  it('fails with 412 if the branch does not have it', async () => {
    const { reach } = await openBriefly(newHost('github'));
    await expect(reach(UNKNOWN, NEVER)).rejects.toMatchObject({
      reason: 'precondition-failed',
      detail: `The branch main does not have the commit ${UNKNOWN}, or has had more than 100 others since.`,
      source: { header: 'If-Commit-At-Least' },
    });
  });

  it('fails with 503 if the branch cannot be read', async () => {
    const host = newHost('github');
    const { reach } = await openBriefly(host);
    host.before = () => new Response('{}', { status: 500 });
    await expect(reach(UNKNOWN, NEVER)).rejects.toMatchObject({
      reason: 'unavailable',
      details: { retryAfterSeconds: 1 },
    });
    host.before = undefined;
    await reach(host.tip('main') ?? '', NEVER);
  });

  it('gets the place of a request of the account with the most requests, if 100 wait', async () => {
    const host = newHost('github');
    const serve = createCommitAnswers({ replica: await openBriefly(host) })(async () => Response.json({}));
    const target = { route: { errors: 'jsonapi' } } as Target;
    const demand = (name: string, commit: string) => {
      const request = new Request('https://site.example/', { headers: { 'if-commit-at-least': commit } });
      return serve(request, target, { actor: { name, roles: ['authenticated'] } }, {});
    };
    const waiting = Array.from({ length: MAX_WAITING + 20 }, () => demand('greedy', UNKNOWN));
    const [other] = await Promise.all([demand('editor', UNKNOWN), ...waiting]);
    expect(other.status).toBe(412);
    const answers = await Promise.all(waiting);
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 412)).toHaveLength(MAX_WAITING - 1);
    const refused = answers.filter(({ status }) => status === 503);
    expect(refused).toHaveLength(21);
    for (const answer of refused) {
      expect(answer.headers.get('retry-after')).toBe('1');
      expect(await answer.text()).toContain('Too many requests wait for a commit. Try again soon.');
    }
    expect((await demand('greedy', host.tip('main') ?? '')).status).toBe(200);
  });

  it('makes the server look at the branch at most every half second', async () => {
    const host = newHost('github');
    const { followed } = await openContentOn('github', host);
    const replica = createReplica({
      followed,
      apply: async () => undefined,
      readDates: async () => undefined,
      log: SILENT,
    });
    host.requests.length = 0;
    for (let hook = 0; hook < 100; hook++) replica.lookSoon();
    await new Promise((done) => setTimeout(done, 300));
    expect(host.requests).toHaveLength(1);
    await eventually(async () => expect(host.requests).toHaveLength(2));
  });
});

it('updates the content again until it is that of the newest commit, and logs why it is not', async () => {
  const moves: (() => void)[] = [];
  const logged: string[] = [];
  let commit = 'a'.repeat(40);
  let failures = 2;
  const { followed } = await openContentOn('github', newHost('github'));
  const replica = createReplica({
    followed: {
      ...followed,
      commit: () => commit,
      takeChanges: () => ({ commit, keys: [] }),
      onMove: (listener) => void moves.push(listener),
    },
    async apply() {
      if (failures-- > 0) throw new Error('The disk is full.');
    },
    readDates: async () => undefined,
    log: { info: (line) => logged.push(line), warn: (line) => logged.push(line) },
  });
  commit = 'b'.repeat(40);
  for (const move of moves) move();
  await eventually(() => expect(replica.state()).toEqual({ commit }));
  expect(logged).toEqual([
    'The content cannot be updated to the newest commit of the branch now. The disk is full. It will be tried again.',
    'The content is that of the newest commit again.',
  ]);
});

it('lets caches distinguish commits', async () => {
  const server = await open(newHost());
  const { response } = await server.get({ origin: 'https://app.example' });
  expect(response.headers.get('vary')).toContain('If-Commit-At-Least');
  const etag = response.headers.get('etag') ?? '';
  const same = await server.send('GET', MOON_URL, { headers: { 'if-none-match': etag } });
  expect([same.status, same.headers.get('content-commit')]).toEqual([
    304,
    response.headers.get('content-commit'),
  ]);
});

describe('an anonymous request', () => {
  it('for a commit gets its answer without a wait, and does not make the server look at the git host', async () => {
    const host = newHost('github');
    const server = await open(host, 'github');
    host.requests.length = 0;
    const answers = await Promise.all(
      Array.from({ length: MAX_WAITING + 60 }, (_, at) => {
        const commit = at.toString(16).padStart(40, 'e');
        return server.send('GET', MOON_URL, {
          actor: ANONYMOUS,
          headers: { 'if-commit-at-least': at === 0 ? 'main' : commit },
        });
      }),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(host.requests).toEqual([]);
  });

  it('has the same answer and headers before and after a change of hidden content', async () => {
    const host = newHost();
    const server = await open(host);
    const ask = () =>
      Promise.all(
        ANONYMOUS_REQUESTS.map(async ([path, init]) => {
          const response = await server.send('GET', path, { ...init, actor: ANONYMOUS });
          const headers = [...response.headers];
          return { path, init, status: response.status, headers, text: await response.text() };
        }),
      );
    const before = await ask();
    for (const title of ['Draft', 'Changed draft']) {
      const key = 'content/article/draft.md';
      const commit = host.commit({ [key]: `---\ntitle: ${title}\ndraft: true\n---\n` });
      expect(await server.get({ 'if-commit-at-least': commit })).toMatchObject({ commit });
      expect(await ask()).toEqual(before);
    }
  });
});

const ANONYMOUS_REQUESTS: readonly (readonly [string, RequestInit])[] = [
  ['/jsonapi', {}],
  ['/jsonapi/node/article', {}],
  [MOON_URL, {}],
  ['/jsonapi/node/article/none', {}],
  ['/jsonapi/node/article/draft', {}],
  ['/api/content/articles', {}],
  ['/content-files/article/none.png', {}],
  [MOON_URL, { method: 'OPTIONS' }],
  [MOON_URL, { method: 'HEAD' }],
  [MOON_URL, { method: 'DELETE' }],
  [MOON_URL, { headers: { 'if-none-match': '*' } }],
  [MOON_URL, { headers: { 'if-commit-at-least': UNKNOWN } }],
  [MOON_URL, { headers: { origin: 'https://app.example' } }],
];

describe('the webhook of a git host', () => {
  const SIGNED: readonly (readonly [string, (text: string) => Readonly<Record<string, string>>])[] = [
    ['GitHub', (text) => ({ 'x-hub-signature-256': `sha256=${sign(text)}` })],
    ['Forgejo', (text) => ({ 'x-forgejo-signature': sign(text), 'x-gitea-signature': sign(text) })],
    ['Gitea', (text) => ({ 'x-gitea-signature': sign(text) })],
    ['GitLab', () => ({ 'x-gitlab-token': SECRET })],
  ];

  it.each(SIGNED)('makes the server look at the branch, as %s signs it', async (_, headers) => {
    const host = newHost();
    const server = await open(host);
    host.commit({ [MOON]: titled('Full moon') });
    expect((await server.hook(push(), headers(push()))).status).toBe(202);
    await eventually(async () => expect((await server.get()).title).toBe('Full moon'));
  });

  it('is accepted as a form, and without a branch', async () => {
    const server = await open(newHost());
    const form = `payload=${encodeURIComponent(push('other'))}`;
    expect((await server.hook(form, { 'x-hub-signature-256': `sha256=${sign(form)}` })).status).toBe(204);
    expect((await server.hook('{"zen":"x"}', { 'x-gitlab-token': SECRET })).status).toBe(202);
  });

  it('is ignored for another branch', async () => {
    const host = newHost();
    const server = await open(host);
    host.commit({ [MOON]: titled('Full moon') });
    expect((await server.hook(push('edits'), { 'x-gitea-signature': sign(push('edits')) })).status).toBe(204);
  });

  it('is rejected without the right signature', async () => {
    const server = await open(newHost());
    const wrong: readonly Readonly<Record<string, string>>[] = [
      {},
      { 'x-hub-signature-256': `sha256=${sign(push(), 'other')}` },
      { 'x-hub-signature-256': 'sha256=' },
      { 'x-hub-signature-256': `sha1=${sign(push())}` },
      { 'x-forgejo-signature': sign(push('other')) },
      { 'x-gitlab-token': '' },
      { 'x-gitlab-token': `${SECRET}x` },
      // A wrong signature is not corrected by another header.
      { 'x-hub-signature-256': `sha256=${sign(push(), 'other')}`, 'x-gitlab-token': SECRET },
    ];
    for (const headers of wrong) {
      const response = await server.hook(push(), headers);
      expect(response.status).toBe(401);
      expect((await response.json()).errors[0].status).toBe('401');
    }
    expect((await server.send('GET', '/jsonapi/hooks/git')).status).toBe(405);
    const large = 'x'.repeat(DEFAULT_LIMITS.bodyBytes + 1);
    expect((await server.hook(large, { 'x-gitlab-token': SECRET })).status).toBe(413);
  });

  it('is not accepted without the secret in the environment', async () => {
    const server = await open(newHost(), 'git', 'env:MISSING');
    expect((await server.hook(push(), { 'x-gitlab-token': SECRET })).status).toBe(404);
    expect(server.lines.join()).toContain(
      'Option gitHookSecret: the environment variable MISSING is not set, so webhooks are not accepted.',
    );
  });
});

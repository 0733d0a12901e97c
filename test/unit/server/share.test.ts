import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Actor } from '../../../integration/core/access/actor.ts';
import type { Member } from '../../../integration/core/access/members.ts';
import { createRuntime } from '../../../integration/core/runtime/open-site.ts';
import type { Runtime } from '../../../integration/core/runtime/runtime.ts';
import type { Feature } from '../../../integration/core/runtime/site.ts';
import { signShare } from '../../../integration/features/share/share-token.ts';
import { FEATURES } from '../../../integration/features.ts';
import { defineSchema, file, z } from '../../../integration/schema.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { parseOptions } from '../../support/options.ts';
import { fetchFrom, ORIGIN, type TestRequest } from '../../support/request.ts';
import { TEST_SETTINGS } from '../../support/services.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const DAY = 24 * 3_600_000;
const SCHEMA = defineSchema({
  article: { field_kind: z.enum(['news', 'essay']).nullish(), field_file: file().nullish() },
  tag: {},
});
const FILES = {
  'article/secret.md': '---\ntitle: Not yet\nstatus: false\npath: /secret\nuid: ada\n---\n',
  'article/other.md': '---\ntitle: Other draft\nstatus: false\npath: /other\nuid: ada\n---\n',
  'article/public.md': '---\ntitle: Public\npath: /public\nuid: ada\n---\n',
  'tag/plain.md': '---\ntitle: Plain\nstatus: false\n---\n',
};
const ADA: Actor = { name: 'ada', roles: ['authenticated', 'editor'] };
const EVE: Actor = { name: 'eve', roles: ['authenticated', 'editor'] };
const READER: Actor = { name: 'bob', roles: ['authenticated'] };
const ADMIN: Actor = { name: 'root', roles: ['authenticated', 'administrator'] };

let members: Map<string, Member>;
let time: number;
let folder: string;
let open: Runtime[] = [];

beforeEach(() => {
  time = Date.UTC(2026, 2, 9);
  folder = temporaryFolder();
  members = new Map(
    [ADA, EVE, READER, ADMIN].map(({ name, roles }) => [
      name ?? '',
      { name: name ?? '', roles, epoch: `first-${name}` },
    ]),
  );
});
afterEach(async () => {
  vi.restoreAllMocks();
  for (const each of open) await each.close();
  open = [];
});

/** Starts a server of the site. All servers store their data in the same folder. */
async function start(
  files: Readonly<Record<string, string>> = FILES,
  settings: Partial<typeof TEST_SETTINGS> = {},
): Promise<Runtime> {
  const list: Feature = {
    name: 'list',
    open: async () => ({
      members: { find: async (name) => members.get(name), list: async () => [...members.values()] },
    }),
  };
  const runtime = await createRuntime(
    { driver: createMemoryDriver(files), schema: SCHEMA },
    {
      features: [...FEATURES, list],
      options: parseOptions({ editing: true }),
      settings: { ...TEST_SETTINGS, root: folder, readOnly: false, admin: true, ...settings },
      renderBody: async () => '',
      log: { info: () => undefined, warn: () => undefined, error: () => undefined },
      now: () => time,
    },
  );
  open.push(runtime);
  return runtime;
}

/** The page of a site that lists the titles of all articles, as visitors see them. */
const openPage = (runtime: Runtime) => async (url: string) => async () => {
  const { pathname } = new URL(url);
  if (pathname === '/old')
    return new Response(null, { status: 301, headers: { location: '/list?from=old' } });
  if (pathname === '/away') return Response.redirect('https://elsewhere.example/', 302);
  if (pathname === '/feed') return Response.json({});
  const articles = await runtime.content.entities('article').sort('title').all();
  const status = pathname === '/missing' ? 404 : 200;
  return new Response(
    `<body class="x"><a href="/list#end">List</a> ${articles.map(({ title }) => title)}</body>`,
    {
      status,
      headers: { 'content-type': 'text/html', 'set-cookie': 'a=b', 'cache-control': 'public, max-age=60' },
    },
  );
};

interface Shared {
  readonly id: string;
  readonly attributes: {
    readonly url: string;
    readonly expires: string;
    readonly maker: string;
    readonly path: string;
  };
}

async function share(
  { handle }: Runtime,
  attributes: object = { resource: { type: 'node--article', id: 'secret' } },
  actor: Actor = ADA,
  base = '',
) {
  const response = await fetchFrom(handle, `${base}/jsonapi/_shares`, {
    method: 'POST',
    actor,
    headers: { 'content-type': 'application/vnd.api+json' },
    body: { data: { type: 'share', attributes } },
  });
  const { data, errors } = await response.json();
  return { status: response.status, data: data as Shared, errors, response };
}

/** Opens an address as a visitor. Undefined if the site itself has to respond. */
function visit(runtime: Runtime, url: string, init: TestRequest = {}): Promise<Response | undefined> {
  const { body: _, ...rest } = init;
  const request = new Request(url.startsWith('/') ? ORIGIN + url : url, rest as RequestInit);
  return runtime.handle(request, { openPage: openPage(runtime), ...rest });
}

const titles = async (response: Response | undefined) =>
  /<\/a> (.*?)<\/body>/.exec((await response?.text()) ?? '')?.[1];
const tokenOf = ({ attributes: { url } }: Shared) => /\/_shared\/([^/]+)/.exec(url)?.[1] ?? '';

/** What a visitor reads on a page of a link. */
async function read(runtime: Runtime, url: string) {
  const html = (await (await visit(runtime, url))?.text()) ?? '';
  return { titles: /<\/a> (.*?)<\/body>/.exec(html)?.[1], hasBar: html.includes('<astro-jsonapi-shared') };
}

/** Changes an article as its author. Returns the status. */
async function change({ handle }: Runtime, url: string, method: string, data?: object): Promise<number> {
  const body = data && { data: { type: 'node--article', ...data } };
  return (await fetchFrom(handle, url, { method, actor: ADA, ...(body && { body }) })).status;
}

describe('a link to an entry that is not published', () => {
  it('leads to its page, which shows the entry and no other hidden entry', async () => {
    const site = await start();
    const { status, data } = await share(site);
    expect(status).toBe(201);
    expect(data.attributes).toMatchObject({
      maker: 'ada',
      path: '/secret',
      expires: '2026-03-10T00:00:00.000Z',
    });
    expect(data.attributes.url).toBe(`${ORIGIN}/_shared/${tokenOf(data)}/secret`);
    expect(await titles(await visit(site, data.attributes.url))).toBe('Not yet,Public');
    const short = await visit(site, `/_shared/${tokenOf(data)}`);
    expect([short?.status, short?.headers.get('location')]).toEqual([
      302,
      `/_shared/${tokenOf(data)}/secret`,
    ]);
    expect(await titles(await (await openPage(site)('https://site.example/secret'))())).toBe('Public');
  });

  it('shows the changes that are stored later, and nothing more once the entry is deleted', async () => {
    const site = await start();
    const { data } = await share(site);
    const list = `/_shared/${tokenOf(data)}/list`;
    const change = (method: string, body?: object) =>
      fetchFrom(site.handle, '/jsonapi/node/article/secret', { method, actor: ADA, ...(body && { body }) });
    await change('PATCH', { data: { type: 'node--article', id: 'secret', attributes: { title: 'Later' } } });
    expect(await titles(await visit(site, list))).toBe('Later,Public');
    await change('DELETE');
    expect(await titles(await visit(site, list))).toBe('Public');
  });

  it('leads on to other pages, within redirects too', async () => {
    const site = await start();
    const token = tokenOf((await share(site)).data);
    const text = await (await visit(site, `/_shared/${token}/secret`))?.text();
    expect(text).toContain(`<a href="/_shared/${token}/list#end">`);
    const moved = await visit(site, `/_shared/${token}/old`);
    expect(moved?.headers.get('location')).toBe(`/_shared/${token}/list?from=old`);
    expect((await visit(site, `/_shared/${token}/away`))?.headers.get('location')).toBe(
      'https://elsewhere.example/',
    );
    expect((await visit(site, `/_shared/${token}/missing`))?.status).toBe(404);
  });

  it.each(['/feed', '/photo.jpg', '/jsonapi/node/article', '/admin', '/user/login', '/_shared/x/y'])(
    'redirects to the site itself for addresses that are not pages: %s',
    async (path) => {
      const site = await start();
      const response = await visit(site, `/_shared/${tokenOf((await share(site)).data)}${path}`);
      expect([response?.status, response?.headers.get('location')]).toEqual([302, ORIGIN + path]);
    },
  );

  it('labels the page as a shared draft with its expiry, in the language of the visitor', async () => {
    const site = await start();
    const url = `/_shared/${tokenOf((await share(site)).data)}/secret`;
    const text = async (language: string) =>
      (await visit(site, url, { headers: { 'accept-language': language } }))?.text();
    expect(await text('fr, en')).toMatch(
      /<body class="x"><astro-jsonapi-shared role="region" aria-label="[^"]*" lang="en" dir="ltr"[^>]*><strong>Shared draft: this version is not published\.<\/strong> The link works until March 10, 2026 at 12:00\sAM \(UTC\)\./,
    );
    expect(await text('de-AT')).toContain('Der Link gilt bis 10. März 2026 um 00:00 (UTC).');
    expect(await text('ar')).toContain('lang="ar" dir="rtl"');
  });

  it('is kept out of caches, search engines and frames, and is not sent to other sites', async () => {
    const site = await start();
    const token = tokenOf((await share(site)).data);
    for (const url of [`/_shared/${token}`, `/_shared/${token}/secret`, `/_shared/${token}/a.jpg`]) {
      const headers = (await visit(site, url))?.headers;
      expect(Object.fromEntries(headers ?? [])).toMatchObject({
        'cache-control': 'private, no-store',
        'x-robots-tag': 'noindex, nofollow',
        'referrer-policy': 'no-referrer',
        'x-frame-options': 'DENY',
        'content-security-policy': "frame-ancestors 'none'",
      });
      expect(headers?.has('set-cookie')).toBe(false);
    }
  });

  it('works on every server of the site, until it is revoked on one of them', async () => {
    const [one, other] = [await start(), await start()];
    const { data } = await share(one);
    const url = `/_shared/${tokenOf(data)}/secret`;
    expect(await titles(await visit(other, url))).toBe('Not yet,Public');
    const revoked = await fetchFrom(other.handle, `/jsonapi/_shares/${data.id}`, {
      method: 'DELETE',
      actor: ADA,
    });
    expect(revoked.status).toBe(204);
    expect([await visit(one, url), await visit(other, url)]).toEqual([undefined, undefined]);
  });

  it('shows an unfinished draft in place of the stored entry, and no other one', async () => {
    const site = await start();
    const keep = (id: string, title: string) =>
      fetchFrom(site.handle, `/jsonapi/_drafts/node--article/${id}`, {
        method: 'POST',
        actor: ADA,
        body: { data: { type: 'node--article', id, attributes: { title, field_kind: 'unknown' } } },
      });
    expect([(await keep('public', 'Unfinished')).status, (await keep('other', 'Private')).status]).toEqual([
      201, 201,
    ]);
    const resource = { type: 'node--article', id: 'public' };
    const draft = (await share(site, { resource, version: 'draft' })).data;
    const list = `/_shared/${tokenOf(draft)}/list`;
    expect(await read(site, list)).toEqual({ titles: 'Unfinished', hasBar: true });
    await fetchFrom(site.handle, '/jsonapi/_drafts/node--article/public', { method: 'DELETE', actor: ADA });
    expect(await read(site, list)).toEqual({ titles: 'Public', hasBar: false });
  });

  it('shows a file that only an unfinished draft refers to, while it does', async () => {
    const files = { 'article/draft.txt': 'Of the draft.', 'article/none.txt': 'Of no entry.' };
    const site = await start({ ...FILES, ...files });
    const keep = (attributes: object) =>
      fetchFrom(site.handle, '/jsonapi/_drafts/node--article/public', {
        method: 'POST',
        actor: ADA,
        body: { data: { type: 'node--article', id: 'public', attributes } },
      });
    expect((await keep({ title: 'Public', field_kind: 'unknown', field_file: './draft.txt' })).status).toBe(
      201,
    );
    const resource = { type: 'node--article', id: 'public' };
    const { data } = await share(site, { resource, version: 'draft' });
    const file = async (name: string, root = `/_shared/${tokenOf(data)}`) =>
      (await visit(site, `${root}/content-files/article/${name}`))?.text();
    expect(await file('draft.txt')).toBe('Of the draft.');
    expect(await file('none.txt')).toBeUndefined();
    expect(await file('draft.txt', '')).not.toContain('Of the draft.');
  });

  it('says nothing of an unpublished version once the entry is published, or deleted', async () => {
    const site = await start();
    const list = `/_shared/${tokenOf((await share(site)).data)}/list`;
    expect(await read(site, list)).toEqual({ titles: 'Not yet,Public', hasBar: true });
    await change(site, '/jsonapi/node/article/secret', 'PATCH', {
      id: 'secret',
      attributes: { status: true },
    });
    expect(await read(site, list)).toEqual({ titles: 'Not yet,Public', hasBar: false });
    await change(site, '/jsonapi/node/article/secret', 'DELETE');
    expect(await read(site, list)).toEqual({ titles: 'Public', hasBar: false });
  });

  it('shows a new entry that is not complete', async () => {
    const site = await start();
    const added = await fetchFrom(site.handle, '/jsonapi/_drafts', {
      method: 'POST',
      actor: ADA,
      body: {
        data: {
          type: 'node--article',
          id: 'new',
          attributes: { title: 'New', path: { alias: '/new' }, field_kind: 'unknown' },
        },
      },
    });
    expect(added.status).toBe(201);
    const { data } = await share(site, { resource: { type: 'node--article', id: 'new' }, version: 'draft' });
    expect(data.attributes.path).toBe('/new');
    const page = `/_shared/${tokenOf(data)}/new`;
    expect(await read(site, page)).toEqual({ titles: 'New,Public', hasBar: true });
    // It is complete.
    const complete = { id: 'new', attributes: { title: 'Complete', field_kind: 'news' } };
    expect(await change(site, '/jsonapi/_drafts/node--article/new', 'PATCH', complete)).toBe(201);
    expect(await read(site, page)).toEqual({ titles: 'Complete,Public', hasBar: true });
    // Its maker may no longer change it.
    members.set('ada', { ...members.get('ada'), name: 'ada', roles: ['authenticated'] });
    expect(await visit(site, page)).toBeUndefined();
    members.set('ada', { ...members.get('ada'), name: 'ada', roles: ADA.roles });
    await change(site, '/jsonapi/node/article/new', 'PATCH', { id: 'new', attributes: { status: true } });
    expect(await read(site, page)).toEqual({ titles: 'Complete,Public', hasBar: false });
  });

  it('begins at an address that a browser can open, whatever the path', async () => {
    const site = await start();
    const resource = { type: 'node--article', id: 'secret' };
    for (const [path, expected] of [
      ['/中文?größe=ä#ö', '/%E4%B8%AD%E6%96%87?gr%C3%B6%C3%9Fe=%C3%A4#%C3%B6'],
      ['/a b/../c\\d', '/c/d'],
    ]) {
      const { data } = await share(site, { resource, path });
      expect(data.attributes.path).toBe(expected);
      const first = await visit(site, `/_shared/${tokenOf(data)}`);
      expect([first?.status, first?.headers.get('location')]).toEqual([
        302,
        `/_shared/${tokenOf(data)}${expected}`,
      ]);
    }
  });

  it.each([
    ['always', '/secret/', '/secret'],
    ['never', '/secret', '/secret/'],
  ] as const)('has the final slash of the addresses of the site: %s', async (trailingSlash, right, wrong) => {
    const site = await start(FILES, { trailingSlash });
    const { data } = await share(site);
    const root = `/_shared/${tokenOf(data)}`;
    expect(data.attributes).toMatchObject({ path: right, url: ORIGIN + root + right });
    const resource = { type: 'node--article', id: 'secret' };
    expect((await share(site, { resource, path: `${wrong}?a#b` })).data.attributes.path).toBe(`${right}?a#b`);
    expect((await visit(site, `${root}${wrong}?a`))?.headers.get('location')).toBe(`${root}${right}?a`);
    expect((await visit(site, root + right))?.status).toBe(200);
    expect((await visit(site, `${root}/`))?.status).toBe(200);
  });

  it('leads from its start to its page on a site with a base', async () => {
    const site = await start(FILES, { trailingSlash: 'always', base: '/sub' });
    const { data } = await share(site, undefined, ADA, '/sub');
    expect(data.attributes.path).toBe('/sub/secret/');
    const root = `/sub/_shared/${tokenOf(data)}`;
    for (const start of [root, `${root}/`]) {
      const first = await visit(site, start);
      expect([first?.status, first?.headers.get('location')]).toEqual([302, `${root}/sub/secret/`]);
    }
  });
});

describe('a link that is not valid', () => {
  it('is an address that the site does not have, whatever is altered', async () => {
    const site = await start();
    const { data } = await share(site);
    const token = tokenOf(data);
    const [payload = '', signature = ''] = token.split('~');
    const [id, type, , translation, version, , expires] = JSON.parse(
      Buffer.from(payload, 'base64url').toString(),
    ) as [string, string, string, string | null, string, string, number];
    const altered = [
      [id, type, 'other', translation, version, '/secret', expires],
      [id, type, 'secret', translation, 'draft', '/secret', expires],
      [id, type, 'secret', translation, version, '/other', expires],
      [id, type, 'secret', translation, version, '/secret', expires + 1],
      ['x', type, 'secret', translation, version, '/secret', expires],
      [id, type, 'secret', 'de', version, '/secret', expires],
    ].map((each) => `${Buffer.from(JSON.stringify(each)).toString('base64url')}~${signature}`);
    const entry = {
      id,
      type,
      entry: 'other',
      translation: undefined,
      version: 'entry',
      path: '/other',
      expires,
    } as const;
    const tokens = [
      ...altered,
      signShare(entry, ''),
      signShare(entry, 'a'.repeat(43)),
      payload,
      `${payload}~`,
      `${payload}~${signature.slice(0, -1)}`,
      `${payload}~${signature.toUpperCase()}`,
      `${payload}~${signature}=`,
      `${payload}=~${signature}`,
      `~${signature}`,
      'x'.repeat(20_000),
      '__proto__~x',
      '',
    ];
    for (const each of tokens) {
      expect([each, await visit(site, `/_shared/${each}/secret`)]).toEqual([each, undefined]);
    }
    expect((await visit(site, `/_shared/${token}/secret`))?.status).toBe(200);
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
    'is one for other methods too: %s',
    async (method) => {
      const site = await start();
      const url = `/_shared/${tokenOf((await share(site)).data)}/secret`;
      expect(await visit(site, url, { method })).toBeUndefined();
    },
  );

  it('is one once it has expired', async () => {
    const site = await start();
    const url = `/_shared/${tokenOf((await share(site)).data)}/secret`;
    time += DAY - 1;
    expect((await visit(site, url))?.status).toBe(200);
    time += 1;
    expect(await visit(site, url)).toBeUndefined();
  });

  it.each([
    ['is blocked', (ada: Member): Member => ({ ...ada, blocked: true })],
    ['loses the right to change the entry', (ada: Member): Member => ({ ...ada, roles: [] })],
    ['is deleted', () => undefined],
    ['is deleted and made again', (ada: Member): Member => ({ ...ada, epoch: 'another' })],
  ])('is one as soon as its maker %s', async (_, change) => {
    const site = await start();
    const url = `/_shared/${tokenOf((await share(site)).data)}/secret`;
    expect((await visit(site, url))?.status).toBe(200);
    const next = change(members.get('ada') as Member);
    if (next === undefined) members.delete('ada');
    else members.set('ada', next);
    expect(await visit(site, url)).toBeUndefined();
  });

  it('is not one after its maker has chosen another password', async () => {
    const site = await start();
    const url = `/_shared/${tokenOf((await share(site)).data)}/secret`;
    members.set('ada', { name: 'ada', roles: ADA.roles, epoch: 'first-ada.next' });
    expect((await visit(site, url))?.status).toBe(200);
  });

  it('is one if the list of links is lost, and its signature is of no use to a new list', async () => {
    const site = await start();
    const url = `/_shared/${tokenOf((await share(site)).data)}/secret`;
    rmSync(path.join(folder, '.astro-jsonapi/accounts.json.shares'));
    expect(await visit(site, url)).toBeUndefined();
    await share(site);
    expect(await visit(site, url)).toBeUndefined();
  });

  it('never leads to another site', async () => {
    const site = await start();
    const token = tokenOf((await share(site)).data);
    for (const rest of ['//evil.example/', '/\\evil.example/x.png', '//evil.example/x.png']) {
      const location = (await visit(site, `/_shared/${token}${rest}`))?.headers.get('location') ?? '';
      expect(location === '' || new URL(location, ORIGIN).origin === ORIGIN).toBe(true);
    }
  });
});

describe('the links of an account', () => {
  const list = async ({ handle }: Runtime, actor?: Actor) => {
    const response = await fetchFrom(handle, '/jsonapi/_shares', actor === undefined ? {} : { actor });
    const { data } = await response.json();
    return { status: response.status, data: data as readonly Shared[] };
  };

  it('are listed for the account itself and for administrators, who get no address', async () => {
    const site = await start();
    const { data } = await share(site);
    expect((await list(site, ADA)).data).toEqual([data]);
    expect((await list(site, EVE)).data).toEqual([]);
    const [seen] = (await list(site, ADMIN)).data;
    expect(seen).toMatchObject({ id: data.id, attributes: { maker: 'ada', url: null } });
    expect((await list(site)).status).toBe(401);
    time += DAY;
    expect((await list(site, ADA)).data).toEqual([]);
  });

  it('are not those of a later account of the same name', async () => {
    const site = await start();
    const { id } = (await share(site)).data;
    members.set('ada', { name: 'ada', roles: ADA.roles, epoch: 'another' });
    expect((await list(site, ADA)).data).toEqual([]);
    const revoke = (actor: Actor) =>
      fetchFrom(site.handle, `/jsonapi/_shares/${id}`, { method: 'DELETE', actor });
    expect([(await revoke(ADA)).status, (await revoke(ADMIN)).status]).toEqual([404, 204]);
  });

  it.each([
    [EVE, 404],
    [READER, 404],
    [ADMIN, 204],
  ])('are revoked by the account itself and by administrators: %j', async (actor, status) => {
    const site = await start();
    const { data } = await share(site);
    const response = await fetchFrom(site.handle, `/jsonapi/_shares/${data.id}`, { method: 'DELETE', actor });
    expect(response.status).toBe(status);
    expect((await list(site, ADA)).data).toHaveLength(status === 204 ? 0 : 1);
  });

  it.each([
    ['for entries that the account may not change', {}, READER, 403],
    ['for entries that do not exist', { resource: { type: 'node--article', id: 'none' } }, ADA, 404],
    ['for drafts that do not exist', { version: 'draft' }, ADA, 404],
    ['for entries without a page', { resource: { type: 'node--tag', id: 'plain' } }, ADA, 404],
    ['that have ended', { expires: '2026-03-09T00:00:00Z' }, ADA, 422],
    ['for more than 30 days', { expires: '2026-04-08T00:00:01Z' }, ADA, 422],
    ['for 0 days', { days: 0 }, ADA, 422],
    ['for 31 days', { days: 31 }, ADA, 422],
    ['for days and until a date', { days: 1, expires: '2026-03-10T00:00:00Z' }, ADA, 422],
    ['for entries that are published', { resource: { type: 'node--article', id: 'public' } }, ADA, 409],
    ['to another site', { path: '//evil.example' }, ADA, 422],
    ['to another site in disguise', { path: '/.//evil.example' }, ADA, 422],
    ['to a path with a line break', { path: '/a\nb' }, ADA, 422],
    ['to a path with a control character', { path: '/a\u0085' }, ADA, 422],
    ['to a path that cannot be decoded', { path: '/%ff' }, ADA, 422],
    ['to a path that is too long when it is encoded', { path: `/${'中'.repeat(300)}` }, ADA, 422],
    ['with other values', { roles: ['editor'] }, ADA, 400],
  ])('are not made %s', async (_, attributes, actor, status) => {
    const resource = { type: 'node--article', id: 'secret' };
    expect((await share(await start(), { resource, ...attributes }, actor)).status).toBe(status);
  });

  it.each([1, 7, 30])('last for %i whole days by the clock of the server', async (days) => {
    const resource = { type: 'node--article', id: 'secret' };
    const { data } = await share(await start(), { resource, days });
    expect(Date.parse(data.attributes.expires) - time).toBe(days * DAY);
  });

  it('last for up to 30 days, and begin at a chosen page', async () => {
    const resource = { type: 'node--tag', id: 'plain' };
    const attributes = { resource, path: '/list?a=b', expires: '2026-04-08T00:00:00Z' };
    const { status, data } = await share(await start(), attributes);
    expect([status, data.attributes.path]).toEqual([201, '/list?a=b']);
  });

  it('are in a file that git ignores, because it has the key', async () => {
    mkdirSync(path.join(folder, '.git'));
    writeFileSync(path.join(folder, '.git/HEAD'), 'ref: refs/heads/main\n');
    const site = await start();
    for (let at = 0; at < 2; at++) expect((await share(site)).status).toBe(201);
    const ignored = readFileSync(path.join(folder, '.astro-jsonapi/.gitignore'), 'utf8');
    expect(ignored).toBe('/accounts.json.shares*\n');
  });

  it.each([
    ['whose path has a file as a folder', () => writeFileSync(path.join(folder, '.astro-jsonapi'), '')],
    [
      'that cannot be locked',
      () => mkdirSync(path.join(folder, '.astro-jsonapi/accounts.json.shares.lock'), { recursive: true }),
    ],
  ])('are not made in a folder %s, which says what to do', async (_, prepare) => {
    prepare();
    vi.spyOn(console, 'error').mockReturnValue();
    const site = await start();
    const { status, errors } = await share(site);
    expect(status).toBe(503);
    expect(errors[0].detail).toMatch(
      /^Links to share cannot be stored .* set JSONAPI_ACCOUNTS to a file in one/,
    );
    expect(errors[0].detail).not.toContain(folder);
    expect(console.error).toHaveBeenCalledOnce();
    expect((await list(site, ADA)).data).toEqual([]);
  });

  it('are at most 100', async () => {
    const site = await start();
    for (let at = 0; at < 100; at++) expect((await share(site)).status).toBe(201);
    expect((await share(site)).status).toBe(422);
    expect((await share(site, undefined, EVE)).status).toBe(201);
  });
});

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Actor, ADMINISTRATOR, ANONYMOUS } from '../../../integration/core/access/actor.ts';
import type { Role, Roles } from '../../../integration/core/access/role.ts';
import { answer } from '../../../integration/core/api/jsonapi/answer.ts';
import type { Services } from '../../../integration/core/api/request.ts';
import { siteLanguages } from '../../../integration/core/content/languages.ts';
import { bodyText } from '../../../integration/core/content/model.ts';
import type { Handler } from '../../../integration/core/server/handler.ts';
import { ServiceUnavailableError } from '../../../integration/core/util/errors.ts';
import { createGitDriver } from '../../../integration/features/git/driver.ts';
import { defineSchema, image, reference, z } from '../../../integration/schema.ts';
import { createHandler } from '../../support/handler.ts';
import { jsonApiProblems } from '../../support/jsonapi-schema.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { png } from '../../support/pictures.ts';
import { createRepository, type TestRepository } from '../../support/repository.ts';
import { fetchFrom, ORIGIN } from '../../support/request.ts';
import { createServices } from '../../support/services.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const MOON = '/jsonapi/node/article/moon';
const PLAIN_MOON = '/api/content/articles/moon';
const FIRST = 1_700_000_000;
const SECOND = 1_710_000_000;

const SCHEMA = defineSchema({
  article: {
    field_rating: z.int().max(5).nullish(),
    field_notes: z.string().nullish(),
    field_author: reference('person').nullish(),
    field_next: z.array(reference('article')).default([]),
    field_cover: image().nullish(),
  },
  person: {},
});

const EDITOR: Actor = { name: 'eva', roles: ['editor'] };
const READER: Actor = { name: 'rita', roles: [] };
/** May read past versions, but sees published content only, without notes. */
const ARCHIVIST: Actor = { name: 'arne', roles: ['archivist'] };
const ROLES: Roles = {
  anonymous: {
    permissions: [
      {
        actions: ['view'],
        bundles: '*',
        where: 'published',
        fields: { view: { except: ['uid', 'field_notes'] } },
      },
    ],
  },
  authenticated: {
    permissions: [
      { actions: ['view'], bundles: '*', where: 'published', fields: { view: { except: ['field_notes'] } } },
    ],
  },
  archivist: { also: ['view revisions'] },
};

const outside = temporaryFolder();
let repository: TestRepository;
let services: Services;
let handle: Handler;
let at: Record<'first' | 'draft' | 'odd' | 'broken' | 'before' | 'present' | 'side', string>;

beforeAll(async () => {
  repository = createRepository();
  const { commit, git } = repository;
  const before = commit({ 'person/ada.md': '---\ntitle: Ada\n---\n' }, FIRST - 1);
  mkdirSync(join(repository.content, 'article'));
  writeFileSync(join(repository.content, 'article/cover.png'), png(3, 2));
  const first = commit(
    {
      'article/moon.md':
        '---\ntitle: Old moon\nfield_rating: 2\nfield_notes: secret then\nfield_author: ada\nfield_next: [moon, gone]\nfield_cover: cover.png\n---\nOld text\n',
      'article/gone.md': '---\ntitle: Gone\n---\n',
      'person/ada.md': '---\ntitle: Ada then\n---\n',
    },
    FIRST,
  );
  const draft = commit({ 'article/moon.md': '---\ntitle: Draft of the moon\ndraft: true\n---\n' }, FIRST + 1);
  const odd = commit(
    { 'article/moon.md': '---\ntitle: Odd\nfield_rating: 9\nfield_old: x\n---\n' },
    FIRST + 2,
  );
  const broken = commit({ 'article/moon.md': '---\ntitle: [\n---\n' }, FIRST + 3);
  git('checkout', '-q', '-b', 'side');
  const side = commit({ 'article/moon.md': '---\ntitle: On the side\n---\n' });
  git('checkout', '-q', 'main');
  const present = commit(
    {
      'article/moon.md': '---\ntitle: New moon\nfield_rating: 5\nfield_next: [moon]\n---\nNew text\n',
      'article/gone.md': null,
      'article/hidden.md': '---\ndraft: true\n---\n',
      'person/ada.md': '---\ntitle: Ada now\n---\n',
    },
    SECOND,
  );
  at = { first, draft, odd, broken, before, present, side };
  const driver = createGitDriver(repository.content);
  services = await createServices(driver, SCHEMA, {
    roles: ROLES,
    writable: {},
    renderBody: async ({ body, id }) => (body === null ? '' : `<p>${id}, ${body.format}</p>`),
  });
  handle = createHandler(services);
});

async function get(path: string, actor = EDITOR, init: RequestInit = {}): Promise<Response> {
  return fetchFrom(handle, path, { ...init, actor });
}

async function read(path: string, actor = EDITOR) {
  const response = await get(path, actor);
  const document = await response.json();
  if (path.startsWith('/jsonapi') && document.data !== undefined) expect(problemsOf(document)).toEqual([]);
  return { status: response.status, ...document };
}

/** The JSON Schema of JSON:API allows only `self` in the links of a resource; Drupal has these too. */
function problemsOf(document: unknown) {
  const others = ['latest-version', 'working-copy'];
  return jsonApiProblems(
    JSON.parse(JSON.stringify(document), (key, value) => (others.includes(key) ? undefined : value)),
  );
}

const version = (commit: string) => `resourceVersion=id:${commit}`;

describe('a past version', () => {
  it('is the file of its commit, with links to that version', async () => {
    const { status, data, links } = await read(`${MOON}?${version(at.first)}`);
    const own = `?resourceVersion=id%3A${at.first}`;
    expect(status).toBe(200);
    expect(data.attributes).toMatchObject({
      title: 'Old moon',
      field_rating: 2,
      field_notes: 'secret then',
      body: { value: 'Old text', processed: '<p>moon, markdown</p>' },
      created: new Date(FIRST * 1000).toISOString().replace('.000Z', '+00:00'),
      changed: new Date(FIRST * 1000).toISOString().replace('.000Z', '+00:00'),
    });
    expect(data.meta.version).toBe(at.first);
    expect(links.self.href).toBe(`${ORIGIN}${MOON}${own}`);
    expect(data.links).toEqual({
      self: { href: `${ORIGIN}${MOON}${own}` },
      'latest-version': { href: `${ORIGIN}${MOON}?resourceVersion=rel%3Alatest-version` },
      'working-copy': { href: `${ORIGIN}${MOON}?resourceVersion=rel%3Aworking-copy` },
    });
    expect(data.relationships.field_author.links).toEqual({
      related: { href: `${ORIGIN}${MOON}/field_author${own}` },
      self: { href: `${ORIGIN}${MOON}/relationships/field_author${own}` },
    });
    for (const { href } of [
      data.links.self,
      ...Object.values<{ href: string }>(data.relationships.field_author.links),
    ])
      expect((await get(href.replace(ORIGIN, ''))).status).toBe(200);
  });

  it('is identified by the commit that made it, even if a later commit is requested', async () => {
    const later = await read(`${MOON}?${version(at.present)}`);
    const short = await read(`${MOON}?${version(at.first.slice(0, 9).toUpperCase())}`);
    expect(later.data.meta.version).toBe(at.present);
    expect(later.data.attributes.title).toBe('New moon');
    expect(short.data.meta.version).toBe(at.first);
    const ada = await read(`/jsonapi/node/person/ada?${version(at.odd)}`);
    expect([ada.data.attributes.title, ada.data.meta.version]).toEqual(['Ada then', at.first]);
  });

  it('refers to present content: targets, included resources and files', async () => {
    const { data, included } = await read(
      `${MOON}?${version(at.first)}&include=field_author,field_next,field_cover`,
    );
    expect(data.relationships.field_next.data).toMatchObject([{ id: 'moon' }, { id: 'missing' }]);
    expect(
      included.map((each: { id: string; attributes: object }) => [each.id, each.attributes]),
    ).toMatchObject([
      ['ada', { title: 'Ada now' }],
      [data.relationships.field_cover.data.id, { uri: { url: '/content-files/article/cover.png' } }],
    ]);
    expect(included[0].links).toEqual({ self: { href: `${ORIGIN}/jsonapi/node/person/ada` } });
    expect(data.relationships.field_cover.data.meta).toMatchObject({ width: 3 });
  });

  it('supports sparse fields, and lists ignored parameters', async () => {
    const { data, meta } = await read(`${MOON}?${version(at.first)}&fields[node--article]=title&sort=title`);
    expect(data.attributes).toEqual({ title: 'Old moon' });
    expect(data.relationships).toBeUndefined();
    expect(meta.ignored).toEqual(['sort']);
  });

  it('includes its relationships', async () => {
    const related = await read(`${MOON}/field_author?${version(at.first)}`);
    expect([related.data.id, related.data.attributes.title]).toEqual(['ada', 'Ada now']);
    expect(related.links.self.href).toContain(`resourceVersion=id%3A${at.first}`);
    expect(related.data.links.self.href).toBe(`${ORIGIN}/jsonapi/node/person/ada`);
    const present = await read(`${MOON}/field_author`);
    expect(present.data).toBeNull();
    const identifiers = await read(
      `${MOON}/relationships/field_next?${version(at.first)}&include=field_next`,
    );
    expect(identifiers.data.map(({ id }: { id: string }) => id)).toEqual(['moon', 'missing']);
    expect(identifiers.links.related.href).toBe(
      `${ORIGIN}${MOON}/field_next?resourceVersion=id%3A${at.first}`,
    );
    expect(identifiers.included[0]).toMatchObject({
      attributes: { title: 'New moon' },
      links: { self: { href: `${ORIGIN}${MOON}` } },
    });
  });

  it('is available as plain JSON under /api/content', async () => {
    const { status, data, meta, links } = await read(
      `${PLAIN_MOON}?${version(at.first)}&fields=title,field_author`,
    );
    expect(status).toBe(200);
    expect(data).toEqual({
      id: 'moon',
      type: 'article',
      title: 'Old moon',
      field_author: { type: 'person', id: 'ada', title: 'Ada now' },
    });
    expect(meta.version).toBe(at.first);
    expect(links.self).toContain(`resourceVersion=id%3A${at.first}`);
    const list = await read(`/v1${PLAIN_MOON}/field_next?${version(at.first)}`);
    expect(list.data.map(({ id }: { id: string }) => id)).toEqual(['moon', 'gone']);
    expect(list.meta.version).toBe(at.first);
  });

  it('can be read by pages and commands', async () => {
    const path = `/node/article/moon?${version(at.first)}`;
    const { data } = await answer(services, path, { actor: ADMINISTRATOR });
    expect(data).toMatchObject({ attributes: { title: 'Old moon' } });
    await expect(answer(services, path)).rejects.toMatchObject({ reason: 'unauthenticated' });
  });

  it('has its own ETag and is never cached for others', async () => {
    const tags = await Promise.all(
      ['', `?${version(at.first)}`, `?${version(at.present)}`].map(async (query) => {
        const response = await get(MOON + query);
        return [response.headers.get('etag'), response.headers.get('cache-control')];
      }),
    );
    expect(new Set(tags.map(([tag]) => tag)).size).toBe(3);
    expect(tags.map(([, caching]) => caching)).toEqual(Array(3).fill('private, no-cache'));
    const headers = { 'if-none-match': tags[1]?.[0] ?? '' };
    expect((await get(`${MOON}?${version(at.first)}`, EDITOR, { headers })).status).toBe(304);
    expect((await get(`${MOON}?${version(at.present)}`, EDITOR, { headers })).status).toBe(200);
    expect((await get(`${MOON}?${version(at.first)}`, EDITOR, { method: 'HEAD' })).status).toBe(200);
  });

  it('renders an MDX body as text without its code, because its imports may have changed', async () => {
    const site = createRepository();
    const old = site.commit({ 'article/a.mdx': 'import A from "./a.js"\n\n<A>one</A>' });
    site.commit({ 'article/a.mdx': 'two' });
    const seen: unknown[] = [];
    const handler = createHandler(
      await createServices(createGitDriver(site.content), undefined, {
        renderBody: async ({ body, revision }) => {
          seen.push([body?.format, body && bodyText(body).trim(), revision]);
          return '';
        },
      }),
    );
    const ask = (query: string) => fetchFrom(handler, `/jsonapi/node/article/a${query}`, { actor: EDITOR });
    const past = await (await ask(`?${version(old)}`))?.json();
    expect(past.data.attributes.body).toMatchObject({
      value: expect.stringMatching(/^import/),
      format: 'mdx',
    });
    await ask('');
    expect(seen).toEqual([
      ['markdown', 'one', expect.stringMatching(/ as text$/)],
      ['mdx', 'two', expect.stringMatching(/^\w+$/)],
    ]);
  });

  it('without a schema has the present types of its fields', async () => {
    const site = createRepository();
    const old = site.commit({ 'article/a.md': '---\nplace: Rome\nsize: 3\nwords: one\nlost: 1\n---\n' });
    site.commit({ 'article/a.md': '---\nplace: Paris\nsize: 4\nwords: [one, two]\n---\n' });
    const handler = createHandler(await createServices(createGitDriver(site.content)));
    const ask = async (commit: string) => {
      const path = `${ORIGIN}/jsonapi/node/article/a?${version(commit)}`;
      return (await handler(new Request(path), { actor: EDITOR }))?.json();
    };
    const { attributes } = (await ask(old)).data;
    expect(attributes).toMatchObject({ place: 'Rome', size: 3, words: ['one'] });
    expect(attributes).not.toHaveProperty('lost');
  });
});

describe('a past version of a translation', () => {
  let open: Handler;
  let old: string;

  beforeAll(async () => {
    const site = createRepository();
    old = site.commit({
      'article/moon.md': '---\ntitle: Old moon\nfield_author: ada\n---\n',
      'article/moon.de.md': '---\ntitle: Alter Mond\nfield_author: ada\n---\n',
      'article/odd.md': '---\ntitle: Altes\nlangcode: de\n---\n',
      'person/ada.md': '---\ntitle: Ada\n---\n',
    });
    site.commit({
      'article/moon.md': '---\ntitle: New moon\n---\n',
      'article/moon.de.md': '---\ntitle: Neuer Mond\n---\n',
      'article/odd.md': '---\ntitle: Odd\n---\n',
    });
    const languages = siteLanguages({ defaultLocale: 'en', locales: ['en', 'de'] });
    open = createHandler(
      await createServices(createGitDriver(site.content), SCHEMA, { settings: { languages } }),
    );
  });

  const ask = async (path: string) => {
    const response = await fetchFrom(open, path, { actor: EDITOR });
    const document = await response.json();
    expect([path, problemsOf(document)]).toEqual([path, []]);
    return { status: response.status, ...document };
  };
  /** The paths of all links in a part of a document. */
  const linksIn = (part: unknown) =>
    [...JSON.stringify(part).matchAll(/"href":"([^"]*)"/g)].map(([, href = '']) => href.replace(ORIGIN, ''));

  it.each<[string, string, string, string]>([
    ['langCode', MOON, '?langCode=de&', 'Alter Mond'],
    ['langCode of the default language', MOON, '?langCode=en&', 'Old moon'],
    ['a prefix', `/de${MOON}`, '?', 'Alter Mond'],
    ['neither', MOON, '?', 'Old moon'],
  ])('is requested with %s, and its links keep it', async (_, path, query, title) => {
    const address = (below: string, of: string) => `${path}${below}${query}resourceVersion=${of}`;
    const own = encodeURIComponent(`id:${old}`);
    const { data, links } = await ask(address('', own));
    expect([data.attributes.title, links.self.href]).toEqual([title, ORIGIN + address('', own)]);
    expect(linksIn(data.links)).toEqual([
      address('', own),
      address('', 'rel%3Alatest-version'),
      address('', 'rel%3Aworking-copy'),
    ]);
    expect(linksIn(data.relationships.field_author.links)).toEqual([
      address('/field_author', own),
      address('/relationships/field_author', own),
    ]);
    for (const link of linksIn([data.links, data.relationships.field_author.links])) {
      expect([link, (await ask(link)).status]).toEqual([link, 200]);
    }
    expect((await ask(address('', own))).data).toEqual((await ask(linksIn(data.links.self)[0] ?? '')).data);
  });

  it('has links to itself even if it was in another language', async () => {
    const path = `/jsonapi/node/article/odd?langCode=en&resourceVersion=id%3A${old}`;
    const { data } = await ask(path);
    expect([data.attributes.langcode, linksIn(data.links.self)]).toEqual(['de', [path]]);
  });

  it('includes present resources, whose links have their own language', async () => {
    const { included } = await ask(`${MOON}?langCode=de&${version(old)}&include=field_author`);
    expect(linksIn(included[0].links)).toEqual(['/jsonapi/node/person/ada?langCode=en']);
  });
});

describe('access to past versions', () => {
  it.each([
    ['an anonymous user', ANONYMOUS, 401],
    ['a user without the permission', READER, 403],
  ])('%s gets no version and no commit id', async (_, actor, status) => {
    const answers = await Promise.all(
      [at.first, at.present, at.side, 'f'.repeat(40), '7'].flatMap((commit) =>
        [MOON, `${MOON}/field_author`, PLAIN_MOON].map((path) => read(`${path}?${version(commit)}`, actor)),
      ),
    );
    expect(answers.map((each) => each.status)).toEqual(Array(15).fill(status));
    const [first, , plain, ...others] = answers;
    for (const each of others)
      expect([JSON.stringify(first), JSON.stringify(plain)]).toContain(JSON.stringify(each));
    const response = await get(`${MOON}?${version(at.first)}`, actor);
    expect(response.headers.has('www-authenticate')).toBe(status === 401);
  });

  it('a user without access to the current entity gets no trace of older versions', async () => {
    const path = '/jsonapi/node/article/hidden';
    for (const actor of [ANONYMOUS, READER, ARCHIVIST]) {
      const [hidden, none] = await Promise.all([
        read(`${path}?${version(at.present)}`, actor),
        read(`/jsonapi/node/article/nobody?${version(at.present)}`, actor),
      ]);
      expect(hidden.status).toBe(404);
      expect(JSON.stringify(none)).toBe(JSON.stringify(hidden).replaceAll('hidden', 'nobody'));
    }
    expect((await read(`${path}?${version(at.present)}`)).status).toBe(200);
  });

  it('users see only published versions and visible fields, as in the present', async () => {
    const { status, data } = await read(`${MOON}?${version(at.first)}`, ARCHIVIST);
    expect([status, data.attributes.title]).toEqual([200, 'Old moon']);
    expect(JSON.stringify(data)).not.toMatch(/field_notes|secret then/);
    expect((await read(`${MOON}?${version(at.draft)}`)).data.attributes.status).toBe(false);
  });

  it('the same 404 stands for unseen, unfit, misplaced and missing versions', async () => {
    const commits = [at.draft, at.odd, at.broken, at.before, at.side, 'f'.repeat(40), at.first.slice(0, 6)];
    const answers = await Promise.all(commits.map((commit) => read(`${MOON}?${version(commit)}`, ARCHIVIST)));
    const responses = answers.map((each, index) =>
      JSON.stringify(each).replaceAll(commits[index] ?? '', '…'),
    );
    expect(new Set(responses).size).toBe(1);
    expect(answers[0]).toMatchObject({
      status: 404,
      errors: [{ status: '404', source: { parameter: 'resourceVersion' } }],
    });
  });

  it('everyone may have it if the site allows it', async () => {
    const anonymous = { ...ROLES.anonymous, also: ['view revisions'] as const };
    const open = await createServices(createGitDriver(repository.content), SCHEMA, {
      roles: { ...ROLES, anonymous },
      settings: { maxAge: 3600 },
    });
    const ask = createHandler(open);
    const response = await fetchFrom(ask, `${MOON}?${version(at.first)}`);
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('private, no-cache');
  });
});

describe('an invalid version', () => {
  it.each(['before', 'side'] as const)('is a 404 for an editor: %s', async (name) => {
    const { status, errors } = await read(`${MOON}?${version(at[name])}`);
    expect([status, errors[0].source]).toEqual([404, { parameter: 'resourceVersion' }]);
  });

  it.each(['20', '9999', 'abcdef', 'f'.repeat(40), 'f'.repeat(64)])('is a 404: id:%s', async (name) => {
    expect((await read(`${MOON}?${version(name)}`)).status).toBe(404);
    expect((await read(`${PLAIN_MOON}?${version(name)}`)).status).toBe(404);
  });

  it.each([
    '',
    'HEAD',
    'HEAD~1',
    'main',
    'xyz',
    '--all',
    '-1',
    ':content/article/moon.md',
    'abcdef01:content',
    'abcdef01^{tree}',
    'abcdef01 abcdef02',
    'abcdef01%00',
    'abcdef01%0Aabcdef02',
    'f'.repeat(65),
    'f'.repeat(1000),
  ])('is a 400: id:%s', async (name) => {
    for (const path of [MOON, `${MOON}/field_author`, PLAIN_MOON]) {
      const { status, errors, error } = await read(`${path}?${version(name)}`);
      const { source, detail } = error ?? errors[0];
      expect([status, source]).toEqual([400, { parameter: 'resourceVersion' }]);
      expect(detail.length).toBeLessThan(250);
    }
  });

  it.each([
    '/jsonapi',
    '/jsonapi/node/article',
    '/jsonapi/node/article/resource/schema',
    '/jsonapi/openapi.json',
    '/api/content/articles',
  ])('is a 400 at %s, which has no versions', async (path) => {
    const { status, error, errors } = await read(`${path}?${version(at.first)}`);
    expect([status, (error ?? errors[0]).source]).toEqual([400, { parameter: 'resourceVersion' }]);
  });

  it.each([
    ['PATCH', MOON],
    ['DELETE', MOON],
    ['PUT', PLAIN_MOON],
    ['DELETE', PLAIN_MOON],
  ])('is a 400 for a change: %s %s', async (method, path) => {
    const type = path === MOON ? 'application/vnd.api+json' : 'application/json';
    const data = { type: 'node--article', id: 'moon', attributes: { title: 'Changed' } };
    const body = JSON.stringify(path === MOON ? { data } : { title: 'Changed' });
    const init = { method, headers: { 'content-type': type }, ...(method !== 'DELETE' && { body }) };
    expect((await get(`${path}?${version(at.first)}`, EDITOR, init)).status).toBe(400);
    expect((await read(MOON)).data.attributes.title).toBe('New moon');
  });

  it('is a 410 if it was removed permanently', async () => {
    const site = createRepository();
    const commit = site.commit({ 'article/a.md': '' });
    const ask = createHandler(
      await createServices(createGitDriver(site.content), SCHEMA, { roles: ROLES, writable: {} }),
    );
    const url = `${ORIGIN}/jsonapi/node/article/a`;
    expect((await ask(new Request(url, { method: 'DELETE' }), { actor: EDITOR }))?.status).toBe(204);
    for (const actor of [ANONYMOUS, EDITOR])
      expect((await ask(new Request(`${url}?${version(commit)}`), { actor }))?.status).toBe(410);
  });

  it('is a 422 for privileged users if it no longer matches the schema', async () => {
    const odd = await read(`${MOON}?${version(at.odd)}`);
    expect([odd.status, odd.errors[0].source]).toEqual([422, { parameter: 'resourceVersion' }]);
    const details = odd.errors.map(({ detail }: { detail: string }) => detail).join('\n');
    expect(details).toContain(at.odd);
    expect(details).toMatch(/line 3, column 15: .*field_rating/);
    expect((await read(`${MOON}?${version(at.broken)}`)).status).toBe(422);
    expect((await read(`${PLAIN_MOON}?${version(at.odd)}`)).error.status).toBe(422);
  });

  it('is a 422 if its body cannot be rendered', async () => {
    const failing = await createServices(createGitDriver(repository.content), SCHEMA, {
      renderBody: async () => {
        throw new Error('a plugin');
      },
    });
    const ask = createHandler(failing);
    const path = `${ORIGIN}${MOON}?${version(at.first)}`;
    expect((await ask(new Request(path), { actor: EDITOR }))?.status).toBe(422);
    const without = await ask(new Request(`${path}&fields[node--article]=title`), { actor: EDITOR });
    expect(without?.status).toBe(200);
  });

  it.each([
    ['memory', () => createMemoryDriver({ 'article/moon.md': '' })],
    [
      'a folder outside any repository',
      () => {
        mkdirSync(join(outside, 'article'));
        writeFileSync(join(outside, 'article/moon.md'), '');
        return createGitDriver(outside);
      },
    ],
  ])('is a 404 with the reason if the content is in %s', async (_, driver) => {
    const ask = createHandler(await createServices(driver()));
    const response = await fetchFrom(ask, `${MOON}?${version(at.first)}`, { actor: EDITOR });
    expect(response.status).toBe(404);
    const { errors } = await (response ?? new Response('{}')).json();
    expect(errors[0].detail).toMatch(/git repository/);
    const anonymous = await fetchFrom(ask, `${MOON}?${version(at.first)}`, { actor: ANONYMOUS });
    expect(anonymous.status).toBe(401);
  });
});

describe('the current version', () => {
  it.each(['rel:latest-version', 'rel:working-copy'])(
    'is %s, for everyone and without a history',
    async (name) => {
      for (const path of [MOON, PLAIN_MOON]) {
        const { data, meta } = await read(`${path}?resourceVersion=${name}`, ANONYMOUS);
        expect((data.attributes ?? data).title).toBe('New moon');
        expect((data.meta ?? meta).version).toBeUndefined();
      }
    },
  );

  it('links to its versions for users with access', async () => {
    const options = async (actor: Actor, path = MOON) =>
      (await (await get(path, actor, { method: 'OPTIONS' })).json()).meta;
    const { versions } = await options(EDITOR);
    expect(versions.map((each: { version: string }) => each.version)).toEqual(
      [at.present, at.broken, at.odd, at.draft, at.first].map((commit) => `id:${commit}`),
    );
    expect((await options(EDITOR, PLAIN_MOON)).versions).toEqual(versions);
    expect(await options(EDITOR, '/jsonapi/node/article')).not.toHaveProperty('versions');
    expect(versions[4].changed).toBe(new Date(FIRST * 1000).toISOString().replace('.000Z', '+00:00'));
    expect(versions[4]).toMatchObject({ author: 'Test', message: 'change' });
    expect((await read(`${MOON}?resourceVersion=${versions[4].version}`)).data.attributes.title).toBe(
      'Old moon',
    );
    for (const actor of [ANONYMOUS, READER, ARCHIVIST])
      expect(await options(actor)).not.toHaveProperty('versions');
  });

  const viewAll = { actions: ['view'] as const, bundles: '*' as const };
  it.each<[users: string, role: Role]>([
    [
      'see all fields, but no drafts',
      { permissions: [{ ...viewAll, where: 'published' }], also: ['view revisions'] },
    ],
    [
      'see all drafts, but not all fields',
      {
        permissions: [{ ...viewAll, fields: { view: { except: ['field_notes'] } } }],
        also: ['view revisions'],
      },
    ],
    ['see everything except past versions', { permissions: [viewAll] }],
  ])('has no links to versions for users who %s', async (_, role) => {
    const roles: Roles = { authenticated: role };
    const site = await createServices(createGitDriver(repository.content), SCHEMA, { roles });
    const options = await fetchFrom(createHandler(site), MOON, { method: 'OPTIONS', actor: READER });
    expect((await options.json()).meta).not.toHaveProperty('versions');
  });

  it('has no links to versions if git fails, and is an error if the program does', async () => {
    const failing = (error: Error) => {
      const past = services.past && { ...services.past, list: () => Promise.reject(error) };
      return fetchFrom(createHandler({ ...services, past }), MOON, { method: 'OPTIONS', actor: EDITOR });
    };
    const response = await failing(new ServiceUnavailableError('git is missing', 1));
    expect((await response.json()).meta).not.toHaveProperty('versions');
    expect((await failing(new TypeError('not a function'))).status).toBe(500);
  });

  it('has the parameter in its description', async () => {
    const { paths } = await (await get('/jsonapi/openapi.json')).json();
    const names = (path: string) => paths[path].get.parameters.map(({ name }: { name: string }) => name);
    for (const path of [
      '/jsonapi/node/article/{id}',
      '/jsonapi/node/article/{id}/field_author',
      '/jsonapi/node/article/{id}/relationships/field_author',
      '/api/content/articles/{id}',
    ])
      expect(names(path), path).toContain('resourceVersion');
    expect(names('/jsonapi/node/article')).not.toContain('resourceVersion');
  });

  it('costs nothing without the parameter', async () => {
    const commitsRead: string[] = [];
    const watched: Services = {
      ...services,
      past: services.past && {
        read: async (entity, commit) => {
          commitsRead.push(commit);
          return services.past?.read(entity, commit);
        },
        list: services.past.list,
        recall: services.past.recall,
        asMarkdown: services.past.asMarkdown,
      },
    };
    const ask = createHandler(watched);
    for (const query of ['', '?resourceVersion=rel:latest-version', '/field_author', '?include=field_author'])
      expect((await fetchFrom(ask, MOON + query, { actor: EDITOR })).status).toBe(200);
    expect(commitsRead).toEqual([]);
    await fetchFrom(ask, `${MOON}?${version(at.first)}`, { actor: EDITOR });
    expect(commitsRead).toEqual([at.first]);
  });
});

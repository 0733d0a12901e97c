import { beforeEach, describe, expect, it } from 'vitest';
import type { Actor } from '../../../../integration/core/access/actor.ts';
import type { Roles } from '../../../../integration/core/access/role.ts';
import { userId } from '../../../../integration/core/content/user-id.ts';
import type { Options } from '../../../../integration/core/options/options.ts';
import type { Handler } from '../../../../integration/core/server/handler.ts';
import type { WritableDriver } from '../../../../integration/core/storage/driver.ts';
import { createHandler } from '../../../support/handler.ts';
import { createMemoryDriver } from '../../../support/memory-driver.ts';
import { fetchFrom } from '../../../support/request.ts';
import { createServices } from '../../../support/services.ts';

const ROLES: Roles = {
  author: {
    permissions: [
      { actions: ['view'], bundles: '*', where: 'published' },
      { actions: ['create', 'update'], bundles: ['article'], where: 'own' },
    ],
  },
};
const ADMINISTRATOR: Actor = { name: 'root', roles: ['authenticated', 'administrator'] };
const AUTHOR: Actor = { name: 'ada', roles: ['authenticated', 'author'] };
const ANONYMOUS: Actor = { name: null, roles: ['anonymous'] };

const ADA = userId('ada');
const BOB = userId('bob');
const EVE = userId('eve');
const GRACE = '0b3f8c1e-6a3c-4f0e-9d55-8f4f0f3e2a11';

const FILES = {
  'article/moon.md': '---\ntitle: Moon\nuid: ada\n---\n',
  'article/sun.md': '---\ntitle: Sun\nuid: bob\n---\n',
  'article/stars.md': '---\ntitle: Stars\nuid: eve\n---\n',
  'article/sea.md': '---\ntitle: Sea\n---\n',
  'article/tide.md': `---\ntitle: Tide\nuid: ${GRACE}\n---\n`,
  'user--user/ada.md': '---\ndisplay_name: Ada Lovelace\n---\n',
  'user--user/grace.md': `---\nid: ${GRACE}\ndisplay_name: Grace Hopper\n---\n`,
  // Bob is an account without a profile, and the profile of Eve is a draft.
  'user--user/eve.md': '---\ndisplay_name: Eve\nstatus: false\n---\n',
};
const {
  'user--user/ada.md': _,
  'user--user/grace.md': __,
  'user--user/eve.md': ___,
  ...WITHOUT_USERS
} = FILES;

let driver: WritableDriver;
let handle: Handler;
beforeEach(async () => {
  driver = createMemoryDriver(FILES);
  handle = await open();
});

async function open(settings: object = {}, bundleOptions: Options['bundles'] = {}): Promise<Handler> {
  return createHandler(
    await createServices(driver, undefined, {
      settings,
      bundleOptions,
      roles: ROLES,
      writable: { options: { requireIfMatch: false, onDelete: 'restrict' } },
    }),
  );
}

async function send(method: string, path: string, actor: Actor = ANONYMOUS, body?: unknown) {
  const response = await fetchFrom(handle, path, {
    method,
    actor,
    headers: body === undefined ? {} : { 'content-type': 'application/vnd.api+json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, ...(text === '' ? {} : JSON.parse(text)) };
}

const get = (path: string, actor?: Actor) => send('GET', path, actor);
const ownerOf = async (id: string, actor?: Actor) =>
  (await get(`/jsonapi/node/article/${id}`, actor)).data.relationships?.uid.data;
const titlesAt = async (query: string, actor?: Actor) => {
  const { data, errors } = await get(`/jsonapi/node/article?${query}`, actor);
  return errors?.[0].detail ?? data.map((each: Titled) => each.attributes.title).sort();
};
interface Titled {
  readonly attributes: { readonly title: string };
}
const source = async (key: string) => new TextDecoder().decode(await driver.read(key));

describe('the owner of an entity, for an anonymous visitor', () => {
  it('is the user of the account, with an id that does not reveal the name of the account', async () => {
    expect(await ownerOf('moon')).toEqual({
      type: 'user--user',
      id: ADA,
      meta: { drupal_internal__target_id: ADA },
    });
    expect(ADA).toMatch(/^[\da-f]{8}-[\da-f]{4}-5/);
    expect(JSON.stringify(await get('/jsonapi/node/article?include=uid'))).not.toMatch(/"ada"|bob|eve/i);
  });

  it('can be named by the id in the file of the user', async () => {
    expect(await ownerOf('tide')).toMatchObject({ type: 'user--user', id: GRACE });
  });

  it.each([
    ['no user has a file about that account', 'sun'],
    ['the user is not published', 'stars'],
    ['there is none', 'sea'],
  ])('is null if %s', async (_, id) => expect(await ownerOf(id)).toBeNull());

  it('is included with the fields of its file', async () => {
    const { included } = await get('/jsonapi/node/article?include=uid&fields[user--user]=display_name');
    expect(included.map(({ id, attributes }: never) => [id, attributes]).sort()).toEqual([
      [ADA, { display_name: 'Ada Lovelace' }],
      [GRACE, { display_name: 'Grace Hopper' }],
    ]);
  });

  it('can be included with the picture and the roles that users of Drupal have', async () => {
    const { status, included } = await get('/jsonapi/node/article?include=uid.user_picture,uid.roles');
    expect(status).toBe(200);
    expect(included.map(({ id }: { id: string }) => id).sort()).toEqual([ADA, GRACE].sort());
    expect((await get('/jsonapi/user/user?include=roles')).included).toEqual([]);
    expect((await get('/jsonapi/node/article?include=uid.rolls')).status).toBe(400);
    expect((await get('/jsonapi/node/article?include=roles')).status).toBe(400);
  });

  it('has the addresses of a relationship', async () => {
    const { data } = await get('/jsonapi/node/article/moon/uid');
    expect(data).toMatchObject({ type: 'user--user', id: ADA, attributes: { display_name: 'Ada Lovelace' } });
    expect((await get('/jsonapi/node/article/moon/relationships/uid')).data).toMatchObject({ id: ADA });
    expect((await get('/jsonapi/node/article/sun/uid')).data).toBeNull();
    expect((await get(`/jsonapi/user/user/${ADA}`)).data.attributes.display_name).toBe('Ada Lovelace');
  });

  it.each<[string, readonly string[]]>([
    [`filter[uid.id]=${ADA}`, ['Moon']],
    [`filter[uid.meta.drupal_internal__target_id]=${ADA}`, ['Moon']],
    ['filter[uid.display_name]=Grace Hopper', ['Tide']],
    [
      'filter[uid.entity.display_name][operator]=CONTAINS&filter[uid.entity.display_name][value]=a',
      ['Moon', 'Tide'],
    ],
    // Hidden owners never match.
    [`filter[uid.id]=${BOB}`, []],
    [`filter[uid.id]=${EVE}`, []],
    ['filter[x][condition][path]=uid.id&filter[x][condition][operator]=IS NULL', ['Sea', 'Stars', 'Sun']],
    ['filter[x][condition][path]=uid.id&filter[x][condition][operator]=IS NOT NULL', ['Moon', 'Tide']],
  ])('can be filtered by: %s', async (query, titles) => {
    expect(await titlesAt(query)).toEqual(titles);
  });

  it.each([
    'filter[uid]=ada',
    'filter[uid][condition][path]=uid&filter[uid][condition][operator]=IS NULL',
    'sort=uid',
    'facetBy=uid',
    'filter[uid.name]=ada',
  ])('cannot be queried by the name of the account: %s', async (query) => {
    const { status, errors } = await get(`/jsonapi/node/article?${query}`);
    expect(status).toBe(400);
    expect(errors[0].source.parameter).toMatch(/^(filter\[uid(\.name)?\]|sort|facetBy)/);
  });

  it('does not change the tag of an entity if the owner is secret', async () => {
    const revisionOf = async (id: string) => (await get(`/jsonapi/node/article/${id}`)).data.meta.revision;
    const before = await revisionOf('sun');
    driver = createMemoryDriver({ ...FILES, 'article/sun.md': '---\ntitle: Sun\nuid: eve\n---\n' });
    handle = await open();
    expect(await revisionOf('sun')).toBe(before);
  });

  it('leaves no trace of a secret owner in any response', async () => {
    const at = (query: string) => `/jsonapi/node/article?${query}`;
    const paths = [
      ...[
        '',
        'include=uid',
        'sort=uid.display_name',
        'sort=-uid.id',
        'facetBy=uid.display_name',
        'facetBy=uid.id',
      ].map(at),
      ...['=', '<>', 'IN', 'NOT IN', 'STARTS_WITH', 'IS NULL', 'IS NOT NULL'].flatMap((operator) =>
        [BOB, EVE, ADA].map((id) => {
          const value = operator.startsWith('IS')
            ? ''
            : `&filter[a][condition][value]${/IN$/.test(operator) ? '[]' : ''}=${id}`;
          return at(`filter[a][condition][path]=uid.id&filter[a][condition][operator]=${operator}${value}`);
        }),
      ),
      at(`filter[a][condition][path]=uid.status&filter[a][condition][value]=0`),
      at('filter[uid.title]=eve'),
      at('filter[uid.uid.id]=eve'),
      at('fields[node--article]=uid&fields[user--user]=uid'),
      ...['sun', 'sun/uid', 'sun/relationships/uid', 'sun?include=uid'].map(
        (id) => `/jsonapi/node/article/${id}`,
      ),
      ...['/jsonapi', '/jsonapi/user/user', `/jsonapi/user/user/${BOB}`, `/jsonapi/user/user/${EVE}`],
      ...['/jsonapi/openapi.json', '/api/content/article', '/api/content/article/sun?include=uid'],
      '/jsonapi/index/_all?filter[fulltext]=bob',
    ];
    const answers = async (line: string) => {
      driver = createMemoryDriver({ ...FILES, 'article/sun.md': `---\ntitle: Sun\n${line}---\n` });
      handle = await open();
      const texts: string[] = [];
      for (const path of paths) {
        const response = await fetchFrom(handle, path, { actor: ANONYMOUS });
        texts.push(`${path} ${response.status} ${[...response.headers].join()} ${await response.text()}`);
      }
      return texts;
    };
    const without = await answers('');
    expect(without.filter((text) => / 200 /.test(text)).length).toBeGreaterThan(30);
    for (const name of ['bob', 'eve', 'nobody']) expect(await answers(`uid: ${name}\n`)).toEqual(without);
    expect(await answers('uid: ada\n')).not.toEqual(without);
  });

  it('is left out while the content has no users, and clients can ask for it', async () => {
    driver = createMemoryDriver(WITHOUT_USERS);
    handle = await open();
    const { status, data, included } = await get('/jsonapi/node/article?include=uid');
    expect(status).toBe(200);
    expect(data[0]).not.toHaveProperty('relationships');
    expect(included).toEqual([]);
    expect((await get('/jsonapi/node/article?include=uid.roles')).status).toBe(200);
    expect((await get('/jsonapi/node/article?include=nothing')).status).toBe(400);
  });

  it('is left out by option', async () => {
    handle = await open({}, { article: { fields: { uid: false } } });
    for (const actor of [ANONYMOUS, ADMINISTRATOR]) {
      expect(await ownerOf('moon', actor)).toBeUndefined();
      expect((await get('/jsonapi/node/article/moon/uid', actor)).status).toBe(404);
      expect((await get(`/jsonapi/node/article?filter[uid.id]=${ADA}`, actor)).status).toBe(400);
    }
  });

  it('appears when a user gets a file', async () => {
    expect(await ownerOf('sun')).toBeNull();
    const user = { data: { type: 'user--user', attributes: { display_name: 'Bob' } } };
    expect((await send('POST', '/jsonapi/user/user', ADMINISTRATOR, user)).data).toMatchObject({
      id: BOB,
      attributes: { title: 'Bob' },
    });
    expect(await source('user--user/bob.md')).toBe('---\ndisplay_name: Bob\nuid: root\n---\n');
    expect(await ownerOf('sun')).toMatchObject({ id: BOB });
  });
});

describe('the owner of an entity, for an account that sees the names of accounts', () => {
  it('is a user, with the name of the account', async () => {
    const meta = { name: 'ada', drupal_internal__target_id: ADA };
    expect(await ownerOf('moon', AUTHOR)).toEqual({ type: 'user--user', id: ADA, meta });
    expect(await ownerOf('sun', AUTHOR)).toMatchObject({ id: BOB, meta: { name: 'bob' } });
    expect(await ownerOf('sea', AUTHOR)).toBeNull();
  });

  it('is included as a bare user if it has no file', async () => {
    for (const files of [FILES, WITHOUT_USERS]) {
      driver = createMemoryDriver(files);
      handle = await open();
      const { included } = await get('/jsonapi/node/article/sun?include=uid', ADMINISTRATOR);
      expect(included).toMatchObject([{ type: 'user--user', id: BOB, attributes: { display_name: 'bob' } }]);
    }
  });

  it.each<[string, readonly string[]]>([
    ['filter[uid]=ada', ['Moon']],
    ['filter[uid.name]=bob', ['Sun']],
    [`filter[uid.id]=${ADA}`, ['Moon']],
    ['filter[x][condition][path]=uid&filter[x][condition][operator]=IS NULL', ['Sea']],
  ])('can be filtered by: %s', async (query, titles) => {
    expect(await titlesAt(query, ADMINISTRATOR)).toEqual(titles);
  });

  it('is filtered and sorted by the field `name` of users if they have it, as for visitors', async () => {
    const named = '---\ndisplay_name: Ada Lovelace\nname: countess\n---\n';
    driver = createMemoryDriver({ ...FILES, 'user--user/ada.md': named });
    handle = await open();
    for (const actor of [ANONYMOUS, ADMINISTRATOR]) {
      expect(await titlesAt('filter[uid.name]=countess', actor)).toEqual(['Moon']);
      expect(await titlesAt('filter[uid.name]=ada', actor)).toEqual([]);
    }
    const { data } = await get('/jsonapi/node/article?sort=-uid.name&page[limit]=1', ADMINISTRATOR);
    expect(data[0].attributes.title).toBe('Moon');
    expect(await titlesAt('filter[uid]=ada', ADMINISTRATOR)).toEqual(['Moon']);
  });

  it.each<[string, unknown, string]>([
    ['the id of a user', { relationships: { uid: { data: { type: 'user--user', id: ADA } } } }, 'ada'],
    [
      'the id in the file of a user',
      { relationships: { uid: { data: { type: 'user--user', id: GRACE } } } },
      `"${GRACE}"`,
    ],
    [
      'the id of an owner without a file',
      { relationships: { uid: { data: { type: 'user--user', id: BOB } } } },
      'bob',
    ],
    ['the name of an account', { attributes: { uid: 'new' } }, 'new'],
  ])('can be changed by an administrator: to %s', async (_, members, name) => {
    const data = { type: 'node--article', id: 'stars', ...(members as object) };
    expect((await send('PATCH', '/jsonapi/node/article/stars', ADMINISTRATOR, { data })).status).toBe(200);
    expect(await source('article/stars.md')).toBe(`---\ntitle: Stars\nuid: ${name}\n---\n`);
  });

  it('can be changed and removed at the address of the relationship', async () => {
    const path = '/jsonapi/node/article/moon/relationships/uid';
    const linkage = { data: { type: 'user--user', id: BOB } };
    expect((await send('PATCH', path, ADMINISTRATOR, linkage)).status).toBe(204);
    expect(await source('article/moon.md')).toBe('---\ntitle: Moon\nuid: bob\n---\n');
    expect((await send('PATCH', path, ADMINISTRATOR, { data: null })).status).toBe(204);
    expect(await source('article/moon.md')).toBe('---\ntitle: Moon\n---\n');
  });

  it('stays the same if an author sends the entity back as it was read', async () => {
    const { data } = await get('/jsonapi/node/article/moon', AUTHOR);
    const changed = { ...data, attributes: { title: 'New moon' }, links: undefined, meta: undefined };
    const { status } = await send('PATCH', '/jsonapi/node/article/moon', AUTHOR, { data: changed });
    expect(status).toBe(200);
    expect(await source('article/moon.md')).toBe('---\ntitle: New moon\nuid: ada\n---\n');
  });

  it.each<[string, unknown, number, string | undefined]>([
    [
      'a user who does not exist',
      { type: 'user--user', id: userId('nobody') },
      404,
      '/data/relationships/uid/data',
    ],
    ['another type', { type: 'node--article', id: 'sun' }, 400, '/data/relationships/uid/data/type'],
    ['no identifier', 'bob', 400, '/data/relationships/uid/data'],
    ['a list', [{ type: 'user--user', id: ADA }], 400, '/data/relationships/uid/data'],
  ])('cannot be changed to %s', async (_, linkage, expected, pointer) => {
    const data = { type: 'node--article', id: 'sun', relationships: { uid: { data: linkage } } };
    const { status, errors } = await send('PATCH', '/jsonapi/node/article/sun', ADMINISTRATOR, { data });
    expect([status, errors[0].source.pointer]).toEqual([expected, pointer]);
  });

  it('cannot be changed by an author', async () => {
    const data = { type: 'node--article', id: 'moon', relationships: { uid: { data: null } } };
    expect((await send('PATCH', '/jsonapi/node/article/moon', AUTHOR, { data })).status).toBe(403);
  });

  it('has a UUID as its id', async () => {
    const user = (id: string) => ({ data: { type: 'user--user', id, attributes: { display_name: 'New' } } });
    const { status, errors } = await send('POST', '/jsonapi/user/user', ADMINISTRATOR, user('new'));
    expect([status, errors[0].source.pointer]).toEqual([422, '/data/id']);
    const id = crypto.randomUUID();
    expect((await send('POST', '/jsonapi/user/user', ADMINISTRATOR, user(id))).data.id).toBe(id);
  });
});

describe('plain JSON', () => {
  it('has the name of the account as before, and nothing for anonymous visitors', async () => {
    expect((await get('/api/content/article/moon', ADMINISTRATOR)).data.uid).toBe('ada');
    expect((await get('/api/content/article/moon')).data).not.toHaveProperty('uid');
    expect((await get('/api/content/article?include=uid')).status).toBe(400);
  });
});

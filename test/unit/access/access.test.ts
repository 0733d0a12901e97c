import { beforeEach, describe, expect, it } from 'vitest';
import { type Access, allowsEverything } from '../../../integration/core/access/access.ts';
import { type Actor, ADMINISTRATOR, ANONYMOUS } from '../../../integration/core/access/actor.ts';
import { ACTIONS, type Roles, SPECIAL_PERMISSIONS } from '../../../integration/core/access/role.ts';
import type { Services } from '../../../integration/core/api/request.ts';
import type { Entity } from '../../../integration/core/content/model.ts';
import { createEntityStore } from '../../../integration/core/engine/store/entity-store.ts';
import { createHandler } from '../../support/handler.ts';
import { fetchFrom } from '../../support/request.ts';
import { createReadServices } from '../../support/services.ts';
import { bundle, entity, field } from '../api/jsonapi/magazine.ts';

const PAGE = bundle('node--page', [field('section', 'string'), field('rating', 'integer')]);
const PERSON = bundle('node--person', [field('salary', 'integer')]);
const PLACE = { ...bundle('node--place', []), fields: new Map([['title', field('title', 'string')]]) };
const MENU = bundle('menu_link_content--main', [field('url', 'string'), field('weight', 'integer')]);

const mine = page('mine', { uid: 'ada' }, false);
const others = page('others', { uid: 'bob' }, false);
const shown = page('shown', { uid: 'bob', section: 'news' });

const ADA: Actor = { name: 'ada', roles: [] };
const as = (...roles: string[]): Actor => ({ name: 'ada', roles });

let store: ReturnType<typeof createEntityStore>;
beforeEach(() => {
  store = createEntityStore({ locale: 'en' });
  store.load(
    [PAGE, PERSON, PLACE, MENU],
    [
      mine,
      others,
      shown,
      entity('node--person', 'eve', { salary: 100, uid: 'bob', path: { alias: '/eve' } }),
      entity('node--place', 'here', {}),
      entity('menu_link_content--main', 'one', { url: '/node/person/eve', weight: 2, title: 'One' }),
      entity('menu_link_content--main', 'two', { url: '/eve', weight: 1, title: 'Two' }),
    ],
  );
});

const services = (roles: Roles = {}): Services => createReadServices(store, { roles });
const access = (actor: Actor, roles: Roles = {}): Access => services(roles).access(actor);

async function ask(path: string, actor: Actor, roles: Roles = {}) {
  const response = await fetchFrom(createHandler(services(roles)), path, { actor });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

describe('a site without option roles', () => {
  it.each([
    ['anonymous', ANONYMOUS, { mine: [], others: [], shown: ['view'] }],
    ['an account', ADA, { mine: ['view'], others: [], shown: ['view'] }],
    ['an account of another case', { name: 'Ada', roles: [] }, { mine: [], others: [], shown: ['view'] }],
    ['an account without a name', { name: '', roles: [] }, { mine: [], others: [], shown: ['view'] }],
    ['an editor', as('editor'), { mine: ACTIONS, others: ACTIONS, shown: ACTIONS }],
    ['an administrator', ADMINISTRATOR, { mine: ACTIONS, others: ACTIONS, shown: ACTIONS }],
    ['an unknown role', as('editr', 'constructor'), { mine: ['view'], others: [], shown: ['view'] }],
    [
      'a missing name with a role',
      { name: null, roles: ['editor'] },
      { mine: [], others: [], shown: ['view'] },
    ],
    ['anonymous as a role of an account', as('anonymous'), { mine: ['view'], others: [], shown: ['view'] }],
  ] as const)('gives %s the expected permissions', (_, actor, expected) => {
    const allowed = (each: Entity) => ACTIONS.filter((action) => access(actor).allows(action, each));
    expect({ mine: allowed(mine), others: allowed(others), shown: allowed(shown) }).toEqual(expected);
  });

  it('shows owners only to accounts, and lets only administrators change them', () => {
    const uid = (actor: Actor) => {
      const resolved = access(actor);
      return [
        resolved.fieldVisible(PAGE, 'uid'),
        resolved.fieldWritable(PAGE, 'uid'),
        resolved.fieldWritable(PAGE, 'title'),
      ];
    };
    expect(uid(ANONYMOUS)).toEqual([false, false, false]);
    expect(uid(ADA)).toEqual([true, false, false]);
    expect(uid(as('editor'))).toEqual([true, false, true]);
    expect(uid(ADMINISTRATOR)).toEqual([true, true, true]);
  });

  it('lets no role write mdx, only administrators write raw html and manage accounts, and editors see past versions', () => {
    const special = (actor: Actor) => SPECIAL_PERMISSIONS.filter((each) => access(actor).has(each));
    expect(special(ANONYMOUS)).toEqual([]);
    expect(special(ADA)).toEqual([]);
    expect(special(as('editor'))).toEqual(['view revisions']);
    expect(special(ADMINISTRATOR)).toEqual(['use raw html', 'administer accounts', 'view revisions']);
  });
});

describe('a custom role', () => {
  it('is limited to its bundles, with short and full names', () => {
    const roles: Roles = {
      authenticated: {},
      desk: { permissions: [{ actions: ['view', 'update'], bundles: ['page', 'menu_link_content--main'] }] },
    };
    const { filterFor } = access(as('desk'), roles);
    expect([PAGE, MENU, PERSON].map((type) => filterFor('view', type))).toEqual([null, null, false]);
    expect([PAGE, MENU, PERSON].map((type) => filterFor('update', type))).toEqual([null, null, false]);
    expect(filterFor('delete', PAGE)).toBe(false);
  });

  it('is limited by a filter', () => {
    const where = { section: 'NEWS', worth: { condition: { path: 'rating', operator: 'IS NULL' } } };
    const roles: Roles = { desk: { permissions: [{ actions: ['update'], bundles: ['page'], where }] } };
    const may = (each: Entity) => access(as('desk'), roles).allows('update', each);
    expect([may(shown), may(others), may(page('new', { section: 'news', rating: 1 }))]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('combines with other roles', () => {
    const roles: Roles = {
      one: { permissions: [{ actions: ['update'], bundles: '*', where: 'own' }] },
      two: { permissions: [{ actions: ['update'], bundles: '*', where: 'published' }], also: ['write mdx'] },
    };
    const may = (...names: string[]) =>
      [mine, others, shown].map((each) => access(as(...names), roles).allows('update', each));
    expect([may(), may('one'), may('two'), may('one', 'two')]).toEqual([
      [false, false, false],
      [true, false, false],
      [false, false, true],
      [true, false, true],
    ]);
    expect(access(as('one', 'two'), roles).has('write mdx')).toBe(true);
  });

  it('replaces the built-in role of the same name', () => {
    const roles: Roles = {
      editor: { permissions: [{ actions: ['update'], bundles: ['page'], where: 'own' }] },
    };
    const may = (each: Entity) => access(as('editor'), roles).allows('update', each);
    expect([may(mine), may(others)]).toEqual([true, false]);
  });

  it('can only add permissions to administrators', () => {
    const resolved = access(ADMINISTRATOR, { administrator: { also: ['write mdx'] } });
    expect(
      resolved.has('write mdx') && resolved.has('use raw html') && resolved.allows('delete', others),
    ).toBe(true);
  });

  it('are joined by permissions of the actor', () => {
    const author = { ...ADMINISTRATOR, also: ['write mdx' as const] };
    expect([access(ADMINISTRATOR).has('write mdx'), access(author).has('write mdx')]).toEqual([false, true]);
  });

  it('allows nothing on a bundle without the fields of its condition', () => {
    const roles: Roles = {
      authenticated: {},
      desk: { permissions: [{ actions: ['view'], bundles: '*', where: { section: 'news' } }] },
      owner: { permissions: [{ actions: ['view'], bundles: ['place'], where: 'own' }] },
    };
    const { filterFor } = access(as('desk', 'owner'), roles);
    expect([filterFor('view', PERSON), filterFor('view', PLACE)]).toEqual([false, false]);
    expect(filterFor('view', PAGE)).not.toBe(false);
  });

  it('applies once the bundle has the field', () => {
    const roles: Roles = {
      desk: { permissions: [{ actions: ['update'], bundles: '*', where: { tone: 'low' } }] },
    };
    const resolved = access(as('desk'), roles);
    expect(resolved.filterFor('update', PAGE)).toBe(false);
    const changed = bundle('node--page', [field('tone', 'string')]);
    store.replaceType(changed, [page('low', { tone: 'low' })]);
    expect(resolved.filterFor('update', changed)).not.toBe(false);
    expect(resolved.allows('update', page('low', { tone: 'low' }))).toBe(true);
  });

  it('can allow different fields on different entities', () => {
    const roles: Roles = {
      desk: {
        permissions: [
          { actions: ['update'], bundles: ['page'], where: 'own' },
          { actions: ['update'], bundles: ['page'], fields: { change: ['section'] } },
        ],
      },
    };
    const { fieldWritable } = access(as('desk'), roles);
    const writable = (name: string, of?: Entity) => fieldWritable(PAGE, name, 'update', of);
    expect([writable('title', mine), writable('title', shown), writable('title')]).toEqual([
      true,
      false,
      false,
    ]);
    expect([writable('section', mine), writable('section', shown), writable('section')]).toEqual([
      true,
      true,
      true,
    ]);
    expect(writable('uid', mine)).toBe(false);
    expect(fieldWritable(PAGE, 'section', 'create')).toBe(false);
  });

  it('can set the owner if its permission lists the field', () => {
    const change = { except: [] };
    const roles: Roles = {
      desk: { permissions: [{ actions: ['create'], bundles: '*', fields: { change } }] },
    };
    expect(access(as('desk'), roles).fieldWritable(PAGE, 'uid', 'create')).toBe(true);
  });
});

describe('the permission to change everything', () => {
  it.each([
    ['to view and update', { actions: ['view', 'update'] }, true],
    ['to update without the permission to view', { actions: ['update'] }, false],
    ['to view', { actions: ['view'] }, false],
    ['to update published entities', { actions: ['view', 'update'], where: 'published' }, false],
    ['with a hidden field', { actions: ['view', 'update'], fields: { view: { except: ['salary'] } } }, false],
  ] as const)('needs the permission for all entities and fields: %s', (_, permission, expected) => {
    const roles = { helper: { permissions: [{ bundles: '*', ...permission }] } } as const;
    expect(allowsEverything(access(as('helper'), roles), 'update', store)).toBe(expected);
  });
});

describe('a hidden field', () => {
  const staff = { actions: ['view'], bundles: ['person'] } as const;
  const hides = (except: readonly string[]): Roles => ({
    authenticated: {
      permissions: [{ actions: ['view'], bundles: '*', where: 'published', fields: { view: { except } } }],
    },
    hr: { permissions: [staff] },
    own: { permissions: [{ ...staff, where: 'own' }] },
  });

  it('is missing from responses, filters, sorts and errors', async () => {
    const roles = hides(['salary']);
    for (const path of ['?filter[salary]=100', '?sort=salary', '?filter[slary]=1', '?sort=-slary']) {
      const { status, body } = await ask(`/jsonapi/node/person${path}`, ADA, roles);
      expect(status).toBe(400);
      expect(body.errors[0].detail).not.toMatch(/Valid:.*salary|mean "salary"/);
    }
    const read = [
      '/jsonapi/node/person/eve',
      '/api/content/people/eve',
      '/jsonapi/openapi.json',
      '/jsonapi/node/person/resource/schema',
    ];
    for (const path of read) {
      expect(JSON.stringify((await ask(path, ADA, roles)).body), path).not.toContain('salary');
      expect(JSON.stringify((await ask(path, as('hr'), roles)).body), path).toContain('salary');
    }
  });

  it('stays hidden if a role shows it on some entities only', () => {
    expect(access(as('own'), hides(['salary'])).fieldVisible(PERSON, 'salary')).toBe(false);
    expect(access(as('hr'), hides(['salary'])).fieldVisible(PERSON, 'salary')).toBe(true);
  });

  it('is not followed by menus, references and addresses', async () => {
    const items = async (except: readonly string[]) => {
      const { body } = await ask('/jsonapi/menu_items/main', ADA, hides(except));
      return body.data.map(({ attributes }: { attributes: { title: string; weight: string } }) => [
        attributes.title,
        attributes.weight,
      ]);
    };
    expect(await items([])).toEqual([
      ['Two', '1'],
      ['One', '2'],
    ]);
    expect(await items(['weight', 'title'])).toEqual([
      ['', '0'],
      ['', '0'],
    ]);
    const translated = (path: string, except: readonly string[]) =>
      ask(`/router/translate-path?path=${path}`, ADA, hides(except));
    expect((await translated('/node/person/eve', [])).body).toMatchObject({
      label: 'eve',
      entity: { path: '/eve' },
    });
    expect((await translated('/node/person/eve', ['title', 'path'])).body).toMatchObject({
      label: '',
      entity: { path: '/node/person/eve' },
    });
    expect((await translated('/eve', ['path'])).status).toBe(404);
  });
});

describe('the access of actors', () => {
  const roles: Roles = { reporter: { permissions: [{ actions: ['create'], bundles: ['page'] }] } };

  it('is one object for actors with the same permissions', () => {
    const { access: of } = services(roles);
    expect(of({ name: null, roles: [] })).toBe(of(ANONYMOUS));
    expect(of({ name: 'bob', roles: ['editor', 'reporter'] })).toBe(of(as('editor')));
    expect(of({ name: 'bob', roles: ['administrator', 'reporter'] })).toBe(of(ADMINISTRATOR));
    expect(of(ADA)).toBe(of(as('nothing')));
    expect(of(ADA)).not.toBe(of({ name: 'bob', roles: [] }));
    expect(of(ADA)).not.toBe(of(as('reporter')));
  });

  it('is cached for a bounded number of recent accounts', () => {
    const { access: of } = services(roles);
    const [first, second] = [of(ADA), of({ name: 'bob', roles: [] })];
    for (let each = 0; each < 600; each += 1) {
      of({ name: `account-${each}`, roles: [] });
      of(ADA);
    }
    expect(of(ADA)).toBe(first);
    expect(of({ name: 'bob', roles: [] })).not.toBe(second);
  });

  it('makes responses to signed-in users private', async () => {
    const cached = async (actor: Actor) =>
      (await ask('/jsonapi/node/page', actor)).headers?.get('cache-control');
    expect([await cached(ADA), await cached(ANONYMOUS)]).toEqual(['private, no-cache', 'no-cache']);
  });

  it('never returns the cached response of another account', async () => {
    const handle = createHandler(services());
    const ids = async (name: string) => {
      const response = await fetchFrom(handle, '/jsonapi/node/page', { actor: { name, roles: [] } });
      const { data } = await response.json();
      return data.map(({ id }: { id: string }) => id);
    };
    for (let time = 0; time < 3; time += 1) {
      expect(await ids('ada')).toEqual(['mine', 'shown']);
      expect(await ids('bob')).toEqual(['others', 'shown']);
      expect(await ids('eve')).toEqual(['shown']);
    }
    store.put(page('mine', { uid: 'eve' }, false));
    expect([await ids('ada'), await ids('eve')]).toEqual([['shown'], ['mine', 'shown']]);
  });
});

function page(id: string, values: Entity['values'], published = true): Entity {
  return entity('node--page', id, { section: null, rating: null, ...values }, { published });
}

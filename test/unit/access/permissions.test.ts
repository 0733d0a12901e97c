import { beforeEach, describe, expect, it } from 'vitest';
import { type Access, allowsEverything } from '../../../integration/core/access/access.ts';
import { type Actor, ADMINISTRATOR, ANONYMOUS } from '../../../integration/core/access/actor.ts';
import { createPolicy, type Policy } from '../../../integration/core/access/policy.ts';
import type { Action, Permission, Roles } from '../../../integration/core/access/role.ts';
import { rolesSchema } from '../../../integration/core/access/roles-schema.ts';
import { compileRule, parseRoleFilter, withoutRedundant } from '../../../integration/core/access/rule.ts';
import {
  createPublicationFilters,
  createScheduleClock,
  isPublishedAt,
  scheduledPaths,
} from '../../../integration/core/access/schedule.ts';
import { siteLanguages } from '../../../integration/core/content/languages.ts';
import type { Entity } from '../../../integration/core/content/model.ts';
import { createEntityMatcher } from '../../../integration/core/engine/plan/policy-rows.ts';
import { createEntityStore } from '../../../integration/core/engine/store/entity-store.ts';
import { bundle, entity, field } from '../api/jsonapi/magazine.ts';

const PAGE = bundle('node--page', [
  field('title', 'string', { storedIn: 'headline' }),
  field('headline', 'string'),
  field('section', 'string'),
  field('about', 'reference', { targets: ['node--note'] }),
  field('publish_on', 'datetime'),
  field('unpublish_on', 'datetime'),
]);
const NOTE = bundle('node--note', []);
const mine = page('mine', { uid: 'ada' }, false);
const others = page('others', { uid: 'bob' }, false);
const news = page('news', { uid: 'bob', section: 'news' });

const languages = siteLanguages({ defaultLocale: 'en', locales: ['en', 'de'] });
const NOW = Date.parse('2030-01-01T00:00:00Z');

function newStore(...entities: readonly Entity[]) {
  const store = createEntityStore({ locale: 'en' });
  store.load([PAGE, NOTE], entities);
  return store;
}
const store = newStore(mine, others, news);
const matches = createEntityMatcher(store);

function access(actor: Actor, roles: Roles = {}): Access {
  return createPolicy(store, { now: () => NOW, roles })(actor);
}

/** The access of an account with exactly these permissions. */
function having(...permissions: readonly Permission[]): Access {
  return access({ name: 'ada', roles: ['desk'] }, { authenticated: {}, desk: { permissions } });
}
const all = (...actions: readonly Action[]): Permission => ({ actions, bundles: '*' });

describe('an action', () => {
  it.each<[string, Permission[], { own: boolean; other: boolean }]>([
    ['needs a permission', [all('view')], { own: false, other: false }],
    ['needs an entity that the account sees', [all('update')], { own: false, other: false }],
    [
      'needs an entity that the account sees, even if it is its own',
      [{ ...all('update'), where: 'own' }],
      { own: false, other: false },
    ],
    ['is allowed on all visible entities', [all('view', 'update')], { own: true, other: true }],
    [
      'is limited to visible entities, even if its permission covers all',
      [{ ...all('view'), where: 'own' }, all('update')],
      { own: true, other: false },
    ],
    [
      'is limited to entities that its permission covers, even if all are visible',
      [all('view'), { ...all('update'), where: 'own' }],
      { own: true, other: false },
    ],
    [
      'is limited by both conditions',
      [
        { ...all('view'), where: 'unpublished' },
        { ...all('update'), where: 'own' },
      ],
      { own: true, other: false },
    ],
  ])('%s', (_, permissions, expected) => {
    const { allows, fieldWritable, filterFor } = having(...permissions);
    expect({ own: allows('update', mine), other: allows('update', others) }).toEqual(expected);
    const writable = (of: Entity) => fieldWritable(PAGE, 'section', 'update', of);
    expect({ own: writable(mine), other: writable(others) }).toEqual(expected);
    const filter = filterFor('update', PAGE);
    if (filter) expect([matches(PAGE, mine, filter), matches(PAGE, others, filter)]).toEqual([true, false]);
    if (filter) expect(filterFor('update', PAGE)).toBe(filter);
    expect(filter === null).toBe(expected.own && expected.other);
    expect(filter === false).toBe(!(expected.own || expected.other));
  });

  it('on a new entity does not need the permission to see it', () => {
    const { allows, fieldWritable, filterFor } = having(all('create'));
    expect([allows('create', mine), fieldWritable(PAGE, 'section', 'create', mine)]).toEqual([true, false]);
    expect(filterFor('create', PAGE)).toBe(null);
  });

  it('on a type that the site does not have is never allowed', () => {
    const { allows, couldHaveSeen } = access(ADMINISTRATOR);
    const lost = entity('node--lost', 'one', {});
    expect([allows('view', lost), allows('update', lost), couldHaveSeen(lost)]).toEqual([
      false,
      false,
      false,
    ]);
  });

  it('is not allowed by the role of anonymous readers to an account that names this role', () => {
    const roles: Roles = { authenticated: {} };
    expect(access(ANONYMOUS, roles).allows('view', news)).toBe(true);
    expect(access({ name: 'ada', roles: ['anonymous'] }, roles).allows('view', news)).toBe(false);
  });

  it('on own content is not allowed to an account without a name', () => {
    const unowned = page('unowned', { uid: '' }, false);
    expect(access({ name: '', roles: [] }).allows('view', unowned)).toBe(false);
  });

  it('depends on the additional permissions of an actor', () => {
    const policy = createPolicy(store, { now: () => NOW });
    const author: Actor = { ...ADMINISTRATOR, also: ['write mdx'] };
    expect([policy(ADMINISTRATOR), policy(author)].map(({ has }) => has('write mdx'))).toEqual([false, true]);
    expect(policy({ ...author })).toBe(policy(author));
  });

  it('is allowed as soon as a type on the path of its condition has the field', () => {
    const content = newStore(news);
    const roles: Roles = {
      desk: { permissions: [{ actions: ['update'], bundles: ['page'], where: { 'about.tone': 'low' } }] },
    };
    const { filterFor } = createPolicy(content, { now: () => NOW, roles })({ name: 'ada', roles: ['desk'] });
    expect(filterFor('update', PAGE)).toBe(false);
    content.replaceType(bundle('node--note', [field('tone', 'string')]), []);
    const filter = filterFor('update', PAGE);
    expect(filter).not.toBe(false);
    expect(filterFor('update', PAGE)).toBe(filter);
  });

  it('stays allowed to administrators whatever option roles gives them', () => {
    expect(access(ADMINISTRATOR, { administrator: {} }).allows('delete', others)).toBe(true);
  });
});

describe('everything is allowed', () => {
  it.each<[string, Access, Action, boolean]>([
    ['to an administrator', access(ADMINISTRATOR), 'update', true],
    ['to see for a role that sees all', having(all('view')), 'view', true],
    ['not to anonymous readers', access(ANONYMOUS), 'view', false],
    ['not without the action', having(all('view')), 'update', false],
    ['not to update without the permission to view', having(all('update')), 'update', false],
    ['not to create entities without the permission to view', having(all('create')), 'create', false],
    ['not on a part', having(all('view'), { ...all('update'), where: 'own' }), 'update', false],
    ['not in one bundle', having(all('view'), { ...all('update'), bundles: ['page'] }), 'update', false],
    [
      'not with a hidden field',
      having({ ...all('view'), fields: { view: { except: ['section'] } } }),
      'view',
      false,
    ],
  ])('%s', (_, actor, action, expected) => {
    expect(allowsEverything(actor, action, store)).toBe(expected);
  });
});

describe('a field', () => {
  it('can be changed if a permission lists it', () => {
    const { filterForField, filterFor } = having(
      all('view'),
      { ...all('update'), where: 'own' },
      { ...all('update'), fields: { change: ['section'] } },
    );
    expect(filterForField(PAGE, 'section')).toBe(null);
    expect(filterForField(PAGE, 'langcode')).toEqual({
      kind: 'condition',
      path: '@owner',
      operator: '=',
      value: 'ada',
    });
    expect(filterForField(PAGE, 'uid')).toBe(false);
    expect(filterFor('update', PAGE)).toBe(null);
  });

  it('is not changeable while it is hidden, whatever may be changed', () => {
    const { filterForField, fieldWritable } = having(
      { ...all('view'), fields: { view: { except: ['section'] } } },
      all('create', 'update'),
    );
    expect(filterForField(PAGE, 'section')).toBe(false);
    expect(fieldWritable(PAGE, 'section', 'update', mine)).toBe(false);
    expect([fieldWritable(PAGE, 'section'), fieldWritable(PAGE, 'section', 'create')]).toEqual([
      false,
      false,
    ]);
    expect(fieldWritable(PAGE, 'langcode')).toBe(true);
  });

  it('that is stored in another one is hidden and locked with it', () => {
    const hides = having({ ...all('view'), fields: { view: { except: ['headline'] } } }, all('update'));
    expect([hides.fieldVisible(PAGE, 'title'), hides.fieldVisible(PAGE, 'section')]).toEqual([false, true]);
    for (const change of [['title'], ['headline'], ['title', 'headline']]) {
      const { fieldWritable } = having(all('view'), { ...all('update'), fields: { change } });
      const expected = change.length === 2;
      expect([fieldWritable(PAGE, 'title'), fieldWritable(PAGE, 'title', 'update', mine)]).toEqual([
        expected,
        expected,
      ]);
      expect(fieldWritable(PAGE, 'headline')).toBe(change.includes('headline'));
    }
  });
});

describe('a removed entity', () => {
  const onlyNews: Permission = { ...all('view'), where: { section: 'news' } };

  it.each<[string, Access, { mine: boolean; others: boolean; news: boolean }]>([
    ['anonymous readers', access(ANONYMOUS), { mine: false, others: false, news: true }],
    ['its owner', access({ name: 'ada', roles: [] }), { mine: true, others: false, news: true }],
    ['a role that sees all', having(all('view')), { mine: true, others: true, news: true }],
    ['a role that sees nothing', having(all('update')), { mine: false, others: false, news: false }],
    ['a role whose condition is unknown now', having(onlyNews), { mine: false, others: false, news: false }],
    [
      'a role one of whose conditions is unknown now',
      having({ ...onlyNews, where: ['published', { section: 'news' }] }),
      { mine: false, others: false, news: false },
    ],
  ])('was certainly visible to %s only if status and owner say so', (_, { couldHaveSeen }, expected) => {
    expect({
      mine: couldHaveSeen(mine),
      others: couldHaveSeen(others),
      news: couldHaveSeen(news),
    }).toEqual(expected);
  });
});

describe('the access in a language', () => {
  let inLanguage: Policy;
  beforeEach(() => {
    inLanguage = createPolicy(store, { now: () => NOW, languages });
  });

  it('is one object for each language, and shares its permissions', () => {
    const german = { langcode: 'de', fallback: true };
    expect(inLanguage(ANONYMOUS, german)).toBe(inLanguage(ANONYMOUS, { ...german }));
    expect(inLanguage(ANONYMOUS, german)).not.toBe(inLanguage(ANONYMOUS, { ...german, fallback: false }));
    expect(inLanguage(ANONYMOUS, german)).not.toBe(inLanguage(ADMINISTRATOR, german));
    expect(inLanguage(ADMINISTRATOR, german).allows('delete', others)).toBe(true);
  });

  it.each([
    ['a language with fallbacks', { langcode: 'de', fallback: true }, 'de', false],
    ['a language without fallbacks', { langcode: 'de', fallback: false }, 'de', true],
    ['the default language', undefined, 'en', false],
  ])('is that of %s', (_, choice, first, strict) => {
    const chosen = inLanguage(ANONYMOUS, choice);
    expect([chosen.languages?.[0], chosen.strict]).toEqual([first, strict]);
  });

  it('is that of all languages for sources', () => {
    const chosen = inLanguage(ANONYMOUS, 'source');
    expect([chosen.languages, chosen.strict]).toEqual([undefined, undefined]);
  });
});

describe('a filter of a role', () => {
  it.each([
    [{ section: null }, 'section must be a string, number, boolean, array or object.'],
    [{ section: undefined }, 'section must be a string, number, boolean, array or object.'],
    [{ section: Number.NaN }, 'section must be a string, number, boolean, array or object.'],
    [{ section: () => true }, 'section must be a string, number, boolean, array or object.'],
    [{}, 'The filter is empty.'],
    [{ fulltext: 'moon' }, 'A role cannot search: leave fulltext out.'],
    [{ section: 'news', fulltext: 'moon' }, 'A role cannot search: leave fulltext out.'],
    [{ section: { value: 'news', color: 'red' } }, /not part of a filter/],
  ])('%j is rejected', (data, detail) => {
    expect(() => parseRoleFilter(data)).toThrow(
      expect.objectContaining({ detail: expect.stringMatching(detail) }),
    );
  });

  it.each([
    [{ section: 'news' }, 'news'],
    [{ rating: 3 }, '3'],
    [{ status: true }, 'true'],
    [{ section: 'a,b' }, 'a,b'],
  ])('%j is accepted', (data, value) => {
    expect(parseRoleFilter(data).members).toEqual([expect.objectContaining({ operator: '=', value })]);
  });
});

describe('the condition of a permission', () => {
  it.each([
    [() => true, 'it cannot be function.'],
    [[undefined], 'it cannot be undefined.'],
    [3, 'it cannot be 3.'],
    ['mine', 'it cannot be "mine".'],
    [[], 'it is empty; leave it out.'],
    [{}, 'The filter is empty.'],
    [['own', 'published'], undefined],
  ])('is checked: %j', (where, detail) => {
    const { error } = rolesSchema.safeParse({ desk: { permissions: [{ ...all('view'), where }] } });
    const issue = error?.issues[0];
    const params = issue?.code === 'custom' ? issue.params : undefined;
    expect(params?.detail).toEqual(detail && expect.stringContaining(detail));
  });
});

describe('a permission', () => {
  const view: Permission = { actions: ['view'], bundles: '*' };
  const fields = (shown: NonNullable<Permission['fields']>['view']): Permission => ({
    ...view,
    fields: { view: shown },
  });
  const change = (changed: NonNullable<Permission['fields']>['change']): Permission => ({
    ...view,
    actions: ['view', 'update'],
    fields: { change: changed },
  });

  it.each<[string, Permission, Permission, boolean | 'both']>([
    ['the same', view, view, 'both'],
    ['fewer actions', { ...view, actions: ['view', 'delete'] }, view, true],
    ['more actions', view, { ...view, actions: ['view', 'delete'] }, false],
    ['other actions', { ...view, actions: ['delete'] }, view, false],
    ['one of all bundles', view, { ...view, bundles: ['page'] }, true],
    ['all of one bundle', { ...view, bundles: ['page'] }, view, false],
    ['one of two bundles', { ...view, bundles: ['page', 'note'] }, { ...view, bundles: ['page'] }, true],
    ['two bundles', { ...view, bundles: ['page'] }, { ...view, bundles: ['page', 'note'] }, false],
    ['a condition', view, { ...view, where: 'own' }, true],
    ['no condition', { ...view, where: 'own' }, view, false],
    ['one more condition', { ...view, where: 'own' }, { ...view, where: ['own', 'unpublished'] }, true],
    ['another condition', { ...view, where: 'own' }, { ...view, where: 'published' }, false],
    ['fewer fields', fields(['title', 'section']), fields(['title']), true],
    ['more fields', fields(['title']), fields(['title', 'section']), false],
    ['a listed field', view, fields(['title']), true],
    ['all fields', fields(['title']), view, false],
    ['all fields but one', fields(['title']), fields({ except: ['title'] }), false],
    ['all fields but those that the other lists', fields([]), fields({ except: ['title'] }), false],
    ['fields but one', fields({ except: ['title'] }), fields(['section']), true],
    ['the excepted field', fields({ except: ['title'] }), fields(['title', 'section']), false],
    ['more exceptions', fields({ except: ['title'] }), fields({ except: ['title', 'section'] }), true],
    ['fewer exceptions', fields({ except: ['title', 'section'] }), fields({ except: ['title'] }), false],
    ['fewer changeable fields', change(['title', 'section']), change(['title']), true],
    ['more changeable fields', change(['title']), change(['title', 'section']), false],
    [
      'more visible fields of an action that shows none',
      { ...fields(['title']), actions: ['delete'] },
      { ...view, actions: ['delete'] },
      'both',
    ],
    [
      'more changeable fields of an action that changes none',
      { ...change(['title']), actions: ['view'] },
      { ...change(['section']), actions: ['view'] },
      'both',
    ],
    [
      'more fields of a new entity',
      { ...change(['title']), actions: ['create'] },
      { ...change(['section']), actions: ['create'] },
      false,
    ],
  ])('makes one with %s redundant, or not', (_, first, second, isRedundant) => {
    const [one, two] = [compileRule('desk', first), compileRule('desk', second)];
    expect(withoutRedundant([one, two]).includes(two)).toBe(isRedundant === false);
    expect(withoutRedundant([two, one]).includes(two)).toBe(isRedundant !== true);
  });
});

describe('the schedule', () => {
  const [early, late] = ['2030-06-01T00:00:00Z', '2030-09-01T00:00:00Z'];
  const planned = page('planned', { publish_on: early, unpublish_on: late });
  const at = (text: string) => Date.parse(text);

  it.each([
    ['before its first instant', at(early) - 1, false],
    ['at its first instant', at(early), true],
    ['before its last instant', at(late) - 1, true],
    ['at its last instant', at(late), false],
  ])('publishes an entity %s or not', (_, time, expected) => {
    expect(isPublishedAt(planned, time)).toBe(expected);
    expect(isPublishedAt({ ...planned, published: false }, time)).toBe(false);
    const policy = createPolicy(newStore(planned), { now: () => time });
    expect(policy(ANONYMOUS).allows('view', planned)).toBe(expected);
    const owner = policy({ name: 'editor', roles: [] });
    expect(owner.allows('view', planned)).toBe(true);
  });

  it.each([
    ['a draft', page('a', {}, false), false, false],
    ['a published entity', page('b', {}), true, true],
    ['a beginning', page('c', { publish_on: early }), false, true],
    ['an end', page('d', { unpublish_on: early }), true, false],
    ['a beginning and an end', page('e', { publish_on: early, unpublish_on: late }), false, true],
  ])('makes every entity published or unpublished: %s', (_, each, before, after) => {
    const drafts: Roles = { authenticated: { permissions: [{ ...all('view'), where: 'unpublished' }] } };
    for (const [time, expected] of [
      [at(early) - 1, before],
      [at(early), after],
    ] as const) {
      const policy = createPolicy(newStore(each), { now: () => time, roles: drafts });
      expect(policy(ANONYMOUS).allows('view', each)).toBe(expected);
      expect(policy({ name: 'ada', roles: [] }).allows('view', each)).toBe(!expected);
      expect(isPublishedAt(each, time)).toBe(expected);
    }
  });

  it('is that of bundles with dates only', () => {
    const only = (...names: string[]) =>
      bundle(
        'node--some',
        names.map((name) => field(name, 'datetime')),
      );
    expect(scheduledPaths(NOTE)).toEqual([]);
    expect(scheduledPaths(only('publish_on'))).toEqual(['@published_from']);
    expect(scheduledPaths(only('unpublish_on'))).toEqual(['@published_until']);
    expect(scheduledPaths(PAGE)).toEqual(['@published_from', '@published_until']);
  });

  it.each<[string, Entity[], string, string | null]>([
    ['nothing is planned', [news], '2030-01-01', null],
    ['an entity appears', [planned], '2030-01-01', early],
    ['it disappears', [planned], early, late],
    ['all is over', [planned], late, null],
    ['several are planned', [page('b', { publish_on: late }), planned], '2030-01-01', early],
    ['a draft is planned', [page('c', { publish_on: early }, false)], '2030-01-01', null],
    ['an entity never appears', [page('d', { publish_on: late, unpublish_on: early })], '2030-01-01', null],
    [
      'an entity ends as it begins',
      [page('e', { publish_on: early, unpublish_on: early })],
      '2030-01-01',
      null,
    ],
  ])('names its next change if %s', (_, entities, now, expected) => {
    const clock = createScheduleClock(newStore(...entities), () => at(now));
    expect(clock.nextScheduledChange()).toBe(expected === null ? Number.POSITIVE_INFINITY : at(expected));
  });

  it('names its next change again after the content or the clock has changed', () => {
    let now = at('2030-01-01');
    const content = newStore(planned);
    const clock = createScheduleClock(content, () => now);
    expect([clock.now(), clock.nextScheduledChange()]).toEqual([now, at(early)]);
    content.put(page('sooner', { publish_on: '2030-02-01T00:00:00Z' }));
    expect(clock.nextScheduledChange()).toBe(at('2030-02-01'));
    now = at('2030-02-01');
    expect(clock.nextScheduledChange()).toBe(at(early));
    now = at(late);
    expect(clock.nextScheduledChange()).toBe(Number.POSITIVE_INFINITY);
  });

  it('keeps its filters until the content or the clock changes their matches', () => {
    let now = at('2030-01-01');
    const content = newStore(planned);
    const filtersOf = createPublicationFilters(content, () => now);
    const [first, unscheduled] = [filtersOf(PAGE), filtersOf(NOTE)];
    now = at(early) - 1;
    expect(filtersOf(PAGE)).toBe(first);
    now = at(early);
    const second = filtersOf(PAGE);
    expect(second).not.toBe(first);
    expect(filtersOf(PAGE)).toBe(second);
    content.put(news);
    expect(filtersOf(PAGE)).not.toBe(second);
    expect(filtersOf(NOTE)).toBe(unscheduled);
  });
});

function page(id: string, values: Entity['values'], published = true): Entity {
  return entity('node--page', id, { section: null, ...values }, { published });
}

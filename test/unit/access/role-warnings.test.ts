import { describe, expect, it } from 'vitest';
import type { Roles } from '../../../integration/core/access/role.ts';
import { roleWarnings } from '../../../integration/core/access/role-warnings.ts';
import { createEntityStore } from '../../../integration/core/engine/store/entity-store.ts';
import { bundle, field } from '../api/jsonapi/magazine.ts';

const store = createEntityStore({ locale: 'en' });
store.load(
  [
    bundle('node--article', [
      field('rating', 'integer'),
      field('author', 'reference', { targets: ['node--person'] }),
    ]),
    bundle('node--person', [field('salary', 'integer')]),
    bundle('taxonomy_term--tags', []),
    { ...bundle('node--place', []), fields: new Map() },
    bundle('node--team', [field('uid', 'string', { list: true })]),
    bundle('node--count', [field('uid', 'integer')]),
  ],
  [],
);

describe('warnings about option roles', () => {
  const view = { actions: ['view'], where: 'published' } as const;
  const update = { actions: ['update'] } as const;
  const desk = (...permissions: NonNullable<Roles[string]['permissions']>): Roles => ({
    desk: { permissions },
  });

  it.each<[string, Roles, (string | RegExp)[]]>([
    [
      'a bundle',
      desk({ ...view, bundles: ['artcle'] }),
      ['the content has no bundle "artcle". Did you mean "article"?'],
    ],
    [
      'a bundle that needs its full name',
      desk({ ...view, bundles: ['tags'] }),
      ['permissions.0.bundles: the content has no bundle "tags". Did you mean "taxonomy_term--tags"?'],
    ],
    [
      'a field of one bundle',
      desk({ ...update, bundles: ['article'], fields: { change: ['ratng', 'title'] } }),
      ['permissions.0.fields.change: node--article has no field "ratng". Did you mean "rating"?'],
    ],
    [
      'a field that no bundle has',
      desk({ ...view, bundles: '*', fields: { view: { except: ['salry', 'salary'] } } }),
      ['fields.view: none of its bundles has a field "salry". Did you mean "salary"?'],
    ],
    [
      'a condition',
      desk({ ...update, bundles: ['article'], where: [{ 'author.salry': { operator: '>', value: 1 } }] }),
      [
        'permissions.0.where: node--person has no field "salry" (in the path author.salry). Did you mean "salary"?',
      ],
    ],
    [
      'a condition that applies to one of the bundles',
      desk({ ...update, bundles: ['article', 'person'], where: { salary: 1 } }),
      ['permissions.0.where: node--article has no field "salary"'],
    ],
    [
      'no condition that applies to one of all bundles',
      desk({ ...update, bundles: '*', where: { salary: 1 } }),
      [],
    ],
    [
      'a condition that applies to no bundle',
      desk({ ...update, bundles: '*', where: { nope: 1 } }),
      ['has no field "nope"'],
    ],
    [
      'a date',
      desk({ ...update, bundles: ['article'], where: { created: 'soon' } }),
      ['must be compared with a date'],
    ],
    [
      'owners that are not one name',
      desk({ ...update, bundles: ['team', 'count'], where: 'own' }),
      ['node--count has no field "uid" that holds one name.', 'node--team has no field "uid" that holds'],
    ],
    ['an owner', desk({ ...update, bundles: ['place'], where: 'own' }), ['node--place has no field "uid"']],
    [
      'unpublished content that everyone would see',
      { anonymous: { permissions: [{ actions: ['view'], bundles: ['article'] }] } },
      ['Option roles.anonymous.permissions.0 shows unpublished content to everyone.'],
    ],
    [
      'a field that would be visible on some entities only',
      {
        authenticated: { permissions: [{ ...view, bundles: '*', fields: { view: { except: ['salary'] } } }] },
        ...desk({ actions: ['view'], bundles: ['person'], where: 'own' }),
      },
      [
        'Option roles.desk: salary of node--person would be visible on some entities only, so it is hidden on all.',
      ],
    ],
    [
      'only the bundle if none of the bundles exists',
      desk({ ...update, bundles: ['artcle'], fields: { change: ['ratng'] } }),
      ['the content has no bundle "artcle". Did you mean "article"?'],
    ],
    [
      'a condition that applies to none of several bundles',
      desk({ ...update, bundles: ['article', 'tags', 'taxonomy_term--tags'], where: { salary: 1 } }),
      [
        'the content has no bundle "tags"',
        'permissions.0.where: node--article has no field "salary"',
        'permissions.0.where: taxonomy_term--tags has no field "salary"',
      ],
    ],
    [
      'a field that anonymous readers would see on some entities only',
      {
        anonymous: {
          permissions: [
            { ...view, bundles: ['article'], fields: { view: { except: ['rating', 'uid'] } } },
            {
              ...view,
              bundles: ['article'],
              where: ['published', { rating: 3 }],
              fields: { view: ['rating'] },
            },
          ],
        },
      },
      [/^Option roles.anonymous: rating of node--article would be visible on some entities only/],
    ],
    [
      'nothing about anonymous readers who write or see published content',
      {
        anonymous: {
          permissions: [
            { actions: ['create'], bundles: '*' },
            { ...view, bundles: '*' },
          ],
        },
      },
      [],
    ],
    [
      'nothing about a field that only a permission to change would show',
      {
        authenticated: {},
        ...desk(
          { ...view, bundles: ['person'], fields: { view: { except: ['salary'] } } },
          { ...update, bundles: ['person'], where: 'own' },
        ),
      },
      [],
    ],
    ['nothing about a role without permissions', { desk: { also: ['write mdx'] } }, []],
    ['nothing', desk({ ...view, bundles: ['article', 'taxonomy_term--tags', 'node--person'] }), []],
  ])('%s', (_, roles, expected) => {
    const warnings = roleWarnings(roles, store);
    expect(warnings).toEqual(
      expected.map((part) =>
        part instanceof RegExp ? expect.stringMatching(part) : expect.stringContaining(part),
      ),
    );
  });
});

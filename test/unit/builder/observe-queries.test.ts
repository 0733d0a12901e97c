import { describe, expect, it } from 'vitest';
import type { UntypedQueryBuilder } from '../../../integration/core/builder/create-builder.ts';
import type { ObservedQuery } from '../../../integration/core/builder/observe-queries.ts';
import { createLibrary } from './library.ts';

const observed: ObservedQuery[] = [];
const library = await createLibrary(undefined, undefined, {
  observe(query, ask) {
    observed.push(query);
    return ask();
  },
});
const { jsonapi } = library;
const EDITOR = { name: 'eva', roles: ['authenticated', 'administrator'] };
const articles = library.entities('article');

describe('an observed query', () => {
  it.each<[string, UntypedQueryBuilder, string, string]>([
    ['everything', articles, "entities('article').all()", '/node/article'],
    [
      'conditions, order and page',
      articles
        .where('field_author.title', '=', 'Ada')
        .where('field_rating', '>', 2)
        .where('field_rating', 'IN', [4, 5])
        .where('field_price', 'IS NOT NULL')
        .sort('-field_rating', 'title')
        .page({ limit: 2, offset: 0 }),
      "entities('article').where('field_author.title', '=', 'Ada').where('field_rating', '>', 2).where('field_rating', 'IN', [4, 5]).where('field_price', 'IS NOT NULL').sort('-field_rating', 'title').page({ limit: 2 }).all()",
      '/node/article?filter[field_author.title]=Ada&filter[c1][condition][path]=field_rating&filter[c1][condition][operator]=%3E&filter[c1][condition][value]=2&filter[c2][condition][path]=field_rating&filter[c2][condition][operator]=IN&filter[c2][condition][value][]=4&filter[c2][condition][value][]=5&filter[c3][condition][path]=field_price&filter[c3][condition][operator]=IS%20NOT%20NULL&sort=-field_rating,title&page[limit]=2',
    ],
    [
      'groups',
      articles.where(({ and, or, where }) =>
        or(where('title', '=', 'Third'), and(where('field_rating', '>', 1), where('field_rating', '<', 4))),
      ),
      "entities('article').where(({ and, or, where }) => or(where('title', '=', 'Third'), and(where('field_rating', '>', 1), where('field_rating', '<', 4)))).all()",
      '/node/article?filter[g1][group][conjunction]=OR&filter[c1][condition][path]=title&filter[c1][condition][value]=Third&filter[c1][condition][memberOf]=g1&filter[g2][group][conjunction]=AND&filter[g2][group][memberOf]=g1&filter[c2][condition][path]=field_rating&filter[c2][condition][operator]=%3E&filter[c2][condition][value]=1&filter[c2][condition][memberOf]=g2&filter[c3][condition][path]=field_rating&filter[c3][condition][operator]=%3C&filter[c3][condition][value]=4&filter[c3][condition][memberOf]=g2',
    ],
    [
      'two equalities on one path',
      articles.where('field_tags.title', '=', 'news').where('field_tags.title', '=', 'tech'),
      "entities('article').where('field_tags.title', '=', 'news').where('field_tags.title', '=', 'tech').all()",
      '/node/article?filter[c1][condition][path]=field_tags.title&filter[c1][condition][value]=news&filter[c2][condition][path]=field_tags.title&filter[c2][condition][value]=tech',
    ],
    [
      'a search',
      articles.search('third'),
      "entities('article').search('third').all()",
      '/node/article?filter[fulltext]=third',
    ],
    [
      'a tolerant search in a group',
      articles.where(({ or, search, where }) =>
        or(search('thir', { tolerant: true }), where('title', '=', 'First')),
      ),
      "entities('article').where(({ or, search, where }) => or(search('thir', { tolerant: true }), where('title', '=', 'First'))).all()",
      '/node/article?filter[g1][group][conjunction]=OR&filter[c1][condition][path]=fulltext&filter[c1][condition][operator]=SEARCH&filter[c1][condition][value]=thir&filter[c1][condition][memberOf]=g1&filter[c2][condition][path]=title&filter[c2][condition][value]=First&filter[c2][condition][memberOf]=g1',
    ],
    [
      'a tolerant search',
      articles.search('thrid', { tolerant: true }),
      "entities('article').search('thrid', { tolerant: true }).all()",
      '/node/article?filter[fulltext][operator]=SEARCH&filter[fulltext][value]=thrid',
    ],
    [
      'a bundle of another entity type, its fields and includes',
      library.entities('topics').fields('title'),
      "entities('topics').fields('title').all()",
      '/taxonomy_term/topics?fields[taxonomy_term--topics]=title',
    ],
  ])('is reported as code and as a JSON:API path: %s', async (_, query, code, path) => {
    observed.length = 0;
    const entities = await query.all();
    expect(observed).toMatchObject([{ code, path, actor: { name: null } }]);
    const document = await jsonapi(path);
    expect([document.data].flat().map((resource) => resource?.id)).toEqual(entities.map(({ id }) => id));
  });

  it('is reported with its actor', async () => {
    observed.length = 0;
    expect(await library.entities('article', { as: EDITOR }).get('draft')).toHaveProperty('title', 'Draft');
    await library.entities('article', { as: 'everyone' }).count();
    await jsonapi('/node/article', { as: EDITOR });
    await library
      .entities('article')
      .where('id', '=', 'first')
      .facets({ field_tags: { limit: 5 }, title: {} });
    expect(observed.map(({ code, actor }) => [code, actor.name])).toEqual([
      ["entities('article', { as: actor }).get('draft')", 'eva'],
      ["entities('article', { as: 'everyone' }).count()", 'administrator'],
      ["jsonapi('/node/article', { as: actor })", 'eva'],
      ["entities('article').where('id', '=', 'first').facets({ field_tags: { limit: 5 }, title: {} })", null],
    ]);
    expect(observed.at(-1)?.path).toBe(
      '/node/article?filter[id]=first&facetBy[field_tags][limit]=5&facetBy[title]=',
    );
  });
});

describe('as', () => {
  it.each([undefined, null, 'anonymous' as const])('%s has the permissions of visitors', async (as) => {
    expect(await library.entities('article', { as }).count()).toBe(4);
    expect((await jsonapi('/node/article', { as })).meta?.count).toBe(4);
  });

  it('everyone sees drafts', async () => {
    expect(await library.entities('article', { as: 'everyone' }).count()).toBe(5);
    expect((await jsonapi('/node/article', { as: 'everyone' })).meta?.count).toBe(5);
  });

  it('an actor without roles has the access of visitors', async () => {
    const reader = { name: 'bob', roles: ['authenticated'] };
    expect(await library.entities('article', { as: reader }).count()).toBe(4);
  });

  it.each([
    ['a session user of another shape', { id: 7 }],
    ['roles as a string', { name: 'eva', roles: 'administrator' }],
    ['a name that is not a string', { name: 7, roles: [] }],
    ['an unknown word', 'all'],
    ['an empty string', ''],
    ['a boolean', true],
  ])('rejects %s', async (_, as) => {
    const wrong = { as } as unknown as { as: typeof EDITOR };
    await expect(library.entities('article', wrong).all()).rejects.toThrow('or an actor: { name, roles }');
    await expect(jsonapi('/node/article', wrong)).rejects.toThrow('or an actor: { name, roles }');
  });

  it.each([
    [{ access: 'all' }, "unknown option \"access\". Write { as: 'everyone' } or { as: 'anonymous' }."],
    [{ actor: EDITOR }, 'unknown option "actor". Write { as: actor }.'],
    [{ asActor: EDITOR }, 'unknown option "asActor". Options: as'],
  ])('is the only option: %j', async (options, message) => {
    expect(() => library.entities('article', options as object)).toThrow(message);
    await expect(jsonapi('/node/article', options as object)).rejects.toThrow(message);
  });
});

import { describe, expect, it } from 'vitest';
import type { UntypedQueryBuilder } from '../../../integration/builder/create-builder.ts';
import type { AskedQuery } from '../../../integration/builder/observe-queries.ts';
import { createLibrary } from './library.ts';

const asked: AskedQuery[] = [];
const library = await createLibrary(undefined, undefined, (query, ask) => {
  asked.push(query);
  return ask();
});
const { jsonapi } = library;
const EDITOR = { name: 'eva', roles: ['authenticated', 'administrator'] };
const articles = library.entities('article');

describe('a query that is observed', () => {
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
      "entities('article').where('field_author.title', '=', \"Ada\").where('field_rating', '>', 2).where('field_rating', 'IN', [4,5]).where('field_price', 'IS NOT NULL').sort('-field_rating', 'title').page({ limit: 2 }).all()",
      '/node/article?filter[field_author.title]=Ada&filter[c2][condition][path]=field_rating&filter[c2][condition][operator]=%3E&filter[c2][condition][value]=2&filter[c3][condition][path]=field_rating&filter[c3][condition][operator]=IN&filter[c3][condition][value][]=4&filter[c3][condition][value][]=5&filter[c4][condition][path]=field_price&filter[c4][condition][operator]=IS%20NOT%20NULL&sort=-field_rating%2Ctitle&page[limit]=2',
    ],
    [
      'groups',
      articles.where(({ and, or, where }) =>
        or(where('title', '=', 'Third'), and(where('field_rating', '>', 1), where('field_rating', '<', 4))),
      ),
      "entities('article').where(() => or(where('title', '=', \"Third\"), and(where('field_rating', '>', 1), where('field_rating', '<', 4)))).all()",
      '/node/article?filter[g1][group][conjunction]=OR&filter[c2][condition][path]=title&filter[c2][condition][value]=Third&filter[c2][condition][memberOf]=g1&filter[g3][group][conjunction]=AND&filter[g3][group][memberOf]=g1&filter[c4][condition][path]=field_rating&filter[c4][condition][operator]=%3E&filter[c4][condition][value]=1&filter[c4][condition][memberOf]=g3&filter[c5][condition][path]=field_rating&filter[c5][condition][operator]=%3C&filter[c5][condition][value]=4&filter[c5][condition][memberOf]=g3',
    ],
    [
      'two equalities on one path',
      articles.where('field_tags.title', '=', 'news').where('field_tags.title', '=', 'tech'),
      "entities('article').where('field_tags.title', '=', \"news\").where('field_tags.title', '=', \"tech\").all()",
      '/node/article?filter[field_tags.title]=news&filter[c2][condition][path]=field_tags.title&filter[c2][condition][value]=tech',
    ],
    [
      'a search',
      articles.search('third'),
      "entities('article').search('third').all()",
      '/node/article?filter[fulltext]=third',
    ],
    [
      'a bundle of another entity type, its fields and includes',
      library.entities('topics').fields('title'),
      "entities('topics').fields('title').all()",
      '/taxonomy_term/topics?fields[taxonomy_term--topics]=title',
    ],
  ])('is told as it was written and as JSON:API asks it: %s', async (_, query, code, path) => {
    asked.length = 0;
    const found = await query.all();
    expect(asked).toMatchObject([{ code, path, actor: { name: null } }]);
    const document = await jsonapi(path);
    expect([document.data].flat().map((resource) => resource?.id)).toEqual(found.map(({ id }) => id));
  });

  it('is told for whom it was asked', async () => {
    asked.length = 0;
    expect(await library.entities('article', { actor: EDITOR }).get('draft')).toHaveProperty(
      'title',
      'Draft',
    );
    await library.entities('article', { access: 'all' }).count();
    await jsonapi('/node/article', { actor: EDITOR });
    expect(asked.map(({ code, actor }) => [code, actor.name])).toEqual([
      ['entities(\'article\', { actor }).get("draft")', 'eva'],
      ["entities('article', { access: 'all' }).count()", 'administrator'],
      ["jsonapi('/node/article', { actor })", 'eva'],
    ]);
  });
});

describe('an actor', () => {
  it('who is nobody leaves the query anonymous', async () => {
    for (const actor of [undefined, null]) {
      expect(await library.entities('article', { actor }).count()).toBe(4);
      expect((await jsonapi('/node/article', { actor })).meta?.count).toBe(4);
    }
  });

  it('without the role sees what readers see', async () => {
    const reader = { name: 'bob', roles: ['authenticated'] };
    expect(await library.entities('article', { actor: reader }).count()).toBe(4);
    // Nor does `access` give them more.
    expect(await library.entities('article', { actor: reader, access: 'all' }).count()).toBe(4);
  });

  it.each([
    ['a session of another shape', { id: 7 }],
    ['roles as a text', { name: 'eva', roles: 'administrator' }],
    ['a name that is no text', { name: 7, roles: [] }],
  ])('of the wrong shape is refused: %s', async (_, actor) => {
    const wrong = { actor } as unknown as { actor: typeof EDITOR };
    await expect(library.entities('article', wrong).all()).rejects.toThrow('An actor is { name, roles }');
    await expect(jsonapi('/node/article', wrong)).rejects.toThrow('An actor is { name, roles }');
  });
});

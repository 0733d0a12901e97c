import { attr, belongsTo, hasMany, SpraypaintBase } from 'spraypaint';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Origin, Writable } from './ask.ts';
import { ARTICLES, articleIds } from './content.ts';

/** The models of an application. */
function createModels(baseUrl: string, token?: string) {
  const Base = SpraypaintBase.extend({ static: { baseUrl, apiNamespace: '/jsonapi', jwtStorage: false } });
  Base.generateAuthHeader = (jwt) => `Bearer ${jwt}`;
  if (token !== undefined) Base.setJWT(token);
  const Person = Base.extend({
    static: { jsonapiType: 'node--person', endpoint: '/node/person' },
    attrs: { title: attr({ type: String }) },
  });
  const Tag = Base.extend({
    static: { jsonapiType: 'node--tag', endpoint: '/node/tag' },
    attrs: { title: attr({ type: String }) },
  });
  const Article = Base.extend({
    static: { jsonapiType: 'node--article', endpoint: '/node/article' },
    attrs: {
      title: attr({ type: String }),
      fieldRating: attr({ type: Number }),
      fieldAuthor: belongsTo({ type: Person }),
      fieldTags: hasMany({ type: Tag }),
    },
  });
  return { Person, Article };
}

export function testSpraypaint(origin: Origin, writable: Writable): void {
  describe('spraypaint', () => {
    let models: ReturnType<typeof createModels>;
    beforeAll(() => {
      models = createModels(origin());
    });

    it('reads a collection with filter, sort, fields and include', async () => {
      const { data, meta } = await models.Article.where({ 'field_author.title': 'Ada' })
        .order({ created: 'desc' })
        .select(['title', 'field_author'])
        .includes('fieldAuthor')
        .all();
      expect(meta).toEqual({ count: 7 });
      expect(data.map(({ id }) => id)).toEqual(['a24', 'a21', 'a18', 'a15', 'a12', 'a09', 'a03']);
      expect(data[0]).toMatchObject({ title: 'Article 24', fieldAuthor: { id: 'ada', title: 'Ada' } });
      expect(data[0]?.fieldRating).toBeUndefined();
    });

    it('reads numbered pages to the end', async () => {
      const ids: unknown[] = [];
      for (let number = 1, count = ARTICLES; ids.length < count; number++) {
        const { data, meta } = await models.Article.page(number).per(7).all();
        expect(data.length).toBeGreaterThan(0);
        count = meta.count;
        ids.push(...data.map(({ id }) => id));
      }
      expect(ids).toEqual(articleIds(() => true));
    });

    it('reads one resource, and the first of a list', async () => {
      const { data } = await models.Article.includes(['fieldTags']).find('a10');
      expect(data.fieldTags).toMatchObject([{ title: 'Sea' }, { title: 'Sky' }]);
      expect((await models.Article.order({ id: 'desc' }).first()).data).toMatchObject({ id: 'a24' });
    });

    it('ignores selectExtra', async () => {
      const { meta } = await models.Article.selectExtra(['title']).all();
      expect(meta).toEqual({ count: ARTICLES, ignored: ['extra_fields[node--article]'] });
    });

    it('compares with an operator', async () => {
      const { data } = await models.Article.where({ id: { operator: '<=', value: 'a02' } }).all();
      expect(data.map(({ id }) => id)).toEqual(['a01', 'a02']);
    });

    it.each([
      ['a missing resource', () => models.Article.find('nope'), 404, undefined],
      ['an unknown field', () => models.Article.where({ nope: 1 }).all(), 400, 'filter[nope]'],
      ['its operators', () => models.Article.where({ title: { eq: 'x' } }).all(), 400, 'filter[title][eq]'],
      [
        'stats, a name that JSON:API reserves',
        () => models.Article.stats({ total: 'count' }).all(),
        400,
        'stats[total]',
      ],
      ['an anonymous change', () => new models.Article({ title: 'x' }).save(), 401, undefined],
    ])('throws the response to %s', async (_, request, status, parameter) => {
      const { response } = await request().then(
        () => ({ response: new Response('{}') }),
        (error) => error,
      );
      const { errors } = await response.json();
      expect([response.status, errors]).toMatchObject([status, [{ status: String(status) }]]);
      expect(errors[0].source?.parameter).toBe(parameter);
    });

    it('creates, changes and removes', async () => {
      const [, token] = writable.authorization().split(' ');
      const { Article, Person } = createModels(writable.origin(), token);
      const article = new Article({ title: 'By spraypaint', fieldRating: 3 });
      expect(await article.save()).toBe(true);
      expect(article).toMatchObject({ id: 'by-spraypaint', isPersisted: true });

      article.fieldRating = 4;
      article.fieldAuthor = (await Person.find('ada')).data;
      expect(await article.save({ with: 'fieldAuthor.id' })).toBe(true);
      const { data } = await Article.includes('fieldAuthor').find('by-spraypaint');
      expect(data).toMatchObject({ fieldRating: 4, fieldAuthor: { title: 'Ada' } });

      article.title = '';
      await expect(article.save()).rejects.toMatchObject({
        response: {
          status: 422,
          jsonPayload: { errors: [{ source: { pointer: '/data/attributes/title' } }] },
        },
      });
      expect(await article.destroy()).toBe(true);
      await expect(Article.find('by-spraypaint')).rejects.toMatchObject({ response: { status: 410 } });
    });
  });
}

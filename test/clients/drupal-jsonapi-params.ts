import { DrupalJsonApiParams } from 'drupal-jsonapi-params';
import { describe, expect, it } from 'vitest';
import { type Asked, ask, type Origin } from './ask.ts';
import { ARTICLES, articleId, articleIds, authorOf, ratingOf } from './content.ts';

const VALID = () => new DrupalJsonApiParams();

/** The first example of the README, with a replaceable operator, sorts, includes and member of the empty group. */
function chain(
  operator: string,
  sorts: readonly string[],
  include: string[],
  member = '',
): DrupalJsonApiParams {
  const params = VALID()
    .addGroup('publish_status', 'OR', 'parent_group')
    .addGroup('child_group_B', 'AND', 'parent_group')
    .addGroup('parent_group', 'AND')
    .addFilter('status', '1')
    .addFilter('status', '2', operator, 'publish_status')
    .addPageLimit(5)
    .addPageOffset(20)
    .addFields('node--article', ['field_a.id', 'field_b.uid', 'field_c.tid'])
    .addInclude(include)
    .addSort('id', 'DESC');
  if (member !== '') params.addFilter(member, null, 'IS NOT NULL', 'child_group_B');
  for (const path of sorts) params.addSort(path);
  return params;
}

const rated = (test: (rating: number) => boolean) =>
  articleIds((number) => {
    const rating = ratingOf(number);
    return rating !== undefined && test(rating);
  });

/** A value for each operator of the README's table, and the matching ids. */
const OPERATORS: readonly (readonly [string, string | string[] | null, string, readonly string[]])[] = [
  ['title', 'article 3', '=', ['a03']],
  ['field_rating', '3', '<>', rated((rating) => rating !== 3)],
  ['field_rating', '7', '>', rated((rating) => rating > 7)],
  ['field_rating', '8', '>=', rated((rating) => rating >= 8)],
  ['field_rating', '1', '<', rated((rating) => rating < 1)],
  ['field_rating', '1', '<=', rated((rating) => rating <= 1)],
  [
    'title',
    'Article 2',
    'STARTS_WITH',
    articleIds((number) => number === 2 || (number >= 20 && number < 25)),
  ],
  ['title', 'icle 1', 'CONTAINS', articleIds((number) => number === 1 || (number >= 10 && number < 20))],
  ['title', '4', 'ENDS_WITH', ['a04', 'a14', 'a24']],
  ['field_author.id', ['ada', 'cy'], 'IN', articleIds((number) => ['ada', 'cy'].includes(authorOf(number)))],
  ['field_author.id', ['ada', 'cy'], 'NOT IN', articleIds((number) => authorOf(number) === 'bob')],
  ['field_rating', ['2', '3'], 'BETWEEN', rated((rating) => rating === 2 || rating === 3)],
  ['field_rating', ['1', '8'], 'NOT BETWEEN', rated((rating) => rating < 1 || rating > 8)],
  ['field_rating', null, 'IS NULL', ['a07']],
  ['field_rating', null, 'IS NOT NULL', articleIds((number) => number !== 7)],
];

/** Every example of the package's README, in the form that the package sends. */
export function testDrupalJsonApiParams(origin: Origin): void {
  const send = (params: DrupalJsonApiParams, query = params.getQueryString()): Promise<Asked> =>
    ask(`${origin()}/jsonapi/node/article?${query}`);

  describe('drupal-jsonapi-params', () => {
    it('the README’s first example is rejected for its operator, which is not in the README’s own list', async () => {
      const include = ['field_a.id', 'field_b.uid', 'field_c.tid'];
      const params = chain('!=', ['uid', 'status'], include);
      for (const query of [params.getQueryString(), params.getQueryString({ encode: false })]) {
        expect(await send(params, query)).toMatchObject({
          status: 400,
          parameters: ['filter[4][condition][operator]'],
        });
      }
    });

    it('then for its group without members, whose condition would be lost', async () => {
      expect(await send(chain('<>', ['status'], ['field_a']))).toMatchObject({
        status: 400,
        parameters: ['filter[child_group_B][group]'],
      });
    });

    it('and returns the last page with existing names', async () => {
      const include = ['field_a', 'field_b', 'field_c'];
      const params = chain('<>', ['status'], include, 'title');
      for (const query of [params.getQueryString(), params.getQueryString({ encode: false })]) {
        expect(await send(params, query)).toMatchObject({
          status: 200,
          ids: ['a04', 'a03', 'a02', 'a01'],
          count: ARTICLES,
          ignored: [
            'fields[node--article]=field_a.id',
            'fields[node--article]=field_b.uid',
            'fields[node--article]=field_c.tid',
          ],
        });
      }
    });

    it.each(OPERATORS)('addFilter(%s, %j, %s)', async (path, value, operator, ids) => {
      const params = VALID().addFilter(path, value, operator);
      expect(await send(params)).toMatchObject({ status: 200, ids, count: ids.length });
      const query = params.getQueryString({ encode: false });
      expect((await send(params, query)).ids).toEqual(ids);
    });

    it('addFilter twice with one path, which gets another key', async () => {
      const params = VALID().addFilter('field_rating', '2', '>').addFilter('field_rating', '5', '<');
      expect((await send(params)).ids).toEqual(rated((rating) => rating > 2 && rating < 5));
      const named = new DrupalJsonApiParams(undefined, {
        useShortCutForQueryGeneration: false,
        alwaysUseFieldNameForKeys: true,
      });
      named.addFilter('field_rating', '2', '>').addFilter('field_rating', '5', '<');
      expect(named.getQueryString({ encode: false })).toContain('filter[field_rating--1][condition]');
      expect((await send(named)).ids).toEqual(rated((rating) => rating > 2 && rating < 5));
    });

    it('addGroup, nested', async () => {
      const params = VALID()
        .addGroup('outer', 'OR')
        .addGroup('inner', 'AND', 'outer')
        .addFilter('title', 'Article 7', '=', 'outer')
        .addFilter('field_author.title', 'Bob', '=', 'inner')
        .addFilter('field_rating', '1', '=', 'inner');
      expect((await send(params)).ids).toEqual(['a01', 'a07']);
    });

    it('addInclude', async () => {
      const { ids, included } = await send(
        VALID().addFilter('id', 'a01').addInclude(['field_author', 'field_a.field_boss']),
      );
      expect([ids, [...included].sort()]).toEqual([['a01'], ['ada', 'bob']]);
    });

    it('addSort, several', async () => {
      const byRating = [...rated(() => true)].sort((one, other) => {
        const [a, b] = [Number(one.slice(1)), Number(other.slice(1))];
        return (ratingOf(b) ?? 0) - (ratingOf(a) ?? 0) || b - a;
      });
      const params = VALID()
        .addSort('field_rating', 'DESC')
        .addSort('created', 'DESC')
        .addFilter('field_rating', null, 'IS NOT NULL');
      expect((await send(params)).ids).toEqual(byRating);
    });

    it('addPageLimit and addPageOffset, then along links.next', async () => {
      const seen: string[] = [];
      let params = VALID().addPageLimit(10).addPageOffset(3);
      for (;;) {
        const { ids, body } = await send(params);
        seen.push(...ids);
        const next = body.links.next?.href;
        if (next === undefined) break;
        params = new DrupalJsonApiParams(new URL(next).search.slice(1));
      }
      expect(seen).toEqual(articleIds((number) => number > 3));
    });

    it('addFields', async () => {
      const { body } = await send(
        VALID().addFields('node--article', ['title', 'field_author']).addPageLimit(1),
      );
      expect(Object.keys(body.data[0].attributes)).toEqual(['title']);
      expect(Object.keys(body.data[0].relationships)).toEqual(['field_author']);
    });

    it.each([
      [{ foo: 'bar' }, 'foo'],
      [{ foo: { bar: 'baz' } }, 'foo[bar]'],
      [{ bar: ['a', 'b', 'c'] }, 'bar[0]'],
    ])('addCustomParam(%j) is rejected, because JSON:API reserves names of a-z', async (input, parameter) => {
      expect(await send(VALID().addCustomParam(input))).toMatchObject({
        status: 400,
        parameters: [parameter],
      });
    });

    it('addCustomParam accepts other names', async () => {
      const answer = await send(
        VALID()
          .addCustomParam({ fooBar: { baz: 'x' } })
          .addFilter('id', 'a01'),
      );
      expect(answer).toMatchObject({ status: 200, ids: ['a01'], ignored: ['fooBar[baz]'] });
      const version = VALID().addCustomParam({ resourceVersion: 'rel:latest-version' });
      expect((await send(version)).ids).toHaveLength(ARTICLES);
    });

    it('clear, getQueryObject and every way to initialize', async () => {
      const params = VALID()
        .addFilter('field_tags.id', 'sky')
        .addSort('id', 'DESC')
        .addInclude(['field_tags']);
      const ids = ['a20', 'a15', 'a10', 'a05'];
      const object = params.getQueryObject();
      const text = params.getQueryString();
      const all = [
        params,
        new DrupalJsonApiParams(params),
        VALID().initialize(text),
        VALID().initializeWithQueryObject(object),
        VALID().initializeWithQueryString(text),
      ];
      for (const one of all) expect((await send(one)).ids).toEqual(ids);
      expect((await send(params.clear())).ids).toHaveLength(ARTICLES);
    });

    it.each(['indices', 'brackets', 'repeat'] as const)(
      'setQsOption with arrays as %s',
      async (arrayFormat) => {
        const params = VALID().addFilter('id', ['a02', 'a05'], 'IN').setQsOption({ arrayFormat });
        expect(params.getQsOption()).toEqual({ arrayFormat });
        expect((await send(params)).ids).toEqual([2, 5].map(articleId));
      },
    );
  });
}

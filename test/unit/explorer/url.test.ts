import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  emptyForm,
  type FormCondition,
  type FormNode,
  type QueryForm,
} from '../../../integration/explorer/client/query-form.ts';
import { apiPath, readPath } from '../../../integration/explorer/client/read-url.ts';
import { writeQuery } from '../../../integration/explorer/client/write-url.ts';
import { SCHEMA } from './example-schema.ts';

function condition(id: number, path: string, operator = '=', ...values: string[]): FormCondition {
  return { kind: 'condition', id, path, operator, values };
}

function form(members: readonly FormNode[], more: Partial<QueryForm> = {}): QueryForm {
  return {
    ...emptyForm('node--article'),
    filter: { kind: 'group', id: 0, conjunction: 'AND', members },
    ...more,
  };
}

describe('a form as a URL', () => {
  test.each<[string, QueryForm, string]>([
    ['nothing chosen', form([]), ''],
    [
      'an equality in the short form',
      form([condition(1, 'field_author.title', '=', 'Ada')]),
      'filter[field_author.title]=Ada',
    ],
    [
      'another operator',
      form([condition(1, 'title', 'CONTAINS', 'a b')]),
      'filter[title][operator]=CONTAINS&filter[title][value]=a%20b',
    ],
    [
      'a list',
      form([condition(1, 'title', 'IN', 'a', 'b')]),
      'filter[title][operator]=IN&filter[title][value][]=a&filter[title][value][]=b',
    ],
    [
      'no value for IS NULL, which has no short form',
      form([condition(1, 'field_day', 'IS NULL')]),
      'filter[c1][condition][path]=field_day&filter[c1][condition][operator]=IS%20NULL',
    ],
    [
      'two conditions on one path, told apart by labels',
      form([condition(1, 'title', '>', 'a'), condition(2, 'title', '<', 'b')]),
      'filter[c1][condition][path]=title&filter[c1][condition][operator]=%3E&filter[c1][condition][value]=a&filter[c2][condition][path]=title&filter[c2][condition][operator]=%3C&filter[c2][condition][value]=b',
    ],
    [
      'nested groups',
      form([
        {
          kind: 'group',
          id: 1,
          conjunction: 'OR',
          members: [
            condition(2, 'title', '=', 'a'),
            { kind: 'group', id: 3, conjunction: 'AND', members: [condition(4, 'status', '=', 'true')] },
          ],
        },
      ]),
      'filter[g1][group][conjunction]=OR&filter[c1][condition][path]=title&filter[c1][condition][value]=a&filter[c1][condition][memberOf]=g1&filter[g2][group][conjunction]=AND&filter[g2][group][memberOf]=g1&filter[c2][condition][path]=status&filter[c2][condition][value]=true&filter[c2][condition][memberOf]=g2',
    ],
    [
      'sort, include, fields and page',
      form([], {
        sort: [
          { path: 'changed', direction: 'DESC' },
          { path: 'title', direction: 'ASC' },
        ],
        include: ['field_author', 'field_author.field_boss'],
        fields: new Map([['node--article', ['title', 'field_author']]]),
        offset: '10',
        limit: '5',
      }),
      'sort=-changed,title&include=field_author,field_author.field_boss&fields[node--article]=title,field_author&page[offset]=10&page[limit]=5',
    ],
    [
      'characters that end a value',
      form([condition(1, 'title', '=', "a&b=c#d+e%f'")]),
      'filter[title]=a%26b%3Dc%23d%2Be%25f%27',
    ],
    [
      'a full-text search',
      form([condition(1, 'title', '=', 'a')], { search: 'gas & fees' }),
      'filter[fulltext]=gas%20%26%20fees&filter[title]=a',
    ],
    [
      'a field called fulltext, which is not the search',
      form([condition(1, 'fulltext', '=', 'a')]),
      'filter[c1][condition][path]=fulltext&filter[c1][condition][value]=a',
    ],
    [
      'a label that a field has taken',
      form([condition(1, 'c1', '=', 'a'), condition(2, 'x', '=', 'a'), condition(3, 'x', '=', 'b')]),
      'filter[c1]=a&filter[c2][condition][path]=x&filter[c2][condition][value]=a&filter[c3][condition][path]=x&filter[c3][condition][value]=b',
    ],
  ])('%s', (_name, given, query) => {
    expect(writeQuery(given).query).toBe(query);
  });

  test('what is incomplete stays in the form and out of the URL', () => {
    const members: FormNode[] = [
      condition(1, ''),
      condition(2, 'field_author.', '=', 'x'),
      condition(3, 'field_rating'),
      condition(4, 'title', 'IN'),
      condition(5, 'field_day', 'BETWEEN', '2024-01-01', ''),
      { kind: 'group', id: 6, conjunction: 'OR', members: [condition(7, 'title')] },
    ];
    expect(writeQuery(form(members, { sort: [{ path: 'field_author.', direction: 'ASC' }] })).query).toBe('');
  });

  test('an empty text is a value', () => {
    expect(writeQuery(form([condition(1, 'title', '=', '')])).query).toBe('filter[title]=');
  });
});

describe('a URL as a form', () => {
  test.each<[string, string, readonly FormNode[]]>([
    ['short form', 'filter[title]=a+b%20c', [condition(1, 'title', '=', 'a b c')]],
    [
      'middle form',
      'filter[title][operator]=CONTAINS&filter[title][value]=a',
      [condition(1, 'title', 'CONTAINS', 'a')],
    ],
    [
      'long form',
      'filter[x][condition][path]=title&filter[x][condition][operator]=%3C%3E&filter[x][condition][value]=a',
      [condition(1, 'title', '<>', 'a')],
    ],
    ['encoded brackets', 'filter%5Btitle%5D=a', [condition(1, 'title', '=', 'a')]],
    [
      'numbered list',
      'filter[t][condition][path]=title&filter[t][condition][operator]=IN&filter[t][condition][value][0]=a&filter[t][condition][value][1]=b',
      [condition(1, 'title', 'IN', 'a', 'b')],
    ],
    [
      'the last of a repeated value under a single-value operator',
      'filter[title]=a&filter[title]=b',
      [condition(1, 'title', '=', 'b')],
    ],
    [
      'a member named before its group',
      'filter[c][condition][path]=title&filter[c][condition][value]=a&filter[c][condition][memberOf]=g&filter[g][group][conjunction]=OR',
      [{ kind: 'group', id: 1, conjunction: 'OR', members: [condition(2, 'title', '=', 'a')] }],
    ],
    [
      'a member of the root by name',
      'filter[c][condition][path]=title&filter[c][condition][value]=a&filter[c][condition][memberOf]=@root',
      [condition(1, 'title', '=', 'a')],
    ],
  ])('%s', (_name, query, members) => {
    const read = readPath(SCHEMA, `/node/article?${query}`);
    expect(read.problems).toEqual([]);
    expect(read.form?.filter.members).toEqual(members);
  });

  test('sort, include, fields and page', () => {
    const { form: read, problems } = readPath(
      SCHEMA,
      '/node/article?sort[b][path]=title&sort[b][direction]=desc&sort[a][path]=id&include=field_author,field_tags&fields[node--article]=title,%20body&page[offset]=2&page[limit]=0',
    );
    expect(problems).toEqual([]);
    expect(read?.sort).toEqual([
      { path: 'title', direction: 'DESC' },
      { path: 'id', direction: 'ASC' },
    ]);
    expect(read?.include).toEqual(['field_author', 'field_tags']);
    expect(read?.fields).toEqual(new Map([['node--article', ['title', 'body']]]));
    expect([read?.offset, read?.limit]).toEqual(['2', '0']);
  });

  test.each([
    ['colour=red', 'colour', 'no place'],
    ['page[number]=2', 'page[number]', 'no place'],
    ['filter[a][b][c]=x', 'filter[a][b][c]', 'not a part'],
    ['filter[a][condition][value][x]=1', 'filter[a][condition][value][x]', 'brackets'],
    ['filter[a][group][conjunction]=XOR', 'filter[a][group][conjunction]', 'AND or OR'],
    [
      'filter[a][condition][path]=title&filter[a][condition][memberOf]=gone',
      'filter[a][condition][memberOf]',
      '"gone"',
    ],
    [
      'filter[a][group][memberOf]=b&filter[a][group][conjunction]=AND&filter[b][group][memberOf]=a',
      'filter[a][group][memberOf]',
      'inside itself',
    ],
    ['filter[a]=x&filter[a][condition][path]=title', 'filter[a][condition][path]', 'both'],
    ['filter[[a]=x', 'filter[[a]', 'no place'],
  ])('%s is a problem at its parameter, and the rest is read', (query, parameter, message) => {
    const read = readPath(SCHEMA, `/node/article?${query}&sort=title`);
    expect(read.problems[0]?.parameter).toBe(parameter);
    expect(read.problems[0]?.message).toContain(message);
    expect(read.form?.sort).toEqual([{ path: 'title', direction: 'ASC' }]);
  });

  test.each(['/node/nothing', '/node/article/some-id', '/node', '/'])(
    '%s fits no form, and says so',
    (path) => {
      const read = readPath(SCHEMA, path);
      expect(read.form).toBeUndefined();
      expect(read.problems).toHaveLength(1);
    },
  );

  test('a broken percent code is kept as it is', () => {
    expect(readPath(SCHEMA, '/node/article?filter[title]=100%').form?.filter.members).toEqual([
      condition(1, 'title', '=', '100%'),
    ]);
  });

  test('any complete form written and read again asks the same', () => {
    const value = fc.string({ unit: 'grapheme', maxLength: 8 });
    const path = fc.constantFrom('title', 'field_author.title', 'fulltext', 'c1', 'field_tags.0.id');
    const leaf = fc.tuple(
      path,
      fc.constantFrom(...SCHEMA.operators),
      fc.array(value, { minLength: 2, maxLength: 2 }),
    );
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        leaf.map(
          ([at, operator, values]): Shape => ({ at, operator, values: values.map((text) => `${text}.`) }),
        ),
        fc
          .tuple(fc.boolean(), fc.array(tie('tree'), { minLength: 1, maxLength: 3 }))
          .map(([or, members]): Shape => ({ or, members: members as Shape[] })),
      ),
    }));
    fc.assert(
      fc.property(fc.array(tree, { maxLength: 4 }), value, (shapes, search) => {
        let id = 0;
        const node = (shape: Shape): FormNode => {
          const own = ++id;
          if ('members' in shape) {
            return {
              kind: 'group',
              id: own,
              conjunction: shape.or ? 'OR' : 'AND',
              members: shape.members.map(node),
            };
          }
          const takes = /NULL/.test(shape.operator) ? 0 : /\bIN$|BETWEEN/.test(shape.operator) ? 2 : 1;
          return condition(own, shape.at, shape.operator, ...shape.values.slice(0, takes));
        };
        const given = form(shapes.map(node), { search });
        const read = readPath(SCHEMA, `/node/article?${writeQuery(given).query}`);
        expect(read.problems).toEqual([]);
        expect(read.form).toEqual(given);
      }),
    );
  });
});

describe('an API path in what was pasted', () => {
  test.each<[string, string | undefined]>([
    ['http://site.test/docs/jsonapi/node/article?sort=title', '/node/article?sort=title'],
    ['GET /docs/jsonapi/node/article', '/node/article'],
    ['  /docs/jsonapi/node/article#top ', '/node/article'],
    ['/node/article?sort=title', '/node/article?sort=title'],
    ['/docs/jsonapi', '/'],
    ['http://localhost:4321/docs/jsonapi/node/article', '/node/article'],
    ['https://site.test/docs/jsonapi', '/'],
    ['https://site.test/docs/node/article', undefined],
    ['https://site.test', undefined],
    ['//elsewhere.test/docs/jsonapi/node/article', undefined],
    ['javascript:alert(1)', undefined],
    ['node/article', undefined],
    ['', undefined],
  ])('%s', (text, path) => {
    expect(apiPath(text, '/docs')).toBe(path);
  });
});

type Shape =
  | { readonly at: string; readonly operator: string; readonly values: readonly string[] }
  | { readonly or: boolean; readonly members: readonly Shape[] };

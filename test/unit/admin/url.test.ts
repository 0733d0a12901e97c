import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createCondition,
  createForm,
  createGroup,
  createSort,
  type FormCondition,
  type FormNode,
  type QueryForm,
  type SearchOperator,
} from '../../../admin/src/screens/explorer/query/form.ts';
import { apiPath, readPath } from '../../../admin/src/screens/explorer/query/read-url.ts';
import { writeQuery } from '../../../admin/src/screens/explorer/query/write-query.ts';
import { OPERATORS, type Operator } from '../../../integration/core/engine/ast.ts';
import { SCHEMA } from './example-schema.ts';

function condition(path: string, operator: Operator = '=', ...values: string[]): FormCondition {
  return createCondition(path, operator, values);
}

function form(members: FormNode[], more: Partial<QueryForm> = {}): QueryForm {
  return { ...createForm('node--article'), filter: createGroup('AND', members), ...more };
}

/** A form or part of it without generated ids, for comparison. */
function withoutIds(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, part) => (key === 'id' ? undefined : part)));
}

describe('a form as a URL', () => {
  test.each<[string, QueryForm, string]>([
    ['nothing chosen', form([]), ''],
    [
      'nothing in place of the defaults of a bundle',
      form([], { replaced: ['filter', 'include'] }),
      'filter=&include=',
    ],
    [
      'an equality in the short form',
      form([condition('field_author.title', '=', 'Ada')]),
      'filter[field_author.title]=Ada',
    ],
    [
      'another operator',
      form([condition('title', 'CONTAINS', 'a b')]),
      'filter[title][operator]=CONTAINS&filter[title][value]=a%20b',
    ],
    [
      'a list',
      form([condition('title', 'IN', 'a', 'b')]),
      'filter[title][operator]=IN&filter[title][value][]=a&filter[title][value][]=b',
    ],
    [
      'no value for IS NULL, which has no short form',
      form([condition('field_day', 'IS NULL')]),
      'filter[c1][condition][path]=field_day&filter[c1][condition][operator]=IS%20NULL',
    ],
    [
      'two conditions on one path, with labels',
      form([condition('title', '>', 'a'), condition('title', '<', 'b')]),
      'filter[c1][condition][path]=title&filter[c1][condition][operator]=%3E&filter[c1][condition][value]=a&filter[c2][condition][path]=title&filter[c2][condition][operator]=%3C&filter[c2][condition][value]=b',
    ],
    [
      'nested groups',
      form([
        createGroup('OR', [
          condition('title', '=', 'a'),
          createGroup('AND', [condition('status', '=', 'true')]),
        ]),
      ]),
      'filter[g1][group][conjunction]=OR&filter[c1][condition][path]=title&filter[c1][condition][value]=a&filter[c1][condition][memberOf]=g1&filter[g2][group][conjunction]=AND&filter[g2][group][memberOf]=g1&filter[c2][condition][path]=status&filter[c2][condition][value]=true&filter[c2][condition][memberOf]=g2',
    ],
    [
      'sort, include, fields and page',
      form([], {
        sort: [createSort('changed', 'DESC'), createSort('title')],
        include: ['field_author', 'field_author.field_boss'],
        fields: { 'node--article': ['title', 'field_author'] },
        offset: '10',
        limit: '5',
      }),
      'sort=-changed,title&include=field_author,field_author.field_boss&fields[node--article]=title,field_author&page[offset]=10&page[limit]=5',
    ],
    [
      'characters that end a value',
      form([condition('title', '=', "a&b=c#d+e%f'")]),
      'filter[title]=a%26b%3Dc%23d%2Be%25f%27',
    ],
    [
      'a full-text search',
      form([condition('title', '=', 'a')], { search: 'gas & fees' }),
      'filter[fulltext]=gas%20%26%20fees&filter[title]=a',
    ],
    [
      'a tolerant search, with its matches',
      form([], { search: 'gas', searchOperator: 'SEARCH' }),
      'filter[fulltext][operator]=SEARCH&filter[fulltext][value]=gas&filter[fulltext][highlight]=true',
    ],
    [
      'a search for related entities',
      form([], { search: 'gas', searchOperator: 'RELATED_TO' }),
      'filter[fulltext][operator]=RELATED_TO&filter[fulltext][value]=gas',
    ],
    [
      'a field named fulltext, which is not the search',
      form([condition('fulltext', '=', 'a')]),
      'filter[c1][condition][path]=fulltext&filter[c1][condition][value]=a',
    ],
    [
      'a label that is also the name of a field',
      form([condition('c1', '=', 'a'), condition('x', '=', 'a'), condition('x', '=', 'b')]),
      'filter[c1]=a&filter[c2][condition][path]=x&filter[c2][condition][value]=a&filter[c3][condition][path]=x&filter[c3][condition][value]=b',
    ],
  ])('%s', (_name, given, query) => {
    expect(writeQuery(given).query).toBe(query);
  });

  test('unfinished conditions are not in the URL', () => {
    const members: FormNode[] = [
      condition(''),
      condition('field_author.', '=', 'x'),
      condition('field_rating'),
      condition('title', 'IN'),
      condition('field_day', 'BETWEEN', '2024-01-01', ''),
      createGroup('OR', [condition('title')]),
    ];
    expect(writeQuery(form(members, { sort: [createSort('field_author.')] })).query).toBe('');
  });

  test('an empty string is a value', () => {
    expect(writeQuery(form([condition('title', '=', '')])).query).toBe('filter[title]=');
  });
});

describe('a URL as a form', () => {
  test.each<[string, string, readonly FormNode[]]>([
    ['short form', 'filter[title]=a+b%20c', [condition('title', '=', 'a b c')]],
    [
      'middle form',
      'filter[title][operator]=CONTAINS&filter[title][value]=a',
      [condition('title', 'CONTAINS', 'a')],
    ],
    [
      'long form',
      'filter[x][condition][path]=title&filter[x][condition][operator]=%3C%3E&filter[x][condition][value]=a',
      [condition('title', '<>', 'a')],
    ],
    ['encoded brackets', 'filter%5Btitle%5D=a', [condition('title', '=', 'a')]],
    [
      'numbered list',
      'filter[t][condition][path]=title&filter[t][condition][operator]=IN&filter[t][condition][value][0]=a&filter[t][condition][value][1]=b',
      [condition('title', 'IN', 'a', 'b')],
    ],
    [
      'the last of a repeated value under a single-value operator',
      'filter[title]=a&filter[title]=b',
      [condition('title', '=', 'b')],
    ],
    [
      'a member named before its group',
      'filter[c][condition][path]=title&filter[c][condition][value]=a&filter[c][condition][memberOf]=g&filter[g][group][conjunction]=OR',
      [createGroup('OR', [condition('title', '=', 'a')])],
    ],
  ])('%s', (_name, query, members) => {
    const read = readPath(SCHEMA, `/node/article?${query}`);
    expect(read.problems).toEqual([]);
    expect(withoutIds(read.form?.filter.members)).toEqual(withoutIds(members));
  });

  test.each(['filter=', 'filter=&include=&sort=title', 'include=&filter[title]=a'])(
    'parameters without a value stay: %s',
    (query) => {
      const { form: read, problems } = readPath(SCHEMA, `/node/article?${query}`);
      expect(problems).toEqual([]);
      expect(read && writeQuery(read).query).toBe(query);
    },
  );

  test('sort, include, fields and page', () => {
    const { form: read, problems } = readPath(
      SCHEMA,
      '/node/article?sort[b][path]=title&sort[b][direction]=desc&sort[a][path]=id&include=field_author,field_tags&fields[node--article]=title,body&page[offset]=2&page[limit]=0',
    );
    expect(problems).toEqual([]);
    expect(withoutIds(read?.sort)).toEqual([
      { path: 'title', direction: 'DESC' },
      { path: 'id', direction: 'ASC' },
    ]);
    expect(read?.include).toEqual(['field_author', 'field_tags']);
    expect(read?.fields).toEqual({ 'node--article': ['title', 'body'] });
    expect([read?.offset, read?.limit]).toEqual(['2', '0']);
  });

  test('facets as a list of paths', () => {
    const path = '/node/article?facetBy=title,field_author.title';
    const { form: read, problems } = readPath(SCHEMA, path);
    expect(problems).toEqual([]);
    expect(read?.facets).toBe('title,field_author.title');
    expect(read && writeQuery(read).query).toBe('facetBy[title]=&facetBy[field_author.title]=');
    const { problems: options } = readPath(SCHEMA, '/node/article?facetBy[title][limit]=5');
    expect(options).toEqual([
      { parameter: 'facetBy[title][limit]', message: 'The form has no options of facets.' },
    ]);
  });

  test('cursors, which the form does not have', () => {
    const { problems } = readPath(SCHEMA, '/node/article?page[after]=abc&page[nope]=1');
    expect(problems).toEqual([
      { parameter: 'page[after]', message: 'The form has no cursors.' },
      { parameter: 'page[nope]', message: 'The API ignores this parameter.' },
    ]);
  });

  test('numbered pages as offset and limit', () => {
    const { form: read, problems } = readPath(SCHEMA, '/node/article?page[number]=3&page[size]=20');
    expect(problems).toEqual([]);
    expect([read?.offset, read?.limit]).toEqual(['40', '20']);
  });

  test.each([
    ['colour=red', 'colour', 'colour'],
    ['page[after]=2', 'page[after]', 'cursors'],
    ['page[number]=2', 'page[number]', 'without a limit'],
    ['page[number]=2&page[offset]=1', 'page[number]', 'cannot be combined'],
    ['page[limit]=many', 'page[limit]', 'ignores'],
    ['filter[a][b][c]=x', 'filter[a][b][c]', 'filter'],
    ['filter[a][condition][value][x]=1', 'filter[a][condition][path]', 'path'],
    ['filter[a][group][conjunction]=XOR', 'filter[a][group][conjunction]', 'AND'],
    [
      'filter[a][condition][path]=title&filter[a][condition][memberOf]=gone',
      'filter[a][condition][memberOf]',
      "'gone'",
    ],
    [
      'filter[a][group][memberOf]=b&filter[a][group][conjunction]=AND&filter[b][group][memberOf]=a&filter[b][group][conjunction]=OR',
      'filter[a][group][memberOf]',
      'member of itself',
    ],
    ['filter[a]=x&filter[a][condition][path]=title', 'filter[a][condition][path]', 'both'],
    ['filter[a=x', 'filter[a', 'are not balanced'],
    ['filter[title]=100%', 'filter[title]', 'percent'],
  ])('%s is a problem that the engine reports, and the rest is read', (query, parameter, message) => {
    const read = readPath(SCHEMA, `/node/article?${query}&sort=title`);
    expect(read.problems[0]?.parameter).toBe(parameter);
    expect(read.problems[0]?.message).toContain(message);
    expect(withoutIds(read.form?.sort)).toEqual([{ path: 'title', direction: 'ASC' }]);
  });

  test.each(['/node/nothing', '/node/article/some-id', '/node', '/'])('%s does not fit the form', (path) => {
    const read = readPath(SCHEMA, path);
    expect(read.form).toBeUndefined();
    expect(read.problems).toHaveLength(1);
  });

  test('any complete form is the same after it was written and read', () => {
    const value = fc.string({ unit: 'grapheme', maxLength: 8 });
    const operator = fc.constantFrom<SearchOperator>('=', 'SEARCH', 'RELATED_TO');
    const path = fc.constantFrom('title', 'field_author.title', 'fulltext', 'c1', 'field_tags.0.id');
    const leaf = fc.tuple(
      path,
      fc.constantFrom(...OPERATORS),
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
      fc.property(fc.array(tree, { maxLength: 4 }), value, operator, (shapes, search, searchOperator) => {
        const node = (shape: Shape): FormNode => {
          if ('members' in shape) return createGroup(shape.or ? 'OR' : 'AND', shape.members.map(node));
          const count = /NULL/.test(shape.operator) ? 0 : /\bIN$|BETWEEN/.test(shape.operator) ? 2 : 1;
          return condition(shape.at, shape.operator, ...shape.values.slice(0, count));
        };
        const given = form(shapes.map(node), search === '' ? {} : { search, searchOperator });
        const read = readPath(SCHEMA, `/node/article?${writeQuery(given).query}`);
        expect(read.problems).toEqual([]);
        expect(withoutIds(read.form)).toEqual(withoutIds(given));
      }),
    );
  });
});

describe('the API path in a pasted text', () => {
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
  | { readonly at: string; readonly operator: Operator; readonly values: readonly string[] }
  | { readonly or: boolean; readonly members: readonly Shape[] };

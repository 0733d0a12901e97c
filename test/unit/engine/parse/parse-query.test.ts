import { describe, expect, it } from 'vitest';
import { OPERATORS, type Query } from '../../../../integration/core/engine/ast.ts';
import { DEFAULT_LIMITS } from '../../../../integration/core/engine/limits.ts';
import { parseQuery, type QueryTarget } from '../../../../integration/core/engine/parse/parse-query.ts';
import { DomainError } from '../../../../integration/core/util/errors.ts';

const PAGING = { pageSize: { default: 50, max: 50, unlimited: true }, limits: DEFAULT_LIMITS };
const parse = (query: string, target: QueryTarget = 'collection'): Query => parseQuery(query, target, PAGING);
const parts = (path: string, operator?: string, ...values: string[]): string =>
  [
    `filter[c][condition][path]=${path}`,
    ...(operator === undefined ? [] : [`filter[c][condition][operator]=${encodeURIComponent(operator)}`]),
    ...values.map((value) => `filter[c][condition][value]${value}`),
  ].join('&');

describe('filter', () => {
  it.each([
    ['filter[title]=x', 'title', '=', 'x'],
    ['filter[title]=x&filter[title]=y', 'title', '=', 'y'],
    ['filter[a.b]=x', 'a.b', '=', 'x'],
    ['filter[title][value]=x', 'title', '=', 'x'],
    ['filter[title][operator]=CONTAINS&filter[title][value]=x', 'title', 'CONTAINS', 'x'],
    ['filter[a][path]=title&filter[a][value]=x', 'title', '=', 'x'],
    [parts('title', '=', '=x'), 'title', '=', 'x'],
    [parts('title', undefined, '=x'), 'title', '=', 'x'],
    [parts('title', '=', '[]=x'), 'title', '=', 'x'],
    [parts('title', '=', '=x', '=y'), 'title', '=', 'y'],
    [parts('title', 'IN', '=x'), 'title', 'IN', ['x']],
    [parts('title', 'IN', '=x,y'), 'title', 'IN', ['x,y']],
    [parts('title', 'IN', '=x', '=y'), 'title', 'IN', ['x', 'y']],
    [parts('title', 'NOT IN', '[]=x', '[]=y'), 'title', 'NOT IN', ['x', 'y']],
    [parts('a', 'BETWEEN', '[1]=9', '[0]=1'), 'a', 'BETWEEN', ['1', '9']],
    [parts('a', 'NOT BETWEEN', '=1', '=9'), 'a', 'NOT BETWEEN', ['1', '9']],
    [parts('a', 'IS NULL'), 'a', 'IS NULL', null],
    [parts('a', 'IS NOT NULL'), 'a', 'IS NOT NULL', null],
    // A missing value compares with NULL.
    [parts('a', '='), 'a', 'IN', []],
    [parts('a', '>'), 'a', 'IN', []],
    [parts('a', 'NOT IN'), 'a', 'IN', []],
    [parts('a', '<>'), 'a', 'IS NOT NULL', null],
  ])('reads %s', (query, path, operator, value) => {
    expect(parse(query).filter.members).toMatchObject([{ kind: 'condition', path, operator, value }]);
  });

  it('reads memberOf=@root as no group, as Drupal does', () => {
    const condition = 'filter[a][condition][path]=a&filter[a][condition][value]=1';
    const group =
      'filter[g][group][conjunction]=OR&filter[b][condition][path]=b&filter[b][condition][value]=2';
    const query = `${condition}&${group}&filter[b][condition][memberOf]=g`;
    const withRoot = `${query}&filter[a][condition][memberOf]=@root&filter[g][group][memberOf]=@root`;
    expect(parse(withRoot).filter).toEqual(parse(query).filter);
  });

  it('adds members to groups by memberOf, and joins the rest with AND', () => {
    const { filter } = parse(
      'filter[z]=0&filter[o][group][conjunction]=OR&filter[i][group][conjunction]=AND&filter[i][group][memberOf]=o' +
        '&filter[a][condition][path]=a&filter[a][condition][value]=1&filter[a][condition][memberOf]=o' +
        '&filter[b][condition][path]=b&filter[b][condition][value]=2&filter[b][condition][memberOf]=i',
    );
    expect(filter).toMatchObject({
      conjunction: 'AND',
      members: [
        { path: 'z' },
        {
          kind: 'group',
          conjunction: 'OR',
          members: [{ kind: 'group', conjunction: 'AND', members: [{ path: 'b' }] }, { path: 'a' }],
        },
      ],
    });
  });

  it('stores the parameter for error messages', () => {
    const { filter } = parse('filter[t]=1&filter[o][path]=a&filter[o][value]=1&filter[p][value]=2');
    expect(filter.members).toMatchObject([
      { parameter: 'filter[t]' },
      { parameter: 'filter[o][path]' },
      { parameter: 'filter[p]' },
    ]);
  });

  const group = 'filter[g][group][conjunction]=OR';
  const inG = 'filter[a][condition][path]=a&filter[a][condition][value]=1&filter[a][condition][memberOf]=g';
  it.each([
    ['filter=x', 'filter', /filter\[title\]/],
    ['filter[]=', 'filter[0]', /field path|no field|number/, true],
    ['filter[title][]=x', 'filter[title]', /operator\]=IN/],
    ['filter[title][foo]=x', 'filter[title][foo]', /\[condition\]/],
    ['filter[title][operator]=CONTAINS', 'filter[title]', /no value/],
    ['filter[a][path]=b&filter[a][operator]=IS NULL', 'filter[a]', /\[condition\]/],
    ['filter[a][condition]=x', 'filter[a][condition]', /parts/],
    ['filter[a][condition][value]=x', 'filter[a][condition][path]', /needs a path/],
    [
      'filter[a][condition][path]=&filter[a][condition][value]=x',
      'filter[a][condition][path]',
      /needs a field/,
    ],
    [
      'filter[a][condition][path]=b.&filter[a][condition][value]=x',
      'filter[a][condition][path]',
      /empty part/,
    ],
    ['filter[a][condition][path][]=b', 'filter[a][condition][path]', /one value/],
    ['filter[a][condition][path]=b&filter[a][memberOf]=g', 'filter[a][memberOf]', /belongs inside/],
    ['filter[a][value]=b&filter[a][memberOf]=g', 'filter[a][memberOf]', /belongs inside/],
    [parts('a', '=='), 'filter[c][condition][operator]', /STARTS_WITH, CONTAINS/],
    [
      parts('a', 'contains', '=x'),
      'filter[c][condition][operator]',
      /Did you mean "CONTAINS"\? Operators: =, <>/,
    ],
    [parts('a', 'IS NULL', '='), 'filter[c][condition][value]', /takes no value/],
    ...['CONTAINS', 'STARTS_WITH', 'ENDS_WITH'].map((operator): [string, string, RegExp] => [
      parts('a', operator),
      'filter[c][condition][value]',
      /needs a text/,
    ]),
    [parts('a', '=', '[]=x', '[]=y'), 'filter[c][condition][value]', /one value/],
    [parts('a', 'IN', '[k]=x'), 'filter[c][condition][value][k]', /list is written/],
    [parts('a', 'BETWEEN', '=x'), 'filter[c][condition][value]', /two values/],
    [parts('a', 'BETWEEN'), 'filter[c][condition][value]', /two values/],
    ['filter[g][group]=OR', 'filter[g][group][conjunction]', /upper case/],
    ['filter[g][group][conjunction]=or', 'filter[g][group][conjunction]', /upper case/],
    [group, 'filter[g][group]', /no members/],
    [`${group}&filter[g][group][memberOf]=g&${inG}`, 'filter[g][group][memberOf]', /member of itself/],
    [
      `${group}&filter[g][group][memberOf]=h&filter[h][group][conjunction]=AND&filter[h][group][memberOf]=g&${inG}`,
      'filter[g][group][memberOf]',
      /member of itself/,
    ],
    [
      `filter[h][group][conjunction]=OR&${inG}`,
      'filter[a][condition][memberOf]',
      /no group 'g'.*Groups.*: h/,
    ],
    [inG, 'filter[a][condition][memberOf]', /no group 'g'/],
  ])('rejects %s and names %s', (query, parameter, detail, passesParsing = false) => {
    // The parser does not check if fields exist.
    if (passesParsing) expect(parse(query).filter.members).toMatchObject([{ parameter }]);
    else expectRefused(query, parameter, detail);
  });

  it('parses every operator', () => {
    for (const operator of OPERATORS.filter((name) => !name.includes('NULL'))) {
      expect(
        parse(parts('a', operator, '[]=1', ...(/BETWEEN/.test(operator) ? ['[]=2'] : []))).filter.members,
      ).toMatchObject([{ operator }]);
    }
  });

  it('lists ignored parameters', () => {
    const query = `${parts('a', 'BETWEEN', '[]=1', '[]=2', '[]=3')}&filter[c][condition][foo]=x`;
    expect(parse(query).ignored).toEqual(['filter[c][condition][foo]', 'filter[c][condition][value][2]']);
  });
});

describe('limits', () => {
  const repeat = (count: number, of: (index: number) => string): string =>
    Array.from({ length: count }, (_, index) => of(index)).join('&');
  const nested = (depth: number): string =>
    repeat(
      depth,
      (at) =>
        `filter[g${at}][group][conjunction]=OR${at === 0 ? '' : `&filter[g${at}][group][memberOf]=g${at - 1}`}`,
    ) +
    `&filter[a][condition][path]=a&filter[a][condition][value]=1&filter[a][condition][memberOf]=g${depth - 1}`;
  it.each([
    ['conditions', DEFAULT_LIMITS.conditions, (n: number) => repeat(n, (at) => `filter[f${at}]=1`)],
    ['group depth', DEFAULT_LIMITS.groupDepth, nested],
    [
      'list values',
      DEFAULT_LIMITS.listValues,
      (n: number) => parts('a', 'IN', ...Array<string>(n).fill('[]=1')),
    ],
    ['path members', DEFAULT_LIMITS.pathDepth, (n: number) => `sort=${Array(n).fill('a').join('.')}`],
    [
      'include members',
      DEFAULT_LIMITS.includeDepth,
      (n: number) => `include=${Array(n).fill('a').join('.')}`,
    ],
    [
      'include paths',
      DEFAULT_LIMITS.includePaths,
      (n: number) => `include=${Array.from(Array(n).keys(), (at) => `a${at}`).join()}`,
    ],
    ['sort keys', DEFAULT_LIMITS.sortKeys, (n: number) => `sort=${Array(n).fill('a').join()}`],
  ])('%s: accepts the limit and rejects one more', (_, limit, queryOf) => {
    expect(() => parse(queryOf(limit))).not.toThrow();
    expect(refusal(queryOf(limit + 1))).toMatchObject({
      reason: 'bad-request',
      detail: expect.stringContaining(String(limit)),
    });
  });
});

describe('sort', () => {
  it.each([
    ['sort=-a,b.c', ['a DESC', 'b.c ASC'], []],
    ['sort[x][path]=a&sort[x][direction]=desc&sort[y][path]=b', ['a DESC', 'b ASC'], []],
    ['sort[b][path]=a&sort[1][path]=b&sort[0][path]=c', ['a ASC', 'b ASC', 'c ASC'], []],
    ['sort[x][path]=a&sort[x][direction]=down', ['a ASC'], ['sort[x][direction]']],
    ['sort[x][path]=a&sort[x][foo]=1', ['a ASC'], ['sort[x][foo]']],
  ])('reads %s', (query, keys, ignored) => {
    const { sort, ignored: passedOver } = parse(query);
    expect(sort.map(({ path, direction }) => `${path} ${direction}`)).toEqual(keys);
    expect(passedOver).toEqual(ignored);
  });

  it.each([
    ['sort=', 'sort'],
    ['sort=-', 'sort'],
    ['sort=a,', 'sort'],
    ['sort[]=a', 'sort[0]'],
    ['sort[x][field]=a', 'sort[x]'],
    ['sort[x][path][]=a', 'sort[x]'],
  ])('rejects %s', (query, parameter) => {
    expectRefused(query, parameter, /./);
  });
});

describe('page', () => {
  it.each([
    ['', 0, 50, []],
    ['page[limit]=10&page[offset]=20', 20, 10, []],
    ['page[limit]=51', 0, 50, []],
    ['page[limit]=0', 0, Number.POSITIVE_INFINITY, []],
    ['page[limit]=1.9&page[offset]=1.9', 1, 1, []],
    ['page[limit]=1e1', 0, 10, []],
    ['page[limit]= 3', 0, 3, []],
    ['page[limit]=abc', 0, 50, ['page[limit]']],
    ['page[limit]=2;sort=title', 0, 2, []],
    ['page[limit]=5a', 0, 50, ['page[limit]']],
    ['page[limit]=0a', 0, 50, ['page[limit]']],
    ['page[limit]=0x10', 0, 50, ['page[limit]']],
    ['page[limit][]=3', 0, 50, ['page[limit][0]']],
    ['page[number]=2&page[size]=3', 3, 3, []],
    ['page[number]=3', 100, 50, []],
    ['page[size]=20', 0, 20, []],
    ['page[number]=2&page[size]=51', 50, 50, []],
    ['page[size]=0', 0, Number.POSITIVE_INFINITY, []],
    ['page[number]=1&page[size]=0', 0, Number.POSITIVE_INFINITY, []],
    ['page[size]=2&page[after]=x', 0, 2, ['page[after]']],
  ])('reads %s', (query, offset, limit, ignored) => {
    expect(parse(query)).toMatchObject({ page: { offset, limit }, ignored });
  });

  it.each([
    ['page=2', 'page'],
    ['page[limit]=-1', 'page[limit]'],
    ['page[limit]=', 'page[limit]'],
    ['page[limit]=5&page[limit]=', 'page[limit]'],
    ['page[limit]=0.5', 'page[limit]'],
    ['page[offset]=-1', 'page[offset]'],
    ['page[offset]=abc', 'page[offset]'],
    ['page[offset]=', 'page[offset]'],
    ['page[offset][]=1', 'page[offset]'],
    ['page[offset]=1e99', 'page[offset]'],
    ['page[number]=0', 'page[number]'],
    ['page[number]=1.5', 'page[number]'],
    ['page[number]=', 'page[number]'],
    ['page[number]=1234567890', 'page[number]'],
    ['page[number][]=1', 'page[number]'],
    ['page[size]=-1', 'page[size]'],
    ['page[size]=many', 'page[size]'],
    ['page[number]=2&page[size]=0', 'page[number]'],
    ['page[number]=2&page[limit]=5', 'page[number]'],
    ['page[offset]=5&page[size]=5', 'page[size]'],
  ])('rejects %s', (query, parameter) => {
    expectRefused(query, parameter, /./);
  });

  it('rejects an unlimited page if the site forbids it', () => {
    expect(() =>
      parseQuery('page[limit]=0', 'collection', {
        pageSize: { default: 50, max: 50, unlimited: false },
        limits: DEFAULT_LIMITS,
      }),
    ).toThrow('1 to 50 entities, not 0');
  });
});

describe('include and fields', () => {
  it.each([
    ['', [], false],
    ['include=', [], true],
    ['include=a, b.c,a', ['a', 'b.c'], true],
  ])('reads %s', (query, include, includeSent) => {
    expect(parse(query)).toMatchObject({ include, includeSent });
  });

  it('reads sparse fields by type', () => {
    const { fields } = parse('fields[node--article]=title,body,title&fields[node--tag]=');
    expect({ ...fields }).toEqual({ 'node--article': ['title', 'body'], 'node--tag': [] });
  });

  it.each([
    ['include=,', 'include'],
    ['include=a.', 'include'],
    ['include[]=a', 'include'],
    ['fields=title', 'fields'],
    ['fields[node--article][]=title', 'fields[node--article]'],
  ])('rejects %s', (query, parameter) => {
    expectRefused(query, parameter, /./);
  });
});

describe('other parameters', () => {
  it('ignores and lists names with other characters than a-z', () => {
    expect(parse('fooBar=1&x-y=2&a.b[c]=3&=4').ignored).toEqual(['fooBar', 'x-y', 'a.b[c]', '']);
  });

  it('ignores and lists filter, sort and page for a single resource', () => {
    expect(parse('filter[a]=1&sort=b&page[limit]=1&include=c', 'individual')).toMatchObject({
      filter: { members: [] },
      include: ['c'],
      ignored: ['filter[a]', 'sort', 'page[limit]'],
    });
  });

  it.each([
    ['foo=1', 'foo', 'bad-request'],
    ['filters[title]=x', 'filters[title]', 'bad-request'],
    ['_format=api_json', '_format', 'bad-request'],
    ['_format=json', '_format', 'not-acceptable'],
    ['resourceVersion=foo', 'resourceVersion', 'bad-request'],
    ['resourceVersion=id:1', 'resourceVersion', 'bad-request'],
  ])('rejects %s', (query, parameter, reason) => {
    expect(refusal(query)).toMatchObject({ reason, source: { parameter } });
  });

  it('parses past versions of a resource, and the current version of every target', () => {
    expect(parse('resourceVersion=rel:latest-version', 'individual').version).toBeUndefined();
    expect(parse('resourceVersion=rel:working-copy').version).toBeUndefined();
    expect(parse('resourceVersion=id:1&resourceVersion=id:ABC1234', 'resource').version).toBe('abc1234');
    expect(parse(`resourceVersion=id:${'a'.repeat(64)}`, 'resource').version).toHaveLength(64);
    for (const target of ['individual', 'collection'] as const)
      expect(refusal('resourceVersion=id:abc1234', target).reason).toBe('bad-request');
    for (const name of ['', 'HEAD', `${'a'.repeat(65)}`])
      expect(refusal(`resourceVersion=id:${name}`, 'resource').reason).toBe('bad-request');
  });
});

function refusal(query: string, target: QueryTarget = 'collection'): DomainError {
  try {
    parse(query, target);
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
  throw new Error(`${query} was not refused.`);
}

function expectRefused(query: string, parameter: string, detail: RegExp): void {
  expect(refusal(query)).toMatchObject({
    reason: 'bad-request',
    source: { parameter },
    detail: expect.stringMatching(detail),
  });
}

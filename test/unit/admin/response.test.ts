import { describe, expect, test } from 'vitest';
import { readFacts, readJob, tabulate } from '../../../admin/src/api/document.ts';
import { lineCount, summaryOf, unfoldedDepth } from '../../../admin/src/components/json.ts';
import { readHash, writeHash } from '../../../admin/src/screens/explorer/hash.ts';

const DOCUMENT = {
  data: [
    {
      type: 'node--article',
      id: 'a',
      attributes: {
        title: 'A',
        status: true,
        path: { alias: '/a' },
        body: { value: '# A', format: 'markdown' },
        field_numbers: [1, 2],
      },
      relationships: {
        field_author: { data: { type: 'node--person', id: 'ada' } },
        field_tags: {
          data: [
            { type: 'node--tag', id: 'x' },
            { type: 'node--tag', id: 'y' },
          ],
        },
      },
      links: { self: { href: '/jsonapi/node/article/a' } },
    },
    {
      type: 'node--article',
      id: 'b',
      attributes: { title: 'B', field_place: { lat: 1, lon: 2 } },
      relationships: { field_author: { data: null } },
    },
  ],
  meta: { count: 12, ignored: ['page[number]'] },
  links: {
    self: { href: '/jsonapi/node/article' },
    next: { href: '/jsonapi/node/article?page[offset]=2' },
    prev: null,
  },
};

describe('a response', () => {
  test('has a count, links and ignored parameters', () => {
    const facts = readFacts(DOCUMENT);
    expect(facts).toMatchObject({ count: 12, resourceCount: 2, errors: [], ignored: ['page[number]'] });
    expect([...facts.links.keys()]).toEqual(['self', 'next']);
  });
  test('has errors with their sources', () => {
    const error = {
      status: '400',
      title: 'Bad Request',
      detail: 'No field "x".',
      source: { parameter: 'filter[x]' },
    };
    expect(readFacts({ errors: [error, { status: 500 }] }).errors).toEqual([
      { status: '400', title: 'Bad Request', detail: 'No field "x".', source: { parameter: 'filter[x]' } },
      { status: '500', title: 'Error', detail: '', source: {} },
    ]);
  });
  test.each([null, 'text', [], { data: 'x' }])('of another shape has no facts: %j', (json) => {
    expect(readFacts(json)).toMatchObject({ count: undefined, resourceCount: undefined, errors: [] });
    expect(tabulate(json).rows).toEqual([]);
  });
  test('as a table has id and title first, and the fields of every bundle last', () => {
    const table = tabulate(DOCUMENT);
    expect(table.columns).toEqual([
      'id',
      'title',
      'field_numbers',
      'field_author',
      'field_tags',
      'field_place',
      'status',
      'path',
      'body',
    ]);
    expect(table.rows[0]).toEqual({
      cells: ['a', 'A', '1, 2', 'ada', 'x, y', null, 'true', '/a', '# A'],
      self: '/jsonapi/node/article/a',
    });
    expect(table.rows[1]?.cells).toEqual(['b', 'B', null, null, null, '{"lat":1,"lon":2}', null, null, null]);
  });
  test('with several types has a column for the type', () => {
    const data = [
      { type: 'node--tag', id: 'x' },
      { type: 'node--person', id: 'ada' },
    ];
    expect(tabulate({ data }).columns).toEqual(['type', 'id']);
  });
});

describe('JSON', () => {
  test.each([
    [{ type: 'node--tag', id: 'red', attributes: {} }, 'node--tag red'],
    [{ data: { type: 'node--tag', id: 'red' } }, 'data: node--tag red'],
    [{ data: null }, 'data: null'],
    [{ data: { type: 'node--tag', id: 'red' }, links: { self: { href: '/x' } } }, 'data: node--tag red'],
    [[1, 2], '2 items'],
    [[1], '1 item'],
    [{ a: 1, b: 2 }, 'a, b'],
  ])('%j is summarized as %s', (value, summary) => {
    expect(summaryOf(value)).toBe(summary);
  });
  test('lines are counted as they are printed, up to a limit', () => {
    const printed = JSON.stringify(DOCUMENT, null, 2).split('\n').length;
    expect(lineCount(DOCUMENT, Infinity, 1000)).toBe(printed);
    expect(lineCount(Array(1000).fill(0), Infinity, 50)).toBeLessThanOrEqual(53);
  });
  test('a small document is unfolded, a large one as far as it fits', () => {
    const large = {
      data: Array.from({ length: 40 }, () => ({ id: 'x', attributes: { a: 1, b: 2, c: { d: 1 } } })),
    };
    expect(unfoldedDepth(DOCUMENT, 1000)).toBe(Infinity);
    expect(unfoldedDepth(large, 200)).toBe(3);
    expect(unfoldedDepth(large, 10)).toBe(2);
  });
});

describe('the location hash', () => {
  test.each([
    [
      '#/node/article?filter[title]=x',
      { method: 'GET', path: '/node/article?filter[title]=x', view: 'json' },
    ],
    ['#table/node/article', { method: 'GET', path: '/node/article', view: 'table' }],
    ['#PATCH/node/article/deep/third', { method: 'PATCH', path: '/node/article/deep/third', view: 'json' }],
    ['#plan', { method: 'GET', path: '', view: 'plan' }],
  ] as const)('%s is read and written', (hash, state) => {
    expect(readHash(hash)).toEqual(state);
    expect(writeHash(state)).toBe(hash);
  });
  test.each([
    ['', { method: 'GET', path: '', view: 'table' }],
    ['#nonsense/node', { method: 'GET', path: '/node', view: 'json' }],
    ['#/node/tag?filter%5Btitle%5D=a', { method: 'GET', path: '/node/tag?filter[title]=a', view: 'json' }],
  ] as const)('%s is read', (hash, state) => {
    expect(readHash(hash)).toEqual(state);
  });
});

describe('a job', () => {
  const self = 'https://site.example/jsonapi/_jobs/7';

  test.each([
    [
      'in a response',
      { data: null, meta: { job: { id: '7', status: 'pending', links: { self: { href: self } } } } },
    ],
    ['in a response with plain links', { meta: { job: { status: 'pending', links: { self } } } }],
    ['from its address alone', { meta: { job: { state: 'pending', href: self } } }],
    [
      'from a job document',
      { data: { type: 'job', id: '7', attributes: { status: 'pending' }, links: { self: { href: self } } } },
    ],
  ])('is recognized %s', (_, document) => {
    expect(readJob(document)).toEqual({ state: 'pending', href: self, details: [] });
  });
  test('has details such as its commit and its error', () => {
    const attributes = { status: 'failed', created: 'x', commit: null, detail: 'No room.', branch: 'main' };
    expect(readJob({ data: { type: 'job', id: '7', attributes } })?.details).toEqual([
      ['detail', 'No room.'],
      ['branch', 'main'],
    ]);
  });
  test.each([null, {}, { meta: {} }, { data: { type: 'node--article' } }])(
    'is not recognized in %j',
    (document) => {
      expect(readJob(document)).toBeUndefined();
    },
  );
});

import { describe, expect, test } from 'vitest';
import { readFacts, tabulate } from '../../../integration/explorer/client/api-document.ts';
import {
  type JsonNode,
  jsonNode,
  lineCount,
  openDepth,
} from '../../../integration/explorer/client/json-lines.ts';
import { readHash, writeHash } from '../../../integration/explorer/client/location-hash.ts';
import { readSchema } from '../../../integration/explorer/client/schema.ts';
import { SCHEMA } from './example-schema.ts';

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

describe('an answer', () => {
  test('gives its count, links and what was ignored', () => {
    const facts = readFacts(DOCUMENT);
    expect(facts).toMatchObject({ count: 12, shown: 2, errors: [], ignored: ['page[number]'] });
    expect([...facts.links.keys()]).toEqual(['self', 'next']);
  });
  test('gives its errors with their parameters', () => {
    const error = {
      status: '400',
      title: 'Bad Request',
      detail: 'No field "x".',
      source: { parameter: 'filter[x]' },
    };
    expect(readFacts({ errors: [error, { status: 500 }] }).errors).toEqual([
      { status: '400', title: 'Bad Request', detail: 'No field "x".', parameter: 'filter[x]' },
      { status: '500', title: 'Error', detail: '', parameter: undefined },
    ]);
  });
  test.each([null, 'text', [], { data: 'x' }])('of another shape has no facts: %j', (json) => {
    expect(readFacts(json)).toMatchObject({ count: undefined, shown: undefined, errors: [] });
    expect(tabulate(json).rows).toEqual([]);
  });
  test('as a table has a column for every field of any resource', () => {
    const table = tabulate(DOCUMENT);
    expect(table.columns).toEqual([
      'id',
      'title',
      'status',
      'path',
      'body',
      'field_numbers',
      'field_author',
      'field_tags',
      'field_place',
    ]);
    expect(table.rows[0]).toEqual({
      cells: ['a', 'A', 'true', '/a', '# A', '1, 2', 'ada', 'x, y', null],
      self: '/jsonapi/node/article/a',
    });
    expect(table.rows[1]?.cells).toEqual(['b', 'B', null, null, null, null, null, null, '{"lat":1,"lon":2}']);
  });
});

describe('JSON', () => {
  /** The tree written out again, everything open. */
  function write(node: JsonNode): string {
    const key = node.key === undefined ? '' : `${JSON.stringify(node.key)}:`;
    if (node.scalar !== undefined) return key + node.scalar.text;
    return `${key}${node.open}${node.children().map(write).join(',')}${node.close}`;
  }
  test('is shown exactly as it is', () => {
    const value = { a: [1, 'x"<b>', null, true, {}], __proto__x: { b: [] }, '': -1.5 };
    expect(JSON.parse(write(jsonNode(value)))).toEqual(value);
    expect(write(jsonNode(value))).toBe(JSON.stringify(value));
  });
  test.each([
    [{ type: 'node--tag', id: 'red', attributes: {} }, 'node--tag red'],
    [{ data: { type: 'node--tag', id: 'red' } }, 'data: node--tag red'],
    [{ data: null }, 'data: null'],
    [{ data: { type: 'node--tag', id: 'red' }, links: { self: { href: '/x' } } }, 'data: node--tag red'],
    [[1, 2], '2 items'],
    [[1], '1 item'],
    [{ a: 1, b: 2 }, 'a, b'],
  ])('%j folded away is called %s', (value, summary) => {
    expect(jsonNode(value).summary).toBe(summary);
  });
  test('lines are counted as they are printed, up to a limit', () => {
    expect(lineCount(DOCUMENT, 1000)).toBe(JSON.stringify(DOCUMENT, null, 2).split('\n').length);
    expect(lineCount(Array(1000).fill(0), 50)).toBeLessThanOrEqual(52);
  });
  test('a small document is all open, a large one as deep as fits', () => {
    const large = {
      data: Array.from({ length: 40 }, () => ({ id: 'x', attributes: { a: 1, b: 2, c: { d: 1 } } })),
    };
    expect(openDepth(DOCUMENT, 1000)).toBe(Number.POSITIVE_INFINITY);
    expect(openDepth(large, 200)).toBe(3);
    expect(openDepth(large, 10)).toBe(2);
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
    ['', { method: 'GET', path: '', view: 'json' }],
    ['#nonsense/node', { method: 'GET', path: '/node', view: 'json' }],
  ] as const)('%s', (hash, state) => {
    expect(readHash(hash)).toEqual(state);
    if (hash !== '' && hash !== '#nonsense/node') expect(writeHash(state)).toBe(hash);
  });
});

describe('the schema', () => {
  test('is read as it is sent', () => {
    expect(readSchema(JSON.parse(JSON.stringify(SCHEMA)))).toEqual(SCHEMA);
  });
  test.each([null, 1, {}, { types: [{}], operators: 'x', staticQueries: [null] }])(
    'of another shape opens all the same: %j',
    (json) => {
      expect(readSchema(json).operators).toEqual([]);
    },
  );
});

import { expect, test } from 'vitest';
import { readPath } from '../../../admin/src/screens/explorer/query/read-url.ts';
import { writeCode } from '../../../admin/src/screens/explorer/query/write-query.ts';
import { SCHEMA } from './example-schema.ts';

function code(path: string): string {
  const { form } = readPath(SCHEMA, path);
  if (form === undefined) throw new Error(`${path} is not a collection of the example`);
  return writeCode(SCHEMA, form);
}

test.each([
  ['a whole bundle', '/node/article', "await entities('article').all()"],
  [
    'an entity type other than node by its full name',
    '/taxonomy_term/colour',
    "await entities('taxonomy_term--colour').all()",
  ],
  ['a search', '/node/tag?filter[fulltext]=deep%20red', "await entities('tag').search('deep red').all()"],
  [
    'a tolerant search, with its matches',
    '/node/tag?filter[fulltext][operator]=SEARCH&filter[fulltext][value]=red',
    "await entities('tag').search('red', { tolerant: true }).results()",
  ],
  [
    'related entities',
    '/node/tag?filter[fulltext][operator]=RELATED_TO&filter[fulltext][value]=red',
    "await entities('tag').relatedTo('red').all()",
  ],
  ['a text', '/node/tag?filter[title]=Red', "await entities('tag').where('title', '=', 'Red').all()"],
  [
    'a quote and a line end',
    "/node/tag?filter[title]=O'%0A",
    "await entities('tag').where('title', '=', 'O\\'\\n').all()",
  ],
  [
    'a number',
    '/node/article?filter[field_rating]=4',
    "await entities('article').where('field_rating', '=', 4).all()",
  ],
  [
    'text for a number',
    '/node/article?filter[field_rating]=4x',
    "await entities('article').where('field_rating', '=', '4x').all()",
  ],
  [
    'a decimal, which is a string',
    '/node/article?filter[field_price]=9.26',
    "await entities('article').where('field_price', '=', '9.26').all()",
  ],
  ['a boolean', '/node/tag?filter[status]=1', "await entities('tag').where('status', '=', true).all()"],
  [
    'no value',
    '/node/tag?filter[a][condition][path]=title&filter[a][condition][operator]=IS%20NULL',
    "await entities('tag').where('title', 'IS NULL').all()",
  ],
])('%s', (_name, path, expected) => {
  expect(code(path)).toBe(expected);
});

test('a long query has one call per line', () => {
  expect(
    code(
      '/node/article?filter[field_rating][operator]=IN&filter[field_rating][value][]=4&filter[field_rating][value][]=5&sort=-changed,title&include=field_author&page[limit]=10',
    ),
  ).toBe(`await entities('article')
  .where('field_rating', 'IN', [4, 5])
  .sort('-changed', 'title')
  .include('field_author')
  .page({ limit: 10 })
  .all()`);
});

test('groups nest', () => {
  expect(
    code(
      '/node/article?filter[g][group][conjunction]=OR&filter[a][condition][path]=title&filter[a][condition][value]=Ada&filter[a][condition][memberOf]=g&filter[h][group][conjunction]=AND&filter[h][group][memberOf]=g&filter[b][condition][path]=field_author.title&filter[b][condition][operator]=CONTAINS&filter[b][condition][value]=and&filter[b][condition][memberOf]=h&filter[c][condition][path]=field_day&filter[c][condition][operator]=IS NOT NULL&filter[c][condition][memberOf]=h',
    ),
  ).toBe(`await entities('article')
  .where(({ and, or, where }) =>
    or(
      where('title', '=', 'Ada'),
      and(
        where('field_author.title', 'CONTAINS', 'and'),
        where('field_day', 'IS NOT NULL'),
      ),
    ),
  )
  .all()`);
});

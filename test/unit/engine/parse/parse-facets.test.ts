import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../../../integration/core/engine/limits.ts';
import { parseQuery } from '../../../../integration/core/engine/parse/parse-query.ts';
import { BadParameterError } from '../../../../integration/core/util/errors.ts';

const PAGING = { pageSize: { default: 50, max: 50, unlimited: true }, limits: DEFAULT_LIMITS };
const parse = (query: string) => parseQuery(query, 'collection', PAGING);
const DEFAULTS = { limit: 50, min: 1, sort: 'count', operator: 'and' };

describe('facetBy', () => {
  it.each([
    ['', []],
    ['facetBy=a', [{ ...DEFAULTS, path: 'a' }]],
    ['facetBy=b,a.c,b', [{ path: 'b' }, { path: 'a.c' }]],
    ['facetBy[a]', [{ ...DEFAULTS, path: 'a' }]],
    [
      'facetBy[b]=&facetBy[1][limit]=5&facetBy[a.c][min]=2',
      [{ path: 'b' }, { path: '1', limit: 5 }, { path: 'a.c', min: 2 }],
    ],
    ['facetBy[a][sort]=value&facetBy[a][operator]=or', [{ path: 'a', sort: 'value', operator: 'or' }]],
    ['facetBy[a][interval]=month', [{ interval: 'month', sort: 'value' }]],
    ['facetBy[a][ranges]=0,1,2.5', [{ ranges: ['0', '1', '2.5'], sort: 'value' }]],
    ['facetBy[a][ranges]=0&facetBy[a][sort]=count', [{ ranges: ['0'], sort: 'count' }]],
    ['facetBy[a][limit]=5&facetBy[a][limit]=6', [{ limit: 6 }]],
  ])('reads %s', (query, facets) => {
    expect(parse(query).facets).toMatchObject(facets);
    expect(parse(query).facets).toHaveLength(facets.length);
  });

  it.each([
    ['facetBy=', 'facetBy', 'needs a field path'],
    ['facetBy[a]=5', 'facetBy[a]', 'limit, min, sort, operator, interval, ranges'],
    ['facetBy[a][size]=5', 'facetBy[a][size]', 'limit, min, sort, operator, interval, ranges'],
    ['facetBy[a][__proto__]=5', 'facetBy[a][__proto__]', 'Options'],
    ['facetBy[a][limit]=0', 'facetBy[a][limit]', 'at least 1'],
    ['facetBy[a][limit]=', 'facetBy[a][limit]', 'at least 1'],
    ['facetBy[a][limit][]=1', 'facetBy[a][limit]', 'a list'],
    ['facetBy[a][min]=0', 'facetBy[a][min]', 'at least 1'],
    ['facetBy[a][sort]=label', 'facetBy[a][sort]', 'count, value'],
    ['facetBy[a][operator]=OR', 'facetBy[a][operator]', 'and, or'],
    ['facetBy[a][interval]=week', 'facetBy[a][interval]', 'year, month, day'],
    ['facetBy[a][interval]=day&facetBy[a][ranges]=1', 'facetBy[a][ranges]', 'not both'],
    ['facetBy[a..b]=', 'facetBy[a..b]', 'empty part'],
  ])('rejects %s', (query, parameter, detail) => {
    const error = errorOf(query);
    expect(error.source?.parameter).toBe(parameter);
    expect(error.detail).toContain(detail);
  });

  it.each([
    ['facets', DEFAULT_LIMITS.facets, (n: number) => `facetBy=${names(n)}`],
    ['facets', DEFAULT_LIMITS.facets, (n: number) => names(n, (name) => `facetBy[${name}]=`, '&')],
    ['terms', DEFAULT_LIMITS.facetTerms, (n: number) => `facetBy[a][limit]=${n}`],
    ['ranges', DEFAULT_LIMITS.listValues, (n: number) => `facetBy[a][ranges]=${names(n)}`],
  ])('accepts the limit of %s and rejects one more', (_, limit, queryOf) => {
    expect(() => parse(queryOf(limit))).not.toThrow();
    expect(errorOf(queryOf(limit + 1)).detail).toContain(String(limit));
  });

  it('is ignored, and reported, for a single resource', () => {
    expect(parseQuery('facetBy[a][limit]=1', 'individual', PAGING)).toMatchObject({
      facets: [],
      ignored: ['facetBy[a][limit]'],
    });
  });
});

function names(count: number, text = (name: string) => name, separator = ','): string {
  return Array.from({ length: count }, (_, at) => text(`f${at}`)).join(separator);
}

function errorOf(query: string): BadParameterError {
  try {
    parse(query);
  } catch (error) {
    if (error instanceof BadParameterError) return error;
    throw error;
  }
  throw new Error(`${query} was accepted.`);
}

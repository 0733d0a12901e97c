import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS, MAX_BRACKETS, MAX_KEY_LENGTH } from '../../../../integration/core/engine/limits.ts';
import { parseQueryString } from '../../../../integration/core/engine/parse/query-string.ts';
import { BadParameterError } from '../../../../integration/core/util/errors.ts';

const read = (query: string) => parseQueryString(query, DEFAULT_LIMITS);

describe('query string', () => {
  it.each([
    ['', {}],
    ['a=1', { a: ['1'] }],
    ['a', { a: [''] }],
    ['=1', { '': ['1'] }],
    ['&&a=1&', { a: ['1'] }],
    ['a=1&a=2', { a: ['1', '2'] }],
    ['a=b=c', { a: ['b=c'] }],
    ['a[b][c]=1', { a: { b: { c: ['1'] } } }],
    ['a[]=x&a[]=y', { a: { 0: ['x'], 1: ['y'] } }],
    ['a[5]=x&a[]=y', { a: { 5: ['x'], 6: ['y'] } }],
    ['a[b][]=x&a[b][]=y', { a: { b: { 0: ['x'], 1: ['y'] } } }],
    ['a=one+two%20three', { a: ['one two three'] }],
    ['a=%2B%26%3D', { a: ['+&='] }],
    ['na%C3%AFve=%E6%97%A5', { naïve: ['日'] }],
    ['page%5Blimit]=1', { page: { limit: ['1'] } }],
    ['[a]=1', { '[a]': ['1'] }],
  ])('reads %s', (query, tree) => {
    expect(JSON.parse(JSON.stringify(read(query)))).toEqual(tree);
  });

  it('keeps names of the object prototype as plain data', () => {
    const tree = read('__proto__[polluted]=1&constructor=2&a[__proto__]=3');
    expect(Object.getPrototypeOf(tree)).toBeNull();
    expect(Object.keys(tree)).toEqual(['__proto__', 'constructor', 'a']);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it.each([
    ['a=%zz', 'a', /percent-encoded/],
    ['a=%ff', 'a', /percent-encoded/],
    ['%zz=1', '%zz', /percent-encoded/],
    ['a=1&a[b]=2', 'a[b]', /both/],
    ['a[b]=1&a=2', 'a', /both/],
    ['a[b=1', 'a[b', /not balanced/],
    ['a[b]c=1', 'a[b]c', /not balanced/],
    ['a[b[c]]=1', 'a[b[c]]', /not balanced/],
  ])('rejects %s and names %s', (query, parameter, detail) => {
    const error = failure(() => read(query));
    expect(error).toMatchObject({
      reason: 'bad-request',
      source: { parameter },
      detail: expect.stringMatching(detail),
    });
  });

  const depth = (brackets: number): string => `a${'[b]'.repeat(brackets)}=1`;
  const count = (parameters: number): string => 'a=1&'.repeat(parameters);
  const length = (characters: number): string => `${'a'.repeat(characters)}=1`;
  it.each([
    ['parameters', count, DEFAULT_LIMITS.parameters],
    ['brackets of a name', depth, MAX_BRACKETS],
    ['characters of a name', length, MAX_KEY_LENGTH],
  ])('accepts as many %s as the limit and rejects one more', (_, queryOf, limit) => {
    expect(() => read(queryOf(limit))).not.toThrow();
    expect(failure(() => read(queryOf(limit + 1)))).toMatchObject({
      reason: 'bad-request',
      detail: expect.stringContaining(String(limit)),
    });
  });
});

function failure(run: () => unknown): BadParameterError {
  try {
    run();
  } catch (error) {
    if (error instanceof BadParameterError) return error;
    throw error;
  }
  throw new Error('It did not fail.');
}

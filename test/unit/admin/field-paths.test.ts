import { describe, expect, test } from 'vitest';
import {
  documentTypes,
  includeOptions,
  operatorsFor,
  pathOptions,
  pathTarget,
} from '../../../admin/src/screens/explorer/query/field-paths.ts';
import { SCHEMA } from './example-schema.ts';

function paths(typed: string, purpose: 'filter' | 'sort' = 'filter'): readonly string[] {
  return pathOptions(SCHEMA, 'node--article', typed, purpose).map((option) => option.value);
}

describe('path options', () => {
  test('list the fields of the bundle, with a step into references and objects', () => {
    expect(paths('')).toContain('title');
    expect(paths('')).toContain('field_author.');
    expect(paths('')).not.toContain('field_author.title');
  });
  test('contain the last segment in any letter case', () => {
    expect(paths('RAT')).toEqual(['field_rating']);
  });
  test('lead through two references', () => {
    expect(paths('field_author.field_boss.ema')).toEqual(['field_author.field_boss.field_email']);
  });
  test('lead into an object', () => {
    expect(paths('path')).toEqual(['path', 'path.']);
    expect(paths('path.')).toEqual(['path.alias']);
  });
  test('lead into a body, which has no condition as a whole or as HTML', () => {
    expect(paths('body')).toEqual(['body.']);
    expect(paths('body.')).toEqual(['body.value', 'body.format']);
  });
  test('list the fields of all targets of a polymorphic reference without duplicates', () => {
    const found = paths('field_source.');
    expect(found).toContain('field_source.field_email');
    expect(found.filter((path) => path === 'field_source.title')).toHaveLength(1);
  });
  test('accept a list index', () => {
    expect(paths('field_tags.0.tit')).toEqual(['field_tags.0.title']);
  });
  test('leave out values without an order when sorting', () => {
    expect(paths('field_author', 'sort')).toEqual(['field_author.']);
    expect(paths('body', 'sort')).toEqual(['body.']);
  });
  test('are empty for an unknown path', () => {
    expect(paths('nope.')).toEqual([]);
    expect(paths('title.')).toEqual([]);
  });
});

test.each([
  ['title', { kind: 'string', list: false }],
  ['field_numbers', { kind: 'integer', list: true }],
  ['field_numbers.1', { kind: 'integer', list: false }],
  ['field_author', { kind: 'reference', list: false }],
  ['field_author.id', { kind: 'string', list: false }],
  ['path.alias', { kind: 'string', list: false }],
  ['field_author.field_boss.changed', { kind: 'datetime', list: false }],
  ['field_author.nope', undefined],
  ['', undefined],
])('the path %s leads to %j', (path, target) => {
  expect(pathTarget(SCHEMA, 'node--article', path)).toEqual(target);
});

describe('operators', () => {
  test.each([
    ['boolean', ['=', '<>', 'IS NULL', 'IS NOT NULL']],
    ['json', ['IS NULL', 'IS NOT NULL']],
    ['reference', ['IS NULL', 'IS NOT NULL']],
  ] as const)('for a %s', (kind, operators) => {
    expect(operatorsFor(kind)).toEqual(operators);
  });
  test('all apply to text, comparisons apply to numbers', () => {
    expect(operatorsFor('string')).toEqual(SCHEMA.operators);
    expect(operatorsFor('integer')).not.toContain('CONTAINS');
    expect(operatorsFor('integer')).toContain('NOT BETWEEN');
  });
  test('all apply to an unknown path', () => {
    expect(operatorsFor(undefined)).toEqual(SCHEMA.operators);
  });
});

describe('includes', () => {
  test('are offered one reference at a time', () => {
    expect(includeOptions(SCHEMA, 'node--article', '').map((option) => option.path)).toEqual([
      'field_author',
      'field_source',
      'field_tags',
    ]);
    expect(includeOptions(SCHEMA, 'node--article', 'field_author')).toEqual([
      { path: 'field_author.field_boss', name: 'field_boss', targets: ['node--person'] },
    ]);
    expect(includeOptions(SCHEMA, 'node--article', 'field_tags')).toEqual([]);
  });
  test('add their types to the document, including those on the way', () => {
    expect(documentTypes(SCHEMA, 'node--article', ['field_tags', 'field_author.field_boss'])).toEqual([
      'node--article',
      'node--tag',
      'node--person',
    ]);
  });
});

import { describe, expect, test } from 'vitest';
import {
  documentTypes,
  includeOptions,
  operatorsFor,
  pathOptions,
  pathTarget,
} from '../../../integration/explorer/client/field-paths.ts';
import { SCHEMA } from './example-schema.ts';

function paths(typed: string, purpose: 'filter' | 'sort' = 'filter'): readonly string[] {
  return pathOptions(SCHEMA, 'node--article', typed, purpose).map((option) => option.path);
}

describe('path options', () => {
  test("are the type's own fields first, references and objects to be opened", () => {
    expect(paths('')).toContain('title');
    expect(paths('')).toContain('field_author.');
    expect(paths('')).not.toContain('field_author.title');
  });
  test('are kept to what the last part contains, in any case', () => {
    expect(paths('RAT')).toEqual(['field_rating']);
  });
  test('go through a reference, then a second one', () => {
    expect(paths('field_author.field_boss.ema')).toEqual(['field_author.field_boss.field_email']);
  });
  test('open an object', () => {
    expect(paths('path')).toEqual(['path', 'path.']);
    expect(paths('path.')).toEqual(['path.alias']);
  });
  test('open a body, which no condition can compare as a whole or as HTML', () => {
    expect(paths('body')).toEqual(['body.']);
    expect(paths('body.')).toEqual(['body.value', 'body.format']);
  });
  test('of a polymorphic reference are the fields of all its targets, each once', () => {
    const found = paths('field_source.');
    expect(found).toContain('field_source.field_email');
    expect(found.filter((path) => path === 'field_source.title')).toHaveLength(1);
  });
  test('skip a delta', () => {
    expect(paths('field_tags.0.tit')).toEqual(['field_tags.0.title']);
  });
  test('to sort by leave out what has no order, not what leads to one', () => {
    expect(paths('field_author', 'sort')).toEqual(['field_author.']);
    expect(paths('body', 'sort')).toEqual(['body.']);
  });
  test('end where nothing is known', () => {
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
  ] as const)('of a %s', (kind, operators) => {
    expect(operatorsFor(SCHEMA, kind)).toEqual(operators);
  });
  test('of a text are all fifteen, of a number those that compare', () => {
    expect(operatorsFor(SCHEMA, 'string')).toEqual(SCHEMA.operators);
    expect(operatorsFor(SCHEMA, 'integer')).not.toContain('CONTAINS');
    expect(operatorsFor(SCHEMA, 'integer')).toContain('NOT BETWEEN');
  });
  test('of an unknown path are all', () => {
    expect(operatorsFor(SCHEMA, undefined)).toEqual(SCHEMA.operators);
  });
});

describe('includes', () => {
  test('are offered a reference at a time', () => {
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
  test('bring types into the document, those on the way too', () => {
    expect(documentTypes(SCHEMA, 'node--article', ['field_tags', 'field_author.field_boss'])).toEqual([
      'node--article',
      'node--tag',
      'node--person',
    ]);
  });
});

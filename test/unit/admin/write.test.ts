import { describe, expect, test } from 'vitest';
import { type Field, pathTo } from '../../../admin/src/api/schema.ts';
import {
  changeOf,
  dateTimeText,
  fieldIn,
  isSame,
  parseDocument,
  parseValue,
  pointerTo,
  toInput,
  withChange,
  withField,
  withId,
} from '../../../admin/src/model/document.ts';
import { readReference, referenceText } from '../../../admin/src/model/reference.ts';
import { curlCode, fetchCode } from '../../../admin/src/screens/explorer/write/request-code.ts';
import { pathFor, readTarget } from '../../../admin/src/screens/explorer/write/target.ts';
import { SCHEMA } from './example-schema.ts';

function field(name: string): Field {
  const match = SCHEMA.types[0]?.fields.find((each) => each.name === name);
  if (match === undefined) throw new Error(`The example has no ${name}.`);
  return match;
}
const BODY = { value: 'Text.', format: 'markdown', processed: '<p>Text.</p>', summary: null };

describe('the target of a change', () => {
  test.each([
    ['POST', '/node/article', { id: '', hasForm: true }],
    ['PATCH', '/node/article/deep/a%20b', { id: 'deep/a b', hasForm: true }],
    ['DELETE', '/node/article/moon?include=x', { id: 'moon', hasForm: true }],
    ['PATCH', '/node/article', { id: '', hasForm: true }],
    ['POST', '/node/article/moon/relationships/field_tags', { hasForm: false }],
    ['DELETE', '/node/article/moon/relationships/field_tags', { hasForm: false }],
    ['PATCH', '/node/article/%zz', { id: '%zz', hasForm: true }],
  ] as const)('%s %s', (method, path, target) => {
    expect(readTarget(SCHEMA, method, path)).toMatchObject({
      ...target,
      method,
      path,
      bundle: { bundle: 'article' },
    });
  });
  test.each(['/', '/node', '/node/nothing', '/menu_items/main'])('%s has no target', (path) => {
    expect(readTarget(SCHEMA, 'POST', path)).toBeUndefined();
  });
  test.each([
    ['POST', '/node/person/jane?include=field_boss', '/node/person'],
    ['PATCH', '/node/person/jane?include=field_boss', '/node/person/jane'],
    ['DELETE', '/node/person?sort=title', '/node/person'],
    ['PATCH', '/nothing', '/node/article'],
    ['GET', '/node/person?sort=title', '/node/person?sort=title'],
    ['DELETE', '/node/article/moon/relationships/field_tags', '/node/article/moon/relationships/field_tags'],
  ] as const)('%s for %s uses the path %s', (method, path, expected) => {
    expect(pathFor(SCHEMA, method, path)).toBe(expected);
  });
  test('slashes of an id are kept, other special characters are encoded', () => {
    expect(pathTo({ entityType: 'node', bundle: 'article' }, 'deep/what?#/ä')).toBe(
      '/node/article/deep/what%3F%23/%C3%A4',
    );
  });
});

describe('the document', () => {
  const empty = { data: { type: 'node--article' } };

  test('has attributes before relationships, and only fields with a value', () => {
    const tagged = withField(empty, field('field_tags'), [{ type: 'node--tag', id: 'sky' }]);
    const named = withField(tagged, field('title'), 'Moon');
    expect(JSON.stringify(withId(named, 'moon'))).toBe(
      '{"data":{"type":"node--article","id":"moon","attributes":{"title":"Moon"},"relationships":{"field_tags":{"data":[{"type":"node--tag","id":"sky"}]}}}}',
    );
    expect(withField(withField(named, field('title'), undefined), field('field_tags'), undefined)).toEqual(
      empty,
    );
    expect(withId(withId(named, 'moon'), '')).toEqual(named);
  });
  test('keeps members that the form does not have', () => {
    const written = {
      meta: { a: 1 },
      data: {
        type: 'node--article',
        meta: { b: 2 },
        relationships: { field_author: { data: null, meta: { c: 3 } } },
      },
    };
    const changed = withField(written, field('field_author'), { type: 'node--person', id: 'ada' });
    expect(changed).toEqual({
      meta: { a: 1 },
      data: {
        type: 'node--article',
        meta: { b: 2 },
        relationships: { field_author: { data: { type: 'node--person', id: 'ada' }, meta: { c: 3 } } },
      },
    });
    expect(fieldIn(changed.data, field('field_author'))).toEqual({ type: 'node--person', id: 'ada' });
  });
  test.each([
    [null, undefined],
    [{ data: [] }, undefined],
    [{ data: { attributes: null, relationships: [] } }, undefined],
    [{ data: { attributes: { title: null } } }, null],
  ])('of any shape may have a value: %j', (document, value) => {
    expect(fieldIn(Object(document).data, field('title'))).toBe(value);
  });
  test('written by hand is parsed, or the problem is reported', () => {
    expect(parseDocument('{"data":1}')).toEqual({ document: { data: 1 } });
    expect(parseDocument('[1]')).toEqual({ problem: 'A document must be an object with a `data` member.' });
    expect(parseDocument('{')).toEqual({ problem: expect.stringMatching(/^Invalid JSON: /) });
  });
});

describe('values of inputs', () => {
  test.each([
    ['field_tags', [{ type: 'node--tag', id: 'sky', meta: { x: 1 } }], [{ type: 'node--tag', id: 'sky' }]],
    ['field_tags', undefined, []],
    ['field_numbers', 4, [4]],
    ['title', ['Moon'], 'Moon'],
    ['body', BODY, { value: 'Text.', summary: null }],
    ['body', 'Text.', { value: 'Text.', summary: null }],
    ['body', null, null],
  ])('%s: %j', (name, value, expected) => {
    expect(toInput(field(name), value)).toEqual(expected);
  });
  test.each([
    ['title', 'Moon', 'Moon', undefined],
    ['title', 'Moon', null, null],
    ['title', null, 'Moon', 'Moon'],
    ['field_tags', [{ type: 'node--tag', id: 'sky' }], [], []],
    ['field_numbers', [1, 2], [2, 1], [2, 1]],
    ['body', { value: 'a', summary: 'b' }, { value: 'a', summary: null }, { summary: null }],
    ['body', null, { value: 'a', summary: null }, { value: 'a' }],
  ])('%s from %j to %j sends %j', (name, stored, wanted, sent) => {
    expect(changeOf(field(name), stored, wanted)).toEqual(sent);
  });
  test('show the change in place of the stored value', () => {
    expect(withChange(field('body'), { value: 'a', summary: 'b' }, { value: 'c' })).toEqual({
      value: 'c',
      summary: 'b',
    });
    expect(withChange(field('body'), null, 'c')).toEqual({ value: 'c', summary: null });
    expect(withChange(field('field_tags'), [{ type: 'node--tag', id: 'a' }], [])).toEqual([]);
    expect(withChange(field('title'), 'a', undefined)).toBe('a');
  });
  test.each([
    ['4', 'integer', 4],
    ['-0.5', 'number', -0.5],
    ['many', 'integer', 'many'],
    ['1e999', 'number', '1e999'],
    ['9.10', 'decimal', '9.10'],
    ['true', 'boolean', true],
    ['4', 'string', '4'],
    ['{"a":1}', 'json', { a: 1 }],
    ['{', 'json', '{'],
    ['', 'string', null],
  ] as const)('%j as %s', (text, kind, value) => {
    expect(parseValue(text, kind)).toEqual(value);
  });
  test('a date-time has the offset of the time zone', () => {
    const text = dateTimeText(new Date('2024-01-31T17:00:00.123Z'));
    expect(text).toMatch(/^2024-0[12]-\d\dT\d\d:\d\d:00(?:Z|[+-]\d\d:\d\d)$/);
    expect(new Date(text).toISOString()).toBe('2024-01-31T17:00:00.000Z');
  });
  test.each([
    [{ a: 1, b: [1, { c: 2 }] }, { b: [1, { c: 2 }], a: 1 }, true],
    [[1, 2], [2, 1], false],
    [{ a: 1 }, { a: 1, b: 2 }, false],
    [null, {}, false],
    [[], {}, false],
  ])('%j and %j are the same: %s', (one, other, same) => {
    expect([isSame(one, other), isSame(other, one)]).toEqual([same, same]);
  });
});

test('code of a request escapes quotes for a shell and for a script', () => {
  const body = '{"data":{"type":"node--article","attributes":{"title":"The moon\'s \\"light\\""}}}';
  const request = {
    method: 'POST',
    url: "https://site.example/jsonapi/node/article?x='",
    headers: { 'If-Match': '"1"' },
    body,
    account: "o'hara",
  };
  expect(curlCode(request)).toBe(
    `curl -X POST 'https://site.example/jsonapi/node/article?x='\\''' \\\n  -u 'o'\\''hara' \\\n  -H 'If-Match: "1"' \\\n  -d '${body.replaceAll("'", "'\\''")}'`,
  );
  const sent: unknown[] = [];
  const script = fetchCode(request).replace('await fetch', 'fetch');
  new Function('fetch', script)((...given: unknown[]) => sent.push(...given));
  expect(sent[0]).toBe("https://site.example/jsonapi/node/article?x='");
  expect(sent[1]).toMatchObject({ method: 'POST', headers: { 'If-Match': '"1"' } });
  expect(JSON.parse(String(Object(sent[1]).body))).toEqual(JSON.parse(body));
});

test.each([
  ['title', '/data/attributes/title'],
  ['field_tags', '/data/relationships/field_tags'],
])('the pointer to %s is %s', (name, pointer) => {
  expect(pointerTo(field(name))).toBe(pointer);
});

test.each([
  ['ada', ['node--person'], { type: 'node--person', id: 'ada' }],
  ['node--tag/red', ['node--person', 'node--tag'], { type: 'node--tag', id: 'red' }],
])('the reference %s is read and written', (text, targets, value) => {
  expect(readReference(text, targets, SCHEMA)).toEqual(value);
  expect(referenceText(value, targets)).toBe(text);
});
test.each([
  ['', ['node--tag'], null],
  ['tag/red', ['node--person', 'node--tag'], { type: 'node--tag', id: 'red' }],
  ['deep/third', ['node--person'], { type: 'node--person', id: 'deep/third' }],
])('the reference %j is read as %j', (text, targets, value) => {
  expect(readReference(text, targets, SCHEMA)).toEqual(value);
});

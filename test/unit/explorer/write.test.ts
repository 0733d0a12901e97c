import { describe, expect, test } from 'vitest';
import type { ExplorerField } from '../../../integration/explorer/client/schema.ts';
import { createDrafts } from '../../../integration/explorer/client/write/drafts.ts';
import {
  changeOf,
  formValue,
  momentText,
  readValue,
  wantedValue,
} from '../../../integration/explorer/client/write/field-value.ts';
import { readJob } from '../../../integration/explorer/client/write/job.ts';
import { requestCode } from '../../../integration/explorer/client/write/request-code.ts';
import {
  isSame,
  readWritten,
  saidOf,
  withField,
  withId,
} from '../../../integration/explorer/client/write/write-document.ts';
import { pathFor, pathTo, readTarget } from '../../../integration/explorer/client/write/write-target.ts';
import { SCHEMA } from './example-schema.ts';

function field(name: string): ExplorerField {
  const found = SCHEMA.types[0]?.fields.find((known) => known.name === name);
  if (found === undefined) throw new Error(`The example has no ${name}.`);
  return found;
}
const BODY = { value: 'Text.', format: 'markdown', processed: '<p>Text.</p>', summary: null };

describe('what is written to', () => {
  test.each([
    ['POST', '/node/article', { id: '', formed: true }],
    ['PATCH', '/node/article/deep/a%20b', { id: 'deep/a b', formed: true }],
    ['DELETE', '/node/article/moon?include=x', { id: 'moon', formed: true }],
    ['PATCH', '/node/article', { id: '', formed: true }],
    ['POST', '/node/article/moon/relationships/field_tags', { formed: false }],
    ['DELETE', '/node/article/moon/relationships/field_tags', { formed: false }],
    ['PATCH', '/node/article/%zz', { id: '%zz', formed: true }],
  ] as const)('%s %s', (method, path, target) => {
    expect(readTarget(SCHEMA, method, path)).toMatchObject({
      ...target,
      method,
      path,
      type: { bundle: 'article' },
    });
  });
  test.each(['/', '/node', '/node/nothing', '/menu_items/main'])('%s is nothing to write to', (path) => {
    expect(readTarget(SCHEMA, 'POST', path)).toBeUndefined();
  });
  test.each([
    ['POST', '/node/person/jane?include=field_boss', '/node/person'],
    ['PATCH', '/node/person/jane?include=field_boss', '/node/person/jane'],
    ['DELETE', '/node/person?sort=title', '/node/person'],
    ['PATCH', '/nothing', '/node/article'],
    ['GET', '/node/person?sort=title', '/node/person?sort=title'],
    ['DELETE', '/node/article/moon/relationships/field_tags', '/node/article/moon/relationships/field_tags'],
  ] as const)('%s has another address for %s: %s', (method, path, expected) => {
    expect(pathFor(SCHEMA, method, path)).toBe(expected);
  });
  test('an id keeps its slashes, and nothing else that an address gives a meaning to', () => {
    expect(pathTo({ entityType: 'node', bundle: 'article' }, 'deep/what?#/ä')).toBe(
      '/node/article/deep/what%3F%23/%C3%A4',
    );
  });
});

describe('the document', () => {
  const empty = { data: { type: 'node--article' } };

  test('has attributes before relationships, and only what it says something of', () => {
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
  test('keeps what no form has', () => {
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
    expect(saidOf(changed, field('field_author'))).toEqual({ type: 'node--person', id: 'ada' });
  });
  test.each([
    [null, undefined],
    [{ data: [] }, undefined],
    [{ data: { attributes: null, relationships: [] } }, undefined],
    [{ data: { attributes: { title: null } } }, null],
  ])('of any shape says something or nothing: %j', (document, said) => {
    expect(saidOf(document, field('title'))).toBe(said);
  });
  test('written by hand, it is a document or it is said why not', () => {
    expect(readWritten('{"data":1}')).toEqual({ document: { data: 1 } });
    expect(readWritten('[1]')).toEqual({ problem: 'A document is an object with `data`.' });
    expect(readWritten('{')).toEqual({ problem: expect.stringMatching(/^This is no JSON: /) });
  });
});

describe('values of a form', () => {
  test.each([
    ['field_tags', [{ type: 'node--tag', id: 'sky', meta: { x: 1 } }], [{ type: 'node--tag', id: 'sky' }]],
    ['field_tags', undefined, []],
    ['field_numbers', 4, [4]],
    ['title', ['Moon'], 'Moon'],
    ['body', BODY, { value: 'Text.', summary: null }],
    ['body', 'Text.', { value: 'Text.', summary: null }],
    ['body', null, null],
  ])('%s: %j', (name, value, expected) => {
    expect(formValue(field(name), value)).toEqual(expected);
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
  test('show what is to be sent in place of what is stored', () => {
    expect(wantedValue(field('body'), { value: 'a', summary: 'b' }, { value: 'c' })).toEqual({
      value: 'c',
      summary: 'b',
    });
    expect(wantedValue(field('body'), null, 'c')).toEqual({ value: 'c', summary: null });
    expect(wantedValue(field('field_tags'), [{ type: 'node--tag', id: 'a' }], [])).toEqual([]);
    expect(wantedValue(field('title'), 'a', undefined)).toBe('a');
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
    expect(readValue(text, kind)).toEqual(value);
  });
  test('a moment is written with the offset of the clock', () => {
    const text = momentText(new Date('2024-01-31T17:00:00.123Z'));
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

test('drafts are kept by what they are of, and forgotten once they are as they began', () => {
  const drafts = createDrafts();
  const target = (path: string) => {
    const found = readTarget(SCHEMA, 'POST', path);
    if (found === undefined) throw new Error(path);
    return found;
  };
  const fresh = { kind: 'new', writable: new Set<string>() } as const;
  drafts.open(target('/node/article'), fresh);
  expect([drafts.any(), drafts.document()]).toEqual([false, { data: { type: 'node--article' } }]);
  drafts.change(withField(drafts.document(), field('title'), 'Moon'));
  drafts.open(target('/node/person'), fresh);
  drafts.write('{"data":');
  expect([drafts.problem() === '', drafts.document()]).toEqual([false, { data: { type: 'node--person' } }]);
  drafts.open(target('/node/article'), fresh);
  expect([drafts.problem(), saidOf(drafts.document(), field('title'))]).toEqual(['', 'Moon']);
  drafts.change(withField(drafts.document(), field('title'), undefined));
  expect(drafts.any()).toBe(true);
  drafts.forget(target('/node/person'));
  expect(drafts.any()).toBe(false);
});

test('code of a request survives quotes, in a shell and in a script', () => {
  const body = '{"data":{"type":"node--article","attributes":{"title":"The moon\'s \\"light\\""}}}';
  const [curl, fetch] = requestCode({
    method: 'POST',
    url: "https://site.example/jsonapi/node/article?x='",
    headers: { 'If-Match': '"1"' },
    body,
    account: "o'hara",
  });
  expect(curl?.code).toBe(
    `curl -X POST 'https://site.example/jsonapi/node/article?x='\\''' \\\n  -u 'o'\\''hara' \\\n  -H 'If-Match: "1"' \\\n  -d '${body.replaceAll("'", "'\\''")}'`,
  );
  const sent: unknown[] = [];
  const script = fetch?.code.replace('await fetch', 'fetch') ?? '';
  new Function('fetch', script)((...given: unknown[]) => sent.push(...given));
  expect(sent[0]).toBe("https://site.example/jsonapi/node/article?x='");
  expect(sent[1]).toMatchObject({ method: 'POST', headers: { 'If-Match': '"1"' } });
  expect(JSON.parse(String(Object(sent[1]).body))).toEqual(JSON.parse(body));
});

describe('a job', () => {
  const self = 'https://site.example/jsonapi/_jobs/7';

  test.each([
    [
      'in an answer',
      { data: null, meta: { job: { id: '7', status: 'pending', links: { self: { href: self } } } } },
    ],
    ['in an answer with plain links', { meta: { job: { status: 'pending', links: { self } } } }],
    ['by its address alone', { meta: { job: { state: 'pending', href: self } } }],
    [
      'of its own',
      { data: { type: 'job', id: '7', attributes: { status: 'pending' }, links: { self: { href: self } } } },
    ],
  ])('is found %s', (_, document) => {
    expect(readJob(document)).toEqual({ state: 'pending', href: self, details: [] });
  });
  test('tells its commit and what went wrong', () => {
    const attributes = { status: 'failed', created: 'x', commit: null, detail: 'No room.', branch: 'main' };
    expect(readJob({ data: { type: 'job', id: '7', attributes } })?.details).toEqual([
      ['detail', 'No room.'],
      ['branch', 'main'],
    ]);
  });
  test.each([null, {}, { meta: {} }, { data: { type: 'node--article' } }])('is not in %j', (document) => {
    expect(readJob(document)).toBeUndefined();
  });
});

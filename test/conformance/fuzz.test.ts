import fc from 'fast-check';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { OPERATORS } from '../../integration/core/engine/ast.ts';
import type { Handler } from '../../integration/core/server/handler.ts';
import { runs } from '../oracle/runs.ts';
import { type Compare, createCompare } from '../snapshot/compare.ts';
import { createHandler } from '../support/handler.ts';
import { expectJsonApi } from '../support/json-schema.ts';
import { loadRecordedContent, readCases } from './load.ts';

const ORIGIN = 'https://site.example';
const RUNS = 600;

let handle: Handler;
let compare: Compare;
beforeAll(async () => {
  const services = await loadRecordedContent();
  handle = createHandler({ ...services, settings: { ...services.settings, explorer: true } });
  compare = await createCompare(services);
});

describe('any request', () => {
  const recorded = [...new Set(readCases().map(({ path }) => path))];

  it('with a well-formed query gets a response or an error with its parameter', () =>
    survives(fc.tuple(fc.constantFrom(...COLLECTIONS), queryString()).map(([path, query]) => path + query)));

  it('that is a mutation of a recorded one gets one too', () =>
    survives(
      fc
        .tuple(fc.constantFrom(...recorded), fc.array(damage(), { minLength: 1, maxLength: 4 }))
        .map(([path, damages]) => damages.reduce((text, hurt) => `/${hurt(text.slice(1))}`, path)),
    ));

  it('with arbitrary bytes in path or query gets one too', () =>
    survives(
      fc
        .tuple(fc.constantFrom(...PREFIXES), fc.array(oddText(), { maxLength: 12 }), fc.boolean())
        .map(([prefix, parts, query]) => `${prefix}${query ? '?' : '/'}${parts.join('')}`),
    ));

  it('for an explanation of a query gets one too', () =>
    survives(
      fc
        .tuple(fc.constantFrom('/node/article', '/jsonapi/node/person', ''), queryString())
        .map(([path, query]) => `/jsonapi-explorer/explain.json?url=${encodeURIComponent(path + query)}`),
    ));

  it('with any Accept header gets one too', () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...PREFIXES),
        fc.array(fc.constantFrom(...ACCEPT_PARTS), { maxLength: 40 }).map((parts) => parts.join('').trim()),
        (path, accept) => check(path, { accept }),
      ),
      runs(RUNS / 3),
    ));
});

async function survives(paths: fc.Arbitrary<string>): Promise<void> {
  await fc.assert(
    fc.asyncProperty(paths, fc.constantFrom('GET', 'GET', 'GET', 'HEAD', 'OPTIONS'), (path, method) =>
      check(path, { method }),
    ),
    runs(RUNS),
  );
}

/** Checks the response of a server, and that a snapshot gives the same. */
async function check(target: string, init: { method?: string; accept?: string }): Promise<void> {
  await checkServed(target, { method: init.method ?? 'GET', headers: { accept: init.accept ?? '*/*' } });
  expect(await compare({ target, ...init })).toBeOneOf([null, undefined]);
}

async function checkServed(path: string, init: RequestInit): Promise<void> {
  const log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const before = process.threadCpuUsage();
  const request = new Request(ORIGIN + path, init);
  const response = await handle(request);
  if (response === undefined) return;
  expect(log).not.toHaveBeenCalled();
  expect(response.status).toBeLessThan(500);
  const contentType = response.headers.get('content-type');
  expect(contentType).toMatch(/^application\/(vnd\.api\+json|schema\+json|json)$/);
  const text = await response.text();
  expect(process.threadCpuUsage(before).user).toBeLessThan(1e6);
  if (init.method === 'HEAD') {
    expect(text).toBe('');
    return;
  }
  const document = JSON.parse(text);
  if (contentType === 'application/vnd.api+json') expectJsonApi(document, path);
  if (response.status === 200) return;
  const plain = new URL(request.url).pathname.toLowerCase().includes('/api/content');
  const [error] = plain ? [document.error] : document.errors;
  expect(error.status).toBe(plain ? response.status : String(response.status));
  expect(error.title).toMatch(/./);
  expect(error.detail).toMatch(/[.)]$/);
  expect(error.detail).not.toMatch(/\n\s+at |\.[jt]s:\d|node_modules|\[object/);
  if (response.status === 400) expect(error.source?.parameter).toBeTypeOf('string');
  if (response.status === 406) expect(error.source).toBeTypeOf('object');
}

const COLLECTIONS = [
  '/jsonapi/node/article',
  '/jsonapi/node/person',
  '/jsonapi/node/article/a0000000-0000-4000-8000-000000000001',
  '/jsonapi/node/article/a0000000-0000-4000-8000-000000000050/field_related',
  '/jsonapi/node/article/a0000000-0000-4000-8000-000000000003/relationships/field_tags',
  '/api/content/articles',
  '/v1/api/content/tag',
];
const PREFIXES = [
  ...COLLECTIONS,
  '/jsonapi',
  '/jsonapi/node',
  '/jsonapi/node/article/resource/schema',
  '/jsonapi/openapi.json',
  '/api/content',
  '/jsonapi-explorer/schema.json',
];

const ODD = [
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'toString',
  'undefined',
  'null',
  'NaN',
  '-1',
  '1e999',
  '999999999999999999999',
  '%00',
  '%C3',
  '%ED%A0%80',
  '%F0%9F%92%A9',
  'e%CC%81',
  '%EF%BF%BF',
  '%25',
  '%',
  '+',
  '%2F..%2F',
  '\\',
  '"',
  '%5B',
  ']]',
  '[[',
  '[]',
  '&&',
  '==',
  '#',
  ';',
  'a'.repeat(300),
  'x.'.repeat(20),
] as const;
const FIELDS = [
  'title',
  'id',
  'status',
  'uid',
  'created',
  'path.alias',
  'body',
  'body.value',
  'body.processed',
  'field_author',
  'field_author.title',
  'field_author.field_boss.title',
  'field_author.entity.id',
  'field_tags.0.title',
  'field_tags.id',
  'field_related.field_tags.title',
  'field_list',
  'field_words.1',
  'field_day',
  'field_date',
  'field_rating',
  'field_price',
  'field_score',
  'field_featured',
  '@published',
] as const;
const VALUES = ['', 'Ada', '3', '03.0', '9.26', '2024-01-07', '2024-01-07T12:00:00+01:00', 'true', 'a,b\\,c'];
const LABELS = ['a', 'b', '0', '7', 'title', '', ...ODD.slice(0, 4)] as const;
const ACCEPT_PARTS = [
  'application/vnd.api+json',
  'application/json',
  '*/*',
  'text/html',
  ';',
  ',',
  '=',
  '"',
  'q=0',
  'ext',
  'profile',
  ' ',
  '\\',
  'é',
];

function queryString(): fc.Arbitrary<string> {
  const field = mostly(FIELDS, ['nope', '@published', ...ODD]);
  const value = mostly(VALUES, ODD);
  const label = fc.constantFrom(...LABELS);
  const operator = fc.constantFrom(...OPERATORS.map(encodeURIComponent), 'LIKE', '');
  const pair = fc.oneof(
    fc.tuple(field, value).map(([f, v]) => `filter[${f}]=${v}`),
    fc
      .tuple(field, operator, value)
      .map(([f, o, v]) => `filter[${f}][operator]=${o}&filter[${f}][value]=${v}`),
    fc
      .tuple(field, fc.constantFrom('IN', 'NOT%20IN', 'BETWEEN', '='), fc.array(value, { maxLength: 4 }))
      .map(([f, o, all]) =>
        [`filter[${f}][operator]=${o}`, ...all.map((v) => `filter[${f}][value][]=${v}`)].join('&'),
      ),
    fc
      .tuple(label, field, operator, value, label)
      .map(
        ([l, f, o, v, g]) =>
          `filter[${l}][condition][path]=${f}&filter[${l}][condition][operator]=${o}&filter[${l}][condition][value]=${v}&filter[${l}][condition][memberOf]=${g}`,
      ),
    fc
      .tuple(label, field)
      .map(([l, f]) => `filter[${l}][condition][path]=${f}&filter[${l}][condition][operator]=IS%20NULL`),
    fc
      .tuple(label, fc.constantFrom('AND', 'OR', 'or', ''), label)
      .map(([l, c, g]) => `filter[${l}][group][conjunction]=${c}&filter[${l}][group][memberOf]=${g}`),
    fc
      .array(field, { maxLength: 4 })
      .map((all) => `sort=${all.map((f, i) => (i % 2 ? `-${f}` : f)).join(',')}`),
    fc.tuple(label, field, value).map(([l, f, v]) => `sort[${l}][path]=${f}&sort[${l}][direction]=${v}`),
    fc
      .tuple(fc.constantFrom('offset', 'limit', 'number', ...LABELS), value)
      .map(([k, v]) => `page[${k}]=${v}`),
    fc.array(field, { maxLength: 3 }).map((all) => `include=${all.join(',')}`),
    fc
      .tuple(fc.constantFrom('node--article', 'node--person', ...LABELS), field)
      .map(([t, f]) => `fields[${t}]=${f}`),
    fc
      .tuple(
        fc.constantFrom(
          'page',
          'limit',
          'pageSize',
          'sort',
          'sort_by',
          'order',
          'fields',
          'filter',
          '_format',
          'resourceVersion',
          'fooBar',
        ),
        value,
      )
      .map(([k, v]) => `${k}=${v}`),
    fc.tuple(field, field, value).map(([a, b, v]) => `${a}[${b}]=${v}`),
  );
  return fc.array(pair, { maxLength: 6 }).map((pairs) => `?${pairs.join('&')}`);
}

function mostly(good: readonly string[], bad: readonly string[]): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...good) },
    { weight: 1, arbitrary: fc.constantFrom(...bad) },
  );
}

function oddText(): fc.Arbitrary<string> {
  return fc.oneof(
    fc.constantFrom(
      ...ODD,
      ...FIELDS.slice(0, 6),
      '/',
      '?',
      '&',
      '=',
      '[',
      ']',
      '.',
      ',',
      'filter',
      'page[limit]',
    ),
    fc
      .uint8Array({ maxLength: 6 })
      .map((bytes) => [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')),
    fc.string({ unit: 'binary', maxLength: 6 }),
  );
}

/** One mutation of a text. */
function damage(): fc.Arbitrary<(text: string) => string> {
  const at = fc.double({ min: 0, max: 1, noNaN: true });
  const cut = (text: string, share: number): number => Math.floor(share * text.length);
  return fc.oneof(
    fc.tuple(at, oddText()).map(
      ([share, odd]) =>
        (text: string) =>
          text.slice(0, cut(text, share)) + odd + text.slice(cut(text, share)),
    ),
    fc.tuple(at, fc.integer({ min: 1, max: 8 })).map(
      ([share, length]) =>
        (text: string) =>
          text.slice(0, cut(text, share)) + text.slice(cut(text, share) + length),
    ),
    fc.tuple(at, at).map(
      ([a, b]) =>
        (text: string) =>
          text + text.slice(Math.min(cut(text, a), cut(text, b)), Math.max(cut(text, a), cut(text, b))),
    ),
    fc.tuple(fc.constantFrom(...FIELDS), fc.constantFrom(...FIELDS)).map(
      ([a, b]) =>
        (text: string) =>
          text.replaceAll(a, b),
    ),
    fc.constant((text: string) => text.toUpperCase()),
  );
}

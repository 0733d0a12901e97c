import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMINISTRATOR, ANONYMOUS } from '../../integration/core/access/actor.ts';
import type { Handler } from '../../integration/core/server/handler.ts';
import { defineSchema, reference, z } from '../../integration/schema.ts';
import { createGitSite } from '../support/git-site.ts';
import { createHandler } from '../support/handler.ts';
import { jsonApiProblems } from '../support/jsonapi-schema.ts';
import { createMemoryDriver } from '../support/memory-driver.ts';
import { fetchFrom, ORIGIN } from '../support/request.ts';
import { createServices } from '../support/services.ts';

/** The statements of JSON:API 1.1. An id can have several statements, which one test proves together. */
const STATEMENTS: readonly { readonly id: string; readonly description: string }[] = JSON.parse(
  readFileSync(new URL('data/normative-statements.json', import.meta.url), 'utf8'),
);

const MEDIA_TYPE = 'application/vnd.api+json';
const ARTICLES = '/jsonapi/node/article';
const MOON = `${ARTICLES}/moon`;
const TAGS = `${MOON}/relationships/field_tags`;
const AUTHOR = `${MOON}/relationships/field_author`;
const SCHEMA = defineSchema({
  article: {
    field_author: reference('person').nullish(),
    field_tags: z.array(reference('tag')).default([]),
    field_rating: z.number().int().nullish(),
    field_links: z.array(z.object({ title: z.string(), weight: z.number().nullish() })).default([]),
  },
  person: { field_boss: reference('person').nullish() },
  tag: {},
});
const FILES = {
  'article/moon.md':
    '---\ntitle: Moon\nfield_author: bob\nfield_tags: [sky, sea]\nfield_rating: 2\nfield_links: [{ title: x }]\n---\nText\n',
  'article/sun.md': '---\ntitle: Sun\nfield_author: ann\nfield_tags: [sky]\nfield_rating: 2\n---\n',
  'article/empty.md': '---\ntitle: Empty\nfield_author: null\nfield_tags: []\nfield_rating: 1\n---\n',
  'article/draft.md': '---\ntitle: Draft\nstatus: false\n---\n',
  'person/ann.md': '---\ntitle: Ann\n---\n',
  'person/bob.md': '---\ntitle: Bob\nfield_boss: ann\n---\n',
  'tag/sky.md': '---\ntitle: Sky\n---\n',
  'tag/sea.md': '---\ntitle: Sea\n---\n',
};

// biome-ignore lint/suspicious/noExplicitAny: tests state the shape of each document.
type Json = any;

interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly document: Json;
}

interface Site {
  readonly handle: Handler;
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answered>;
  get(path: string, headers?: Record<string, string>): Promise<Answered>;
}

async function open(files: Readonly<Record<string, string>> = FILES): Promise<Site> {
  const writable = { options: { requireIfMatch: false, onDelete: 'set-null' } } as const;
  const handle = createHandler(await createServices(createMemoryDriver(files), SCHEMA, { writable }));
  const ask: Site['ask'] = async (method, path, body, headers = {}) => {
    const response = await fetchFrom(handle, path.replace(ORIGIN, ''), {
      method,
      headers: { ...(body !== undefined && { 'content-type': MEDIA_TYPE }), ...headers },
      ...(body !== undefined && { body }),
      actor: method === 'GET' || method === 'HEAD' ? ANONYMOUS : ADMINISTRATOR,
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      document: text === '' ? null : JSON.parse(text),
    };
  };
  return { handle, ask, get: (path, headers) => ask('GET', path, undefined, headers) };
}

const article = (attributes: object, more: object = {}) => ({
  data: { type: 'node--article', attributes, ...more },
});
const patched = (members: object) => ({ data: { type: 'node--article', id: 'moon', ...members } });
const tag = (id: string) => ({ type: 'node--tag', id });
const person = (id: string) => ({ type: 'node--person', id });
const idsOf = ({ document }: Answered): string[] => document.data.map(({ id }: Json) => id);

/** Documents of every kind, and all that their links lead to. */
interface Crawled extends Answered {
  readonly path: string;
}
let site: Site;
let crawled: readonly Crawled[];

beforeAll(async () => {
  site = await open();
  const seen = new Map<string, Crawled>();
  const queue = [
    '/jsonapi',
    ARTICLES,
    `${ARTICLES}?include=field_author.field_boss,field_tags`,
    `${ARTICLES}?page[limit]=1&page[offset]=1`,
    `${ARTICLES}?page[number]=2&page[size]=1`,
    `${ARTICLES}?fields[node--article]=title`,
    `${ARTICLES}/nothing`,
    `${ARTICLES}?filter[nothing]=1`,
    `${ARTICLES}?sort=nothing&include=nothing`,
  ];
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    if (seen.has(path)) continue;
    const answered = await site.get(path);
    seen.set(path, { path, ...answered });
    for (const [name, link] of linksIn(answered.document)) {
      if (name !== 'describedby' && link.startsWith(ORIGIN)) queue.push(link.slice(ORIGIN.length));
    }
  }
  crawled = [...seen.values()];
});

/** All links in a document, with their names. */
function linksIn(value: Json): [name: string, href: string][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]: [string, Json]) =>
    name === 'links'
      ? Object.entries(member).flatMap(([key, link]: [string, Json]): [string, string][] =>
          typeof link?.href === 'string' ? [[key, link.href]] : [],
        )
      : name === 'attributes'
        ? []
        : linksIn(member),
  );
}

const successful = () => crawled.filter(({ status }) => status === 200);
const failed = () => crawled.filter(({ status }) => status >= 400);
const resourcesIn = ({ document }: Answered): Json[] =>
  [document.data ?? [], document.included ?? []]
    .flat()
    .filter((each: Json) => each?.links !== undefined || each?.attributes !== undefined);
const resources = () => successful().flatMap(resourcesIn);
const relationships = (): [Json, string, Json][] =>
  resources().flatMap((resource) =>
    Object.entries(resource.relationships ?? {}).map(([name, each]): [Json, string, Json] => [
      resource,
      name,
      each,
    ]),
  );
const identifiers = () =>
  relationships()
    .flatMap(([, , { data }]) => [data].flat())
    .filter(isObject);

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** All objects in documents that JSON:API defines, with the path to each. Values of attributes are those of the content. */
function membersIn(
  value: Json,
  at: readonly string[] = [],
): [name: string, value: Json, at: readonly string[]][] {
  if (Array.isArray(value)) return value.flatMap((item) => membersIn(item, at));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => [
    [name, member, at] as [string, Json, readonly string[]],
    ...membersIn(member, [...at, name]),
  ]);
}
const members = () => crawled.flatMap(({ document }) => membersIn(document));
const namesOf = () => members().map(([name]) => name);

type Check = () => void | Promise<void>;

/** One check for each group of statements that it proves. */
const CHECKS: readonly (readonly [ids: string, check: Check])[] = [
  [
    'response-content-type',
    async () => {
      for (const { headers } of crawled) expect(headers.get('content-type')).toBe(MEDIA_TYPE);
      const { headers } = await (await open()).ask('POST', ARTICLES, article({ title: 'New' }));
      expect(headers.get('content-type')).toBe(MEDIA_TYPE);
    },
  ],
  [
    'response-unsupported-media-type',
    async () => {
      for (const parameter of ['charset=utf-8', 'ext="https://example.com/none"', 'x=1']) {
        const headers = { 'content-type': `${MEDIA_TYPE}; ${parameter}` };
        const refused = await site.ask('POST', ARTICLES, JSON.stringify(article({ title: 'x' })), headers);
        expect(refused.status, parameter).toBe(415);
      }
    },
  ],
  [
    'response-not-acceptable',
    async () => {
      const status = async (accept: string) => (await site.get(ARTICLES, { accept })).status;
      expect(await status(`${MEDIA_TYPE};charset=utf-8, ${MEDIA_TYPE};x=1`)).toBe(406);
      expect(await status(`${MEDIA_TYPE};charset=utf-8, ${MEDIA_TYPE}`)).toBe(200);
    },
  ],
  [
    'additional-members json-object required-top-level optional-top-level',
    () => {
      for (const { path, document } of crawled) {
        expect(isObject(document), path).toBe(true);
        expect(jsonApiProblems(document), path).toEqual([]);
        expect(
          ['data', 'errors', 'meta'].some((name) => name in document),
          path,
        ).toBe(true);
      }
    },
  ],
  [
    'ignore-additional-members member-name-at-members-no-process member-name-at-members-ignore-for-definitions',
    async () => {
      const { ask, get } = await open();
      const created = await ask('POST', ARTICLES, {
        ...article(
          { title: 'New', '@note': { title: 'Other' } },
          {
            relationships: { field_tags: { data: [{ ...tag('sky'), other: 1 }], other: 1 }, '@x': 1 },
            '@type': 'node--tag',
            other: 1,
          },
        ),
        other: 1,
        '@data': null,
      });
      expect(created.status).toBe(201);
      const { document } = await get(created.headers.get('location')!);
      expect(document.data).toMatchObject({ type: 'node--article', attributes: { title: 'New' } });
      expect(document.data.relationships.field_tags.data).toMatchObject([tag('sky')]);
      expect(Object.keys(document.data.attributes)).not.toContain('@note');
    },
  ],
  [
    'data-errors data-included',
    () => {
      for (const { document } of crawled) {
        expect('data' in document && 'errors' in document).toBe(false);
        if (!('data' in document)) expect(document).not.toHaveProperty('included');
      }
    },
  ],
  [
    'top-level-links top-level-links-members',
    () => {
      for (const { path, status, document } of crawled) {
        if (status === 200) expect(document.links.self.href, path).toMatch(ORIGIN);
        if (/relationships/.test(path) && status === 200) expect(document.links.related.href).toMatch(ORIGIN);
      }
      for (const [name, links] of members()) {
        if (name !== 'links') continue;
        expect(isObject(links)).toBe(true);
        for (const link of Object.values<Json>(links))
          expect(link).toEqual(expect.objectContaining({ href: expect.any(String) }));
      }
    },
  ],
  [
    'primary-data logical-collection fetch-primary-data-collection fetch-response-code',
    async () => {
      for (const path of [ARTICLES, `${ARTICLES}?filter[id]=moon`, `${ARTICLES}?filter[id]=none`]) {
        const { status, document } = await site.get(path);
        expect([status, Array.isArray(document.data)]).toEqual([200, true]);
      }
      const tags = await site.get(`${ARTICLES}/sun/field_tags`);
      expect(idsOf(tags)).toEqual(['sky']);
      expect(idsOf(await site.get(`${ARTICLES}/empty/field_tags`))).toEqual([]);
      expect(isObject((await site.get(MOON)).document.data)).toBe(true);
    },
  ],
  [
    'resource-required-top-level resource-optional-top-level resource-id-type resource-id-type-types',
    () => {
      expect(resources().length).toBeGreaterThan(20);
      for (const resource of resources()) {
        expect([typeof resource.type, typeof resource.id]).toEqual(['string', 'string']);
        const known = ['type', 'id', 'attributes', 'relationships', 'links', 'meta'];
        expect(Object.keys(resource).filter((name) => !known.includes(name))).toEqual([]);
      }
    },
  ],
  [
    'resource-unique',
    async () => {
      const byId = new Map<string, Set<string>>();
      for (const { type, id, links } of resources()) {
        const key = `${type} ${id}`;
        byId.set(key, (byId.get(key) ?? new Set()).add(links.self.href));
      }
      for (const urls of byId.values()) expect(urls.size).toBe(1);
    },
  ],
  [
    'resource-type-constraints resource-fields',
    () => {
      for (const { type, attributes = {}, relationships: references = {} } of resources()) {
        expect(type).toMatch(MEMBER_NAME);
        const fields = [...Object.keys(attributes), ...Object.keys(references)];
        expect(new Set(fields).size).toBe(fields.length);
        expect(fields).not.toContain('type');
        expect(fields).not.toContain('id');
      }
    },
  ],
  [
    'resource-attributes-key resource-attributes-reserve-members',
    () => {
      for (const { attributes = {}, relationships: references = {} } of resources()) {
        expect(isObject(attributes)).toBe(true);
        const reserved = membersIn(attributes).filter(
          ([name]) => name === 'relationships' || name === 'links',
        );
        expect(reserved).toEqual([]);
        const keys = Object.keys(references).flatMap((name) => [`${name}_id`, `${name}Id`]);
        expect(keys.filter((key) => key in attributes)).toEqual([]);
      }
    },
  ],
  [
    'resource-relationships-key resource-relationships-object resource-linkage',
    () => {
      expect(relationships().length).toBeGreaterThan(10);
      for (const { relationships: references = {} } of resources()) expect(isObject(references)).toBe(true);
      for (const [, name, { data, links }] of relationships()) {
        expect(Object.keys(links).sort()).toEqual(['related', 'self']);
        if (name === 'field_tags') expect(Array.isArray(data)).toBe(true);
        else expect(data === null || isObject(data)).toBe(true);
      }
    },
  ],
  [
    'resource-related-resource-link fetch-url-support fetch-relationships fetch-relationships-response-200 resource-link-response',
    async () => {
      // The crawl has followed every link.
      for (const { document } of successful()) {
        for (const [name, href] of linksIn(document)) {
          if (name === 'describedby') expect((await site.get(href)).status).toBe(200);
          else if (href.startsWith(ORIGIN))
            expect(crawled.find(({ path }) => ORIGIN + path === href)?.status, href).toBe(200);
        }
      }
      for (const { type, id, links } of resources()) {
        expect((await site.get(links.self.href)).document.data).toMatchObject({ type, id });
      }
      const [empty] = relationships().filter(([, , { data }]) => data === null);
      expect((await site.get(empty![2].links.related.href)).document.data).toBeNull();
    },
  ],
  [
    'resource-related-resource-link-change',
    async () => {
      const { ask, get } = await open();
      const linkOf = async () => (await get(MOON)).document.data.relationships.field_author.links.related;
      const before = await linkOf();
      expect((await ask('PATCH', AUTHOR, { data: person('ann') })).status).toBe(204);
      expect(await linkOf()).toEqual(before);
    },
  ],
  [
    'resource-links',
    () => {
      for (const { links } of resources()) expect(links.self.href).toMatch(ORIGIN);
    },
  ],
  [
    'resource-identifier-required-members resource-identifier-optional-member',
    () => {
      expect(identifiers().length).toBeGreaterThan(10);
      for (const { type, id, ...others } of identifiers()) {
        expect([typeof type, typeof id]).toEqual(['string', 'string']);
        expect(Object.keys(others).filter((name) => name !== 'meta')).toEqual([]);
      }
    },
  ],
  [
    'compound-documents-allow compound-documents-top-level-included compound-documents-full-linkage compound-documents-duplicates inclusion-include-parameter inclusion-include-parameter-value',
    () => {
      const compound = successful().filter(({ document }) => 'included' in document);
      expect(compound.length).toBeGreaterThan(0);
      for (const { document } of compound) {
        expect(Array.isArray(document.included)).toBe(true);
        const all = [document.data, document.included].flat();
        const keyOf = ({ type, id }: Json) => `${type} ${id}`;
        expect(new Set(all.map(keyOf)).size).toBe(all.length);
        const linked = all.flatMap(({ relationships: references = {} }: Json) =>
          Object.values<Json>(references).flatMap(({ data }) => [data ?? []].flat().map(keyOf)),
        );
        for (const resource of document.included) expect(linked).toContain(keyOf(resource));
        expect(document.included.map(keyOf).sort()).toEqual([
          ...['node--person ann', 'node--person bob', 'node--tag sea', 'node--tag sky'],
        ]);
      }
    },
  ],
  [
    'inclusion-default inclusion-unrequested',
    async () => {
      expect((await site.get(ARTICLES)).document).not.toHaveProperty('included');
      expect((await site.get(`${ARTICLES}?include=`)).document.included).toEqual([]);
      const { document } = await site.get(`${MOON}?include=field_author`);
      expect(document.included).toMatchObject([person('bob')]);
    },
  ],
  [
    'inclusion-bad-request',
    async () => {
      for (const path of ['nothing', 'field_author.nothing', 'title', 'FIELD_AUTHOR']) {
        const { status, document } = await site.get(`${ARTICLES}?include=${path}`);
        expect([status, document.errors[0].source]).toEqual([400, { parameter: 'include' }]);
      }
    },
  ],
  [
    'meta-objects meta-object-members',
    () => {
      const metas = members().filter(([name, , at]) => name === 'meta' && !at.includes('attributes'));
      expect(metas.length).toBeGreaterThan(10);
      for (const [, meta] of metas) expect(isObject(meta)).toBe(true);
    },
  ],
  [
    'top-level-json-api-member json-api-type json-api-version json-api-meta',
    () => {
      for (const { document } of crawled) {
        expect(document.jsonapi).toEqual({ version: '1.1', meta: expect.any(Object) });
      }
    },
  ],
  [
    'member-name-case',
    async () => {
      const { status } = await site.ask('PATCH', MOON, patched({ attributes: { TITLE: 'x' } }));
      expect(status).toBe(422);
      expect((await site.get(`${ARTICLES}?sort=TITLE`)).status).toBe(400);
      expect((await site.ask('PATCH', MOON, { DATA: patched({}).data })).status).toBe(400);
    },
  ],
  [
    'member-name-character member-name-allowed-characters-only member-name-globally-allowed member-name-url-safe member-name-allowed-characters member-name-reserved-characters',
    () => {
      expect(namesOf().length).toBeGreaterThan(500);
      for (const name of namesOf()) expect(name).toMatch(/^[\w-]+$/);
      for (const name of namesOf()) expect(name).toMatch(MEMBER_NAME);
    },
  ],
  [
    'fetch-primary-data-single',
    async () => {
      expect((await site.get(MOON)).document.data).toMatchObject({ type: 'node--article', id: 'moon' });
      const { status, document } = await site.get(`${ARTICLES}/empty/field_author`);
      expect([status, document.data]).toEqual([200, null]);
    },
  ],
  [
    'fetch-responses-404 fetch-relationships-response-404 fetch-responses-other-status-codes fetch-responses-error-details fetch-relationships-other-status-codes fetch-relationships-other-error-details',
    async () => {
      for (const path of [
        `${ARTICLES}/none`,
        `${ARTICLES}/draft`,
        `${MOON}/nothing`,
        `${MOON}/relationships/nothing`,
        `${ARTICLES}/none/relationships/field_tags`,
      ]) {
        const { status, document } = await site.get(path);
        expect(status, path).toBe(404);
        expect(document.errors).toMatchObject([{ status: '404', detail: expect.any(String) }]);
      }
      const { status, document } = await site.get(`${TAGS}?include=nothing`);
      expect([status, document.errors[0].source]).toEqual([400, { parameter: 'include' }]);
    },
  ],
  [
    'fetch-responses-http-semantics fetch-relationships-http-semantics create-http-semantics update-resource-http-semantics update-relationship-http-semantics deleting-http-semantics',
    async () => {
      for (const path of [ARTICLES, MOON, TAGS]) {
        const { headers } = await site.get(path);
        const etag = headers.get('etag')!;
        expect((await site.get(path, { 'if-none-match': etag })).status).toBe(304);
        const head = await site.ask('HEAD', path);
        expect([head.status, head.document, head.headers.get('etag')]).toEqual([200, null, etag]);
        const put = await site.ask('PUT', path, {});
        expect(put.status).toBe(405);
        expect(put.headers.get('allow')).toContain('GET');
      }
      const { ask } = await open();
      const changes: [string, string, unknown][] = [
        ['PATCH', MOON, patched({ attributes: { title: 'x' } })],
        ['PATCH', TAGS, { data: [] }],
        ['DELETE', MOON, undefined],
      ];
      for (const [method, path, body] of changes) {
        expect((await ask(method, path, body, { 'if-match': '"other"' })).status, path).toBe(412);
      }
      expect((await ask('POST', ARTICLES, article({ title: 'x' }))).headers.get('location')).toMatch(ORIGIN);
    },
  ],
  [
    'fetch-relationships-response-200-primary-data fetch-relationships-response-200-self-related fetch-relationships-response-exists-empty',
    async () => {
      for (const [, , { data, links }] of relationships()) {
        const { status, document } = await site.get(links.self.href);
        expect(status).toBe(200);
        expect(document.data).toEqual(data);
        expect(document.links).toMatchObject(links);
      }
      expect(relationships().map(([, , { data }]) => data)).toEqual(expect.arrayContaining([null, []]));
    },
  ],
  [
    'sparse-fieldsets-parameter sparse-fieldsets-parameter-value sparse-fieldsets-additional-fields',
    async () => {
      const { document } = await site.get(
        `${ARTICLES}?fields[node--article]=title,field_tags&include=field_tags&fields[node--tag]=`,
      );
      for (const { attributes, relationships: references } of document.data) {
        expect(Object.keys(attributes)).toEqual(['title']);
        expect(Object.keys(references)).toEqual(['field_tags']);
      }
      for (const resource of document.included) {
        expect(resource).not.toHaveProperty('attributes');
        expect(resource).not.toHaveProperty('relationships');
      }
    },
  ],
  [
    'sorting-option sorting-parameter sorting-parameter-value sorting-multiple-fields sorting-multiple-fields-order sorting-order sorting-specified-order sorting-default',
    async () => {
      const sorted = async (sort: string) => idsOf(await site.get(`${ARTICLES}?sort=${sort}`));
      expect(await sorted('title')).toEqual(['empty', 'moon', 'sun']);
      expect(await sorted('-title')).toEqual(['sun', 'moon', 'empty']);
      expect(await sorted('field_rating,-title')).toEqual(['empty', 'sun', 'moon']);
      expect(await sorted('-title,field_rating')).toEqual(['sun', 'moon', 'empty']);
      expect(await sorted('field_author.title')).toEqual(['empty', 'sun', 'moon']);
      expect(idsOf(await site.get(ARTICLES))).toEqual(['empty', 'moon', 'sun']);
    },
  ],
  [
    'sorting-not-supported',
    async () => {
      for (const sort of ['nothing', 'field_tags', 'field_links']) {
        const { status, document } = await site.get(`${ARTICLES}?sort=${sort}`);
        expect([status, document.errors[0].source], sort).toEqual([400, { parameter: 'sort' }]);
      }
    },
  ],
  [
    'pagination pagination-links pagination-links-object pagination-keys pagination-unavailable-link pagination-order pagination-page-parameter',
    async () => {
      const keys = ['first', 'prev', 'next', 'last'];
      const keysOf = ({ document }: Answered) => keys.filter((key) => key in document.links);
      const page = (offset: number) =>
        site.get(`${ARTICLES}?sort=-title&page[limit]=1&page[offset]=${offset}`);
      const pages = [await page(0), await page(1), await page(2)];
      expect(pages.map(idsOf)).toEqual([['sun'], ['moon'], ['empty']]);
      expect(pages.map(keysOf)).toEqual([['next', 'last'], keys, ['first', 'prev']]);
      const to = async (key: string) => idsOf(await site.get(pages[1]!.document.links[key].href));
      expect(await Promise.all(keys.map(to))).toEqual([['sun'], ['sun'], ['empty'], ['empty']]);
      expect(keysOf(await site.get(ARTICLES))).toEqual([]);
      for (const [, , { links }] of relationships()) expect(keys.some((key) => key in links)).toBe(false);
    },
  ],
  [
    'filtering',
    async () => expect(idsOf(await site.get(`${ARTICLES}?filter[field_tags.title]=Sea`))).toEqual(['moon']),
  ],
  [
    'create-support create-responses-201-status create-responses-201-location create-responses-201-document create-responses-201-self',
    async () => {
      const { ask, get } = await open();
      const { status, headers, document } = await ask('POST', ARTICLES, article({ title: 'New' }));
      expect([status, document.data.attributes.title]).toEqual([201, 'New']);
      expect(document.data.links.self.href).toBe(headers.get('location'));
      expect((await get(headers.get('location')!)).document.data.id).toBe(document.data.id);
    },
  ],
  [
    'modify-delete-support delete-204-status',
    async () => {
      const { ask, get } = await open();
      expect((await ask('PATCH', MOON, patched({ attributes: { title: 'x' } }))).status).toBe(200);
      const removed = await ask('DELETE', MOON);
      expect([removed.status, removed.document]).toEqual([204, null]);
      expect([404, 410]).toContain((await get(MOON)).status);
    },
  ],
  [
    'crud-atomic error-stop-processing error-object-key error-object-members update-resource-other-status update-resource-other-semantics',
    async () => {
      const { ask, get } = await open();
      const before = (await get(MOON)).document.data;
      const change = patched({
        attributes: { title: 'Changed', field_rating: 'many', nothing: 1 },
        relationships: { field_tags: { data: [tag('sea')] } },
      });
      const { status, document } = await ask('PATCH', MOON, change);
      expect(status).toBe(422);
      expect(document.errors.length).toBeGreaterThan(1);
      for (const error of document.errors) {
        expect(error).toEqual({
          status: '422',
          title: expect.any(String),
          detail: expect.any(String),
          source: { pointer: expect.stringMatching(/^\/data\/attributes\//) },
        });
      }
      expect((await get(MOON)).document.data).toEqual(before);
    },
  ],
  [
    'error-general',
    async () => {
      const { status, document } = await site.get(`${ARTICLES}?filter[nothing]=1&sort=nothing`);
      expect([status, document.errors.length]).toEqual([400, 2]);
    },
  ],
  [
    'create-single-resource create-type-member update-patch-resource update-patch-resource-members create-responses-other-status create-responses-other-error-details',
    async () => {
      const documents = [
        {},
        { data: null },
        { data: [] },
        { data: [article({ title: 'x' }).data] },
        { data: { id: 'x' } },
      ];
      for (const body of documents) {
        const create = await site.ask('POST', ARTICLES, body);
        expect([create.status, typeof create.document.errors[0].detail], JSON.stringify(body)).toEqual([
          400,
          'string',
        ]);
        expect((await site.ask('PATCH', MOON, body)).status, JSON.stringify(body)).toBe(400);
      }
      expect((await site.ask('PATCH', MOON, { data: { type: 'node--article' } })).status).toBe(400);
    },
  ],
  [
    'create-relationships-member update-resource-relationship-value',
    async () => {
      const { ask, get } = await open();
      const send = async (value: unknown) => {
        const references = { relationships: { field_tags: value } };
        const created = await ask('POST', ARTICLES, article({ title: 'x' }, references));
        return [created.status, (await ask('PATCH', MOON, patched(references))).status];
      };
      for (const value of [null, [], 'sky', { data: 'sky' }, { data: [{}] }]) {
        expect((await send(value)).every(isRefusal), JSON.stringify(value)).toBe(true);
      }
      // Without data, a relationship stays as it is: clients send back resources that they have read in part.
      expect(await send({ links: {} })).toEqual([201, 200]);
      expect((await get(TAGS)).document.data).toMatchObject([tag('sky'), tag('sea')]);
    },
  ],
  [
    'create-accept-client-generated-ids create-client-generated-ids-key create-client-generated-ids-uuid create-responses-204',
    async () => {
      const { ask } = await open();
      const id = '7b1a3c52-0d1e-4c0c-9f3c-1f2f3a4b5c6d';
      const { status, document } = await ask('POST', ARTICLES, article({ title: 'New' }, { id }));
      expect([status, document.data.id]).toEqual([201, id]);
    },
  ],
  [
    'create-client-generated-ids-forbidden create-responses-403 update-resource-403-status updating-relationship-403-status',
    async () => {
      const { handle } = await open();
      const actor = { name: 'reader', roles: ['viewer'] };
      const id = '7b1a3c52-0d1e-4c0c-9f3c-1f2f3a4b5c6d';
      const requests: [string, string, unknown][] = [
        ['POST', ARTICLES, article({ title: 'x' }, { id })],
        ['PATCH', MOON, patched({ attributes: { title: 'x' } })],
        ['PATCH', TAGS, { data: [] }],
        ['DELETE', MOON, undefined],
      ];
      for (const [method, path, body] of requests) {
        const { status } = await fetchFrom(handle, path, {
          method,
          actor,
          ...(body !== undefined && { body }),
        });
        expect(status, `${method} ${path}`).toBe(403);
      }
    },
  ],
  [
    'create-responses-404-related update-resource-404-related',
    async () => {
      const references = { relationships: { field_tags: { data: [tag('none')] } } };
      const pointer = '/data/relationships/field_tags/data/0';
      for (const { status, document } of [
        await site.ask('POST', ARTICLES, article({ title: 'x' }, references)),
        await site.ask('PATCH', MOON, patched(references)),
      ]) {
        expect([status, document.errors[0].source]).toEqual([404, { pointer }]);
      }
    },
  ],
  [
    'create-responses-409-exists create-responses-409-bad-type create-responses-409-error-details update-resource-409-no-match update-resource-409-details update-resource-409-status',
    async () => {
      const refused: [string, string, unknown, string][] = [
        ['POST', ARTICLES, article({ title: 'x' }, { id: 'moon' }), '/data/id'],
        ['POST', ARTICLES, { data: { ...tag('x') } }, '/data/type'],
        ['PATCH', MOON, { data: { ...patched({}).data, id: 'sun' } }, '/data/id'],
        ['PATCH', MOON, { data: { ...tag('moon') } }, '/data/type'],
      ];
      for (const [method, path, body, pointer] of refused) {
        const { status, document } = await site.ask(method, path, body);
        expect([status, document.errors[0].source], JSON.stringify(body)).toEqual([409, { pointer }]);
        expect(document.errors[0].detail).toMatch(/'/);
      }
    },
  ],
  [
    'update-resource-attributes update-interpret-resource-attributes update-resource-relationships update-interpret-resource-relationships update-resource-200-status update-resource-relationship-200-response update-resource-204-status',
    async () => {
      const { ask, get } = await open();
      const before = (await get(MOON)).document.data;
      const changed = await ask('PATCH', MOON, patched({ attributes: { field_rating: 5 } }));
      expect(changed.status).toBe(200);
      const after = (await get(MOON)).document.data;
      expect(after.attributes).toEqual({
        ...before.attributes,
        field_rating: 5,
        changed: after.attributes.changed,
      });
      expect(after.relationships).toEqual(before.relationships);
      expect(changed.document.data.attributes).toEqual(after.attributes);
      await ask('PATCH', MOON, patched({ relationships: { field_tags: { data: [tag('sea')] } } }));
      const last = (await get(MOON)).document.data;
      expect(last.relationships.field_tags.data).toMatchObject([tag('sea')]);
      expect(last.relationships.field_author).toEqual(before.relationships.field_author);
    },
  ],
  [
    'update-resource-relationship-reject-full-replacement patch-to-many-complete-replace',
    async () => {
      const { ask, get } = await open();
      expect((await ask('PATCH', TAGS, { data: [tag('sea')] })).status).toBe(204);
      expect((await get(TAGS)).document.data).toMatchObject([tag('sea')]);
      const missing = await ask('PATCH', TAGS, { data: [tag('sky'), tag('none')] });
      expect([missing.status, missing.document.errors[0].source]).toEqual([400, { pointer: '/data/1' }]);
      expect((await get(TAGS)).document.data).toMatchObject([tag('sea')]);
    },
  ],
  [
    'update-resource-404-status delete-404-status deleting-other-status deleting-other-details',
    async () => {
      const nothing = `${ARTICLES}/nothing`;
      const missing = { data: { type: 'node--article', id: 'nothing' } };
      expect((await site.ask('PATCH', nothing, missing)).status).toBe(404);
      const removed = await site.ask('DELETE', nothing);
      expect([removed.status, typeof removed.document.errors[0].detail]).toEqual([404, 'string']);
      expect((await site.ask('DELETE', ARTICLES)).status).toBe(405);
    },
  ],
  [
    'respond-patch-to-one-relationship-link patch-to-one-data-member patch-to-one-response updating-relationship-204-status',
    async () => {
      const { ask, get } = await open();
      for (const data of [person('ann'), null]) {
        const { status, document } = await ask('PATCH', AUTHOR, { data });
        expect([status, document]).toEqual([204, null]);
        const found = (await get(AUTHOR)).document.data;
        if (data === null) expect(found).toBeNull();
        else expect(found).toMatchObject(data);
      }
      for (const body of [{}, { data: [] }, { data: {} }, { data: 'ann' }]) {
        expect((await ask('PATCH', AUTHOR, body)).status, JSON.stringify(body)).toBe(400);
      }
    },
  ],
  [
    'respond-patch-post-delete-to-many-relationship-link patch-post-delete-to-many-data-member',
    async () => {
      for (const method of ['PATCH', 'POST', 'DELETE']) {
        for (const body of [{}, { data: null }, { data: 'sky' }, { data: [{}] }]) {
          expect((await site.ask(method, TAGS, body)).status, method + JSON.stringify(body)).toBe(400);
        }
        const { ask } = await open();
        expect((await ask(method, TAGS, { data: [] })).status, method).toBeLessThan(300);
        expect((await ask(method, TAGS, { data: [tag('sky')] })).status, method).toBeLessThan(300);
      }
    },
  ],
  [
    'post-to-many-add post-to-many-add-again post-to-many-response updating-relationship-200-status updating-relationship-200-response',
    async () => {
      const { ask, get } = await open({ ...FILES, 'tag/air.md': '---\ntitle: Air\n---\n' });
      const added = await ask('POST', TAGS, { data: [tag('sky'), tag('air')] });
      expect([200, 204]).toContain(added.status);
      const { data } = (await get(TAGS)).document;
      expect(data.map(({ id }: Json) => id)).toEqual(['sky', 'sea', 'air']);
      if (added.status === 200) expect(added.document.data).toEqual(data);
      expect((await ask('POST', TAGS, { data: [tag('sky')] })).status).toBeLessThan(300);
      expect((await get(TAGS)).document.data).toHaveLength(3);
    },
  ],
  [
    'delete-to-many delete-to-many-success',
    async () => {
      const { ask, get } = await open();
      expect((await ask('DELETE', TAGS, { data: [tag('sky')] })).status).toBe(204);
      expect((await get(TAGS)).document.data).toMatchObject([tag('sea')]);
      expect((await ask('DELETE', TAGS, { data: [tag('sky')] })).status).toBe(204);
      expect((await get(TAGS)).document.data).toMatchObject([tag('sea')]);
    },
  ],
  [
    'updating-relationship-other-status updating-relationship-other-details',
    async () => {
      const { status, document } = await site.ask('POST', AUTHOR, { data: person('ann') });
      expect(status).toBeGreaterThanOrEqual(400);
      expect(document.errors[0].detail).toEqual(expect.any(String));
    },
  ],
  [
    'create-responses-202 update-resource-202-status updating-relationship-202-status delete-202-status',
    async () => {
      const repository = await createGitSite(FILES);
      afterAll(() => repository.remove());
      const { send } = await repository.open(
        { git: { acknowledge: 'commit' }, requireIfMatch: false, onDelete: 'set-null' },
        SCHEMA,
      );
      const changes: [string, string, unknown][] = [
        ['POST', ARTICLES, article({ title: 'New' })],
        ['PATCH', MOON, patched({ attributes: { title: 'x' } })],
        ['PATCH', TAGS, { data: [] }],
        ['DELETE', MOON, undefined],
      ];
      for (const [method, path, body] of changes) {
        const { status, json } = await send(method, path, body);
        expect([status, json.meta.job.status], `${method} ${path}`).toEqual([202, 'pending']);
      }
    },
  ],
  [
    'query-parameters-non-alpha query-parameters-under-camel query-parameters-bad-request',
    async () => {
      expect((await site.get(`${ARTICLES}?nothing=1`)).status).toBe(400);
      expect((await site.get(`${ARTICLES}?page[limit]=1&fooBar=1`)).document.meta.ignored).toEqual([
        'fooBar',
      ]);
      for (const name of ['facetBy', 'langCode', 'includeFallback', 'resourceVersion'])
        expect(name).toMatch(/[^a-z]/);
    },
  ],
];

/** Statements without a test, with the reason. */
const NOT_TESTED: readonly (readonly [ids: string, reason: string])[] = [
  ['request-content-type request-accept response-ignore-parameters', 'It is about clients.'],
  ['resource-relationships-pagination', 'It is an option. Relationships are not paged.'],
  [
    'member-name-at-members-definition member-name-at-members-where',
    'It is an option. Responses have no such members of their own.',
  ],
  [
    'update-resource-relationship-reject-full-replacement-response',
    'Lists can be replaced, so it does not apply.',
  ],
  [
    'update-resource-200-meta update-resource-200-meta-representation updating-relationship-200-meta updating-relationship-200-meta-content delete-200-status',
    'No response to a change has only `meta`.',
  ],
];

const MEMBER_NAME = /^[a-zA-Z0-9\u0080-\uffff](?:[\w\u0080-\uffff -]*[a-zA-Z0-9\u0080-\uffff])?$/;

function isRefusal(status: unknown): boolean {
  return typeof status === 'number' && status >= 400 && status < 500;
}

const split = (ids: string) => ids.split(' ');

it('each statement has a test or a reason not to test it', () => {
  const listed = [...CHECKS, ...NOT_TESTED].flatMap(([ids]) => split(ids));
  expect(STATEMENTS).toHaveLength(188);
  expect(listed.toSorted()).toEqual([...new Set(STATEMENTS.map(({ id }) => id))].toSorted());
  expect(failed().length).toBeGreaterThan(0);
});

describe('JSON:API 1.1', () => {
  for (const [ids, check] of CHECKS) {
    let result: Promise<void> | undefined;
    it.each(split(ids))('%s', async () => {
      result ??= (async () => check())();
      await result;
    });
  }
});

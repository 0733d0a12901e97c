import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Entity } from '../../integration/core/content/model.ts';
import type { ApiSettings } from '../../integration/core/read/settings.ts';
import type { Handler } from '../../integration/core/server/handler.ts';
import { createHandler } from '../support/handler.ts';
import { staticFiles } from '../support/services.ts';
import { bundle, createMagazine, entity, field } from '../unit/api/jsonapi/magazine.ts';

const ORIGIN = 'https://site.example';
const NOTE = bundle('node--note', [
  field('about', 'reference', { targets: ['node--note'] }),
  field('weight', 'integer'),
]);
const ODD_IDS = [
  '2024/a.b.c',
  'a b',
  'a%20b',
  'a+b',
  'a&b=c',
  'a?b#c',
  'a"b<c>',
  "a'(b)*!",
  'a:b@c;d,e',
  'a[0]',
  'é/ß',
  'e\u0301',
  '日本/語',
  '💩',
  '~x',
  '-',
  '...',
  'x.json',
  'x.2',
  'page.2.json',
  'constructor',
  '__proto__',
  'index',
  'resource/schema',
];
const SITES: readonly Partial<ApiSettings>[] = [
  {},
  { base: '/docs', trailingSlash: 'always' },
  { base: '/docs/v2', prefix: '/cms', trailingSlash: 'never' },
];

function notes(ids: readonly string[]): Entity[] {
  return ids.map((id, i) =>
    entity('node--note', id, {
      weight: i % 3,
      about: { type: 'node--note', id: ids[(i + 1) % ids.length] ?? id },
    }),
  );
}

async function follow(handle: Handler, href: string) {
  const response = await handle(new Request(href.startsWith('/') ? ORIGIN + href : href));
  if (response === undefined) throw new Error(`${href} is not answered.`);
  expect(response.status, href).toBe(200);
  return response.json();
}

describe.each(SITES)('links of a site with %o', (settings) => {
  const services = createMagazine(settings, notes(ODD_IDS), [NOTE]);
  const handle = createHandler(services);
  const { base = '', prefix = '' } = settings;
  const root = base + prefix;

  it.each(ODD_IDS)('lead to the resource %s and back', async (id) => {
    const list = await follow(
      handle,
      `${root}/jsonapi/node/note?filter[id]=${encodeURIComponent(id)}&include=about`,
    );
    const [resource] = list.data;
    expect(resource.id).toBe(id);
    const alone = await follow(handle, resource.links.self.href);
    expect(alone.data).toEqual(resource);
    expect(alone.links.self.href).toBe(resource.links.self.href);
    const next = await follow(handle, list.included[0].links.self.href);
    expect(next.data.id).toBe(resource.relationships.about.data.id);
    const { links } = resource.relationships.about;
    expect((await follow(handle, links.related.href)).data).toEqual(next.data);
    const relationship = await follow(handle, links.self.href);
    expect({ data: relationship.data, links: relationship.links }).toEqual(resource.relationships.about);
    const plain = await follow(
      handle,
      `${root}/api/content/notes?filter[id]=${encodeURIComponent(id).replaceAll('%2C', '%5C%2C')}`,
    );
    const self = (
      await follow(handle, resource.links.self.href.replace('/jsonapi/node/note', '/v1/api/content/notes'))
    ).links.self;
    expect(plain.data).toHaveLength(1);
    // Lists leave out bodies.
    expect((await follow(handle, self)).data).toMatchObject(plain.data[0]);
  });

  it('lead through every page and back, for any page and query', () =>
    fc.assert(
      fc.asyncProperty(
        fc.nat({ max: 30 }),
        fc.nat({ max: 9 }),
        fc.constantFrom(
          '',
          'sort=-weight&',
          'filter[weight][operator]=<&filter[weight][value]=2&',
          'include=about&fields[node--note]=title&',
          'fooBar=1%2B1&',
        ),
        async (offset, limit, query) => {
          const first = await follow(handle, `${root}/jsonapi/node/note?${query}page[limit]=0`);
          const all = first.data.map((resource: { id: string }) => resource.id);
          const start = await follow(
            handle,
            `${root}/jsonapi/node/note?${query}page[offset]=${offset}&page[limit]=${limit}`,
          );
          expect(start.meta.count).toBe(all.length);
          expect(await follow(handle, start.links.self.href)).toEqual(start);
          expect('prev' in start.links).toBe(offset > 0);
          let seen: string[] = [];
          let at = start;
          for (let next = start; ; ) {
            seen.push(...next.data.map((resource: { id: string }) => resource.id));
            at = next;
            if (next.links.next === undefined) break;
            expect(next.links.last).toEqual(start.links.last);
            next = await follow(handle, next.links.next.href);
          }
          expect(seen).toEqual(all.slice(offset));
          if (start.links.last) expect(await follow(handle, start.links.last.href)).toEqual(at);
          seen = [];
          for (let steps = 0; at.links.prev !== undefined; steps++) {
            expect(steps).toBeLessThan(100);
            expect((await follow(handle, at.links.first.href)).data[0]?.id).toBe(all[0]);
            at = await follow(handle, at.links.prev.href);
            seen.unshift(...at.data.map((resource: { id: string }) => resource.id));
          }
          if (offset > 0 && seen.length > 0) expect(seen[0]).toBe(all[0]);
        },
      ),
      { numRuns: 60 },
    ));

  it('lead through every numbered page and back, in the form of the request', async () => {
    const list = `${root}/jsonapi/node/note`;
    const all = await follow(handle, `${list}?page[size]=0`);
    for (const size of [1, 3, 50]) {
      const pages = [await follow(handle, `${list}?sort=id&page[size]=${size}`)];
      for (let next = pages[0].links.next; next !== undefined; next = pages.at(-1).links.next) {
        expect(new URL(next.href).searchParams.get('page[number]')).toBe(String(pages.length + 1));
        expect(next.href).not.toMatch(/offset|limit/);
        pages.push(await follow(handle, next.href));
      }
      expect(pages.flatMap(({ data }) => data)).toEqual(all.data);
      const [first, last] = [pages[0], pages.at(-1)];
      if (first === last) continue;
      expect(await follow(handle, last.links.prev.href)).toEqual(pages.at(-2));
      expect((await follow(handle, first.links.last.href)).data).toEqual(last.data);
      expect((await follow(handle, last.links.first.href)).data).toEqual(first.data);
    }
  });

  it('of plain JSON lead through every page and back', () =>
    fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 30 }),
        fc.nat({ max: 9 }),
        fc.constantFrom('limit', 'pageSize'),
        async (page, limit, name) => {
          if (limit === 0 && page > 1) return;
          const all = (await follow(handle, `${root}/api/content/note?limit=0&sort=weight:desc`)).data;
          const start = await follow(
            handle,
            `${root}/v1/api/content/note?sort_by=weight&order=desc&page=${page}&${name}=${limit}`,
          );
          const seen: unknown[] = [];
          for (let next = start; ; next = await follow(handle, next.links.next)) {
            expect(next.links.self).toContain('/v1/api/content/notes');
            seen.push(...next.data);
            if (next.links.next === undefined) break;
          }
          expect(seen).toEqual(all.slice((page - 1) * limit));
          expect(start.meta.pages).toBe(limit === 0 ? 1 : Math.ceil(all.length / limit));
          for (let at = start; at.links.prev !== undefined; at = await follow(handle, at.links.prev)) {
            expect(at.meta.page).toBeGreaterThan(1);
          }
        },
      ),
      { numRuns: 40 },
    ));

  it('of prebuilt documents all lead to a file', async () => {
    const site = createMagazine(
      {
        ...settings,
        pageSize: { default: 7, max: 7, unlimited: true },
        staticQueries: {
          light: '/node/note?filter[weight]=0&page[limit]=3',
          odd: '/node/note?page[offset]=5&page[limit]=4&include=about',
          related: '/node/note/2024/a.b.c/about',
          relationship: '/node/note/2024/a.b.c/relationships/about?include=about',
        },
      },
      notes(ODD_IDS),
      [NOTE],
    );
    const files = await staticFiles(site);
    const links: string[] = [];
    const collect = (value: unknown, key: string): void => {
      if (typeof value === 'string' && (key === 'href' || key === 'self')) links.push(value);
      else if (typeof value === 'object' && value !== null) {
        for (const [name, child] of Object.entries(value)) collect(child, name);
      }
    };
    for (const body of files.values()) collect(JSON.parse(body), '');
    const local = links.filter((href) => !href.startsWith('http'));
    expect(local.length).toBeGreaterThan(100);
    for (const href of local) {
      const { pathname } = new URL(href, ORIGIN);
      expect(files.has(decodeURIComponent(pathname.slice(base.length + 1))), href).toBe(true);
    }
  });
});

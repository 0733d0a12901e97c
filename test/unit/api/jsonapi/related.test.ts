import { describe, expect, it } from 'vitest';
import { ADMINISTRATOR, ANONYMOUS } from '../../../../integration/core/access/actor.ts';
import { answer } from '../../../../integration/core/api/jsonapi/answer.ts';
import type { Entity } from '../../../../integration/core/content/model.ts';
import { DEFAULT_LIMITS } from '../../../../integration/core/engine/limits.ts';
import type { DataDocument } from '../../../../integration/core/read/document-types.ts';
import { SETTINGS } from '../../../support/services.ts';
import { bundle, createMagazine, ENTITIES, entity, field, TYPES } from './magazine.ts';

const services = createMagazine();
const get = (path: string, actor = ANONYMOUS): Promise<DataDocument> => answer(services, path, { actor });
const ids = ({ data }: DataDocument): unknown => (Array.isArray(data) ? data.map(({ id }) => id) : data);
const includedIds = ({ included = [] }: DataDocument): string[] => included.map(({ id }) => id);

describe('related resources', () => {
  it('are the targets of a list in order, without duplicates and missing ones', async () => {
    const first = await get('/node/article/2024/first/field_tags');
    expect(ids(first)).toEqual(['news', 'tea']);
    expect(first.links).toEqual({
      self: { href: '/jsonapi/node/article/2024/first/field_tags' },
      describedby: { href: '/jsonapi/node/tag/resource/schema', type: 'application/schema+json' },
    });
    expect(first.meta).toBeUndefined();
    expect(ids(await get('/node/article/second/field_tags'))).toEqual(['tea']);
    expect(ids(await get('/node/article/third/field_tags'))).toEqual([]);
  });

  it('are the full resource if the reference holds one', async () => {
    const author = await get('/node/article/2024/first/field_author');
    expect(author.data).toEqual((await get('/node/person/bob')).data);
  });

  it.each([
    ['an empty reference', '/node/person/ada/field_boss'],
    ['a reference to a missing entity', '/node/article/third/field_author'],
  ])('are null for %s', async (_, path) => {
    expect(await get(path)).toMatchObject({ data: null, links: { self: { href: `/jsonapi${path}` } } });
    expect(await get(path)).not.toHaveProperty('meta');
  });

  it('omit hidden targets, and report the omission', async () => {
    const path = '/node/article/second/field_author';
    const anonymous = await get(path);
    expect(anonymous.data).toBeNull();
    expect(Object.values(anonymous.meta?.omitted?.links ?? {})).toContainEqual({
      href: '/jsonapi/node/person/eve',
      meta: { rel: 'item', detail: 'You may not see this resource.' },
    });
    expect(await get(path, ADMINISTRATOR)).toMatchObject({ data: { id: 'eve' } });
  });

  it('support includes and sparse fields', async () => {
    const document = await get(
      '/node/article/2024/first/field_author?include=field_boss&fields[node--person]=title',
    );
    expect(document.data).toMatchObject({ id: 'bob', attributes: { title: 'Bob' } });
    expect(document.data).not.toHaveProperty('relationships');
    expect(document.included).toEqual([
      {
        type: 'node--person',
        id: 'ada',
        links: expect.any(Object),
        meta: expect.any(Object),
        attributes: { title: 'Ada' },
      },
    ]);
    await expect(get('/node/article/2024/first/field_author?include=field_tags')).rejects.toMatchObject({
      reason: 'bad-request',
      source: { parameter: 'include' },
      detail: expect.stringContaining('References: field_boss.'),
    });
  });

  it('have their include paths checked even if they are empty', async () => {
    expect((await get('/node/person/ada/field_boss?include=field_boss')).included).toEqual([]);
    await expect(get('/node/person/ada/field_boss?include=nope')).rejects.toMatchObject({
      reason: 'bad-request',
    });
  });

  it('list filter, sort and page of a single resource as ignored', async () => {
    const path = '/node/article/2024/first/field_tags?filter[title]=Tea&sort=-title&page[limit]=1';
    const document = await get(path);
    expect(ids(document)).toEqual(['news', 'tea']);
    expect(document.meta).toEqual({ ignored: ['filter[title]', 'sort', 'page[limit]'] });
  });

  it('of several types accept an include path of one of them', async () => {
    const mixed = bundle('node--mixed', [
      field('parts', 'reference', { targets: ['node--person', 'node--tag'], list: true }),
    ]);
    const parts = [
      { type: 'node--tag', id: 'tea' },
      { type: 'node--person', id: 'bob' },
    ];
    const site = createMagazine(
      {},
      [...ENTITIES, entity('node--mixed', 'one', { parts })],
      [...TYPES, mixed],
    );
    const document = await answer(site, '/node/mixed/one/parts?include=field_boss');
    expect(ids(document)).toEqual(['tea', 'bob']);
    expect(includedIds(document)).toEqual(['ada']);
  });

  it('are complete, however many there are', async () => {
    const many = bundle('node--note', [field('about', 'reference', { targets: ['node--note'], list: true })]);
    const notes = Array.from({ length: DEFAULT_LIMITS.included + 2 }, (_, i) => ({
      type: 'node--note',
      id: `n${i}`,
    }));
    const entities = notes.map(({ id }) =>
      entity('node--note', id, { about: id === 'n0' ? notes.slice(1) : [] }),
    );
    const document = await answer(createMagazine({}, entities, [many]), '/node/note/n0/about');
    expect(document.data).toHaveLength(DEFAULT_LIMITS.included + 1);
  });
});

describe('a relationship', () => {
  it('has the identifiers of the resource, and links', async () => {
    const path = '/node/article/second/relationships/field_tags';
    const { data } = await get('/node/article/second');
    const { links, data: identifiers } = await get(path);
    expect(data).toMatchObject({ relationships: { field_tags: { data: identifiers, links } } });
    expect(links).toEqual({
      related: { href: '/jsonapi/node/article/second/field_tags' },
      self: { href: `/jsonapi${path}` },
    });
    expect(ids(await get('/node/person/ada/relationships/field_boss'))).toBeNull();
  });

  it('keeps the identifier of a hidden target', async () => {
    const document = await get('/node/article/second/relationships/field_author');
    expect(document.data).toMatchObject({ id: 'eve' });
    expect(document).not.toHaveProperty('meta');
  });

  it('includes from its resource on: the targets, and the resource itself if they refer to it', async () => {
    const path = '/node/article/2024/first/relationships/field_author?include=field_author,field_tags';
    expect(includedIds(await get(path))).toEqual(['bob', 'news', 'tea']);
    const self = bundle('node--loop', [field('about', 'reference', { targets: ['node--loop'] })]);
    const loop = entity('node--loop', 'one', { about: { type: 'node--loop', id: 'one' } });
    const site = createMagazine({}, [loop], [self]);
    expect(includedIds(await answer(site, '/node/loop/one/relationships/about?include=about'))).toEqual([
      'one',
    ]);
  });

  it('repeats its query in the self link only', async () => {
    const { links } = await get('/node/article/2024/first/relationships/field_tags?page[limit]=1');
    expect(links.self?.href).toBe(
      '/jsonapi/node/article/2024/first/relationships/field_tags?page%5Blimit%5D=1',
    );
    expect(links.related?.href).toBe('/jsonapi/node/article/2024/first/field_tags');
  });
});

describe('an address below a resource', () => {
  it.each([
    ['an unknown field', '/node/article/second/nope'],
    ['a field that is not a reference', '/node/article/second/title'],
    ['a hidden field', '/node/article/second/uid'],
    ['a property of Object.prototype', '/node/article/second/constructor'],
    ['no field', '/node/article/second/relationships'],
    ['a relationship of an unknown field', '/node/article/second/relationships/nope'],
  ])('is a 404 for %s that lists the references', async (_, path) => {
    await expect(get(path)).rejects.toMatchObject({
      reason: 'not-found',
      detail: expect.stringContaining('Its references: field_author, field_tags.'),
    });
  });

  it.each(['/field_author', '/relationships/field_author', '', '/nope'])(
    'of a hidden resource is the same as of a missing one: %s',
    async (below) => {
      const [secret, none] = await Promise.all(
        ['secret', 'absent'].map((id) => get(`/node/article/${id}${below}`).catch(String)),
      );
      expect(String(secret).replaceAll('secret', 'absent')).toBe(none);
    },
  );

  it.each([
    ['400 for an unknown parameter', '/node/article/second/field_tags?nope=1', 'bad-request'],
    ['401 for another version', '/node/article/second/field_tags?resourceVersion=id:3', 'unauthenticated'],
    ['404 below another word than relationships', '/node/article/second/other/field_tags', 'not-found'],
    ['404 below a relationship', '/node/article/second/relationships/field_tags/x', 'not-found'],
  ])('returns %s', (_, path, reason) => expect(get(path)).rejects.toMatchObject({ reason }));

  it('accepts any letter case of a UUID', async () => {
    const id = 'ABCDEF00-0000-4000-8000-000000000001';
    const site = createMagazine({}, [...ENTITIES, entity('node--article', id, { field_tags: [] })]);
    const document = await answer(site, `/node/article/${id.toLowerCase()}/field_tags`);
    expect(document.links.self?.href).toBe(`/jsonapi/node/article/${id}/field_tags`);
  });
});

describe('ids that look like addresses below other ids', () => {
  const person = { type: 'node--person', id: 'ada' };
  const article = (id: string, published = true): Entity =>
    entity('node--article', id, { title: id, field_author: person }, { published });
  const site = (...articles: readonly Entity[]) => createMagazine({}, [...ENTITIES, ...articles]);

  const ids = ['a', 'a/field_author', 'a/relationships/field_author', 'a/relationships'];
  const all = site(...ids.map((id) => article(id)));

  it('leave the addresses below the other ids as they are', async () => {
    for (const address of ['field_author', 'relationships/field_author']) {
      const path = `/node/article/a/${address}`;
      const { data, links } = await answer(all, path);
      expect([data, links.self?.href]).toMatchObject([{ id: 'ada' }, `/jsonapi${path}`]);
    }
  });

  it.each(ids)('lead to their entities by their links: %s', async (id) => {
    const { data } = await answer(all, `/node/article?filter[id]=${encodeURIComponent(id)}`);
    const [resource] = data as unknown as { id: string; links: { self: { href: string } } }[];
    const own = await answer(all, resource?.links.self.href ?? '');
    expect(own.data).toMatchObject({ id });
    const author = await answer(all, `${resource?.links.self.href}/relationships/field_author`);
    expect(author.data).toMatchObject({ id: 'ada' });
    const related = await answer(all, `${resource?.links.self.href}/field_author`);
    expect(related.data).toMatchObject({ id: 'ada', attributes: { title: 'Ada' } });
  });

  it('have addresses without encoded slashes if the other ids do not exist', async () => {
    const { data } = await answer(site(article('a/field_author')), '/node/article/a/field_author');
    expect(data).toMatchObject({ id: 'a/field_author' });
  });

  it('change nothing while they are unseen', async () => {
    const path = '/node/article/a/field_author';
    const hidden = await answer(site(article('a'), article('a/field_author', false)), path);
    expect(hidden).toEqual(await answer(site(article('a')), path));
    expect(hidden.data).toMatchObject({ id: 'ada' });
  });
});

it('links of relationships contain the base, and the trailing slash of the site', async () => {
  const site = createMagazine({ ...SETTINGS, base: '/docs', trailingSlash: 'always' });
  const { links } = await answer(site, '/node/article/second/relationships/field_tags');
  expect(links).toEqual({
    related: { href: '/docs/jsonapi/node/article/second/field_tags/' },
    self: { href: '/docs/jsonapi/node/article/second/relationships/field_tags/' },
  });
});

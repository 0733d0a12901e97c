import { describe, expect, it } from 'vitest';
import { ADMINISTRATOR, ANONYMOUS } from '../../../../integration/core/access/actor.ts';
import { DEFAULT_LIMITS } from '../../../../integration/core/engine/limits.ts';
import { createEntityStore } from '../../../../integration/core/engine/store/entity-store.ts';
import { createFlattener, type FlatEntity } from '../../../../integration/core/read/flatten.ts';
import { createBundleNames } from '../../../../integration/features/rest/names.ts';
import { parseRestQuery } from '../../../../integration/features/rest/parse-rest.ts';
import { createHandler } from '../../../support/handler.ts';
import { fetchFrom, ORIGIN } from '../../../support/request.ts';
import { createReadServices } from '../../../support/services.ts';
import { bundle, createMagazine, ENTITIES, entity, field, TYPES } from '../jsonapi/magazine.ts';

const services = createMagazine();
const handle = createHandler(services);

async function get(path: string): Promise<{ status: number; body: RestBody }> {
  const response = await fetchFrom(handle, path);
  return { status: response.status, body: await response.json() };
}

const ids = async (path: string): Promise<string[] | undefined> =>
  (await get(path)).body.data?.map(({ id }) => id);

describe('list', () => {
  it('has flat entities with references as type, id and title', async () => {
    const { body } = await get('/api/content/articles?fields=title,field_author,field_tags');
    expect(body).toEqual({
      data: [
        {
          id: '2024/first',
          type: 'article',
          title: 'First',
          field_author: { type: 'person', id: 'bob', title: 'Bob' },
          field_tags: [
            { type: 'tag', id: 'news', title: 'News' },
            { type: 'tag', id: 'tea', title: 'Tea' },
          ],
        },
        {
          id: 'second',
          type: 'article',
          title: 'Second',
          field_author: { type: 'person', id: 'eve', title: null },
          field_tags: [
            { type: 'tag', id: 'tea', title: 'Tea' },
            { type: 'tag', id: 'gone', title: null },
            { type: 'tag', id: 'tea', title: 'Tea' },
          ],
        },
        {
          id: 'third',
          type: 'article',
          title: 'Third',
          field_author: { type: 'person', id: 'nobody', title: null },
          field_tags: [],
        },
      ],
      meta: { page: 1, limit: 50, count: 3, pages: 1 },
      links: { self: `${ORIGIN}/api/content/articles?fields=title%2Cfield_author%2Cfield_tags` },
    });
  });

  it.each([
    ['article', 'articles', ''],
    ['articles', 'articles', ''],
    ['articles', 'articles', '/v1'],
    ['node--article', 'articles', '/v1'],
  ])('names %s by its plural in links, with the requested prefix', async (name, plural, version) => {
    const { body } = await get(`${version}/api/content/${name}?limit=1&page=2&sort=title`);
    const page = (number: number): string =>
      `${ORIGIN}${version}/api/content/${plural}?limit=1&page=${number}&sort=title`;
    expect(body.meta).toEqual({ page: 2, limit: 1, count: 3, pages: 3 });
    expect(body.links).toEqual({
      self: page(2),
      first: page(1),
      prev: page(1),
      next: page(3),
      last: page(3),
    });
  });

  it.each([
    ['limit=2', { page: 1, limit: 2, count: 3, pages: 2 }, 2],
    ['pageSize=2&page=2', { page: 2, limit: 2, count: 3, pages: 2 }, 1],
    ['limit=0', { page: 1, limit: 0, count: 3, pages: 1 }, 3],
    ['page=9', { page: 9, limit: 50, count: 3, pages: 1 }, 0],
    ['limit=1000', { page: 1, limit: 50, count: 3, pages: 1 }, 3],
    ['filter[title]=nothing', { page: 1, limit: 50, count: 0, pages: 1 }, 0],
    ['fooBar=1', { page: 1, limit: 50, count: 3, pages: 1, ignored: ['fooBar'] }, 3],
  ])('paginates %s', async (query, meta, length) => {
    const { body } = await get(`/api/content/articles?${query}`);
    expect(body.meta).toEqual(meta);
    expect(body.data).toHaveLength(length);
  });

  it.each([
    ['filter[title]=first,third', ['2024/first', 'third']],
    ['filter[field_words]=a\\,b', ['2024/first']],
    ['filter[field_words]=a,b', []],
    ['filter[title][operator]=<>&filter[title][value]=first,third', ['second']],
    ['filter[title][operator]=CONTAINS&filter[title][value]=fir,sec', ['2024/first', 'second']],
    ['filter[title][operator]=IN&filter[title][value]=first,third', ['2024/first', 'third']],
    ['filter[field_rating][operator]=BETWEEN&filter[field_rating][value]=4,6', ['third']],
    ['filter[field_author.title]=Bob', ['2024/first']],
    ['filter[a][condition][path]=field_rating&filter[a][condition][operator]=IS NULL', ['second']],
    ['sort=-title', ['third', 'second', '2024/first']],
    ['sort=field_rating:desc,title:asc', ['third', '2024/first', 'second']],
    ['sort_by=title&order=desc', ['third', 'second', '2024/first']],
    ['sort_by=title', ['2024/first', 'second', 'third']],
    ['_format=json&sort=title', ['2024/first', 'second', 'third']],
  ])('supports %s', async (query, expected) => {
    expect(await ids(`/api/content/articles?${query}`)).toEqual(expected);
  });

  it.each([
    ['limit=x', 400, 'limit'],
    ['limit=-1', 400, 'limit'],
    ['page=0', 400, 'page'],
    ['page=2&limit=0', 400, 'page'],
    ['page[offset]=1', 400, 'page[offset]'],
    ['limit=1&pageSize=2', 400, 'pageSize'],
    ['sort=title:down', 400, 'sort'],
    ['sort=title&sort_by=title', 400, 'sort_by'],
    ['order=desc', 400, 'order'],
    ['sort_by=title&order=down', 400, 'order'],
    ['sort=nope', 400, 'sort'],
    ['filter[nope]=1', 400, 'filter[nope]'],
    ['fields=nope', 400, 'fields'],
    ['fields=uid', 400, 'fields'],
    ['include=field_author', 400, 'include'],
    ['foo=1', 400, 'foo'],
    ['_format=xml', 406, '_format'],
  ])('rejects %s', async (query, status, parameter) => {
    const { status: answered, body } = await get(`/api/content/articles?${query}`);
    expect(answered).toBe(status);
    expect(body.error).toMatchObject({ status, source: { parameter } });
  });

  it('counts each value after CONTAINS as a condition', () => {
    const paging = { pageSize: { default: 50, max: 50, unlimited: true }, limits: DEFAULT_LIMITS };
    const parse = (count: number) =>
      parseRestQuery(
        `filter[a]=x&filter[b][operator]=CONTAINS&filter[b][value]=${Array(count).fill('x').join()}`,
        'list',
        paging,
      );
    expect(() => parse(DEFAULT_LIMITS.conditions - 1)).not.toThrow();
    expect(() => parse(DEFAULT_LIMITS.conditions)).toThrow(`${DEFAULT_LIMITS.conditions} conditions at most`);
  });

  it('accepts a comma as a plain character under JSON:API only', () => {
    const paging = { pageSize: { default: 50, max: 50, unlimited: true }, limits: DEFAULT_LIMITS };
    expect(parseRestQuery('filter[a]=x,y', 'list', paging).filter.members).toMatchObject([
      { operator: 'IN', value: ['x', 'y'] },
    ]);
  });
});

describe('entity', () => {
  it('is flat, with all its fields', async () => {
    const { body } = await get('/api/content/article/2024/first');
    expect(body.links).toEqual({ self: `${ORIGIN}/api/content/articles/2024/first` });
    expect(body.data).toMatchObject({
      id: '2024/first',
      type: 'article',
      body: { value: '# First', format: 'markdown', processed: '<p>rendered</p>', summary: null },
      field_rating: 3,
    });
    expect(body.data).not.toHaveProperty('uid');
  });

  it('lists parameters that do not apply to one entity as ignored', async () => {
    expect((await get('/api/content/articles/second?limit=1&fields=title')).body).toMatchObject({
      data: { id: 'second', type: 'article', title: 'Second' },
      meta: { ignored: ['limit'] },
    });
  });

  it('hides content from anonymous users as if it did not exist', async () => {
    expect((await get('/api/content/articles/secret')).status).toBe(404);
    expect((await get('/api/content/people/second')).status).toBe(404);
  });
});

describe('flattened includes', () => {
  const entityOf = (type: string, id: string) => {
    const entity = services.store.get(type, id);
    if (entity === undefined) throw new Error(`There is no ${id}.`);
    return entity;
  };
  const flatten = (id: string, include: readonly string[], actor = ANONYMOUS): Promise<FlatEntity> =>
    createFlattener(services, services.access(actor)).flatten(entityOf('node--article', id), { include });

  it('replace stubs with included targets at every requested depth', async () => {
    const flat = await flatten('2024/first', ['field_author.field_boss']);
    expect(flat).toMatchObject({
      field_author: {
        id: 'bob',
        type: 'person',
        field_boss: { id: 'ada', type: 'person', field_boss: null },
      },
      field_tags: [{ type: 'tag', id: 'news', title: 'News' }, { id: 'tea' }],
    });
  });

  it('are null for a target that may not be seen, and omitted from lists', async () => {
    expect(await flatten('second', ['field_author', 'field_tags'])).toMatchObject({
      field_author: null,
      field_tags: [{ id: 'tea' }, { id: 'tea' }],
    });
    expect(await flatten('second', ['field_author'], ADMINISTRATOR)).toMatchObject({
      field_author: { title: 'Eve' },
    });
  });

  it('have no id of an entity whose bundle is not in the API', async () => {
    const list = bundle('node--list', [field('first', 'reference', { targets: ['node--lost'] })]);
    const entry = entity('node--list', 'a', { first: { type: 'node--lost', id: 'secret' } });
    const site = createMagazine({}, [entry], [list]);
    const flat = await createFlattener(site, site.access(ANONYMOUS)).flatten(entry);
    expect(flat.first).toEqual({ type: 'lost', id: 'missing', title: null });
  });

  it('have no title, as a stub or a target, for a role from which titles are hidden', async () => {
    const store = createEntityStore({ locale: 'en' });
    store.load(TYPES, ENTITIES);
    const view = { actions: ['view' as const], bundles: '*' as const, where: 'published' as const };
    const site = createReadServices(store, {
      roles: { anonymous: { permissions: [{ ...view, fields: { view: { except: ['title'] } } }] } },
      renderBody: async () => '',
    });
    const { flatten: flat } = createFlattener(site, site.access(ANONYMOUS));
    const entity = entityOf('node--article', '2024/first');
    expect(await flat(entity)).toMatchObject({ field_author: { type: 'person', id: 'bob', title: null } });
    expect((await flat(entity, { include: ['field_author'] })).field_author).not.toHaveProperty('title');
  });

  it('reject an invalid path', async () => {
    await expect(flatten('second', ['title'])).rejects.toMatchObject({ source: { parameter: 'include' } });
  });
});

describe('bundle names', () => {
  const types = (...names: string[]) => names.map((name) => bundle(name, []));
  it('follow the English plural, or the option', () => {
    const names = createBundleNames(types('node--person', 'node--story', 'node--virus'), {
      virus: 'virii',
      'node--story': 'tales',
    });
    expect(['person', 'people', 'story', 'tales', 'virii'].map((name) => names.find(name).bundle)).toEqual([
      'person',
      'person',
      'story',
      'story',
      'virus',
    ]);
    expect(names.problems).toEqual([]);
  });

  it('stay as they are if they name a section of a site', () => {
    const all = types('node--about', 'node--blog', 'node--work', 'node--post');
    const names = createBundleNames(all, {});
    expect(all.map((type) => names.plural(type))).toEqual(['about', 'blog', 'work', 'posts']);
  });

  it('keep the singular and warn if the plural is another bundle', () => {
    const names = createBundleNames(types('node--tag', 'node--tags'), {});
    expect([names.find('tag').bundle, names.find('tags').bundle]).toEqual(['tag', 'tags']);
    expect(types('node--tag', 'node--tags').map((type) => type.bundle)).toEqual(['tag', 'tags']);
    expect(names.problems).toMatchObject([
      {
        severity: 'warning',
        code: 'bundle/plural-clash',
        key: 'tag',
        hint: "Set option bundles: { 'tag': { plural: '…' } }.",
      },
      { key: 'tags' },
    ]);
  });

  it('fall back to resource types if two types share a bundle name', () => {
    const all = types('node--tag', 'taxonomy_term--tag');
    const names = createBundleNames(all, {});
    expect(() => names.find('tag')).toThrow(/node--tag or taxonomy_term--tag/);
    expect(all.map((type) => names.plural(type))).toEqual(['node--tag', 'taxonomy_term--tag']);
    expect(names.find('taxonomy_term--tag').entityType).toBe('taxonomy_term');
  });

  it('are listed if the requested one does not exist', () => {
    expect(() => createBundleNames(TYPES, {}).find('toString')).toThrow('Bundles: articles, people, tags.');
  });
});

interface RestBody {
  readonly data?: FlatEntity[];
  readonly meta?: object;
  readonly links?: object;
  readonly error?: object;
}

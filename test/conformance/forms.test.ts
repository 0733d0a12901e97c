import { beforeAll, describe, expect, it } from 'vitest';
import { ADMINISTRATOR } from '../../integration/core/access/actor.ts';
import type { Handler } from '../../integration/core/server/handler.ts';
import { createHandler } from '../support/handler.ts';
import { fetchFrom } from '../support/request.ts';
import { loadRecordedContent, shortId, uuidOf } from './load.ts';

/** Forms of a query that no recorded request has, according to the rules of the recorded ones. */
const PAGED = { all: 60, page: 50 };
const [ADA, FIRST] = [uuidOf(6).toUpperCase(), uuidOf(19).toUpperCase()];
const ALPHA = ['a1', 'a2', 'a3'];
const NO_AUTHOR = ['a9', 'a18', 'a27', 'a36', 'a45', 'a54'];

let handle: Handler;
beforeAll(async () => {
  handle = createHandler(await loadRecordedContent());
});

describe('a filter', () => {
  it.each<[query: string, ids: readonly string[]]>([
    ['filter[x][path]=title&filter[x][value]=Alpha', ALPHA],
    ['filter[title]=Beta&filter[title]=Alpha', ALPHA],
    ['filter[title][value][]=Alpha', ALPHA],
    ['filter[title][value][7]=Alpha&filter[title][operator]=%3D', ALPHA],
    ['filter[title][operator]=IN&filter[title][value]=Alpha', ALPHA],
    ['filter[title][operator]=IN&filter[title][value]=Alpha,Beta', []],
    [
      'filter[title][operator]=IN&filter[title][value][5]=Alpha&filter[title][value][2]=Beta',
      [...ALPHA, 'a4'],
    ],
    ['filter[title][operator]=IN&filter[title][value][]=Alpha&filter[title][value][]=Beta', [...ALPHA, 'a4']],
    ['filter[title][operator]=IN&filter[title][value]=Alpha&filter[title][value]=Beta', [...ALPHA, 'a4']],
    ['filter[title][operator]=IN&filter[title][value][]=', []],
    ['filter[x][condition][path]=title', []],
    ['filter[x][condition][path]=title&filter[x][condition][operator]=NOT%20IN', []],
    [
      'filter[x][condition][path]=title&filter[x][condition][path]=field_author&filter[x][condition][operator]=IS%20NULL',
      NO_AUTHOR,
    ],
    ['filter[x][condition][path]=field_author.id&filter[x][condition][operator]=IS%20NULL', NO_AUTHOR],
    ['filter[x][condition][path]=field_author.entity.id&filter[x][condition][operator]=IS%20NULL', NO_AUTHOR],
    ['filter[field_tags.99.title]=sports', []],
    ['filter[field_list.99]=alpha', []],
    ['filter[field_price]=0009.260', ['a1']],
    ['filter[title][operator]=CONTAINS&filter[title][value]=%25', ['a11']],
    ['filter[title]=', []],
    [
      'filter[field_rating][operator]=BETWEEN&filter[field_rating][value][]=3&filter[field_rating][value][]=1',
      [],
    ],
    [`filter[id]=${FIRST}`, ['a1']],
    [`filter[id][operator]=IN&filter[id][value][]=${FIRST}&filter[id][value][]=x`, ['a1']],
    [`filter[field_author.id]=${ADA}&page[limit]=1`, ['a1']],
    [`filter[field_author.meta.drupal_internal__target_id]=${ADA}&page[limit]=1`, ['a1']],
    [`filter[id][operator]=%3C%3E&filter[id][value]=${FIRST}&page[limit]=1`, ['a2']],
    [
      'filter[b][group][conjunction]=OR&filter[a][group][conjunction]=AND&filter[a][group][memberOf]=b&filter[x][condition][path]=title&filter[x][condition][value]=Alpha&filter[x][condition][memberOf]=a',
      ALPHA,
    ],
  ])('%s returns the expected articles', async (query, ids) => {
    const { data } = await get(`/jsonapi/node/article?${query}`);
    expect(data.map(({ id }: { id: string }) => shortId(id))).toEqual(ids);
  });

  it.each<[query: string, parameter: string]>([
    ['filter[field_rating][operator]=IS%20NULL', 'filter[field_rating]'],
    ['filter[field_rating][path]=title', 'filter[field_rating]'],
    ['filter[x][condition][value]=Alpha', 'filter[x][condition][path]'],
    [
      'filter[x][condition][path]=title&filter[x][condition][operator]=IS%20NULL&filter[x][condition][value]=',
      'filter[x][condition][value]',
    ],
    ['filter[title][operator]=IN&filter[title][value][a]=Alpha', 'filter[title][value][a]'],
    ['filter[title][operator]=not%20in&filter[title][value]=Alpha', 'filter[title][operator]'],
    ['filter[title][operator]=Starts_With&filter[title][value]=A', 'filter[title][operator]'],
    ['filter[field_author]=x', 'filter[field_author]'],
    ['filter[field_tags][operator]=%3C%3E&filter[field_tags][value]=x', 'filter[field_tags]'],
    ['filter[body]=x', 'filter[body]'],
    [
      'filter[x][condition][path]=body&filter[x][condition][operator]=IS%20NULL',
      'filter[x][condition][path]',
    ],
    ['filter[uuid]=x', 'filter[uuid]'],
    ['filter[type]=node--article', 'filter[type]'],
    ['filter[field_author.uuid]=x', 'filter[field_author.uuid]'],
    ['filter[field_author.type]=node--person', 'filter[field_author.type]'],
    ['filter[field_list.value]=alpha', 'filter[field_list.value]'],
    ['filter[field_list.0.value]=alpha', 'filter[field_list.0.value]'],
    ['filter[title.value]=Alpha', 'filter[title.value]'],
    ['filter[title.0]=Alpha', 'filter[title.0]'],
    ['filter[body.nope]=x', 'filter[body.nope]'],
    ['filter[field_tags.-1.title]=x', 'filter[field_tags.-1.title]'],
    ['filter[a][group][conjunction]=xor', 'filter[a][group][conjunction]'],
    ['filter[a][condition][path]=title&filter[a][memberOf]=g', 'filter[a][memberOf]'],
  ])('%s is rejected', async (query, parameter) => {
    const { errors } = await get(`/jsonapi/node/article?${query}`);
    expect(errors).toMatchObject([{ status: '400', source: { parameter } }]);
  });
});

describe('a page', () => {
  it.each<[query: string, first: string | undefined, length: number]>([
    ['page[limit]=51', 'a1', PAGED.page],
    ['page[limit]=5a', 'a1', PAGED.page],
    ['page[limit]=0x10', 'a1', PAGED.page],
    ['page[limit]=1e1', 'a1', 10],
    ['page[limit]=%2B3', 'a1', 3],
    ['page[limit][]=3', 'a1', PAGED.page],
    ['page[limit]=3&page[limit]=2', 'a1', 2],
    ['page[nope]=x', 'a1', PAGED.page],
    ['page[offset]=59', 'a60', 1],
    ['page[offset]=60', undefined, 0],
    ['page[offset]=900000', undefined, 0],
    ['page[offset]=1.9&page[limit]=1.9', 'a2', 1],
    ['page[limit]=0', 'a1', PAGED.all],
  ])('of %s has the expected length and links', async (query, first, length) => {
    const { data, links, meta } = await get(`/jsonapi/node/article?${query}`);
    expect(data[0] && shortId(data[0].id)).toBe(first);
    expect(data).toHaveLength(length);
    expect(meta.count).toBe(PAGED.all);
    const named = [links.next, links.prev, links.first].filter((link) => link !== undefined);
    for (const { href } of named) {
      const names = [...new URL(href).searchParams.keys()];
      expect(names).toEqual(expect.arrayContaining(['page[offset]', 'page[limit]']));
    }
    expect('prev' in links).toBe(/offset\]=[1-9]/.test(query));
  });
});

describe('sparse fields', () => {
  it.each([
    ['', undefined, undefined],
    [',', undefined, undefined],
    ['nope', undefined, undefined],
    ['title,nope', ['title'], undefined],
    ['field_tags', undefined, ['field_tags']],
    ['field_tags,title,title', ['title'], ['field_tags']],
    ['status,title', ['title', 'status'], undefined],
  ])('%j', async (fields, attributes, relationships) => {
    const asked = `fields[node--article]=${fields}&fields[node--nope]=x`;
    for (const path of ['', `/${uuidOf(19)}`, `/${uuidOf(68)}/field_related`]) {
      const { data } = await get(`/jsonapi/node/article${path}?${asked}`);
      const resource = [data].flat()[0];
      expect(resource.attributes && Object.keys(resource.attributes)).toEqual(attributes);
      expect(resource.relationships && Object.keys(resource.relationships)).toEqual(relationships);
    }
  });
});

describe('a sort', () => {
  it.each([
    ['sort[a][path]=title&sort[a][direction]=Desc', 'sort=-title'],
    ['sort[a][path]=title&sort[a][direction]=down', 'sort=title'],
    ['sort[b][path]=field_rating&sort[a][path]=title', 'sort=field_rating,title'],
    ['sort[9][path]=field_rating&sort[1][path]=title', 'sort=field_rating,title'],
    ['sort=field_rating&sort=-title', 'sort=-title'],
    ['sort=-field_author.entity.title,id', 'sort=-field_author.title'],
  ])('%s is %s', async (one, other) => {
    const [first, second] = [
      await get(`/jsonapi/node/article?${one}`),
      await get(`/jsonapi/node/article?${other}`),
    ];
    expect(first.data).toEqual(second.data);
  });
});

describe('a URL', () => {
  it.each([
    [`/jsonapi/node/article/${FIRST}`, `/jsonapi/node/article/${FIRST.toLowerCase()}`],
    [`/jsonapi/node/article/${FIRST}/`, `/jsonapi/node/article/${FIRST.toLowerCase()}`],
    [
      `/jsonapi/node/article/${FIRST}/field_author/`,
      `/jsonapi/node/article/${FIRST.toLowerCase()}/field_author`,
    ],
    ['/jsonapi/node/article/?page[limit]=1', '/jsonapi/node/article?page[limit]=1'],
    ['/jsonapi/', '/jsonapi'],
  ])('%s is %s', async (one, other) => {
    expect((await get(one)).data).toEqual((await get(other)).data);
  });

  it.each(['field_related', 'relationships/field_related'])(
    'of %s supports include and fields, and ignores other parameters',
    async (below) => {
      const path = `/jsonapi/node/article/${uuidOf(68)}/${below}`;
      const plain = await get(path);
      const asked = await get(`${path}?filter[title]=x&sort=-title&page[limit]=1&include=field_related`);
      expect(asked.data).toEqual(plain.data);
      expect(asked.meta.ignored).toEqual(['filter[title]', 'sort', 'page[limit]']);
    },
  );
});

async function get(path: string) {
  const response = await fetchFrom(handle, path, { actor: ADMINISTRATOR });
  return response.json();
}

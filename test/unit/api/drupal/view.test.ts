import { describe, expect, it } from 'vitest';
import { createHandler } from '../../../support/handler.ts';
import { createMemoryDriver } from '../../../support/memory-driver.ts';
import { fetchFrom, ORIGIN } from '../../../support/request.ts';
import { createServices } from '../../../support/services.ts';

const FILES = Object.fromEntries(
  Array.from({ length: 7 }, (_, at) => [
    `note/n${at}.md`,
    `---\ntitle: Note ${at}\nstatus: ${at !== 6}\nweight: ${at % 3}\nnext: note/n${(at + 1) % 7}\n---\n`,
  ]),
);
const services = await createServices(createMemoryDriver(FILES), undefined, {
  settings: {
    staticQueries: {
      recent: '/node/note?sort=-title&page[limit]=2&fields[node--note]=title',
      'recent--light': '/node/note?filter[weight]=0&sort=-title',
      'one--default': '/node/note/n1',
    },
  },
});
const handle = createHandler(services);
const get = async (path: string) => (await fetchFrom(handle, path)).json();
const ids = ({ data }: { data: readonly { id: string }[] }) => data.map(({ id }) => id);

describe('a view', () => {
  it.each([
    ['recent/default', ['n5', 'n4'], 6],
    ['recent/light', ['n3', 'n0'], 2],
    ['recent/default?page=1', ['n3', 'n2'], 6],
    ['recent/default?views-filter[weight]=2', ['n5', 'n2'], 2],
    ['recent/light?views-filter[weight]=2', [], 0],
    ['recent/default?views-sort[sort_by]=title', ['n0', 'n1'], 6],
    ['recent/default?views-sort[sort_by]=title&views-sort[sort_order]=DESC', ['n5', 'n4'], 6],
  ])('returns the results of a listed query: %s', async (path, expected, count) => {
    const document = await get(`/jsonapi/views/${path}`);
    expect(ids(document)).toEqual(expected);
    expect(document.meta.count).toBe(count);
  });

  it('has pages from 0 to the end', async () => {
    const pages = [await get('/jsonapi/views/recent/default?fooBar=1')];
    expect(pages[0].links.next.href).toBe(`${ORIGIN}/jsonapi/views/recent/default?fooBar=1&page=1`);
    for (let next = pages[0].links.next; next !== undefined; next = pages.at(-1).links.next) {
      pages.push(await get(next.href.slice(ORIGIN.length)));
    }
    expect(pages.flatMap(ids)).toEqual(['n5', 'n4', 'n3', 'n2', 'n1', 'n0']);
    expect(ids(await get(pages[2].links.prev.href.slice(ORIGIN.length)))).toEqual(ids(pages[1]));
    expect(pages[0].meta.ignored).toEqual(['fooBar']);
  });

  it('has includes and sparse fields of the request', async () => {
    const { data, included } = await get('/jsonapi/views/recent/light?include=next&fields[node--note]=next');
    expect(data[0]).not.toHaveProperty('attributes');
    expect(included.map(({ id }: { id: string }) => id)).toEqual(['n4', 'n1']);
  });

  it('lists parameters without an effect', async () => {
    const sort = 'views-sort[sort_by]=title&views-sort[sort_order]=up&views-sort[by]=id';
    const filter =
      'views-filter[a][condition][path]=weight&views-filter[a][condition][value]=2&views-filter[a][condition][x]=1';
    const { meta } = await get(`/jsonapi/views/recent/default?${sort}&${filter}`);
    expect(meta.ignored).toEqual([
      'views-filter[a][condition][x]',
      'views-sort[sort_order]',
      'views-sort[by]',
    ]);
  });

  it.each([
    ['nope/default', '404', undefined, 'Views: recent/default, recent/light, one/default.'],
    ['recent/nope', '404', undefined, 'recent/light'],
    ['one/default', '404', undefined, 'is not a list'],
    ['recent/default?page=-1', '400', 'page', 'at least 0'],
    ['recent/default?page[offset]=1', '400', 'page', 'a list'],
    ['recent/default?views-filter[nope]=1', '400', 'views-filter[nope]', 'no field'],
    [
      'recent/default?views-filter[weight][operator]=LIKE&views-filter[weight][value]=1',
      '400',
      'views-filter[weight][operator]',
      'LIKE',
    ],
    ['recent/default?views-sort[sort_by]=nope', '400', 'views-sort[sort_by]', 'no field'],
    ['recent/default?views-sort=title', '400', 'views-sort[sort_by]', 'Add views-sort[sort_by]'],
    ['recent/default?include=nope', '400', 'include', 'nope'],
  ])('at %s is a %s', async (path, status, parameter, detail) => {
    const { errors } = await get(`/jsonapi/views/${path}`);
    expect(errors).toMatchObject([{ status }]);
    expect(errors[0].source?.parameter).toBe(parameter);
    expect(errors[0].detail).toContain(detail);
  });
});

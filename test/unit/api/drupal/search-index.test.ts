import { describe, expect, it } from 'vitest';
import { defineSchema, reference, z } from '../../../../integration/schema.ts';
import { createHandler } from '../../../support/handler.ts';
import { createMemoryDriver } from '../../../support/memory-driver.ts';
import { fetchFrom, ORIGIN } from '../../../support/request.ts';
import { createServices } from '../../../support/services.ts';

const SCHEMA = defineSchema({
  article: {
    field_tags: z.array(reference('tag')).default([]).meta({ title: 'Subjects' }),
    field_zone: z.string().nullish(),
    field_issue: z.int().nullish(),
  },
  event: {
    field_tags: z.array(reference('tag')).default([]),
    field_zone: z.string().nullish(),
    field_day: z.iso.date().nullish(),
    field_issue: z.string().nullish(),
  },
  tag: {},
});
const entity = (values: Readonly<Record<string, unknown>>, text = '') =>
  `---\n${JSON.stringify(values)}\n---\n${text}\n`;
const FILES = {
  'tag/sea.md': entity({ title: 'Sea' }),
  'tag/sky.md': entity({ title: 'Sky' }),
  'tag/secret.md': entity({ title: 'Secret', status: false }),
  'article/a.md': entity(
    { title: 'Tides', field_tags: ['sea'], field_zone: 'Upper', field_issue: 1 },
    'The moon.',
  ),
  'article/b.md': entity(
    { title: 'Crabs', field_tags: ['sea', 'sky'], field_zone: 'lower', field_issue: 2 },
    'A tide.',
  ),
  'article/c.md': entity(
    { title: 'Hidden', status: false, field_tags: ['sea'], field_zone: 'upper' },
    'A tide.',
  ),
  'event/a.md': entity({
    title: 'Low tide walk',
    field_tags: ['sky', 'secret'],
    field_zone: 'upper',
    field_day: '2026-03-01',
  }),
  'event/m.md': entity({ title: 'Evening', field_zone: 'upper', field_day: '2026-04-01' }),
};
const indexes = {
  articles: {
    bundles: ['article'],
    facets: { field_tags: {}, field_zone: { label: 'Zone', operator: 'or' } },
  },
  all: {
    bundles: ['article', 'event', 'nothing'],
    facets: { field_tags: { label: 'Subject' }, field_zone: { sort: 'value' } },
  },
  titles: { bundles: ['article', 'event'], search: ['title'], facets: {} },
  private: { bundles: ['article'], facets: { uid: {}, 'field_tags.uid': {}, field_zone: {} } },
  empty: { bundles: ['nothing'], facets: {} },
  wrong: { bundles: ['article'], facets: { field_nope: {} } },
  mixed: { bundles: ['article', 'event'], facets: { field_issue: {} } },
} as const;

const services = await createServices(createMemoryDriver(FILES), SCHEMA, { settings: { indexes } });
const handle = createHandler(services);
const get = async (path: string) => (await fetchFrom(handle, path)).json();
const index = (name: string, query = '') => get(`/jsonapi/index/${name}?${query}`);
const names = ({ data }: { data: readonly { type: string; id: string }[] }) =>
  data.map(({ type, id }) => `${type.slice('node--'.length)}/${id}`);

describe('a search index', () => {
  it('has the facets of its options, in the form of jsonapi_search_api_facets', async () => {
    const term = (path: string, value: string, label: string, count: number) => ({
      url: `${ORIGIN}/jsonapi/index/articles?filter%5B${path}%5D=${value}`,
      values: { value, label, active: false, count },
    });
    const { data, meta, links } = await index('articles');
    expect(data.map(({ id }: { id: string }) => id)).toEqual(['a', 'b']);
    expect(meta).toEqual({
      count: 2,
      facets: [
        {
          id: 'field_tags',
          label: 'Subjects',
          path: 'field_tags',
          terms: [term('field_tags', 'sea', 'Sea', 2), term('field_tags', 'sky', 'Sky', 1)],
        },
        {
          id: 'field_zone',
          label: 'Zone',
          path: 'field_zone',
          terms: [term('field_zone', 'lower', 'lower', 1), term('field_zone', 'Upper', 'Upper', 1)],
        },
      ],
    });
    expect(links.self.href).toBe(`${ORIGIN}/jsonapi/index/articles`);
  });

  it('leads from term to term, and back, along the URLs of its facets', async () => {
    const term = (
      document: { meta: { facets: readonly { terms: readonly Term[] }[] } },
      facet: number,
      value: string,
    ) => {
      const found = document.meta.facets[facet]?.terms.find(({ values }) => values.value === value);
      if (found === undefined) throw new Error(`The facet has no term ${value}.`);
      return found;
    };
    const follow = (url: string) => get(url.slice(ORIGIN.length));
    const start = await index('articles', 'sort=-title&page[offset]=0&page[limit]=5&filter[fulltext]=tide');
    const upper = await follow(term(start, 1, 'Upper').url);
    expect(names(upper)).toEqual(['article/a']);
    expect(term(upper, 1, 'Upper').values).toMatchObject({ active: true, count: 1 });
    expect(term(upper, 1, 'lower').values).toMatchObject({ active: false, count: 1 });
    const both = await follow(term(upper, 1, 'lower').url);
    expect(names(both)).toEqual(['article/a', 'article/b']);
    expect([...new URL(both.links.self.href).searchParams]).toEqual([
      ['filter[fulltext]', 'tide'],
      ['filter[field_zone-facet][condition][path]', 'field_zone'],
      ['filter[field_zone-facet][condition][operator]', 'IN'],
      ['filter[field_zone-facet][condition][value][]', 'Upper'],
      ['filter[field_zone-facet][condition][value][]', 'lower'],
      ['page[limit]', '5'],
      ['sort', '-title'],
    ]);
    const lower = await follow(term(both, 1, 'Upper').url);
    expect(names(lower)).toEqual(['article/b']);
    const sky = await follow(term(lower, 0, 'sky').url);
    expect(names(sky)).toEqual(['article/b']);
    expect(term(sky, 0, 'sky').values.active).toBe(true);
    const none = await follow(term(await follow(term(sky, 0, 'sky').url), 1, 'lower').url);
    expect(names(none)).toEqual(names(start));
  });

  it.each([
    ['', ['article/a', 'event/a', 'article/b', 'event/m']],
    ['sort=title', ['article/b', 'event/m', 'event/a', 'article/a']],
    ['sort=-title&page[limit]=2', ['article/a', 'event/a']],
    ['sort=-title&page[limit]=2&page[offset]=1', ['event/a', 'event/m']],
    ['sort=-field_day,id', ['event/m', 'event/a', 'article/a', 'article/b']],
    ['sort=field_day,-title', ['article/a', 'article/b', 'event/a', 'event/m']],
    ['sort=field_zone,title', ['article/b', 'event/m', 'event/a', 'article/a']],
    ['filter[field_zone]=UPPER', ['article/a', 'event/a', 'event/m']],
    ['filter[field_day][operator]=>&filter[field_day][value]=2026-03-15', ['event/m']],
    [
      'filter[a][condition][path]=field_day&filter[a][condition][operator]=IS NULL',
      ['article/a', 'article/b'],
    ],
    ['filter[field_tags]=sky', ['event/a', 'article/b']],
    ['filter[field_tags.title]=Sea', ['article/a', 'article/b']],
    [
      'filter[g][group][conjunction]=OR&filter[a][condition][path]=field_day&filter[a][condition][value]=2026-04-01&filter[a][condition][memberOf]=g&filter[b][condition][path]=title&filter[b][condition][value]=tides&filter[b][condition][memberOf]=g',
      ['article/a', 'event/m'],
    ],
    ['filter[fulltext]=tide&sort=id', ['article/a', 'event/a', 'article/b']],
    ['page[number]=2&page[size]=3', ['event/m']],
  ])('lists entities of several bundles together: %s', async (query, expected) => {
    const document = await index('all', query);
    expect(names(document), JSON.stringify(document.errors)).toEqual(expected);
  });

  it('counts entities of several bundles together', async () => {
    const { meta } = await index('all', 'page[limit]=1');
    const counts = meta.facets.map(({ label, terms }: { label: string; terms: readonly Term[] }) => [
      label,
      terms.map(({ values }) => `${values.label} ${values.count}`),
    ]);
    expect(meta.count).toBe(4);
    expect(counts).toEqual([
      ['Subject', ['Sea 2', 'Sky 2']],
      ['field_zone', ['lower 1', 'upper 3']],
    ]);
  });

  it('searches the fields of its options, and sorts by relevance', async () => {
    expect(names(await index('titles', 'filter[fulltext]=tide'))).toEqual(['article/a', 'event/a']);
    expect(names(await index('all', 'filter[fulltext]=tide')).toSorted()).toEqual([
      'article/a',
      'article/b',
      'event/a',
    ]);
    expect((await index('titles', 'filter[fulltext]=moon')).meta.count).toBe(0);
  });

  it('recognizes a selected value in any spelling', async () => {
    const { meta } = await index('articles', 'filter[field_zone]=UPPER');
    const [, zone] = meta.facets;
    const upper = zone.terms.find(({ values }: Term) => values.value === 'Upper');
    expect(upper.values.active).toBe(true);
    expect(upper.url).toBe(`${ORIGIN}/jsonapi/index/articles`);
  });

  it('leaves out facets on hidden fields', async () => {
    const { meta } = await index('private');
    expect(meta.facets.map(({ id }: { id: string }) => id)).toEqual(['field_zone']);
  });

  it('has includes, sparse fields and pages like a collection', async () => {
    const { data, included, links } = await index(
      'all',
      'include=field_tags&fields[node--article]=title&fields[node--tag]=title&page[limit]=1',
    );
    expect(data[0].attributes).toEqual({ title: 'Tides' });
    expect(included.map(({ id }: { id: string }) => id)).toEqual(['sea']);
    expect(names(await get(links.next.href.slice(ORIGIN.length)))).toEqual(['event/a']);
  });

  it.each([
    ['nope', '', '404', undefined, ', _all.'],
    ['empty', '', '404', undefined, 'none of its bundles exists'],
    ['articles', 'facetBy=field_zone', '400', 'facetBy', 'option indexes'],
    ['all', 'filter[field_nope]=1', '400', 'filter[field_nope]', 'no field "field_nope"'],
    ['all', 'sort=field_nope', '400', 'sort', 'no field "field_nope"'],
    ['all', 'sort=field_issue', '400', 'sort', 'several kinds (integer, string)'],
    ['mixed', '', '400', 'indexes.mixed.facets', 'several kinds (integer, string)'],
    ['wrong', '', '400', 'indexes.wrong.facets', 'no field "field_nope"'],
  ])('of %s?%s is a %s', async (name, query, status, parameter, detail) => {
    const { errors } = await index(name, query);
    expect(errors).toMatchObject([{ status }]);
    expect(errors[0].source?.parameter).toBe(parameter);
    expect(errors[0].detail).toContain(detail);
  });

  it('accepts the methods for reading only', async () => {
    const options = await fetchFrom(handle, '/jsonapi/index/all', { method: 'OPTIONS' });
    expect((await options.json()).meta.allow).toEqual(['GET', 'HEAD', 'OPTIONS']);
    expect((await fetchFrom(handle, '/jsonapi/index/all', { method: 'POST' })).status).toBe(405);
  });
});

interface Term {
  readonly url: string;
  readonly values: {
    readonly value: string;
    readonly label: string;
    readonly active: boolean;
    readonly count: number;
  };
}

describe('the index of all content', () => {
  it('has all visible entities in one list', async () => {
    const all = await index('_all');
    expect(names(all)).toEqual(['article/a', 'event/a', 'article/b', 'event/m', 'tag/sea', 'tag/sky']);
    expect(all.meta).toEqual({ count: 6 });
    expect(all.links.self.href).toBe(`${ORIGIN}/jsonapi/index/_all`);
  });

  it.each([
    ['filter[title][operator]=CONTAINS&filter[title][value]=tide', ['article/a', 'event/a']],
    ['filter[fulltext]=tide', ['article/a', 'event/a', 'article/b']],
    ['filter[field_zone]=upper', ['article/a', 'event/a', 'event/m']],
    ['filter[status]=0', []],
    ['sort=-title&page[limit]=2&page[offset]=1', ['tag/sky', 'tag/sea']],
  ])('%s finds %j', async (query, expected) => {
    expect(names(await index('_all', query))).toEqual(expected);
  });

  it('counts the facets that a request asks for, like a collection', async () => {
    const { meta } = await index(
      '_all',
      'facetBy[field_zone][operator]=or&facetBy[langcode]=&filter[field_zone]=lower',
    );
    expect(meta).toEqual({
      count: 1,
      facets: {
        field_zone: {
          terms: [
            { value: 'upper', count: 3 },
            { value: 'lower', count: 1 },
          ],
          total: 2,
          missing: 2,
        },
        langcode: { terms: [{ value: 'en', count: 1 }], total: 1, missing: 0 },
      },
    });
  });

  it('is empty on a site without content', async () => {
    const empty = createHandler(await createServices(createMemoryDriver({})));
    const response = await fetchFrom(empty, '/jsonapi/index/_all?sort=title&facetBy=status');
    expect([response.status, (await response.json()).data]).toEqual([200, []]);
  });

  it.each([
    ['filter[field_nope]=1', 'filter[field_nope]'],
    ['sort=field_issue', 'sort'],
    ['facetBy=field_nope', 'facetBy'],
  ])('%s is a 400 that names the parameter', async (query, parameter) => {
    const { errors } = await index('_all', query);
    expect(errors[0]).toMatchObject({ status: '400', source: { parameter } });
  });
});

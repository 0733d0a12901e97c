import { describe, expect, it } from 'vitest';
import { ADMINISTRATOR, ANONYMOUS } from '../../../integration/core/access/actor.ts';
import type { Scalar } from '../../../integration/core/engine/ast.ts';
import { decimal, defineSchema, reference, z } from '../../../integration/schema.ts';
import { createHandler } from '../../support/handler.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { fetchFrom } from '../../support/request.ts';
import { createServices, staticFiles } from '../../support/services.ts';

const SCHEMA = defineSchema({
  walk: {
    field_tags: z.array(reference('tag')).default([]),
    field_guide: reference('person').nullish(),
    field_about: reference(['tag', 'person']).nullish(),
    field_zone: z.string().nullish(),
    field_words: z.array(z.string()).default([]),
    field_height: decimal().nullish(),
    field_steps: z.int().nullish(),
    field_day: z.iso.date().nullish(),
    field_free: z.boolean().nullish(),
    field_kit: z.array(z.object({ item: z.string() })).default([]),
  },
  tag: { field_group: z.string().nullish() },
  person: {},
});

const walk = (values: Readonly<Record<string, unknown>>) => `---\n${JSON.stringify(values)}\n---\nText.\n`;
const FILES = {
  'tag/sea.md': walk({ title: 'Sea', field_group: 'Water' }),
  'tag/river.md': walk({ title: 'River', field_group: 'water' }),
  'tag/rock.md': walk({ title: 'Rock' }),
  'tag/secret.md': walk({ title: 'Secret', status: false, field_group: 'WATER' }),
  'person/ada.md': walk({ title: 'Ada' }),
  'walk/a.md': walk({
    title: 'A',
    created: '2026-01-01T00:30:00+01:00',
    field_tags: ['sea', 'river'],
    field_guide: 'ada',
    field_about: 'tag/sea',
    field_zone: 'Upper',
    field_words: ['x', 'X', 'y'],
    field_height: '0.50',
    field_steps: 3,
    field_day: '2026-03-02',
    field_free: true,
    field_kit: [{ item: 'boots' }, { item: 'boots' }, { item: 'net' }],
  }),
  'walk/b.md': walk({
    title: 'B',
    created: '2026-02-01T00:00:00Z',
    field_tags: ['sea', 'secret'],
    field_about: 'person/ada',
    field_zone: 'upper',
    field_height: '1',
    field_steps: 10,
    field_day: '2026-03-30',
    field_free: false,
  }),
  'walk/c.md': walk({
    title: 'C',
    created: '2026-02-28T23:59:59Z',
    field_tags: ['secret'],
    field_zone: 'lower',
    field_height: '2.5',
    field_day: '2025-12-31',
  }),
  'walk/hidden.md': walk({
    title: 'Hidden',
    status: false,
    created: '2020-01-01T00:00:00Z',
    field_tags: ['sea', 'rock'],
    field_zone: 'UPPER',
    field_height: '9',
    field_steps: 3,
  }),
};

const services = await createServices(createMemoryDriver(FILES), SCHEMA, { settings: { explorer: true } });
const handle = createHandler(services);
const get = async (path: string) => (await fetchFrom(handle, path)).json();
const facets = async (query: string) => (await get(`/jsonapi/node/walk?${query}`)).meta.facets;

/** Terms that one entity has. */
const once = (...values: readonly Scalar[]) => values.map((value) => ({ value, count: 1 }));

describe('facets of a collection', () => {
  it.each([
    [
      'references, with the titles of their targets',
      'facetBy=field_tags',
      'field_tags',
      [
        { value: 'sea', type: 'node--tag', label: 'Sea', count: 2 },
        { value: 'river', type: 'node--tag', label: 'River', count: 1 },
      ],
      1,
    ],
    [
      'references to several types',
      'facetBy=field_about',
      'field_about',
      [
        { value: 'ada', type: 'node--person', label: 'Ada', count: 1 },
        { value: 'sea', type: 'node--tag', label: 'Sea', count: 1 },
      ],
      1,
    ],
    [
      'text, in any letter case, as visible entities write it',
      'facetBy=field_zone',
      'field_zone',
      [
        { value: 'Upper', count: 2 },
        { value: 'lower', count: 1 },
      ],
      0,
    ],
    [
      'items of a list, once per entity',
      'facetBy[field_words][sort]=value',
      'field_words',
      once('x', 'y'),
      2,
    ],
    ['properties of objects', 'facetBy=field_kit.item', 'field_kit.item', once('boots', 'net'), 2],
    [
      'fields of targets, once per entity',
      'facetBy=field_tags.field_group',
      'field_tags.field_group',
      [{ value: 'Water', count: 2 }],
      1,
    ],
    ['ids of targets', 'facetBy=field_guide.id', 'field_guide.id', once('ada'), 2],
    [
      'one item of a list',
      'facetBy=field_tags.1',
      'field_tags.1',
      [{ value: 'river', type: 'node--tag', label: 'River', count: 1 }],
      2,
    ],
    ['booleans', 'facetBy[field_free][sort]=value', 'field_free', once(false, true), 1],
    ['integers', 'facetBy=field_steps', 'field_steps', once(3, 10), 1],
    [
      'years in UTC',
      'facetBy[created][interval]=year',
      'created',
      [
        { value: '2025', count: 1 },
        { value: '2026', count: 2 },
      ],
      0,
    ],
    [
      'months',
      'facetBy[created][interval]=month',
      'created',
      [
        { value: '2025-12', count: 1 },
        { value: '2026-02', count: 2 },
      ],
      0,
    ],
    [
      'days, most frequent first',
      'facetBy[field_day][interval]=day&facetBy[field_day][sort]=count',
      'field_day',
      once('2025-12-31', '2026-03-02', '2026-03-30'),
      0,
    ],
    [
      'ranges of decimals, whose boundaries belong to the range above',
      'facetBy[field_height][ranges]=2.5,0,1',
      'field_height',
      [
        { from: '0', to: '1', count: 1 },
        { from: '1', to: '2.5', count: 1 },
        { from: '2.5', to: null, count: 1 },
      ],
      0,
    ],
    [
      'ranges of integers',
      'facetBy[field_steps][ranges]=5',
      'field_steps',
      [
        { from: null, to: 5, count: 1 },
        { from: 5, to: null, count: 1 },
      ],
      1,
    ],
    [
      'ranges of dates',
      'facetBy[field_day][ranges]=2026-01-01',
      'field_day',
      [
        { from: null, to: '2026-01-01', count: 1 },
        { from: '2026-01-01', to: null, count: 2 },
      ],
      0,
    ],
  ])('count %s', async (_, query, path, terms, missing) => {
    expect(await facets(query)).toEqual({ [path]: { terms, total: terms.length, missing } });
  });

  it('count all matching entities, on whichever page they are', async () => {
    const all = await facets('facetBy=field_zone');
    expect(await facets('facetBy=field_zone&page[limit]=1&page[offset]=2')).toEqual(all);
    expect(await facets('facetBy=field_zone&page[offset]=99')).toEqual(all);
    expect((await facets('facetBy=field_zone&filter[field_free]=1')).field_zone.terms).toEqual([
      { value: 'Upper', count: 1 },
    ]);
  });

  it('limit terms, leave out rare ones, and report how many there are', async () => {
    expect((await facets('facetBy[field_tags][limit]=1')).field_tags).toMatchObject({
      terms: [{ value: 'sea' }],
      total: 2,
    });
    expect((await facets('facetBy[field_tags][min]=2')).field_tags).toMatchObject({
      terms: [{ value: 'sea' }],
      total: 1,
    });
  });

  it('leave out the conditions on their own path with the operator or', async () => {
    const own = 'filter[field_tags.id]=river&filter[field_zone]=upper';
    const { field_tags: and } = await facets(`${own}&facetBy=field_tags`);
    expect(and.terms).toMatchObject([
      { value: 'river', count: 1 },
      { value: 'sea', count: 1 },
    ]);
    const { field_tags: or, field_zone } = await facets(
      `${own}&facetBy[field_tags][operator]=or&facetBy[field_zone]=`,
    );
    expect(or.terms).toMatchObject([
      { value: 'sea', count: 2 },
      { value: 'river', count: 1 },
    ]);
    expect(field_zone.terms).toEqual([{ value: 'Upper', count: 1 }]);
  });

  it('keep conditions in groups with the operator or', async () => {
    const grouped =
      'filter[g][group][conjunction]=OR&filter[a][condition][path]=field_zone&filter[a][condition][value]=lower&filter[a][condition][memberOf]=g';
    expect((await facets(`${grouped}&facetBy[field_zone][operator]=or`)).field_zone.terms).toEqual([
      { value: 'lower', count: 1 },
    ]);
  });

  it.each([
    ['facetBy=field_zon', 'facetBy', 'Did you mean "field_zone"?'],
    ['facetBy[field_tags.titel]=', 'facetBy[field_tags.titel]', 'Valid: '],
    ['facetBy=uid', 'facetBy', 'no field "uid"'],
    ['facetBy=field_kit', 'facetBy', 'Count field_kit.item.'],
    ['facetBy=body.value', 'facetBy', 'cannot be counted'],
    ['facetBy=body', 'facetBy', 'body.summary'],
    ['facetBy[field_zone][interval]=year', 'facetBy[field_zone][interval]', 'date, datetime'],
    ['facetBy[field_tags][interval]=year', 'facetBy[field_tags][interval]', 'date, datetime'],
    ['facetBy[field_zone][ranges]=a', 'facetBy[field_zone][ranges]', 'decimal'],
    ['facetBy[field_steps][ranges]=1,many', 'facetBy[field_steps][ranges]', "'many'"],
    ['facetBy[field_day][ranges]=soon', 'facetBy[field_day][ranges]', '2024-01-31'],
  ])('reject %s', async (query, parameter, detail) => {
    const { errors } = await get(`/jsonapi/node/walk?${query}`);
    expect(errors).toMatchObject([{ status: '400', source: { parameter } }]);
    expect(errors[0].detail).toContain(detail);
  });

  it('are the same in plain JSON', async () => {
    const query = 'facetBy[field_tags][limit]=1&facetBy[created][interval]=year&filter[field_zone]=upper';
    const { meta } = await get(`/api/content/walks?${query}`);
    expect(meta.facets).toEqual(await facets(query));
  });

  it('are in the files of prebuilt queries', async () => {
    const query = 'facetBy=field_zone&page[limit]=2';
    const built = await createServices(createMemoryDriver(FILES), SCHEMA, {
      settings: { staticQueries: { zones: `/node/walk?${query}` } },
    });
    const files = await staticFiles(built);
    for (const name of ['zones', 'zones.2']) {
      const { meta } = JSON.parse(files.get(`jsonapi/q/${name}.json`) ?? '{}');
      expect(meta.facets).toEqual(await facets(query));
    }
  });

  it('have ids as labels if titles are hidden from the actor', async () => {
    const reader = await createServices(createMemoryDriver(FILES), SCHEMA, {
      roles: {
        anonymous: {
          permissions: [
            { actions: ['view'], bundles: '*', where: 'published', fields: { view: { except: ['title'] } } },
          ],
        },
      },
    });
    const response = await fetchFrom(createHandler(reader), '/jsonapi/node/walk?facetBy=field_tags', {
      actor: ANONYMOUS,
    });
    expect((await response.json()).meta.facets.field_tags.terms[0]).toMatchObject({
      value: 'sea',
      label: 'sea',
    });
  });
});

describe('the plan of a query', () => {
  const planOf = async (query: string, actor = ANONYMOUS) => {
    const url = encodeURIComponent(`/jsonapi/node/walk?${query}`);
    const response = await fetchFrom(handle, `/jsonapi-explorer/explain.json?url=${url}`, { actor });
    return (await response.json()).plan.split('\n');
  };

  it('shows how each facet is counted', async () => {
    expect(
      await planOf(
        'filter[field_height][operator]=>&filter[field_height][value]=0.9&facetBy=field_zone,field_tags',
      ),
    ).toEqual([
      'node--walk: 2 of 3 rows',
      '  field_height > "0.9" (found 2)',
      '  order by id ASC; page 0 to 50',
      '  facet field_zone: 2 of 2 terms in 2 rows (0 without a value) by column codes',
      '  facet field_tags: 1 of 1 terms in 2 rows (1 without a value) by cached keys',
    ]);
  });

  it.each([
    ['facetBy[field_tags][limit]=1', 'field_tags: 1 of 2 terms in 3 rows (1 without a value) by cached keys'],
    [
      'facetBy=field_guide.title',
      'field_guide.title: 1 of 1 terms in 3 rows (2 without a value) by cached keys',
    ],
    ['facetBy[created][interval]=year', 'created: 2 of 2 terms in 3 rows (0 without a value) by cached keys'],
    ['facetBy=field_words', 'field_words: 2 of 2 terms in 3 rows (2 without a value) by cached keys'],
    ['facetBy=field_steps', 'field_steps: 2 of 2 terms in 3 rows (1 without a value) by column codes'],
  ])('describes %s', async (query, line) => {
    expect(await planOf(query)).toContain(`  facet ${line}`);
  });

  it('shows how the rows of a facet without its own conditions are found', async () => {
    const query =
      'filter[field_zone]=lower&filter[field_height][operator]=>&filter[field_height][value]=0.9&facetBy[field_zone][operator]=or';
    expect((await planOf(query)).slice(-2)).toEqual([
      '  facet field_zone without its own conditions: 2 of 2 terms in 2 rows (0 without a value) by column codes',
      '    field_height > "0.9" (found 2)',
    ]);
    expect((await planOf(query, ADMINISTRATOR)).slice(-2)).toEqual([
      '  facet field_zone without its own conditions: 2 of 2 terms in 3 rows (0 without a value) by column codes',
      '    field_height > "0.9" (at most 3, found 3)',
    ]);
  });
});

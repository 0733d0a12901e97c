import type { PaginateFunction } from 'astro';
import { describe, expect, it } from 'vitest';
import { paginate } from '../../../integration/core/builder/paginate.ts';
import { createLibrary } from './library.ts';

const library = await createLibrary();
const { entities, jsonapi } = library;
const articles = entities('article');

const ids = async (query: { all(): Promise<readonly { readonly id: string }[]> }): Promise<string[]> =>
  (await query.all()).map(({ id }) => id);

describe('entities', () => {
  it('returns all published entities by id, on one page', async () => {
    expect(await ids(articles)).toEqual(['2024/deep', 'first', 'second', 'third']);
  });

  it('returns unpublished entities and hidden fields only as everyone', async () => {
    const all = entities('article', { as: 'everyone' });
    expect(await ids(all)).toEqual(['2024/deep', 'draft', 'first', 'second', 'third']);
    expect(await all.get('draft')).toHaveProperty('uid', 'ada');
    expect(await articles.get('draft')).toBeUndefined();
    expect(await articles.get('first')).not.toHaveProperty('uid');
    expect(await articles.count()).toBe(4);
    expect(await all.count()).toBe(5);
  });

  it('accepts short and full names of bundles of other entity types', async () => {
    expect(await ids(entities('topics'))).toEqual(['tides']);
    expect(await ids(entities('taxonomy_term--topics'))).toEqual(['tides']);
    expect(await ids(entities('node--tag'))).toEqual(['news', 'tech']);
  });

  it('renders at most 1,000 bodies at once, in their order', async () => {
    const keys = Array.from({ length: 2500 }, (_, at) => `article/${String(at).padStart(4, '0')}.md`);
    let running = 0;
    let most = 0;
    const large = await createLibrary(
      Object.fromEntries(keys.map((key) => [key, '---\ntitle: One\n---\nText.\n'])),
      undefined,
      {
        async renderBody({ id }) {
          running += 1;
          most = Math.max(most, running);
          await Promise.resolve();
          running -= 1;
          return id;
        },
      },
    );
    const found = await large.entities('article').all();
    expect(found.map(({ body }) => body)).toEqual(
      keys.map((key) => expect.objectContaining({ processed: key.slice(8, 12) })),
    );
    expect(most).toBe(1000);
  });

  it('accepts bundles of the schema without files', async () => {
    const empty = await createLibrary({});
    expect(await ids(empty.entities('article'))).toEqual([]);
  });
});

describe('suggest', () => {
  const { suggest } = library;

  it('returns what the address for suggestions returns, with the members of meta in each entry', async () => {
    const { data, meta } = await jsonapi(
      '/_suggest?searchWords=secon&resourceTypes=node--article&maxEntries=5',
    );
    const entry = { text: 'Second', ranges: [[0, 6]], path: '/node/article/second', langcode: 'en' };
    expect(data).toEqual([{ type: 'node--article', id: 'second', meta: entry }]);
    expect(await suggest('secon', { types: ['node--article'], limit: 5 })).toEqual({
      entries: [{ type: 'node--article', id: 'second', ...entry }],
      ...meta,
    });
    expect(meta).toMatchObject({ count: 1, completions: ['second'] });
  });

  it('shows drafts and their words only to everyone', async () => {
    expect(await suggest('draf')).toMatchObject({ entries: [], completions: [] });
    expect(await suggest('draf', { as: 'everyone' })).toMatchObject({
      entries: [{ id: 'draft' }],
      completions: ['draft'],
    });
  });

  it('rejects wrong options like the address', async () => {
    await expect(suggest('first', { limit: 21 })).rejects.toThrow('at most 20');
    await expect(suggest('first', { types: ['node--nothing'] })).rejects.toThrow('node--nothing');
  });
});

describe('where', () => {
  it.each([
    ['one value', articles.where('field_author.title', '=', 'Ada'), ['first']],
    ['a list', articles.where('field_rating', 'IN', [3, 4]), ['second', 'third']],
    ['two bounds', articles.where('field_rating', 'BETWEEN', [4, 5]), ['first', 'third']],
    ['no value', articles.where('field_tags', 'IS NULL'), ['second']],
    [
      'a missing or hidden target',
      articles.where('field_author', 'IS NOT NULL'),
      ['first', 'second', 'third'],
    ],
    ['a decimal string', articles.where('field_price', '<', 9.5), ['first']],
    ['a boolean', articles.where('status', '=', true).where('field_rating', '>', 3), ['first', 'third']],
    ['a body', articles.where('body.value', 'CONTAINS', 'TEXT'), ['first', 'second']],
  ])('compares with %s', async (_, query, expected) => {
    expect(await ids(query)).toEqual(expected);
  });

  it('joins calls by AND and nests groups', async () => {
    const query = articles
      .where('status', '=', true)
      .where(({ or, and, where }) =>
        or(
          where('field_rating', '<', 4),
          and(where('field_rating', '>', 4), where('field_tags.title', 'IN', ['news', 'sport'])),
        ),
      );
    expect(await ids(query)).toEqual(['first', 'second']);
  });

  it('matches one list item per group', async () => {
    const together = articles.where('field_kit.item', '=', 'net').where('field_kit.grams', '>', 500);
    const apart = articles
      .where(({ and, where }) => and(where('field_kit.item', '=', 'net')))
      .where(({ and, where }) => and(where('field_kit.grams', '>', 500)));
    expect(await ids(together)).toEqual([]);
    expect(await ids(apart)).toEqual(['first']);
  });
});

describe('a builder', () => {
  it('is immutable', async () => {
    const rated = articles.where('field_rating', 'IS NOT NULL');
    const best = rated.sort('-field_rating').page({ limit: 1 });
    rated.where('field_rating', '<', 0);
    expect(await ids(rated)).toEqual(['first', 'second', 'third']);
    expect(await ids(best)).toEqual(['first']);
    expect(Object.isFrozen(rated)).toBe(true);
  });

  it('copies the array that it receives', async () => {
    const ratings = [3];
    const query = articles.where('field_rating', 'IN', ratings);
    ratings.push(4);
    expect(await ids(query)).toEqual(['second']);
  });
});

describe('sort and page', () => {
  it.each([
    ['ascending, nulls first', articles.sort('field_rating'), ['2024/deep', 'second', 'third', 'first']],
    ['descending, nulls last', articles.sort('-field_rating'), ['first', 'third', 'second', '2024/deep']],
    [
      'through a reference',
      articles.sort('-field_author.title', 'title'),
      ['second', 'first', '2024/deep', 'third'],
    ],
    ['by several calls', articles.sort('status').sort('-title'), ['third', 'second', 'first', '2024/deep']],
    ['a page', articles.sort('title').page({ limit: 2, offset: 1 }), ['first', 'second']],
    ['a limit', articles.sort('-title').page({ offset: 1 }).limit(2), ['second', 'first']],
    [
      'a path that is known at run time only',
      articles.sort(library.runtimePath('-field_rating')),
      ['first', 'third', 'second', '2024/deep'],
    ],
    ['everything after an offset', articles.page({ offset: 3 }), ['third']],
    ['nothing', articles.page({ limit: 0 }), []],
  ])('support %s', async (_, query, expected) => {
    expect(await ids(query)).toEqual(expected);
  });
});

describe('a query result', () => {
  it('is flat, with references as stubs', async () => {
    expect(await articles.get('first')).toMatchObject({
      id: 'first',
      type: 'article',
      title: 'First',
      status: true,
      path: { alias: '/first' },
      body: { format: 'markdown', processed: '<p>first</p>', summary: null },
      field_author: { type: 'person', id: 'ada', title: 'Ada' },
      field_tags: [
        { type: 'tag', id: 'news', title: 'news' },
        { type: 'tag', id: 'tech', title: 'tech' },
      ],
      field_about: { type: 'person', id: 'bob', title: 'Bob' },
      field_rating: 5,
      field_price: '9.26',
      field_kit: [
        { item: 'boots', grams: 900 },
        { item: 'net', grams: 200 },
      ],
    });
  });

  it('has full entities for includes of any depth', async () => {
    const first = await articles.include('field_author.field_boss', 'field_tags').get('first');
    expect(first?.field_author).toMatchObject({
      title: 'Ada',
      field_email: 'ada@example.org',
      field_boss: { title: 'Bob', field_boss: { type: 'person', id: 'ghost', title: null } },
    });
    expect(first?.field_tags).toMatchObject([{ title: 'news', status: true }, { title: 'tech' }]);
    expect(first?.field_about).toEqual({ type: 'person', id: 'bob', title: 'Bob' });
  });

  it('omits included targets that are hidden from the actor', async () => {
    const included = await articles.include('field_author').include('field_tags').get('third');
    expect(included?.field_author).toBeNull();
    expect(included?.field_tags).toMatchObject([{ id: 'tech' }]);
    const stubs = await articles.get('third');
    expect(stubs?.field_author).toEqual({ type: 'person', id: 'ghost', title: null });
  });

  it('can be limited to fields, and then renders no body', async () => {
    const before = library.rendered();
    expect(await articles.fields('title').fields('field_author').get('first')).toEqual({
      id: 'first',
      type: 'article',
      title: 'First',
      field_author: { type: 'person', id: 'ada', title: 'Ada' },
    });
    expect(library.rendered()).toBe(before);
  });

  it('can be a single entity or a count', async () => {
    expect(await articles.sort('-field_rating').first()).toMatchObject({ id: 'first' });
    expect(await articles.page({ offset: 1 }).first()).toMatchObject({ id: 'first' });
    expect(await articles.where('title', '=', 'none').first()).toBeUndefined();
    expect(await articles.get('2024/deep')).toMatchObject({ title: 'Deep' });
    expect(await articles.get('FIRST')).toBeUndefined();
    expect(await articles.where('field_rating', '<', 5).get('first')).toBeUndefined();
    expect(await articles.page({ limit: 1, offset: 3 }).get('first')).toMatchObject({ id: 'first' });
    expect(await articles.page({ limit: 1 }).count()).toBe(4);
  });
});

describe('surroundings', () => {
  const byTitle = articles.sort('title').fields('title');
  it.each([
    ['2024/deep', undefined, 'First'],
    ['first', 'Deep', 'Second'],
    ['third', 'Second', undefined],
    ['draft', undefined, undefined],
    ['none', undefined, undefined],
  ])('of %s are its neighbors in the order of the query', async (id, previous, next) => {
    const around = await byTitle.surroundings(id);
    expect([around.previous?.title, around.next?.title]).toEqual([previous, next]);
  });

  it('ignore the page, follow filters, and have the fields and includes of the query', async () => {
    const query = articles
      .where('field_rating', '>', 3)
      .limit(1)
      .include('field_author')
      .fields('field_author');
    expect(await query.surroundings('third')).toEqual({
      previous: { id: 'first', type: 'article', field_author: expect.objectContaining({ title: 'Ada' }) },
      next: undefined,
    });
  });

  it('never include a hidden entity', async () => {
    const all = entities('article', { as: 'everyone' }).fields('title');
    expect(await all.surroundings('first')).toMatchObject({ previous: { id: 'draft' } });
    expect(await articles.surroundings('first')).toMatchObject({ previous: { id: '2024/deep' } });
  });

  it('render only the neighbors', async () => {
    const before = library.rendered();
    await articles.surroundings('first');
    expect(library.rendered() - before).toBe(2);
  });
});

describe('facets', () => {
  it('counts the values of matching entities, as the server does', async () => {
    const options = { field_tags: { limit: 1 }, 'field_author.title': {}, field_price: { ranges: [9.5] } };
    const counts = await articles.where('field_rating', 'IS NOT NULL').page({ limit: 1 }).facets(options);
    expect(counts).toEqual({
      field_tags: {
        terms: [{ value: 'tech', type: 'node--tag', label: 'tech', count: 2 }],
        total: 2,
        missing: 1,
      },
      'field_author.title': {
        terms: [
          { value: 'Ada', count: 1 },
          { value: 'Bob', count: 1 },
        ],
        total: 2,
        missing: 1,
      },
      field_price: {
        terms: [
          { from: null, to: '9.5', count: 1 },
          { from: '9.5', to: null, count: 1 },
        ],
        total: 2,
        missing: 1,
      },
    });
    const { meta } = await jsonapi(
      '/node/article?filter[r][condition][path]=field_rating&filter[r][condition][operator]=IS%20NOT%20NULL&facetBy[field_tags][limit]=1&facetBy[field_author.title]=&facetBy[field_price][ranges]=9.5',
    );
    expect(meta?.facets).toEqual(counts);
  });

  it('counts visible entities', async () => {
    const everything = await entities('article', { as: 'everyone' }).facets({ field_tags: {} });
    expect(everything.field_tags?.terms).toContainEqual({
      value: 'hidden',
      type: 'node--tag',
      label: 'hidden',
      count: 1,
    });
  });

  const many = Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`f${at}`, {}]));
  it.each([
    [{ field_autor: {} }, "entities('article').facets({ field_autor: {} }): node--article has no field"],
    [{ 'field_author.titel': { limit: 2 } }, "facets({ 'field_author.titel': { limit: 2 } }): "],
    [{ title: { limit: 0 } }, 'limit must be an integer of at least 1, not 0.'],
    [{ title: { limit: 1001 } }, 'A facet may have 1000 terms at most, not 1001.'],
    [{ title: { limits: 5 } as never }, "A facet has no option 'limits'."],
    [{ title: { sort: 'label' } }, "sort cannot be 'label'. Valid: count, value."],
    [{ title: { interval: 'year' } }, 'date, datetime'],
    [many, 'A query may have 20 facets at most, not 21.'],
  ])('rejects invalid facets (%#)', async (facets, message) => {
    await expect(articles.facets(facets)).rejects.toThrow(message);
  });
});

describe('firstOrThrow', () => {
  it('returns the first entity', async () => {
    expect(await articles.sort('-field_rating').firstOrThrow()).toMatchObject({ id: 'first' });
  });

  it('rejects with the query if no entity matches', async () => {
    await expect(articles.where('title', '=', 'none').firstOrThrow()).rejects.toThrow(
      "entities('article').where('title', '=', 'none').firstOrThrow(): no entity matches.",
    );
  });
});

describe('toUrl', () => {
  it.each([
    [articles, '/jsonapi/node/article'],
    [
      articles.where('field_author.title', '=', 'Ada').sort('-created').page({ limit: 2 }),
      '/jsonapi/node/article?filter[field_author.title]=Ada&sort=-created&page[limit]=2',
    ],
    [entities('topics').fields('title'), '/jsonapi/taxonomy_term/topics?fields[taxonomy_term--topics]=title'],
  ])('is a path for jsonapi() and a server (%#)', async (query, url) => {
    expect(query.toUrl()).toBe(url);
    const { data } = await jsonapi(query.toUrl());
    const ids = (await query.all()).map(({ id }) => id);
    expect([data].flat().map((resource) => resource?.id)).toEqual(ids);
  });

  it('throws for an unknown bundle', () => {
    expect(() => entities('artcle').toUrl()).toThrow('unknown bundle "artcle"');
  });
});

describe('explain', () => {
  it('returns the plan and the count', async () => {
    const { plan, count, executeMs } = await articles.where('field_rating', '>', 1).explain();
    expect(plan).toContain('field_rating > 1');
    expect(count).toBe(await articles.where('field_rating', '>', 1).count());
    expect(executeMs).toBeGreaterThanOrEqual(0);
  });

  it('has a line for each facet', async () => {
    const { plan } = await articles.explain({ field_rating: { limit: 1 } });
    expect(plan).toContain('\n  facet field_rating: 1 of ');
  });

  it('rejects like the query', async () => {
    await expect(articles.explain({ field_ratin: {} })).rejects.toThrow(
      'explain({ field_ratin: {} }): node--article has no field "field_ratin". Did you mean "field_rating"?',
    );
    await expect(articles.where('titel', '=', 'x').explain()).rejects.toThrow('Did you mean "title"?');
  });
});

describe('paginate', () => {
  it("returns Astro's pages", async () => {
    const pages = await articles
      .sort('title')
      .fields('title')
      .paginate({ size: 3, route: '/list/[...page]' });
    const [first, second] = pages;
    expect(first).toMatchObject({
      ...{ start: 0, end: 2, size: 3, total: 4, currentPage: 1, lastPage: 2 },
      url: { current: '/list', prev: undefined, next: '/list/2', first: undefined, last: '/list/2' },
      params: { page: undefined },
    });
    expect(second).toMatchObject({
      ...{ start: 3, end: 3, size: 3, total: 4, currentPage: 2, lastPage: 2 },
      url: { current: '/list/2', prev: '/list', next: undefined, first: '/list', last: undefined },
      params: { page: '2' },
    });
    expect(pages.map(({ data }) => data.map(({ id }) => id))).toEqual([
      ['2024/deep', 'first', 'second'],
      ['third'],
    ]);
  });

  it("returns what Astro's paginate returns", async () => {
    const sites = [
      { base: '', trailingSlash: 'ignore' },
      { base: '/docs', trailingSlash: 'always' },
      { base: '/docs', trailingSlash: 'never' },
    ] as const;
    const list = ['a', 'b', 'c', 'd', 'e'];
    const props = { title: 'All' };
    for (const site of sites) {
      for (const [route, params] of [
        ['/[...page]', {}],
        ['/list/[page]', {}],
        ['/tags/[tag]/[...page]', { tag: 'rock pools?' }],
        ['/p-[page]', {}],
      ] as const) {
        for (const size of [1, 2, 5]) {
          const ours = paginate(list, { size, route, params, props }, site);
          const theirs = astroPaginate(route, site)(list, { pageSize: size, params, props });
          expect(ours.map(({ params, props }) => ({ params, props }))).toEqual(theirs);
        }
      }
    }
  });

  it('uses a query parameter without a route', async () => {
    const [, second] = await articles.paginate({ size: 3 });
    expect(second).toMatchObject({ url: { current: '?page=2', prev: '?page=1' }, params: { page: '2' } });
  });

  it('returns one empty page for an empty list', async () => {
    expect(await articles.where('title', '=', 'none').paginate({ size: 3 })).toMatchObject([
      {
        data: [],
        start: 0,
        end: -1,
        size: 3,
        total: 0,
        currentPage: 1,
        lastPage: 1,
        url: { next: undefined },
      },
    ]);
  });

  it('rejects a route without a page parameter, and missing parameters', async () => {
    await expect(articles.paginate({ size: 3, route: '/list' })).rejects.toThrow('needs [page] or [...page]');
    await expect(articles.paginate({ size: 3, route: '/[tag]/[page]' })).rejects.toThrow(
      'params.tag is missing',
    );
  });

  it.each([0, -1, 2.5, Number.NaN])('rejects a page size of %s', async (size) => {
    await expect(articles.paginate({ size })).rejects.toThrow('must be a whole number from 1');
  });
});

describe('jsonapi', () => {
  it('returns the same document as the server', async () => {
    const document = await jsonapi(
      '/node/article?filter[field_author.title]=Ada&fields[node--article]=title',
    );
    expect(document).toMatchObject({
      data: [{ type: 'node--article', id: 'first', attributes: { title: 'First' } }],
      meta: { count: 1 },
    });
    expect(document.links.self?.href).toMatch(/^\/jsonapi\/node\/article\?/);
  });

  it('returns unpublished entities as everyone', async () => {
    expect((await jsonapi('/node/article')).meta?.count).toBe(4);
    expect((await jsonapi('/jsonapi/node/article', { as: 'everyone' })).meta?.count).toBe(5);
  });

  it.each([
    [
      '/node/artcle',
      "jsonapi('/node/artcle'): The resource type 'node--artcle' does not exist. Did you mean \"node/article\"?",
    ],
    ['/node/article/draft', "jsonapi('/node/article/draft'): There is no resource"],
    ['/node/article?filter[titel]=x', "jsonapi('/node/article?filter[titel]=x') (at filter[titel]): "],
  ])('rejects %s with a clear message', async (url, message) => {
    await expect(jsonapi(url)).rejects.toThrow(message);
  });
});

describe('an invalid query', () => {
  it.each([
    [
      entities('artcle'),
      `entities('artcle'): unknown bundle "artcle". Did you mean "article"? Bundles: article, person, tag, taxonomy_term--topics.`,
    ],
    [
      articles.where('field_autor.title', '=', 'Ada'),
      "entities('article').where('field_autor.title', '=', 'Ada'): node--article has no field \"field_autor\"",
    ],
    [articles.where('field_autor.title', '=', 'Ada'), 'Did you mean "field_author"?'],
    [articles.where('field_author.titel', '=', 'Ada'), 'Did you mean "title"?'],
    [articles.where('field_kit.0.itme', '=', 'net'), 'Did you mean "item"?'],
    [articles.where('field_about.field_bos.title', '=', 'x'), 'Did you mean "field_boss"?'],
    [
      articles.where(({ or, where }) => or(where('titel', '=', 'x'))),
      "where('titel', '=', 'x'): node--article has no field",
    ],
    [
      articles.where('field_author', '=', 'ada'),
      "entities('article').where('field_author', '=', 'ada'): field_author can only be compared with IS NULL",
    ],
    [articles.where('created', '>', 'soon'), 'created must be compared with a date'],
    [articles.where('uid', '=', 'ada'), 'node--article has no field "uid"'],
    [articles.sort('-titel'), "entities('article').sort('-titel'): node--article has no field"],
    [articles.sort('-titel'), 'Did you mean "title"?'],
    [
      entities('article', { as: 'everyone' }).sort('nope'),
      "entities('article', { as: 'everyone' }).sort('nope'): ",
    ],
    [articles.include('field_tags', 'field_autor'), "entities('article').include('field_autor'): "],
    [articles.include('field_author.field_bos'), 'References: field_boss.'],
    [articles.include('title'), 'References: field_about, field_author, field_tags.'],
    [
      articles.fields('title', 'field_autor'),
      "entities('article').fields('field_autor'): node--article has no field \"field_autor\".",
    ],
    [articles.fields('field_autor'), 'Did you mean "field_author"?'],
    [articles.fields('uid'), "anonymous visitors may not see uid. Write { as: 'everyone' }."],
  ])('rejects when it runs (%#)', async (query, message) => {
    await expect(query.all()).rejects.toThrow(message);
    await expect(query.count()).rejects.toThrow(message);
    await expect(query.get('first')).rejects.toThrow(message);
  });

  const untyped = (value: unknown): never => value as never;
  it.each([
    [
      'an unknown operator',
      () => articles.where('title', untyped('LIKE'), 'x'),
      "where('title', 'LIKE', 'x'): unknown operator. Operators: =, <>",
    ],
    ['no operator', () => articles.where('title'), "where('title'): the operator is missing"],
    [
      'no value',
      () => articles.where('title', '='),
      "where('title', '='): = takes one string, number or boolean",
    ],
    ['null', () => articles.where('title', '=', untyped(null)), 'Use IS NULL to match empty fields'],
    [
      'not a number',
      () => articles.where('field_rating', '=', Number.NaN),
      'takes one string, number or boolean',
    ],
    ['an extra value', () => articles.where('title', 'IS NULL', 'x'), 'IS NULL takes no value'],
    ['no list', () => articles.where('title', 'IN', 'x'), 'IN takes an array of strings'],
    ['one bound', () => articles.where('title', 'BETWEEN', ['x']), 'BETWEEN takes an array of two values'],
    ['an empty group', () => articles.where(({ or }) => or()), 'or(): a group needs at least one condition'],
    ['nothing returned', () => articles.where(() => untyped(undefined)), 'Is a return missing?'],
    [
      'a negative limit',
      () => articles.page({ limit: -1 }),
      'page({ limit: -1, offset: 0 }): both must be whole numbers',
    ],
    ['a fractional offset', () => articles.page({ offset: 0.5 }), 'both must be whole numbers from 0'],
  ])('throws immediately for %s', (_, call, message) => {
    expect(call).toThrow(message);
  });

  it.each([
    [() => articles.get(untyped(undefined)), "entities('article').get(undefined): the id must be a string."],
    [() => articles.get(untyped(5)), "entities('article').get(5): the id must be a string."],
    [() => articles.surroundings(untyped(null)), "entities('article').surroundings(null): the id must be"],
    [
      () => articles.sort(library.runtimePath('-titel')).all(),
      "entities('article').sort('-titel'): node--article has no field",
    ],
  ])('rejects with the call (%#)', async (call, message) => {
    await expect(call()).rejects.toThrow(message);
  });

  it('with an ambiguous bundle name lists the candidates', async () => {
    const { entities: find } = await createLibrary(
      { 'a--tags/x.yaml': 'title: x\n', 'b--tags/y.yaml': 'title: y\n' },
      {},
    );
    await expect(find('tags').all()).rejects.toThrow('Use one of a--tags, b--tags.');
  });
});

// Astro does not export this function.
const { generatePaginateFunction } = await import(
  new URL('../../../node_modules/astro/dist/core/render/paginate.js', import.meta.url).href
);

/** Astro's own function for a route. */
function astroPaginate(
  route: string,
  { base, trailingSlash }: { readonly base: string; readonly trailingSlash: 'always' | 'never' | 'ignore' },
): PaginateFunction {
  const parts = (segment: string) =>
    segment
      .split(/\[([^\]]+)\]/)
      .map((content, at) => ({ content, dynamic: at % 2 === 1, spread: content.startsWith('...') }))
      .filter(({ content }) => content !== '');
  const segments = route.split('/').filter(Boolean).map(parts);
  const params = segments.flat().flatMap(({ content, dynamic }) => (dynamic ? [content] : []));
  return generatePaginateFunction({ segments, params }, base, trailingSlash) as PaginateFunction;
}

import { describe, expect, it } from 'vitest';
import { createContentApi } from '../../../integration/core/builder/index.ts';
import { DEFAULT_LIMITS, type Limits } from '../../../integration/core/engine/limits.ts';
import { MAX_MISTAKES } from '../../../integration/core/util/errors.ts';
import { staticDocuments } from '../../../integration/features/static/documents/documents.ts';
import { createHandler } from '../../support/handler.ts';
import { fetchFrom } from '../../support/request.ts';
import { bundle, createMagazine, entity, field } from '../api/jsonapi/magazine.ts';

const NOTE = bundle('node--note', [
  field('about', 'reference', { list: true, targets: ['node--note'] }),
  field('also', 'reference', { targets: ['node--note'] }),
]);

/** The note n0 refers to this number of others, and n1 to n0. */
function serve(limits: Partial<Limits>, rays = 1) {
  const targets = Array.from({ length: rays }, (_, i) => ({ type: 'node--note', id: `n${i + 1}` }));
  const also = { type: 'node--note', id: 'n1' };
  const entities = [
    entity('node--note', 'n0', { about: targets, also }),
    ...targets.map(({ id }) => entity('node--note', id, { about: [], also: null })),
  ];
  return createMagazine({ limits: { ...DEFAULT_LIMITS, ...limits } }, entities, [NOTE]);
}

const many = (count: number, of: (at: number) => string, separator = '&'): string =>
  Array.from({ length: count }, (_, at) => of(at)).join(separator);
const path = (name: string, depth: number, end = name): string =>
  [...Array<string>(depth - 1).fill(name), end].join('.');
/** As many paths as a query may have facets, and one more. */
const FACET_PATHS = ['', 'also.', 'also.also.'].flatMap((before) =>
  ['id', 'title', 'status', 'created', 'changed', 'langcode', 'path.alias'].map((name) => before + name),
);
const groups = (depth: number): string =>
  `${many(depth, (at) => `filter[g${at}][group][conjunction]=OR${at === 0 ? '' : `&filter[g${at}][group][memberOf]=g${at - 1}`}`)}&filter[c][condition][path]=title&filter[c][condition][value]=x&filter[c][condition][memberOf]=g${depth - 1}`;

/**
 * For each limit on a query string: a query that uses n of it, the parameter at fault, and another value of the
 * option.
 */
const QUERIES: readonly (readonly [keyof Limits, (n: number) => string, string | RegExp, number])[] = [
  ['parameters', (n) => many(n, () => 'A=1'), 'A', 20],
  [
    'conditions',
    (n) => many(n, (at) => `filter[c${at}][condition][path]=title&filter[c${at}][condition][value]=x`),
    /^filter\[c\d+\]$/,
    3,
  ],
  ['groupDepth', groups, /^filter\[g\d\d?\]\[group\]/, 2],
  [
    'listValues',
    (n) => `filter[title][operator]=IN&${many(n, () => 'filter[title][value][]=x')}`,
    'filter[title][value]',
    3,
  ],
  ['pathDepth', (n) => `filter[${path('also', n, 'title')}]=x`, /^filter\[also/, 2],
  ['pathDepth', (n) => `sort=${path('also', n, 'title')}`, 'sort', 2],
  ['sortKeys', (n) => `sort=${many(n, () => 'title', ',')}`, 'sort', 2],
  ['facets', (n) => many(n, (at) => `facetBy[${FACET_PATHS[at]}]=`), 'facetBy', 2],
  ['facetTerms', (n) => `facetBy[title][limit]=${n}`, 'facetBy[title][limit]', 2],
  [
    'includePaths',
    (n) => `include=${many(n, (at) => path(at % 2 === 0 ? 'also' : 'about', Math.floor(at / 2) + 1), ',')}`,
    'include',
    2,
  ],
  ['includeDepth', (n) => `include=${path('also', n)}`, 'include', 2],
  [
    'joins',
    (n) =>
      many(
        n,
        (at) =>
          `filter[g${at}][group][conjunction]=AND&filter[c${at}][condition][path]=also.title&filter[c${at}][condition][value]=x&filter[c${at}][condition][memberOf]=g${at}`,
      ),
    /^filter\[c\d+\]/,
    2,
  ],
  ['searchWords', (n) => `filter[fulltext]=${many(n, (at) => `x${at}`, '+')}`, 'filter[fulltext]', 2],
  [
    'textComparisons',
    (n) => `filter[body.value][operator]=IN&${many(n, (at) => `filter[body.value][value][]=x${at}`)}`,
    /^filter\[body\.value\]/,
    2,
  ],
];

/** The message of each limit. Limits that are options are named. */
const MESSAGES: Readonly<Record<string, RegExp>> & { readonly sortKeys: RegExp } = {
  parameters: /parameters at most\.$/,
  conditions: /\(limits\.conditions\)\.$/,
  groupDepth: /nested \d+ deep at most\.$/,
  listValues: /A list may have \d+ values at most/,
  pathDepth: /A path may have \d+ members at most/,
  sortKeys: /sort by \d+ paths at most/,
  facets: /\d+ facets at most/,
  facetTerms: /may have \d+ terms at most/,
  includePaths: /\d+ include paths at most/,
  includeDepth: /\(limits\.includeDepth\)\.$/,
  included: /more than \d+ entities/,
  includeReferences: /more than \d+ references/,
  joins: /lead through \d+ references at most\.$/,
  textComparisons: /with \d+ values at most\.$/,
  searchWords: /search for \d+ words at most\.$/,
  subrequests: /at most \d+ requests/,
  subrequestsBytes: /^The body may have at most \d+ bytes\.$/,
};

describe('a query may reach its limit but not exceed it', () => {
  const cases = QUERIES.flatMap(([name, queryOf, parameter, other]) => {
    const byDefault = { name, n: DEFAULT_LIMITS[name], limits: {} as Partial<Limits>, queryOf, parameter };
    return [byDefault, { name, n: other, limits: { [name]: other }, queryOf, parameter }];
  });

  it.each(cases)('$name: $n', async ({ name, n, limits, queryOf, parameter }) => {
    // The other limits that this query reaches must not interfere.
    const roomy = {
      queryLength: 1e6,
      parameters: 1e5,
      conditions: 1e4,
      includePaths: 1e4,
      includeDepth: 1e3,
    };
    const services = serve({ ...roomy, [name]: DEFAULT_LIMITS[name], ...limits });
    const handle = createHandler(services);
    const ask = async (query: string) => fetchFrom(handle, `/jsonapi/node/note?${query}`);

    const within = await ask(queryOf(n));
    expect(within?.status, await within?.clone().text()).toBe(200);
    const beyond = await ask(queryOf(n + 1));
    const document = await beyond?.json();
    expect(beyond?.status, JSON.stringify(document)).toBe(400);
    expect(document.errors[0].detail).toMatch(MESSAGES[name] ?? name);
    expect(document.errors[0].detail).toContain(` ${n} `);
    expect(document.errors[0].source.parameter).toMatch(parameter);
  });

  it.each([
    ['included', 3],
    ['includeReferences', 3],
  ] as const)('%s', async (name, n) => {
    const ask = async (rays: number) => {
      const handle = createHandler(serve({ [name]: n }, rays));
      return fetchFrom(handle, '/jsonapi/node/note/n0?include=about');
    };
    expect((await ask(n))?.status).toBe(200);
    const beyond = await ask(n + 1);
    expect(beyond?.status).toBe(400);
    expect((await beyond?.json())?.errors[0]).toMatchObject({
      detail: expect.stringMatching(MESSAGES[name] ?? name),
      source: { parameter: 'include' },
    });
  });

  it.each([DEFAULT_LIMITS.queryLength, 300])('queryLength: %i, beyond it a 414', async (queryLength) => {
    const handle = createHandler(serve({ queryLength }));
    const fill = (length: number) => new Request(`https://site.example${'/jsonapi?A='.padEnd(length, 'x')}`);
    expect((await handle(fill(queryLength)))?.status).toBe(200);
    const beyond = await handle(fill(queryLength + 1));
    expect(beyond?.status).toBe(414);
    const errors = (await beyond?.json())?.errors;
    expect(errors[0].detail).toContain(`${queryLength} characters`);
    expect(errors[0].detail).toContain('(limits.queryLength)');
  });

  it.each([
    ['subrequests', 400, 2],
    ['subrequestsBytes', 413, 2048],
  ] as const)('%s, beyond it a %i', async (name, status, n) => {
    const handle = createHandler(serve({ [name]: n }));
    const list = (count: number) =>
      JSON.stringify(
        Array.from({ length: count }, (_, at) => ({ requestId: `r${at}`, action: 'view', uri: '/jsonapi' })),
      );
    const post = (size: number) =>
      fetchFrom(handle, '/subrequests', {
        method: 'POST',
        body: name === 'subrequests' ? list(size) : list(1).padEnd(size),
      });
    expect((await post(n))?.status).toBe(207);
    const beyond = await post(n + 1);
    expect(beyond?.status).toBe(status);
    expect((await beyond?.json())?.details).toMatch(MESSAGES[name] ?? name);
  });
});

describe('limits hold without a server too', () => {
  const { entities, jsonapi } = createContentApi(
    serve({
      conditions: 2,
      groupDepth: 1,
      listValues: 2,
      sortKeys: 2,
      pathDepth: 2,
      includePaths: 1,
      includeDepth: 1,
      queryLength: 300,
    }),
  );
  const notes = entities('note');
  const two = notes.where('title', '=', 'x').where('id', '<>', 'y');

  it.each([
    ['conditions', two, two.where('status', '=', true)],
    [
      'groupDepth',
      notes.where(({ or, where }) => or(where('title', '=', 'x'), where('title', '=', 'y'))),
      notes.where(({ and, or, where }) => or(where('title', '=', 'x'), and(where('title', '=', 'y')))),
    ],
    ['listValues', notes.where('id', 'IN', ['a', 'b']), notes.where('id', 'IN', ['a', 'b', 'c'])],
    ['sortKeys', notes.sort('title', 'id'), notes.sort('title', 'id', 'created')],
    ['pathDepth', notes.where('also.title', '=', 'x'), notes.where('also.also.title', '=', 'x')],
    ['includePaths', notes.include('also'), notes.include('also', 'about')],
    ['includeDepth', notes.include('also'), notes.include('also.also')],
  ])('for %s in a page', async (name, within, beyond) => {
    await expect(within.all()).resolves.toBeDefined();
    await expect(within.get('n0')).resolves.not.toThrow();
    for (const refused of [beyond.all(), beyond.count(), beyond.get('n0')]) {
      await expect(refused).rejects.toThrow(MESSAGES[name] ?? name);
    }
  });

  it('for documents that a page requests', async () => {
    await expect(jsonapi(`/node/note?A=${'x'.repeat(300)}`)).rejects.toThrow('(limits.queryLength)');
    await expect(jsonapi('/node/note?sort=title,id,title')).rejects.toThrow(MESSAGES.sortKeys);
  });

  it.each([
    ['/node/note?sort=title,id,created', MESSAGES.sortKeys],
    [`/node/note?A=${'x'.repeat(300)}`, /\(limits\.queryLength\)/],
  ])('for listed queries: %s', async (query, message) => {
    const services = serve({ sortKeys: 2, queryLength: 300 });
    const listed = { ...services, settings: { ...services.settings, staticQueries: { mine: query } } };
    const write = async () => {
      for await (const { path: file } of staticDocuments(listed)) expect(file).not.toBe('');
    };
    await expect(write()).rejects.toThrow(/^Option prebuild\.mine: /);
    await expect(write()).rejects.toThrow(message);
  });
});

describe('the errors of a query', () => {
  /** The parameters of all errors, in order. */
  async function mistakes(query: string, limits: Partial<Limits> = {}): Promise<readonly string[]> {
    const response = await fetchFrom(createHandler(serve(limits)), `/jsonapi/node/note?${query}`);
    expect(response.status).toBe(400);
    const { errors } = await response.json();
    return errors.map(({ source }: { source: { parameter: string } }) => source.parameter);
  }

  it('are about each parameter that has a wrong form', async () => {
    const query = 'filter[a][condition][path]=id&filter[a][condition][operator]=LIKE&filter=x&what=1';
    expect(
      await mistakes(
        'what=1&filter[id][operator]=LIKE&filter[id][value]=1&filter[title][operator]=LIKE&filter[title][value]=1&page[offset]=x',
      ),
    ).toEqual(['what', 'filter[id][operator]', 'filter[title][operator]', 'page[offset]']);
    expect(await mistakes(query)).toEqual(['filter']);
  });

  it('are about each path that does not exist, also in groups, sort keys, facets and includes', async () => {
    const grouped =
      'filter[g][group][conjunction]=OR&filter[b][condition][path]=no2&filter[b][condition][value]=1';
    const query = `filter[no1]=1&filter[id]=n1&${grouped}&filter[b][condition][memberOf]=g&sort=no3,id,-no4&include=also,no5,no6`;
    expect(await mistakes(query)).toEqual([
      'include',
      'include',
      'filter[no1]',
      'filter[b][condition][path]',
      'sort',
      'sort',
    ]);
    expect(await mistakes('filter[also.no1]=1&filter[also.no2]=1')).toEqual([
      'filter[also.no1]',
      'filter[also.no2]',
    ]);
  });

  it('are twenty at most, and end at a limit', async () => {
    const names = Array.from({ length: 30 }, (_, at) => `no${at}`);
    expect(await mistakes(names.map((name) => `filter[${name}]=1`).join('&'))).toHaveLength(MAX_MISTAKES);
    const conditions = names.map((name) => `filter[${name}][operator]=LIKE`).join('&');
    expect(
      await mistakes(`${names.map((name) => `filter[${name}]=1`).join('&')}&page[offset]=x`, {
        conditions: 2,
      }),
    ).toEqual(['filter[no2]']);
    expect(await mistakes(conditions, { conditions: 2 })).toHaveLength(MAX_MISTAKES);
  });

  it('are all in the response of plain JSON too, with the first as `error`', async () => {
    const response = await fetchFrom(createHandler(serve({})), '/api/content/notes?filter[no1]=1&sort=no2');
    const { error, errors } = await response.json();
    expect(errors).toMatchObject([
      { source: { parameter: 'filter[no1]' } },
      { source: { parameter: 'sort' } },
    ]);
    expect(error).toEqual(errors[0]);
  });
});

import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { ADMINISTRATOR, ANONYMOUS } from '../../../../integration/core/access/actor.ts';
import type { ApiSettings } from '../../../../integration/core/read/settings.ts';
import type { HandlerContext } from '../../../../integration/core/server/handler.ts';
import { componentsOf } from '../../../conformance/described.ts';
import { createHandler } from '../../../support/handler.ts';
import { expectValid } from '../../../support/json-schema.ts';
import { fetchFrom } from '../../../support/request.ts';
import { staticFiles } from '../../../support/services.ts';
import { createMagazine } from '../jsonapi/magazine.ts';

async function ask(settings: Partial<ApiSettings> = {}, context: HandlerContext = {}, base = '') {
  const handle = createHandler(createMagazine(settings));
  const response = await fetchFrom(handle, `${base}/jsonapi/openapi.json`, context);
  expect(response.headers.get('content-type')).toBe('application/json');
  return response.json();
}

describe('the OpenAPI description', () => {
  it.each([ANONYMOUS, ADMINISTRATOR])(
    'is valid for $roles and omits fields they may not see',
    async (actor) => {
      const description = await ask({}, { actor });
      expect(await new Validator().validate(description)).toEqual({ valid: true });
      expect(JSON.stringify(description).includes('"uid"')).toBe(actor === ADMINISTRATOR);
    },
  );

  it('of a site without content is valid', async () => {
    const handle = createHandler(createMagazine({}, [], []));
    const response = await fetchFrom(handle, '/jsonapi/openapi.json');
    expect(await new Validator().validate(await response.json())).toEqual({ valid: true });
  });

  it('has the configured title, version and server', async () => {
    const settings = {
      base: '/docs',
      trailingSlash: 'always',
      site: { name: 'shore', version: '1.2.3' },
    } as const;
    const { info, servers, paths } = await ask(settings, {}, '/docs');
    expect(info).toMatchObject({ title: 'Content of shore', version: '1.2.3' });
    expect(servers).toEqual([{ url: 'https://site.example/docs' }]);
    expect(Object.keys(paths)).toEqual(
      expect.arrayContaining([
        '/jsonapi/',
        '/jsonapi/node/article/',
        '/jsonapi/node/article/{id}/',
        '/jsonapi/node/article/resource/schema/',
        '/api/content/people/',
        '/api/content/people/{id}/',
      ]),
    );
  });

  it('describes every parameter of a collection', async () => {
    const { paths } = await ask();
    const { parameters } = paths['/jsonapi/node/article'].get;
    expect(parameters.map(({ name }: { name: string }) => name)).toEqual([
      'filter',
      'sort',
      'facetBy',
      'page[offset]',
      'page[limit]',
      'page[number]',
      'page[size]',
      'page[after]',
      'page[before]',
      'include',
      'fields[node--article]',
      'fields[node--person]',
      'fields[node--tag]',
    ]);
    const include = parameters.find(({ name }: { name: string }) => name === 'include');
    expect(include.schema.items.enum).toEqual(['field_author', 'field_tags', 'field_author.field_boss']);
  });

  it('describes parameters by examples that the API understands', async () => {
    const handle = createHandler(createMagazine());
    const { paths } = await ask();
    for (const path of ['/jsonapi/node/article', '/api/content/articles']) {
      for (const { name, schema, example } of paths[path].get.parameters) {
        const value = example ?? schema.items?.enum ?? (schema.enum ? undefined : schema.default);
        if (value === undefined) continue;
        const response = await fetchFrom(handle, `${path}?${name}=${value}`);
        expect(response.status, `${name}=${value}`).toBe(200);
        expect(await response.json(), name).not.toHaveProperty('meta.ignored');
      }
    }
  });

  it.each([
    ['?filter[title]=Tea', { title: 'Tea' }],
    [
      '?filter[title][operator]=STARTS_WITH&filter[title][value]=T',
      { title: { operator: 'STARTS_WITH', value: 'T' } },
    ],
    ['?filter[a][path]=title&filter[a][value]=T', { a: { path: 'title', value: 'T' } }],
    [
      '?filter[title][operator]=IN&filter[title][value][]=A&filter[title][value][]=B',
      { title: { operator: 'IN', value: ['A', 'B'] } },
    ],
    [
      '?filter[created][operator]=BETWEEN&filter[created][value][]=2020&filter[created][value][]=2030',
      { created: { operator: 'BETWEEN', value: ['2020', '2030'] } },
    ],
    ['?filter[status]=1', { status: 1 }],
    ['?filter[field_author.title]=Ada', { 'field_author.title': 'Ada' }],
    ['?filter[fulltext]=tea', { fulltext: 'tea' }],
    [
      '?filter[fulltext][operator]=SEARCH&filter[fulltext][value]=tea&filter[fulltext][highlight]=true',
      { fulltext: { operator: 'SEARCH', value: 'tea', highlight: 'true' } },
    ],
    [
      '?filter[a][condition][path]=fulltext&filter[a][condition][operator]=SEARCH&filter[a][condition][value]=tea',
      { a: { condition: { path: 'fulltext', operator: 'SEARCH', value: 'tea' } } },
    ],
    [
      '?filter[any][group][conjunction]=OR&filter[a][condition][path]=title&filter[a][condition][value]=A&filter[a][condition][memberOf]=any&filter[b][condition][path]=field_author&filter[b][condition][operator]=IS NULL&filter[b][condition][memberOf]=any',
      {
        any: { group: { conjunction: 'OR' } },
        a: { condition: { path: 'title', value: 'A', memberOf: 'any' } },
        b: { condition: { path: 'field_author', operator: 'IS NULL', memberOf: 'any' } },
      },
    ],
  ])('allows the filter %s, as the server does', async (query, filter) => {
    const handle = createHandler(createMagazine());
    const validate = componentsOf(await ask())('node--article.filter');
    expectValid(validate, filter, query);
    expect((await fetchFrom(handle, `/jsonapi/node/article${query}`)).status).toBe(200);
  });

  it.each([
    ['?filter[title][operator]=LIKE&filter[title][value]=T', { title: { operator: 'LIKE', value: 'T' } }],
    ['?filter[title][operator]=IS NULL', { title: { operator: 'IS NULL' } }],
    [
      '?filter[fulltext][operator]=SEARCH&filter[fulltext][value]=tea&filter[fulltext][highlight]=no',
      { fulltext: { operator: 'SEARCH', value: 'tea', highlight: 'no' } },
    ],
    ['?filter[a][condition][value]=T', { a: { condition: { value: 'T' } } }],
    ['?filter[a][group][conjunction]=XOR', { a: { group: { conjunction: 'XOR' } } }],
    [
      '?filter[created][operator]=BETWEEN&filter[created][value]=2020',
      { created: { operator: 'BETWEEN', value: '2020' } },
    ],
  ])('does not allow the filter %s, which the server rejects', async (query, filter) => {
    const handle = createHandler(createMagazine());
    expect(componentsOf(await ask())('node--article.filter')(filter)).toBe(false);
    expect((await fetchFrom(handle, `/jsonapi/node/article${query}`)).status).toBe(400);
  });

  it('applies lowered limits and forbidden page sizes', async () => {
    const limitOf = async (settings: Partial<ApiSettings>) => {
      const { paths } = await ask(settings);
      const { parameters } = paths['/jsonapi/node/article'].get;
      return parameters.find(({ name }: { name: string }) => name === 'page[limit]').schema;
    };
    expect(await limitOf({ pageSize: { default: 9, max: 9, unlimited: true } })).toMatchObject({
      minimum: 0,
      default: 9,
    });
    expect(await limitOf({ pageSize: { default: 50, max: 50, unlimited: false } })).toMatchObject({
      minimum: 1,
    });
  });

  it('names the errors of large answers and of /subrequests', async () => {
    const { paths } = await ask();
    const { responses } = paths['/subrequests'].post;
    expect(responses[413].description).toContain('bytes');
    expect(responses[503].content).toHaveProperty(['application/json', 'schema']);
    expect(responses[207].content['application/json'].schema.description).toContain('406');
    const lists = (described: typeof paths) =>
      ['/jsonapi/node/article', '/api/content/articles'].map((path) => 503 in described[path].get.responses);
    expect(lists(paths)).toEqual([true, true]);
    expect(lists((await ask({ pageSize: { default: 50, max: 50, unlimited: false } })).paths)).toEqual([
      false,
      false,
    ]);
  });

  it('has the license of the site', async () => {
    const license = async (given?: string) =>
      (await ask({ site: { name: 'shore', version: '1.2.3', license: given } })).info.license;
    expect(await license('MIT')).toEqual({ name: 'MIT', identifier: 'MIT' });
    expect(await license('UNLICENSED')).toEqual({ name: 'UNLICENSED', identifier: 'NOASSERTION' });
    expect(await license()).toEqual({ name: 'Not stated', identifier: 'NOASSERTION' });
  });

  it('is not linked from the entry point', async () => {
    const entry = await fetchFrom(createHandler(createMagazine()), '/jsonapi');
    expect(await entry.text()).not.toContain('openapi');
  });

  it('of a site without a server describes its files', async () => {
    const staticQueries = { tea: '/node/tag?filter[title]=Tea', one: '/node/tag/tea' };
    const services = createMagazine({ base: '/docs', staticQueries });
    const files = await staticFiles(services);
    const { servers, paths } = JSON.parse(files.get('jsonapi/openapi.json') ?? '');
    expect(servers).toEqual([{ url: '/docs' }]);
    expect(Object.keys(paths)).toEqual(
      expect.arrayContaining([
        '/jsonapi/index.json',
        '/jsonapi/node/tag.json',
        '/jsonapi/node/tag.{page}.json',
        '/jsonapi/node/tag/{id}.json',
        '/jsonapi/node--tag.schema.json',
        '/api/content/tags/{id}.json',
        '/jsonapi/q/tea.{page}.json',
        '/jsonapi/q/one.json',
      ]),
    );
    expect(paths).not.toHaveProperty(['/jsonapi/q/one.{page}.json']);
  });
});

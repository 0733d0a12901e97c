import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { ADMINISTRATOR, ANONYMOUS } from '../../../../integration/core/access/actor.ts';
import type { ApiSettings } from '../../../../integration/core/read/settings.ts';
import type { HandlerContext } from '../../../../integration/core/server/handler.ts';
import { createHandler } from '../../../handler.ts';
import { fetchFrom } from '../../../request.ts';
import { staticFiles } from '../../../services.ts';
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

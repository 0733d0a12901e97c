import { Validator } from '@seriousme/openapi-schema-validator';
import { beforeAll, describe, expect, it } from 'vitest';
import { ADMINISTRATOR, ANONYMOUS } from '../../integration/core/access/actor.ts';
import type { Services } from '../../integration/core/api/request.ts';
import type { HandlerContext } from '../../integration/core/server/handler.ts';
import { createDemoServices } from '../support/demo.ts';
import { createHandler } from '../support/handler.ts';
import { compileSchema, expectJsonApi, expectValid } from '../support/json-schema.ts';
import { fetchFrom } from '../support/request.ts';
import { staticFiles } from '../support/services.ts';
import { componentsOf, inlineSchema } from './described.ts';
import { loadRecordedContent } from './load.ts';

const SETTINGS = {
  explorer: true,
  staticQueries: { latest: '/node/article?sort=-created&page[limit]=3', one: '/node/article/two-bulges' },
};
const loadDemo = () => createDemoServices({ settings: SETTINGS });

describe.each([
  ['the demo content with its schema', loadDemo],
  ['the demo content without a schema', () => createDemoServices({ settings: SETTINGS, schema: undefined })],
  ['the recorded content', loadRecordedContent],
])('descriptions of %s', (_, load) => {
  let services: Services;
  beforeAll(async () => {
    services = await load();
  });

  async function get(target: string, context?: HandlerContext) {
    const response = await fetchFrom(createHandler(services), target, context);
    expect(response.status, target).toBe(200);
    return response.json();
  }

  it.each([ANONYMOUS, ADMINISTRATOR])('match every resource seen by $roles', async (actor) => {
    for (const { href } of collectionsOf(await get('/jsonapi'))) {
      const document = await get(`${href}?page[limit]=0`, { actor });
      expectJsonApi(document, href);
      expect(document.data.length).toBeGreaterThan(0);
      const validate = compileSchema(await get(document.links.describedby.href, { actor }));
      for (const resource of document.data) {
        expectValid(validate, resource, resource.links.self.href);
        const alone = await get(resource.links.self.href, { actor });
        expectJsonApi(alone, resource.links.self.href);
        expect(alone.links.describedby).toEqual(document.links.describedby);
      }
    }
  });

  it.each([ANONYMOUS, ADMINISTRATOR])(
    'are valid OpenAPI that matches its own responses for $roles',
    async (actor) => {
      const description = await get('/jsonapi/openapi.json', { actor });
      expect(await new Validator().validate(description)).toEqual({ valid: true });
      const schemaOf = componentsOf(description);
      for (const { name, href } of collectionsOf(await get('/jsonapi'))) {
        const whole = await get(`${href}?page[limit]=5`, { actor });
        expectValid(schemaOf(`${name}.collection`), whole, href);
        for (const { id } of whole.data) {
          const alone = await get(`${href}/${id}`, { actor });
          expectValid(schemaOf(`${name}.document`), alone, id);
          for (const [field, { links }] of Object.entries<Relationship>(alone.data.relationships ?? {})) {
            const template = `${new URL(href).pathname}/{id}`;
            for (const [path, link] of [
              [`${template}/${field}`, links.related],
              [`${template}/relationships/${field}`, links.self],
            ] as const) {
              const { schema: described } =
                description.paths[path].get.responses[200].content['application/vnd.api+json'];
              expectValid(
                inlineSchema(description, path, described),
                await get(link.href, { actor }),
                link.href,
              );
            }
          }
          if (name === 'file--file') continue;
          const plain = `/api/content/${name.split('--')[1]}`;
          expectValid(schemaOf(`${name}.plain-list`), await get(plain, { actor }), plain);
          expectValid(schemaOf(`${name}.plain-document`), await get(`${plain}/${id}`, { actor }), id);
        }
      }
    },
  );

  it('are valid OpenAPI for files, and describe each of them', async () => {
    const files = await staticFiles(services);
    const description = JSON.parse(files.get('jsonapi/openapi.json') ?? '');
    expect(await new Validator().validate(description)).toEqual({ valid: true });
    const schemaOf = componentsOf(description);
    const patterns = Object.entries<Operations>(description.paths).map(([template, { get: operation }]) => ({
      pattern: new RegExp(
        `^${template.replace('{page}', '\\d+').replace('{id}', '.+').replaceAll('.json', '\\.json')}$`,
      ),
      template,
      schema: operation.responses['200'].content['application/json'].schema,
    }));
    for (const [below, body] of files) {
      // Files of other languages have the same form, below a folder of the language.
      const file = `/${below.replace(/^de\//, '')}`;
      if (file === '/jsonapi/openapi.json' || file.startsWith('/jsonapi-explorer/')) continue;
      const matches = patterns.filter(({ pattern }) => pattern.test(file));
      const exact = matches.find(({ template }) => template === file) ?? matches[0];
      expect(exact, file).toBeDefined();
      const name = exact?.schema.$ref?.split('/').at(-1);
      if (name !== undefined) expectValid(schemaOf(name), JSON.parse(body), file);
      const isJsonApi = file.startsWith('/jsonapi/') && name !== undefined;
      if (isJsonApi) expectJsonApi(JSON.parse(body), file);
    }
  });
});

function collectionsOf(entry: { links: Record<string, { href: string }> }) {
  return Object.entries(entry.links)
    .filter(([name]) => name !== 'self')
    .map(([name, { href }]) => ({ name, href }));
}

interface Relationship {
  readonly links: { readonly related: { readonly href: string }; readonly self: { readonly href: string } };
}

interface Operations {
  readonly get: {
    readonly responses: Readonly<
      Record<
        '200',
        {
          readonly content: Readonly<
            Record<'application/json', { readonly schema: { readonly $ref?: string } }>
          >;
        }
      >
    >;
  };
}

const LANGUAGE = ['langCode', 'includeFallback'];

describe('the described parameters', () => {
  it.each([
    [
      'related resources of several types',
      '/jsonapi/node/event/{id}/field_host',
      [
        'id',
        'include',
        ...['person', 'page'].map((bundle) => `fields[node--${bundle}]`),
        'fields[file--file]',
        'resourceVersion',
        ...LANGUAGE,
      ],
    ],
    ['a menu', '/jsonapi/menu_items/main', ['fields[menu_link_content--menu_link_content]', ...LANGUAGE]],
  ])('of %s are exactly the supported ones', async (_, address, names) => {
    const handle = createHandler(await loadDemo());
    const response = await fetchFrom(handle, '/jsonapi/openapi.json');
    const description = await response.json();
    const parameters: readonly Parameter[] = description.paths[address].get.parameters;
    expect(parameters.map(({ name }) => name)).toEqual(names);
    const query = parameters
      .filter((each) => each.in === 'query')
      .map(({ name, schema: { items, anyOf, enum: own } }) => {
        const values = items?.enum?.join() ?? (own ?? anyOf?.flatMap((each) => each.enum ?? []))?.[0];
        return `${name}=${values ?? 'title'}`;
      })
      .join('&');
    const target = `${address.replace('{id}', 'drowned-forest-morning')}?${query}`;
    const answered = await fetchFrom(handle, target);
    const document = await answered.json();
    expect([answered.status, document.meta?.ignored]).toEqual([200, undefined]);
  });
});

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: Values & { readonly items?: Values; readonly anyOf?: readonly Values[] };
}

interface Values {
  readonly enum?: readonly string[];
}

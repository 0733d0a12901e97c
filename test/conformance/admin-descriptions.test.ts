import { Validator } from '@seriousme/openapi-schema-validator';
import { beforeAll, expect, it } from 'vitest';
import { ADDRESSES } from '../../integration/core/api/addresses.ts';
import { CORE_ROUTES } from '../../integration/core/api/routes.ts';
import { describeContent } from '../../integration/features/openapi/content-routes.ts';
import { FEATURES } from '../../integration/features.ts';
import { expectValid } from '../support/json-schema.ts';
import { png } from '../support/pictures.ts';
import { adminApp } from '../support/services.ts';
import { openSignInSite, PASSWORD, type SignInSite } from '../support/sign-in-site.ts';
import { basic } from '../unit/accounts/test-auth.ts';
import { createMagazine } from '../unit/api/jsonapi/magazine.ts';
import { inlineSchema } from './described.ts';

let site: SignInSite;
let description: Description;
beforeAll(async () => {
  site = await openSignInSite({ front: { adminApp }, settings: { admin: true } });
  description = await (await site.request('/jsonapi/openapi.json')).json();
});

const AUTHORIZED = { authorization: basic('ada', PASSWORD) };

/** The description of a response, which may refer to a component. */
function responseOf(path: string, method: string, status: number): DescribedResponse | undefined {
  const { responses } = description.paths[path]?.[method.toLowerCase()] ?? { responses: {} };
  const response = responses[status] ?? responses.default;
  const name = response?.$ref?.split('/').at(-1);
  return name === undefined ? response : description.components.responses[name];
}

it('the description of the admin is valid OpenAPI', async () => {
  expect(await new Validator().validate({ ...description })).toEqual({ valid: true });
});

const account = (attributes: object, id = 'jane') => ({ data: { type: 'account', id, attributes } });
const token = (attributes: object) => ({ data: { type: 'token', attributes } });
const link = (attributes: object) => ({ data: { type: 'link', attributes } });
const template = {
  data: { type: 'template', attributes: { name: 'Tides', resource_type: 'node--article' } },
};
const FILE = {
  headers: { 'content-type': 'application/octet-stream', 'content-disposition': 'file; filename="a.png"' },
  body: png(3, 2),
};

it.each<[method: string, path: string, address: string, status: number, body?: object | RequestInit]>([
  ['GET', '/jsonapi/_accounts', '', 200],
  ['POST', '/jsonapi/_accounts', '', 201, account({ roles: ['editor'] })],
  ['POST', '/jsonapi/_accounts', '', 409, account({})],
  ['POST', '/jsonapi/_accounts', '', 422, account({ roles: ['x'] }, 'bob')],
  ['GET', '/jsonapi/_accounts/{name}', '/jane', 200],
  ['GET', '/jsonapi/_accounts/{name}', '/bob', 404],
  ['PATCH', '/jsonapi/_accounts/{name}', '/jane', 200, account({ displayName: 'Jane' })],
  ['PATCH', '/jsonapi/_accounts/{name}', '/ada', 409, account({ blocked: true }, 'ada')],
  ['POST', '/jsonapi/_accounts/{name}/tokens', '/jane/tokens', 201, token({ expires: null })],
  ['POST', '/jsonapi/_accounts/{name}/tokens', '/jane/tokens', 422, token({ scope: 'x' })],
  ['GET', '/jsonapi/_accounts/{name}/tokens', '/jane/tokens', 200],
  ['DELETE', '/jsonapi/_accounts/{name}/tokens/{id}', '/jane/tokens/x', 404],
  ['POST', '/jsonapi/_accounts/{name}/links', '/jane/links', 201, { data: { type: 'link' } }],
  ['POST', '/jsonapi/_accounts/{name}/links', '/jane/links', 422, link({ send: true })],
  ['DELETE', '/jsonapi/_accounts/{name}/links', '/jane/links', 204],
  ['GET', '/jsonapi/_accounts/{name}/sessions', '/ada/sessions', 200],
  ['DELETE', '/jsonapi/_accounts/{name}/sessions', '/jane/sessions', 204],
  ['GET', '/jsonapi/_audit', '?page[limit]=2', 200],
  ['GET', '/jsonapi/_audit', '?filter[x]=1', 400],
  ['POST', '/jsonapi/_presence/{entityType}/{bundle}/{id}', '/node/article/first', 200, { idle: 3 }],
  ['GET', '/jsonapi/_presence/{entityType}/{bundle}/{id}', '/node/article/first', 200],
  ['GET', '/jsonapi/_presence/{entityType}/{bundle}/{id}', '/node/article/none', 404],
  ['DELETE', '/jsonapi/_accounts/{name}', '/jane', 204],
  ['POST', '/jsonapi/_templates', '', 204, template],
  ['GET', '/jsonapi/_templates', '', 200],
  ['GET', '/jsonapi/_templates/{id}', '/x', 404],
  ['GET', '/jsonapi/_status', '', 200],
  ['POST', '/jsonapi/_files', '?beside=node--article', 201, FILE],
  ['POST', '/jsonapi/_files', '', 400, FILE],
  ['GET', '/jsonapi/_files', '?beside=node--article/first', 200],
  ['GET', '/jsonapi/_files', '?filter[kind]=x', 400],
  ['GET', '/jsonapi/_files/{path}', '/content/article/a.png', 200],
  ['PUT', '/jsonapi/_files/{path}', '/content/article/a.png', 200, FILE],
  ['PUT', '/jsonapi/_files/{path}', '/content/article/a.png', 422, { ...FILE, body: 'text' }],
  ['PATCH', '/jsonapi/_files/{path}', '/content/article/a.png', 409, moved('a.png', 'b.png', 'x')],
  ['PATCH', '/jsonapi/_files/{path}', '/content/article/a.png', 422, moved('a.png', 'b.jpg')],
  ['PATCH', '/jsonapi/_files/{path}', '/content/article/a.png', 204, moved('a.png', 'b.png')],
  ['DELETE', '/jsonapi/_files/{path}', '/content/article/b.png', 204],
])('%s %s %s is a %i as described', async (method, path, address, status, body) => {
  const isFile = body !== undefined && 'headers' in body;
  const init = isFile
    ? { ...body, method, headers: { ...AUTHORIZED, ...(body.headers as Record<string, string>) } }
    : {
        method,
        headers: { ...AUTHORIZED, ...(body && { 'content-type': 'application/vnd.api+json' }) },
        body: body ? JSON.stringify(body) : null,
      };
  const start = path.replace(/\/\{.*/, '');
  const response = await site.request(start + address, init);
  const text = await response.text();
  expect(response.status, text).toBe(status);
  const described = responseOf(path, method, status);
  expect(described).toBeDefined();
  if (described?.content === undefined) {
    expect(text).toBe('');
    return;
  }
  const { schema } = described.content[response.headers.get('content-type') ?? ''] ?? {};
  if (schema === undefined) throw new Error(`${method} ${path} has another media type.`);
  const validate = inlineSchema(description, `${method} ${path} ${status}`, schema);
  expectValid(validate, JSON.parse(text), path);
});

it.each([
  ['/jsonapi/_accounts', ''],
  ['/jsonapi/_accounts/{name}', '/eve'],
  ['/jsonapi/_accounts/{name}/tokens', '/eve/tokens'],
  ['/jsonapi/_accounts/{name}/tokens/{id}', '/eve/tokens/x'],
  ['/jsonapi/_accounts/{name}/links', '/eve/links'],
  ['/jsonapi/_accounts/{name}/sessions', '/eve/sessions'],
  ['/jsonapi/_audit', ''],
  ['/jsonapi/_presence/{entityType}/{bundle}/{id}', '/node/article/first'],
  ['/jsonapi/_templates', ''],
  ['/jsonapi/_templates/{id}', '/x'],
  ['/jsonapi/_files', ''],
  ['/jsonapi/_files/{path}', '/content/article/x.png'],
  ['/jsonapi/_status', ''],
])('OPTIONS lists the described methods of %s', async (path, address) => {
  const response = await site.request(path.replace(/\/\{.*/, '') + address, {
    method: 'OPTIONS',
    headers: AUTHORIZED,
  });
  const allow = response.headers.get('allow')?.split(', ') ?? [];
  const described = Object.keys(description.paths[path] ?? {}).map((method) => method.toUpperCase());
  expect(allow.filter((method) => method !== 'HEAD' && method !== 'OPTIONS')).toEqual(described);
});

/** Routes that the document leaves out: pages, files, their aids, and the document itself. MCP describes its own tools. */
const UNDESCRIBED_ROUTES = [
  'add-link',
  'admin',
  'content-file',
  'draft-url',
  'edit-link',
  'excerpts',
  'explorer',
  'explorer-explain',
  'explorer-schema',
  'image-style',
  'markup',
  'mcp',
  'openapi',
  'preview',
  'redirect',
  'shared-page',
];

it('each route of a server is described, or left out on purpose', async () => {
  const routes = [...CORE_ROUTES, ...FEATURES.flatMap(({ routes = [] }) => routes)];
  const described = (await Promise.all(FEATURES.map((feature) => feature.describe?.() ?? []))).flat();
  const { settings } = createMagazine();
  const names = [describeContent, ...described].flatMap((describe) => Object.keys(describe(settings)));
  const known = new Set([...names, ...Object.keys(ADDRESSES)]);
  const silent = routes.filter(({ name }) => !known.has(name)).map(({ name }) => name);
  expect(new Set(silent)).toEqual(new Set(UNDESCRIBED_ROUTES));
  // Routes of these tests with one address, which need no other option.
  const served = routes.filter(({ name, alias, option = 'admin', below = '', path }) => {
    return (
      !alias &&
      names.includes(name) &&
      ADDRESSES[name] === undefined &&
      ['admin', 'signIn'].includes(option) &&
      path + below !== '' &&
      !BY_NAME.test(name)
    );
  });
  const paths = served.map(({ path, below = '' }) => path + below.replace(/\[(?:\.\.\.)?(\w+)\]/g, '{$1}'));
  expect(paths.filter((path) => description.paths[path] === undefined)).toEqual([]);
});

/** Menus, views and indexes have one address for each name. Jobs need commits. */
const BY_NAME = /^(?:menu|view|index)$|-job$/;

it('the description leaves the admin out if it is off', async () => {
  const closed = await openSignInSite();
  const { paths } = await (await closed.request('/jsonapi/openapi.json')).json();
  // Suggestions are for visitors.
  expect(Object.keys(paths).filter((path) => path.startsWith('/jsonapi/_'))).toEqual(['/jsonapi/_suggest']);
});

function moved(from: string, to: string, id = `content://article/${from}`) {
  return { data: { type: 'file--file', id, attributes: { uri: { value: `content://article/${to}` } } } };
}

interface Description {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly responses: Record<string, DescribedResponse> }>>>
  >;
  readonly components: {
    readonly schemas: Record<string, object>;
    readonly responses: Readonly<Record<string, DescribedResponse>>;
  };
}

interface DescribedResponse {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, { readonly schema?: object }>>;
}

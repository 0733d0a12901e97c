import { Validator } from '@seriousme/openapi-schema-validator';
import { beforeAll, describe, expect, it } from 'vitest';
import { accounts } from '../../integration/features/accounts/feature.ts';
import { expectValid } from '../support/json-schema.ts';
import {
  createSession,
  json,
  newArticle,
  ORIGIN,
  openSignInSite,
  PASSWORD,
  type SignInSite,
  signIn,
} from '../support/sign-in-site.ts';
import { basic } from '../unit/accounts/test-auth.ts';
import { inlineSchema } from './described.ts';

let site: SignInSite;
let description: Description;
beforeAll(async () => {
  site = await openSignInSite();
  description = await (await site.request('/jsonapi/openapi.json')).json();
});

/** Validates a response against the description of its status, or of `default`. */
async function expectDescribed(path: string, method: string, response: Response): Promise<void> {
  const operation = description.paths[path]?.[method];
  const answer = operation?.responses[response.status] ?? operation?.responses.default;
  expect(answer, `${method} ${path} ${response.status}`).toBeDefined();
  const text = await response.text();
  if (answer?.content === undefined) {
    expect(text).toBe('');
    return;
  }
  const type = response.headers.get('content-type')?.split(';', 1)[0] ?? '';
  expect(Object.keys(answer.content)).toEqual([type]);
  const { schema } = answer.content[type] ?? {};
  if (schema === undefined) return;
  const validate = inlineSchema(description, `${method} ${path} ${response.status}`, schema);
  expectValid(validate, type === 'application/json' ? JSON.parse(text) : text, path);
}

const SIGN_IN_PATHS = (accounts.routes ?? [])
  .filter(({ option }) => option === 'signIn')
  .map(({ path }) => path);

describe('the description of signing in', () => {
  it('is valid OpenAPI', async () => {
    expect(await new Validator().validate({ ...description })).toEqual({ valid: true });
  });

  it.each(SIGN_IN_PATHS)('lists the methods of %s, and matches each response', async (path) => {
    const methods = Object.keys(description.paths[path] ?? {});
    const allow = (await site.request(path, { method: 'OPTIONS' })).headers.get('allow')?.split(', ');
    const described = methods.map((method) => method.toUpperCase());
    expect(allow?.filter((method) => method !== 'HEAD' && method !== 'OPTIONS')).toEqual(described);
    for (const method of methods) {
      const headers = { origin: ORIGIN, 'content-type': 'application/x-www-form-urlencoded' };
      const init = method === 'get' ? {} : { method: 'POST', headers, body: '' };
      const session = createSession();
      const query = method === 'get' || path === '/oauth/token' ? '' : '?_format=json';
      await expectDescribed(path, method, await site.request(path + query, init, { session }));
    }
  });

  it.each<[string, unknown, number]>([
    ['right', { name: 'ada', pass: PASSWORD }, 200],
    ['wrong', { name: 'ada', pass: 'wrong horse' }, 401],
    ['missing', { name: 'ada' }, 400],
  ])('matches the responses to credentials that are %s', async (_, sent, status) => {
    const session = createSession();
    const response = await site.request('/user/login?_format=json', json(sent), { session });
    expect(response.status).toBe(status);
    await expectDescribed('/user/login', 'post', response);
  });

  it('matches the responses to the form, and to signing out', async () => {
    const session = createSession();
    const fields = new URLSearchParams({ name: 'ada', pass: PASSWORD });
    const form = { method: 'POST', body: fields, headers: { origin: ORIGIN } };
    const entered = await site.request('/user/login', form, { session });
    expect(entered.status).toBe(303);
    await expectDescribed('/user/login', 'post', entered);

    const { session: other, logout } = await signIn(site);
    const left = await site.request(
      `/user/logout?_format=json&token=${logout}`,
      { method: 'POST' },
      { session: other },
    );
    expect(left.status).toBe(204);
    await expectDescribed('/user/logout', 'post', left);
  });

  it('matches the sign-in status and client tokens', async () => {
    const headers = { authorization: basic('ada', PASSWORD) };
    const status = await site.request('/user/login_status?_format=json', { headers });
    expect(await status.clone().text()).toBe('1');
    await expectDescribed('/user/login_status', 'get', status);

    const { client, secret } = await site.auth.accounts.addClient('ada', { label: 'app', scope: 'write' });
    const grant = (client_secret: string) =>
      site.request('/oauth/token', {
        method: 'POST',
        body: new URLSearchParams({ grant_type: 'client_credentials', client_id: client.id, client_secret }),
      });
    for (const [given, answered] of [
      [secret, 200],
      ['wrong', 401],
    ] as const) {
      const response = await grant(given);
      expect(response.status).toBe(answered);
      await expectDescribed('/oauth/token', 'post', response);
    }
  });

  it('is missing if the site has no sign-in', async () => {
    const closed = await openSignInSite({ settings: { signIn: false } });
    const { paths } = await (await closed.request('/jsonapi/openapi.json')).json();
    expect(SIGN_IN_PATHS.filter((path) => path in paths)).toEqual([]);
  });
});

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Record<string, object> };
}

interface Operation {
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema?: object }>> }>
  >;
}

describe('the described ways to send a request', () => {
  const SECURED = { settings: { sessionCookie: 'astro-session' } };
  const HEADERS = [{ basic: [] }, { bearer: [] }];
  const CHANGES = { session: [], csrf: [] };
  const securityOf = async (options: Parameters<typeof openSignInSite>[0]) => {
    const secured = await openSignInSite(options);
    const { paths, components } = await (await secured.request('/jsonapi/openapi.json')).json();
    const at = (path: string, method: string) => paths[path][method].security;
    return { secured, at, paths, components };
  };

  it('are on each operation, and name their schemes', async () => {
    const { paths, components } = await securityOf(SECURED);
    for (const [path, item] of Object.entries<Record<string, { security?: object[] }>>(paths)) {
      for (const [method, { security }] of Object.entries(item)) {
        expect(security, `${method} ${path}`).toBeDefined();
        const schemes = security?.flatMap((each) => Object.keys(each)) ?? [];
        expect(Object.keys(components.securitySchemes)).toEqual(expect.arrayContaining(schemes));
      }
    }
    expect(components.securitySchemes.session.name).toBe('astro-session');
  });

  it('allow visitors to read, and to send the writes that their role allows', async () => {
    const { at } = await securityOf(SECURED);
    expect(at('/jsonapi/node/article', 'get')).toEqual([{}, ...HEADERS, { session: [] }]);
    expect(at('/jsonapi/node/article', 'post')).toEqual([...HEADERS, CHANGES]);
    expect(at('/jsonapi/operations', 'post')).toEqual([...HEADERS, CHANGES]);
    expect(at('/user/login', 'post')).toEqual([]);
    expect(at('/oauth/token', 'post')).toEqual([{}, { basic: [] }]);
    const create = { actions: ['view', 'create'], bundles: '*' } as const;
    const open = await securityOf({ ...SECURED, roles: { anonymous: { permissions: [create] } } });
    expect(open.at('/jsonapi/node/article', 'post')).toEqual([{}, ...HEADERS, CHANGES]);
    expect(open.at('/jsonapi/node/article/{id}', 'delete')).toEqual([...HEADERS, CHANGES]);
    expect((await open.secured.request('/jsonapi/node/article', newArticle())).status).toBe(201);
  });

  it('are those that the server accepts', async () => {
    const { secured } = await securityOf(SECURED);
    const { session, csrf } = await signIn(secured, 'ada');
    const post = async (headers: Record<string, string>, context = {}) =>
      (await secured.request('/jsonapi/node/article', newArticle(headers), context)).status;
    expect(await post({})).toBe(401);
    expect(await post({ authorization: basic('ada', PASSWORD) })).toBe(201);
    expect(await post({}, { session })).toBe(403);
    expect(await post({ 'x-csrf-token': csrf }, { session })).toBe(201);
  });

  it('lack sessions on a server without them, and everything on one without accounts', async () => {
    const { at, components } = await securityOf({ settings: { sessionCookie: null } });
    expect(Object.keys(components.securitySchemes)).toEqual(['basic', 'bearer']);
    expect(at('/jsonapi/node/article', 'post')).toEqual(HEADERS);
    const none = await securityOf({ settings: { signIn: false } });
    expect(none.components.securitySchemes).toBeUndefined();
    expect(none.at('/jsonapi/node/article', 'get')).toEqual([]);
  });
});

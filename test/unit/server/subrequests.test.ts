import { beforeAll, describe, expect, it, vi } from 'vitest';
import { DEFAULT_LIMITS } from '../../../integration/core/engine/limits.ts';
import type { Handler } from '../../../integration/core/server/handler.ts';
import { createHandler } from '../../support/handler.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { fetchFrom, ORIGIN } from '../../support/request.ts';
import { createServices } from '../../support/services.ts';

const HEADERS = { 'Content-Type': 'application/vnd.api+json', Accept: 'application/vnd.api+json' };
const FILES = {
  'article/first.md': '---\ntitle: First\nfield_author: person/ada\n---\n',
  'article/second.md': '---\ntitle: Second\npath: /été & co\n---\n',
  'article/hidden.md': '---\npath: /secret\ndraft: true\n---\n',
  'person/ada.md': '---\ntitle: Ada\n---\n',
  'menu_link_content--main/a.yaml': 'title: A\nurl: /a\n',
  'menu_link_content--main/b.yaml': 'title: B\nurl: /a/b\nparent: a\n',
};

let handle: Handler;
beforeAll(async () => {
  const site = { aliases: { article: '/blog/[id]' } };
  handle = createHandler(await createServices(createMemoryDriver(FILES), undefined, site));
});

async function send(path: string, init: RequestInit = {}): Promise<Response> {
  return fetchFrom(handle, path, { headers: HEADERS, ...init });
}

/** The two requests that next-drupal sends as one to get a resource by its path. */
function resourceByPath(path: string, params = 'include=field_author'): readonly unknown[] {
  return [
    {
      requestId: 'router',
      action: 'view',
      uri: `/router/translate-path?path=${path}&_format=json`,
      headers: { Accept: 'application/vnd.api+json' },
    },
    {
      requestId: 'resolvedResource',
      action: 'view',
      uri: `{{router.body@$.jsonapi.individual}}?${params}`,
      waitFor: ['router'],
    },
  ];
}

function post(body: unknown): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return send('/subrequests?_format=json', { method: 'POST', body: text });
}

describe('next-drupal', () => {
  it('translatePath', async () => {
    const response = await send('/router/translate-path?path=%2Fblog%2Ffirst');
    expect(await response.json()).toMatchObject({
      jsonapi: { resourceName: 'node--article', individual: `${ORIGIN}/jsonapi/node/article/first` },
    });
    expect((await send('/router/translate-path?path=%2Fnope')).status).toBe(404);
  });

  it('getResource with a version', async () => {
    const path = '/jsonapi/node/article/first?resourceVersion=rel%3Alatest-version';
    expect((await send(path)).status).toBe(200);
  });

  it('getResourceByPath', async () => {
    const params = 'include=field_author&resourceVersion=rel%3Alatest-version';
    const response = await post(resourceByPath('/blog/first', params));
    expect(response.status).toBe(207);
    const json = await response.json();
    expect(Object.keys(json)).toEqual(['router', 'resolvedResource#uri{0}']);
    expect(json.router.headers).toEqual({
      'content-id': ['<router>'],
      'content-type': ['application/json'],
      status: [200],
    });
    expect(JSON.parse(json['resolvedResource#uri{0}'].body)).toMatchObject({
      data: { type: 'node--article', id: 'first' },
      included: [{ id: 'ada' }],
    });
  });

  it.each(['/blog/nope', '/secret', '/node/article/hidden'])(
    'getResourceByPath of %s, which it cannot see',
    async (path) => {
      const response = await post(resourceByPath(path));
      const json = await response.json();
      expect(response.status).toBe(207);
      expect(Object.keys(json)).toEqual(['router']);
      expect(json.router.headers.status).toEqual([404]);
      expect(JSON.parse(json.router.body).message).toBe(`Unable to resolve path ${path}.`);
    },
  );

  it('getResourceByPath with an invalid query returns its errors', async () => {
    const json = await (await post(resourceByPath('/blog/first', 'include=nope'))).json();
    const { body, headers } = json['resolvedResource#uri{0}'];
    expect(headers.status).toEqual([400]);
    expect(JSON.parse(body).errors).toHaveLength(1);
  });

  it('getResourceCollectionPathSegments', async () => {
    const json = await (await send('/jsonapi/node/article?fields%5Bnode--article%5D=path')).json();
    expect(json.data.map(({ attributes }: { attributes: unknown }) => attributes)).toEqual([
      { path: { alias: '/blog/first' } },
      { path: { alias: '/été & co' } },
    ]);
  });

  it('getMenu', async () => {
    const { data } = await (await send('/jsonapi/menu_items/main')).json();
    const parents = data.map((item: { id: string; attributes: { parent: string } }) => [
      item.id,
      item.attributes.parent,
    ]);
    expect(parents).toEqual([
      ['menu_link_content:a', ''],
      ['menu_link_content:b', 'menu_link_content:a'],
    ]);
  });
});

describe('sub-requests', () => {
  it('are named by their id, and answered in order', async () => {
    const json = await (
      await post([
        { requestId: 'b', action: 'view', uri: '/jsonapi/node/person/ada' },
        { requestId: '__proto__', action: 'view', uri: '/jsonapi' },
        { requestId: 'a', action: 'view', uri: '{{b.body@$.data.links.self.href}}' },
      ])
    ).json();
    expect(Object.keys(json)).toEqual(['b', '__proto__', 'a#uri{0}']);
  });

  it.each([
    ['no JSON', '{'],
    ['no list', {}],
    ['another action', [{ requestId: 'a', action: 'create', uri: '/jsonapi' }]],
    ['no uri', [{ requestId: 'a', action: 'view' }]],
    [
      'two of one name',
      ['/jsonapi', '/jsonapi/node/article'].map((uri) => ({ requestId: 'a', action: 'view', uri })),
    ],
    ['another host', [{ requestId: 'a', action: 'view', uri: 'https://other.example/jsonapi' }]],
    ['another host without a scheme', [{ requestId: 'a', action: 'view', uri: '//other.example/jsonapi' }]],
    ['a path of the site', [{ requestId: 'a', action: 'view', uri: '/about' }]],
    ['no address', [{ requestId: 'a', action: 'view', uri: 'https://' }]],
    [
      'too many',
      Array.from({ length: DEFAULT_LIMITS.subrequests + 1 }, (_, at) => ({
        requestId: `r${at}`,
        action: 'view',
        uri: '/jsonapi',
      })),
    ],
  ])('are rejected if they are %s', async (_, body) => {
    const response = await post(body);
    expect(response.status).toBe(400);
    expect(Object.keys(await response.json())).toEqual(['message', 'details']);
  });

  it('cannot be nested', async () => {
    const json = await (await post([{ requestId: 'a', action: 'view', uri: '/subrequests' }])).json();
    expect(json.a.headers.status).toEqual([405]);
  });

  it(`may be ${DEFAULT_LIMITS.subrequests}, in ${DEFAULT_LIMITS.subrequestsBytes} bytes`, async () => {
    const list = Array.from({ length: DEFAULT_LIMITS.subrequests }, (_, at) => ({
      requestId: `r${at}`,
      action: 'view',
      uri: '/jsonapi',
    }));
    const text = JSON.stringify(list);
    expect((await post(text.padEnd(DEFAULT_LIMITS.subrequestsBytes))).status).toBe(207);
    expect((await post(text.padEnd(DEFAULT_LIMITS.subrequestsBytes + 1))).status).toBe(413);
  });

  it('with a token for a long text, repeated as often as it fits, take little time and memory', async () => {
    const body = 'x'.repeat(400_000);
    const services = await createServices(
      createMemoryDriver({ 'article/long.md': `---\ntitle: Long\n---\n${body}\n` }),
    );
    const token = '{{a.body@$.data.attributes.body.value}}';
    const list = (uri: string) => [
      { requestId: 'a', action: 'view', uri: '/jsonapi/node/article/long' },
      { requestId: 'b', action: 'view', uri },
    ];
    const room = DEFAULT_LIMITS.subrequestsBytes - JSON.stringify(list('/')).length;
    const count = Math.floor(room / token.length);
    const text = JSON.stringify(list(`/${token.repeat(count)}`));
    const peak = process.resourceUsage().maxRSS;
    const before = process.cpuUsage();
    const response = await fetchFrom(createHandler(services), '/subrequests', { method: 'POST', body: text });
    const { user, system } = process.cpuUsage(before);
    expect(response.status).toBe(414);
    const { details } = await response.json();
    expect(details).toMatch(
      /^\/1\/uri: Path and query may have 8192 characters together, not \d{9} \(limits\.queryLength\)\.$/,
    );
    expect((user + system) / 1e6).toBeLessThan(1);
    expect(process.resourceUsage().maxRSS - peak).toBeLessThan(200_000);
  });

  it('may have an address of 8192 characters after their tokens are replaced, without the origin', async () => {
    const self = '{{a.body@$.data.links.self.href}}';
    const path = '/jsonapi/node/article/first';
    const statuses = async (length: number) => {
      const response = await post([
        { requestId: 'a', action: 'view', uri: path },
        { requestId: 'b', action: 'view', uri: `${self}?A=`.padEnd(length - path.length + self.length, 'y') },
      ]);
      const json = await response.json();
      return [response.status, json['b#uri{0}']?.headers.status];
    };
    expect(await statuses(DEFAULT_LIMITS.queryLength)).toEqual([207, [200]]);
    expect(await statuses(DEFAULT_LIMITS.queryLength + 1)).toEqual([414, undefined]);
  });

  it('return their allowed methods', async () => {
    const response = await send('/subrequests', { method: 'OPTIONS' });
    expect([response.status, response.headers.get('allow')]).toEqual([200, 'OPTIONS, POST']);
    expect((await send('/router/translate-path', { method: 'OPTIONS' })).status).toBe(200);
  });

  it('are sent by POST', async () => {
    const response = await send('/subrequests');
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'OPTIONS, POST']);
  });

  it.each([
    ['credentials in the address', 'https://a:b@site.example/jsonapi', {}],
    ['an invalid header', '/jsonapi', { accept: 'application/json\u0000' }],
    ['a sign-in path', '/user/login', {}],
  ])('with %s return a 400, not a 500', async (_, uri, headers) => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const response = await post(JSON.stringify([{ requestId: 'a', action: 'view', uri, headers }]));
    expect([response.status, log.mock.calls]).toEqual([400, []]);
    log.mockRestore();
  });

  it('report a server error in the part that caused it', async () => {
    const error = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const services = await createServices(createMemoryDriver(FILES), undefined, {
      renderBody: () => Promise.reject(new Error('broken')),
    });
    const json = await (
      await fetchFrom(createHandler(services), '/subrequests', {
        method: 'POST',
        body: JSON.stringify([{ requestId: 'a', action: 'view', uri: '/jsonapi/node/article/first' }]),
      })
    ).json();
    expect(json.a.headers.status).toEqual([500]);
    expect(error).toHaveBeenCalledOnce();
    error.mockRestore();
  });
});

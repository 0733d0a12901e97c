import { afterEach, describe, expect, it, vi } from 'vitest';
import { serveFeatures } from '../../../integration/core/api/features.ts';
import type { ApiSettings } from '../../../integration/core/read/settings.ts';
import type { CorsRules } from '../../../integration/core/server/cors.ts';
import { createFailedHandler, type HandlerSettings } from '../../../integration/core/server/handler.ts';
import { CORE_HANDLERS } from '../../../integration/core/server/handlers.ts';
import { FEATURES } from '../../../integration/features.ts';
import { createHandler } from '../../support/handler.ts';
import { createMagazine } from '../api/jsonapi/magazine.ts';

afterEach(() => vi.restoreAllMocks());

const SITE = 'https://site.example';
const APP = 'https://app.example';
const LISTED: CorsRules = { origins: [APP], credentials: false, maxAge: 60, exposeHeaders: ['ETag'] };
const ALL: CorsRules = { ...LISTED, origins: '*' };

function front({
  cors = false,
  requestLog = false,
  ...settings
}: Partial<HandlerSettings & ApiSettings> = {}) {
  const handle = createHandler(createMagazine(settings), { cors, requestLog });
  return async (path: string, init: RequestInit = {}, context = {}) => {
    const response = await handle(new Request(SITE + path, init), context);
    if (response === undefined) throw new Error(`${path} is not answered.`);
    return response;
  };
}

const preflight = (origin: string, more: Record<string, string> = {}): RequestInit => ({
  method: 'OPTIONS',
  headers: { origin, 'access-control-request-method': 'GET', ...more },
});

const cors = ({ headers }: Response): Record<string, string> =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')));

describe('a CORS preflight', () => {
  it.each([
    ['/jsonapi/node/article', 'GET, HEAD, OPTIONS'],
    ['/jsonapi/node/nothing', 'GET, HEAD, OPTIONS'],
    ['/api/content/articles', 'GET, HEAD, OPTIONS'],
    ['/subrequests', 'OPTIONS, POST'],
    ['/healthz', 'GET, HEAD, OPTIONS'],
  ])('of %s is a 204 without a body that lists the allowed methods and headers', async (path, methods) => {
    const sent = preflight(APP, { 'access-control-request-headers': 'authorization, x-app' });
    const response = await front({ cors: LISTED })(path, sent);
    expect([response.status, await response.text()]).toEqual([204, '']);
    expect(cors(response)).toEqual({
      'access-control-allow-origin': APP,
      'access-control-allow-methods': methods,
      'access-control-allow-headers': 'authorization, x-app',
      'access-control-max-age': '60',
    });
    expect(response.headers.get('vary')).toBe('Origin, Access-Control-Request-Headers');
  });

  it.each([
    ['from an origin that is not listed', LISTED, 'https://evil.example'],
    ['from an origin that begins like a listed one', LISTED, `${APP}.evil.example`],
    ['from an opaque origin', LISTED, 'null'],
    ['where CORS is off', false, APP],
  ] as const)('%s is a 204 that allows nothing', async (_, rules, origin) => {
    const response = await front({ cors: rules })('/jsonapi', preflight(origin));
    expect([response.status, await response.text(), cors(response)]).toEqual([204, '', {}]);
  });

  it('differs from an OPTIONS request, which returns a document', async () => {
    const response = await front({ cors: LISTED })('/jsonapi', {
      method: 'OPTIONS',
      headers: { origin: APP },
    });
    expect(response.status).toBe(200);
    expect(await response.json()).toHaveProperty('meta.allow');
    expect(cors(response)).toHaveProperty('access-control-allow-origin', APP);
  });

  it('does not echo invalid header names', async () => {
    const sent = preflight(APP, { 'access-control-request-headers': 'a b; c' });
    expect(cors(await front({ cors: ALL })('/jsonapi', sent))).not.toHaveProperty(
      'access-control-allow-headers',
    );
  });
});

describe('responses to other origins', () => {
  it.each(['/jsonapi', '/jsonapi/node/nothing', '/jsonapi?filter=x', '/api/content/articles', '/healthz'])(
    '%s are readable by listed origins only',
    async (path) => {
      const ask = front({ cors: LISTED });
      const listed = await ask(path, { headers: { origin: APP } });
      expect(cors(listed)).toEqual({
        'access-control-allow-origin': APP,
        'access-control-expose-headers': 'ETag',
      });
      const other = await ask(path, { headers: { origin: 'https://evil.example' } });
      const none = await ask(path);
      expect([cors(other), cors(none)]).toEqual([{}, {}]);
      // A cache must not serve the response for one origin to another.
      for (const { headers } of [listed, other, none]) expect(headers.get('vary')).toMatch(/\borigin\b/i);
    },
  );

  it('are readable by all origins if all are allowed', async () => {
    const response = await front({ cors: ALL })('/jsonapi', { headers: { origin: 'https://any.example' } });
    expect(cors(response)).toMatchObject({ 'access-control-allow-origin': '*' });
    expect(cors(response)).not.toHaveProperty('access-control-allow-credentials');
  });

  it('allow cookies if the option does', async () => {
    const rules = { ...LISTED, credentials: true };
    const response = await front({ cors: rules })('/jsonapi', { headers: { origin: APP } });
    expect(cors(response)).toMatchObject({ 'access-control-allow-credentials': 'true' });
  });

  it('have no CORS headers by default', async () => {
    const response = await front()('/jsonapi', { headers: { origin: APP } });
    expect(cors(response)).toEqual({});
  });
});

describe('the health route', () => {
  it.each(['/healthz', '/healthz/', '/docs/healthz'])(
    '%s reports that the content is loaded',
    async (path) => {
      const response = await front({ base: '/docs' })(path);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toContain('application/json');
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(await response.json()).toEqual({ status: 'ok', uptime: expect.any(Number) });
    },
  );

  it('has the path of the option, or does not exist', async () => {
    expect((await front({ health: '/-/up' })('/-/up')).status).toBe(200);
    await expect(front({ health: '/-/up' })('/healthz')).rejects.toThrow('not answered');
    await expect(front({ health: false })('/healthz')).rejects.toThrow('not answered');
    await expect(front()('/healthz/deeper')).rejects.toThrow('not answered');
  });

  it('is read-only', async () => {
    expect((await front()('/healthz', { method: 'POST' })).status).toBe(405);
    expect((await front()('/healthz', { method: 'HEAD' })).status).toBe(200);
  });

  it('returns 503 if the content could not be loaded; other routes return 500', async () => {
    const log = vi.spyOn(console, 'error').mockReturnValue();
    const off = { cors: LISTED, requestLog: false };
    const handle = createFailedHandler(
      new Error('secret'),
      serveFeatures(FEATURES, CORE_HANDLERS),
      { base: '', explorer: false, health: '/healthz' },
      off,
    );
    const health = await handle(new Request(`${SITE}/healthz`));
    expect([health?.status, await health?.json()]).toMatchObject([503, { status: 'error' }]);
    const other = await handle(new Request(`${SITE}/jsonapi`, { headers: { origin: APP } }));
    expect(other?.status).toBe(500);
    expect(other?.headers.get('access-control-allow-origin')).toBe(APP);
    expect(await other?.text()).not.toContain('secret');
    expect(log).toHaveBeenCalledOnce();
  });
});

describe('the request log', () => {
  it('has one line of JSON per answered request', async () => {
    const print = vi.spyOn(console, 'log').mockReturnValue();
    const ask = front({ requestLog: true });
    const context = { actor: { name: 'ada', roles: ['authenticated'] } };
    const path = '/jsonapi/node/article?sort=title';
    const size = (await (await ask(path, { headers: { authorization: 'Bearer abc' } }, context)).text())
      .length;
    await ask('/jsonapi/node/nothing', { method: 'HEAD' });
    await ask('/jsonapi?X-Token=abc&A=1&access%5Fpassword=d&%74oken=abc');
    await ask('/jsonapi?pass=abc&passage=1');
    await expect(ask('/elsewhere')).rejects.toThrow('not answered');
    const lines = print.mock.calls.map(([line]) => JSON.parse(line));
    expect(lines).toEqual([
      {
        time: expect.stringMatching(/^\d{4}-.*Z$/),
        method: 'GET',
        path,
        status: 200,
        bytes: size,
        ms: expect.any(Number),
        actor: 'ada',
      },
      expect.objectContaining({ method: 'HEAD', status: 404, bytes: 0, actor: null }),
      expect.objectContaining({ path: '/jsonapi?X-Token=***&A=1&access%5Fpassword=***&%74oken=***' }),
      expect.objectContaining({ path: '/jsonapi?pass=***&passage=1' }),
    ]);
    expect(JSON.stringify(lines)).not.toContain('abc');
  });

  it('has one line for /subrequests, with the id of a server error', async () => {
    const print = vi.spyOn(console, 'log').mockReturnValue();
    vi.spyOn(console, 'error').mockReturnValue();
    const ask = front({ requestLog: true });
    const body = JSON.stringify([{ requestId: 'a', action: 'view', uri: '/jsonapi' }]);
    await ask('/subrequests', { method: 'POST', body });
    const site = { base: '', explorer: false, health: false } as const;
    const handle = createFailedHandler(new Error('x'), serveFeatures(FEATURES, CORE_HANDLERS), site, {
      cors: false,
      requestLog: true,
    });
    const failed = await (await handle(new Request(`${SITE}/jsonapi`)))?.json();
    const lines = print.mock.calls.map(([line]) => JSON.parse(line));
    expect(lines.map(({ path, status }) => [path, status])).toEqual([
      ['/subrequests', 207],
      ['/jsonapi', 500],
    ]);
    expect(lines[1].error).toBe(failed.errors[0].id);
  });

  it('is off by default', async () => {
    const print = vi.spyOn(console, 'log').mockReturnValue();
    await front()('/jsonapi');
    expect(print).not.toHaveBeenCalled();
  });
});

describe('the query explorer page', () => {
  const settings = { explorer: true };
  const context = { explorerPage: () => '<!doctype html>' };
  const ask = (method: string) => front(settings)('/jsonapi-explorer', { method }, context);

  it('cannot be framed, and disables MIME sniffing', async () => {
    const response = await ask('GET');
    expect([response.status, await response.text()]).toEqual([200, '<!doctype html>']);
    expect(Object.fromEntries(response.headers)).toEqual({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'content-security-policy': "frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
    });
    expect(await (await ask('HEAD')).text()).toBe('');
  });

  it('rejects other methods like every route', async () => {
    const methods = await Promise.all(['OPTIONS', 'POST', 'DELETE'].map(ask));
    expect(methods.map(({ status, headers }) => [status, headers.get('allow')])).toEqual([
      [204, 'GET, HEAD, OPTIONS'],
      [405, 'GET, HEAD, OPTIONS'],
      [405, 'GET, HEAD, OPTIONS'],
    ]);
    expect(await methods[1]?.json()).toMatchObject({ errors: [{ status: '405' }] });
  });

  it('is served even if the content cannot be loaded, but not without its HTML', async () => {
    const site = { base: '', explorer: true, health: false } as const;
    const handle = createFailedHandler(new Error('x'), serveFeatures(FEATURES, CORE_HANDLERS), site, {
      cors: false,
      requestLog: false,
    });
    const request = new Request(`${SITE}/jsonapi-explorer`);
    expect((await handle(request, context))?.status).toBe(200);
    await expect(front(settings)('/jsonapi-explorer')).rejects.toThrow('not answered');
  });
});

it('a body that the client aborts is not a server error', async () => {
  const log = vi.spyOn(console, 'error').mockReturnValue();
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode('[')),
    pull: (controller) => controller.error(new Error('aborted')),
  });
  const response = await front()('/subrequests', { method: 'POST', body, duplex: 'half' } as RequestInit);
  expect(response.status).toBe(499);
  expect(log).not.toHaveBeenCalled();
});

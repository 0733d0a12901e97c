import { afterEach, describe, expect, it, vi } from 'vitest';
import { answer } from '../../../integration/core/api/jsonapi/answer.ts';
import type { Services } from '../../../integration/core/api/request.ts';
import { DEFAULT_LIMITS } from '../../../integration/core/engine/limits.ts';
import type { ApiSettings } from '../../../integration/core/read/settings.ts';
import { IDLE_MS } from '../../../integration/core/server/answer-stream.ts';
import type { HandlerContext } from '../../../integration/core/server/handler.ts';
import { eventually } from '../../support/eventually.ts';
import { createHandler } from '../../support/handler.ts';
import { fetchFrom, ORIGIN } from '../../support/request.ts';
import { bundle, createMagazine, entity, field } from '../api/jsonapi/magazine.ts';

const ARTICLE = bundle('node--article', [field('field_author', 'reference', { targets: ['node--person'] })]);
const PERSON = bundle('node--person', []);
const COUNT = 600;
const BODY = 'A line of text. '.repeat(150);
const CONTENT = [
  ...Array.from({ length: COUNT }, (_, at) =>
    entity(
      'node--article',
      `a${String(at).padStart(4, '0')}`,
      { field_author: { type: 'node--person', id: `p${at % 300}` } },
      { body: `${at} ${BODY}` },
    ),
  ),
  ...Array.from({ length: 300 }, (_, at) => entity('node--person', `p${at}`, {})),
];

/** A site that counts how often it renders a body. */
function site(settings: Partial<ApiSettings> = {}, content = CONTENT) {
  const magazine = createMagazine(settings, content, [ARTICLE, PERSON]);
  const rendered: string[] = [];
  const services: Services = {
    ...magazine,
    async renderBody({ id, body }) {
      rendered.push(id);
      return body === null ? '' : `<p>${id}</p>`;
    },
  };
  const handle = createHandler(services);
  async function get(path: string, init: RequestInit = {}, context: HandlerContext = {}): Promise<Response> {
    return fetchFrom(handle, path, { ...init, ...context });
  }
  return { services, rendered, get };
}

const ALL = '/jsonapi/node/article?page[limit]=0&include=field_author';
const ALL_REST = '/api/content/articles?limit=0&fields=title,body';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('a response that is too large to buffer', () => {
  it('has the bytes of the whole document, without Content-Length', async () => {
    const { services, get } = site();
    const response = await get(ALL);
    expect(response.headers.get('content-length')).toBeNull();
    const document = await response.json();
    const whole = await answer(services, ALL);
    const relative = JSON.parse(JSON.stringify(document).replaceAll(ORIGIN, ''));
    expect(relative).toEqual(whole);
    expect(document.data).toHaveLength(COUNT);
    expect(document.included).toHaveLength(300);
  });

  it('has all entities of a list in plain JSON', async () => {
    const { get } = site();
    const response = await get(ALL_REST);
    expect(response.headers.get('content-length')).toBeNull();
    const all = await response.json();
    const pages = await Promise.all(
      Array.from({ length: COUNT / 50 }, async (_, at) => {
        return (await (await get(`/api/content/articles?fields=title,body&page=${at + 1}`)).json()).data;
      }),
    );
    expect(all.data).toEqual(pages.flat());
    expect(all.meta).toMatchObject({ page: 1, limit: 0, count: COUNT, pages: 1 });
  });

  it.each([ALL, ALL_REST])('%s: 304 and HEAD responses render no body', async (path) => {
    const { get, rendered } = site();
    const head = await get(path, { method: 'HEAD' });
    const etag = head.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[0-9a-f]{16}"$/);
    const unchanged = await get(path, { headers: { 'if-none-match': etag } });
    expect([head.status, unchanged.status, await head.text()]).toEqual([200, 304, '']);
    expect(rendered).toEqual([]);
    expect((await get(path)).headers.get('etag')).toBe(etag);
  });

  it('is produced only as far as the client has read', async () => {
    const { get, rendered } = site();
    const reader = (await get(ALL)).body!.getReader();
    await reader.read();
    await reader.read();
    const before = rendered.length;
    expect(before).toBeLessThan(COUNT / 5);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(rendered).toHaveLength(before);
    await reader.cancel();
  });

  it('waits until the connection accepts a chunk', async () => {
    const { get, rendered } = site();
    let drain = (): void => undefined;
    let waits = 0;
    const drained = () => {
      waits += 1;
      return waits < 3 ? undefined : new Promise<void>((resolve) => (drain = resolve));
    };
    const response = await get(ALL, {}, { connection: { drained, destroy: () => undefined } });
    const reading = response.text();
    await eventually(() => expect(waits).toBe(3));
    const before = rendered.length;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(rendered).toHaveLength(before);
    const timer = setInterval(() => drain(), 1);
    expect(JSON.parse(await reading).data).toHaveLength(COUNT);
    clearInterval(timer);
  });

  it('does not fill the cache', async () => {
    const { get, rendered } = site();
    await (await get(ALL)).text();
    await (await get(ALL)).text();
    expect(rendered).toHaveLength(2 * COUNT);
  });

  it('ends if the client reads nothing for a minute', async () => {
    const { get } = site();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const destroy = vi.fn();
    const reader = (
      await get(ALL, {}, { connection: { drained: () => undefined, destroy } })
    ).body!.getReader();
    await reader.read();
    vi.advanceTimersByTime(IDLE_MS - 1);
    expect(destroy).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(destroy).toHaveBeenCalledOnce();
    await expect(reader.read()).rejects.toThrow('did not read');
  });

  it('is one of at most a hundred, and a leaving client frees its slot', async () => {
    const { get } = site({}, [entity('node--article', 'long', {}, { body: 'x'.repeat(600_000) })]);
    const open = await Promise.all(Array.from({ length: 100 }, () => get(ALL)));
    const refused = await get(ALL);
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('10');
    expect((await get('/jsonapi/node/article')).status).toBe(200);
    await open[0]?.body?.cancel();
    const next = await get(ALL);
    expect(next.status).toBe(200);
    await Promise.all([next, ...open.slice(1)].map(({ body }) => body?.cancel()));
  });

  it('stays incomplete after an error, which is logged once', async () => {
    const { services } = site();
    const log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const renderBody: Services['renderBody'] = async ({ id }) => {
      if (id === 'a0300') throw new Error('It cannot be rendered.');
      return '';
    };
    const destroy = vi.fn();
    const handle = createHandler({ ...services, renderBody });
    const context = { connection: { drained: () => undefined, destroy } };
    const response = await fetchFrom(handle, ALL, context);
    await expect(response.text()).rejects.toThrow();
    expect(destroy).toHaveBeenCalledOnce();
    expect(log).toHaveBeenCalledOnce();
  });

  it('is not produced for a client that has left', async () => {
    const { get, services } = site();
    const run = vi.spyOn(services.engine, 'run');
    const response = await get(ALL, { signal: AbortSignal.abort() });
    expect(response.status).toBe(499);
    expect(run).not.toHaveBeenCalled();
  });
});

describe('limits.answerBytes', () => {
  it.each([
    [ALL, 'page[limit]'],
    ['/jsonapi/node/article?page[size]=0', 'page[size]'],
    [ALL_REST, 'limit'],
  ])('%s: limits a response before its first byte', async (path, parameter) => {
    const under = (answerBytes: number) => site({ limits: { ...DEFAULT_LIMITS, answerBytes } }).get(path);
    const errorOf = async (response: Response) => {
      const { errors, error } = await response.json();
      return error ?? errors[0];
    };
    const refused = await errorOf(await under(1_000_000));
    expect(refused.detail).toContain('(limits.answerBytes)');
    expect(refused.source).toEqual({ parameter });
    const size = Number(/about (\d+) bytes/.exec(refused.detail)?.[1]);
    const exact = await under(size);
    expect(exact.status).toBe(200);
    await exact.body?.cancel();
    expect((await under(size - 1)).status).toBe(400);
  });

  it.each([
    ['many resources without bodies', 201, 'x'.repeat(10_000), null],
    ['few resources with long bodies', 2, 'x', 'x'.repeat(600_000)],
  ])('limits a response with %s', async (_, count, title, body) => {
    const content = Array.from({ length: count }, (_, at) =>
      entity('node--article', `a${at}`, { title, field_author: null }, { body }),
    );
    const { get } = site({ limits: { ...DEFAULT_LIMITS, answerBytes: 1_000_000 } }, content);
    const response = await get('/jsonapi/node/article?page[limit]=0');
    expect([response.status, (await response.json()).errors[0].detail]).toEqual([
      400,
      expect.stringContaining('limits.answerBytes'),
    ]);
  });

  it('does not count omitted fields', async () => {
    const { get } = site({ limits: { ...DEFAULT_LIMITS, answerBytes: 1_000_000 } });
    const response = await get('/jsonapi/node/article?page[limit]=0&fields[node--article]=title');
    expect(response.status).toBe(200);
    expect((await response.json()).data).toHaveLength(COUNT);
  });
});

describe('POST /subrequests', () => {
  const post = async (list: readonly unknown[], settings: Partial<ApiSettings> = {}) => {
    const { get, rendered } = site(settings);
    const response = await get('/subrequests', { method: 'POST', body: JSON.stringify(list) });
    return { response, answers: await response.json(), rendered };
  };
  const view = (requestId: string, uri: string) => ({ requestId, action: 'view', uri });

  it.each(['/jsonapi/node/article?page[limit]=0', ALL_REST])(
    'rejects %s with a 400 for this sub-request only',
    async (uri) => {
      const list = Array.from({ length: 19 }, (_, at) => view(`r${at}`, uri));
      const { answers, rendered } = await post([...list, view('one', '/jsonapi/node/article/a0001')]);
      expect(answers.r0.headers.status).toEqual([400]);
      expect(answers.r0.body).toContain('not 0.');
      expect(answers.one.headers.status).toEqual([200]);
      expect(rendered).toEqual(['a0001']);
    },
  );

  it('parses only responses that a later sub-request refers to', async () => {
    const parse = vi.spyOn(JSON, 'parse');
    const page = '/jsonapi/node/article?page[limit]=1';
    const { answers } = await post([
      view('a', page),
      view('b', '/jsonapi/node/person?page[limit]=1'),
      view('c', '{{a.body@$.data.0.links.self.href}}'),
    ]);
    expect(Object.keys(answers)).toEqual(['a', 'b', 'c#uri{0}']);
    const texts = parse.mock.calls.map(([text]) => text);
    expect(texts.filter((text) => text === answers.a.body)).toHaveLength(1);
    expect(texts).not.toContain(answers.b.body);
  });

  it('returns at most as many bytes as the limit allows, otherwise a 413', async () => {
    const list = [view('a', '/jsonapi/node/article'), view('b', '/jsonapi/node/person')];
    const { answers } = await post(list);
    const bytes = answers.a.body.length + answers.b.body.length;
    const under = (subrequestsAnswerBytes: number) =>
      post(list, { limits: { ...DEFAULT_LIMITS, subrequestsAnswerBytes } });
    expect((await under(bytes)).response.status).toBe(207);
    const { response, answers: refusal } = await under(bytes - 1);
    expect(response.status).toBe(413);
    expect(refusal.details).toContain(`at most ${bytes - 1} bytes`);
  });
});

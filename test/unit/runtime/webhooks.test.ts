import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { JsonapiOptions } from '../../../integration/core/options/options.ts';
import { createRuntime } from '../../../integration/core/runtime/open-site.ts';
import type { Runtime } from '../../../integration/core/runtime/runtime.ts';
import type { Site } from '../../../integration/core/runtime/site.ts';
import type { WritableDriver } from '../../../integration/core/storage/driver.ts';
import { createWebhooks } from '../../../integration/features/webhooks/webhooks.ts';
import { FEATURES } from '../../../integration/features.ts';
import { eventually } from '../../support/eventually.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { parseOptions } from '../../support/options.ts';
import { TEST_SETTINGS } from '../../support/services.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const FILES = {
  'article/one.md': '---\ntitle: One\n---\n',
  'article/two.md': '---\ntitle: Two\npath: /second\n---\n',
  'article/draft.md': '---\ntitle: Draft\nstatus: false\n---\n',
};

interface Received {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

let receiver: Server;
let address: string;
let received: Received[] = [];
/** Statuses of the next responses; 200 by default. */
let statuses: number[] = [];
const open: { close(): Promise<void> }[] = [];

beforeEach(async () => {
  [received, statuses] = [[], []];
  receiver = createServer(async (request, response) => {
    const { method, url, headers } = request;
    received.push({ method, url, headers, body: await text(request) });
    response.writeHead(statuses.shift() ?? 200, { location: '/elsewhere' }).end('ok');
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
});
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
  receiver.closeAllConnections();
  receiver.close();
});

async function start(
  webhooks: JsonapiOptions['webhooks'],
  more: { readonly site?: Partial<Site>; readonly options?: JsonapiOptions; driver?: WritableDriver } = {},
): Promise<{ runtime: Runtime; driver: WritableDriver; log: ReturnType<typeof fakeLog> }> {
  const { site, options, driver = createMemoryDriver(FILES) } = more;
  const log = fakeLog();
  const runtime = await createRuntime(
    { driver, schema: undefined },
    {
      features: FEATURES,
      options: parseOptions({ danglingReferences: 'missing', webhooks, ...options }),
      settings: TEST_SETTINGS,
      renderBody: async () => '',
      log,
      environment: { HOOK: `${address}/hook?token=hidden`, SECRET },
      onChange: () => undefined,
      ...site,
    },
  );
  open.push(runtime);
  return { runtime, driver, log };
}

const fakeLog = () => ({ info: vi.fn(), warn: vi.fn(), error: vi.fn() });
const bytes = (file: string) => new TextEncoder().encode(file);
const resources = () => received.flatMap(({ body }) => JSON.parse(body).data.resources);

describe('a webhook', () => {
  it('gets one signed request for a burst of changes', async () => {
    const { driver } = await start([{ url: 'env:HOOK', secret: 'env:SECRET' }]);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      await driver.write('article/one.md', bytes('---\ntitle: First\n---\n'));
      await driver.write('article/new.md', bytes('---\ntitle: New\n---\n'));
      await driver.remove('article/two.md');
      await vi.advanceTimersByTimeAsync(2000);
    } finally {
      vi.useRealTimers();
    }
    await eventually(() => expect(received).toHaveLength(1));
    const [{ method, url, headers, body } = fail()] = received;
    expect([method, url, headers['content-type']]).toEqual([
      'POST',
      '/hook?token=hidden',
      'application/json',
    ]);
    expect(JSON.parse(body)).toEqual({
      type: 'content.changed',
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      data: {
        total: 3,
        resources: expect.arrayContaining([
          resource('update', 'one', '/node/article/one'),
          resource('create', 'new', '/node/article/new'),
          resource('delete', 'two', '/second'),
        ]),
      },
    });
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
    const digest = createHmac('sha256', Buffer.alloc(32, 7)).update(signed).digest('base64');
    expect(headers['webhook-signature']).toBe(`v1,${digest}`);
    const { isAuthentic } = await import(`data:text/javascript,${encodeURIComponent(exampleOfDocs())}`);
    const sent = new Headers(headers as Record<string, string>);
    expect(isAuthentic(sent, body, SECRET)).toBe(true);
    expect(isAuthentic(sent, `${body} `, SECRET)).toBe(false);
    expect(isAuthentic(new Headers(), body, SECRET)).toBe(false);
    expect(Math.abs(Number(headers['webhook-timestamp']) - Date.now() / 1000)).toBeLessThan(60);
  });

  it('receives changes that visitors can see, so drafts and bundles outside of the API stay secret', async () => {
    const { driver } = await start([{ url: 'env:HOOK' }], {
      options: { bundles: { note: { api: false } } },
    });
    await driver.write('article/draft.md', bytes('---\ntitle: Better draft\nstatus: false\n---\n'));
    await driver.write('article/two.md', bytes('---\ntitle: Two\npath: /second\nstatus: false\n---\n'));
    await driver.write('note/a.md', bytes('---\ntitle: Note\n---\n'));
    await eventually(() => expect(received).toHaveLength(1));
    expect(resources()).toEqual([resource('delete', 'two', '/second')]);
    await driver.write('article/draft.md', bytes('---\ntitle: Better draft\nstatus: true\n---\n'));
    await eventually(() => expect(received).toHaveLength(2));
    expect(resources().at(-1)).toEqual(resource('create', 'draft', '/node/article/draft'));
    expect(received.every(({ headers }) => headers['webhook-signature'] === undefined)).toBe(true);
  });

  it('is not called for an edit of a draft, nor for an event that it does not want', async () => {
    const { driver } = await start([{ url: 'env:HOOK', events: ['delete'] }]);
    await driver.write('article/draft.md', bytes('---\ntitle: Better draft\nstatus: false\n---\n'));
    await driver.write('article/one.md', bytes('---\ntitle: First\n---\n'));
    await driver.remove('article/two.md');
    await eventually(() => expect(received).toHaveLength(1));
    expect(resources()).toEqual([resource('delete', 'two', '/second')]);
  });

  it('is called when the clock publishes and unpublishes', async () => {
    const { driver } = await start([{ url: 'env:HOOK', events: ['create', 'delete'] }]);
    const schedule = (field: string) => {
      const soon = new Date(Date.now() + 1500).toISOString();
      return driver.write('article/later.md', bytes(`---\ntitle: Later\n${field}: ${soon}\n---\n`));
    };
    const created = resource('create', 'later', '/node/article/later');
    await schedule('publish_on');
    await eventually(() => expect(resources()).toEqual([created]));
    await schedule('unpublish_on');
    await eventually(() =>
      expect(resources()).toEqual([created, resource('delete', 'later', '/node/article/later')]),
    );
  });

  it('revalidates each path of a next-drupal front end, the former one too', async () => {
    const { driver } = await start([{ url: 'env:HOOK', secret: 'env:SECRET', format: 'next-drupal' }]);
    await driver.write('article/two.md', bytes('---\ntitle: Two\npath: /zweites & mehr\n---\n'));
    await eventually(() => expect(received).toHaveLength(2));
    expect(received.map(({ method, url }) => [method, new URL(url ?? '', address).searchParams])).toEqual(
      ['/second', '/zweites%20%26%20mehr'].map((path) => [
        'GET',
        new URLSearchParams({ token: 'hidden', path, secret: SECRET }),
      ]),
    );
  });

  it.each([404, 503])('revalidates all other paths if the front end answers one with %i', async (status) => {
    statuses = [status];
    const { driver, log } = await start([{ url: 'env:HOOK', format: 'next-drupal' }]);
    await driver.write('article/two.md', bytes('---\ntitle: Two\npath: /other\n---\n'));
    await eventually(() => expect(log.warn).toHaveBeenCalledWith(expect.stringContaining(`with ${status}.`)));
    await eventually(() => expect(received.length).toBeGreaterThan(1));
    const paths = received.map(({ url }) => new URL(url ?? '', address).searchParams.get('path'));
    expect(paths.slice(0, 2)).toEqual(['/second', '/other']);
  });

  it('is called again after a failure, with changes that were made meanwhile, and the log has no secret', async () => {
    statuses = [503];
    const { driver, log } = await start([{ url: 'env:HOOK', secret: 'env:SECRET' }]);
    await driver.write('article/one.md', bytes('---\ntitle: First\n---\n'));
    await eventually(() => expect(received).toHaveLength(2));
    const [first, second] = received;
    expect(second?.body.replace(/"timestamp":"[^"]*"/, '')).toBe(
      first?.body.replace(/"timestamp":"[^"]*"/, ''),
    );
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    await eventually(() => expect(log.info).toHaveBeenCalledWith(expect.stringContaining('is called again')));
    const lines = [...log.warn.mock.calls, ...log.info.mock.calls].flat().join('\n');
    expect(lines).toContain('cannot be called. It responded with 503. The server tries again.');
    expect(lines).not.toContain('hidden');
    expect(lines).not.toContain('whsec');
  });

  it.each([
    [302, 'It responded with a redirect (302), and redirects are not followed.'],
    [404, 'It responded with 404.'],
  ])('that responds with %i is not called again', async (status, reason) => {
    statuses = [status];
    const { driver, log } = await start([{ url: 'env:HOOK' }]);
    await driver.write('article/one.md', bytes('---\ntitle: First\n---\n'));
    await eventually(() => expect(log.warn).toHaveBeenCalledWith(expect.stringContaining(reason)));
    expect(received).toHaveLength(1);
  });

  it('waits for commits, because a deployment builds the repository', async () => {
    let isCommitted = false;
    const hooks = createWebhooks({
      webhooks: parseOptions({ webhooks: [{ url: 'env:HOOK' }] }).webhooks,
      environment: { HOOK: address },
      hiddenTypes: () => [],
      isCommitted: () => isCommitted,
      log: fakeLog(),
      quietMs: 10,
    });
    const page = { path: '/a' };
    hooks.report([{ type: 'node--a', id: 'a', langcode: 'en', before: page, after: page, isEdited: true }]);
    await new Promise((done) => setTimeout(done, 100));
    expect(received).toHaveLength(0);
    isCommitted = true;
    await eventually(() => expect(received).toHaveLength(1));
    await hooks.close();
  });

  it('is called for the last changes when the server stops', async () => {
    const { driver, runtime } = await start([{ url: 'env:HOOK' }]);
    const onChange = () => runtime.services.store.get('node--article', 'one')?.values.title;
    await driver.write('article/one.md', bytes('---\ntitle: First\n---\n'));
    await eventually(() => expect(onChange()).toBe('First'));
    await runtime.close();
    expect(received).toHaveLength(1);
  });

  it.each([
    [200, ['one', 'two']],
    [500, ['one', 'one', 'two']],
  ])('is called once more when the server stops during a call that responds with %i', async (status, ids) => {
    const response = Promise.withResolvers<number>();
    const bodies: string[] = [];
    const hooks = createWebhooks({
      webhooks: parseOptions({ webhooks: [{ url: 'env:HOOK' }] }).webhooks,
      environment: { HOOK: address },
      hiddenTypes: () => [],
      isCommitted: () => true,
      log: fakeLog(),
      quietMs: 10,
      async fetch(_, init) {
        bodies.push(String(init?.body));
        return new Response('', { status: bodies.length === 1 ? await response.promise : 200 });
      },
    });
    const page = { path: '/a' };
    const report = (id: string) =>
      hooks.report([{ type: 'node--a', id, langcode: 'en', before: page, after: page, isEdited: true }]);
    report('one');
    await eventually(() => expect(bodies).toHaveLength(1));
    report('two');
    const closed = hooks.close();
    response.resolve(status);
    await closed;
    expect(bodies.flatMap((body) => JSON.parse(body).data.resources).map(({ id }) => id)).toEqual(ids);
  });

  it('is not called when the server stops after a call that responded', async () => {
    const { driver, runtime } = await start([{ url: 'env:HOOK' }]);
    await driver.write('article/one.md', bytes('---\ntitle: First\n---\n'));
    await eventually(() => expect(received).toHaveLength(1));
    await runtime.close();
    expect(received).toHaveLength(1);
  });

  it('is called once more when the server stops while a failed call waits for its next attempt', async () => {
    statuses = [500, 500, 500, 200];
    const { driver, runtime } = await start([{ url: 'env:HOOK' }]);
    await driver.write('article/one.md', bytes('---\ntitle: First\n---\n'));
    await eventually(() => expect(received).toHaveLength(3));
    // The next attempt is in four seconds.
    await runtime.close();
    expect(received).toHaveLength(4);
  });

  it.each([
    [{}, { url: 'env:NOTHING' }, 'the environment variable NOTHING is not set'],
    [{ SECRET: 'short' }, { url: 'http://127.0.0.1/', secret: 'env:SECRET' }, 'the secret must be whsec_'],
    [{ HOOK: 'https://me:pass@127.0.0.1/' }, { url: 'env:HOOK' }, 'HOOK has a user name or password'],
    [{}, { url: 'https://me:pass@127.0.0.1/' }, 'url has a user name or password'],
    [{ HOOK: 'file:///etc' }, { url: 'env:HOOK' }, 'HOOK is not a URL'],
  ])(
    'with the environment %o and the options %o is not called, and the log says why',
    async (environment, webhook, reason) => {
      const { log } = await start([webhook], { site: { environment } });
      expect(log.warn).toHaveBeenCalledWith(expect.stringContaining(`Option webhooks.0: ${reason}`));
    },
  );
});

describe("Astro's route cache", () => {
  it('loses the pages with the tags of changed content, and again for pages that were being rendered', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const { runtime, driver } = await start([]);
      const invalidate = vi.fn(async (_: { tags: string[] }) => undefined);
      runtime.useRouteCache({ invalidate });
      await vi.advanceTimersByTimeAsync(1000);
      await driver.write('article/é,1.md', bytes('---\ntitle: Odd\n---\n'));
      await vi.advanceTimersByTimeAsync(1000);
      const input = { tags: ['content', 'node--article', 'node--article:%C3%A9%2C1'] };
      expect(invalidate.mock.calls[0]).toEqual([input]);
      const { length } = invalidate.mock.calls;
      await vi.advanceTimersByTimeAsync(6000);
      expect(invalidate.mock.calls.length).toBeGreaterThan(length);
      expect(invalidate).toHaveBeenLastCalledWith(input);
    } finally {
      vi.useRealTimers();
    }
  });
});

function resource(operation: string, id: string, path: string) {
  return { operation, type: 'node--article', id, langcode: 'en', path };
}

/** The check of docs/after-a-change.md. */
function exampleOfDocs(): string {
  const page = readFileSync(new URL('../../../docs/after-a-change.md', import.meta.url), 'utf8');
  return /```js\n(import \{ createHmac[\s\S]*?)```/.exec(page)?.[1] ?? '';
}

function fail(): never {
  throw new Error('The webhook was not called.');
}

import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Actor } from '../../../integration/core/access/actor.ts';
import { siteLanguages } from '../../../integration/core/content/languages.ts';
import type { JsonapiOptions } from '../../../integration/core/options/options.ts';
import { createRuntime } from '../../../integration/core/runtime/open-site.ts';
import type { Runtime } from '../../../integration/core/runtime/runtime.ts';
import type { Site } from '../../../integration/core/runtime/site.ts';
import { FEATURES } from '../../../integration/features.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { parseOptions } from '../../support/options.ts';
import { fetchFrom } from '../../support/request.ts';
import { TEST_SETTINGS } from '../../support/services.ts';

const FILES = {
  'article/secret.md': '---\ntitle: Not yet\nstatus: false\npath: /secret\nuid: ada\n---\n',
  'article/public.md': '---\ntitle: Public\npath: /public\nuid: bob\n---\n',
  'article/public.de.md': '---\ntitle: Offen\npath: /public\nuid: bob\n---\n',
};
const FRONT = 'https://front.example/api/draft';
const DRAFT_MODE = { url: FRONT, secret: 'env:DRAFT_SECRET' } as const;
const EDITOR: Actor = { name: 'ada', roles: ['authenticated', 'editor'] };
const READER: Actor = { name: 'bob', roles: ['authenticated'] };

const open: { close(): Promise<void> }[] = [];
let time = Date.UTC(2026, 2, 9);
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

async function start(
  options: JsonapiOptions = { draftMode: DRAFT_MODE, editing: true },
  site: Partial<Site> = {},
) {
  const warn = vi.fn();
  const runtime = await createRuntime(
    { driver: createMemoryDriver(FILES), schema: undefined },
    {
      features: FEATURES,
      options: parseOptions(options),
      settings: TEST_SETTINGS,
      renderBody: async () => '',
      log: { info: () => undefined, warn, error: () => undefined },
      environment: { DRAFT_SECRET: 'x'.repeat(32) },
      now: () => time,
      ...site,
    },
  );
  open.push(runtime);
  return { runtime, warn };
}

/** The address of the front end to which an actor is led. */
async function draftUrl({ handle }: Runtime, query: string, actor: Actor | undefined = EDITOR): Promise<URL> {
  const response = await fetchFrom(handle, `/next/draft-url?${query}`, { actor });
  expect(response.status).toBe(303);
  expect(response.headers.get('cache-control')).toBe('no-store');
  return new URL(response.headers.get('location') ?? '');
}

/** What next-drupal sends before it starts draft mode. */
function validate({ handle }: Runtime, { searchParams }: URL, path = '/next/draft-url'): Promise<Response> {
  const headers = { accept: 'application/vnd.api+json', 'content-type': 'application/json' };
  return fetchFrom(handle, path, { method: 'POST', headers, body: Object.fromEntries(searchParams) });
}

describe('draft mode of a front end', () => {
  it.each(['/next/draft-url', '/next/preview-url'])(
    'starts with an address that the server has signed: %s',
    async (path) => {
      const { runtime } = await start();
      const url = await draftUrl(runtime, 'path=/secret');
      expect(url.origin + url.pathname).toBe(FRONT);
      expect(Object.fromEntries(url.searchParams)).toEqual({
        path: '/secret',
        resourceVersion: 'rel:working-copy',
        timestamp: String(time / 1000),
        secret: expect.stringMatching(/^[\w-]{43}$/),
      });
      const response = await validate(runtime, url, path);
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual({ path: '/secret', maxAge: 300 });
    },
  );

  it('shows an earlier version', async () => {
    const { runtime } = await start();
    const url = await draftUrl(runtime, 'path=/secret&resourceVersion=id%3Aabc');
    expect(url.searchParams.get('resourceVersion')).toBe('id:abc');
    expect((await validate(runtime, url)).status).toBe(200);
  });

  it.each(['rel:working-copy', 'rel:latest-version', 'id:0a1b2c', ''])(
    'shows the version %j',
    async (version) => {
      const { runtime } = await start();
      const url = await draftUrl(runtime, `path=/secret&resourceVersion=${version}`);
      expect(url.searchParams.get('resourceVersion')).toBe(version || 'rel:working-copy');
    },
  );

  it.each(['rel:latest', 'id:', 'id:a b', '7', `id:${'a'.repeat(65)}`, 'id:a&b=c'])(
    'does not show the version %j',
    async (version) => {
      const { runtime } = await start();
      const query = new URLSearchParams({ path: '/secret', resourceVersion: version });
      const response = await fetchFrom(runtime.handle, `/next/draft-url?${query}`, { actor: EDITOR });
      expect(response.status).toBe(400);
      expect(await response.text()).toContain('rel:latest-version');
    },
  );

  describe('without a session', () => {
    const settings = { ...TEST_SETTINGS, base: '/site', signIn: true };
    const visit = (runtime: Runtime, path: string, more: object = {}) =>
      fetchFrom(runtime.handle, path, { headers: { accept: 'text/html,*/*;q=0.8' }, ...more });

    it('leads a person to the sign-in page, and from there to the front end', async () => {
      const { runtime } = await start(undefined, { settings });
      const path = '/site/next/draft-url?path=/secret&resourceVersion=id:abc';
      const response = await visit(runtime, path);
      expect(response.status).toBe(303);
      expect(response.headers.get('cache-control')).toBe('no-store');
      const signIn = new URL(response.headers.get('location') ?? '', 'https://site.example');
      expect(signIn.pathname).toBe('/site/user/login');
      const destination = signIn.searchParams.get('destination') ?? '';
      expect(destination.startsWith(`${path}&`)).toBe(true);
      // Browsers do not follow the form of the sign-in page to another site, so a page leads there.
      const page = await visit(runtime, destination, { actor: EDITOR });
      expect(page.status).toBe(200);
      expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
      const url = new URL((page.headers.get('refresh') ?? '').replace('0; url=', ''));
      expect(url.href.startsWith(`${FRONT}?path=`)).toBe(true);
      expect(await page.text()).toContain(url.href.replaceAll('&', '&amp;'));
      expect(await (await validate(runtime, url, '/site/next/draft-url')).json()).toMatchObject({
        path: '/secret',
      });
    });

    it('returns 401 to a program, and to a person if the site has no sign-in', async () => {
      const { runtime } = await start(undefined, { settings });
      const path = '/site/next/draft-url?path=/secret';
      for (const headers of [{}, { accept: 'application/json' }])
        expect((await visit(runtime, path, { headers })).status).toBe(401);
      expect((await visit(runtime, path, { method: 'POST', body: '{}' })).status).toBe(422);
      const { runtime: other } = await start(undefined, { settings: { ...settings, signIn: false } });
      expect((await visit(other, path)).status).toBe(401);
    });
  });

  it('does not start with an altered address', async () => {
    const { runtime } = await start();
    const url = await draftUrl(runtime, 'path=/public');
    for (const [name, value] of [
      ['path', '/secret'],
      ['resourceVersion', 'id:abc'],
      ['timestamp', String(time / 1000 + 1)],
      ['secret', 'x'.repeat(43)],
      ['secret', ''],
    ] as const) {
      const changed = new URL(url);
      changed.searchParams.set(name, value);
      const response = await validate(runtime, changed);
      expect(response.status).toBe(422);
      expect(await response.json()).toMatchObject({ message: 'The provided secret is invalid.' });
    }
  });

  it('does not start after five minutes', async () => {
    const { runtime } = await start();
    const url = await draftUrl(runtime, 'path=/secret');
    const signedAt = time;
    time = signedAt + 300_000;
    expect((await validate(runtime, url)).status).toBe(200);
    time = signedAt + 301_000;
    const response = await validate(runtime, url);
    time = signedAt;
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ message: 'The provided secret has expired.' });
  });

  it.each([
    ['', 422],
    ['[]', 422],
    ['null', 422],
    ['{"path":1}', 422],
    ['{"path":"/secret","timestamp":"soon","secret":"x"}', 422],
    ['{"path":"/secret","timestamp":1}', 422],
  ])('does not start with the body %s', async (body, status) => {
    const { runtime } = await start();
    const response = await fetchFrom(runtime.handle, '/next/draft-url', { method: 'POST', body });
    expect(response.status).toBe(status);
  });

  it('needs the permission to change the content', async () => {
    const { runtime } = await start();
    const status = async (query: string, actor?: Actor) =>
      (await fetchFrom(runtime.handle, `/next/draft-url${query}`, actor && { actor })).status;
    expect(await status('?path=/public')).toBe(401);
    expect(await status('?path=/public', READER)).toBe(403);
    expect(await status('?path=/secret', READER)).toBe(404);
    expect(await status('?path=/nowhere', EDITOR)).toBe(404);
  });

  it('works if the addresses of content have a prefix', async () => {
    const { runtime } = await start(undefined, { settings: { ...TEST_SETTINGS, prefix: '/cms' } });
    expect((await draftUrl(runtime, 'path=/secret')).searchParams.get('path')).toBe('/secret');
  });

  it('needs the permission to change the translation at the path', async () => {
    const languages = siteLanguages({ defaultLocale: 'en', locales: ['en', 'de'] });
    const change = (langcode: string) => ({
      permissions: [
        { actions: ['view' as const], bundles: '*' as const },
        { actions: ['update' as const], bundles: '*' as const, where: { langcode } },
      ],
    });
    const { runtime } = await start(
      { draftMode: DRAFT_MODE, editing: true, roles: { german: change('de'), english: change('en') } },
      { settings: { ...TEST_SETTINGS, languages } },
    );
    const status = async (path: string, role: string) => {
      const actor = { name: 'ada', roles: ['authenticated', role] };
      return (await fetchFrom(runtime.handle, `/next/draft-url?path=${path}`, { actor })).status;
    };
    expect(await status('/de/public', 'german')).toBe(303);
    expect(await status('/public', 'german')).toBe(403);
    expect(await status('/de/public', 'english')).toBe(403);
    expect(await status('/public', 'english')).toBe(303);
  });

  it.each(['', '?path=', '?path=//evil.example', '?path=/%5Cevil.example', '?path=https://evil.example'])(
    'leads to no other site: %s',
    async (query) => {
      const { runtime } = await start();
      const response = await fetchFrom(runtime.handle, `/next/draft-url${query}`, { actor: EDITOR });
      expect(response.status).toBe(400);
    },
  );

  it('leaves its addresses to the site without its option', async () => {
    const { runtime } = await start({});
    expect(await runtime.handle(new Request('https://site.example/next/draft-url'))).toBeUndefined();
  });

  it('is off, with a line in the log, if the variable of the secret is not set', async () => {
    const { runtime, warn } = await start({ draftMode: DRAFT_MODE, editing: true }, { environment: {} });
    expect(await runtime.handle(new Request('https://site.example/next/draft-url'))).toBeUndefined();
    expect(warn).toHaveBeenCalledWith(expect.stringContaining('DRAFT_SECRET is not set'));
  });

  it.each([
    [31, 'DRAFT_SECRET has fewer than 32 characters'],
    [32, undefined],
  ])('needs a secret that cannot be guessed: %d characters', async (length, message) => {
    const environment = { DRAFT_SECRET: 'x'.repeat(length) };
    const { runtime, warn } = await start({ draftMode: DRAFT_MODE, editing: true }, { environment });
    const response = await runtime.handle(new Request('https://site.example/next/draft-url?path=/secret'));
    expect(response?.status).toBe(message === undefined ? 401 : undefined);
    if (message === undefined) expect(warn).not.toHaveBeenCalled();
    else expect(warn).toHaveBeenCalledWith(expect.stringContaining(message));
  });

  it.each([
    [{ draftMode: { url: '/api/draft', secret: 'env:A' } }, 'draftMode.url'],
    [{ draftMode: { url: FRONT, secret: 'literal' } }, 'draftMode.secret'],
    [{ draftMode: true }, 'draftMode'],
    [{ draftMode: DRAFT_MODE }, 'draftMode: it needs option editing'],
    [{ draftMode: DRAFT_MODE, editing: true, drupal: false }, 'draftMode: it needs option drupal'],
  ])('names a wrong option: %j', (options, name) => {
    expect(() => parseOptions(options)).toThrow(`Option ${name}`);
  });
});

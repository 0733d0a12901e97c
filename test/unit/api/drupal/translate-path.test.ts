import { beforeAll, describe, expect, it } from 'vitest';
import { ADMINISTRATOR } from '../../../../integration/core/access/actor.ts';
import { answer } from '../../../../integration/core/api/jsonapi/answer.ts';
import { createContentApi } from '../../../../integration/core/builder/index.ts';
import type { ApiSettings } from '../../../../integration/core/read/settings.ts';
import type { Handler } from '../../../../integration/core/server/handler.ts';
import { cpuTime } from '../../../support/cpu-time.ts';
import { createHandler } from '../../../support/handler.ts';
import { createMemoryDriver } from '../../../support/memory-driver.ts';
import { fetchFrom, ORIGIN } from '../../../support/request.ts';
import { createServices, staticFiles } from '../../../support/services.ts';

const FILES = {
  'article/first.md': '---\ntitle: First\npath: /journal/first\n---\n',
  'article/deep/est.md': '---\ntitle: Est\npath: /journal/où & quand\n---\n',
  'article/slashed.md': '---\npath: /slashed/\n---\n',
  'article/hidden.md': '---\npath: /secret\ndraft: true\n---\n',
  'article/later.md': '---\npath: /later\npublish_on: 2024-02-01T00:00:00Z\n---\n',
  'page/home.md': '---\ntitle: Home\npath: /\nlangcode: fr\n---\n',
  'page/plain.md': '---\ntitle: Plain\n---\n',
  'page/percent.md': '---\npath: /100%\n---\n',
  'taxonomy_term--tags/sea.md': '',
};

let now = Date.parse('2024-01-01T00:00:00Z');

async function handler(settings: Partial<ApiSettings> = {}): Promise<Handler> {
  const site = { settings, now: () => now, aliases: { 'taxonomy_term--tags': '/tags/[id]' } };
  return createHandler(await createServices(createMemoryDriver(FILES), undefined, site));
}

let handle: Handler;
beforeAll(async () => {
  handle = await handler();
});

async function ask(path: string, by = handle, init: RequestInit = {}): Promise<Response> {
  return fetchFrom(by, `/router/translate-path${path}`, init);
}

async function idAt(path: string, by = handle): Promise<unknown> {
  const response = await ask(`?path=${encodeURIComponent(path)}`, by);
  return response.status === 200 ? (await response.json()).entity.id : response.status;
}

describe('the decoupled router', () => {
  it('resolves an alias like Drupal', async () => {
    const response = await ask('?path=/journal/first&_format=json');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toEqual({
      resolved: 'https://site.example/journal/first',
      isHomePath: false,
      entity: {
        canonical: 'https://site.example/journal/first',
        type: 'node',
        bundle: 'article',
        id: 'first',
        uuid: 'first',
        langcode: 'en',
        path: '/journal/first',
      },
      label: 'First',
      jsonapi: {
        individual: 'https://site.example/jsonapi/node/article/first',
        resourceName: 'node--article',
        pathPrefix: 'jsonapi',
        basePath: '/jsonapi',
        entryPoint: 'https://site.example/jsonapi',
      },
    });
  });

  it.each([
    ['/journal/first', 'first'],
    ['journal/first', 'first'],
    ['/journal/first/', 'first'],
    ['/journal/first?x=1#y', 'first'],
    ['/journal/où & quand', 'deep/est'],
    ['/journal/o%C3%B9%20%26%20quand', 'deep/est'],
    ['/slashed/', 'slashed'],
    ['/slashed', 'slashed'],
    ['/100%', 'percent'],
    ['/100%25', 'percent'],
    ['/tags/sea', 'sea'],
    ['/', 'home'],
    ['/node/article/first', 'first'],
    ['/node/article/deep/est/', 'deep/est'],
    ['/node/article/deep%2Fest', 'deep/est'],
    ['/node/page/plain', 'plain'],
    ['/taxonomy_term/tags/sea', 'sea'],
    ['/Journal/first', 404],
    ['/journal', 404],
    ['/node/article', 404],
    ['/node/article/nope', 404],
    ['/node/nope/first', 404],
    ['/secret', 404],
    ['/node/article/hidden', 404],
    ['/%ff', 404],
    ['/__proto__', 404],
    ['?', 'home'],
  ])('redirects from %s to %s', async (path, id) => {
    expect(await idAt(path)).toBe(id);
  });

  it('returns the home path, the canonical path of an entity without an alias, and the langcode', async () => {
    expect(await (await ask('?path=/')).json()).toMatchObject({
      resolved: `${ORIGIN}/`,
      isHomePath: true,
      entity: { path: '/', langcode: 'fr' },
    });
    expect(await (await ask('?path=/node/page/plain')).json()).toMatchObject({
      resolved: `${ORIGIN}/node/page/plain`,
      isHomePath: false,
    });
    expect((await (await ask('?path=/node/article/deep/est')).json()).resolved).toBe(
      `${ORIGIN}/journal/o%C3%B9%20%26%20quand`,
    );
  });

  it('shows neither titles nor aliases to a role from which they are hidden', async () => {
    const view = { actions: ['view' as const], bundles: '*' as const, where: 'published' as const };
    const without = async (name: string) => {
      const roles = { anonymous: { permissions: [{ ...view, fields: { view: { except: [name] } } }] } };
      return createHandler(await createServices(createMemoryDriver(FILES), undefined, { roles }));
    };
    const [untitled, unaliased] = [await without('title'), await without('path')];
    expect((await (await ask('?path=/journal/first', untitled)).json()).label).toBe('');
    expect(await idAt('/journal/first', unaliased)).toBe(404);
    const { entity } = await (await ask('?path=/node/article/first', unaliased)).json();
    expect(entity.path).toBe('/node/article/first');
  });

  it('prefers the spelling that was asked for', async () => {
    const files = {
      'page/decoded.md': '---\npath: /100%\n---\n',
      'page/encoded.md': '---\npath: /100%25\n---\n',
      'page/base.md': '---\npath: /docs/about\n---\n',
      'page/about.md': '---\npath: /about\n---\n',
    };
    const settings = { base: '/docs' };
    const by = createHandler(await createServices(createMemoryDriver(files), undefined, { settings }));
    for (const [path, id] of [
      ['/100%', 'decoded'],
      ['/100%25', 'encoded'],
      ['/about', 'about'],
      ['/docs/about', 'base'],
    ] as const) {
      expect(await idAt(path, by), path).toBe(id);
    }
  });

  it('accepts paths with and without the base, and returns paths with it', async () => {
    const based = await handler({ base: '/docs', trailingSlash: 'always' });
    for (const path of ['/journal/first', '/docs/journal/first', '/docs/node/article/first/']) {
      expect(await idAt(path, based)).toBe('first');
    }
    expect(await idAt('/docs', based)).toBe('home');
    expect(await (await ask('?path=/journal/first', based)).json()).toMatchObject({
      resolved: `${ORIGIN}/docs/journal/first`,
      entity: { path: '/docs/journal/first' },
      jsonapi: {
        individual: `${ORIGIN}/docs/jsonapi/node/article/first/`,
        basePath: '/docs/jsonapi',
        entryPoint: `${ORIGIN}/docs/jsonapi/`,
      },
    });
  });

  it('returns the same for unseen and missing content', async () => {
    for (const path of ['/secret', '/node/article/hidden', '/later', '/nowhere']) {
      const response = await ask(`?path=${path}`);
      expect(response.status).toBe(404);
      expect(await response.json()).toEqual({
        message: `Unable to resolve path ${path}.`,
        details: 'None of the available methods were able to find a match for this path.',
      });
    }
  });

  it('resolves drafts for users with access, and scheduled content at its time', async () => {
    const url = `${ORIGIN}/router/translate-path?path=/secret`;
    expect((await handle(new Request(url), { actor: ADMINISTRATOR }))?.status).toBe(200);
    now = Date.parse('2024-02-02T00:00:00Z');
    expect(await idAt('/later')).toBe('later');
    now = Date.parse('2024-01-01T00:00:00Z');
  });

  it.each([
    ['', 404, 'Unable to translate an empty path.'],
    ['?path=', 404, 'Unable to translate an empty path.'],
    ['?path[]=/x', 404, 'Unable to translate an empty path.'],
    ['?path=/journal/first&_format=xml', 406, 'Not Acceptable'],
  ])('rejects %s with %s', async (query, status, message) => {
    const response = await ask(query);
    expect(response.status).toBe(status);
    expect((await response.json()).message).toBe(message);
  });

  it('supports HEAD, and lists its methods', async () => {
    const head = await ask('/?path=/journal/first', handle, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    const post = await ask('?path=/journal/first', handle, { method: 'POST' });
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });

  it('has no subpaths', async () => {
    expect(await handle(new Request(`${ORIGIN}/router/translate-path/x`))).toBeUndefined();
    expect(await handle(new Request(`${ORIGIN}/router`))).toBeUndefined();
  });

  it('is fast on long paths', async () => {
    const path = `/${'/'.repeat(1000)}x${'%'.repeat(1000)}`;
    expect(await cpuTime(async () => expect(await idAt(path)).toBe(404))).toBeLessThan(1000);
  });
});

describe('path.alias', () => {
  it('can be filtered, generated from a pattern and written', async () => {
    const json = async (query: string) => (await fetchFrom(handle, `/jsonapi/${query}`)).json();
    expect(await json('taxonomy_term/tags?filter[path.alias]=/tags/sea')).toMatchObject({
      data: [{ id: 'sea', attributes: { path: { alias: '/tags/sea' } } }],
    });
    expect(await json('node/article?filter[path.alias]=/secret')).toMatchObject({ meta: { count: 0 } });
  });

  it('is the same over HTTP, in a page and in a file', async () => {
    const site = { aliases: { 'taxonomy_term--tags': '/tags/[id]' } };
    const services = await createServices(createMemoryDriver(FILES), undefined, site);
    const served = await answer(services, '/taxonomy_term/tags/sea');
    const [inPage] = await createContentApi(services).entities('taxonomy_term--tags').all();
    const files = await staticFiles(services);
    const file = JSON.parse(files.get('jsonapi/taxonomy_term/tags/sea.json') ?? '{}');
    for (const path of [inPage?.path, file.data.attributes.path])
      expect(path).toEqual({ alias: '/tags/sea' });
    expect(served.data).toMatchObject({ attributes: { path: { alias: '/tags/sea' } } });
  });
});

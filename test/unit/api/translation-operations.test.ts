import { beforeEach, describe, expect, it } from 'vitest';
import type { Actor } from '../../../integration/core/access/actor.ts';
import type { Roles } from '../../../integration/core/access/role.ts';
import { siteLanguages } from '../../../integration/core/content/languages.ts';
import type { Handler } from '../../../integration/core/server/handler.ts';
import { defineSchema, reference, untranslated, z } from '../../../integration/schema.ts';
import { ask } from '../../security/attacked-site.ts';
import { createHandler } from '../../support/handler.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { ATOMIC } from '../../support/operations.ts';
import { createServices, type TestSite } from '../../support/services.ts';

const languages = siteLanguages({
  defaultLocale: 'en',
  locales: ['en', 'de', 'fr', { path: 'brazil', codes: ['pt-BR', 'pt'] }],
});
const schema = defineSchema({
  article: { rating: untranslated(z.int()).nullish(), tags: z.array(reference('tag')).nullish() },
  tag: {},
});
const FILES = {
  'article/about.md': '---\ntitle: About\nrating: 3\n---\nWe are here.\n',
  'article/about.de.md': '---\n# A comment\ntitle:   "Über uns"\n---\nWir sind hier.\n',
  'article/news.md': '---\ntitle: News\n---\n',
  'article/news.fr.md': '---\ntitle: Actualités\nstatus: false\n---\n',
  'tag/sea.md': '---\ntitle: Sea\n---\n',
};
const EDITOR: Actor = { name: 'ed', roles: ['administrator'] };
const WRITER: Actor = { name: 'ann', roles: ['writer'] };

let driver: ReturnType<typeof createMemoryDriver>;
let handle: Handler;
let commits: (readonly string[])[];

async function open(files: Readonly<Record<string, string>> = FILES, site: TestSite = {}): Promise<void> {
  driver = createMemoryDriver(files);
  commits = [];
  const onWritten = (_: unknown, keys: readonly string[]) => {
    commits.push(keys);
    return undefined;
  };
  const settings = { languages, ...site.settings };
  const writable = { onWritten, options: { bin: false }, ...site.writable };
  handle = createHandler(await createServices(driver, schema, { ...site, settings, writable }));
}
beforeEach(() => open());

const perform = (operations: readonly unknown[], { actor = EDITOR, query = '' } = {}) =>
  ask(handle, 'POST', `/jsonapi/operations${query}`, {
    actor,
    body: { 'atomic:operations': operations },
    headers: { 'content-type': ATOMIC },
  });

async function files(): Promise<Readonly<Record<string, string>>> {
  const { files: listed } = await driver.list();
  const entries = listed.map(async ({ key }) => [key, new TextDecoder().decode(await driver.read(key))]);
  return Object.fromEntries(await Promise.all(entries));
}

const ABOUT = '/jsonapi/node/article/about';
const about = { type: 'node--article', id: 'about' };
const article = (id: string, attributes: object) => ({ type: 'node--article', id, attributes });

describe('the language of an operation is in', () => {
  it.each<[string, object]>([
    ['the query of href', { href: `${ABOUT}?langCode=de` }],
    ['the path of href', { href: '/de/jsonapi/node/article/about' }],
    ['href with a host', { href: `https://site.example${ABOUT}?langCode=DE` }],
    ['meta, with the target in data', { meta: { langCode: 'de' } }],
    ['meta, with the target in ref', { ref: about, meta: { langCode: 'de' } }],
  ])('%s', async (_, target) => {
    const { status, json } = await perform([
      { op: 'update', data: article('about', { title: 'Wir' }), ...target },
    ]);
    expect([status, json['atomic:results'][0].data.attributes]).toMatchObject([
      200,
      { title: 'Wir', langcode: 'de', rating: 3 },
    ]);
    expect(await files()).toEqual({
      ...FILES,
      'article/about.de.md': '---\n# A comment\ntitle:   "Wir"\n---\nWir sind hier.\n',
    });
  });

  it('href, also below the base of a site', async () => {
    await open(FILES, { settings: { base: '/docs' } });
    const path = '/docs/de/jsonapi/node/article/about';
    const { json } = await ask(handle, 'POST', '/docs/jsonapi/operations', {
      body: { 'atomic:operations': [{ op: 'update', href: path, data: article('about', { title: 'Wir' }) }] },
      headers: { 'content-type': ATOMIC },
    });
    expect(json['atomic:results'][0].data.links.self.href).toBe(`https://site.example${path}`);
  });
});

describe('operations with a language', () => {
  it('add, change and remove translations in one commit, also those of new resources', async () => {
    const { status, json } = await perform([
      { op: 'add', data: { type: 'node--article', lid: 'tides', attributes: { title: 'Tides' } } },
      {
        op: 'add',
        ref: { type: 'node--article', lid: 'tides' },
        data: { type: 'node--article', lid: 'tides', attributes: { title: 'Gezeiten' } },
        meta: { langCode: 'de' },
      },
      {
        op: 'add',
        data: { type: 'node--article', lid: 'tides', attributes: { title: 'Marées' } },
        meta: { langCode: 'fr' },
      },
      { op: 'add', data: article('quay', { title: 'Quay' }) },
      { op: 'add', href: '/jsonapi/node/article/quay?langCode=de', data: article('quay', { title: 'Kai' }) },
      {
        op: 'update',
        href: '/jsonapi/node/article/quay?langCode=de',
        data: article('quay', { title: 'Der Kai' }),
      },
      { op: 'remove', href: '/de/jsonapi/node/article/about' },
    ]);
    expect(status).toBe(200);
    expect(
      json['atomic:results'].map(
        ({ data }: { data?: { id: string; attributes: object; links: object } }) =>
          data && [
            data.id,
            (data.attributes as { langcode: string }).langcode,
            (data.links as { self: { href: string } }).self.href.replace(/^.*article/, ''),
          ],
      ),
    ).toEqual([
      ['tides', 'en', '/tides'],
      ['tides', 'de', '/tides?langCode=de'],
      ['tides', 'fr', '/tides?langCode=fr'],
      ['quay', 'en', '/quay'],
      ['quay', 'de', '/quay?langCode=de'],
      ['quay', 'de', '/quay?langCode=de'],
      undefined,
    ]);
    const { 'article/about.de.md': removed, ...others } = FILES;
    expect(removed).toBeDefined();
    expect(await files()).toEqual({
      ...others,
      'article/tides.md': expect.stringContaining('title: Tides'),
      'article/tides.de.md': '---\ntitle: Gezeiten\n---\n',
      'article/tides.fr.md': '---\ntitle: Marées\n---\n',
      'article/quay.md': expect.stringContaining('title: Quay'),
      'article/quay.de.md': '---\ntitle: Der Kai\n---\n',
    });
    expect(commits).toHaveLength(1);
  });

  it('remove the translations of a resource before it', async () => {
    const removal = { op: 'remove', ref: about };
    const refused = await perform([removal]);
    expect([refused.status, refused.json.errors[0].source]).toEqual([
      400,
      { pointer: '/atomic:operations/0' },
    ]);
    expect((await perform([{ ...removal, meta: { langCode: 'de' } }, removal])).status).toBe(204);
    expect(Object.keys(await files())).not.toContain('article/about.de.md');
  });

  it('change the relationships of a translation', async () => {
    const { status } = await perform([
      {
        op: 'add',
        ref: { ...about, relationship: 'tags' },
        data: [{ type: 'node--tag', lid: 'ebb' }],
        meta: { langCode: 'de' },
      },
      { op: 'add', data: { type: 'node--tag', lid: 'ebb', attributes: { title: 'Ebb' } } },
      {
        op: 'add',
        href: `${ABOUT}/relationships/tags?langCode=de`,
        data: [{ type: 'node--tag', id: 'sea' }],
      },
    ]);
    const { 'article/about.de.md': german, 'article/about.md': source } = await files();
    expect([status, source]).toEqual([200, FILES['article/about.md']]);
    expect(german).toContain('tags:\n  - ebb\n  - sea\n');
  });

  it('have meta.ifMatch of the translation', async () => {
    const { json } = await ask(handle, 'GET', `${ABOUT}?langCode=de`);
    const change = (ifMatch: string) =>
      perform([
        { op: 'update', data: article('about', { title: 'Wir' }), meta: { langCode: 'de', ifMatch } },
      ]);
    const source = (await ask(handle, 'GET', ABOUT)).json.data.meta.revision;
    expect((await change(source)).status).toBe(412);
    expect((await change(json.data.meta.revision)).status).toBe(200);
  });
});

describe('an operation with a language that fails', () => {
  const update = { op: 'update', data: article('about', { title: 'Wir' }) };
  const add = { op: 'add', data: article('about', { title: 'À propos' }) };

  it.each<[string, object, number, string]>([
    ['changes a missing translation', { ...update, meta: { langCode: 'fr' } }, 404, '/data'],
    ['changes a missing translation by href', { ...update, href: `${ABOUT}?langCode=fr` }, 404, '/href'],
    ['removes a missing translation', { op: 'remove', ref: about, meta: { langCode: 'fr' } }, 404, '/ref'],
    ['adds an existing translation', { ...add, meta: { langCode: 'de' } }, 409, ''],
    ['adds the language of the source', { ...add, href: `${ABOUT}?langCode=en` }, 409, ''],
    [
      'translates a missing resource',
      { op: 'add', data: article('none', { title: 'X' }), meta: { langCode: 'fr' } },
      404,
      '/data',
    ],
    [
      'translates a resource without an id',
      { op: 'add', data: { type: 'node--article', attributes: { title: 'X' } }, meta: { langCode: 'fr' } },
      400,
      '/data',
    ],
    [
      'has another resource in data than in href',
      { ...add, data: article('news', { title: 'X' }), href: `${ABOUT}?langCode=fr` },
      409,
      '/data/id',
    ],
    [
      'has another resource in data than in ref',
      { ...add, ref: { ...about, id: 'news' }, meta: { langCode: 'de' } },
      409,
      '/data/id',
    ],
    [
      'has an unknown lid',
      { ...add, ref: { type: 'node--article', lid: 'x' }, meta: { langCode: 'fr' } },
      400,
      '/ref/lid',
    ],
    [
      'changes an untranslated field',
      { op: 'update', data: article('about', { rating: 4 }), meta: { langCode: 'de' } },
      422,
      '/data/attributes/rating',
    ],
    [
      'adds an untranslated field',
      { op: 'add', data: article('about', { title: 'X', rating: 4 }), href: `${ABOUT}?langCode=fr` },
      422,
      '/data/attributes/rating',
    ],
    [
      'names another language in langcode',
      { op: 'add', data: article('about', { title: 'X', langcode: 'de' }), meta: { langCode: 'fr' } },
      422,
      '/data/attributes/langcode',
    ],
    ['has an unknown language in href', { ...update, href: `${ABOUT}?langCode=xx` }, 400, '/href'],
    ['has an unknown language in meta', { ...update, meta: { langCode: 'xx' } }, 400, '/meta/langCode'],
    ['has a language that is not a string', { ...update, meta: { langCode: 7 } }, 400, '/meta/langCode'],
    [
      'has a language in meta and an href',
      { ...update, href: ABOUT, meta: { langCode: 'de' } },
      400,
      '/meta/langCode',
    ],
    ['falls back', { ...update, href: `${ABOUT}?langCode=de&includeFallback=1` }, 400, '/href'],
    [
      'has another parameter',
      { ...update, href: `${ABOUT}?langCode=de&fields[node--article]=title` },
      400,
      '/href',
    ],
    [
      'creates a resource in a language',
      { op: 'add', href: '/jsonapi/node/article?langCode=fr', data: article('new', { title: 'X' }) },
      400,
      '/href',
    ],
    [
      'creates a resource below a prefix',
      { op: 'add', href: '/fr/jsonapi/node/article', data: article('new', { title: 'X' }) },
      400,
      '/href',
    ],
    ['adds to a resource without a language', { ...add, href: ABOUT }, 400, ''],
  ])('because it %s changes nothing', async (_, operation, status, pointer) => {
    const first = { op: 'update', data: article('about', { title: 'First' }) };
    const answer = await perform([first, operation]);
    expect([answer.status, answer.json.errors[0]]).toMatchObject([
      status,
      { source: { pointer: `/atomic:operations/1${pointer}` } },
    ]);
    expect([await files(), commits]).toEqual([FILES, []]);
  });

  it('lists the languages of the site', async () => {
    const { json } = await perform([{ ...update, meta: { langCode: 'xx' } }]);
    expect(json.errors[0].detail).toBe("'xx' is not a language of this site. Languages: en, de, fr, pt-BR.");
  });

  it.each([
    ['href', { href: `${ABOUT}?langCode=de` }],
    ['meta/langCode', { meta: { langCode: 'de' } }],
  ])('on a site with one language points to %s', async (pointer, target) => {
    await open({ 'article/about.md': FILES['article/about.md'] }, { settings: { languages: undefined } });
    const { status, json } = await perform([{ ...update, ...target }]);
    expect([status, json.errors[0].source]).toEqual([400, { pointer: `/atomic:operations/0/${pointer}` }]);
  });

  it('is a request with a language of its own', async () => {
    const { status, json } = await perform([update], { query: '?langCode=de' });
    expect([status, json.errors[0]]).toMatchObject([
      400,
      { source: { parameter: 'langCode' }, detail: expect.stringContaining('`meta.langCode`') },
    ]);
    const sent = { body: { 'atomic:operations': [update] }, headers: { 'content-type': ATOMIC } };
    expect((await ask(handle, 'POST', '/de/jsonapi/operations', sent)).status).toBe(405);
    expect(await files()).toEqual(FILES);
  });
});

describe('operations without access', () => {
  const permissions = (actions: readonly ('create' | 'update' | 'delete')[]): Roles => ({
    writer: { permissions: [{ actions: [...actions], bundles: '*' }] },
  });

  it.each<[string, (langCode: string) => object]>([
    ['update', (langCode) => ({ op: 'update', data: article('news', { title: 'X' }), meta: { langCode } })],
    [
      'remove',
      (langCode) => ({ op: 'remove', ref: { type: 'node--article', id: 'news' }, meta: { langCode } }),
    ],
    [
      'remove by href',
      (langCode) => ({ op: 'remove', href: `/jsonapi/node/article/news?langCode=${langCode}` }),
    ],
  ])('%s is the same for a hidden and for a missing translation', async (_, operation) => {
    await open(FILES, { roles: permissions(['create', 'update', 'delete']) });
    const hidden = await perform([operation('fr')], { actor: WRITER });
    const missing = await perform([operation('de')], { actor: WRITER });
    expect([hidden.status, hidden.text]).toEqual([404, missing.text]);
    expect(await files()).toEqual(FILES);
  });

  it.each<[readonly ('create' | 'update' | 'delete')[], number]>([
    [['update'], 403],
    [['create'], 403],
    [['create', 'update'], 200],
  ])('with the permissions %j, adding a translation is a %i', async (actions, status) => {
    await open(FILES, { roles: permissions(actions) });
    const add = { op: 'add', data: article('about', { title: 'À propos' }) };
    for (const target of [{ meta: { langCode: 'fr' } }, { href: '/brazil/jsonapi/node/article/about' }]) {
      expect((await perform([{ ...add, ...target }], { actor: WRITER })).status).toBe(status);
    }
  });
});

it('OpenAPI describes the language of operations on a site with languages only', async () => {
  const describedMeta = async () => {
    const { json } = await ask(handle, 'GET', '/jsonapi/openapi.json');
    const { content } = json.paths['/jsonapi/operations'].post.requestBody;
    const body = content[ATOMIC].schema;
    const { meta } = body.properties['atomic:operations'].items.properties;
    return meta.properties.langCode?.enum;
  };
  expect(await describedMeta()).toEqual(['en', 'de', 'fr', 'pt-BR']);
  await open({ 'tag/sea.md': FILES['tag/sea.md'] }, { settings: { languages: undefined } });
  expect(await describedMeta()).toBeUndefined();
});

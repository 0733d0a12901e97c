import { beforeEach, describe, expect, it } from 'vitest';
import type { Actor } from '../../../integration/core/access/actor.ts';
import type { Roles } from '../../../integration/core/access/role.ts';
import { siteLanguages } from '../../../integration/core/content/languages.ts';
import type { SchemaDefinition } from '../../../integration/core/content/schema/schema.ts';
import type { Handler } from '../../../integration/core/server/handler.ts';
import { defineSchema, file, reference, untranslated, z } from '../../../integration/schema.ts';
import { createHandler } from '../../support/handler.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { fetchFrom, ORIGIN } from '../../support/request.ts';
import { createServices, type TestSite } from '../../support/services.ts';

const languages = siteLanguages({
  defaultLocale: 'en',
  locales: ['en', 'de', 'fr', { path: 'brazil', codes: ['pt-BR', 'pt'] }],
});

const FILES = {
  'article/about.md': '---\ntitle: About\nuid: ann\nrating: 3\nauthor: ada\n---\nWe are here.\n',
  'article/about.de.md': '---\n# A comment\ntitle:   "Über uns"\nuid: ann\n---\n\nWir sind hier.\n',
  'article/news.md': '---\ntitle: News\nrating: 5\ntags: [ada]\n---\n',
  'article/news.fr.md': '---\ntitle: Actualités\nstatus: false\n---\n',
  'article/secret.md': '---\ntitle: Secret\nstatus: false\n---\n',
  'person/ada.md': '---\ntitle: Ada\n---\n',
  'person/bob.md': '---\ntitle: Bob\n---\n',
};
const schema = defineSchema({
  article: {
    rating: untranslated(z.int()).nullish(),
    author: untranslated(reference('person').nullish()),
    tags: z.array(reference('person')).nullish(),
    note: z.string().nullish(),
  },
  person: {},
});
const EDITOR: Actor = { name: 'ed', roles: ['administrator'] };
/** Sees published content only. */
const AUTHOR: Actor = { name: 'ann', roles: ['writer'] };
const roles: Roles = {
  writer: { permissions: [{ actions: ['create', 'update', 'delete'], bundles: '*' }] },
};

let driver: ReturnType<typeof createMemoryDriver>;
let handle: Handler;

async function open(
  files: Readonly<Record<string, string>>,
  { bundles = schema, ...site }: TestSite & { readonly bundles?: SchemaDefinition | null } = {},
): Promise<void> {
  driver = createMemoryDriver(files);
  const services = await createServices(driver, bundles ?? undefined, {
    settings: { languages },
    writable: { options: { bin: false } },
    ...site,
  });
  handle = createHandler(services);
}
beforeEach(() => open(FILES));

interface Reply {
  readonly status: number;
  readonly language: string | null;
  readonly location: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: a document of any shape.
  readonly body: any;
}

async function send(
  request: string,
  body?: unknown,
  { actor = EDITOR, headers = {} }: { actor?: Actor | undefined; headers?: Record<string, string> } = {},
): Promise<Reply> {
  const [method = '', path = ''] = request.split(' ');
  const type = path.includes('/jsonapi') ? 'application/vnd.api+json' : 'application/json';
  const response = await fetchFrom(handle, path, {
    ...{ method, body, actor },
    headers: { ...(body !== undefined && { 'content-type': type }), ...headers },
  });
  const text = await response.text();
  return {
    status: response.status,
    language: response.headers.get('content-language'),
    location: response.headers.get('location'),
    body: text === '' ? null : JSON.parse(text),
  };
}

async function text(key: string): Promise<string | undefined> {
  const bytes = await driver.read(key);
  return bytes && new TextDecoder().decode(bytes);
}

async function files(): Promise<Readonly<Record<string, string | undefined>>> {
  const { files: listed } = await driver.list();
  const entries = listed.map(async ({ key }) => [key, await text(key)] as const);
  return Object.fromEntries(await Promise.all(entries));
}

/** A JSON:API document for an article. */
const article = (id: string, attributes: object, relationships: object = {}) => ({
  data: { type: 'node--article', id, attributes, relationships },
});

describe('PATCH changes the file of the language and nothing else', () => {
  it.each([
    ['PATCH /jsonapi/node/article/about?langCode=de', article('about', { title: 'Wir' }), 200],
    ['PATCH /de/jsonapi/node/article/about', article('about', { title: 'Wir' }), 200],
    ['PATCH /api/content/articles/about?langCode=de', { title: 'Wir' }, 201],
    ['PATCH /de/api/content/articles/about', { title: 'Wir' }, 201],
  ])('%s', async (request, body, status) => {
    const before = await files();
    const reply = await send(request, body);
    expect([reply.status, reply.language]).toEqual([status, 'de']);
    expect(reply.body.data.attributes?.title ?? reply.body.data.title).toBe('Wir');
    expect(await files()).toEqual({
      ...before,
      'article/about.de.md': '---\n# A comment\ntitle:   "Wir"\nuid: ann\n---\n\nWir sind hier.\n',
    });
  });

  it('accepts the whole resource, as read', async () => {
    const { body } = await send('GET /jsonapi/node/article/about?langCode=de');
    const before = await files();
    const reply = await send('PATCH /jsonapi/node/article/about?langCode=de', body);
    expect([reply.status, await files()]).toEqual([200, before]);
  });

  it('PUT replaces the translation, and keeps the values of the source', async () => {
    const reply = await send('PUT /api/content/articles/about?langCode=de', {
      title: 'Wir',
      rating: 3,
      note: 'neu',
    });
    expect([reply.status, reply.body.data.rating, reply.body.data.author.id]).toEqual([201, 3, 'ada']);
    expect(await text('article/about.de.md')).toBe(
      '---\n# A comment\ntitle:   "Wir"\nuid: ann\nnote: neu\n---\n',
    );
  });

  it('changes relationships and lists', async () => {
    const bob = { type: 'node--person', id: 'bob' };
    const path = '/jsonapi/node/article/about/relationships/tags?langCode=de';
    expect((await send(`POST ${path}`, { data: [bob] })).status).toBe(200);
    expect((await send('POST /de/api/content/articles/about/tags', ['ada'])).status).toBe(201);
    expect(await text('article/about.de.md')).toContain('tags: [bob, ada]\n');
    expect((await send(`DELETE ${path}`, { data: [bob] })).status).toBe(204);
    expect(await text('article/about.de.md')).toContain('tags: [ada]\n');
    expect(await text('article/about.md')).toBe(FILES['article/about.md']);
  });

  it('with the default language, changes the source', async () => {
    await send('PATCH /jsonapi/node/article/about?langCode=en', article('about', { rating: 4 }));
    expect(await text('article/about.md')).toContain('rating: 4');
  });
});

describe('untranslated fields', () => {
  it.each([
    [
      'PATCH /jsonapi/node/article/about?langCode=de',
      article('about', { rating: 4 }),
      '/data/attributes/rating',
    ],
    ['PATCH /de/api/content/articles/about', { rating: 4 }, '/rating'],
    [
      'PATCH /jsonapi/node/article/about?langCode=de',
      article('about', {}, { author: { data: { type: 'node--person', id: 'bob' } } }),
      '/data/relationships/author/data',
    ],
    [
      'PATCH /jsonapi/node/article/about/relationships/author?langCode=de',
      { data: { type: 'node--person', id: 'bob' } },
      '/data',
    ],
    [
      'POST /jsonapi/node/article/about?langCode=fr',
      article('about', { title: 'A', rating: 4 }),
      '/data/attributes/rating',
    ],
  ])('%s is a 422 at its pointer', async (request, body, pointer) => {
    const before = await files();
    const reply = await send(request, body);
    const error = reply.body.errors?.[0] ?? reply.body.error;
    expect([reply.status, error.source?.pointer]).toEqual([422, pointer]);
    expect(await files()).toEqual(before);
  });

  it('may have the value of the source', async () => {
    const sent = article('about', { title: 'À propos', rating: 3 });
    expect((await send('POST /jsonapi/node/article/about?langCode=fr', sent)).status).toBe(201);
    expect(await text('article/about.fr.md')).not.toContain('rating');
    expect((await send('PATCH /jsonapi/node/article/about?langCode=fr', sent)).status).toBe(200);
  });
});

describe('POST creates a translation', () => {
  it.each([
    [
      'POST /jsonapi/node/article/about?langCode=fr',
      article('about', { title: 'À propos', langcode: 'fr' }),
      '/jsonapi/node/article/about?langCode=fr',
    ],
    [
      'POST /fr/jsonapi/node/article/about',
      { data: { type: 'node--article', attributes: { title: 'À propos' } } },
      '/fr/jsonapi/node/article/about',
    ],
    [
      'POST /api/content/articles/about?langCode=FR',
      { title: 'À propos' },
      '/api/content/articles/about?langCode=fr',
    ],
    ['POST /fr/api/content/articles/about', { title: 'À propos' }, '/fr/api/content/articles/about'],
  ])('%s', async (request, body, location) => {
    const reply = await send(request, body);
    expect([reply.status, reply.language, reply.location]).toEqual([201, 'fr', ORIGIN + location]);
    expect(reply.body.data.attributes?.langcode ?? reply.body.data.langcode).toBe('fr');
    expect(await text('article/about.fr.md')).toBe('---\ntitle: À propos\n---\n');
    expect((await send(`GET ${location}`)).status).toBe(200);
    expect((await send(request, body)).status).toBe(409);
  });

  it('PUT with If-None-Match creates one too', async () => {
    const headers = { 'if-none-match': '*' };
    const path = '/api/content/articles/about?langCode=fr';
    expect((await send(`PUT ${path}`, { title: 'À propos' }, { headers })).status).toBe(201);
    expect((await send(`PUT ${path}`, { title: 'Encore' }, { headers })).status).toBe(412);
    const list = 'PUT /api/content/articles/news/tags?langCode=de';
    expect((await send(list, ['ada'], { headers })).status).toBe(404);
  });

  const LAYOUTS: readonly (readonly [string, Record<string, string>, string, string, string])[] = [
    ['a suffix', { 'article/x.fr.md': '' }, 'fr', 'article/about.fr.md', 'title: Neu\n'],
    ['a folder', { 'article/fr/x.md': '' }, 'fr', 'article/fr/about.md', 'title: Neu\n'],
    ['a folder with the bundle', { 'fr/article/x.md': '' }, 'fr', 'fr/article/about.md', 'title: Neu\n'],
    ['another language', { 'de/article/x.md': '' }, 'fr', 'fr/article/about.md', 'title: Neu\n'],
    [
      'its own language first',
      { 'de/article/x.md': '', 'article/x.fr.md': '' },
      'fr',
      'article/about.fr.md',
      'title: Neu\n',
    ],
    [
      'the spelling of a language',
      { 'article/brazil/x.md': '' },
      'pt-BR',
      'article/brazil/about.md',
      'title: Neu\n',
    ],
    [
      'translationOf',
      { 'article/iks.md': 'translationOf: x\nlangcode: fr\n' },
      'fr',
      'article/neu.md',
      'title: Neu\nlangcode: fr\ntranslationOf: about\n',
    ],
    ['no translations', {}, 'fr', 'article/about.fr.md', 'title: Neu\n'],
  ];
  it.each(LAYOUTS)('in the layout of its neighbours: %s', async (_, others, language, key, data) => {
    const neighbours = Object.entries(others).map(([path, lines]) => [path, `---\ntitle: X\n${lines}---\n`]);
    await open({
      'article/about.md': '---\ntitle: About\n---\n',
      'article/x.md': '---\ntitle: X\n---\n',
      ...Object.fromEntries(neighbours),
    });
    const reply = await send(
      `POST /jsonapi/node/article/about?langCode=${language}`,
      article('about', { title: 'Neu' }),
    );
    expect([reply.status, reply.body.data.attributes?.langcode]).toEqual([201, language]);
    expect(await text(key)).toBe(`---\n${data}---\n`);
  });

  it.each([
    ['en/article/about.md', '---\ntitle: About\n---\n', 'fr', 'fr/article/about.md', 'title: Neu\n'],
    ['article/en/about.md', '---\ntitle: About\n---\n', 'fr', 'article/fr/about.md', 'title: Neu\n'],
    [
      'article/about.md',
      '---\ntitle: Über\nlangcode: de\n---\n',
      'fr',
      'article/about.fr.md',
      'title: Neu\n',
    ],
    [
      'article/about.md',
      '---\ntitle: Über\nlangcode: de\n---\n',
      'en',
      'article/about.en.md',
      'title: Neu\ntranslationOf: about\n',
    ],
    ['article/about.md', '---\nid: a1\ntitle: About\n---\n', 'fr', 'article/about.fr.md', 'title: Neu\n'],
    ['article/about.json', '{ "title": "About" }\n', 'fr', 'article/about.fr.json', undefined],
  ])('beside a source at %s', async (path, source, language, key, data) => {
    await open({ [path]: source });
    const id = source.includes('a1') ? 'a1' : 'about';
    const reply = await send(
      `POST /jsonapi/node/article/${id}?langCode=${language}`,
      article(id, { title: 'Neu' }),
    );
    expect([reply.status, reply.body.data.attributes?.langcode]).toEqual([201, language]);
    expect(await text(key)).toBe(data === undefined ? '{"title": "Neu"}\n' : `---\n${data}---\n`);
    expect(await text(path)).toBe(source);
  });
});

describe('DELETE', () => {
  it('removes one translation', async () => {
    const request = 'DELETE /jsonapi/node/article/about?langCode=de';
    expect((await send(request)).status).toBe(204);
    expect(await text('article/about.de.md')).toBeUndefined();
    expect(await text('_gone.jsonl')).toBeUndefined();
    expect((await send(request)).status).toBe(404);
    expect((await send('GET /jsonapi/node/article/about')).status).toBe(200);
    expect((await send('DELETE /jsonapi/node/article/about')).status).toBe(204);
    expect((await send(request)).status).toBe(410);
  });

  it.each([
    'DELETE /jsonapi/node/article/about',
    'DELETE /jsonapi/node/article/about?langCode=en',
    'DELETE /en/jsonapi/node/article/about',
    'DELETE /api/content/articles/about',
  ])('%s is refused while there are translations', async (request) => {
    const before = await files();
    const { status, body } = await send(request);
    expect([status, (body.errors?.[0] ?? body.error).detail]).toEqual([
      400,
      "'about' has translations into 'de'. Delete these first.",
    ]);
    expect(await files()).toEqual(before);
  });

  it('does not name a hidden translation', async () => {
    await open(FILES, { roles });
    const { status, body } = await send('DELETE /jsonapi/node/article/news', undefined, { actor: AUTHOR });
    expect([status, body.errors[0].detail]).toEqual([
      400,
      "'news' has translations into other languages. Delete these first.",
    ]);
    expect(body.errors[0]).toMatchObject({ code: 'has-translations', meta: { languages: [] } });
  });
});

describe('a page that exists in one language only', () => {
  beforeEach(() => open({ ...FILES, 'de/article/nur.md': '---\ntitle: Nur hier\n---\nText.\n' }));

  it('is read and changed in its file, in every language of the request', async () => {
    for (const path of [
      '/jsonapi/node/article/nur',
      '/de/jsonapi/node/article/nur',
      '/fr/jsonapi/node/article/nur',
    ]) {
      const { status, body } = await send(`GET ${path}`);
      expect([status, body.data.attributes.langcode]).toEqual([200, 'de']);
    }
    const reply = await send('PATCH /jsonapi/node/article/nur', article('nur', { title: 'Neu', rating: 4 }));
    expect([reply.status, reply.body.data.attributes.langcode]).toEqual([200, 'de']);
    expect(await text('de/article/nur.md')).toBe('---\ntitle: Neu\nrating: 4\n---\nText.\n');
  });

  it.each([
    ['fr', 'article/nur.fr.md'],
    ['en', 'article/nur.en.md'],
  ])('stays the source when it is translated into %s', async (language, key) => {
    const reply = await send(
      `POST /jsonapi/node/article/nur?langCode=${language}`,
      article('nur', { title: 'Only here' }),
    );
    expect([reply.status, reply.language]).toEqual([201, language]);
    expect(await text(key)).toBe('---\ntitle: Only here\ntranslationOf: nur\n---\n');
    expect((await send('GET /jsonapi/node/article/nur?langCode=de')).body.data.attributes.title).toBe(
      'Nur hier',
    );
  });

  it('is deleted', async () => {
    expect((await send('DELETE /jsonapi/node/article/nur')).status).toBe(204);
    expect(await text('de/article/nur.md')).toBeUndefined();
  });
});

describe('a hidden translation', () => {
  it.each([
    ['PATCH', '/jsonapi/node/article/news?langCode=', article('news', { title: 'X' })],
    ['PATCH', '/api/content/articles/news?langCode=', { title: 'X' }],
    ['DELETE', '/jsonapi/node/article/news?langCode=', undefined],
    ['DELETE', '/api/content/articles/news?langCode=', undefined],
  ])('%s %s is the same for a hidden and for a missing translation', async (method, path, body) => {
    await open(FILES, { roles });
    const before = await files();
    const hidden = await send(`${method} ${path}fr`, body, { actor: AUTHOR });
    const missing = await send(`${method} ${path}de`, body, { actor: AUTHOR });
    expect(hidden.status).toBe(404);
    expect(JSON.stringify(hidden).replaceAll('=fr', '=de')).toBe(JSON.stringify(missing));
    expect(await files()).toEqual(before);
  });

  it('cannot be translated', async () => {
    await open(FILES, { roles });
    const reply = (id: string) =>
      send(`POST /jsonapi/node/article/${id}?langCode=fr`, article(id, { title: 'X' }), { actor: AUTHOR });
    const [hidden, missing] = [await reply('secret'), await reply('sacred')];
    expect(hidden.status).toBe(404);
    expect(JSON.stringify(hidden).replaceAll('secret', 'sacred')).toBe(JSON.stringify(missing));
  });
});

describe('permissions', () => {
  it.each<[string, readonly ('create' | 'update' | 'delete')[], number]>([
    ['POST', ['create'], 403],
    ['POST', ['update'], 403],
    ['POST', ['create', 'update'], 201],
    ['PATCH', ['create', 'delete'], 403],
    ['PATCH', ['update'], 200],
    ['DELETE', ['create', 'update'], 403],
    ['DELETE', ['delete'], 204],
  ])('%s with %j is a %i', async (method, actions, status) => {
    await open(FILES, { roles: { writer: { permissions: [{ actions, bundles: '*' }] } } });
    const language = method === 'POST' ? 'fr' : 'de';
    const body = method === 'DELETE' ? undefined : article('about', { title: 'X' });
    const reply = await send(`${method} /jsonapi/node/article/about?langCode=${language}`, body, {
      actor: AUTHOR,
    });
    expect(reply.status).toBe(status);
  });

  it('for one language let translators create, change and remove its translations, and nothing else', async () => {
    const where = { langcode: 'de' };
    await open(FILES, {
      roles: { writer: { permissions: [{ actions: ['create', 'update', 'delete'], bundles: '*', where }] } },
    });
    const status = async (request: string, body?: unknown) =>
      (await send(request, body, { actor: AUTHOR })).status;
    const news = '/jsonapi/node/article/news';
    expect(await translatable('article/news', AUTHOR)).toEqual(['de']);
    expect(await status(`POST ${news}?langCode=de`, article('news', { title: 'Neues' }))).toBe(201);
    expect(await status(`PATCH ${news}?langCode=de`, article('news', { title: 'Neu' }))).toBe(200);
    expect(await translatable('article/news', AUTHOR)).toEqual([]);
    expect(await status('POST /brazil/api/content/articles/news', { title: 'Novidades' })).toBe(403);
    // An unseen translation is the same as a missing one.
    expect(await status(`POST ${news}?langCode=fr`, article('news', { title: 'Actu' }))).toBe(403);
    expect(await status(`PATCH ${news}`, article('news', { title: 'X' }))).toBe(403);
    expect(await status(`DELETE ${news}?langCode=de`)).toBe(204);
    expect(await files()).toEqual(FILES);
  });

  it('decide into which languages an entity can be translated', async () => {
    expect(await translatable('article/about', EDITOR)).toEqual(['fr', 'pt-BR']);
    expect(await translatable('article/about?langCode=de', EDITOR)).toEqual(['fr', 'pt-BR']);
    await open(FILES, { roles });
    // An unseen translation is the same as a missing one.
    expect(await translatable('article/news', AUTHOR)).toEqual(['de', 'fr', 'pt-BR']);
    await open(FILES, { roles: { writer: { permissions: [{ actions: ['update'], bundles: '*' }] } } });
    expect(await translatable('article/news', AUTHOR)).toEqual([]);
    await open(FILES, { settings: {} });
    expect(await translatable('article/news', EDITOR)).toBeUndefined();
  });
});

describe('If-Match', () => {
  it('has the revision of the translation', async () => {
    const path = '/jsonapi/node/article/about';
    const read = await send(`GET ${path}?langCode=de`);
    const source = await send(`GET ${path}`);
    const patch = (revision: string) =>
      send(`PATCH ${path}?langCode=de`, article('about', { title: 'Wir' }), {
        headers: { 'if-match': `"${revision}"` },
      });
    expect((await patch(source.body.data.meta.revision)).status).toBe(412);
    expect((await patch(read.body.data.meta.revision)).status).toBe(200);
  });

  it('has the ETag of a read below the prefix', async () => {
    for (const path of ['/de/jsonapi/node/article/about', '/api/content/articles/about?langCode=de']) {
      const etag = (await fetchFrom(handle, path, { actor: EDITOR })).headers.get('etag') ?? '';
      const headers = { 'if-match': etag };
      expect([path, (await send(`DELETE ${path}`, undefined, { headers, actor: EDITOR })).status]).toEqual([
        path,
        204,
      ]);
      await open(FILES);
    }
  });

  it('is required for changes of a translation, and not for a new one', async () => {
    await open(FILES, { writable: { options: { requireIfMatch: true, onDelete: 'restrict' } } });
    const path = '/jsonapi/node/article/about?langCode=';
    expect((await send(`PATCH ${path}de`, article('about', { title: 'Wir' }))).status).toBe(428);
    expect((await send(`DELETE ${path}de`)).status).toBe(428);
    expect((await send(`POST ${path}fr`, article('about', { title: 'À propos' }))).status).toBe(201);
  });
});

describe('errors', () => {
  it.each<[string, unknown, number]>([
    ['PATCH /jsonapi/node/article/about?langCode=fr', article('about', { title: 'X' }), 404],
    ['PATCH /fr/jsonapi/node/article/about', article('about', { title: 'X' }), 404],
    ['PATCH /fr/api/content/articles/about', { title: 'X' }, 404],
    ['PATCH /jsonapi/node/article/about?langCode=xx', article('about', { title: 'X' }), 400],
    [
      'PATCH /jsonapi/node/article/about?langCode=de&includeFallback=1',
      article('about', { title: 'X' }),
      400,
    ],
    ['PATCH /jsonapi/node/article/about?langCode=de', article('about', { langcode: 'fr' }), 422],
    ['POST /jsonapi/node/article/about?langCode=fr', article('about', { title: 'X', langcode: 'de' }), 422],
    ['PATCH /jsonapi/node/article/about', article('about', { langcode: 'de' }), 409],
    ['POST /jsonapi/node/article/about?langCode=fr', article('about', { note: 'X' }), 422],
    ['POST /jsonapi/node/article/about?langCode=fr', article('other', { title: 'X' }), 409],
    ['POST /jsonapi/node/article/about?langCode=de', article('about', { title: 'X' }), 409],
    ['POST /jsonapi/node/article/about?langCode=en', article('about', { title: 'X' }), 409],
    ['POST /jsonapi/node/article/none?langCode=fr', article('none', { title: 'X' }), 404],
    ['POST /jsonapi/node/article/about', article('about', { title: 'X' }), 405],
    ['POST /jsonapi/node/article?langCode=fr', article('new', { title: 'X' }), 400],
    ['POST /api/content/articles?langCode=fr', { title: 'X' }, 400],
    ['POST /fr/jsonapi/node/article', article('new', { title: 'X' }), 405],
    ['POST /jsonapi/node/article/about?langCode=fr&include=nothing', article('about', { title: 'X' }), 400],
  ])('%s', async (request, body, status) => {
    const before = await files();
    const reply = await send(request, body);
    expect(reply.status, JSON.stringify(reply.body)).toBe(status);
    expect(await files()).toEqual(before);
  });

  it('a translation that keeps its language by frontmatter keeps it', async () => {
    await open({
      'article/about.md': '---\ntitle: About\n---\n',
      'article/uns.md': '---\ntitle: Uns\ntranslationOf: about\nlangcode: de\n---\n',
    });
    const path = '/jsonapi/node/article/about?langCode=de';
    expect((await send(`PATCH ${path}`, article('about', { langcode: 'fr' }))).status).toBe(409);
    expect((await send('PUT /de/api/content/articles/about', { title: 'Wir' })).status).toBe(201);
    expect(await text('article/uns.md')).toBe('---\ntitle: Wir\ntranslationOf: about\nlangcode: de\n---\n');
  });

  it('does not overwrite a file with errors', async () => {
    await driver.write('article/about.fr.md', new TextEncoder().encode('---\ntitle: [\n---\n'));
    const reply = await send('POST /fr/api/content/articles/about', { title: 'X' });
    expect([reply.status, await text('article/about.fr.md')]).toEqual([409, '---\ntitle: [\n---\n']);
  });

  it('a source with errors cannot be translated', async () => {
    await driver.write('article/about.md', new TextEncoder().encode('---\ntitle: [\n---\n'));
    const sent = article('about', { title: 'X' });
    expect((await send('POST /jsonapi/node/article/about?langCode=fr', sent)).status).toBe(409);
  });

  it('a reference of a hidden translation is not reported', async () => {
    const hidden = '---\ntitle: Actualités\nstatus: false\ntags: [bob]\n---\n';
    await open({ ...FILES, 'article/news.fr.md': hidden }, { roles });
    const detail = async (actor: Actor) =>
      (await send('DELETE /jsonapi/node/person/bob', undefined, { actor })).body.errors[0].detail;
    expect(await detail(AUTHOR)).toContain('referenced by other content');
    expect(await detail(EDITOR)).toContain("referenced by node--article 'news'");
  });

  it('a conflict with the alias of a hidden translation is not reported', async () => {
    await open(
      { ...FILES, 'article/news.de.md': '---\ntitle: Neues\nstatus: false\npath: /taken\n---\n' },
      { roles },
    );
    const sent = article('about', { path: { alias: '/taken' } });
    const path = 'PATCH /jsonapi/node/article/about?langCode=de';
    expect((await send(path, sent)).status).toBe(409);
    expect((await send(path, sent, { actor: AUTHOR })).status).toBe(200);
  });

  it('two entities can have the same alias in different languages', async () => {
    await open({ ...FILES, 'article/news.md': '---\ntitle: News\npath: /info\n---\n' });
    const sent = article('about', { path: { alias: '/info' } });
    expect((await send('PATCH /jsonapi/node/article/about', sent)).status).toBe(409);
    expect((await send('PATCH /jsonapi/node/article/about?langCode=de', sent)).status).toBe(200);
    const idAt = async (path: string) =>
      (await send(`GET /router/translate-path?path=${path}`)).body.entity.id;
    expect([await idAt('/info'), await idAt('/de/info')]).toEqual(['news', 'about']);
  });

  it.each(['/de/jsonapi/node/article', '/jsonapi/node/article?langCode=de', '/de/api/content/articles'])(
    'OPTIONS %s does not offer new entities, which have no language in their address',
    async (path) => {
      const { meta } = (await send(`OPTIONS ${path}`)).body;
      expect(meta.allow).toEqual(['GET', 'HEAD', 'OPTIONS']);
      expect((await send(`OPTIONS ${path.replace('/de/', '/').split('?')[0]}`)).body.meta.allow).toContain(
        'POST',
      );
    },
  );

  it('a reference from a translation is named with its language', async () => {
    await open({ ...FILES, 'article/news.de.md': '---\ntitle: Neues\ntags: [bob]\n---\n' });
    const { body } = await send('DELETE /jsonapi/node/person/bob');
    expect(body.errors[0].detail).toContain("node--article 'news' in 'de'");
  });
});

it('a file is uploaded beside the translation', async () => {
  const pictures = defineSchema({
    article: { picture: file().nullish(), shared: untranslated(file().nullish()) },
  });
  await open(
    { 'article/about.md': '', 'de/article/about.md': '---\ntitle: Über uns\n---\n' },
    { bundles: pictures },
  );
  const upload = (field: string, language: string) =>
    fetchFrom(handle, `/jsonapi/node/article/about/${field}?langCode=${language}`, {
      method: 'POST',
      actor: EDITOR,
      headers: {
        'content-type': 'application/octet-stream',
        'content-disposition': 'file; filename="Plan.pdf"',
      },
      body: new TextEncoder().encode('%PDF-1.4\n'),
    });
  expect((await upload('picture', 'de')).status).toBe(200);
  expect(await text('de/article/about.md')).toBe('---\ntitle: Über uns\npicture: ./plan.pdf\n---\n');
  expect(await text('de/article/plan.pdf')).toBe('%PDF-1.4\n');
  const before = await files();
  expect((await upload('shared', 'de')).status).toBe(422);
  expect((await upload('picture', 'fr')).status).toBe(404);
  expect(await files()).toEqual(before);
});

it('a site without a schema has translations too', async () => {
  await open(
    { 'note/one.md': '---\ntitle: One\nrating: 1\nchanged: 2024-01-01T00:00:00Z\n---\nText\n' },
    { bundles: null },
  );
  const body = {
    data: { type: 'node--note', attributes: { title: 'Eins', rating: 2, body: { value: 'Text.' } } },
  };
  const reply = await send('POST /jsonapi/node/note/one?langCode=de', body);
  expect([reply.status, reply.body.data.attributes.rating]).toEqual([201, 2]);
  expect(await text('note/one.de.md')).toMatch(/^---\ntitle: Eins\nrating: 2\nchanged: \S+Z\n---\nText\.\n$/);
});

it('a change is committed with its account', async () => {
  const commits: unknown[] = [];
  await open(FILES, {
    writable: {
      options: { bin: false },
      onWritten: (written, keys, { actor }) => {
        commits.push([written.map(({ change }) => change), keys, actor.name]);
        return undefined;
      },
    },
  });
  await send('POST /jsonapi/node/article/about?langCode=fr', article('about', { title: 'À propos' }));
  await send('DELETE /jsonapi/node/article/about?langCode=de');
  expect(commits).toEqual([
    [['created'], ['article/about.fr.md'], 'ed'],
    [['removed'], ['article/about.de.md'], 'ed'],
  ]);
});

it('OpenAPI describes the requests on a site with languages only', async () => {
  const operations = async () => {
    const { body } = await send('GET /jsonapi/openapi.json');
    const post = body.paths['/jsonapi/node/article/{id}'].post;
    const { patch } = body.paths['/api/content/articles/{id}'];
    const names = ({ parameters = [] }: { parameters?: { name?: string }[] }) =>
      parameters.map(({ name }) => name);
    return [post?.operationId, names(patch).includes('langCode')];
  };
  expect(await operations()).toEqual(['translate-node--article', true]);
  await open({ 'article/about.md': '' }, { settings: {} });
  expect(await operations()).toEqual([undefined, false]);
});

/** `meta.translatable` of an entity, which both APIs return. */
async function translatable(path: string, actor: Actor): Promise<unknown> {
  const plain = path.replace(/^\w+/, '$&s');
  const replies = [`/jsonapi/node/${path}`, `/api/content/${plain}`].map((address) =>
    send(`OPTIONS ${address}`, undefined, { actor }),
  );
  const [one, other] = (await Promise.all(replies)).map(({ body }) => body.meta.translatable);
  expect(one).toEqual(other);
  return one;
}

import { beforeEach, describe, expect, it } from 'vitest';
import type { Actor } from '../../../../integration/core/access/actor.ts';
import type { Roles } from '../../../../integration/core/access/role.ts';
import { DEFAULT_LIMITS } from '../../../../integration/core/engine/limits.ts';
import type { Handler } from '../../../../integration/core/server/handler.ts';
import type { WritableDriver } from '../../../../integration/core/storage/driver.ts';
import { digestBytes } from '../../../../integration/core/util/revision.ts';
import { defineSchema, file, image, z } from '../../../../integration/schema.ts';
import { createHandler } from '../../../support/handler.ts';
import { createMemoryDriver } from '../../../support/memory-driver.ts';
import { png, svg } from '../../../support/pictures.ts';
import { fetchFrom, ORIGIN } from '../../../support/request.ts';
import { adminApp, createServices } from '../../../support/services.ts';

const SCHEMA = defineSchema({
  article: {
    field_cover: image().nullish(),
    field_gallery: z.array(image()).default([]),
    field_paper: file().nullish(),
  },
  page: { links: z.array(z.object({ to: z.string() })).default([]) },
});

const ROLES: Roles = {
  author: {
    permissions: [
      { actions: ['view'], bundles: '*', where: 'published' },
      { actions: ['view', 'create', 'update', 'delete'], bundles: ['article'], where: 'own' },
    ],
  },
};
const EDITOR: Actor = { name: 'ada', roles: ['editor'] };
const AUTHOR: Actor = { name: 'bob', roles: ['author'] };
const READER: Actor = { name: 'eve', roles: [] };
const ANONYMOUS: Actor = { name: null, roles: ['anonymous'] };

const FILES = {
  'article/moon.md':
    '---\ntitle: Moon\nuid: bob\nfield_cover: { src: moon.png, alt: The moon }\nfield_gallery: [sea.png, /logo.png]\n---\n\n![Sea](sea.png)\n',
  'article/moon.png': png(30, 20),
  'article/sea.png': png(40, 20),
  'article/draft.md':
    '---\ntitle: Draft\nstatus: false\nfield_cover: secret.png\nfield_gallery: [/draft.png]\n---\n',
  'article/secret.png': png(50, 20),
  'article/unused.png': png(60, 20),
  'article/tides.pdf': '%PDF-1.4',
  'article/letter.psd': 'PSD',
  'article/_private/x.png': png(1, 1),
  'page/about.md':
    '---\ntitle: About\n---\n\n![Moon](../article/moon.png)\n\nSee [the tables](../article/tides.pdf).\n',
};
const PUBLIC = {
  'logo.png': png(8, 8),
  'draft.png': png(9, 9),
  'paper/menu.pdf': '%PDF',
  'robots.txt': 'User-agent: *',
  _headers: '/*',
  '.well-known/security.txt': 'Contact: mail',
  'app.js': 'alert(1)',
};

let driver: WritableDriver;
let handle: Handler;
let written: unknown[];
beforeEach(async () => {
  driver = createMemoryDriver(FILES);
  handle = await open();
});

async function open(requireIfMatch = false, roles = ROLES): Promise<Handler> {
  written = [];
  const onWritten = (...change: readonly unknown[]) => {
    written.push(change.slice(0, 2));
    return undefined;
  };
  const options = { requireIfMatch, onDelete: 'restrict' } as const;
  const limits = { ...DEFAULT_LIMITS, uploadBytes: 2048 };
  return createHandler(
    await createServices(driver, SCHEMA, {
      roles,
      publicFiles: createMemoryDriver(PUBLIC),
      settings: { admin: true, limits },
      writable: { options, onWritten },
    }),
    { adminApp },
  );
}

interface Sent {
  readonly body?: Uint8Array | string;
  readonly headers?: Readonly<Record<string, string>>;
}

async function send(method: string, path: string, actor: Actor = EDITOR, { body, headers }: Sent = {}) {
  const type = body === undefined ? {} : { 'content-type': 'application/octet-stream' };
  const response = await fetchFrom(handle, `/jsonapi/_files${path}`, {
    method,
    headers: { ...type, ...headers },
    actor,
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  const document = text === '' ? {} : JSON.parse(text);
  return { status: response.status, headers: response.headers, ...document };
}

const writeText = (key: string, text: string) => driver.write(key, new TextEncoder().encode(text));

const named = (name: string) => ({ 'content-disposition': `file; filename="${name}"` });

/** The paths in a list. */
async function list(query = '', actor: Actor = EDITOR): Promise<readonly string[]> {
  const { data } = await send('GET', query, actor);
  return data.map(({ id }: { id: string }) => id.replace('content://', '').replace('public://', '/'));
}

describe('the list of files', () => {
  it('has the images and documents beside the content and in public/, by name', async () => {
    expect(await list()).toEqual([
      '/draft.png',
      '/logo.png',
      '/paper/menu.pdf',
      'article/moon.png',
      '/robots.txt',
      'article/sea.png',
      'article/secret.png',
      'article/tides.pdf',
      'article/unused.png',
    ]);
  });

  it('describes each file and the entities that use it', async () => {
    const { data, meta, links } = await send('GET', '?search=moon');
    expect(meta).toEqual({ count: 1, folders: [{ id: 'content://article', name: 'article', count: 1 }] });
    expect(links).toEqual({ self: { href: `${ORIGIN}/jsonapi/_files?search=moon` } });
    expect(data).toEqual([
      {
        type: 'file--file',
        id: 'content://article/moon.png',
        attributes: {
          uri: { value: 'content://article/moon.png', url: '/content-files/article/moon.png' },
          filename: 'moon.png',
          filemime: 'image/png',
          filesize: 33,
          width: 30,
          height: 20,
          changed: expect.stringMatching(/^\d{4}-.*Z$/),
        },
        relationships: {
          usedBy: {
            data: [
              { type: 'node--article', id: 'moon', meta: { title: 'Moon', fields: ['field_cover'] } },
              { type: 'node--page', id: 'about', meta: { title: 'About', fields: ['body'] } },
            ],
            meta: { count: 2 },
          },
        },
        meta: { alt: 'The moon', alts: { en: 'The moon' } },
        links: { self: { href: `${ORIGIN}/jsonapi/_files/content/article/moon.png` } },
      },
    ]);
  });

  it('names an entity once that uses a file in several fields', async () => {
    const { data } = await send('GET', '?search=sea');
    expect(data[0].relationships.usedBy.data).toEqual([
      { type: 'node--article', id: 'moon', meta: { title: 'Moon', fields: ['field_gallery', 'body'] } },
    ]);
  });

  it.each<[string, readonly string[]]>([
    [
      '?search=ARTICLE%20png',
      ['article/moon.png', 'article/sea.png', 'article/secret.png', 'article/unused.png'],
    ],
    ['?filter[source]=public', ['/draft.png', '/logo.png', '/paper/menu.pdf', '/robots.txt']],
    ['?filter[kind]=document', ['/paper/menu.pdf', '/robots.txt', 'article/tides.pdf']],
    ['?filter[kind]=audio', []],
    ['?filter[used]=false', ['/paper/menu.pdf', '/robots.txt', 'article/tides.pdf', 'article/unused.png']],
    ['?filter[used]=true&filter[source]=public', ['/draft.png', '/logo.png']],
    ['?sort=-filename&page[limit]=2', ['article/unused.png', 'article/tides.pdf']],
    ['?page[offset]=3&page[limit]=1', ['article/moon.png']],
    ['?page[number]=2&page[size]=3', ['article/moon.png', '/robots.txt', 'article/sea.png']],
    ['?sort=filesize&page[limit]=2', ['/paper/menu.pdf', 'article/tides.pdf']],
  ])('is selected by %s', async (query, expected) => {
    expect(await list(query)).toEqual(expected);
  });

  it('has the newest first', async () => {
    await driver.write('article/unused.png', png(2, 2));
    await driver.write('article/sea.png', png(2, 2));
    expect(await list('?sort=-changed&filter[source]=content&page[limit]=2')).toEqual([
      'article/sea.png',
      'article/unused.png',
    ]);
  });

  it('finds files by alternative texts in fields and bodies', async () => {
    await writeText(
      'page/alts.md',
      '---\ntitle: Alts\n---\n![A \\[wide\\] shore](../article/unused.png) <img alt="Low &amp; wet" src="../article/sea.png">\n',
    );
    handle = await open();
    expect(await list('?search=the%20MOON')).toEqual(['article/moon.png']);
    expect(await list('?search=[wide]%20shore')).toEqual(['article/unused.png']);
    expect(await list('?search=wet%20sea')).toEqual(['article/sea.png']);
    const { data } = await send('GET', '?search=unused');
    expect(data[0].meta.alt).toBe('A [wide] shore');
  });

  it('has the text of the last use in each language', async () => {
    const page = (day: number, language: string, alt: string) =>
      `---\ntitle: P\nlangcode: ${language}\nchanged: 2026-01-0${day}\n---\n\n![${alt}](../article/unused.png)\n`;
    await writeText('page/one.md', page(1, 'de', 'Ufer'));
    await writeText('page/two.md', page(2, 'de', 'Das Ufer'));
    await writeText('page/three.md', page(3, 'en', 'A shore'));
    handle = await open();
    const { data } = await send('GET', '?search=unused');
    expect(data[0].meta).toMatchObject({ alt: 'A shore', alts: { de: 'Das Ufer', en: 'A shore' } });
  });

  it('finds no file by a hidden text', async () => {
    const secret = '---\ntitle: Plan\nstatus: false\n---\n\n![Fusion](../article/moon.png)\n';
    await writeText('page/plan.md', secret);
    handle = await open();
    expect(await list('?search=fusion')).toEqual(['article/moon.png']);
    expect(await list('?search=fusion', AUTHOR)).toEqual([]);
    const { data } = await send('GET', '?search=moon', AUTHOR);
    expect([data[0].meta.alt, data[0].relationships.usedBy.meta.count]).toEqual(['The moon', 2]);
  });

  it('has the files that content has used last first, with the text of that use', async () => {
    const page = (day: number, alt: string, file: string) =>
      `---\ntitle: P\nchanged: 2026-01-0${day}\n---\n\n![${alt}](../article/${file})\n`;
    await writeText('page/older.md', page(2, 'Older', 'unused.png'));
    await writeText('page/newest.md', page(4, 'Newest', 'unused.png'));
    await writeText('page/newer.md', page(3, 'Newer', 'sea.png'));
    handle = await open();
    const { data } = await send('GET', '?sort=-used&page[limit]=2&filter[source]=content');
    expect(data.map(({ id, meta }: { id: string; meta: { alt: string } }) => [id, meta.alt])).toEqual([
      ['content://article/unused.png', 'Newest'],
      ['content://article/sea.png', 'Newer'],
    ]);
  });

  it('has folders, each with the number of its files, and leads into them', async () => {
    await driver.write('article/2024/may/sun.png', png(2, 2));
    await driver.write('article/2024/low.png', png(2, 2));
    const folders = async (query: string, actor = EDITOR) =>
      (await send('GET', query, actor)).meta.folders.map(
        (each: { id: string; name: string; count: number }) => [each.id, each.name, each.count],
      );
    expect(await folders('')).toEqual([
      ['content://article', 'article', 7],
      ['public://', 'public', 4],
    ]);
    expect(await folders('?filter[folder]=content://article')).toEqual([
      ['content://article/2024', '2024', 2],
    ]);
    expect(await folders('?filter[folder]=public://')).toEqual([['public://paper', 'paper', 1]]);
    expect(await list('?filter[folder]=content://article/2024')).toEqual([
      'article/2024/low.png',
      'article/2024/may/sun.png',
    ]);
    expect(await list('?filter[folder]=content://art')).toEqual([]);
    // The content of another account.
    expect(await folders('?filter[source]=content', AUTHOR)).toEqual([['content://article', 'article', 2]]);
  });

  it('has files with a name in upper case', async () => {
    await driver.write('article/PHOTO.PNG', png(2, 2));
    expect(await list('?search=photo')).toEqual(['article/PHOTO.PNG']);
  });

  it('links its pages', async () => {
    const { meta, links } = await send('GET', '?page[limit]=4&page[offset]=4&search=p');
    expect(meta.count).toBe(8);
    expect(Object.keys(links)).toEqual(['self', 'first', 'prev']);
  });

  it('has paths as the author of an entity writes them', async () => {
    const srcs = async (query: string) => {
      const { data } = await send('GET', query);
      return data.map(({ meta }: { meta: { src: string } }) => meta.src);
    };
    expect(await srcs('?search=moon&beside=node--page/about')).toEqual(['../article/moon.png']);
    expect(await srcs('?search=logo&beside=node--page')).toEqual(['/logo.png']);
  });

  it.each([
    ['?colour=red', 'colour'],
    ['?include=usedBy', 'include'],
    ['?filter[alt]=x', 'filter[alt]'],
    ['?filter[kind]=picture', 'filter[kind]'],
    ['?filter[kind][value]=image', 'filter[kind]'],
    ['?filter=image', 'filter'],
    ['?filter[folder]=article', 'filter[folder]'],
    ['?filter[folder]=content://article/', 'filter[folder]'],
    ['?sort=alt', 'sort'],
    ['?sort[a][path]=alt', 'sort[a][path]'],
    ['?page[limit]=-1', 'page[limit]'],
    ['?page[first]=1', 'page[first]'],
    ['?search[a]=1', 'search'],
    ['?beside=node--nothing', 'beside'],
  ])('rejects %s', async (query, parameter) => {
    const { status, errors } = await send('GET', query);
    expect([status, errors[0].source]).toEqual([400, { parameter }]);
  });
});

describe('who sees files', () => {
  it.each([
    ['a visitor', ANONYMOUS, 401],
    ['an account that may only read', READER, 403],
    ['an author', AUTHOR, 200],
    ['an editor', EDITOR, 200],
  ])('%s', async (_, actor, status) => {
    expect((await send('GET', '', actor)).status).toBe(status);
    expect((await send('GET', '/content/article/moon.png', actor)).status).toBe(status);
  });

  it('an author sees files of visible content, and no others', async () => {
    expect(await list('?filter[source]=content', AUTHOR)).toEqual(['article/moon.png', 'article/sea.png']);
  });

  it('hidden, unused and missing files look the same to an author', async () => {
    const replies = [];
    for (const name of ['secret.png', 'unused.png', 'nothing.png']) {
      const { status, errors } = await send('GET', `/content/article/${name}`, AUTHOR);
      replies.push(JSON.stringify([status, errors]).replaceAll(name, 'x'));
      expect((await send('PUT', `/content/article/${name}`, AUTHOR, { body: png(1, 1) })).status).toBe(404);
      expect((await send('DELETE', `/content/article/${name}`, AUTHOR)).status).toBe(404);
    }
    expect(new Set(replies).size).toBe(1);
  });

  it('a public file names only visible users', async () => {
    const { data } = await send('GET', '?search=draft', AUTHOR);
    expect(data[0].relationships.usedBy).toEqual({ data: [], meta: { count: 0 } });
    expect(await list('?filter[source]=public&filter[used]=true', AUTHOR)).toEqual(['/logo.png']);
  });

  it('users without access to titles get the ids of the entities that use a file', async () => {
    const fields = { view: { except: ['title'] } };
    handle = await open(false, {
      authenticated: { permissions: [] },
      author: { permissions: [{ actions: ['view', 'create'], bundles: '*', where: 'published', fields }] },
    });
    const { data } = await send('GET', '?search=sea', AUTHOR);
    expect(data[0].relationships.usedBy.data).toEqual([
      { type: 'node--article', id: 'moon', meta: { title: 'moon', fields: ['field_gallery', 'body'] } },
    ]);
  });

  it('only an editor can load an unused file', async () => {
    const load = async (actor: Actor, name = 'unused.png') =>
      (await fetchFrom(handle, `/content-files/article/${name}`, { actor })).status;
    expect([await load(EDITOR), await load(AUTHOR), await load(READER), await load(ANONYMOUS)]).toEqual([
      200, 404, 404, 404,
    ]);
    expect([await load(EDITOR, 'letter.psd'), await load(EDITOR, 'moon.md')]).toEqual([404, 404]);
  });

  it.each([
    '/content/article/moon.md',
    '/content/article/letter.psd',
    '/content/article/_private/x.png',
    '/content/../package.json',
    '/content/%2e%2e/x.png',
    '/content/article%2F..%2F..%2Fx.png',
    '/content/schema.ts',
    '/public/.well-known/security.txt',
    '/public/app.js',
    '/public/_headers',
    '/private/x.png',
    '/content',
    '/content/article/%00.png',
    '/content/article/%ff.png',
  ])('%s is never listed', async (path) => {
    expect((await send('GET', path)).status).toBe(404);
    expect((await send('DELETE', path)).status).toBe(404);
  });
});

describe('a new file', () => {
  it('is stored in the folder of a bundle or beside an entity', async () => {
    await driver.write('article/2024/night.md', Buffer.from('---\ntitle: Night\n---\n'));
    handle = await open();
    const headers = named('New moon.png');
    const first = await send('POST', '?beside=node--article', EDITOR, { body: png(3, 2), headers });
    expect([first.status, first.headers.get('location')]).toEqual([
      201,
      `${ORIGIN}/jsonapi/_files/content/article/new-moon.png`,
    ]);
    expect(first.data).toMatchObject({
      id: 'content://article/new-moon.png',
      attributes: { width: 3, height: 2 },
      meta: { src: './new-moon.png', revision: digestBytes(png(3, 2)) },
    });
    const second = await send('POST', '?beside=node--article/2024/night', EDITOR, {
      body: png(3, 2),
      headers,
    });
    expect(second.data.id).toBe('content://article/2024/new-moon.png');
    expect(written).toEqual([
      [[{ change: 'uploaded', type: 'article', key: 'article/new-moon.png' }], ['article/new-moon.png']],
      [
        [{ change: 'uploaded', type: 'article', key: 'article/2024/new-moon.png' }],
        ['article/2024/new-moon.png'],
      ],
    ]);
  });

  it('can be stored for a bundle without fields for files', async () => {
    const sent = { body: png(3, 2), headers: named('a.png') };
    expect((await send('POST', '?beside=node--page', EDITOR, sent)).status).toBe(201);
  });

  it.each<[string, string, Actor, Sent, number]>([
    ['without a place', '', EDITOR, { body: png(1, 1), headers: named('a.png') }, 400],
    ['without a name', '?beside=node--article', EDITOR, { body: png(1, 1) }, 400],
    ['of another type', '?beside=node--article', EDITOR, { body: png(1, 1), headers: named('a.html') }, 422],
    ['with a script', '?beside=node--article', EDITOR, { body: svg(1, 1), headers: named('a.svg') }, 422],
    ['with other content', '?beside=node--article', EDITOR, { body: 'text', headers: named('a.png') }, 422],
    [
      'that is too large',
      '?beside=node--article',
      EDITOR,
      { body: 'x'.repeat(2049), headers: named('a.txt') },
      413,
    ],
    [
      'with the media type of JSON:API',
      '?beside=node--article',
      EDITOR,
      { body: '{}', headers: { ...named('a.png'), 'content-type': 'application/vnd.api+json' } },
      415,
    ],
    [
      'for a bundle of others',
      '?beside=node--page',
      AUTHOR,
      { body: png(1, 1), headers: named('a.png') },
      403,
    ],
    [
      'beside an entity of others',
      '?beside=node--page/about',
      AUTHOR,
      { body: png(1, 1), headers: named('a.png') },
      403,
    ],
    [
      'beside a hidden entity',
      '?beside=node--article/draft',
      AUTHOR,
      { body: png(1, 1), headers: named('a.png') },
      404,
    ],
    ['by a reader', '?beside=node--article', READER, { body: png(1, 1), headers: named('a.png') }, 403],
    ['by a visitor', '?beside=node--article', ANONYMOUS, { body: png(1, 1), headers: named('a.png') }, 401],
  ])('is rejected %s', async (_, query, actor, sent, status) => {
    expect((await send('POST', query, actor, sent)).status).toBe(status);
    expect(written).toEqual([]);
  });
});

describe('replacing a file', () => {
  it('changes its bytes, and its size in every entity that uses it', async () => {
    const { status, data } = await send('PUT', '/content/article/moon.png', EDITOR, { body: png(300, 200) });
    expect([status, data.attributes.width, data.meta.revision]).toEqual([
      200,
      300,
      digestBytes(png(300, 200)),
    ]);
    const entity = await (await fetchFrom(handle, '/jsonapi/node/article/moon', { actor: EDITOR })).json();
    expect(entity.data.relationships.field_cover.data.meta).toMatchObject({ width: 300, alt: 'The moon' });
    expect(written).toEqual([
      [[{ change: 'replaced', type: 'article', key: 'article/moon.png' }], ['article/moon.png']],
    ]);
  });

  it('needs the revision that was read, if it is sent or required', async () => {
    const put = (headers: Record<string, string>) =>
      send('PUT', '/content/article/moon.png', EDITOR, { body: png(2, 2), headers });
    const { data } = await send('GET', '/content/article/moon.png');
    expect(data.meta.revision).toBe(digestBytes(png(30, 20)));
    expect((await put({ 'if-match': '"0000000000000000"' })).status).toBe(412);
    handle = await open(true);
    expect((await put({})).status).toBe(428);
    expect((await put({ 'if-match': `"${data.meta.revision}"` })).status).toBe(200);
    expect((await put({ 'if-match': `"${data.meta.revision}"` })).status).toBe(412);
  });

  it.each<[string, string, Actor, Uint8Array | string, number]>([
    ['with another format', '/content/article/moon.png', EDITOR, '%PDF-1.4', 422],
    ['with nothing', '/content/article/moon.png', EDITOR, '', 422],
    ['in public/', '/public/logo.png', EDITOR, png(1, 1), 403],
    ['that others may use too', '/content/article/moon.png', AUTHOR, png(1, 1), 403],
    ['that does not exist', '/content/article/none.png', EDITOR, png(1, 1), 404],
  ])('is refused %s', async (_, path, actor, body, status) => {
    const reply = await send('PUT', path, actor, { body });
    expect(reply.status).toBe(status);
    if (status === 422) expect(reply.errors[0].source).toEqual({ pointer: '' });
    expect(written).toEqual([]);
  });
});

describe('deleting a file', () => {
  it('is possible outside of the folders of bundles', async () => {
    await driver.write('shared/plain.png', png(2, 2));
    expect((await send('DELETE', '/content/shared/plain.png')).status).toBe(204);
    expect(await driver.read('shared/plain.png')).toBeUndefined();
  });

  it('removes it if nothing uses it', async () => {
    expect((await send('DELETE', '/content/article/unused.png')).status).toBe(204);
    expect(await driver.read('article/unused.png')).toBeUndefined();
    expect((await send('GET', '/content/article/unused.png')).status).toBe(404);
    expect(written).toEqual([
      [[{ change: 'deleted', type: 'article', key: 'article/unused.png' }], ['article/unused.png']],
    ]);
  });

  it.each([
    ['field', 'moon.png', 'The file is in use: node--article moon, node--page about.'],
    ['link in a body', 'tides.pdf', 'The file is in use: node--page about.'],
  ])('is a conflict while a %s needs it', async (_, name, detail) => {
    const { status, errors } = await send('DELETE', `/content/article/${name}`);
    expect([status, errors[0].detail]).toEqual([409, detail]);
    expect(await driver.read(`article/${name}`)).toBeDefined();
  });

  it.each([
    ['a path from another folder', '[x](../article/2024/a.png)', 409],
    ['HTML', '<a href="/content-files/article/2024/a.png">x</a>', 409],
    ['an import', "import a from '../article/2024/a.png';", 409],
    ['a bare name that leads nowhere', 'See a.png.', 409],
    ['percent-encoding', '[x](../article/2024/%61.png) and [y](../article/2024/a%2Epng)', 204],
    ['a longer name', '[x](../article/2024/sea.png)', 204],
    ['a file with this name in another folder', '[x](../article/a.png)', 204],
  ])('counts a use by %s', async (_, text, status) => {
    await driver.write('article/2024/a.png', png(1, 1));
    await driver.write('article/a.png', png(1, 1));
    await driver.write('page/text.md', Buffer.from(`---\ntitle: Text\n---\n\n${text}\n`));
    handle = await open();
    expect((await send('DELETE', '/content/article/2024/a.png')).status).toBe(status);
  });

  it('counts a use by a field that is only text', async () => {
    await driver.write('article/2024/a.pdf', Buffer.from('%PDF-1.4'));
    await driver.write(
      'page/data.md',
      Buffer.from('---\ntitle: Data\nlinks: [{ to: ../article/2024/a.pdf }]\n---\n'),
    );
    handle = await open();
    const { status, errors } = await send('DELETE', '/content/article/2024/a.pdf');
    expect([status, errors[0].detail]).toEqual([409, 'The file is in use: node--page data.']);
  });

  it('is possible after the last use is gone', async () => {
    const body = { data: { type: 'node--article', id: 'draft', attributes: { field_cover: null } } };
    await fetchFrom(handle, '/jsonapi/node/article/draft', { method: 'PATCH', body, actor: EDITOR });
    expect((await send('DELETE', '/content/article/secret.png')).status).toBe(204);
  });

  it.each<[string, string, Actor, number]>([
    ['in public/', '/public/robots.txt', EDITOR, 403],
    ['as an author', '/content/article/sea.png', AUTHOR, 403],
    ['as a visitor', '/content/article/sea.png', ANONYMOUS, 401],
  ])('is refused %s', async (_, path, actor, status) => {
    expect((await send('DELETE', path, actor)).status).toBe(status);
    expect(written).toEqual([]);
  });
});

it('a server that only reads lists files, and changes none', async () => {
  const site = { publicFiles: createMemoryDriver(PUBLIC), settings: { admin: true } };
  handle = createHandler(await createServices(driver, SCHEMA, site), { adminApp });
  expect((await send('GET', '')).status).toBe(200);
  expect((await send('POST', '?beside=node--article', EDITOR, { body: png(1, 1) })).status).toBe(405);
  expect((await send('DELETE', '/content/article/unused.png')).status).toBe(405);
});

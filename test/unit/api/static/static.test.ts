import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { StaticFiles } from '../../../../integration/core/read/settings.ts';
import { writeDocuments } from '../../../../integration/core/runtime/write-documents.ts';
import {
  staticDocuments,
  withinBounds,
} from '../../../../integration/features/static/documents/documents.ts';
import { createHandler } from '../../../support/handler.ts';
import { fetchFrom } from '../../../support/request.ts';
import { staticFiles } from '../../../support/services.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { bundle, createMagazine, ENTITIES, entity, TYPES } from '../jsonapi/magazine.ts';

const SETTINGS = {
  base: '/docs',
  pageSize: { default: 2, max: 2, unlimited: true },
  explorer: true,
  staticQueries: {
    byTitle: '/node/article?sort=-title&page[limit]=2&include=field_author',
    one: '/jsonapi/node/article/second?fields[node--article]=title',
    related: '/node/article/2024/first/field_tags',
    relationship: '/node/article/second/relationships/field_tags?include=field_tags',
    rest: '/node/article?sort=title&page[limit]=1&page[offset]=1',
    all: '/node/article?page[limit]=0',
  },
};

describe('static documents', () => {
  it('are the entry point, all pages, resources, listed queries and descriptions', async () => {
    expect([...(await staticFiles(createMagazine(SETTINGS))).keys()].sort()).toEqual(
      [
        'jsonapi/index.json',
        'jsonapi/openapi.json',
        'jsonapi/node--article.schema.json',
        'jsonapi/node--person.schema.json',
        'jsonapi/node--tag.schema.json',
        'jsonapi/node/article.json',
        'jsonapi/node/article.2.json',
        'jsonapi/node/article/2024/first.json',
        'jsonapi/node/article/second.json',
        'jsonapi/node/article/third.json',
        'jsonapi/node/person.json',
        'jsonapi/node/person/ada.json',
        'jsonapi/node/person/bob.json',
        'jsonapi/node/tag.json',
        'jsonapi/node/tag/news.json',
        'jsonapi/node/tag/tea.json',
        'api/content.json',
        'api/content/articles.json',
        'api/content/articles.2.json',
        'api/content/articles/2024/first.json',
        'api/content/articles/second.json',
        'api/content/articles/third.json',
        'api/content/people.json',
        'api/content/people/ada.json',
        'api/content/people/bob.json',
        'api/content/tags.json',
        'api/content/tags/news.json',
        'api/content/tags/tea.json',
        'jsonapi/q/byTitle.json',
        'jsonapi/q/byTitle.2.json',
        'jsonapi/q/one.json',
        'jsonapi/q/related.json',
        'jsonapi/q/relationship.json',
        'jsonapi/q/rest.json',
        'jsonapi/q/rest.2.json',
        'jsonapi/q/all.json',
        'jsonapi-explorer/schema.json',
      ].sort(),
    );
  });

  it('are not those of single entities if option static.documents is false', async () => {
    const filesWith = (documents: boolean) =>
      staticFiles(createMagazine({ ...SETTINGS, static: { bodies: true, openapi: true, documents } }));
    const all = await filesWith(true);
    const few = await filesWith(false);
    const missing = [...all.keys()].filter((path) => !few.has(path));
    expect(missing).toHaveLength(14);
    expect(missing).toContain('api/content/articles/2024/first.json');
    const { data } = JSON.parse(few.get('jsonapi/node/article.json') ?? '');
    expect(data[0].links.self.href).toBe('/docs/jsonapi/node/article/2024/first');
    expect(few.get('jsonapi/openapi.json')).not.toContain('{id}');
  });

  it.each([
    [{ files: 37, megabytes: 1 }, undefined, 37],
    [{ files: 36, megabytes: 1 }, { omitted: ['documents'], most: { files: 37 }, isEnough: true }, 23],
    [{ files: 5, megabytes: 1 }, { omitted: ['documents'], most: { files: 37 }, isEnough: false }, 23],
    [{ files: 1000, megabytes: 0.0001 }, { omitted: ['bodies', 'documents'], most: {}, isEnough: false }, 23],
  ])('stay within the bounds %o of option static.documents', async (documents, expected, count) => {
    const settings = { ...SETTINGS, static: { bodies: true, openapi: true, documents } };
    const { services, reduction } = await withinBounds(createMagazine(settings));
    expect(reduction).toEqual(expected);
    expect([...(await staticFiles(services)).keys()]).toHaveLength(count);
  });

  it('leave out other languages, but no bodies, if only the number of files is too large', async () => {
    const languages = {
      all: ['en', 'de'].map((code) => ({ code, path: code, names: [code] })),
      default: 'en',
      fallback: {},
    };
    const bounded = async (files: number) => {
      const settings = { ...SETTINGS, languages, static: { documents: { files, megabytes: 1 } } };
      return (await withinBounds(createMagazine(settings))).reduction;
    };
    const whole = (await bounded(1))?.most.files ?? 0;
    expect(await bounded(whole)).toBeUndefined();
    expect((await bounded(whole - 1))?.omitted).toEqual(['documents']);
    expect(await bounded(25)).toMatchObject({ omitted: ['documents', 'languages'], isEnough: true });
  });

  it('have each body once, or more often if an option says so', async () => {
    const settings = (files: StaticFiles) =>
      createMagazine({ ...SETTINGS, staticQueries: {}, static: files });
    const bodies = async (files: StaticFiles) => {
      const texts = [...(await staticFiles(settings(files))).entries()];
      return texts
        .filter(([path, text]) => path.startsWith('jsonapi/node/') && text.includes('"body":{'))
        .map(([path]) => path);
    };
    const own = await bodies({ documents: true });
    expect(own.length).toBeGreaterThan(0);
    expect(own.every((path) => /^jsonapi\/node\/\w+\/./.test(path))).toBe(true);
    const listed = await bodies({ documents: false });
    expect(listed.length).toBeGreaterThan(0);
    expect(listed.every((path) => /^jsonapi\/node\/\w+(?:\.\d)?\.json$/.test(path))).toBe(true);
    expect((await bodies({ bodies: true, documents: true })).sort()).toEqual([...own, ...listed].sort());
  });

  it('leave out bodies in collections first if they were asked for', async () => {
    const magazine = (files: StaticFiles) => createMagazine({ ...SETTINGS, static: files });
    const size = async (files: StaticFiles) =>
      [...(await staticFiles(magazine(files))).values()].reduce(
        (sum, text) => sum + Buffer.byteLength(text),
        0,
      );
    const most = await size({ bodies: true, documents: true });
    const less = await size({ bodies: false, documents: true });
    expect(less).toBeLessThan(most);
    const documents = { files: 99, megabytes: (most + less) / 2 / 1e6 };
    expect((await withinBounds(magazine({ bodies: true, documents }))).reduction?.omitted).toEqual([
      'bodies',
    ]);
    expect((await withinBounds(magazine({ documents }))).reduction).toBeUndefined();
  });

  it('have no links to hidden resources, which have no files', async () => {
    const staticQueries = { authors: '/node/article?include=field_author' };
    const files = await staticFiles(createMagazine({ ...SETTINGS, staticQueries }));
    const { meta } = JSON.parse(files.get('jsonapi/q/authors.json') ?? '{}');
    expect(Object.keys(meta.omitted.links)).toEqual(['help']);
  });

  it('are below the prefix, and so are their links', async () => {
    const plain = await staticFiles(createMagazine(SETTINGS));
    const prefixed = await staticFiles(createMagazine({ ...SETTINGS, prefix: '/cms' }));
    const moved = (text: string) =>
      text.replaceAll(/(?<=")(\/docs)?\/(?=jsonapi|api\/content)/g, (start) => `${start}cms/`);
    expect([...prefixed.keys()]).toEqual([...plain.keys()].map((path) => `cms/${path}`));
    for (const [path, text] of plain) {
      const query = '/cms/jsonapi/node/article/second?';
      const expected = moved(text).replace(query, query.slice('/cms'.length));
      expect(prefixed.get(`cms/${path}`), path).toBe(path.includes('explorer') ? expected : moved(text));
    }
  });

  it('include a page for a bundle without entities', async () => {
    const empty = await staticFiles(createMagazine({}, [], TYPES));
    expect(JSON.parse(empty.get('jsonapi/node/article.json') ?? '')).toMatchObject({
      data: [],
      meta: { count: 0 },
    });
    expect(JSON.parse(empty.get('api/content/articles.json') ?? '')).toMatchObject({
      data: [],
      meta: { count: 0 },
    });
  });

  it('link only to existing files', async () => {
    const odd = [...ENTITIES, entity('node--tag', 'spaced out/50% ü?#', {})];
    const files = await staticFiles(createMagazine(SETTINGS, odd));
    files.delete('jsonapi/openapi.json');
    const targets = new Set([...files.values()].flatMap(linksOf));
    expect(targets.size).toBeGreaterThan(25);
    for (const target of targets) {
      expect(target.startsWith('/docs/'), target).toBe(true);
      const { pathname } = new URL(target, 'https://site.example');
      expect(files.has(decodeURIComponent(pathname.slice('/docs/'.length))), target).toBe(true);
    }
  });

  it('contain only content that anonymous users may see', async () => {
    const all = [...(await staticFiles(createMagazine(SETTINGS))).values()].join('\n');
    expect(all).not.toMatch(/Secret|Eve|"uid"/);
  });

  it.each([
    ['jsonapi/index.json', '/jsonapi'],
    ['jsonapi/node/article.json', '/jsonapi/node/article'],
    ['jsonapi/node/article.2.json', '/jsonapi/node/article?page[offset]=2&page[limit]=2'],
    ['jsonapi/node/article/2024/first.json', '/jsonapi/node/article/2024/first'],
    ['jsonapi/q/byTitle.json', '/jsonapi/node/article?sort=-title&page[limit]=2&include=field_author'],
    [
      'jsonapi/q/byTitle.2.json',
      '/jsonapi/node/article?sort=-title&page[limit]=2&page[offset]=2&include=field_author',
    ],
    ['jsonapi/q/one.json', '/jsonapi/node/article/second?fields[node--article]=title'],
    ['jsonapi/q/related.json', '/jsonapi/node/article/2024/first/field_tags'],
    [
      'jsonapi/q/relationship.json',
      '/jsonapi/node/article/second/relationships/field_tags?include=field_tags',
    ],
    ['jsonapi/q/rest.2.json', '/jsonapi/node/article?sort=title&page[limit]=1&page[offset]=2'],
    ['api/content/articles.2.json', '/api/content/articles?page=2'],
    ['api/content/people/ada.json', '/api/content/people/ada'],
  ])('%s equals the server response at %s, except for links', async (file, url) => {
    const services = createMagazine(SETTINGS);
    const response = await fetchFrom(createHandler(services), `/docs${url}`);
    const body = (await staticFiles(services)).get(file) ?? '';
    expect(withoutLinks(body)).toEqual(withoutLinks(await response.text()));
  });

  it('link from the first page to the last', async () => {
    const files = await staticFiles(
      createMagazine({ ...SETTINGS, pageSize: { default: 1, max: 1, unlimited: true } }),
    );
    const page = (name: string) => JSON.parse(files.get(`jsonapi/node/${name}.json`) ?? '').links;
    const describedby = {
      href: '/docs/jsonapi/node--article.schema.json',
      type: 'application/schema+json',
    };
    expect(page('article')).toEqual({
      describedby,
      self: { href: '/docs/jsonapi/node/article.json' },
      next: { href: '/docs/jsonapi/node/article.2.json' },
      last: { href: '/docs/jsonapi/node/article.3.json' },
    });
    expect(page('article.3')).toEqual({
      describedby,
      self: { href: '/docs/jsonapi/node/article.3.json' },
      first: { href: '/docs/jsonapi/node/article.json' },
      prev: { href: '/docs/jsonapi/node/article.2.json' },
    });
  });

  it.each([
    ['/node/article?filter[nope]=1', /prebuild\.bad: .*nope.*\(filter\[nope\]\)/],
    ['/node/nope', /prebuild\.bad: The resource type 'node--nope' does not exist/],
    ['/node', /prebuild\.bad: A query must start with a collection/],
    ['/node/article/secret', /prebuild\.bad: There is no resource 'secret'/],
    ['/node/article/second/nope', /prebuild\.bad: .* no reference 'nope'/],
  ])('name the option of an invalid listed query: %s', async (query, message) => {
    await expect(staticFiles(createMagazine({ staticQueries: { bad: query } }))).rejects.toThrow(message);
  });

  it.each([
    [
      'a file that is also a folder',
      [entity('node--tag', 'a', {}), entity('node--tag', 'a.json/b', {})],
      /a file and a folder/,
    ],
    [
      'an id that leads outside the folder',
      [entity('node--tag', '../../up', {})],
      /'\.\.\/\.\.\/up' of tag.* cannot be a file name/,
    ],
    ['an id with an empty segment', [entity('node--tag', 'a//b', {})], /cannot be a file name/],
  ])('reject %s', async (_, entities, message) => {
    await expect(staticFiles(createMagazine({}, entities))).rejects.toThrow(message);
  });

  it('reject a bundle whose file is a page of another one', async () => {
    const types = [bundle('node--a', []), bundle('node--a.2', [])];
    const entities = ['x', 'y', 'z'].map((id) => entity('node--a', id, {}));
    await expect(
      staticFiles(createMagazine({ pageSize: { default: 2, max: 2, unlimited: true } }, entities, types)),
    ).rejects.toThrow(/two documents/);
  });
});

describe('writing static documents', () => {
  it('puts all of them below the folder', async () => {
    const directory = temporaryFolder();
    const services = createMagazine(SETTINGS);
    const expected = await staticFiles(services);
    const result = await writeDocuments(staticDocuments(services), directory);
    expect(result.files).toBe(expected.size);
    expect(result.bytes).toBe([...expected.values()].reduce((sum, body) => sum + Buffer.byteLength(body), 0));
    for (const [file, body] of expected) {
      expect(await readFile(path.join(directory, file), 'utf8')).toBe(body);
    }
  });

  it('never leaves the folder', async () => {
    async function* outside() {
      yield { path: '../outside.json', write: async () => new Uint8Array() };
    }
    await expect(writeDocuments(outside(), tmpdir())).rejects.toThrow(/outside/);
  });
});

/** Every link of a document: `href` and `url` members, and the string links of `/api/content`. */
function linksOf(json: string): string[] {
  const links: string[] = [];
  JSON.parse(json, (key, value: unknown) => {
    const isLink = typeof value === 'string' && value.startsWith('/') && !['query', 'base'].includes(key);
    if (isLink) links.push(value);
    return value;
  });
  return links;
}

/** A document without links on any level. */
function withoutLinks(json: string): unknown {
  return JSON.parse(json, (key, value: unknown) => (key === 'links' ? undefined : value));
}

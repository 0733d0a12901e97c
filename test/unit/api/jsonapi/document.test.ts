import { describe, expect, it } from 'vitest';
import { ADMINISTRATOR, ANONYMOUS } from '../../../../integration/core/access/actor.ts';
import { answer } from '../../../../integration/core/api/jsonapi/answer.ts';
import type { Entity } from '../../../../integration/core/content/model.ts';
import type { DataDocument, ResourceObject } from '../../../../integration/core/read/document-types.ts';
import { createFlattener } from '../../../../integration/core/read/flatten.ts';
import { createServerLinks } from '../../../../integration/core/read/links.ts';
import { SETTINGS } from '../../../support/services.ts';
import { bundle, createMagazine, ENTITIES, entity, field, TYPES } from './magazine.ts';

const services = createMagazine();
const get = (path: string, actor = ANONYMOUS): Promise<DataDocument> => answer(services, path, { actor });
const list = ({ data }: DataDocument): readonly ResourceObject[] =>
  [data].flat().filter((item) => item !== null && 'links' in item);
const ids = (resources: readonly ResourceObject[] = []): string[] => resources.map(({ id }) => id);

describe('resource object', () => {
  it('has base fields, then other fields by name, including empty ones', async () => {
    const [resource] = list(await get('/node/article/2024/first'));
    expect(resource).toEqual({
      type: 'node--article',
      id: '2024/first',
      links: { self: { href: '/jsonapi/node/article/2024/first' } },
      meta: { revision: expect.stringMatching(/^[\da-f]{16}$/) },
      attributes: {
        title: 'First',
        status: true,
        created: '2024-01-01T00:00:00+00:00',
        changed: '2024-01-02T00:00:00+00:00',
        langcode: 'en',
        path: { alias: null },
        body: { value: '# First', format: 'markdown', processed: '<p>rendered</p>', summary: null },
        field_rating: 3,
        field_words: ['one', 'a,b'],
      },
      relationships: {
        field_author: {
          data: { type: 'node--person', id: 'bob', meta: { drupal_internal__target_id: 'bob' } },
          links: {
            related: { href: '/jsonapi/node/article/2024/first/field_author' },
            self: { href: '/jsonapi/node/article/2024/first/relationships/field_author' },
          },
        },
        field_tags: {
          data: [
            { type: 'node--tag', id: 'news', meta: { drupal_internal__target_id: 'news' } },
            { type: 'node--tag', id: 'tea', meta: { drupal_internal__target_id: 'tea' } },
          ],
          links: {
            related: { href: '/jsonapi/node/article/2024/first/field_tags' },
            self: { href: '/jsonapi/node/article/2024/first/relationships/field_tags' },
          },
        },
      },
    });
    expect(Object.keys(resource?.attributes ?? {})).toEqual([
      'title',
      'status',
      'created',
      'changed',
      'langcode',
      'path',
      'body',
      'field_rating',
      'field_words',
    ]);
  });

  it('represents empty fields as null and []', async () => {
    const [resource] = list(await get('/node/article/second'));
    expect(resource?.attributes).toMatchObject({ body: null, field_rating: null, field_words: [] });
    expect(list(await get('/node/person/ada'))[0]?.relationships).toMatchObject({
      field_boss: { data: null },
    });
  });

  it('has all members of an object with the members type and id, and another revision if one changes', async () => {
    const video = (label: string) => ({ type: 'film', id: '1', label });
    const read = async (label: string) => {
      const clip = entity('node--clip', 'a', { video: video(label), videos: [video(label)] });
      const fields = [field('video', 'object'), field('videos', 'object', { list: true })];
      const site = createMagazine({}, [clip], [bundle('node--clip', fields)]);
      const [plain] = list(await answer(site, '/node/clip'));
      const flat = await createFlattener(site, site.access(ANONYMOUS)).flatten(clip);
      return { attributes: plain?.attributes, flat, revision: plain?.meta?.revision };
    };
    const [one, two] = [await read('One'), await read('Two')];
    const fields = { video: video('One'), videos: [video('One')] };
    expect([one.attributes, one.flat]).toMatchObject([fields, fields]);
    expect(two.revision).not.toBe(one.revision);
  });

  it('numbers repeated targets of a list, and hides the id of a missing one', async () => {
    const [resource] = list(await get('/node/article/second'));
    const missing = {
      type: 'node--tag',
      id: 'missing',
      meta: { links: { help: { href: expect.any(String) } } },
    };
    expect(resource?.relationships?.field_tags?.data).toMatchObject([
      { id: 'tea', meta: { drupal_internal__target_id: 'tea', arity: 0 } },
      missing,
      { id: 'tea', meta: { drupal_internal__target_id: 'tea', arity: 1 } },
    ]);
    const third = list(await get('/node/article/third'))[0]?.relationships?.field_author?.data;
    expect(third).toMatchObject({ ...missing, type: 'node--person' });
    expect(JSON.stringify(third)).not.toContain('nobody');
  });

  it('hides the owner from anonymous users only', async () => {
    expect(list(await get('/node/tag/tea'))[0]).not.toHaveProperty('relationships.uid');
    const { uid } = list(await get('/node/tag/tea', ADMINISTRATOR))[0]?.relationships ?? {};
    expect(uid?.data).toMatchObject({ type: 'user--user', meta: { name: 'editor' } });
  });

  it('supports field names of Object.prototype', async () => {
    const type = bundle('node--odd', [field('__proto__', 'string'), field('constructor', 'integer')]);
    const values: Record<string, string | number> = JSON.parse('{"__proto__": "kept", "constructor": 7}');
    const odd = createMagazine({}, [entity('node--odd', 'one', values)], [type]);
    const text = JSON.stringify(await answer(odd, '/node/odd/one'));
    expect(text).toContain('"__proto__":"kept","constructor":7');
  });
});

describe('collection', () => {
  it('contains and counts visible entities', async () => {
    const anonymous = await get('/node/article');
    expect(ids(list(anonymous))).toEqual(['2024/first', 'second', 'third']);
    expect(anonymous.meta).toEqual({ count: 3 });
    const administrator = await get('/node/article', ADMINISTRATOR);
    expect(ids(list(administrator))).toEqual(['2024/first', 'second', 'secret', 'third']);
    expect(administrator.meta).toEqual({ count: 4 });
  });

  it.each([
    ['', ['self', 'describedby']],
    ['page[limit]=2', ['self', 'describedby', 'next', 'last']],
    ['page[limit]=1&page[offset]=1', ['self', 'describedby', 'first', 'prev', 'next', 'last']],
    ['page[limit]=2&page[offset]=2', ['self', 'describedby', 'first', 'prev']],
    ['page[limit]=2&page[offset]=100', ['self', 'describedby', 'first', 'prev']],
    ['page[limit]=0', ['self', 'describedby']],
  ])('links to the other pages of %s', async (query, names) => {
    expect(Object.keys((await get(`/node/article?${query}`)).links)).toEqual(names);
  });

  it('sorts parameters by name and preserves offset and limit', async () => {
    const { links } = await get(
      '/node/article?sort=title&page[limit]=1&page[offset]=1&filter[langcode]=en&fooBar=1&bareOne',
    );
    const page = (offset: number): string =>
      `/jsonapi/node/article?bareOne=&filter%5Blangcode%5D=en&fooBar=1&page%5Boffset%5D=${offset}&page%5Blimit%5D=1&sort=title`;
    expect(links).toEqual({
      self: {
        href: '/jsonapi/node/article?bareOne=&filter%5Blangcode%5D=en&fooBar=1&page%5Blimit%5D=1&page%5Boffset%5D=1&sort=title',
      },
      describedby: { href: '/jsonapi/node/article/resource/schema', type: 'application/schema+json' },
      first: { href: page(0) },
      prev: { href: page(0) },
      next: { href: page(2) },
      last: { href: page(2) },
    });
  });

  it('uses the lowered limit in its links', async () => {
    const small = createMagazine({ pageSize: { default: 2, max: 2, unlimited: true } });
    const { links } = await answer(small, '/node/article?page[limit]=99');
    expect(links.next?.href).toContain('page%5Blimit%5D=2');
  });

  it('leads through all pages by next to the last', async () => {
    const seen: string[] = [];
    let path = '/node/article?page[limit]=1&sort=-title';
    const { href: last } = (await get(path)).links.last ?? { href: '' };
    for (;;) {
      const document = await get(path);
      seen.push(...ids(list(document)));
      if (document.links.next === undefined) break;
      path = document.links.next.href;
    }
    expect(seen).toEqual(['third', 'second', '2024/first']);
    expect(path).toBe(last);
  });
});

describe('include', () => {
  it.each([
    ['field_author', ['bob']],
    ['field_author.field_boss', ['bob', 'ada']],
    ['field_tags,field_author', ['news', 'tea', 'bob']],
    ['field_author,field_tags', ['bob', 'news', 'tea']],
    ['field_author,field_author', ['bob']],
    ['', []],
  ])('%s: in order of path, then first appearance, without repetition', async (include, included) => {
    expect(ids((await get(`/node/article?include=${include}`)).included)).toEqual(included);
  });

  it('adds the member included only on request', async () => {
    expect(await get('/node/article')).not.toHaveProperty('included');
  });

  it('does not repeat primary resources', async () => {
    const document = await get('/node/person?include=field_boss', ADMINISTRATOR);
    expect(ids(list(document))).toEqual(['ada', 'bob', 'eve']);
    expect(document.included).toEqual([]);
  });

  it('omits hidden entities, and reports them without a title', async () => {
    const document = await get('/node/article?include=field_author');
    const links = document.meta?.omitted?.links ?? {};
    expect(Object.values(links).map(({ href }) => href)).toContain('/jsonapi/node/person/eve');
    expect(JSON.stringify(document)).not.toContain('Eve');
    const full = await get('/node/article?include=field_author', ADMINISTRATOR);
    expect(full.meta).not.toHaveProperty('omitted');
    expect(ids(full.included)).toEqual(['bob', 'eve', 'ada']);
  });

  it.each([
    ['title', /no reference 'title'.*field_author, field_tags/],
    ['field_author.nope', /node--person has no reference 'nope'.*field_boss/],
    ['field_tags.x', /node--tag has no reference 'x'. It has no references/],
    ['FIELD_AUTHOR', /field_author/],
  ])('rejects %s and lists the choices', async (include, detail) => {
    await expect(get(`/node/article?include=${include}`)).rejects.toMatchObject({
      reason: 'bad-request',
      source: { parameter: 'include' },
      detail: expect.stringMatching(detail),
    });
  });

  it('follows a reference to several types if one of them has the field', async () => {
    const note = bundle('node--note', [
      field('field_about', 'reference', { targets: ['node--person', 'node--tag'], list: true }),
    ]);
    const about = [
      { type: 'node--tag', id: 'tea' },
      { type: 'node--person', id: 'bob' },
    ];
    const mixed = createMagazine(
      {},
      [...ENTITIES, entity('node--note', 'n', { field_about: about })],
      [...TYPES, note],
    );
    const document = await answer(mixed, '/node/note?include=field_about.field_boss');
    expect(ids(document.included)).toEqual(['tea', 'bob', 'ada']);
  });
});

describe('sparse fields', () => {
  it('restricts each type', async () => {
    const document = await get(
      '/node/article/2024/first?fields[node--article]=title,field_author&fields[node--person]=title&include=field_author',
    );
    expect(list(document)[0]?.attributes).toEqual({ title: 'First' });
    expect(Object.keys(list(document)[0]?.relationships ?? {})).toEqual(['field_author']);
    expect(document.included?.[0]).not.toHaveProperty('relationships');
  });

  it('removes attributes and relationships for an empty list', async () => {
    const [resource] = list(await get('/node/article/second?fields[node--article]='));
    expect(Object.keys(resource ?? {})).toEqual(['type', 'id', 'links', 'meta']);
  });

  it('list unknown names and types as ignored', async () => {
    const { meta } = await get(
      '/node/article/second?fields[node--article]=title,nope,uid&fields[node--none]=a',
    );
    expect(meta?.ignored).toEqual([
      'fields[node--article]=nope',
      'fields[node--article]=uid',
      'fields[node--none]',
    ]);
  });

  it('renders no body that is not requested', async () => {
    let rendered = 0;
    const renderBody = async (): Promise<string> => {
      rendered += 1;
      return '';
    };
    const counting = { ...services, renderBody };
    await answer(counting, '/node/article?fields[node--article]=title');
    expect(rendered).toBe(0);
  });

  it('loads only the bodies that are requested', async () => {
    const loaded: string[] = [];
    const loadBodies = async (entities: readonly Entity[]) =>
      void loaded.push(...entities.map(({ id }) => id));
    await answer({ ...services, loadBodies }, '/node/article?fields[node--article]=title');
    expect(loaded).toEqual([]);
    await answer({ ...services, loadBodies }, '/node/article?fields[node--article]=title,body');
    expect(loaded).toEqual(['2024/first']);
  });
});

describe('a request', () => {
  it.each([
    '/node/article?sort=-title',
    '/jsonapi/node/article?sort=-title',
    '/docs/jsonapi/node/article/?sort=-title',
  ])('for %s is accepted', async (path) => {
    const based = createMagazine({ base: '/docs' });
    const document = await answer(based, path);
    expect(ids(list(document))).toEqual(['third', 'second', '2024/first']);
    expect(document.links.self?.href).toBe('/docs/jsonapi/node/article?sort=-title');
  });

  it.each(['/node', '/node/nope', '/node/article/nope', '/node/person/second', '/node/article/second/title'])(
    'for %s returns no resource',
    async (path) => {
      await expect(get(path)).rejects.toMatchObject({ reason: 'not-found' });
    },
  );

  it('accepts any letter case of a resource type, and the exact one of two first', async () => {
    const types = ['node--Note', 'node--Event', 'node--event'].map((name) => bundle(name, []));
    const site = createMagazine(
      {},
      [entity('node--Event', 'upper', {}), entity('node--event', 'lower', {})],
      types,
    );
    const at = async (path: string) => ids(list(await answer(site, path)));
    expect([await at('/node/Event'), await at('/node/event')]).toEqual([['upper'], ['lower']]);
    expect((await answer(site, '/NODE/nOTE')).links.self?.href).toBe('/jsonapi/node/Note');
  });

  it.each([
    ['a site without content', [], 'The site has no content.'],
    ['a site with content', TYPES, 'Collections: node/article, node/person, node/tag.'],
  ])('for an unknown type of %s says so', async (_, types, detail) => {
    await expect(answer(createMagazine({}, [], types), '/node/other')).rejects.toMatchObject({
      reason: 'not-found',
      detail: expect.stringContaining(detail),
    });
  });

  it('does not reveal if a hidden entity exists', async () => {
    const hidden = await get('/node/article/secret').catch((error: Error) => error.message);
    const absent = await get('/node/article/absent').catch((error: Error) => error.message);
    expect(String(hidden).replaceAll('secret', 'absent')).toBe(absent);
  });

  it('matches a UUID in any letter case and other ids exactly', async () => {
    const uuid = 'a0000000-0000-4000-8000-00000000000f';
    const store = createMagazine({}, [...ENTITIES, entity('node--tag', uuid, {})]);
    const document = await answer(store, `/node/tag/${uuid.toUpperCase()}`);
    expect(list(document)[0]?.id).toBe(uuid);
    expect(document.links.self?.href).toBe(`/jsonapi/node/tag/${uuid}`);
    await expect(answer(store, '/node/tag/TEA')).rejects.toMatchObject({ reason: 'not-found' });
  });
});

describe('links', () => {
  it('end with a slash if the option says so', () => {
    const links = createServerLinks(
      { ...SETTINGS, base: '/docs', trailingSlash: 'always' },
      'https://site.example',
      { fieldVisible: () => true },
    );
    const [article] = TYPES;
    if (article === undefined) throw new Error('There is an article type.');
    expect([links.entry(), links.collection(article), links.individual(article, 'a b/ü(1)')]).toEqual([
      'https://site.example/docs/jsonapi/',
      'https://site.example/docs/jsonapi/node/article/',
      'https://site.example/docs/jsonapi/node/article/a%20b/%C3%BC%281%29/',
    ]);
  });
});

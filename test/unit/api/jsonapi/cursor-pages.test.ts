import { describe, expect, it } from 'vitest';
import { compareAnswers } from '../../../snapshot/compare.ts';
import { createDemoServices } from '../../../support/demo.ts';
import { createHandler } from '../../../support/handler.ts';
import { jsonApiProblems } from '../../../support/jsonapi-schema.ts';
import { createMemoryDriver } from '../../../support/memory-driver.ts';
import { fetchFrom, ORIGIN } from '../../../support/request.ts';
import { createServices, type TestSite } from '../../../support/services.ts';

const PROFILE = 'https://jsonapi.org/profiles/ethanresnick/cursor-pagination/';
const ACCEPT = `application/vnd.api+json;profile="${PROFILE}"`;
const FILES = {
  'note/a.md': '---\ntitle: One\nweight: 3\nsecret: x\n---\n',
  'note/b.md': '---\ntitle: Two\nweight: 1\n---\n',
  'note/c.md': '---\ntitle: Three\nweight: 3\n---\n',
  'note/d.md': '---\ntitle: Four\nweight: null\n---\n',
  'note/e.md': '---\ntitle: Five\nweight: 2\n---\nsome words\n',
  'note/draft.md': '---\ntitle: Six\nweight: 2\nstatus: false\n---\n',
};
const NOTES = '/jsonapi/node/note';

async function open(site: TestSite = {}, files: Readonly<Record<string, string>> = FILES) {
  const services = await createServices(createMemoryDriver(files), undefined, site);
  const handle = createHandler(services);
  const get = async (target: string, accept = ACCEPT) => {
    const response = await fetchFrom(handle, target.replace(ORIGIN, ''), { headers: { accept } });
    const document = await response.json();
    if (response.status === 200) expect(jsonApiProblems(document), target).toEqual([]);
    return { status: response.status, headers: response.headers, document };
  };
  return { services, get };
}

const idsOf = ({ data }: { readonly data: readonly { readonly id: string }[] }) => data.map(({ id }) => id);

describe('pages between cursors', () => {
  it('lead through the whole list by next, and back by prev', async () => {
    const { get } = await open();
    const pages = [(await get(`${NOTES}?sort=weight&page[size]=2`)).document];
    for (let next = pages[0].links.next; next !== null; next = pages.at(-1).links.next) {
      expect(next.href).toContain('page%5Bsize%5D=2');
      pages.push((await get(next.href)).document);
    }
    expect(pages.map(idsOf)).toEqual([['d', 'b'], ['e', 'a'], ['c']]);
    expect(pages[0].links.prev).toBeNull();
    for (const { links } of pages) {
      expect(Object.keys(links).sort()).toEqual(['describedby', 'first', 'next', 'prev', 'self']);
      for (const { href } of Object.values<{ href?: string }>(links).filter((link) => link !== null)) {
        expect(href).not.toMatch(/number|offset|limit/);
      }
    }
    const back = [(await get(pages.at(-1).links.prev.href)).document];
    back.push((await get(back[0].links.prev.href)).document);
    expect(back.map(idsOf)).toEqual([
      ['e', 'a'],
      ['d', 'b'],
    ]);
    expect(back[1].links.prev).toBeNull();
    expect(idsOf((await get(back[1].links.next.href)).document)).toEqual(['e', 'a']);
    expect(idsOf((await get(back[1].links.first.href)).document)).toEqual(['d', 'b']);
  });

  it('have the total number, and a cursor in meta.page of each resource', async () => {
    const { get } = await open();
    const { document } = await get(`${NOTES}?sort=weight&page[size]=3&fields[node--note]=title`);
    expect(document.meta).toMatchObject({ count: 5, page: { total: 5 } });
    const [first, second] = document.data;
    expect(first.meta).toEqual({
      revision: expect.any(String),
      page: { cursor: expect.stringMatching(/^[\w-]+$/) },
    });
    const { document: after } = await get(`${NOTES}?sort=weight&page[after]=${second.meta.page.cursor}`);
    expect(idsOf(after)).toEqual(['e', 'a', 'c']);
    expect(after.links.next).toBeNull();
  });

  it('start with page[size] if the client asks for the profile, and need no profile with a cursor', async () => {
    const { get } = await open();
    const plain = await get(`${NOTES}?page[size]=2`, 'application/vnd.api+json');
    expect(plain.document.links.next.href).toContain('page%5Bnumber%5D=2');
    expect(plain.document.meta.page).toBeUndefined();
    const { document } = await get(NOTES);
    expect(idsOf(document)).toEqual(['a', 'b', 'c', 'd', 'e']);
    const cursor = document.data[1].meta.page.cursor;
    const after = await get(`${NOTES}?page[after]=${cursor}`, 'application/vnd.api+json');
    expect(idsOf(after.document)).toEqual(['c', 'd', 'e']);
    expect(after.headers.get('content-type')).toBe(ACCEPT);
    for (const other of ['page[offset]=1', 'page[limit]=1', 'page[number]=1']) {
      const { document: offset, headers } = await get(`${NOTES}?${other}`);
      expect(offset.jsonapi.profile).toBeUndefined();
      expect(headers.get('content-type')).toBe('application/vnd.api+json');
      const both = await get(`${NOTES}?${other}&page[before]=${cursor}`);
      expect(both.document.errors[0].source).toEqual({ parameter: 'page[before]' });
    }
  });

  it('name the profile in the media type, in jsonapi.profile and in the link to the document', async () => {
    const { get } = await open();
    for (const accept of [ACCEPT, ACCEPT.replace('/"', '"'), ACCEPT.replace('https:', 'http:')]) {
      const { headers, document } = await get(`${NOTES}?page[size]=2`, accept);
      expect(headers.get('content-type')).toBe(ACCEPT);
      expect(headers.get('vary')).toContain('Accept');
      expect(document.jsonapi.profile).toEqual([PROFILE]);
      expect(document.links.self.type).toBe(ACCEPT);
    }
  });

  it('can be combined with the profile for filters, which changes nothing but its name', async () => {
    const { get } = await open();
    const filter = 'https://astro-jsonapi.github.io/drupal-filter-profile/';
    const plain = await get(`${NOTES}?filter[weight]=3`, 'application/vnd.api+json');
    const named = await get(`${NOTES}?filter[weight]=3`, `application/vnd.api+json;profile="${filter}"`);
    expect(named.headers.get('content-type')).toBe(`application/vnd.api+json;profile="${filter}"`);
    expect(named.document.jsonapi.profile).toEqual([filter]);
    expect({ ...named.document, jsonapi: 0, links: 0 }).toEqual({ ...plain.document, jsonapi: 0, links: 0 });
    const both = await get(NOTES, `application/vnd.api+json;profile="${PROFILE} ${filter}"`);
    expect(both.document.jsonapi.profile).toEqual([PROFILE, filter]);
  });

  it('are not used for a profile that does not exist, which is ignored', async () => {
    const { get } = await open();
    const { status, headers, document } = await get(
      `${NOTES}?page[size]=2`,
      'application/vnd.api+json;profile="https://example.com/none"',
    );
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/vnd.api+json');
    expect(document.jsonapi).not.toHaveProperty('profile');
    expect(document.links.next.href).toContain('page%5Bnumber%5D=2');
  });

  it('are ranges between two cursors, and say if the range has more', async () => {
    const { get } = await open({ settings: { pageSize: { default: 1, max: 3, unlimited: true } } });
    const { document } = await get(`${NOTES}?page[size]=3`);
    const rest = (await get(document.links.next.href)).document;
    const cursors = [...document.data, ...rest.data].map(({ meta }) => meta.page.cursor);
    const range = (from: number, to: number, more = '') =>
      get(`${NOTES}?page[after]=${cursors[from]}&page[before]=${cursors[to]}${more}`);
    const whole = (await range(0, 4)).document;
    expect(idsOf(whole)).toEqual(['b', 'c', 'd']);
    expect(whole.meta.page).toEqual({ total: 5 });
    const cut = (await range(0, 4, '&page[size]=2')).document;
    expect(idsOf(cut)).toEqual(['b', 'c']);
    expect(cut.meta.page).toEqual({ total: 5, rangeTruncated: true });
    expect(idsOf((await get(cut.links.next.href)).document)).toEqual(['d', 'e']);
    expect(idsOf((await get(cut.links.prev.href)).document)).toEqual(['a']);
    expect(idsOf((await range(4, 0)).document)).toEqual([]);
  });

  it('continue behind an entity that was deleted, and end with an empty page', async () => {
    const { get } = await open();
    const { document } = await get(`${NOTES}?sort=-weight&page[size]=2`);
    expect(idsOf(document)).toEqual(['a', 'c']);
    const { 'note/c.md': _, ...rest } = FILES;
    const { get: getLater } = await open({}, rest);
    expect(idsOf((await getLater(document.links.next.href)).document)).toEqual(['e', 'b']);

    const last = (await get(`${NOTES}?sort=-weight`)).document.data.at(-1).meta.page.cursor;
    const end = (await get(`${NOTES}?sort=-weight&page[after]=${last}`)).document;
    expect(end).toMatchObject({ data: [], links: { next: null } });
    expect(idsOf((await get(end.links.prev.href)).document)).toEqual(['a', 'c', 'e', 'b']);
    const first = document.data[0].meta.page.cursor;
    const start = (await get(`${NOTES}?sort=-weight&page[before]=${first}`)).document;
    expect(start).toMatchObject({ data: [], links: { prev: null } });
    expect(idsOf((await get(start.links.next.href)).document)).toEqual(['a', 'c', 'e', 'b', 'd']);
  });
});

describe('errors of pages between cursors', () => {
  it.each([
    ['page[size]=0', 'page[size]', undefined],
    ['page[size]=-1', 'page[size]', undefined],
    ['page[size]=1.5', 'page[size]', undefined],
    ['page[size]=', 'page[size]', undefined],
    ['page[size]=51', 'page[size]', 'max-size-exceeded'],
    ['page[size]=99999999999999999999', 'page[size]', 'max-size-exceeded'],
    ['page[after]=', 'page[after]', undefined],
    ['page[after]=nothing', 'page[after]', undefined],
    ['page[before]=e30', 'page[before]', undefined],
    ['page[before][]=x', 'page[before]', undefined],
    ['filter[fulltext]=words', 'sort', 'unsupported-sort'],
  ])('name the parameter of %s, and its type', async (query, parameter, type) => {
    const { get } = await open();
    const { status, document } = await get(`${NOTES}?${query}`);
    expect(status).toBe(400);
    expect(jsonApiProblems(document)).toEqual([]);
    const [error] = document.errors;
    expect(error.source).toEqual({ parameter });
    expect(error.links).toEqual(type && { type: { href: PROFILE + type } });
    if (type === 'max-size-exceeded') expect(error.meta).toEqual({ page: { maxSize: 50 } });
  });

  it.each([
    ['another sort', 'sort=-weight'],
    ['no sort', ''],
    ['another filter', 'sort=weight&filter[title]=One'],
    ['another search', 'sort=weight&filter[fulltext]=words'],
  ])('reject a cursor of a list with %s', async (_, query) => {
    const { get } = await open();
    const { document } = await get(`${NOTES}?sort=weight&page[size]=1`);
    const { cursor } = document.data[0].meta.page;
    const { status, document: refused } = await get(`${NOTES}?${query}&page[after]=${cursor}`);
    expect(status).toBe(400);
    expect(refused.errors).toMatchObject([
      { source: { parameter: 'page[after]' }, detail: expect.stringContaining('another filter, sort') },
    ]);
  });

  it('accept a cursor with other fields, sizes and spellings of the same filter', async () => {
    const { get } = await open();
    const { document } = await get(`${NOTES}?filter[weight]=3&page[size]=1`);
    const { cursor } = document.data[0].meta.page;
    const same = `filter[x][condition][path]=weight&filter[x][condition][value]=3&fields[node--note]=title`;
    expect(idsOf((await get(`${NOTES}?${same}&page[size]=4&page[after]=${cursor}`)).document)).toEqual(['c']);
  });

  it('refuse to sort by a hidden field, so that no cursor shows its values', async () => {
    const { get } = await open({
      roles: {
        anonymous: {
          permissions: [
            {
              actions: ['view'],
              bundles: '*',
              where: 'published',
              fields: { view: { except: ['secret', 'weight'] } },
            },
          ],
        },
      },
    });
    const { status, document } = await get(`${NOTES}?sort=secret&page[size]=1`);
    expect([status, document.errors[0].source]).toEqual([400, { parameter: 'sort' }]);
    const shown = (await get(`${NOTES}?sort=title&page[size]=1`)).document.data[0].meta.page.cursor;
    expect(JSON.parse(Buffer.from(shown, 'base64url').toString()).slice(1)).toEqual(['e', 'Five']);
  });

  it('refuse values that are too long for a URL', async () => {
    const services = await createServices(
      createMemoryDriver({ 'note/long.md': `---\ntitle: ${'long '.repeat(500)}\n---\n` }),
    );
    const response = await fetchFrom(createHandler(services), `${NOTES}?sort=title`, {
      headers: { accept: ACCEPT },
    });
    expect((await response.json()).errors).toMatchObject([
      {
        status: '400',
        source: { parameter: 'sort' },
        links: { type: { href: `${PROFILE}unsupported-sort` } },
      },
    ]);
  });
});

it('a snapshot returns the bytes of a server for pages between cursors', async () => {
  const services = await createDemoServices();
  const handle = createHandler(services);
  const requests: { target: string; accept: string }[] = [];
  for (const query of [
    '',
    'sort=-field_published',
    'sort=field_author.title,-title',
    'filter[field_height][operator]=<&filter[field_height][value]=5&sort=field_height',
    'sort=title&include=field_tags&langCode=de',
  ]) {
    let target: string | undefined = `/jsonapi/node/article?${query}&page[size]=4`;
    while (target !== undefined) {
      requests.push({ target, accept: ACCEPT });
      const response = await fetchFrom(handle, target, { headers: { accept: ACCEPT } });
      const { links, data } = await response.json();
      const { prev, next } = links;
      if (prev !== null)
        requests.push({ target: prev.href.replace(ORIGIN, ''), accept: 'application/vnd.api+json' });
      const cursor = data[0]?.meta.page.cursor;
      requests.push(
        { target: `${target}x`, accept: ACCEPT },
        { target: `/jsonapi/node/article?page[after]=${cursor}`, accept: ACCEPT },
      );
      target = next?.href.replace(ORIGIN, '');
    }
  }
  expect(requests.length).toBeGreaterThan(50);
  const { answered, differences } = await compareAnswers(services, requests);
  expect(differences).toEqual([]);
  expect(answered).toBeGreaterThan(requests.length / 2);
});

import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Actor, ADMINISTRATOR, ANONYMOUS } from '../../integration/core/access/actor.ts';
import { siteLanguages } from '../../integration/core/content/languages.ts';
import { bodyText, type Entity } from '../../integration/core/content/model.ts';
import type { Handler } from '../../integration/core/server/handler.ts';
import { createGitDriver } from '../../integration/features/git/driver.ts';
import { defineSchema, file, untranslated, z } from '../../integration/schema.ts';
import { createHandler } from '../support/handler.ts';

import { createMemoryDriver } from '../support/memory-driver.ts';
import { createRepository } from '../support/repository.ts';
import { fetchFrom, ORIGIN } from '../support/request.ts';
import { createServices } from '../support/services.ts';
import { json, openSignInSite, PASSWORD, signIn } from '../support/sign-in-site.ts';
import { basic } from '../unit/accounts/test-auth.ts';
import { DIFFERENCES } from './differences.ts';
import { loadRecordedContent, shortId } from './load.ts';
import { WRITE_DIFFERENCES } from './write-differences.ts';

const ARTICLES = '/jsonapi/node/article';
const A1 = `${ARTICLES}/a0000000-0000-4000-8000-000000000001`;
/** Unpublished. */
const A7 = A1.replace(/1$/, '7');

let recorded: Handler;
let notes: Handler;
beforeAll(async () => {
  recorded = createHandler(await loadRecordedContent());
  // No schema: types are inferred from the files.
  const driver = createMemoryDriver({
    'note/one.md': '---\nprice: 9.50\nsticky: true\npath: /first\nsame: [note/two, note/two]\n---\nText',
    'note/two.md': '---\nprice: 12.25\nstatus: false\npath: /second\n---\n',
    'note/three.json': '{"title": "résumé", "created": "2024-01-01T12:00:00+02:00"}',
    'note/four.json': '{"title": "resume"}',
  });
  notes = createHandler(await createServices(driver, undefined, { settings: { explorer: false } }));
});

async function writableNotes(renderBody?: (entity: Entity) => Promise<string>): Promise<Handler> {
  const schema = defineSchema({ note: { paper: file().nullish() } });
  return createHandler(
    await createServices(createMemoryDriver(), schema, { writable: {}, ...(renderBody && { renderBody }) }),
  );
}

/** Reads the only entity of a site with content in git, as an administrator by default. */
async function inRepository(
  test: (ask: (query: string, actor?: Actor) => Promise<Response>, commit: string) => Promise<void>,
): Promise<void> {
  const repository = createRepository();
  const commit = repository.commit({ 'note/one.md': '' });
  const handle = createHandler(await createServices(createGitDriver(repository.content)));
  const ask = (query: string, actor = ADMINISTRATOR) =>
    fetchFrom(handle, `/jsonapi/node/note/one${query}`, { actor });
  await test(async (...asked) => (await ask(...asked)) ?? new Response(), commit);
}

/** By anchor in docs/differences-from-drupal.md, in its order. */
const TESTS: Readonly<Record<string, () => Promise<void>>> = {
  'everything-at-once': async () => {
    expect((await get(`${ARTICLES}?page[limit]=0`)).data).toHaveLength(55);
    expect(await status(`${ARTICLES}?page[limit]=-1`)).toBe(400);
  },
  cursors: async () => {
    const accept = `application/vnd.api+json;profile="https://jsonapi.org/profiles/ethanresnick/cursor-pagination/"`;
    const first = await (
      await fetchFrom(recorded, `${ARTICLES}?page[size]=10`, { headers: { accept } })
    ).json();
    const second = await get(first.links.next.href.replace(ORIGIN, ''));
    expect(ids(second.data)).toEqual(await idsOf('page[offset]=10&page[limit]=10'));
    await expectBadParameter('page[after]=a1');
  },
  'numbered-pages': async () => {
    const { data, links } = await get(`${ARTICLES}?page[number]=2&page[size]=10`);
    expect(ids(data)).toEqual(await idsOf('page[offset]=10&page[limit]=10'));
    expect(links.next.href).toBe(`${ORIGIN}${ARTICLES}?page%5Bnumber%5D=3&page%5Bsize%5D=10`);
    await expectBadParameter('page[number]=2&page[limit]=10');
  },
  'empty-filter': async () => {
    expect((await get(`${ARTICLES}?filter=`)).meta.count).toBe((await get(ARTICLES)).meta.count);
    await expectBadParameter('filter=title');
  },
  facets: async () => {
    const { meta } = await get(`${ARTICLES}?facetBy[field_featured][sort]=value`);
    expect(meta.facets.field_featured.terms).toMatchObject([{ value: false }, { value: true }]);
  },
  'full-pages': async () => {
    const { data, meta } = await get(ARTICLES);
    expect(data).toHaveLength(50);
    expect(meta.omitted).toBeUndefined();
    expect(ids(data)).not.toContain('a7');
  },
  'visible-paths': async () => {
    expect(await idsOf('filter[field_related.title]=Hidden%20draft')).toEqual([]);
    const noAuthor = await idsOf(condition('field_author.title', 'IS%20NULL'));
    // The author of a4 is unpublished; a9 has no author.
    expect(noAuthor).toEqual(expect.arrayContaining(['a4', 'a9']));
  },
  booleans: async () => {
    expect(await idsOf('filter[field_featured]=true')).toEqual(await idsOf('filter[field_featured]=1'));
    expect((await idsOf('filter[field_featured]=false')).length).toBeGreaterThan(0);
  },
  dates: async () => {
    const same = ['2024-01-07T12:00:01%2B00:00', '2024-01-07T14:00:01%2B02:00', '20240107T120001Z'];
    for (const date of same) expect(await idsOf(`filter[field_date]=${date}`)).toEqual(['a1']);
    for (const created of ['1704128400', '2024-01-01T17:00:00Z', '2024-01-01T18:00:00%2B01:00'])
      expect(await idsOf(`filter[created]=${created}`)).toEqual(['a1']);
  },
  'date-texts': async () => {
    expect(await idsOf(condition('created', 'STARTS_WITH', '2024-01-01T17'))).toEqual(['a1']);
    expect(await idsOf(condition('created', 'STARTS_WITH', '17041'))).toEqual([]);
  },
  'equal-texts': async () => {
    const titled = async (title: string) =>
      ids((await (await ask(notes, `/jsonapi/node/note?filter[title]=${title}`)).json()).data);
    expect(await titled('RESUME')).toEqual(['four']);
    expect(await titled('R%C3%89SUM%C3%89')).toEqual(['three']);
  },
  'text-order': async () => {
    const titles = await titlesOf('sort=title&page[limit]=0');
    const signs = titles.filter((title) => /^[[+_%]/.test(title));
    expect(signs.length).toBeGreaterThan(1);
    expect(
      titles.slice(
        0,
        titles.findIndex((title) => /^\p{L}/u.test(title)),
      ),
    ).toEqual(expect.arrayContaining(signs));
  },
  'ties-by-id': async () => {
    const all = await idsOf('page[limit]=0');
    expect(all).toEqual([...all].sort((a, b) => Number(a.slice(1)) - Number(b.slice(1))));
    const featured = await idsOf('filter[field_featured]=1&sort=field_featured');
    expect(featured).toEqual(await idsOf('filter[field_featured]=1'));
  },
  count: async () => {
    expect((await get(`${ARTICLES}?page[limit]=2`)).meta.count).toBe(55);
    expect((await get(`${ARTICLES}?page[limit]=2`, ADMINISTRATOR)).meta.count).toBe(60);
  },
  'last-link': async () => {
    const { links } = await get(`${ARTICLES}?page[limit]=10`);
    expect(links.last.href).toBe(`${ORIGIN}${ARTICLES}?page%5Boffset%5D=50&page%5Blimit%5D=10`);
    expect((await get(links.last.href.slice(ORIGIN.length))).links.next).toBeUndefined();
  },
  'sorted-links': async () => {
    const { links } = await get(`${ARTICLES}?sort=title&page[limit]=3&fields[node--article]=title`);
    for (const { href } of [links.self, links.next]) {
      const names = [...new URL(href).searchParams.keys()].map((name) => name.split('[')[0]);
      expect(names).toEqual([...names].sort());
    }
  },
  'canonical-self': async () => {
    const { links } = await get(A1.replace('/a0000000', '/A0000000'));
    expect(links.self.href).toBe(ORIGIN + A1);
  },
  described: async () => {
    const { describedby } = (await get(A1)).links;
    expect(await get(describedby.href.slice(ORIGIN.length))).toHaveProperty('$schema');
  },
  version: async () => expect((await get('/jsonapi')).jsonapi.version).toBe('1.1'),
  ignored: async () => {
    const { meta } = await get(`${ARTICLES}?page[from]=x&fooBar=1&fields[node--nope]=x`);
    expect(meta.ignored).toEqual(expect.arrayContaining(['page[from]', 'fooBar', 'fields[node--nope]']));
  },
  'named-errors': async () => {
    const [error] = (await get(`${ARTICLES}?filter[field_raiting]=1`)).errors;
    expect(error.source).toEqual({ parameter: 'filter[field_raiting]' });
    expect(error.detail).toContain('field_rating');
  },
  'no-faults': async () => {
    for (const query of [
      'page[offset]=abc',
      'sort[]=title',
      'filter[title][operator]=BETWEEN&filter[title][value]=a',
    ])
      await expectBadParameter(query);
  },
  groups: async () => {
    const a = 'filter[a][condition][path]=title&filter[a][condition][value]=x';
    await expectBadParameter(`${a}&filter[a][condition][memberOf]=nope`);
    await expectBadParameter('filter[g][group][conjunction]=OR');
    await expectBadParameter('filter[g][group][conjunction]=OR&filter[g][group][memberOf]=g');
  },
  'text-without-value': async () => {
    for (const operator of ['CONTAINS', 'STARTS_WITH', 'ENDS_WITH']) {
      const path = `filter[c][condition][path]=title&filter[c][condition][operator]=${operator}`;
      expect(await status(`${ARTICLES}?${path}`)).toBe(400);
    }
  },
  'repeated-keys': async () => {
    const key = 'filter[field_rating][value]';
    const operator = 'filter[field_rating][operator]';
    for (const list of ['IN', 'NOT%20IN', 'BETWEEN', 'NOT%20BETWEEN']) {
      expect(await idsOf(`${operator}=${list}&${key}=1&${key}=3`)).toEqual(
        await idsOf(`${operator}=${list}&${key}[]=1&${key}[]=3`),
      );
    }
    expect(await idsOf('filter[field_rating]=1&filter[field_rating]=3')).toEqual(
      await idsOf('filter[field_rating]=3'),
    );
  },
  limits: async () => {
    await expectBadParameter(
      Array.from(Array(101), (_, i) => `filter[c${i}][condition][path]=title`).join('&'),
    );
    expect(await status(`${ARTICLES}?filter[title]=${'x'.repeat(9000)}`)).toBe(414);
  },
  'included-once': async () => {
    const { data, included } = await get(`${ARTICLES}?include=field_related&page[limit]=0`);
    const known = new Set(ids(data));
    expect(ids(included).filter((id) => known.has(id))).toEqual([]);
  },
  'included-sent': async () => {
    expect((await get(`${ARTICLES}?include=field_author&filter[id]=x`)).included).toEqual([]);
    expect((await get(ARTICLES)).included).toBeUndefined();
  },
  'related-once': async () => {
    const path = '/jsonapi/node/note/one';
    const context = { actor: ADMINISTRATOR };
    const named = await (await ask(notes, `${path}/relationships/same`, context)).json();
    expect(ids(named.data)).toEqual(['two', 'two']);
    expect(ids((await (await ask(notes, `${path}/same`, context)).json()).data)).toEqual(['two']);
  },
  'target-ids': async () => {
    const { field_author: author } = (await get(A1)).data.relationships;
    expect(author.data.meta.drupal_internal__target_id).toBe(author.data.id);
    expect(await idsOf(`filter[field_author.meta.drupal_internal__target_id]=${author.data.id}`)).toContain(
      'a1',
    );
  },
  'own-fields': async () => {
    const { attributes, relationships } = (await get(A1)).data;
    for (const name of ['sticky', 'promote', 'revision_timestamp', 'drupal_internal__vid'])
      expect(attributes).not.toHaveProperty(name);
    expect(Object.keys(relationships)).not.toContain('node_type');
    expect(relationships.uid.data.type).toBe('user--user');
    const { data } = await (await ask(notes, '/jsonapi/node/note/one')).json();
    expect(data).not.toHaveProperty('relationships.uid');
    expect((await (await ask(notes, '/jsonapi/node/note/one')).json()).data.attributes.sticky).toBe(true);
  },
  'base-fields': async () => {
    const { data } = await get('/jsonapi/node/tag?page[limit]=1');
    expect(data[0].attributes.body).toBeNull();
  },
  'body-format': async () => expect((await get(A1)).data.attributes.body.format).toBe('markdown'),
  decimals: async () => {
    expect((await (await ask(notes, '/jsonapi/node/note/one')).json()).data.attributes.price).toBe(9.5);
    expect((await get(A1)).data.attributes.field_price).toBeTypeOf('string');
  },
  versions: async () => {
    await inRepository(async (ask, commit) => {
      const present = await (await ask('')).json();
      expect(JSON.stringify(present.data)).not.toContain('resourceVersion');
      const past = await (await ask(`?resourceVersion=id:${commit}`)).json();
      expect(past.data.links.self.href).toContain(`?resourceVersion=id%3A${commit}`);
    });
    expect(await status(`${A1}?resourceVersion=id:19`)).toBe(401);
    expect(await status(`${A1}?resourceVersion=rel:latest-version`)).toBe(200);
    expect(JSON.stringify((await get(A1)).data)).not.toContain('resourceVersion');
  },
  'version-access': () =>
    inRepository(async (ask, commit) => {
      for (const name of [commit, 'f'.repeat(40), '19'])
        expect((await ask(`?resourceVersion=id:${name}`, ANONYMOUS)).status).toBe(401);
    }),
  'errors-as-documents': async () => {
    for (const path of ['/jsonapi/node/nope', `${A1}/nope`, `${A1}/relationships/nope`, `${ARTICLES}/nope`]) {
      const response = await ask(recorded, path);
      expect(response.status, path).toBe(404);
      expect(response.headers.get('content-type')).toBe('application/vnd.api+json');
    }
  },
  'wrong-bundle': async () => expect(await status(A1.replace('article', 'person'))).toBe(404),
  unseen: async () => {
    for (const path of [A7, `${A7}/field_author`, `${A7}/relationships/field_author`])
      expect(await status(path), path).toBe(404);
    expect((await ask(recorded, A7, { actor: ADMINISTRATOR })).status).toBe(200);
  },
  'unseen-aliases': async () => {
    const translate = '/router/translate-path?path=';
    expect((await ask(notes, `${translate}/first`)).status).toBe(200);
    expect((await ask(notes, `${translate}/second`)).status).toBe(404);
  },
  'view-only': async () => {
    for (const [action, expected] of [
      ['view', 207],
      ['create', 400],
    ] as const) {
      const body = JSON.stringify([{ requestId: 'a', action, uri: '/jsonapi/node/note' }]);
      expect((await fetchFrom(notes, '/subrequests?_format=json', { method: 'POST', body })).status).toBe(
        expected,
      );
    }
  },
  'entry-point': async () => {
    expect(Object.keys((await get('/jsonapi')).links).sort()).toEqual([
      ...['node--article', 'node--person', 'node--tag', 'self', 'user--user'],
    ]);
  },
  options: async () => {
    const response = await fetchFrom(recorded, ARTICLES, { method: 'OPTIONS' });
    const meta = (await response.json())?.meta;
    expect(meta).toHaveProperty('allow', response.headers.get('allow')?.split(', '));
    expect(meta).toHaveProperty('attributes');
    const send = createHandler(await loadRecordedContent({ writable: {} }));
    const asked = await fetchFrom(send, ARTICLES, { method: 'OPTIONS', actor: ADMINISTRATOR });
    const may = (await asked.json())?.meta;
    expect(may.allow).toContain('POST');
    expect(may.attributes).toContain('title');
    expect(may.relationships).toContain('field_author');
  },
  'wrong-credentials': async () => {
    const site = await openSignInSite();
    for (const path of [ARTICLES, '/api/content/articles', '/session/token']) {
      const response = await site.request(path, { headers: { authorization: basic('ada', 'wrong') } });
      expect([response.status, response.headers.has('www-authenticate')]).toEqual([401, true]);
    }
  },
  'signing-out': async () => {
    const site = await openSignInSite();
    const { session, csrf, logout } = await signIn(site);
    for (const path of ['/user/logout', `/user/logout?_format=json&token=${logout}`]) {
      await site.request(path, {}, { session });
      expect(session.isDestroyed()).toBe(false);
    }
    const init = { method: 'POST', headers: { 'x-csrf-token': csrf } };
    expect((await site.request('/user/logout?_format=json', init, { session })).status).toBe(204);
    expect((await site.request('/user/logout?_format=json', init, { session })).status).toBe(204);
  },
  'signing-in-again': async () => {
    const site = await openSignInSite();
    const { session } = await signIn(site);
    const sent = json({ name: 'eve', pass: PASSWORD });
    const response = await site.request('/user/login?_format=json', sent, { session });
    expect((await response.json()).current_user).toHaveProperty('name', 'eve');
  },
  preflight: async () => {
    const front = createHandler(await loadRecordedContent());
    const headers = { origin: 'https://app.example', 'access-control-request-method': 'GET' };
    const response = await fetchFrom(front, ARTICLES, { method: 'OPTIONS', headers });
    expect([response.status, await response.text()]).toEqual([204, '']);
  },
  'file-resources': async () => {
    const written = await writableNotes();
    const response = await fetchFrom(written, '/jsonapi/node/note/paper', {
      method: 'POST',
      headers: {
        'content-type': 'application/octet-stream',
        'content-disposition': 'file; filename="A b.txt"',
      },
      body: 'text',
      actor: ADMINISTRATOR,
    });
    expect(response.status).toBe(201);
    const { type, id, attributes } = (await response.json()).data;
    expect([type, attributes.uri.value]).toEqual(['file--file', 'content://note/a-b.txt']);
    expect((await fetchFrom(written, `/jsonapi/file/file/${id}`)).status).toBe(404);
  },
  'raw-html': async () => {
    const written = await writableNotes(async ({ body }) => (body === null ? '' : bodyText(body)));
    const attributes = { title: 'One', body: '<b onclick="x()">y</b>' };
    const response = await fetchFrom(written, '/jsonapi/node/note', {
      method: 'POST',
      body: { data: { type: 'node--note', attributes } },
      actor: { name: 'ada', roles: ['editor'] },
    });
    expect(response.status).toBe(422);
    expect((await response.json()).errors[0].detail).toContain('onclick of <b>');
  },
  'media-types': async () => {
    const accepts = async (accept: string) => {
      return (await fetchFrom(recorded, ARTICLES, { headers: { accept } })).status;
    };
    expect(await accepts('application/vnd.api+json; charset=utf-8')).toBe(406);
    expect(await accepts('application/vnd.api+json; charset=utf-8, application/vnd.api+json')).toBe(200);
    for (const other of ['*/*', 'application/json', 'text/html']) expect(await accepts(other)).toBe(200);
    const sent = { type: 'node--article', attributes: { title: 'x' } };
    const send = await writing();
    for (const [type, expected] of [
      ['application/vnd.api+json; charset=utf-8', 415],
      ['Application/VND.API+JSON', 201],
    ] as const)
      expect((await send('POST', ARTICLES, sent, { 'content-type': type })).status).toBe(expected);
  },
  pointers: async () => {
    const send = await writing();
    const attributes = { field_rating: 'many', field_list: ['a', { b: 1 }] };
    const { status: answered, pointers } = await send('POST', ARTICLES, {
      type: 'node--article',
      attributes,
    });
    expect([answered, pointers.sort()]).toEqual([
      422,
      ['/data/attributes/field_list/1', '/data/attributes/field_rating', '/data/attributes/title'],
    ]);
  },
  ids: async () => {
    const send = await writing();
    const person = A1.split('/').at(-1);
    for (const [bundle, id] of [
      ['article', 'low/water ü'],
      ['person', person],
    ]) {
      const sent = { type: `node--${bundle}`, id, attributes: { title: 'x' } };
      const { status: answered, data } = await send('POST', `/jsonapi/node/${bundle}`, sent);
      expect([answered, data?.id]).toEqual([201, id]);
    }
  },
  'wrong-type': async () => {
    const send = await writing();
    const id = A1.split('/').at(-1);
    for (const [sent, pointer] of [
      [{ type: 'node--person', id, attributes: {} }, '/data/type'],
      [{ type: 'node--article', id: 'another', attributes: {} }, '/data/id'],
    ] as const) {
      const { status: answered, pointers } = await send('PATCH', A1, sent);
      expect([answered, pointers]).toEqual([409, [pointer]]);
    }
  },
  'lost-relationships': async () => {
    const send = await writing();
    const before = (await send('GET', ARTICLES)).count;
    for (const [author, expected] of [
      ['somebody', 422],
      [{ data: { type: 'user--user', id: 'somebody' } }, 422],
      [{ data: { type: 'node--person', id: 'nobody' } }, 404],
    ] as const) {
      const sent = {
        type: 'node--article',
        attributes: { title: 'x' },
        relationships: { field_author: author },
      };
      expect((await send('POST', ARTICLES, sent)).status).toBe(expected);
    }
    expect((await send('GET', ARTICLES)).count).toBe(before);
  },
  offsets: async () => {
    const send = await writing();
    const attributes = { title: 'x', field_date: '2024-05-06T07:08:09+02:00' };
    const { data } = await send('POST', ARTICLES, { type: 'node--article', attributes });
    expect(data?.attributes.field_date).toBe('2024-05-06T07:08:09+02:00');
  },
  'bad-request': async () => {
    const send = await writing();
    for (const [sent, pointer] of [
      ['x', '/data'],
      [{ type: 'node--article', relationships: 'x' }, '/data/relationships'],
      [{ attributes: {} }, '/data'],
    ] as const) {
      const { status: answered, pointers } = await send('POST', ARTICLES, sent);
      expect([answered, pointers]).toEqual([400, [pointer]]);
    }
  },
  gone: async () => {
    const send = await writing('set-null');
    for (const path of [A1, A7]) expect((await send('DELETE', path)).status).toBe(204);
    expect((await send('GET', A1)).status).toBe(410);
    expect((await send('DELETE', A1)).status).toBe(410);
    expect((await send('GET', A1, undefined, {}, ANONYMOUS)).status).toBe(410);
    expect((await send('GET', A7, undefined, {}, ANONYMOUS)).status).toBe(404);
  },
  referrers: async () => {
    const { id } = (await get(A1)).data.relationships.field_author.data;
    const person = `/jsonapi/node/person/${id}`;
    const refused = await (await writing())('DELETE', person);
    expect([refused.status, refused.detail]).toEqual([
      409,
      expect.stringContaining(A1.split('/').at(-1) ?? ''),
    ]);
    const clear = await writing('set-null');
    expect((await clear('DELETE', person)).status).toBe(204);
    expect((await clear('GET', A1)).data?.relationships.field_author?.data).toBeNull();
  },
  preconditions: async () => {
    const send = await writing();
    const sent = { type: 'node--article', id: A1.split('/').at(-1), attributes: { title: 'x' } };
    const { meta } = (await get(A1, ADMINISTRATOR)).data;
    const headers = { 'if-match': `"${meta.revision}"` };
    expect((await send('PATCH', A1, sent, headers)).status).toBe(200);
    expect((await send('PATCH', A1, sent, headers)).status).toBe(412);
    const strict = await writing('restrict', true);
    expect((await strict('PATCH', A1, sent)).status).toBe(428);
  },
  'language-parameter': async () => {
    const { titles } = await translated();
    expect(await titles('?langCode=de')).toEqual(['Eins']);
    expect(await titles('?langCode=de&includeFallback=1')).toEqual(['Eins', 'Two']);
    expect(await titles('', '/de')).toEqual(['Eins', 'Two']);
  },
  'served-language': async () => {
    const { titles } = await translated();
    expect(await titles('?langCode=de&filter[title]=One')).toEqual([]);
    expect(await titles('?langCode=de&filter[title]=Eins')).toEqual(['Eins']);
    expect(await titles('?filter[title]=Eins')).toEqual([]);
  },
  'language-order': async () => {
    const { titles } = await translated({
      'note/one.sv.md': '---\ntitle: Öl\n---\n',
      'note/two.sv.md': '---\ntitle: Zoo\n---\n',
    });
    // In Swedish, ö is the last letter.
    expect(await titles('?langCode=sv&sort=title')).toEqual(['Öl', 'Zoo']);
  },
  'default-sources': async () => {
    const { send } = await translated({ 'en/note/three.md': '', 'note/three.de.md': '' });
    expect((await send('DELETE', '/jsonapi/node/note/three')).status).toBe(400);
    expect((await send('DELETE', '/jsonapi/node/note/three?langCode=de')).status).toBe(204);
    expect((await send('DELETE', '/jsonapi/node/note/three?langCode=en')).status).toBe(204);
  },
  'changed-translations': async () => {
    const { send, titles } = await translated();
    const sent = { type: 'node--note', id: 'two', attributes: { title: 'Zwei' } };
    expect((await send('POST', '/jsonapi/node/note/two?langCode=de', sent)).status).toBe(201);
    expect((await send('PATCH', '/de/jsonapi/node/note/two', sent)).status).toBe(200);
    expect(await titles('?langCode=de')).toEqual(['Eins', 'Zwei']);
    expect((await send('DELETE', '/de/jsonapi/node/note/two')).status).toBe(204);
    expect(await titles('')).toEqual(['One', 'Two']);
  },
  'missing-translations': async () => {
    const { send } = await translated();
    const sent = { type: 'node--note', id: 'two', attributes: { title: 'Zwei' } };
    expect((await send('PATCH', '/de/jsonapi/node/note/two', sent)).status).toBe(404);
  },
  'shared-values': async () => {
    const { send } = await translated();
    const sent = { type: 'node--note', id: 'one', attributes: { rating: 2 } };
    expect((await send('PATCH', '/de/jsonapi/node/note/one', sent)).status).toBe(422);
  },
  'translated-sources': async () => {
    const { send } = await translated();
    expect((await send('DELETE', '/jsonapi/node/note/one')).status).toBe(400);
  },
};

/** A site in three languages. */
async function translated(others: Readonly<Record<string, string>> = {}) {
  const driver = createMemoryDriver({
    'note/one.md': '---\ntitle: One\nrating: 1\n---\n',
    'note/one.de.md': '---\ntitle: Eins\n---\n',
    'note/two.md': '---\ntitle: Two\n---\n',
    ...others,
  });
  const schema = defineSchema({ note: { rating: untranslated(z.int()).nullish() } });
  const languages = siteLanguages({ defaultLocale: 'en', locales: ['en', 'de', 'sv'] });
  const options = { settings: { ...(languages && { languages }) }, writable: {} };
  const handle = createHandler(await createServices(driver, schema, options));
  const headers = { 'content-type': 'application/vnd.api+json' };
  return {
    send: (method: string, path: string, data?: unknown) =>
      fetchFrom(handle, path, {
        ...{ method, actor: ADMINISTRATOR },
        ...(data !== undefined && { headers, body: { data } }),
      }),
    async titles(query: string, prefix = ''): Promise<string[]> {
      const { data } = await (await fetchFrom(handle, `${prefix}/jsonapi/node/note${query}`)).json();
      return data.map(({ attributes }: { attributes: { title: string } }) => attributes.title);
    },
  };
}

const page = readFileSync(new URL('../../docs/differences-from-drupal.md', import.meta.url), 'utf8');
const rows = [...page.matchAll(/^\| <a id="([^"]+)"><\/a>([^|]+)\|([^|]+)\|([^|]+)\|$/gm)].map(
  ([, anchor = '', here = '', there = '', why = '']) => ({ anchor, here, there, why }),
);

describe('every difference from Drupal', () => {
  it('has an entry with a reason and a test', () => {
    const lines = page.split('\n').filter((line) => line.startsWith('|'));
    expect(rows).toHaveLength(lines.length - 2);
    expect(Object.keys(TESTS)).toEqual(rows.map(({ anchor }) => anchor));
    for (const { here, there, why } of rows)
      for (const text of [here, there, why]) expect(text.trim()).not.toBe('');
  });

  it('in a recorded response is documented', () => {
    const anchors = rows.map(({ anchor }) => anchor);
    for (const { reason } of [...Object.values(DIFFERENCES), ...Object.values(WRITE_DIFFERENCES)])
      expect(anchors).toContain(reason);
  });

  it.each(rows)('holds: $here', async ({ anchor }) => {
    await TESTS[anchor]?.();
    expect.hasAssertions();
  });
});

async function ask(handle: Handler, path: string, { actor = ANONYMOUS } = {}): Promise<Response> {
  return fetchFrom(handle, path, { actor });
}

/** Changes a copy of the recorded content, by default as an administrator; `data` is part of the body. */
async function writing(onDelete: 'restrict' | 'set-null' = 'restrict', requireIfMatch = false) {
  const handle = createHandler(
    await loadRecordedContent({ writable: { options: { onDelete, requireIfMatch } } }),
  );
  return async (
    method: string,
    path: string,
    data?: unknown,
    headers: Readonly<Record<string, string>> = {},
    actor = ADMINISTRATOR,
  ) => {
    const type = data === undefined ? {} : { 'content-type': 'application/vnd.api+json' };
    const body = data === undefined ? {} : { body: new Blob([JSON.stringify({ data })]) };
    const response = await fetchFrom(handle, path, {
      method,
      headers: { ...type, ...headers },
      ...body,
      actor,
    });
    const text = await response.text();
    const document: WriteDocument = text === '' ? {} : JSON.parse(text);
    return {
      status: response.status,
      data: document.data,
      count: document.meta?.count,
      detail: document.errors?.[0]?.detail,
      pointers: document.errors?.map(({ source }) => source?.pointer) ?? [],
    };
  };
}

interface WriteDocument {
  readonly data?: {
    readonly id: string;
    readonly attributes: Readonly<Record<string, unknown>>;
    readonly relationships: Readonly<Record<string, { readonly data: unknown }>>;
  };
  readonly meta?: { readonly count: number };
  readonly errors?: readonly { readonly detail: string; readonly source?: { readonly pointer?: string } }[];
}

async function get(path: string, actor = ANONYMOUS) {
  return (await ask(recorded, path, { actor })).json();
}

async function status(path: string): Promise<number> {
  return (await ask(recorded, path)).status;
}

async function idsOf(query: string): Promise<string[]> {
  return ids((await get(`${ARTICLES}?${query}`)).data);
}

async function titlesOf(query: string): Promise<string[]> {
  const { data }: { data: { attributes: { title: string } }[] } = await get(`${ARTICLES}?${query}`);
  return data.map(({ attributes }) => attributes.title);
}

async function expectBadParameter(query: string): Promise<void> {
  const [error] = (await get(`${ARTICLES}?${query}`)).errors;
  expect(error.status).toBe('400');
  expect(error.source.parameter).toBeTypeOf('string');
}

function ids(resources: readonly { readonly id: string }[]): string[] {
  return resources.map(({ id }) => shortId(id));
}

function condition(path: string, operator: string, value?: string): string {
  const key = 'filter[c][condition]';
  return `${key}[path]=${path}&${key}[operator]=${operator}${value === undefined ? '' : `&${key}[value]=${value}`}`;
}

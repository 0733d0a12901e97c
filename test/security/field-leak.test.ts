import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Roles } from '../../integration/core/access/role.ts';
import { defineSchema, file, image, reference, z } from '../../integration/schema.ts';
import { createHandler } from '../support/handler.ts';
import { createMemoryDriver } from '../support/memory-driver.ts';
import { png } from '../support/pictures.ts';
import { createServices } from '../support/services.ts';
import { article, ask, type TestRequest, type TestResponse } from './attacked-site.ts';

const NOW = Date.parse('2030-01-01T00:00:00Z');
const SECRET = 'swordfish';

const SCHEMA = defineSchema({
  article: {
    field_author: reference('person').nullish(),
    field_people: z.array(reference('person')).default([]),
    field_notes: z.string().nullish(),
    field_boss: reference('person').nullish(),
    field_words: z.array(z.string()).default([]),
    field_cover: image().nullish(),
    field_papers: z.array(file()).default([]),
    field_plan: file().nullish(),
    publish_on: z.iso.datetime({ offset: true }).nullish(),
  },
  person: {},
  vault: { field_needed: z.string(), field_code: z.string().min(3).nullish() },
});
const HIDDEN = ['field_notes', 'field_boss', 'field_words', 'field_plan', 'field_needed', 'uid'];
/** Writers see published content without the hidden fields, and may write everything they see. */
const ROLES: Roles = {
  authenticated: {
    permissions: [
      {
        actions: ['view', 'create', 'update', 'delete'],
        bundles: '*',
        where: 'published',
        fields: { view: { except: HIDDEN } },
      },
      { actions: ['create'], bundles: '*', where: 'unpublished', fields: { view: { except: HIDDEN } } },
    ],
  },
  seer: { permissions: [{ actions: ['view'], bundles: '*', fields: { view: { except: HIDDEN } } }] },
};
const WRITER = { name: 'wren', roles: [] };

/** Sees all entities, with the same fields as a writer. */
const SEER = { name: 'sid', roles: ['seer'] };

/** Content that the writer does not see; `x` differs between the worlds. */
const unseen = (x: string) => ({
  [`article/${x}.md`]: `---\ntitle: ${SECRET} ${x}\nstatus: false\nfield_cover: ${x}.png\n---\n![](${x}-body.png)\n`,
  [`article/later-${x}.md`]: `---\ntitle: ${SECRET}\npublish_on: 2031-01-01T00:00:00Z\n---\n`,
  [`person/${x}.md`]: '---\ntitle: Unseen\nstatus: false\n---\n',
  [`article/${x}.png`]: png(1, 1),
  [`article/${x}-body.png`]: png(2, 2),
});
const filesOf = (x: string, notes: string) => ({
  'article/moon.md': `---\ntitle: Moon\nfield_author: jane\nfield_people: [jane]\nfield_notes: ${notes}\nfield_boss: ${x}\nfield_words: [${notes}]\nfield_plan: plan-${x}.txt\nuid: ${x}\n---\nText.\n`,
  'article/sea.md': '---\ntitle: Sea\n---\n',
  'person/jane.md': '---\ntitle: Jane\n---\n',
  'article/seen.png': png(3, 3),
  'article/free.pdf': '%PDF',
  [`article/plan-${x}.txt`]: SECRET,
  'vault/open.md': '---\ntitle: Open\nfield_needed: something\n---\n',
  ...unseen(x),
});

interface World {
  readonly ask: (method: string, path: string, sent?: TestRequest) => Promise<TestResponse>;
  readonly files: () => Promise<ReadonlyMap<string, string>>;
}

async function world(x: string, notes: string, more: object = {}): Promise<World> {
  const driver = createMemoryDriver({ ...filesOf(x, notes), ...more });
  const site = { roles: ROLES, writable: {}, now: () => NOW, settings: { explorer: true } };
  const handle = createHandler(await createServices(driver, SCHEMA, site));
  return {
    ask: (method, path, sent = {}) => ask(handle, method, path, { actor: WRITER, ...sent }),
    async files() {
      const { files } = await driver.list();
      const read = files.map(
        async ({ key }) => [key, Buffer.from((await driver.read(key)) ?? []).toString()] as const,
      );
      return new Map(await Promise.all(read));
    },
  };
}

/** Two worlds that differ only in content that the writer does not see. */
let one: World;
let other: World;
beforeEach(async () => {
  [one, other] = [await world('alpha', 'tango'), await world('omega', 'zulu')];
});

/** The whole response except durations. */
function comparable({ status, headers, text }: TestResponse): unknown {
  const timeless = text.replace(/"(resolveMs|executeMs|totalMs)":[\d.e-]+/g, '"$1":0');
  // The digest and length vary with the durations in a response.
  const isTold = (name: string) => !/^(etag|content-length)$/.test(name) || timeless === text;
  return { status, headers: [...headers].filter(([name]) => isTold(name)), text: timeless };
}

/** Sends a request to both worlds: the responses must be equal and contain nothing hidden. */
async function both(method: string, path: string, sent: TestRequest = {}): Promise<TestResponse> {
  const [answer, second] = [await one.ask(method, path, sent), await other.ask(method, path, sent)];
  const description = `${method} ${path} ${JSON.stringify(sent)}`;
  expect(comparable(answer), description).toEqual(comparable(second));
  const request = path + JSON.stringify(sent);
  for (const word of [
    SECRET,
    ...HIDDEN.filter((field) => field !== 'uid'),
    'alpha',
    'omega',
    'tango',
    'zulu',
  ]) {
    if (!request.includes(word))
      expect(answer.text + JSON.stringify([...answer.headers]), description).not.toContain(word);
  }
  return answer;
}

const patch = (attributes: object, relationships: object = {}) => ({
  body: article(attributes, { id: 'moon', relationships }),
});

describe('hidden content', () => {
  it('is missing from all responses to changes', async () => {
    const includes = [
      '',
      '?include=field_author,field_people',
      '?fields[node--article]=title,field_notes,uid,field_boss',
    ];
    for (const query of includes) {
      expect(
        (await both('PATCH', `/jsonapi/node/article/moon${query}`, patch({ title: 'New moon' }))).status,
      ).toBe(200);
      const created = await both('POST', `/jsonapi/node/article${query}`, {
        body: article({ title: 'Made' }),
      });
      expect(created.status).toBe(201);
    }
    expect((await both('PATCH', '/api/content/articles/moon', { body: { title: 'Newer' } })).status).toBe(
      201,
    );
    expect((await both('PUT', '/api/content/articles/moon', { body: { title: 'Newest' } })).status).toBe(201);
    expect(
      (await both('PATCH', '/jsonapi/node/article/moon?include=field_boss', patch({ title: 'X' }))).status,
    ).toBe(400);
    expect(
      (await both('PATCH', '/api/content/articles/moon?fields=field_notes', { body: { title: 'X' } })).status,
    ).toBe(400);
    const kept = (await one.files()).get('article/moon.md');
    for (const line of ['field_notes: tango', 'field_boss: alpha', 'field_words: [tango]', 'uid: alpha']) {
      expect(kept).toContain(line);
    }
  });

  it.each(HIDDEN)('%s cannot be distinguished from a missing field by changes', async (field) => {
    for (const value of [
      'tango',
      'zulu',
      'alpha',
      'omega',
      null,
      ['tango'],
      ['zulu'],
      'plan-alpha.txt',
      { src: 'plan-alpha.txt' },
    ]) {
      const unknown = (answer: TestResponse) => answer.text.replaceAll(field, 'field_none');
      const jsonapi = await both('PATCH', '/jsonapi/node/article/moon', patch({ [field]: value }));
      const none = await both('PATCH', '/jsonapi/node/article/moon', patch({ field_none: value }));
      expect({ status: jsonapi.status, text: unknown(jsonapi) }).toEqual({ status: 422, text: none.text });
      const flat = await both('PATCH', '/api/content/articles/moon', { body: { [field]: value } });
      const flatNone = await both('PATCH', '/api/content/articles/moon', { body: { field_none: value } });
      expect({ status: flat.status, text: unknown(flat) }).toEqual({ status: 422, text: flatNone.text });
      await both('POST', '/jsonapi/node/article', { body: article({ title: 'X', [field]: value }) });
    }
    for (const id of ['alpha', 'omega', 'jane']) {
      const data = { type: 'node--person', id };
      await both('PATCH', '/jsonapi/node/article/moon', patch({}, { [field]: { data } }));
      expect(
        (await both('PATCH', `/jsonapi/node/article/moon/relationships/${field}`, { body: { data } })).status,
      ).toBe(404);
      expect(
        (await both('POST', `/jsonapi/node/article/moon/relationships/${field}`, { body: { data: [data] } }))
          .status,
      ).toBe(404);
      expect((await both('PUT', `/api/content/articles/moon/${field}`, { body: [id] })).status).toBe(404);
      expect((await both('DELETE', `/api/content/articles/moon/${field}`)).status).toBe(404);
    }
    const headers = {
      'content-type': 'application/octet-stream',
      'content-disposition': 'file; filename="x.txt"',
    };
    for (const path of [`/jsonapi/node/article/moon/${field}`, `/jsonapi/node/article/${field}`]) {
      expect((await both('POST', path, { body: 'text', headers })).status).toBeOneOf([404, 405]);
    }
  });

  it('is missing from lists of writable fields', async () => {
    for (const path of [
      '/jsonapi/node/article',
      '/jsonapi/node/article/moon',
      '/api/content/articles',
      '/api/content/articles/moon',
    ]) {
      const { json } = await both('OPTIONS', path);
      expect(json.meta.attributes).toContain('title');
      for (const field of HIDDEN) expect(JSON.stringify(json.meta)).not.toContain(`"${field}"`);
    }
    const url = encodeURIComponent('/jsonapi/node/article?filter[title]=Moon');
    await both('GET', `/jsonapi-explorer/explain.json?url=${url}`);
  });

  it('cannot be revealed by guessed ETags', async () => {
    const revisions = await Promise.all(
      [one, other].map(
        async ({ ask: description }) =>
          (await description('GET', '/jsonapi/node/article/moon')).json.data.meta.revision,
      ),
    );
    expect(revisions[0]).toBe(revisions[1]);
    const editor = { name: 'ed', roles: ['editor'] };
    const theirs = (await one.ask('GET', '/jsonapi/node/article/alpha', { actor: editor })).json.data.meta
      .revision;
    const guessed = (await one.ask('GET', '/jsonapi/node/article/alpha', { actor: SEER })).json.data.meta
      .revision;
    const whole = (await one.ask('GET', '/jsonapi/node/article/moon', { actor: editor })).json.data.meta
      .revision;
    for (const tag of [theirs, guessed, whole, '0123456789abcdef', '']) {
      const headers = { 'if-match': `"${tag}"` };
      expect(
        (await both('PATCH', '/jsonapi/node/article/moon', { ...patch({ title: 'X' }), headers })).status,
      ).toBe(412);
      for (const [header, status] of [
        ['if-match', 412],
        ['if-none-match', 409],
      ] as const) {
        const sent = { body: { id: 'alpha', title: 'X' }, headers: { [header]: `"${tag}"` } };
        expect((await one.ask('POST', '/api/content/articles', sent)).status).toBe(status);
        const put = { body: { title: 'X' }, headers: { 'if-none-match': '*', 'if-match': `"${tag}"` } };
        expect((await one.ask('PUT', '/api/content/articles/alpha', put)).status).toBe(412);
      }
    }
  });

  it('cannot be referred to or read, exactly like missing content', async () => {
    for (const id of ['alpha', 'nobody']) {
      const named = (answer: TestResponse) => ({
        status: answer.status,
        text: answer.text.replaceAll(id, '…'),
      });
      const answers: unknown[] = [];
      const data = { type: 'node--person', id };
      answers.push(
        named(await one.ask('PATCH', '/jsonapi/node/article/moon', patch({}, { field_author: { data } }))),
      );
      answers.push(
        named(
          await one.ask('PATCH', '/jsonapi/node/article/moon', patch({}, { field_people: { data: [data] } })),
        ),
      );
      answers.push(
        named(
          await one.ask('POST', '/jsonapi/node/article', {
            body: article({ title: '' }, { relationships: { field_author: { data } } }),
          }),
        ),
      );
      answers.push(
        named(
          await one.ask('PATCH', '/jsonapi/node/article/moon/relationships/field_author', { body: { data } }),
        ),
      );
      answers.push(
        named(
          await one.ask('POST', '/jsonapi/node/article/moon/relationships/field_people', {
            body: { data: [data] },
          }),
        ),
      );
      for (const written of [
        id,
        `person/${id}`,
        { type: 'person', id },
        { type: 'article', id },
        `article/${id}`,
      ]) {
        answers.push(
          named(await one.ask('PATCH', '/api/content/articles/moon', { body: { field_author: written } })),
        );
        answers.push(
          named(await one.ask('POST', '/api/content/articles/moon/field_people', { body: [written] })),
        );
      }
      for (const method of ['GET', 'PATCH', 'PUT', 'DELETE', 'OPTIONS']) {
        const body = method === 'PATCH' || method === 'PUT' ? { title: 'X' } : undefined;
        answers.push(named(await one.ask(method, `/api/content/articles/${id}`, { body })));
        answers.push(named(await one.ask(method, `/jsonapi/node/article/${id}`, { body })));
      }
      first.push(answers);
    }
    expect(first[0]).toEqual(first[1]);
  });
  const first: unknown[][] = [];
  afterEach(() => void first.splice(0));

  it('files cannot be distinguished from missing ones, by exact or similar names', async () => {
    // Names of the same length, of which only the first exists.
    for (const [there, not] of [
      ['alpha', 'alphx'],
      ['alpha-body', 'alpha-bodx'],
      ['plan-alpha', 'plan-alphx'],
    ] as const) {
      const ending = there.startsWith('plan') ? 'txt' : 'png';
      const bodies = (name: string) => {
        const path = `${name}.${ending}`;
        return [
          { field_cover: path },
          { field_cover: { src: `./${path}` } },
          { field_cover: { uri: { value: `content://article/${path}` } } },
          { field_papers: [path, 'nope.pdf'] },
          { field_papers: ['nope.pdf', path] },
          { field_papers: ['free.pdf', path], title: '' },
          { body: `![](${path})` },
          { body: `![](nope.png) <img src="./${path}">` },
          { field_cover: path, body: `![](../article/${path})` },
        ];
      };
      const [seen, unseenBodies] = [bodies(not), bodies(there)];
      for (const [at, body] of unseenBodies.entries()) {
        for (const path of ['/api/content/articles', '/api/content/articles/moon']) {
          const method = path.endsWith('moon') ? 'PATCH' : 'POST';
          const [a, b] = [
            await one.ask(method, path, { body: { title: 'X', ...body } }),
            await one.ask(method, path, { body: { title: 'X', ...seen[at] } }),
          ];
          expect(a.status, JSON.stringify(body)).toBe(422);
          expect(a.text.replaceAll(there, '…'), JSON.stringify(body)).toBe(b.text.replaceAll(not, '…'));
          expect(b.text).not.toContain('Did you mean');
        }
      }
    }
    const attributes = article(
      { title: 'X' },
      { relationships: { field_cover: { data: { type: 'file--file', id: 'content://article/alpha.png' } } } },
    );
    const { json, status } = await one.ask('POST', '/jsonapi/node/article', { body: attributes });
    expect({ status, source: json.errors[0].source }).toEqual({
      status: 422,
      source: { pointer: '/data/relationships/field_cover/data' },
    });
    expect((await one.ask('GET', '/content-files/article/alpha.png')).status).toBe(404);
  });

  it('is not named if a required hidden field is missing', async () => {
    const { status, text } = await both('POST', '/jsonapi/node/vault', {
      body: { data: { type: 'node--vault', attributes: { title: 'New', field_code: 'x' } } },
    });
    expect(status).toBe(422);
    expect(text).toContain('/data/attributes/field_code');
    expect(text).toContain('A required field is missing, and you do not have permission to set it');
  });

  it('is not named if it prevents a deletion', async () => {
    const referring = (x: string) => ({
      [`article/of-${x}.md`]: `---\ntitle: ${SECRET}\nstatus: false\nfield_author: jane\n---\n`,
    });
    [one, other] = [
      await world('alpha', 'tango', referring('alpha')),
      await world('omega', 'zulu', referring('omega')),
    ];
    const { status, text } = await both('DELETE', '/jsonapi/node/person/jane');
    expect({ status, others: text.includes("node--article 'moon' and others") }).toEqual({
      status: 409,
      others: true,
    });
    const driver = createMemoryDriver({
      'person/jane.md': '---\ntitle: Jane\n---\n',
      'book/alpha.md': `---\ntitle: ${SECRET}\nstatus: false\nfield_author: jane\n---\n`,
    });
    const schema = defineSchema({
      person: {},
      book: { field_author: reference('person') },
    });
    const options = { requireIfMatch: false, onDelete: 'set-null' } as const;
    const handle = createHandler(
      await createServices(driver, schema, { roles: ROLES, writable: { options } }),
    );
    const refused = await ask(handle, 'DELETE', '/jsonapi/node/person/jane', { actor: WRITER });
    expect(refused.status).toBe(409);
    expect(refused.text).toContain("'jane' is referenced by other content, which requires it.");
    expect(refused.text).not.toMatch(/alpha|field_author|book/);
  });

  it('is a 404 instead of a 410 after its removal, also if it was scheduled', async () => {
    const editor = { name: 'ed', roles: ['editor'] };
    for (const id of ['alpha', 'later-alpha', 'sea']) {
      expect((await one.ask('DELETE', `/jsonapi/node/article/${id}`, { actor: editor })).status).toBe(204);
    }
    for (const [id, status] of [
      ['alpha', 404],
      ['later-alpha', 404],
      ['sea', 410],
    ] as const) {
      for (const actor of [WRITER, { name: null, roles: [] }]) {
        expect((await one.ask('GET', `/jsonapi/node/article/${id}`, { actor })).status, id).toBe(status);
        expect((await one.ask('GET', `/api/content/articles/${id}`, { actor })).status, id).toBe(status);
      }
      expect((await one.ask('GET', `/jsonapi/node/article/${id}`, { actor: editor })).status).toBe(410);
    }
  });
});

it('a removed draft is a 410 only for its owner', async () => {
  const draft = '---\ntitle: Draft\nstatus: false\nuid: bob\n---\n';
  const driver = createMemoryDriver({
    'article/draft.md': draft,
    'article/sea.md': '---\ntitle: Sea\n---\n',
  });
  const actions = ['view', 'delete'] as const;
  const roles: Roles = {
    authenticated: { permissions: [{ actions: ['view'], bundles: '*', where: 'published' }] },
    author: { permissions: [{ actions, bundles: '*', where: 'own' }] },
  };
  const handle = createHandler(await createServices(driver, SCHEMA, { roles, writable: {} }));
  const path = '/jsonapi/node/article/draft';
  const as = (name: string) => ({ actor: { name, roles: ['author'] } });
  expect((await ask(handle, 'DELETE', path, as('bob'))).status).toBe(204);
  expect((await ask(handle, 'GET', path, as('bob'))).status).toBe(410);
  expect((await ask(handle, 'GET', path, as('eve'))).status).toBe(404);
});

describe('a response that has to reveal hidden content', () => {
  it('contains only the taken id or name', async () => {
    const taken = await one.ask('POST', '/jsonapi/node/article', {
      body: article({ title: 'X' }, { id: 'alpha' }),
    });
    expect(taken.status).toBe(409);
    expect(taken.json.errors[0].detail).toBe("There is an entity 'alpha' already.");
    expect(taken.text).not.toContain(SECRET);
    const slug = await one.ask('POST', '/jsonapi/node/article', { body: article({ title: 'Alpha' }) });
    expect(slug.json.data.id).toBe('alpha-2');
    expect(slug.text).not.toContain(SECRET);
  });

  it('does not name the invalid file that has an id', async () => {
    const driver = createMemoryDriver({ 'article/moon.md': '---\ntitle: Moon\n---\n' });
    const services = await createServices(driver, SCHEMA, { roles: ROLES, writable: {} });
    const handle = createHandler(services);
    await driver.write(
      'article/hidden-name.md',
      new TextEncoder().encode('---\nid: taken\ntitle: X\nstatus: false\nfield_notes: 7\n---\n'),
    );
    const { text } = await ask(handle, 'POST', '/jsonapi/node/article', {
      actor: WRITER,
      body: article({ title: 'X' }, { id: 'taken' }),
    });
    expect(text).not.toContain('hidden-name');
  });
});

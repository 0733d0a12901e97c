import { describe, expect, it } from 'vitest';
import type { Actor } from '../../../integration/core/access/actor.ts';
import type { Roles } from '../../../integration/core/access/role.ts';
import { bodyText } from '../../../integration/core/content/model.ts';
import { reference, z } from '../../../integration/schema.ts';
import { ask } from '../../security/attacked-site.ts';
import { createHandler } from '../../support/handler.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { adminApp, createServices, type TestSite } from '../../support/services.ts';

const ROOT: Actor = { name: 'root', roles: ['administrator'] };
const EDITOR: Actor = { name: 'edda', roles: ['editor'] };

const GOOD = '---\ntitle: A\nheight: 2.5\n---\n\nText\n';
const FILES = {
  'tag/sea.md': '---\ntitle: Sea\n---\n',
  'article/a.md': GOOD,
  'article/b.md': '---\ntitle: B\nheight: 1\n---\n\nMoon\n',
};
const SCHEMA = {
  tag: z.object({ title: z.string() }),
  article: z.object({
    title: z.string(),
    height: z.number(),
    zone: z.enum(['north', 'south']).nullish(),
    tags: z.array(reference('tag')).default([]),
  }),
};
const WRONG_KIND = '---\n# Ask Ada\ntitle: B\nheight: tall\nzone: west\n---\n\nMoon\n';
const WRONG_YAML = '---\ntitle: "B\nheight: 1\n---\n\nMoon\n';

/** A site whose file `article/b.md` gets errors once it runs. */
async function openSite(text: string, site: Omit<TestSite, 'writable'> = {}, key = 'article/b.md') {
  const driver = createMemoryDriver(FILES);
  const services = await createServices(driver, SCHEMA, {
    settings: { admin: true },
    renderBody: async ({ body }) => (body === null ? '' : bodyText(body)),
    ...site,
    writable: {},
  });
  const handle = createHandler(services, { adminApp });
  const send = (method: string, path: string, body?: object, actor = ROOT, revision?: string) =>
    ask(handle, method, `/jsonapi/${path}`, {
      actor,
      ...(body && { body }),
      headers: revision === undefined ? {} : { 'if-match': `"${revision}"` },
    });
  await driver.write(key, new TextEncoder().encode(text));
  // Any change makes the server read what other programs have changed.
  await services.writer?.run({ actor: ROOT, access: services.access(ROOT) }, ({ deps }) =>
    deps.collector.apply([key], [], 'later'),
  );
  const textOf = async (file = key) =>
    new TextDecoder('utf-8', { ignoreBOM: true }).decode(await driver.read(file));
  const read = async (actor = ROOT) => send('GET', `_sources/${key}`, undefined, actor);
  const save = async (source: string, actor = ROOT, revision?: string) => {
    const present = revision ?? (await read()).json.data?.meta.revision;
    const data = { type: 'source', id: key, attributes: { source } };
    return send('PATCH', `_sources/${key}`, { data }, actor, present);
  };
  const change = async (attributes: object, actor = ROOT) => {
    const { json } = await send('GET', `_faulty/${key}`);
    const data = { type: 'node--article', id: json.data.id, attributes };
    return send('PATCH', `_faulty/${key}`, { data }, actor, json.data.meta.revision);
  };
  return { driver, services, send, textOf, read, save, change };
}

describe('a file with errors', () => {
  it('has its text, and each error with its line', async () => {
    const { read, send } = await openSite(WRONG_KIND);
    const { status, json } = await read();
    expect(status).toBe(200);
    expect(json.data).toMatchObject({
      type: 'source',
      id: 'article/b.md',
      attributes: {
        title: 'B',
        resource: { type: 'node--article', id: 'b', translation: null },
        has_fields: true,
        source: WRONG_KIND,
        problems: [
          { line: 4, column: 9, code: 'field/invalid', field: 'height' },
          { line: 5, column: 7, code: 'field/invalid', field: 'zone' },
        ],
      },
    });
    const list = await send('GET', '_sources?filter[type]=node--article');
    expect(list.json.data.map(({ id }: { id: string }) => id)).toEqual(['article/b.md']);
    expect((await send('GET', '_sources?filter[type]=node--tag')).json.data).toEqual([]);
  });

  it('is corrected by its text, byte for byte', async () => {
    const { read, save, textOf, send, services } = await openSite(WRONG_KIND);
    const corrected = WRONG_KIND.replace('tall', '7').replace('west', 'south');
    const { status, json } = await save(corrected);
    expect([status, json.data.attributes.problems]).toEqual([200, []]);
    expect(await textOf()).toBe(corrected);
    expect((await send('GET', 'node/article/b')).json.data.attributes.height).toBe(7);
    expect(services.diagnostics()).toEqual([]);
    expect((await read()).status).toBe(404);
  });

  it('stays as it is if a text has more errors, and is stored if it has not more', async () => {
    const { save, textOf } = await openSite(WRONG_KIND);
    const worse = WRONG_KIND.replace('title: B', 'title: [B]');
    const refused = await save(worse);
    expect(refused.status).toBe(422);
    expect(refused.json.errors).toHaveLength(3);
    expect(refused.json.errors[0]).toMatchObject({
      detail: expect.stringMatching(/^Line 3: /),
      source: { pointer: '/data/attributes/source' },
      meta: { line: 3 },
    });
    expect(await textOf()).toBe(WRONG_KIND);
    const better = WRONG_KIND.replace('west', 'south');
    expect((await save(better)).status).toBe(200);
    expect(await textOf()).toBe(better);
    expect((await save('---\ntitle: [\n---\n')).status).toBe(422);
    expect(await textOf()).toBe(better);
  });

  it.each([
    ['a body alone', 'Moon\n'],
    ['an empty text', ''],
    ['no opening line', WRONG_KIND.replace('---\n', '')],
    ['no closing line', WRONG_KIND.replace('zone: west\n---', 'zone: west')],
    ['frontmatter without fields', '---\n---\n\nMoon\n'],
    ['a syntax error', '---\ntitle: "B\n---\n\nMoon\n'],
  ])('does not lose its frontmatter to a text with errors: %s', async (_, text) => {
    const manyErrors = WRONG_KIND.replace('# Ask Ada', 'colour: red\ntags: [x, y]');
    for (const stored of [WRONG_KIND, manyErrors]) {
      const { save, textOf } = await openSite(stored);
      const { status, json } = await save(text);
      expect([status, json.errors?.[0]]).toMatchObject([
        422,
        { detail: expect.stringMatching(/^Line \d+: /), source: { pointer: '/data/attributes/source' } },
      ]);
      expect(await textOf()).toBe(stored);
    }
  });

  it('with a syntax error keeps its frontmatter too', async () => {
    const { save, textOf } = await openSite(WRONG_YAML);
    const { status, json } = await save('Moon\n');
    expect([status, json.errors[0]]).toMatchObject([
      422,
      {
        detail: 'Line 1: The frontmatter is missing. Write it between two lines of `---`.',
        meta: { line: 1 },
      },
    ]);
    expect(await textOf()).toBe(WRONG_YAML);
    const otherError = WRONG_YAML.replace('height: 1', 'height: [');
    expect([(await save(otherError)).status, await textOf()]).toEqual([200, otherError]);
  });

  it('may show errors of its fields once its frontmatter can be read', async () => {
    const { read, save, send } = await openSite(WRONG_YAML);
    const { json } = await read();
    expect(json.data.attributes).toMatchObject({ has_fields: false, title: null });
    expect((await send('GET', '_faulty/article/b.md')).status).toBe(409);
    const { status, json: saved } = await save('---\ntitle: B\nheight: tall\nzone: west\n---\n\nMoon\n');
    expect([status, saved.data.attributes.problems.length]).toEqual([200, 2]);
  });

  it('is corrected by its fields, and keeps the rest of its lines', async () => {
    const { change, textOf, send } = await openSite(WRONG_KIND);
    const { json } = await send('GET', '_faulty/article/b.md');
    expect(json.data).toMatchObject({
      type: 'node--article',
      id: 'b',
      attributes: { title: 'B', height: null, zone: 'west' },
      meta: { faulty: { problems: [{ field: 'height' }, { field: 'zone' }] } },
    });
    const first = await change({ height: 7 });
    expect([first.status, first.json.data.meta.faulty.problems.length]).toEqual([200, 1]);
    expect(await textOf()).toBe(WRONG_KIND.replace('tall', '7'));
    const second = await change({ zone: 'south' });
    expect([second.status, second.json.data.meta.faulty]).toEqual([200, undefined]);
    expect(await textOf()).toBe(WRONG_KIND.replace('tall', '7').replace('west', 'south'));
    expect((await send('GET', 'node/article/b')).json.data.attributes.zone).toBe('south');
  });

  it('of an id that another file has gets another id', async () => {
    const text = '---\ntitle: C\nid: a\nheight: 3\n---\n';
    const { read, save, send } = await openSite(text, {}, 'article/c.md');
    expect((await read()).json.data.attributes.problems).toMatchObject([{ code: 'id/duplicate' }]);
    expect((await save(text.replace('id: a', 'id: c'))).status).toBe(200);
    expect((await send('GET', 'node/article/c')).json.data.attributes.height).toBe(3);
  });

  it('keeps its line breaks and its byte order mark', async () => {
    const text = `\ufeff${WRONG_KIND.replaceAll('\n', '\r\n')}`;
    const { save, textOf } = await openSite(text);
    await save(WRONG_KIND.replace('tall', '7').replace('west', 'south'));
    expect(await textOf()).toBe(text.replace('tall', '7').replace('west', 'south'));
  });

  it('is not replaced without the version that was read, or by a former one', async () => {
    const { read, save, send } = await openSite(WRONG_KIND);
    const { json } = await read();
    const data = { type: 'source', id: 'article/b.md', attributes: { source: GOOD } };
    expect((await send('PATCH', '_sources/article/b.md', { data })).status).toBe(428);
    await save(WRONG_KIND.replace('west', 'south'));
    expect((await save(WRONG_KIND, ROOT, json.data.meta.revision)).status).toBe(412);
  });

  it.each([
    'tag/sea.md',
    'article/none.md',
    '..%2Fsecret.md',
    'article%2F..%2F..%2Fsecret.md',
    '.git/config',
  ])('is the only one that can be read: %s', async (key) => {
    const { send } = await openSite(WRONG_KIND);
    for (const path of [`_sources/${key}`, `_faulty/${key}`]) {
      expect([404]).toContain((await send('GET', path)).status);
      const body = { data: { type: 'source', id: decodeURIComponent(key), attributes: { source: 'X' } } };
      expect((await send('PATCH', path, body, ROOT, 'x')).status).toBe(404);
    }
  });

  it('is for accounts that see everything, and may change all entries and fields of the type', async () => {
    const all = { actions: ['view'], bundles: '*' } as const;
    const cases: readonly (readonly [boolean, Roles['editor']])[] = [
      [true, { permissions: [all, { actions: ['update'], bundles: ['article'] }] }],
      [false, { permissions: [all, { actions: ['update'], bundles: ['tag'] }] }],
      [false, { permissions: [all, { actions: ['update'], bundles: ['article'], where: 'own' }] }],
      [
        false,
        {
          permissions: [
            all,
            { actions: ['update'], bundles: ['article'], fields: { change: { except: ['zone'] } } },
          ],
        },
      ],
      [false, { permissions: [{ actions: ['view', 'update'], bundles: ['article'] }] }],
    ];
    for (const [isAllowed, editor] of cases) {
      const { send, read, save, textOf } = await openSite(WRONG_KIND, {
        roles: { ...(editor && { editor }) },
      });
      const listed = (await send('GET', '_sources', undefined, EDITOR)).json.data;
      expect([editor, listed.length]).toEqual([editor, isAllowed ? 1 : 0]);
      expect((await read(EDITOR)).status).toBe(isAllowed ? 200 : 404);
      const corrected = WRONG_KIND.replace('tall', '7').replace('west', 'south');
      expect((await save(corrected, EDITOR)).status).toBe(isAllowed ? 200 : 404);
      expect(await textOf()).toBe(isAllowed ? corrected : WRONG_KIND);
    }
    const { send } = await openSite(WRONG_KIND);
    const anonymous: Actor = { name: null, roles: [] };
    expect((await send('GET', '_sources/article/b.md', undefined, anonymous)).status).toBe(401);
  });

  it('gets no HTML, no MDX and no files that the account could not give an entry', async () => {
    const roles: Roles = {
      editor: {
        permissions: [
          { actions: ['view'], bundles: '*' },
          { actions: ['update'], bundles: '*' },
        ],
      },
    };
    const { save, textOf } = await openSite(WRONG_KIND, { roles });
    const unsafe = '<script>alert(1)</script>';
    const improved = WRONG_KIND.replace('west', 'south').replace('Moon', unsafe);
    for (const text of [improved, improved.replace('tall', '7')]) {
      const { status, json } = await save(text, EDITOR);
      expect([status, json.errors[0].detail]).toEqual([422, expect.stringContaining('use raw html')]);
    }
    expect(await textOf()).toBe(WRONG_KIND);
    expect((await save(improved.replace('tall', '7'))).status).toBe(200);

    // Text that was there before may stay, and an unreadable frontmatter hides nothing.
    const broken = await openSite(WRONG_YAML.replace('Moon', unsafe), { roles });
    expect((await broken.save(WRONG_YAML.replace('Moon', `${unsafe}!${unsafe}`), EDITOR)).status).toBe(422);
    expect((await broken.save(WRONG_YAML.replace('"B', 'B').replace('Moon', unsafe), EDITOR)).status).toBe(
      200,
    );
    const open = '---\ntitle: B\nheight: 1\n\nMoon\n';
    const unclosed = await openSite(open, { roles });
    const closed = `---\ntitle: B\nheight: 1\n---\n\n${unsafe}\n`;
    expect((await unclosed.save(closed, EDITOR)).status).toBe(422);

    const mdx = await openSite('---\ntitle: M\nheight: tall\n---\n\nText\n', { roles }, 'article/m.mdx');
    expect((await mdx.save('---\ntitle: M\nheight: 1\n---\n\n{process.exit()}\n', EDITOR)).status).toBe(403);
    expect((await mdx.save('---\ntitle: M\nheight: 1\n---\n\nText\n', EDITOR)).status).toBe(200);
  });

  it('keeps its owner unless the account may change owners', async () => {
    const roles: Roles = {
      editor: { permissions: [{ actions: ['view', 'update'], bundles: '*' }] },
    };
    const owned = WRONG_KIND.replace('zone', 'uid: wren\nzone');
    const { save } = await openSite(owned, { roles });
    const stolen = owned.replace('wren', 'edda').replace('west', 'south');
    expect((await save(stolen, EDITOR)).status).toBe(403);
    expect((await save(stolen)).status).toBe(200);
    const unreadable = '---\ntitle: "B\nuid: wren\nheight: 1\n---\n';
    const broken = await openSite(unreadable, { roles });
    const corrected = unreadable.replace('"B', 'B');
    for (const text of [corrected.replace('wren', 'edda'), corrected.replace('uid: wren\n', '')]) {
      expect((await broken.save(text, EDITOR)).status).toBe(403);
    }
    expect((await broken.save(corrected, EDITOR)).status).toBe(200);
  });
});

import { describe, expect, it, vi } from 'vitest';
import type { Actor } from '../../../integration/core/access/actor.ts';
import type { Roles } from '../../../integration/core/access/role.ts';
import { siteLanguages } from '../../../integration/core/content/languages.ts';
import { bodyText } from '../../../integration/core/content/model.ts';
import { reference, z } from '../../../integration/schema.ts';
import { ask } from '../../security/attacked-site.ts';
import { createHandler } from '../../support/handler.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { adminApp, createServices, type TestSite } from '../../support/services.ts';

const ROOT: Actor = { name: 'root', roles: ['administrator'] };
const WRITER: Actor = { name: 'wren', roles: ['writer'] };
const OTHER: Actor = { name: 'otis', roles: ['writer'] };
const READER: Actor = { name: 'rae', roles: [] };

const FILES = {
  'tag/sea.md': '---\ntitle: Sea\n---\n',
  'article/a.md': '---\ntitle: A\nheight: 2.5\nzone: north\n---\n\nText\n',
};
const SCHEMA = {
  tag: z.object({ title: z.string() }),
  article: z.object({
    title: z.string(),
    height: z.number(),
    zone: z.enum(['north', 'south']),
    motto: z.string().min(5).nullish(),
    tags: z.array(reference('tag')).default([]),
  }),
};

async function openSite(
  site: Omit<TestSite, 'writable'> & { readonly requireIfMatch?: boolean } = {},
  files: Readonly<Record<string, string>> = FILES,
) {
  const { requireIfMatch = false, ...others } = site;
  const driver = createMemoryDriver(files);
  const services = await createServices(driver, SCHEMA, {
    settings: { admin: true },
    ...others,
    writable: { options: { requireIfMatch } },
  });
  const handle = createHandler(services, { adminApp });
  const send = (
    method: string,
    path: string,
    body?: object,
    actor = ROOT,
    headers: Readonly<Record<string, string>> = {},
  ) => ask(handle, method, `/jsonapi/${path}`, { actor, ...(body && { body }), headers });
  const textOf = async (key: string) => {
    const bytes = await driver.read(key);
    return bytes && new TextDecoder().decode(bytes);
  };
  const keys = async () => (await driver.list()).files.map(({ key }) => key).sort();
  const drafts = async (actor = ROOT) => (await send('GET', '_drafts', undefined, actor)).json.data;
  const draft = (attributes: object, id?: string, actor = ROOT) =>
    send('POST', '_drafts', { data: { type: 'node--article', ...(id && { id }), attributes } }, actor);
  const change = (id: string, attributes: object, actor = ROOT, headers = {}) =>
    send(
      'PATCH',
      `_drafts/node--article/${id}`,
      { data: { type: 'node--article', id, attributes } },
      actor,
      headers,
    );
  return { driver, services, send, textOf, keys, drafts, draft, change };
}

describe('a draft', () => {
  it('needs a title only, and is stored outside of the content', async () => {
    const { draft, keys, textOf, drafts, send, services } = await openSite();
    const { status, json, headers } = await draft({ title: 'Two bulges', body: { value: 'Moon.' } });
    expect(status).toBe(201);
    expect(headers.get('location')).toMatch(/\/jsonapi\/_drafts\/node--article\/two-bulges$/);
    expect(json.data).toMatchObject({
      type: 'node--article',
      id: 'two-bulges',
      attributes: { title: 'Two bulges', status: false, height: null, zone: null },
      meta: { draft: { missing: ['height', 'zone'], problems: [] } },
    });
    expect(await keys()).toEqual([
      '.drafts/entries.jsonl',
      '.drafts/node--article/two-bulges.md',
      ...Object.keys(FILES).sort(),
    ]);
    expect(await textOf('.drafts/node--article/two-bulges.md')).toBe(
      '---\ntitle: Two bulges\nstatus: false\nuid: root\n---\n\nMoon.\n',
    );
    expect(services.store.entities('node--article').map(({ id }) => id)).toEqual(['a']);
    expect(services.diagnostics()).toEqual([]);
    expect((await send('GET', 'node/article/two-bulges')).status).toBe(404);
    const [listed, ...others] = await drafts();
    expect(others).toEqual([]);
    expect(listed).toMatchObject({
      type: 'draft',
      id: 'node--article/two-bulges',
      attributes: {
        title: 'Two bulges',
        resource: { type: 'node--article', id: 'two-bulges' },
        author: 'root',
        missing: ['height', 'zone'],
        problems: [],
      },
    });
  });

  it('needs a title', async () => {
    const { draft, keys } = await openSite();
    const { status, json } = await draft({ height: 3 });
    expect(status).toBe(422);
    expect(json.errors.map(({ detail }: { detail: string }) => detail)).toContain('`title` is required.');
    expect(await keys()).toEqual(Object.keys(FILES).sort());
  });

  it('moves to its place with the first save that passes, and leaves nothing behind', async () => {
    const { draft, change, keys, textOf, send, drafts } = await openSite();
    await draft({ title: 'Two bulges', body: { value: 'Moon.' } });
    const first = await change('two-bulges', { height: 3.5 });
    expect([first.status, first.json.data.meta.draft.missing]).toEqual([200, ['zone']]);
    const moved = await change('two-bulges', { zone: 'south' });
    expect(moved.status).toBe(201);
    expect(moved.headers.get('location')).toMatch(/\/jsonapi\/node\/article\/two-bulges$/);
    expect(moved.json.data).toMatchObject({ id: 'two-bulges', attributes: { zone: 'south', status: false } });
    expect(moved.json.data.meta.draft).toBeUndefined();
    expect(await keys()).toEqual([...Object.keys(FILES), 'article/two-bulges.md'].sort());
    expect(await textOf('article/two-bulges.md')).toBe(
      '---\ntitle: Two bulges\nstatus: false\nuid: root\nheight: 3.5\nzone: south\n---\n\nMoon.\n',
    );
    expect((await send('GET', 'node/article/two-bulges')).json.data.meta.revision).toBe(
      moved.json.data.meta.revision,
    );
    expect(await drafts()).toEqual([]);
    expect((await send('GET', '_drafts/node--article/two-bulges')).status).toBe(404);
  });

  it('becomes an entry at once if it is complete', async () => {
    const { draft, keys } = await openSite();
    const { status, headers } = await draft({ title: 'Whole', height: 1, zone: 'north' });
    expect([status, headers.get('location')]).toEqual([201, expect.stringMatching(/node\/article\/whole$/)]);
    expect(await keys()).toContain('article/whole.md');
  });

  it('is not published before it is complete', async () => {
    const { draft, change, drafts } = await openSite();
    expect((await draft({ title: 'B', status: true })).status).toBe(422);
    await draft({ title: 'B' });
    const { status, json } = await change('b', { status: true });
    expect(status).toBe(422);
    expect(json.errors).toMatchObject([{ code: 'field-required' }, { code: 'field-required' }]);
    const published = await change('b', { status: true, height: 2, zone: 'north' });
    expect([published.status, published.json.data.attributes.status]).toEqual([201, true]);
    expect(await drafts()).toEqual([]);
  });

  it('may break rules of the schema, and names them, but has values of the right kind', async () => {
    const { draft, drafts, send, change, textOf } = await openSite();
    expect((await draft({ title: 'Short', motto: 'abc' })).status).toBe(201);
    const [{ attributes }] = await drafts();
    expect(attributes.problems).toMatchObject([{ field: 'motto' }]);
    const { data } = (await send('GET', '_drafts/node--article/short')).json;
    expect(data.attributes.motto).toBe('abc');
    expect((await change('short', { motto: 'abc', height: 1 })).json.data.attributes.motto).toBe('abc');
    expect(await textOf('.drafts/node--article/short.md')).toContain('height: 1\nmotto: abc\n');
    for (const wrong of [{ height: 'tall' }, { unknown: 1 }, { tags: 5 }]) {
      const { status, json } = await draft({ title: 'Wrong', ...wrong });
      expect([wrong, status, json.errors.length]).toEqual([wrong, 422, 1]);
    }
    const dangling = await openSite();
    const { status } = await dangling.send('POST', '_drafts', {
      data: {
        type: 'node--article',
        attributes: { title: 'X' },
        relationships: { tags: { data: [{ type: 'node--tag', id: 'gone' }] } },
      },
    });
    expect(status).toBe(422);
  });

  it('changes only the lines of changed fields', async () => {
    const { draft, change, driver, textOf } = await openSite();
    await draft({ title: 'Kept' });
    const key = '.drafts/node--article/kept.md';
    const text = '---\n# Ask Ada\ntitle:   "Kept"\nstatus: false # not yet\nuid: root\n---\n\nText\n';
    await driver.write(key, new TextEncoder().encode(text));
    await change('kept', { height: 2 });
    expect(await textOf(key)).toBe(text.replace('uid: root\n', 'uid: root\nheight: 2\n'));
    const { status, json } = await change('kept', { height: 2 });
    expect([status, json.data.meta.draft.missing]).toEqual([200, ['zone']]);
    await change('kept', { zone: 'south' });
    expect(await textOf('article/kept.md')).toBe(
      text.replace('uid: root\n', 'uid: root\nheight: 2\nzone: south\n'),
    );
  });

  it('has an id of its own', async () => {
    const { draft, keys, send } = await openSite();
    const taken = await draft({ title: 'X' }, 'a');
    expect([taken.status, taken.json.errors[0].detail]).toEqual([409, "There is an entity 'a' already."]);
    expect((await draft({ title: 'X' }, 'mine')).status).toBe(201);
    const twice = await draft({ title: 'X' }, 'mine');
    expect([twice.status, twice.json.errors[0].detail]).toEqual([409, "There is a draft 'mine' already."]);
    expect((await draft({ title: 'A' })).json.data.id).toBe('a-2');
    expect((await draft({ title: 'A' })).json.data.id).toBe('a-3');
    expect((await draft({ title: 'Odd' }, 'Some Id/Below')).status).toBe(201);
    expect((await send('GET', '_drafts/node--article/Some%20Id/Below')).json.data.id).toBe('Some Id/Below');
    expect((await keys()).filter((key) => key.includes('below'))).toHaveLength(1);
  });

  it('gets another id if an entry has taken it meanwhile', async () => {
    const { draft, change, send, textOf } = await openSite();
    await draft({ title: 'Tides', height: 1 });
    const attributes = { title: 'Tides', height: 5, zone: 'north' };
    expect((await send('POST', 'node/article', { data: { type: 'node--article', attributes } })).status).toBe(
      201,
    );
    const incomplete = await change('tides', { motto: 'Up and down' });
    expect([incomplete.status, incomplete.json.data.attributes.height]).toEqual([200, 1]);
    const moved = await change('tides', { zone: 'south' });
    expect([moved.status, moved.json.data.id]).toEqual([201, 'tides-2']);
    expect(await textOf('article/tides.md')).toContain('zone: north');
    expect(await textOf('article/tides-2.md')).toContain('zone: south');
  });

  it('keeps its place among the drafts if another entry has taken its alias meanwhile', async () => {
    const { draft, change, send, textOf, keys } = await openSite();
    const path = { alias: '/sea/tides' };
    await draft({ title: 'Tides', path, height: 1, body: { value: 'Moon.' } });
    const attributes = { title: 'Ebb', height: 5, zone: 'north', path };
    const other = await send('POST', 'node/article', { data: { type: 'node--article', attributes } });
    expect(other.status).toBe(201);
    const before = [await keys(), await textOf('.drafts/node--article/tides.md')];
    const refused = await change('tides', { zone: 'south' });
    expect([refused.status, refused.json.errors]).toMatchObject([
      409,
      [
        {
          code: 'alias-taken',
          detail: "node--article 'ebb' already has the alias '/sea/tides'.",
          source: { pointer: '/data/attributes/path' },
          meta: { type: 'node--article', id: 'ebb' },
        },
      ],
    ]);
    expect([await keys(), await textOf('.drafts/node--article/tides.md')]).toEqual(before);
    const moved = await change('tides', { zone: 'south', path: { alias: '/sea/high-tides' } });
    expect([moved.status, moved.json.data.attributes.path.alias]).toEqual([201, '/sea/high-tides']);
    expect(await textOf('article/tides.md')).toContain('Moon.');
  });

  it.each(['../../secret', '.git/hooks', 'a/../b', '', 'x\u0000y', 'con'])(
    'with the id %j has no file elsewhere',
    async (id) => {
      const { send, keys } = await openSite();
      const before = await keys();
      const data = { type: 'node--article', id, attributes: { title: 'X' } };
      const { status } = await send('POST', '_drafts', { data });
      const after = (await keys()).filter((key) => !before.includes(key));
      expect([after.length, status]).toEqual(after.length === 0 ? [0, 422] : [2, 201]);
      for (const key of after)
        expect(key).toMatch(/^\.drafts\/(?:entries\.jsonl|node--article\/[a-z0-9-]+\.md)$/);
    },
  );

  it.each([
    ['file', '../../secret.md'],
    ['file', 'node--tag/x.md'],
    ['key', '../secret.md'],
    ['key', '.git/hooks/x.md'],
  ])('is not one whose %s leads elsewhere: %s', async (member, path) => {
    const { driver, draft, drafts, textOf, send } = await openSite();
    await draft({ title: 'X' });
    const line = JSON.parse((await textOf('.drafts/entries.jsonl')) ?? '');
    const forged = JSON.stringify({ ...line, [member]: path });
    await driver.write('.drafts/entries.jsonl', new TextEncoder().encode(`${forged}\n<<<<<<< ours\n`));
    expect(await drafts()).toEqual([]);
    expect((await send('DELETE', '_drafts/node--article/x')).status).toBe(404);
  });

  it('can be deleted', async () => {
    const { draft, keys, send, drafts } = await openSite();
    await draft({ title: 'X' });
    expect((await send('DELETE', '_drafts/node--article/x')).status).toBe(204);
    expect(await keys()).toEqual(Object.keys(FILES).sort());
    expect(await drafts()).toEqual([]);
    expect((await send('GET', '_bin')).json.data).toEqual([]);
  });

  it('accepts one of two changes of the same version', async () => {
    const { draft, change, send } = await openSite({ requireIfMatch: true });
    const { json } = await draft({ title: 'X' });
    expect((await change('x', { height: 1 })).status).toBe(428);
    const match = { 'if-match': `"${json.data.meta.revision}"` };
    expect((await send('GET', '_drafts/node--article/x')).json.data.meta.revision).toBe(
      json.data.meta.revision,
    );
    const first = await change('x', { height: 1 }, ROOT, match);
    expect(first.status).toBe(200);
    expect((await change('x', { height: 2 }, ROOT, match)).status).toBe(412);
    const next = { 'if-match': `"${first.json.data.meta.revision}"` };
    expect((await change('x', { zone: 'south' }, ROOT, next)).status).toBe(201);
  });

  it('has the same version, and the times of its file, as time passes', async () => {
    const { draft, send, change } = await openSite();
    const created = (await draft({ title: 'X' })).json.data;
    vi.useFakeTimers({ now: Date.now() + 3_600_000, toFake: ['Date'] });
    try {
      const later = (await send('GET', '_drafts/node--article/x')).json.data;
      expect(later.meta.revision).toBe(created.meta.revision);
      expect(Date.parse(later.attributes.created)).toBeLessThan(Date.now() - 3_000_000);
      const match = { 'if-match': `"${created.meta.revision}"` };
      expect((await change('x', { height: 1 }, ROOT, match)).status).toBe(200);
    } finally {
      vi.useRealTimers();
    }
  });

  it('says that its file cannot be read, and can be deleted then', async () => {
    const { draft, driver, drafts, send } = await openSite();
    await draft({ title: 'X' });
    await driver.write('.drafts/node--article/x.md', new TextEncoder().encode('---\ntitle: [\n---\n'));
    const [{ attributes }] = await drafts();
    expect([attributes.title, attributes.problems.length > 0]).toEqual(['x', true]);
    const { status, json } = await send('GET', '_drafts/node--article/x');
    expect([status, json.errors[0].detail]).toEqual([409, expect.stringContaining('cannot be read. Line ')]);
    expect((await send('DELETE', '_drafts/node--article/x')).status).toBe(204);
  });

  it('has no HTML that the account may not write', async () => {
    const roles: Roles = {
      writer: { permissions: [{ actions: ['view', 'create', 'update'], bundles: '*' }] },
    };
    const { draft, change, keys } = await openSite({
      roles,
      renderBody: async ({ body }) => (body === null ? '' : bodyText(body)),
    });
    const refused = await draft(
      { title: 'X', body: { value: '<script>alert(1)</script>' } },
      undefined,
      WRITER,
    );
    expect([refused.status, refused.json.errors[0].source.pointer]).toEqual([
      422,
      '/data/attributes/body/value',
    ]);
    expect(await keys()).toEqual(Object.keys(FILES).sort());
    await draft({ title: 'X' }, undefined, WRITER);
    expect((await change('x', { body: { value: '<script></script>' } }, WRITER)).status).toBe(422);
    expect((await change('x', { body: { value: '*Moon*' } }, WRITER)).status).toBe(200);
  });
});

describe('the draft of a translation', () => {
  const languages = siteLanguages({ defaultLocale: 'en', locales: ['en', 'de', 'fr'] });
  const MOON = 'node--article/a?langCode=de';
  const FILE = '.drafts/node--article/a.de.md';
  const german = (attributes: object) => ({ data: { type: 'node--article', id: 'a', attributes } });

  async function openTranslated(site: Parameters<typeof openSite>[0] = {}) {
    const opened = await openSite({ ...site, settings: { admin: true, languages } });
    const translate = (attributes: object, actor = ROOT, method = 'POST', headers = {}) =>
      opened.send(method, `_drafts/${MOON}`, german(attributes), actor, headers);
    return { ...opened, translate, edit: (attributes: object) => translate(attributes, ROOT, 'PATCH') };
  }

  it('needs a title only, and moves to its place with the first save that passes', async () => {
    const { translate, edit, keys, textOf, drafts, send } = await openTranslated();
    const { status, json, headers } = await translate({ title: 'Der Mond' });
    expect([status, headers.get('location')]).toEqual([
      201,
      expect.stringMatching(/\/jsonapi\/_drafts\/node--article\/a\?langCode=de$/),
    ]);
    expect(json.data).toMatchObject({
      id: 'a',
      attributes: { title: 'Der Mond', status: false, langcode: 'de' },
      meta: { draft: { missing: ['height', 'zone'], problems: [] } },
    });
    expect(await textOf(FILE)).toBe('---\ntitle: Der Mond\nstatus: false\n---\n');
    expect(await keys()).toEqual(['.drafts/entries.jsonl', FILE, ...Object.keys(FILES).sort()]);
    expect(await drafts()).toMatchObject([
      {
        id: 'node--article/a?langCode=de',
        attributes: {
          resource: { type: 'node--article', id: 'a', translation: 'de' },
          author: 'root',
          missing: ['height', 'zone'],
        },
      },
    ]);
    expect((await send('GET', '_drafts/node--article/a')).status).toBe(404);
    expect((await send('GET', `_drafts/${MOON}`)).json.data.attributes.title).toBe('Der Mond');

    expect((await edit({ height: 3, body: { value: 'Spät.' } })).json.data.meta.draft.missing).toEqual([
      'zone',
    ]);
    const moved = await edit({ zone: 'south' });
    expect([moved.status, moved.headers.get('location')]).toEqual([
      201,
      expect.stringMatching(/node\/article\/a\?langCode=de$/),
    ]);
    expect(await textOf('article/a.de.md')).toBe(
      '---\ntitle: Der Mond\nstatus: false\nheight: 3\nzone: south\n---\n\nSpät.\n',
    );
    expect(await keys()).toEqual(['article/a.de.md', ...Object.keys(FILES)].sort());
    expect((await send('GET', 'node/article/a?langCode=de')).json.data.attributes.title).toBe('Der Mond');
  });

  it('is a translation at once if it is complete', async () => {
    const { translate, keys } = await openTranslated();
    expect((await translate({ title: 'Mond', height: 1, zone: 'north' })).status).toBe(201);
    expect(await keys()).toEqual(['article/a.de.md', ...Object.keys(FILES)].sort());
  });

  it('is one for each language', async () => {
    const { translate, send, drafts } = await openTranslated();
    await translate({ title: 'Der Mond' });
    const again = await translate({ title: 'Mond' });
    expect([again.status, again.json.errors[0].detail]).toEqual([
      409,
      "There is a draft of 'a' in 'de' already.",
    ]);
    const french = await send('POST', '_drafts/node--article/a?langCode=fr', german({ title: 'La lune' }));
    expect(french.status).toBe(201);
    expect(await drafts()).toHaveLength(2);
    // These are changes of the source.
    for (const path of ['_drafts/node--article/a?langCode=en', '_drafts/node--article/a']) {
      expect((await send('POST', path, german({ title: path }))).json.data.attributes.title).toBe(path);
    }
    expect(
      (await send('POST', '_drafts/node--article/none?langCode=de', german({ title: 'X' }))).status,
    ).toBe(404);
    expect((await translate({ langcode: 'fr' }, ROOT, 'PATCH')).status).toBe(422);
  });

  it('stays if the translation exists by then', async () => {
    const { translate, edit, send, textOf, driver } = await openTranslated();
    await translate({ title: 'Der Mond', height: 1 });
    const other = german({ title: 'Mond', height: 9, zone: 'north' });
    expect((await send('POST', 'node/article/a?langCode=de', other)).status).toBe(201);
    for (const change of [{ zone: 'south' }, { height: 2 }]) {
      const { status, json } = await edit(change);
      expect([status, json.errors[0].detail]).toEqual([409, "'a' exists in 'de' already."]);
    }
    expect(await textOf('article/a.de.md')).toContain('height: 9');
    expect(await textOf(FILE)).toContain('height: 1');
    expect((await send('DELETE', `_drafts/${MOON}`)).status).toBe(204);
    expect(await driver.read('.drafts/entries.jsonl')).toBeUndefined();
  });

  it('loses nothing if its source is deleted, and continues once it is restored', async () => {
    const { translate, edit, send, textOf, drafts, keys } = await openTranslated();
    await translate({ title: 'Der Mond', height: 1 });
    expect((await send('DELETE', 'node/article/a')).status).toBe(204);
    const [{ attributes }] = await drafts();
    expect(attributes).toMatchObject({ missing: ['zone'], problems: [{ code: 'draft/source-missing' }] });
    const shown = await send('GET', `_drafts/${MOON}`);
    expect([shown.status, shown.json.data.attributes.height]).toEqual([200, 1]);
    const saved = await edit({ zone: 'south', body: { value: 'Spät.' } });
    expect([saved.status, saved.json.data.meta.draft]).toEqual([
      200,
      { missing: [], problems: [expect.objectContaining({ code: 'draft/source-missing' })] },
    ]);
    expect(await textOf(FILE)).toContain('Spät.');
    const published = await edit({ status: true });
    expect([published.status, published.json.errors[0].detail]).toEqual([
      409,
      'The entry that this draft translates was deleted. Restore it first.',
    ]);
    expect(await keys()).not.toContain('article/a.de.md');

    const bin = (await send('GET', '_bin')).json.data;
    expect((await send('POST', `_bin/${bin[0].id}`)).status).toBe(204);
    expect((await edit({ title: 'Der Mond!' })).status).toBe(201);
    expect(await textOf('article/a.de.md')).toContain('Spät.');
    expect(await drafts()).toEqual([]);
  });

  it('needs the permission to translate the entry', async () => {
    const roles: Roles = {
      writer: {
        permissions: [
          { actions: ['view'], bundles: '*', where: 'published' },
          { actions: ['view', 'create', 'update'], bundles: ['article'], where: { langcode: 'de' } },
        ],
      },
    };
    const { translate, send, drafts } = await openTranslated({ roles });
    const french = german({ title: 'La lune' });
    expect((await send('POST', '_drafts/node--article/a?langCode=fr', french, WRITER)).status).toBe(403);
    expect((await translate({ title: 'Der Mond' }, WRITER)).status).toBe(201);
    expect((await drafts(WRITER))[0].attributes.author).toBe('wren');
    expect(await drafts(READER)).toEqual([]);
    expect((await send('GET', `_drafts/${MOON}`, undefined, READER)).status).toBe(404);
    expect((await translate({ height: 1, zone: 'north' }, WRITER, 'PATCH')).status).toBe(201);
  });
});

describe('access to drafts', () => {
  const own: Roles = {
    writer: {
      permissions: [
        { actions: ['view'], bundles: '*', where: 'published' },
        { actions: ['view', 'create', 'update'], bundles: ['article'], where: 'own' },
      ],
    },
  };

  it('becomes an entry if its alias is that of an entry that the account does not see', async () => {
    const { draft, change, send } = await openSite({ roles: own });
    const path = { alias: '/sea/tides' };
    await draft({ title: 'Tides', path, height: 1 }, undefined, WRITER);
    const attributes = { title: 'Ebb', height: 5, zone: 'north', path, status: false };
    expect((await send('POST', 'node/article', { data: { type: 'node--article', attributes } })).status).toBe(
      201,
    );
    expect((await change('tides', { zone: 'south' }, WRITER)).status).toBe(201);
  });

  it('needs the permission to create or update entries of the type', async () => {
    const roles: Roles = {
      writer: { permissions: [{ actions: ['view', 'update'], bundles: ['article'] }] },
    };
    const { draft, drafts, send, change } = await openSite({ roles });
    await draft({ title: 'X' });
    expect(await drafts(WRITER)).toHaveLength(1);
    expect((await change('x', { height: 1 }, WRITER)).status).toBe(200);
    expect(await drafts(READER)).toEqual([]);
    for (const method of ['GET', 'PATCH', 'DELETE', 'OPTIONS']) {
      const { status } = await send(method, '_drafts/node--article/x', undefined, READER);
      expect([method, status]).toEqual([method, 404]);
    }
    const missing = await send('GET', '_drafts/node--article/none', undefined, READER);
    const hidden = await send('GET', '_drafts/node--article/x', undefined, READER);
    expect(hidden.json).toEqual(missing.json);
    const anonymous: Actor = { name: null, roles: [] };
    for (const path of ['_drafts', '_drafts/node--article/x']) {
      expect((await send('GET', path, undefined, anonymous)).status).toBe(401);
    }
    expect((await draft({ title: 'Y' }, undefined, WRITER)).status).toBe(403);
    expect((await send('DELETE', '_drafts/node--article/x', undefined, WRITER)).status).toBe(403);
  });

  it('is hidden from accounts whose roles hide the entry, and stays visible to its author', async () => {
    const { draft, drafts, send, change } = await openSite({ roles: own });
    expect((await draft({ title: 'X' }, undefined, WRITER)).status).toBe(201);
    expect(await drafts(OTHER)).toEqual([]);
    expect((await change('x', { height: 1 }, OTHER)).status).toBe(404);
    expect(await drafts(WRITER)).toHaveLength(1);
    expect((await change('x', { height: 1, zone: 'north' }, WRITER)).status).toBe(201);
    expect((await send('GET', 'node/article/x', undefined, WRITER)).status).toBe(200);
  });

  it('leaves fields that the account may not change as they are', async () => {
    const roles: Roles = {
      writer: {
        permissions: [
          {
            actions: ['view', 'create', 'update'],
            bundles: ['article'],
            fields: { view: { except: ['motto'] }, change: { except: ['zone'] } },
          },
        ],
      },
    };
    const { draft, change, send, drafts } = await openSite({ roles });
    const refused = await draft({ title: 'X', zone: 'north' }, undefined, WRITER);
    expect([refused.status, refused.json.errors[0].source.pointer]).toEqual([403, '/data/attributes/zone']);
    expect((await draft({ title: 'X', motto: 'Hidden' }, undefined, WRITER)).status).toBe(422);
    expect((await draft({ title: 'X' }, undefined, WRITER)).status).toBe(201);
    await change('x', { motto: 'abc' });
    const { json } = await send('GET', '_drafts/node--article/x', undefined, WRITER);
    expect(Object.keys(json.data.attributes)).not.toContain('motto');
    expect(JSON.stringify([json, await drafts(WRITER)])).not.toContain('motto');
    const options = await send('OPTIONS', '_drafts/node--article/x', undefined, WRITER);
    expect(options.json.meta.attributes).not.toContain('zone');
    expect(options.json.meta.attributes).toContain('height');
  });
});

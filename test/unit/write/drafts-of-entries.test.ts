import { describe, expect, it } from 'vitest';
import type { Actor } from '../../../integration/core/access/actor.ts';
import type { Roles } from '../../../integration/core/access/role.ts';
import { siteLanguages } from '../../../integration/core/content/languages.ts';
import { TOOLING } from '../../../integration/features/drafts/tooling.ts';
import { z } from '../../../integration/schema.ts';
import { ask } from '../../security/attacked-site.ts';
import { connectAgent } from '../../support/agent.ts';
import { createHandler } from '../../support/handler.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { ATOMIC } from '../../support/operations.ts';
import { adminApp, createServices, type TestSite } from '../../support/services.ts';

const ROOT: Actor = { name: 'root', roles: ['administrator'] };
const WRITER: Actor = { name: 'wren', roles: ['writer'] };
const READER: Actor = { name: 'rae', roles: ['reader'] };
const VISITOR: Actor = { name: null, roles: [] };

const STORED =
  '---\ntitle: A\nheight: 2.5\nzone: north # of the bay\nmotto: Up and down\n---\n\nOne\n\nTwo\n\nTwo\n\nTwo\n\nThree\n';
const DRAFT = '.drafts/node--article/a.md';
const BASE = '.drafts/node--article/a.base.md';
const SCHEMA = {
  article: z.object({
    title: z.string(),
    height: z.number(),
    zone: z.enum(['north', 'south']),
    motto: z.string().min(5).nullish(),
  }),
};

const ROLES: Roles = {
  writer: { permissions: [{ actions: ['view', 'update'], bundles: '*' }] },
  reader: { permissions: [{ actions: ['view'], bundles: '*' }] },
};

async function openSite(site: Omit<TestSite, 'writable'> = {}, files: Record<string, string> = {}) {
  const driver = createMemoryDriver({ 'article/a.md': STORED, ...files });
  const services = await createServices(driver, SCHEMA, {
    settings: { admin: true },
    ...site,
    writable: { options: { requireIfMatch: true } },
  });
  const handle = createHandler(services, { adminApp });
  const send = (
    method: string,
    path: string,
    body?: object,
    actor = ROOT,
    headers: Record<string, string> = {},
  ) => ask(handle, method, `/jsonapi/${path}`, { actor, ...(body && { body }), headers });
  const textOf = async (key: string) => {
    const bytes = await driver.read(key);
    return bytes && new TextDecoder().decode(bytes);
  };
  const keys = async () => (await driver.list()).files.map(({ key }) => key).sort();
  const revisionAt = async (path: string) => (await send('GET', path)).json.data.meta.revision;
  /** Sends attributes with the revision at an address. */
  const change = async (
    method: string,
    path: string,
    attributes: object,
    actor = ROOT,
    revision?: string,
  ) => {
    const at = method === 'POST' ? path.replace('_drafts/node--article', 'node/article') : path;
    const tag = `"${revision ?? (await revisionAt(at))}"`;
    const data = { type: 'node--article', id: 'a', attributes };
    return send(method, path, { data }, actor, { 'if-match': tag });
  };
  const begin = (attributes: object, actor = ROOT) =>
    change('POST', '_drafts/node--article/a', attributes, actor);
  const go = (attributes: object, actor = ROOT) =>
    change('PATCH', '_drafts/node--article/a', attributes, actor);
  return { driver, services, handle, send, textOf, keys, change, begin, go, revisionAt };
}

describe('incomplete changes of a stored entry', () => {
  it('are stored beside the entry, which stays as it is', async () => {
    const { begin, send, textOf, keys, services } = await openSite();
    const { status, json, headers } = await begin({ height: null, motto: 'Down and up' });
    expect(status).toBe(201);
    expect(headers.get('location')).toMatch(/\/jsonapi\/_drafts\/node--article\/a$/);
    expect(json.data).toMatchObject({
      id: 'a',
      attributes: { title: 'A', height: null, motto: 'Down and up', status: true },
      meta: { draft: { missing: ['height'], problems: [], changes_entry: true } },
    });
    expect(await textOf('article/a.md')).toBe(STORED);
    expect(await textOf(BASE)).toBe(STORED);
    expect(await textOf(DRAFT)).toBe(
      '---\ntitle: A\nzone: north # of the bay\nmotto: Down and up\n---\n\nOne\n\nTwo\n\nTwo\n\nTwo\n\nThree\n',
    );
    expect(await keys()).toEqual([BASE, '.drafts/entries.jsonl', DRAFT, 'article/a.md'].sort());
    expect((await send('GET', 'node/article/a')).json.data.attributes).toMatchObject({
      height: 2.5,
      motto: 'Up and down',
    });
    expect(services.diagnostics()).toEqual([]);
    const [listed] = (await send('GET', '_drafts')).json.data;
    expect(listed.attributes).toMatchObject({
      title: 'A',
      missing: ['height'],
      changes_entry: true,
      author: 'root',
    });
  });

  it('change the entry at once if they pass the schema', async () => {
    const { begin, keys, textOf } = await openSite();
    const { status, json } = await begin({ height: 3 });
    expect([status, json.data.attributes.height, json.data.meta.draft]).toEqual([200, 3, undefined]);
    expect(await keys()).toEqual(['article/a.md']);
    expect(await textOf('article/a.md')).toBe(STORED.replace('2.5', '3'));
  });

  it('move to the place of the entry with the first save that passes', async () => {
    const { begin, go, keys, textOf, send } = await openSite();
    await begin({ height: null, motto: 'Down and up' });
    const second = await go({ title: 'B' });
    expect([second.status, second.json.data.meta.draft.missing]).toEqual([200, ['height']]);
    const last = await go({ height: 4 });
    expect([last.status, last.json.data.meta.draft]).toEqual([200, undefined]);
    expect(last.json.data.attributes).toMatchObject({ title: 'B', height: 4, motto: 'Down and up' });
    expect(await keys()).toEqual(['article/a.md']);
    expect(await textOf('article/a.md')).toContain('zone: north # of the bay\nmotto: Down and up');
    expect((await send('GET', '_drafts/node--article/a')).status).toBe(404);
  });

  it('are merged by field and by line with later changes of the entry', async () => {
    const { begin, go, change, textOf } = await openSite();
    await begin({ height: null, body: { value: 'One and a half\n\nTwo\n\nTwo\n\nTwo\n\nThree' } });
    const later = { motto: 'Sideways', body: { value: 'One\n\nTwo\n\nTwo\n\nTwo\n\nThree and more' } };
    expect((await change('PATCH', 'node/article/a', later)).status).toBe(200);
    const { status, json } = await go({ height: 4 });
    expect(status, JSON.stringify(json)).toBe(200);
    expect(await textOf('article/a.md')).toBe(
      '---\ntitle: A\nheight: 4\nzone: north # of the bay\nmotto: Sideways\n---\n\nOne and a half\n\nTwo\n\nTwo\n\nTwo\n\nThree and more\n',
    );
  });

  it('show both versions of a value that they and the entry changed, until someone decides', async () => {
    const { begin, send, change, revisionAt, textOf } = await openSite();
    await begin({ height: null, motto: 'Down and up' });
    const before = await revisionAt('_drafts/node--article/a');
    await change('PATCH', 'node/article/a', { motto: 'Sideways' });
    const { json } = await send('GET', '_drafts/node--article/a');
    expect(json.data.attributes.motto).toBe('Down and up');
    expect(json.data.meta.draft.conflicts).toEqual({
      base: { attributes: { motto: 'Up and down' }, relationships: {} },
      present: { attributes: { motto: 'Sideways' }, relationships: {} },
    });
    // A form that has not seen the change of the entry must read it first.
    const stale = await change('PATCH', '_drafts/node--article/a', { zone: 'south' }, ROOT, before);
    expect(stale.status).toBe(412);
    await change('PATCH', '_drafts/node--article/a', { motto: 'Down and up' });
    const decided = await send('GET', '_drafts/node--article/a');
    expect(decided.json.data.meta.draft.conflicts).toBeUndefined();
    expect(await textOf(BASE)).toContain('Sideways');
    await change('PATCH', '_drafts/node--article/a', { height: 1 });
    expect(await textOf('article/a.md')).toContain('motto: Down and up');
  });

  const days = (...lines: readonly string[]) => ({ body: { value: lines.join('\n\n') } });

  it('have no conflict in a body that could be merged', async () => {
    const { begin, change, send } = await openSite();
    await begin({ height: null, motto: 'Down and up', ...days('ONE', 'Two', 'Two', 'Two', 'Three') });
    await change('PATCH', 'node/article/a', days('One', 'Two', 'Two', 'Two', 'THREE'));
    const merged = await send('GET', '_drafts/node--article/a');
    expect(merged.json.data.attributes.body.value.trim()).toBe('ONE\n\nTwo\n\nTwo\n\nTwo\n\nTHREE');
    expect(merged.json.data.meta.draft.conflicts).toBeUndefined();
    await change('PATCH', 'node/article/a', { motto: 'Sideways' });
    const { conflicts } = (await send('GET', '_drafts/node--article/a')).json.data.meta.draft;
    expect(conflicts.present).toEqual({ attributes: { motto: 'Sideways' }, relationships: {} });
  });

  it('are refused without a decision about each conflict, and the entry stays', async () => {
    const { begin, go, change, send, textOf } = await openSite();
    await begin({ height: null, motto: 'Down and up', ...days('Mine') });
    await change('PATCH', 'node/article/a', { motto: 'Sideways', zone: 'south', ...days('Theirs') });
    const [present, unfinished] = [await textOf('article/a.md'), await textOf(DRAFT)];
    for (const incomplete of [{}, { title: 'B' }, { motto: 'Down and up' }, { motto: 'x', height: 4 }]) {
      const { status, json } = await go(incomplete);
      expect([status, json.errors?.[0].code]).toEqual([409, 'draft-conflicts']);
      expect(json.errors[0].source.pointer).toBe('/data/attributes/body');
    }
    // A body without its text decides nothing about the text.
    expect((await go({ motto: 'Down and up', body: { summary: 'Short' } })).status).toBe(409);
    expect([await textOf('article/a.md'), await textOf(DRAFT)]).toEqual([present, unfinished]);
    const { conflicts } = (await send('GET', '_drafts/node--article/a')).json.data.meta.draft;
    expect(Object.keys(conflicts.present.attributes).sort()).toEqual(['body', 'motto']);

    const decided = await go({ height: 4, motto: 'Sideways', ...days('Mine') });
    expect([decided.status, decided.json.data.meta.draft]).toEqual([200, undefined]);
    expect(await textOf('article/a.md')).toBe(
      '---\ntitle: A\nheight: 4\nzone: south # of the bay\nmotto: Sideways\n---\n\nMine\n',
    );
  });

  it.each([
    ['was deleted', [], '# Mon'],
    ['stands behind a new one', ['# Sun', '# Mon'], '# Sun'],
  ])('are not put into another section with the same lines if theirs %s', async (_, sections, wrong) => {
    const { begin, change, send } = await openSite();
    const text = (...titles: readonly string[]) =>
      titles.map((title) => [title, 'One', 'Two', 'Three', 'Four', 'Five'].join('\n\n')).join('\n\n');
    const [before, after] =
      sections.length > 0 ? [text('# Mon'), text(...sections)] : [text('# Mon', '# Tue'), text('# Mon')];
    const body = (value: string) => ({ body: { value } });
    await change('PATCH', 'node/article/a', body(before));
    const mine =
      before.slice(0, before.lastIndexOf('Three')) +
      before.slice(before.lastIndexOf('Three')).replace('Three', 'THREE');
    await begin({ ...body(mine), height: null });
    await change(
      'PATCH',
      'node/article/a',
      body(after.replace(/Five$/, sections.length > 0 ? 'FIVE' : 'Five')),
    );
    const { attributes, meta } = (await send('GET', '_drafts/node--article/a')).json.data;
    const section = attributes.body.value.split(wrong)[1]?.split('# ')[0] ?? '';
    expect(section).not.toContain('THREE');
    expect(meta.draft.conflicts.present.attributes.body.value.trim()).toContain(wrong);
  });

  it('are discarded with their file, and the entry stays', async () => {
    const { begin, send, keys, revisionAt, textOf } = await openSite();
    await begin({ height: null });
    const tag = `"${await revisionAt('_drafts/node--article/a')}"`;
    expect(
      (await send('DELETE', '_drafts/node--article/a', undefined, ROOT, { 'if-match': tag })).status,
    ).toBe(204);
    expect(await keys()).toEqual(['article/a.md']);
    expect(await textOf('article/a.md')).toBe(STORED);
  });

  it('are refused without the present revision, for a second time, and if they publish', async () => {
    const { begin, change, keys } = await openSite(
      {},
      { 'article/a.md': STORED.replace('title: A', 'title: A\nstatus: false') },
    );
    expect((await change('POST', '_drafts/node--article/a', { height: null }, ROOT, 'old')).status).toBe(412);
    await begin({ height: null });
    expect((await begin({ zone: null })).status).toBe(409);
    const count = (await keys()).length;
    expect((await change('PATCH', '_drafts/node--article/a', { status: true })).status).toBe(422);
    expect((await change('PATCH', '_drafts/node--article/a', { title: null })).status).toBe(422);
    expect((await change('PATCH', '_drafts/node--article/a', { height: 'tall' })).status).toBe(422);
    expect((await keys()).length).toBe(count);
  });

  describe('whose entry was deleted', () => {
    const PATH = '_drafts/node--article/a';
    const REVISED = { status: false, body: { value: 'Revised' } };
    const remove = async (site: Awaited<ReturnType<typeof openSite>>) => {
      const headers = { 'if-match': `"${await site.revisionAt('node/article/a')}"` };
      expect((await site.send('DELETE', 'node/article/a', undefined, ROOT, headers)).status).toBe(204);
    };
    /** Unfinished changes by one person of an entry that another person revised, took down and deleted. */
    const openDeleted = async (roles?: Roles, author = ROOT) => {
      const site = await openSite({ ...(roles && { roles }) });
      expect((await site.begin({ height: null }, author)).status).toBe(201);
      expect((await site.change('PATCH', 'node/article/a', REVISED)).status).toBe(200);
      await remove(site);
      return site;
    };
    const DELETED = [expect.objectContaining({ field: null, code: 'draft/entry-deleted' })];

    it('say so, and stay a draft without a decision', async () => {
      const { send, go, keys, services } = await openDeleted();
      const { data } = (await send('GET', PATH)).json;
      expect(data.meta.draft).toEqual({ missing: ['height'], problems: DELETED });
      expect(data.attributes.status).toBeNull();
      const [listed] = (await send('GET', '_drafts')).json.data;
      expect(listed.attributes).toMatchObject({ problems: DELETED, changes_entry: false });
      const { status, json } = await go({ height: 2 });
      expect([status, json.data.meta.draft]).toEqual([200, { missing: [], problems: DELETED }]);
      expect((await go({ title: 'B', status: null })).json.data.meta.draft.problems).toEqual(DELETED);
      expect(await keys()).not.toContain('article/a.md');
      const [note] = (await TOOLING.notes?.(services)) ?? [];
      expect(note?.message).toContain('was deleted');
    });

    it('cannot publish', async () => {
      const { go, keys, send, textOf } = await openDeleted();
      const before = await textOf(DRAFT);
      const { status, json } = await go({ height: 2, status: true });
      expect([status, json.errors[0].code, json.errors[0].detail]).toEqual([
        409,
        'draft-entry-deleted',
        'The entry of these changes was deleted. Restore it, or send `status: false` for a new entry that is not published.',
      ]);
      expect(await textOf(DRAFT)).toBe(before);
      expect(await keys()).not.toContain('article/a.md');
      expect((await send('GET', 'node/article/a')).status).toBe(410);
    });

    it('become a new entry with `status: false`, and the bin keeps the former one', async () => {
      const { go, keys, send, textOf } = await openDeleted();
      const { status, json } = await go({ height: 7, status: false });
      expect([status, json.data.attributes.status]).toEqual([201, false]);
      expect(await textOf('article/a.md')).toContain('status: false');
      expect((await keys()).filter((key) => key.startsWith('.drafts'))).toEqual([]);
      const [{ id }] = (await send('GET', '_bin')).json.data;
      const restored = await send('POST', `_bin/${id}`);
      expect([restored.status, restored.json.errors[0].code]).toEqual([409, 'file-exists']);
      expect((await send('GET', `_bin/${id}`)).json.data.attributes.title).toBe('A');
    });

    it('are merged with the entry once it is restored', async () => {
      const { go, send, textOf } = await openDeleted();
      await go({ motto: 'Down and up' });
      const [{ id }] = (await send('GET', '_bin')).json.data;
      expect((await send('POST', `_bin/${id}`)).status).toBe(204);
      const { data } = (await send('GET', PATH)).json;
      expect(data.attributes).toMatchObject({ status: false, motto: 'Down and up' });
      expect(data.meta.draft).toEqual({ missing: ['height'], problems: [], changes_entry: true });
      expect((await go({ height: 7 })).status).toBe(200);
      const text = await textOf('article/a.md');
      for (const part of ['status: false', 'height: 7', 'motto: Down and up', 'Revised']) {
        expect(text).toContain(part);
      }
    });

    it('refuse a form that was open before the deletion', async () => {
      const site = await openSite();
      await site.begin({ height: null });
      const seen = await site.revisionAt(PATH);
      await remove(site);
      expect((await site.change('PATCH', PATH, { status: false }, ROOT, seen)).status).toBe(412);
    });

    it('become no entry while a file that cannot be read is in its place', async () => {
      const { go, driver, keys, textOf } = await openDeleted();
      await driver.write('article/a.md', new TextEncoder().encode('---\ntitle: [\n---\n'));
      const before = await keys();
      expect((await go({ height: 7, status: false })).status).toBe(409);
      expect([await keys(), await textOf('article/a.md')]).toEqual([before, '---\ntitle: [\n---\n']);
    });

    it('are not changed by operations on the entry, which is gone', async () => {
      const { send, keys, textOf } = await openDeleted();
      const [before, draft] = [await keys(), await textOf(DRAFT)];
      const ref = { type: 'node--article', id: 'a' };
      const perform = (operation: object) =>
        send('POST', 'operations', { 'atomic:operations': [operation] }, ROOT, { 'content-type': ATOMIC });
      for (const operation of [
        { op: 'update', data: { ...ref, attributes: { height: 7, status: false } }, meta: { ifMatch: 'x' } },
        { op: 'remove', ref, meta: { ifMatch: 'x' } },
      ]) {
        const { status, json } = await perform(operation);
        expect([status, json.errors]).toMatchObject([
          410,
          [{ detail: expect.stringContaining('deleted'), source: { pointer: expect.any(String) } }],
        ]);
      }
      expect([await keys(), await textOf(DRAFT)]).toEqual([before, draft]);
    });

    it('are kept by an operation that deletes the entry, and say so', async () => {
      const site = await openSite();
      await site.begin({ height: null });
      const meta = { ifMatch: await site.revisionAt('node/article/a') };
      const operation = { op: 'remove', ref: { type: 'node--article', id: 'a' }, meta };
      const headers = { 'content-type': ATOMIC };
      const sent = { 'atomic:operations': [operation] };
      expect((await site.send('POST', 'operations', sent, ROOT, headers)).status).toBe(204);
      expect((await site.send('GET', PATH)).json.data.meta.draft.problems).toEqual(DELETED);
      expect(await site.textOf(DRAFT)).toContain('Up and down');
    });

    it('are out of reach of agents, which read that the entry was deleted', async () => {
      const { handle, keys, textOf } = await openDeleted();
      const [before, draft] = [await keys(), await textOf(DRAFT)];
      const client = await connectAgent(handle, ROOT);
      const ref = { type: 'node--article', id: 'a' };
      const update = { op: 'update', data: { ...ref, attributes: { height: 7 } }, meta: { ifMatch: 'x' } };
      const remove = { op: 'remove', ref, meta: { ifMatch: 'x' } };
      for (const [name, args] of [
        ['read', ref],
        ['change', { operations: [update] }],
        ['change', { operations: [update], dryRun: true }],
        ['change', { operations: [remove] }],
      ] as const) {
        const { content, isError } = await client.callTool({ name, arguments: args });
        expect([isError, content]).toMatchObject([
          true,
          [{ text: expect.stringContaining("'a' was deleted") }],
        ]);
      }
      const { content } = await client.callTool({ name: 'query', arguments: { type: ref.type } });
      expect(JSON.stringify(content)).not.toContain('Up and down');
      await client.close();
      expect([await keys(), await textOf(DRAFT)]).toEqual([before, draft]);
    });

    it('belong to the entry again that an operation adds under its id', async () => {
      const { send, textOf, go } = await openDeleted();
      await go({ motto: 'Down and up' });
      const attributes = { title: 'A', height: 3, zone: 'south' };
      const added = { op: 'add', data: { type: 'node--article', id: 'a', attributes } };
      const created = await send('POST', 'operations', { 'atomic:operations': [added] }, ROOT, {
        'content-type': ATOMIC,
      });
      expect(created.status).toBe(200);
      const { data } = (await send('GET', PATH)).json;
      expect(data.attributes).toMatchObject({ motto: 'Down and up', height: null, zone: 'south' });
      const present = { attributes: { height: 3, motto: null }, relationships: {} };
      expect(data.meta.draft).toMatchObject({ problems: [], changes_entry: true, conflicts: { present } });
      expect(await textOf(DRAFT)).toContain('Down and up');
    });

    it('become an entry only for accounts that may create one', async () => {
      const { go, keys } = await openDeleted(ROLES, WRITER);
      expect((await go({ height: 7, status: false }, WRITER)).status).toBe(403);
      expect(await keys()).not.toContain('article/a.md');
    });
  });

  it('cannot be read while the file of the entry has errors', async () => {
    const { begin, driver, send, textOf } = await openSite();
    await begin({ height: null });
    await driver.write('article/a.md', new TextEncoder().encode('---\ntitle: [\n---\n'));
    const { status } = await send('GET', '_drafts/node--article/a');
    expect(status).toBe(409);
    expect((await send('GET', '_drafts')).json.data).toHaveLength(1);
    expect(await textOf(DRAFT)).toContain('title: A');
  });

  const LANGUAGES = siteLanguages({ defaultLocale: 'en', locales: ['en', 'de'] });

  it('are also those of a translation', async () => {
    const german = '---\ntitle: Ah\nheight: 2\nzone: north\nmotto: Auf und ab\n---\n\nEins\n';
    const { change, textOf, keys } = await openSite(
      { settings: { admin: true, languages: LANGUAGES } },
      { 'article/a.de.md': german },
    );
    const path = '_drafts/node--article/a?langCode=de';
    const begun = await change('POST', path, { motto: 'ab' });
    expect([
      begun.status,
      begun.json.data?.meta.draft.problems.map(({ field }: { field: string }) => field),
    ]).toEqual([201, ['motto']]);
    expect(await textOf('article/a.de.md')).toBe(german);
    expect(await keys()).toContain('.drafts/node--article/a.de.base.md');
    expect((await change('PATCH', path, { motto: 'Ab und auf' })).status).toBe(200);
    expect(await textOf('article/a.de.md')).toBe(german.replace('Auf und ab', 'Ab und auf'));
    expect((await keys()).filter((key) => key.startsWith('.drafts'))).toEqual([]);
  });

  it('of a deleted translation stay a draft too', async () => {
    const german = '---\ntitle: Ah\nheight: 2\nzone: north\nmotto: Auf und ab\n---\n\nEins\n';
    const { change, send, keys, textOf, revisionAt } = await openSite(
      { settings: { admin: true, languages: LANGUAGES } },
      { 'article/a.de.md': german },
    );
    const path = '_drafts/node--article/a?langCode=de';
    expect((await change('POST', path, { motto: 'ab' })).status).toBe(201);
    const entry = 'node/article/a?langCode=de';
    const tag = `"${await revisionAt(entry)}"`;
    expect((await send('DELETE', entry, undefined, ROOT, { 'if-match': tag })).status).toBe(204);
    const kept = await change('PATCH', path, { motto: 'Ab und auf' });
    expect([kept.status, kept.json.data.meta.draft.problems[0].code]).toEqual([200, 'draft/entry-deleted']);
    expect((await change('PATCH', path, { status: true })).status).toBe(409);
    expect(await keys()).not.toContain('article/a.de.md');
    expect((await change('PATCH', path, { status: false })).status).toBe(201);
    expect(await textOf('article/a.de.md')).toContain('status: false');
  });

  it('need the permission to change the entry', async () => {
    const { begin, send } = await openSite({ roles: ROLES });
    expect((await begin({ height: null }, READER)).status).toBe(403);
    expect((await begin({ height: null }, WRITER)).status).toBe(201);
    expect((await send('GET', '_drafts', undefined, READER)).json.data).toEqual([]);
    expect((await send('GET', '_drafts/node--article/a', undefined, READER)).status).toBe(404);
    expect((await send('GET', '_drafts', undefined, WRITER)).json.data).toHaveLength(1);
  });

  it('are a note of `check`', async () => {
    const { begin, services } = await openSite();
    await begin({ height: null });
    const notes = await TOOLING.notes?.(services);
    expect(notes?.map(({ severity, message }) => [severity, message])).toEqual([
      ['info', 'Unfinished changes of `a` of `node--article`. Missing: `height`.'],
    ]);
  });
});

describe('the working copy of an entry', () => {
  const WORKING = 'node/article/a?resourceVersion=rel:working-copy';
  const PLAIN = '/api/content/articles/a?resourceVersion=rel:working-copy';

  it('shows unfinished changes to accounts that may change the entry, as in Drupal', async () => {
    const { begin, send } = await openSite({ roles: ROLES });
    await begin({ title: 'B', height: null });
    const { json, headers } = await send('GET', WORKING, undefined, WRITER);
    expect(json.data.attributes).toMatchObject({ title: 'B', height: null, zone: 'north' });
    expect(json.data.links.self.href).toMatch(/\/node\/article\/a\?resourceVersion=rel%3Aworking-copy$/);
    expect(json.data.meta.version).toBeUndefined();
    expect(headers.get('cache-control')).toBe('private, no-cache');
    expect((await send('GET', 'node/article/a')).json.data.attributes.title).toBe('A');
    expect(
      (await send('GET', `${WORKING.replace('working-copy', 'latest-version')}`)).json.data,
    ).toMatchObject({
      attributes: { title: 'A' },
    });
  });

  it.each([
    ['readers', READER],
    ['visitors', VISITOR],
  ])('is the entry for %s, who get no sign of changes', async (_, actor) => {
    const { begin, handle } = await openSite({ roles: ROLES });
    const read = async (address: string) => {
      const { text, headers } = await ask(handle, 'GET', address, { actor });
      return [text, [...headers]];
    };
    const before = [await read(`/jsonapi/${WORKING}`), await read(PLAIN)];
    expect(before.map(([text]) => String(text).includes('"title":"A"'))).toEqual([true, true]);
    await begin({ title: 'B', height: null });
    expect([await read(`/jsonapi/${WORKING}`), await read(PLAIN)]).toEqual(before);
  });

  it('is new as soon as changes begin or end', async () => {
    const { begin, go, send, handle } = await openSite({ roles: ROLES });
    const title = async () => (await send('GET', WORKING, undefined, WRITER)).json.data.attributes.title;
    const plain = async () => (await ask(handle, 'GET', PLAIN, { actor: WRITER })).json.data.title;
    expect([await title(), await plain()]).toEqual(['A', 'A']);
    await begin({ title: 'B', height: null });
    expect([await title(), await plain()]).toEqual(['B', 'B']);
    await go({ title: 'C', height: null });
    expect([await title(), await plain()]).toEqual(['C', 'C']);
    await go({ height: 3 });
    expect([await title(), await plain()]).toEqual(['C', 'C']);
    expect((await send('GET', 'node/article/a')).json.data.attributes.title).toBe('C');
  });

  it.each(['PATCH', 'DELETE'])('cannot be changed by %s, which is about the entry', async (method) => {
    const { begin, send, handle, textOf } = await openSite({ roles: ROLES });
    await begin({ title: 'B', height: null });
    const data = { type: 'node--article', id: 'a', attributes: { title: 'C' } };
    for (const [address, body] of [
      [`/jsonapi/${WORKING}`, { data }],
      [PLAIN, { title: 'C' }],
    ] as const) {
      const { status, text } = await ask(handle, method, address, {
        actor: ROOT,
        ...(method === 'PATCH' && { body }),
      });
      expect([status, text]).toEqual([400, expect.stringContaining('resourceVersion')]);
    }
    expect(await textOf('article/a.md')).toBe(STORED);
    expect((await send('GET', WORKING)).json.data.attributes.title).toBe('B');
  });

  it('is a conflict for accounts that may change it if its file has errors', async () => {
    const { begin, send, driver } = await openSite({ roles: ROLES });
    await begin({ title: 'B', height: null });
    await driver.write(DRAFT, new TextEncoder().encode('---\ntitle: [\n---\n'));
    const { status, json } = await send('GET', WORKING, undefined, WRITER);
    expect([status, json.errors[0].source]).toEqual([409, { parameter: 'resourceVersion' }]);
    expect((await send('GET', WORKING, undefined, READER)).json.data.attributes.title).toBe('A');
  });

  it('is a conflict for accounts that may change it if the original text of the changes is missing', async () => {
    const { begin, send, handle, driver, textOf, keys, services } = await openSite({
      roles: { ...ROLES, author: { permissions: [{ actions: ['view', 'create'], bundles: '*' }] } },
    });
    await begin({ title: 'B', height: null });
    await driver.remove(BASE);
    const draft = '_drafts/node--article/a';
    const data = { type: 'node--article', id: 'a', attributes: { title: 'C', height: 3, status: false } };
    for (const [method, body] of [['GET'], ['PATCH', { data }]] as const) {
      const { status, json } = await send(method, draft, body, WRITER, { 'if-match': '*' });
      expect([method, status, json.errors[0].detail]).toEqual([method, 409, expect.stringContaining(BASE)]);
    }
    expect((await send('POST', draft, { data }, WRITER, { 'if-match': '*' })).status).toBe(409);
    expect((await send('GET', WORKING, undefined, WRITER)).status).toBe(409);
    expect((await ask(handle, 'GET', PLAIN, { actor: WRITER })).status).toBe(409);
    const list = (await send('GET', '_drafts', undefined, WRITER)).json.data;
    expect(list).toMatchObject([{ attributes: { changes_entry: true, problems: [{ field: null }] } }]);
    expect((await TOOLING.notes?.(services))?.[0]?.message).toMatch(
      /^Unfinished changes of `a` .*a\.base\.md/,
    );
    // Accounts that may not change the entry see the entry, also if they may create others.
    for (const actor of [READER, { name: 'al', roles: ['author'] }]) {
      expect((await send('GET', draft, undefined, actor)).status).toBe(404);
      expect((await send('GET', WORKING, undefined, actor)).json.data.attributes.title).toBe('A');
      expect((await send('GET', '_drafts', undefined, actor)).json.data).toEqual([]);
    }
    expect([await textOf('article/a.md'), await textOf(DRAFT)]).toEqual([STORED, expect.any(String)]);
    expect((await send('DELETE', draft, undefined, WRITER, { 'if-match': '*' })).status).toBe(204);
    expect(await keys()).toEqual(['article/a.md']);
    expect((await send('GET', WORKING, undefined, WRITER)).json.data.attributes.title).toBe('A');
  });

  it('is not the draft of another entry that has the same id', async () => {
    const files = { '.drafts/node--article/a.md': '---\ntitle: New\n---\n' };
    const { send } = await openSite({ roles: ROLES }, files);
    expect((await send('GET', WORKING, undefined, ROOT)).json.data.attributes.title).toBe('A');
  });
});

import { describe, expect, it } from 'vitest';
import type { Actor } from '../../../integration/core/access/actor.ts';
import type { Roles } from '../../../integration/core/access/role.ts';
import { siteLanguages } from '../../../integration/core/content/languages.ts';
import { ATOMIC_MEDIA_TYPE } from '../../../integration/core/read/document-types.ts';
import { reference, z } from '../../../integration/schema.ts';
import { ask } from '../../security/attacked-site.ts';
import { connectAgent } from '../../support/agent.ts';
import { createHandler } from '../../support/handler.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { adminApp, createServices, type TestSite } from '../../support/services.ts';

const ROOT: Actor = { name: 'root', roles: ['administrator'] };
const WRITER: Actor = { name: 'wren', roles: ['writer'] };

const FILES = {
  'tag/sea.md': '---\n# Why it exists\ntitle: "Sea"\npath: /sea\n---\n\nText\n',
  'article/a.md': '---\ntitle: A\nuid: wren\nmain: sea\ntags: [land, sea, sky]\n---\n',
  'article/b.md': '---\ntitle: B\ntags: [sea]\n---\n',
  'tag/land.md': '---\ntitle: Land\n---\n',
  'tag/sky.md': '---\ntitle: Sky\n---\n',
};
const SCHEMA = {
  tag: z.object({ title: z.string() }),
  article: z.object({
    title: z.string(),
    main: reference('tag').nullish(),
    tags: z.array(reference('tag')).default([]),
  }),
};

interface Entry {
  readonly id: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

async function openSite(
  site: Omit<TestSite, 'writable'> & {
    readonly onDelete?: 'restrict' | 'set-null';
    readonly bin?: boolean;
  } = {},
  files: Readonly<Record<string, string>> = FILES,
) {
  const { onDelete = 'set-null', bin, ...others } = site;
  const driver = createMemoryDriver(files);
  const options = { onDelete, ...(bin !== undefined && { bin }) };
  const services = await createServices(driver, SCHEMA, {
    settings: { admin: true },
    ...others,
    writable: { options },
  });
  const handle = createHandler(services, { adminApp });
  const send = (method: string, path: string, body?: object, actor = ROOT) =>
    ask(handle, method, `/jsonapi/${path}`, {
      actor,
      ...(body && { body }),
      ...(path === 'operations' && { headers: { 'content-type': ATOMIC_MEDIA_TYPE } }),
    });
  const textOf = async (key: string) => {
    const bytes = await driver.read(key);
    return bytes && new TextDecoder().decode(bytes);
  };
  const keys = async () => (await driver.list()).files.map(({ key }) => key);
  const entries = async (actor = ROOT): Promise<readonly Entry[]> =>
    (await send('GET', '_bin', undefined, actor)).json.data;
  return { driver, handle, send, textOf, keys, entries };
}

describe('the bin', () => {
  it('has what an agent deletes', async () => {
    const { handle, keys, textOf, entries } = await openSite();
    const agent = await connectAgent(handle, ROOT);
    const ref = { type: 'node--article', id: 'a' };
    const { content } = await agent.callTool({ name: 'read', arguments: ref });
    const ifMatch = /"revision":\s*"(.*?)"/.exec(JSON.parse(JSON.stringify(content))[0].text)?.[1];
    const operations = [{ op: 'remove', ref, meta: { ifMatch } }];
    const { isError } = await agent.callTool({ name: 'change', arguments: { operations } });
    await agent.close();
    expect(isError).toBeFalsy();
    expect(await keys()).not.toContain('article/a.md');
    const [entry] = await entries();
    expect(entry?.attributes).toMatchObject({ deleted_by: 'root' });
    const [kept = ''] = (await keys()).filter((key) => /^\.bin\/.*\.md$/.test(key));
    expect(await textOf(kept)).toBe(FILES['article/a.md']);
  });

  it('has a deleted entry with who deleted it and when, and its file byte for byte', async () => {
    const { send, textOf, keys, entries } = await openSite({ now: () => Date.parse('2026-11-28T10:00:00Z') });
    expect((await send('DELETE', 'node/tag/sea')).status).toBe(204);
    expect((await send('GET', 'node/tag/sea')).status).toBe(410);
    const [entry, ...others] = await entries();
    expect(others).toEqual([]);
    expect(entry?.attributes).toEqual({
      title: 'Sea',
      resource: { type: 'node--tag', id: 'sea' },
      langcode: 'en',
      translation: null,
      translations: [],
      deleted: '2026-11-28T10:00:00.000Z',
      deleted_by: 'root',
      references: 3,
    });
    const file = (await keys()).find((key) => key.startsWith('.bin/node--tag/sea-'));
    expect(await textOf(file ?? '')).toBe(FILES['tag/sea.md']);
    const { json } = await send('GET', `_bin/${entry?.id}`);
    expect(json.data.attributes).toMatchObject({ source: FILES['tag/sea.md'], problem: null });
  });

  it('gives back an entry with its id, its alias, its file and the references to it', async () => {
    const { send, textOf, keys, entries } = await openSite();
    const before = await keys();
    await send('DELETE', 'node/tag/sea');
    expect(await textOf('article/a.md')).not.toContain('sea');
    const [entry] = await entries();
    expect((await send('POST', `_bin/${entry?.id}`)).status).toBe(204);
    expect(await keys()).toEqual(before);
    const { json } = await send('GET', 'node/tag/sea');
    expect(json.data.attributes.path.alias).toBe('/sea');
    expect(await textOf('tag/sea.md')).toBe(FILES['tag/sea.md']);
    const article = (await send('GET', 'node/article/a')).json.data.relationships;
    expect(article.main.data.id).toBe('sea');
    expect(article.tags.data.map(({ id }: { id: string }) => id)).toEqual(['land', 'sea', 'sky']);
    expect(await entries()).toEqual([]);
  });

  it('leaves a reference as it is if its field has changed since', async () => {
    const { send, entries } = await openSite();
    await send('DELETE', 'node/tag/sea');
    const tags = { data: [{ type: 'node--tag', id: 'sky' }] };
    await send('PATCH', 'node/article/a/relationships/tags', tags);
    await send('POST', `_bin/${(await entries())[0]?.id}`);
    const article = (await send('GET', 'node/article/a')).json.data.relationships;
    expect(article.tags.data.map(({ id }: { id: string }) => id)).toEqual(['sky']);
    expect(article.main.data.id).toBe('sea');
  });

  it('restores references that the same request replaced', async () => {
    const { send, entries } = await openSite({ onDelete: 'restrict' });
    const relationship = (id: string, field: string) => ({
      op: 'update',
      href: `/jsonapi/node/article/${id}/relationships/${field}`,
    });
    const sky = { type: 'node--tag', id: 'sky' };
    const land = { type: 'node--tag', id: 'land' };
    const operations = [
      { ...relationship('a', 'main'), data: sky },
      { ...relationship('a', 'tags'), data: [land, sky] },
      { ...relationship('b', 'tags'), data: [sky] },
      { op: 'remove', ref: { type: 'node--tag', id: 'sea' } },
    ];
    expect((await send('POST', 'operations', { 'atomic:operations': operations })).status).toBe(204);
    expect((await send('POST', `_bin/${(await entries())[0]?.id}`)).status).toBe(204);
    const { main, tags } = (await send('GET', 'node/article/a')).json.data.relationships;
    expect([main.data.id, ...tags.data.map(({ id }: { id: string }) => id)]).toEqual([
      'sea',
      'land',
      'sea',
      'sky',
    ]);
    const other = (await send('GET', 'node/article/b')).json.data.relationships;
    expect(other.tags.data.map(({ id }: { id: string }) => id)).toEqual(['sea']);
  });

  it('keeps each deletion of an id', async () => {
    const { send, entries } = await openSite();
    await send('DELETE', 'node/article/b');
    const again = { data: { type: 'node--article', id: 'b', attributes: { title: 'Another B' } } };
    expect((await send('POST', 'node/article', again)).status).toBe(201);
    const [former] = await entries();
    const { status, json } = await send('POST', `_bin/${former?.id}`);
    expect(status).toBe(409);
    expect(json.errors[0].detail).toBe(
      "'B' cannot be restored, because there is a file 'article/b.md' again.",
    );
    await send('DELETE', 'node/article/b');
    expect((await entries()).map(({ attributes }) => attributes.title)).toEqual(['Another B', 'B']);
  });

  it('does not restore an entry if another entry has taken its address, and names the other entry', async () => {
    const { send, entries, textOf } = await openSite();
    await send('DELETE', 'node/tag/sea');
    const attributes = { title: 'Ocean', path: { alias: '/sea' } };
    await send('PATCH', 'node/tag/land', { data: { type: 'node--tag', id: 'land', attributes } });
    const [former] = await entries();
    const { status, json } = await send('POST', `_bin/${former?.id}`);
    expect(status).toBe(409);
    expect(json.errors[0]).toMatchObject({
      code: 'alias-taken',
      detail: "node--tag 'land' already has the alias '/sea'.",
      meta: { type: 'node--tag', id: 'land' },
    });
    expect(await textOf('tag/sea.md')).toBeUndefined();
    const { problem_code: code } = (await send('GET', `_bin/${former?.id}`)).json.data.attributes;
    expect(code).toBe('alias-taken');
    const other = { data: { type: 'node--tag', id: 'land', attributes: { path: { alias: '/ocean' } } } };
    await send('PATCH', 'node/tag/land', other);
    expect((await send('POST', `_bin/${former?.id}`)).status).toBe(204);
  });

  it('loses an entry that is deleted for good', async () => {
    const { send, keys, entries } = await openSite();
    await send('DELETE', 'node/article/b');
    const [entry] = await entries();
    expect((await send('DELETE', `_bin/${entry?.id}`)).status).toBe(204);
    expect((await keys()).filter((key) => key.startsWith('.bin/'))).toEqual([]);
    expect((await send('POST', `_bin/${entry?.id}`)).status).toBe(404);
    expect((await send('GET', 'node/article/b')).status).toBe(410);
  });

  it('says why an entry does not fit the content any more', async () => {
    const { driver, send, keys, entries } = await openSite();
    await send('DELETE', 'node/article/b');
    const file = (await keys()).find((key) => key.startsWith('.bin/node--article/b-'));
    await driver.write(file ?? '', new TextEncoder().encode('---\ntitle: B\ntags: 5\n---\n'));
    const [entry] = await entries();
    const { json } = await send('GET', `_bin/${entry?.id}`);
    expect(json.data.attributes.problem).toMatch(/^'B' does not fit the present content\. Line 3: /);
    expect((await send('POST', `_bin/${entry?.id}`)).status).toBe(422);
    expect(await keys()).toContain(file);
  });

  it('gives back the translations that were deleted with an entry', async () => {
    const languages = siteLanguages({ locales: ['en', 'de'], defaultLocale: 'en' });
    const files = { 'article/x.md': '---\ntitle: X\n---\n', 'article/x.de.md': '---\ntitle: XX\n---\n' };
    const { send, keys, entries } = await openSite({ settings: { admin: true, languages } }, files);
    const ref = { type: 'node--article', id: 'x' };
    const operations = [
      { op: 'remove', ref, meta: { langCode: 'de' } },
      { op: 'remove', ref },
    ];
    expect((await send('POST', 'operations', { 'atomic:operations': operations })).status).toBe(204);
    const [source, ...others] = await entries();
    expect(others).toEqual([]);
    expect(source?.attributes).toMatchObject({ translation: null, translations: ['de'] });
    expect((await send('POST', `_bin/${source?.id}`)).status).toBe(204);
    expect((await keys()).sort()).toEqual(Object.keys(files).sort());
    expect((await send('GET', 'node/article/x?langCode=de')).json.data.attributes.title).toBe('XX');
  });

  it('shows and restores only entries that the account may delete', async () => {
    const roles: Roles = {
      writer: {
        permissions: [
          { actions: ['view'], bundles: '*' },
          { actions: ['create', 'delete'], bundles: ['article'], where: 'own' },
        ],
      },
    };
    const { send, entries } = await openSite({ roles });
    await send('DELETE', 'node/article/a');
    await send('DELETE', 'node/article/b');
    await send('DELETE', 'node/tag/sky');
    const own = await entries(WRITER);
    expect(own.map(({ attributes }) => attributes.title)).toEqual(['A']);
    const hidden = (await entries()).find(({ attributes }) => attributes.title === 'B');
    for (const method of ['GET', 'POST', 'DELETE']) {
      expect((await send(method, `_bin/${hidden?.id}`, undefined, WRITER)).status).toBe(404);
    }
    expect((await send('POST', `_bin/${own[0]?.id}`, undefined, WRITER)).status).toBe(204);
  });

  it('shows nothing that a filter of a role could hide', async () => {
    const roles: Roles = {
      authenticated: {},
      writer: {
        permissions: [
          {
            actions: ['view', 'delete'],
            bundles: ['article'],
            where: { free: { condition: { path: 'main.id', operator: 'IS NULL' } } },
          },
        ],
      },
    };
    const { send, entries } = await openSite({ roles });
    expect((await send('DELETE', 'node/article/a', undefined, WRITER)).status).toBe(404);
    await send('DELETE', 'node/article/a');
    expect(await entries(WRITER)).toEqual([]);
  });

  it('is for accounts, and its list has pages', async () => {
    const { send } = await openSite();
    for (const id of ['a', 'b']) await send('DELETE', `node/article/${id}`);
    const anonymous: Actor = { name: null, roles: [] };
    expect((await send('GET', '_bin', undefined, anonymous)).status).toBe(401);
    const { json } = await send('GET', '_bin?page[limit]=1');
    expect([json.data.length, json.meta.count, 'next' in json.links]).toEqual([1, 2, true]);
    const wrong = await send('GET', '_bin?sort=title');
    expect([wrong.status, wrong.json.errors[0].source.parameter]).toEqual([400, 'sort']);
  });

  it('restores several entries that refer to each other, or none', async () => {
    const { send, keys, entries } = await openSite();
    const before = await keys();
    const operations = [
      { op: 'remove', ref: { type: 'node--article', id: 'a' } },
      { op: 'remove', ref: { type: 'node--tag', id: 'sea' } },
    ];
    expect((await send('POST', 'operations', { 'atomic:operations': operations })).status).toBe(204);
    const data: object[] = (await entries()).map(({ id }) => ({ type: 'bin-entry', id }));
    const unknown = { type: 'bin-entry', id: 'unknown' };
    expect((await send('POST', '_bin', { data: [...data, unknown] })).status).toBe(404);
    expect(await entries()).toHaveLength(2);
    expect((await send('POST', '_bin', { data })).status).toBe(204);
    expect(await keys()).toEqual(before);
    const { main } = (await send('GET', 'node/article/a')).json.data.relationships;
    expect(main.data.id).toBe('sea');
    for (const wrong of [{}, { data: [] }, { data: [{ type: 'node--tag', id: 'sea' }] }]) {
      expect((await send('POST', '_bin', wrong)).status).toBe(400);
    }
  });

  it('finds the deletions of an address', async () => {
    const { send } = await openSite();
    for (const path of ['node/article/a', 'node/tag/sea', 'node/tag/sky']) await send('DELETE', path);
    const found = await send('GET', '_bin?filter[type]=node--tag&filter[id]=sea');
    const titles = found.json.data.map(({ attributes }: Entry) => attributes.title);
    expect([titles, found.json.meta.count]).toEqual([['Sea'], 1]);
    for (const parameter of ['filter', 'filter[title]', 'filter[x][y]']) {
      const { status, json } = await send('GET', `_bin?${parameter}=sea`);
      expect([status, json.errors[0].source.parameter]).toEqual([400, parameter]);
    }
  });

  it('can be switched off', async () => {
    const { send, keys, entries } = await openSite({ bin: false });
    await send('DELETE', 'node/article/b');
    expect((await keys()).filter((key) => key.startsWith('.bin/'))).toEqual([]);
    expect(await entries()).toEqual([]);
  });

  it('counts only the references that the account sees', async () => {
    const roles: Roles = {
      writer: {
        permissions: [
          { actions: ['view'], bundles: ['tag'] },
          { actions: ['delete'], bundles: ['tag'] },
        ],
      },
    };
    const { send, entries } = await openSite(
      { roles },
      { ...FILES, 'article/a.md': '---\ntitle: A\nstatus: false\ntags: [sea]\n---\n' },
    );
    await send('DELETE', 'node/tag/sea');
    expect((await entries()).map(({ attributes }) => attributes.references)).toEqual([2]);
    // Visitors see the published article.
    expect((await entries(WRITER)).map(({ attributes }) => attributes.references)).toEqual([1]);
  });

  it.each([
    ['file', '../../secret.md'],
    ['file', 'node--article/../../secret.md'],
    ['key', '../secret.md'],
    ['key', '.git/hooks/x.md'],
    ['key', '/etc/x.md'],
  ])('has no entry whose %s leads elsewhere: %s', async (member, path) => {
    const { driver, send, entries, textOf } = await openSite();
    await send('DELETE', 'node/article/b');
    const line = JSON.parse((await textOf('.bin/entries.jsonl')) ?? '');
    const forged = JSON.stringify({ ...line, [member]: path });
    await driver.write('.bin/entries.jsonl', new TextEncoder().encode(`${forged}\n`));
    expect(await entries()).toEqual([]);
  });

  it('restores an entry whose line a merge has repeated', async () => {
    const { driver, send, entries, keys, textOf } = await openSite();
    await send('DELETE', 'node/article/b');
    const line = await textOf('.bin/entries.jsonl');
    await driver.write('.bin/entries.jsonl', new TextEncoder().encode(`${line}${line}`));
    const [entry, ...others] = await entries();
    expect(others).toEqual([]);
    expect((await send('POST', `_bin/${entry?.id}`)).status).toBe(204);
    expect((await keys()).filter((key) => key.startsWith('.bin/'))).toEqual([]);
  });

  it('survives lines that are not entries', async () => {
    const files = { ...FILES, '.bin/entries.jsonl': '<<<<<<< ours\nnull\n{"type":1}\n' };
    const { send, entries, textOf } = await openSite({}, files);
    await send('DELETE', 'node/article/b');
    expect((await entries()).map(({ attributes }) => attributes.title)).toEqual(['B']);
    expect(await textOf('.bin/entries.jsonl')).toContain('<<<<<<< ours\nnull\n{"type":1}\n');
  });
});

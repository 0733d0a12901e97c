import { describe, expect, it } from 'vitest';
import { defineSchema, z } from '../../../integration/schema.ts';
import { collect } from './collect.ts';
import { createFileEditor } from './encode/file-editor.ts';

const KEY = 'post/a.md';
const post = (...lines: readonly string[]) => ({ [KEY]: ['---', ...lines, '---', ''].join('\n') });
const HISTORY = { [KEY]: { created: 1_600_000_000, changed: 1_600_000_000 } };
const IN_GIT = '2020-09-13T12:26:40+00:00';

describe('base fields under their usual names', () => {
  it.each([
    ['date: 2022-07-08', { created: '2022-07-08T00:00:00+00:00', changed: IN_GIT, date: '2022-07-08' }],
    ['pubDate: Jul 08 2022', { created: '2022-07-08T00:00:00+00:00', pubDate: '2022-07-08' }],
    ['pubDatetime: 2022-07-08 14:00 +0200', { created: '2022-07-08T14:00:00+02:00' }],
    ['publishDate: 2022-07-08', { created: '2022-07-08T00:00:00+00:00' }],
    ['created: 2021-01-01\ndate: 2022-07-08', { created: '2021-01-01T00:00:00+00:00', date: '2022-07-08' }],
    ['date: soon', { created: IN_GIT, date: 'soon' }],
    ['date: [2022-07-08]', { created: IN_GIT }],
    ['date: ""', { created: IN_GIT, date: '' }],
    ['updated: 2022-07-08', { created: IN_GIT, changed: '2022-07-08T00:00:00+00:00' }],
    ['lastmod: 2022-07-08', { changed: '2022-07-08T00:00:00+00:00' }],
    ['updatedDate: 2022-07-08', { changed: '2022-07-08T00:00:00+00:00' }],
    ['last_modified_at: 2022-07-08', { changed: '2022-07-08T00:00:00+00:00' }],
    ['lang: fr', { langcode: 'fr', lang: 'fr' }],
    ['locale: pt-BR', { langcode: 'pt-BR' }],
    ['lang: js', { langcode: 'en', lang: 'js' }],
    ['locale: Berlin', { langcode: 'en', locale: 'Berlin' }],
    ['lang: fr\nlangcode: de', { langcode: 'de' }],
  ])('%s', async (lines, expected) => {
    const { values, problems } = await collect(post(lines), { history: HISTORY });
    expect(problems).toEqual([]);
    expect({ ...values(KEY) }).toMatchObject(expected);
  });

  it('a field that the schema declares otherwise sets nothing', async () => {
    const schema = defineSchema({ post: { date: z.string(), updated: z.boolean() } });
    const { values } = await collect(post('date: 2022-07-08', 'updated: true'), { schema, history: HISTORY });
    expect({ ...values(KEY) }).toMatchObject({ created: IN_GIT, changed: IN_GIT, date: '2022-07-08' });
  });

  it('a date that the schema declares sets them', async () => {
    const schema = defineSchema({
      post: { pubDate: z.coerce.date(), updatedDate: z.coerce.date().optional() },
    });
    const { values } = await collect(post('pubDate: Jul 08 2022', "updatedDate: 'Aug 08 2022'"), {
      schema,
      timeZone: 'Europe/Berlin',
    });
    expect({ ...values(KEY) }).toMatchObject({
      created: '2022-07-07T22:00:00+00:00',
      changed: '2022-08-07T22:00:00+00:00',
    });
  });

  it.each([
    ['post/2024-01-02-hello.md', 'hello', '2024-01-02T00:00:00+00:00'],
    ['post/2024/2024-01-02_hello.md', 'hello', '2024-01-02T00:00:00+00:00'],
    ['post/2024-01-02.md', '2024-01-02', '2024-01-02T00:00:00+00:00'],
    ['post/2024-02-30-hello.md', 'hello', '1970-01-01T00:00:00+00:00'],
    ['post/2024-01-023.md', '2024-01-023', '1970-01-01T00:00:00+00:00'],
  ])('the name %s has the title %s and is from %s, and stays the id', async (key, title, created) => {
    const { entity } = await collect({ [key]: '' }, { history: { [key]: { created: 0, changed: 0 } } });
    expect(entity(key).id).toBe(key.slice('post/'.length, -'.md'.length));
    expect(entity(key).values).toMatchObject({ title, created });
  });

  it('a date in the frontmatter counts more than one in the file name', async () => {
    const key = 'post/2024-01-02-hello.md';
    const { values } = await collect({ [key]: '---\ndate: 2024-01-03 10:00\n---\n' });
    expect(values(key).created).toBe('2024-01-03T10:00:00+00:00');
  });
});

describe('a change of a base field under its usual name', () => {
  it.each([
    ['date: 2022-07-08', { created: '2026-11-23T00:00:00+00:00' }, 'date: 2026-11-23'],
    ['pubDate: Jul 08 2022', { created: '2026-11-23T00:00:00+00:00' }, 'pubDate: Nov 23 2026'],
    ['lastmod: 2022-07-08', { changed: '2026-11-23T00:00:00+00:00' }, 'lastmod: 2026-11-23'],
    ['lang: fr', { langcode: 'de' }, 'lang: de'],
    [
      'created: 2022-07-08\ndate: 2022-07-08',
      { created: '2026-11-23T00:00:00+00:00' },
      'created: 2026-11-23\ndate: 2022-07-08',
    ],
  ])('%s: %j', async (before, changes, after) => {
    const editor = await createFileEditor(post(before));
    expect(editor.edit(KEY, changes)).toBe(post(after)[KEY]);
  });

  it('never changes the date of publication, which would publish the entity', async () => {
    const editor = await createFileEditor(post('publishDate: 2030-07-08'));
    const after = editor.edit(KEY, { created: '2020-01-01T00:00:00+00:00' });
    expect(after).toContain('publishDate: 2030-07-08');
    expect(after).toMatch(/^created: /m);
  });

  it('keeps both if both are sent', async () => {
    const editor = await createFileEditor(post('date: 2022-07-08'));
    const after = editor.edit(KEY, { created: '2020-01-01T00:00:00+00:00', date: '2026-11-23' });
    expect(after).toContain('date: 2026-11-23');
    expect(after).toMatch(/^created: 2020-01-01/m);
  });

  it('sets the time of the edit in the form of the file, and only if the file has one', async () => {
    const now = '2026-11-23T09:00:00+00:00';
    const editor = await createFileEditor({
      ...post('title: A', 'lastmod: 2022/07/08', 'date: 2022-07-08'),
      'post/b.md': '---\ntitle: B\ndate: 2022-07-08\n---\n',
    });
    expect(editor.edit(KEY, { title: 'C' }, { now })).toBe(
      post('title: C', 'lastmod: 2026/11/23', 'date: 2022-07-08')[KEY],
    );
    expect(editor.edit('post/b.md', { title: 'C' }, { now })).toBe('---\ntitle: C\ndate: 2022-07-08\n---\n');
  });
});

describe('unpublishing and publishing again', () => {
  const neighbours = {
    'post/b.md': '---\ntitle: B\n---\n',
    'post/c.md': '---\ntitle: C\ndraft: true\n---\n',
    'post/d.md': '---\ntitle: D\n---\n',
  };

  it.each([
    ['with a neighbor that has draft', neighbours, 'title: A', 'title: A\ndraft: true'],
    [
      'in a bundle that always writes it',
      { 'post/b.md': '---\ntitle: B\ndraft: false\n---\n' },
      'title: A\ndraft: false',
      'title: A\ndraft: true',
    ],
    [
      'with published: true',
      { 'post/b.md': '---\ntitle: B\npublished: true\n---\n' },
      'title: A\npublished: true',
      'title: A\npublished: false',
    ],
  ])('%s leaves the file as it was', async (_name, others, before, hidden) => {
    const first = await createFileEditor({ ...others, ...post(before) });
    const unpublished = first.edit(KEY, { status: false });
    expect(unpublished).toBe(post(hidden)[KEY]);
    const second = await createFileEditor({ ...others, [KEY]: unpublished });
    expect(second.collected.entity(KEY).published).toBe(false);
    expect(second.edit(KEY, { status: true })).toBe(post(before)[KEY]);
  });

  it('writes no status if the other files have none', async () => {
    const others = { 'post/b.md': neighbours['post/b.md'] };
    const first = await createFileEditor({ ...others, ...post('title: A') });
    const unpublished = first.edit(KEY, { status: false });
    expect(unpublished).toBe(post('title: A', 'status: false')[KEY]);
    const second = await createFileEditor({ ...others, [KEY]: unpublished });
    expect(second.edit(KEY, { status: true })).toBe(post('title: A')[KEY]);
  });

  it('uses the flag that the schema declares', async () => {
    const schema = defineSchema({ post: { draft: z.boolean().default(false) } });
    const first = await createFileEditor({ ...neighbours, ...post('title: A') }, { schema });
    const unpublished = first.edit(KEY, { status: false });
    expect(unpublished).toBe(post('title: A', 'draft: true')[KEY]);
    const second = await createFileEditor({ ...neighbours, [KEY]: unpublished }, { schema });
    expect(second.edit(KEY, { status: true })).toBe(post('title: A')[KEY]);
  });

  it('keeps a flag that the schema requires or that hides by default', async () => {
    for (const draft of [z.boolean(), z.boolean().default(true)]) {
      const schema = defineSchema({ post: { draft } });
      const others = { 'post/b.md': '---\ntitle: B\ndraft: false\n---\n' };
      const editor = await createFileEditor({ ...others, ...post('title: A', 'draft: true') }, { schema });
      expect(editor.edit(KEY, { status: true })).toBe(post('title: A', 'draft: false')[KEY]);
    }
  });
});

import { describe, expect, it } from 'vitest';
import { defineSchema, z } from '../../../../integration/schema.ts';
import { ask } from '../../../security/attacked-site.ts';
import { createHandler } from '../../../support/handler.ts';
import { createMemoryDriver } from '../../../support/memory-driver.ts';
import { createServices, type TestSite } from '../../../support/services.ts';
import { collect } from '../collect.ts';
import { createFileEditor } from '../encode/file-editor.ts';

const markdown = (frontmatter: string, body = ''): string => `---\n${frontmatter}\n---\n${body}`;
const FLAGS = ['published: false', 'publish: false', 'unlisted: true', 'draft: true'];
const SHOWING = ['published: true', 'publish: true', 'unlisted: false', 'draft: false'];
const SIGNED_OUT = { name: '', roles: [] };

describe('flags of other tools', () => {
  it.each(FLAGS)('%s hides an entity with any status', async (flag) => {
    const { entity, problems } = await collect({
      'article/a.md': markdown(flag),
      'article/b.md': markdown(`status: true\n${flag}`),
    });
    expect(problems).toEqual([]);
    expect(entity('article/a.md')).toMatchObject({ published: false, values: { status: false } });
    expect(entity('article/b.md').published).toBe(false);
    expect(entity('article/a.md').values).not.toHaveProperty(flag.split(':')[0] ?? '');
  });

  it.each(SHOWING)('%s does not', async (flag) => {
    const { entity } = await collect({ 'article/a.md': markdown(flag) });
    expect(entity('article/a.md').published).toBe(true);
  });

  it.each([
    ['published: "false"', 2, 12],
    ['publish: no', 2, 10],
    ['unlisted: yes', 2, 11],
    ['published: 0', 2, 12],
  ])('%s is an error at its position, because it is ambiguous', async (written, line, column) => {
    const { ids, diagnostics } = await collect({ 'article/a.md': markdown(written) });
    expect(ids).toEqual([]);
    expect(diagnostics).toContainEqual(expect.objectContaining({ code: 'field/invalid', line, column }));
  });

  it.each([
    ['Draft: true', 1],
    ['DRAFT: true', 1],
    ['Published: false', 1],
    ['Publish: false', 1],
    ['Unlisted: true', 1],
    ['PublishDate: 2999-01-01', 1],
    ['draft: please', 8],
    ['draft: [true]', 8],
    ['draft: { a: b }', 8],
  ])('%s is an error at its position, because it would publish a draft', async (written, column) => {
    const code = column === 1 ? 'field/case' : 'field/invalid';
    for (const [key, text, line] of [
      ['article/a.md', markdown(written), 2],
      ['article/a.yaml', written, 1],
    ] as const) {
      const { ids, diagnostics } = await collect({ [key]: text });
      expect(ids).toEqual([]);
      expect(diagnostics).toContainEqual(
        expect.objectContaining({ severity: 'error', code, line, column, hint: expect.any(String) }),
      );
    }
  });

  it('may be declared by a schema in any letter case and with any kind of value', async () => {
    const fields = { Published: z.boolean(), draft: z.string() };
    const { ids, problems } = await collect(
      { 'article/a.md': markdown('Published: false\ndraft: please') },
      { schema: defineSchema({ article: fields }) },
    );
    expect({ ids, problems }).toEqual({ ids: ['node--article/a'], problems: [] });
  });

  it('in another letter case are unknown fields under a schema', async () => {
    const { ids, diagnostics } = await collect(
      { 'article/a.md': markdown('Draft: true') },
      { schema: defineSchema({ article: {} }) },
    );
    expect(ids).toEqual([]);
    expect(diagnostics).toContainEqual(expect.objectContaining({ code: 'field/unknown', line: 2 }));
  });

  it('with another kind of value are ordinary fields', async () => {
    const { values, entity } = await collect({
      'article/a.md': markdown('published: 2024-01-01\npublish: [rss]\nunlisted: { in: feed }'),
    });
    expect(entity('article/a.md').published).toBe(true);
    expect(values('article/a.md')).toMatchObject({ published: '2024-01-01', publish: ['rss'] });
  });

  it('count if a schema declares them, including their default', async () => {
    const schema = defineSchema({
      article: { published: z.boolean().default(false), unlisted: z.boolean().nullish() },
    });
    const { entity } = await collect(
      {
        'article/a.md': '',
        'article/b.md': markdown('published: true'),
        'article/c.md': markdown('published: true\nunlisted: true'),
      },
      { schema },
    );
    expect(['a', 'b', 'c'].map((id) => entity(`article/${id}.md`).published)).toEqual([false, true, false]);
    expect(entity('article/b.md').values).toMatchObject({ published: true, unlisted: null });
  });

  it('are ordinary fields if a schema declares strings', async () => {
    const schema = defineSchema({ article: { published: z.string() } });
    const { entity } = await collect({ 'article/a.md': markdown('published: "false"') }, { schema });
    expect(entity('article/a.md').published).toBe(true);
  });
});

describe('a written status', () => {
  it.each(FLAGS.map((flag, at) => [flag, SHOWING[at] ?? '']))(
    'turns %s into %s, and back, and touches nothing else',
    async (hidden, published) => {
      const text = (flag: string) => markdown(`title: A # a comment\n${flag} # why`, 'Text\n');
      const { edit } = await createFileEditor({
        'article/a.md': text(hidden),
        'article/b.md': text(published),
      });
      expect(edit('article/a.md', { status: true })).toBe(text(published));
      expect(edit('article/b.md', { status: false })).toBe(text(hidden));
    },
  );

  it('uses the flag of the neighbors', async () => {
    const { create } = await createFileEditor({ 'article/a.md': markdown('title: A\npublished: false') });
    expect(create('article/b.md', { title: 'B', status: false })).toBe(
      markdown('title: B\npublished: false'),
    );
  });

  it('overrides the schema’s default of a flag', async () => {
    const schema = defineSchema({ article: { published: z.boolean().default(false) } });
    const { create, edit } = await createFileEditor({ 'article/a.md': markdown('title: A') }, { schema });
    expect(create('article/b.md', { title: 'B', status: true })).toBe(markdown('title: B\npublished: true'));
    expect(edit('article/a.md', { status: true })).toBe(markdown('title: A\npublished: true'));
  });
});

const NOW = Date.parse('2026-06-01T12:00:00Z');

async function siteOf(files: Readonly<Record<string, string>>, site: TestSite = {}, schema = {}) {
  const driver = createMemoryDriver(files);
  const services = await createServices(driver, schema, { now: () => NOW, ...site });
  const handle = createHandler(services);
  return {
    services,
    ids: async () => {
      const { json } = await ask(handle, 'GET', '/jsonapi/node/article', { actor: SIGNED_OUT });
      return json.data.map(({ id }: { id: string }) => id);
    },
    handle,
  };
}

describe('dates that delay publication', () => {
  it('can be publish_on, publishDate and published, as days and times in one bundle', async () => {
    const { ids } = await siteOf({
      'article/past.md': markdown('publishDate: 2026-05-31'),
      'article/today.md': markdown('publishDate: 2026-06-01'),
      'article/hour-ago.md': markdown('publishDate: 2026-06-01T13:00:00+02:00'),
      'article/soon.md': markdown('publishDate: 2026-06-01T12:00:01Z'),
      'article/later.md': markdown('publishDate: 2026-06-02'),
      'article/scheduled-day.md': markdown('publish_on: 2026-06-02'),
      'article/scheduled-time.md': markdown('publish_on: 2026-06-02T00:00:00Z'),
      'article/old.md': markdown('published: 2024-01-01'),
      'article/new.md': markdown('published: 2027-01-01'),
      'article/hidden.md': markdown('published: false'),
      'article/both.md': markdown('publish_on: 2026-01-01\npublishDate: 2027-01-01'),
      'article/ended.md': markdown('unpublish_on: 2026-06-01'),
    });
    expect(await ids()).toEqual(['hour-ago', 'old', 'past', 'today']);
  });

  it('count in a bundle with a schema, with any type', async () => {
    const fields = { publishDate: z.string().nullish(), publish_on: z.iso.date().nullish() };
    const { ids } = await siteOf(
      {
        'article/text.md': markdown('publishDate: 2027-01-01'),
        'article/day.md': markdown('publish_on: 2027-01-01'),
        'article/seen.md': '',
      },
      {},
      defineSchema({ article: fields }),
    );
    expect(await ids()).toEqual(['seen']);
  });

  it('publish an entity on time, and limit how long a response is cached', async () => {
    let now = NOW;
    const { ids, services } = await siteOf(
      { 'article/a.md': markdown('publishDate: 2026-06-02') },
      { now: () => now },
    );
    expect(await ids()).toEqual([]);
    expect(services.clock.nextScheduledChange()).toBe(Date.parse('2026-06-02T00:00:00Z'));
    now = Date.parse('2026-06-02T00:00:00Z');
    expect(await ids()).toEqual(['a']);
  });

  it.each(['publish_on: soon', 'publishDate: 1704067200', 'unpublish_on: [2024-01-01]', 'publishDate: ""'])(
    '%s is an error, because it would publish at once',
    async (written) => {
      const { ids, diagnostics } = await collect({ 'article/a.md': markdown(written) });
      expect(ids).toEqual([]);
      expect(diagnostics).toContainEqual(expect.objectContaining({ code: 'date/invalid', line: 2 }));
    },
  );
});

describe('a role that may not write the status', () => {
  it('cannot publish by a flag that the schema declares', async () => {
    const roles = {
      writer: {
        permissions: [
          { actions: ['view'], bundles: '*' },
          { actions: ['update'], bundles: '*', fields: { change: { except: ['status'] } } },
        ],
      },
    } as const;
    const schema = defineSchema({ article: { published: z.boolean().nullish() } });
    const files = { 'article/a.md': markdown('title: A\npublished: false') };
    const { handle } = await siteOf(files, { roles, writable: {} }, schema);
    const change = (attributes: object) =>
      ask(handle, 'PATCH', '/jsonapi/node/article/a', {
        actor: { name: 'w', roles: ['writer'] },
        body: { data: { type: 'node--article', id: 'a', attributes } },
        headers: { 'content-type': 'application/vnd.api+json' },
      });
    expect((await change({ published: true })).status).toBe(403);
    expect((await change({ status: true })).status).toBe(403);
    expect((await change({ title: 'B' })).status).toBe(200);
  });
});

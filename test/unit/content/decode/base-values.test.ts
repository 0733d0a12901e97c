import { describe, expect, it } from 'vitest';
import { decimal, defineSchema, z } from '../../../../integration/schema.ts';
import { MEMORY_EPOCH_MS } from '../../../support/memory-driver.ts';
import { collect } from '../collect.ts';

const markdown = (frontmatter: string, body = ''): string => `---\n${frontmatter}\n---\n${body}`;
const MTIME = `${new Date(MEMORY_EPOCH_MS).toISOString().slice(0, 19)}+00:00`;

describe('title', () => {
  it.each([
    ['title: Written', '# Heading', 'Written'],
    ['title: 2024', '# Heading', '2024'],
    ['title: 1.50', '', '1.50'],
    ['title: true', '', 'true'],
    ['title:', '# Heading', 'Heading'],
    ['title: ""', '# Heading', 'Heading'],
    ['other: x', '# A *heading*', 'A heading'],
    ['other: x', 'text\n\n## Deep *heading*', 'my-file'],
    ['other: x', 'text', 'my-file'],
  ])('of %j over %j is %j', async (frontmatter, body, title) => {
    const { values } = await collect({ 'article/my-file.md': markdown(frontmatter, body) });
    expect(values('article/my-file.md').title).toBe(title);
  });

  it('of an index file is its folder name, of a data file its file name', async () => {
    const { values } = await collect({
      'article/trip/index.md': '',
      'article/index.md': '',
      'article/x.y.json': '{}',
    });
    expect(values('article/trip/index.md').title).toBe('trip');
    expect(values('article/index.md').title).toBe('index');
    expect(values('article/x.y.json').title).toBe('x.y');
  });

  it('cannot be a list', async () => {
    const { ids, problems } = await collect({ 'article/a.md': markdown('title: [a]') });
    expect(ids).toEqual([]);
    expect(problems).toEqual(['content/article/a.md:2:8 `title` must be a string.']);
  });
});

describe('created and changed', () => {
  it.each([
    ['2024-01-07', '2024-01-07T00:00:00+00:00'],
    ['2024-01-07T12:00:01+01:00', '2024-01-07T12:00:01+01:00'],
    ['2024-01-07 12:00', '2024-01-07T12:00:00+00:00'],
    ['1704628801', '2024-01-07T12:00:01+00:00'],
    ['"1704628801"', '2024-01-07T12:00:01+00:00'],
    ['1704628801000', '2024-01-07T12:00:01+00:00'],
    ['0', '1970-01-01T00:00:00+00:00'],
  ])('written %s is %s', async (written, canonical) => {
    const { values } = await collect({
      'article/a.md': markdown(`created: ${written}\nchanged: ${written}`),
    });
    expect(values('article/a.md')).toMatchObject({ created: canonical, changed: canonical });
  });

  it.each([['2024-02-30'], ['soon'], ['true'], ['[2024-01-01]'], ['08-07-2022']])(
    'cannot be %s',
    async (written) => {
      const { ids, diagnostics } = await collect({ 'article/a.md': markdown(`created: ${written}`) });
      expect(ids).toEqual([]);
      expect(diagnostics).toContainEqual(
        expect.objectContaining({ code: 'date/invalid', severity: 'error', line: 2, column: 10 }),
      );
    },
  );

  it('come from git if not written, and from the file without a commit', async () => {
    const { values } = await collect(
      { 'article/a.md': '', 'article/b.md': markdown('created: 2020-05-05'), 'article/c.md': '' },
      {
        history: {
          'article/a.md': { created: 1_600_000_000, changed: 1_700_000_000 },
          'article/b.md': { created: 1_600_000_000, changed: 1_700_000_000 },
        },
      },
    );
    expect(values('article/a.md')).toMatchObject({
      created: '2020-09-13T12:26:40+00:00',
      changed: '2023-11-14T22:13:20+00:00',
    });
    expect(values('article/b.md')).toMatchObject({
      created: '2020-05-05T00:00:00+00:00',
      changed: '2023-11-14T22:13:20+00:00',
    });
    expect(values('article/c.md')).toMatchObject({ created: MTIME, changed: MTIME });
  });

  it('are date-times in every bundle, even if written as days', async () => {
    const { field } = await collect({ 'article/a.md': markdown('created: 2024-01-01') });
    expect(field('node--article', 'created')).toMatchObject({ kind: 'datetime', base: true });
  });
});

describe('the other base fields', () => {
  it('have defaults', async () => {
    const { values } = await collect({ 'article/a.md': '' }, { defaultLangcode: 'de' });
    expect(values('article/a.md')).toEqual(
      Object.assign(Object.create(null), {
        title: 'a',
        status: true,
        created: MTIME,
        changed: MTIME,
        langcode: 'de',
        path: { alias: null },
        uid: null,
      }),
    );
  });

  it('come first in every type, in a fixed order', async () => {
    const { collector } = await collect({ 'article/a.md': markdown('zebra: 1\napple: 1') });
    const { types } = await collector.load();
    const names = [
      'title',
      'status',
      'created',
      'changed',
      'langcode',
      'path',
      'uid',
      'body',
      'apple',
      'zebra',
    ];
    expect([...(types[0]?.fields.keys() ?? [])]).toEqual(names);
  });

  it.each([
    ['langcode: fr', { langcode: 'fr' }],
    ['path: /about', { path: { alias: '/about' } }],
    ['path: { alias: /about }', { path: { alias: '/about' } }],
    ['path: { alias: null }', { path: { alias: null } }],
    ['uid: ada', { uid: 'ada' }],
    ['uid: 007', { uid: '007' }],
  ])('%s', async (frontmatter, values) => {
    const { entity, problems } = await collect({ 'article/a.md': markdown(frontmatter) });
    expect(problems).toEqual([]);
    expect(entity('article/a.md').values).toMatchObject(values);
  });

  it.each([
    ['path: [a]', 'error'],
    ['path: { alias: 5 }', 'error'],
    ['langcode: { a: b }', 'error'],
    ['path: { alias: /a, pid: 5 }', 'warning'],
  ])('%s is a %s', async (frontmatter, severity) => {
    const { diagnostics } = await collect({ 'article/a.md': markdown(frontmatter) });
    expect(diagnostics.filter((each) => each.severity !== 'info').map((each) => each.severity)).toEqual([
      severity,
    ]);
  });

  it('summary belongs to the body, unless the file has no body', async () => {
    const all = await collect({ 'article/a.md': markdown('summary: Short') });
    expect(all.entity('article/a.md').body?.summary).toBe('Short');
    expect(all.values('article/a.md')).not.toHaveProperty('summary');
    const data = await collect({
      'article/a.md': markdown('summary: Short'),
      'article/b.json': '{"summary": "Own"}',
    });
    expect(data.entity('article/a.md').body?.summary).toBe('Short');
    expect(data.values('article/b.json').summary).toBe('Own');
    const list = await collect({ 'article/a.md': markdown('summary: [a]') });
    expect(list.values('article/a.md').summary).toEqual(['a']);
  });

  it('uuid is a field only beside an id', async () => {
    const alone = await collect({ 'article/a.md': markdown('uuid: u1') });
    expect(alone.values('article/a.md')).not.toHaveProperty('uuid');
    const beside = await collect({ 'article/a.md': markdown('id: x\nuuid: u1') });
    expect(beside.values('article/a.md').uuid).toBe('u1');
  });
});

describe('status', () => {
  it.each([
    ['', true, true],
    ['status: true', true, true],
    ['status: false', false, false],
    ['status: 1', true, true],
    ['status: 0', false, false],
    ['status:', true, true],
    ['draft: true', false, false],
    ['draft: false', true, true],
    ['status: true\ndraft: true', false, false],
    ['status: Final', 'Final', true],
    ['status: Draft', 'Draft', false],
    ['status: " PRIVATE "', ' PRIVATE ', false],
    ['status: unpublished', 'unpublished', false],
    ['status: hidden', 'hidden', false],
    ['status: Archived', 'Archived', false],
    ['status: Final\ndraft: true', 'Final', false],
  ])('of %j is %j, published %j', async (frontmatter, status, published) => {
    const { entity, problems } = await collect({ 'article/a.md': markdown(frontmatter) });
    expect(problems).toEqual([]);
    expect(entity('article/a.md').values.status).toBe(status);
    expect(entity('article/a.md').published).toBe(published);
    expect(entity('article/a.md').values).not.toHaveProperty('draft');
  });

  it.each([
    ['status: no', 2, 9],
    ['status: Yes', 2, 9],
    ['status: "false"', 2, 9],
    ['title: A\ndraft: yes', 3, 8],
    ['draft: "true"', 2, 8],
    ['draft: 1', 2, 8],
  ])('of %j is an error, because it is ambiguous', async (written, line, column) => {
    const { ids, diagnostics } = await collect({ 'article/a.md': markdown(written) });
    expect(ids).toEqual([]);
    expect(diagnostics).toContainEqual(
      expect.objectContaining({ severity: 'error', code: 'field/invalid', line, column }),
    );
  });

  it('ignores a `draft` that a schema declares with another type', async () => {
    const schema = { article: { draft: z.string() } };
    const declared = await collect({ 'article/a.md': markdown('draft: yes') }, { schema });
    expect(declared.values('article/a.md').draft).toBe('yes');
    expect(declared.entity('article/a.md').published).toBe(true);
  });

  it('as a string is an ordinary field, and the report names its publication rule', async () => {
    const { field, values, entity, diagnostics } = await collect({
      'eip/a.md': markdown('status: Final'),
      'eip/b.md': '',
    });
    expect(field('node--eip', 'status')).toMatchObject({ kind: 'string', base: true });
    expect(values('eip/b.md').status).toBeNull();
    expect(entity('eip/b.md').published).toBe(true);
    expect(diagnostics.find(({ code }) => code === 'inference/report')?.message).toContain(
      'status is a string: published unless draft, unpublished, private, hidden, archived',
    );
  });

  it.each([['eip'], ['node--eip']])('in words follows the option for %s', async (name) => {
    const { entity, diagnostics } = await collect(
      {
        'eip/a.md': markdown('status: final'),
        'eip/b.md': markdown('status: Review'),
        'eip/c.md': '',
        'eip/d.md': markdown('status: Final\ndraft: true'),
      },
      { published: { [name]: ['Final', 'Living'] } },
    );
    const published = ['a', 'b', 'c', 'd'].map((id) => entity(`eip/${id}.md`).published);
    expect(published).toEqual([true, false, false, false]);
    expect(diagnostics[0]?.message).toContain('published if Final, Living');
  });

  it('as a string and as a boolean in one bundle is an error at the less common kind', async () => {
    const { problems, ids } = await collect({
      'article/a.md': markdown('status: true'),
      'article/b.md': markdown('title: B\nstatus: Final'),
      'article/c.md': markdown('status: false'),
      'page/a.md': markdown('status: Final'),
    });
    expect(ids).toHaveLength(4);
    expect(problems).toEqual([
      'content/article/b.md:3:9 `status` is a string here, but true or false in `article/a.md`. (Use one kind in all files of `article`.)',
    ]);
  });

  it('cannot be a list', async () => {
    const { problems } = await collect({ 'article/a.md': markdown('status: [a]') });
    expect(problems).toEqual(['content/article/a.md:2:9 `status` must be true, false or a string.']);
  });

  it('of a bundle with a schema is a boolean, unless the schema declares a string', async () => {
    const schema = defineSchema({
      article: {},
      eip: { status: z.enum(['Draft', 'Final']).nullish() },
    });
    const { diagnostics, entity, field } = await collect(
      {
        'article/a.md': markdown('status: Final'),
        'article/b.md': markdown('draft: true'),
        'eip/a.md': markdown('status: Draft'),
        'eip/b.md': markdown('status: Finl'),
        'eip/c.md': '',
      },
      { schema },
    );
    expect(diagnostics).toMatchObject([
      { key: 'article/a.md', code: 'field/invalid', line: 2, column: 9 },
      { key: 'eip/b.md', code: 'field/invalid', line: 2, column: 9 },
    ]);
    expect(diagnostics[0]?.hint).toContain('status: z.string()');
    expect(entity('article/b.md')).toMatchObject({ published: false, values: { status: false } });
    expect(entity('eip/a.md')).toMatchObject({ published: false, values: { status: 'Draft' } });
    expect(entity('eip/c.md')).toMatchObject({ published: true, values: { status: null } });
    expect(field('node--eip', 'status')).toMatchObject({ kind: 'string', base: true });
  });
});

describe('base fields that a schema narrows', () => {
  it('are checked and keep their kind', async () => {
    const schema = defineSchema({
      article: {
        title: z.string().max(5),
        created: z.iso.date(),
        langcode: z.enum(['en', 'de']).default('de'),
      },
    });
    const { diagnostics, values, field } = await collect(
      {
        'article/a.md': markdown('title: Short\ncreated: 2024-01-01'),
        'article/b.md': markdown('title: Too long\ncreated: 2024-01-01'),
        'article/c.md': markdown('created: 2024-01-01', '# Head'),
      },
      { schema },
    );
    expect(values('article/a.md')).toMatchObject({
      title: 'Short',
      created: '2024-01-01T00:00:00+00:00',
      langcode: 'de',
    });
    expect(field('node--article', 'created')).toMatchObject({ kind: 'datetime', base: true, required: true });
    expect(diagnostics).toMatchObject([
      { key: 'article/b.md', code: 'field/invalid' },
      { key: 'article/c.md', code: 'field/required' },
    ]);
  });

  it.each([
    ['title', z.int()],
    ['title', z.array(z.string())],
    ['created', z.string()],
    ['uid', z.boolean()],
    ['body', z.string()],
    ['status', decimal()],
  ])('cannot have another kind: %s', async (name, type) => {
    const { diagnostics } = await collect({}, { schema: { article: { [name]: type } } });
    expect(diagnostics).toMatchObject([{ severity: 'error', code: 'schema/invalid', key: 'schema.ts' }]);
    expect(diagnostics[0]?.message).toContain(`\`${name}\` of the bundle \`article\` is a base field`);
  });
});

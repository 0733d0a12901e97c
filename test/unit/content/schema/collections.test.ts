import { describe, expect, it } from 'vitest';
import { mapCollections } from '../../../../integration/astro/collection-config.ts';
import { defineCollection, file, glob, reference } from '../../../../integration/astro/collection-modules.ts';
import { collectionsSchema } from '../../../../integration/core/content/schema/collections.ts';
import { z } from '../../../../integration/schema.ts';
import { collect, type Files } from '../collect.ts';

const FOLDERS = { root: '/site', srcDir: '/site/src', contentDir: '/site/src/content' };

/** The content of a site with these collections in `src/content.config.ts`. */
async function collectWith(collections: Readonly<Record<string, unknown>>, files: Files = {}) {
  const mapping = mapCollections(collections, '/site/src/content.config.ts', FOLDERS);
  const collected = await collect(files, { schema: collectionsSchema(collections, mapping) });
  const notes = collected.diagnostics.filter(({ code }) => code === 'schema/collection');
  return { ...collected, mapping, notes: notes.map(({ message }) => message) };
}

const blog = (schema: unknown, pattern: string | readonly string[] = '**/*.{md,mdx}') =>
  defineCollection({ loader: glob({ base: './src/content/blog', pattern }), schema });

const post = (...lines: readonly string[]) => ['---', 'title: A', ...lines, '---', ''].join('\n');

describe('the fields of content collections', () => {
  it.each<[string, (tools: { image(): z.ZodType }) => z.ZodType, string, string, unknown]>([
    ['coerced dates', () => z.coerce.date(), 'Jul 08 2022', 'datetime', '2022-07-08T00:00:00+00:00'],
    [
      'dates of older starters',
      () =>
        z
          .string()
          .or(z.date())
          .transform((value) => new Date(value)),
      'Jul 08 2022',
      'datetime',
      '2022-07-08T00:00:00+00:00',
    ],
    ['optional strings', () => z.string().optional(), 'x', 'string', 'x'],
    ['enums with a default', () => z.enum(['a', 'b']).default('a'), 'null', 'string', 'a'],
    ['lists with a default', () => z.array(z.string()).default(['x']), 'null', 'string[]', ['x']],
    ['lists of references', () => z.array(reference('blog')), '[a]', 'reference[]', undefined],
    ['references as objects', () => reference('blog'), '{ collection: blog, id: a }', 'reference', undefined],
    ['nested objects', () => z.object({ n: z.number() }), '{ n: 1 }', 'object', { n: 1 }],
    ['optional images', ({ image }) => z.optional(image()), 'https://a.example/a.png', 'image', undefined],
    [
      'images or strings',
      ({ image }) => image().or(z.string()).optional(),
      'https://a.example/a.png',
      'image',
      undefined,
    ],
    [
      'checked images',
      ({ image }) => image().refine((value) => (value as { width: number }).width > 9),
      'https://a.example/a.png',
      'image',
      undefined,
    ],
    ['dates or flags', () => z.union([z.date(), z.boolean()]), '2024-01-31', 'json', expect.anything()],
    ['unions of strings', () => z.literal('x').or(z.literal('y')), 'x', 'string', 'x'],
    ['transformed strings', () => z.string().transform((text) => text.length), 'abc', 'string', 'abc'],
  ])('understand %s', async (_name, type, written, kind, value) => {
    const schema = (tools: { image(): z.ZodType }) => z.object({ title: z.string(), f: type(tools) });
    const { field, values, problems } = await collectWith(
      { blog: blog(schema) },
      { 'blog/a.md': post(`f: ${written}`) },
    );
    expect(problems).toEqual([]);
    const definition = field('node--blog', 'f');
    expect(`${definition.kind}${definition.list ? '[]' : ''}`).toBe(kind);
    if (value !== undefined) expect(values('blog/a.md').f).toEqual(value);
  });

  it('say which transforms the API does without', async () => {
    const text = z.string().transform((value) => value.length);
    const { notes } = await collectWith({
      blog: blog(z.object({ title: z.string(), size: text.optional(), seo: z.object({ size: text }) })),
    });
    expect(notes).toEqual([
      'In the bundle `blog`, transforms run in `getCollection` only, so these fields are as in the files: `size`, `seo.size`.',
    ]);
  });

  it('leave out keys that are not declared, unless they are misspelled', async () => {
    const schema = z.object({ title: z.string(), description: z.string(), subtitle: z.string().optional() });
    const { problems, values } = await collectWith(
      { blog: blog(schema) },
      {
        'blog/a.md': post('description: x', 'layout: y'),
        'blog/b.md': post('descripton: x'),
        'blog/c.md': post('description: x', 'subtitel: y'),
      },
    );
    expect(Object.keys(values('blog/a.md'))).not.toContain('layout');
    expect(problems).toEqual([
      'content/blog/b.md:3:1 There is no field `descripton` in the schema. (Did you mean `description`?)',
      'content/blog/c.md:4:1 warning: There is no field `subtitel` in the schema. (Did you mean `subtitle`?)',
    ]);
  });

  it('are inferred, with a warning, if the schema cannot be used', async () => {
    const fail = () => {
      throw new Error('no');
    };
    const { problems, values } = await collectWith(
      { blog: blog(fail), docs: { schema: z.string() }, notes: { schema: { _def: {} } }, plain: {} },
      { 'blog/a.md': post('n: 1') },
    );
    expect(values('blog/a.md').n).toBe(1);
    expect(problems).toEqual(
      [
        'its schema throws: no.',
        'its schema is not a z.object().',
        'its schema is not a type of zod 4, such as a z.object().',
      ].map(
        (reason, place) =>
          `content.config.ts:1:1 warning: The fields of the collection \`${['blog', 'docs', 'notes'][place]}\` are inferred, and a file is published unless it has \`draft: true\` itself, because ${reason}`,
      ),
    );
  });

  it('are those of the object before a transform of whole entries, with a warning that it hides no file', async () => {
    const entry = z.object({
      title: z.string(),
      draft: z.boolean().default(true),
      live: z.boolean().default(false),
    });
    const { problems, entity, values } = await collectWith(
      { blog: blog(entry.transform(({ live, ...data }) => ({ ...data, draft: !live }))) },
      { 'blog/a.md': post(), 'blog/b.md': post('draft: false') },
    );
    expect(problems).toEqual([
      'content.config.ts:1:1 warning: The transform of whole entries of `blog` runs in `getCollection` only, so a `draft` that it sets hides no file. Set it in the files, or in a transform of the field `draft`.',
    ]);
    expect([entity('blog/a.md').published, entity('blog/b.md').published]).toEqual([false, true]);
    expect(values('blog/a.md').live).toBe(false);
  });

  it('can be objects that contain themselves', async () => {
    const menu = z.object({
      label: z.string().transform((text) => text.length),
      get items(): z.ZodType {
        return z.array(menu).optional();
      },
    });
    const { problems, values } = await collectWith(
      { blog: blog(z.object({ title: z.string(), menu, lazy: z.lazy(() => menu).optional() })) },
      {
        'blog/a.md': post(
          'menu: { label: a, items: [{ label: b, items: [{ label: c }] }] }',
          'lazy: { label: x }',
        ),
      },
    );
    expect(problems).toEqual([]);
    expect(values('blog/a.md').menu).toEqual({
      label: 'a',
      items: [{ label: 'b', items: [{ label: 'c' }] }],
    });
  });

  it('are strings if they refer to a collection that is not a bundle', async () => {
    const { notes, field, problems } = await collectWith(
      {
        blog: blog(z.object({ title: z.string(), author: reference('authors') })),
        authors: defineCollection({ loader: file() }),
        remote: defineCollection({ loader: async () => [] }),
      },
      { 'blog/a.md': post('author: ada') },
    );
    expect(problems).toEqual([]);
    expect(field('node--blog', 'author').kind).toBe('string');
    expect(notes).toEqual([
      'The collection `authors` is not a bundle: only files of glob() are read.',
      'The collection `remote` is not a bundle: only files of glob() are read.',
      'In the bundle `blog`, `author` is a string, because the collection `authors` is not a bundle.',
    ]);
  });
});

describe('the files of content collections', () => {
  it('are those of the folder and the patterns of glob()', async () => {
    const { ids, problems } = await collectWith(
      {
        posts: blog(undefined, ['**/[^_]*.md', '!old/**']),
        guide: defineCollection({ loader: glob({ pattern: 'src/content/docs/guides/**/*.md' }) }),
        page: defineCollection({
          loader: glob({ base: new URL('file:///site/src/content'), pattern: '*.md' }),
        }),
      },
      {
        'blog/a.md': '',
        'blog/_b.md': '',
        'blog/_drafts/c.md': '',
        'blog/d.mdx': '',
        'blog/old/e.md': '',
        'docs/guides/deep/f.md': '',
        'docs/g.md': '',
        'h.md': '',
      },
    );
    expect(problems).toEqual([]);
    expect([...ids].sort()).toEqual([
      'node--docs/g',
      'node--guide/deep/f',
      'node--page/h',
      'node--posts/_drafts/c',
      'node--posts/a',
    ]);
  });

  it('can be all files of the content folder', async () => {
    const { ids } = await collectWith(
      { post: defineCollection({ loader: glob({ base: 'src/content', pattern: '**/*.md' }) }) },
      { '2024/a.md': '', 'b.md': '', '2024/c.mdx': '' },
    );
    expect([...ids].sort()).toEqual(['node--post/2024/a', 'node--post/b']);
  });

  it.each([
    ['starlight-docs-loader', 'docs'],
    ['starlight-i18n-loader', 'i18n'],
  ])('are known for %s', (name, folder) => {
    const collections = {
      pages: { loader: { name, load() {} } },
      own: { loader: { name: 'astro-jsonapi' } },
    };
    const { bundles, notes } = mapCollections(collections, '/site/src/content.config.ts', FOLDERS);
    expect(bundles).toMatchObject({ pages: { folder } });
    expect(notes).toEqual([]);
  });

  it('of older versions of Astro are the folder of that name', () => {
    const { bundles, file: config } = mapCollections({ blog: {} }, '/site/src/content/config.ts', FOLDERS);
    expect(bundles).toMatchObject({ blog: { folder: 'blog' } });
    expect(config).toBe('config.ts');
  });

  it('are not read if they are outside of the content folder, or have no valid name', () => {
    const loader = glob({ base: 'src/data/blog', pattern: '**/*.md' });
    const { bundles, notes } = mapCollections(
      { blog: { loader }, 'a b': {} },
      '/site/src/content.config.ts',
      FOLDERS,
    );
    expect(bundles).toEqual({});
    expect(notes.map(({ message }) => message)).toEqual([
      'The collection `blog` is not a bundle: its folder src/data/blog/ is not in the content folder src/content/. Option contentDir names the folder above the collections.',
      'The collection `a b` is not a bundle: the name of a bundle has letters, digits, - and _ only.',
    ]);
  });

  it.each<[string, Readonly<Record<string, z.ZodType>>, string, string]>([
    ['a word', { draft: z.string().transform((word) => word === 'yes') }, 'draft: "yes"', 'draft: "no"'],
    [
      'a default',
      {
        draft: z
          .boolean()
          .optional()
          .transform((draft) => draft ?? true),
      },
      '',
      'draft: false',
    ],
    [
      'published',
      {
        published: z
          .boolean()
          .optional()
          .transform((published) => published ?? false),
      },
      '',
      'published: true',
    ],
  ])('hide the files that a transform of a flag hides: %s', async (_, flags, hidden, shown) => {
    const { entity } = await collectWith(
      { blog: blog(z.object({ title: z.string(), ...flags })) },
      { 'blog/hidden.md': post(hidden || '# No flag'), 'blog/shown.md': post(shown) },
    );
    expect(entity('blog/hidden.md').published).toBe(false);
    expect(entity('blog/shown.md').published).toBe(true);
  });
});

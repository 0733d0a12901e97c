import { symlinkSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cli, createFolder, type Folder } from './cli.ts';

const CONFIG = `import { defineCollection, reference, z } from 'astro:content';
import { getImage } from 'astro:assets';
import { file, glob } from 'astro/loaders';
import { DEFAULT_TAG } from '@/tags';

const blog = defineCollection({
  loader: glob({ base: './src/content/posts', pattern: '**/*.md' }),
  schema: ({ image }) =>
    z.object({
      title: z.string(),
      pubDate: z.coerce.date(),
      cover: image().refine((img) => img.width > 10).optional(),
      author: reference('people').optional(),
      tags: z.array(z.string()).default([DEFAULT_TAG]),
    }),
});
const people = defineCollection({ loader: file('src/people.json'), schema: z.object({ name: z.string() }) });
export const collections = { blog, people };
`;
const FILES = {
  'astro.config.mjs': 'export default {};',
  'tsconfig.json': '{ "compilerOptions": { "paths": { "@/*": ["./src/*"] } } }',
  'src/tags.ts': "export const DEFAULT_TAG: string = 'other';",
  'src/content.config.ts': CONFIG,
  'src/content/posts/first.md': '---\ntitle: First\npubDate: Jul 08 2022\nauthor: ada\nlayout: x\n---\n',
  'src/content/posts/second.md': '---\ntitle: Second\npubDate: soon\n---\n',
};

describe('a project with content collections', () => {
  let folder: Folder;
  beforeAll(() => {
    folder = createFolder(FILES);
    symlinkSync(path.resolve(import.meta.dirname, '../../node_modules'), folder.file('node_modules'));
  });
  afterAll(() => folder.remove());

  it('is checked with the schema in src/content.config.ts', async () => {
    const { code, stdout } = await cli(folder.dir, ['check']);
    expect(code).toBe(1);
    expect(stdout).toContain('src/content/posts/second.md:3:10 `pubDate`: expected a date. Found: "soon".');
    expect(stdout).toContain('\n1 error.\n');
  });

  it('has the types of the collections in queries', async () => {
    const { stdout } = await cli(folder.dir, [
      'query',
      'node/blog?filter[pubDate][operator]=<&filter[pubDate][value]=2023-01-01&fields[node--blog]=pubDate,author,tags',
    ]);
    const { data } = JSON.parse(stdout);
    expect(data).toMatchObject([
      {
        id: 'first',
        attributes: { pubDate: '2022-07-08T00:00:00+00:00', author: 'ada', tags: ['other'] },
      },
    ]);
  });

  it('is read without the config if the config cannot be loaded', async () => {
    folder.write({ 'src/content.config.ts': "import 'astro:content';\nthrow new Error('Not today');" });
    const { code, stdout } = await cli(folder.dir, ['check']);
    expect(stdout).toContain(
      'src/content.config.ts:1:1 warning: The config cannot be loaded, so its types are not used, and a file is published unless it has `draft: true` itself: Not today',
    );
    expect(code).toBe(0);
  });

  it('prefers content/schema.ts', async () => {
    folder.write({
      'src/content/schema.ts':
        "import { defineSchema, z } from 'astro-jsonapi/schema';\nexport default defineSchema({ posts: { pubDate: z.string(), author: z.string().nullish(), layout: z.string().nullish() } });",
    });
    expect(await cli(folder.dir, ['check'])).toMatchObject({
      code: 0,
      stdout: expect.not.stringContaining('config'),
    });
  });

  it('explains where collections in content/schema.ts can stay', async () => {
    folder.write({ 'src/content/schema.ts': 'export const collections = {};' });
    const { code, stderr } = await cli(folder.dir, ['check']);
    expect(code).not.toBe(0);
    expect(stderr).toContain(
      'src/content/schema.ts has no default export. Write `export default defineSchema({ article: { … } })`. Its content collections can stay in src/content.config.ts',
    );
  });
});

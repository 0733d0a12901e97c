import { readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { cli, createFolder, type Folder } from './cli.ts';

const CONFIG = "export default {\n  site: 'https://site.example', // ours\n};\n";
let folder: Folder;
afterEach(() => folder.remove());

describe('init', () => {
  const project = (files: Readonly<Record<string, string>>) => {
    folder = createFolder({ 'astro.config.mjs': CONFIG, ...files });
  };
  const config = () => readFileSync(folder.file('astro.config.mjs'), 'utf8');

  it('finds the content folder, hidden folders, languages and files that are not content', async () => {
    project({
      'docs/en/guide/start.md': '# Start\n',
      'docs/de/guide/start.md': '# Anfang\n',
      'docs/guide/README.md': 'About this folder.\n',
      'docs/news/_posts/first.md': '---\ntitle: First\ndate: 2026-01-02\ndraft: true\n---\n![x](/x.png)\n',
      'public/x.png': 'x',
      'README.md': 'About the project.\n',
    });
    const { code, stdout, stderr } = await cli(folder.dir, ['init']);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining('astro.config.mjs written'),
    });
    expect(stdout).toContain('node--guide: 2 entities');
    expect(stdout).toContain(
      'node--news: 1 entity, 1 hidden as unpublished, created 2026-01-02 to 2026-01-02',
    );
    expect(config()).toBe(`import jsonapi from 'astro-jsonapi';

export default {
  site: 'https://site.example', // ours
  i18n: { defaultLocale: 'en', locales: ['en', 'de'] },
  integrations: [jsonapi({
    contentDir: 'docs',
    bundles: { news: 'news/_posts' },
    ignore: ['**/README.md'],
  })],
};
`);
    const again = await cli(folder.dir, ['init']);
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('has the integration already') });
  });

  it('adds no options that are not needed, and with --print it writes nothing', async () => {
    project({
      'src/content/post/a.md': '---\ntitle: A\n---\n',
      'src/content.config.ts':
        "import { defineCollection } from 'astro:content';\nimport { glob } from 'astro/loaders';\nimport { z } from 'astro/zod';\nexport const collections = { post: defineCollection({ loader: glob({ pattern: '**/*.md', base: './src/content/post' }), schema: z.object({ title: z.string() }) }) };\n",
    });
    symlinkSync(path.resolve(import.meta.dirname, '../../node_modules'), folder.file('node_modules'));
    const { code, stdout } = await cli(folder.dir, ['init', '--print']);
    expect(code).toBe(0);
    expect(stdout).toContain('with the 1 collection of Astro');
    expect(stdout).toContain('+  integrations: [jsonapi()],');
    expect(config()).toBe(CONFIG);
  });

  it('takes the language of the site for files without one, which have translations', async () => {
    project({
      'content/post/a.md': '# A\n',
      'content/post/a.de.md': '# A\n',
      'src/layouts/page.astro': '<html lang="fr"></html>',
    });
    await cli(folder.dir, ['init']);
    expect(config()).toContain("i18n: { defaultLocale: 'fr', locales: ['fr', 'de'] },");
  });

  it('says how to begin without content, and without a project', async () => {
    project({});
    const empty = await cli(folder.dir, ['init']);
    expect(empty.stdout).toContain('Content: none yet. Write the first file, such as content/post/hello.md.');
    expect(config()).toContain('integrations: [jsonapi()]');
    folder.remove();
    folder = createFolder({ 'content/a.md': 'A' });
    const none = await cli(folder.dir, ['init']);
    expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining('npm create astro@latest') });
  });

  it('and other commands say in the root of a monorepo where the site is', async () => {
    folder = createFolder({ 'apps/site/astro.config.ts': 'export default {};', 'package.json': '{}' });
    for (const command of ['init', 'check']) {
      const { code, stderr } = await cli(folder.dir, [command]);
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: expect.stringContaining('A site is in apps/site: cd apps/site'),
      });
    }
  });

  it('keeps a build going that would stop because of a missing file or reference', async () => {
    project({
      'content/schema.ts':
        "import { defineSchema, image, reference } from 'astro-jsonapi/schema';\nexport default defineSchema({ post: { cover: image(), author: reference('post') } });\n",
      'content/post/a.md': '---\ntitle: A\ncover: ./none.jpg\nauthor: none\n---\n',
    });
    await cli(folder.dir, ['init']);
    expect(config()).toContain(
      "    danglingReferences: 'missing',\n    problems: { 'file/missing': 'warning' },\n",
    );
  });
});

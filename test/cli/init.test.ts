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
    expect(stdout).toContain('node--news: 1 entity, 1 hidden as unpublished, created 2026-01-02\n');
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

  it('adds no options that are not needed, and with --dry-run it writes nothing', async () => {
    project({
      'src/content/post/a.md': '---\ntitle: A\n---\n',
      'src/content.config.ts':
        "import { defineCollection } from 'astro:content';\nimport { glob } from 'astro/loaders';\nimport { z } from 'astro/zod';\nexport const collections = { post: defineCollection({ loader: glob({ pattern: '**/*.md', base: './src/content/post' }), schema: z.object({ title: z.string() }) }) };\n",
    });
    symlinkSync(path.resolve(import.meta.dirname, '../../node_modules'), folder.file('node_modules'));
    const { code, stdout } = await cli(folder.dir, ['init', '--dry-run']);
    expect(code).toBe(0);
    expect(stdout).toContain('with 1 collection of Astro');
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

  it('and other commands name the folder of the site in the root of a monorepo', async () => {
    folder = createFolder({ 'apps/site/astro.config.ts': 'export default {};', 'package.json': '{}' });
    for (const command of ['init', 'check', 'upgrade']) {
      const { code, stderr } = await cli(folder.dir, [command]);
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: expect.stringContaining('A site is in apps/site: cd apps/site'),
      });
    }
  });

  it('names all sites of a monorepo, and a folder that does not exist', async () => {
    const site = 'export default {};';
    folder = createFolder({ 'apps/a/astro.config.ts': site, 'apps/b/astro.config.mjs': site });
    const { stderr } = await cli(folder.dir, ['init']);
    expect(stderr).toContain('Sites are in apps/a and apps/b: cd apps/a');
    const none = await cli(folder.file('apps/a'), ['init', 'nowhere']);
    expect(none).toMatchObject({ code: 1, stderr: 'error: The folder nowhere does not exist.\n' });
  });

  it.each([
    ['mjs', "import base from './base.mjs';\nexport default { ...base };\n", 'import jsonapi from'],
    ['cjs', 'module.exports = { site: "https://a.example" };\n', "require('astro-jsonapi')"],
  ])(
    'leaves a .%s config that it cannot edit as it is, and shows the lines to add',
    async (end, text, line) => {
      const name = `astro.config.${end}`;
      folder = createFolder({
        [name]: text,
        'base.mjs': 'export default { integrations: [{ name: "x" }] };',
        'content/post/a.md': '# A\n',
      });
      const { code, stderr } = await cli(folder.dir, ['init']);
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(line) });
      expect(stderr).toContain('and jsonapi() in `integrations`');
      expect(readFileSync(folder.file(name), 'utf8')).toBe(text);
    },
  );

  it('finds a language whose pages are in no other one', async () => {
    project({
      'content/en/post/a.md': '# A\n',
      'content/de/post/a.md': '# A\n',
      'content/fr/post/b.md': '# B\n',
    });
    const { stdout } = await cli(folder.dir, ['init']);
    expect(config()).toContain("locales: ['en', 'de', 'fr']");
    expect(stdout).not.toContain('node--fr');
  });

  it('finds collections outside of the project', async () => {
    folder = createFolder({
      'site/astro.config.mjs': CONFIG,
      'notes/a.md': '---\ntitle: A\n---\n',
      'site/src/content.config.ts':
        "import { defineCollection } from 'astro:content';\nimport { glob } from 'astro/loaders';\nimport { z } from 'astro/zod';\nexport const collections = { note: defineCollection({ loader: glob({ pattern: '**/*.md', base: '../notes' }), schema: z.object({ title: z.string() }) }) };\n",
    });
    symlinkSync(path.resolve(import.meta.dirname, '../../node_modules'), folder.file('node_modules'));
    const { stdout } = await cli(folder.file('site'), ['init']);
    expect(stdout).toContain('node--note: 1 entity');
    expect(readFileSync(folder.file('site/astro.config.mjs'), 'utf8')).toContain("contentDir: '../notes'");
  });

  it('names the command that installs the package if package.json does not have it', async () => {
    project({ 'package.json': '{ "dependencies": { "astro": "^7.2.4" } }' });
    expect((await cli(folder.dir, ['init'])).stderr).toContain(
      'Next: npm install astro-jsonapi && npx astro dev',
    );
    project({ 'package.json': '{ "dependencies": { "astro-jsonapi": "^0.3.0" } }' });
    expect((await cli(folder.dir, ['init'])).stderr).toContain('Next: npx astro dev');
  });

  it('names the file and the line of a problem, and the mistake in a config of collections', async () => {
    project({
      'content/post/a.md': '---\ntitle: [\n---\n',
      'src/content.config.ts': 'export const collections = {',
    });
    symlinkSync(path.resolve(import.meta.dirname, '../../node_modules'), folder.file('node_modules'));
    const { stdout } = await cli(folder.dir, ['init']);
    expect(stdout).toContain('1 problem of the content, such as content/post/a.md:3:1 ');
    expect(stdout).toMatch(/content\.config\.ts cannot be loaded: .*(?:Unexpected|Expected)/);
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

import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { STEPS } from '../../integration/cli/upgrade/steps.ts';
import { cli, createFolder, type Folder } from './cli.ts';

const folders: Folder[] = [];
afterAll(() => {
  for (const folder of folders) folder.remove();
});

function project(files: Readonly<Record<string, string>>): Folder {
  const folder = createFolder(files);
  folders.push(folder);
  return folder;
}

/** `jsonapi(…)` in a config that is written in its own way. */
const config = (call: string, others = '') => `// @ts-check
import { defineConfig } from "astro/config"
import jsonapi from "astro-jsonapi"
${others}
export default defineConfig({
    site: "https://example.org",   // soon
    integrations: [ ${call} ],
})
`;

const textOf = (folder: Folder, name: string) => readFileSync(folder.file(name), 'utf8');

describe('astro-jsonapi upgrade', () => {
  it.each<[string, string, Readonly<Record<string, string>>, string]>([
    [
      'a number of documents',
      'jsonapi({ static: { documents: 3000 } })',
      {},
      'jsonapi({ static: { documents: { files: 10000, megabytes: 100 } } })',
    ],
    [
      'more documents than the new bounds',
      'jsonapi({ static: { documents: 20_000 } })',
      {},
      'jsonapi({ static: { documents: { files: 40000, megabytes: 100 } } })',
    ],
    [
      'the service worker',
      'jsonapi()',
      { 'src/a.astro': "navigator.serviceWorker.register('/jsonapi-worker.js')" },
      'jsonapi({ static: { worker: true } })',
    ],
    [
      'the description',
      'jsonapi({})',
      { 'src/a.astro': '<a href="/jsonapi/openapi.json">' },
      'jsonapi({ static: { openapi: true } })',
    ],
    [
      'an edge function',
      "jsonapi({ drupal: false, // 'no'\n })",
      { 'api/worker.ts': "import { createHandler } from 'astro-jsonapi/edge';" },
      "jsonapi({ static: { queries: true }, drupal: false, // 'no'\n })",
    ],
    [
      'scripts that read JSON',
      'jsonapi({\n      // Short\n      drupal: false\n    })',
      { 'src/a.ts': "fetch('/api/content/articles.json')" },
      'jsonapi({\n      static: { files: true },\n      // Short\n      drupal: false\n    })',
    ],
    [
      'responses before the push',
      'jsonapi({ editing: { git: { pull: true, push: true } } })',
      {},
      "jsonapi({ editing: { git: { acknowledge: 'file', pull: true, push: true } } })",
    ],
    [
      'an exposed header',
      "jsonapi({ editing: { git: { pull: true, commit: 60 } }, cors: { origins: '*' } })",
      {},
      "jsonapi({ editing: { git: { pull: true, commit: 60 } }, cors: { exposeHeaders: ['Allow', 'Content-Commit', 'ETag', 'Location'], origins: '*' } })",
    ],
  ])('keeps %s, and the rest of the config byte for byte', async (_, before, files, after) => {
    for (const newline of ['\n', '\r\n']) {
      const written = (text: string) => config(text).replaceAll('\n', newline);
      const folder = project({ 'astro.config.mjs': written(before), ...files });
      const { code, stderr } = await cli(folder.dir, ['upgrade']);
      expect([code, stderr]).toEqual([0, '✓ 1 file changed: astro.config.mjs\n']);
      expect(textOf(folder, 'astro.config.mjs')).toBe(written(after));
      const second = await cli(folder.dir, ['upgrade']);
      expect(second.stdout).toBe('✓ Nothing to change: astro.config.mjs is up to date.\n');
    }
  });

  it.each(['~7.1.0', '^7.0.0', '7.2.3', '>=7'])('raises the version of Astro from %s', async (range) => {
    const manifest = (version: string) =>
      `{"dependencies": { "astro" : "${version}",\n\t"astro-jsonapi": "*" }}`;
    const folder = project({ 'astro.config.ts': config('jsonapi()'), 'package.json': manifest(range) });
    const { stderr } = await cli(folder.dir, ['upgrade']);
    expect(stderr).toContain('install the packages');
    expect(textOf(folder, 'package.json')).toBe(manifest('^7.2.4'));
  });

  it.each(['^7.2.4', '7.3.0', '^8.0.0', 'latest', 'workspace:*'])(
    'keeps the version %s of Astro',
    async (range) => {
      const folder = project({
        'astro.config.ts': config('jsonapi()'),
        'package.json': `{"dependencies":{"astro":"${range}"}}`,
      });
      expect((await cli(folder.dir, ['upgrade'])).stdout).toContain('Nothing to change');
    },
  );

  it('makes the changes without a terminal, and with --dry-run only shows them', async () => {
    const before = config('jsonapi({ static: { documents: 10 } })');
    const folder = project({ 'astro.config.mjs': before });
    const shown = await cli(folder.dir, ['upgrade', '--dry-run']);
    expect([shown.code, textOf(folder, 'astro.config.mjs')]).toEqual([0, before]);
    expect(shown.stdout).toContain(
      '+    integrations: [ jsonapi({ static: { documents: { files: 10000, megabytes: 100 } } }) ],',
    );
    expect(shown.stdout).toMatch(/^Option `static\.documents` has bounds .*\(astro\.config\.mjs:7\)$/m);
    expect(shown.stderr).toBe(
      'Nothing was changed. To make the changes, run the command without --dry-run.\n',
    );
    const made = await cli(folder.dir, ['upgrade']);
    expect(made.stdout).toBe(shown.stdout);
    expect(textOf(folder, 'astro.config.mjs')).toContain('files: 10000');
  });

  it('says if a project does not have the integration', async () => {
    const folder = project({ 'astro.config.mjs': 'export default {};' });
    expect((await cli(folder.dir, ['upgrade'])).stdout).toContain('To add it: npx astro-jsonapi init');
  });

  it('lists the changes to make by hand, with file, line and replacement', async () => {
    const folder = project({
      'astro.config.mjs': config('jsonapi(options)', 'import options from "./options.mjs"'),
      'options.mjs': 'export default {};',
      'package.json': '{ "devDependencies": {\n  "astro": "^6.0.0"\n} }',
      'src/a.astro': "\nfetch('/jsonapi-worker.js')",
      'src/b.astro': 'Nothing of ours',
      'content/schema.ts':
        'export const when = z.union([z.coerce.date(), z.string()]);\nconst cover = { field_cover: image() };',
      'src/c.astro': '{data.attributes.field_cover.uri.url}{page.field_cover.alt}',
      'src/d.astro': '\n{data.attributes.uid}{page.uid}',
      'src/e.ts': "const a = 'filter=';\nfetch('/jsonapi/node/page?filter=&sort=title');",
      'src/f.ts': "fetch('/jsonapi/node/page?filter[title]=&sort=title&filter=title');",
      'content/article/b.md': '---\ntitle: B\ndrupal_internal__nid: 7\n---\n',
      'content/article/c.json': '{ "drupal_internal__nid": 8 }',
      'content/page/note.md': 'Intro.\n\n## Show backlinks\n',
      'content/page/titled.md': '---\ntitle: A\n---\n\n## Section\n',
      'content/page/headed.md': '# Heading\n\n## Section\n',
      'content/page/code.md': 'Run:\n\n```sh\n# comment\n```\n',
      '.github/workflows/deploy.yml': 'run: curl -H "If-Commit-At-Least: $SHA" https://example.org',
      'content/page/large.md': `---\ntitle: Large\nlist: [${Array.from({ length: 5001 }, () => 'a').join(', ')}]\n---\n`,
    });
    const { code, stdout } = await cli(folder.dir, ['upgrade']);
    expect(code).toBe(0);
    expect(stdout).toContain(
      'package.json:2 The integration needs Astro 7.2.4 or newer. Write "astro": "^7.2.4"',
    );
    expect(stdout).toMatch(/src\/a\.astro:2 .* Write static: \{ worker: true \}\./);
    expect(stdout).toContain('.github/workflows/deploy.yml:1 `Content-Commit` and `If-Commit-At-Least`');
    expect(stdout).toContain('content/schema.ts:1 Values of a union');
    expect(stdout).toMatch(/src\/c\.astro:1 Documents of JSON:API have the images/);
    expect(stdout).toMatch(/src\/d\.astro:2 Documents of JSON:API have the owner/);
    expect(stdout).toMatch(/^src\/e\.ts:2 `filter=` without a value/m);
    expect(stdout).not.toContain('src/f.ts');
    expect(stdout.match(/^\S+ A list without `sort`/gm)).toEqual([
      'content/article/b.md:3 A list without `sort`',
    ]);
    expect(stdout.match(/content\/page\/\S+ Without/g)).toEqual(['content/page/note.md:1 Without']);
    expect(stdout).toContain('content/page/large.md:1 The fields of a file may have 5000 values.');
    expect(textOf(folder, 'astro.config.mjs')).toContain('jsonapi(options)');
  });

  it('leaves the options of `static` of a site with an adapter alone', async () => {
    const folder = project({
      'astro.config.mjs':
        "import jsonapi from 'astro-jsonapi';\nexport default { adapter: node(), integrations: [jsonapi()] };",
      'src/a.astro': '/jsonapi-worker.js',
    });
    expect((await cli(folder.dir, ['upgrade'])).stdout).toContain('Nothing to change');
  });

  it('fails without a config, and with one that is not valid code', async () => {
    expect(await cli(project({}).dir, ['upgrade'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no astro.config'),
    });
    const broken = project({ 'astro.config.mjs': 'export default {' });
    expect(await cli(broken.dir, ['upgrade'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('astro.config.mjs cannot be read'),
    });
  });

  it('has one entry for each change', () => {
    expect(new Set(STEPS.map(({ id }) => id)).size).toBe(STEPS.length);
    for (const { explain, write } of STEPS)
      expect([explain.at(-1), write.at(-1) === '.']).toEqual(['.', false]);
  });
});

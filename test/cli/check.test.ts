import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cli, cliProcess, createFolder, type Folder } from './cli.ts';

const SCHEMA = `import { defineSchema, reference, z } from 'astro-jsonapi/schema';
const rating: z.ZodType<number | null | undefined> = z.int().nullish();
export default defineSchema({ article: { rating, author: reference('person').nullish() } });
`;
const BROKEN = {
  'content/schema.ts': SCHEMA,
  'content/article/second.md': '---\ntitle: Second\nrating: many\nautor: ada\n---\n',
  'content/article/first.md': '---\ntitle: First\nauthor: nobody\n---\n',
  'content/person/ada.md': '---\ntitle: Ada\nborn: 1815-12-10\n---\n',
  'content/person/bob.md': '---\ntitle: Bob\nborn: 1815-02-30\n---\n',
  'content/tag/sky.yaml': 'title: [open\n',
};
const REPORT = `content/article/first.md:3:9 There is no \`person/nobody\`. (Correct the reference, or add the file.)
  2 │ title: First
  3 │ author: nobody
    │         ^
  4 │ ---

content/article/second.md:3:9 \`rating\`: expected number, received string. Found: "many".
  2 │ title: Second
  3 │ rating: many
    │         ^
  4 │ autor: ada
content/article/second.md:4:1 There is no field \`autor\` in the schema. (Did you mean \`author\`?)
  3 │ rating: many
  4 │ autor: ada
    │ ^
  5 │ ---

content/person/bob.md:3:7 warning: \`1815-02-30\` looks like a date, but does not exist. It is read as a string. (Correct it. While one value is invalid, all dates of the field are strings.)
  2 │ title: Bob
  3 │ born: 1815-02-30
    │       ^
  4 │ ---

content/tag/sky.yaml:2:1 Flow sequence in block collection must be sufficiently indented and end with a ]. (Indent lists and maps evenly, and close each \`[\` and \`{\`.)
  1 │ title: [open
  2 │
    │ ^

4 errors, 1 warning in 4 files.
`;

describe('check', () => {
  let folder: Folder;
  beforeAll(() => {
    folder = createFolder(BROKEN);
  });
  afterAll(() => folder.remove());

  it('prints every problem of every file with its position, and fails', async () => {
    const report = { code: 1, stdout: REPORT, stderr: '' };
    expect(await cli(folder.dir, ['check'])).toEqual(report);
    expect(await cliProcess(folder.dir, ['check'])).toEqual(report);
  });

  it('lists drafts with their missing fields, and does not fail', async () => {
    const line = { type: 'node--article', id: 'x', file: 'node--article/x.md', key: 'article/x.md' };
    const drafts = createFolder({
      'content/schema.ts': `import { defineSchema, z } from 'astro-jsonapi/schema';
export default defineSchema({ article: { height: z.number(), zone: z.string().min(3) } });
`,
      'content/article/whole.md': '---\ntitle: Whole\nheight: 1\nzone: north\n---\n',
      'content/.drafts/entries.jsonl': `${JSON.stringify(line)}\n`,
      'content/.drafts/node--article/x.md': '---\ntitle: X\nstatus: false\n---\n',
    });
    try {
      const { code, stdout } = await cli(drafts.dir, ['check', '--strict']);
      expect(code).toBe(0);
      expect(stdout).toContain(
        'content/.drafts/node--article/x.md:1:1 info: A draft of `node--article`. Missing: `height`, `zone`.',
      );
      expect(stdout).toContain('1 entity in 1 bundle, no problems');
    } finally {
      drafts.remove();
    }
  });

  it('prints paths relative to the working directory', async () => {
    const { stdout } = await cli(folder.file('content/article'), ['check', '../../content']);
    expect(stdout).toContain('../article/second.md:3:9 ');
    expect((await cli(folder.file('content'), ['check', '.'])).stdout).toContain('./article/second.md:3:9 ');
  });

  it('prints colours by default in a terminal, and none otherwise', async () => {
    const coloured = (env: Record<string, string>) => cliProcess(folder.dir, ['check'], env);
    expect((await coloured({ FORCE_COLOR: '1' })).stdout).toContain('\u001b[');
    expect((await coloured({ NO_COLOR: '1' })).stdout).toBe(REPORT);
  });

  it('prints the problems as JSON, including notes', async () => {
    const { code, stdout, stderr } = await cli(folder.dir, ['check', '--json']);
    expect([code, stderr]).toEqual([1, '']);
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({ folder: 'content', entities: 3, errors: 4, warnings: 1 });
    expect(report.problems).toContainEqual({
      file: 'content/article/second.md',
      line: 4,
      column: 1,
      severity: 'error',
      code: 'field/unknown',
      message: 'There is no field `autor` in the schema.',
      hint: 'Did you mean `author`?',
      path: ['autor'],
    });
    expect(report.problems).toContainEqual(
      expect.objectContaining({ severity: 'info', file: 'content/person/' }),
    );
    expect(report.problems).toContainEqual(
      expect.objectContaining({
        code: 'reference/dangling',
        missing: { type: 'node--person', id: 'nobody' },
      }),
    );
  });

  it('ignores warnings, and lists notes with --notes', async () => {
    const warned = createFolder({ 'notes/person/bob.md': BROKEN['content/person/bob.md'] });
    const plain = await cli(warned.dir, ['check', 'notes']);
    expect([plain.code, plain.stderr]).toEqual([0, '']);
    expect(plain.stdout).toMatch(/✓ notes: 1 entity in 1 bundle, no errors, 1 warning \([\d.]+ s\)\n$/);
    const { stdout } = await cli(warned.dir, ['check', 'notes', '--notes']);
    expect(stdout).toContain('notes/person/ info: node--person, 1 file, no schema: born string.');
    warned.remove();
  });

  it('lists body HTML that needs a permission with --html, and does not fail', async () => {
    const stored = createFolder({
      'content/page/a.md':
        '---\ntitle: A\n---\nText <b>x</b>.\n\nMore <i onclick="x()">y</i> [z](JavaScript:x)\n',
      'content/page/b.md': '---\ntitle: B\nstatus: false\n---\n\n<script>\nx()\n</script>\n',
      'content/page/c.md': '---\ntitle: C\n---\n`<script>` and <details><summary>x</summary></details>\n',
      'content/page/d.mdx': '---\ntitle: D\n---\n<script>x()</script>\n',
    });
    const { code, stdout, stderr } = await cli(stored.dir, ['check', '--html']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.match(/^content.*/gm)).toEqual([
      'content/page/a.md:6:9 warning: onclick of <i> needs the permission `use raw html`.',
      'content/page/a.md:6:33 warning: "JavaScript:x" in href of <a> needs the permission `use raw html`.',
      'content/page/b.md:6:1 warning: <script> needs the permission `use raw html`.',
    ]);
    expect(stdout).toContain('4 entities in 1 bundle, no errors, 3 warnings');
    expect((await cli(stored.dir, ['check'])).stdout).toContain('no problems');
    stored.remove();
  });

  it('notes references of visible entities to hidden ones with --notes and in JSON', async () => {
    const site = createFolder({
      'content/schema.ts': `import { defineSchema, reference, z } from 'astro-jsonapi/schema';
const page = reference('page');
export default defineSchema({
  article: { lead: page.nullish(), more: z.array(page).default([]), parts: z.array(z.object({ page })).default([]), memo: reference('memo').nullish() },
  page: { publish_on: z.iso.date().nullish() }, memo: {},
});
`,
      'content/article/a.md':
        '---\ntitle: A\nlead: open\nmore:\n  - open\n  - plan\nparts:\n  - page: later\nmemo: inner\n---\n',
      'content/article/b.md': '---\ntitle: B\nlead: plan\n---\n',
      'content/article/draft.md': '---\ntitle: Draft\nstatus: false\nlead: plan\n---\n',
      'content/note/a.md': '---\ntitle: A\nsee:\n  - page/open\n---\n',
      'content/note/b.md': '---\ntitle: B\nsee: page/plan\n---\n',
      'content/page/open.md': '---\ntitle: Open\n---\n',
      'content/page/plan.md': '---\ntitle: Plan\nstatus: false\n---\n',
      'content/page/later.md': '---\ntitle: Later\npublish_on: 2999-01-01\n---\n',
      'content/memo/inner.md': '---\ntitle: Inner\nstatus: false\n---\n',
      'astro.config.ts': `const ours: object = { name: 'astro-jsonapi', hooks: {}, [Symbol.for('astro-jsonapi.options')]: { bundles: { memo: { api: false } } } };
export default { integrations: [ours] };`,
    });
    const { code, stdout } = await cli(site.dir, ['check', '--notes', '--strict']);
    const json = JSON.parse((await cli(site.dir, ['check', '--json'])).stdout);
    const plain = await cli(site.dir, ['check']);
    site.remove();
    const hint = '(If the id is secret, rename the file, or remove the reference.)';
    const note = (place: string, id: string) =>
      `content/${place} info: Visitors see the id \`${id}\` here, but not \`page/${id}\` itself. ${hint}`;
    expect(stdout.match(/^content.*Visitors.*/gm)).toEqual([
      note('article/a.md:6:5', 'plan'),
      note('article/a.md:8:11', 'later'),
      note('article/b.md:3:7', 'plan'),
      note('note/b.md:3:6', 'plan'),
    ]);
    expect([code, plain.code]).toEqual([0, 0]);
    expect(plain.stdout).not.toContain('Visitors');
    expect(json.problems.filter(({ code }: { code: string }) => code === 'reference/hidden')).toHaveLength(4);
    expect(json.problems).toContainEqual(
      expect.objectContaining({
        file: 'content/article/a.md',
        line: 8,
        column: 11,
        path: ['parts', 0, 'page'],
      }),
    );
  });

  it('prints a plain progress line for a lot of content', async () => {
    const files = Array.from({ length: 2000 }, (_, index) => [`content/note/${index}.md`, `# ${index}\n`]);
    const many = createFolder(Object.fromEntries(files));
    const { code, stdout, stderr } = await cli(many.dir, ['check']);
    expect([code, stderr]).toEqual([0, 'Reading 2,000 files in content …\n']);
    expect(stdout).toContain('2000 entities in 1 bundle, no problems');
    many.remove();
  });

  it('explains why a folder has no content', async () => {
    const empty = createFolder({ 'notes/_drafts/one.md': '# One\n' });
    const { code, stdout } = await cli(empty.dir, ['check', 'notes']);
    empty.remove();
    expect(code).toBe(0);
    expect(stdout).toContain('notes/ warning: Most files are not read. 1 file skipped');
    expect(stdout).toContain('(Read them with option bundles, such as { "drafts": "_drafts" }, or');
    expect(stdout).toContain('✓ notes: 0 entities in 0 bundles');
  });

  it('reads src/content, with the pages at its root, if the project has no content folder', async () => {
    const project = createFolder({
      'src/content.config.ts': 'export const collections = {};',
      'src/content/about.md': '# About\n',
      'src/content/blog/first.md': '# First\n',
    });
    const { code, stdout } = await cli(project.dir, ['check']);
    project.remove();
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining('src/content: 2 entities in 2 bundles, no problems'),
    ]);
  });

  it('fails for warnings with --strict', async () => {
    const warned = createFolder({ 'content/page/a.md': '![A](nothing.png)\n' });
    const loose = await cli(warned.dir, ['check']);
    const strict = await cli(warned.dir, ['check', '--strict']);
    warned.remove();
    expect([loose.code, strict.code]).toEqual([0, 1]);
    expect(loose.stdout).toContain('✓ content: 1 entity in 1 bundle, no errors, 1 warning');
    expect(strict.stdout).toContain('✗ content: 1 entity in 1 bundle, no errors, 1 warning');
  });
});

describe('the options of astro.config', () => {
  const OPTIONS_KEY = "Symbol.for('astro-jsonapi.options')";
  const config = (options: string) =>
    `const ours: object = { name: 'astro-jsonapi', hooks: {}, [${OPTIONS_KEY}]: ${options} };
export default { integrations: [[null, ours]] };`;
  const files = {
    'words/article/first.md': BROKEN['content/article/first.md'],
    'words/schema.ts': SCHEMA,
  };

  it.each([
    ['name the folder', ['check']],
    ['apply to a named project', ['check', '.']],
    ['apply to the folder they name', ['check', 'words']],
    ['apply with --config', ['check', '--content', 'words', '--config', 'astro.config.ts']],
  ])('%s', async (_what, args) => {
    const site = createFolder({
      ...files,
      'astro.config.ts': config("{ contentDir: 'words', danglingReferences: 'missing' }"),
    });
    const { code, stdout } = await cli(site.dir, args);
    expect([stdout, code]).toEqual([expect.stringContaining('words/schema.ts:1:1 warning: '), 0]);
    site.remove();
  });

  it.each([
    ['do not apply to another folder', ['check', 'words'], "{ danglingReferences: 'missing' }"],
    [
      'do not apply with --no-config',
      ['check', 'words', '--no-config'],
      "{ contentDir: 'words', danglingReferences: 'missing' }",
    ],
  ])('%s', async (_what, args, options) => {
    const site = createFolder({ ...files, 'astro.config.ts': config(options) });
    expect((await cli(site.dir, args)).code).toBe(1);
    site.remove();
  });

  it('stop the command if they are invalid', async () => {
    const site = createFolder({ ...files, 'astro.config.ts': config('{ pageSize: { max: 0 } }') });
    const { code, stderr } = await cli(site.dir, ['check']);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('Option pageSize.max cannot be 0. Valid: a whole number from 1 to 10000.'),
    ]);
    site.remove();
  });

  it('are checked: queries of prebuild, and the path of the accounts file', async () => {
    const site = createFolder({
      'content/article/one.md': '# One\n',
      'astro.config.ts': config(`{
        prebuild: { latest: '/node/article?sort=-created', typo: '/node/article?sort=titel', gone: '/node/page' },
        editing: { accountsFile: 'content/accounts.json' },
      }`),
    });
    const errors = [
      expect.stringMatching(
        /^Option editing\.accountsFile cannot be "content\/accounts\.json", a file in content: /,
      ),
      expect.stringMatching(
        /^Option prebuild\.typo: .*titel.* \(sort\) The query is '\/node\/article\?sort=titel'\.$/,
      ),
      expect.stringMatching(/^Option prebuild\.gone: .*page.* The query is '\/node\/page'\.$/),
    ];
    const { code, stdout, stderr } = await cli(site.dir, ['check']);
    expect([code, stdout]).toEqual([1, '']);
    expect(
      stderr
        .trimEnd()
        .split('\n')
        .map((line) => line.replace(/^error: /, '')),
    ).toEqual(errors);
    const json = JSON.parse((await cli(site.dir, ['check', '--json'])).stdout);
    expect(json).toMatchObject({ errors: 3, options: errors });
    site.remove();
  });

  it('are checked: search indexes, which are warnings', async () => {
    const site = createFolder({
      'content/article/one.md': '# One\n',
      'astro.config.ts': config(
        `{ indexes: { magazine: { bundles: ['article'], facets: { field_tag: {} } } } }`,
      ),
    });
    const warning = expect.stringMatching(
      /Option indexes\.magazine\.facets\.field_tag: node--article has no field "field_tag"\. Valid: id, /,
    );
    expect(await cli(site.dir, ['check'])).toMatchObject({ code: 0, stderr: warning });
    const json = JSON.parse((await cli(site.dir, ['check', '--json'])).stdout);
    expect(json).toMatchObject({ errors: 0, options: [warning] });
    site.remove();
  });

  it('stop the command if the integration rejects them in the config', async () => {
    const integration = JSON.stringify(new URL('../../integration/index.ts', import.meta.url).href);
    const site = createFolder({
      ...files,
      'astro.config.mjs': `import jsonapi from ${integration};
export default { integrations: [jsonapi({ search: { lang: 'de' } })] };`,
    });
    const { code, stderr } = await cli(site.dir, ['check']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('Option search.lang is unknown.')]);
    site.remove();
  });

  it('fall back to defaults with one line if the config cannot be loaded', async () => {
    const site = createFolder({
      'content/article/one.md': '# One\n',
      'astro.config.mjs': "import 'not-there';\nexport default {};",
    });
    const { code, stderr } = await cli(site.dir, ['check']);
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(
        /^warning: Cannot load astro\.config\.mjs, so the default options apply: .*not-there.*\n$/,
      ),
    ]);
    site.remove();
  });
});

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { copySite, type Served, type Site, serveDev, tryBuild, trySync } from './site.ts';

describe('content with problems', () => {
  let site: Site;

  beforeAll(() => {
    site = copySite('plain', 'diagnostics');
    writeFileSync(site.file('content/article/second.md'), '---\ntitle: Second\nrating: many\n---\n');
    writeFileSync(
      site.file('content/article/first.md'),
      '---\ntitle: First\nrating: 1\nfield_author: nobody\n---\n',
    );
    writeFileSync(site.file('content/tag/sky.yaml'), 'title: [open\n');
    mkdirSync(site.file('content/person/sub'));
    writeFileSync(site.file('content/person/sub/index.md'), '---\ntitle: One\n---\n');
    writeFileSync(site.file('content/person/sub.md'), '---\ntitle: Two\n---\n');
  });
  afterAll(() => site?.remove());

  it('fails the build with all problems of all files at once', async () => {
    const { code, output } = await tryBuild(site);
    expect(code).not.toBe(0);
    expect(output).toMatch(/content\/article\/second\.md:3:9 .*rating/);
    expect(output).toMatch(/content\/article\/first\.md:4:15 .*nobody/);
    expect(output).toMatch(/content\/tag\/sky\.yaml:\d+:\d+ /);
    expect(output).toMatch(/content\/person\/sub(\/index)?\.md:\d+:\d+ .*sub/);
    expect(output).toMatch(/\d errors/);
    expect(output).toContain('  3 │ rating: many\n    │         ^\n');
    expect(existsSync(site.file('dist'))).toBe(false);
  });

  it('does not fail the build for dangling references if the option allows them', async () => {
    for (const file of ['article/second.md', 'tag/sky.yaml', 'person/sub.md'])
      rmSync(site.file('content', file));
    const { code, output } = await tryBuild(site, {
      JSONAPI_OPTIONS: JSON.stringify({ danglingReferences: 'missing' }),
    });
    expect(output).not.toMatch(/content\/article\/first\.md:4:15 (?!warning|info)/);
    expect(code).toBe(0);
  });

  it.each([
    [
      'the frontmatter',
      'wrong.astro',
      "---\nimport { entities } from 'astro-jsonapi:content';\n\nconst all = await entities('article').sort('nope').all();\n---\n{all.length}",
    ],
    [
      'getStaticPaths',
      '[...wrong].astro',
      "---\nimport { entities } from 'astro-jsonapi:content';\nexport const getStaticPaths = () =>\n  entities('article').sort('nope').paginate({ size: 2 });\n---\n",
    ],
  ])('names the file and the line of a query in %s that is not valid', async (_place, name, page) => {
    writeFileSync(site.file('src/pages', name), page);
    const { code, output } = await tryBuild(site, {
      JSONAPI_OPTIONS: JSON.stringify({ danglingReferences: 'missing' }),
    });
    rmSync(site.file('src/pages', name));
    expect(code).not.toBe(0);
    expect(output).toContain('has no field "nope"');
    expect(output).toContain(`src/pages/${name}:4:`);
  });

  it('fails the build if a browser script imports the content', async () => {
    for (const file of ['article/second.md', 'tag/sky.yaml', 'person/sub.md'])
      rmSync(site.file('content', file), { force: true });
    const script = "import { entities } from 'astro-jsonapi:content';\nconsole.log(entities);\n";
    writeFileSync(site.file('src/pages/script.astro'), `<script>\n${script}</script>\n`);
    const { code, output } = await tryBuild(site, {
      JSONAPI_OPTIONS: JSON.stringify({ danglingReferences: 'missing' }),
    });
    expect(code).not.toBe(0);
    expect(output).toMatch(
      /A browser script in \S*src\/pages\/script\.astro\S* imports astro-jsonapi:content/,
    );
  });
});

describe('astro dev', () => {
  let site: Site;
  let server: Served;

  beforeAll(async () => {
    site = copySite('plain', 'dev');
    mkdirSync(site.file('content/note'));
    writeFileSync(site.file('content/note/one.md'), '---\ntitle: One\n---\n');
    writeFileSync(site.file('content/tag/sky.yaml'), 'title: [open\n');
    server = await serveDev(site);
  });
  afterAll(async () => {
    await server?.stop();
    site?.remove();
  });

  const home = async () => (await fetch(`${server.origin}/`)).text();

  it('serves pages, API and explorer, and prints the problems', async () => {
    expect(await home()).toContain('<li>First light</li>');
    const response = await fetch(`${server.origin}/jsonapi/node/article?sort=-rating&page[limit]=1`);
    expect(await response.json()).toMatchObject({ data: [{ id: 'second' }] });
    expect((await fetch(`${server.origin}/jsonapi-explorer`)).headers.get('content-type')).toContain(
      'text/html',
    );
    expect((await fetch(`${server.origin}/jsonapi/node/nothing`)).status).toBe(404);
    expect(server.output()).toMatch(/content\/tag\/sky\.yaml:\d+:\d+ /);
  });

  it('shows a changed file in pages', async () => {
    writeFileSync(site.file('content/article/first.md'), '---\ntitle: First dusk\nrating: 3\n---\n');
    await eventually(async () => expect(await home()).toContain('<li>First dusk</li>'));
  });

  it('shows a changed file in modules that ran a query on import', async () => {
    const page = async () => (await fetch(`${server.origin}/titles`)).text();
    expect(await page()).toContain('First dusk, Second wind');
    writeFileSync(site.file('content/article/first.md'), '---\ntitle: First night\nrating: 3\n---\n');
    await eventually(async () => expect(await page()).toContain('First night, Second wind'));
  });

  it('updates the types of bundles without a schema', async () => {
    const types = () =>
      readFileSync(site.file('.astro/integrations/astro-jsonapi/content.d.ts'), 'utf8').replace(/\s+/g, ' ');
    await eventually(async () => expect(types()).toContain('readonly "note": Types.InferredBundle<{'));
    writeFileSync(site.file('content/note/one.md'), '---\nmood: calm\n---\n');
    await eventually(async () => expect(types()).toContain('readonly "mood": string | null;'));
    writeFileSync(site.file('content/note/one.md'), '---\nmood: 3\n---\n');
    await eventually(async () => expect(types()).toContain('readonly "mood": number | null;'));
  });

  it('adds a page for a new file', async () => {
    const page = async () => (await fetch(`${server.origin}/articles/fresh`)).text();
    expect(await page()).not.toContain('<h1>Fresh</h1>');
    writeFileSync(site.file('content/article/fresh.md'), '---\ntitle: Fresh\nrating: 1\n---\n');
    await eventually(async () => expect(await page()).toContain('<h1>Fresh</h1>'));
  });

  it('reads the content again when the schema changes', async () => {
    const schema = `import { defineSchema, z } from 'astro-jsonapi/schema';
export default defineSchema({ article: { rating: z.string() } });`;
    writeFileSync(site.file('content/schema.ts'), schema);
    await eventually(async () => expect(server.output()).toMatch(/article\/first\.md:3:9 .*rating/));
  });
});

describe('astro sync', () => {
  it('generates types for all content, even if the schema cannot be loaded', async () => {
    const site = copySite('plain', 'sync');
    const sync = async () => {
      const { code, output } = await trySync(site);
      expect([code, output]).toEqual([0, expect.stringContaining('Generated')]);
      const types = readFileSync(site.file('.astro/integrations/astro-jsonapi/content.d.ts'), 'utf8');
      return { output, types };
    };
    try {
      mkdirSync(site.file('content/note'));
      writeFileSync(site.file('content/note/one.md'), '---\nmood: calm\n---\n');
      const { types } = await sync();
      expect(types).toContain('readonly "mood": string | null;');
      expect(types).toMatch(/type Declared = \(typeof import\(".*\/content\/schema\.ts"\)\)\['default'\];/);
      expect(types).toContain('interface Schema extends Declared, Inferred {}');
      expect(types).not.toContain('readonly "article"');
      writeFileSync(site.file('content/schema.ts'), 'export default {');
      expect((await sync()).output).toContain('content/schema.ts cannot be loaded');
    } finally {
      site.remove();
    }
  });
});

describe('a schema module without a schema', () => {
  it.each([
    ['export const schema = {};', 'has no default export'],
    ['export default { article: 1 };', 'is not a schema'],
    ["throw new Error('no luck');", 'content/schema.ts cannot be loaded: no luck'],
    ["import { nothing } from './nothing.ts';\nexport default nothing;", 'nothing.ts'],
  ])('fails the build and explains the problem: %s', async (source, message) => {
    const site = copySite('plain', 'schema');
    try {
      writeFileSync(site.file('content/schema.ts'), source);
      const { code, output } = await tryBuild(site);
      expect(code).not.toBe(0);
      expect(output).toContain(message);
    } finally {
      site.remove();
    }
  });
});

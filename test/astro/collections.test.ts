import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import {
  build,
  copySite,
  REPOSITORY,
  run,
  runAstro,
  type Served,
  type Site,
  serve,
  serveDev,
} from './site.ts';

const LOADER_IMPORT = "import { jsonapiLoader } from 'astro-jsonapi/loader';";

/** The value of `Astro.locals` that the site's middleware sets, as an MDX component renders it. */
const UNIT = '<p class="unit">metres</p>';

function page(site: Site, ...segments: readonly string[]): string {
  return readFileSync(site.file('dist', ...segments, 'index.html'), 'utf8');
}

describe('content collections over the same files', () => {
  let site: Site;
  let home: string;

  beforeAll(async () => {
    site = copySite('collections', 'collections');
    await build(site);
    home = page(site);
  });
  afterAll(() => site?.remove());

  it('contain published entities by id, or all of them by option', () => {
    expect(home).toContain('<ul><li>one: One</li><li>two: Two</li></ul>');
    expect(home).toContain('<p class="all">one secret two</p>');
  });

  it('contain fields, the summary of the body, and references for getEntry and getEntries', () => {
    expect(home).toContain('<p class="summary">The first.</p>');
    expect(home).toContain('<p class="author">Ada</p>');
    expect(home).toContain('<p class="reviewers">Ada</p>');
  });

  it('render Markdown with headings and optimised images', () => {
    const html = page(site, 'articles', 'one');
    expect(html).toContain('<p class="headings">A heading</p>');
    expect(html).toMatch(/<img alt="a square"[^>]* src="\/_astro\/cover\.[^"]+\.webp"/);
  });

  it("build although a body contains Astro's image token, which stays text", () => {
    const html = page(site, 'articles', 'one');
    expect(html).toContain(`<b class="malformed" title='__ASTRO_IMAGE&#95;="{"'>x</b>`);
    expect(html).toContain(`<b class="remote" title='__ASTRO_IMAGE&#95;="{&quot;src`);
    expect(html).toContain(`<b class="forged" title='__ASTRO_IMAGE&#95;="{&quot;src`);
    expect(html).toContain('&quot;&apos;><img src=/x onerror=alert(1)>&quot;:1}"\'>x</b>');
  });

  it('pass image fields to <Image>: optimised beside the content, unchanged from public/', () => {
    const html = page(site, 'articles', 'one');
    expect(html).toMatch(
      /<img src="\/_astro\/cover[^"]+\.webp"[^>]* alt="A square"[^>]* width="20" height="20"/,
    );
    expect(html).toMatch(/<img src="\/public\.png"[^>]* width="24" height="12"/);
  });

  it('render MDX with its components and expressions', () => {
    const html = page(site, 'articles', 'two');
    expect(html).toContain('<aside class="note">The answer is 42.</aside>');
    expect(html).toContain('<p class="headings">In MDX</p>');
  });

  it('share the HTML of MDX with documents and queries', () => {
    const file = readFileSync(site.file('dist/jsonapi/node/article/two.json'), 'utf8');
    const { data } = JSON.parse(file) as { data: { attributes: { body: { processed: string } } } };
    expect(data.attributes.body.processed).toContain('<aside class="note">The answer is 42.</aside>');
    expect(data.attributes.body.processed).toContain(UNIT);
    expect(page(site, 'queried')).toContain('<aside class="note">The answer is 42.</aside>');
  });

  it('have types from the schema', async () => {
    writeFileSync(
      site.file('src/types.ts'),
      `import type { CollectionEntry } from 'astro:content';
import type { ImageMetadata } from 'astro';
declare const article: CollectionEntry<'article'>['data'];
export const author: { collection: 'people'; id: string } | null = article.field_author;
export const reviewers: readonly { collection: 'people'; id: string }[] = article.field_reviewers;
export const source: ImageMetadata | string | undefined = article.field_cover?.src;
export const title: string = article.title;
// @ts-expect-error There is no such field.
export const none = article.field_autor;
// @ts-expect-error The body is the entry's.
export const body = article.body;
`,
    );
    writeFileSync(
      site.file('tsconfig.json'),
      '{ "extends": "astro/tsconfigs/strictest", "include": [".astro/types.d.ts", "src/types.ts"] }',
    );
    const { output } = await run(
      process.execPath,
      [`${REPOSITORY}/node_modules/typescript/bin/tsc`, '--noEmit', '-p', site.dir],
      site.dir,
    );
    expect(output).toBe('');
  });

  it('a build without unpublished entities contains none of their images', async () => {
    expect(readdirSync(site.file('dist/_astro')).join(' ')).toContain('secret');
    writeFileSync(
      site.file('src/content.config.ts'),
      `import { defineCollection } from 'astro:content';
${LOADER_IMPORT}
const article = () => defineCollection({ loader: jsonapiLoader('article', { collections: { person: 'people' } }) });
export const collections = { article: article(), everything: article(), people: defineCollection({ loader: jsonapiLoader('person') }) };
`,
    );
    await build(site);
    expect(page(site)).toContain('<p class="all">one two</p>');
    expect(readdirSync(site.file('dist/_astro')).join(' ')).not.toContain('secret');
  });
});

describe('a built server', () => {
  let site: Site;
  let server: Served;

  beforeAll(async () => {
    site = copySite('collections', 'collections-server');
    await build(site, { SERVER: '1' });
    server = await serve(site);
  });
  afterAll(async () => {
    await server?.stop();
    site?.remove();
  });

  const processed = async () => {
    const response = await fetch(`${server.origin}/api/content/articles/two`);
    const { data } = (await response.json()) as { data: { body: { processed: string } } };
    return data.body.processed;
  };

  it('has prerendered the images of queried entities with <Image>', () => {
    const html = readFileSync(site.file('dist/client/queried/index.html'), 'utf8');
    expect(html).toMatch(
      /<img src="\/_astro\/cover[^"]+\.webp"[^>]* alt="A square"[^>]* width="10" height="10"/,
    );
  });

  it('renders the MDX of the build, and never runs later changes', async () => {
    expect(await processed()).toContain('<aside class="note">The answer is 42.</aside>');
    expect(await processed()).toContain(UNIT);
    const changed = '---\ntitle: Two\n---\nexport const made = process.exit(3);\n\nLater *text*.\n';
    writeFileSync(site.file('content/article/two.mdx'), changed);
    await eventually(async () => expect(await processed()).toContain('Later <em>text</em>.'));
    expect(await processed()).not.toMatch(/answer|export/);
  });
});

describe('an incremental build', () => {
  let site: Site;

  beforeAll(() => {
    site = copySite('collections', 'collections-incremental');
    // Without a code block: Shiki gives up on a line after half a second, so a busy machine changes the HTML.
    writeFileSync(
      site.file('content/article/two.mdx'),
      "---\ntitle: Two\n---\nimport Note from '../../src/components/note.astro';\n\n<Note>Two</Note>\n",
    );
  });
  afterAll(() => site?.remove());

  const rendered = async () =>
    [...(await build(site, { INCREMENTAL: '1' })).matchAll(/rendering (\w+)/g)].map(([, id]) => id).sort();

  it('renders the pages again whose entities or included entities have changed', async () => {
    expect(await rendered()).toEqual(['one', 'two']);
    expect(await rendered()).toEqual([]);
    writeFileSync(site.file('content/person/ada.yaml'), 'title: Ada Sand\n');
    expect(await rendered()).toEqual(['one']);
    expect(page(site, 'keyed', 'one')).toContain('<p>Ada Sand</p>');
    expect(existsSync(site.file('dist/keyed/two/index.html'))).toBe(true);
    writeFileSync(site.file('src/components/note.astro'), '<div><slot /></div>\n');
    expect(await rendered()).toEqual(['two']);
    writeFileSync(site.file('content/article/two.mdx'), '---\ntitle: Two\n---\nAnew: {1 + 1}\n');
    expect(await rendered()).toEqual(['two']);
  });
});

describe('astro dev', () => {
  let site: Site;
  let server: Served;

  beforeAll(async () => {
    site = copySite('collections', 'collections-dev');
    server = await serveDev(site);
  });
  afterAll(async () => {
    await server?.stop();
    site?.remove();
  });

  const text = async (path: string) => (await fetch(server.origin + path)).text();

  it('optimises images of queried entities, including new ones', async () => {
    expect((await text('/queried')).match(/\/_image\?href=[^"]*cover\.png/g)).toHaveLength(1);
    copyFileSync(site.file('content/article/cover.png'), site.file('content/article/later.png'));
    writeFileSync(site.file('content/article/late.md'), '---\ntitle: Late\nfield_cover: later.png\n---\n');
    await eventually(async () => expect(await text('/queried')).toMatch(/\/_image\?href=[^"]*later\.png/));
    rmSync(site.file('content/article/late.md'));
    await eventually(async () => expect(await text('/')).not.toContain('<li>late'));
  });

  it('shows edits, new files and unpublishing in getCollection', async () => {
    expect(await text('/')).toContain('<li>one: One</li>');
    writeFileSync(site.file('content/article/one.md'), '---\ntitle: First\n---\nAnew.\n');
    await eventually(async () => expect(await text('/')).toContain('<li>one: First</li>'));
    writeFileSync(site.file('content/article/three.md'), '---\ntitle: Three\n---\n');
    await eventually(async () => expect(await text('/')).toContain('<li>three: Three</li>'));
    writeFileSync(site.file('content/article/one.md'), '---\ntitle: First\nstatus: false\n---\nAnew.\n');
    await eventually(async () => {
      const page = await text('/');
      expect(page).not.toContain('<li>one: First</li>');
      expect(page).toContain('<p class="all">one secret three two</p>');
    });
  });

  it('shows edits of MDX in pages and in documents', async () => {
    const before = await text('/jsonapi/node/article/two');
    expect(before).toContain('The answer is 42.');
    expect(before).toContain(JSON.stringify(UNIT).slice(1, -1));
    const changed = '---\ntitle: Two\n---\nSum: {1 + 2}\n';
    writeFileSync(site.file('content/article/two.mdx'), changed);
    await eventually(async () => expect(await text('/jsonapi/node/article/two')).toContain('Sum: 3'));
    await eventually(async () => expect(await text('/articles/two')).toContain('Sum: 3'));
  });

  it('renders MDX that cannot be compiled as Markdown, and logs the reason', async () => {
    writeFileSync(site.file('content/article/two.mdx'), '---\ntitle: Two\n---\nBroken: {1 +\n');
    await eventually(async () => expect(await text('/jsonapi/node/article/two')).toContain('Broken'));
    expect(server.output()).toContain('The MDX of article/two.mdx cannot be rendered');
  });
});

describe('a loader', () => {
  it('for a missing bundle lists the existing bundles', async () => {
    const site = copySite('collections', 'collections-misnamed');
    try {
      const config = site.file('src/content.config.ts');
      writeFileSync(config, readFileSync(config, 'utf8').replace("Loader('person')", "Loader('persn')"));
      // After a failed build, Astro still writes its data store.
      const { code, output } = await runAstro(site, ['build']);
      expect(code).not.toBe(0);
      expect(output).toContain(
        `jsonapiLoader('persn'): unknown bundle "persn". Did you mean "person"? Bundles: article, person.`,
      );
    } finally {
      site.remove();
    }
  });

  it('without the integration fails with the line to add', async () => {
    const site = copySite('collections', 'collections-alone');
    try {
      writeFileSync(site.file('astro.config.mjs'), 'export default {};\n');
      // After a failed sync too.
      const { code, output } = await runAstro(site, ['sync']);
      expect(code).not.toBe(0);
      expect(output).toContain('add jsonapi() to the integrations in astro.config');
    } finally {
      site.remove();
    }
  });
});

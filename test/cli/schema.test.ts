import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { REPOSITORY } from '../astro/site.ts';
import { cli, createFolder, type Folder } from './cli.ts';

let folder: Folder;
afterEach(() => folder?.remove());

const written = () => readFileSync(folder.file('content/schema.ts'), 'utf8');

/** Writes the schema, checks the content against it, and returns its source. */
async function schemaFor(): Promise<string> {
  const { code, stdout, stderr } = await cli(folder.dir, ['schema']);
  expect([code, stdout, stderr]).toEqual([
    0,
    expect.stringMatching(/^content\/schema\.ts written: \d+ bundles?, \d+ fields?\.\n$/),
    '✓ All files match the schema.\n',
  ]);
  const check = await cli(folder.dir, ['check', '--json']);
  expect(JSON.parse(check.stdout)).toMatchObject({ errors: 0, warnings: 0 });
  return written();
}

/** The languages of the demo. */
const LANGUAGES = "export default { i18n: { locales: ['en', 'de'], defaultLocale: 'en' } };";

/** The type is detected from the content, not the name. */
const PIXEL = '<svg xmlns="http://www.w3.org/2000/svg" width="2" height="1"/>';

/** Every kind of value in realistic notation. */
const ODD = {
  'content/note/a.md': `---
tags: sea
when: 2015-10-27 10:00
moment: 2015-10-27T10:00:00+02:00
day: 2015-10-27
type: essay
slug: a
"odd key": it's "x" \\ y
mix: 1.10
big: 1.5
nested: [[1, 2], [3]]
empty:
listed: [a, null]
place: { "a b": 1, c: null }
items: [{ a: 1 }, { a: 2, b: x }]
author: { type: person, id: jo }
mail: a@example.org
home: https://example.org/a
same: true
---
`,
  'content/note/b.md': `---
tags: [sea, sky]
moment: 2015-10-27T10:00:00Z
slug: b
mix: text
big: 2
place: { "a b": 2.5, c: { d: [] } }
mood: maybe
author: jo
same: false
---
`,
  'content/tag/sea.yaml': 'title: Sea',
  'content/tag/sky.yaml': 'title: Sky',
  'content/person/jo.md': '# Jo\n',
};

describe('schema', () => {
  it('accepts paths of existing files as images and files', async () => {
    folder = createFolder({
      'content/article/a.md': `---
cover: { src: ./a.png, alt: A }
hero: /images/h.svg
shots: [a.png, { src: ../shared/b.jpg }]
paper: p.pdf
mixed: https://example.org/x.png
wrong: missing.png
name: example.com
logo: https://example.org/logo.svg
asset: ../../assets/a.svg
other: ../../../a.svg
---
`,
      'content/article/b.md': `---
cover: b/b.png
shots: a.png
paper: /papers/q.txt
mixed: a.png
wrong: a.png
name: b.md
---
`,
      'content/article/a.png': PIXEL,
      'content/article/b/b.png': PIXEL,
      'content/shared/b.jpg': PIXEL,
      'content/article/p.pdf': '%PDF',
      'astro.config.mjs': 'export default {};',
      'assets/a.svg': PIXEL,
      'public/images/h.svg': PIXEL,
      'public/papers/q.txt': 'q',
    });
    const source = await schemaFor();
    expect(source).toContain("import { defineSchema, file, image, z } from 'astro-jsonapi/schema';");
    expect(
      /article: \{\n([\s\S]*?)\n {2}\},/
        .exec(source)?.[1]
        ?.trim()
        .split(/\s*\n\s*/),
    ).toEqual([
      'cover: image(),',
      'hero: image().nullish(),',
      'shots: z.union([z.array(image()), image()]).default([]),',
      'paper: file(),',
      'mixed: image(),',
      'wrong: z.string(),',
      'name: z.string(),',
      'logo: z.url().nullish(),',
      'asset: image().nullish(),',
      'other: z.string().nullish(),',
    ]);
  });

  it('infers a readable schema for every kind of value', async () => {
    folder = createFolder(ODD);
    expect(await schemaFor()).toBe(`import { defineSchema, reference, z } from 'astro-jsonapi/schema';

/**
 * The content model, inferred from the files. Edit it: every file is checked against it, and queries have its types.
 * A \`.nullish()\` field can be missing. A \`.default([])\` list can be missing.
 */
export default defineSchema({
  note: {
    tags: z.union([z.array(reference('tag')), reference('tag')]).default([]),
    when: z.coerce.date().nullish(),
    moment: z.iso.datetime({ offset: true }),
    day: z.iso.date().nullish(),
    type: z.string().nullish(),
    slug: z.string(),
    'odd key': z.string().nullish(),
    // Strings and other values: all become strings.
    mix: z.coerce.string(),
    big: z.number(),
    nested: z.unknown(),
    empty: z.string().nullish(),
    listed: z.array(z.string().nullable()).default([]),
    place: z.object({ 'a b': z.number(), c: z.object({ d: z.array(z.string()).nullish() }).nullish() }),
    items: z.array(z.object({ a: z.int(), b: z.string().nullish() })).default([]),
    author: reference('person'),
    mail: z.email().nullish(),
    home: z.url().nullish(),
    same: z.boolean(),
    mood: z.string().nullish(),
  },
  person: {},
  tag: {},
});
`);
  });

  it('infers an enum for a few values, and marks rare names', async () => {
    const files = Array.from({ length: 60 }, (_, index) => [
      `content/eip/${index}.md`,
      `---\nstatus: ${index % 2 ? 'Final' : 'Draft'}\n${index === 7 ? 'autor: x\n' : ''}---\n`,
    ]);
    folder = createFolder(Object.fromEntries(files));
    const source = await schemaFor();
    expect(source).toContain("    status: z.enum(['Draft', 'Final']),\n");
    expect(source).toContain('    // In 1 of 60 files only.\n    autor: z.string().nullish(),\n');
  });

  it.each([
    [
      'the demo site',
      'content',
      7,
      ['author', 'tags', 'related', 'host', 'guides', 'keeper', 'mentor', 'parent'],
    ],
    // A field whose only reference may be a coincidence.
    ['a plain site', 'test/astro/fixtures/plain/content', 3, ['author', 'tags']],
  ])('matches the content of %s, including references', async (_name, content, bundles, references) => {
    folder = createFolder({ 'astro.config.mjs': LANGUAGES });
    cpSync(path.join(REPOSITORY, content), folder.file('content'), { recursive: true });
    rmSync(folder.file('content/schema.ts'));
    const source = await schemaFor();
    expect(source.match(/^ {2}\S+: \{/gm)).toHaveLength(bundles);
    const found = [...source.matchAll(/field_(\w+): (?:untranslated\()?(?:z\.array\()?reference\(/g)].map(
      ([, name]) => name,
    );
    expect([...new Set(found)].toSorted()).toEqual(references.toSorted());
  });

  it('marks fields that translated sources set and translations leave out', async () => {
    folder = createFolder({
      'astro.config.mjs': LANGUAGES,
      'content/event/opening.md':
        '---\nid: one\ntitle: Opening\nteaser: Come\nstarts: 2026-05-01\nseats: 20\n---\n',
      'content/event/opening.de.md': '---\ntitle: Eröffnung\nteaser: Komm\nprice: 5\n---\n',
      'content/event/closing.md':
        '---\ntitle: Closing\nteaser: Go\nstarts: 2026-06-01\nprice: 9\nmotto: Bye\n---\n',
    });
    expect(await schemaFor()).toContain(`
  event: {
    teaser: z.string(),
    starts: untranslated(z.iso.date()),
    price: z.int().nullish(),
    motto: z.string().nullish(),
    seats: untranslated(z.int().nullish()),
  },
`);
  });

  it('changes responses only where strings become references', async () => {
    folder = createFolder({ 'astro.config.mjs': LANGUAGES });
    cpSync(path.join(REPOSITORY, 'content'), folder.file('content'), { recursive: true });
    rmSync(folder.file('content/schema.ts'));
    const fields = 'title,field_place,field_programme,field_price,field_starts,field_bring';
    const ask = async () => {
      const { stdout } = await cli(folder.dir, ['query', `node/event?fields[node--event]=${fields}`]);
      return JSON.stringify(
        JSON.parse(stdout).data.map((event: { attributes: unknown }) => event.attributes),
      );
    };
    const before = await ask();
    await schemaFor();
    expect(await ask()).toBe(before);
  });

  it('overwrites nothing without --force', async () => {
    folder = createFolder({ ...ODD, 'content/schema.ts': 'export default {};' });
    const refused = await cli(folder.dir, ['schema']);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      'error: content/schema.ts already exists. Overwrite it with --force, or use --print.\n',
    ]);
    const printed = await cli(folder.dir, ['schema', '--print']);
    expect(printed.stdout).toContain('export default defineSchema({');
    expect(written()).toBe('export default {};');
    expect((await cli(folder.dir, ['schema', '--force'])).code).toBe(0);
    expect(written()).toBe(printed.stdout);
  });

  it('leaves a schema of another name alone', async () => {
    folder = createFolder({ ...ODD, 'content/schema.mjs': 'export default {};' });
    const { code, stderr } = await cli(folder.dir, ['schema', '--force']);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('This folder already has the schema schema.mjs.'),
    ]);
  });

  it('does not read files that git ignores', async () => {
    folder = createFolder({ ...ODD, '.gitignore': 'content/fetched/\n', 'content/fetched/a.md': '# A\n' });
    spawnSync('git', ['init', '-q', folder.dir]);
    const { code } = await cli(folder.dir, ['schema']);
    expect(code).toBe(0);
    expect(written()).not.toContain('fetched');
  });

  it('names the files that were ignored', async () => {
    folder = createFolder({ ...ODD, 'content/tag/broken.yaml': 'title: [' });
    const { code, stderr } = await cli(folder.dir, ['schema']);
    expect(code).toBe(0);
    expect(stderr).toContain('warning: The schema ignores 1 unreadable file.');
    expect(stderr).toContain('content/tag/broken.yaml:1:');
  });
});

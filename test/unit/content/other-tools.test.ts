import { describe, expect, it } from 'vitest';
import { encodeFile } from '../../../integration/core/content/encode/encode-file.ts';
import { siteLanguages } from '../../../integration/core/content/languages.ts';
import type { FieldValue } from '../../../integration/core/content/model.ts';
import { collectionsSchema } from '../../../integration/core/content/schema/collections.ts';
import { readYaml } from '../../../integration/core/source/yaml.ts';
import { defineSchema, reference, z } from '../../../integration/schema.ts';
import { cpuTime } from '../../support/cpu-time.ts';
import { type CollectSettings, collect, type Files } from './collect.ts';

/** The schema of a collection `work` in `src/content.config.ts`. */
function work(schema: z.ZodType): CollectSettings {
  const bundles = { work: { folder: 'work', patterns: ['**/*.md'] } };
  return {
    schema: collectionsSchema({ work: { schema } }, { file: '../content.config.ts', bundles, notes: [] }),
  };
}

async function valuesOf(
  text: string,
  settings: CollectSettings = {},
  key = 'work/a.md',
): Promise<Readonly<Record<string, FieldValue>>> {
  const { problems, entity } = await collect({ [key]: text }, settings);
  expect(problems).toEqual([]);
  const { id, values } = entity(key);
  return { id, ...values };
}

describe('frontmatter below blank lines', () => {
  it.each([
    ['\n---\ntitle: B\n---\nText.\n'],
    ['\r\n \r\n---\r\ntitle: B\r\n---\r\nText.\r\n'],
    ['\ufeff\n---\ntitle: B\n---\nText.\n'],
  ])('%j is read as Astro reads it, and stays there after an edit', async (text) => {
    const { problems, entity, collector } = await collect({ 'work/a.md': text });
    expect(problems).toEqual([]);
    expect(entity('work/a.md').values.title).toBe('B');
    const context = { ...collector.encoding('work/a.md')!, key: 'work/a.md', entity: entity('work/a.md') };
    const { bytes } = encodeFile(new TextEncoder().encode(text), { title: 'C' }, context);
    expect(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)).toBe(text.replace('B', 'C'));
  });

  it('reports its problems at their lines', async () => {
    const { problems } = await collect({ 'work/a.md': '\n\n---\ntitle: B\ndraft: please\n---\n' });
    expect(problems).toEqual([
      expect.stringContaining('content/work/a.md:5:8 `draft` must be true or false'),
    ]);
  });

  it('is a thematic break without a second line of `---`', async () => {
    expect((await valuesOf('\n---\n\nText after a thematic break.\n')).title).toBe('a');
  });
});

describe('dates', () => {
  it('in Unix milliseconds, as in Dendron, are dates', async () => {
    const values = await valuesOf(
      '---\ncreated: 1617215162123\nupdated: 1617215162123\nchanged: "1617215162123"\n---\n',
    );
    expect(values).toMatchObject({
      created: '2021-03-31T18:26:02.123+00:00',
      changed: '2021-03-31T18:26:02.123+00:00',
    });
    expect(await valuesOf('---\ncreated: 1617215162\n---\n')).toMatchObject({
      created: '2021-03-31T18:26:02+00:00',
    });
  });

  it('in Unix milliseconds stay milliseconds when they change', async () => {
    const text = '---\ncreated: 1617215162123\n---\n';
    const { entity, collector } = await collect({ 'work/a.md': text });
    const context = { ...collector.encoding('work/a.md')!, key: 'work/a.md', entity: entity('work/a.md') };
    const edited = (created: string) =>
      new TextDecoder().decode(encodeFile(new TextEncoder().encode(text), { created }, context).bytes);
    expect(edited('2026-01-02T00:00:00+00:00')).toBe('---\ncreated: 1767312000000\n---\n');
    expect(edited('2021-04-11T18:26:02.123+00:00')).toBe('---\ncreated: 1618165562123\n---\n');
    expect(edited('2021-03-31T18:26:02.123+00:00')).toBe(text);
  });

  it.each([
    ['"03/07/2024"', '2024-03-07T00:00:00+00:00'],
    ['"25/12/2024"', '2024-12-25T00:00:00+00:00'],
    ['March 2024', '2024-03-01T00:00:00+00:00'],
    ['"2024"', '2024-01-01T00:00:00+00:00'],
  ])('z.coerce.date() accepts %s', async (date, read) => {
    const settings = work(z.object({ date: z.coerce.date() }));
    expect(await valuesOf(`---\ndate: ${date}\n---\n`, settings)).toMatchObject({
      date: read,
      created: read,
    });
  });

  it.each(['2024-02-30', 'soon'])('z.coerce.date() refuses %s', async (date) => {
    const { problems } = await collect(
      { 'work/a.md': `---\ndate: ${date}\n---\n` },
      work(z.object({ date: z.coerce.date() })),
    );
    expect(problems).toEqual([expect.stringContaining('`date`: expected a date.')]);
  });

  it('can be words if the schema takes strings too, and are compared as text', async () => {
    const settings = work(
      z.object({ end: z.union([z.coerce.date(), z.string()]), pubDate: z.string().or(z.date()) }),
    );
    const files: Files = {
      'work/a.md': '---\nend: Now\npubDate: 2024-01-02\n---\n',
      'work/b.md': '---\nend: 03/07/2024\npubDate: later\n---\n',
    };
    const { problems, values, field } = await collect(files, settings);
    expect(problems).toEqual([]);
    expect(values('work/a.md')).toMatchObject({ end: 'Now', created: '2024-01-02T00:00:00+00:00' });
    expect(values('work/b.md')).toMatchObject({ end: '2024-03-07T00:00:00.000Z', pubDate: 'later' });
    expect(field('node--work', 'end')).toMatchObject({ kind: 'json', scalar: 'string' });
  });
});

describe('ids that are addresses', () => {
  it.each([
    ['/docs/start', 'docs/start'],
    ['/docs/start/', 'docs/start'],
    ['/', 'a'],
  ])('id: %s is %s', async (written, id) => {
    expect(await valuesOf(`---\nid: ${written}\n---\n`)).toMatchObject({ id });
  });

  it('are found by references with the slash', async () => {
    const schema = defineSchema({ page: { next: reference('page').nullish() } });
    const files = { 'page/a.md': '---\nid: /docs/a\n---\n', 'page/b.md': '---\nnext: /docs/a\n---\n' };
    const { problems, values } = await collect(files, { schema });
    expect(problems).toEqual([]);
    expect(values('page/b.md').next).toEqual({ type: 'node--page', id: 'docs/a' });
  });
});

describe('files that are not pages', () => {
  it('with an object as `title` have the title of their heading or their file', async () => {
    const { problems, diagnostics, values } = await collect({
      'locale/en.json': '{ "title": { "save": "Save" }, "ok": "OK" }',
      'demo/basic.md': '---\ntitle:\n  zh-CN: 基本\n  en-US: Basic\n---\n\nText.\n',
    });
    expect(problems).toEqual([]);
    expect(values('locale/en.json')).toMatchObject({ title: 'en', ok: 'OK' });
    expect(values('demo/basic.md').title).toBe('basic');
    expect(diagnostics.filter(({ code }) => code === 'title/ignored')).toHaveLength(2);
  });

  it('a JSON template with frontmatter is skipped, with a note', async () => {
    const { problems, diagnostics, ids } = await collect({
      'feeds/feed.json': '---\nlayout: null\n---\n{ "items": {% for post in site.posts %} }\n',
      'feeds/a.md': 'Text.\n',
    });
    expect(problems).toEqual([]);
    expect(ids).toEqual(['node--feeds/a']);
    expect(diagnostics).toContainEqual(
      expect.objectContaining({ key: 'feeds/feed.json', severity: 'info', code: 'data/not-a-map' }),
    );
  });

  it('may name folders in their configuration that are bundles too', async () => {
    const { problems } = await collect({
      'src/index.md': 'Text.\n',
      'app/angular.json': '{ "build": { "options": { "assets": ["src/assets", "src/favicon"] } } }',
    });
    expect(problems).toEqual([]);
  });
});

describe('quoted text that goes on in column 1', () => {
  it.each([
    ['summary: "One.\nTwo."', 'One. Two.'],
    ["summary: 'One.\nIt''s two.\n\nThree.'", "One. It's two.\nThree."],
    ['summary: "One.  \nTwo: \\"2\\"."', 'One. Two: "2".'],
    ['summary: ["One.\nTwo."]', ['One. Two.']],
  ])('%j is read as Astro reads it', async (line, summary) => {
    const { title, field_x, ...values } = await valuesOf(
      `---\ntitle: A\n${line.replace('summary', 'x')}\nlast: 1\n---\n`,
    );
    expect([title, values.x, values.last]).toEqual(['A', summary, 1]);
    expect(field_x).toBeUndefined();
  });

  it('stays as written when another key changes, and problems below it have their lines', async () => {
    const text = '---\ntitle: A\nx: "One.\nTwo."\nlast: 1\n---\n';
    const { entity, collector } = await collect({ 'work/a.md': text });
    const context = { ...collector.encoding('work/a.md')!, key: 'work/a.md', entity: entity('work/a.md') };
    const edited = (changes: Readonly<Record<string, FieldValue>>) =>
      new TextDecoder().decode(encodeFile(new TextEncoder().encode(text), changes, context).bytes);
    expect(edited({ title: 'B', last: 2 })).toBe('---\ntitle: B\nx: "One.\nTwo."\nlast: 2\n---\n');
    expect(edited({ x: 'New.' })).toBe('---\ntitle: A\nx: "New."\nlast: 1\n---\n');
    const { problems } = await collect({ 'work/a.md': text.replace('last: 1', 'draft: please') });
    expect(problems[0]).toContain('content/work/a.md:5:8 ');
  });

  it('takes time in proportion to its length', async () => {
    const text = `a: "x\n${'word\n'.repeat(60_000)}"\n`;
    expect(await cpuTime(() => readYaml(text))).toBeLessThan(5000);
  });

  it.each([
    ['title: "One\nlast: 2\n', '2:8 The string that starts here has no closing `"`.'],
    ['title: "One\nlast: "2"\n', '2:8 The string that starts here has no closing `"`.'],
    ["title: 'It's here'\n", '2:'],
  ])('%j is an error that names the mistake', async (yaml, message) => {
    const { problems } = await collect({ 'work/a.md': `---\n${yaml}---\n` });
    expect(problems[0]).toContain(`content/work/a.md:${message}`);
  });
});

describe('collections in the same folder', () => {
  it('have the files that their patterns match, the first named those that several match', async () => {
    const layout = {
      folders: { banner: 'sections', quotes: 'sections', all: 'sections', rest: '**' },
      ignore: [],
      patterns: {
        banner: ['call-to-action.{md,mdx}'],
        quotes: ['testimonial.md'],
        all: ['**/[ct]*.md'],
        rest: ['**/*.md'],
      },
    };
    const keys = ['call-to-action', 'testimonial', 'team', 'about'].map((name) => `sections/${name}.md`);
    const { ids, problems } = await collect(Object.fromEntries(keys.map((key) => [key, 'Text.\n'])), {
      layout,
    });
    expect(problems).toEqual([]);
    expect(ids).toEqual([
      'node--all/team',
      'node--banner/call-to-action',
      'node--quotes/testimonial',
      'node--rest/sections/about',
    ]);
  });
});

describe('files and folders of tools', () => {
  it.each(['node_modules/x/readme.md', 'guide/node_modules/x/y.md', '.obsidian/a.md', 'guide/.git/b.md'])(
    '%s is never content, also if an option names the folder',
    async (key) => {
      const layout = {
        folders: { page: '**', notes: '.obsidian' },
        ignore: [],
        patterns: { page: ['**/*.md'] },
      };
      const { ids, problems } = await collect({ [key]: 'Text.\n', 'guide/a.md': 'Text.\n' }, { layout });
      expect([ids, problems]).toEqual([['node--page/guide/a'], []]);
    },
  );

  it('that hide most files are named in the option that reads them, with the languages found', async () => {
    const posts = (language: string) => [1, 2].map((n) => [`${language}/news/_posts/${n}.md`, 'Text.\n']);
    const files = Object.fromEntries([...posts('en'), ...posts('de')]);
    const { diagnostics } = await collect(files);
    expect(diagnostics.find(({ code }) => code === 'file/ignored')?.hint).toBe(
      'Read them with option bundles, such as { "news": "news/_posts" } and with the languages in option i18n of Astro: { locales: ["de", "en"] }, or leave them out with option ignore.',
    );
    const layout = { folders: { news: 'news/_posts' }, ignore: [] };
    const languages = siteLanguages({ defaultLocale: 'en', locales: ['de', 'en'] });
    expect((await collect(files, { layout, languages })).ids).toHaveLength(4);
  });
});

describe('one odd item of a list', () => {
  it('is a warning at its line, and the field can be queried', async () => {
    const { problems, values, field } = await collect({
      'cmd/a.md': '---\naliases: [a1]\n---\n',
      'cmd/where.md': '---\naliases:\n  - ?\n  - where\n---\n',
    });
    expect(field('node--cmd', 'aliases')).toMatchObject({ kind: 'string', list: true });
    expect(values('cmd/where.md').aliases).toEqual(['where']);
    expect(problems).toEqual([
      expect.stringContaining(
        'content/cmd/where.md:3:5 warning: An item of `aliases` is a map without values, and the others are not.',
      ),
    ]);
  });

  it('is an object in a list of objects', async () => {
    const { problems, field } = await collect({ 'cmd/a.md': '---\nitems:\n  - url:\n  - url: x\n---\n' });
    expect(problems).toEqual([]);
    expect(field('node--cmd', 'items')).toMatchObject({ kind: 'object', list: true });
  });
});

describe('the title of a note', () => {
  it('is a level-1 heading at its start, else its file name', async () => {
    const { values } = await collect({
      'v/Backlinks.md': 'Intro.\n\n## Show backlinks\n',
      'v/Daily.md': '# Daily notes\n\n## Example\n',
    });
    expect(values('v/Backlinks.md').title).toBe('Backlinks');
    expect(values('v/Daily.md').title).toBe('Daily notes');
  });
});

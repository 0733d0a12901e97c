import { describe, expect, it } from 'vitest';
import { globMatcher } from '../../../integration/core/content/layout.ts';
import { collect } from './collect.ts';

/** Files without frontmatter. */
function pages(...keys: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(keys.map((key) => [key, key.endsWith('.json') ? '{}' : 'Text\n']));
}

describe('folders of bundles', () => {
  it('give their names to bundles, as far as JSON:API allows them', async () => {
    const { ids, problems } = await collect(
      pages(
        '1.guide/2.basics/1.events.md',
        '_posts/2024-01-02-hello.md',
        'Release notes/v1.md',
        'about.md',
        'docs/_index.md',
        'docs/setup/_index.md',
        'index.md',
      ),
    );
    expect(problems).toEqual([]);
    expect(ids).toEqual([
      'node--Release_notes/v1',
      'node--docs/index',
      'node--docs/setup',
      'node--guide/2.basics/1.events',
      'node--page/about',
      'node--page/index',
      'node--posts/2024-01-02-hello',
    ]);
  });

  it('are chosen by options', async () => {
    const folders = { post: '_entries', page: '', 'taxonomy_term--tags': 'meta/tags', note: '日記' };
    const { ids, problems } = await collect(
      pages('_entries/a.md', 'about.md', 'meta/tags/red.md', 'meta/other.md', '日記/1.md'),
      { layout: { folders, ignore: [] } },
    );
    expect(problems).toEqual([]);
    expect(ids).toEqual([
      'node--meta/other',
      'node--note/1',
      'node--page/about',
      'node--post/a',
      'taxonomy_term--tags/red',
    ]);
  });

  it('belong to one bundle with the folder **, as far as no other bundle has them', async () => {
    const folders = { doc: '**', post: 'blog' };
    const { ids, problems } = await collect(
      pages('blog/a.md', 'guide/a.md', 'guide/deep/a.md', 'index.md', 'guide/_draft.md', 'guide/data.json'),
      { layout: { folders, ignore: [] } },
    );
    expect(problems).toEqual([]);
    expect(ids).toEqual(['node--doc/guide/a', 'node--doc/guide/deep/a', 'node--doc/index', 'node--post/a']);
  });

  it.each([
    [
      ['guide/a.md', '1.guide/b.md'],
      {},
      "content/guide/ `1.guide` and `guide` are both the bundle `guide`. (Rename the folder, or give it another bundle with option bundles, such as { other: 'guide' }.)",
    ],
    [
      ['page/a.md', 'b.md'],
      {},
      "content/page/ Files in no folder and `page` are both the bundle `page`. (Rename the folder, or give it another bundle with option bundles, such as { other: '.' }.)",
    ],
    [
      ['post/a.md', '_entries/b.md'],
      { post: '_entries' },
      "content/post/ `_entries` and `post` are both the bundle `post`. (Rename the folder, or give it another bundle with option bundles, such as { other: 'post' }.)",
    ],
  ])('that become one bundle are an error: %j', async (keys, folders, problem) => {
    const { problems } = await collect(pages(...keys), { layout: { folders, ignore: [] } });
    expect(problems).toEqual([problem]);
  });

  it('may have the short and the full name of a resource type', async () => {
    const { problems } = await collect(pages('article/a.md', 'node--article/b.md'));
    expect(problems).toEqual([]);
  });

  it('stop being an error when one of them is removed', async () => {
    const { driver, collector, problems } = await collect(pages('guide/a.md', '1.guide/b.md'));
    expect(problems).toHaveLength(1);
    await driver.remove('1.guide/b.md');
    await collector.apply(['1.guide/b.md']);
    expect(collector.diagnostics().filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  it('with a leading underscore are private unless an option names them', async () => {
    const { ids } = await collect(pages('_drafts/a.md', 'post/_b.md', 'post/c.md'));
    expect(ids).toEqual(['node--post/c']);
  });
});

describe('ignored files', () => {
  it('are not entities, and are not reported', async () => {
    const { ids, diagnostics } = await collect(pages('post/a.md', 'post/a.11tydata.json', 'notes/b.md'), {
      layout: { folders: {}, ignore: ['notes/**', '**/*.json'] },
    });
    expect(ids).toEqual(['node--post/a']);
    expect(diagnostics.map(({ code }) => code)).toEqual(['inference/report']);
  });

  it.each([
    ['notes/**', 'notes/a.md', true],
    ['notes', 'notes/deep/a.md', true],
    ['./notes/', 'notes/a.md', true],
    ['notes', 'notes.md', false],
    ['*.md', 'a.md', true],
    ['*.md', 'post/a.md', false],
    ['**/*.md', 'a.md', true],
    ['**/*.md', 'post/deep/a.md', true],
    ['post/*.{md,mdx}', 'post/a.mdx', true],
    ['post/*.{md,mdx}', 'post/a.json', false],
    ['a,b.md', 'a,b.md', true],
    ['a,b.md', 'a', false],
    ['v?.md', 'v1.md', true],
    ['v?.md', 'v12.md', false],
    ['(x)+[y].md', '(x)+[y].md', true],
    ['a.md', 'abmd', false],
    ['{a', '{a', true],
    ['!a.md', 'b.md', false],
    ['*', '.a', true],
    ['\\*.md', '*.md', true],
  ])('match a glob: %s and %s is %s', (glob, key, matches) => {
    expect(globMatcher([glob])(key)).toBe(matches);
  });
});

it('the slowest globs take little time for the longest names', () => {
  const isIgnored = globMatcher(['*a*b', '**/a/**/a/**/b', '**/*a*/**/*a*b']);
  const start = performance.now();
  for (const key of ['a'.repeat(250), 'a/'.repeat(499)]) expect(isIgnored(key)).toBe(false);
  expect(performance.now() - start).toBeLessThan(5000);
});

describe('data of other tools', () => {
  it.each([
    ['data/list.json', '[1, 2]', 'data/not-a-map'],
    ['data/list.yml', '- a\n- b\n', 'data/not-a-map'],
    ['data/large.json', `{"a": "${'x'.repeat(1024 * 1024)}"}`, 'data/too-large'],
    ['data/huge.json', `{"a": "${'x'.repeat(6 * 1024 * 1024)}"}`, 'file/too-large'],
  ])('is a note: %s', async (key, text, code) => {
    const { types, diagnostics, problems } = await collect({ [key]: text });
    expect([types, problems]).toEqual([[], []]);
    expect(diagnostics).toMatchObject([{ severity: 'info', code, key }]);
    expect(diagnostics[0]?.message).toMatch(/The file is skipped\.$/);
  });

  it('in frontmatter stays an error', async () => {
    const { problems } = await collect({ 'article/a.md': '---\n- a\n---\n' });
    expect(problems).toHaveLength(1);
  });

  it('that becomes a list removes its entity, and a map brings it back', async () => {
    const { driver, collector } = await collect({ 'data/a.json': '{"title": "A"}' });
    const write = async (text: string) => {
      await driver.write('data/a.json', new TextEncoder().encode(text));
      return collector.apply(['data/a.json']);
    };
    expect((await write('[]')).removedTypes).toEqual(['node--data']);
    expect((await write('{"title": "B"}')).types.map(({ entities }) => entities.length)).toEqual([1]);
    expect(collector.diagnostics().map(({ code }) => code)).toEqual(['inference/report']);
  });

  it('beside a page of the same name gives way to it', async () => {
    const { entity, ids, problems } = await collect({
      'blog/blog.json': '{"layout": "post"}',
      'blog/blog.md': 'The page\n',
    });
    expect(ids).toEqual(['node--blog/blog']);
    expect(entity('blog/blog.md').id).toBe('blog');
    expect(problems).toEqual([
      'content/blog/blog.json:1:1 warning: `blog/blog.md` has the same id, so this file is skipped. (Rename it if it is an entity of its own.)',
    ]);
  });
});

describe('the severity of a problem', () => {
  const FILES = { 'article/a.md': '---\ntitle: A\n---\n![A](x.png)\n' };

  it.each([
    [{}, ['warning: There is no file `x.png`.']],
    [{ 'body/image-missing': 'off' }, []],
    [{ 'body/image-missing': 'error' }, ['There is no file `x.png`.']],
  ] as const)('can be set: %j', async (problems, expected) => {
    const { problems: printed } = await collect(FILES, { problems });
    expect(printed).toEqual(expected.map((text) => expect.stringContaining(`a.md:4:6 ${text}`)));
  });
});

describe('keys that become other names', () => {
  it('are one note if there are many', async () => {
    const bundles = ['a', 'b', 'c', 'd', 'e', 'f'];
    const { diagnostics } = await collect(
      Object.fromEntries(bundles.map((name) => [`${name}/x.md`, '---\ntype: x\nlinks: [y]\n---\n'])),
    );
    const notes = diagnostics.filter(({ code }) => code === 'field/renamed');
    expect(notes.map(({ message }) => message)).toEqual([
      'Some keys become fields with other names, because JSON:API reserves or forbids the keys: `links` → `field_links`, `type` → `field_type`.',
    ]);
  });
});

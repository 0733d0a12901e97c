import { describe, expect, it } from 'vitest';
import { layoutOf } from '../../../integration/core/content/layout.ts';
import { publicName, resourceTypeName } from '../../../integration/core/content/resource-type.ts';
import { idFromPath } from '../../../integration/core/source/formats.ts';
import { collect } from './collect.ts';

describe('resource types', () => {
  it.each([
    ['article/a.md', 'node--article', 'markdown'],
    ['article/2024/01/a.MD', 'node--article', 'markdown'],
    ['article/a.markdown', 'node--article', 'markdown'],
    ['article/a.mdx', 'node--article', 'mdx'],
    ['article/a.json', 'node--article', 'json'],
    ['article/a.yaml', 'node--article', 'yaml'],
    ['article/a.yml', 'node--article', 'yaml'],
    ['taxonomy_term--tags/red.md', 'taxonomy_term--tags', 'markdown'],
    ['node--article/a.md', 'node--article', 'markdown'],
    ['blog-post/a.md', 'node--blog-post', 'markdown'],
    ['a--b--c/a.md', 'a--b--c', 'markdown'],
    ['my posts/a.md', 'node--my_posts', 'markdown'],
    ['Release notes/a.md', 'node--Release_notes', 'markdown'],
    ['Rust-1.12/a.md', 'node--Rust-1_12', 'markdown'],
    ['1.guide/a.md', 'node--guide', 'markdown'],
    ['01. Über uns/a.md', 'node--Uber_uns', 'markdown'],
    ['1.12/a.md', 'node--1_12', 'markdown'],
    ['-x/a.md', 'node--x', 'markdown'],
    ['_posts/a.md', 'node--posts', 'markdown'],
    ['about.md', 'node--page', 'markdown'],
    ['_index.md', 'node--page', 'markdown'],
    ['article/_index.md', 'node--article', 'markdown'],
  ])('%s is an entity of %s', (key, type, format) => {
    expect(layoutOf()(key)).toMatchObject({ role: 'entity', type, format });
  });

  it.each([
    ['article/cover.png', 'asset'],
    ['article/data.csv', 'asset'],
    ['article/readme', 'asset'],
    ['schema.ts', 'asset'],
    ['schema.mjs', 'asset'],
    ['cover.png', 'asset'],
    ['robots.txt', 'ignored'],
    ['README.md', 'ignored'],
    ['package.json', 'ignored'],
    ['article/_draft.md', 'ignored'],
    ['_drafts/a.md', 'ignored'],
    ['article/.hidden/a.md', 'ignored'],
    ['.DS_Store', 'ignored'],
    ['_posts/_a.md', 'ignored'],
    ['日記/a.md', 'misplaced'],
    ['--/a.md', 'misplaced'],
  ])('%s is %s', (key, role) => {
    expect(layoutOf()(key).role).toBe(role);
  });

  it('have a full and a short name', () => {
    expect(resourceTypeName('article')).toBe('node--article');
    expect(resourceTypeName('taxonomy_term--tags')).toBe('taxonomy_term--tags');
    expect(resourceTypeName('a/b')).toBeUndefined();
  });
});

describe('ids', () => {
  it.each([
    ['article/a.md', 'a'],
    ['article/2024/A b.md', '2024/A b'],
    ['article/x/index.md', 'x'],
    ['article/x/y/index.mdx', 'x/y'],
    ['article/index.md', 'index'],
    ['article/_index.md', 'index'],
    ['article/x/_index.md', 'x'],
    ['article/v1.2.md', 'v1.2'],
    ['article/ÄÖ.json', 'ÄÖ'],
  ])('of %s without a written id is %j', (key, id) => {
    expect(idFromPath(key.slice('article/'.length))).toBe(id);
  });

  it.each([
    ['id: Jane', 'Jane'],
    ['id: "007"', '007'],
    ['id: 007', '007'],
    ['id: 155', '155'],
    ['id: 12345678901234567890', '12345678901234567890'],
    ['id: a/b', 'a/b'],
    ['uuid: 6f2b', '6f2b'],
    ['id: one\nuuid: two', 'one'],
    ['id:', 'file'],
    ['id: ..a', '..a'],
  ])('of frontmatter %j is %j', async (frontmatter, id) => {
    const { entity } = await collect({ 'article/file.md': `---\n${frontmatter}\n---\n` });
    expect(entity('article/file.md').id).toBe(id);
  });

  it.each([
    ['id: ""', '2:5', 'is empty'],
    ['id: a/../b', '2:5', 'segment'],
    ['id: .', '2:5', 'segment'],
    ['id: a//b', '2:5', 'segment'],
    ['id: a//b', '2:5', 'segment'],
    ['id: "a\\tb"', '2:5', 'cannot contain'],
    ['id: [a]', '2:5', 'a string or a number'],
    ['uuid: true', '2:7', 'a string or a number'],
  ])('cannot be %j', async (frontmatter, position, message) => {
    const { ids, problems } = await collect({ 'article/file.md': `---\n${frontmatter}\n---\n` });
    expect(ids).toEqual([]);
    expect(problems).toEqual([expect.stringContaining(message)]);
    expect(problems[0]).toContain(`content/article/file.md:${position} `);
  });

  it('cannot contain half of a surrogate pair, which only JSON can write', async () => {
    const { problems } = await collect({ 'article/a.json': '{"id": "\\ud800"}' });
    expect(problems).toEqual([expect.stringContaining('cannot contain')]);
  });

  it('that clash are an error that names both files; the first file keeps the id', async () => {
    const { ids, entity, problems } = await collect({
      'article/a.md': '---\ntitle: A\nid: same\n---\n',
      'article/same.md': '',
      'person/same.md': '',
      'article/Same.md': '',
    });
    expect(ids).toEqual(['node--article/Same', 'node--article/same', 'node--person/same']);
    expect(entity('article/a.md').id).toBe('same');
    expect(problems).toEqual([
      'content/article/same.md:1:1 `article/same.md` and `article/a.md` have the same id `same`; only `article/a.md` is served. (Rename one of the files, or give it another `id`.)',
    ]);
  });

  it('clash across folders of the same resource type too', async () => {
    const { diagnostics } = await collect({ 'article/a.md': '', 'node--article/a.md': '---\nid: a\n---' });
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toMatchObject([
      { code: 'id/duplicate', key: 'node--article/a.md', line: 2, column: 5 },
    ]);
  });
});

describe('skipped files', () => {
  it('are reported in one line, and invalid bundle folders in one line each', async () => {
    const { diagnostics, types } = await collect({
      'README.md': '',
      'article/_a.md': '',
      'article/.b.md': '',
      '_x/c.md': '',
      'article/cover.png': '',
      '日記/a.md': '',
      '日記/b.md': '',
      'schema.ts': '',
      '_gone.jsonl': '',
    });
    expect(types).toEqual([]);
    expect(diagnostics).toHaveLength(2);
    expect(diagnostics[0]).toMatchObject({
      severity: 'warning',
      code: 'file/ignored',
      hint: 'Read them with option bundles, such as { "x": "_x" }, or leave them out with option ignore.',
    });
    expect(diagnostics[0]?.message).toContain('Most files are not read. 4 files skipped');
    expect(diagnostics[0]?.message).toContain('README.md, _x/c.md, article/.b.md …');
    expect(diagnostics[1]).toMatchObject({ severity: 'error', code: 'bundle/name', key: '日記/' });
    expect(diagnostics[1]?.message).toContain('2 files');
  });
});

describe('public names', () => {
  it.each([
    ['author', 'author'],
    ['discussions-to', 'discussions-to'],
    ['field_x', 'field_x'],
    ['größe', 'größe'],
    ['日付', '日付'],
    ['2fa', '2fa'],
    ['type', 'field_type'],
    ['id', 'field_id'],
    ['links', 'field_links'],
    ['relationships', 'field_relationships'],
    ['body', 'field_body'],
    ['Type', 'Type'],
    ['reading time', 'field_reading_time'],
    ['seo.title', 'field_seo_title'],
    ['a/b[c]+d', 'field_a_b_c__d'],
    ['_private', 'field__private'],
    ['__proto__', 'field___proto__'],
    ['@context', 'field__context'],
    ['', 'field_'],
  ])('%j becomes %j', (key, name) => {
    expect(publicName(key)).toBe(name);
  });
});

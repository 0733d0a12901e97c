import { describe, expect, it } from 'vitest';
import { parseAliasPattern } from '../../../../integration/core/content/decode/alias.ts';
import { defineSchema, reference, z } from '../../../../integration/schema.ts';
import { collect, printDiagnostics } from '../collect.ts';
import '../../../support/toml-format.ts';

const FILE = `---
title: Où est le zéro ?
field_date: 2024-03-09
field_count: 7
field_price: "9.50"
field_open: true
field_words: [a, b]
field_author: person/jane
field_empty:
uid: jane
created: 2023-12-31T23:30:00+05:00
---
`;
const PERSON = { 'person/jane.md': 'x' };

describe('an alias pattern', () => {
  it.each([
    ['/journal/[id]', '/journal/deep/first'],
    ['/[title]', '/ou-est-le-zero'],
    ['/[created:Y]/[created:m]/[created:d]/[id]', '/2023/12/31/deep/first'],
    ['/[created]', '/2023-12-31'],
    ['/on-[field_date]', '/on-2024-03-09'],
    ['/[field_count]/[field_price]/[field_open]', '/7/9-50/true'],
    ['/by/[field_author]/[langcode]', '/by/jane/en'],
    ['/fixed', '/fixed'],
    ['/[field_empty]', null],
    ['/[field_words]', null],
    ['/[nope]', null],
    ['/[uid]', null],
    ['/[title:Y]', null],
    ['/[id:Y]', null],
    ['/[body]', null],
  ])('%s gives %s', async (pattern, alias) => {
    const { values } = await collect(
      { 'article/deep/first.md': FILE, ...PERSON },
      { aliases: { article: pattern } },
    );
    expect(values('article/deep/first.md').path).toEqual({ alias });
  });

  it.each([
    ['Ça & là', '/ca-la'],
    ["It's low water", '/its-low-water'],
    ['Привет, мир', '/привет-мир'],
    ['हिन्दी', '/हिन्दी'],
    ['100 %', '/100'],
    ['?!', null],
  ])('turns the title %s into %s', async (title, alias) => {
    const files = { 'article/a.md': `---\ntitle: ${JSON.stringify(title)}\n---\n` };
    const { values } = await collect(files, { aliases: { 'node--article': '/[title]' } });
    expect(values('article/a.md').path).toEqual({ alias });
  });

  it('applies to files without a path of their own', async () => {
    const files = { 'article/a.md': '---\npath: /own\n---\n', 'article/b.md': '', 'page/c.md': '' };
    const { values } = await collect(files, { aliases: { article: '/j/[id]' } });
    expect(values('article/a.md').path).toEqual({ alias: '/own' });
    expect(values('article/b.md').path).toEqual({ alias: '/j/b' });
    expect(values('page/c.md').path).toEqual({ alias: null });
  });

  it('uses the fields of a schema', async () => {
    const schema = defineSchema({
      article: { day: z.iso.date(), author: reference('person') },
      person: {},
    });
    const files = { 'article/a.md': '---\nday: 2024-05-06\nauthor: jane\n---\n', ...PERSON };
    const { values } = await collect(files, { schema, aliases: { article: '/[day:Y]/[author]' } });
    expect(values('article/a.md').path).toEqual({ alias: '/2024/jane' });
  });

  it('is an error if it produces an invalid alias', async () => {
    const { problems, values } = await collect(
      { 'article/a.md': '---\nid: what?\n---\n' },
      { aliases: { article: '/[id]' } },
    );
    expect(problems).toEqual([
      'content/article/a.md:1:1 The alias `/what?`, from the alias pattern of the bundle, has characters that a path cannot contain. (Give the file a `path`, or change the pattern.)',
    ]);
    expect(values('article/a.md').path).toEqual({ alias: null });
  });

  it('follows a changed file', async () => {
    const { collector, driver } = await collect(
      { 'article/a.md': '---\ntitle: One\n---\n' },
      { aliases: { article: '/[title]' } },
    );
    await driver.write('article/a.md', new TextEncoder().encode('---\ntitle: Two\n---\n'));
    const { put } = await collector.apply(['article/a.md']);
    expect(put.map(({ values }) => values.path)).toEqual([{ alias: '/two' }]);
  });

  it.each([
    'journal/[id]',
    '/a/[id',
    '/a]',
    '/[]',
    '/[id:H]',
    '/[a[b]]',
    '//[id]',
    '/a?[id]',
    '',
    '/../[id]',
  ])('%s is invalid', (pattern) => {
    expect(parseAliasPattern(pattern)).toBeUndefined();
  });
});

describe('an alias', () => {
  it.each([
    ['', 'does not start with `/`'],
    ['https://site.example/about', 'does not start with `/`'],
    ['//host/x', 'starts with two slashes'],
    ['/a?b', 'has characters that a path cannot contain'],
    ['/a#b', 'has characters that a path cannot contain'],
    ['/a\\b', 'has characters that a path cannot contain'],
    ['/a/../b', 'has a `.` or `..` segment'],
  ])('%s is an error', async (alias, fault) => {
    for (const path of [`"${alias.replace('\\', '\\\\')}"`, `{ alias: "${alias.replace('\\', '\\\\')}" }`]) {
      const { problems } = await collect({ 'article/a.md': `---\npath: ${path}\n---\n` });
      expect(problems).toEqual([
        `content/article/a.md:2:7 The alias \`${alias}\` ${fault}. (Write it like /journal/first.)`,
      ]);
    }
  });

  it.each([
    ['---\npath: 2024/about\n---\n', '/2024/about'],
    ['+++\npath = "2024/about"\n+++\n', '/2024/about'],
  ])('without a slash at the start gets one: %j', async (text, alias) => {
    const { problems, values } = await collect({ 'article/a.md': text });
    expect([problems, values('article/a.md').path]).toEqual([[], { alias }]);
  });

  it('of two published entities is a warning at the second one', async () => {
    const { problems } = await collect(
      {
        'article/a.md': '---\npath: /same\n---\n',
        'page/b.md': '---\ntitle: B\npath: /same\n---\n',
        'page/same.md': '',
        'page/hidden.md': '---\npath: /same\ndraft: true\n---\n',
        'page/other.md': '---\npath: /Same\n---\n',
      },
      { aliases: { page: '/[id]' } },
    );
    expect(problems).toEqual([
      'content/page/b.md:3:7 warning: `article/a.md` already has the alias `/same`; the path leads there. (Give one of them another `path`.)',
      'content/page/same.md:1:1 warning: `article/a.md` already has the alias `/same`; the path leads there. (Give it a `path`, or change the alias pattern of `page`.)',
    ]);
  });

  it('belongs to the entity whose file was committed first', async () => {
    const { problems } = await collect(
      {
        'article/a.md': '---\npath: /same\n---\n',
        'page/b.md': '---\npath: /same\ncreated: 2030-01-01\n---\n',
      },
      {
        history: {
          'article/a.md': { created: 2000, changed: 2000 },
          'page/b.md': { created: 1000, changed: 3000 },
        },
      },
    );
    expect(problems).toEqual([
      'content/article/a.md:2:7 warning: `page/b.md` already has the alias `/same`; the path leads there. (Give one of them another `path`.)',
    ]);
  });

  it('stays with its entity if another file, even an older one, takes it too', async () => {
    const { collector, driver } = await collect({
      'article/a.md': 'A',
      'page/b.md': '---\npath: /same\n---\n',
    });
    await driver.write(
      'article/a.md',
      new TextEncoder().encode('---\npath: /same\ncreated: 1970-01-01\n---\n'),
    );
    await collector.apply(['article/a.md']);
    const warnings = collector.diagnostics().filter(({ code }) => code === 'alias/duplicate');
    expect(warnings).toMatchObject([{ severity: 'warning', key: 'article/a.md', line: 2, column: 7 }]);
  });

  it('can be reused when it is free', async () => {
    const { collector, driver } = await collect({
      'article/a.md': '---\npath: /same\n---\n',
      'article/b.md': '---\npath: /same\n---\n',
    });
    await driver.remove('article/a.md');
    await collector.apply(['article/a.md']);
    expect(printDiagnostics(collector.diagnostics().filter(({ severity }) => severity !== 'info'))).toEqual(
      [],
    );
  });
});

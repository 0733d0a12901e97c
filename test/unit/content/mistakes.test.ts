import { describe, expect, it } from 'vitest';
import { createCollector } from '../../../integration/core/content/collect.ts';
import type { SchemaDefinition } from '../../../integration/core/content/schema/schema.ts';
import { formatDiagnostics } from '../../../integration/core/source/diagnostic.ts';
import { defineSchema, image, reference, z } from '../../../integration/schema.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';

async function check(files: Readonly<Record<string, string>>, schema?: SchemaDefinition) {
  const options = { published: {}, danglingReferences: 'error', defaultLangcode: 'en' } as const;
  const collector = createCollector({ driver: createMemoryDriver(files), schema, options });
  const { entities } = await collector.load();
  const problems = collector.diagnostics().filter(({ severity }) => severity !== 'info');
  return { entities, lines: formatDiagnostics(problems, { root: 'content' }).split('\n').slice(0, -1) };
}

const page = (...lines: readonly string[]) => ['---', ...lines, '---', 'Text.', ''].join('\n');

describe('a boolean of YAML 1.1', () => {
  it.each(['draft: yes', 'draft: "true"', 'draft: 1', 'draft: off', 'status: no', 'status: on'])(
    '%s is an error, so that nothing is published by mistake',
    async (line) => {
      const { entities, lines } = await check({ 'article/a.md': page('title: A', line) });
      expect(lines).toEqual([
        expect.stringMatching(
          /^content\/article\/a\.md:3:\d+ .*must be true or false; .* \(Write true or false, without quotes\.\)$/,
        ),
      ]);
      expect(entities).toEqual([]);
    },
  );
});

describe('a value that is almost a reference', () => {
  const people = { 'person/ada.md': page('title: Ada'), 'person/bob.md': page('title: Bob') };

  it('is an error at its position', async () => {
    const { lines } = await check({
      ...people,
      'article/a.md': page('author: person/ada'),
      'article/b.md': page('authors: [person/ada, person/bob, person/Bo]', 'author: person/Ada'),
    });
    expect(lines).toEqual([
      'content/article/b.md:2:35 There is no `person/Bo`. (Did you mean `person/bob`?)',
      'content/article/b.md:3:9 There is no `person/Ada`. (Did you mean `person/ada`?)',
    ]);
  });

  it('is accepted if most values are not references either', async () => {
    const { lines } = await check({
      ...people,
      'article/a.md': page('what: [person/ada, and/or, input/output]', 'title: a'),
    });
    expect(lines).toEqual([]);
  });
});

describe('a schema with unknown names', () => {
  it('is reported with the most similar name', async () => {
    const schema = defineSchema({
      artcle: {},
      article: { author: reference('persn').nullish() },
      person: {},
      empty: {},
    });
    const { lines } = await check(
      {
        'article/a.md': page('title: A'),
        'person/ada.md': page('title: Ada'),
        'artikle/x.md': page('title: X'),
      },
      schema,
    );
    expect(lines).toEqual([
      'content/schema.ts:1:1 warning: The bundle `artcle` has no content. (Did you mean `artikle`?)',
      'content/schema.ts:1:1 warning: `article.author` refers to `persn`, which does not exist. (Did you mean `person`?)',
    ]);
  });
});

describe('a reference field whose bundle does not exist', () => {
  it('is one error of the schema, not an error of each file', async () => {
    const schema = defineSchema({ article: { author: reference('persn') }, person: {} });
    const { lines } = await check(
      { 'article/a.md': page('author: ada'), 'article/b.md': page('author: bob') },
      schema,
    );
    expect(lines).toEqual([
      'content/schema.ts:1:1 `article.author` refers to `persn`, which does not exist. (Did you mean `person`?)',
    ]);
  });
});

describe('a value that the schema rejects', () => {
  const schema = defineSchema({
    article: {
      born: z.iso.date().nullish(),
      at: z.iso.datetime({ offset: true }).nullish(),
      zone: z.enum(['upper', 'lower']).nullish(),
      rating: z.int().max(5).nullish(),
    },
  });

  it.each([
    ['born: 1815-13-10', 'Found: "1815-13-10". (Write a calendar day that exists, such as 2024-01-31.)'],
    ['at: 2024-01-31', 'Found: "2024-01-31". (Write it as 2024-01-31T18:00:00+01:00.)'],
    ['zone: uper', 'Found: "uper". (Did you mean `upper`?)'],
    ['rating: 7', 'Found: 7.'],
  ])('%s has a hint', async (line, end) => {
    const { lines } = await check({ 'article/a.md': page(line) }, schema);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(`content/article/a.md:2:${line.indexOf(':') + 3} `);
    expect(lines[0]?.endsWith(end)).toBe(true);
  });
});

describe('a file with several problems', () => {
  const schema = defineSchema({
    article: {
      author: reference('person').nullish(),
      tags: z.array(reference('person')).default([]),
      cover: image().nullish(),
      rating: z.int().max(5).nullish(),
    },
    person: { email: z.email().nullish() },
  });
  const ada = { 'person/ada.md': page('title: Ada') };

  it('reports all of them at once', async () => {
    const { entities, lines } = await check(
      {
        ...ada,
        'article/a.md': page(
          'rating: 6',
          'author: bob',
          'tags: [ada, person/cy]',
          'cover: ./nope.png',
          'x: 1',
        ),
      },
      schema,
    );
    expect(lines).toEqual([
      'content/article/a.md:2:9 `rating`: Too big: expected number to be <=5. Found: 6.',
      'content/article/a.md:3:9 There is no `person/bob`. (Correct the reference, or add the file.)',
      'content/article/a.md:4:13 There is no `person/cy`. (Correct the reference, or add the file.)',
      expect.stringMatching(/^content\/article\/a\.md:5:8 There is no file `\.\/nope\.png`\./),
      expect.stringMatching(/^content\/article\/a\.md:6:1 There is no field `x`/),
    ]);
    expect(entities.map(({ id }) => id)).toEqual(['ada']);
  });

  it('reports only its present ones if it was valid before', async () => {
    const wrong = page('rating: 6', 'author: bob', 'tags: [ada, person/cy]', 'cover: ./nope.png', 'x: 1');
    const driver = createMemoryDriver({ ...ada, 'article/a.md': page('title: Once', 'author: nobody') });
    const options = { published: {}, danglingReferences: 'error', defaultLangcode: 'en' } as const;
    const collector = createCollector({ driver, schema, options });
    await collector.load();
    await driver.write('article/a.md', new TextEncoder().encode(wrong));
    await collector.apply(['article/a.md']);
    const problems = collector.diagnostics().filter(({ severity }) => severity === 'error');
    const fresh = await check({ ...ada, 'article/a.md': wrong }, schema);
    expect(formatDiagnostics(problems, { root: 'content' }).split('\n').slice(0, -1)).toEqual(fresh.lines);
    expect(fresh.lines).toHaveLength(5);
    await driver.write('article/a.md', new TextEncoder().encode(page('title: Again')));
    await collector.apply(['article/a.md']);
    expect(collector.diagnostics().filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  it('keeps its entity as a reference target until it is removed', async () => {
    const driver = createMemoryDriver({
      'person/ada.md': page('email: none'),
      'article/a.md': page('author: ada'),
    });
    const options = { published: {}, danglingReferences: 'error', defaultLangcode: 'en' } as const;
    const collector = createCollector({ driver, schema, options });
    await collector.load();
    const problems = () =>
      collector
        .diagnostics()
        .filter(({ severity }) => severity === 'error')
        .map(({ key, code }) => [key, code]);
    expect(problems()).toEqual([['person/ada.md', 'field/invalid']]);
    await driver.remove('person/ada.md');
    await collector.apply(['person/ada.md']);
    expect(problems()).toEqual([['article/a.md', 'reference/dangling']]);
    await driver.write('person/ada.md', new TextEncoder().encode(page('email: none')));
    await collector.apply(['person/ada.md']);
    expect(problems()).toEqual([['person/ada.md', 'field/invalid']]);
    await driver.write('person/ada.md', new TextEncoder().encode(page('email: ada@example.org')));
    await collector.apply(['person/ada.md']);
    expect(problems()).toEqual([]);
  });
});

describe('a misspelled required field', () => {
  const schema = defineSchema({ article: { author: z.string(), kind: z.string() } });

  it('is one error, at the misspelled key', async () => {
    const { lines } = await check({ 'article/a.md': page('autor: Ada', 'kind: news') }, schema);
    expect(lines).toEqual([
      'content/article/a.md:2:1 There is no field `autor` in the schema. (Did you mean `author`?)',
    ]);
  });

  it('is an error of its own if the field is there too, and other missing fields are reported', async () => {
    const { lines } = await check({ 'article/a.md': page('author: Ada', 'autor: Bob') }, schema);
    expect(lines).toEqual([
      'content/article/a.md:1:1 The field `kind` is missing. (Add it.)',
      'content/article/a.md:3:1 There is no field `autor` in the schema. (Did you mean `author`?)',
    ]);
  });
});

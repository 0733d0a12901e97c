import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLibrary } from './library.ts';

const FILES = {
  'article/one.md': '---\ntitle: One\nfield_author: ada\nfield_tags: [news]\nfield_rating: 5\n---\nText.\n',
  'article/two.md': '---\ntitle: Two\nfield_author: bob\nfield_rating: 3\n---\nText.\n',
  'person/ada.md': '---\ntitle: Ada\nfield_boss: bob\n---\nLife.\n',
  'person/bob.md': '---\ntitle: Bob\n---\nLife.\n',
  'tag/news.yaml': 'title: news\n',
};
type Library = Awaited<ReturnType<typeof createLibrary>>;

const changed = (changes: Readonly<Record<string, string>>) => createLibrary({ ...FILES, ...changes });

describe('the cache key of a query', () => {
  const key = ({ entities }: Library) =>
    entities('article').where('field_rating', '>', 1).include('field_author').cacheKey();

  it('is stable without changes, and does not render', async () => {
    const library = await createLibrary(FILES);
    expect(await key(library)).toMatch(/^[0-9a-f]{16}$/);
    expect(await key(library)).toBe(await key(await createLibrary(FILES)));
    expect(library.rendered()).toBe(0);
  });

  it.each<readonly [string, Readonly<Record<string, string>>]>([
    ['a field', { 'article/two.md': FILES['article/two.md'].replace('3', '4') }],
    ['a body', { 'article/two.md': FILES['article/two.md'].replace('Text', 'Words') }],
    ['an included entity', { 'person/ada.md': FILES['person/ada.md'].replace('Life', 'Death') }],
    ['an entity that no longer matches', { 'article/two.md': FILES['article/two.md'].replace('3', '0') }],
    ['a new entity', { 'article/new.md': '---\ntitle: New\nfield_rating: 2\n---\n' }],
    ['the title of a reference target', { 'tag/news.yaml': 'title: tidings\n' }],
    ['unpublishing', { 'article/one.md': FILES['article/one.md'].replace('title', 'status: false\ntitle') }],
    ['unpublishing an included entity', { 'person/ada.md': '---\ntitle: Ada\nstatus: false\n---\nLife.\n' }],
  ])('changes with %s', async (_, changes) => {
    expect(await key(await changed(changes))).not.toBe(await key(await createLibrary(FILES)));
  });

  it.each<readonly [string, Readonly<Record<string, string>>]>([
    ['an entity that does not match', { 'article/low.md': '---\ntitle: Low\nfield_rating: 1\n---\n' }],
    ['a draft', { 'article/draft.md': '---\ntitle: Draft\nfield_rating: 9\nstatus: false\n---\n' }],
    ['the body of an entity that is only referenced', { 'person/bob.md': '---\ntitle: Bob\n---\nLife.\n' }],
  ])('stays with %s', async (_, changes) => {
    expect(await key(await changed(changes))).toBe(await key(await createLibrary(FILES)));
  });

  it('counts matches beyond its page', async () => {
    const first = ({ entities }: Library) => entities('article').page({ limit: 1 }).cacheKey();
    const third = { 'article/zz.md': '---\ntitle: Last\n---\n' };
    expect(await first(await changed(third))).not.toBe(await first(await createLibrary(FILES)));
  });

  it('covers only the requested fields', async () => {
    const titles = ({ entities }: Library) => entities('article').fields('title').cacheKey();
    const rewritten = { 'article/two.md': FILES['article/two.md'].replace('Text', 'Words') };
    const renamed = { 'article/two.md': FILES['article/two.md'].replace('Two', 'Three') };
    expect(await titles(await changed(rewritten))).toBe(await titles(await createLibrary(FILES)));
    expect(await titles(await changed(renamed))).not.toBe(await titles(await createLibrary(FILES)));
  });
});

describe('the cache key of results', () => {
  it('covers all arguments in order', async () => {
    const { cacheKey, entities } = await createLibrary(FILES);
    const articles = await entities('article').all();
    expect(cacheKey(...articles)).toBe(cacheKey(...(await entities('article').all())));
    expect(cacheKey(...articles)).not.toBe(cacheKey(...articles.toReversed()));
    expect(cacheKey(articles[0], undefined)).not.toBe(cacheKey(articles[0]));
  });
});

describe('for any content and query', () => {
  const texts = fc.constantFrom('a', 'b', 'c');
  const file = fc
    .record({ title: texts, boss: fc.constantFrom('p', 'q', ''), status: fc.boolean(), body: texts })
    .map(
      ({ title, boss, status, body }) =>
        `---\ntitle: ${title}\nstatus: ${status}\n${boss && `field_boss: ${boss}\n`}---\n${body}\n`,
    );
  const content = fc.record({ 'person/p.md': file, 'person/q.md': file, 'person/r.md': file });
  const question = fc.record({
    filter: fc.option(texts),
    include: fc.subarray(['field_boss', 'field_boss.field_boss']),
    fields: fc.option(fc.subarray(['title', 'body', 'field_boss'], { minLength: 1 })),
    limit: fc.constantFrom(1, 2, 9),
  });

  it('different results have different keys, and unchanged content keeps its key', async () => {
    const check = fc.asyncProperty(content, content, question, async (before, later, asked) => {
      const [one, other, again] = await Promise.all(
        [before, later, before].map((files) => ask(files, asked)),
      );
      expect(again?.key).toBe(one?.key);
      if (one?.answer !== other?.answer) expect(other?.key).not.toBe(one?.key);
    });
    await fc.assert(check, { numRuns: 150 });
  });

  interface Question {
    readonly filter: string | null;
    readonly include: readonly string[];
    readonly fields: readonly string[] | null;
    readonly limit: number;
  }

  async function ask(files: Readonly<Record<string, string>>, { filter, include, fields, limit }: Question) {
    const { entities } = await createLibrary(files);
    let query = entities('person')
      .include(...include)
      .page({ limit });
    if (filter !== null) query = query.where('title', '=', filter);
    if (fields !== null) query = query.fields(...fields);
    const answer = JSON.stringify([await query.all(), await query.count()]);
    return { answer, key: await query.cacheKey() };
  }
});

import { describe, expect, it } from 'vitest';
import type { Services } from '../../../../integration/core/api/request.ts';
import { createContentApi } from '../../../../integration/core/builder/index.ts';
import { createQueryEngine } from '../../../../integration/core/engine/create-engine.ts';
import { rankedPage } from '../../../../integration/core/engine/plan/ranked-page.ts';
import { createEntityStore } from '../../../../integration/core/engine/store/entity-store.ts';
import { allRows } from '../../../../integration/core/engine/store/row-set.ts';
import type { Table } from '../../../../integration/core/engine/store/table.ts';
import { createFullText } from '../../../../integration/core/engine/text/full-text.ts';
import { LANGUAGES, languageOf, loadStemmer } from '../../../../integration/core/engine/text/languages.ts';
import { createTerms, parseSearch, splitWords } from '../../../../integration/core/engine/text/words.ts';
import { allSteps } from '../../../../integration/core/engine/time-slices.ts';
import { defineSchema, image, z } from '../../../../integration/schema.ts';
import { createHandler } from '../../../support/handler.ts';
import { createMemoryDriver } from '../../../support/memory-driver.ts';
import { fetchFrom } from '../../../support/request.ts';
import { createServices } from '../../../support/services.ts';
import { bundle, entity, field } from '../../api/jsonapi/magazine.ts';

const FILES = {
  'article/tides.md': '---\ntitle: Tides\n---\nThe sea comes and goes twice a day.',
  'article/moon.md': '---\ntitle: The moon\nsubtitle: What pulls the tide\n---\nTidal water follows it.',
  'article/café.md':
    '---\ntitle: A Café by the sea\nnote: { text: Closed at high tide, code: tidecode }\n---\n[Menu](https://example.com/linkword) <b class="classword">boldword</b>',
  'article/draft.md': '---\ntitle: Tide tide tide\ndraft: true\nuid: hermit\n---\ntide',
  'article/owned.md': '---\ntitle: 東京の海\nuid: tide\ntags: [low water, eel-grass]\n---\n',
};

async function services(
  files: Readonly<Record<string, string>> = FILES,
  schema?: Parameters<typeof createServices>[1],
) {
  return createServices(createMemoryDriver(files), schema, { settings: { explorer: true } });
}

async function ask(site: Services, path: string) {
  const response = await fetchFrom(createHandler(site), path);
  const body = JSON.parse((await response.text()) ?? 'null');
  return { status: response.status, body };
}

async function idsOf(site: Services, query: string, prefix = '/jsonapi/node/article') {
  const { status, body } = await ask(site, `${prefix}?${query}`);
  expect(body.errors, query).toBeUndefined();
  expect(status).toBe(200);
  return body.data.map(({ id }: { id: string }) => id);
}

describe('a full-text search', () => {
  it('finds the text of MDX, but not its code', async () => {
    const text =
      "import Codeword from 'codeword';\n\n<Codeword codeword={'codeword'}>important</Codeword>\n\nimport follows";
    const site = await services({ 'article/a.mdx': `---\ntitle: A\n---\n${text}\n` });
    expect(await idsOf(site, 'filter[fulltext]=important')).toEqual(['a']);
    expect(await idsOf(site, 'filter[fulltext]=import%20follows')).toEqual(['a']);
    expect(await idsOf(site, 'filter[fulltext]=codeword')).toEqual([]);
  });

  it.each([
    [
      'a word in title, body or field, in any form; the most relevant first',
      'tide',
      ['tides', 'café', 'moon'],
    ],
    ['all words', 'tides moon', ['moon']],
    ['words of different fields', 'closed sea', ['café']],
    ['words in any case and without accents', 'CAFE', ['café']],
    ['words with accents', 'café', ['café']],
    ['no match for a negated word', 'tide -moon -closed', ['tides']],
    ['entities without an excluded word', '-tide', ['owned']],
    ['a part of a hyphenated word', 'grass', ['owned']],
    ['a hyphenated word', 'eel-grass', ['owned']],
    ['an item of a list', 'low water', ['owned']],
    ['words in every entity', 'the', ['moon', 'café', 'tides']],
    ['text without spaces', '東京', ['owned']],
    ['a single character of it', '海', ['owned']],
    ['no match for characters that are not adjacent', '京東', []],
    ['a property of an object', 'tidecode', ['café']],
    ['text inside tags', 'boldword', ['café']],
    ['no HTML tag', 'classword', []],
    ['no match for a link target', 'linkword', []],
    ['a link text', 'menu', ['café']],
    ['no match for unpublished entities', 'draft', []],
    ['no match for an account name', 'hermit', []],
    ['no query syntax', 'title:tide^10 sea~2 +"a*', []],
    ['nothing for an unknown word', 'nothing', []],
  ])('finds %s', async (_, words, expected) => {
    expect(await idsOf(await services(), `filter[fulltext]=${encodeURIComponent(words)}`)).toEqual(expected);
  });

  it.each([
    ['filter[fulltext]=tide&sort=-title', ['tides', 'moon', 'café']],
    ['filter[fulltext]=tide&sort=title', ['café', 'moon', 'tides']],
    ['filter[fulltext]=tide&page[offset]=1&page[limit]=1', ['café']],
    ['filter[fulltext]=tide&filter[title][operator]=CONTAINS&filter[title][value]=o', ['moon']],
    ['filter[fulltext]=moon&filter[fulltext]=sea', ['café', 'tides']],
    ['filter[s][condition][path]=fulltext&filter[s][condition][value]=moon', ['moon']],
    [
      'filter[any][group][conjunction]=OR&filter[s][condition][path]=fulltext&filter[s][condition][value]=moon&filter[s][condition][memberOf]=any&filter[t][condition][path]=title&filter[t][condition][value]=tides&filter[t][condition][memberOf]=any',
      ['moon', 'tides'],
    ],
  ])('works with %s', async (query, expected) => {
    const ids = await idsOf(await services(), query);
    expect(query.includes('sort') || query.includes('page') ? ids : ids.toSorted()).toEqual(expected);
  });

  it.each([
    ['filter[fulltext]=', 'filter[fulltext]', 'needs a word'],
    ['filter[fulltext]=%20!?%20-', 'filter[fulltext]', 'needs a word'],
    [
      'filter[fulltext][operator]=CONTAINS&filter[fulltext][value]=x',
      'filter[fulltext]',
      'without an operator',
    ],
    [
      'filter[s][condition][path]=fulltext&filter[s][condition][operator]=IS%20NULL',
      'filter[s][condition][path]',
      'only words',
    ],
    ['sort=fulltext', 'sort', 'no field "fulltext"'],
  ])('rejects %s', async (query, parameter, detail) => {
    const { status, body } = await ask(await services(), `/jsonapi/node/article?${query}`);
    expect(status).toBe(400);
    expect(body.errors[0].source).toEqual({ parameter });
    expect(body.errors[0].detail).toContain(detail);
  });

  it('works in plain JSON, without comma lists, and at build time', async () => {
    const site = await services();
    expect(await idsOf(site, 'filter[fulltext]=tide,moon', '/api/content/article')).toEqual(['moon']);
    const { entities } = createContentApi(site);
    const ids = (list: readonly { readonly id: string }[]) => list.map(({ id }) => id);
    expect(ids(await entities('article').search('tide').all())).toEqual(['tides', 'café', 'moon']);
    expect(await entities('article').search('tide').count()).toBe(3);
    expect((await entities('article').search('tide').get('moon'))?.id).toBe('moon');
    const either = entities('article').where(({ search, where, or }) =>
      or(search('moon'), where('title', '=', 'Tides')),
    );
    expect(ids(await either.sort('title').all())).toEqual(['moon', 'tides']);
    const everything = entities('article', { as: 'everyone' });
    expect(ids(await everything.search('tide').sort('id').all())).toEqual(['café', 'draft', 'moon', 'tides']);
    await expect(entities('article').search(' ').all()).rejects.toThrow(
      "entities('article').search(' '): A search needs a word",
    );
  });

  it('is explained by the explorer', async () => {
    const url = encodeURIComponent('/jsonapi/node/article?filter[fulltext]=tide');
    const { body } = await ask(await services(), `/jsonapi-explorer/explain.json?url=${url}`);
    expect(body.plan).toBe(
      'node--article: 3 of 4 rows\n  search "tide" (found 3)\n  order by relevance; page 0 to 50',
    );
  });

  it('leaves the long form to a field of that name', async () => {
    const site = await services({
      'article/a.md': '---\nfulltext: abc\n---\nbody',
      'article/b.md': '---\nfulltext: xyz\n---\nabc',
    });
    const long = 'filter[s][condition][path]=fulltext&filter[s][condition][value]=abc';
    expect(await idsOf(site, long)).toEqual(['a']);
    expect((await idsOf(site, 'filter[fulltext]=abc')).toSorted()).toEqual(['a', 'b']);
  });

  it('is rejected if search is off', () => {
    const store = createEntityStore({ locale: 'en' });
    const type = bundle('node--note', []);
    store.load([type], []);
    const filter = { kind: 'group', conjunction: 'AND', members: [{ kind: 'search', text: 'a' }] } as const;
    const access = { visibility: () => null, fieldVisible: () => true };
    expect(() =>
      createQueryEngine(store).run(type, { filter, sort: [], page: { offset: 0, limit: 1 } }, access),
    ).toThrow('off on this site');
  });
});

describe('search settings in the schema', () => {
  const files = {
    'article/a.md': '---\ntitle: Eel\nlead: crab\n---\nlimpet whelk',
    'article/b.md':
      '---\ntitle: Crab\nlead: limpet\nsecret: whelk\ncover: { src: "https://site.example/whelk.png", alt: A whelk }\n---\nbody',
  };
  const schema = (search: unknown) =>
    defineSchema({
      article: {
        lead: z.string().meta({ search }).nullish(),
        secret: z.string().nullish().meta({ search: false }),
        cover: image().nullish(),
      },
    });

  it('weight words by field', async () => {
    expect(await idsOf(await services(files, schema(undefined)), 'filter[fulltext]=crab')).toEqual([
      'b',
      'a',
    ]);
    const boosted = await services(files, schema({ boost: 100 }));
    expect(await idsOf(boosted, 'filter[fulltext]=crab')).toEqual(['a', 'b']);
  });

  it('exclude fields, and include the alternative text of images', async () => {
    const site = await services(files, schema({}));
    expect((await idsOf(site, 'filter[fulltext]=whelk')).toSorted()).toEqual(['a', 'b']);
    const { cover: _, ...fields } = schema({}).article;
    const withoutCover = { 'article/b.md': files['article/b.md'].replace(/cover.*\n/, '') };
    expect(await idsOf(await services(withoutCover, { article: fields }), 'filter[fulltext]=whelk')).toEqual(
      [],
    );
  });

  it.each([[5], [true], [{ boost: 0 }], [{ boost: 'much' }], [{ weight: 2 }]])(
    'cannot be %j',
    async (search) => {
      await expect(services(files, schema(search))).rejects.toThrow(
        '`lead` of the bundle `article` has an invalid `search`',
      );
    },
  );

  it('reject a search without searchable fields', async () => {
    const nothing = bundle('node--note', [field('n', 'integer')]);
    const fields = new Map([['n', nothing.fields.get('n')!]]);
    const type = { ...nothing, fields };
    const store = createEntityStore({ locale: 'en' });
    store.load([type], [entity('node--note', 'a', { n: 1 })]);
    const engine = createQueryEngine(store, undefined, createFullText({ store, language: 'en' }));
    const filter = { kind: 'group', conjunction: 'AND', members: [{ kind: 'search', text: 'a' }] } as const;
    const access = { visibility: () => null, fieldVisible: () => true };
    expect(() => engine.run(type, { filter, sort: [], page: { offset: 0, limit: 1 } }, access)).toThrow(
      'node--note has no searchable fields.',
    );
  });
});

describe('words', () => {
  it.each([
    ['The Sea, the sea!', ['the', 'sea', 'the', 'sea']],
    ["don't l'eau eel-grass", ['don', 't', 'l', 'eau', 'eel', 'grass']],
    ['Привет МИР', ['привет', 'мир']],
    ['हिन्दी', ['हिन्दी']],
    ['海', ['海']],
    ['海水x', ['海', '水', '海水', 'x']],
    ['!?', []],
    ['a'.repeat(100), ['a'.repeat(64)]],
  ])('splits %j', (text, words) => expect(splitWords(text)).toEqual(words));

  it.each([
    ['tide -moon tide', { required: ['tide'], excluded: ['moon'] }],
    ['-eel-grass', { required: [], excluded: ['eel', 'grass'] }],
    ['海水', { required: ['海水'], excluded: [] }],
    ['海', { required: ['海'], excluded: [] }],
  ])('parses the search %j', (text, words) => expect(parseSearch(text)).toEqual(words));

  it.each([
    ['en', 'running', 'run'],
    ['de', 'häuser', 'haus'],
    ['fr', 'continuellement', 'continuel'],
    ['ru', 'книгами', 'книг'],
    ['none', 'running', 'running'],
  ] as const)('in %s: %s is %s', async (language, word, stem) => {
    expect(createTerms(await loadStemmer(language)).termOf(word)).toBe(stem);
  });

  it.each(LANGUAGES)('loads a stemmer for %s', async (language) => {
    const stem = await loadStemmer(language);
    expect(stem('a').length).toBeGreaterThan(0);
    expect(stem('constructor')).toMatch(/^constr/);
  });

  it.each([
    ['en-GB', 'en'],
    ['nb', 'no'],
    ['de_AT', 'de'],
    ['ja', 'none'],
  ])('for the locale %s chooses the language %s', (locale, language) =>
    expect(languageOf(locale)).toBe(language),
  );
});

describe('warming the index', () => {
  it('covers the types that have been searched, or all types', async () => {
    const store = createEntityStore({ locale: 'en' });
    const types = ['node--article', 'node--page'].map((name) =>
      bundle(name, [field('field_note', 'string')]),
    );
    store.load(types, [
      entity('node--article', 'a', { title: 'Tide' }),
      entity('node--page', 'p', { title: 'Sea' }),
    ]);
    const fullText = createFullText({ store, language: 'en' });
    const isRead = (type: string) => {
      const table = store.table(type);
      return table !== undefined && fullText.index(table).isCurrent(table);
    };
    await fullText.warm('searched');
    expect(() => isRead('node--article')).toThrow('has not been prepared');
    await fullText.prepare('node--article');
    for (let number = 0; number < 40; number++) {
      store.put(entity('node--article', `a${number}`, { title: `Tide ${number}` }));
    }
    expect(isRead('node--article')).toBe(false);
    await fullText.warm('searched');
    expect(isRead('node--article')).toBe(true);
    expect(() => isRead('node--page')).toThrow('has not been prepared');
    await fullText.warm('all');
    expect(isRead('node--page')).toBe(true);
  });
});

it.each([
  ['different', [1, 3, 2], [1, 2, 0], 0],
  ['equal', [1, 2, 2], [2, 1, 0], 1],
])(
  'rows with %s scores are in order, and only equal scores need the order of ids',
  (_, scores, rows, reads) => {
    let ranksRead = 0;
    const table = {
      size: 3,
      get idRanks() {
        ranksRead++;
        return Int32Array.of(0, 2, 1);
      },
    } as unknown as Table;
    function* addScores(sums: Float64Array) {
      yield;
      sums.set(scores);
    }
    const page = rankedPage(allRows(table), [addScores], table, { offset: 0, limit: 3 });
    expect(allSteps(page).rows).toEqual(rows);
    expect(ranksRead).toBe(reads);
  },
);

it('scores of many searches share their memory, so that no large arrays are collected as garbage', () => {
  const size = 100_000;
  const table = { size, idRanks: null } as unknown as Table;
  const seen = new Set<Float64Array>();
  function* addScores(sums: Float64Array) {
    seen.add(sums);
    expect(sums.every((sum) => sum === 0)).toBe(true);
    yield;
    sums.fill(1);
  }
  for (let i = 0; i < 20; i++) {
    const page = rankedPage(allRows(table), [addScores], table, { offset: 0, limit: 2 });
    expect(allSteps(page)).toEqual({ rows: [0, 1], scores: [1, 1] });
  }
  expect(seen.size).toBeLessThanOrEqual(2);
});

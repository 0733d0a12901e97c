import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createContentApi } from '../../../../integration/core/builder/index.ts';
import { type Languages, siteLanguages } from '../../../../integration/core/content/languages.ts';
import { Vocabulary } from '../../../../integration/core/engine/text/vocabulary.ts';
import { searchLanguages } from '../../../../integration/core/runtime/open-full-text.ts';
import { runs } from '../../../oracle/runs.ts';
import { cpuTime } from '../../../support/cpu-time.ts';
import { createHandler } from '../../../support/handler.ts';
import { createMemoryDriver } from '../../../support/memory-driver.ts';
import { parseOptions } from '../../../support/options.ts';
import { fetchFrom } from '../../../support/request.ts';
import { createServices } from '../../../support/services.ts';

const FILES = {
  'article/lighthouse.md': '---\ntitle: The lighthouse keeper\n---\nHe counts ships at night from above.',
  'article/light.md': '---\ntitle: Light\n---\nFaster than all.',
  'article/wind.md': '---\ntitle: Küstenwind\n---\nEs stürmt an der See.',
  'article/house.md': '---\ntitle: A house\n---\nWith a keeper, in many styles.',
  'article/horse.md': '---\ntitle: A horse\n---\nOn the beach.',
  'article/law.md': '---\ntitle: Law\n---\nSecurity in libraries.',
  'article/hash.md':
    '---\ntitle: Commits\n---\n9f86d081884c7d659a2feaa0c55ad015a3bf4f1b and sha256digests, a thousand days.',
  'article/link.md': '---\ntitle: 为链接添加图标\n---\n外部的链接。',
  'article/secret.md': '---\ntitle: Quicksand\ndraft: true\n---\nlightship',
};
const services = createServices(createMemoryDriver(FILES));

async function ask(query: string) {
  const response = await fetchFrom(createHandler(await services), `/jsonapi/node/article?${query}`);
  return JSON.parse(await response.text());
}
const search = (words: string) =>
  `filter[fulltext][operator]=SEARCH&filter[fulltext][value]=${encodeURIComponent(words)}`;

test.each([
  ['a word in a heading counts more than in a text', 'tide', ['heading', 'text', 'comment']],
  ['the word itself comes before a part of a word in a title', 'storm', ['word', 'part']],
])('%s', async (_, words, ids) => {
  const filler = 'Nothing else is here to read.';
  const files = {
    'article/heading.md': `---\ntitle: One\n---\n## Tide\n\n${filler} ${filler}`,
    'article/text.md': `---\ntitle: Two\n---\nThe tide.\n\n${filler}`,
    'article/comment.md': `---\ntitle: Three\n---\n\`\`\`sh\n# tide\n\`\`\`\n\n${filler} ${filler}`,
    'article/word.md': `---\ntitle: Four\n---\nA storm. ${filler}`,
    'article/part.md': `---\ntitle: Thunderstorms\n---\n${filler}`,
  };
  const response = await fetchFrom(
    createHandler(await createServices(createMemoryDriver(files))),
    `/jsonapi/node/article?${search(words)}`,
  );
  const { data } = JSON.parse(await response.text());
  expect(data.map(({ id }: { id: string }) => id)).toEqual(ids);
});

describe('a tolerant search', () => {
  test.each([
    ['a word, before words that start with it and those that contain it', 'light', ['light', 'lighthouse']],
    ['a word, before one that differs in a letter', 'horse', ['horse', 'house']],
    ['the start of the last word', 'keeper li', ['lighthouse']],
    ['the start of a word that is not the last one', 'lighth keeper', ['lighthouse']],
    ['a part of a word without its accents', 'kustenw', ['wind']],
    ['the second part of a compound', 'wind', ['wind']],
    ['a part of a word without its ending', 'hips', ['lighthouse']],
    ['a word whose ending is half typed', 'countin', ['lighthouse']],
    ['a letter too many', 'lightthouse', ['lighthouse']],
    ['a missing letter', 'lighthose', ['lighthouse']],
    ['two exchanged letters', 'lihgthouse', ['lighthouse']],
    ['two exchanged letters of a word with an ending', 'sytles', ['house']],
    ['two exchanged letters that change the ending of a word', 'secruity librray', ['law']],
    ['a letter too many in the ending of a word', 'securityy', ['law']],
    ['a missing letter that changes the ending of a word', 'libaries', ['law']],
    ['a different letter in the ending of a word', 'securaty', ['law']],
    ['a different letter', 'keepar', ['lighthouse', 'house']],
    ['two edits in a long word', 'lighthuose keper', ['lighthouse']],
    ['no word with another first letter', 'bouse', []],
    ['no short word with a typo', 'ligt', []],
    ['no single letter as a start', 'l', []],
    [
      'no part after the eighth word',
      'the he counts ships keeper the he counts ships lighthous lighth',
      ['lighthouse'],
    ],
    ['a part of a word with digits', '256digest', ['hash']],
    ['a whole hash', '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b', ['hash']],
    ['no part of a hash', '884c7d659a2f', []],
    ['no start of a hash', '9f86d081884c', []],
    ['no word with the searched one without its ending inside', 'houses', ['house', 'lighthouse', 'horse']],
    ['no typo in four letters', 'dayz', []],
    ['no word after two letters that no ending has', 'lightqq', []],
    ['words with this beginning before those with a typo', 'lighth', ['lighthouse', 'light']],
    ['no excluded word, which is exact', 'light -lighthouse', ['light']],
    ['entities that have a word like the excluded one', 'light -keep', ['light', 'lighthouse']],
    ['some of the words if no entity has all', 'volcano beach', ['horse']],
    ['the best of some of the words first', 'keeper beach lava', ['lighthouse', 'horse', 'house']],
    [
      'all words only, if an entity has them, the words themselves first',
      'keeper house',
      ['house', 'lighthouse'],
    ],
    ['some of the words, if only a hidden entity has all', 'quicksand beach', ['horse']],
    ['no excluded word among some of the words', 'volcano keeper -night', ['house']],
    ['two concepts without a space', '外部链接图标', ['link']],
    ['nothing that is hidden', 'quicksan', []],
    ['words that stand together', '"ships at night"', ['lighthouse']],
    ['no words that stand apart', '"ships night"', []],
    ['no other forms of words in quotes', '"ship at night"', []],
    ['quotes of other languages, capitals and accents', '„DER Sée“', ['wind']],
    ['no phrase over two fields', '"keeper he"', []],
    ['characters that stand together', '"添加图标"', ['link']],
    ['a phrase and a word with a typo', 'lighthose "at night"', ['lighthouse']],
    ['a phrase or nothing, beside other words', 'house "at day"', []],
    ['a phrase without the words that no entity has', 'volcano "at night" lava', ['lighthouse']],
    ['a word of a field without the words that no entity has', 'title:keeper lava', ['lighthouse']],
    ['a phrase while the name of a field is typed', '"at night" title:', ['lighthouse']],
    ['a phrase without a word of a hidden entity only', '"at night" quicksand', ['lighthouse']],
    ['no entity with an excluded phrase', 'keeper -"the lighthouse"', ['house']],
    [
      'entities with the words of an excluded phrase in another order',
      'keeper -"keeper lighthouse"',
      ['lighthouse', 'house'],
    ],
    ['words of a field', 'title:keeper', ['lighthouse']],
    ['words like that of a field', 'keeper Title:lighthose', ['lighthouse']],
    ['a phrase of a field', 'body:"at night"', ['lighthouse']],
    ['no phrase of another field', 'title:"at night"', []],
    ['no entity with an excluded word in a field', 'keeper -title:lighthouse', ['house']],
    ['another word before a colon', 'ships:night', ['lighthouse']],
    ['a word like the excluded one', '-lihgthouse lihgthouse', ['lighthouse']],
    ['an unbalanced quote', 'title:"keeper', ['lighthouse']],
    ['nothing hidden by a phrase', '"quicksand"', []],
  ])('finds %s', async (_, words, ids) => {
    const { data, errors } = await ask(search(words));
    expect(errors).toBeUndefined();
    expect(data.map(({ id }: { id: string }) => id)).toEqual(ids);
  });

  test('is named by the error about another operator', async () => {
    const { errors } = await ask('filter[fulltext][operator]=SERCH&filter[fulltext][value]=light');
    expect(errors[0].detail).toContain('Did you mean "SEARCH"?');
  });

  test('is a condition like others, in groups and with another order', async () => {
    const { data } = await ask(
      'filter[any][group][conjunction]=OR&filter[s][condition][path]=fulltext&filter[s][condition][operator]=SEARCH&filter[s][condition][value]=kustenw&filter[s][condition][memberOf]=any&filter[t][condition][path]=title&filter[t][condition][value]=Light&filter[t][condition][memberOf]=any&sort=-title',
    );
    expect(data.map(({ id }: { id: string }) => id)).toEqual(['light', 'wind']);
  });

  test('needs a word', async () => {
    const { errors } = await ask(search(' ?! '));
    expect(errors).toMatchObject([{ status: '400', source: { parameter: 'filter[fulltext]' } }]);
  });

  test('is for fulltext, and another path is an error that says so', async () => {
    const { errors } = await ask('filter[title][operator]=SEARCH&filter[title][value]=light');
    expect(errors).toMatchObject([
      {
        status: '400',
        source: { parameter: 'filter[title][operator]' },
        detail: expect.stringContaining('filter[fulltext][operator]=SEARCH'),
      },
    ]);
  });

  const many = Array.from({ length: 500 }, (_, i) => `w${i}`).join(' ');
  test.each([
    ['a space', ' ', 400],
    ['only signs', '"\'[]{}()*?\\^$|-', 400],
    ['control characters', '\u0001\u0002\u0007', 400],
    ['lone surrogates', '\ud800 \udc00', 400],
    ['hundreds of words', many, 400],
    ['only common words', 'the of and a', 200],
    ['an unbalanced quote', '"light', 200],
    ['thousands of letters', 'light'.repeat(600), 200],
    ['one letter thousands of times', 'a'.repeat(3000), 200],
    ['more letters than an address may have', 'a'.repeat(10_000), 414],
    ['many characters without spaces between them', '漢字京東'.repeat(100), 200],
    ['many marks', '\u0301'.repeat(1000), 200],
    ['control characters in a word', 'li\u0000gh\u0007t', 200],
    ['hundreds of phrases', '"a b" '.repeat(300), 400],
    ['hundreds of quotes', '"'.repeat(1001), 400],
    ['an empty phrase', '"" -"" title:""', 400],
    ['only excluded words', '-light -"at night" -title:horse', 200],
    ['hundreds of colons', 'title:'.repeat(300), 200],
    ['fields that do not exist', '__proto__:light constructor:"at night"', 200],
    ['the name of a property of every object', '__proto__ constructor', 200],
  ])('answers %s fast', async (_, words, status) => {
    const handle = createHandler(await services);
    await ask(search('light'));
    const target = `/jsonapi/node/article?${search(words.toWellFormed())}`;
    const times = [];
    for (let i = 0; i < 3; i++) {
      let response = new Response();
      times.push(
        await cpuTime(async () => {
          response = await fetchFrom(handle, target);
        }),
      );
      expect(response.status).toBe(status);
      if (status !== 400) continue;
      const { errors } = JSON.parse(await response.text());
      expect(errors[0].source.parameter).toMatch(/^filter/);
    }
    expect(Math.min(...times)).toBeLessThan(20);
  });

  test('works in pages', async () => {
    const { entities } = createContentApi(await services);
    const query = entities('article').search('lighthose', { tolerant: true });
    expect((await query.all()).map(({ id }) => id)).toEqual(['lighthouse']);
  });
});

describe('a search in German', () => {
  const german = createServices(
    createMemoryDriver({
      'article/a.md': '---\ntitle: A\n---\n',
      'article/a.de.md':
        '---\ntitle: Müller\n---\nNeue Häuser in der Goethestraße, eine Quelle und blühende Bäume.',
    }),
    undefined,
    { settings: { languages: siteLanguages({ defaultLocale: 'en', locales: ['en', 'de'] }) } },
  );

  test.each([
    ['mueller', true],
    ['müller', true],
    ['muller', true],
    ['haeuser', true],
    ['haeusern', true],
    ['goethestrasse', true],
    ['göthestraße', true],
    ['neue', true],
    ['quelle', true],
    ['bluehend', true],
    ['baeume', true],
    ['nüe', false],
    ['qülle', false],
  ])('for %s: %s', async (word, isFound) => {
    const handle = createHandler(await german);
    for (const query of [
      `filter[fulltext]=${encodeURIComponent(word)}`,
      ...(isFound ? [search(word)] : []),
    ]) {
      const response = await fetchFrom(handle, `/jsonapi/node/article?langCode=de&${query}`);
      const { data } = JSON.parse(await response.text());
      expect([query, data.length]).toEqual([query, isFound ? 1 : 0]);
    }
  });

  test.each(['mue', 'muel', 'goethes', 'goethestras', 'thestrasse', 'baeu'])('completes %s', async (word) => {
    const response = await fetchFrom(
      createHandler(await german),
      `/jsonapi/node/article?langCode=de&${search(word)}`,
    );
    expect(JSON.parse(await response.text()).data).toMatchObject([{ id: 'a' }]);
  });
});

describe('a search with synonyms and stop words', () => {
  const replacing = createServices(
    createMemoryDriver({
      'article/car.md': '---\ntitle: Cars\n---\nFast on the road.',
      'article/auto.md': '---\ntitle: Automobiles\n---\nOf the past.',
      'article/auto.de.md': '---\ntitle: Fahrzeuge\n---\nAus der Zeit von damals, mit car im Text.',
      'article/carport.md': '---\ntitle: A carport\n---\nWhere the rain ends.',
      'article/coupe.md': '---\ntitle: Vehicle show\n---\nAll of them are here.',
      'article/band.md': '---\ntitle: The Who\n---\nA band.',
      'article/hidden.md': '---\ntitle: Automobile club\ndraft: true\n---\n',
      'article/tokyo.md': '---\ntitle: 東京の夜\n---\n',
    }),
    undefined,
    {
      settings: { languages: siteLanguages({ defaultLocale: 'en', locales: ['en', 'de'] }) },
      search: {
        synonyms: {
          en: [
            ['car', 'automobile', 'vehicle'],
            ['škoda', 'car'],
            ['tokyo', '東京'],
          ],
          de: [['auto', 'fahrzeug']],
        },
        stopWords: { en: ['the', 'who', 'on', 'déjà'], de: ['der'] },
      },
    },
  );
  async function find(words: string, more = '') {
    const target = `/jsonapi/node/article?${search(words)}&filter[fulltext][highlight]=true${more}`;
    const response = await fetchFrom(createHandler(await replacing), target);
    const { data, meta, errors } = JSON.parse(await response.text());
    expect(errors).toBeUndefined();
    return { ids: data.map(({ id }: { id: string }) => id), meta };
  }

  test.each([
    ['a word, then its synonyms, then words that start with it', 'car', ['car', 'auto', 'coupe', 'carport']],
    ['any form of a synonym', 'vehicles road', ['car']],
    ['a word of two groups, and not what the other words of a group mean', 'skoda', ['car']],
    ['no synonym of a word with a typo', 'vehikle', ['coupe']],
    ['a word of another script', 'tokyo', ['tokyo']],
    ['no synonym of an excluded word', '-car past', ['auto']],
    ['no entity with an excluded synonym', 'automobile -cars', ['auto', 'coupe']],
    ['synonyms in a field', 'title:vehicle', ['coupe', 'auto', 'car']],
    ['no synonyms of a phrase', '"cars"', ['car']],
    ['the other words without a stop word', 'the carport on fire', ['carport']],
    ['stop words if there are no others', 'the who', ['band']],
    ['stop words beside excluded words only', 'who -road', ['band']],
    ['stop words in quotes and in a field', '"the past" title:who', []],
    ['a phrase without the stop words around it', 'the "vehicle show" who', ['coupe']],
    ['stop words without accents', 'deja carport', ['carport']],
  ])('finds %s', async (_, words, ids) => {
    expect((await find(words)).ids).toEqual(ids);
  });

  test('has the synonyms and stop words of the language of the request', async () => {
    expect((await find('auto', '&langCode=de')).ids).toEqual(['auto']);
    expect((await find('der fahrzeug', '&langCode=de')).ids).toEqual(['auto']);
    expect((await find('the fahrzeug', '&langCode=de')).meta.search).toEqual([
      { word: 'the', match: 'none' },
      { word: 'fahrzeug', match: 'exact' },
    ]);
  });

  test('says which words it has replaced and left out, and marks those that it has found', async () => {
    const { meta } = await find('the car on show');
    expect(meta.search).toEqual([
      { word: 'car', match: 'replaced', as: ['vehicle'] },
      { word: 'show', match: 'exact' },
      { word: 'the', match: 'ignored' },
      { word: 'on', match: 'ignored' },
    ]);
    expect(meta.highlights[0].fields.title).toMatchObject({
      ranges: [
        [0, 7],
        [8, 12],
      ],
    });
    expect((await find('the who')).meta.search).toMatchObject([{ match: 'exact' }, { match: 'exact' }]);
    expect((await find('the "vehicle show"')).meta.search).toEqual([
      { word: 'vehicle show', match: 'exact' },
      { word: 'the', match: 'ignored' },
    ]);
  });

  test('leaves an exact search as it is', async () => {
    const exact = async (words: string) => {
      const target = `/jsonapi/node/article?filter[fulltext]=${words}`;
      const { data } = JSON.parse(await (await fetchFrom(createHandler(await replacing), target)).text());
      return data.map(({ id }: { id: string }) => id);
    };
    expect(await exact('car')).toEqual(['car']);
    expect(await exact('the carport on')).toEqual([]);
  });

  test('suggests entities that have synonyms', async () => {
    const response = await fetchFrom(
      createHandler(await replacing),
      '/jsonapi/_suggest?searchWords=the%20skoda',
    );
    const { data, meta } = JSON.parse(await response.text());
    expect(data.map(({ id }: { id: string }) => id)).toEqual(['car']);
    expect(meta.search).toEqual([
      { word: 'skoda', match: 'replaced', as: ['cars'] },
      { word: 'the', match: 'ignored' },
    ]);
  });

  test('names an option for a language that the site does not have', () => {
    const { search: options } = parseOptions({ search: { stopWords: { fr: ['le'] } } });
    const open = (locale: string, languages?: Languages) => () =>
      searchLanguages({ search: options }, locale, languages);
    expect(open('de-AT')).toThrow(
      'Option search.stopWords.fr: the site does not have this language. Languages: de-AT.',
    );
    expect(open('en', siteLanguages({ defaultLocale: 'en', locales: ['en', 'de'] }))).toThrow(
      'Option search.stopWords.fr: the site does not have this language. Languages: en, de.',
    );
    expect(open('fr-CA')()).toMatchObject({ stopWords: { '': ['le'] } });
  });
});

/** A word of a language with this term. */
/** A language whose words have no endings. */
const language = (mark = '') => ({
  search: (word: string) => [mark + word],
  letters: (word: string) => [word],
});

describe('the terms that are like a word', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 5, maxLength: 11 });

  test('are those within its edits, by the definition', () => {
    fc.assert(
      fc.property(fc.array(letters, { maxLength: 60 }), letters, (terms, word) => {
        const vocabulary = new Vocabulary();
        for (const term of terms) vocabulary.add(term);
        const edits = word.length < 9 ? 1 : 2;
        const expected = new Set(
          terms.filter(
            (term) => term.includes(word) || (term[0] === word[0] && distance(term, word) <= edits),
          ),
        );
        expect(new Set(vocabulary.like(word, language(), false).keys())).toEqual(expected.add(word));
      }),
      runs(500),
    );
  });

  test('include those that are added later', () => {
    const vocabulary = new Vocabulary();
    vocabulary.add('lantern');
    expect([...vocabulary.like('lanter', language(), false).keys()]).toEqual(['lantern', 'lanter']);
    vocabulary.add('lanterns');
    vocabulary.add('lantern');
    expect(new Set(vocabulary.like('lanter', language(), false).keys())).toEqual(
      new Set(['lanter', 'lantern', 'lanterns']),
    );
  });

  test('are of the language of the searched term', () => {
    const vocabulary = new Vocabulary();
    for (const term of ['lantern', '1\0lantern', '1\0laterne']) vocabulary.add(term);
    expect([...vocabulary.like('lanter', language(), false).keys()]).toEqual(['lantern', 'lanter']);
    expect([...vocabulary.like('latern', language('1\0'), false).keys()].toSorted()).toEqual([
      '1\0lantern',
      '1\0latern',
      '1\0laterne',
    ]);
  });
});

/** Insertions, deletions, substitutions, and exchanges of neighbors, by recursion. */
function distance(one: string, other: string, known = new Map<string, number>()): number {
  const key = `${one} ${other}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  const isExchanged =
    one.length > 1 && other.length > 1 && one.at(-1) === other.at(-2) && one.at(-2) === other.at(-1);
  const result =
    one === '' || other === ''
      ? one.length + other.length
      : Math.min(
          distance(one.slice(0, -1), other, known) + 1,
          distance(one, other.slice(0, -1), known) + 1,
          distance(one.slice(0, -1), other.slice(0, -1), known) + (one.at(-1) === other.at(-1) ? 0 : 1),
          isExchanged ? distance(one.slice(0, -2), other.slice(0, -2), known) + 1 : Number.POSITIVE_INFINITY,
        );
  known.set(key, result);
  return result;
}

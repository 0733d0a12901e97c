import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createContentApi } from '../../../integration/core/builder/index.ts';
import { htmlSections } from '../../../integration/features/search/html-sections.ts';
import { runs } from '../../oracle/runs.ts';
import { cpuTime } from '../../support/cpu-time.ts';
import { createHandler } from '../../support/handler.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { fetchFrom } from '../../support/request.ts';
import { createServices } from '../../support/services.ts';

const LONG = 'Nothing here is about it. '.repeat(12);
const BODIES: Readonly<Record<string, string>> = {
  moon: `<p>${LONG}</p><h2 id="waves">Waves &amp; <em>tides</em></h2><p>The <strong>tid</strong>al wave rises at a &lt;lighthouse&gt;.</p><h2 id="end">End</h2><p>${LONG}</p><script>const tide = 1;</script>`,
  coast: '<p>K&uuml;stenwind &amp; <a href="https://example.com/tide">more</a> <b>salt</b>.</p>',
  tokyo: '<p>今日は東京タワーに行きました。</p>',
  deep: `<p>Deep. ${LONG} The deep sea is purple. ${LONG}</p>`,
  shy: '<p>Text.</p><p><span class="sr-only">zebrafish</span></p>',
  draft: '<p>A secret tidepool.</p>',
};
const FILES = {
  'article/moon.md':
    '---\ntitle: The moon\nsubtitle: Pulls the tide\n---\n## Waves & tides\n\nThe tidal wave rises at a `<lighthouse>`.',
  'article/sea.md': '---\ntitle: Tides of the sea\nbody_note: x\n---\n',
  'article/coast.md': '---\ntitle: Coast\n---\nKüstenwind & [more](https://example.com/tide) <b>salt</b>.',
  'article/tokyo.md': '---\ntitle: Tokyo\n---\n今日は東京タワーに行きました。',
  'article/deep.md': `---\ntitle: Below\n---\nDeep. ${LONG} The deep sea is purple. ${LONG}`,
  'article/shy.md':
    '---\ntitle: "Un\\u00adbelievable shy"\nlead: "foo\\u2060bar"\n---\nText.\n\n<span class="sr-only">zebrafish</span>',
  'article/draft.md': '---\ntitle: Draft\ndraft: true\n---\nA secret tidepool.',
};
const services = createServices(createMemoryDriver(FILES), undefined, {
  renderBody: async ({ id }) => BODIES[id] ?? '',
});

async function ask(path: string) {
  const response = await fetchFrom(createHandler(await services), path);
  return { status: response.status, ...JSON.parse(await response.text()) };
}
const search = (words: string, more = '&filter[fulltext][highlight]=true') =>
  `filter[fulltext][operator]=SEARCH&filter[fulltext][value]=${encodeURIComponent(words)}${more}`;

interface Marked {
  readonly text: string;
  readonly ranges: readonly [number, number][];
}
const marked = ({ text, ranges }: Marked) =>
  ranges.reduceRight(
    (all, [from, to]) => `${all.slice(0, from)}[${all.slice(from, to)}]${all.slice(to)}`,
    text,
  );

async function highlights(words: string) {
  const { meta } = await ask(`/jsonapi/node/article?${search(words)}`);
  return meta.highlights.map(({ id, fields }: { id: string; fields: Record<string, Marked> }) => [
    id,
    Object.fromEntries(Object.entries(fields).map(([name, passage]) => [name, marked(passage)])),
  ]);
}

describe('meta.highlights of a search', () => {
  test.each([
    ['the fields with the words', 'salt', [['coast', { body: 'Küstenwind & more [salt].' }]]],
    ['a part of a word, without accents', 'kustenw', [['coast', { body: '[Küstenwind] & more salt.' }]]],
    [
      'words of scripts without spaces',
      '東京タワー',
      [['tokyo', { body: '今日は[東京タワー]に行きました。' }]],
    ],
    ['words of a phrase only next to each other', '"the sea"', [['sea', { title: 'Tides of [the] [sea]' }]]],
    ['a phrase of another script', '"東京タワー"', [['tokyo', { body: '今日は[東京タワー]に行きました。' }]]],
    ['words of a field only there', 'subtitle:tide', [['moon', { subtitle: 'Pulls the [tide]' }]]],
    ['no excluded phrase', 'salt -"deep sea"', [['coast', { body: 'Küstenwind & more [salt].' }]]],
    ['a part of a title', 'tide sea', [['sea', { title: '[Tides] of the [sea]' }]]],
    ['words of a title with soft hyphens', 'unbelievable', [['shy', { title: '[Unbelievable] shy' }]]],
    ['words of a field with word joiners', 'foobar', [['shy', { lead: '[foobar]' }]]],
    ['nothing that the page hides', 'zebrafish', [['shy', {}]]],
  ])('mark %s', async (_, words, expected) => {
    expect(await highlights(words)).toEqual(expected);
  });

  test('have the best passage of a text, and the headings above matches', async () => {
    const { data, meta } = await ask(`/jsonapi/node/article?${search('tidal lighthouse')}`);
    expect(data.map(({ id }: { id: string }) => id)).toEqual(['moon']);
    const [{ excerpt, sections }] = meta.highlights;
    expect(excerpt.field).toBe('body');
    expect(marked(excerpt)).toBe('The [tidal] wave rises at a <[lighthouse]>.');
    expect(excerpt.heading).toEqual({ slug: 'waves', text: 'Waves & tides', ranges: [] });
    expect(sections.map(({ heading }: { heading: { slug: string } }) => heading.slug)).toEqual(['waves']);
  });

  test('are cut around the best passage, at words', async () => {
    const { meta } = await ask(`/jsonapi/node/article?${search('deep purple')}`);
    const text = marked(meta.highlights[0].excerpt);
    expect(text).toMatch(/^… .*The \[deep\] sea is \[purple\]\. .* …$/);
    expect(text.length).toBeLessThan(180);
  });

  test('are only there if the search asks for them', async () => {
    const { meta } = await ask(`/jsonapi/node/article?${search('tide', '')}`);
    expect(meta).toEqual({ count: 2 });
  });

  test('take only true and false', async () => {
    const { errors } = await ask(
      `/jsonapi/node/article?${search('tide', '&filter[fulltext][highlight]=yes')}`,
    );
    expect(errors).toMatchObject([{ status: '400', source: { parameter: 'filter[fulltext][highlight]' } }]);
  });

  test('are the same in plain JSON and in pages', async () => {
    const { meta } = await ask(`/jsonapi/node/article?${search('tide')}`);
    const plain = await ask(`/api/content/articles?${search('tide')}`);
    const { entities } = createContentApi(await services);
    const results = await entities('article').search('tide', { tolerant: true }).fields('title').results();
    expect(plain.meta).toMatchObject({ highlights: meta.highlights, search: meta.search });
    expect(results).toMatchObject({ count: 2, highlights: meta.highlights, search: meta.search });
    expect(results.entities.map(({ id }) => id)).toEqual(meta.highlights.map(({ id }: { id: string }) => id));
  });
});

describe('meta.search', () => {
  test.each([
    ['tide', [{ word: 'tide', match: 'exact' }]],
    ['Lighthose', [{ word: 'lighthose', match: 'corrected', as: ['lighthouse'] }]],
    [
      'wave lighth',
      [
        { word: 'wave', match: 'exact' },
        { word: 'lighth', match: 'completed', as: ['lighthouse'] },
      ],
    ],
    ['wind', [{ word: 'wind', match: 'completed', as: ['küstenwind'] }]],
    ['tidepool', [{ word: 'tidepool', match: 'none' }]],
    ['unbelievable', [{ word: 'unbelievable', match: 'exact' }]],
    [
      '"of the sea" title:tidse',
      [
        { word: 'of the sea', match: 'exact' },
        { word: 'tidse', match: 'corrected', as: ['tides'] },
      ],
    ],
    ['"sea of the"', [{ word: 'sea of the', match: 'none' }]],
    ['“東京タワー”', [{ word: '東京タワー', match: 'exact' }]],
    ['title:"https://Example.com "', [{ word: 'https://Example.com', match: 'none' }]],
    ['foob', [{ word: 'foob', match: 'completed', as: ['foobar'] }]],
  ])('lists the matches of "%s"', async (words, expected) => {
    const { meta } = await ask(`/jsonapi/node/article?${search(words)}`);
    expect(meta.search).toEqual(expected);
  });
});

describe('suggestions', () => {
  const suggest = (words: string, more = '') =>
    ask(`/jsonapi/_suggest?searchWords=${encodeURIComponent(words)}${more}`);

  test('are entities with marked titles, and completions', async () => {
    const { status, data, meta } = await suggest('Pulls ti');
    expect(status).toBe(200);
    expect(data).toEqual([
      {
        type: 'node--article',
        id: 'moon',
        meta: { text: 'The moon', ranges: [], path: '/node/article/moon', langcode: 'en' },
      },
    ]);
    expect(meta).toEqual({
      count: 1,
      completions: ['Pulls tide'],
      search: [
        { word: 'pulls', match: 'exact' },
        { word: 'ti', match: 'completed', as: ['tide'] },
      ],
    });
    const { data: titles } = await suggest('tid');
    expect(titles.map(({ meta: title }: { meta: Marked }) => marked(title))).toEqual([
      '[Tides] of the sea',
      'The moon',
    ]);
  });

  test('do not say that a word is missing if bodies have it', async () => {
    const { data, meta } = await suggest('purple');
    expect(data.map(({ id }: { id: string }) => id)).toEqual(['deep']);
    expect(meta.search).toEqual([]);
    const { meta: nowhere } = await suggest('xylophones');
    expect(nowhere).toMatchObject({ count: 0, search: [{ word: 'xylophones', match: 'none' }] });
  });

  test('have titles and words without soft hyphens and word joiners', async () => {
    const { data, meta } = await suggest('foob');
    expect(data[0].meta).toMatchObject({ text: 'Unbelievable shy', ranges: [] });
    expect(meta).toMatchObject({
      completions: ['foobar'],
      search: [{ word: 'foob', match: 'completed', as: ['foobar'] }],
    });
    const { data: titles } = await suggest('un\u00adbel');
    expect(titles.map(({ meta: title }: { meta: Marked }) => marked(title))).toEqual(['[Unbelievable] shy']);
  });

  test('are empty without words, and never hidden', async () => {
    for (const words of ['', ' ', '"', '-', 'tidepoo']) {
      expect(await suggest(words)).toMatchObject({
        status: 200,
        data: [],
        meta: { count: 0, completions: [] },
      });
    }
  });

  test.each([
    ['an unknown type', '&resourceTypes=node--nothing', 'resourceTypes'],
    ['too many entries', '&maxEntries=21', 'maxEntries'],
    ['another parameter', '&foo=1', 'foo'],
  ])('reject %s', async (_, more, parameter) => {
    const { errors } = await suggest('tide', more);
    expect(errors).toMatchObject([{ status: '400', source: { parameter } }]);
  });
});

describe('the text of HTML', () => {
  test.each([
    ['<p>a<b>b</b>c</p><p>d</p>', [{ text: 'abc d' }]],
    ['a &lt;b&gt; <!-- <h2 id="x"> --> c', [{ text: 'a <b> c' }]],
    ['<img src="x" alt="A &amp; B"> 1 < 2', [{ text: 'A & B 1 < 2' }]],
    [
      '<h2>No id</h2><h3 id="y">Y <code>z</code></h3>t',
      [{ text: 'No id' }, { heading: { slug: 'y', text: 'Y z' }, text: 't' }],
    ],
    ['<style>p{}</style><svg><text>no</text></svg><a title="1 > 0">yes</a>', [{ text: 'yes' }]],
    ['<p', [{ text: '' }].slice(1)],
    ['a<span hidden>b<span>c</span>d</span>e', [{ text: 'ae' }]],
    ['<p HIDDEN=""><b>a</p>b', [{ text: 'b' }]],
    ['<div hidden><h2 id="x">a</h2>b</div>c', [{ text: 'c' }]],
    [
      `<p style="color: red; display:none">a</p><p style='visibility: hidden'>b</p><p title="hidden none">c</p>`,
      [{ text: 'c' }],
    ],
    [
      '<h2 id="t">T <a aria-hidden="true" href="#t">#</a></h2>a',
      [{ heading: { slug: 't', text: 'T' }, text: 'a' }],
    ],
    [
      '<div><h2 class=x title="id=&quot;y&quot;" id=\'t\'>T</h2><a href="#t"><span aria-hidden="true"><svg><path d="M1"/></svg></span><span class="sr-only">Section titled “T”</span></a></div><p>a</p>',
      [{ heading: { slug: 't', text: 'T' }, text: 'a' }],
    ],
    [
      '<h2 class="sr-only" id="footnote-label">Footnotes</h2>a',
      [{ heading: { slug: 'footnote-label', text: 'Footnotes' }, text: 'a' }],
    ],
    ['a<svg><svg/>b<svg></svg>c<style/><g>d</svg>e', [{ text: 'a e' }]],
    ['<script>x</scripty>y</script\n>a<SCRIPT>b</script>c<style>d</style e="f">', [{ text: 'a c' }]],
    ['a<script>b', [{ text: 'a' }]],
    ['<img hidden alt="a"><br hidden>b', [{ text: 'b' }]],
    [
      '<span class="katex"><math><mi>x</mi></math><span class="katex-html" aria-hidden="true">x</span></span>',
      [{ text: 'x' }],
    ],
    ['<h2 id="x"><svg></svg></h2>a', [{ text: 'a' }]],
  ])('%s', (html, sections) => {
    expect(htmlSections(html)).toEqual(sections);
  });
});

test.each([
  ['<b hidden>', '</i>'],
  ['<b hidden ', '</b>'],
  ['<svg><path/>', '</b>'],
  ['<script>', '</scripty>'],
  ['<p hidden="', `'>`],
])('long HTML of %s and %s is read in linear time', async (start, end) => {
  const ms = async (times: number) =>
    await cpuTime(async () => htmlSections(start.repeat(times) + end.repeat(times)));
  await ms(1000);
  // Processor time: 15 ms.
  expect(await ms(20_000)).toBeLessThan(400);
});

describe('odd searches', () => {
  const ODD = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.constantFrom(
      '"tide',
      '""',
      '-',
      '- -',
      'title:',
      ':tide',
      '\u0000\u0007tide',
      'the of and',
      '%',
      '\\',
      '((((',
    ),
    fc.string({
      unit: fc.constantFrom('t', 'i', 'd', 'e', ' ', '"', '-', '東', '京', 'é', '\u0301'),
      maxLength: 200,
    }),
    fc.constantFrom('tide'.repeat(1500), 'a '.repeat(3000), '東京'.repeat(1000), '"'.repeat(5000)),
  );

  test('are answered or rejected with their parameter, at once', async () => {
    const handle = createHandler(await services);
    await fetchFrom(handle, '/jsonapi/_suggest?searchWords=tide');
    let slowest = 0;
    await fc.assert(
      fc.asyncProperty(ODD, fc.boolean(), async (words, isSuggestion) => {
        const target = isSuggestion
          ? `/jsonapi/_suggest?searchWords=${encodeURIComponent(words.toWellFormed())}`
          : `/jsonapi/node/article?${search(words.toWellFormed())}`;
        const answers: Response[] = [];
        const ms = await cpuTime(async () => answers.push(await fetchFrom(handle, target)));
        slowest = Math.max(slowest, ms);
        const [response] = answers as [Response];
        const { errors } = JSON.parse(await response.text());
        if (response.status === 200) return;
        expect([400, 414]).toContain(response.status);
        if (response.status === 400) expect(errors[0].source.parameter).toMatch(/fulltext|searchWords/);
      }),
      runs(300),
    );
    // Processor time: 6 ms.
    expect(slowest).toBeLessThan(60);
  });
});

import { describe, expect, test } from 'vitest';
import type { Actor } from '../../../integration/core/access/actor.ts';
import { createHandler } from '../../support/handler.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { fetchFrom } from '../../support/request.ts';
import { createServices } from '../../support/services.ts';

const LONG = 'Nothing here is about it. '.repeat(8);
const FILES = {
  'article/moon.md': `---\ntitle: The moon\nsubtitle: Pulls the tide\n---\n${LONG}\n\nThe **tidal** wave\nrises. ${LONG}`,
  'article/sea.md': '---\ntitle: Tides of the sea\n---\nBlue.',
  'article/coast.md': '---\ntitle: Coast\n---\nKüstenwind & [more](https://example.com/tide) <b>salt</b>.',
  'article/tokyo.md': `---\ntitle: Tokyo\n---\n${'今日は晴れです。'.repeat(40)}東京タワーに行きました。${'明日も晴れです。'.repeat(40)}`,
  'article/long.md': `---\ntitle: Long\n---\n${'一'.repeat(300)}猫${'二'.repeat(300)}`,
  'article/shy.md': '---\ntitle: Shy\n---\nUn\u00adbelievable.',
  'article/draft.md': '---\ntitle: Draft\ndraft: true\n---\nA secret tide.',
};
const services = createServices(createMemoryDriver(FILES));

async function ask(query: string, actor: Actor = { name: 'ada', roles: [] }) {
  const handle = createHandler(await services, { adminApp: () => Promise.reject(new Error('No files.')) });
  const response = await fetchFrom(handle, `/jsonapi/_excerpts?${query}`, { actor });
  return { status: response.status, ...JSON.parse(await response.text()) };
}

async function excerpts(words: string) {
  const ids = Object.keys(FILES).map((key) => key.replace(/^(\w+)\/(.*)\.md$/, 'node--$1/$2'));
  const { status, data } = await ask(`searchWords=${encodeURIComponent(words)}&entryIds=${ids.join(',')}`);
  expect(status).toBe(200);
  return data.map(({ id, meta: { field, text, ranges } }: Answer) => [
    id,
    field,
    ranges.reduceRight(
      (marked, [from, to]) => `${marked.slice(0, from)}[${marked.slice(from, to)}]${marked.slice(to)}`,
      text,
    ),
  ]);
}
interface Answer {
  readonly id: string;
  readonly meta: {
    readonly field: string;
    readonly text: string;
    readonly ranges: readonly [number, number][];
  };
}

describe('the excerpts of a search', () => {
  test.each([
    [
      'the words in the field that has most of them',
      'tide pulls',
      [['moon', 'subtitle', '[Pulls] the [tide]']],
    ],
    ['a part of a word, without accents', 'kustenw', [['coast', 'body', '[Küstenwind] & more salt.']]],
    [
      'the words that are there, also if others are not',
      'volcano salt',
      [['coast', 'body', 'Küstenwind & more [salt].']],
    ],
    [
      'no address of a link, no title and nothing hidden',
      'tides',
      [['moon', 'subtitle', 'Pulls the [tide]']],
    ],
    ['nothing for other words', 'volcano', []],
    [
      'words of a field only there',
      'subtitle:tide salt',
      [
        ['moon', 'subtitle', 'Pulls the [tide]'],
        ['coast', 'body', 'Küstenwind & more [salt].'],
      ],
    ],
    ['no name of a field', 'title:tide body:salt', [['coast', 'body', 'Küstenwind & more [salt].']]],
    [
      'words of phrases as they are, and no excluded phrase',
      '"pulls the" -"more salt"',
      [['moon', 'subtitle', '[Pulls] [the] tide']],
    ],
    ['words with soft hyphens', 'unbelievable', [['shy', 'body', '[Unbelievable].']]],
  ])('show %s', async (_, words, expected) => {
    expect(await excerpts(words)).toEqual(expected);
  });

  test('are cut around the first match, at words', async () => {
    const [[, , text]] = await excerpts('wave');
    expect(text).toMatch(/^… .*The tidal \[wave\] rises\. .* …$/);
    expect(text.length).toBeLessThan(175);
    expect(text).toContain(' is about it. ');
  });

  test('are cut around the first match in texts without spaces', async () => {
    const [[, , tokyo]] = await excerpts('東京タワー');
    expect(tokyo).toMatch(/^… .{50}\[東京タワー\]に行きました。.* …$/);
    expect(tokyo.length).toBeLessThan(170);
    const [[, , long]] = await excerpts('猫');
    expect(long).toMatch(/^… 一{50}\[猫\]二{109} …$/);
  });

  const many = (make: (i: number) => string) => Array.from({ length: 200 }, (_, i) => make(i));
  test.each([
    ['no words', 'entryIds=node--article/moon', 'searchWords'],
    ['a text without words', 'searchWords=%3F%21&entryIds=node--article/moon', 'searchWords'],
    ['too many words', `searchWords=${many((i) => `w${i}`).join('%20')}&entryIds=a`, 'searchWords'],
    [
      'too many entries',
      `searchWords=tide&entryIds=${many((i) => `node--article/${i}`).join(',')}`,
      'entryIds',
    ],
    ['another parameter', 'searchWords=tide&entryIds=a&foo=1', 'foo'],
  ])('reject %s', async (_, query, parameter) => {
    const { errors } = await ask(query);
    expect(errors).toMatchObject([{ status: '400', source: { parameter } }]);
  });

  test('are for accounts', async () => {
    const { status } = await ask('searchWords=tide&entryIds=node--article/moon', { name: null, roles: [] });
    expect(status).toBe(401);
  });

  test('leave out entities that do not exist', async () => {
    const { data } = await ask(
      'searchWords=tide&entryIds=,node--nothing/x,node--article/none,node--article/moon,x',
    );
    expect(data).toMatchObject([{ type: 'node--article', id: 'moon' }]);
  });
});

import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { siteLanguages } from '../../integration/core/content/languages.ts';
import { digestText } from '../../integration/core/util/revision.ts';
import { BOOSTS, REPLACED_WORDS, similarWords } from '../oracle/similar-words.ts';
import { createMemoryDriver } from '../support/memory-driver.ts';
import { ORIGIN } from '../support/request.ts';
import { createServices } from '../support/services.ts';
import { compareAnswers } from './compare.ts';
import { bundledSite, createTestSnapshot, SMALL_FILES } from './snapshot.ts';

const LIST = '/jsonapi/node/article';
const searchFor = (words: string) =>
  `${LIST}?filter[fulltext][operator]=SEARCH&filter[fulltext][value]=${encodeURIComponent(words)}`;

const HIGHLIGHT = '&filter[fulltext][highlight]=true';

/** Articles with similar words, of which some are drafts and some are translated. */
function siteFiles(seed: number): Record<string, string> {
  const { text } = similarWords(seed);
  const files: Record<string, string> = {};
  for (let at = 0; at < 150; at++) {
    const day = at % 5 === 0 ? '' : `day: 2024-0${1 + (at % 9)}-1${at % 7}\n`;
    const status = `${at % 9 === 0 ? 'status: false\n' : ''}${day}`;
    files[`article/a${(at * 37) % 150}.md`] = `---\ntitle: T ${text(3)}\n${status}---\n${text(30)}`;
    if (at % 4 === 0)
      files[`article/a${(at * 37) % 150}.de.md`] = `---\ntitle: D ${text(3)}\n---\n${text(30)}`;
  }
  return files;
}

test.each([1, 2, 3, 4])(
  'finds the same words in the same order as a server, for content %i',
  async (seed) => {
    const languages = siteLanguages({ defaultLocale: 'en', locales: ['en', 'de'] });
    const services = await createServices(createMemoryDriver(siteFiles(seed)), undefined, {
      settings: { languages },
      ...(seed > 1 && { search: { ...REPLACED_WORDS, boost: BOOSTS } }),
    });
    const { search } = similarWords(seed + 100);
    const requests = Array.from({ length: 150 }, (_, i) => ({
      target: `${searchFor(search())}${['', '&langCode=de', '&sort=-created', '&page[limit]=5', HIGHLIGHT, `${HIGHLIGHT}&langCode=de`][i % 6]}`,
    }));
    for (let i = 0; i < 50; i++) {
      const words = encodeURIComponent(search());
      requests.push({ target: `/jsonapi/_suggest?searchWords=${words}${['', '&langCode=de'][i % 2]}` });
      requests.push({
        target: `/api/content/articles?filter[fulltext][operator]=SEARCH&filter[fulltext][value]=${words}${HIGHLIGHT}`,
      });
    }
    const { answered, differences } = await compareAnswers(services, requests, {
      search: {
        ...{ language: 'en', languages: { de: 'de' } },
        ...(seed > 1 && {
          ...REPLACED_WORDS,
          boost: { 'node--article': BOOSTS.article, 'node--draft': BOOSTS.post },
        }),
      },
      ...(seed > 1 && { sizes: SMALL_FILES }),
      ...(seed > 2 && (await bundledSite())),
    });
    expect(answered).toBe(requests.length);
    expect(differences).toEqual([]);
  },
);

test('loads a few kilobytes of the newest words, also if texts are long', async () => {
  const files: Record<string, string> = {};
  for (let at = 0; at < 500; at++) {
    const words = Array.from({ length: 600 }, (_, word) => digestText(`${(at * word) % 4000}`).slice(0, 6));
    files[`article/a${at}.md`] = `---\ntitle: T ${at}\n---\n${words.join(' ')}`;
  }
  const services = await createServices(createMemoryDriver(files));
  const { files: written } = await createTestSnapshot(services);
  const [recent] = [...written].filter(([name]) => name.includes('/words-recent.'));
  expect(gzipSync(recent![1]).length).toBeLessThan(30_000);
});

test('loads only the words with this beginning for one or two letters, and no words for exact ones', async () => {
  const files = siteFiles(4);
  for (const [at, name] of Object.keys(files).entries())
    for (let word = 0; word < 60; word++) files[name] += ` ${digestText(`${at} ${word}`).slice(0, 7)}`;
  const services = await createServices(createMemoryDriver(files));
  const snapshot = await createTestSnapshot(services, { sizes: { ...SMALL_FILES, vocabulary: 1000 } });
  const vocabularyOf = async (target: string) => {
    const { handle, reads } = snapshot.open();
    expect((await handle(new Request(ORIGIN + target)))?.status).toBe(200);
    return reads.filter((name) => name.includes('/vocabulary.')).length;
  };
  const all = await vocabularyOf(searchFor('lighth'));
  expect(all).toBeGreaterThan(2);
  expect(await vocabularyOf(searchFor('wi'))).toBeLessThan(all);
  expect(await vocabularyOf(searchFor('w'))).toBe(0);
  expect(await vocabularyOf(`${LIST}?filter[fulltext]=lighthouse`)).toBe(0);
});

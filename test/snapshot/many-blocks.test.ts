import { expect, test } from 'vitest';

import { siteLanguages } from '../../integration/core/content/languages.ts';
import { digestText } from '../../integration/core/util/revision.ts';
import { defineSchema, reference, z } from '../../integration/schema.ts';
import { createFuzzer } from '../conformance/fuzz-requests.ts';
import { vocabularyOf } from '../conformance/fuzz-vocabulary.ts';
import { createMemoryDriver } from '../support/memory-driver.ts';
import { createServices } from '../support/services.ts';
import { compareAnswers } from './compare.ts';
import { bundledSite, SMALL_FILES } from './snapshot.ts';

const SCHEMA = defineSchema({
  article: {
    title: z.string(),
    rating: z.int().optional(),
    parts: z.array(z.object({ a: z.string(), b: z.int() })).optional(),
    author: reference('person').optional(),
    tags: z.array(reference(['tag', 'person'])).optional(),
    related: reference('article').optional(),
  },
  person: { title: z.string(), boss: reference('person').optional() },
  tag: { title: z.string() },
});
const ARTICLES = 500;

test('the bundle for browsers answers random requests over several blocks and languages with the bytes of a server', async () => {
  const languages = siteLanguages({ defaultLocale: 'en', locales: ['en', 'de'] });
  const services = await createServices(createMemoryDriver(siteFiles()), SCHEMA, { settings: { languages } });
  const next = createFuzzer(vocabularyOf(services), 11);
  const texts = ['body.value', '-body.value', 'related.body.value'].map((sort) => ({
    target: `/jsonapi/node/article?sort=${sort}&page[limit]=5`,
  }));
  const requests = [...texts, ...Array.from({ length: 1000 }, next)];
  const search = { language: 'en', languages: { de: 'de' } } as const;
  const { answered, differences } = await compareAnswers(services, requests, {
    ...{ search, sizes: SMALL_FILES },
    ...(await bundledSite()),
  });
  expect(answered).toBeGreaterThan(800);
  expect(differences).toEqual([]);
});

/** Entities of which some are unpublished, some have no date, and some are translated, published or not. */
function siteFiles(): Record<string, string> {
  const files: Record<string, string> = {};
  const write = (key: string, lines: readonly (string | false)[], text = '') => {
    files[key] = ['---', ...lines.filter((line) => line !== false), '---', text].join('\n');
  };
  for (let at = 0; at < 20; at++) {
    const boss = at > 0 && `boss: p${at >> 1}`;
    write(`person/p${at}.md`, [`title: Person ${at}`, boss, at % 7 === 0 && 'status: false']);
  }
  for (let at = 0; at < 40; at++) {
    // Tags with equal titles that are spelled differently.
    write(`tag/t${at}.md`, [`title: ${at % 2 ? 'tag' : 'TAG'} ${at % 11}`, at % 9 === 0 && 'status: false']);
  }
  for (let at = 0; at < ARTICLES; at++) {
    const id = digestText(String(at));
    const number = Number.parseInt(id.slice(0, 6), 16);
    const words = Array.from({ length: 60 }, (_, word) => digestText(`${(number * word) % 900}`).slice(0, 7));
    const day = new Date(Date.UTC(2020, 0, 1 + Math.floor(at / 3))).toISOString().slice(0, 10);
    const lines = [
      `title: "${words.slice(0, 4).join(' ')}"`,
      number % 11 > 0 && `created: ${day}T00:00:00Z`,
      number % 5 > 0 && `author: p${number % 20}`,
      `tags: [${[...new Set([number % 40, number % 7])].map((tag) => `tag/t${tag}`)}]`,
      `rating: ${number % 9}`,
      `parts: [{ a: x${number % 5}, b: ${number % 4} }, { a: x${number % 3}, b: 1 }]`,
      `related: ${digestText(String((at * 7) % ARTICLES))}`,
      number % 13 === 0 && 'status: false',
    ];
    write(`article/${id}.md`, lines, words.join(' '));
    if (number % 4 === 0) {
      const translated = [`title: Deutsch ${number % 100}`, number % 8 === 0 && 'status: false'];
      write(`article/${id}.de.md`, translated, `Wörter ${words.slice(0, 9).join(' ')}`);
    }
  }
  return files;
}

import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { publishedServices } from '../../integration/core/api/published.ts';
import type { Services } from '../../integration/core/api/request.ts';
import { fileId } from '../../integration/core/content/file-id.ts';
import { siteLanguages } from '../../integration/core/content/languages.ts';
import { bodyText } from '../../integration/core/content/model.ts';
import { digestText } from '../../integration/core/util/revision.ts';
import {
  type Manifest,
  readDeltas,
  readNumbers,
  readTerms,
  readValues,
  type TermsFile,
  type ValuesFile,
  writeDeltas,
  writeNumbers,
  writeValues,
} from '../../integration/features/static/format.ts';
import { defineSchema, image, reference, z } from '../../integration/schema.ts';
import { createMemoryDriver } from '../support/memory-driver.ts';
import { png } from '../support/pictures.ts';
import { ORIGIN } from '../support/request.ts';
import { createServices, staticFiles } from '../support/services.ts';
import { compareAnswers } from './compare.ts';
import { createTestSnapshot, SMALL_FILES, type TestSnapshot } from './snapshot.ts';

const SCHEMA = defineSchema({
  article: {
    title: z.string(),
    field_author: reference('person').optional(),
    field_tags: z.array(reference('tag')).optional(),
    field_related: reference('article').optional(),
    publish_on: z.iso.datetime().optional(),
  },
  person: { title: z.string() },
  tag: { title: z.string() },
});
const ARTICLES = 600;

/** Articles whose ids, titles and dates are in different orders, with a text of 60 words each. */
function siteFiles(): Record<string, string> {
  const files: Record<string, string> = {};
  for (let at = 0; at < 20; at++) files[`person/p${at}.md`] = `---\ntitle: Person ${at}\n---\n`;
  for (let at = 0; at < 40; at++) files[`tag/t${at}.md`] = `---\ntitle: Tag ${at}\n---\n`;
  for (let at = 0; at < ARTICLES; at++) {
    const digest = digestText(String(at));
    const number = Number.parseInt(digest.slice(0, 6), 16);
    const words = Array.from({ length: 60 }, (_, word) => digestText(`${(number * word) % 900}`).slice(0, 7));
    // Several articles of a day have the same date.
    const day = new Date(Date.UTC(2020, 0, 1 + Math.floor(at / 3))).toISOString().slice(0, 10);
    files[`article/${digest}.md`] = [
      '---',
      `title: "${words.slice(0, 4).join(' ')}"`,
      `created: ${day}T00:00:00Z`,
      `field_author: p${number % 20}`,
      `field_tags: [t${number % 40}, t${number % 7}]`,
      `field_related: ${digestText(String((at * 7) % ARTICLES))}`,
      '---',
      `${words.join(' ')}`,
    ].join('\n');
  }
  return files;
}

const servicesOf = (files: Record<string, string>) => createServices(createMemoryDriver(files), SCHEMA);
const snapshotOf = async (services: Services) =>
  createTestSnapshot(publishedServices(services), { sizes: SMALL_FILES });
const LIST = '/jsonapi/node/article';
const FIRST = `${LIST}?filter[field_tags.title]=Tag%203&sort=-created&page[limit]=10&include=field_author`;

let files: Record<string, string>;
let services: Services;
let snapshot: TestSnapshot;

beforeAll(async () => {
  files = siteFiles();
  services = await servicesOf(files);
  snapshot = await snapshotOf(services);
});

test('a snapshot with many blocks answers pages in any order with the bytes of a server', async () => {
  const id = digestText('17');
  const targets = [
    LIST,
    `${LIST}?include=field_related,field_author`,
    `${LIST}?page[offset]=50`,
    `${LIST}?page[limit]=0&fields[node--article]=title`,
    ...[
      'created',
      '-created',
      'title',
      '-field_author.title',
      'field_author.id,-created',
      'field_related.title',
    ].flatMap((sort) => [
      `${LIST}?sort=${sort}&page[limit]=7`,
      `${LIST}?sort=${sort}&page[limit]=7&page[offset]=300`,
    ]),
    FIRST,
    `${LIST}?filter[created][operator]=BETWEEN&filter[created][value][]=2020-02-01&filter[created][value][]=2020-02-09`,
    `${LIST}?filter[title][operator]=CONTAINS&filter[title][value]=ab&sort=-created&page[limit]=3`,
    `${LIST}?filter[body.value][operator]=CONTAINS&filter[body.value][value]=abc&page[limit]=3`,
    `${LIST}?filter[fulltext]=${digestText('18').slice(0, 7)}`,
    `${LIST}?facetBy[field_tags]=&facetBy[field_author.title]=&page[limit]=1`,
    `${LIST}/${id}?include=field_tags`,
    `${LIST}/${id}/field_related`,
    '/api/content/articles?sort=-created&limit=10',
    `/api/content/articles/${id}`,
  ].map((target) => ({ target }));
  const { answered, differences } = await compareAnswers(services, targets, { sizes: SMALL_FILES });
  expect(answered).toBe(targets.length);
  expect(differences).toEqual([]);
});

test.each([
  // The manifest and blocks.
  [`${FIRST}&fields[node--article]=title,field_author`, 4, 20],
  [FIRST, 10, 30],
  // The manifest, and copies of the page with and without bodies.
  [LIST, 4, 30],
  [`${LIST}?page[offset]=50`, 4, 30],
  // Words, recent words, and scattered entities with bodies.
  [`${LIST}?filter[fulltext]=${digestText('18').slice(0, 7)}&page[limit]=10`, 24, 60],
  [`${LIST}/${digestText('17')}`, 4, 20],
])('without a cache, %s takes at most %i requests and %i kB', async (target, requests, kilobytes) => {
  const { handle, reads } = snapshot.open();
  expect((await handle(new Request(ORIGIN + target)))?.status).toBe(200);
  const bytes = reads.reduce((sum, name) => sum + gzipSync(snapshot.files.get(name) ?? '').length, 0);
  expect(reads.length).toBeLessThanOrEqual(requests);
  expect(bytes / 1000).toBeLessThanOrEqual(kilobytes);
});

test('the manifest packs columns, and none of many blocks, bodies or words', () => {
  const { packed } = JSON.parse(new TextDecoder().decode(snapshot.files.get('manifest.json')));
  const names = Object.keys(packed).filter((name) => name.startsWith('node--article/'));
  expect(names).toContainEqual(expect.stringContaining('/title.'));
  expect(names.filter((name) => /\/(?:block|body|words)\.\w+\.json/.test(name))).toEqual([]);
});

test('bodies are in few small files', () => {
  const sizes = [...snapshot.files].flatMap(([name, { length }]) =>
    name.includes('/body.') ? [length] : [],
  );
  const small = sizes.filter((size) => size < SMALL_FILES.bodies / 2);
  expect(sizes.length).toBeGreaterThan(10);
  expect(small.length).toBeLessThanOrEqual(sizes.length / 5);
});

test('an edit changes few files, and leaves the blocks of all other entities as they are', async () => {
  const key = `article/${digestText('300')}.md`;
  const source = files[key] ?? '';
  const { [key]: _, ...others } = files;
  const edits = {
    title: { ...files, [key]: source.replace(/title: ".{7}/, 'title: "changed') },
    sentence: { ...files, [key]: `${source}\n\nOne more sentence.` },
    tag: { ...files, [key]: source.replace(/\[t\d+/, '[t12') },
    unpublished: { ...files, [key]: source.replace('---', '---\nstatus: false') },
    added: { ...files, 'article/new.md': source.replace(/created: .*/, 'created: 2030-01-01T00:00:00Z') },
    deleted: others,
  };
  const changed: Record<string, readonly string[]> = {};
  for (const [edit, edited] of Object.entries(edits)) {
    const after = await snapshotOf(await servicesOf(edited));
    const names = [...after.files].filter(([name, bytes]) => {
      const before = snapshot.files.get(name);
      return before === undefined || Buffer.compare(before, bytes) !== 0;
    });
    changed[edit] = names.map(([name]) => name.replace(/\..*/, ''));
  }
  expect(changed.title?.length).toBeLessThanOrEqual(7);
  expect(changed.sentence?.length).toBeLessThanOrEqual(7);
  expect(changed.tag?.length).toBeLessThanOrEqual(3);
  // The manifest, the words of recent entities, a block and a file with bodies.
  expect(changed.added?.length).toBeLessThanOrEqual(4);
  for (const edit of ['unpublished', 'added', 'deleted'] as const) {
    const named = (part: string) => changed[edit]?.filter((name) => name === `node--article/${part}`).length;
    // Blocks are small here: two neighbors, and the copy in one of the first pages.
    expect(named('block'), edit).toBeLessThanOrEqual(3);
    expect(named('body'), edit).toBeLessThanOrEqual(6);
  }
});

test('a site without files of entities has few files', async () => {
  const withDocuments = (documents: boolean) =>
    createServices(createMemoryDriver(files), SCHEMA, {
      settings: { static: { bodies: true, queries: true, documents } },
    });
  const all = await staticFiles(await withDocuments(true));
  const few = await staticFiles(await withDocuments(false));
  expect(all.size - few.size).toBe(2 * (ARTICLES + 20 + 40));
  const { files: written } = await createTestSnapshot(publishedServices(services));
  expect(few.size + written.size).toBeLessThan(100);
});

test('a deleted entity is a 410 if anonymous visitors could have seen it, and its id is in no file', async () => {
  const gone = (id: string, published: boolean) =>
    JSON.stringify({ type: 'node--tag', id, at: '2026-01-01T00:00:00Z', published, uid: null });
  const site = await servicesOf({
    'tag/present.md': '---\ntitle: Present\n---\n',
    '_gone.jsonl': `${gone('was-public', true)}\n${gone('was-draft', false)}\n`,
  });
  const { answered, differences } = await compareAnswers(
    site,
    ['was-public', 'was-draft', 'never', 'present'].map((id) => ({ target: `/jsonapi/node/tag/${id}` })),
  );
  expect(answered).toBe(4);
  expect(differences).toEqual([]);
  const { handle, files: written } = await snapshotOf(site);
  expect((await handle(new Request(`${ORIGIN}/jsonapi/node/tag/was-public`)))?.status).toBe(410);
  expect((await handle(new Request(`${ORIGIN}/jsonapi/node/tag/was-draft`)))?.status).toBe(404);
  expect(textOf(written)).not.toMatch(/was-(public|draft)/);
});

test('the former id of a moved file is a 410 if anonymous visitors could see the file, and is in no file', async () => {
  const idOf = (name: string) => fileId(`content://article/${name}.png`);
  const gone = (name: string, published: boolean) =>
    JSON.stringify({ type: 'file--file', id: idOf(name), at: '2026-01-01T00:00:00Z', published, uid: null });
  const site = await createServices(
    createMemoryDriver({
      'article/a.md': '---\ntitle: A\nfield_cover: sky/moon.png\n---\n',
      'article/sky/moon.png': png(4, 3),
      '_gone.jsonl': `${gone('moon', true)}\n${gone('secret', false)}\n`,
    }),
    { article: { field_cover: image().nullish() } },
  );
  const at = (name: string) => `/jsonapi/file/file/${idOf(name)}`;
  const targets = ['moon', 'secret', 'never', 'sky/moon'].map((name) => ({ target: at(name) }));
  expect(await compareAnswers(site, targets)).toEqual({ answered: 4, differences: [] });
  const { handle, files: written } = await snapshotOf(site);
  const statuses = ['moon', 'secret', 'never', 'sky/moon'].map(
    async (name) => (await handle(new Request(ORIGIN + at(name))))?.status,
  );
  expect(await Promise.all(statuses)).toEqual([410, 404, 404, 200]);
  expect(textOf(written)).not.toContain(idOf('moon'));
});

test('no file has a value, word, id, tag or translation of unpublished entities', async () => {
  const site = await createServices(
    createMemoryDriver({
      'article/a.md':
        '---\ntitle: Public\nfield_tags: [shown]\nfield_author: quixotic-id\n---\nPublic words.\n',
      'article/a.de.md': '---\ntitle: Öffentlich\nstatus: false\n---\nquixotic-translation Entwurf\n',
      'article/quixotic-draft.md':
        '---\ntitle: Quixotic title\nstatus: false\nfield_tags: [shown]\ncreated: 1999-09-09T09:09:09Z\n---\nquixotic text\n',
      'article/later.md':
        '---\ntitle: Quixotic later\npublish_on: 2999-01-01T00:00:00Z\n---\nquixotic soon\n',
      'tag/shown.md': '---\ntitle: Shown\n---\n',
      'tag/hidden.md': '---\ntitle: Quixotic tag\nstatus: false\n---\n',
      'person/quixotic-id.md': '---\ntitle: Quixotic person\nstatus: false\n---\n',
    }),
    SCHEMA,
    { settings: { languages: siteLanguages({ defaultLocale: 'en', locales: ['en', 'de'] }) } },
  );
  const { files: written } = await snapshotOf(site);
  const text = textOf(written).toLowerCase();
  expect(text).toContain('public');
  // A server shows the id of a hidden target in relationships too.
  const id = '"(?:node--person\\\\u0000|id":")quixotic-id"';
  expect(
    text.replaceAll(new RegExp(id, 'g'), '').match(/.{30}(?:quixot|öffentlich|entwurf|1999-09-09)/g),
  ).toBeNull();
});

test('the order of rows reveals nothing about hidden dates', async () => {
  const view = [{ actions: ['view'], bundles: '*', fields: { view: { except: ['created'] } } }] as const;
  const site = await createServices(
    createMemoryDriver({
      'tag/a.md': '---\ntitle: A\ncreated: 2026-01-02T00:00:00Z\n---\n',
      'tag/b.md': '---\ntitle: B\ncreated: 2026-01-01T00:00:00Z\n---\n',
    }),
    undefined,
    { roles: { anonymous: { permissions: view } } },
  );
  const { files: written } = await snapshotOf(site);
  expect(textOf(written)).toContain('"ids":["a","b"]');
  expect(textOf(written)).not.toContain('2026-01');
});

test('numbers and values of a snapshot are read as they were written', () => {
  const numbers = [0, 1, 55, 56, 3135, 3136, 0, 2 ** 31 - 1];
  expect([...readNumbers(writeNumbers(numbers))]).toEqual(numbers);
  expect([...readNumbers(writeNumbers([]))]).toEqual([]);
  const rising = [3, 3, 4, 700, 700_000];
  expect([...readDeltas(writeDeltas(rising))]).toEqual(rising);
  for (const values of [['', 'a', 'aä', 'aö', 'b\n', '👍', '👎'], ['10', '9'], [1, 2.5], []]) {
    expect(readValues(JSON.parse(JSON.stringify(writeValues(values))))).toEqual(values);
  }
});

describe('docs/snapshot-format.md', async () => {
  const page = readFileSync('docs/snapshot-format.md', 'utf8');
  const site = await createServices(
    createMemoryDriver({
      'article/red-sky.md':
        '---\ntitle: Red sky\ncreated: 2026-01-05T08:00:00Z\nfield_author: ada\n---\nSailors delight.\n',
      'article/ebb.md':
        '---\ntitle: Ebb\ncreated: 2026-02-10T08:00:00Z\nfield_author: ada\n---\nThe sea goes out.\n',
      'article/flood.md':
        '---\ntitle: Ebb and flood\ncreated: 2026-02-10T08:00:00Z\n---\nThe sea comes back, and back again.\n',
      'person/ada.md': '---\ntitle: Ada\n---\n',
    }),
    defineSchema({
      article: { title: z.string(), field_author: reference('person').optional() },
      person: { title: z.string() },
    }),
    { renderBody: async ({ body }) => (body === null ? '' : `<p>${bodyText(body)}</p>`) },
  );
  const written = (await snapshotOf(site)).files;
  const manifest: Manifest = JSON.parse(new TextDecoder().decode(written.get('manifest.json')));
  const examples = [...page.matchAll(/<!-- snapshot: (\S+) -->\n```json\n([\s\S]*?)```/g)];

  test('has at least ten examples', () => expect(examples.length).toBeGreaterThanOrEqual(10));

  test.each(examples.map(([, name = '', json = '']) => [name, json]))('shows %s as it is', (name, json) => {
    const [, content] = name.startsWith('tables/')
      ? ['', manifest.tables[name.slice('tables/'.length)]]
      : (Object.entries(manifest.packed).find(([file]) => file.slice(0, -16) === name) ?? []);
    expect(content).toMatchObject(JSON.parse(json));
  });

  test('reads a column without this package', async () => {
    const code = /```js title="read-column.mjs"\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
    const { readColumn } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
    vi.stubGlobal(
      'fetch',
      async (url: string) => new Response(written.get(url.slice('/files/'.length)) as never),
    );
    expect(await readColumn('/files', 'node--article', 'title')).toEqual(['Red sky', 'Ebb', 'Ebb and flood']);
    const dates = await readColumn('/files', 'node--article', 'created');
    expect(dates.map((date: string) => date.slice(0, 10))).toEqual([
      '2026-01-05',
      '2026-02-10',
      '2026-02-10',
    ]);
    vi.stubGlobal(
      'fetch',
      async (url: string) => new Response(snapshot.files.get(url.slice('/files/'.length)) as never),
    );
    const titles = [...services.store.entities('node--article')].map(({ values }) => values.title);
    const read: string[] = await readColumn('/files', 'node--article', 'title');
    expect(read.toSorted()).toEqual(titles.toSorted());
    vi.unstubAllGlobals();
  });
});

/** All texts, with values in full. */
function textOf(written: ReadonlyMap<string, Uint8Array>): string {
  const whole = (_: string, value: unknown) => {
    if (typeof value !== 'object' || value === null || !('rest' in value)) return value;
    return typeof value.rest === 'string' ? readTerms(value as TermsFile) : readValues(value as ValuesFile);
  };
  return [...written.values()]
    .map((bytes) => JSON.stringify(JSON.parse(new TextDecoder().decode(bytes), whole)))
    .join('\n');
}

import { describe, expect, test } from 'vitest';
import {
  currentUrl,
  foldersAbove,
  mediaFileOf,
  mediaPath,
  pathOfFile,
  readMediaState,
  shownPath,
} from '../../../admin/src/model/media.ts';

describe('the address of the media screen', () => {
  test.each([
    ['', { sort: '-changed', 'page[offset]': '0' }],
    ['search=low+tide&page=3', { search: 'low tide', sort: '-changed', 'page[offset]': '96' }],
    [
      'kind=image&used=false&sort=-filesize',
      { 'filter[kind]': 'image', 'filter[used]': 'false', sort: '-filesize', 'page[offset]': '0' },
    ],
    ['kind=folder&used=maybe&sort=colour&page=-1', { sort: '-changed', 'page[offset]': '0' }],
  ])('"%s" selects files', (address, parameters) => {
    const path = mediaPath(readMediaState(new URLSearchParams(address)), 48);
    expect(Object.fromEntries(new URLSearchParams(path.replace('/_files?', '')))).toEqual({
      'page[limit]': '48',
      ...parameters,
    });
  });
});

test.each([
  [
    'content://article/ü mlaut/moon #1.png',
    '/_files/content/article/%C3%BC%20mlaut/moon%20%231.png',
    'article/ü mlaut/moon #1.png',
  ],
  ['public://logo.png', '/_files/public/logo.png', '/logo.png'],
])('%s has an address and a path', (uri, address, path) => {
  expect(pathOfFile(uri)).toBe(address);
  expect(shownPath({ uri })).toBe(path);
});

const RESOURCE = { type: 'file--file', id: 'content://article/moon.png', links: {} };

test('a file has the entities that use it, by title', () => {
  const file = mediaFileOf({
    ...RESOURCE,
    attributes: {
      uri: { value: 'content://article/moon.png', url: '/content-files/article/moon.png' },
      filename: 'moon.png',
      filemime: 'image/png',
      filesize: 48211,
      width: 1200,
      height: 800,
      changed: '2026-11-22T21:15:45.000Z',
    },
    relationships: {
      usedBy: {
        data: [
          { type: 'node--article', id: 'moon', meta: { title: 'The moon', fields: ['field_cover', 'body'] } },
          { type: 'node--article', id: 'sun', meta: { title: '', fields: ['body'] } },
        ],
        meta: { count: 60 },
      },
    },
    meta: {
      ...{ alt: 'The moon', alts: { de: 'Der Mond' }, src: './moon.png' },
      revision: 'f441e7809ff38b9d',
    },
  });
  expect(file).toEqual({
    uri: 'content://article/moon.png',
    url: '/content-files/article/moon.png',
    name: 'moon.png',
    isImage: true,
    size: 48211,
    dimensions: { width: 1200, height: 800 },
    changed: '2026-11-22T21:15:45.000Z',
    users: [
      { type: 'node--article', id: 'moon', title: 'The moon', fields: ['field_cover', 'body'] },
      { type: 'node--article', id: 'sun', title: 'sun', fields: ['body'] },
    ],
    alt: 'The moon',
    alts: { de: 'Der Mond' },
    src: './moon.png',
    userCount: 60,
    revision: 'f441e7809ff38b9d',
  });
  expect(currentUrl(file)).toBe('/content-files/article/moon.png?changed=2026-11-22T21%3A15%3A45.000Z');
});

test('a folder has those above it, and public/ is one', () => {
  const names = (folder: string) => foldersAbove(folder).map(({ id }) => id);
  expect(names('content://article/2024')).toEqual(['content://article', 'content://article/2024']);
  expect(names('public://')).toEqual(['public://']);
  expect(names('public://paper')).toEqual(['public://', 'public://paper']);
});

test('a document has no dimensions, and a file without a date keeps its address', () => {
  const file = mediaFileOf({
    ...RESOURCE,
    attributes: {
      uri: { url: '/tides.pdf' },
      filename: 'tides.pdf',
      filemime: 'application/pdf',
      width: null,
      height: null,
      changed: null,
    },
    relationships: {},
    meta: {},
  });
  expect(file).toMatchObject({
    isImage: false,
    dimensions: undefined,
    users: [],
    userCount: 0,
    revision: undefined,
  });
  expect(currentUrl(file)).toBe('/tides.pdf');
});

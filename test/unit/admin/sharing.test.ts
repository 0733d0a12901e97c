import { describe, expect, it } from 'vitest';
import type { Field } from '../../../admin/src/api/schema.ts';
import { cutDescription, cutTitle, readingMinutes, sharedPage } from '../../../admin/src/model/sharing.ts';

const TITLE = 'How the moon moves the sea';
const SUMMARY =
  'Twice a day the sea rises and falls, because the moon pulls the water that is nearest to it.';
const PICTURE = { uri: { value: 'content://article/moon.png' }, alt: 'The full moon' };

const BASE = [field('title', 'string'), field('body', 'formatted_text'), field('path', 'object')];
const FIELDS = [...BASE, field('field_teaser', 'string'), field('field_cover', 'image')];
const COMPLETE = {
  title: TITLE,
  body: { value: 'The text.', summary: null },
  path: { alias: '/moon' },
  field_teaser: SUMMARY,
  field_cover: PICTURE,
};

function field(name: string, kind: Field['kind'], more: Partial<Field> = {}): Field {
  return { name, kind, list: false, targets: [], properties: [], required: false, ...more };
}

function notesOf(fields: readonly Field[], values: Readonly<Record<string, unknown>>) {
  return sharedPage(fields, values).notes.map(({ key, input }) => [key, input]);
}

describe('search results and shared links', () => {
  it('have the title, the description, the picture and the address of an entry', () => {
    expect(sharedPage(FIELDS, COMPLETE)).toEqual({
      title: TITLE,
      description: SUMMARY,
      isFromText: false,
      image: { uri: 'content://article/moon.png', alt: 'The full moon' },
      path: '/moon',
      notes: [],
    });
  });

  it('name everything that is missing in a new entry, and its input', () => {
    expect(notesOf(FIELDS, {})).toEqual([
      ['titleMissing', 'title'],
      ['descriptionMissing', 'field_teaser'],
      ['imageMissing', 'field_cover'],
      ['pathMissing', 'path'],
    ]);
  });

  it('name nothing that the type has no field for', () => {
    expect(notesOf([field('title', 'string')], { title: TITLE })).toEqual([]);
  });

  it.each([
    ['a', 'titleShort'],
    ['a'.repeat(14), 'titleShort'],
    ['a'.repeat(15), undefined],
    ['a'.repeat(60), undefined],
    ['a'.repeat(61), 'titleLong'],
    // Characters of Chinese and Japanese take twice the room.
    ['月'.repeat(7), 'titleShort'],
    ['月'.repeat(8), undefined],
    ['月'.repeat(30), undefined],
    ['月'.repeat(31), 'titleLong'],
    // One character for readers, of several code points.
    ['e\u0301'.repeat(60), undefined],
  ])('judge the length of the title %s: %s', (title, key) => {
    expect(sharedPage(FIELDS, { ...COMPLETE, title }).notes.map((note) => note.key)).toEqual(
      key === undefined ? [] : [key],
    );
  });

  it.each([
    [49, 'descriptionShort'],
    [50, undefined],
    [160, undefined],
    [161, 'descriptionLong'],
  ])('judge the length of a description of %i characters: %s', (length, key) => {
    const values = { ...COMPLETE, field_teaser: 'a'.repeat(length) };
    expect(sharedPage(FIELDS, values).notes.map((note) => note.key)).toEqual(key === undefined ? [] : [key]);
  });

  it('say how many characters a text has, and how many there is room for in its script', () => {
    const noteOf = (title: string) => sharedPage(FIELDS, { ...COMPLETE, title }).notes[0];
    expect(noteOf('a'.repeat(84))).toEqual({ key: 'titleLong', input: 'title', count: 84, room: 60 });
    expect(noteOf('月'.repeat(40))).toEqual({ key: 'titleLong', input: 'title', count: 40, room: 30 });
  });

  it('find the description under its usual names, and the first that is filled in', () => {
    const values = { title: TITLE, summary: '', excerpt: SUMMARY };
    const fields = [field('title', 'string'), field('excerpt', 'string'), field('summary', 'string')];
    expect(sharedPage(fields, values)).toMatchObject({ description: SUMMARY, isFromText: false, notes: [] });
    expect(notesOf(fields, { title: TITLE })).toEqual([['descriptionMissing', 'summary']]);
    // A flag and a list are not descriptions.
    const others = [
      field('title', 'string'),
      field('summary', 'boolean'),
      field('teaser', 'string', { list: true }),
    ];
    expect(notesOf(others, { title: TITLE, summary: true, teaser: ['a'] })).toEqual([]);
  });

  it('take the summary of the text, else its first paragraph', () => {
    const body = { value: '# Tides\n\nThe [moon](/moon) *pulls*\nthe sea.\n\nMore.', summary: SUMMARY };
    const values = { ...COMPLETE, field_teaser: null, body };
    expect(sharedPage(FIELDS, values)).toMatchObject({ description: SUMMARY, isFromText: false });
    expect(sharedPage(FIELDS, { ...values, body: { ...body, summary: null } })).toMatchObject({
      description: 'The moon pulls the sea.',
      isFromText: true,
      notes: [{ key: 'descriptionMissing', input: 'field_teaser' }],
    });
    expect(notesOf(BASE, { ...values, body: { ...body, summary: null } })).toEqual([
      ['descriptionMissing', 'body-summary'],
    ]);
  });

  it.each([
    ["import Chart from '../Chart.astro';\n\n<Chart />\n\nWords.", 'Words.'],
    ['![The moon](moon.png)\n\n- one\n- two\n\n> said\n\nWords.', 'Words.'],
    ['2024 was **wet**.', '2024 was wet.'],
    ['## Only a heading', ''],
  ])('take the first paragraph of %j', (value, description) => {
    expect(sharedPage(BASE, { body: { value, summary: null } }).description).toBe(description);
  });

  it('find the picture under its usual names, then any other, and the first of a list', () => {
    const [icon, cover] = [field('field_icon', 'image', { at: 1 }), field('field_cover', 'image', { at: 2 })];
    const other = { uri: { value: 'content://article/icon.png' }, alt: '' };
    const imageOf = (fields: readonly Field[], values: Readonly<Record<string, unknown>>) =>
      sharedPage(fields, values).image?.uri;
    expect(imageOf([icon, cover], { field_icon: other, field_cover: PICTURE })).toBe(PICTURE.uri.value);
    expect(imageOf([icon, cover], { field_icon: other, field_cover: null })).toBe(other.uri.value);
    expect(imageOf([{ ...cover, list: true }], { field_cover: [PICTURE, other] })).toBe(PICTURE.uri.value);
    expect(notesOf([icon, cover], { title: TITLE })).toEqual([['imageMissing', 'field_cover']]);
  });

  it('need words for a picture, unless it is decorative', () => {
    const withAlt = (alt: string | null) =>
      notesOf(FIELDS, { ...COMPLETE, field_cover: { ...PICTURE, alt } });
    expect(withAlt(null)).toEqual([['altMissing', 'field_cover']]);
    expect(withAlt('')).toEqual([]);
  });

  it('cut long texts after a word, and inside of a script without spaces', () => {
    expect(cutTitle(TITLE)).toBe(TITLE);
    expect(cutTitle('The moon and the sun and the wind and the land move all the water')).toBe(
      'The moon and the sun and the wind and the land move all the …',
    );
    expect(cutTitle('月'.repeat(31))).toBe(`${'月'.repeat(30)} …`);
    expect(cutDescription('word '.repeat(40))).toBe(`${'word '.repeat(32).trim()} …`);
  });

  it.each([
    [0, 1],
    [299, 1],
    [300, 2],
    [2000, 10],
  ])('%i words take %i minutes to read', (words, minutes) => {
    expect(readingMinutes(words)).toBe(minutes);
  });
});

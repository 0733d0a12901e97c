import { describe, expect, it } from 'vitest';
import type { Field } from '../../../admin/src/api/schema.ts';
import {
  compareFields,
  compareLines,
  compareOutlines,
  type Difference,
  foldLines,
  type Line,
} from '../../../admin/src/model/compare.ts';
import { type OutlineWords, outlineOf } from '../../../admin/src/model/outline.ts';
import { isKept, obstacleTo } from '../../../admin/src/model/restore.ts';

const field = (name: string, kind: Field['kind'], more: Partial<Field> = {}): Field => ({
  name,
  kind,
  list: false,
  targets: [],
  properties: [],
  required: false,
  ...more,
});

/** Lines with `+` and `-` before them, and marked words in brackets. */
function written(lines: readonly Line[]): readonly string[] {
  const signs = { same: ' ', added: '+', removed: '-' };
  return lines.map(
    ({ state, parts }) =>
      signs[state] + parts.map(({ text, isMarked }) => (isMarked ? `[${text}]` : text)).join(''),
  );
}

const WORDS: OutlineWords = {
  labelOf: ({ name, label }) => label ?? name,
  textOf: (_, value) => String(value),
};

function writtenDifference(difference: Difference): readonly unknown[] {
  if (difference.kind === 'text') return written(difference.stretches.flatMap(({ lines }) => lines));
  if (difference.kind === 'nested') {
    const { part, before, after } = difference;
    const stretches = compareOutlines(outlineOf(part, before, WORDS), outlineOf(part, after, WORDS));
    return stretches.flatMap(({ isFolded, lines }) =>
      isFolded ? [`${lines.length} folded`] : written(lines),
    );
  }
  return difference.items.map(({ state, value }) => [state, value]);
}

describe('the comparison of two texts', () => {
  it.each([
    ['nothing with a text', '', 'One\nTwo', ['+One', '+Two']],
    ['a text with nothing', 'One', '', ['-One']],
    ['an added line', 'One\nThree', 'One\nTwo\nThree', [' One', '+Two', ' Three']],
    [
      'a changed word in a line',
      'The moon rises late.\nStars.',
      'The moon rises early.\nStars.',
      ['-The moon rises [late].', '+The moon rises [early].', ' Stars.'],
    ],
    [
      'lines with little in common',
      'One apple',
      'Completely different',
      ['-One apple', '+Completely different'],
    ],
    [
      'a paragraph that was split',
      'The moon rises late and sets early.',
      'The moon rises late\nand sets early.',
      ['-The moon rises late[ ]and sets early.', '+The moon rises late', '+and sets early.'],
    ],
    ['an emptied line', 'One\n\nTwo', 'One\nTwo', [' One', '-', ' Two']],
  ])('shows %s', (_, before, after, expected) => {
    expect(written(compareLines(before, after))).toEqual(expected);
  });

  it('contains both texts, whatever changed', () => {
    const texts = ['', 'a\nb\nc', 'a\nx\nc\n', '\n\nb c d', 'b c\nd e\na', 'a b c d e\nb'];
    for (const before of texts) {
      for (const after of texts) {
        const lines = compareLines(before, after);
        const textWithout = (state: Line['state']) =>
          lines
            .filter((line) => line.state !== state)
            .map(({ parts }) => parts.map(({ text }) => text).join(''))
            .join('\n');
        expect([textWithout('added'), textWithout('removed')]).toEqual([before, after]);
      }
    }
  });

  it('folds unchanged lines that are not next to a change', () => {
    const lines = Array.from({ length: 20 }, (_, index) => `Line ${index}`);
    const stretches = foldLines(compareLines(lines.join('\n'), lines.with(10, 'New').join('\n')));
    expect(stretches.map(({ isFolded, lines: of }) => [isFolded, of.length])).toEqual([
      [true, 8],
      [false, 6],
      [true, 7],
    ]);
  });

  it('does not fold a few lines', () => {
    const stretches = foldLines(compareLines('1\n2\n3\n4\n5\n6', '1\n2\n3\n4\n5\n7'));
    expect(stretches.some(({ isFolded }) => isFolded)).toBe(true);
    const short = foldLines(compareLines('2\n3\n4\n5\n6', '2\n3\n4\n5\n7'));
    expect(short.some(({ isFolded }) => isFolded)).toBe(false);
  });
});

describe('the comparison of two versions', () => {
  const fields = [
    field('title', 'string'),
    field('body', 'formatted_text'),
    field('tags', 'reference', { list: true }),
    field('mood', 'string', { choices: ['calm', 'rough'] }),
    field('place', 'object', { properties: [field('depth', 'number')] }),
    field('cover', 'image'),
    field('changed', 'datetime'),
  ];
  const sky = { type: 'node--tag', id: 'sky' };
  const sea = { type: 'node--tag', id: 'sea' };
  const file = (name: string) => ({ uri: { value: `content://${name}.png` } });
  const before = {
    title: 'Moon',
    body: { value: 'Rises late.', summary: null },
    tags: [sky],
    mood: 'calm',
    place: { name: 'Pier', depth: 2 },
    cover: { uri: { value: 'content://a.png' }, alt: 'A' },
    changed: '2024-01-01T00:00:00Z',
  };
  const differencesTo = (changes: Readonly<Record<string, unknown>>) =>
    compareFields(fields, before, { ...before, ...changes }).map(({ field: { name }, parts }) => [
      name,
      ...parts.map((part) => [part.name, ...writtenDifference(part.difference)]),
    ]);

  it.each([
    ['nothing if only the time of the commit differs', { changed: '2025-01-01T00:00:00Z' }, []],
    ['a text by words', { title: 'Moon rise' }, [['title', [undefined, '-Moon', '+Moon[ rise]']]]],
    [
      'only the changed part of a body',
      { body: { value: 'Rises late.', summary: 'Short' } },
      [['body', ['summary', '+Short']]],
    ],
    ['the items of a list', { tags: [sea, sky] }, [['tags', [undefined, ['added', sea], ['same', sky]]]]],
    ['a choice as a value', { mood: null }, [['mood', [undefined, ['removed', 'calm']]]]],
    [
      'the changed property of an object',
      { place: { name: 'Pier', depth: 3 } },
      [['place', ['depth', ['removed', 2], ['added', 3]]]],
    ],
    [
      'a replaced file',
      { cover: { uri: { value: 'content://b.png' }, alt: 'A' } },
      [['cover', [undefined, ['removed', file('a')], ['added', file('b')]]]],
    ],
    [
      'all parts of a removed file',
      { cover: null },
      [['cover', [undefined, ['removed', file('a')]], ['alt', '-A']]],
    ],
  ])('shows %s', (_, changes, expected) => {
    expect(differencesTo(changes)).toEqual(expected);
  });
});

describe('the comparison of nested values', () => {
  const heading = field('heading', 'string');
  const links = field('links', 'object', {
    label: 'Links',
    list: true,
    properties: [field('text', 'string'), field('at', 'object', { properties: [field('url', 'string')] })],
  });
  const blocks = field('blocks', 'object', {
    list: true,
    discriminator: 'type',
    variants: [
      { value: 'quote', label: 'Quote', properties: [heading, field('words', 'string', { list: true })] },
      { value: 'gallery', properties: [heading, links] },
    ],
  });
  const quote = { type: 'quote', heading: 'One', words: ['calm', 'late'] };
  const gallery = {
    type: 'gallery',
    heading: 'Two',
    links: [
      { text: 'A', at: { url: '/a' } },
      { text: 'B', at: { url: '/b' } },
    ],
  };
  const difference = (of: Field, before: unknown, after: unknown) =>
    compareFields([of], { [of.name]: before }, { [of.name]: after }).flatMap(({ parts }) =>
      parts.map((part) => [part.label ?? part.name, ...writtenDifference(part.difference)]),
    );

  it('shows a changed property below its block and the lines that it belongs to', () => {
    const changed = { ...gallery, links: [gallery.links[0], { text: 'B', at: { url: '/new' } }] };
    expect(difference(blocks, [quote, gallery], [quote, changed])).toEqual([
      [
        undefined,
        '5 folded',
        ' • gallery',
        '1 folded',
        '     Links:',
        '3 folded',
        '       • text: B',
        '         at:',
        '-          url: /[b]',
        '+          url: /[new]',
      ],
    ]);
  });

  it('shows an inserted block as a whole, and no other', () => {
    expect(difference(blocks, [gallery], [quote, gallery])).toEqual([
      [
        undefined,
        '+• Quote',
        '+    heading: One',
        '+    words:',
        '+      • calm',
        '+      • late',
        '9 folded',
      ],
    ]);
    expect(difference(blocks, [quote], null)[0]?.[1]).toBe('-• Quote');
  });

  it('shows values without a schema by their names', () => {
    const data = field('data', 'json');
    expect(
      difference(data, { a: { b: [1, { c: true }] }, d: 'x' }, { a: { b: [1, { c: false }] }, d: 'x' }),
    ).toEqual([[undefined, ' a:', '   b:', '1 folded', '-    • c: true', '+    • c: false', '1 folded']]);
    expect(difference(data, 1, 2)).toEqual([[undefined, '-1', '+2']]);
  });

  it('shows the changed entries of a record, and nested properties of an object', () => {
    const hours = field('hours', 'object', {
      entries: field('', 'object', { properties: [field('from', 'number')] }),
    });
    expect(
      difference(hours, { mon: { from: 8 }, tue: { from: 9 } }, { mon: { from: 8 }, tue: { from: 10 } }),
    ).toEqual([['tue', '-from: [9]', '+from: [10]']]);
    const place = field('place', 'object', { properties: [links] });
    expect(difference(place, { links: [] }, { links: [{ text: 'A' }] })).toEqual([['Links', '+• text: A']]);
  });
});

describe('a field of a past version', () => {
  const tags = field('tags', 'reference', { list: true });
  const missing = {
    type: 'node--tag',
    id: 'missing',
    meta: { links: { help: { href: 'https://example.org' } } },
  };
  const withTags = (...data: readonly unknown[]) => ({ relationships: { tags: { data } } });

  it('cannot be restored if the account may not set it, or if it refers to missing content', () => {
    const writable = new Set(['tags']);
    expect(obstacleTo(tags, withTags({ type: 'node--tag', id: 'sky' }), writable)).toBeUndefined();
    expect(obstacleTo(tags, withTags({ type: 'node--tag', id: 'sky' }), new Set())).toBe('readOnly');
    expect(obstacleTo(tags, withTags({ type: 'node--tag', id: 'sky' }, missing), writable)).toBe('missing');
    // An entity can have this id.
    expect(
      obstacleTo(tags, withTags({ type: 'node--tag', id: 'missing', meta: {} }), writable),
    ).toBeUndefined();
  });

  it('is left alone unless it is chosen if it publishes the entity, is its address, or has no file', () => {
    const cover = field('cover', 'image');
    expect(isKept(field('status', 'boolean'), { attributes: { status: false } })).toBe(true);
    expect(isKept(field('path', 'object'), { attributes: { path: { alias: '/moon' } } })).toBe(true);
    expect(isKept(field('title', 'string'), { attributes: { title: null } })).toBe(false);
    expect(isKept(cover, { attributes: { cover: null } })).toBe(true);
    expect(isKept(cover, { attributes: { cover: { uri: { value: 'content://a.png' } } } })).toBe(false);
    expect(isKept({ ...cover, list: true }, { attributes: { cover: [] } })).toBe(true);
  });
});

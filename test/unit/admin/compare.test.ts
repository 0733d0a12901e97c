import { describe, expect, it } from 'vitest';
import type { Field } from '../../../admin/src/api/schema.ts';
import {
  compareFields,
  compareLines,
  type Difference,
  foldLines,
  type Line,
} from '../../../admin/src/model/compare.ts';
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

function writtenDifference(difference: Difference): readonly unknown[] {
  if (difference.kind === 'text') return written(difference.stretches.flatMap(({ lines }) => lines));
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

import { describe, expect, test } from 'vitest';
import { type Part, readSchema } from '../../../admin/src/api/schema.ts';
import { acceptItem, newItem, summaryOf } from '../../../admin/src/model/blocks.ts';
import { treeOf } from '../../../admin/src/model/branches.ts';
import { layOut } from '../../../admin/src/model/entity-form.ts';
import { placeErrors } from '../../../admin/src/model/field-errors.ts';
import { mergeField } from '../../../admin/src/model/merge.ts';
import { holds, locate, withProperty } from '../../../admin/src/model/nested.ts';
import { slugOf } from '../../../admin/src/model/slug.ts';
import { referenceIn, writtenReference } from '../../../admin/src/model/written.ts';
import type { ExplorerSchema } from '../../../integration/features/admin/explorer.ts';

const part = (name: string, more: Partial<Part> = {}): Part => ({
  name,
  kind: 'string',
  list: false,
  targets: [],
  properties: [],
  required: false,
  ...more,
});
const QUOTE = {
  value: 'quote',
  properties: [part('text', { required: true }), part('loud', { kind: 'boolean', required: true })],
};
const BLOCKS: Part = part('blocks', {
  kind: 'json',
  list: true,
  discriminator: 'type',
  variants: [
    QUOTE,
    {
      value: 'columns',
      properties: [
        part('items', { kind: 'json', list: true, required: true, discriminator: 'type', variants: [QUOTE] }),
      ],
    },
  ],
});
const ITEM = { ...BLOCKS, list: false };
const COLUMNS = { type: 'columns', items: [{ type: 'quote', text: 'All dry.', loud: true }] };

describe('a schema as forms use it', () => {
  const read = (field: object, language: string) => {
    const types = [{ name: 'node--page', entityType: 'node', bundle: 'page', count: 1, fields: [field] }];
    return readSchema({ types } as unknown as ExplorerSchema, language).types[0]?.fields[0];
  };

  test('has texts in the language of the interface, else in English', () => {
    const field = { name: 'a', kind: 'string', label: { en: 'One', de: 'Eins' }, group: { en: 'Group' } };
    expect(read(field, 'de')).toMatchObject({ label: 'Eins', group: 'Group' });
    expect(read(field, 'en')).toMatchObject({ label: 'One' });
  });

  test('has an object in itself', () => {
    const below = { name: 'below', kind: 'object', list: true, ancestor: 1 };
    const tree = read(
      { name: 'tree', kind: 'object', list: true, properties: [{ name: 'name', kind: 'string' }, below] },
      'en',
    );
    const inner = tree?.properties[1]?.properties[1]?.properties;
    expect(inner?.map(({ name }) => name)).toEqual(['name', 'below']);
  });
});

test('required fields come first, then the schema, then sections', () => {
  const fields = [
    part('z', { at: 0, group: 'Last' }),
    part('b', { at: 1 }),
    part('a', { at: 2, required: true }),
    part('c', { at: 3, order: -1 }),
    part('y', { at: 4, group: 'Last', required: true }),
  ];
  const layout = layOut(fields);
  expect(layout.fields.map(({ name }) => name)).toEqual(['c', 'a', 'b']);
  expect(layout.sections.map((section) => section.fields.map(({ name }) => name))).toEqual([['z', 'y']]);
});

test.each([
  [{ field: 'a', is: 1 }, true],
  [{ field: 'a', not: 1 }, false],
  [{ field: 'a', in: [2, 1] }, true],
  [{ field: 'a', set: true }, true],
  [{ field: 'list', is: 'x' }, true],
  [{ field: 'none', is: false }, true],
  [{ field: 'none', set: false }, true],
  [{ field: 'none', not: 'x' }, true],
  [{ field: 'a', is: 9, ofEntry: true as const }, true],
])('%o is %s', (when, expected) => {
  expect(holds(when, { a: 1, list: ['x', 'y'] }, { a: 9 })).toBe(expected);
});

describe('errors', () => {
  const place = (pointer: string, detail: string, values = {}) =>
    placeErrors([{ status: '422', title: 'Invalid', detail, source: { pointer } }], [BLOCKS], values);

  test('stand at the input of the part, also of one that the document does not have', () => {
    const { byField, byPart } = place(
      '/data/attributes/blocks/0/items/0',
      '`blocks.0.items.0.text`: expected string.',
      {
        blocks: [COLUMNS],
      },
    );
    expect(byField.size).toBe(0);
    const [path, error] = [...byPart][0]!;
    expect(path).toBe('blocks/0/items/0/text');
    expect(error).toMatchObject({ field: 'blocks', messages: ['expected string.'] });
    expect(error.parts.map(({ part: { name }, index }) => index ?? name)).toEqual([0, 'items', 0, 'text']);
  });

  test('without an input are shown at the nearest enclosing input', () => {
    expect([
      ...place('/data/attributes/blocks/0/none', '`blocks.0.none`: unknown.', {
        blocks: [COLUMNS],
      }).byPart.keys(),
    ]).toEqual(['blocks/0']);
    expect([...place('/data/attributes/blocks', '`blocks`: too many.').byField.keys()]).toEqual(['blocks']);
  });
});

describe('an item of a list', () => {
  test('begins with values that an empty input cannot express', () => {
    expect(newItem(BLOCKS, BLOCKS.variants?.[0])).toEqual({ type: 'quote', loud: false });
    expect(newItem(BLOCKS, BLOCKS.variants?.[1])).toEqual({ type: 'columns', items: [] });
  });

  test('is known by its first text, also one in a block in it', () => {
    expect(summaryOf(BLOCKS, { type: 'quote', text: 'All\ndry.' })).toBe('All dry.');
    expect(summaryOf(BLOCKS, COLUMNS)).toBe('All dry.');
    expect(summaryOf(BLOCKS, { type: 'video' })).toBe('');
  });

  test.each([
    ['as it is', COLUMNS, { value: COLUMNS, dropped: [] }],
    ['without unknown properties', { ...COLUMNS, color: 'red' }, { value: COLUMNS, dropped: ['color'] }],
    [
      'without values of another type',
      { type: 'columns', items: [{ type: 'quote', text: 4, loud: true }, 'x'] },
      {
        value: { type: 'columns', items: [{ type: 'quote', loud: true }] },
        dropped: ['items.0.text', 'items.1'],
      },
    ],
    ['not at all if its kind is unknown', { type: 'video' }, { problem: 'variant' }],
    ['not at all if it is a text', 'x', { problem: 'shape' }],
    ['not with a name of the prototype', { type: 'constructor' }, { problem: 'variant' }],
  ])('is pasted %s', (_, copied, expected) => {
    expect(acceptItem(ITEM, copied)).toEqual(expected);
  });

  test('keeps the order of the schema for a new property', () => {
    const parts = [part('a'), part('b'), part('c')];
    expect(Object.keys(withProperty({ c: 1, x: 2 }, 'b', 3, parts))).toEqual(['b', 'c', 'x']);
    expect(Object.keys(withProperty({ c: 1, b: 2 }, 'b', 3, parts))).toEqual(['c', 'b']);
    expect(withProperty({ a: 1 }, 'a', null, parts)).toEqual({});
  });

  test('is merged by property if the other side changed its neighbor', () => {
    const list = (one: string, two: string) => [
      { type: 'quote', text: one },
      { type: 'quote', text: two },
    ];
    const { value, conflicts } = mergeField(BLOCKS, list('a', 'b'), list('A', 'b'), list('a', 'B'));
    expect(conflicts).toEqual([]);
    expect(value).toEqual(list('A', 'B'));
    expect(mergeField(BLOCKS, list('a', 'b'), list('A', 'b'), list('X', 'b')).conflicts).toHaveLength(1);
  });
});

test('ends a path at the first missing input', () => {
  const record = part('facts', { kind: 'json', entries: part('value') });
  expect(locate(record, { height: '1' }, ['height', 'x']).path).toEqual(['height']);
  expect(locate(BLOCKS, [], ['x']).path).toEqual([]);
});

test.each([
  ['jane', ['node--person'], { type: 'node--person', id: 'jane' }, 'jane'],
  ['person/jane', ['node--person', 'node--tag'], { type: 'node--person', id: 'jane' }, 'person/jane'],
  [{ type: 'person', id: 'jane' }, ['node--person'], { type: 'node--person', id: 'jane' }, 'jane'],
  ['a/b', ['node--page'], { type: 'node--page', id: 'a/b' }, 'page/a/b'],
])('the reference %o is read and written', (written, targets, reference, again) => {
  expect(referenceIn(written, targets)).toEqual(reference);
  expect(writtenReference(reference, targets)).toBe(again);
});

test('a tree has each entity once, below its parent', () => {
  const entity = (id: string, parent?: string) => ({ id, title: id, parent });
  const shown = treeOf([
    entity('b', 'a'),
    entity('a'),
    entity('c', 'b'),
    entity('x', 'y'),
    entity('y', 'x'),
    entity('d', 'gone'),
  ]);
  expect(shown.map(({ id, depth }) => `${depth}${id}`)).toEqual(['0a', '1b', '2c', '0d', '0x', '1y']);
});

test('a slug has ASCII letters', () => {
  expect(slugOf('Große Flut, “Teil 2”!')).toBe('grosse-flut-teil-2');
  expect(slugOf('潮')).toBe('');
});

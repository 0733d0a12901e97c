import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { FieldChanges } from '../../../../integration/core/content/encode/encode-file.ts';
import type { FieldValue } from '../../../../integration/core/content/model.ts';
import { MAX_DATA_LENGTH } from '../../../../integration/core/source/read-data.ts';
import { defineSchema, z } from '../../../../integration/schema.ts';
import { MAX_TOML_LENGTH } from '../../../support/toml-format.ts';
import type { CollectSettings, Files } from '../collect.ts';
import { allValues, createFileEditor, type Editor } from './file-editor.ts';
import { oddFiles, oddNeighbours, oddSchema } from './odd-files.ts';

const KEY = 'article/a.md';

/** A file after changes; with the schema of the odd files by default. */
async function edited(
  before: string,
  changes: FieldChanges,
  { key = KEY, others = oddNeighbours, schema = oddSchema, ...settings }: Setting = {},
): Promise<string> {
  const more = schema === null ? settings : { ...settings, schema };
  const editor = await createFileEditor({ ...others, [key]: before }, more);
  expect(editor.collected.problems).toEqual([]);
  return editor.edit(key, changes);
}

interface Setting extends Omit<CollectSettings, 'schema'> {
  readonly key?: string;
  readonly others?: Files;
  readonly schema?: CollectSettings['schema'] | null;
}

/** Nested lists. */
function nested(levels: number): FieldValue {
  let value: FieldValue = 1;
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}

const person = (id: string): FieldValue => ({ type: 'node--person', id });

describe('a change to the present value', () => {
  let odd: Editor;
  beforeAll(async () => {
    odd = await createFileEditor({ ...oddFiles, ...oddNeighbours }, { schema: oddSchema });
  });

  it.each(Object.keys(oddFiles))('leaves the file byte for byte: %s', (key) => {
    const entity = odd.collected.entity(key);
    expect(odd.edit(key, {})).toBe(oddFiles[key]);
    expect(odd.edit(key, allValues(entity))).toBe(oddFiles[key]);
    expect(odd.edit(key, allValues(entity), { now: '2030-01-01T00:00:00+00:00' })).toBe(oddFiles[key]);
  });

  it.each(Object.keys(oddFiles))('adding a field keeps all other lines: %s', (key) => {
    const before = String(oddFiles[key]);
    const after = odd.edit(key, { uid: 'somebody' });
    const lines = before.replace('\ufeff', '').replace(/\n$/, '').split('\n');
    const rest = after.replace('\ufeff', '').split('\n');
    for (const line of lines.filter((each) => !/^[[{]/.test(each) && !each.startsWith('uid'))) {
      // In JSON, the last pair gets a comma.
      const at = rest.findIndex((each) => each.replace(/,$/, '') === line.replace(/,$/, ''));
      expect([line, at]).not.toEqual([line, -1]);
      rest.splice(0, at + 1);
    }
  });
});

describe('a change of one value', () => {
  it.each<[string, string, FieldChanges, string]>([
    ['below a blank line and a comment', '\n# why\ntitle: Old', { title: 'New' }, '\n# why\ntitle: New'],
    ['a plain text', 'title: Old', { title: 'New' }, 'title: New'],
    ['with a comment', 'title:   Old   # why', { title: 'New' }, 'title:   New   # why'],
    ['in double quotes', 'title: "Old"', { title: 'New' }, 'title: "New"'],
    ['in single quotes', "title: 'Old'", { title: "It's" }, "title: 'It''s'"],
    ['in quotes that cannot contain it', "title: 'Old'", { title: 'a\u0007b' }, 'title: "a\\u0007b"'],
    ['that needs quotes now', 'title: Old', { title: 'New: yes' }, 'title: "New: yes"'],
    ['in the quotes of the file', "title: Old\nuid: 'x'", { title: '#1' }, "title: '#1'\nuid: 'x'"],
    ['like a number', 'title: Old', { title: '1e3' }, 'title: "1e3"'],
    ['like a day', 'title: Old', { title: '2024-01-01' }, 'title: "2024-01-01"'],
    ['after a number', 'title: 2024', { title: 'Two' }, 'title: Two'],
    ['over two lines', 'title: Old\n  title', { title: 'New' }, 'title: New'],
    ['on the next line', 'title:\n  Old', { title: 'New' }, 'title: New'],
    ['folded', 'title: >-\n  Old\n  title', { title: 'New' }, 'title: >-\n  New'],
    [
      'folded again',
      'title: >\n  Old',
      { title: `${'many words '.repeat(8)}end\n` },
      `title: >\n  ${'many words '.repeat(4)}many words\n  many words many words many words end`,
    ],
    ['literal', 'field_text: | # why\n  Old\n  text', { field_text: 'New\n' }, 'field_text: | # why\n  New'],
    [
      'of many lines',
      'field_text: Old # why',
      { field_text: 'a\n\n  b\nc' },
      'field_text: |- # why\n  a\n\n    b\n  c',
    ],
    ['with trailing line breaks', 'field_text: Old', { field_text: 'a\n\n' }, 'field_text: "a\\n\\n"'],
    ['a number', 'field_count: 1 # one', { field_count: 2 }, 'field_count: 2 # one'],
    ['a number in hexadecimal', 'field_count: 0x10', { field_count: 16 }, 'field_count: 0x10'],
    ['a decimal as a number', 'field_price: 9.50', { field_price: '10.00' }, 'field_price: 10.00'],
    ['a decimal as a string', 'field_price: "9.50"', { field_price: '10.00' }, 'field_price: "10.00"'],
    ['a boolean', 'field_lead: True', { field_lead: false }, 'field_lead: false'],
    ['a day', 'field_day: 2024-01-12', { field_day: '2024-02-01' }, 'field_day: 2024-02-01'],
    ['a day in quotes', "field_day: '2024-01-12'", { field_day: '2024-02-01' }, "field_day: '2024-02-01'"],
    [
      'a date-time of the same instant',
      'field_when: 2024-01-07T12:00:01+01:00',
      { field_when: '2024-01-07T11:00:01.000+00:00' },
      'field_when: 2024-01-07T12:00:01+01:00',
    ],
    [
      'a date-time',
      'field_when: 2024-01-07T12:00:01Z',
      { field_when: '2025-01-07T12:00:00+00:00' },
      'field_when: 2025-01-07T12:00:00Z',
    ],
    [
      'a date-time of the same instant, sent with Z',
      'field_when: 2024-01-07T12:00:01+01:00',
      { field_when: '2024-01-07T11:00:01.000Z' },
      'field_when: 2024-01-07T12:00:01+01:00',
    ],
    [
      'a date-time in its present form, sent with Z',
      'created: 2024-01-07 12:00Z',
      { created: '2025-01-07T13:00:00Z' },
      'created: 2025-01-07 13:00Z',
    ],
    [
      'a date-time with the sent offset',
      'field_when: 2024-01-07T12:00:01+01:00',
      { field_when: '2025-01-07T13:00:00Z' },
      'field_when: 2025-01-07T13:00:00Z',
    ],
    [
      'a literal beside others with extra spaces',
      'field_place:\n    name: Bergen\nfield_text: |\n  Old\n  text',
      { field_text: 'New\n' },
      'field_place:\n    name: Bergen\nfield_text: |\n  New',
    ],
    [
      'a date-time whose schema wants UTC',
      'field_utc:',
      { field_utc: '2025-01-07T12:00:00.500+01:00' },
      'field_utc: 2025-01-07T11:00:00.5Z',
    ],
    ['nothing', 'field_text: # to do', { field_text: 'Done' }, 'field_text: Done # to do'],
    ['a reserved key', 'type: A', { field_type: 'B' }, 'type: B'],
    ['a key in quotes', '"type" : A', { field_type: 'B' }, '"type" : B'],
    ['an explicit key', '? type\n: A', { field_type: 'B' }, '? type\n: B'],
  ])('%s', async (_case, before, changes, after) => {
    expect(await edited(`---\n${before}\n---\n\nText.\n`, changes)).toBe(`---\n${after}\n---\n\nText.\n`);
  });
});

describe('a change of list items and properties', () => {
  const list = 'field_tags:\n  # first of all\n  - a # really\n\n  # then\n  - b\n  - c # last';
  it.each<[string, string, FieldChanges, string]>([
    ['an appended item', list, { field_tags: ['a', 'b', 'c', 'd'] }, `${list}\n  - d`],
    [
      'an inserted item',
      list,
      { field_tags: ['a', 'x', 'b', 'c'] },
      'field_tags:\n  # first of all\n  - a # really\n  - x\n\n  # then\n  - b\n  - c # last',
    ],
    [
      'a prepended item',
      list,
      { field_tags: ['x', 'a', 'b', 'c'] },
      'field_tags:\n  - x\n  # first of all\n  - a # really\n\n  # then\n  - b\n  - c # last',
    ],
    [
      'a removed item and its comment',
      list,
      { field_tags: ['a', 'c'] },
      'field_tags:\n  # first of all\n  - a # really\n\n  - c # last',
    ],
    [
      'another order, with comments',
      list,
      { field_tags: ['b', 'c', 'a'] },
      'field_tags:\n\n  # then\n  - b\n  - c # last\n  # first of all\n  - a # really',
    ],
    ['all others', list, { field_tags: ['x', 'z'] }, 'field_tags:\n\n  - x\n  - z'],
    ['none', `title: T\n${list}`, { field_tags: [] }, 'title: T'],
    ['the first item', 'field_tags: []', { field_tags: ['a'] }, 'field_tags: [a]'],
    ['at the left margin', 'field_tags:\n- a', { field_tags: ['a', 'b'] }, 'field_tags:\n- a\n- b'],
    ['far in', 'field_tags:\n    -   a', { field_tags: ['a', 'b'] }, 'field_tags:\n    -   a\n    -   b'],
    ['in brackets', 'field_tags: [ a,b ] # c', { field_tags: ['b', 'x'] }, 'field_tags: [ b,x ] # c'],
    ['in brackets, the last', 'field_tags: [a, b]', { field_tags: ['a'] }, 'field_tags: [a]'],
    ['in brackets, quoted', 'field_tags: [a]', { field_tags: ['a', 'b, c'] }, 'field_tags: [a, "b, c"]'],
    [
      'in brackets on several lines',
      'field_tags: [\n  a, # first\n  b,\n  c # last\n]',
      { field_tags: ['a', 'c', 'd'] },
      'field_tags: [\n  a, # first\n  c, # last\n  d\n]',
    ],
    [
      'a removed line in brackets',
      'field_tags: [\n  a, # first\n  b # last\n]',
      { field_tags: ['a'] },
      'field_tags: [\n  a # first\n]',
    ],
    [
      'objects',
      'field_rows:\n  - item: a # one\n    n: 1\n  - item: b',
      {
        field_rows: [
          { item: 'a', n: 2 },
          { item: 'b', why: 'so' },
          { item: 'c', n: 3 },
        ],
      },
      'field_rows:\n  - item: a # one\n    n: 2\n  - item: b\n    why: so\n  - item: c\n    n: 3',
    ],
    [
      'a removed object',
      'field_rows:\n- item: a\n  n: 1\n- item: b\n- item: c',
      { field_rows: [{ item: 'a', n: 1 }, { item: 'c' }] },
      'field_rows:\n- item: a\n  n: 1\n- item: c',
    ],
    [
      'the property after the dash',
      'field_rows:\n  - why: so\n    item: a',
      { field_rows: [{ item: 'a' }] },
      'field_rows:\n  - item: a',
    ],
    [
      'properties',
      'field_place:\n    name: Here # there\n    # how much\n    fee: 1.50\n    lat: 1.0\n# end',
      { field_place: { name: 'There', lat: 1, spot: { x: 1, y: 2 }, words: ['a'] } },
      'field_place:\n    name: There # there\n    # how much\n    lat: 1.0\n    spot:\n        x: 1\n        y: 2\n    words:\n      - a\n# end',
    ],
    [
      'properties in braces',
      'field_place: {name: x, fee: "1.50", words: []}',
      { field_place: { name: 'x', words: ['a'], lat: 2 } },
      'field_place: {name: x, words: [a], lat: 2}',
    ],
    [
      'a property that is null and not written',
      'field_place: { name: x }',
      { field_place: { name: 'z', lat: null, words: [] } },
      'field_place: { name: z, words: [] }',
    ],
    [
      'an object with its comments',
      'title: T\nfield_place:\n  name: x\n  # the end\nuid: a',
      { field_place: null, field_text: 'a\nb' },
      'title: T\nuid: a\nfield_text: |-\n  a\n  b',
    ],
    [
      'any JSON',
      'field_any:\n  a: [1, 2.50] # list\n  b: x',
      { field_any: { a: [1, 2.5], b: null, 'c d': [] } },
      'field_any:\n  a: [1, 2.50] # list\n  b: null\n  c d: []',
    ],
    [
      'a map that becomes a string',
      'field_any:\n  a: 1\n  # of it\n# not',
      { field_any: 'x' },
      'field_any: x\n# not',
    ],
    ['a string that becomes a map', 'field_any: x # c', { field_any: { a: 1 } }, 'field_any: # c\n  a: 1'],
  ])('%s', async (_case, before, changes, after) => {
    expect(await edited(`---\n${before}\n---\nText.\n`, changes)).toBe(`---\n${after}\n---\nText.\n`);
  });
});

describe('added and removed fields', () => {
  it.each<[string, string, FieldChanges, string]>(
    [
      [
        'that the schema declares',
        'field_text: x\nfield_tags: [a]',
        { title: 'T', field_count: 1, field_any: 1, status: false },
        'title: T\nstatus: false\nfield_text: x\nfield_count: 1\nfield_tags: [a]\nfield_any: 1',
      ],
      ['the first field', '# To do', { title: 'T' }, '# To do\ntitle: T'],
      ['below the comment of a file', '# Of the file\n\ntitle: T', { id: 'x', uid: 'u' }, ''],
      [
        'without the comment above them',
        'title: T\n# why\nuid: u # that\ntype: A',
        { uid: null },
        'title: T\n# why\ntype: A',
      ],
      ['with all its lines', 'field_text: |\n  a\n\n  b\ntitle: T', { field_text: null }, 'title: T'],
      ['the last remaining field', '# Of the file\nuid: u', { uid: null }, '# Of the file'],
      ['an empty field', 'title: T\nfield_text:', { field_text: 'x' }, 'title: T\nfield_text: x'],
      [
        'block lists beside other block lists',
        'title: T\nfield_tags:\n- a',
        { field_people: [person('jane'), person('bob')] },
        'title: T\nfield_people:\n- jane\n- bob\nfield_tags:\n- a',
      ],
      [
        'flow lists beside other flow lists',
        'title: T\nfield_tags: [a]',
        { field_people: [person('jane'), person('bob')] },
        'title: T\nfield_people: [jane, bob]\nfield_tags: [a]',
      ],
    ].filter(([name]) => name !== 'below the comment of a file') as [string, string, FieldChanges, string][],
  )('%s', async (_case, before, changes, after) => {
    expect(await edited(`---\n${before}\n---\nText.\n`, changes)).toBe(`---\n${after}\n---\nText.\n`);
  });

  it('writes a list again as most lists of the file are, and of the bundle if both kinds are equally frequent', async () => {
    const words = z.array(z.string()).default([]);
    const schema = defineSchema({ article: { a: words, b: words, c: words, d: words } });
    const other = { 'article/other.md': '---\na: [x]\nb: [x]\n---\n' };
    const mixed = 'b: [x]\nc: [x]\nd:\n  - x\n---\n';
    expect(await edited(`---\n${mixed}`, { a: ['sky'] }, { schema, others: {} })).toBe(
      `---\na: [sky]\n${mixed}`,
    );
    const both = 'c: [x]\nd:\n  - x\n---\n';
    expect(await edited(`---\n${both}`, { a: ['sky'] }, { schema, others: other })).toBe(
      `---\na: [sky]\n${both}`,
    );
  });

  it('writes an empty list if the schema has another default', async () => {
    const schema = defineSchema({
      article: { kinds: z.array(z.string()).default(['a']), needed: z.array(z.string()) },
    });
    const setting = { schema, others: {} };
    const before = '---\nkinds: [b]\nneeded: [c]\n---\n';
    expect(await edited(before, { kinds: [], needed: [] }, setting)).toBe(
      '---\nkinds: []\nneeded: []\n---\n',
    );
  });
});

describe('status uses the key of the file', () => {
  it.each([
    ['title: T', false, 'title: T\nstatus: false'],
    ['draft: true', true, 'draft: false'],
    ['draft: false # yet', false, 'draft: true # yet'],
    ['status: true', false, 'status: false'],
    ['status: false', true, 'status: true'],
    ['status: 1', false, 'status: 0'],
    ['status: 0', true, 'status: 1'],
    ['status: false\ndraft: true', true, 'status: true\ndraft: false'],
    ['status: true\ndraft: true', true, 'status: true\ndraft: false'],
    ['status: true\ndraft: false', false, 'status: true\ndraft: true'],
  ])('%j, published %s', async (before, status, after) => {
    expect(await edited(`---\n${before}\n---\n`, { status })).toBe(`---\n${after}\n---\n`);
  });

  it('as a string in a bundle with string statuses', async () => {
    const after = await edited(
      '---\nstatus: Draft\n---\n',
      { status: 'Final' },
      { schema: null, others: {} },
    );
    expect(after).toBe('---\nstatus: Final\n---\n');
  });

  it('as `draft` in a new file whose neighbors have it', async () => {
    const editor = await createFileEditor({ 'post/a.md': '---\ntitle: A\ndraft: false\n---\n' });
    expect(editor.create('post/b.md', { title: 'B', status: false })).toBe(
      '---\ntitle: B\ndraft: true\n---\n',
    );
    expect(editor.create('post/b.md', { title: 'B', status: true })).toBe('---\ntitle: B\n---\n');
  });
});

describe('title, alias and times', () => {
  it.each<[string, string, FieldChanges, string]>([
    [
      'a title that differs from the heading is written',
      '# Heading\n',
      { title: 'New' },
      '---\ntitle: New\n---\n\n# Heading\n',
    ],
    ['a title that equals the heading is not repeated', '# Heading\n', { title: 'Heading' }, '# Heading\n'],
    [
      'a title is kept when its heading is removed',
      '# Heading\n',
      { title: 'Heading', body: { value: 'Text' } },
      '---\ntitle: Heading\n---\n\nText\n',
    ],
    [
      'an empty title falls back to the heading',
      '---\ntitle: T\n---\n# H\n',
      { title: '' },
      '---\n---\n# H\n',
    ],
    ['an alias as a string', '---\npath: /a\n---\n', { path: { alias: '/b' } }, '---\npath: /b\n---\n'],
    [
      'an alias in an object',
      '---\npath: { alias: /a }\n---\n',
      { path: { alias: '/b' } },
      '---\npath: { alias: /b }\n---\n',
    ],
    [
      'a removed alias',
      '---\ntitle: T\npath: { alias: /a }\n---\n',
      { path: { alias: null } },
      '---\ntitle: T\n---\n',
    ],
    [
      'a time as a day',
      '---\ncreated: 2024-01-12\n---\n',
      { created: '2024-02-01T00:00:00+00:00' },
      '---\ncreated: 2024-02-01\n---\n',
    ],
    [
      'a time more precise than a day',
      '---\ncreated: 2024-01-12\n---\n',
      { created: '2024-02-01T10:00:00+01:00' },
      '---\ncreated: 2024-02-01T10:00:00+01:00\n---\n',
    ],
    [
      'a time in seconds',
      '---\ncreated: 1704625201\n---\n',
      { created: '2024-01-07T11:00:02+00:00' },
      '---\ncreated: 1704625202\n---\n',
    ],
    [
      'a time without seconds',
      '---\ncreated: 2024-01-12 10:30\n---\n',
      { created: '2024-01-12T11:30:00+00:00' },
      '---\ncreated: 2024-01-12 11:30\n---\n',
    ],
    [
      'a summary',
      '---\nsummary: "Old"\n---\nText\n',
      { body: { summary: 'New' } },
      '---\nsummary: "New"\n---\nText\n',
    ],
    [
      'a removed summary',
      '---\ntitle: T\nsummary: Old\n---\nText\n',
      { body: { summary: null } },
      '---\ntitle: T\n---\nText\n',
    ],
  ])('%s', async (_case, before, changes, after) => {
    expect(await edited(before, changes)).toBe(after);
  });

  it.each([
    ['title: T', 'title: New'],
    ['title: T\nchanged: 2024-01-12T10:00:00+01:00', 'title: New\nchanged: 2026-11-21T08:30:00+00:00'],
    ['title: T\nchanged: 2024-01-12', 'title: New\nchanged: 2026-11-21'],
    ['title: T\nchanged: 1704625201', 'title: New\nchanged: 1795249800'],
    ['title: T\nchanged:', 'title: New\nchanged:'],
  ])('a write sets `changed` if the file has it: %j', async (before, after) => {
    const editor = await createFileEditor({ [KEY]: `---\n${before}\n---\n` });
    expect(editor.edit(KEY, { title: 'New' }, { now: '2026-11-21T08:30:00+00:00' })).toBe(
      `---\n${after}\n---\n`,
    );
  });
});

describe('references', () => {
  it.each<[string, FieldValue, string]>([
    ['field_author: person/jane', person('bob'), 'field_author: person/bob'],
    ['field_author: node--person/jane', person('bob'), 'field_author: node--person/bob'],
    ['field_author: jane', person('bob'), 'field_author: bob'],
    ['field_author: jane', { type: 'node--org', id: 'jane' }, 'field_author: org/jane'],
    ['field_author: jane', { type: 'node--org', id: 'acme' }, 'field_author: org/acme'],
    ['field_author: { type: person, id: jane }', person('bob'), 'field_author: { type: person, id: bob }'],
    [
      'field_author: { type: node--person, id: jane } # c',
      { type: 'node--org', id: 'acme' },
      'field_author: { type: node--org, id: acme } # c',
    ],
    ['field_author:', person('org/x'), 'field_author: person/org/x'],
    ['field_author:', person('yes'), 'field_author: "yes"'],
    ['field_author: 42', person('bob'), 'field_author: bob'],
    ['field_author: bob', person('42'), 'field_author: "42"'],
    ['field_author: acme', person('gone'), 'field_author: gone'],
    ['field_people: [person/jane, bob]', [person('bob'), person('42')], 'field_people: [bob, "42"]'],
  ])('%s becomes %j', async (before, value, after) => {
    const name = before.slice(0, before.indexOf(':'));
    expect(await edited(`---\n${before}\n---\n`, { [name]: value })).toBe(`---\n${after}\n---\n`);
  });

  it('are written with their bundle if only that form makes them references', async () => {
    const others = { 'person/jane.md': '', 'person/bob.md': '' };
    const before = '---\nauthor: person/jane\n---\n';
    expect(await edited(before, { author: person('bob') }, { schema: null, others })).toBe(
      '---\nauthor: person/bob\n---\n',
    );
  });
});

describe('images and files', () => {
  const image = (value: string, alt: string | null = null): FieldValue => ({ uri: { value }, alt });
  it.each<[string, string, FieldValue, string]>([
    [KEY, 'field_cover:', image('content://article/cover.svg'), 'field_cover: ./cover.svg'],
    [KEY, 'field_cover: deep/cover.svg', image('content://article/cover.svg'), 'field_cover: cover.svg'],
    [
      KEY,
      'field_cover: ./cover.svg # c',
      image('content://article/deep/cover.svg'),
      'field_cover: ./deep/cover.svg # c',
    ],
    ['article/deep/a.md', 'field_cover:', image('content://article/cover.svg'), 'field_cover: ../cover.svg'],
    [KEY, 'field_cover:', image('public://a b/c.png', 'Sea'), 'field_cover:\n  src: /a b/c.png\n  alt: Sea'],
    [KEY, 'field_cover: ./cover.svg', image('content://article/cover.svg'), 'field_cover: ./cover.svg'],
    [
      KEY,
      'field_cover: { src: cover.svg, alt: Old }',
      image('content://article/cover.svg', 'New'),
      'field_cover: { src: cover.svg, alt: New }',
    ],
    [
      KEY,
      'field_cover: { src: cover.svg, alt: Old }',
      image('content://article/cover.svg'),
      'field_cover: { src: cover.svg }',
    ],
    [KEY, 'field_cover:', image('./cover.svg', 'New'), 'field_cover:\n  src: ./cover.svg\n  alt: New'],
    [KEY, 'field_cover:', image('/a b/c.png'), 'field_cover: /a b/c.png'],
    [KEY, 'field_cover:', image('https://example.com/a.png'), 'field_cover: https://example.com/a.png'],
  ])('in %s %j', async (key, before, value, after) => {
    expect(await edited(`---\n${before}\n---\n`, { field_cover: value }, { key })).toBe(
      `---\n${after}\n---\n`,
    );
  });

  it('must name a file', async () => {
    const changes = { field_cover: { uri: { value: 'file:///etc/passwd' }, alt: null } };
    await expect(edited('---\n---\n', changes)).rejects.toThrow(
      '`uri.value` of `field_cover` does not name a file.',
    );
  });
});

describe('anchors and aliases', () => {
  it.each<[string, string, FieldChanges, string]>([
    [
      'an edited alias is written out',
      'title: &t Old\nfield_text: *t # c',
      { field_text: 'New' },
      'title: &t Old\nfield_text: New # c',
    ],
    [
      'aliases keep their values when their anchor is edited',
      'title: &t Old\nfield_text: *t # c\nfield_tags: [*t, b]',
      { title: 'New' },
      'title: New\nfield_text: Old # c\nfield_tags: [Old, b]',
    ],
    [
      'aliases keep their values when their anchor is removed',
      'field_text: &t Old\ntype: *t',
      { field_text: null },
      'type: Old',
    ],
    [
      'aliases keep their values when part of the anchored object is edited',
      'field_place: &p\n  name: Here\n  lat: 1\nfield_any:\n  at: *p\n  b: 1',
      { field_place: { name: 'There', lat: 1, words: [] } },
      'field_place:\n  name: There\n  lat: 1\n  words: []\nfield_any:\n  at:\n    name: Here\n    lat: 1\n  b: 1',
    ],
    [
      'aliases keep their values when the anchored list grows',
      'field_tags: &l\n  - a\nfield_any: { x: *l }',
      { field_tags: ['a', 'b'] },
      'field_tags:\n  - a\n  - b\nfield_any: { x: [a] }',
    ],
    [
      'others stay',
      'title: &t Old\nfield_text: &u other\ntype: *u',
      { title: 'New' },
      'title: New\nfield_text: &u other\ntype: *u',
    ],
  ])('%s', async (_case, before, changes, after) => {
    expect(await edited(`---\n${before}\n---\n`, changes)).toBe(`---\n${after}\n---\n`);
  });
});

describe('unusual source text', () => {
  it.each<[string, string, FieldChanges, string]>([
    [
      'a pair in a list',
      'title: T # c\nfield_any: [a: 1, b] # d',
      { title: 'U', field_any: [{ a: 2 }, 'b'] },
      'title: U # c\nfield_any: [{ a: 2 }, b] # d',
    ],
    [
      'a key without a value',
      'field_any: { a, b: 1 } # c',
      { field_any: { a: 1, b: 1 } },
      'field_any: { a: 1, b: 1 } # c',
    ],
    [
      'a nested list',
      'field_any:\n  - - a\n    - b',
      { field_any: [['b', 'c']] },
      'field_any:\n  - - b\n    - c',
    ],
    ['a tag', 'title: !!str T # c', { title: 'U' }, 'title: U # c'],
    ['a mark on a line of its own', 'title:\n  &t\n  T\nuid: u', { title: 'U' }, 'title: U\nuid: u'],
    ['rewrites a root key without a colon', '? title\nuid: u', { title: 'U' }, 'title: U\nuid: u'],
    [
      'all in braces',
      '{ title: T, uid: u }',
      { title: 'U', uid: null, field_type: 'x' },
      '{ title: U, type: x }',
    ],
    [
      'something else in braces',
      '{ title: T }',
      { title: '', uid: 'u', field_type: 'x' },
      '{ uid: u, type: x }',
    ],
  ])('%s', async (_case, before, changes, after) => {
    const editor = await createFileEditor(
      { ...oddNeighbours, [KEY]: `---\n${before}\n---\n` },
      { schema: oddSchema },
    );
    expect(editor.edit(KEY, changes)).toBe(`---\n${after}\n---\n`);
  });
});

describe('the file around its data', () => {
  it.each<[string, string, FieldChanges, string]>([
    ['frontmatter is added', 'Text.\n', { title: 'T' }, '---\ntitle: T\n---\n\nText.\n'],
    ['below a byte order mark', '\ufeffText.\n', { title: 'T' }, '\ufeff---\ntitle: T\n---\n\nText.\n'],
    [
      'with the line endings of the text',
      'a\r\nb\r\n',
      { title: 'T' },
      '---\r\ntitle: T\r\n---\r\n\r\na\r\nb\r\n',
    ],
    ['to an empty file', '', { title: 'T' }, '---\ntitle: T\n---\n'],
    ['empty frontmatter is filled', '---\n---\nText.\n', { title: 'T' }, '---\ntitle: T\n---\nText.\n'],
    ['fences stay', '---  \ntitle: T\n--- \nText.\n', { title: 'U' }, '---  \ntitle: U\n--- \nText.\n'],
    [
      'a missing final line break stays missing',
      '---\ntitle: T\n---\nText',
      { body: { value: 'New' } },
      '---\ntitle: T\n---\nNew',
    ],
    [
      'only the body is edited',
      '---\ntitle:   T # c\n---\n\nText.\n',
      { body: { value: 'New\n\nText.' } },
      '---\ntitle:   T # c\n---\n\nNew\n\nText.\n',
    ],
    [
      'a new body follows a blank line',
      '---\ntitle: T\n---',
      { body: { value: 'New' } },
      '---\ntitle: T\n---\n\nNew\n',
    ],
    [
      'a key goes without the comment above it, below a blank line at the start',
      '---\n\n# why\nuid: x\ntitle: T\n---\n',
      { uid: null },
      '---\n\n# why\ntitle: T\n---\n',
    ],
    ['a body is removed', '---\ntitle: T\n---\n\nText.\n', { body: { value: '' } }, '---\ntitle: T\n---\n'],
    ['a body of blank lines', '---\n---\nText.\n', { body: { value: '\n\n' } }, '---\n---\n\n\n\n\n'],
    [
      'a body that looks like frontmatter',
      'Text.\n',
      { body: { value: '---\na: b\n---' } },
      '---\n---\n\n---\na: b\n---\n',
    ],
    [
      'Windows',
      '---\r\ntitle: T\r\n---\r\nText.\r\n',
      { field_tags: ['a', 'b'], field_text: 'a\nb' },
      '---\r\ntitle: T\r\nfield_text: |-\r\n  a\r\n  b\r\nfield_tags:\r\n  - a\r\n  - b\r\n---\r\nText.\r\n',
    ],
  ])('%s', async (_case, before, changes, after) => {
    expect(await edited(before, changes)).toBe(after);
  });

  it.each<[string, string, string, FieldChanges, string]>([
    ['a.yaml', 'YAML', '# c\ntitle: T', { title: 'U', field_count: 1 }, '# c\ntitle: U\nfield_count: 1'],
    ['a.yaml', 'empty YAML', '', { title: 'U' }, 'title: U\n'],
    [
      'a.yml',
      'YAML with document markers',
      '%YAML 1.2\n---\ntitle: T\n',
      { title: 'U' },
      '%YAML 1.2\n---\ntitle: U\n',
    ],
    [
      'a.json',
      'JSON',
      '{\n\t"title": "T"\n}\n',
      { title: 'ü\u2028', field_tags: ['a'] },
      '{\n\t"title": "ü\\u2028",\n\t"field_tags": [\n\t\t"a"\n\t]\n}\n',
    ],
    [
      'a.json',
      'JSON on one line',
      '{"title":"T","field_count":1}',
      { field_count: null, uid: 'u' },
      '{"title":"T","uid":"u"}',
    ],
    ['a.json', 'empty JSON', '{}', { title: 'U' }, '{\n  "title": "U"\n}'],
    [
      'a.json',
      'JSON lists',
      '{\n  "field_tags": ["a", "b"]\n}\n',
      { field_tags: ['b', 'c'], field_prices: ['1.50', '2'] },
      '{\n  "field_tags": ["b", "c"],\n  "field_prices": ["1.50", "2"]\n}\n',
    ],
    [
      'a.json',
      'a decimal string in JSON',
      '{"field_price":1.5}',
      { field_price: '1.50' },
      '{"field_price":"1.50"}',
    ],
    [
      'a.json',
      'a decimal number in JSON',
      '{"field_price": 1.5}',
      { field_price: '2.25' },
      '{"field_price": 2.25}',
    ],
  ])('%s: %s', async (name, _case, before, changes, after) => {
    expect(await edited(before, changes, { key: `article/${name}` })).toBe(after);
  });
});

describe('new files', () => {
  const changes: FieldChanges = {
    field_place: { name: 'Here', words: ['a'] },
    field_when: '2024-01-07T12:00:01+01:00',
    field_tags: ['a', 'b'],
    field_type: 'A',
    field_price: '9.50',
    field_lead: null,
    field_people: [],
    field_author: { type: 'node--org', id: 'jane' },
    path: { alias: '/a' },
    status: false,
    title: 'New: one',
    body: { value: '# Text\n\nMore', summary: 'Short' },
  };

  it('have fields in the order of the schema, no empty ones, and a line break at the end', async () => {
    const editor = await createFileEditor(oddNeighbours, { schema: oddSchema });
    expect(editor.create('article/new.md', changes)).toBe(
      `---
title: "New: one"
status: false
path: /a
summary: Short
field_price: "9.50"
field_when: 2024-01-07T12:00:01+01:00
field_author: org/jane
field_tags:
  - a
  - b
field_place:
  name: Here
  words:
    - a
type: A
---

# Text

More
`,
    );
    const { body: _body, ...data } = changes;
    expect(editor.create('article/new.json', data)).toBe(
      '{\n  "title": "New: one",\n  "status": false,\n  "path": "/a",\n  "field_price": "9.50",\n  "field_when": "2024-01-07T12:00:01+01:00",\n  "field_author": "org/jane",\n  "field_tags": [\n    "a",\n    "b"\n  ],\n  "field_place": {\n    "name": "Here",\n    "words": [\n      "a"\n    ]\n  },\n  "type": "A"\n}\n',
    );
  });

  it('look like their neighbors', async () => {
    const before =
      "---\r\nnumber: 1\r\ntitle: 'One'\r\ncreated: 2024-01-12\r\ntags: [a, b]\r\nat: { alias: /x }\r\npath: { alias: /one }\r\nprice: 1.50\r\n---\r\nText\r\n";
    const editor = await createFileEditor({ 'post/a.md': before });
    const after = editor.create(
      'post/b.md',
      { title: 'It: two', number: 2, tags: ['c', 'd'], path: { alias: '/two' }, body: { value: 'Text' } },
      { now: '2026-11-21T08:30:00+00:00' },
    );
    expect(after).toBe(
      "---\r\nnumber: 2\r\ntitle: 'It: two'\r\ncreated: 2026-11-21\r\ntags: [c, d]\r\npath: { alias: /two }\r\n---\r\nText\r\n",
    );
  });

  it.each([
    ['article/x.md', 'x', {}, '---\ntitle: T\n---\n'],
    ['article/x.md', 'given', {}, '---\nid: given\ntitle: T\n---\n'],
    ['article/x.md', '007', {}, '---\nid: "007"\ntitle: T\n---\n'],
    ['article/x.md', 'given', { 'article/a.md': '---\nuuid: u\n---\n' }, '---\nuuid: given\ntitle: T\n---\n'],
    ['article/x.md', 'x', { 'article/a.md': '---\nid: u\n---\n' }, '---\nid: x\ntitle: T\n---\n'],
  ])('contain their id if their path does not imply it: %s, %s', async (key, id, neighbours, after) => {
    const editor = await createFileEditor({ ...oddNeighbours, ...neighbours }, { schema: oddSchema });
    expect(editor.create(key, { title: 'T' }, { id })).toBe(after);
  });
});

describe('docs/edited-files.md', () => {
  it('shows the actual diff', async () => {
    const page = readFileSync(path.resolve(import.meta.dirname, '../../../../docs/edited-files.md'), 'utf8');
    const diff = /```diff\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
    const side = (without: RegExp) =>
      diff
        .split('\n')
        .filter((line) => !without.test(line))
        .map((line) => line.slice(1))
        .join('\n');
    const after = await edited(side(/^\+/), {
      title: 'Rain later: good',
      field_tags: ['weather', 'sea'],
      field_price: '9.50',
    });
    expect(after).toBe(side(/^-/));
  });
});

describe('changes that a file cannot hold are rejected', () => {
  it.each<[string, string, FieldChanges, string]>([
    [KEY, '', { nothing: 1 }, 'There is no field `nothing` in `node--article`.'],
    [
      KEY,
      '',
      { body: { value: '\ud800' } },
      'The text is not valid Unicode: it has half of a surrogate pair.',
    ],
    [KEY, '', { field_any: nested(40) }, 'Arrays and maps are nested more than 32 levels deep.'],
    [KEY, '', { field_any: nested(100_000) }, 'Arrays and maps are nested more than 32 levels deep.'],
    [KEY, '', { field_text: 'x'.repeat(MAX_DATA_LENGTH) }, 'The fields of a file may have 1024 kB'],
    [KEY, '+++\n+++\n', { field_text: 'x'.repeat(MAX_TOML_LENGTH) }, 'The fields of a file may have 64 kB'],
    ['article/a.json', '{}', { body: { value: 'x' } }, 'Entities in `.json` and `.yaml` files have no body.'],
  ])('%s %s: error %#', async (key, before, changes, message) => {
    await expect(edited(before, changes, { key })).rejects.toThrow(message);
  });

  it('in linear time for any text', async () => {
    const text = 'a: [ { # '.repeat(50_000);
    const before = `---\ntitle: T\nfield_text: ${JSON.stringify(text)}\n---\n`;
    expect(await edited(before, { title: 'U' })).toBe(before.replace('T', 'U'));
    const tags = Array.from({ length: 5000 }, (_, index) => `t${index}`);
    const list = `---\nfield_tags: [${tags.join(', ')}]\n---\n`;
    const reversed = await edited(list, { field_tags: tags.toReversed() });
    expect(reversed.startsWith('---\nfield_tags: [t4999, t4998,')).toBe(true);
  });

  it('while the file has errors', async () => {
    const editor = await createFileEditor(
      { ...oddNeighbours, [KEY]: '---\ntitle: T\n---\n' },
      { schema: oddSchema },
    );
    const broken = new TextEncoder().encode('---\ntitle: [\n---\n');
    const { encodeFile } = await import('../../../../integration/core/content/encode/encode-file.ts');
    const bundle = editor.collected.collector.encoding(KEY)!;
    const context = { ...bundle, key: KEY, entity: editor.collected.entity(KEY) };
    expect(() => encodeFile(broken, { title: 'U' }, context)).toThrow('`article/a.md` has errors');
  });
});

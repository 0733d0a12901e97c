import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { objectOf } from '../../../admin/src/api/document.ts';
import type { Field } from '../../../admin/src/api/schema.ts';
import { layOut, rebase, valuesOf, withValue, writeChanges } from '../../../admin/src/model/entity-form.ts';
import { placeErrors } from '../../../admin/src/model/field-errors.ts';
import { runs } from '../../oracle/runs.ts';
import { SCHEMA } from './example-schema.ts';

const FIELDS = SCHEMA.types.find(({ name }) => name === 'node--article')!.fields;
const extra = (name: string, kind: Field['kind'], list = false): Field => ({
  name,
  kind,
  list,
  targets: [],
  properties: [],
  required: false,
});
const BODY = extra('body', 'formatted_text');

describe('the layout of a form', () => {
  test('title and body are in the middle, publication and address beside them', () => {
    const names = ['changed', 'field_words', 'path', 'publish_on', 'status', 'title'];
    const layout = layOut([...names.map((name) => extra(name, 'string')), BODY]);
    expect(layout.title?.name).toBe('title');
    expect(layout.body?.name).toBe('body');
    expect(layout.fields.map(({ name }) => name)).toEqual(['field_words']);
    expect(layout.side.map(({ name }) => name)).toEqual(['status', 'publish_on', 'path']);
    expect(layout.machine.map(({ name }) => name)).toEqual(['changed']);
  });
});

test('a field that stores the title has no input of its own', () => {
  const fields = [{ ...extra('title', 'string'), storedIn: 'name' }, extra('name', 'string'), BODY];
  expect(layOut(fields).fields).toEqual([]);
});

describe('the document that a form sends', () => {
  const fields = [
    extra('title', 'string'),
    extra('field_words', 'string', true),
    extra('field_source', 'reference'),
    BODY,
  ];
  const resource = {
    attributes: {
      title: 'The moon',
      field_words: ['late'],
      body: { value: 'Rises\r\nlate.', summary: 'Old', format: 'markdown', processed: '<p>' },
    },
    relationships: { field_source: { data: { type: 'node--tag', id: 'sea', meta: {} } } },
  };
  const stored = valuesOf(fields, resource);
  const send = (changes: Readonly<Record<string, unknown>>) =>
    writeChanges({ type: 'node--article', id: 'moon' }, fields, changes, resource);

  test('nothing is sent without a change', () => {
    expect(send({})).toBeUndefined();
    const typed = withValue(stored, {}, 'title', 'The sun');
    expect(withValue(stored, typed, 'title', 'The moon')).toEqual({});
    expect(send({ title: 'The moon' })).toBeUndefined();
  });

  test.each([
    ['a text', { title: 'The sun' }, { attributes: { title: 'The sun' } }],
    ['an emptied text', { title: null }, { attributes: { title: null } }],
    ['a list', { field_words: ['late', 'pale'] }, { attributes: { field_words: ['late', 'pale'] } }],
    ['a removed reference', { field_source: null }, { relationships: { field_source: { data: null } } }],
    [
      'one part of the body, with the line breaks of the file',
      { body: { value: 'Rises\nearly.', summary: 'Old' } },
      { attributes: { body: { value: 'Rises\r\nearly.' } } },
    ],
    [
      'a body that only lost the line breaks of its file in an input, together with another change',
      { body: { value: 'Rises\nlate.', summary: 'New' } },
      { attributes: { body: { summary: 'New' } } },
    ],
  ])('it has only changed values: %s', (_, changes, members) => {
    expect(send(changes)).toEqual({ data: { type: 'node--article', id: 'moon', ...members } });
  });

  test('unchanged lines keep their line breaks, in a file that mixes them too', () => {
    const body = { value: 'a\r\nb\nc\r\nd', summary: null };
    const change = { body: { value: 'a\nB\nc\nnew\nd', summary: null } };
    expect(
      writeChanges({ type: 'node--article', id: 'moon' }, fields, change, { attributes: { body } }),
    ).toEqual({
      data: { type: 'node--article', id: 'moon', attributes: { body: { value: 'a\r\nB\nc\r\nnew\r\nd' } } },
    });
  });

  test('a change at one place changes nothing else, whatever the line breaks and however many lines are equal', () => {
    const texts = fc.array(fc.constantFrom('a', 'b', '\r', '\n', '\r\n'), { maxLength: 14 });
    fc.assert(
      fc.property(texts, texts, fc.constantFrom('', '!', 'a!'), (before, after, typed) => {
        const [start, end] = [before.join(''), after.join('')];
        // A cursor cannot be between the halves of a line break.
        fc.pre(!(start.endsWith('\r') && end.startsWith('\n')));
        const value = `${start}x${end}`;
        const { body } = valuesOf([BODY], { attributes: { body: { value } } });
        const changed = String(objectOf(body).value).replace('x', typed);
        const document = writeChanges(
          { type: 'node--article', id: 'moon' },
          [BODY],
          { body: { value: changed, summary: null } },
          { attributes: { body: { value } } },
        );
        expect(document).toEqual({
          data: { type: 'node--article', id: 'moon', attributes: { body: { value: start + typed + end } } },
        });
      }),
      runs(500),
    );
  });

  test('a new entity has no id', () => {
    expect(writeChanges({ type: 'node--article' }, fields, { title: 'New' })).toEqual({
      data: { type: 'node--article', attributes: { title: 'New' } },
    });
    expect(writeChanges({ type: 'node--article' }, fields, {})).toEqual({ data: { type: 'node--article' } });
  });
});

describe('changes on top of a newer version', () => {
  const fields = [
    extra('title', 'string'),
    extra('field_place', 'string'),
    extra('field_words', 'string', true),
  ];

  test('fields that only one side changed need no decision', () => {
    const base = { title: 'Moon', field_place: 'Cove', field_words: [] };
    const theirs = { ...base, field_place: 'Bay' };
    expect(rebase(fields, base, theirs, { title: 'Sun' })).toEqual({
      changes: { title: 'Sun' },
      conflicts: [],
    });
  });

  test('a change that the other side made too is no longer a change', () => {
    const base = { title: 'Moon' };
    expect(rebase(fields, base, { title: 'Sun' }, { title: 'Sun' })).toEqual({ changes: {}, conflicts: [] });
  });

  test('a field that both changed keeps my value and has a conflict', () => {
    const { changes, conflicts } = rebase(fields, { title: 'Moon' }, { title: 'Star' }, { title: 'Sun' });
    expect(changes).toEqual({ title: 'Sun' });
    expect(conflicts).toMatchObject([
      { field: 'title', blocks: [{ base: ['Moon'], theirs: ['Star'], mine: ['Sun'] }] },
    ]);
  });
});

describe('errors of a response', () => {
  const problem = (detail: string, pointer?: string) => ({
    status: '422',
    title: 'Unprocessable Content',
    detail,
    source: pointer === undefined ? {} : { pointer },
  });

  test('each is at its field, all at once', () => {
    const { byField, others } = placeErrors(
      [
        problem('`title` is required.', '/data/attributes/title'),
        problem('`field_tags.1`: Unknown.', '/data/relationships/field_tags/data/1'),
        problem('`field_tags.1`: Duplicate.', '/data/relationships/field_tags/data/1'),
        problem('The file is locked.'),
        problem('No such field.', '/data/attributes/field_unknown'),
      ],
      FIELDS.some(({ name }) => name === 'title') ? FIELDS : [extra('title', 'string'), ...FIELDS],
    );
    expect(Object.fromEntries(byField)).toEqual({
      title: ['`title` is required.'],
      field_tags: ['2: Unknown.', '2: Duplicate.'],
    });
    expect(others).toEqual(['The file is locked.', 'No such field.']);
  });
});

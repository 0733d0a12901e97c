import { expect, test } from 'vitest';
import { errorInput } from '../../../admin/src/screens/explorer/query/error-input.ts';
import { conditionsOf, type QueryForm } from '../../../admin/src/screens/explorer/query/form.ts';
import { readPath } from '../../../admin/src/screens/explorer/query/read-url.ts';
import { writeQuery } from '../../../admin/src/screens/explorer/query/write-query.ts';
import { SCHEMA } from './example-schema.ts';

const PATH =
  '/node/article?filter[title][operator]=IN&filter[title][value][]=a&filter[title][value][]=b&filter[nope]=1&filter[field_day]=x' +
  '&filter[mine][condition][path]=status&filter[mine][condition][value]=1' +
  '&filter[mine][condition][memberOf]=g&filter[g][group][conjunction]=OR&page[limit]=1&sort=-title,nope';

/** The conditions of the form have generated ids, so tests identify them by position. */
function positioned(form: QueryForm, input: string | undefined): string | undefined {
  const ids = conditionsOf(form.filter).map(({ id }) => String(id));
  return input?.replace(/(?<=condition-)\d+/, (id) => String(ids.indexOf(id) + 1));
}

function read(): { form: QueryForm; inputs: ReadonlyMap<string, string> } {
  const { form, inputs } = readPath(SCHEMA, PATH);
  if (form === undefined) throw new Error('The example has no articles.');
  return { form, inputs };
}

test.each([
  ['page[limit]', 'limit'],
  ['sort', 'sort-1'],
  ['filter[title][operator]', 'condition-1-operator'],
  ['filter[title][value]', 'condition-1-value'],
  ['filter[title][value][1]', 'condition-1-value'],
  ['filter[title]', 'condition-1-value'],
  ['filter[nope]', 'condition-2-path'],
  ['filter[field_day]', 'condition-3-value'],
  ['filter[other]', undefined],
])('an error at %s belongs to the same input in a pasted and in a written query', (parameter, input) => {
  const { form, inputs } = read();
  expect(positioned(form, errorInput(SCHEMA, form, inputs, parameter))).toBe(input);
  expect(positioned(form, errorInput(SCHEMA, form, writeQuery(form).inputs, parameter))).toBe(input);
});

test('an error of one of several sort keys belongs to the key that the message names', () => {
  const { form, inputs } = readPath(SCHEMA, '/node/article?sort=-wrong,title,other,field_author.nope');
  if (form === undefined) throw new Error('The example has no articles.');
  const details = [
    ['node--article has no field "other". Did you mean "title"?', 'sort-2'],
    ['node--person has no field "nope". Valid: id.', 'sort-3'],
    ['title cannot be sorted.', 'sort-1'],
    ['node--article has no field "wrong".', 'sort-0'],
  ] as const;
  for (const [detail, input] of details) expect(errorInput(SCHEMA, form, inputs, 'sort', detail)).toBe(input);
});

test.each([
  ['filter[mine][condition][path]', 'condition-4-path'],
  ['filter[mine]', 'condition-4-value'],
  ['filter[g][group][conjunction]', undefined],
])('an error at %s belongs to the input that was read from a pasted query', (parameter, input) => {
  const { form, inputs } = read();
  expect(positioned(form, errorInput(SCHEMA, form, inputs, parameter))).toBe(input);
});

test('an error of a group belongs to its conjunction', () => {
  const { form } = read();
  const group = form.filter.members.find(({ kind }) => kind === 'group');
  const { inputs } = writeQuery(form);
  expect(errorInput(SCHEMA, form, inputs, 'filter[g1][group][memberOf]')).toBe(`group-${group?.id}`);
});

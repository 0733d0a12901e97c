import { expect, test } from 'vitest';
import { errorInput } from '../../../integration/explorer/client/error-input.ts';
import { readPath } from '../../../integration/explorer/client/read-url.ts';
import { writeQuery } from '../../../integration/explorer/client/write-url.ts';
import { SCHEMA } from './example-schema.ts';

const PATH =
  '/node/article?filter[title][operator]=IN&filter[title][value][]=a&filter[title][value][]=b&filter[nope]=1&filter[field_day]=x' +
  '&filter[field_author][operator]=IS%20NULL&filter[mine][condition][path]=status&filter[mine][condition][value]=1' +
  '&filter[mine][condition][memberOf]=g&filter[g][group][conjunction]=OR&page[limit]=-1&sort=-title,nope';

/** Both as pasted and as written by the form, which has its own names for conditions. */
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
  ['include', undefined],
])('an error at %s', (parameter, input) => {
  const { form, inputs } = readPath(SCHEMA, PATH);
  if (form === undefined) throw new Error('The example has no articles.');
  expect(errorInput(SCHEMA, form, inputs, parameter)).toBe(input);
  expect(errorInput(SCHEMA, form, writeQuery(form).inputs, parameter)).toBe(input);
});

test.each([
  ['filter[mine][condition][path]', 'condition-6-path'],
  ['filter[mine]', 'condition-6-value'],
  ['filter[field_author]', 'condition-4-path'],
  ['filter[g][group][conjunction]', 'group-5'],
  ['filter[g]', 'group-5'],
])('a pasted name, %s', (parameter, input) => {
  const { form, inputs } = readPath(SCHEMA, PATH);
  if (form === undefined) throw new Error('The example has no articles.');
  expect(errorInput(SCHEMA, form, inputs, parameter)).toBe(input);
});

import type { Schema } from '../../../api/schema.ts';
import { pathTarget } from './field-paths.ts';
import { conditionsOf, type QueryForm, valueCount } from './form.ts';

/** The key of the input to mark for an error at a parameter; undefined if no input wrote the parameter. */
export function errorInput(
  schema: Schema,
  form: QueryForm,
  inputs: ReadonlyMap<string, string>,
  parameter: string,
): string | undefined {
  if (parameter === 'sort') {
    const index = form.sort.findIndex(({ path }) => pathTarget(schema, form.type, path) === undefined);
    return `sort-${Math.max(index, 0)}`;
  }
  const names = [...inputs.keys()].filter(
    (name) => name === parameter || parameter.startsWith(`${name}[`) || name.startsWith(`${parameter}[`),
  );
  const longest = names.reduce((best, name) => (name.length > best.length ? name : best), '');
  const input = inputs.get(longest);
  const condition = conditionsOf(form.filter).find(({ id }) => input === `condition-${id}`);
  if (condition === undefined) return input;
  const [, part] =
    /\[(path|operator|value|memberOf)\](?:\[\d*\])?$/.exec(parameter.slice(longest.length)) ?? [];
  if (part !== undefined) return `${input}-${part === 'memberOf' ? 'path' : part}`;
  // An error of the whole condition: an unknown path, or else a value that does not fit.
  const pathExists = pathTarget(schema, form.type, condition.path) !== undefined;
  return `${input}-${pathExists && valueCount(condition.operator) !== 'none' ? 'value' : 'path'}`;
}

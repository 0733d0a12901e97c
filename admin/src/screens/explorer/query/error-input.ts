import type { Schema } from '../../../api/schema.ts';
import { pathTarget } from './field-paths.ts';
import { conditionsOf, type QueryForm, valueCount } from './form.ts';

/** The key of the input to mark for an error at a parameter; undefined if no input wrote the parameter. */
export function errorInput(
  schema: Schema,
  form: QueryForm,
  inputs: ReadonlyMap<string, string>,
  parameter: string,
  detail = '',
): string | undefined {
  if (parameter === 'sort') {
    // One parameter has all keys, and the message names the path.
    const isUnknown = (path: string) => pathTarget(schema, form.type, path) === undefined;
    const isNamed = (path: string) =>
      detail.startsWith(`${path} `) || (isUnknown(path) && detail.includes(`"${path.split('.').at(-1)}"`));
    const named = form.sort.findIndex(({ path }) => isNamed(path));
    const index = named < 0 ? form.sort.findIndex(({ path }) => isUnknown(path)) : named;
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

import { pathTarget } from './field-paths.ts';
import { findNode, type QueryForm, valueCount } from './query-form.ts';
import type { ExplorerSchema } from './schema.ts';

/**
 * Key of the input to mark for an error at a parameter; undefined where no input wrote it. An error of a whole
 * condition (`filter[title]`) is of its path where the schema does not know that, else of its value; one of
 * `sort`, of the first key that the schema does not know.
 */
export function errorInput(
  schema: ExplorerSchema,
  form: QueryForm,
  inputs: ReadonlyMap<string, string>,
  parameter: string,
): string | undefined {
  if (parameter === 'sort') {
    const index = form.sort.findIndex((key) => pathTarget(schema, form.type, key.path) === undefined);
    return `sort-${Math.max(index, 0)}`;
  }
  const input = nearestInput(inputs, parameter);
  const id = /^condition-(\d+)-/.exec(input ?? '')?.[1];
  if (id === undefined || PART.test(parameter)) return input;
  const node = findNode(form.filter, Number(id));
  if (node?.kind !== 'condition') return input;
  const known = pathTarget(schema, form.type, node.path) !== undefined;
  return `condition-${id}-${known && valueCount(node.operator) !== 'none' ? 'value' : 'path'}`;
}

const PART = /\[(?:path|operator|value|memberOf)\](?:\[\d*\])?$/;

/**
 * `parameter` is compared with those sent; where it names a whole (`filter[c1]`) or a part
 * (`filter[c1][value][1]`) of one of them, the longest such one is taken.
 */
function nearestInput(inputs: ReadonlyMap<string, string>, parameter: string): string | undefined {
  const exact = inputs.get(parameter);
  if (exact !== undefined) return exact;
  let best: { readonly input: string; readonly length: number } | undefined;
  const whole = parameter.replace(/\[\d*\]$/, '');
  for (const [name, input] of inputs) {
    const related = name.startsWith(`${whole}[`) || parameter.startsWith(`${name}[`);
    if (related && (best === undefined || name.length > best.length)) best = { input, length: name.length };
  }
  return best?.input;
}

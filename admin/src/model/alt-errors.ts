import type { Field } from '../api/schema.ts';
import { text } from '../texts/texts.ts';
import { REMOVED_ALT } from './descriptions.ts';
import type { Values } from './entity-form.ts';
import { type FieldErrors, placeErrors } from './field-errors.ts';

/** An error at each picture whose alternative text was removed, which can be in a folded block or in a hidden field. */
export function altErrors(changes: Values, fields: readonly Field[]): FieldErrors {
  const problems = removedAlts(changes, '').map((path) => ({
    detail: text('field.fillIn'),
    title: '',
    status: '',
    code: '',
    source: { pointer: `/data/attributes${path}` },
  }));
  return placeErrors(problems, fields, changes);
}

/** The paths of the objects, such as `/field_slides/0/picture`. */
function removedAlts(value: unknown, path: string): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = Reflect.get(value, 'alt') === REMOVED_ALT ? [path] : [];
  return [...own, ...Object.entries(value).flatMap(([name, part]) => removedAlts(part, `${path}/${name}`))];
}

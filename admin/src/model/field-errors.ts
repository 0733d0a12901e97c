import type { ApiProblem } from '../api/document.ts';
import type { Field } from '../api/schema.ts';
import type { Values } from './entity-form.ts';
import { locate } from './nested.ts';

/** Errors of a response at the fields that they are about. */
export interface FieldErrors {
  readonly byField: ReadonlyMap<string, readonly string[]>;
  /** Errors of parts of a value, by the name of the field and the steps to the part: `field_blocks/1/heading`. */
  readonly byPart: ReadonlyMap<string, PartErrors>;
  /** Errors that belong to none of the fields. */
  readonly others: readonly string[];
}

export interface PartErrors {
  readonly field: string;
  /** From the field to the part. */
  readonly parts: ReturnType<typeof locate>['parts'];
  readonly messages: readonly string[];
}

export const NO_ERRORS: FieldErrors = { byField: new Map(), byPart: new Map(), others: [] };

/**
 * Assigns the errors of a response to the fields of a form by `source.pointer`, and to the parts of `values` that have inputs
 * of their own.
 */
export function placeErrors(
  problems: readonly ApiProblem[],
  fields: readonly (Pick<Field, 'name'> & Partial<Field>)[],
  values: Values = {},
): FieldErrors {
  const byField = new Map<string, readonly string[]>();
  const byPart = new Map<string, PartErrors>();
  const others: string[] = [];
  for (const { detail, title, source } of problems) {
    const [, name = '', rest = ''] = POINTER.exec(source.pointer ?? '') ?? [];
    const field = fields.find((each) => each.name === name);
    if (field === undefined) {
      others.push(detail || title);
      continue;
    }
    // The API quotes the path of the value, which the field already shows.
    const [quoted = '', path = ''] = /^`([^`]+)`: /.exec(detail) ?? [];
    const message = (detail || title).slice(quoted.length);
    const { path: steps, parts } = isNested(field)
      ? locate(field, values[name], longer(stepsOf(rest), path.split('.').slice(1)))
      : NOWHERE;
    if (steps.length === 0) byField.set(name, [...(byField.get(name) ?? []), itemNumber(rest) + message]);
    else {
      const key = [name, ...steps].join('/');
      byPart.set(key, { field: name, parts, messages: [...(byPart.get(key)?.messages ?? []), message] });
    }
  }
  return { byField, byPart, others };
}

const NOWHERE = { path: [], parts: [] };

function isNested(field: Partial<Field>): field is Field {
  const { kind, properties = [], variants, entries } = field;
  return (kind === 'object' && properties.length > 0) || variants !== undefined || entries !== undefined;
}

/** A pointer ends at the last part that the document has, so its last step may be missing. */
function longer(pointed: readonly string[], quoted: readonly string[]): readonly string[] {
  return quoted.length > pointed.length ? quoted : pointed;
}

function stepsOf(rest: string): readonly string[] {
  return rest
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

const POINTER = /^\/data\/(?:(?:attributes|relationships)\/)?([^/]+)(.*)$/;

/** `2: ` for the second item of a list. */
function itemNumber(rest: string): string {
  const index = /^(?:\/data)?\/(\d+)/.exec(rest)?.[1];
  return index === undefined ? '' : `${Number(index) + 1}: `;
}

import type { FieldKind } from '../../../../../integration/core/content/model.ts';
import { OPERATORS, type Operator } from '../../../../../integration/core/engine/ast.ts';
import { type Bundle, bundleNamed, type Field, type Schema, shortName } from '../../../api/schema.ts';

/** A suggestion for a path input. */
export interface PathOption {
  /** The whole path; ends in a dot if further steps follow. */
  readonly value: string;
  /** Its last part. */
  readonly name: string;
  /** The kind of value at the path: `string`, `integer (list)`, `→ person`. */
  readonly hint: string;
}

/** The target of a path. */
export interface PathTarget {
  readonly kind: FieldKind;
  readonly list: boolean;
}

export interface IncludeOption {
  readonly path: string;
  readonly name: string;
  readonly targets: readonly string[];
}

/** The operators that make sense for a kind; all operators for an unknown path. */
export function operatorsFor(kind: FieldKind | undefined): readonly Operator[] {
  if (kind === undefined) return OPERATORS;
  return OPERATORS.filter((operator) => OPERATORS_BY_KIND[kind].includes(operator));
}

/** Undefined if the schema has no such path. */
export function pathTarget(schema: Schema, type: string, path: string): PathTarget | undefined {
  const field = walk(schema, type, path.split('.'))?.field;
  return field && { kind: field.kind, list: field.list };
}

/**
 * Suggestions for the last step of a partly typed path, names that start with it first. References lead to the fields of
 * their targets, objects to their properties.
 */
export function pathOptions(
  schema: Schema,
  type: string,
  typed: string,
  purpose: 'filter' | 'sort',
): readonly PathOption[] {
  const dot = typed.lastIndexOf('.');
  const prefix = typed.slice(0, dot + 1);
  const words = typed.slice(dot + 1).toLowerCase();
  const fields = walk(schema, type, dot < 0 ? [] : typed.slice(0, dot).split('.'))?.next ?? [];
  const options = fields
    .filter(({ name }) => name.toLowerCase().includes(words))
    .flatMap((field) => {
      const { name, kind } = field;
      // A body is compared by its parts; other values as a whole can be tested for null.
      const isWhole =
        kind !== 'formatted_text' && (purpose === 'filter' || OPERATORS_BY_KIND[kind] !== NULLS);
      const hasSteps = kind === 'reference' || field.properties.length > 0;
      return [
        ...(isWhole ? [{ value: prefix + name, name, hint: hintOf(field) }] : []),
        ...(hasSteps ? [{ value: `${prefix + name}.`, name: `${name}.`, hint: 'more ›' }] : []),
      ];
    });
  const startsWithWords = ({ name }: PathOption) => name.toLowerCase().startsWith(words);
  return [...options.filter(startsWithWords), ...options.filter((option) => !startsWithWords(option))];
}

/** The references that can be included after `path`; `''` for those of the bundle itself. */
export function includeOptions(schema: Schema, type: string, path: string): readonly IncludeOption[] {
  const position = walk(schema, type, path === '' ? [] : path.split('.'));
  if (position === undefined || (position.field !== undefined && position.field.kind !== 'reference'))
    return [];
  return position.next
    .filter(({ kind }) => kind === 'reference')
    .map(({ name, targets }) => ({ path: path === '' ? name : `${path}.${name}`, name, targets }));
}

/** The resource types that a response can contain: its own first, then the included ones. */
export function documentTypes(schema: Schema, type: string, include: readonly string[]): readonly string[] {
  const included = include.flatMap((path) => {
    const steps = path.split('.');
    return steps.flatMap((_, index) => walk(schema, type, steps.slice(0, index + 1))?.field?.targets ?? []);
  });
  return [...new Set([type, ...included.filter((name) => bundleNamed(schema, name) !== undefined)])];
}

type PathField = Pick<Field, 'name' | 'kind' | 'list' | 'targets' | 'properties'>;

interface Position {
  /** Undefined at the start of a path. */
  readonly field?: PathField;
  /** The fields that the next step can name. */
  readonly next: readonly PathField[];
}

function walk(schema: Schema, type: string, steps: readonly string[]): Position | undefined {
  const bundle = bundleNamed(schema, type);
  let position: Position | undefined = bundle && { next: fieldsOf([bundle]) };
  for (const step of steps) {
    if (position === undefined) return undefined;
    if (position.field?.list && /^\d+$/.test(step)) {
      position = { ...position, field: { ...position.field, list: false } };
      continue;
    }
    const field: PathField | undefined = position.next.find(({ name }) => name === step);
    position = field && { field, next: stepsAfter(schema, field) };
  }
  return position;
}

function stepsAfter(schema: Schema, { kind, targets, properties }: PathField): readonly PathField[] {
  if (kind === 'reference') return fieldsOf(schema.types.filter(({ name }) => targets.includes(name)));
  return properties
    .filter(({ name }) => kind !== 'formatted_text' || name !== RENDERED)
    .map((property) => ({ ...property, list: false, targets: [], properties: [] }));
}

/** `id` and the fields of several bundles, each name once. */
function fieldsOf(bundles: readonly Bundle[]): readonly PathField[] {
  const byName = new Map<string, PathField>([[ID.name, ID]]);
  for (const field of bundles.flatMap(({ fields }) => fields)) {
    const other = byName.get(field.name);
    if (other === ID) continue;
    const targets = [...new Set([...(other?.targets ?? []), ...field.targets])];
    byName.set(field.name, { ...(other ?? field), targets });
  }
  return [...byName.values()];
}

function hintOf({ kind, targets, list }: PathField): string {
  const what = kind === 'reference' ? `→ ${targets.map(shortName).join(', ')}` : kind.replace('_', ' ');
  return list ? `${what} (list)` : what;
}

/** The HTML of a body is rendered for each response, so no query can compare it. */
const RENDERED = 'processed';
const ID: PathField = { name: 'id', kind: 'string', list: false, targets: [], properties: [] };

const ORDERED: readonly Operator[] = [
  '=',
  '<>',
  '>',
  '>=',
  '<',
  '<=',
  'IN',
  'NOT IN',
  'BETWEEN',
  'NOT BETWEEN',
];
const NULLS: readonly Operator[] = ['IS NULL', 'IS NOT NULL'];
const COMPARED = [...ORDERED, ...NULLS];
const OPERATORS_BY_KIND: Readonly<Record<FieldKind, readonly Operator[]>> = {
  string: OPERATORS,
  formatted_text: NULLS,
  integer: COMPARED,
  number: COMPARED,
  decimal: COMPARED,
  boolean: ['=', '<>', ...NULLS],
  date: [...COMPARED, 'STARTS_WITH'],
  datetime: [...COMPARED, 'STARTS_WITH'],
  reference: NULLS,
  object: NULLS,
  image: NULLS,
  file: NULLS,
  json: NULLS,
};

import { OPERANDS, type OperandKind, type Operator } from '../../../../../integration/core/engine/ast.ts';

/** A query as the form holds it: every input as text, including unfinished conditions. */
export interface QueryForm {
  /** Resource type name, such as `node--article`. */
  type: string;
  /** Words of the full-text search, or the id of an entity for `RELATED_TO`. */
  search: string;
  searchOperator: SearchOperator;
  /** The root AND group. */
  filter: FormGroup;
  /** Parameters that the URL has without a value, so that they replace the defaults of the bundle. */
  replaced: ('filter' | 'include')[];
  sort: FormSort[];
  /** Dotted reference paths. */
  include: string[];
  /** Selected field names by resource type name; all fields for a type that is not listed. */
  fields: Record<string, string[]>;
  /** Paths of facets, separated by commas. */
  facets: string;
  offset: string;
  limit: string;
}

export type SearchOperator = '=' | 'SEARCH' | 'RELATED_TO';

export interface FormCondition {
  readonly kind: 'condition';
  readonly id: number;
  path: string;
  operator: Operator;
  /** Empty if no value was entered; one value for a comparison, two for BETWEEN, any number for IN. */
  values: string[];
}

export interface FormGroup {
  readonly kind: 'group';
  readonly id: number;
  conjunction: 'AND' | 'OR';
  members: FormNode[];
}

export type FormNode = FormCondition | FormGroup;

export interface FormSort {
  readonly id: number;
  path: string;
  direction: 'ASC' | 'DESC';
}

/** How many values an operator takes. */
export function valueCount(operator: Operator): (typeof VALUE_COUNTS)[OperandKind] {
  return VALUE_COUNTS[OPERANDS[operator]];
}

export function createForm(type: string): QueryForm {
  return {
    type,
    search: '',
    searchOperator: '=',
    filter: createGroup('AND'),
    replaced: [],
    sort: [],
    include: [],
    fields: {},
    facets: '',
    offset: '',
    limit: '',
  };
}

export function createCondition(path = '', operator: Operator = '=', values: string[] = []): FormCondition {
  return { kind: 'condition', id: ++lastId, path, operator, values };
}

export function createGroup(conjunction: FormGroup['conjunction'], members: FormNode[] = []): FormGroup {
  return { kind: 'group', id: ++lastId, conjunction, members };
}

export function createSort(path = '', direction: FormSort['direction'] = 'ASC'): FormSort {
  return { id: ++lastId, path, direction };
}

/** False while a condition is unfinished; unfinished conditions are not part of the URL. */
export function isComplete({ path, operator, values }: FormCondition): boolean {
  if (!isPath(path)) return false;
  switch (valueCount(operator)) {
    case 'none':
      return true;
    case 'two':
      return values.length === 2 && !values.includes('');
    default:
      return values.length > 0;
  }
}

/** False for an empty path and for one that ends in a dot: its next step has not been selected. */
export function isPath(path: string): boolean {
  return path !== '' && !path.endsWith('.');
}

/** The values to keep when the operator changes. */
export function fitValues(values: readonly string[], operator: Operator): string[] {
  switch (valueCount(operator)) {
    case 'none':
      return [];
    case 'one':
      return values.slice(0, 1);
    case 'two':
      return values.length === 0 ? [] : [values[0] ?? '', values[1] ?? ''];
    case 'many':
      return [...values];
  }
}

/** All conditions of a tree, in order. */
export function conditionsOf(node: FormNode): readonly FormCondition[] {
  return node.kind === 'condition' ? [node] : node.members.flatMap(conditionsOf);
}

const VALUE_COUNTS = { none: 'none', value: 'one', text: 'one', range: 'two', list: 'many' } as const;

let lastId = 0;

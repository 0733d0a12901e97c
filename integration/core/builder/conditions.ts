import {
  type Condition,
  type FilterNode,
  type Group,
  OPERANDS,
  OPERATORS,
  type Operator,
  type Scalar,
  type Search,
} from '../engine/ast.ts';
import { valueCode } from './format-query.ts';

/**
 * A frozen condition whose errors name its call. Throws an Error for an unknown operator and for values that do not fit
 * it, which a type checker would have reported.
 */
export function makeCondition(
  path: string,
  operator: Operator,
  ...values: readonly ConditionValue[]
): Condition {
  const parameter = `where(${[path, operator, ...values].map(shortCode).join(', ')})`;
  const problem = problemOf(operator, values);
  if (problem !== undefined) throw new Error(`${parameter}: ${problem}`);
  const value = values[0] ?? null;
  const node: Condition = {
    kind: 'condition',
    path,
    operator,
    value: Array.isArray(value) ? Object.freeze([...value]) : value,
    parameter,
  };
  return Object.freeze(node);
}

export interface SearchOptions {
  /** Finds parts of words too, and words with a typo. */
  readonly tolerant?: boolean;
}

/** A frozen search whose errors name its call. */
export function makeSearch(text: string, { tolerant = false }: SearchOptions = {}): Search {
  const parameter = `search(${shortCode(text)})`;
  if (typeof text !== 'string') throw new Error(`${parameter}: the words must be one string.`);
  return Object.freeze({ kind: 'search', text, parameter, ...(tolerant && { isTolerant: true }) });
}

/** A frozen search for what an entity, or the one with an id, has in common with others. */
export function makeRelated(entity: RelatedEntity): Search {
  const { id = entity, type } = Object(entity);
  const text = String(id);
  const parameter = `relatedTo(${valueCode(text)})`;
  return Object.freeze({ kind: 'search', text, isRelated: true, type, parameter });
}

/** An entity or its id. */
export type RelatedEntity = string | { readonly id: string; readonly type?: string };

export function makeGroup(conjunction: Group['conjunction'], members: readonly FilterNode[]): Group {
  if (members.length === 0) {
    throw new Error(`${conjunction.toLowerCase()}(): a group needs at least one condition.`);
  }
  const node: Group = { kind: 'group', conjunction, members: Object.freeze([...members]) };
  return Object.freeze(node);
}

function problemOf(operator: Operator, values: readonly ConditionValue[]): string | undefined {
  if (!OPERATORS.includes(operator)) return `unknown operator. Operators: ${OPERATORS.join(', ')}.`;
  const [value, ...others] = values;
  switch (OPERANDS[operator]) {
    case 'none':
      return value === undefined ? undefined : `${operator} takes no value.`;
    case 'list':
      return isScalars(value) ? undefined : `${operator} takes an array of strings, numbers or booleans.`;
    case 'range':
      return isScalars(value) && value.length === 2
        ? undefined
        : `${operator} takes an array of two values, the minimum and the maximum.`;
    default:
      return isScalar(value) && others.length === 0
        ? undefined
        : `${operator} takes one string, number or boolean. Use IS NULL to match empty fields.`;
  }
}

function isScalars(value: ConditionValue): value is readonly Scalar[] {
  return Array.isArray(value) && value.every(isScalar);
}

function isScalar(value: unknown): value is Scalar {
  return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}

/** A value as code; a long list is abbreviated. */
function shortCode(value: ConditionValue): string {
  const code = value === undefined ? 'undefined' : valueCode(value);
  return typeof value === 'object' && code.length > 60 ? '…' : code;
}

export type ConditionValue = Scalar | readonly Scalar[] | undefined;

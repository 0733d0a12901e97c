import type { Condition, FilterNode, Group, Operator, Scalar, Search } from '../engine/ast.ts';
import { OPERATORS } from '../engine/ast.ts';

/**
 * One condition, frozen, whose errors name the call it was written with. Says at once what no type checker
 * was there to say: an unknown operator, a value missing, too many, or of the wrong shape.
 */
export function makeCondition(path: string, operator: Operator, ...values: readonly Value[]): Condition {
  const parameter = `where(${[path, operator, ...values].map((part) => write(part)).join(', ')})`;
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

/** A search, frozen, whose errors name the call it was written with. */
export function makeSearch(text: string): Search {
  const parameter = `search(${write(text)})`;
  if (typeof text !== 'string') throw new Error(`${parameter}: write the words as one text.`);
  return Object.freeze({ kind: 'search', text, parameter });
}

export function makeGroup(conjunction: Group['conjunction'], members: readonly FilterNode[]): Group {
  if (members.length === 0) {
    throw new Error(`${conjunction.toLowerCase()}(): a group needs at least one condition.`);
  }
  const node: Group = { kind: 'group', conjunction, members: Object.freeze([...members]) };
  return Object.freeze(node);
}

function problemOf(operator: Operator, values: readonly Value[]): string | undefined {
  if (!OPERATORS.includes(operator)) return `there is no such operator. Operators: ${OPERATORS.join(', ')}.`;
  const [value, ...others] = values;
  switch (operator) {
    case 'IS NULL':
    case 'IS NOT NULL':
      return value === undefined ? undefined : `${operator} takes no value.`;
    case 'IN':
    case 'NOT IN':
      return isScalars(value) ? undefined : `${operator} takes a list of texts, numbers or booleans.`;
    case 'BETWEEN':
    case 'NOT BETWEEN':
      return isScalars(value) && value.length === 2
        ? undefined
        : `${operator} takes a list of two values, the least and the greatest.`;
    default:
      return isScalar(value) && others.length === 0
        ? undefined
        : `${operator} takes one text, number or boolean. Ask for an empty field with IS NULL.`;
  }
}

function isScalars(value: Value): value is readonly Scalar[] {
  return Array.isArray(value) && value.every(isScalar);
}

function isScalar(value: unknown): value is Scalar {
  return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}

function write(part: Value): string {
  const text = JSON.stringify(part) ?? String(part);
  if (typeof part === 'string') return `'${text.slice(1, -1)}'`;
  return text.length > 60 ? '…' : text;
}

type Value = Scalar | readonly Scalar[] | undefined;

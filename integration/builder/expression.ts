import type { FilterNode, Operator } from '../engine/ast.ts';
import type { ComparableAt, FilterPath } from './paths.ts';

/** One condition, or conditions joined by `and` and `or`. */
export type Expression = FilterNode;

/** What a callback given to `where` builds its expression with. */
export interface Expressions<S, B extends string> {
  where: WhereCondition<S, B, Expression>;
  /** Holds where every word occurs. */
  search(words: string): Expression;
  /** Holds when every one does. Conditions on one list in the same group must hold for the same item of it. */
  and(first: Expression, ...others: readonly Expression[]): Expression;
  /** Holds when at least one does. */
  or(first: Expression, ...others: readonly Expression[]): Expression;
}

/** `(path, operator, value)`; the value's type follows from both, IS NULL and IS NOT NULL take none. */
export type WhereCondition<S, B extends string, Result> = <P extends string, O extends Operator>(
  path: FilterPath<S, B, P>,
  operator: OperatorOn<ComparableAt<S, B, P>, O>,
  ...value: ValueOf<O, ComparableAt<S, B, P>>
) => Result;

/** A reference, an object or a body as a whole can only be asked whether it is there. */
type OperatorOn<C, O> = [C] extends [never] ? NullOperator : O;

/** What an operator compares a value of type `C` with. */
type ValueOf<O, C> = O extends NullOperator
  ? []
  : O extends 'IN' | 'NOT IN'
    ? [values: readonly C[]]
    : O extends 'BETWEEN' | 'NOT BETWEEN'
      ? [bounds: readonly [least: C, greatest: C]]
      : O extends 'CONTAINS' | 'STARTS_WITH' | 'ENDS_WITH'
        ? [text: string]
        : [value: C];

type NullOperator = 'IS NULL' | 'IS NOT NULL';

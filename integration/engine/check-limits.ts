import type { FilterNode, SortKey } from './ast.ts';
import { beyondLimit, checkListLength, type Limits } from './limits.ts';
import { checkIncludePaths, checkSortKeys } from './parse.ts';

/** Holds a query that was not parsed from a query string against the limits on its form. Throws BadParameterError. */
export function checkLimits(
  query: {
    readonly filter: readonly FilterNode[];
    readonly sort: readonly SortKey[];
    readonly include: readonly string[];
  },
  limits: Limits,
): void {
  let conditions = 0;
  function check(node: FilterNode, depth: number, above: string): void {
    if (node.kind === 'group') {
      if (depth >= limits.groupDepth) {
        throw beyondLimit(above, 'groupDepth', `Groups may be nested ${limits.groupDepth} deep at most`);
      }
      for (const member of node.members) check(member, depth + 1, parameterOf(member) ?? above);
      return;
    }
    const parameter = node.parameter ?? above;
    conditions += 1;
    if (conditions > limits.conditions) {
      throw beyondLimit(parameter, 'conditions', `A filter may have ${limits.conditions} conditions at most`);
    }
    if (node.kind === 'condition' && Array.isArray(node.value)) {
      checkListLength(node.value, parameter, limits);
    }
  }
  for (const node of query.filter) check(node, 0, parameterOf(node) ?? 'where(…)');
  checkIncludePaths(query.include, limits);
  checkSortKeys(query.sort, query.sort.at(-1)?.parameter ?? 'sort', limits);
}

function parameterOf(node: FilterNode): string | undefined {
  if (node.kind !== 'group') return node.parameter;
  const [first] = node.members;
  return first === undefined ? undefined : parameterOf(first);
}
